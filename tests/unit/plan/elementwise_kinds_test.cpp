// This file tests the lists of elementwise_kinds.h against the operators' documents: how many inputs a kind has, and of which
// types.
#include <gtest/gtest.h>

#include <vkonnx/vkonnx.hpp>

#include <set>

#include "shaders/library/elementwise_kinds.h"

namespace vkonnx::plan {
namespace {

#define KIND_NAME(number, NAME, name) ElementwiseKind::name,

constexpr size_t most_bound_inputs = 3;

size_t least_inputs(ElementwiseKind kind)
{
    return signature(Elementwise{.kind = kind})->least_inputs;
}

size_t most_inputs(ElementwiseKind kind)
{
    return signature(Elementwise{.kind = kind})->most_inputs;
}

// Returns the types of a tensor for which the newest version of the kind computes its expression.
std::set<DType> types_of(ElementwiseKind kind)
{
    std::set<DType> types;
    for (int dtype = 0; dtype <= int(DType::int2); ++dtype) {
        const std::vector<TensorDesc> inputs(least_inputs(kind), TensorDesc{DType(dtype), {2}});
        if (infer(Elementwise{.kind = kind}, inputs))
            types.insert(DType(dtype));
    }
    return types;
}

const std::set<DType> floats = {DType::float32, DType::float16, DType::bfloat16};
const std::set<DType> reals = {DType::float32, DType::float16, DType::bfloat16, DType::float64};

TEST(ElementwiseKinds, OfOneOperandHaveOneInput)
{
    for (const ElementwiseKind kind :
         {ELEMENTWISE_ACTIVATIONS_OF_REALS(KIND_NAME) ELEMENTWISE_ACTIVATION_FUNCTIONS(KIND_NAME) ELEMENTWISE_UNARY(KIND_NAME)
              ELEMENTWISE_FUNCTIONS_OF_REALS(KIND_NAME) ELEMENTWISE_FUNCTIONS_OF_FLOATS(KIND_NAME)})
        EXPECT_EQ(most_inputs(kind), 1u) << name(kind);
}

TEST(ElementwiseKinds, OfTwoOperandsHaveTwoInputs)
{
    for (const ElementwiseKind kind : {ELEMENTWISE_BINARY(KIND_NAME) ELEMENTWISE_BINARY_FUNCTIONS(
             KIND_NAME) ELEMENTWISE_BINARY_FUNCTIONS_BUT_OF_DOUBLES(KIND_NAME) ELEMENTWISE_POWERS(KIND_NAME)}) {
        EXPECT_EQ(least_inputs(kind), 2u) << name(kind);
        EXPECT_EQ(most_inputs(kind), 2u) << name(kind);
    }
}

TEST(ElementwiseKinds, ThatAreJoinedHaveAnyNumberOfInputs)
{
    for (const ElementwiseKind kind : {ELEMENTWISE_JOINED(KIND_NAME) ELEMENTWISE_JOINED_FUNCTIONS(KIND_NAME)}) {
        EXPECT_EQ(least_inputs(kind), 1u) << name(kind);
        EXPECT_GT(most_inputs(kind), most_bound_inputs) << name(kind);
    }
}

TEST(ElementwiseKinds, OfRealsAreOfNoOtherType)
{
    for (const ElementwiseKind kind : {ELEMENTWISE_ACTIVATIONS_OF_REALS(KIND_NAME) ELEMENTWISE_FUNCTIONS_OF_REALS(KIND_NAME)})
        EXPECT_EQ(types_of(kind), reals) << name(kind);
}

TEST(ElementwiseKinds, OfFloatsAreOfNoOtherType)
{
    for (const ElementwiseKind kind : {ELEMENTWISE_ACTIVATION_FUNCTIONS(KIND_NAME) ELEMENTWISE_FUNCTIONS_OF_FLOATS(KIND_NAME)})
        EXPECT_EQ(types_of(kind), floats) << name(kind);
}

// powers.glsl serves only these kinds.
TEST(ElementwiseKinds, PowersAreOfFloatsAndSignedIntegers)
{
    for (const ElementwiseKind kind : {ELEMENTWISE_POWERS(KIND_NAME)}) {
        std::set<DType> types = floats;
        types.insert({DType::int32, DType::int64});
        EXPECT_EQ(types_of(kind), types) << name(kind);
    }
}

}  // namespace
}  // namespace vkonnx::plan
