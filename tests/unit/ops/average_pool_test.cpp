#include <algorithm>

#include "expect.h"

namespace vkonnx::ops {

namespace {

Sizes pool_sizes(const AveragePool& attributes, int64_t in)
{
    const auto geometry = resolve(attributes, line(in));
    return geometry ? sizes_of(geometry->axes[0]) : Sizes();
}

std::string pool_equation(const AveragePool& attributes)
{
    const auto geometry = resolve(attributes, line(5));
    return geometry ? geometry->equation : std::string(geometry.message());
}

constexpr std::array<int64_t, 6> average_pool_opsets = {1, 7, 10, 11, 19, 22};
constexpr std::array<int64_t, 4> ceil_opsets = {10, 11, 19, 22};

}  // namespace

TEST(AveragePoolOps, DefaultsAndChannels)
{
    const std::vector<TensorDesc> inputs = {{DType::float64, {2, 3, 5, 7}}};
    for (const int64_t opset : average_pool_opsets) {
        const AveragePool attributes = {.opset = opset, .kernel_shape = {3, 2}};
        const auto geometry = resolve(attributes, inputs);
        ASSERT_TRUE(geometry.ok()) << geometry.message();
        EXPECT_EQ(geometry->dtype, DType::float64);
        EXPECT_EQ(geometry->batch, 2);
        EXPECT_EQ(geometry->channels, 3);
        EXPECT_FALSE(geometry->count_include_pad);
        const std::vector<Axis> expected = {{.in = 5, .out = 3, .kernel = 3}, {.in = 7, .out = 6, .kernel = 2}};
        EXPECT_EQ(geometry->axes, expected);
        EXPECT_EQ(output_of(*geometry), (TensorDesc{DType::float64, {2, 3, 3, 6}}));
        EXPECT_EQ(*infer(attributes, inputs), (std::vector<TensorDesc>{{DType::float64, {2, 3, 3, 6}}}));
    }
}

TEST(AveragePoolOps, EveryAttributeReachesItsAxis)
{
    const auto geometry = resolve(AveragePool{.kernel_shape = {3, 2},
                                              .strides = {2, 5},
                                              .dilations = {3, 4},
                                              .pads = {1, 2, 3, 0},
                                              .ceil_mode = 0,
                                              .count_include_pad = 1},
                                  std::vector<TensorDesc>{{DType::float32, {1, 1, 8, 13}}});
    ASSERT_TRUE(geometry.ok()) << geometry.message();
    EXPECT_TRUE(geometry->count_include_pad);
    const std::vector<Axis> expected = {
        {.in = 8, .out = 3, .kernel = 3, .stride = 2, .dilation = 3, .begin = 1, .end = 3},  // (12 - 7) / 2 + 1
        {.in = 13, .out = 3, .kernel = 2, .stride = 5, .dilation = 4, .begin = 2, .end = 0}};
    EXPECT_EQ(geometry->axes, expected);
    const auto excluding = resolve(AveragePool{.kernel_shape = {1}, .count_include_pad = 0}, line(3));
    ASSERT_TRUE(excluding.ok());
    EXPECT_FALSE(excluding->count_include_pad);
}

TEST(AveragePoolOps, VersionFollowsFromTheOpset)
{
    const std::vector<std::pair<int64_t, int>> table = {{1, 1},   {6, 1},   {7, 7},   {9, 7},   {10, 10}, {11, 11}, {13, 11},
                                                        {18, 11}, {19, 19}, {21, 19}, {22, 22}, {25, 22}, {99, 22}};
    for (const auto& [opset, version] : table)
        EXPECT_EQ(
            pool_equation({.opset = opset, .kernel_shape = {2}}).rfind("ONNX AveragePool-" + std::to_string(version) + ",", 0),
            0u)
            << opset;
    expect_refused(Refusal<AveragePool>{{.opset = 0, .kernel_shape = {2}}, line(5), "AveragePool: opset = 0 must be at least 1"});
}

TEST(AveragePoolOps, AttributesExistFromTheirVersion)
{
    for (const int64_t opset : average_pool_opsets) {
        EXPECT_EQ(resolve(AveragePool{.opset = opset, .kernel_shape = {2}, .dilations = {1}}, line(5)).ok(), opset >= 19);
        EXPECT_EQ(resolve(AveragePool{.opset = opset, .kernel_shape = {2}, .ceil_mode = 0}, line(5)).ok(), opset >= 10);
        EXPECT_EQ(resolve(AveragePool{.opset = opset, .kernel_shape = {2}, .count_include_pad = 0}, line(5)).ok(), opset >= 7);
    }
    const Refusal<AveragePool> table[] = {
        {{.opset = 18, .kernel_shape = {2}, .dilations = {1}},
         line(5),
         "AveragePool: dilations must not be given: it exists from version 19, and opset 18 means version 11"},
        {{.opset = 9, .kernel_shape = {2}, .ceil_mode = 0},
         line(5),
         "AveragePool: ceil_mode must not be given: it exists from version 10, and opset 9 means version 7"},
        {{.opset = 6, .kernel_shape = {2}, .count_include_pad = 0},
         line(5),
         "AveragePool: count_include_pad must not be given: it exists from version 7, and opset 6 means version 1"},
    };
    for (const Refusal<AveragePool>& refusal : table)
        expect_refused(refusal);
}

TEST(AveragePoolOps, TypesOfEveryVersion)
{
    for (const int64_t opset : average_pool_opsets)
        for (int number = 0; number <= 27; ++number) {
            const auto dtype = DType(number);
            const bool accepted = dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16 ||
                                  (dtype == DType::bfloat16 && opset == 22);
            const auto geometry =
                resolve(AveragePool{.opset = opset, .kernel_shape = {2}}, std::vector<TensorDesc>{{dtype, {1, 1, 3}}});
            EXPECT_EQ(geometry.ok(), accepted) << name(dtype) << " at " << opset;
        }
    expect_refused(
        Refusal<AveragePool>{{.opset = 20, .kernel_shape = {2}},
                             {{DType::bfloat16, {1, 1, 3}}},
                             "AveragePool: X has type bfloat16, which exists from version 22, and opset 20 means version 19"});
    expect_refused(Refusal<AveragePool>{{.kernel_shape = {2}},
                                        {{DType::int8, {1, 1, 3}}},
                                        "AveragePool: X has type int8, which no version of the operator accepts"});
}

TEST(AveragePoolOps, InputsAndAttributesAreChecked)
{
    const std::vector<TensorDesc> plane = {{DType::float32, {1, 1, 5, 5}}};
    const auto f = [](std::vector<int64_t> dims) { return std::vector<TensorDesc>{{DType::float32, std::move(dims)}}; };
    const std::vector<int64_t> k = {3, 2};
    const Refusal<AveragePool> table[] = {
        {{.kernel_shape = k}, {}, "AveragePool: expects 1 input, but 0 are given"},
        {{.kernel_shape = k}, {plane[0], plane[0]}, "AveragePool: expects 1 input, but 2 are given"},
        {{.kernel_shape = k}, f({5, 5}), "AveragePool: X has rank 2, but 3 to 8 is expected: N, C and 1 to 6 spatial axes"},
        {{.kernel_shape = k},
         f({1, 1, 1, 1, 1, 1, 1, 1, 1}),
         "AveragePool: X has rank 9, but 3 to 8 is expected: N, C and 1 to 6 spatial axes",
         Code::unsupported},
        {{.kernel_shape = k}, f({1, -1, 5, 5}), "AveragePool: X.dims[1] = -1 must be at least 0"},
        {{}, plane, "AveragePool: kernel_shape is required: 2 entries must be given"},
        {{.kernel_shape = {3}}, plane, "AveragePool: kernel_shape has 1 entry, but 2 must be given"},
        {{.kernel_shape = {3, 0}}, plane, "AveragePool: kernel_shape[1] = 0 must be at least 1"},
        {{.kernel_shape = k, .strides = {1, 1, 1}}, plane, "AveragePool: strides has 3 entries, but 2 must be given"},
        {{.kernel_shape = k, .strides = {0, 1}}, plane, "AveragePool: strides[0] = 0 must be at least 1"},
        {{.kernel_shape = k, .dilations = {1}}, plane, "AveragePool: dilations has 1 entry, but 2 must be given"},
        {{.kernel_shape = k, .dilations = {1, -2}}, plane, "AveragePool: dilations[1] = -2 must be at least 1"},
        {{.kernel_shape = k, .pads = {1, 1}}, plane, "AveragePool: pads has 2 entries, but 4 must be given"},
        {{.kernel_shape = k, .pads = {1, 1, -1, 1}}, plane, "AveragePool: pads[2] = -1 must be at least 0"},
        {{.kernel_shape = k, .ceil_mode = 2}, plane, "AveragePool: ceil_mode = 2 must be 0 or 1"},
        {{.kernel_shape = k, .count_include_pad = -1}, plane, "AveragePool: count_include_pad = -1 must be 0 or 1"},
        {{.auto_pad = AutoPad(9), .kernel_shape = k},
         plane,
         "AveragePool: auto_pad = 9 must be one of NOTSET, SAME_UPPER, SAME_LOWER, VALID"},
        {{.auto_pad = AutoPad::same_upper, .kernel_shape = k, .pads = {0, 0, 0, 0}},
         plane,
         "AveragePool: auto_pad = SAME_UPPER must be NOTSET when pads is given"},
        {{.auto_pad = AutoPad::same_lower, .kernel_shape = k, .pads = {1, 1, 1, 1}},
         plane,
         "AveragePool: auto_pad = SAME_LOWER must be NOTSET when pads is given"},
        {{.auto_pad = AutoPad::valid, .kernel_shape = k, .pads = {0, 0, 0, 0}},
         plane,
         "AveragePool: auto_pad = VALID must be NOTSET when pads is given"},
        {{.kernel_shape = {3, 6}},
         plane,
         "AveragePool: kernel_shape[1] = 6 with dilation 1 spans 6, which must not be more than the padded input's 5"},
        {{.kernel_shape = {3, 4}, .dilations = {1, 3}, .pads = {0, 1, 0, 2}},
         plane,
         "AveragePool: kernel_shape[1] = 4 with dilation 3 spans 10, which must not be more than the padded input's 8"},
        {{.auto_pad = AutoPad::valid, .kernel_shape = {3, 6}},
         plane,
         "AveragePool: kernel_shape[1] = 6 with dilation 1 spans 6, which must not be more than the padded input's 5"},
    };
    for (Refusal<AveragePool> refusal : table)
        for (const Rules rules : both_rules) {
            refusal.attributes.rules = rules;
            expect_refused(refusal);
        }
}

TEST(AveragePoolOps, ExplicitPadsRoundDown)
{
    for (const int64_t opset : average_pool_opsets)
        for (const Rules rules : both_rules) {
            EXPECT_EQ(pool_sizes({.opset = opset, .rules = rules, .kernel_shape = {2}, .strides = {2}}, 5), (Sizes{2, 0, 0}));
            EXPECT_EQ(pool_sizes({.opset = opset, .rules = rules, .kernel_shape = {3}, .strides = {2}, .pads = {2, 1}}, 5),
                      (Sizes{3, 2, 1}));
            // Pads may be as large as the kernel, and larger.
            EXPECT_EQ(pool_sizes({.opset = opset, .rules = rules, .kernel_shape = {2}, .pads = {2, 7}}, 3), (Sizes{11, 2, 7}));
        }
}

TEST(AveragePoolOps, CeilModeAddsAWindowUnlessItStartsInTheEndPadding)
{
    for (const int64_t opset : ceil_opsets)
        for (const Rules rules : both_rules) {
            AveragePool attributes = {.opset = opset, .rules = rules, .kernel_shape = {2}, .strides = {2}, .ceil_mode = 1};
            EXPECT_EQ(pool_sizes(attributes, 5), (Sizes{3, 0, 0}));  // the worked example that counts padding
            EXPECT_EQ(pool_sizes(attributes, 4), (Sizes{2, 0, 0}));
            attributes = {.opset = opset, .rules = rules, .kernel_shape = {3}, .strides = {3}, .ceil_mode = 1};
            EXPECT_EQ(pool_sizes(attributes, 4), (Sizes{2, 0, 0}));  // x = [1,2,4,8]
            attributes.pads = {0, 1};
            EXPECT_EQ(pool_sizes(attributes, 3), (Sizes{1, 0, 1}));  // the second window would start in the padding
            attributes.pads = {1, 0};
            EXPECT_EQ(pool_sizes(attributes, 3), (Sizes{2, 1, 0}));
            // Only one window is dropped, however many lie in the padding.
            attributes = {.opset = opset, .rules = rules, .kernel_shape = {1}, .pads = {0, 3}, .ceil_mode = 1};
            EXPECT_EQ(pool_sizes(attributes, 2), (Sizes{4, 0, 3}));
            attributes.ceil_mode = 0;
            EXPECT_EQ(pool_sizes(attributes, 2), (Sizes{5, 0, 3}));
            // A window is also dropped where it would start beyond 64 bits.
            attributes = {.opset = opset, .rules = rules, .kernel_shape = {1}, .strides = {huge}, .ceil_mode = 1};
            EXPECT_EQ(pool_sizes(attributes, 5), (Sizes{1, 0, 0}));
            attributes.strides = {huge / 2 + 2};
            EXPECT_EQ(pool_sizes(attributes, huge / 2 + 4), (Sizes{2, 0, 0}));
        }
}

TEST(AveragePoolOps, CeilModeCanDropTheOnlyWindow)
{
    EXPECT_EQ(pool_sizes({.kernel_shape = {2}, .pads = {0, 2}}, 0), (Sizes{1, 0, 2}));
    expect_refused(
        Refusal<AveragePool>{{.kernel_shape = {2}, .pads = {0, 2}, .ceil_mode = 1},
                             line(0),
                             "AveragePool: output extent of spatial axis 0 = 0 must be at least 1 (in 0, kernel 2, stride 1, "
                             "dilation 1, pads 0 and 2)"});
}

TEST(AveragePoolOps, ValidRoundsDownAlsoWithCeilMode)
{
    for (const int64_t opset : average_pool_opsets)
        for (const Rules rules : both_rules)
            EXPECT_EQ(
                pool_sizes({.opset = opset, .rules = rules, .auto_pad = AutoPad::valid, .kernel_shape = {2}, .strides = {2}}, 5),
                (Sizes{2, 0, 0}));
    for (const int64_t opset : ceil_opsets) {
        AveragePool attributes = {
            .opset = opset, .auto_pad = AutoPad::valid, .kernel_shape = {2}, .strides = {2}, .ceil_mode = 1};
        EXPECT_EQ(pool_sizes(attributes, 5), (Sizes{2, 0, 0}));
        attributes.rules = Rules::onnxruntime;
        EXPECT_EQ(pool_sizes(attributes, 5), (Sizes{3, 0, 0}));
        attributes.kernel_shape = {1};
        attributes.strides = {3};
        EXPECT_EQ(pool_sizes(attributes, 3), (Sizes{1, 0, 0}));  // ceil gives 2; the last would start behind the input
    }
}

TEST(AveragePoolOps, SamePadding)
{
    for (const int64_t opset : average_pool_opsets)
        for (const Rules rules : both_rules) {
            AveragePool upper = {.opset = opset, .rules = rules, .auto_pad = AutoPad::same_upper, .kernel_shape = {3}};
            AveragePool lower = upper;
            lower.auto_pad = AutoPad::same_lower;
            EXPECT_EQ(pool_sizes(upper, 5), (Sizes{5, 1, 1}));
            upper.kernel_shape = lower.kernel_shape = {4};  // total 3
            EXPECT_EQ(pool_sizes(upper, 5), (Sizes{5, 1, 2}));
            EXPECT_EQ(pool_sizes(lower, 5), (Sizes{5, 2, 1}));
            upper.strides = lower.strides = {2};  // out 3, total 3
            EXPECT_EQ(pool_sizes(upper, 5), (Sizes{3, 1, 2}));
            EXPECT_EQ(pool_sizes(lower, 5), (Sizes{3, 2, 1}));
            upper.kernel_shape = lower.kernel_shape = {1};  // k < s: total would be negative
            EXPECT_EQ(pool_sizes(upper, 6), (Sizes{3, 0, 0}));
            EXPECT_EQ(pool_sizes(lower, 6), (Sizes{3, 0, 0}));
            if (opset >= 10) {  // ceil_mode plays no part in the size
                upper.ceil_mode = 1;
                EXPECT_EQ(pool_sizes(upper, 6), (Sizes{3, 0, 0}));
                EXPECT_EQ(pool_sizes(upper, 5), (Sizes{3, 0, 0}));
            }
        }
    // K, the dilated kernel, counts instead of k. This is the worked example.
    EXPECT_EQ(pool_sizes({.auto_pad = AutoPad::same_upper, .kernel_shape = {3}, .dilations = {2}}, 5), (Sizes{5, 2, 2}));
    EXPECT_EQ(pool_sizes({.auto_pad = AutoPad::same_lower, .kernel_shape = {2}, .dilations = {3}}, 5), (Sizes{5, 2, 1}));
    // A kernel larger than the input is padded as far as it needs.
    EXPECT_EQ(pool_sizes({.auto_pad = AutoPad::same_upper, .kernel_shape = {9}}, 2), (Sizes{2, 4, 4}));
    EXPECT_EQ(pool_sizes({.auto_pad = AutoPad::same_upper, .kernel_shape = {2}}, 0), Sizes());
}

TEST(AveragePoolOps, EmptyTensorsAreStillChecked)
{
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{0, 2, 5}, std::vector<int64_t>{2, 0, 5}}) {
        const std::vector<TensorDesc> inputs = {{DType::float32, dims}};
        const auto geometry = resolve(AveragePool{.kernel_shape = {2}}, inputs);
        ASSERT_TRUE(geometry.ok()) << geometry.message();
        EXPECT_EQ(output_of(*geometry).dims, (std::vector<int64_t>{dims[0], dims[1], 4}));
        expect_refused(Refusal<AveragePool>{
            {.kernel_shape = {2}, .strides = {0}}, inputs, "AveragePool: strides[0] = 0 must be at least 1"});
        expect_refused(Refusal<AveragePool>{
            {.kernel_shape = {6}},
            inputs,
            "AveragePool: kernel_shape[0] = 6 with dilation 1 spans 6, which must not be more than the padded input's 5"});
    }
    EXPECT_EQ(pool_sizes({.kernel_shape = {2}, .pads = {1, 2}}, 0), (Sizes{2, 1, 2}));  // windows without a tap inside
    EXPECT_EQ(pool_sizes({.kernel_shape = {1}}, 0), Sizes());
}

