// SPDX-License-Identifier: Apache-2.0
// Outputs whose inputs are broadcast to them, as shaders/broadcast.glsl finds the elements that belong to one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/gather.h"

namespace vkonnx::plan {

// Neighbouring axes of the output that all inputs see alike are one axis, so that at most 30 are left of any rank: each has an
// extent of 2 or more, and their product is below 2^31.
struct BroadcastAxis {
    int64_t extent = 1;
    std::vector<int64_t> strides = {};  // an input each, in elements: 0 where it is broadcast, or not given

    friend bool operator==(const BroadcastAxis&, const BroadcastAxis&) = default;
};

// The dimensions of each input that is given, as many as the output has.
using BroadcastInputs = std::span<const std::optional<std::vector<int64_t>>>;

// Outermost first, without those of one element.
std::vector<BroadcastAxis> merged(std::vector<BroadcastAxis> axes);

// Outermost first. None where every input lies as the output does, element by element.
std::vector<BroadcastAxis> merged(std::span<const int64_t> dims, BroadcastInputs inputs);

// The range of an input that belongs to a range of outputs, conservatively.
Range read_of(std::span<const BroadcastAxis> axes, size_t input, const Range& outputs);

int64_t elements_of(std::span<const int64_t> dims);

// Writes what the shader reads of axes: their extents, innermost first, and then an input's strides after the other's, likewise.
void put_axes(uint32_t* word, std::span<const BroadcastAxis> axes);

}  // namespace vkonnx::plan
