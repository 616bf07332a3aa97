// SPDX-License-Identifier: Apache-2.0
// This file has what the plans of Conv and ConvTranspose share: their tensors, and what a gather binds and a part of it reads of
// them. The geometries of both name the same things alike.
#pragma once

#include <span>

#include "ops/geometry.h"
#include "plan/engines/gather.h"
#include "plan/engines/prologue.h"

namespace vkonnx::plan {

// Describes X or Y of a convolution as if its layout were NCX.
template <class Geometry>
TensorDesc tensor_of(const Geometry& g, int64_t outer, int64_t inner, int64_t ops::Axis::*extent)
{
    TensorDesc desc{g.dtype, {outer, inner}};
    for (const ops::Axis& axis : g.axes)
        desc.dims.push_back(axis.*extent);
    return desc;
}

// Returns the inputs that kernels of one output at a time bind. A binding without a tensor still needs a buffer: W stands in, and
// is not read.
template <class Geometry>
std::vector<InputTensor> bound_inputs(const Geometry& g, const TensorDesc& tensor_x, const TensorDesc& tensor_w,
                                      const std::optional<Prologue>& prologue)
{
    const InputTensor w = {1, *element_count(tensor_w)};
    std::vector<InputTensor> inputs = {{0, *element_count(tensor_x)}, w, g.bias ? InputTensor{2, g.channels_out} : w};
    if (!prologue)
        return inputs;
    const int64_t numbers = prologue_numbers(prologue);
    inputs.push_back(numbers > 0 ? InputTensor{operand_p, g.channels_in * numbers} : w);
    return inputs;
}

// Tells why the nd kernels can't read P; returns "" where they can, or need not.
inline std::string unfit_for_operands(const Capabilities& capabilities, const std::optional<Prologue>& prologue)
{
    constexpr uint32_t buffers = 5;
    if (!prologue || capabilities.max_storage_buffers >= buffers)
        return "";
    return "with PrepareOptions::prologue it binds 5 storage buffers, and the device's max_storage_buffers is " +
           std::to_string(capabilities.max_storage_buffers);
}

// This struct holds ranges around what the outputs of a part meet.
struct Met {
    Range columns;        // channels of Y
    Range groups;         // groups that the columns are in
    Range channels;       // channels of X, in all these groups
    Range taps = {0, 1};  // as flat indices of the kernel
    int64_t volume = 1;   // the number of taps of the kernel
};

// Returns ranges around what a part reads of X, W, B and P, where P has so many numbers for each channel. positions_of(axis,
// outputs, taps) returns the input positions along an axis that outputs of a range read by taps of a range, with count 0 for
// none; weights_of(met) returns the range of W.
template <class Geometry, class Positions, class Weights>
Reads reads_of(const Geometry& g, std::span<const int64_t> output_dims, int64_t prologue_numbers, const Part& part,
               Positions&& positions_of, Weights&& weights_of)
{
    const bool last = g.layout == Layout::nxc;
    const int64_t columns = g.channels_out / g.group;
    const Bounds bounds = bounds_of(part.outputs, output_dims);
    const size_t first_axis = last ? 1 : 2;
    const Range out = bounds[last ? g.axes.size() + 1 : 1];

    const Range b = g.bias && part.finishes ? out : Range{};
    if (part.adds_nothing())
        return {Range{}, Range{}, b};
    Met met = {.columns = out,
               .groups = {out.first / columns, (out.end() - 1) / columns - out.first / columns + 1},
               .channels = part.channels};
    reach(met.channels, met.groups, g.channels_in / g.group);
    Range position = {0, 1};
    int64_t x_volume = 1;
    for (size_t a = g.axes.size(); a-- > 0;) {
        const ops::Axis& axis = g.axes[a];
        const Range taps = {part.box.begin[a], int64_t(part.box.end[a]) - part.box.begin[a]};
        const Range positions = positions_of(axis, bounds[first_axis + a], taps);
        if (positions.count == 0)
            return {Range{}, Range{}, b};
        reach(position, positions, x_volume);
        reach(met.taps, taps, met.volume);
        x_volume *= axis.in;
        met.volume *= axis.kernel;
    }
    Range x = {0, 1};
    reach(x, bounds[0], g.channels_in * x_volume);
    reach(x, met.channels, last ? 1 : x_volume);
    reach(x, position, last ? g.channels_in : 1);
    const Range p = {met.channels.first * prologue_numbers, met.channels.count * prologue_numbers};
    return {x, weights_of(met), b, p};
}

}  // namespace vkonnx::plan
