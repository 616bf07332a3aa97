// This file tests the operators that put updates into a tensor: what they refuse and what they tell.
#include <gtest/gtest.h>

#include "expect.h"
#include "kit/cases.h"
#include "ops/geometry.h"

namespace vkonnx::ops {
namespace {

std::vector<TensorDesc> scattered(const TensorDesc& data, std::vector<int64_t> indices, std::vector<int64_t> updates)
{
    return {data, of(DType::int64, std::move(indices)), of(data.dtype, std::move(updates))};
}

const OperatorRefusal scatter_refusals[] = {
    {ScatterElements{.opset = 10}, scattered(f32({2}), {2}, {2}),
     "ScatterElements: opset = 10 must be at least 11, the version in which the operator came"},
    {ScatterElements{}, {f32({2}), of(DType::int64, {2})}, "ScatterElements: expects 3 inputs, but 2 are given"},
    {ScatterElements{.axis = -3}, scattered(f32({2, 3}), {2, 3}, {2, 3}),
     "ScatterElements: axis = -3 must be in [-2, 1] for rank 2"},
    {ScatterElements{}, scattered(f32({}), {}, {}), "ScatterElements: axis = 0 names an axis, but the input has none"},
    {ScatterElements{}, scattered(f32({2, 3}), {2}, {2}), "ScatterElements: indices have rank 1, but data has rank 2"},
    {ScatterElements{.axis = 1}, scattered(f32({2, 3}), {3, 9}, {3, 9}),
     "ScatterElements: indices.dims[0] = 3 must be at most data.dims[0] = 2; only axis 1 may be longer"},
    {ScatterElements{}, scattered(f32({2, 3}), {2, 3}, {2, 2}), "ScatterElements: updates = float[2,2] must be float[2,3]"},
    {ScatterElements{},
     {f32({2}), of(DType::uint8, {2}), f32({2})},
     "ScatterElements: indices has type uint8, which no version of the operator accepts"},
    {ScatterElements{},
     {f32({2}), of(DType::int64, {2}), of(DType::float16, {2})},
     "ScatterElements: updates has type float16, but must have data's type float"},
    {ScatterElements{}, scattered(of(DType::string, {2}), {2}, {2}),
     "ScatterElements: data has type string, but only elements of 8, 16, 32 and 64 bits are moved"},
    {ScatterElements{.opset = 12}, scattered(of(DType::bfloat16, {2}), {2}, {2}),
     "ScatterElements: data has type bfloat16, which exists from version 13, and opset 12 means version 11"},
    {ScatterElements{.opset = 15, .reduction = ScatterReduction::add}, scattered(f32({2}), {2}, {2}),
     "ScatterElements: reduction must not be given: it exists from version 16, and opset 15 means version 13"},
    {ScatterElements{.opset = 17, .reduction = ScatterReduction::max}, scattered(f32({2}), {2}, {2}),
     "ScatterElements: reduction = max exists from version 18, and opset 17 means version 16"},
    {ScatterElements{.reduction = ScatterReduction(9)}, scattered(f32({2}), {2}, {2}),
     "ScatterElements: reduction = 9 must be one of none, add, mul, max, min"},
    {ScatterElements{.reduction = ScatterReduction::mul}, scattered(of(DType::complex64, {2}), {2}, {2}),
     "ScatterElements: reduction = mul of complex64 is not supported"},
    {ScatterND{},
     {f32({2}), of(DType::int32, {1}), f32({})},
     "ScatterND: indices has type int32, which no version of the operator accepts"},
    {ScatterND{}, scattered(f32({}), {1}, {}), "ScatterND: data has rank 0, but at least 1 is expected"},
    {ScatterND{}, scattered(f32({2}), {}, {2}), "ScatterND: indices has rank 0, but at least 1 is expected"},
    {ScatterND{}, scattered(f32({2, 3}), {2, 3}, {2}),
     "ScatterND: indices.dims[1] = 3 must be in [1, 2], the number of axes of data"},
    {ScatterND{}, scattered(f32({2, 3}), {2, 0}, {2, 2, 3}),
     "ScatterND: indices.dims[1] = 0 must be in [1, 2], the number of axes of data"},
    {ScatterND{}, scattered(f32({2, 3}), {4, 1}, {4}), "ScatterND: updates = float[4] must be float[4,3]"},
    {ScatterND{.opset = 16, .reduction = ScatterReduction::min}, scattered(f32({2}), {2, 1}, {2}),
     "ScatterND: reduction = min exists from version 18, and opset 16 means version 16"},
};

TEST(Scatter, RefusesInOneSentence)
{
    for (const OperatorRefusal& refusal : scatter_refusals)
        expect_refused(refusal);
}

template <class Op>
std::string scatter_equation(const Op& op, const std::vector<TensorDesc>& inputs)
{
    const auto geometry = resolve(op, inputs);
    return geometry ? geometry->equation : std::string(geometry.message());
}

TEST(Scatter, TellsWhatItDoes)
{
    EXPECT_EQ(
        scatter_equation(ScatterElements{.axis = -1}, scattered(f32({2, 5}), {2, 3}, {2, 3})),
        "ONNX ScatterElements-18: data with updates, which are put along axis 1 at the one of 5 that the index of each names");
    EXPECT_EQ(
        scatter_equation(ScatterND{.opset = 17, .reduction = ScatterReduction::add}, scattered(f32({2, 5, 4}), {7, 2}, {7, 4})),
        "ONNX ScatterND-16: data with updates of 4 elements, which are added at the 2 coordinates of each of 7 indices");
}

TEST(Scatter, KeepsALayout)
{
    const TensorDesc nxc = {DType::float32, {1, 4, 4, 3}, Layout::nxc};
    EXPECT_EQ(infer(ScatterElements{}, scattered(nxc, {1, 4, 4, 3}, {1, 4, 4, 3}))->front(), nxc);
    EXPECT_EQ(infer(ScatterND{}, scattered(nxc, {2, 1}, {2, 4, 4, 3}))->front(), nxc);
}

}  // namespace
}  // namespace vkonnx::ops
