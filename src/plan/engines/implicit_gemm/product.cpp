// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/implicit_gemm/product.h"

#include <algorithm>
#include <tuple>

#include "plan/core/arithmetic.h"

namespace vkonnx::plan::implicit_gemm {

Product completed(Product product)
{
    product.quads = divide_up(product.channels_in, 4);
    product.packed_quads = product.taps_are_channels() ? 1 : product.quads;
    product.line = 1;
    product.columns = product.images;
    for (const Axis& axis : product.axes) {
        product.columns = saturated_product(product.columns, axis.blocks);
        product.line = saturated_product(product.line, axis.extent);
    }
    const auto& [outer, middle, inner] = product.axes;
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

}  // namespace vkonnx::plan::implicit_gemm
