// The reference: what SEMANTICS says, computed the slow way, on the host, for tests to compare with.
//
// It shares no formula with the library. Sizes and pads are found by laying out windows or scattering positions and looking
// where they end; the taps of an output are found by trying every (input position, tap) pair and keeping those that meet it.
// There is no division but the average's own, no phase, no modulus, and nothing of src/ is included or called.
// It is meant for problems that can be computed: extents and pads up to a few millions.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <concepts>
#include <cstddef>
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
inline constexpr auto versions<ReduceMean> = std::to_array<int64_t>({1, 11, 13, 18});
template <>
inline constexpr auto versions<ReduceSum> = std::to_array<int64_t>({1, 11, 13});
template <>
inline constexpr auto versions<Softmax> = std::to_array<int64_t>({1, 11, 13});
template <>
inline constexpr auto versions<InstanceNormalization> = std::to_array<int64_t>({1, 6, 22});
template <>
inline constexpr auto versions<BatchNormalization> = std::to_array<int64_t>({7, 9, 14, 15});
template <>
inline constexpr auto versions<LRN> = std::to_array<int64_t>({1, 13});
template <>
inline constexpr auto versions<LayerNormalization> = std::to_array<int64_t>({17});

using Versions = std::span<const int64_t>;
Versions versions_of(ElementwiseKind kind);  // begin with the one that opset 7 means
inline Versions versions_of(const Operator& op)
{
    return std::visit(
        []<class Op>(const Op& one) -> Versions {
            if constexpr (std::same_as<Op, Elementwise>)
                return versions_of(one.kind);
            else
                return versions<Op>;
        },
        op);
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
