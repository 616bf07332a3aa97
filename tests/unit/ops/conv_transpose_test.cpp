#include <algorithm>

#include "expect.h"

namespace vkonnx::ops {

namespace {

std::vector<TensorDesc> line(int64_t in, int64_t kernel)
{
    return {{DType::float32, {1, 1, in}}, {DType::float32, {1, 1, kernel}}};
}

Sizes sizes(const ConvTranspose& attributes, int64_t in, int64_t kernel)
{
    const auto geometry = resolve(attributes, line(in, kernel));
    return geometry ? sizes_of(geometry->axes[0]) : Sizes();
}

std::string equation(const ConvTranspose& attributes)
{
    const auto geometry = resolve(attributes, line(3, 3));
    return geometry ? geometry->equation : std::string(geometry.message());
}

constexpr std::array<int64_t, 3> conv_transpose_opsets = {1, 11, 22};

}  // namespace

TEST(ConvTransposeOps, DefaultsAndChannels)
{
    const std::vector<TensorDesc> inputs = {
        {DType::float16, {2, 6, 5, 7}}, {DType::float16, {6, 4, 3, 2}}, {DType::float16, {12}}};
    const auto geometry = resolve(ConvTranspose{.group = 3}, inputs);
    ASSERT_TRUE(geometry.ok()) << geometry.message();
    EXPECT_EQ(geometry->dtype, DType::float16);
    EXPECT_EQ(geometry->batch, 2);
    EXPECT_EQ(geometry->channels_in, 6);
    EXPECT_EQ(geometry->channels_out, 12);
    EXPECT_EQ(geometry->group, 3);
    EXPECT_TRUE(geometry->bias);
    const std::vector<Axis> expected = {{.in = 5, .out = 7, .kernel = 3}, {.in = 7, .out = 8, .kernel = 2}};
    EXPECT_EQ(geometry->axes, expected);
    EXPECT_EQ(output_of(*geometry), (TensorDesc{DType::float16, {2, 12, 7, 8}}));
    EXPECT_EQ(*infer(ConvTranspose{.group = 3}, inputs), (std::vector<TensorDesc>{{DType::float16, {2, 12, 7, 8}}}));

    const auto without_bias = resolve(ConvTranspose{.group = 3}, std::span(inputs).first(2));
    ASSERT_TRUE(without_bias.ok());
    EXPECT_FALSE(without_bias->bias);
}

TEST(ConvTransposeOps, EveryAttributeReachesItsAxis)
{
    const auto geometry = resolve(
        ConvTranspose{
            .kernel_shape = {3, 2}, .strides = {2, 5}, .dilations = {3, 4}, .pads = {1, 2, 3, 0}, .output_padding = {2, 4}},
        std::vector<TensorDesc>{{DType::float32, {1, 1, 4, 6}}, {DType::float32, {1, 1, 3, 2}}});
    ASSERT_TRUE(geometry.ok()) << geometry.message();
    const std::vector<Axis> expected = {
        {.in = 4, .out = 6 + 2 + 7 - 4, .kernel = 3, .stride = 2, .dilation = 3, .begin = 1, .end = 3},
        {.in = 6, .out = 25 + 4 + 5 - 2, .kernel = 2, .stride = 5, .dilation = 4, .begin = 2, .end = 0}};
    EXPECT_EQ(geometry->axes, expected);
}

TEST(ConvTransposeOps, VersionFollowsFromTheOpset)
{
    const std::vector<std::pair<int64_t, int>> table = {{1, 1},   {2, 1},   {10, 1},  {11, 11}, {12, 11},
                                                        {21, 11}, {22, 22}, {25, 22}, {26, 22}, {huge, 22}};
    for (const auto& [opset, version] : table)
        EXPECT_EQ(equation({.opset = opset}).rfind("ONNX ConvTranspose-" + std::to_string(version) + ",", 0), 0u) << opset;
    expect_refused(Refusal<ConvTranspose>{{.opset = 0}, line(3, 3), "ConvTranspose: opset = 0 must be at least 1"});
    expect_refused(Refusal<ConvTranspose>{{.opset = -7}, line(3, 3), "ConvTranspose: opset = -7 must be at least 1"});
}

TEST(ConvTransposeOps, TypesOfEveryVersion)
{
    for (const int64_t opset : conv_transpose_opsets)
        for (int number = 0; number <= 27; ++number) {
            const auto dtype = DType(number);
            const bool accepted = dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16 ||
                                  (dtype == DType::bfloat16 && opset == 22);
            const auto geometry =
                resolve(ConvTranspose{.opset = opset}, std::vector<TensorDesc>{{dtype, {1, 1, 3}}, {dtype, {1, 1, 3}}});
            EXPECT_EQ(geometry.ok(), accepted) << name(dtype) << " at " << opset;
        }
    const std::vector<TensorDesc> bfloats = {{DType::bfloat16, {1, 1, 3}}, {DType::bfloat16, {1, 1, 3}}};
    const std::vector<TensorDesc> ints = {{DType::int32, {1, 1, 3}}, {DType::int32, {1, 1, 3}}};
    expect_refused(Refusal<ConvTranspose>{
        {.opset = 21},
        bfloats,
        "ConvTranspose: X has type bfloat16, which exists from version 22, and opset 21 means version 11"});
    expect_refused(Refusal<ConvTranspose>{{}, ints, "ConvTranspose: X has type int32, which no version of the operator accepts"});
}

TEST(ConvTransposeOps, OneTypeForAllInputs)
{
    const TensorDesc x = {DType::float32, {1, 1, 3}};
    const TensorDesc half = {DType::float16, {1, 1, 3}};
    expect_refused(Refusal<ConvTranspose>{{}, {x, half}, "ConvTranspose: W has type float16, but must have X's type float"});
    expect_refused(Refusal<ConvTranspose>{
        {}, {x, x, {DType::float64, {1}}}, "ConvTranspose: B has type double, but must have X's type float"});
}

TEST(ConvTransposeOps, InputsAreChecked)
{
    const TensorDesc x = {DType::float32, {1, 4, 5}};
    const TensorDesc w = {DType::float32, {4, 3, 2}};
    const auto f = [](std::vector<int64_t> dims) { return TensorDesc{DType::float32, std::move(dims)}; };
    const Refusal<ConvTranspose> table[] = {
        {{}, {}, "ConvTranspose: expects 2 or 3 inputs, but 0 are given"},
        {{}, {x}, "ConvTranspose: expects 2 or 3 inputs, but 1 is given"},
        {{}, {x, w, w, w}, "ConvTranspose: expects 2 or 3 inputs, but 4 are given"},
        {{}, {f({}), w}, "ConvTranspose: X has rank 0, but 3 to 8 is expected: N, C and 1 to 6 spatial axes"},
        {{}, {f({1, 4}), f({4, 3})}, "ConvTranspose: X has rank 2, but 3 to 8 is expected: N, C and 1 to 6 spatial axes"},
        {{},
         {f({1, 4, 1, 1, 1, 1, 1, 1, 1}), w},
         "ConvTranspose: X has rank 9, but 3 to 8 is expected: N, C and 1 to 6 spatial axes",
         Code::unsupported},
        {{}, {x, f({4, 3, 2, 2})}, "ConvTranspose: W has rank 4, but must have X's rank 3"},
        {{}, {f({1, 4, -5}), w}, "ConvTranspose: X.dims[2] = -5 must be at least 0"},
        {{}, {x, f({4, -3, 2})}, "ConvTranspose: W.dims[1] = -3 must be at least 0"},
        {{}, {x, w, f({-1})}, "ConvTranspose: B.dims[0] = -1 must be at least 0"},
        {{}, {x, f({3, 3, 2})}, "ConvTranspose: W.dims[0] = 3 must equal X.dims[1] = 4"},
        {{}, {x, f({4, 3, 0})}, "ConvTranspose: W.dims[2] = 0 must be at least 1"},
        {{}, {x, w, f({4})}, "ConvTranspose: B.dims[0] = 4 must equal M = W.dims[1] * group = 3"},
        {{.group = 2}, {x, w, f({3})}, "ConvTranspose: B.dims[0] = 3 must equal M = W.dims[1] * group = 6"},
        {{}, {x, w, f({1, 3})}, "ConvTranspose: B has rank 2, but must have 1"},
        {{.group = 0}, {x, w}, "ConvTranspose: group = 0 must be at least 1"},
        {{.group = -2}, {x, w}, "ConvTranspose: group = -2 must be at least 1"},
        {{.group = 3}, {x, w}, "ConvTranspose: X.dims[1] = 4 must be a multiple of group = 3"},
    };
    for (const Refusal<ConvTranspose>& refusal : table)
        expect_refused(refusal);
}

TEST(ConvTransposeOps, ListsAreChecked)
{
    const std::vector<TensorDesc> plane = {{DType::float32, {1, 1, 5, 5}}, {DType::float32, {1, 1, 3, 2}}};
    const Refusal<ConvTranspose> table[] = {
        {{.kernel_shape = {3}}, plane, "ConvTranspose: kernel_shape has 1 entry, but 2 must be given"},
        {{.kernel_shape = {3, 3}}, plane, "ConvTranspose: kernel_shape[1] = 3 must equal W.dims[3] = 2"},
        {{.kernel_shape = {0, 2}}, plane, "ConvTranspose: kernel_shape[0] = 0 must be at least 1"},
        {{.strides = {1, 1, 1}}, plane, "ConvTranspose: strides has 3 entries, but 2 must be given"},
        {{.strides = {1, 0}}, plane, "ConvTranspose: strides[1] = 0 must be at least 1"},
        {{.dilations = {1}}, plane, "ConvTranspose: dilations has 1 entry, but 2 must be given"},
        {{.dilations = {-1, 1}}, plane, "ConvTranspose: dilations[0] = -1 must be at least 1"},
        {{.pads = {0, 0}}, plane, "ConvTranspose: pads has 2 entries, but 4 must be given"},
        {{.pads = {0, 0, 0, -1}}, plane, "ConvTranspose: pads[3] = -1 must be at least 0"},
        {{.output_padding = {0}}, plane, "ConvTranspose: output_padding has 1 entry, but 2 must be given"},
        {{.output_padding = {0, -1}}, plane, "ConvTranspose: output_padding[1] = -1 must be at least 0"},
        {{.output_shape = {9, 9, 9}},
         plane,
         "ConvTranspose: output_shape has 3 entries, but 2 spatial extents must be given, or 4 with N and M in front"},
        {{.output_shape = {9, 0}}, plane, "ConvTranspose: output_shape[1] = 0 must be at least 1"},
        {{.output_shape = {1, 1, 9, -4}}, plane, "ConvTranspose: output_shape[3] = -4 must be at least 1"},
        {{.output_shape = {2, 1, 9, 9}}, plane, "ConvTranspose: output_shape[0] = 2 must equal N = 1"},
        {{.output_shape = {1, 3, 9, 9}}, plane, "ConvTranspose: output_shape[1] = 3 must equal M = 1"},
        {{.auto_pad = AutoPad(4)}, plane, "ConvTranspose: auto_pad = 4 must be one of NOTSET, SAME_UPPER, SAME_LOWER, VALID"},
    };
    for (Refusal<ConvTranspose> refusal : table)
        for (const Rules rules : both_rules) {
            refusal.attributes.rules = rules;
            expect_refused(refusal);
        }
}

TEST(ConvTransposeOps, KernelShapeIsInferredOrRepeated)
{
    for (const std::vector<int64_t>& kernel_shape : {std::vector<int64_t>{}, std::vector<int64_t>{4}})
        EXPECT_EQ(sizes({.kernel_shape = kernel_shape}, 3, 4), (Sizes{6, 0, 0}));
}

// The size is natural - begin - end, in every version and under both rules.
TEST(ConvTransposeOps, ExplicitPads)
{
    for (const int64_t opset : conv_transpose_opsets)
        for (const Rules rules : both_rules) {
            ConvTranspose attributes = {.opset = opset, .rules = rules, .strides = {2}, .dilations = {2}};
            EXPECT_EQ(sizes(attributes, 3, 3), (Sizes{9, 0, 0}));
            attributes.pads = {1, 3};
            EXPECT_EQ(sizes(attributes, 3, 3), (Sizes{5, 1, 3}));
            attributes.output_padding = {1};
            EXPECT_EQ(sizes(attributes, 3, 3), (Sizes{6, 1, 3}));
        }
}

TEST(ConvTransposeOps, PadsExcludeOtherAutoPads)
{
    const auto sentence = [](const char* word) {
        return "ConvTranspose: auto_pad = " + std::string(word) + " must be NOTSET when pads is given";
    };
    for (const int64_t opset : conv_transpose_opsets)
        for (const std::vector<int64_t>& pads : {std::vector<int64_t>{0, 0}, std::vector<int64_t>{1, 2}})
            for (const std::vector<int64_t>& output_shape : {std::vector<int64_t>{}, std::vector<int64_t>{5}}) {
                ConvTranspose attributes = {.opset = opset, .pads = pads, .output_shape = output_shape};
                attributes.auto_pad = AutoPad::same_upper;
                expect_refused(Refusal<ConvTranspose>{attributes, line(3, 3), sentence("SAME_UPPER")});
                attributes.auto_pad = AutoPad::same_lower;
                expect_refused(Refusal<ConvTranspose>{attributes, line(3, 3), sentence("SAME_LOWER")});
                attributes.auto_pad = AutoPad::valid;
                expect_refused(Refusal<ConvTranspose>{attributes, line(3, 3), sentence("VALID")});
            }
}

TEST(ConvTransposeOps, OnnxRuntimeLetsAutoPadWinOverPads)
{
    for (const int64_t opset : conv_transpose_opsets) {
        ConvTranspose attributes = {.opset = opset, .rules = Rules::onnxruntime, .strides = {2}, .pads = {1, 3}};
        attributes.auto_pad = AutoPad::same_upper;  // natural 7, in*s 6
        EXPECT_EQ(sizes(attributes, 3, 3), (Sizes{6, 0, 1}));
        attributes.auto_pad = AutoPad::same_lower;
        EXPECT_EQ(sizes(attributes, 3, 3), (Sizes{6, 1, 0}));
        attributes.auto_pad = AutoPad::valid;
        EXPECT_EQ(sizes(attributes, 3, 3), (Sizes{3, 1, 3}));
        attributes.output_shape = {5};
        EXPECT_EQ(sizes(attributes, 3, 3), (Sizes{5, 1, 1}));
        attributes.pads = {-1, 0};
        expect_refused(Refusal<ConvTranspose>{attributes, line(3, 3), "ConvTranspose: pads[0] = -1 must be at least 0"});
    }
}

// With in 3, k 3, s 2 and output_shape 4 natural is 7 and the total padding 3. The odd one goes to one side or the other.
TEST(ConvTransposeOps, OutputShapeSplitsAnOddTotal)
{
    const Sizes front = {4, 2, 1};
    const Sizes back = {4, 1, 2};
    for (const int64_t opset : conv_transpose_opsets)
        for (const Rules rules : both_rules)
            for (const AutoPad auto_pad : all_auto_pads) {
                const bool reversed = opset == 1 && rules == Rules::specification;
                const bool upper = auto_pad == AutoPad::same_upper;
                EXPECT_EQ(
                    sizes({.opset = opset, .rules = rules, .auto_pad = auto_pad, .strides = {2}, .output_shape = {4}}, 3, 3),
                    upper != reversed ? back : front)
                    << label(auto_pad, rules, opset);
            }
    // These are the worked examples, in the page's words.
    EXPECT_EQ(sizes({.opset = 11, .strides = {2}, .output_shape = {4}}, 3, 3), (Sizes{4, 2, 1}));
    EXPECT_EQ(sizes({.opset = 1, .strides = {2}, .output_shape = {4}}, 3, 3), (Sizes{4, 1, 2}));
}

TEST(ConvTransposeOps, OutputShapeIgnoresExplicitPadsAndCountsOutputPadding)
{
    for (const int64_t opset : conv_transpose_opsets)
        for (const Rules rules : both_rules) {
            ConvTranspose attributes = {.opset = opset, .rules = rules, .strides = {2}, .pads = {0, 5}, .output_shape = {5}};
            EXPECT_EQ(sizes(attributes, 3, 3), (Sizes{5, 1, 1}));
            attributes.output_padding = {1};
            attributes.output_shape = {4};  // natural 8
            EXPECT_EQ(sizes(attributes, 3, 3), (Sizes{4, 2, 2}));
        }
}

// A negative total is no padding at all. Its division would round to a wrong side.
TEST(ConvTransposeOps, OutputShapeBeyondNaturalPadsNothing)
{
    for (const int64_t opset : conv_transpose_opsets)
        for (const Rules rules : both_rules)
            for (const AutoPad auto_pad : all_auto_pads)
                for (const int64_t out : {8, 9, 10, 100})
                    EXPECT_EQ(sizes({.opset = opset, .rules = rules, .auto_pad = auto_pad, .strides = {2}, .output_shape = {out}},
                                    3, 3),
                              (Sizes{out, 0, 0}))
                        << label(auto_pad, rules, opset);
}

// This is the official case test_convtranspose_output_shape.
TEST(ConvTransposeOps, OfficialOutputShape)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 1, 3, 3}}, {DType::float32, {1, 2, 3, 3}}};
    for (const std::vector<int64_t>& output_shape : {std::vector<int64_t>{10, 8}, std::vector<int64_t>{1, 2, 10, 8}}) {
        const auto geometry = resolve(ConvTranspose{.strides = {3, 2}, .output_shape = output_shape}, inputs);
        ASSERT_TRUE(geometry.ok()) << geometry.message();
        EXPECT_EQ(sizes_of(geometry->axes[0]), (Sizes{10, 0, 0}));
        EXPECT_EQ(sizes_of(geometry->axes[1]), (Sizes{8, 0, 0}));
        EXPECT_EQ(output_of(*geometry), (TensorDesc{DType::float32, {1, 2, 10, 8}}));
    }
}

