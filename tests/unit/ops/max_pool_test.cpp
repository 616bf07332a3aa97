#include "expect.h"

namespace vkonnx::ops {

namespace {

}  // namespace

TEST(MaxPoolOps, EveryAttributeReachesItsAxis)
{
    const auto geometry = resolve(MaxPool{.kernel_shape = {3, 2},
                                          .strides = {2, 5},
                                          .dilations = {3, 4},
                                          .pads = {1, 2, 3, 0},
                                          .storage_order = 1,
                                          .outputs = 2},
                                  std::vector<TensorDesc>{{DType::int8, {2, 3, 8, 13}}});
    ASSERT_TRUE(geometry.ok()) << geometry.message();
    const std::vector<Axis> expected = {
        {.in = 8, .out = 3, .kernel = 3, .stride = 2, .dilation = 3, .begin = 1, .end = 3},  // (12 - 7) / 2 + 1
        {.in = 13, .out = 3, .kernel = 2, .stride = 5, .dilation = 4, .begin = 2, .end = 0}};
    EXPECT_EQ(geometry->axes, expected);
    EXPECT_EQ(geometry->dtype, DType::int8);
    EXPECT_EQ(geometry->batch, 2);
    EXPECT_EQ(geometry->channels, 3);
    EXPECT_TRUE(geometry->column_major);
    EXPECT_EQ(outputs_of(*geometry), (std::vector<TensorDesc>{{DType::int8, {2, 3, 3, 3}}, {DType::int64, {2, 3, 3, 3}}}));
    EXPECT_EQ(geometry->equation.find("ONNX MaxPool-22, explicit pads: out = floor(("), 0u) << geometry->equation;
}

TEST(MaxPoolOps, DefaultsInEveryVersion)
{
    const std::vector<std::pair<int64_t, int>> table = {{1, 1},   {7, 1},   {8, 8},   {9, 8},   {10, 10},
                                                        {11, 11}, {12, 12}, {21, 12}, {22, 22}, {99, 22}};
    for (const auto& [opset, version] : table) {
        const auto geometry = resolve(MaxPool{.opset = opset, .kernel_shape = {2}}, line(5));
        ASSERT_TRUE(geometry) << geometry.message();
        EXPECT_EQ(geometry->equation.find("ONNX MaxPool-" + std::to_string(version) + ","), 0u) << opset;
        EXPECT_FALSE(geometry->column_major);
        EXPECT_EQ(outputs_of(*geometry), (std::vector<TensorDesc>{{DType::float32, {1, 1, 4}}}));
    }
}

TEST(MaxPoolOps, IndicesFollowTheLayout)
{
    const std::vector<TensorDesc> inputs = {{DType::float16, {2, 5, 7, 3}, Layout::nxc}};
    const auto outputs = infer(MaxPool{.kernel_shape = {2, 3}, .outputs = 2}, inputs);
    ASSERT_TRUE(outputs) << outputs.message();
    EXPECT_EQ(*outputs,
              (std::vector<TensorDesc>{{DType::float16, {2, 4, 5, 3}, Layout::nxc}, {DType::int64, {2, 4, 5, 3}, Layout::nxc}}));
}

TEST(MaxPoolOps, ValidIgnoresCeilModeUnlessOnnxRuntimeIsFollowed)
{
    const auto out = [](Rules rules) {
        const auto geometry = resolve(
            MaxPool{.rules = rules, .auto_pad = AutoPad::valid, .kernel_shape = {3}, .strides = {2}, .ceil_mode = 1}, line(6));
        return geometry ? geometry->axes[0].out : -1;
    };
    EXPECT_EQ(out(Rules::specification), 2);
    EXPECT_EQ(out(Rules::onnxruntime), 3);
}

TEST(MaxPoolOps, RefusesWhatAVersionLacks)
{
    const std::vector<int64_t> two = {2};
    expect_refused(
        Refusal<MaxPool>{{.opset = 9, .kernel_shape = two, .dilations = {1}},
                         line(5),
                         "MaxPool: dilations must not be given: it exists from version 10, and opset 9 means version 8"});
    expect_refused(
        Refusal<MaxPool>{{.opset = 8, .kernel_shape = two, .ceil_mode = 0},
                         line(5),
                         "MaxPool: ceil_mode must not be given: it exists from version 10, and opset 8 means version 8"});
    expect_refused(
        Refusal<MaxPool>{{.opset = 7, .kernel_shape = two, .storage_order = 0},
                         line(5),
                         "MaxPool: storage_order must not be given: it exists from version 8, and opset 7 means version 1"});
    expect_refused(
        Refusal<MaxPool>{{.opset = 7, .kernel_shape = two, .outputs = 2},
                         line(5),
                         "MaxPool: output Indices must not be given: it exists from version 8, and opset 7 means version 1"});
    expect_refused(Refusal<MaxPool>{{.opset = 11, .kernel_shape = two},
                                    line(5, DType::uint8),
                                    "MaxPool: X has type uint8, which exists from version 12, and opset 11 means version 11"});
    expect_refused(Refusal<MaxPool>{{.opset = 21, .kernel_shape = two},
                                    line(5, DType::bfloat16),
                                    "MaxPool: X has type bfloat16, which exists from version 22, and opset 21 means version 12"});
}

TEST(MaxPoolOps, RefusesInOneSentence)
{
    const std::vector<int64_t> two = {2};
    expect_refused(Refusal<MaxPool>{{.kernel_shape = two, .ceil_mode = 2}, line(5), "MaxPool: ceil_mode = 2 must be 0 or 1"});
    expect_refused(
        Refusal<MaxPool>{{.kernel_shape = two, .storage_order = -1}, line(5), "MaxPool: storage_order = -1 must be 0 or 1"});
    expect_refused(Refusal<MaxPool>{{.kernel_shape = two, .outputs = 0}, line(5), "MaxPool: outputs = 0 must be 1 or 2"});
    expect_refused(Refusal<MaxPool>{{.kernel_shape = two, .outputs = 3}, line(5), "MaxPool: outputs = 3 must be 1 or 2"});
    expect_refused(Refusal<MaxPool>{{.kernel_shape = two}, {}, "MaxPool: expects 1 input, but 0 are given"});
    expect_refused(Refusal<MaxPool>{
        {.kernel_shape = two}, line(5, DType::int32), "MaxPool: X has type int32, which no version of the operator accepts"});
    expect_refused(Refusal<MaxPool>{{.opset = 0, .kernel_shape = two}, line(5), "MaxPool: opset = 0 must be at least 1"});
}

}  // namespace vkonnx::ops
