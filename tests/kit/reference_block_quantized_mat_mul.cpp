// This file computes BlockQuantizedMatMul as include/vkonnx/operators/matrices.hpp defines it, in double precision.
#include <cmath>

#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

struct BlockSizes {
    int64_t bits = 4, size = 1;
    int64_t inner = 0, columns = 0, blocks = 0;
    int64_t row_bits = 0, zero_bits = 0;  // of a row of B and of zero_points, which end with whole bytes
};

Result<BlockSizes> sizes_of(const BlockQuantizedMatMul& op, std::span<const TensorDesc> inputs)
{
    if (op.opset < 1 || inputs.size() < 3 || inputs.size() > 4)
        return refusal("opset or number of inputs");
    if (Status status = check_counts(inputs); !status)
        return status;
    const bool has_zeros = inputs.size() > 3 && inputs[3].dtype != DType::undefined;
    const DType dtype = inputs[0].dtype;
    if ((dtype != DType::float32 && dtype != DType::float16 && dtype != DType::bfloat16) || inputs[2].dtype != dtype ||
        inputs[1].dtype != DType::uint8 || (has_zeros && inputs[3].dtype != DType::uint8))
        return refusal("types");
    if (inputs[0].layout != Layout::ncx)
        return refusal("layout");
    BlockSizes sizes = {.bits = op.bits.value_or(4), .size = op.block_size.value_or(0)};
    bool is_power = false;
    for (int64_t power = 16; power <= 65536; power *= 2)
        is_power = is_power || sizes.size == power;
    if (!is_power || (sizes.bits != 2 && sizes.bits != 4 && sizes.bits != 8))
        return refusal("bits or block_size");
    const List &a = inputs[0].dims, &b = inputs[1].dims;
    if (a.empty() || b.size() != 3)
        return refusal("rank");
    sizes.inner = a.back();
    sizes.columns = b[0];
    sizes.blocks = sizes.inner / sizes.size + (sizes.inner % sizes.size != 0 ? 1 : 0);
    sizes.row_bits = sizes.blocks * sizes.size * sizes.bits;
    sizes.zero_bits = (sizes.blocks * sizes.bits + 7) / 8 * 8;
    if (b != List{sizes.columns, sizes.blocks, sizes.size * sizes.bits / 8} ||
        inputs[2].dims != List{sizes.columns, sizes.blocks} ||
        (has_zeros && inputs[3].dims != List{sizes.columns, sizes.zero_bits / 8}))
        return refusal("dimensions");
    return sizes;
}

// Returns the integer whose lowest bit is this one of the bytes.
double integer_at(const RealTensor& bytes, int64_t bit, int64_t bits)
{
    return double(bytes.words[size_t(bit / 8)] >> bit % 8 & ((uint64_t{1} << bits) - 1));
}

}  // namespace

Result<Resolution> resolve(const BlockQuantizedMatMul& op, std::span<const TensorDesc> inputs)
{
    const Result<BlockSizes> sizes = sizes_of(op, inputs);
    if (!sizes)
        return sizes.status();
    Resolution resolution = {.output = {.dtype = inputs[0].dtype, .dims = inputs[0].dims}};
    resolution.output.dims.back() = sizes->columns;
    if (Status status = check_count(resolution.output); !status)
        return status;
    return resolution;
}

Result<std::vector<Answer>> reference(const BlockQuantizedMatMul& op, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    std::vector<TensorDesc> descs;
    for (const RealTensor& input : inputs)
        descs.push_back(input.desc);
    const Result<BlockSizes> sizes = sizes_of(op, descs);
    if (!sizes)
        return sizes.status();
    const auto& [bits, size, inner, columns, blocks, row_bits, zero_bits] = *sizes;
    const bool has_zeros = inputs.size() > 3 && inputs[3].desc.dtype != DType::undefined;
    std::vector<Answer> answers;
    for (const int64_t flat : sample) {
        const int64_t row = flat / columns, column = flat % columns;
        Answer answer = {.taps = 2 * inner};
        for (int64_t k = 0; k < inner; ++k) {
            const int64_t block = k / size;
            const double zero =
                has_zeros ? integer_at(inputs[3], column * zero_bits + block * bits, bits) : double(int64_t{1} << (bits - 1));
            const double number = integer_at(inputs[1], column * row_bits + k * bits, bits) - zero;
            const double weight = number * inputs[2].values[size_t(column * blocks + block)];
            const double product = inputs[0].values[size_t(row * inner + k)] * weight;
            answer.value = answer.value + DoubleDouble(product);
            answer.magnitude += std::fabs(product);
        }
        answers.push_back(answer);
    }
    return answers;
}

}  // namespace vkonnx::kit
