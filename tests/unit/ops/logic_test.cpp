// This file tests the operators that compare, join truth values, choose and work on bits: what each takes and makes, every
// refusal, and what the host computes of known elements.
#include <gtest/gtest.h>

#include "expect.h"
#include "kit/cases.h"
#include "kit/draw.h"
#include "kit/elements.h"
#include "ops/evaluate.h"

namespace vkonnx::ops {

namespace {

template <class Attributes>
LogicGeometry logic_of(const Attributes& attributes, const std::vector<TensorDesc>& inputs)
{
    const auto geometry = resolve(attributes, inputs);
    EXPECT_TRUE(geometry) << geometry.message();
    return geometry ? *geometry : LogicGeometry();
}

}  // namespace

TEST(LogicOps, BroadcastsAllInputs)
{
    EXPECT_EQ(logic_of(Equal{}, {f32({4, 1}), f32({7, 1, 5})}).output, of(DType::boolean, {7, 4, 5}));
    EXPECT_EQ(logic_of(IsNaN{}, {f32({3, 0})}).output, of(DType::boolean, {3, 0}));
    EXPECT_EQ(logic_of(BitwiseAnd{}, {of(DType::int16, {}), of(DType::int16, {2})}).output, of(DType::int16, {2}));
    const LogicGeometry where = logic_of(Where{}, {of(DType::boolean, {4, 1, 1}), f32({3, 1}), f32({5})});
    EXPECT_EQ(where.output, f32({4, 3, 5}));
    EXPECT_EQ(*where.inputs[2], (Dims{1, 1, 5}));
    EXPECT_EQ(where.types, (std::vector{DType::boolean, DType::float32, DType::float32}));
    EXPECT_EQ(where.equation, "ONNX Where-16: output = condition ? X : Y");
}

TEST(LogicOps, AttributesAreTheDocumentsWhereNoneAreGiven)
{
    EXPECT_TRUE(logic_of(IsInf{}, {f32({2})}).detects_negative);
    EXPECT_TRUE(logic_of(IsInf{}, {f32({2})}).detects_positive);
    EXPECT_FALSE(logic_of(IsInf{.detect_negative = 0}, {f32({2})}).detects_negative);
    EXPECT_FALSE(logic_of(IsInf{.detect_positive = 0}, {f32({2})}).detects_positive);
    const std::vector<TensorDesc> bytes = {of(DType::uint8, {2}), of(DType::uint8, {2})};
    EXPECT_TRUE(logic_of(BitShift{.direction = ShiftDirection::right}, bytes).shifts_right);
    EXPECT_EQ(logic_of(BitShift{.direction = ShiftDirection::left}, bytes).equation,
              "ONNX BitShift-28: Z = X shifted by Y bits to the left");
}

TEST(LogicOps, TheOutputIsChannelsLastWhereAnInputIs)
{
    TensorDesc last = f32({1, 5, 3});
    last.layout = Layout::nxc;
    EXPECT_EQ(logic_of(Less{}, {f32({3}), last}).output.layout, Layout::nxc);
    EXPECT_EQ(logic_of(Less{}, {f32({3}), f32({3})}).output.layout, Layout::ncx);
}

TEST(LogicOps, RefusesInOneSentence)
{
    refused(Equal{}, {f32({2})}, "Equal: expects 2 inputs, but 1 is given");
    refused(Equal{}, {f32({2}), of(DType::float64, {2})}, "Equal: B has type double, but must have A's type float");
    refused(Equal{.opset = 10}, {f32({2}), f32({2})},
            "Equal: A has type float, which exists from version 11, and opset 10 means version 7");
    refused(Equal{}, {of(DType::string, {2}), of(DType::string, {2})}, "Equal: A has type string, which is not compared",
            Code::unsupported);
    refused(Greater{.opset = 6}, {f32({2}), f32({2})},
            "Greater: opset = 6 must be at least 7: what broadcasts in a way of its own, as older versions do, is not supported",
            Code::unsupported);
    refused(LessOrEqual{.opset = 11}, {f32({2}), f32({2})},
            "LessOrEqual: opset = 11 must be at least 12, the version in which the operator came");
    refused(Less{}, {f32({2}), f32({3})},
            "Less: B has extent 3 on axis 0 of the output, where A has 2; extents must be equal, or 1");
    refused(IsNaN{}, {of(DType::int32, {2})}, "IsNaN: X has type int32, which no version of the operator accepts");
    refused(IsInf{.opset = 19}, {of(DType::float16, {2})},
            "IsInf: X has type float16, which exists from version 20, and opset 19 means version 10");
    refused(IsInf{.detect_negative = 2}, {f32({2})}, "IsInf: detect_negative = 2 must be 0 or 1");
    refused(IsInf{.detect_positive = -1}, {f32({2})}, "IsInf: detect_positive = -1 must be 0 or 1");
    refused(And{}, {f32({2}), f32({2})}, "And: A has type float, which no version of the operator accepts");
    refused(Where{}, {f32({2}), f32({2}), f32({2})}, "Where: condition has type float, which no version of the operator accepts");
    refused(Where{}, {of(DType::boolean, {2}), of(DType::complex128, {2}), of(DType::complex128, {2})},
            "Where: X has type complex128, but only elements of 8, 16, 32 and 64 bits are moved", Code::unsupported);
    refused(BitShift{}, {of(DType::uint8, {2}), of(DType::uint8, {2})}, "BitShift: direction must be given, as LEFT or RIGHT");
    refused(BitShift{.opset = 27, .direction = ShiftDirection::left}, {of(DType::int8, {2}), of(DType::int8, {2})},
            "BitShift: X has type int8, which exists from version 28, and opset 27 means version 11");
    refused(BitwiseNot{.opset = 17}, {of(DType::int8, {2})},
            "BitwiseNot: opset = 17 must be at least 18, the version in which the operator came");
    refused(Less{}, {f32({1, int64_t(1) << 40}), f32({int64_t(1) << 40, 1})},
            "Less: the output = bool[1099511627776,1099511627776] has more than 2^63 - 1 elements", Code::unsupported);
}

// The host's answers must agree with the reference for all kinds and types.
TEST(Evaluate, RandomLogicAsTheReference)
{
    kit::Draw draw(kit::test_seed(1));
    int compared = 0;
    for (int run = 0; run < 600 && !testing::Test::HasFailure(); ++run) {
        const kit::Case problem = kit::draw_logic(draw);
        const Result<kit::Resolution> expected = resolve(problem);
        if (!expected)
            continue;
        const std::vector<kit::RealTensor> inputs = fill_inputs(problem, problem.fill);
        std::vector<std::vector<std::byte>> data;
        for (const kit::RealTensor& input : inputs)
            data.push_back(kit::encoded(input));
        const std::vector<std::span<const std::byte>> views(data.begin(), data.end());
        const auto outputs = evaluate(problem.attributes, problem.inputs, views);
        ASSERT_TRUE(outputs) << kit::to_string(problem) << ": " << outputs.message() << draw.repeat();
        ++compared;
        const DType dtype = expected->output.dtype;
        const std::vector<uint64_t> words = kit::words_of(dtype, outputs->front());
        const auto answers = kit::reference(problem, inputs, kit::sample_of(expected->output, 20'000));
        ASSERT_TRUE(answers) << answers.message();
        ASSERT_EQ(words.size(), answers->size());
        for (size_t i = 0; i < words.size(); ++i)
            ASSERT_EQ(kit::normalized(dtype, words[i]), kit::normalized(dtype, *answers->at(i).word))
                << kit::to_string(problem) << "\nelement " << i << draw.repeat();
    }
    EXPECT_GT(compared, 300);
}

}  // namespace vkonnx::ops
