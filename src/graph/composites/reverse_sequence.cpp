// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t reverse_sequence_versions[] = {10};
constexpr Schema::Input reverse_sequence_inputs[] = {{.name = "input"}, {.name = "sequence_lens"}};
constexpr Schema::Output reverse_sequence_outputs[] = {{"Y"}};
}  // namespace

constinit const Schema ReverseSequence::schema = {.name = "ReverseSequence",
                                                  .versions = reverse_sequence_versions,
                                                  .inputs = reverse_sequence_inputs,
                                                  .outputs = reverse_sequence_outputs};

// Computes, of each sequence, from which time each of its elements comes: length - 1 - t within its length, and t behind it.
// A length beyond the axis counts as the axis. Then it gathers from the two first axes as from one.
void ReverseSequence::compose(Composer& composer) const
{
    const Operand x = composer.input(0), lengths = composer.input(1);
    const std::vector<int64_t>& dims = x.desc.dims;
    const int64_t batch = batch_axis.value_or(1), time = time_axis.value_or(0);
    if (!composer.check(dims.size() >= 2, "input is " + to_string(x.desc) + ", expected two dimensions or more") ||
        !composer.check((batch == 0 && time == 1) || (batch == 1 && time == 0), "batch_axis = " + std::to_string(batch) +
                                                                                    " and time_axis = " + std::to_string(time) +
                                                                                    " must be 0 and 1, or 1 and 0"))
        return;
    const int64_t times = dims[size_t(time)], batches = dims[size_t(batch)];
    if (!composer.check(lengths.desc.dtype == DType::int64 && lengths.desc.dims == std::vector<int64_t>{batches},
                        "sequence_lens is " + to_string(lengths.desc) + ", expected int64[" + std::to_string(batches) + "]"))
        return;

    const auto along = [](int64_t axis, int64_t extent) {
        std::vector<int64_t> shape(2, 1);
        shape[size_t(axis)] = extent;
        return shape;
    };
    const auto number = [&](int64_t value) { return composer.constant(DType::int64, double(value)); };
    const Operand t = composer.places(along(time, times));
    const Operand length = composer.add(ElementwiseKind::min, {Composer::view(lengths, along(batch, batches)), number(times)});
    const Operand last = composer.add(ElementwiseKind::sub, {length, number(1)});
    const Operand turned = composer.add(ElementwiseKind::sub, {last, t});
    const Operand from = composer.add(Where(), {composer.add(Less(), {t, length}), turned, t});

    const Operand b = composer.places(along(batch, batches));
    const int64_t time_step = time == 0 ? batches : 1, batch_step = batch == 0 ? times : 1;
    const Operand place = composer.add(ElementwiseKind::add, {composer.add(ElementwiseKind::mul, {from, number(time_step)}),
                                                              composer.add(ElementwiseKind::mul, {b, number(batch_step)})});
    std::vector<int64_t> joined(dims.begin() + 1, dims.end());
    joined[0] = extent_of(dims, 0, 2);
    composer.set_output(0, composer.add(Gather(), {Composer::view(x, std::move(joined)), place}));
}

}  // namespace vkonnx::graph
