// This file tests composites but Einsum: the dimensions of their outputs, which operators compute them, and what is refused.
#include <algorithm>
#include <cmath>
#include <map>

#include "composite_node.h"

namespace vkonnx::onnx {
namespace {

std::string int64s(const std::string& name, const Dims& dims, const std::vector<int64_t>& values)
{
    return int64_tensor(name, dims, values);
}

const CompositeInput depth_of_3 = {.tensor = int64s("x1", {}, {3})};

CompositeNode attention_node(const std::vector<CompositeInput>& more = {}, const std::vector<std::string>& attributes = {},
                             int64_t opset = 25, const Names& without = {})
{
    CompositeNode node = {.op_type = "Attention",
                          .inputs = {{{2, 4, 3, 8}}, {{2, 2, 5, 8}}, {{2, 2, 5, 6}}},
                          .attributes = attributes,
                          .opset = opset,
                          .without = without};
    node.inputs.insert(node.inputs.end(), more.begin(), more.end());
    return node;
}

TEST(Composites, OperatorsThatComputeThem)
{
    const struct {
        CompositeNode node;
        std::string parts;
    } cases[] = {
        {{"CastLike", {{{2}}, {{1}, DType::int32}}}, "Cast"},
        {{"CastLike", {{{2}}, {{1}}}}, "view"},
        {{"Shrink", {{{2}}}}, "Greater Sub Where Less Add Where"},
        {{"OneHot", {{{2}, DType::int64}, depth_of_3, {{2}}}}, "Add Less Where Equal Slice Slice Where"},
        {{"OneHot", {{{2}, DType::uint8}, depth_of_3, {{2}}}}, "Cast Equal Slice Slice Where"},
        {{.op_type = "OneHot", .inputs = {{{2}, DType::int64}, depth_of_3, {{2}}}, .opset = 9}, "Equal Slice Slice Where"},
        {{"EyeLike", {{{2, 3}}}}, "view"},
        {{"Trilu", {{{2, 3}}}}, "Where"},
        {{"Trilu", {{{2, 3}}, {{}, DType::int64}}}, "Min Max Add GreaterOrEqual Where"},
        {{.op_type = "Scatter", .inputs = {{{2, 3}}, {{2, 3}, DType::int64}, {{2, 3}}}, .opset = 9}, "ScatterElements"},
        {{.op_type = "Upsample", .inputs = {{{2, 3}}}, .attributes = {floats_attribute("scales", {1, 2})}, .opset = 7}, "Resize"},
        {{"Hardmax", {{{2, 3}}}}, "ArgMax Equal Cast"},
        {{"LpNormalization", {{{2, 3}}}}, "ReduceL2 Equal Div Where"},
        {{"LpNormalization", {{{2, 3}}}, {int_attribute("p", 1)}}, "ReduceL1 Equal Div Where"},
        {{"MeanVarianceNormalization", {{{2, 3, 4, 5}}}}, "ReduceMean Sub Mul ReduceMean Sqrt Add Div"},
        {{.op_type = "GroupNormalization",
          .inputs = {{{2, 4, 3}}, {{2}}, {{2}}},
          .attributes = {int_attribute("num_groups", 2)},
          .opset = 18},
         "InstanceNormalization"},
        {{"GroupNormalization", {{{2, 4, 3}}, {{4}}, {{4}}}, {int_attribute("num_groups", 2)}}, "InstanceNormalization Mul Add"},
        {{"RMSNormalization", {{{2, 3}}, {{3}}}}, "ReduceSumSquare Mul Add Sqrt Div Mul"},
        {{"NegativeLogLikelihoodLoss", {{{2, 3}}, {{2}, DType::int64}}}, "GatherElements Neg ReduceMean"},
        {{"SoftmaxCrossEntropyLoss", {{{2, 3}}, {{2}, DType::int64}}, {string_attribute("reduction", "none")}},
         "LogSoftmax GatherElements Neg"},
        {{"BiasGelu", {{{2, 3}}, {{3}}}}, "Add Gelu"},
        {{"BiasGelu", {{{2, 3}, DType::float16}, {{3}, DType::float16}}}, "Cast Cast Add Gelu Cast"},
        {{"FusedMatMul", {{{2, 3}}, {{3, 4}}}}, "MatMul"},
        {{"FusedMatMul", {{{3, 2}}, {{3, 4}}}, {int_attribute("transA", 1), float_attribute("alpha", 2)}},
         "Transpose MatMul Mul"},
        {{"SkipLayerNormalization", {{{2, 3}}, {{2, 3}}, {{3}}}}, "Add LayerNormalization"},
        {attention_node(), "Mul Transpose MatMul Softmax MatMul"},
        {attention_node({{{3, 5}}}), "Mul Transpose MatMul Add Softmax MatMul ReduceMax Equal Where"},
    };
    for (const auto& [node, parts] : cases)
        EXPECT_EQ(parts_of(node), parts) << node.op_type;
}

TEST(Composites, OutputsHaveTheDimensionsOfTheirDocuments)
{
    const CompositeInput past = {{2, 2, 7, 8}}, past_values = {{2, 2, 7, 6}};
    const CompositeNode with_past = {.op_type = "Attention",
                                     .inputs = {{{2, 3, 32}}, {{2, 5, 16}}, {{2, 5, 12}}, {}, past, past_values},
                                     .attributes = {int_attribute("q_num_heads", 4), int_attribute("kv_num_heads", 2)},
                                     .outputs = {"y0", "y1", "y2", "y3"},
                                     .without = {"x3"}};
    const struct {
        CompositeNode node;
        std::vector<Dims> outputs;
    } cases[] = {
        {{"OneHot", {{{2, 4}, DType::int64}, depth_of_3, {{2}}}}, {{2, 4, 3}}},
        {{"OneHot", {{{2, 4}, DType::int64}, depth_of_3, {{2}}}, {int_attribute("axis", 0)}}, {{3, 2, 4}}},
        {{"OneHot", {{{2, 4}, DType::int64}, depth_of_3, {{2}}}, {int_attribute("axis", -2)}}, {{2, 3, 4}}},
        {{.op_type = "Upsample", .inputs = {{{2, 3}}}, .attributes = {floats_attribute("scales", {1, 2.5})}, .opset = 7},
         {{2, 7}}},
        {{"RMSNormalization", {{{2, 3}}, {{}}}}, {{2, 3}}},
        {{.op_type = "SimplifiedLayerNormalization", .inputs = {{{2, 3}}, {{3}}}, .outputs = {"y0", "y1"}}, {{2, 3}, {2, 1}}},
        {{"NegativeLogLikelihoodLoss", {{{2, 3, 4}}, {{2, 4}, DType::int64}}}, {{}}},
        {{"NegativeLogLikelihoodLoss", {{{2, 3, 4}}, {{2, 4}, DType::int64}}, {string_attribute("reduction", "none")}}, {{2, 4}}},
        {{.op_type = "SoftmaxCrossEntropyLoss", .inputs = {{{2, 3, 4}}, {{2, 4}, DType::int32}}, .outputs = {"y0", "y1"}},
         {{}, {2, 3, 4}}},
        {{"FusedMatMul",
          {{{5, 2, 3}}, {{2, 4, 5}}},
          {int_attribute("transBatchA", 1), int_attribute("transA", 1), int_attribute("transB", 1)}},
         {{2, 3, 4}}},
        {{.op_type = "SkipLayerNormalization", .inputs = {{{2, 3, 4}}, {{2, 3, 4}}, {{4}}}, .outputs = {"y0", "y1", "y2", "y3"}},
         {{2, 3, 4}, {2, 3, 1}, {2, 3, 1}, {2, 3, 4}}},
        {attention_node(), {{2, 4, 3, 6}}},
        {with_past, {{2, 3, 24}, {2, 2, 12, 8}, {2, 2, 12, 6}, {2, 4, 3, 12}}},
    };
    for (const auto& [node, outputs] : cases) {
        SCOPED_TRACE(node.op_type);
        const Result<NodeReport> report = explain_composite(node);
        ASSERT_TRUE(accepted(report));
        ASSERT_EQ(report->explanation.outputs.size(), outputs.size());
        for (size_t i = 0; i < outputs.size(); ++i)
            EXPECT_EQ(report->explanation.outputs[i].dims, outputs[i]) << i;
    }
}

TEST(Composites, InputsThatDecideDimensionsAreTold)
{
    const auto decides = [](const CompositeNode& node, size_t input) {
        const Result<Model> model = parse(model_with(node));
        return model && model->inputs()[input].decides_dimensions;
    };
    const CompositeNode one_hot = {"OneHot", {{{2}, DType::int64}, {{}, DType::int64}, {{2}}}};
    EXPECT_FALSE(decides(one_hot, 0));
    EXPECT_TRUE(decides(one_hot, 1));
    EXPECT_FALSE(decides(one_hot, 2));
    EXPECT_FALSE(decides({"Trilu", {{{2, 3}}, {{}, DType::int64}}}, 1));
    EXPECT_FALSE(decides({"ReverseSequence", {{{2, 3}}, {{3}, DType::int64}}}, 1));
    EXPECT_TRUE(unsupported(explain_composite(one_hot), "OneHot: depth ('x1') is known only when running"));
    EXPECT_TRUE(unsupported(explain_composite({.op_type = "Upsample", .inputs = {{{2, 3}}, {{2}}}, .opset = 9}),
                            "Upsample: scales ('x1') is known only when running"));
}

TEST(Composites, WrongSamplesAreRefused)
{
    const auto sample = [](const CompositeInput& x, const CompositeInput& grid, const std::vector<std::string>& attributes = {},
                           int64_t opset = 22) {
        return CompositeNode{.op_type = "GridSample", .inputs = {x, grid}, .attributes = attributes, .opset = opset};
    };
    const auto pool = [](std::vector<std::string> attributes, const CompositeInput& x = {{1, 2, 5}}) {
        return CompositeNode{.op_type = "LpPool", .inputs = {x}, .attributes = std::move(attributes)};
    };
    const auto affine = [](const CompositeInput& theta, const std::vector<int64_t>& size) {
        return CompositeNode{"AffineGrid", {theta, {.tensor = int64s("x1", {int64_t(size.size())}, size)}}};
    };
    const auto compress = [](const CompositeInput& condition, const std::vector<std::string>& attributes = {}) {
        return CompositeNode{"Compress", {{{2, 3}}, condition}, attributes};
    };
    const CompositeInput x = {{2, 3, 4, 5}}, grid = {{2, 6, 7, 2}};
    const std::string kernel = ints_attribute("kernel_shape", {3});
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {sample(x, grid, {string_attribute("mode", "bilinear")}),
         "GridSample: mode = 'bilinear' must be linear, nearest or cubic"},
        {sample(x, grid, {string_attribute("mode", "linear")}, 16), "mode = 'linear' must be bilinear, nearest or bicubic"},
        {sample(x, grid, {string_attribute("padding_mode", "edge")}),
         "padding_mode = 'edge' must be zeros, border or reflection"},
        {sample(x, grid, {int_attribute("align_corners", 2)}), "align_corners = 2 must be 0 or 1"},
        {sample({Dims(15, 1)}, {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 13}}),
         "whose 13 spatial axes have more than 4096 combinations of 2 taps"},
        {sample({Dims(64, 1)}, {{[] {
                    Dims dims(64, 1);
                    dims.back() = 62;
                    return dims;
                }()}},
                {string_attribute("mode", "cubic")}),
         "whose 62 spatial axes have more than 4096 combinations of 4 taps"},
        {sample({{2, 3}}, {{2, 0}}), "X is float[2,3], expected three dimensions or more"},
        {sample({{2, 3, 4}}, {{2, 6, 1}}, {}, 16), "X is float[2,3,4], expected four dimensions"},
        {sample(x, {{2, 6, 7, 3}}), "grid is float[2,6,7,3], but must have X's rank, X's batch and 2 numbers for each place"},
        {sample(x, {{1, 6, 7, 2}}), "grid is float[1,6,7,2], but must have"},
        {sample(x, {{2, 6, 2}}), "grid is float[2,6,2], but must have"},
        {sample(x, {{2, 6, 7, 2}, DType::int32}), "GridSample: grid is int32[2,6,7,2], expected float, double"},
        {sample({{2, 3, 4, 5}, DType::int32}, grid), "GridSample: X is int32[2,3,4,5], expected float, double"},
        {pool({}), "LpPool: kernel_shape has 0 entries, expected 1"},
        {pool({ints_attribute("kernel_shape", {0})}), "kernel_shape[0] = 0 must be from 1 to 2147483647"},
        {pool({kernel, ints_attribute("strides", {1, 1})}), "strides has 2 entries, expected 1"},
        {pool({kernel, ints_attribute("pads", {-1, 0})}), "pads[0] = -1 must be from 0 to 2147483647"},
        {pool({kernel, int_attribute("p", 0)}), "p = 0 must be at least 1"},
        {pool({kernel, int_attribute("ceil_mode", 2)}), "ceil_mode = 2 must be 0 or 1"},
        {pool({kernel, int_attribute("ceil_mode", 1)}, {{0, 2, INT64_MAX}}),
         "spatial extents of X[0] = 9223372036854775807 must be from 0 to 2147483647"},
        {pool({kernel}, {{1, 2}}), "X is float[1,2], expected a batch, channels and spatial axes"},
        {pool({kernel}, {{1, 2, 5}, DType::int32}), "LpPool: X is int32[1,2,5], expected float, double"},
        {{"GlobalLpPool", {{{1, 2}}}}, "GlobalLpPool: X is float[1,2], expected a batch, channels and spatial axes"},
        {{"GlobalLpPool", {{{1, 2, 3}}}, {int_attribute("p", -1)}}, "GlobalLpPool: p = -1 must be at least 1"},
        {affine({{2, 2, 3}}, {2, 3, 4}), "AffineGrid: size has 3 elements, expected 4 or 5"},
        {affine({{2, 2, 3}}, {2, 3, 4, -1}), "size[3] = -1.000000 must be from 0 to 2147483647"},
        {affine({{2, 2, 3}}, {1, 3, 4, 5}), "theta is float[2,2,3], expected the dimensions float[1,2,3] for this size"},
        {affine({{2, 2, 3}, DType::int32}, {2, 3, 4, 5}), "AffineGrid: theta is int32[2,2,3], expected float, double"},
        {compress({.tensor = bool_tensor("x1", {3}, {1, 1, 1})}, {int_attribute("axis", 0)}),
         "Compress: condition has 3 elements, expected at most 2"},
        {compress({.tensor = bool_tensor("x1", {7}, {1, 1, 1, 1, 1, 1, 1})}), "condition has 7 elements, expected at most 6"},
        {compress({.tensor = int64s("x1", {2}, {1, 0})}), "condition ('x1') is int64[2], expected bool with one dimension"},
        {compress({.tensor = bool_tensor("x1", {1, 1}, {1})}), "condition ('x1') is bool[1,1], expected bool with one dimension"},
        {compress({.tensor = bool_tensor("x1", {1}, {1})}, {int_attribute("axis", 2)}), "axis = 2 must be from -2 to 1"},
    };
    for (const auto& [node, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(node), sentence)) << node.op_type;
    EXPECT_TRUE(unsupported(explain_composite(compress({{2}, DType::boolean})), "condition ('x1') is known only when running"));
    EXPECT_TRUE(unsupported(explain_composite({.op_type = "LpPool", .inputs = {{{1, 2, 5}}}, .attributes = {kernel}, .opset = 1}),
                            "older versions are not supported"));
}

