// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "plan/operators/move/problem.h"

namespace vkonnx::plan::move {
namespace {

using ops::Beyond;
using ops::SourceAxis;

constexpr int64_t widest = 16;  // bytes that are moved at once

// Tells whether every run of `count` elements of the output, from its first element on, is such a run of the input.
bool lie_together(const Output& output, size_t source, Beyond beyond, int64_t count)
{
    const Axis& innermost = output.axes.back();
    const SourceAxis& along = innermost.along[source];
    const auto divides = [&](int64_t number) { return number % count == 0; };
    const bool shifts = beyond == Beyond::never || beyond == Beyond::other;
    const bool plain = along.begin == 0 && along.extent == innermost.extent;
    return along.stride == 1 && divides(along.begin) && (beyond == Beyond::never || divides(along.extent)) && (shifts || plain) &&
           divides(output.sources[source].first) &&
           std::all_of(output.axes.begin(), output.axes.end() - 1,
                       [&](const Axis& axis) { return divides(axis.along[source].stride); });
}

bool can_widen(const Problem& problem, int64_t count)
{
    const ops::MoveGeometry& g = problem.geometry;
    if (g.fill_input)
        return false;
    for (const Output& output : problem.outputs) {
        if (output.axes.empty() || output.axes.back().extent % count != 0)
            return false;
        for (size_t s = 0; s < output.sources.size(); ++s)
            if (*element_count(g.inputs[output.sources[s].input]) % count != 0 || !lie_together(output, s, g.beyond, count))
                return false;
    }
    return true;
}

}  // namespace

void widen(Problem& problem)
{
    const int64_t bytes = bits(problem.geometry.dtype) / 8;
    int64_t count = widest / bytes;
    while (count > 1 && !can_widen(problem, count))
        count /= 2;
    problem.together = count;
    problem.compute_type = *raw_type_of(uint32_t(bytes * count * 8));
    if (count == 1)
        return;
    for (Output& output : problem.outputs) {
        output.elements /= count;
        for (ops::Source& source : output.sources)
            source.first /= count;
        for (Axis& axis : output.axes)
            for (SourceAxis& along : axis.along)
                along.stride /= count;
        Axis& innermost = output.axes.back();
        innermost.extent /= count;
        for (SourceAxis& along : innermost.along)
            along = {.stride = 1, .begin = along.begin / count, .extent = along.extent / count};
    }
}

}  // namespace vkonnx::plan::move