TEST(AveragePoolOps, OneToSixAxes)
{
    for (size_t n = 1; n <= max_spatial_axes; ++n) {
        TensorDesc x = {DType::float32, {1, 2}};
        AveragePool attributes;
        std::vector<int64_t> expected = {1, 2};
        for (size_t i = 0; i < n; ++i) {
            x.dims.push_back(7);
            attributes.kernel_shape.push_back(int64_t(i + 1));
            expected.push_back(7 - int64_t(i));
        }
        const auto geometry = resolve(attributes, std::vector<TensorDesc>{x});
        ASSERT_TRUE(geometry.ok()) << geometry.message();
        EXPECT_EQ(output_of(*geometry), (TensorDesc{DType::float32, expected}));
    }
}

TEST(AveragePoolOps, OverflowIsASentence)
{
    const int64_t half = huge / 2 + 1;  // 2^62
    const Refusal<AveragePool> table[] = {
        {{.kernel_shape = {2}, .pads = {half, half}},
         line(5),
         "AveragePool: spatial axis 0 with in 5, kernel 2, stride 1, dilation 1, pads 4611686018427387904 and "
         "4611686018427387904 leads to an integer beyond 64 bits",
         Code::unsupported},
        {{.kernel_shape = {3}, .dilations = {half}},
         line(5),
         "AveragePool: spatial axis 0 with in 5, kernel 3, stride 1, dilation 4611686018427387904, pads 0 and 0 leads to an "
         "integer beyond 64 bits",
         Code::unsupported},
        {{.auto_pad = AutoPad::same_upper, .kernel_shape = {3}, .dilations = {half}},
         line(5),
         "AveragePool: spatial axis 0 with in 5, kernel 3, stride 1, dilation 4611686018427387904, pads 0 and 0 leads to an "
         "integer beyond 64 bits",
         Code::unsupported},
        {{.kernel_shape = {1}},
         {{DType::float32, {2, 2, half}}},
         "AveragePool: X = float[2,2,4611686018427387904] has more than 2^63 - 1 elements",
         Code::unsupported},
        {{.kernel_shape = {1}, .pads = {0, half}},
         {{DType::float32, {1, 2, 1}}},
         "AveragePool: Y = float[1,2,4611686018427387905] has more than 2^63 - 1 elements",
         Code::unsupported},
    };
    for (const Refusal<AveragePool>& refusal : table)
        expect_refused(refusal);
    EXPECT_EQ(pool_sizes({.kernel_shape = {1}, .pads = {0, huge - 5}}, 5), (Sizes{huge, 0, huge - 5}));
    EXPECT_EQ(pool_sizes({.kernel_shape = {1}, .dilations = {huge}}, 5), (Sizes{5, 0, 0}));
    EXPECT_EQ(pool_sizes({.auto_pad = AutoPad::same_upper, .kernel_shape = {2}, .strides = {huge}}, 1), (Sizes{1, 0, 1}));
}

