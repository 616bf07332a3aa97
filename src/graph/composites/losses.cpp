// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/losses.h"

#include <limits>

namespace vkonnx::graph {
namespace {
constexpr int64_t loss_versions[] = {12, 13, 22};
constexpr Schema::Input loss_inputs[] = {
    {.name = "input"}, {.name = "target"}, {.name = "weight", .option = Schema::Option::optional}};
constexpr Schema::Output loss_outputs[] = {{"loss"}};
constexpr int64_t entropy_versions[] = {12, 13};
constexpr Schema::Input entropy_inputs[] = {
    {.name = "scores"}, {.name = "labels"}, {.name = "weights", .option = Schema::Option::optional}};
constexpr Schema::Output entropy_outputs[] = {{"output"}, {"log_prob", Schema::Option::optional}};
}  // namespace

constinit const Schema NegativeLogLikelihoodLoss::schema = {
    .name = "NegativeLogLikelihoodLoss", .versions = loss_versions, .inputs = loss_inputs, .outputs = loss_outputs};
constinit const Schema SoftmaxCrossEntropyLoss::schema = {
    .name = "SoftmaxCrossEntropyLoss", .versions = entropy_versions, .inputs = entropy_inputs, .outputs = entropy_outputs};

Operand loss_of(Composer& composer, const Operand& logs, std::optional<int64_t> ignored,
                const std::optional<std::string>& reduction)
{
    const std::string word = reduction.value_or("mean");
    const Operand target = composer.input(1);
    const std::vector<int64_t>& dims = composer.dims(0);
    if (!composer.check(dims.size() >= 2,
                        "input 0 is " + to_string(composer.input(0).desc) + ", expected two dimensions or more") ||
        !composer.check(word == "none" || word == "sum" || word == "mean",
                        "reduction is " + quote(word) + ", expected none, sum or mean"))
        return {};
    std::vector<int64_t> classes = dims, places = dims;
    classes.erase(classes.begin() + 1);
    places[1] = 1;
    if (!composer.check(target.desc.dims == classes,
                        "input 1 is " + to_string(target.desc) + ", expected input 0's dimensions without the second") ||
        !composer.check(target.desc.dtype == DType::int32 || target.desc.dtype == DType::int64,
                        "input 1 is " + to_string(target.desc) + ", expected int32 or int64") ||
        !composer.check(!composer.has(2) || composer.dims(2) == std::vector<int64_t>{dims[1]},
                        "input 2 has not one element for each of the " + std::to_string(dims[1]) + " classes"))
        return {};

    using Int32 = std::numeric_limits<int32_t>;
    const int64_t number = ignored.value_or(0);
    const bool is_wide = target.desc.dtype == DType::int64;
    const bool ignores = ignored && (is_wide || (number >= Int32::min() && number <= Int32::max()));  // else no class is it
    const DType dtype = logs.desc.dtype;
    Operand chosen = target;
    std::optional<Operand> is_ignored, weights;
    if (ignores) {
        is_ignored = composer.add(Equal(), {target, composer.integer(target.desc.dtype, number)});
        chosen = composer.add(Where(), {*is_ignored, composer.constant(target.desc.dtype, 0), target});
    }
    const auto without_ignored = [&](const Operand& values) {
        return is_ignored ? composer.add(Where(), {*is_ignored, composer.constant(dtype, 0), values}) : values;
    };
    const Operand picked = composer.add(GatherElements{.axis = 1}, {logs, Composer::view(chosen, places)});
    Operand losses = composer.add(ElementwiseKind::neg, {Composer::view(picked, classes)});
    if (composer.has(2)) {
        weights = without_ignored(composer.add(Gather(), {composer.cast(composer.input(2), dtype), chosen}));
        losses = composer.add(ElementwiseKind::mul, {losses, *weights});
    } else if (ignores) {
        weights = without_ignored(composer.constant(dtype, 1));
    }
    losses = without_ignored(losses);
    if (word == "none")
        return losses;
    if (word == "mean" && !weights)
        return composer.add(ReduceMean{.keepdims = 0}, {losses});
    const Operand sum = composer.add(ReduceSum{.keepdims = 0}, {losses});
    return word == "sum" ? sum : composer.add(ElementwiseKind::div, {sum, composer.add(ReduceSum{.keepdims = 0}, {*weights})});
}

void NegativeLogLikelihoodLoss::compose(Composer& composer) const
{
    if (!composer.check_floats(0, "input"))
        return;
    const DType dtype = composer.input(0).desc.dtype;
    const Operand logs = composer.cast(composer.input(0), computed_in(dtype));
    composer.set_output(0, composer.cast(loss_of(composer, logs, ignore_index, reduction), dtype));
}

void SoftmaxCrossEntropyLoss::compose(Composer& composer) const
{
    const DType dtype = composer.input(0).desc.dtype;
    const Operand logs = composer.add(LogSoftmax{.axis = 1}, {composer.cast(composer.input(0), computed_in(dtype))});
    composer.set_output(0, composer.cast(loss_of(composer, logs, ignore_index, reduction), dtype));
    if (composer.wants(1))
        composer.set_output(1, composer.cast(logs, dtype));
}

}  // namespace vkonnx::graph
