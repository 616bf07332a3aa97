// This header holds what the tests of this folder share.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ops/geometry.h"

namespace vkonnx::ops {

inline constexpr int64_t huge = std::numeric_limits<int64_t>::max();

inline constexpr std::array both_rules = {Rules::specification, Rules::onnxruntime};
inline constexpr std::array all_auto_pads = {AutoPad::notset, AutoPad::same_upper, AutoPad::same_lower, AutoPad::valid};

inline std::string label(AutoPad auto_pad, Rules rules, int64_t opset)
{
    return "auto_pad " + std::to_string(int(auto_pad)) + (rules == Rules::onnxruntime ? " onnxruntime" : " specification") +
           " opset " + std::to_string(opset);
}

using Dims = std::vector<int64_t>;

inline TensorDesc of(DType dtype, Dims dims)
{
    return {dtype, std::move(dims)};
}

inline TensorDesc f32(Dims dims)
{
    return of(DType::float32, std::move(dims));
}

// Returns the input of a pool along one axis.
inline std::vector<TensorDesc> line(int64_t in, DType dtype = DType::float32)
{
    return {of(dtype, {1, 1, in})};
}

// The sizes of an axis are {out, begin, end}, and {} stands for a refusal.
using Sizes = std::vector<int64_t>;

inline Sizes sizes_of(const Axis& axis)
{
    return {axis.out, axis.begin, axis.end};
}

// This struct holds a problem that must be refused, and the whole sentence.
template <class Attributes>
struct Refusal {
    Attributes attributes;
    std::vector<TensorDesc> inputs;
    std::string sentence;
    Code code = Code::invalid_argument;
};

template <class Attributes>
void expect_refused(const Refusal<Attributes>& refusal)
{
    const auto resolved = resolve(refusal.attributes, refusal.inputs);
    ASSERT_FALSE(resolved.ok()) << "not refused: " << refusal.sentence;
    EXPECT_EQ(resolved.message(), refusal.sentence);
    EXPECT_EQ(resolved.code(), refusal.code) << refusal.sentence;
    const auto inferred = infer(refusal.attributes, refusal.inputs);
    ASSERT_FALSE(inferred.ok());
    EXPECT_EQ(inferred.message(), refusal.sentence);
}

template <class Attributes>
void refused(const Attributes& attributes, const std::vector<TensorDesc>& inputs, const std::string& sentence,
             Code code = Code::invalid_argument)
{
    expect_refused(Refusal<Attributes>{attributes, inputs, sentence, code});
}

// This struct is for tables of several operators.
struct OperatorRefusal {
    Operator op;
    std::vector<TensorDesc> inputs;
    const char* sentence;
};

inline void expect_refused(const OperatorRefusal& refusal)
{
    EXPECT_EQ(infer(refusal.op, refusal.inputs).message(), refusal.sentence);
}

}  // namespace vkonnx::ops
