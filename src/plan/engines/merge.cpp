// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/merge.h"

namespace vkonnx::plan {
namespace {

using ops::Axis;

// Tells whether an axis has one input position, one output position and one tap between them.
bool is_trivial(const Axis& axis)
{
    return axis.in == 1 && axis.out == 1 && axis.kernel == 1 && axis.begin == 0;
}

// Tells whether each output position is the input position of the same number, whatever the operator.
bool passes_through(const Axis& axis)
{
    return axis.kernel == 1 && axis.stride == 1 && axis.begin == 0 && axis.in == axis.out;
}

// Tells whether a pool or a Conv has only one window, which is just as long as the input.
bool is_global(const Axis& axis)
{
    return axis.out == 1 && axis.kernel == axis.in && axis.dilation == 1 && axis.begin == 0;
}

// Tells whether a ConvTranspose has one input position, whose taps are the outputs in their order.
bool is_spread(const Axis& axis)
{
    return axis.in == 1 && axis.out == axis.kernel && axis.dilation == 1 && axis.begin == 0;
}

Axis product(const Axis& a, const Axis& b)
{
    return {.in = a.in * b.in, .out = a.out * b.out, .kernel = a.kernel * b.kernel};
}

// Drops trivial axes and joins neighbours that are alike; at least one axis stays.
template <class Alike>
std::vector<Axis> joined(const std::vector<Axis>& axes, Alike alike)
{
    std::vector<Axis> result;
    for (const Axis& axis : axes) {
        if (is_trivial(axis))
            continue;
        if (!result.empty() && alike(result.back(), axis))
            result.back() = product(result.back(), axis);
        else
            result.push_back(axis);
    }
    if (result.empty())
        result.push_back(Axis{});
    return result;
}

}  // namespace

PoolProblem unmerged(const ops::PoolGeometry& g)
{
    const bool last = g.layout == Layout::nxc;
    return {.outer = last ? g.batch : g.batch * g.channels, .axes = g.axes, .inner = last ? g.channels : 1};
}

PoolProblem merged(const ops::PoolGeometry& g)
{
    PoolProblem problem = unmerged(g);
    problem.axes = joined(g.axes, [](const Axis& a, const Axis& b) {
        return (passes_through(a) && passes_through(b)) || (is_global(a) && is_global(b));
    });
    while (problem.axes.size() > 1 && passes_through(problem.axes.front())) {
        problem.outer *= problem.axes.front().in;
        problem.axes.erase(problem.axes.begin());
    }
    while (problem.axes.size() > 1 && passes_through(problem.axes.back())) {
        problem.inner *= problem.axes.back().in;
        problem.axes.pop_back();
    }
    return problem;
}

ops::ConvTransposeGeometry merged(const ops::ConvTransposeGeometry& g)
{
    ops::ConvTransposeGeometry result = g;
    result.axes = joined(g.axes, [](const Axis& a, const Axis& b) {
        return (passes_through(a) && passes_through(b)) || (is_spread(a) && is_spread(b));
    });
    while (g.layout == Layout::nxc && result.axes.size() > 1 && passes_through(result.axes.front())) {
        result.batch *= result.axes.front().in;
        result.axes.erase(result.axes.begin());
    }
    return result;
}

ops::ConvGeometry merged(const ops::ConvGeometry& g)
{
    ops::ConvGeometry result = g;
    result.axes = joined(g.axes, [](const Axis& a, const Axis& b) {
        return (passes_through(a) && passes_through(b)) || (is_global(a) && is_global(b));
    });
    while (g.layout == Layout::nxc && result.axes.size() > 1 && passes_through(result.axes.front())) {
        result.batch *= result.axes.front().in;
        result.axes.erase(result.axes.begin());
    }
    return result;
}

std::string merge_note(size_t before, size_t after)
{
    if (before == after)
        return "";
    return "its " + std::to_string(before) + " spatial axes are merged to " + std::to_string(after) + "; ";
}

}  // namespace vkonnx::plan
