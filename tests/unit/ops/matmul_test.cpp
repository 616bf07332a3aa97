// This file tests what is refused of Gemm and MatMul, and what is told of them.
#include <gtest/gtest.h>

#include "expect.h"
#include "ops/geometry.h"

namespace vkonnx::ops {
namespace {

const OperatorRefusal matmul_refusals[] = {
    {Gemm{}, {f32({2, 3})}, "Gemm: expects 2 or 3 inputs, but 1 is given"},
    {Gemm{.opset = 9}, {f32({2, 3}), f32({3, 4})}, "Gemm: expects 3 inputs, but 2 are given"},
    {Gemm{.opset = 6},
     {f32({2, 3}), f32({3, 4}), f32({4})},
     "Gemm: opset = 6 must be at least 7: older versions are not supported"},
    {Gemm{}, {f32({2, 3, 1}), f32({3, 4})}, "Gemm: A and B must have rank 2, but are float[2,3,1] and float[3,4]"},
    {Gemm{}, {f32({2, 3}), f32({4, 3})}, "Gemm: A has K = 3, but B has K = 4"},
    {Gemm{.transA = 2}, {f32({2, 3}), f32({3, 4})}, "Gemm: transA = 2 must be 0 or 1"},
    {Gemm{}, {f32({2, 3}), f32({3, 4}), f32({2})}, "Gemm: C = float[2] does not broadcast to [2,4]"},
    {Gemm{}, {f32({2, 3}), f32({3, 4}), f32({1, 2, 4})}, "Gemm: C = float[1,2,4] does not broadcast to [2,4]"},
    {Gemm{}, {f32({2, 3}), {DType::float16, {3, 4}}}, "Gemm: B has type float16, but must have A's type float"},
    {Gemm{.alpha = 0.5f},
     {{DType::int32, {2, 3}}, {DType::int32, {3, 4}}},
     "Gemm: alpha = 0.500000 must be whole for type int32"},
    {MatMul{}, {f32({}), f32({3})}, "MatMul: A has rank 0, but must have at least 1"},
    {MatMul{}, {f32({3}), f32({})}, "MatMul: B has rank 0, but must have at least 1"},
    {MatMul{}, {f32({2, 3}), f32({2, 3})}, "MatMul: A has K = 3, but B has K = 2"},
    {MatMul{}, {f32({2, 2, 3}), f32({4, 3, 2})}, "MatMul: axes in front of float[2,2,3] and float[4,3,2] do not broadcast"},
    {MatMul{},
     {{DType::int8, {2, 3}}, {DType::int8, {3, 2}}},
     "MatMul: A has type int8, which no version of the operator accepts"},
};

TEST(MatMul, RefusesInOneSentence)
{
    for (const OperatorRefusal& refusal : matmul_refusals)
        expect_refused(refusal);
}

TEST(MatMul, TellsWhatIsMultiplied)
{
    EXPECT_EQ(resolve(Gemm{.transB = 1}, std::vector{f32({2, 3}), f32({4, 3}), f32({4})})->equation,
              "ONNX Gemm-13: [2,3] * [3,4], B transposed, and C");
    EXPECT_EQ(resolve(MatMul{}, std::vector{f32({5, 2, 3}), f32({3, 4})})->equation,
              "ONNX MatMul-13: [2,3] * [3,4] for each of [5]");
}

// The engine multiplies wherever the matrices lie as it needs them.
TEST(MatMul, IsPlannedAsAConvolution)
{
    const Capabilities c = *Capabilities::preset("desktop");
    const auto kernel = [&](const Operator& op, std::vector<TensorDesc> inputs) { return explain(op, inputs, c)->kernel; };
    for (const auto& inputs :
         {std::vector{f32({512, 512}), f32({512, 512})}, std::vector{f32({8, 512, 512}), f32({512, 512})},
          std::vector{f32({8, 512, 512}), f32({8, 512, 512})}, std::vector{f32({512, 512}), f32({8, 512, 512})}})
        EXPECT_TRUE(kernel(MatMul{}, inputs).starts_with("matmul_gemm")) << to_string(inputs[0]) << to_string(inputs[1]);
    EXPECT_TRUE(kernel(Gemm{.transB = 1}, {f32({512, 512}), f32({512, 512}), f32({512})}).starts_with("matmul_gemm"));
    EXPECT_EQ(kernel(Gemm{.transA = 1}, {f32({512, 512}), f32({512, 512})}), "matmul_f32");
    EXPECT_EQ(kernel(Gemm{.alpha = 2.0f}, {f32({512, 512}), f32({512, 512})}), "matmul_vector_f32");
    EXPECT_EQ(kernel(Gemm{.alpha = 2.0f}, {f32({512, 511}), f32({511, 513})}), "matmul_f32");
    EXPECT_EQ(kernel(MatMul{}, {f32({2, 1, 512, 512}), f32({1, 2, 512, 512})}), "matmul_f32");
}

// A vector is multiplied by a matrix, so that B is neither packed nor bound whole.
TEST(MatMul, ReadsOneMatrixAsItLies)
{
    Capabilities c = *Capabilities::preset("desktop");
    const Operator op = Gemm{.transB = 1};
    const std::vector inputs = {f32({1, 4096}), f32({1000, 4096}), f32({1000})};
    const PrepareOptions constant = {.constants = {{.input = 1}}};
    const auto one = explain(op, inputs, c, constant);
    ASSERT_TRUE(one) << one.message();
    EXPECT_EQ(one->kernel, "matmul_vector_f32");
    EXPECT_EQ(one->packed_bytes, 0u);
    EXPECT_EQ(one->grids.size(), 1u);
    EXPECT_TRUE(explain(op, std::vector{f32({64, 4096}), f32({1000, 4096}), f32({1000})}, c)->kernel.starts_with("matmul_gemm"));
    c.max_storage_buffer_range = 4 << 20;  // 256 rows of 1000
    const auto windows = explain(op, inputs, c, constant);
    ASSERT_TRUE(windows) << windows.message();
    EXPECT_EQ(windows->kernel, "matmul_vector_f32");
    EXPECT_EQ(windows->grids.size(), 4u);
}

}  // namespace
}  // namespace vkonnx::ops