TEST(Composites, WrongPackedWeightsAreRefused)
{
    // A (3, 40) times weights of 5 rows, each of which has 2 blocks of 32.
    const auto product = [](const std::map<std::string, int64_t>& attributes,
                            const std::map<size_t, CompositeInput>& others = {}) {
        CompositeNode node = {"MatMulNBits", {{{3, 40}}, {{5, 2, 16}, DType::uint8}, {{5, 2}}}};
        std::map<std::string, int64_t> all = {{"K", 40}, {"N", 5}, {"block_size", 32}};
        for (const auto& [name, value] : attributes)
            all[name] = value;
        for (const auto& [name, value] : all)
            node.attributes.push_back(int_attribute(name, value));
        for (const auto& [input, other] : others) {
            node.inputs.resize(std::max(node.inputs.size(), input + 1), {{1}});
            node.inputs[input] = other;
        }
        return node;
    };
    EXPECT_TRUE(explain_composite(product({}))) << explain_composite(product({})).message();
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {product({{"bits", 3}}), "MatMulNBits: bits = 3 must be 2, 4 or 8"},
        {product({{"N", 0}}), "K and N[1] = 0 must be from 1 to 2147483647"},
        {product({{"block_size", 24}}), "block_size = 24 must be a power of 2 from 16 to 65536"},
        {product({{"K", 41}}), "A is float[3,40], expected K = 41 elements along its last axis"},
        {product({}, {{1, {{5, 2, 15}, DType::uint8}}}), "B is uint8[5,2,15], expected 160 elements of type uint8"},
        {product({}, {{1, {{5, 2, 16}, DType::int8}}}), "B is int8[5,2,16], expected 160 elements of type uint8"},
        {product({}, {{2, {{5}}}}), "scales is float[5], expected 10 elements of type float"},
        {product({}, {{3, {{4}, DType::uint8}}}), "zero_points is uint8[4], expected 5 elements of type uint8"},
        {product({}, {{3, {{5}}}}), "zero_points is float[5], expected 10 elements of type float"},
        {product({}, {{3, {{5, 2}}}, {4, {{5}, DType::int32}}}), "g_idx is int32[5], expected 40 elements of type int32"},
        {product({}, {{3, {{5, 2}}}, {4, {{40}, DType::int32}}, {5, {{4}}}}),
         "bias is float[4], expected 5 elements of type float"},
    };
    for (const auto& [node, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(node), sentence)) << sentence;
}