// Only the number of entries tells N + 2 of them from n: a 1-D problem has 1 or 3, a 3-D one 3 or 5.
TEST(ConvTransposeOps, OutputShapeWithBatchAndChannels)
{
    const std::vector<TensorDesc> one = {{DType::float32, {2, 4, 3}}, {DType::float32, {4, 3, 3}}};
    const auto line_geometry = resolve(ConvTranspose{.output_shape = {2, 6, 4}, .group = 2}, one);
    ASSERT_TRUE(line_geometry.ok()) << line_geometry.message();
    EXPECT_EQ(sizes_of(line_geometry->axes[0]), (Sizes{4, 1, 0}));
    const std::vector<TensorDesc> three = {{DType::float32, {2, 1, 3, 3, 3}}, {DType::float32, {1, 1, 3, 3, 3}}};
    const auto cube = resolve(ConvTranspose{.output_shape = {5, 4, 3}}, three);
    ASSERT_TRUE(cube.ok()) << cube.message();
    EXPECT_EQ(output_of(*cube).dims, (std::vector<int64_t>{2, 1, 5, 4, 3}));
}

TEST(ConvTransposeOps, SamePadding)
{
    for (const int64_t opset : conv_transpose_opsets)
        for (const Rules rules : both_rules) {
            ConvTranspose upper = {.opset = opset, .rules = rules, .auto_pad = AutoPad::same_upper, .strides = {2}};
            ConvTranspose lower = upper;
            lower.auto_pad = AutoPad::same_lower;
            EXPECT_EQ(sizes(upper, 3, 3), (Sizes{6, 0, 1}));
            EXPECT_EQ(sizes(lower, 3, 3), (Sizes{6, 1, 0}));
            EXPECT_EQ(sizes(upper, 3, 5), (Sizes{6, 1, 2}));  // total 3
            EXPECT_EQ(sizes(lower, 3, 5), (Sizes{6, 2, 1}));
            EXPECT_EQ(sizes(upper, 3, 4), (Sizes{6, 1, 1}));
            EXPECT_EQ(sizes(lower, 3, 4), (Sizes{6, 1, 1}));
            upper.output_padding = lower.output_padding = {1};  // absorbed: out stays, and total grows to 2
            EXPECT_EQ(sizes(upper, 3, 3), (Sizes{6, 1, 1}));
            EXPECT_EQ(sizes(lower, 3, 3), (Sizes{6, 1, 1}));
            upper.dilations = lower.dilations = {2};  // K = 5, total 4
            EXPECT_EQ(sizes(upper, 3, 3), (Sizes{6, 2, 2}));
            EXPECT_EQ(sizes(lower, 3, 3), (Sizes{6, 2, 2}));
        }
}

