// This header has what the kit knows of each operator: the versions of its document, its reference, and how random problems are
// drawn.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kit/reference.h"

namespace vkonnx::kit {

struct Case;
class Draw;

// The versions of each operator's document that the library supports, oldest first. Those of Cast begin with the one that opset 7
// means. An operator without versions does not compile.
template <class Op>
inline constexpr std::nullptr_t versions = nullptr;
template <>
inline constexpr auto versions<ConvTranspose> = std::to_array<int64_t>({1, 11, 22});
template <>
inline constexpr auto versions<onednn::ConvTranspose> = std::to_array<int64_t>({1});
template <>
inline constexpr auto versions<Conv> = std::to_array<int64_t>({1, 11, 22});
template <>
inline constexpr auto versions<AveragePool> = std::to_array<int64_t>({1, 7, 10, 11, 19, 22});
template <>
inline constexpr auto versions<MaxPool> = std::to_array<int64_t>({1, 8, 10, 11, 12, 22});
template <>
inline constexpr auto versions<Shape> = std::to_array<int64_t>({1, 13, 15, 19, 21, 23, 24, 25});
template <>
inline constexpr auto versions<Transpose> = std::to_array<int64_t>({1, 13, 21, 23, 24, 25});
template <>
inline constexpr auto versions<Slice> = std::to_array<int64_t>({1, 10, 11, 13});
template <>
inline constexpr auto versions<Pad> = std::to_array<int64_t>({2, 11, 13, 18, 19, 21, 23, 24, 25});
template <>
inline constexpr auto versions<Concat> = std::to_array<int64_t>({4, 11, 13});
template <>
inline constexpr auto versions<Split> = std::to_array<int64_t>({2, 11, 13, 18});
template <>
inline constexpr auto versions<DepthToSpace> = std::to_array<int64_t>({1, 11, 13, 28});
template <>
inline constexpr auto versions<SpaceToDepth> = std::to_array<int64_t>({1, 13, 28});
template <>
inline constexpr auto versions<Expand> = std::to_array<int64_t>({8, 13});
template <>
inline constexpr auto versions<Tile> = std::to_array<int64_t>({6, 13});
template <>
inline constexpr auto versions<Gather> = std::to_array<int64_t>({1, 11, 13});
template <>
inline constexpr auto versions<GatherElements> = std::to_array<int64_t>({11, 13});
template <>
inline constexpr auto versions<GatherND> = std::to_array<int64_t>({11, 12, 13});
template <>
inline constexpr auto versions<ScatterElements> = std::to_array<int64_t>({11, 13, 16, 18});
template <>
inline constexpr auto versions<ScatterND> = versions<ScatterElements>;
template <>
inline constexpr auto versions<Cast> = std::to_array<int64_t>({6, 9, 13, 19, 21, 23, 24, 25, 28});
template <>
inline constexpr auto versions<Resize> = std::to_array<int64_t>({10, 11, 13, 18, 19});
template <>
inline constexpr auto versions<Gemm> = std::to_array<int64_t>({7, 9, 11, 13});
template <>
inline constexpr auto versions<MatMul> = std::to_array<int64_t>({1, 9, 13});
template <>
inline constexpr auto versions<GlobalAveragePool> = std::to_array<int64_t>({1, 22});
template <>
inline constexpr auto versions<GlobalMaxPool> = versions<GlobalAveragePool>;
template <>
inline constexpr auto versions<ArgMax> = std::to_array<int64_t>({1, 11, 12, 13});
template <>
inline constexpr auto versions<ArgMin> = versions<ArgMax>;
template <>
inline constexpr auto versions<CumSum> = std::to_array<int64_t>({11, 14});
template <>
inline constexpr auto versions<Softmax> = std::to_array<int64_t>({1, 11, 13});
template <>
inline constexpr auto versions<LogSoftmax> = versions<Softmax>;
template <>
inline constexpr auto versions<InstanceNormalization> = std::to_array<int64_t>({1, 6, 22});
template <>
inline constexpr auto versions<BatchNormalization> = std::to_array<int64_t>({7, 9, 14, 15});
template <>
inline constexpr auto versions<LRN> = std::to_array<int64_t>({1, 13});
template <>
inline constexpr auto versions<LayerNormalization> = std::to_array<int64_t>({17});
template <>
inline constexpr auto versions<DotProductAttention> = std::to_array<int64_t>({1});
template <>
inline constexpr auto versions<BlockQuantizedMatMul> = std::to_array<int64_t>({1});
template <>
inline constexpr auto versions<TopK> = std::to_array<int64_t>({1, 10, 11, 24});

template <>
inline constexpr auto versions<RNN> = std::to_array<int64_t>({7, 14, 22});
template <>
inline constexpr auto versions<GRU> = versions<RNN>;
template <>
inline constexpr auto versions<LSTM> = versions<RNN>;

template <class Op>
concept Recurrent = std::same_as<Op, RNN> || std::same_as<Op, GRU> || std::same_as<Op, LSTM>;

using Versions = std::span<const int64_t>;
Versions versions_of(ElementwiseKind kind);  // they begin with the one that opset 7 means
Versions versions_of(ReductionKind kind);
Versions versions_of(LogicKind kind);  // they begin with the one that opset 7 means
Versions versions_of(const Operator& op);

// Returns sizes and pads, or what is wrong with the problem. The verdict is the same as the library's, in fewer words.
Result<Resolution> resolve(const ConvTranspose& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const AveragePool& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const MaxPool& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Conv& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Gemm& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const MatMul& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Shape& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Elementwise& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Transpose& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Slice& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Pad& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Concat& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Split& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const DepthToSpace& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const SpaceToDepth& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Expand& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Tile& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Gather& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const GatherElements& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const GatherND& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const ScatterElements& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const ScatterND& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Cast& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Resize& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const GlobalAveragePool& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const GlobalMaxPool& attributes, std::span<const TensorDesc> inputs);
template <ReductionKind kind>
Result<Resolution> resolve(const Reduce<kind>& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const ArgMax& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const ArgMin& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const CumSum& attributes, std::span<const TensorDesc> inputs);
template <LogicKind kind>
Result<Resolution> resolve(const Logic<kind>& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Softmax& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const LogSoftmax& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const InstanceNormalization& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const BatchNormalization& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const LRN& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const LayerNormalization& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const DotProductAttention& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const BlockQuantizedMatMul& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const TopK& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const RNN& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const GRU& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const LSTM& attributes, std::span<const TensorDesc> inputs);

// Returns the answers for these outputs (flat indices, row-major, as they lie in memory).
Result<std::vector<Answer>> reference(const ConvTranspose& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const onednn::ConvTranspose& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const Conv& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const Gemm& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const MatMul& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const AveragePool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// MaxPool adds nothing, so that `taps` and `magnitude` of its answers are 0. Answers of Indices are words.
Result<std::vector<Answer>> reference(const MaxPool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample, size_t output = 0);
Result<std::vector<Answer>> reference(const Elementwise& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// Answers of operators that move elements are words. `output` says which of Split's outputs is meant.
Result<std::vector<Answer>> reference(const Transpose& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const Slice& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const Pad& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const Concat& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const Split& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample, size_t output = 0);
Result<std::vector<Answer>> reference(const DepthToSpace& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const SpaceToDepth& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const Expand& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const Tile& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// An index beyond the axis gives zeros in the answers of these three.
Result<std::vector<Answer>> reference(const Gather& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const GatherElements& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const GatherND& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// Without a reduction, answers of these two are words. An update whose index is beyond an axis is left out.
Result<std::vector<Answer>> reference(const ScatterElements& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const ScatterND& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// Cast and Resize compute each element for itself.
Result<std::vector<Answer>> reference(const Cast& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const Resize& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// Answers of these pools are means as AveragePool's are, or the greatest elements as MaxPool's are.
Result<std::vector<Answer>> reference(const GlobalAveragePool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const GlobalMaxPool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// Means and sums have the same answers as AveragePool and ConvTranspose. Answers of products, and of functions of a sum, are
// ranges.
template <ReductionKind kind>
Result<std::vector<Answer>> reference(const Reduce<kind>& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// Answers of these two are words.
Result<std::vector<Answer>> reference(const ArgMax& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const ArgMin& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const CumSum& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// Answers of operators of logic.hpp are words.
template <LogicKind kind>
Result<std::vector<Answer>> reference(const Logic<kind>& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// These operators normalize. Answer::ulps grows with the number of roundings on the way to an answer.
Result<std::vector<Answer>> reference(const Softmax& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const LogSoftmax& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const InstanceNormalization& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const BatchNormalization& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample, size_t output = 0);
Result<std::vector<Answer>> reference(const LRN& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const LayerNormalization& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample, size_t output = 0);
Result<std::vector<Answer>> reference(const DotProductAttention& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const BlockQuantizedMatMul& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// Answers of Indices are words.
Result<std::vector<Answer>> reference(const TopK& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output = 0);
// Answers of these operators are ranges. What is rounded at a step widens those of all later ones.
Result<std::vector<Answer>> reference(const RNN& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output = 0);
Result<std::vector<Answer>> reference(const GRU& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output = 0);
Result<std::vector<Answer>> reference(const LSTM& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                      size_t output = 0);
// The reference of Shape gives all elements of the result.
Result<std::vector<int64_t>> reference(const Shape& attributes, const TensorDesc& input);

// Each of these functions draws a problem of its operators and, where it has elements, its `fill`.
Case draw_conv_transpose(Draw& draw);
Case draw_onednn_conv_transpose(Draw& draw);
// These problems have groups of one channel, and windows for which there are modules.
Case draw_depthwise_conv_transpose(Draw& draw);
Case draw_conv(Draw& draw);
// The only window of these problems is all of X.
Case draw_whole_conv(Draw& draw);
// This draws Gemm or MatMul.
Case draw_matmul(Draw& draw);
Case draw_average_pool(Draw& draw);
// These windows are such as kernels are made for: common ones, long and large ones, and channels in fours.
Case draw_tiled_average_pool(Draw& draw);
// This draws problems with and without Indices.
Case draw_max_pool(Draw& draw);
Case draw_shape(Draw& draw);
Case draw_elementwise(Draw& draw);
// This draws Transpose, Slice, Pad, Concat, Split, DepthToSpace, SpaceToDepth, Expand or Tile.
Case draw_move(Draw& draw);
// This draws Gather, GatherElements or GatherND.
Case draw_gather(Draw& draw);
// This draws ScatterElements or ScatterND.
Case draw_scatter(Draw& draw);
// This draws any operator of logic.hpp.
Case draw_logic(Draw& draw);
Case draw_cast(Draw& draw);
Case draw_resize(Draw& draw);
// This draws GlobalAveragePool, GlobalMaxPool, or an operator that reduces along axes.
Case draw_reduction(Draw& draw);
// This draws ArgMax or ArgMin.
Case draw_arg_extreme(Draw& draw);
Case draw_cum_sum(Draw& draw);
Case draw_softmax(Draw& draw);
Case draw_log_softmax(Draw& draw);
// This draws InstanceNormalization or BatchNormalization.
Case draw_normalization(Draw& draw);
Case draw_lrn(Draw& draw);
Case draw_layer_normalization(Draw& draw);
Case draw_dot_product_attention(Draw& draw);
Case draw_block_quantized_mat_mul(Draw& draw);
Case draw_topk(Draw& draw);
// This draws RNN, GRU or LSTM.
Case draw_recurrent(Draw& draw);

// A drawer is a function that draws problems, with the name that its tests bear. The order of the list decides their seeds.
struct Drawer {
    std::string_view name;
    Case (*draw)(Draw&);
};
inline constexpr Drawer drawers[] = {
    {"conv_transpose", draw_conv_transpose},
    {"onednn_conv_transpose", draw_onednn_conv_transpose},
    {"depthwise_conv_transpose", draw_depthwise_conv_transpose},
    {"average_pool", draw_average_pool},
    {"tiled_average_pool", draw_tiled_average_pool},
    {"max_pool", draw_max_pool},
    {"shape", draw_shape},
    {"elementwise", draw_elementwise},
    {"move", draw_move},
    {"conv", draw_conv},
    {"cast", draw_cast},
    {"resize", draw_resize},
    {"matmul", draw_matmul},
    {"reduction", draw_reduction},
    {"softmax", draw_softmax},
    {"log_softmax", draw_log_softmax},
    {"normalization", draw_normalization},
    {"lrn", draw_lrn},
    {"layer_normalization", draw_layer_normalization},
    {"gather", draw_gather},
    {"recurrent", draw_recurrent},
    {"logic", draw_logic},
    {"arg_extreme", draw_arg_extreme},
    {"cum_sum", draw_cum_sum},
    {"scatter", draw_scatter},
    {"whole_conv", draw_whole_conv},
    {"topk", draw_topk},
    {"dot_product_attention", draw_dot_product_attention},
    {"block_quantized_mat_mul", draw_block_quantized_mat_mul},
};

}  // namespace vkonnx::kit