TEST(Composites, WrongWindowsAreRefused)
{
    const auto known = [](const std::string& name, const std::vector<int64_t>& values) {
        return CompositeInput{.tensor = int64s(name, {int64_t(values.size())}, values)};
    };
    const auto fold = [&](const Dims& x, const std::vector<int64_t>& image, const std::vector<int64_t>& block,
                          const std::vector<std::string>& attributes = {}) {
        return CompositeNode{"Col2Im", {{x}, known("x1", image), known("x2", block)}, attributes};
    };
    const auto unpool = [](const Dims& x, const CompositeInput& indices, std::vector<std::string> attributes) {
        return CompositeNode{"MaxUnpool", {{x}, indices}, std::move(attributes)};
    };
    const auto deform = [](const Dims& x, const Dims& w, const Dims& offset, const std::vector<std::string>& attributes = {}) {
        return CompositeNode{"DeformConv", {{x}, {w}, {offset}}, attributes};
    };
    const auto pool = [](const std::map<size_t, CompositeInput>& others, const std::vector<std::string>& attributes = {}) {
        CompositeNode node = {"RoiAlign", {{{2, 3, 5, 6}}, {{4, 4}}, {{4}, DType::int64}}, attributes};
        for (const auto& [input, other] : others)
            node.inputs[input] = other;
        return node;
    };
    const CompositeInput indices = {{1, 2, 5}, DType::int64};
    const std::string kernel = ints_attribute("kernel_shape", {3});
    CompositeNode larger = unpool({1, 2, 5}, indices, {kernel});
    CompositeNode other_batch = larger, no_shape = larger;
    larger.inputs.push_back(known("x2", {1, 2, 6}));
    other_batch.inputs.push_back(known("x2", {2, 2, 7}));
    no_shape.inputs.push_back(known("x2", {2}));
    CompositeNode masked = deform({1, 2, 5}, {3, 2, 2}, {1, 2, 4});
    masked.inputs.insert(masked.inputs.end(), {{{3}}, {{1, 4, 4}}});
    CompositeNode biased = deform({1, 2, 5}, {3, 2, 2}, {1, 2, 4});
    biased.inputs.push_back({{2}});
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {fold({1, 4}, {3, 3}, {2, 2}), "Col2Im: input is float[1,4], expected three dimensions"},
        {fold({1, 4, 4}, {}, {}), "image_shape has no elements"},
        {fold({1, 4, 4}, {3, 3}, {4}), "block_shape has 1 entries, expected 2"},
        {fold({1, 4, 4}, {3, 0}, {2, 2}), "image_shape[1] = 0 must be from 1 to 2147483647"},
        {fold({1, 4, 4}, {3, 3}, {2, 2}, {ints_attribute("strides", {1, 0})}), "strides[1] = 0 must be from 1"},
        {fold({1, 4, 4}, {3, 3}, {2, 2}, {ints_attribute("dilations", {1})}), "dilations has 1 entries, expected 2"},
        {fold({1, 4, 4}, {3, 3}, {2, 2}, {ints_attribute("pads", {0, 0, -1, 0})}), "pads[2] = -1 must be from 0"},
        {fold({1, 4, 4}, {3, 3}, {2, 5}), "block_shape[1] = 5 is larger than the image with its pads"},
        {fold({1, 6, 4}, {3, 3}, {2, 2}), "input is float[1,6,4], expected a multiple of block_shape's 4 elements along axis 1"},
        {fold({1, 4, 5}, {3, 3}, {2, 2}), "input is float[1,4,5], expected 4 blocks along axis 2"},
        {unpool({1, 2}, {{1, 2}, DType::int64}, {kernel}), "MaxUnpool: X is float[1,2], expected a batch, channels and spatial"},
        {unpool({1, 2, 5}, {{1, 2, 5}, DType::int32}, {kernel}), "I is int32[1,2,5], expected int64 with the dimensions of X"},
        {unpool({1, 2, 5}, {{1, 2, 4}, DType::int64}, {kernel}), "I is int64[1,2,4], expected int64 with the dimensions of X"},
        {unpool({1, 2, 5}, indices, {}), "kernel_shape has 0 entries, expected 1"},
        {unpool({1, 2, 5}, indices, {kernel, ints_attribute("strides", {0})}), "strides[0] = 0 must be from 1 to 2147483647"},
        {unpool({1, 2, 5}, indices, {kernel, ints_attribute("pads", {4, 4})}), "pads take more from axis 2 than windows cover"},
        {larger, "output_shape[2] must be from 7, which windows cover, to 2147483647"},
        {other_batch, "output_shape[0] must be 1, as in X"},
        {no_shape, "output_shape has 1 elements, expected 3"},
        {deform({1, 2}, {3, 2}, {1, 0}), "DeformConv: X is float[1,2], expected a batch, channels and spatial axes"},
        {deform(Dims(15, 1), Dims(15, 1), Dims(15, 1)), "whose 13 spatial axes are more than the 12 that this library samples"},
        {deform({1, 2, 5}, {3, 2}, {1, 2, 4}), "W is float[3,2], expected the rank of X, 3"},
        {deform({1, 2, 5}, {3, 1, 2}, {1, 2, 4}),
         "group = 1 must divide the channels of X, float[1,2,5], and of W, float[3,1,2]"},
        {deform({1, 2, 5}, {3, 1, 2}, {1, 2, 4}, {int_attribute("group", 2)}), "group = 2 must divide the channels"},
        {deform({1, 2, 5}, {3, 2, 2}, {1, 2, 4}, {int_attribute("offset_group", 3)}),
         "offset_group = 3 must divide the channels"},
        {deform({1, 2, 5}, {3, 2, 2}, {1, 2, 4}, {ints_attribute("kernel_shape", {3})}), "kernel_shape must be the spatial"},
        {deform({1, 2, 5}, {3, 2, 2}, {1, 2, 5}), "offset is float[1,2,5], expected float[1,2,4]"},
        {deform({1, 2, 1}, {3, 2, 2}, {1, 2, 4}), "axis 2 of X, with its pads, is smaller than the kernel"},
        {masked, "mask is float[1,4,4], expected float[1,2,4]"},
        {pool({}, {string_attribute("mode", "min")}), "RoiAlign: mode = 'min' must be avg or max"},
        {pool({}, {string_attribute("coordinate_transformation_mode", "pixel")}),
         "mode = 'pixel' must be half_pixel or output_h"},
        {pool({}, {int_attribute("output_width", 0)}), "output_height and output_width[1] = 0 must be from 1 to 2147483647"},
        {pool({}, {int_attribute("sampling_ratio", -1)}), "sampling_ratio = -1 must be from 0 to 1024"},
        {pool({{0, {{2, 3, 5}}}}), "X is float[2,3,5], expected four dimensions"},
        {pool({{1, {{4, 5}}}}), "rois is float[4,5], expected four numbers for each region"},
        {pool({{2, {{4}, DType::int32}}}), "batch_indices is int32[4], expected int64[4]"},
        {pool({{2, {{3}, DType::int64}}}), "batch_indices is int64[3], expected int64[4]"},
        {biased, "B is float[2], expected float[3]"},
    };
    for (const auto& [node, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(node), sentence)) << node.op_type;
    EXPECT_TRUE(unsupported(explain_composite({"Col2Im", {{{1, 4, 4}}, {{2}, DType::int64}, known("x2", {2, 2})}}),
                            "image_shape ('x1') is known only when running"));
    EXPECT_TRUE(unsupported(explain_composite(pool({}, {string_attribute("mode", "max")})),
                            "mode = 'max' is supported where sampling_ratio is given, and it is 0"));
}