// With in 3, k 1 and s 3, natural 7 does not reach in*s = 9.
TEST(ConvTransposeOps, SamePaddingBeyondNatural)
{
    for (const int64_t opset : conv_transpose_opsets)
        for (const AutoPad auto_pad : {AutoPad::same_upper, AutoPad::same_lower}) {
            ConvTranspose attributes = {.opset = opset, .auto_pad = auto_pad, .strides = {3}};
            EXPECT_EQ(sizes(attributes, 3, 1), (Sizes{9, 0, 0}));
            attributes.rules = Rules::onnxruntime;
            EXPECT_EQ(sizes(attributes, 3, 1), (Sizes{7, 0, 0}));
            attributes.output_padding = {1};
            EXPECT_EQ(sizes(attributes, 3, 1), (Sizes{8, 0, 0}));
        }
}

TEST(ConvTransposeOps, ValidHasNoPads)
{
    for (const int64_t opset : conv_transpose_opsets)
        for (const Rules rules : both_rules)
            EXPECT_EQ(
                sizes({.opset = opset, .rules = rules, .auto_pad = AutoPad::valid, .strides = {2}, .output_padding = {1}}, 3, 3),
                (Sizes{8, 0, 0}));
}

TEST(ConvTransposeOps, OutputPaddingLimit)
{
    for (const int64_t opset : conv_transpose_opsets)
        for (const Rules rules : both_rules) {
            const ConvTranspose by_stride = {.opset = opset, .rules = rules, .strides = {2}, .output_padding = {2}};
            const ConvTranspose by_dilation = {
                .opset = opset, .rules = rules, .strides = {2}, .dilations = {3}, .output_padding = {2}};
            const ConvTranspose beyond_both = {
                .opset = opset, .rules = rules, .strides = {2}, .dilations = {3}, .output_padding = {3}};
            EXPECT_EQ(sizes(by_dilation, 3, 2), (Sizes{10, 0, 0}));
            if (opset == 1 && rules == Rules::specification) {
                EXPECT_EQ(sizes(by_stride, 3, 2), (Sizes{8, 0, 0}));
                EXPECT_EQ(sizes(beyond_both, 3, 2), (Sizes{11, 0, 0}));
                continue;
            }
            expect_refused(Refusal<ConvTranspose>{
                by_stride, line(3, 2), "ConvTranspose: output_padding[0] = 2 must be less than max(stride 2, dilation 1)"});
            expect_refused(Refusal<ConvTranspose>{
                beyond_both, line(3, 2), "ConvTranspose: output_padding[0] = 3 must be less than max(stride 2, dilation 3)"});
        }
    expect_refused(Refusal<ConvTranspose>{{.strides = {3, 2}, .output_padding = {2, 2}},
                                          {{DType::float32, {1, 1, 5, 5}}, {DType::float32, {1, 1, 3, 3}}},
                                          "ConvTranspose: output_padding[1] = 2 must be less than max(stride 2, dilation 1)"});
}

