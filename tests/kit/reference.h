// The reference: what SEMANTICS says, computed the slow way, on the host, for tests to compare with.
//
// It shares no formula with the library. Sizes and pads are found by laying out windows or scattering positions and looking
// where they end; the taps of an output are found by trying every (input position, tap) pair and keeping those that meet it.
// There is no division but the average's own, no phase, no modulus, and nothing of src/ is included or called.
// It is meant for problems that can be computed: extents and pads up to a few millions.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kit/double_double.h"
#include "kit/range.h"

namespace vkonnx::kit {

// A tensor on the host. Every float, half and double is exactly a double; `desc.dtype` says what the elements stand for.
struct RealTensor {
    TensorDesc desc = {};
    std::vector<double> values = {};
    // Instead of values, where elements count by their bits: those of integers, with the sign or zeros above them, of booleans,
    // and all that Identity or Resize copies.
    std::vector<uint64_t> words = {};
};

// A spatial axis with all rules applied.
struct ReferenceAxis {
    int64_t in = 0;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t out = 0;
    int64_t begin = 0;
    int64_t end = 0;
};

struct Resolution {
    TensorDesc output = {};
    std::vector<TensorDesc> more_outputs = {};  // behind it
    std::vector<ReferenceAxis> axes = {};       // of windows and filters
};

// All of them.
std::vector<TensorDesc> outputs_of(const Resolution& resolution);

// The versions of the operators' documents that the library supports, oldest first.
inline constexpr std::array<int64_t, 3> conv_transpose_versions = {1, 11, 22};
inline constexpr std::array<int64_t, 6> average_pool_versions = {1, 7, 10, 11, 19, 22};
inline constexpr std::array<int64_t, 6> max_pool_versions = {1, 8, 10, 11, 12, 22};
inline constexpr std::array<int64_t, 9> cast_versions = {6, 9, 13, 19, 21, 23, 24, 25, 28};  // from the one that opset 7 means
inline constexpr std::array<int64_t, 5> resize_versions = {10, 11, 13, 18, 19};
inline constexpr std::array<int64_t, 8> shape_versions = {1, 13, 15, 19, 21, 23, 24, 25};
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

// Those of an operator. One without versions does not compile.
using Versions = std::span<const int64_t>;
Versions versions_of(ElementwiseKind kind);  // from the one that opset 7 means
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

inline Versions versions_of(const Operator& op)
{
    return std::visit([](const auto& one) { return versions_of(one); }, op);
}

// Sizes and pads, or what is wrong with the problem: the same verdict as the library's, in fewer words.
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
Result<Resolution> resolve(const Cast& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Resize& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const GlobalAveragePool& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const GlobalMaxPool& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const ReduceMean& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const ReduceSum& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const Softmax& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const InstanceNormalization& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const BatchNormalization& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const LRN& attributes, std::span<const TensorDesc> inputs);
Result<Resolution> resolve(const LayerNormalization& attributes, std::span<const TensorDesc> inputs);

// One output element, not rounded to the output's type. Summed in double, or in DoubleDouble where the inputs are doubles, in
// the order of SEMANTICS section 5.
struct Answer {
    DoubleDouble value = {};
    double magnitude = 0;  // S of SEMANTICS section 6: |B| + sum |x*w|, or sum |x| / divisor
    int64_t taps = 0;      // n: the products or elements in the sum
    int64_t divisor = 1;   // of AveragePool; 0 where the window has no tap that counts
    // Of elementwise operators, whose value has been rounded after every step, and of those that normalize: by how many units in
    // the last place of what is computed in the last step may be off, 0 where it is rounded to nearest, and whether that is so
    // where the device rounds it.
    double ulps = 0;
    bool native = false;
    // Several elementwise operators in a row have this instead, where a step may be off: which values are right in the type that
    // is computed in, on devices that divide exactly and on others.
    std::optional<std::array<Range, 2>> ranges = {};
    std::optional<uint64_t> word = {};  // instead of the value, where RealTensor has words
    uint64_t slack = 0;                 // by how much the word may be off
    bool rounds_terms = false;          // products are rounded whatever the inputs: no sum of them is exact
};

// Answers for these outputs (flat indices, row-major, as they lie in memory).
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
// No product, no sum: `taps` and `magnitude` are 0. Indices are words.
Result<std::vector<Answer>> reference(const MaxPool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample, size_t output = 0);
Result<std::vector<Answer>> reference(const Elementwise& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// Those that move elements: answers are words. `output` is which of Split's.
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
// Each element for itself.
Result<std::vector<Answer>> reference(const Cast& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const Resize& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// As AveragePool's and ConvTranspose's: a sum, or a mean; or the greatest, as MaxPool's.
Result<std::vector<Answer>> reference(const GlobalAveragePool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const GlobalMaxPool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const ReduceMean& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const ReduceSum& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
// `ulps` follows from how many roundings there are on the way.
Result<std::vector<Answer>> reference(const Softmax& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const InstanceNormalization& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const BatchNormalization& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample, size_t output = 0);
Result<std::vector<Answer>> reference(const LRN& attributes, std::span<const RealTensor> inputs, std::span<const int64_t> sample);
Result<std::vector<Answer>> reference(const LayerNormalization& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample, size_t output = 0);
// All elements of the result.
Result<std::vector<int64_t>> reference(const Shape& attributes, const TensorDesc& input);

// All flat indices of an output when there are at most `most`; else `most` of them, spread evenly with the ends included.
std::vector<int64_t> sample_of(const TensorDesc& output, int64_t most);

// The bounds of SEMANTICS section 6: (n + 6) * u * S + n * 2^-149, where u is 2^-24 or 2^-23; and with 2^-53 and 2^-1074.
double float_error_bound(const Answer& answer, double u);
double double_error_bound(const Answer& answer);

}  // namespace vkonnx::kit