TEST(AveragePoolOps, EquationsNameDocumentVersionAndRule)
{
    const std::string floor = "out = floor((in + pads - dilated kernel) / stride) + 1";
    const std::string ceil =
        "out = ceil((in + pads - dilated kernel) / stride) + 1, less a last window that starts in the end padding";
    const std::string same =
        "out = ceil(in / stride), total padding = max((out - 1)*stride + dilated kernel - in, 0), split with the extra at the ";
    // The input's extent is 5.
    EXPECT_EQ(pool_equation({.opset = 13, .kernel_shape = {2}}),
              "ONNX AveragePool-11, explicit pads: " + floor + "\naxis 0: 4 = floor((5 + 0 - 2) / 1) + 1");
    EXPECT_EQ(pool_equation({.kernel_shape = {2}, .strides = {3}, .dilations = {3}, .pads = {1, 4}}),
              "ONNX AveragePool-22, explicit pads: " + floor + "\naxis 0: 3 = floor((5 + 5 - 4) / 3) + 1");
    EXPECT_EQ(pool_equation({.kernel_shape = {2}, .strides = {2}, .ceil_mode = 1}),
              "ONNX AveragePool-22, explicit pads, ceil_mode: " + ceil + "\naxis 0: 3 = ceil((5 + 0 - 2) / 2) + 1");
    EXPECT_EQ(pool_equation({.kernel_shape = {1}, .pads = {0, 3}, .ceil_mode = 1}),
              "ONNX AveragePool-22, explicit pads, ceil_mode: " + ceil + "\naxis 0: 7 = ceil((5 + 3 - 1) / 1) + 1 - 1");
    EXPECT_EQ(pool_equation({.auto_pad = AutoPad::valid, .kernel_shape = {2}, .strides = {2}, .ceil_mode = 1}),
              "ONNX AveragePool-22, VALID, ceil_mode: " + floor + "\naxis 0: 2 = floor((5 + 0 - 2) / 2) + 1");
    EXPECT_EQ(pool_equation(
                  {.rules = Rules::onnxruntime, .auto_pad = AutoPad::valid, .kernel_shape = {2}, .strides = {2}, .ceil_mode = 1}),
              "ONNX AveragePool-22 (ONNX Runtime's rules), VALID, ceil_mode: " + ceil +
                  "\naxis 0: 3 = ceil((5 + 0 - 2) / 2) + 1");
    EXPECT_EQ(pool_equation({.auto_pad = AutoPad::same_upper, .kernel_shape = {3}, .strides = {2}}),
              "ONNX AveragePool-22, SAME_UPPER: " + same + "end\naxis 0: 3 = ceil(5 / 2), 2 = max((3 - 1)*2 + 3 - 5, 0)");
    EXPECT_EQ(pool_equation({.auto_pad = AutoPad::same_lower, .kernel_shape = {2}}),
              "ONNX AveragePool-22, SAME_LOWER: " + same + "beginning\naxis 0: 5 = ceil(5 / 1), 1 = max((5 - 1)*1 + 2 - 5, 0)");
}