TEST(ConvTransposeOps, AnEmptyOutputExtentIsRefused)
{
    expect_refused(
        Refusal<ConvTranspose>{{.pads = {2, 3}},
                               line(3, 3),
                               "ConvTranspose: output extent of spatial axis 0 = 0 must be at least 1 (in 3, kernel 3, stride 1, "
                               "dilation 1, pads 2 and 3)"});
    expect_refused(Refusal<ConvTranspose>{
        {.strides = {1, 2}, .pads = {0, 4, 0, 6}},
        {{DType::float32, {1, 1, 5, 3}}, {DType::float32, {1, 1, 3, 3}}},
        "ConvTranspose: output extent of spatial axis 1 = -3 must be at least 1 (in 3, kernel 3, stride 2, "
        "dilation 1, pads 4 and 6)"});
}

// With an input extent of 0 natural is -s + adj + K, which gives outputs without taps, or no output at all.
TEST(ConvTransposeOps, EmptyInputExtent)
{
    EXPECT_EQ(sizes({}, 0, 3), (Sizes{2, 0, 0}));
    EXPECT_EQ(sizes({.strides = {2}, .output_padding = {1}}, 0, 3), (Sizes{2, 0, 0}));
    EXPECT_EQ(sizes({.output_shape = {5}}, 0, 3), (Sizes{5, 0, 0}));
    EXPECT_EQ(sizes({.strides = {7}, .output_shape = {5}}, 0, 3), (Sizes{5, 0, 0}));  // natural -4, total -9
    EXPECT_EQ(sizes({.output_shape = {1}}, 0, 3), (Sizes{1, 1, 0}));
    EXPECT_EQ(sizes({}, 0, 1), Sizes());
    EXPECT_EQ(sizes({.auto_pad = AutoPad::same_upper}, 0, 3), Sizes());  // in*s = 0
    EXPECT_EQ(sizes({.rules = Rules::onnxruntime, .auto_pad = AutoPad::same_upper, .strides = {9}}, 0, 3), Sizes());
}

