// The versions of the operators' documents that the library supports, oldest first. reference.h has those of the other operators.
#pragma once

#include "kit/reference.h"

namespace vkonnx::kit {

inline constexpr std::array<int64_t, 3> conv_versions = {1, 11, 22};
inline constexpr std::array<int64_t, 4> gemm_versions = {7, 9, 11, 13};
inline constexpr std::array<int64_t, 3> matmul_versions = {1, 9, 13};
inline constexpr std::array<int64_t, 6> transpose_versions = {1, 13, 21, 23, 24, 25};
inline constexpr std::array<int64_t, 4> slice_versions = {1, 10, 11, 13};
inline constexpr std::array<int64_t, 9> pad_versions = {2, 11, 13, 18, 19, 21, 23, 24, 25};
inline constexpr std::array<int64_t, 3> concat_versions = {4, 11, 13};
inline constexpr std::array<int64_t, 4> split_versions = {2, 11, 13, 18};
inline constexpr std::array<int64_t, 4> depth_to_space_versions = {1, 11, 13, 28};
inline constexpr std::array<int64_t, 2> global_pool_versions = {1, 22};
inline constexpr std::array<int64_t, 4> reduce_mean_versions = {1, 11, 13, 18};
inline constexpr std::array<int64_t, 3> reduce_sum_versions = {1, 11, 13};
inline constexpr std::array<int64_t, 3> softmax_versions = {1, 11, 13};
inline constexpr std::array<int64_t, 3> instance_normalization_versions = {1, 6, 22};
inline constexpr std::array<int64_t, 4> batch_normalization_versions = {7, 9, 14, 15};
inline constexpr std::array<int64_t, 2> lrn_versions = {1, 13};
inline constexpr std::array<int64_t, 1> layer_normalization_versions = {17};
inline constexpr std::array<int64_t, 1> onednn_conv_transpose_versions = {1};

using Versions = std::span<const int64_t>;

inline Versions versions_of(const ConvTranspose&)
{
    return conv_transpose_versions;
}

inline Versions versions_of(const onednn::ConvTranspose&)
{
    return onednn_conv_transpose_versions;
}

inline Versions versions_of(const Conv&)
{
    return conv_versions;
}

inline Versions versions_of(const AveragePool&)
{
    return average_pool_versions;
}

inline Versions versions_of(const MaxPool&)
{
    return max_pool_versions;
}

inline Versions versions_of(const Shape&)
{
    return shape_versions;
}

inline Versions versions_of(const Elementwise& op)
{
    return versions_of(op.kind);
}

inline Versions versions_of(const Transpose&)
{
    return transpose_versions;
}

inline Versions versions_of(const Slice&)
{
    return slice_versions;
}

inline Versions versions_of(const Pad&)
{
    return pad_versions;
}

inline Versions versions_of(const Concat&)
{
    return concat_versions;
}

inline Versions versions_of(const Split&)
{
    return split_versions;
}

inline Versions versions_of(const DepthToSpace&)
{
    return depth_to_space_versions;
}

inline Versions versions_of(const Cast&)
{
    return cast_versions;
}

inline Versions versions_of(const Resize&)
{
    return resize_versions;
}

inline Versions versions_of(const Gemm&)
{
    return gemm_versions;
}

inline Versions versions_of(const MatMul&)
{
    return matmul_versions;
}

inline Versions versions_of(const GlobalAveragePool&)
{
    return global_pool_versions;
}

inline Versions versions_of(const GlobalMaxPool&)
{
    return global_pool_versions;
}

inline Versions versions_of(const ReduceMean&)
{
    return reduce_mean_versions;
}

inline Versions versions_of(const ReduceSum&)
{
    return reduce_sum_versions;
}

inline Versions versions_of(const Softmax&)
{
    return softmax_versions;
}

inline Versions versions_of(const InstanceNormalization&)
{
    return instance_normalization_versions;
}

inline Versions versions_of(const BatchNormalization&)
{
    return batch_normalization_versions;
}

inline Versions versions_of(const LRN&)
{
    return lrn_versions;
}

inline Versions versions_of(const LayerNormalization&)
{
    return layer_normalization_versions;
}

// Of an Elementwise, those of its kind. An operator without versions does not compile here.
inline Versions versions_of(const Operator& op)
{
    return std::visit([](const auto& one) { return versions_of(one); }, op);
}

}  // namespace vkonnx::kit
