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
constexpr Arity three[] = {{1, 3, 3}};
constexpr Arity one_or_more[] = {{1, 1, any_number}};
constexpr Arity three_from_11[] = {{1, 1, 1}, {11, 1, 3}};
constexpr Arity two_or_three[] = {{1, 2, 3}};
constexpr Arity two_from_5[] = {{1, 1, 1}, {5, 2, 2}};
constexpr Arity three_from_12[] = {{1, 1, 1}, {12, 1, 3}};
constexpr Arity five[] = {{1, 5, 5}};
constexpr Arity one_or_two_from_18[] = {{1, 1, 1}, {18, 1, 2}};
constexpr Arity one_or_two_from_13[] = {{1, 1, 1}, {13, 1, 2}};
constexpr Arity two_from_13[] = {{1, 1, 1}, {13, 2, 2}};

constexpr Arity pad_arity[] = {{1, 1, 1}, {11, 2, 3}, {18, 2, 4}};
constexpr Arity gemm_arity[] = {{1, 3, 3}, {11, 2, 3}};
constexpr Arity slice_arity[] = {{1, 1, 1}, {10, 3, 5}};

constexpr ListInput dropout_lists[] = {{2, "training_mode", 12}};
constexpr ListInput slice_lists[] = {{1, "starts", 10}, {2, "ends", 10}, {3, "axes", 10}, {4, "steps", 10}};
constexpr ListInput pad_lists[] = {{1, "pads", 11}, {3, "axes", 18}};
constexpr Arity resize_arity[] = {{10, 2, 2}, {11, 1, 4}};
constexpr ListInput resize_lists[] = {{1, "scales", 10, 10}, {1, "roi", 11}, {2, "scales", 11}, {3, "sizes", 11}};
constexpr ListInput mean_lists[] = {{1, "axes", 18}};
constexpr ListInput sum_lists[] = {{1, "axes", 13}};
constexpr ListInput split_lists[] = {{1, "split", 13}};

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