TEST(ConvTransposeOps, EmptyTensorsAreStillChecked)
{
    const auto f = [](std::vector<int64_t> dims) { return TensorDesc{DType::float32, std::move(dims)}; };
    const std::vector<std::vector<TensorDesc>> empties = {
        {f({0, 2, 3}), f({2, 1, 3})}, {f({1, 2, 3}), f({2, 0, 3})}, {f({1, 0, 3}), f({0, 1, 3})}};
    const std::vector<std::vector<int64_t>> outputs = {{0, 1, 5}, {1, 0, 5}, {1, 1, 5}};
    for (size_t i = 0; i < empties.size(); ++i) {
        const auto geometry = resolve(ConvTranspose{}, empties[i]);
        ASSERT_TRUE(geometry.ok()) << geometry.message();
        EXPECT_EQ(output_of(*geometry).dims, outputs[i]);
        expect_refused(Refusal<ConvTranspose>{{.strides = {0}}, empties[i], "ConvTranspose: strides[0] = 0 must be at least 1"});
        expect_refused(Refusal<ConvTranspose>{
            {.pads = {5, 0}},
            empties[i],
            "ConvTranspose: output extent of spatial axis 0 = 0 must be at least 1 (in 3, kernel 3, stride 1, "
            "dilation 1, pads 5 and 0)"});
    }
    const auto grouped = resolve(ConvTranspose{.group = 5}, empties[2]);  // 0 channels are a multiple of any group
    ASSERT_TRUE(grouped.ok()) << grouped.message();
    EXPECT_EQ(grouped->channels_out, 5);
}

