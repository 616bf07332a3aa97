// SPDX-License-Identifier: Apache-2.0
// This file describes outputs whose inputs are broadcast to them, in the form from which shaders/engines/gather/broadcast.glsl
// finds the input elements of an output.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/engines/gather.h"

namespace vkonnx::plan {

// A BroadcastAxis is one or several neighbouring axes of the output that all inputs see as one. At most 30 are left of any rank,
// because each has an extent of 2 or more, and their product is below 2^31.
struct BroadcastAxis {
    int64_t extent = 1;
    std::vector<int64_t> strides = {};  // for each input, in elements: 0 where it is broadcast, or not given

    friend bool operator==(const BroadcastAxis&, const BroadcastAxis&) = default;
};

// BroadcastInputs are the dimensions of each input that is given, as many as the output has.
using BroadcastInputs = std::span<const std::optional<std::vector<int64_t>>>;

// Returns the merged axes, outermost first, without those of one element.
std::vector<BroadcastAxis> merged(std::vector<BroadcastAxis> axes);

// Returns the merged axes of an output, outermost first. There are none where every input lies as the output does, element by
// element.
std::vector<BroadcastAxis> merged(std::span<const int64_t> dims, BroadcastInputs inputs);

// Returns a range of an input that holds all elements that a range of outputs reads.
Range read_of(std::span<const BroadcastAxis> axes, size_t input, const Range& outputs);

int64_t elements_of(std::span<const int64_t> dims);

// Writes the axes as the shader reads them: first their extents, innermost first, and then for each input its strides in the same
// order.
void put_axes(uint32_t* word, std::span<const BroadcastAxis> axes);

}  // namespace vkonnx::plan
