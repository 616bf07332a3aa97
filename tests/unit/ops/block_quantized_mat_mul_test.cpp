// This file tests what is refused of BlockQuantizedMatMul, what is told of it, and which kernel it gets.
#include <gtest/gtest.h>

#include "expect.h"
#include "ops/geometry.h"

namespace vkonnx::ops {
namespace {

TensorDesc u8(const std::vector<int64_t>& dims)
{
    return {DType::uint8, dims};
}

const TensorDesc a = f32({3, 40}), b = u8({5, 2, 16}), scales = f32({5, 2});
const BlockQuantizedMatMul right = {.block_size = 32};

const OperatorRefusal block_quantized_refusals[] = {
    {right, {a, b}, "BlockQuantizedMatMul: expects 3 or 4 inputs, but 2 are given"},
    {BlockQuantizedMatMul{}, {a, b, scales}, "BlockQuantizedMatMul: block_size is required"},
    {BlockQuantizedMatMul{.block_size = 24},
     {a, b, scales},
     "BlockQuantizedMatMul: block_size = 24 must be a power of 2 from 16 to 65536"},
    {BlockQuantizedMatMul{.block_size = 8},
     {a, b, scales},
     "BlockQuantizedMatMul: block_size = 8 must be a power of 2 from 16 to 65536"},
    {BlockQuantizedMatMul{.bits = 3, .block_size = 32}, {a, b, scales}, "BlockQuantizedMatMul: bits = 3 must be 2, 4 or 8"},
    {right, {f32({}), b, scales}, "BlockQuantizedMatMul: A = float[] must have at least 1 dimension"},
    {right, {f32({3, 65}), b, scales}, "BlockQuantizedMatMul: B = uint8[5,2,16] must be uint8[5,3,16]"},
    {right, {a, u8({5, 32}), scales}, "BlockQuantizedMatMul: B = uint8[5,32] must be uint8[5,2,16]"},
    {right, {a, b, f32({5})}, "BlockQuantizedMatMul: scales = float[5] must be float[5,2]"},
    {right, {a, b, scales, u8({5, 2})}, "BlockQuantizedMatMul: zero_points = uint8[5,2] must be uint8[5,1]"},
};

TEST(BlockQuantizedMatMul, RefusesInOneSentence)
{
    for (const OperatorRefusal& refusal : block_quantized_refusals)
        expect_refused(refusal);
}

TEST(BlockQuantizedMatMul, TellsWhatIsComputed)
{
    const auto geometry = resolve(right, std::vector{a, b, scales, u8({5, 1})});
    ASSERT_TRUE(geometry) << geometry.message();
    EXPECT_EQ(geometry->equation, "vkonnx BlockQuantizedMatMul-1: Y = A * W^T of 3 rows and 40 columns of A and 5 rows of W: 4 "
                                  "bits, in blocks of 32 with zero points");
    EXPECT_EQ(geometry->output, f32({3, 5}));
    EXPECT_EQ(resolve(right, std::vector{f32({40}), b, scales})->output, f32({5}));
}

// Rows of whole quads of words are read as they lie. Others are computed an output at a time, as everything is where the bits
// must be the same on every device.
TEST(BlockQuantizedMatMul, ReadsWholeQuads)
{
    const auto kernel = [](int64_t inner, int64_t bits, int64_t size, const PrepareOptions& options = {}) {
        const int64_t blocks = (inner + size - 1) / size;
        const std::vector<TensorDesc> inputs = {f32({1, inner}), u8({8, blocks, size * bits / 8}), f32({8, blocks})};
        return explain(BlockQuantizedMatMul{.bits = bits, .block_size = size}, inputs, *Capabilities::preset("amd-navi21"),
                       options)
            ->kernel;
    };
    const std::string rows = "block_quantized_mat_mul_rows_f32", any = "block_quantized_mat_mul_f32";
    EXPECT_EQ(kernel(4096, 4, 32), rows);
    EXPECT_EQ(kernel(4096, 4, 32, {.reproducible = true}), any);
    EXPECT_EQ(kernel(4080, 4, 32), any);
    EXPECT_EQ(kernel(64, 4, 16), rows);
    EXPECT_EQ(kernel(16, 8, 16), rows);
    EXPECT_EQ(kernel(48, 4, 16), any);
    EXPECT_EQ(kernel(64, 2, 32), rows);
    EXPECT_EQ(kernel(96, 2, 32), any);
}

}  // namespace
}  // namespace vkonnx::ops