TEST(ConvTransposeOps, OneToSixAxes)
{
    for (size_t n = 1; n <= max_spatial_axes; ++n) {
        TensorDesc x = {DType::float64, {1, 1}};
        TensorDesc w = {DType::float64, {1, 1}};
        ConvTranspose attributes;
        std::vector<int64_t> expected = {1, 1};
        for (size_t i = 0; i < n; ++i) {
            const auto k = int64_t(i + 1);
            x.dims.push_back(2);
            w.dims.push_back(k);
            attributes.strides.push_back(k);
            attributes.pads.push_back(0);
            expected.push_back(2 * k);
        }
        attributes.pads.resize(2 * n, 0);
        const auto geometry = resolve(attributes, std::vector<TensorDesc>{x, w});
        ASSERT_TRUE(geometry.ok()) << geometry.message();
        EXPECT_EQ(output_of(*geometry), (TensorDesc{DType::float64, expected}));
    }
}

TEST(ConvTransposeOps, OverflowIsASentence)
{
    const int64_t half = huge / 2 + 1;  // 2^62
    const auto overflow = [](int64_t in, int64_t kernel, int64_t stride, int64_t dilation, int64_t begin, int64_t end) {
        return "ConvTranspose: spatial axis 0 with in " + std::to_string(in) + ", kernel " + std::to_string(kernel) +
               ", stride " + std::to_string(stride) + ", dilation " + std::to_string(dilation) + ", pads " +
               std::to_string(begin) + " and " + std::to_string(end) + " leads to an integer beyond 64 bits";
    };
    const auto refused = [](const ConvTranspose& attributes, int64_t in, int64_t kernel, const std::string& sentence) {
        expect_refused(Refusal<ConvTranspose>{attributes, line(in, kernel), sentence, Code::unsupported});
    };
    refused({.strides = {half}}, 3, 1, overflow(3, 1, half, 1, 0, 0));
    refused({.auto_pad = AutoPad::same_upper, .strides = {half}}, 2, 1, overflow(2, 1, half, 1, 0, 0));
    refused({.rules = Rules::onnxruntime, .auto_pad = AutoPad::same_upper, .strides = {half}}, 2, 1,
            overflow(2, 1, half, 1, 0, 0));
    refused({.dilations = {half}}, 3, 3, overflow(3, 3, 1, half, 0, 0));
    refused({.opset = 1, .output_padding = {huge}}, 3, 3, overflow(3, 3, 1, 1, 0, 0));
    refused({.opset = 1, .output_padding = {huge}, .output_shape = {5}}, 3, 3, overflow(3, 3, 1, 1, 0, 0));
    refused({.pads = {huge, huge}}, 3, 3, overflow(3, 3, 1, 1, huge, huge));
    refused({}, huge, 2, overflow(huge, 2, 1, 1, 0, 0));

    // The extremes that fit give exact answers.
    EXPECT_EQ(sizes({.strides = {huge}}, 1, 1), (Sizes{1, 0, 0}));
    EXPECT_EQ(sizes({.dilations = {huge}}, 3, 1), (Sizes{3, 0, 0}));
    EXPECT_EQ(sizes({.auto_pad = AutoPad::same_upper, .strides = {huge}}, 1, 1), (Sizes{huge, 0, 0}));
    EXPECT_EQ(sizes({.output_shape = {huge}}, 3, 3), (Sizes{huge, 0, 0}));
    EXPECT_EQ(sizes({}, huge - 1, 2), (Sizes{huge, 0, 0}));

    const auto f = [](std::vector<int64_t> dims) { return TensorDesc{DType::float32, std::move(dims)}; };
    expect_refused(Refusal<ConvTranspose>{{.group = 4},
                                          {f({1, 0, 3}), f({0, half, 3})},
                                          "ConvTranspose: W.dims[1] = 4611686018427387904 times group = 4 is beyond 64 bits",
                                          Code::unsupported});
    expect_refused(Refusal<ConvTranspose>{{},
                                          {f({half, 2, 3}), f({2, 1, 3})},
                                          "ConvTranspose: X = float[4611686018427387904,2,3] has more than 2^63 - 1 elements",
                                          Code::unsupported});
    expect_refused(Refusal<ConvTranspose>{{.output_shape = {half}},
                                          {f({2, 1, 3}), f({1, 1, 3})},
                                          "ConvTranspose: Y = float[2,1,4611686018427387904] has more than 2^63 - 1 elements",
                                          Code::unsupported});
}