TEST(Composites, WrongSequencesAreRefused)
{
    const auto product = [](const CompositeInput& x, int64_t axis, const std::vector<std::string>& attributes = {}) {
        return CompositeNode{
            .op_type = "CumProd", .inputs = {x, {.tensor = int64s("x1", {}, {axis})}}, .attributes = attributes, .opset = 26};
    };
    const auto scatter = [](const std::vector<CompositeInput>& inputs, const std::vector<std::string>& attributes = {}) {
        return CompositeNode{.op_type = "TensorScatter", .inputs = inputs, .attributes = attributes, .opset = 24};
    };
    const auto conv = [](const std::vector<CompositeInput>& inputs, const std::vector<std::string>& attributes = {}) {
        return CompositeNode{.op_type = "CausalConvWithState", .inputs = inputs, .attributes = attributes, .opset = 27};
    };
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {product({{2, 3}}, 2), "CumProd: axis = 2 must be from -2 to 1"},
        {product({{2, 3}}, 0, {int_attribute("exclusive", 2)}), "exclusive = 2 must be 0 or 1"},
        {product({{2, 3}}, 0, {int_attribute("reverse", -1)}), "reverse = -1 must be 0 or 1"},
        {product({{2, 3}, DType::int8}, 0), "x is int8[2,3], expected floats, int32, int64, uint32 or uint64"},
        {scatter({{{2, 3, 4}}, {{2, 3, 4}}}, {int_attribute("axis", 0)}),
         "TensorScatter: axis = 0 must not be the batch, axis 0"},
        {scatter({{{2, 3, 4}}, {{2, 3, 4}}}, {string_attribute("mode", "ring")}), "mode = 'ring' must be linear or circular"},
        {scatter({{{2, 3, 4}}, {{2, 4, 4}}}),
         "update is float[2,4,4], expected the dimensions of past_cache, float[2,3,4], with"},
        {scatter({{{2, 3, 4}}, {{2, 3}}}), "update is float[2,3], expected the dimensions of past_cache"},
        {scatter({{{2, 3, 4}}, {{2, 1, 4}}, {{3}, DType::int64}}), "write_indices is int64[3], expected int64[2]"},
        {conv({{{2, 3}}, {{3, 1, 4}}}), "CausalConvWithState: input is float[2,3], expected three dimensions"},
        {conv({{{2, 3, 5}}, {{3, 2, 4}}}), "weight is float[3,2,4], expected the dimensions 3, 1 and at least 1"},
        {conv({{{2, 3, 5}}, {{3, 1, 0}}}), "weight is float[3,1,0], expected the dimensions 3, 1 and at least 1"},
        {conv({{{2, 3, 5}}, {{3, 1, 4}}, {{2}}}), "bias is float[2], expected float[3]"},
        {conv({{{2, 3, 5}}, {{3, 1, 4}}, {{3}}, {{2, 3, 4}}}), "past_state is float[2,3,4], expected float[2,3,3]"},
        {conv({{{2, 3, 5}}, {{3, 1, 4}}}, {string_attribute("activation", "relu")}), "activation = 'relu' must be none, silu or"},
    };
    for (const auto& [node, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(node), sentence)) << node.op_type;
    CompositeNode axis = product({{2, 3}}, 0);
    axis.inputs[1] = {{}, DType::int64};
    EXPECT_TRUE(unsupported(explain_composite(axis), "axis ('x1') is known only when running"));
}

