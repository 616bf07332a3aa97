// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plan/operators/move/problem.h"

namespace vkonnx::plan::move {
namespace {

using ops::Beyond;
using ops::SourceAxis;

// Tells whether all of the output's coordinates are the input's own.
bool is_plain(const SourceAxis& along, int64_t extent, Beyond beyond)
{
    return along.begin == 0 && (beyond == Beyond::never || along.extent == extent);
}

// Limits `begin` to what coordinates of the output reach, so that all numbers fit 32 bits.
SourceAxis bounded(SourceAxis along, int64_t extent, Beyond beyond)
{
    if (beyond == Beyond::other)
        along.begin = std::clamp(along.begin, -along.extent, extent);
    return along;
}

bool continues(const Axis& outer, const Axis& inner, Beyond beyond)
{
    const bool shifts = beyond == Beyond::never || beyond == Beyond::other;
    for (size_t s = 0; s < outer.along.size(); ++s)
        if (outer.along[s].stride != inner.along[s].stride * inner.extent || !is_plain(inner.along[s], inner.extent, beyond) ||
            !(shifts || is_plain(outer.along[s], outer.extent, beyond)))
            return false;
    return true;
}

Axis joined(const Axis& outer, const Axis& inner)
{
    Axis axis = {outer.extent * inner.extent, inner.along};
    for (size_t s = 0; s < axis.along.size(); ++s) {
        axis.along[s].begin = outer.along[s].begin * inner.extent;
        axis.along[s].extent = outer.along[s].extent * inner.extent;
    }
    return axis;
}

}  // namespace

std::vector<Axis> merged(const ops::Move& move, Beyond beyond)
{
    std::vector<Axis> axes;
    for (size_t a = 0; a < move.extents.size(); ++a) {
        Axis axis = {.extent = move.extents[a]};
        for (const ops::Source& source : move.sources)
            axis.along.push_back(bounded(source.axes[a], axis.extent, beyond));
        const bool plain = std::all_of(axis.along.begin(), axis.along.end(),
                                       [&](const SourceAxis& along) { return is_plain(along, axis.extent, beyond); });
        if (axis.extent == 1 && plain)
            continue;
        if (!axes.empty() && continues(axes.back(), axis, beyond))
            axes.back() = joined(axes.back(), axis);
        else
            axes.push_back(std::move(axis));
    }
    return axes;
}

}  // namespace vkonnx::plan::move
