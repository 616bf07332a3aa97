// Is an output what the reference says? Asked before anything is timed.
#pragma once

#include <span>
#include <string>

#include "kit/cases.h"

namespace vkonnx::bench {

struct Verification {
    int64_t compared = 0;
    std::string mismatch = {};  // a sentence with the element, or empty
};

// At most `most` indices below `count`, ascending: all of them, or both ends and others drawn with the seed.
std::vector<int64_t> seeded_sample(int64_t count, int64_t most, uint64_t seed);

// Compares outputs within the error bound for float, with `unit` 2^-24 (2^-23 where rounding is not known to be to nearest).
// So many that the reference takes a moment at most: `taps_per_output` says what one costs.
Result<Verification> verify(const kit::Case& problem, std::span<const kit::RealTensor> inputs, std::span<const float> output,
                            double taps_per_output, double unit, uint64_t seed);

}  // namespace vkonnx::bench