TEST(Composites, WrongMovementsAreRefused)
{
    const auto one_hot = [](const CompositeInput& depth, const std::vector<std::string>& attributes = {},
                            const CompositeInput& values = {{2}}) {
        return CompositeNode{"OneHot", {{{2, 4}, DType::int64}, depth, values}, attributes};
    };
    const auto upsample = [](const std::vector<float>& scales, const std::string& mode = "nearest") {
        return CompositeNode{.op_type = "Upsample",
                             .inputs = {{{2, 3}}},
                             .attributes = {floats_attribute("scales", scales), string_attribute("mode", mode)},
                             .opset = 7};
    };
    const auto reverse = [](const CompositeInput& x, const CompositeInput& lengths, int64_t batch = 1, int64_t time = 0) {
        return CompositeNode{
            "ReverseSequence", {x, lengths}, {int_attribute("batch_axis", batch), int_attribute("time_axis", time)}};
    };
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {one_hot(depth_of_3, {int_attribute("axis", 3)}), "OneHot: axis = 3 must be from -3 to 2"},
        {one_hot(depth_of_3, {int_attribute("axis", -4)}), "axis = -4 must be from -3 to 2"},
        {one_hot({.tensor = int64s("x1", {}, {-1})}), "depth = -1.000000 must be from 0 to 2147483647"},
        {one_hot({.tensor = int64s("x1", {}, {int64_t(1) << 31})}), "must be from 0 to 2147483647"},
        {one_hot({.tensor = float_tensor("x1", {}, {NAN})}), "must be from 0 to 2147483647"},
        {one_hot({.tensor = int64s("x1", {2}, {3, 3})}), "depth has 2 elements, expected one"},
        {one_hot({.tensor = int64s("x1", {0}, {})}), "depth has 0 elements, expected one"},
        {one_hot({.tensor = bool_tensor("x1", {}, {1})}), "depth ('x1') is bool[], expected numbers"},
        {one_hot(depth_of_3, {}, {{3}}), "values is float[3], expected one dimension of 2: off and on"},
        {{"EyeLike", {{{3}}}}, "EyeLike: input is float[3], expected two dimensions"},
        {{"EyeLike", {{{3, 3}}}, {int_attribute("dtype", 8)}},
         "dtype = 8, expected the number of a type of floats, booleans or integers"},
        {{"EyeLike", {{{3, 3}}}, {int_attribute("dtype", 17)}}, "dtype = 17, expected"},
        {{"EyeLike", {{{3, 3}}}, {int_attribute("dtype", 22)}}, "dtype = 22, expected"},
        {{"EyeLike", {{{3, 3}}}, {int_attribute("dtype", 99)}}, "dtype = 99, expected"},
        {{"EyeLike", {{{3, 3}}}, {int_attribute("dtype", 257)}}, "dtype = 257, expected"},
        {{"EyeLike", {{{3, 3}}}, {int_attribute("dtype", -255)}}, "dtype = -255, expected"},
        {{"EyeLike", {{{3, 3}, DType::complex64}}}, "dtype = 14, expected"},
        {{"Trilu", {{{3}}}}, "Trilu: input is float[3], expected two dimensions or more"},
        {{"Trilu", {{{3, 3}}}, {int_attribute("upper", 2)}}, "upper = 2 must be 0 or 1"},
        {{"Trilu", {{{3, 3}}, {{2}, DType::int64}}}, "k is int64[2], expected one int64"},
        {{"Trilu", {{{3, 3}}, {{}, DType::int32}}}, "k is int32[], expected one int64"},
        {{"Trilu", {{{3, 3}, DType::int4}}}, "Trilu: it needs a constant of type int4, expected floats, booleans or integers"},
        {{"Trilu", {{{3, 3}, DType::string}}}, "it needs a constant of type string, expected"},
        {reverse({{3}}, {{3}, DType::int64}), "ReverseSequence: input is float[3], expected two dimensions or more"},
        {reverse({{2, 3}}, {{3}, DType::int64}, 1, 1), "batch_axis = 1 and time_axis = 1 must be 0 and 1, or 1 and 0"},
        {reverse({{2, 3}}, {{3}, DType::int64}, -1, 0), "batch_axis = -1 and time_axis = 0 must be"},
        {reverse({{2, 3}}, {{2}, DType::int64}), "sequence_lens is int64[2], expected int64[3]"},
        {reverse({{2, 3}}, {{3}, DType::int32}), "sequence_lens is int32[3], expected int64[3]"},
        {upsample({2}), "Upsample: scales has 1 elements, expected 2, one for each axis of X"},
        {upsample({}), "scales has 0 elements, expected 2"},
        {upsample({2, 2}, "cubic"), "mode is 'cubic', expected nearest or linear"},
        {upsample({2, 0}), "Upsample: Resize: scales"},
        {upsample({2, -1}), "Upsample: Resize: scales"},
        {upsample({2, NAN}), "Upsample: Resize: scales"},
        {{.op_type = "Scatter",
          .inputs = {{{2, 3}}, {{2, 3}, DType::int64}, {{2, 3}}},
          .attributes = {int_attribute("axis", 2)},
          .opset = 9},
         "Scatter: ScatterElements"},
    };
    for (const auto& [node, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(node), sentence)) << node.op_type;
}

