// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/integer_products.h"

#include <algorithm>
#include <functional>

namespace vkonnx::graph {
namespace {

using Product = std::function<Operand(const Operand&, const Operand&)>;

// These are the two parts of differences, as floats. Where they are not divided, `low` is all of them.
struct Digits {
    std::optional<Operand> high = {};
    Operand low = {};
};

Digits digits_of(Composer& composer, const Factor& factor, bool divided)
{
    if (!divided)
        return {{}, centred(composer, factor.x, factor.zero_point, DType::float32)};
    const Operand differences = centred(composer, factor.x, factor.zero_point, DType::int32);
    const Operand base = composer.constant(DType::int32, 16);
    const Operand high = composer.add(ElementwiseKind::div, {differences, base});
    const Operand low = composer.add(ElementwiseKind::sub, {differences, composer.add(ElementwiseKind::mul, {high, base})});
    return {composer.cast(high, DType::float32), composer.cast(low, DType::float32)};
}

// Returns the product as whole floats, or as int32 where one of the factors is divided. Each of its elements is a sum of so many
// terms.
Operand exact_product(Composer& composer, const Factor& a, const Factor& b, int64_t terms, const Product& product)
{
    const bool b_is_divided = terms > (sums_without_error - 1) / (255 * 255),
               a_is_divided = terms > (sums_without_error - 1) / (255 * 15);
    if (terms > (sums_without_error - 1) / (15 * 15)) {
        composer.fail(Status(Code::unsupported, "each element is a sum of " + std::to_string(terms) +
                                                    " products, supported are " +
                                                    std::to_string((sums_without_error - 1) / (15 * 15))));
        return {};
    }
    const Digits x = digits_of(composer, a, a_is_divided), y = digits_of(composer, b, b_is_divided);
    if (!y.high)
        return product(x.low, y.low);
    const Operand base = composer.constant(DType::int32, 16);
    const auto whole = [&](const Operand& first, const Operand& second) {
        return composer.cast(product(first, second), DType::int32);
    };
    const auto joined = [&](const Operand& high, const Operand& low) {
        return composer.add(ElementwiseKind::add, {composer.add(ElementwiseKind::mul, {high, base}), low});
    };
    const auto with_all_of_b = [&](const Operand& digit) { return joined(whole(digit, *y.high), whole(digit, y.low)); };
    const Operand low = with_all_of_b(x.low);
    return x.high ? joined(with_all_of_b(*x.high), low) : low;
}

}  // namespace

Operand of_rows(const Operand& parameter)
{
    const std::vector<int64_t>& dims = parameter.desc.dims;
    return dims.size() == 1 && dims[0] != 1 ? Composer::view(parameter, {dims[0], 1}) : of_columns(parameter);
}

Operand of_columns(const Operand& parameter)
{
    const std::vector<int64_t>& dims = parameter.desc.dims;
    const bool is_one = std::all_of(dims.begin(), dims.end(), [](int64_t extent) { return extent == 1; });
    return is_one ? Composer::view(parameter, {}) : parameter;
}

Operand of_channels(Composer& composer, const Operand& parameter, int64_t channels, size_t axes)
{
    const std::vector<int64_t>& dims = parameter.desc.dims;
    if (dims.empty() || dims == std::vector<int64_t>{1})
        return Composer::view(parameter, {});
    composer.check(dims == std::vector<int64_t>{channels}, "a scale or zero point of w is " + to_string(parameter.desc) +
                                                               ", expected one element, or " + std::to_string(channels));
    std::vector<int64_t> spread(axes, 1);
    spread[0] = channels;
    return Composer::view(parameter, spread);
}

Operand integer_matmul(Composer& composer, const Factor& a, const Factor& b)
{
    const std::vector<int64_t>& dims = a.x.desc.dims;
    if (!composer.check(!dims.empty(), "A has no axis"))
        return {};
    const auto of = [](const Factor& factor, Operand (*spread)(const Operand&)) {
        return Factor{factor.x, factor.zero_point ? std::optional(spread(*factor.zero_point)) : std::nullopt};
    };
    return exact_product(composer, of(a, of_rows), of(b, of_columns), dims.back(), [&](const Operand& x, const Operand& y) {
        return composer.add(MatMul(), {x, y});
    });
}

Operand integer_conv(Composer& composer, const Conv& conv, const Factor& x, const Factor& w)
{
    const std::vector<int64_t>& dims = w.x.desc.dims;
    if (!composer.check(dims.size() >= 3, "w is " + to_string(w.x.desc) + ", expected three dimensions or more"))
        return {};
    Factor inputs = x, weights = w;
    if (x.zero_point)
        inputs.zero_point = Composer::view(*x.zero_point, {});
    if (w.zero_point)
        weights.zero_point = of_channels(composer, *w.zero_point, dims[0], dims.size());
    return exact_product(composer, inputs, weights, extent_of(dims, 1, dims.size()), [&](const Operand& a, const Operand& b) {
        return composer.add(conv, {a, b});
    });
}

}  // namespace vkonnx::graph