template <class Struct>
Operation host()
{
    return HostOperator(Struct());
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
    {onnx_domain, "BatchNormalization", Kind::kernel, kernel<BatchNormalization>, five, 0, 3, {}, 0, 7},
    {onnx_domain, "Cast", Kind::kernel, kernel<Cast>, one},
    {onnx_domain, "Clip", Kind::kernel, elementwise<clip>, three_from_11, 0b010},
    {onnx_domain, "Concat", Kind::kernel, kernel<Concat>, one_or_more, 0, 1, {}, 0, 4},
    {onnx_domain, "Constant", Kind::host, constant, none, 0, 1, constant_versions},
    {onnx_domain, "ConstantOfShape", Kind::host, host<ConstantOfShape>, one},
    {onnx_domain, "Conv", Kind::kernel, kernel<Conv>, two_or_three},
    {onnx_domain, "ConvTranspose", Kind::kernel, kernel<ConvTranspose>, two_or_three},
    {onnx_domain, "DepthToSpace", Kind::kernel, kernel<DepthToSpace>, one},
    {onnx_domain, "Div", Kind::kernel, elementwise<div>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Dropout", Kind::view, view<Dropout>, three_from_12, 0b010, 2, dropout_versions, 0, 1, dropout_lists},
    {onnx_domain, "Elu", Kind::kernel, elementwise<elu>, one},
    {onnx_domain, "Equal", Kind::host, host<Equal>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Exp", Kind::kernel, elementwise<exp>, one},
    {onnx_domain, "Expand", Kind::host, host<Expand>, two},
    {onnx_domain, "Flatten", Kind::view, view<Flatten>, one, 0, 1, flatten_versions},
    {onnx_domain, "Gather", Kind::host, host<Gather>, two},
    {onnx_domain, "Gemm", Kind::kernel, kernel<Gemm>, gemm_arity, 0, 1, {}, 0, 7},
    {onnx_domain, "GlobalAveragePool", Kind::kernel, kernel<GlobalAveragePool>, one},
    {onnx_domain, "GlobalMaxPool", Kind::kernel, kernel<GlobalMaxPool>, one},
    {onnx_domain, "HardSigmoid", Kind::kernel, elementwise<hard_sigmoid>, one},
    {onnx_domain, "HardSwish", Kind::kernel, elementwise<hard_swish>, one},
    {onnx_domain, "Identity", Kind::view, view<Identity>, one, 0, 1, identity_versions},
    {onnx_domain, "InstanceNormalization", Kind::kernel, kernel<InstanceNormalization>, three},
    {onnx_domain, "LRN", Kind::kernel, kernel<LRN>, one},
    {onnx_domain, "LeakyRelu", Kind::kernel, elementwise<leaky_relu>, one},
    {onnx_domain, "MatMul", Kind::kernel, kernel<MatMul>, two},
    {onnx_domain, "Max", Kind::kernel, elementwise<max>, one_or_more},
    {onnx_domain, "MaxPool", Kind::kernel, kernel<MaxPool>, one, 0, 2},
    {onnx_domain, "Min", Kind::kernel, elementwise<min>, one_or_more},
    {onnx_domain, "Mul", Kind::kernel, elementwise<mul>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Neg", Kind::kernel, elementwise<neg>, one},
    {onnx_domain, "PRelu", Kind::kernel, elementwise<prelu>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Pad", Kind::kernel, kernel<Pad>, pad_arity, 0b0100, 1, {}, 0, 2, pad_lists},
    {onnx_domain, "Pow", Kind::kernel, elementwise<pow>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Range", Kind::host, host<Range>, three},
    {onnx_domain, "Reciprocal", Kind::kernel, elementwise<reciprocal>, one},
    {onnx_domain, "ReduceMean", Kind::kernel, kernel<ReduceMean>, one_or_two_from_18, 0, 1, {}, 0, 1, mean_lists},
    {onnx_domain, "ReduceSum", Kind::kernel, kernel<ReduceSum>, one_or_two_from_13, 0, 1, {}, 0, 1, sum_lists},
    {onnx_domain, "Relu", Kind::kernel, elementwise<relu>, one},
    {onnx_domain, "Reshape", Kind::view, view<Reshape>, two_from_5, 0, 1, reshape_versions, 5},
    {onnx_domain, "Resize", Kind::kernel, kernel<Resize>, resize_arity, 0b0110, 1, {}, 0, 10, resize_lists},
    {onnx_domain, "Shape", Kind::host, kernel<Shape>, one},
    {onnx_domain, "Sigmoid", Kind::kernel, elementwise<sigmoid>, one},
    {onnx_domain, "Size", Kind::host, host<Size>, one},
    {onnx_domain, "Slice", Kind::kernel, kernel<Slice>, slice_arity, 0b01000, 1, {}, 0, 1, slice_lists},
    {onnx_domain, "Softmax", Kind::kernel, kernel<Softmax>, one},
    {onnx_domain, "Split", Kind::kernel, kernel<Split>, one_or_two_from_13, 0, any_number, {}, 0, 2, split_lists},
    {onnx_domain, "Sqrt", Kind::kernel, elementwise<sqrt>, one},
    {onnx_domain, "Squeeze", Kind::view, view<Squeeze>, one_or_two_from_13, 0, 1, squeeze_versions, 13},
    {onnx_domain, "Sub", Kind::kernel, elementwise<sub>, two, 0, 1, {}, 0, 7},
    {onnx_domain, "Sum", Kind::kernel, elementwise<sum>, one_or_more},
    {onnx_domain, "Tanh", Kind::kernel, elementwise<tanh>, one},
    {onnx_domain, "Transpose", Kind::kernel, kernel<Transpose>, one},
    {onnx_domain, "Unsqueeze", Kind::view, view<Unsqueeze>, two_from_13, 0, 1, squeeze_versions, 13},
    {onnx_domain, "Where", Kind::host, host<Where>, three},
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

bool OperatorInfo::is_list(size_t input, int64_t opset) const
{
    if (input == 1 && has_values_input(opset))
        return true;
    for (const ListInput& list : lists)
        if (list.input == input && list.is_at(opset))
            return true;
    return false;
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