TEST(Composites, WrongNormalizationsAreRefused)
{
    const auto group = [](const Dims& dims, const Dims& scale, const std::vector<std::string>& attributes) {
        return CompositeNode{"GroupNormalization", {{dims}, {scale}, {scale}}, attributes};
    };
    const auto loss = [](const CompositeInput& x, const CompositeInput& target, const std::vector<CompositeInput>& weights = {},
                         const std::vector<std::string>& attributes = {}) {
        CompositeNode node = {"NegativeLogLikelihoodLoss", {x, target}, attributes};
        node.inputs.insert(node.inputs.end(), weights.begin(), weights.end());
        return node;
    };
    const CompositeInput target = {{2}, DType::int64};
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {{"Hardmax", {{{}}}}, "Hardmax: input has no axis"},
        {{"Hardmax", {{{2, 3}}}, {int_attribute("axis", 2)}}, "Hardmax: axis = 2 must be from -2 to 1"},
        {{.op_type = "Hardmax", .inputs = {{{2, 3}}}, .attributes = {int_attribute("axis", 3)}, .opset = 11}, "axis = 3 must be"},
        {{.op_type = "Hardmax", .inputs = {{{2, 3}}}, .attributes = {int_attribute("axis", -3)}, .opset = 11},
         "axis = -3 must be"},
        {{"LpNormalization", {{{2, 3}}}, {int_attribute("axis", 2)}}, "LpNormalization: axis = 2 must be from -2 to 1"},
        {{"LpNormalization", {{{2, 3}}}, {int_attribute("p", 3)}}, "p = 3 must be 1 or 2"},
        {{"LpNormalization", {{{}}}}, "axis = -1, but its input has no axis"},
        {{"MeanVarianceNormalization", {{{2, 3, 4}}}}, "MeanVarianceNormalization: ReduceMean: axes"},
        {group({4}, {4}, {int_attribute("num_groups", 2)}), "GroupNormalization: X is float[4], expected two dimensions or more"},
        {group({2, 4, 3}, {4}, {}), "attribute num_groups is required"},
        {group({2, 4, 3}, {4}, {int_attribute("num_groups", 3)}), "num_groups = 3 must divide X's 4 channels"},
        {group({2, 4, 3}, {4}, {int_attribute("num_groups", 0)}), "num_groups = 0 must divide"},
        {group({2, 4, 3}, {4}, {int_attribute("num_groups", -2)}), "num_groups = -2 must divide"},
        {group({2, 4, 3}, {2}, {int_attribute("num_groups", 2)}), "scale is float[2], expected 4 elements"},
        {group({2, 4, 3}, {4}, {int_attribute("num_groups", 2), int_attribute("stash_type", 10)}),
         "stash_type = 10, expected 1, which is float"},
        {{"RMSNormalization", {{{2, 3}}, {{3}}}, {int_attribute("stash_type", 11)}},
         "RMSNormalization: stash_type = 11, expected 1"},
        {{"RMSNormalization", {{{2, 3}}, {{3}}}, {int_attribute("axis", 2)}}, "axis = 2 must be from -2 to 1"},
        {{"RMSNormalization", {{{}}, {{}}}}, "axis = -1, but its input has no axis"},
        {{"RMSNormalization", {{{2, 1}}, {{3}}}},
         "scale is float[3], expected dimensions that are broadcast to those of float[2,1]"},
        {{"RMSNormalization", {{{3}}, {{2, 3}}}}, "scale is float[2,3], expected dimensions"},
        {{"RMSNormalization", {{{3}, DType::int32}, {{3}}}}, "X is int32[3], expected float, double, float16 or bfloat16"},
        {loss({{3}}, target), "NegativeLogLikelihoodLoss: input 0 is float[3], expected two dimensions or more"},
        {loss({{2, 3}}, {{3}, DType::int64}), "input 1 is int64[3], expected input 0's dimensions without the second"},
        {loss({{2, 3}}, {{2}}), "input 1 is float[2], expected int32 or int64"},
        {loss({{2, 3}}, {{2}, DType::int4}), "input 1 is int4[2], expected int32 or int64"},
        {loss({{2, 3}, DType::int32}, target), "input is int32[2,3], expected float, double, float16 or bfloat16"},
        {loss({{2, 3}}, target, {{{2}}}), "input 2 has not one element for each of the 3 classes"},
        {loss({{2, 3}}, target, {}, {string_attribute("reduction", "max")}), "reduction is 'max', expected none, sum or mean"},
        {{"SoftmaxCrossEntropyLoss", {{{2, 3}}, target}, {string_attribute("reduction", "max")}},
         "SoftmaxCrossEntropyLoss: reduction is 'max', expected none, sum or mean"},
        {{"BiasGelu", {{{2, 3}}, {{2}}}},
         "BiasGelu: bias is float[2], expected dimensions that are broadcast to those of float[2,3]"},
        {{"FastGelu", {{{3}}, {{2, 3}}}}, "FastGelu: bias is float[2,3], expected dimensions"},
        {{"Gelu", {{{3}, DType::int32}}}, "Gelu: Gelu: X has type int32"},
        {{"QuickGelu", {{{3}, DType::int32}}}, "QuickGelu: Swish: X has type int32"},
        {{"FusedMatMul", {{{2, 3}}, {{3, 4}}}, {int_attribute("transA", 2)}}, "FusedMatMul: transA = 2 must be 0 or 1"},
        {{"FusedMatMul", {{{2, 3}}, {{3, 4}}}, {int_attribute("transBatchB", -1)}}, "transBatchB = -1 must be 0 or 1"},
        {{"FusedMatMul", {{{2, 3}, DType::int32}, {{3, 4}, DType::int32}}}, "A is int32[2,3], expected float"},
        {{"FusedMatMul", {{{2, 3}}, {{2, 4}}}}, "FusedMatMul: MatMul: A has K = 3, but B has K = 2"},
        {{"FusedConv", {{{1, 2, 5}}, {{3, 2, 3}}}, {string_attribute("activation", "LeakyRelu")}},
         "FusedConv: activation_params has 0 entries, expected 1 for LeakyRelu"},
        {{"FusedConv", {{{1, 2, 5}}, {{3, 2, 3}}, {{3}}, {{1, 3, 5}}}},
         "FusedConv: Z is float[1,3,5], expected the dimensions of float[1,3,3]"},
        {{"SkipLayerNormalization", {{{3}}, {{2, 3}}, {{3}}}}, "SkipLayerNormalization: skip is float[2,3], expected dimensions"},
        {{"SkipLayerNormalization", {{{2, 3}}, {{2, 3}}, {{2}}}}, "gamma is float[2], expected dimensions"},
        {{"SkipSimplifiedLayerNormalization", {{{2, 3}}, {{2, 3}}, {{3}}, {{4}}}}, "bias is float[4], expected dimensions"},
        {{"SkipSimplifiedLayerNormalization", {{{}}, {{}}, {{}}}}, "SkipSimplifiedLayerNormalization: input has no axis"},
    };
    for (const auto& [node, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(node), sentence)) << node.op_type;
    EXPECT_TRUE(unsupported(explain_composite({"FusedGemm", {{{2, 3}}, {{3, 4}}}, {string_attribute("activation", "Mish")}}),
                            "FusedGemm: activation = 'Mish', supported are Relu, Sigmoid, "));
}

