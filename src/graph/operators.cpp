// SPDX-License-Identifier: Apache-2.0
#include "graph/operators.h"

namespace vkonnx::graph {
namespace {

constexpr int64_t identity_versions[] = {1, 13, 14, 16, 19, 21, 23, 24, 25};
constexpr int64_t constant_versions[] = {1, 9, 11, 12, 13, 19, 21, 23, 24, 25};
constexpr int64_t dropout_versions[] = {1, 6, 7, 10, 12, 13, 22};
constexpr int64_t reshape_versions[] = {1, 5, 13, 14, 19, 21, 23, 24, 25};
constexpr int64_t flatten_versions[] = {1, 9, 11, 13, 21, 23, 24, 25};
constexpr int64_t squeeze_versions[] = {1, 11, 13, 21, 23, 24, 25};  // Unsqueeze's too

constexpr Arity none[] = {{1, 0, 0}};
constexpr Arity one[] = {{1, 1, 1}};
constexpr Arity two[] = {{1, 2, 2}};
constexpr Arity one_or_more[] = {{1, 1, any_number}};
constexpr Arity three_from_11[] = {{1, 1, 1}, {11, 1, 3}};
constexpr Arity two_or_three[] = {{1, 2, 3}};
constexpr Arity two_from_5[] = {{1, 1, 1}, {5, 2, 2}};
constexpr Arity three_from_12[] = {{1, 1, 1}, {12, 1, 3}};
constexpr Arity one_or_two_from_13[] = {{1, 1, 1}, {13, 1, 2}};
constexpr Arity two_from_13[] = {{1, 1, 1}, {13, 2, 2}};

template <class Struct>
Operation kernel()
{
    return Operator(Struct());
}

template <ElementwiseKind kind>
Operation elementwise()
{
    return Operator(Elementwise{.kind = kind});
}

template <class Struct>
Operation view()
{
    return View(Struct());
}

Operation constant()
{
    return Constant();
}

// clang-format off
using enum ElementwiseKind;
constexpr OperatorInfo operators[] = {
    {onnx_domain, "Abs", Kind::kernel, elementwise<abs>, one},
    {onnx_domain, "Add", Kind::kernel, elementwise<add>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "AveragePool", Kind::kernel, kernel<AveragePool>, one},
    {onnx_domain, "Clip", Kind::kernel, elementwise<clip>, three_from_11, 0b010},
    {onnx_domain, "Constant", Kind::host, constant, none, 0, 1, constant_versions},
    {onnx_domain, "ConvTranspose", Kind::kernel, kernel<ConvTranspose>, two_or_three},
    {onnx_domain, "Div", Kind::kernel, elementwise<div>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Dropout", Kind::view, view<Dropout>, three_from_12, 0b010, 2, dropout_versions},
    {onnx_domain, "Elu", Kind::kernel, elementwise<elu>, one},
    {onnx_domain, "Exp", Kind::kernel, elementwise<exp>, one},
    {onnx_domain, "Flatten", Kind::view, view<Flatten>, one, 0, 1, flatten_versions},
    {onnx_domain, "HardSigmoid", Kind::kernel, elementwise<hard_sigmoid>, one},
    {onnx_domain, "HardSwish", Kind::kernel, elementwise<hard_swish>, one},
    {onnx_domain, "Identity", Kind::view, view<Identity>, one, 0, 1, identity_versions},
    {onnx_domain, "LeakyRelu", Kind::kernel, elementwise<leaky_relu>, one},
    {onnx_domain, "Max", Kind::kernel, elementwise<max>, one_or_more},
    {onnx_domain, "Min", Kind::kernel, elementwise<min>, one_or_more},
    {onnx_domain, "Mul", Kind::kernel, elementwise<mul>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Neg", Kind::kernel, elementwise<neg>, one},
    {onnx_domain, "PRelu", Kind::kernel, elementwise<prelu>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Pow", Kind::kernel, elementwise<pow>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Reciprocal", Kind::kernel, elementwise<reciprocal>, one},
    {onnx_domain, "Relu", Kind::kernel, elementwise<relu>, one},
    {onnx_domain, "Reshape", Kind::view, view<Reshape>, two_from_5, 0, 1, reshape_versions, 5},
    {onnx_domain, "Shape", Kind::host, kernel<Shape>, one},
    {onnx_domain, "Sigmoid", Kind::kernel, elementwise<sigmoid>, one},
    {onnx_domain, "Sqrt", Kind::kernel, elementwise<sqrt>, one},
    {onnx_domain, "Squeeze", Kind::view, view<Squeeze>, one_or_two_from_13, 0, 1, squeeze_versions, 13},
    {onnx_domain, "Sub", Kind::kernel, elementwise<sub>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Sum", Kind::kernel, elementwise<sum>, one_or_more},
    {onnx_domain, "Tanh", Kind::kernel, elementwise<tanh>, one},
    {onnx_domain, "Unsqueeze", Kind::view, view<Unsqueeze>, two_from_13, 0, 1, squeeze_versions, 13},
    {onednn_domain, "ConvTranspose", Kind::kernel, kernel<onednn::ConvTranspose>, two_or_three},
};
// clang-format on

// "AveragePool, ..., Unsqueeze of domain 'ai.onnx'"
std::string supported_in(std::string_view domain)
{
    std::string list;
    for (const OperatorInfo& info : operators)
        if (info.domain == domain)
            list.append(list.empty() ? "" : ", ").append(info.name);
    return list + " of domain '" + std::string(domain) + "'";
}

// "2 to 3", "1 or more"
std::string range(size_t least, size_t most)
{
    if (most == any_number)
        return std::to_string(least) + " or more";
    return std::to_string(least) + (most > least ? " to " + std::to_string(most) : "");
}

Status invalid(const OperatorInfo& info, const std::string& what)
{
    return Status(Code::invalid_argument, std::string(info.name) + ": " + what);
}

}  // namespace

int64_t OperatorInfo::version_at(int64_t opset) const
{
    if (versions.empty())
        return opset;
    int64_t newest = 1;
    for (const int64_t version : versions)
        if (version <= opset)
            newest = version;
    return newest;
}

Arity OperatorInfo::arity_at(int64_t opset) const
{
    Arity arity = inputs.front();
    for (const Arity& later : inputs)
        if (later.since <= opset)
            arity = later;
    return arity;
}

const OperatorInfo* find_operator(std::string_view domain, std::string_view name)
{
    for (const OperatorInfo& info : operators)
        if (info.domain == domain && info.name == name)
            return &info;
    return nullptr;
}

std::string supported_operators()
{
    return supported_in(onnx_domain) + ", and " + supported_in(onednn_domain);
}

Status check_arity(const OperatorInfo& info, int64_t opset, const std::vector<bool>& given, const std::vector<bool>& made)
{
    if (opset < info.least_opset)
        return Status(Code::unsupported, std::string(info.name) + ": opset = " + std::to_string(opset) + " must be at least " +
                                             std::to_string(info.least_opset) +
                                             ": what broadcasts in a way of its own, as older versions do, is not supported");
    const Arity arity = info.arity_at(opset);
    if (given.size() < arity.least || given.size() > arity.most)
        return invalid(info, "it has " + std::to_string(given.size()) + " inputs, expected " + range(arity.least, arity.most) +
                                 " at opset " + std::to_string(opset));
    for (size_t i = 0; i < given.size(); ++i)
        if (!given[i] && (i >= 64 || !(info.holes >> i & 1)))
            return invalid(info, "input " + std::to_string(i) + " is required");
    if (made.empty() || made.size() > info.most_outputs || !made[0])
        return invalid(info, "it has " + std::to_string(made.size()) + " outputs, expected " +
                                 (info.most_outputs == 1 ? "one with a name"
                                                         : range(1, info.most_outputs) + ", the first of them with a name"));
    return {};
}

}  // namespace vkonnx::graph
