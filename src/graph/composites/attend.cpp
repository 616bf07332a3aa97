// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/attend.h"

#include <limits>

#include "graph/reals.h"

namespace vkonnx::graph {
namespace {

// Returns softmax(scores), or, with a sink of each head, exp(scores) / (sum of exp(scores) + exp(sink)).
Operand weights_of(Composer& composer, const Operand& scores, const std::optional<Operand>& sink)
{
    if (!sink)
        return composer.add(Softmax{.axis = -1}, {scores});
    const std::vector<int64_t>& dims = scores.desc.dims;
    if (dims.size() != 4)  // there was an error before
        return scores;
    const Operand zeros =
        composer.constant({.dtype = scores.desc.dtype, .dims = {dims[0], dims[1], dims[2], 1}}, [](int64_t) { return 0.0; });
    const Operand column = composer.add(ElementwiseKind::add, {zeros, Composer::view(*sink, {dims[1], 1, 1})});
    const Operand weights = composer.add(Softmax{.axis = -1}, {composer.add(Concat{.axis = -1}, {scores, column})});
    return composer.add(Slice{.starts = {0}, .ends = {dims[3]}, .axes = {3}}, {weights});
}

}  // namespace

Operand with_heads_and_places_swapped(Composer& composer, const Operand& x)
{
    return composer.add(Transpose{.perm = {0, 2, 1, 3}}, {x});
}

Attended attend(Composer& composer, const Operand& q, const Operand& k, const Operand& v, const AttendOptions& options,
                const std::function<Operand(const Operand&)>& mask)
{
    if (!composer.status())
        return {};
    const DType dtype = q.desc.dtype;
    const int64_t batches = q.desc.dims[0], heads = q.desc.dims[1], queries = q.desc.dims[2], size = q.desc.dims[3];
    const int64_t key_heads = k.desc.dims[1], keys = k.desc.dims[2];
    // The rows of all heads of queries that a head of keys serves are those of one matrix, so that keys need not be repeated.
    const auto by_key_head = [&](const Operand& x, int64_t columns) {
        return Composer::view(x, {batches, key_heads, heads / key_heads * queries, columns});
    };
    const Operand scaled = composer.add(ElementwiseKind::mul, {q, composer.constant(dtype, options.scale)});
    const Operand product =
        composer.add(MatMul(), {by_key_head(scaled, size), composer.add(Transpose{.perm = {0, 1, 3, 2}}, {k})});
    Attended made = {.scores = Composer::view(product, {batches, heads, queries, keys})};
    made.capped = made.scores;
    if (options.softcap != 0) {
        const Operand most = composer.constant(dtype, options.softcap);
        const Operand squeezed = composer.add(ElementwiseKind::tanh, {composer.add(ElementwiseKind::div, {made.scores, most})});
        made.capped = composer.add(ElementwiseKind::mul, {squeezed, most});
    }
    made.masked = mask(made.capped);
    made.weights = weights_of(composer, made.masked, options.sink);
    const Operand sums = composer.add(MatMul(), {by_key_head(made.weights, keys), v});
    made.y = Composer::view(sums, {batches, heads, queries, v.desc.dims[3]});
    return made;
}

bool check_floats_of(Composer& composer, size_t input, std::string_view name, const std::vector<int64_t>& dims)
{
    const TensorDesc& desc = composer.input(input).desc;
    return composer.check(is_real(desc.dtype) && desc.dims == dims, std::string(name) + " is " + to_string(desc) +
                                                                        ", expected floats of the dimensions " +
                                                                        to_string({.dtype = desc.dtype, .dims = dims}));
}

Operand minus_infinity_unless(Composer& composer, const Operand& allowed, DType dtype)
{
    return composer.add(
        Where(), {allowed, composer.constant(dtype, 0), composer.constant(dtype, -std::numeric_limits<double>::infinity())});
}

}  // namespace vkonnx::graph