TEST(Composites, WrongAttentionIsRefused)
{
    const CompositeInput none = {}, lengths = {{2}, DType::int64}, past = {{2, 2, 7, 8}}, past_values = {{2, 2, 7, 6}};
    const auto joined = [](const Dims& q, const Dims& k, const Dims& v, const std::vector<std::string>& attributes) {
        return CompositeNode{"Attention", {{q}, {k}, {v}}, attributes};
    };
    const auto heads = [](int64_t q, int64_t kv) {
        return std::vector<std::string>{int_attribute("q_num_heads", q), int_attribute("kv_num_heads", kv)};
    };
    const auto rotary = [](const Dims& x, const Dims& cache, const std::vector<std::string>& attributes,
                           const std::vector<CompositeInput>& places = {}) {
        CompositeNode node = {"RotaryEmbedding", {{x}, {cache}, {cache}}, attributes};
        node.inputs.insert(node.inputs.end(), places.begin(), places.end());
        return node;
    };
    const struct {
        CompositeNode node;
        std::string sentence;
    } cases[] = {
        {attention_node({}, {int_attribute("qk_matmul_output_mode", 4)}),
         "Attention: qk_matmul_output_mode = 4 must be from 0 to 3"},
        {attention_node({}, {int_attribute("is_causal", 2)}), "is_causal = 2 must be 0 or 1"},
        {attention_node({}, {int_attribute("softmax_precision", 7)}), "softmax_precision = 7 must be 1, 10, 11 or 16"},
        {attention_node({}, {int_attribute("left_window_size", -2)}), "left_window_size = -2 must be at least -1"},
        {attention_node({}, {int_attribute("right_window_size", -2)}), "right_window_size = -2 must be at least -1"},
        {attention_node({}, {int_attribute("left_window_size", 1)}, 24), "left_window_size"},
        {joined({2, 3}, {2, 3}, {2, 3}, {}), "Q, K and V have 2, 2 and 2 dimensions, expected 3 or 4, as many of each"},
        {joined({2, 3, 8}, {2, 1, 3, 8}, {2, 1, 3, 8}, {}), "Q, K and V have 3, 4 and 4 dimensions"},
        {joined({2, 3, 8}, {2, 3, 8}, {2, 3, 8}, {}),
         "q_num_heads = 0 and kv_num_heads = 0 must be above 0, and be given with three dimensions"},
        {joined({2, 3, 8}, {2, 3, 8}, {2, 3, 8}, heads(-2, 2)), "q_num_heads = -2 and kv_num_heads = 2 must be above 0"},
        {joined({2, 3, 8}, {2, 3, 8}, {2, 3, 8}, heads(2, 4)), "q_num_heads = 2 must be a multiple of kv_num_heads = 4"},
        {joined({2, 3, 8}, {2, 3, 8}, {2, 3, 8}, heads(3, 3)), "Q is float[2,3,8], expected float[2,3,6]"},
        {joined({2, 3, 8}, {2, 3, 6}, {2, 3, 8}, heads(2, 2)), "K is float[2,3,6], expected float[2,3,8]"},
        {joined({2, 3, 8}, {2, 4, 8}, {2, 3, 8}, heads(2, 2)), "V is float[2,3,8], expected float[2,4,8]"},
        {attention_node({}, heads(2, 2)), "Q is float[2,4,3,8], expected float[2,2,3,8]"},
        {attention_node({none, past}, {}, 25, {"x3"}), "past_key and past_value must be given together"},
        {attention_node({none, past, past_values, lengths}, {}, 25, {"x3"}), "nonpad_kv_seqlen must not be given with past_key"},
        {attention_node({none, past_values, past_values}, {}, 25, {"x3"}),
         "past_key is float[2,2,7,6] and past_value float[2,2,7,6], expected the batches, heads and sizes of K and V"},
        {attention_node({none, {{2, 2, 7}}, past_values}, {}, 25, {"x3"}), "past_key is float[2,2,7] and"},
        {attention_node({none, none, none, {{3}, DType::int64}}, {}, 25, {"x3", "x4", "x5"}),
         "nonpad_kv_seqlen is int64[3], expected int64[2]"},
        {attention_node({none, none, none, {{2}, DType::int32}}, {}, 25, {"x3", "x4", "x5"}),
         "nonpad_kv_seqlen is int32[2], expected int64[2]"},
        {attention_node({{{3, 6}}}), "attn_mask is float[3,6], which is longer than the 5 keys"},
        {attention_node({{{2, 5}}}),
         "attn_mask is float[2,5], expected dimensions that are broadcast to those of float[2,4,3,5]"},
        {attention_node({{{2, 2, 4, 3, 5}}}), "attn_mask is float[2,2,4,3,5], expected dimensions"},
        {attention_node({{{2, 2, 4, 3, 5}, DType::boolean}}), "attn_mask is bool[2,2,4,3,5], expected dimensions"},
        {{"Attention", {{{2, 4, 3, 8}, DType::int32}, {{2, 2, 5, 8}, DType::int32}, {{2, 2, 5, 6}, DType::int32}}},
         "Q is int32[2,4,3,8], expected float, double, float16 or bfloat16"},
        {rotary({2, 8}, {2, 4}, {}), "RotaryEmbedding: X is float[2,8], expected three or four dimensions"},
        {rotary({2, 3, 8}, {2, 3, 2}, {}), "num_heads = 0 must divide the last of X's three dimensions"},
        {rotary({2, 3, 8}, {2, 3, 2}, {int_attribute("num_heads", 3)}), "num_heads = 3 must divide"},
        {rotary({2, 2, 3, 5}, {2, 3, 2}, {}), "rotary_embedding_dim = 5 must be even and at most the size of a head, 5"},
        {rotary({2, 2, 3, 4}, {2, 3, 2}, {int_attribute("rotary_embedding_dim", 6)}), "rotary_embedding_dim = 6 must be even"},
        {rotary({2, 2, 3, 4}, {2, 3, 2}, {int_attribute("rotary_embedding_dim", -2)}), "rotary_embedding_dim = -2 must be even"},
        {rotary({2, 2, 3, 4}, {2, 3, 3}, {}), "cos_cache is float[2,3,3], expected float[2,3,2]"},
        {rotary({2, 2, 3, 8}, {2, 3, 3}, {int_attribute("rotary_embedding_dim", 4)}),
         "cos_cache is float[2,3,3], expected float[2,3,2]"},
        {rotary({2, 2, 3, 4}, {7, 3}, {}, {{{2, 3}, DType::int64}}),
         "cos_cache is float[7,3] and position_ids int64[2,3], expected 2 columns and (2, 3)"},
        {rotary({2, 2, 3, 4}, {7, 2}, {}, {{{3, 2}, DType::int64}}), "position_ids int64[3,2], expected 2 columns and (2, 3)"},
        {{"RotaryEmbedding", {{{2, 2, 3, 4}, DType::int32}, {{2, 3, 2}}, {{2, 3, 2}}}}, "X is int32[2,2,3,4], expected float"},
    };
    for (const auto& [node, sentence] : cases)
        EXPECT_TRUE(invalid(explain_composite(node), sentence)) << node.op_type;
}

