#include "kit/range.h"

#include <algorithm>
#include <cmath>

#include "kit/elements.h"

namespace vkonnx::kit {

Range Range::of(double value)
{
    Range range;
    range.include(value);
    return range;
}

Range Range::anything()
{
    Range range;
    for (const double value : {-infinity, infinity, not_a_number})
        range.include(value);
    return range;
}

void Range::include(double value)
{
    if (std::isnan(value)) {
        nan_ = true;
        return;
    }
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
}

Range Range::rounded_to(DType dtype) const
{
    Range range = *this;
    if (has_numbers()) {
        range.low_ = rounded(dtype, low_);
        range.high_ = rounded(dtype, high_);
    }
    return range;
}

bool Range::holds(double got, bool signs) const
{
    if (std::isnan(got))
        return nan_;
    if (low_ <= got && got <= high_)
        return true;
    return !signs && std::isinf(got) && low_ <= -got && -got <= high_;
}

}  // namespace vkonnx::kit
