// SPDX-License-Identifier: Apache-2.0
#include "plan/elementwise/problem.h"

namespace vkonnx::plan::elementwise {
namespace {

// All axes of more than one element, outermost first.
std::vector<Axis> axes_of(const ops::ElementwiseGeometry& geometry)
{
    std::vector<Axis> axes(geometry.dims.size());
    for (size_t a = 0; a < axes.size(); ++a)
        axes[a] = {geometry.dims[a], std::vector<int64_t>(geometry.inputs.size())};
    for (size_t i = 0; i < geometry.inputs.size(); ++i) {
        if (!geometry.inputs[i])
            continue;
        int64_t stride = 1;
        for (size_t a = axes.size(); a-- > 0;) {
            const int64_t extent = (*geometry.inputs[i])[a];
            axes[a].strides[i] = extent == 1 ? 0 : stride;
            stride *= extent;
        }
    }
    std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
    return axes;
}

bool continues(const Axis& outer, const Axis& inner)
{
    for (size_t i = 0; i < outer.strides.size(); ++i)
        if (outer.strides[i] != inner.strides[i] * inner.extent)
            return false;
    return true;
}

}  // namespace

std::vector<Axis> merged(const ops::ElementwiseGeometry& geometry)
{
    std::vector<Axis> axes;
    for (Axis& axis : axes_of(geometry)) {
        if (!axes.empty() && continues(axes.back(), axis))
            axes.back() = {axes.back().extent * axis.extent, std::move(axis.strides)};
        else
            axes.push_back(std::move(axis));
    }
    if (axes.size() == 1) {
        bool flat = true;
        for (size_t i = 0; i < geometry.inputs.size(); ++i)
            flat = flat && (!geometry.inputs[i] || axes[0].strides[i] == 1);
        if (flat)
            return {};
    }
    return axes;
}

}  // namespace vkonnx::plan::elementwise
