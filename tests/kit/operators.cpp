// This file answers for any operator what operators.h answers for each of them.
#include "kit/operators.h"

#include <algorithm>

#include "kit/cases.h"

namespace vkonnx::kit {

Versions versions_of(const Operator& op)
{
    return std::visit(
        []<class Op>(const Op& one) -> Versions {
            if constexpr (std::same_as<Op, Elementwise>)
                return versions_of(one.kind);
            else if constexpr (Reduction<Op>)
                return versions_of(Op::reduction);
            else if constexpr (LogicOperator<Op>)
                return versions_of(Op::logic);
            else
                return versions<Op>;
        },
        op);
}

Result<Resolution> resolve(const Case& problem)
{
    return std::visit([&](const auto& op) { return resolve(op, problem.inputs); }, problem.attributes);
}

namespace {

template <class Scatter>
const ScatterReduction* reduction_of(const Operator& op)
{
    const auto* scatter = std::get_if<Scatter>(&op);
    return scatter ? &scatter->reduction : nullptr;
}

}  // namespace

bool moves_elements(const Operator& op)
{
    if (const auto* elementwise = std::get_if<Elementwise>(&op); elementwise && !elementwise->steps.empty())
        return false;
    if (const auto* resize = std::get_if<Resize>(&op); resize && resize->mode != ResizeMode::nearest)
        return false;
    for (const auto* reduction : {reduction_of<ScatterElements>(op), reduction_of<ScatterND>(op)})
        if (reduction && *reduction != ScatterReduction::none)
            return false;
    // An operator that takes complex numbers moves its elements, because none computes with them.
    return std::ranges::any_of(schema(op)->inputs, [](const Schema::Input& input) {
        return std::ranges::count(input.types, DType::complex64, &Schema::Type::dtype) > 0;
    });
}

Result<std::vector<Answer>> reference(const Case& problem, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output)
{
    const auto answers = [&](const auto& op) -> Result<std::vector<Answer>> {
        if constexpr (std::is_same_v<decltype(op), const Shape&>)
            return Status(Code::invalid_argument, "case '" + problem.name + "' has no arithmetic");
        else if constexpr (requires { reference(op, inputs, sample, output); })
            return reference(op, inputs, sample, output);
        else
            return reference(op, inputs, sample);
    };
    return std::visit(answers, problem.attributes);
}

}  // namespace vkonnx::kit
