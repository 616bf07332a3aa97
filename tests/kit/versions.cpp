#include "kit/versions.h"

namespace vkonnx::kit {
namespace {

// An overload for each operator, so that the compiler finds the one that is missing.
struct VersionsOf {
    using Versions = std::span<const int64_t>;

    Versions operator()(const ConvTranspose&) const { return conv_transpose_versions; }
    Versions operator()(const onednn::ConvTranspose&) const { return onednn_conv_transpose_versions; }
    Versions operator()(const Conv&) const { return conv_versions; }
    Versions operator()(const AveragePool&) const { return average_pool_versions; }
    Versions operator()(const MaxPool&) const { return max_pool_versions; }
    Versions operator()(const Shape&) const { return shape_versions; }
    Versions operator()(const Elementwise& op) const { return versions_of(op.kind); }
    Versions operator()(const Transpose&) const { return transpose_versions; }
    Versions operator()(const Slice&) const { return slice_versions; }
    Versions operator()(const Pad&) const { return pad_versions; }
    Versions operator()(const Concat&) const { return concat_versions; }
    Versions operator()(const Split&) const { return split_versions; }
    Versions operator()(const DepthToSpace&) const { return depth_to_space_versions; }
    Versions operator()(const Cast&) const { return cast_versions; }
    Versions operator()(const Resize&) const { return resize_versions; }
    Versions operator()(const Gemm&) const { return gemm_versions; }
    Versions operator()(const MatMul&) const { return matmul_versions; }
    Versions operator()(const GlobalAveragePool&) const { return global_pool_versions; }
    Versions operator()(const GlobalMaxPool&) const { return global_pool_versions; }
    Versions operator()(const ReduceMean&) const { return reduce_mean_versions; }
    Versions operator()(const ReduceSum&) const { return reduce_sum_versions; }
    Versions operator()(const Softmax&) const { return softmax_versions; }
    Versions operator()(const InstanceNormalization&) const { return instance_normalization_versions; }
    Versions operator()(const BatchNormalization&) const { return batch_normalization_versions; }
    Versions operator()(const LRN&) const { return lrn_versions; }
    Versions operator()(const LayerNormalization&) const { return layer_normalization_versions; }
};

}  // namespace

std::span<const int64_t> versions_of(const Operator& op)
{
    return std::visit(VersionsOf(), op);
}

}  // namespace vkonnx::kit
