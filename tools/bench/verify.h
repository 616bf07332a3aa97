// This header tells whether an output is what the reference says. This is asked before anything is timed.
#pragma once

#include <span>
#include <string>

#include "kit/cases.h"
#include "kit/compare.h"

namespace vkonnx::bench {

struct Verification {
    int64_t compared = 0;
    std::string mismatch = {};  // a sentence with the element, or empty
};

// Returns at most `most` indices below `count`, ascending: all of them, or both ends and others drawn with the seed.
std::vector<int64_t> seeded_sample(int64_t count, int64_t most, uint64_t seed);

// Compares outputs, as a device left them, of inputs filled with reals, within the error bounds that the device's rules leave. It
// compares only as many as the reference computes in a moment: `taps_per_output` says what one costs.
Result<Verification> verify(const kit::Case& problem, std::span<const kit::RealTensor> inputs, DType dtype,
                            std::span<const std::byte> output, double taps_per_output, const kit::FloatRules& rules,
                            uint64_t seed);

}  // namespace vkonnx::bench
