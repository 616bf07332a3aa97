// This header tells whether a result is the expected one, and if not, how far off it is and where.
#pragma once

#include <vkonnx/onnx.hpp>

namespace vkonnx::tools {

struct Tolerance {
    double relative = 1e-3;
    double absolute = 1e-7;
    double of_greatest = 0;  // relative to the greatest finite magnitude that is expected of any element
};

// This struct holds the greatest errors over all elements, 0 when all are equal. Integers, booleans and strings only count as
// different.
struct Errors {
    double absolute = 0;
    double relative = 0;  // where the expected value is not 0
    double ulp = 0;       // representable values between the two
};

struct Comparison {
    std::optional<Errors> errors = {};  // none where type or shape differ
    std::string mismatch = {};          // empty when equal within the tolerance
};

// Returns the bits of a float16 or bfloat16 as a number.
double half_value(DType dtype, uint16_t bits);

void widen(std::optional<Errors>& errors, const std::optional<Errors>& other);

// Compares a tensor with the expected one. Type and shape must be equal. Floating-point elements must be within |actual -
// expected| <= absolute + relative * |expected| + of_greatest * the greatest |expected|. NaN is equal to NaN and an infinity to
// itself. Everything else must be exact.
Comparison compare(const onnx::HostTensor& actual, const onnx::HostTensor& expected, const Tolerance& tolerance);

}  // namespace vkonnx::tools