// The sentence names the composite and the operator that has not the type.
TEST(Composites, TypesOfTheirOperatorsAreTheirs)
{
    EXPECT_TRUE(
        unsupported(explain_composite({"CastLike", {{{3}, DType::string}, {{3}}}}), "CastLike: Cast: input has type string"));
    EXPECT_TRUE(unsupported(explain_composite({"LpNormalization", {{{2}, DType::int32}}}),
                            "LpNormalization: ReduceL2: data has type int32"));
    EXPECT_TRUE(unsupported(explain_composite({"SoftmaxCrossEntropyLoss", {{{2, 3}, DType::float64}, {{2}, DType::int64}}}),
                            "SoftmaxCrossEntropyLoss: LogSoftmax: input has type double"));
}

TEST(Composites, ConstantsAreLimited)
{
    SessionOptions options;
    options.max_folded_bytes = 100;
    EXPECT_TRUE(accepted(explain_composite({"EyeLike", {{{5, 5}}}}, options)));
    EXPECT_TRUE(unsupported(explain_composite({"EyeLike", {{{5, 6}}}}, options),
                            "EyeLike: it needs the constant float[5,6] of 120 bytes, above what is left of "
                            "SessionOptions::max_folded_bytes, 100"));
    EXPECT_TRUE(
        unsupported(explain_composite({"OneHot", {{{2}, DType::uint8}, {.tensor = int64s("x1", {}, {int64_t(1) << 30})}, {{2}}}}),
                    "OneHot: it needs the constant int64[1,1073741824]"));
    // The channels are none, so that any number of groups divides them.
    EXPECT_TRUE(unsupported(
        explain_composite({"GroupNormalization", {{{2, 0, 3}}, {{0}}, {{0}}}, {int_attribute("num_groups", int64_t(1) << 50)}}),
        "GroupNormalization: it needs the constant"));
}

TEST(Composites, OutputsThatNothingMakesAreRefused)
{
    EXPECT_TRUE(unsupported(
        explain_composite(
            {.op_type = "SkipSimplifiedLayerNormalization", .inputs = {{{2, 3}}, {{2, 3}}, {{3}}}, .outputs = {"y0", "y1"}}),
        "SkipSimplifiedLayerNormalization: output 1 is not supported"));
    EXPECT_TRUE(accepted(explain_composite({.op_type = "SkipSimplifiedLayerNormalization",
                                            .inputs = {{{2, 3}}, {{2, 3}}, {{3}}},
                                            .outputs = {"y0", "", "y2", "y3"}})));
}

}  // namespace
}  // namespace vkonnx::onnx
