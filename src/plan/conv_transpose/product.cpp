// SPDX-License-Identifier: Apache-2.0
#include "plan/conv_transpose/product.h"

#include <algorithm>
#include <tuple>

#include "plan/arithmetic.h"

namespace vkonnx::plan::conv_transpose {
namespace {

using ops::Axis;

// Those that have outputs; `begin` as in Line, and `skipped` how many outputs of the first block it leaves out.
std::vector<Phases> phases_of(const push::ConvTransposeAxis& axis, int64_t begin, int64_t skipped)
{
    const int64_t stride = int64_t(axis.stride) * axis.gcd;
    std::vector<Phases> all;
    for (int64_t r = 0; r < stride && all.size() <= max_classes; ++r) {
        if ((r < begin ? stride : 0) + r - begin >= axis.out_extent)
            continue;
        Phases next = {.first = r};
        const int64_t distance = r + skipped;  // from the first tap
        if (distance % axis.gcd == 0) {
            next.step = axis.gcd;
            next.tap = distance / axis.gcd * axis.inverse % axis.stride;
            next.tap_step = axis.inverse;
            if (next.tap < axis.kernel)
                next.taps = divide_up(axis.kernel - next.tap, axis.stride);
        }
        if (next.taps > 0)
            next.reach = (next.tap * axis.dilation * axis.gcd - distance) / stride;
        else
            next.tap = next.tap_step = 0;
        const auto goes_on = [&](const Phases& before) {
            return before.step == next.step && before.first + before.count * before.step == r && before.taps == next.taps &&
                   before.reach == next.reach && before.tap + before.count * before.tap_step == next.tap;
        };
        const auto joined = std::find_if(all.begin(), all.end(), goes_on);
        if (joined != all.end())
            ++joined->count;
        else
            all.push_back(next);
    }
    return all;
}

Line line_of(const Axis& axis, const push::ConvTransposeAxis& phased, Blocks blocks)
{
    const int64_t rest = axis.begin % axis.stride;
    const int64_t begin = blocks == Blocks::of_inputs ? rest : 0;
    Line line = {.phases = phases_of(phased, begin, rest - begin), .begin = begin};
    int64_t nearest = INT64_MAX, farthest = INT64_MIN;
    for (const Phases& phases : line.phases) {
        if (phases.taps == 0)
            continue;
        nearest = std::min(nearest, phases.reach);
        farthest = std::max(farthest, phases.reach + (phases.taps - 1) * phased.dilation);
    }
    if (nearest > farthest)  // no output has any taps
        nearest = farthest = 0;
    line.blocks = divide_up(axis.out + begin, axis.stride);
    line.extent = line.blocks + farthest - nearest;
    line.farthest = farthest;
    line.first = axis.begin / axis.stride - farthest;
    return line;
}

// One input has any stride: with its kernel's, no tap is multiplied by the zeros around it.
void step_over_the_kernel(Axis& axis, push::ConvTransposeAxis& phased)
{
    axis.stride = axis.kernel;
    phased.gcd = phased.dilation = 1;
    phased.stride = phased.kernel;
    phased.inverse = axis.kernel == 1 ? 0 : 1;
}

}  // namespace

Product product_of(const ops::ConvTransposeGeometry& g, std::span<const push::ConvTransposeAxis> axes, Blocks blocks)
{
    constexpr push::ConvTransposeAxis lacking = {
        .in_extent = 1, .out_extent = 1, .kernel = 1, .begin = 0, .gcd = 1, .stride = 1, .dilation = 1, .inverse = 0};
    Product product = {.images = g.batch,
                       .groups = g.group,
                       .channels_in = g.channels_in / g.group,
                       .channels_out = g.channels_out / g.group,
                       .quads = divide_up(g.channels_in / g.group, 4),
                       .line = 1,
                       .columns = g.batch};
    const size_t missing = PHASES_AXES - g.axes.size();
    for (size_t a = 0; a < PHASES_AXES; ++a) {
        product.axes[a] = a < missing ? Axis() : g.axes[a - missing];
        product.phased[a] = a < missing ? lacking : axes[a - missing];
        if (product.axes[a].in == 1 && product.axes[a].dilation == 1)
            step_over_the_kernel(product.axes[a], product.phased[a]);
        product.lines[a] = line_of(product.axes[a], product.phased[a], blocks);
        product.columns = saturated_product(product.columns, product.lines[a].blocks);
        product.line = saturated_product(product.line, product.lines[a].extent);
    }
    const auto& [outer, middle, inner] = product.lines;
    if (outer.phases.size() * middle.phases.size() * inner.phases.size() > max_classes)
        return product;
    for (const Phases& a : outer.phases)
        for (const Phases& b : middle.phases)
            for (const Phases& c : inner.phases)
                product.classes.push_back({{a, b, c},
                                           saturated_product({product.channels_out, a.count, b.count, c.count}),
                                           saturated_product({a.taps, b.taps, c.taps})});
    std::sort(product.classes.begin(), product.classes.end(), [](const PhaseClass& a, const PhaseClass& b) {
        const auto place = [](const PhaseClass& one) {
            return std::tuple(-one.taps, one.axes[0].first, one.axes[1].first, one.axes[2].first);
        };
        return place(a) < place(b);
    });
    return product;
}

}  // namespace vkonnx::plan::conv_transpose