TEST(ConvTransposeOps, EquationsNameDocumentVersionAndRule)
{
    const std::string natural = "stride*(in - 1) + output_padding + dilated kernel";
    const std::string total = "total padding = max(" + natural + " - out, 0), split with the extra at the ";
    // The input's extent is 3, and so is the kernel.
    EXPECT_EQ(equation({}),
              "ONNX ConvTranspose-22, explicit pads: out = " + natural + " - pads\naxis 0: 5 = 1*(3 - 1) + 0 + 3 - 0");
    EXPECT_EQ(equation({.strides = {2}, .dilations = {3}, .pads = {1, 2}, .output_padding = {1}}),
              "ONNX ConvTranspose-22, explicit pads: out = " + natural + " - pads\naxis 0: 9 = 2*(3 - 1) + 1 + 7 - 3");
    EXPECT_EQ(equation({.opset = 11, .auto_pad = AutoPad::valid}),
              "ONNX ConvTranspose-11, VALID: out = " + natural + "\naxis 0: 5 = 1*(3 - 1) + 0 + 3");
    EXPECT_EQ(equation({.opset = 11, .output_shape = {4}}), "ONNX ConvTranspose-11, output_shape given, NOTSET: " + total +
                                                                "beginning\naxis 0: 1 = max(1*(3 - 1) + 0 + 3 - 4, 0)");
    EXPECT_EQ(equation({.opset = 1, .output_shape = {9}}),
              "ONNX ConvTranspose-1, output_shape given, NOTSET: " + total + "end\naxis 0: 0 = max(1*(3 - 1) + 0 + 3 - 9, 0)");
    EXPECT_EQ(equation({.auto_pad = AutoPad::same_upper, .strides = {2}}),
              "ONNX ConvTranspose-22, SAME_UPPER: out = in*stride, " + total +
                  "end\naxis 0: 6 = 3*2, 1 = max(2*(3 - 1) + 0 + 3 - 6, 0)");
    EXPECT_EQ(equation({.auto_pad = AutoPad::same_lower}), "ONNX ConvTranspose-22, SAME_LOWER: out = in*stride, " + total +
                                                               "beginning\naxis 0: 3 = 3*1, 2 = max(1*(3 - 1) + 0 + 3 - 3, 0)");
    EXPECT_EQ(equation({.rules = Rules::onnxruntime, .auto_pad = AutoPad::same_upper, .strides = {5}}),
              "ONNX ConvTranspose-22 (ONNX Runtime's rules), SAME_UPPER: out = min(in*stride, " + natural + "), " + total +
                  "end\naxis 0: 13 = min(3*5, 5*(3 - 1) + 0 + 3), 0 = max(5*(3 - 1) + 0 + 3 - 13, 0)");
    EXPECT_EQ(equation({.rules = Rules::onnxruntime, .auto_pad = AutoPad::valid, .pads = {1, 1}}),
              "ONNX ConvTranspose-22 (ONNX Runtime's rules), VALID: out = " + natural +
                  " - pads\naxis 0: 3 = 1*(3 - 1) + 0 + 3 - 2");
}

