// This file tests the operators that only move elements: what they refuse, what they tell, and what the host makes of them.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "expect.h"
#include "kit/cases.h"
#include "kit/draw.h"
#include "kit/elements.h"
#include "ops/geometry.h"

namespace vkonnx::ops {
namespace {

const OperatorRefusal move_refusals[] = {
    {Transpose{.perm = {0}}, {f32({2, 3})}, "Transpose: perm has 1 entries, but data has rank 2"},
    {Transpose{.perm = {0, 2}}, {f32({2, 3})}, "Transpose: perm[1] = 2 must be in [0, 1]"},
    {Transpose{.perm = {0, -1}}, {f32({2, 3})}, "Transpose: perm[1] = -1 must be in [0, 1]"},
    {Transpose{.perm = {1, 1}}, {f32({2, 3})}, "Transpose: perm[1] = 1 names an axis twice"},
    {Transpose{}, {}, "Transpose: expects 1 input, but 0 are given"},
    {Transpose{},
     {of(DType::string, {2})},
     "Transpose: data has type string, but only elements of 8, 16, 32 and 64 bits are moved"},
    {Transpose{}, {of(DType::int4, {2})}, "Transpose: data has type int4, but only elements of 8, 16, 32 and 64 bits are moved"},
    {Transpose{.opset = 12},
     {of(DType::bfloat16, {2})},
     "Transpose: data has type bfloat16, which exists from version 13, and opset 12 means version 1"},
    {Slice{.starts = {0}}, {f32({2})}, "Slice: ends has 0 entries, but starts has 1"},
    {Slice{.starts = {0}, .ends = {1}, .axes = {0, 1}}, {f32({2, 2})}, "Slice: axes has 2 entries, but starts has 1"},
    {Slice{.starts = {0}, .ends = {1}, .steps = {0}}, {f32({2})}, "Slice: steps[0] = 0 must not be 0"},
    {Slice{.starts = {0, 0}, .ends = {1, 1}}, {f32({2})}, "Slice: starts has 2 entries, but data has rank 1"},
    {Slice{.starts = {0}, .ends = {1}, .axes = {1}}, {f32({2})}, "Slice: axes[0] = 1 must be in [-1, 0] for rank 1"},
    {Slice{.starts = {0, 0}, .ends = {1, 1}, .axes = {0, -2}}, {f32({2, 2})}, "Slice: axes[1] = -2 names an axis twice"},
    {Slice{.opset = 9, .starts = {0}, .ends = {1}, .steps = {1}},
     {f32({2})},
     "Slice: steps must not be given: it exists from version 10, and opset 9 means version 1"},
    {Pad{.opset = 1, .pads = {0, 0}}, {f32({2})}, "Pad: opset = 1 must be at least 2: older versions are not supported"},
    {Pad{.pads = {0, 0, 1}}, {f32({2})}, "Pad: pads has 3 entries, but 2 must be given: all begins, then all ends, of 1 axes"},
    {Pad{.mode = PadMode::reflect, .pads = {2, 0}},
     {f32({2})},
     "Pad: mode = reflect adds at most 1 elements to the 2 of axis 0, not 2"},
    {Pad{.mode = PadMode::edge, .pads = {-2, 1}},
     {f32({2})},
     "Pad: mode = edge has nothing to repeat on axis 0, where 0 of 2 elements are left"},
    {Pad{.pads = {-2, -1}}, {f32({2})}, "Pad: pads of axis 0, -2 and -1, take more away than its 2 elements"},
    {Pad{.pads = {INT64_MAX, 1}},
     {f32({2})},
     "Pad: axis 0 with 2 elements and pads 9223372036854775807 and 1 leads to an integer beyond 64 bits"},
    {Pad{.opset = 18, .mode = PadMode::wrap, .pads = {1, 1}},
     {f32({2})},
     "Pad: mode = wrap exists from version 19, and opset 18 means version 18"},
    {Pad{.mode = PadMode(9), .pads = {1, 1}}, {f32({2})}, "Pad: mode = 9 must be one of constant, reflect, edge, wrap"},
    {Pad{.pads = {1, 1}, .value = 1.0f},
     {f32({2})},
     "Pad: value must not be given: it is an attribute until version 10, and opset 28 means version 25"},
    {Pad{.pads = {1, 1}},
     {f32({2}), of(DType::int32, {})},
     "Pad: constant_value has type int32, but must have data's type float"},
    {Pad{.pads = {1, 1}}, {f32({2}), f32({2})}, "Pad: constant_value = float[2] must have one element"},
    {Pad{.opset = 13, .pads = {1, 1}, .axes = {0}},
     {f32({2})},
     "Pad: axes must not be given: it exists from version 18, and opset 13 means version 13"},
    {Concat{}, {f32({2})}, "Concat: axis is required"},
    {Concat{.opset = 3, .axis = 0}, {f32({2})}, "Concat: opset = 3 must be at least 4: older versions are not supported"},
    {Concat{.axis = 1}, {f32({2})}, "Concat: axis = 1 must be in [-1, 0] for rank 1"},
    {Concat{.axis = 0}, {f32({})}, "Concat: axis = 0 names an axis, but the input has none"},
    {Concat{.axis = 0},
     {f32({2}), of(DType::int32, {2})},
     "Concat: inputs_1 has type int32, but must have inputs_0's type float"},
    {Concat{.axis = 0}, {f32({2}), f32({2, 2})}, "Concat: inputs_1 has rank 2, but inputs_0 has rank 1"},
    {Concat{.axis = 0},
     {f32({2, 3}), f32({2, 4})},
     "Concat: inputs_1.dims[1] = 4, but inputs_0.dims[1] = 3; only axis 0 may differ"},
    {Concat{.axis = 0}, std::vector<TensorDesc>(255, f32({1})), "Concat: expects 1 to 254 inputs, but 255 are given"},
    {Split{}, {f32({6})}, "Split: split or num_outputs is required from version 18"},
    {Split{.split = {6}, .num_outputs = 1}, {f32({6})}, "Split: num_outputs = 1 must not be given when split is"},
    {Split{.num_outputs = 0}, {f32({6})}, "Split: num_outputs = 0 must be at least 1"},
    {Split{.num_outputs = 4}, {f32({2})}, "Split: num_outputs = 4 parts of 1 exceed the axis's 2 elements"},
    {Split{.num_outputs = 255}, {f32({600})}, "Split: it has 255 outputs, but at most 254 are supported"},
    {Split{.num_outputs = 3, .outputs = 2}, {f32({6})}, "Split: num_outputs asks for 3 outputs, but there are 2"},
    {Split{.split = {2, 3}}, {f32({6})}, "Split: split adds up to 5, but the axis has 6 elements"},
    {Split{.split = {7, -1}}, {f32({6})}, "Split: split[1] = -1 must be at least 0"},
    {Split{.opset = 13, .outputs = 4}, {f32({6})}, "Split: 4 equal parts of the axis's 6 elements are asked for"},
    {Split{.opset = 13}, {f32({6})}, "Split: outputs = 0 must be at least 1 when split is not given"},
    {DepthToSpace{}, {f32({1, 4, 2, 2})}, "DepthToSpace: blocksize is required"},
    {DepthToSpace{.blocksize = 0}, {f32({1, 4, 2, 2})}, "DepthToSpace: blocksize = 0 must be at least 1"},
    {DepthToSpace{.blocksize = 2},
     {f32({1, 6, 2, 2})},
     "DepthToSpace: input.dims[1] = 6 must be a multiple of blocksize^2, and blocksize = 2"},
    {DepthToSpace{.blocksize = 2}, {f32({4, 2, 2})}, "DepthToSpace: input has rank 3, but 4 is expected: N, C, H and W"},
    {DepthToSpace{.opset = 10, .blocksize = 2, .mode = DepthToSpaceMode::crd},
     {f32({1, 4, 2, 2})},
     "DepthToSpace: mode must not be given: it exists from version 11, and opset 10 means version 1"},
    {SpaceToDepth{}, {f32({1, 4, 2, 2})}, "SpaceToDepth: blocksize is required"},
    {SpaceToDepth{.blocksize = 2},
     {f32({1, 4, 2, 3})},
     "SpaceToDepth: input.dims[3] = 3 must be a multiple of blocksize, and blocksize = 2"},
    {SpaceToDepth{.opset = 27, .blocksize = 2, .mode = DepthToSpaceMode::crd},
     {f32({1, 4, 2, 2})},
     "SpaceToDepth: mode must not be given: it exists from version 28, and opset 27 means version 13"},
    {Expand{.shape = {3, -1}}, {f32({1})}, "Expand: shape[1] = -1 must be at least 0"},
    {Expand{.shape = {2, 4}},
     {f32({3, 1})},
     "Expand: shape has extent 2 on axis 0 of the output, where input has 3; extents must be equal, or 1"},
    {Expand{.shape = {int64_t(1) << 40, 1}},
     {f32({int64_t(1) << 40})},
     "Expand: output = float[1099511627776,1099511627776] has more than 2^63 - 1 elements"},
    {Expand{.opset = 7, .shape = {2}},
     {f32({1})},
     "Expand: opset = 7 must be at least 8, the version in which the operator came"},
    {Expand{.opset = 12, .shape = {2}},
     {of(DType::bfloat16, {1})},
     "Expand: input has type bfloat16, which exists from version 13, and opset 12 means version 8"},
    {Tile{.repeats = {2}}, {f32({2, 3})}, "Tile: repeats has 1 entries, but input has rank 2"},
    {Tile{.repeats = {2, -1}}, {f32({2, 3})}, "Tile: repeats[1] = -1 must be at least 0"},
    {Tile{.repeats = {INT64_MAX}}, {f32({2})}, "Tile: repeats[0] = 9223372036854775807 leads to an integer beyond 64 bits"},
    {Gather{}, {f32({2})}, "Gather: expects 2 inputs, but 1 is given"},
    {Gather{.axis = 2}, {f32({2, 3}), of(DType::int64, {1})}, "Gather: axis = 2 must be in [-2, 1] for rank 2"},
    {Gather{}, {f32({}), of(DType::int64, {1})}, "Gather: axis = 0 names an axis, but the input has none"},
    {Gather{}, {f32({2}), f32({1})}, "Gather: indices has type float, which no version of the operator accepts"},
    {Gather{},
     {of(DType::complex128, {2}), of(DType::int64, {1})},
     "Gather: data has type complex128, but only elements of 8, 16, 32 and 64 bits are moved"},
    {Gather{.opset = 12},
     {of(DType::bfloat16, {2}), of(DType::int32, {1})},
     "Gather: data has type bfloat16, which exists from version 13, and opset 12 means version 11"},
    {Gather{},
     {f32({2, int64_t(1) << 40}), of(DType::int64, {int64_t(1) << 40})},
     "Gather: output = float[1099511627776,1099511627776] has more than 2^63 - 1 elements"},
    {GatherElements{.opset = 10},
     {f32({2}), of(DType::int64, {2})},
     "GatherElements: opset = 10 must be at least 11, the version in which the operator came"},
    {GatherElements{.axis = -3},
     {f32({2, 3}), of(DType::int64, {2, 3})},
     "GatherElements: axis = -3 must be in [-2, 1] for rank 2"},
    {GatherElements{}, {f32({}), of(DType::int64, {})}, "GatherElements: axis = 0 names an axis, but the input has none"},
    {GatherElements{}, {f32({2, 3}), of(DType::int64, {2})}, "GatherElements: indices have rank 1, but data has rank 2"},
    {GatherElements{.axis = 1},
     {f32({2, 3}), of(DType::int64, {3, 9})},
     "GatherElements: indices.dims[0] = 3 must be at most data.dims[0] = 2; only axis 1 may be longer"},
    {GatherElements{},
     {f32({2}), of(DType::uint8, {2})},
     "GatherElements: indices has type uint8, which no version of the operator accepts"},
    {GatherElements{},
     {of(DType::string, {2}), of(DType::int64, {2})},
     "GatherElements: data has type string, but only elements of 8, 16, 32 and 64 bits are moved"},
    {GatherND{}, {f32({2}), of(DType::int32, {1})}, "GatherND: indices has type int32, which no version of the operator accepts"},
    {GatherND{}, {f32({}), of(DType::int64, {1})}, "GatherND: data has rank 0, but at least 1 is expected"},
    {GatherND{}, {f32({2}), of(DType::int64, {})}, "GatherND: indices has rank 0, but at least 1 is expected"},
    {GatherND{.opset = 11, .batch_dims = 0},
     {f32({2}), of(DType::int64, {1})},
     "GatherND: batch_dims must not be given: it exists from version 12, and opset 11 means version 11"},
    {GatherND{.batch_dims = 1},
     {f32({2, 3}), of(DType::int64, {2})},
     "GatherND: batch_dims = 1 must be in [0, 0], where data has rank 2 and indices have rank 1"},
    {GatherND{.batch_dims = -1},
     {f32({2, 3}), of(DType::int64, {2, 1})},
     "GatherND: batch_dims = -1 must be in [0, 1], where data has rank 2 and indices have rank 2"},
    {GatherND{.batch_dims = 1},
     {f32({2, 3}), of(DType::int64, {3, 1})},
     "GatherND: indices.dims[0] = 3, but data.dims[0] = 2; the first batch_dims = 1 must be equal"},
    {GatherND{.batch_dims = 1},
     {f32({2, 3}), of(DType::int64, {2, 2})},
     "GatherND: indices.dims[1] = 2 must be in [1, 1], the number of axes of data behind the first 1"},
    {GatherND{},
     {f32({2, 3}), of(DType::int64, {2, 0})},
     "GatherND: indices.dims[1] = 0 must be in [1, 2], the number of axes of data behind the first 0"},
    {GatherND{},
     {f32({2, int64_t(1) << 40}), of(DType::int64, {int64_t(1) << 40, 1})},
     "GatherND: output = float[1099511627776,1099511627776] has more than 2^63 - 1 elements"},
};

TEST(Move, RefusesInOneSentence)
{
    for (const OperatorRefusal& refusal : move_refusals)
        expect_refused(refusal);
}

TEST(Move, TellsWhatItDoes)
{
    const auto equation = [](const auto& op, std::vector<TensorDesc> inputs) { return resolve(op, inputs)->equation; };
    EXPECT_EQ(equation(Transpose{.perm = {0, 2, 1}}, {f32({2, 3, 4})}), "ONNX Transpose-25: data's axes in the order 0, 2, 1");
    EXPECT_EQ(equation(Slice{.starts = {-1}, .ends = {-9}, .axes = {1}, .steps = {-2}}, {f32({2, 5})}),
              "ONNX Slice-13: every step-th element from start to before end\naxis 1: 3 from 4 in steps of -2");
    EXPECT_EQ(equation(Pad{.mode = PadMode::edge, .pads = {1, 2}}, {f32({3})}),
              "ONNX Pad-25, edge: out = in + begin + end\naxis 0: 6 = 3 + 1 + 2");
    EXPECT_EQ(equation(Gather{.axis = -1}, {f32({2, 5}), of(DType::int64, {3, 2})}),
              "ONNX Gather-13: along axis 1 of data, those of 5 that 6 indices name");
    EXPECT_EQ(equation(Expand{.shape = {4, 1}}, {f32({3})}), "ONNX Expand-13: input broadcast to float[4,3]");
    EXPECT_EQ(equation(Tile{.repeats = {4, 1}}, {f32({3, 2})}),
              "ONNX Tile-13: copies of input side by side\naxis 0: 4 times 3\naxis 1: 1 times 2");
    EXPECT_EQ(equation(SpaceToDepth{.blocksize = 2}, {f32({1, 1, 2, 2})}), "ONNX SpaceToDepth-28, DCR: blocks of 2 x 2");
    EXPECT_EQ(equation(GatherElements{.axis = -1}, {f32({2, 5}), of(DType::int64, {2, 3})}),
              "ONNX GatherElements-13: along axis 1 of data, at each place the one of 5 that the index there names");
    EXPECT_EQ(equation(GatherND{.batch_dims = 1}, {f32({2, 5, 3, 4}), of(DType::int64, {2, 7, 2})}),
              "ONNX GatherND-13: of each of 2 batches of data, the 4 elements at the 2 coordinates of each of 7 indices");
    EXPECT_EQ(equation(Split{.num_outputs = 2}, {f32({5})}), "ONNX Split-18: 2 parts along axis 0, of 3, 2");
}

TEST(Move, KeepsALayoutThatItsAxesKeep)
{
    const TensorDesc nxc = {DType::float32, {1, 4, 4, 3}, Layout::nxc};
    EXPECT_EQ(infer(Pad{.pads = {0, 1, 1, 0, 0, 1, 1, 0}}, std::vector{nxc})->front().layout, Layout::nxc);
    EXPECT_EQ(infer(Concat{.axis = 3}, std::vector{nxc, nxc})->front().layout, Layout::nxc);
    EXPECT_EQ(infer(Transpose{.perm = {0, 3, 1, 2}}, std::vector{nxc})->front().layout, Layout::ncx);
    EXPECT_EQ(infer(Gather{.axis = 1}, std::vector{nxc, of(DType::int64, {2})})->front(), of(DType::float32, {1, 2, 4, 3}));
    EXPECT_EQ(infer(GatherElements{}, std::vector{nxc, of(DType::int64, {1, 4, 4, 3})})->front(),
              of(DType::float32, {1, 4, 4, 3}));
    EXPECT_EQ(infer(GatherND{}, std::vector{nxc, of(DType::int64, {2, 1})})->front(), of(DType::float32, {2, 4, 4, 3}));
    EXPECT_EQ(infer(DepthToSpace{.blocksize = 1}, std::vector{nxc}).message(), "DepthToSpace: input.layout must be NCX");
}

// ---- on the host

std::vector<std::span<const std::byte>> views_of(const std::vector<std::vector<std::byte>>& data)
{
    return {data.begin(), data.end()};
}

TEST(Evaluate, RandomMovesAsTheReference)
{
    kit::Draw draw(kit::test_seed(1));
    int compared = 0;
    for (int run = 0; run < 400 && !HasFailure(); ++run) {
        const kit::Case problem = run % 3 == 0   ? kit::draw_gather(draw)
                                  : run % 3 == 1 ? kit::draw_scatter(draw)
                                                 : kit::draw_move(draw);
        const Result<kit::Resolution> expected = resolve(problem);
        // The fill of integers keeps indices on their axis.
        const bool indexed = run % 3 != 2;
        const std::vector<kit::RealTensor> inputs = fill_inputs(problem, indexed ? kit::Fill::integers : kit::Fill::reals);
        std::vector<std::vector<std::byte>> data;
        for (const kit::RealTensor& input : inputs)
            data.push_back(bits(input.desc.dtype) < 8 ? std::vector<std::byte>() : kit::encoded(input));
        const auto outputs = evaluate(problem.attributes, problem.inputs, views_of(data));
        const bool only_on_devices = outputs.message().ends_with("it is computed on devices only") ||
                                     outputs.message().ends_with("is an index into an axis that has no elements");
        ASSERT_EQ(outputs.ok() || only_on_devices, expected.ok()) << kit::to_string(problem) << "\n"
                                                                  << outputs.message() << draw.repeat();
        if (!outputs || !expected)
            continue;
        ++compared;
        const std::vector<TensorDesc> descs = outputs_of(*expected);
        ASSERT_EQ(outputs->size(), descs.size());
        for (size_t i = 0; i < descs.size(); ++i) {
            const std::vector<int64_t> all = kit::sample_of(descs[i], INT64_MAX);
            const auto answers = kit::reference(problem, inputs, all, i);
            ASSERT_TRUE(answers);
            kit::RealTensor wanted = {.desc = descs[i]};
            for (const kit::Answer& answer : *answers)
                wanted.words.push_back(*answer.word);
            EXPECT_TRUE(outputs->at(i) == kit::encoded(wanted)) << kit::to_string(problem) << "\n" << draw.repeat();
        }
    }
    EXPECT_GT(compared, 250);
}

TEST(Evaluate, RefusesIndicesBeyondTheAxis)
{
    const auto sentence = [](DType dtype, auto index) {
        const std::vector<TensorDesc> inputs = {of(DType::uint8, {3, 1}), of(dtype, {1})};
        std::vector<std::vector<std::byte>> data = {std::vector<std::byte>(3), std::vector<std::byte>(sizeof index)};
        std::memcpy(data[1].data(), &index, sizeof index);
        return std::string(evaluate(Gather{}, inputs, views_of(data)).message());
    };
    EXPECT_EQ(sentence(DType::int64, int64_t(2)), "");
    EXPECT_EQ(sentence(DType::int32, int32_t(-3)), "");
    EXPECT_EQ(sentence(DType::int64, int64_t(3)), "Gather: indices[0] = 3 must be in [-3, 2]");
    EXPECT_EQ(sentence(DType::int64, int64_t(1) << 32), "Gather: indices[0] = 4294967296 must be in [-3, 2]");
    EXPECT_EQ(sentence(DType::int32, int32_t(-4)), "Gather: indices[0] = -4 must be in [-3, 2]");
    const std::vector<TensorDesc> nothing = {of(DType::uint8, {0}), of(DType::int32, {1})};
    const std::vector<std::vector<std::byte>> zero = {{}, std::vector<std::byte>(4)};
    EXPECT_EQ(evaluate(Gather{}, nothing, views_of(zero)).message(),
              "Gather: indices[0] = 0 is an index into an axis that has no elements");
    EXPECT_EQ(evaluate(GatherElements{}, nothing, views_of(zero)).message(),
              "GatherElements: indices[0] = 0 is an index into an axis that has no elements");
    const std::vector<TensorDesc> scattered = {of(DType::uint8, {3}), of(DType::int32, {1}), of(DType::uint8, {1})};
    const std::vector<std::vector<std::byte>> beyond = {
        std::vector<std::byte>(3), {std::byte(3), {}, {}, {}}, std::vector<std::byte>(1)};
    EXPECT_EQ(evaluate(ScatterElements{}, scattered, views_of(beyond)).message(),
              "ScatterElements: indices[0] = 3 must be in [-3, 2]");
}

// Each coordinate of an index belongs to an axis of its own.
TEST(Evaluate, RefusesCoordinatesBeyondTheirAxis)
{
    const std::vector<TensorDesc> inputs = {of(DType::uint8, {3, 2}), of(DType::int64, {2, 2})};
    const auto sentence = [&](const std::vector<int64_t>& indices) {
        const auto bytes = std::as_bytes(std::span(indices));
        const std::vector<std::vector<std::byte>> data = {std::vector<std::byte>(6), {bytes.begin(), bytes.end()}};
        return std::string(evaluate(GatherND{}, inputs, views_of(data)).message());
    };
    EXPECT_EQ(sentence({2, 1, -3, -2}), "");
    EXPECT_EQ(sentence({2, 1, 0, 2}), "GatherND: indices[3] = 2 must be in [-2, 1]");
    EXPECT_EQ(sentence({2, 1, 3, 0}), "GatherND: indices[2] = 3 must be in [-3, 2]");
}

TEST(Evaluate, RefusesInOneSentence)
{
    const std::vector<TensorDesc> one = {of(DType::int64, {2})};
    const std::vector<std::vector<std::byte>> short_data = {std::vector<std::byte>(15)};
    EXPECT_EQ(evaluate(Transpose{}, one, views_of(short_data)).message(), "Transpose: data[0] has 15 bytes, int64[2] needs 16");
    EXPECT_EQ(evaluate(Transpose{}, one, {}).message(), "Transpose: data has 0 entries, but there are 1 inputs");
    const std::vector<TensorDesc> real = {f32({2})};
    const std::vector<std::vector<std::byte>> data = {std::vector<std::byte>(8)};
    const auto relu = evaluate(Elementwise{.kind = ElementwiseKind::relu}, real, views_of(data));
    EXPECT_EQ(relu.code(), Code::unsupported);
    EXPECT_EQ(relu.message(), "Relu: it is computed on devices only");
}

TEST(Evaluate, ShapesAndIntegers)
{
    const std::vector<TensorDesc> any = {of(DType::boolean, {2, 7})};
    const auto shape = evaluate(Shape{}, any, views_of({std::vector<std::byte>(14)}));
    ASSERT_TRUE(shape) << shape.message();
    const int64_t dims[] = {2, 7};
    EXPECT_EQ(std::memcmp(shape->front().data(), dims, sizeof dims), 0);

    const int32_t a[] = {7, -7};
    const int32_t b[] = {0, 2, -1};
    const auto bytes = [](const auto& list) { return std::as_bytes(std::span(list)); };
    const std::vector<TensorDesc> two = {of(DType::int32, {2, 1}), of(DType::int32, {3})};
    const std::span<const std::byte> given[] = {bytes(a), bytes(b)};
    const auto quotients = evaluate(Elementwise{.kind = ElementwiseKind::div}, two, given);
    ASSERT_TRUE(quotients) << quotients.message();
    const int32_t expected[] = {0, 3, -7, 0, -3, 7};
    EXPECT_EQ(quotients->front().size(), sizeof expected);
    EXPECT_EQ(std::memcmp(quotients->front().data(), expected, sizeof expected), 0);
}

// Sums and products wrap. Of no elements they are 0 and 1, and the greatest is the type's least number.
TEST(Evaluate, ReductionsOfIntegers)
{
    const auto reduced = [](const Operator& op, const TensorDesc& x, const auto& elements) {
        const std::vector<TensorDesc> one = {x};
        const std::span<const std::byte> given[] = {std::as_bytes(std::span(elements))};
        const auto made = evaluate(op, one, given);
        EXPECT_TRUE(made) << made.message();
        auto values = elements;
        values.resize(made ? made->front().size() / sizeof(values[0]) : 0);
        if (!values.empty())
            std::memcpy(values.data(), made->front().data(), made->front().size());
        return values;
    };
    using Wide = std::vector<int64_t>;
    using Narrow = std::vector<int32_t>;
    const TensorDesc wide = of(DType::int64, {2, 3}), narrow = of(DType::int32, {2, 2, 2}), none = of(DType::int32, {0, 2});
    EXPECT_EQ(reduced(ReduceProd{.axes = {1}}, wide, Wide{2, 3, 4, -5, 6, int64_t(1) << 62}), (Wide{24, int64_t(1) << 63}));
    EXPECT_EQ(reduced(ReduceSum{.axes = {0}, .keepdims = 0}, wide, Wide{1, 2, 3, 10, 20, 30}), (Wide{11, 22, 33}));
    EXPECT_EQ(reduced(ReduceSum{}, wide, Wide{1, 2, 3, 10, 20, 30}), Wide{66});
    EXPECT_EQ(reduced(ReduceMax{.axes = {0, 2}}, narrow, Narrow{1, -2, 3, 4, -7, 0, 9, 2}), (Narrow{1, 9}));
    EXPECT_EQ(reduced(ReduceMin{.axes = {1}}, narrow, Narrow{1, -2, 3, 4, -7, 0, 9, 2}), (Narrow{1, -2, -7, 0}));
    EXPECT_EQ(reduced(ReduceProd{.axes = {0}}, narrow, Narrow{1 << 30, 1, 1, 1, 6, 2, 3, 4}), (Narrow{INT32_MIN, 2, 3, 4}));
    EXPECT_EQ(reduced(ReduceSum{.axes = {0}}, none, Narrow()), (Narrow{0, 0}));
    EXPECT_EQ(reduced(ReduceProd{.axes = {0}}, none, Narrow()), (Narrow{1, 1}));
    EXPECT_EQ(reduced(ReduceMax{.axes = {0}}, none, Narrow()), (Narrow{INT32_MIN, INT32_MIN}));
    EXPECT_EQ(reduced(ReduceMin{.axes = {0}}, none, Narrow()), (Narrow{INT32_MAX, INT32_MAX}));
    EXPECT_EQ(reduced(ReduceSum{.noop_with_empty_axes = 1}, wide, Wide{1, 2, 3, 4, 5, 6}), (Wide{1, 2, 3, 4, 5, 6}));
}

// Returns the values, of the type F, as elements of the type T that Cast makes of them.
template <class T, class F>
std::vector<T> cast_to(DType to, DType from, const std::vector<F>& values)
{
    const std::vector<TensorDesc> one = {of(from, {int64_t(values.size())})};
    const std::span<const std::byte> given[] = {std::as_bytes(std::span(values))};
    const auto made = evaluate(Cast{.to = int64_t(to)}, one, given);
    EXPECT_TRUE(made) << made.message();
    std::vector<T> elements(values.size());
    if (made && made->front().size() == elements.size() * sizeof(T))
        std::memcpy(elements.data(), made->front().data(), made->front().size());
    return elements;
}

TEST(Evaluate, Casts)
{
    constexpr int64_t least = INT64_MIN;
    constexpr float inf = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> reals = {-2.7f, 2.7f, -0.0f, 0x1p31f, -0x1p31f, 0x1p63f, -0x1p63f, 0x1.fffffep30f, inf, nan};
    EXPECT_EQ(cast_to<int64_t>(DType::int64, DType::float32, reals),
              (std::vector<int64_t>{-2, 2, 0, int64_t{1} << 31, -(int64_t{1} << 31), least, least, 0x7fffff80, least, least}));
    EXPECT_EQ(cast_to<int32_t>(DType::int32, DType::float32, reals),
              (std::vector<int32_t>{-2, 2, 0, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN, 0x7fffff80, INT32_MIN, INT32_MIN}));
    EXPECT_EQ(cast_to<uint8_t>(DType::boolean, DType::float32, reals), (std::vector<uint8_t>{1, 1, 0, 1, 1, 1, 1, 1, 1, 1}));
    const std::vector<int64_t> wide = {0, -1, int64_t{1} << 32, (int64_t{1} << 24) + 1, (int64_t{1} << 24) + 3};
    EXPECT_EQ(cast_to<int32_t>(DType::int32, DType::int64, wide), (std::vector<int32_t>{0, -1, 0, 0x1000001, 0x1000003}));
    EXPECT_EQ(cast_to<float>(DType::float32, DType::int64, wide), (std::vector<float>{0, -1, 0x1p32f, 0x1p24f, 0x1.000004p24f}))
        << "ties to even";
    EXPECT_EQ(cast_to<uint8_t>(DType::boolean, DType::int64, wide), (std::vector<uint8_t>{0, 1, 1, 1, 1}));
    EXPECT_EQ(cast_to<int64_t>(DType::int64, DType::int32, std::vector<int32_t>{-7, 7}), (std::vector<int64_t>{-7, 7}));
    EXPECT_EQ(cast_to<float>(DType::float32, DType::boolean, std::vector<uint8_t>{0, 1, 2}), (std::vector<float>{0, 1, 1}));
    EXPECT_EQ(cast_to<int64_t>(DType::int64, DType::boolean, std::vector<uint8_t>{0, 1}), (std::vector<int64_t>{0, 1}));
    EXPECT_EQ(cast_to<int64_t>(DType::int64, DType::int64, wide), wide);
    const std::vector<TensorDesc> one = {f32({1})};
    const std::vector<std::vector<std::byte>> data = {std::vector<std::byte>(4)};
    EXPECT_EQ(evaluate(Cast{.to = int64_t(DType::float16)}, one, views_of(data)).message(),
              "Cast: it is computed on devices only");
}

}  // namespace
}  // namespace vkonnx::ops
