// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/broadcast.h"

#include <ranges>

namespace vkonnx::plan {
namespace {

// Returns all axes, outermost first.
std::vector<BroadcastAxis> axes_of(std::span<const int64_t> dims, BroadcastInputs inputs)
{
    std::vector<BroadcastAxis> axes(dims.size());
    for (size_t a = 0; a < axes.size(); ++a)
        axes[a] = {dims[a], std::vector<int64_t>(inputs.size())};
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i])
            continue;
        int64_t stride = 1;
        for (size_t a = axes.size(); a-- > 0;) {
            const int64_t extent = (*inputs[i])[a];
            axes[a].strides[i] = extent == 1 ? 0 : stride;
            stride *= extent;
        }
    }
    return axes;
}

bool continues(const BroadcastAxis& outer, const BroadcastAxis& inner)
{
    for (size_t i = 0; i < outer.strides.size(); ++i)
        if (outer.strides[i] != inner.strides[i] * inner.extent)
            return false;
    return true;
}

}  // namespace

std::vector<BroadcastAxis> merged(std::vector<BroadcastAxis> axes)
{
    std::vector<BroadcastAxis> merged;
    for (BroadcastAxis& axis : axes) {
        if (axis.extent == 1)
            continue;
        if (!merged.empty() && continues(merged.back(), axis))
            merged.back() = {merged.back().extent * axis.extent, std::move(axis.strides)};
        else
            merged.push_back(std::move(axis));
    }
    return merged;
}

std::vector<BroadcastAxis> merged(std::span<const int64_t> dims, BroadcastInputs inputs)
{
    std::vector<BroadcastAxis> axes = merged(axes_of(dims, inputs));
    if (axes.size() == 1) {
        bool flat = true;
        for (size_t i = 0; i < inputs.size(); ++i)
            flat = flat && (!inputs[i] || axes[0].strides[i] == 1);
        if (flat)
            return {};
    }
    return axes;
}

Range read_of(std::span<const BroadcastAxis> axes, size_t input, const Range& outputs)
{
    if (axes.empty())
        return outputs;
    const auto extents = axes | std::views::transform(&BroadcastAxis::extent);
    int64_t first = 0;
    int64_t last = 0;
    visit_bounds(outputs, extents, [&](size_t a, const Range& coordinates) {
        const int64_t stride = axes[a].strides[input];
        first += coordinates.first * stride;
        last += (coordinates.end() - 1) * stride;
    });
    return {first, last - first + 1};
}

int64_t elements_of(std::span<const int64_t> dims)
{
    int64_t count = 1;
    for (const int64_t extent : dims)
        count *= extent;
    return count;
}

void put_axes(uint32_t* word, std::span<const BroadcastAxis> axes)
{
    const size_t inputs = axes.empty() ? 0 : axes[0].strides.size();
    for (size_t a = axes.size(); a-- > 0;)
        *word++ = uint32_t(axes[a].extent);
    for (size_t i = 0; i < inputs; ++i)
        for (size_t a = axes.size(); a-- > 0;)
            *word++ = uint32_t(axes[a].strides[i]);
}

}  // namespace vkonnx::plan
