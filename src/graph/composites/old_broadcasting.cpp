// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/old_broadcasting.h"

#include <algorithm>

#include "graph/composer.h"

namespace vkonnx::graph {
namespace {

using old_broadcasting::versions_1_and_6;

constexpr Schema::Input old_prelu_inputs[] = {{.name = "X"}, {.name = "slope"}};
constexpr Schema::Input old_gemm_inputs[] = {{.name = "A"}, {.name = "B"}, {.name = "C"}};
constexpr Schema::Output old_output[] = {{"Y"}};

// Returns B under dimensions that the rules of NumPy broadcast to those of A. Its axes begin at the axis of A that is given, or
// end where A's end. A single element is repeated wherever it stands.
Operand aligned(Composer& composer, const Operand& a, const Operand& b, const std::optional<int64_t>& axis)
{
    const std::vector<int64_t>& dims = a.desc.dims;
    const size_t rank = dims.size(), count = b.desc.dims.size();
    if (element_count(b.desc).ok() && *element_count(b.desc) == 1)
        return Composer::view(b, {});
    const size_t at = axis ? composer.axis(*axis, rank) : rank - std::min(count, rank);
    std::vector<int64_t> spread = b.desc.dims;
    if (at + count <= rank)
        spread.resize(rank - at, 1);
    composer.check(at + count <= rank && is_broadcast(spread, dims),
                   "input 1 is " + to_string(b.desc) + ", expected the dimensions of " + to_string(a.desc) + " from axis " +
                       std::to_string(at) + " on, as many as it has, since broadcast = 1");
    return Composer::view(b, std::move(spread));
}

}  // namespace

void old_broadcasting::compose(Composer& composer, Operator op, const Attributes& attributes)
{
    const Operand a = composer.input(0), b = composer.input(1);
    if (composer.flag(attributes.broadcast, "broadcast"))
        return composer.set_output(0, composer.add(std::move(op), {a, aligned(composer, a, b, attributes.axis)}));
    if (composer.check(b.desc.dims == a.desc.dims, "input 1 is " + to_string(b.desc) + ", expected the dimensions of " +
                                                       to_string(a.desc) + ", since broadcast = 0"))
        composer.set_output(0, composer.add(std::move(op), {a, b}));
}

constinit const Schema OldPRelu::schema = {
    .name = "PRelu", .versions = versions_1_and_6, .inputs = old_prelu_inputs, .outputs = old_output};
constinit const Schema OldGemm::schema = {
    .name = "Gemm", .versions = versions_1_and_6, .inputs = old_gemm_inputs, .outputs = old_output};

void OldPRelu::compose(Composer& composer) const
{
    const Operand x = composer.input(0), slope = composer.input(1);
    const std::vector<int64_t>& dims = x.desc.dims;
    const std::vector<int64_t> one = {1};
    if (slope.desc.dims.empty() || slope.desc.dims == one)
        return composer.set_output(0, composer.add(ElementwiseKind::prelu, {x, Composer::view(slope, {})}));
    if (!composer.check(dims.size() >= 2 && slope.desc.dims == std::vector<int64_t>{dims[1]},
                        "slope is " + to_string(slope.desc) + ", expected one element, or one for each channel of " +
                            to_string(x.desc)))
        return;
    std::vector<int64_t> spread(dims.size() - 1, 1);
    spread[0] = dims[1];
    composer.set_output(0, composer.add(ElementwiseKind::prelu, {x, Composer::view(slope, std::move(spread))}));
}

void OldGemm::compose(Composer& composer) const
{
    const std::vector<int64_t>&a = composer.dims(0), &b = composer.dims(1);
    const bool is_repeated = composer.flag(broadcast, "broadcast"), turns_a = composer.flag(gemm.transA, "transA"),
               turns_b = composer.flag(gemm.transB, "transB");
    if (!composer.check(a.size() == 2 && b.size() == 2, "A is " + to_string(composer.input(0).desc) + " and B " +
                                                            to_string(composer.input(1).desc) +
                                                            ", expected two dimensions of both"))
        return;
    const TensorDesc& c = composer.input(2).desc;
    const std::vector<int64_t> product = {a[turns_a ? 1 : 0], b[turns_b ? 0 : 1]};
    composer.check(is_repeated || c.dims == product, "C is " + to_string(c) + ", expected the dimensions of " +
                                                         to_string({.dtype = c.dtype, .dims = product}) +
                                                         ", since broadcast = 0");
    composer.set_output(0, composer.add(gemm, {composer.input(0), composer.input(1), composer.input(2)}));
}

}  // namespace vkonnx::graph