TEST(ConvTransposeOps, EquationHasALineForEachAxis)
{
    const auto geometry = resolve(ConvTranspose{.strides = {2, 1}, .pads = {0, 1, 1, 1}},
                                  std::vector<TensorDesc>{{DType::float32, {1, 1, 3, 5}}, {DType::float32, {1, 1, 3, 2}}});
    ASSERT_TRUE(geometry.ok()) << geometry.message();
    EXPECT_EQ(geometry->equation,
              "ONNX ConvTranspose-22, explicit pads: out = stride*(in - 1) + output_padding + dilated kernel - "
              "pads\naxis 0: 6 = 2*(3 - 1) + 0 + 3 - 1\naxis 1: 4 = 1*(5 - 1) + 0 + 2 - 2");
}

// The size is found without a formula: the taps are scattered, and their reach is measured. A convolution over that output, with
// its windows counted one by one, must give the input's extent back.
TEST(ConvTransposeOps, SizeIsTheReachOfTheTapsAndInvertsAConvolution)
{
    for (int64_t in = 1; in <= 5; ++in)
        for (int64_t kernel = 1; kernel <= 4; ++kernel)
            for (int64_t stride = 1; stride <= 4; ++stride)
                for (int64_t dilation = 1; dilation <= 3; ++dilation)
                    for (int64_t adj = 0; adj < stride; ++adj)
                        for (int64_t begin = 0; begin <= 3; ++begin)
                            for (int64_t end = 0; end <= 3; ++end) {
                                int64_t reach = 0;
                                for (int64_t q = 0; q < in; ++q)
                                    for (int64_t t = 0; t < kernel; ++t)
                                        reach = std::max(reach, q * stride + t * dilation + 1);
                                const int64_t out = reach + adj - begin - end;
                                const Sizes expected = out < 1 ? Sizes() : Sizes{out, begin, end};
                                ASSERT_EQ(sizes({.strides = {stride},
                                                 .dilations = {dilation},
                                                 .pads = {begin, end},
                                                 .output_padding = {adj}},
                                                in, kernel),
                                          expected);
                                if (out < 1)
                                    continue;
                                int64_t windows = 0;
                                for (int64_t start = -begin; start + (kernel - 1) * dilation < out + end; start += stride)
                                    ++windows;
                                ASSERT_EQ(windows, in);
                            }
}

}  // namespace vkonnx::ops