TEST(AveragePoolOps, EquationHasALineForEachAxis)
{
    const auto geometry = resolve(AveragePool{.kernel_shape = {3, 2}, .strides = {2, 1}, .pads = {1, 0, 1, 1}},
                                  std::vector<TensorDesc>{{DType::float32, {1, 1, 5, 4}}});
    ASSERT_TRUE(geometry.ok()) << geometry.message();
    EXPECT_EQ(geometry->equation, "ONNX AveragePool-22, explicit pads: out = floor((in + pads - dilated kernel) / stride) + 1\n"
                                  "axis 0: 3 = floor((5 + 2 - 3) / 2) + 1\naxis 1: 4 = floor((4 + 1 - 2) / 1) + 1");
}

// The size is found without a formula: windows are laid one by one. Floor keeps those that fit into the padded input. Ceil goes
// on until all of it is covered, and then takes one back if that begins behind input and begin padding.
TEST(AveragePoolOps, SizeIsTheNumberOfWindows)
{
    for (int64_t in = 0; in <= 6; ++in)
        for (int64_t kernel = 1; kernel <= 4; ++kernel)
            for (int64_t stride = 1; stride <= 4; ++stride)
                for (int64_t dilation = 1; dilation <= 3; ++dilation)
                    for (int64_t begin = 0; begin <= 4; ++begin)
                        for (int64_t end = 0; end <= 4; ++end)
                            for (const int64_t ceil : {0, 1}) {
                                const int64_t padded = in + begin + end;
                                int64_t reach = 1;
                                for (int64_t t = 1; t < kernel; ++t)
                                    reach += dilation;
                                int64_t windows = 0;
                                int64_t start = 0;
                                for (; start + reach <= padded; start += stride)
                                    ++windows;
                                const bool covered = windows > 0 && start - stride + reach == padded;
                                if (ceil && windows > 0 && !covered) {
                                    ++windows;
                                    start += stride;
                                }
                                if (ceil && windows > 0 && start - stride >= in + begin)
                                    --windows;
                                const Sizes expected = windows < 1 ? Sizes() : Sizes{windows, begin, end};
                                ASSERT_EQ(pool_sizes({.kernel_shape = {kernel},
                                                      .strides = {stride},
                                                      .dilations = {dilation},
                                                      .pads = {begin, end},
                                                      .ceil_mode = ceil},
                                                     in),
                                          expected)
                                    << in << " " << kernel << " " << stride << " " << dilation << " " << begin << " " << end;
                            }
}

// With SAME the windows' starts are a stride apart as long as they lie in the input, and the padding just suffices for the last
// one.
TEST(AveragePoolOps, SamePadsJustEnough)
{
    for (int64_t in = 1; in <= 7; ++in)
        for (int64_t kernel = 1; kernel <= 5; ++kernel)
            for (int64_t stride = 1; stride <= 5; ++stride)
                for (int64_t dilation = 1; dilation <= 3; ++dilation)
                    for (const AutoPad auto_pad : {AutoPad::same_upper, AutoPad::same_lower}) {
                        int64_t out = 0;
                        int64_t need = 0;
                        for (int64_t start = 0; start < in; start += stride, ++out)
                            need = std::max(in, start + (kernel - 1) * dilation + 1);
                        int64_t begin = 0;
                        int64_t end = 0;
                        for (bool front = auto_pad == AutoPad::same_lower; in + begin + end < need; front = !front)
                            ++(front ? begin : end);
                        ASSERT_EQ(
                            pool_sizes(
                                {.auto_pad = auto_pad, .kernel_shape = {kernel}, .strides = {stride}, .dilations = {dilation}},
                                in),
                            (Sizes{out, begin, end}));
                    }
}

}  // namespace vkonnx::ops
