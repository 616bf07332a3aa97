// This header describes which floating-point answers are right: a range of numbers, infinities among them, and NaN where it is
// expected.
#pragma once

#include <limits>

#include <vkonnx/vkonnx.hpp>

namespace vkonnx::kit {

// A range holds no answer when made by default. Its ends belong to it.
//
//   Range::of(2)               2 alone
//   Range::of(NaN)             NaN alone, of any sign and payload
//   Range::of(1), include(3)   1 to 3
//   Range::anything()          whatever it is: near a place at which a function jumps, either side is right
class Range {
public:
    static Range of(double value);
    static Range anything();

    void include(double value);

    bool is_anything() const { return nan_ && low_ == -infinity && high_ == infinity; }
    bool has_numbers() const { return low_ <= high_; }
    bool has_nan() const { return nan_; }
    // Tells whether the range is one number, or NaN alone.
    bool is_point() const { return nan_ ? !has_numbers() : low_ == high_; }

    // Both ends are NaN where the range has no numbers.
    double low() const { return has_numbers() ? low_ : not_a_number; }
    double high() const { return has_numbers() ? high_ : not_a_number; }

    // Returns the range with its ends rounded to numbers of the type.
    Range rounded_to(DType dtype) const;

    // `signs` says whether the sign of an infinity counts. Signs of zero never do: 0 and -0 are one number.
    bool holds(double got, bool signs = true) const;

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

    double low_ = infinity;
    double high_ = -infinity;
    bool nan_ = false;
};

}  // namespace vkonnx::kit
