#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace vkonnx {
namespace {

using Pads = std::vector<int64_t>;

TEST(Explain, AveragePool)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 3, 32, 32}}};
    const AveragePool pool = {.auto_pad = AutoPad::same_upper, .kernel_shape = {2, 3}, .strides = {1, 2}};
    const auto explained = explain(pool, inputs, Capabilities());
    ASSERT_TRUE(explained) << explained.message();
    EXPECT_EQ(explained->outputs, (std::vector<TensorDesc>{{DType::float32, {1, 3, 32, 16}}}));
    EXPECT_EQ(explained->outputs, *infer(pool, inputs));
    EXPECT_EQ(explained->pads_begin, (Pads{0, 0}));
    EXPECT_EQ(explained->pads_end, (Pads{1, 1}));
    EXPECT_EQ(explained->kernel, "average_pool_rows_f32");
    ASSERT_EQ(explained->pipelines.size(), 1u);
    EXPECT_EQ(explained->pipelines[0].kernel(), "average_pool_rows_kernel3_stride2_dilation1_clipped1_outputs4_f32")
        << "the module";
    ASSERT_EQ(explained->grids.size(), 1u);
    ASSERT_FALSE(explained->specialization.empty());
    EXPECT_EQ(explained->specialization[0].first, "workgroup_size");
    const uint64_t groups = uint64_t(explained->grids[0][0]) * explained->grids[0][1] * explained->grids[0][2];
    EXPECT_GE(groups * explained->specialization[0].second, 3u * 32 * 16 / 4) << "four outputs each";
    EXPECT_LE(explained->specialization[0].second, 128u) << "what the minimum offers";
    EXPECT_FALSE(explained->equation.empty());
    EXPECT_FALSE(explained->why.empty());
}

TEST(Explain, ConvTransposeAndAForcedKernel)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 2, 5}}, {DType::float32, {2, 4, 3}}};
    const ConvTranspose up = {.strides = {2}, .pads = {1, 0}};
    const auto explained = explain(up, inputs, Capabilities());
    ASSERT_TRUE(explained) << explained.message();
    EXPECT_EQ(explained->kernel, "conv_transpose_direct_f32");
    EXPECT_EQ(explained->outputs, (std::vector<TensorDesc>{{DType::float32, {1, 4, 10}}}));
    EXPECT_EQ(explained->pads_begin, Pads{1});
    EXPECT_EQ(explained->pads_end, Pads{0});
    const auto forced = explain(up, inputs, Capabilities(), {.kernel = "conv_transpose_nd"});
    ASSERT_TRUE(forced) << forced.message();
    EXPECT_EQ(forced->kernel, "conv_transpose_nd_f32");
    EXPECT_EQ(forced->outputs, explained->outputs);
}

TEST(Explain, TellsEveryPipelineOnce)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 8, 16, 16}}, {DType::float32, {8, 8, 4, 4}}};
    const ConvTranspose up = {.strides = {2, 2}};
    const auto pipelines = [&](const PrepareOptions& options) {
        const auto explained = explain(up, inputs, *Capabilities::preset("desktop"), options);
        EXPECT_TRUE(explained) << explained.message();
        return explained ? explained->pipelines : std::vector<PlannedPipeline>();
    };
    // The pipelines are one that packs X, one that packs W, whether it is constant or not, and the product.
    const auto phases = pipelines({.kernel = "conv_transpose_phases"});
    ASSERT_EQ(phases.size(), 3u);
    EXPECT_EQ(phases, pipelines({.kernel = "conv_transpose_phases", .constants = {{.input = 1}}}));
    for (const std::string_view kernel : {"implicit_gemm_inputs_f32", "implicit_gemm_weights_f32"}) {
        const auto is_it = [&](const PlannedPipeline& pipeline) { return pipeline.kernel() == kernel; };
        EXPECT_EQ(std::count_if(phases.begin(), phases.end(), is_it), 1) << kernel;
    }

    const auto direct = pipelines({.kernel = "conv_transpose_direct"});
    ASSERT_EQ(direct.size(), 1u);
    EXPECT_EQ(direct[0].kernel(), "conv_transpose_direct_f32");
    ASSERT_EQ(direct[0].specialization().size(), 7u);
    EXPECT_EQ(direct[0].specialization()[1], (std::pair<std::string, uint32_t>("rank", 2)));
    const TensorDesc line = {DType::float32, {1, 3, 8}};
    const auto other = explain(AveragePool{.kernel_shape = {2}}, std::vector{line}, Capabilities());
    const auto padded = explain(AveragePool{.kernel_shape = {2}, .count_include_pad = 1}, std::vector{line}, Capabilities());
    ASSERT_TRUE(other && padded);
    EXPECT_TRUE(other->pipelines.at(0) == other->pipelines.at(0));
    EXPECT_FALSE(other->pipelines.at(0) == direct[0]);
    EXPECT_EQ(other->pipelines.at(0).kernel(), padded->pipelines.at(0).kernel());
    EXPECT_FALSE(other->pipelines.at(0) == padded->pipelines.at(0)) << "another specialization";
}

TEST(Explain, ShapeRunsOnTheHost)
{
    const std::vector<TensorDesc> inputs = {{DType::string, {4, 5, 6}}};
    const auto explained = explain(Shape{.start = -2}, inputs, Capabilities());
    ASSERT_TRUE(explained) << explained.message();
    EXPECT_EQ(explained->outputs, (std::vector<TensorDesc>{{DType::int64, {2}}}));
    EXPECT_EQ(explained->kernel, "host");
    EXPECT_TRUE(explained->grids.empty());
    EXPECT_TRUE(explained->pads_begin.empty());
    EXPECT_FALSE(explained->why.empty());
    const auto forced = explain(Shape{}, inputs, Capabilities(), {.kernel = "shape_direct"});
    EXPECT_EQ(forced.code(), Code::invalid_argument);
    EXPECT_EQ(forced.message(), "Shape: kernel 'shape_direct' does not fit; it runs on the host, without a kernel");
}

// The kernel's name tells the type that the user gave, and what it is computed in on this device.
TEST(Explain, NamesTheKernelOfEveryType)
{
    Capabilities doubles;
    doubles.float64 = true;
    const auto kernel_of = [](DType dtype, const Capabilities& capabilities) {
        const std::vector<TensorDesc> inputs = {{dtype, {1, 2, 5}}, {dtype, {2, 4, 3}}};
        const auto explained = explain(ConvTranspose{}, inputs, capabilities);
        EXPECT_TRUE(explained) << explained.message();
        EXPECT_EQ(explained->outputs[0].dtype, dtype);
        EXPECT_EQ(explained->why.find("doubles in integer words") != std::string::npos, explained->kernel.ends_with("_f64_soft"));
        return explained->kernel;
    };
    EXPECT_EQ(kernel_of(DType::float32, Capabilities()), "conv_transpose_direct_f32");
    EXPECT_EQ(kernel_of(DType::float16, Capabilities()), "conv_transpose_direct_f16");
    EXPECT_EQ(kernel_of(DType::bfloat16, Capabilities()), "conv_transpose_direct_bf16");
    EXPECT_EQ(kernel_of(DType::float64, Capabilities()), "conv_transpose_direct_f64_soft");
    EXPECT_EQ(kernel_of(DType::float64, doubles), "conv_transpose_direct_f64");
}

TEST(Explain, OnednnConvTransposeInItsFormats)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {2, 5, 7, 6}}, {DType::float32, {3, 2, 6, 4}}};
    const onednn::ConvTranspose up = {
        .strides = {2, 1}, .pads_begin = {1, 0}, .pads_end = {0, 1}, .dilations = {1, 1}, .groups = 2};
    const auto explained = explain(up, inputs, Capabilities(), {.kernel = "conv_transpose_direct"});
    ASSERT_TRUE(explained) << explained.message();
    EXPECT_EQ(explained->outputs, (std::vector<TensorDesc>{{DType::float32, {2, 10, 7, 8}, Layout::nxc}}));
    EXPECT_EQ(explained->outputs, *infer(up, inputs));
    EXPECT_EQ(explained->pads_begin, (Pads{1, 0}));
    EXPECT_EQ(explained->pads_end, (Pads{0, 1}));
    EXPECT_EQ(explained->kernel, "conv_transpose_direct_f32");
    EXPECT_EQ(
        explained->specialization,
        (std::vector<std::pair<std::string, uint32_t>>{
            {"workgroup_size", 64}, {"rank", 2}, {"bias", 0}, {"layout", 1}, {"filter", 0}, {"epilogue", 0}, {"prologue", 0}}));
}

// Pads and sizes are the problem's own, also where a kernel sees fewer axes.
TEST(Explain, TellsOfMergedAxes)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 6, 7, 9, 3}, Layout::nxc}};
    const auto explained = explain(AveragePool{.kernel_shape = {1, 3, 1}, .pads = {0, 1, 0, 0, 1, 0}}, inputs, Capabilities());
    ASSERT_TRUE(explained) << explained.message();
    EXPECT_TRUE(explained->why.starts_with("its 3 spatial axes are merged to 1; ")) << explained->why;
    EXPECT_EQ(explained->pads_begin, (Pads{0, 1, 0}));
    EXPECT_EQ(explained->outputs, (std::vector<TensorDesc>{{DType::float32, {1, 6, 7, 9, 3}, Layout::nxc}}));
}

// An output takes 32 multiply-adds, of 16 channels and at most 2 taps, and 16 more for what it takes beside. There are 4 x 100.
TEST(Explain, CutsWhatWouldTakeTooLong)
{
    Capabilities slow;
    slow.work_per_second = 9600;
    const auto explained = [&](DType dtype, double seconds) {
        const std::vector<TensorDesc> inputs = {{dtype, {1, 16, 99}}, {dtype, {16, 4, 2}}};
        const auto result =
            explain(ConvTranspose{}, inputs, slow, {.kernel = "conv_transpose_direct", .max_dispatch_seconds = seconds});
        EXPECT_TRUE(result) << result.message();
        return *result;
    };
    EXPECT_EQ(explained(DType::float32, 2).grids, (std::vector<std::array<uint32_t, 3>>{{7, 1, 1}}));
    EXPECT_EQ(explained(DType::float32, 1).grids.size(), 3u) << "200 outputs in a second, 192 of them in whole workgroups";
    EXPECT_EQ(explained(DType::float32, 1).scratch_bytes, 0u) << "sums of floats go on in the output";
    EXPECT_EQ(explained(DType::float16, 1).scratch_bytes, 0u) << "no sum is cut";
    const Explanation halves = explained(DType::float16, 0.0067);  // 64 multiply-adds: a word, its sums in two parts
    EXPECT_EQ(halves.grids.size(), 200u * 3) << "and one dispatch that finishes it";
    EXPECT_EQ(halves.scratch_bytes, 8u);
}

TEST(Explain, RefusesATimeLimitOfNothing)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 3, 32}}};
    for (const double seconds : {0.0, -1.0}) {
        const auto explained =
            explain(AveragePool{.kernel_shape = {2}}, inputs, Capabilities(), {.max_dispatch_seconds = seconds});
        EXPECT_EQ(explained.code(), Code::invalid_argument);
        EXPECT_EQ(explained.message(),
                  "AveragePool: PrepareOptions::max_dispatch_seconds = " + std::to_string(seconds) + " must be greater than 0");
    }
}

TEST(Explain, IsReproducibleWhereSumsAndProductsRoundToNearest)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 3, 32}}};
    const AveragePool pool = {.kernel_shape = {2}};
    const auto refused = explain(pool, inputs, Capabilities(), {.reproducible = true});
    EXPECT_EQ(refused.code(), Code::unsupported);
    EXPECT_EQ(refused.message(),
              "AveragePool: PrepareOptions::reproducible needs a device that rounds sums and products of floats to nearest even, "
              "and no self-test has seen 'minimum' do so (Capabilities::rounds_to_nearest)");
    for (const std::string_view preset : {"lavapipe", "swiftshader", "desktop", "mobile"}) {
        const auto explained = explain(pool, inputs, *Capabilities::preset(preset), {.reproducible = true});
        ASSERT_TRUE(explained) << explained.message();
        EXPECT_EQ(explained->specialization.back(), (std::pair<std::string, uint32_t>{"exact_division", 1})) << preset;
    }
    EXPECT_EQ(explain(pool, inputs, Capabilities(), {.kernel = "average_pool_direct"})->specialization.back(),
              (std::pair<std::string, uint32_t>{"exact_division", 0}));

    const std::vector<TensorDesc> filter = {{DType::float32, {1, 2, 5}}, {DType::float32, {2, 4, 3}}};
    EXPECT_EQ(explain(ConvTranspose{}, filter, Capabilities(), {.reproducible = true}).code(), Code::unsupported);
}

uint32_t constant_of(const Explanation& explained, const std::string& name)
{
    const auto found = std::find_if(explained.specialization.begin(), explained.specialization.end(),
                                    [&](const auto& constant) { return constant.first == name; });
    return found == explained.specialization.end() ? UINT32_MAX : found->second;
}

TEST(Explain, TellsOfTheEpilogue)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 16, 99}}, {DType::float32, {16, 16, 3}}};
    const Elementwise leaky = {.kind = ElementwiseKind::leaky_relu, .alpha = 0.25f};
    const auto plain = explain(ConvTranspose{}, inputs, Capabilities());
    ASSERT_TRUE(plain) << plain.message();
    for (const char* const kernel : {"conv_transpose_phases", "conv_transpose_direct", "conv_transpose_nd"}) {
        const auto explained = explain(ConvTranspose{}, inputs, Capabilities(), {.kernel = kernel, .epilogue = leaky});
        ASSERT_TRUE(explained) << explained.message();
        EXPECT_EQ(explained->kernel.find(kernel), 0u);
        EXPECT_EQ(explained->equation, plain->equation + "\nepilogue: ONNX LeakyRelu-16: Y = X < 0 ? alpha * X : X");
        EXPECT_EQ(constant_of(*explained, "epilogue"), 2u) << kernel;
        EXPECT_EQ(explained->outputs, plain->outputs);
    }
    EXPECT_EQ(constant_of(*plain, "epilogue"), 0u);
}

TEST(Explain, RefusesAnEpilogueThatCanNotBe)
{
    const std::vector<TensorDesc> conv = {{DType::float32, {1, 2, 5}}, {DType::float32, {2, 4, 3}}};
    const std::vector<TensorDesc> doubles = {{DType::float64, {1, 2, 5}}, {DType::float64, {2, 4, 3}}};
    const auto said = [](const Operator& op, const std::vector<TensorDesc>& inputs, const Elementwise& epilogue) {
        const auto explained = explain(op, inputs, Capabilities(), {.epilogue = epilogue});
        const auto listed = kernels(op, inputs, Capabilities(), {.epilogue = epilogue});
        EXPECT_EQ(explained.message(), listed.message());
        EXPECT_EQ(explained.code(), listed.code());
        return std::string(explained.message());
    };
    const Elementwise relu = {.kind = ElementwiseKind::relu};
    EXPECT_EQ(said(AveragePool{.kernel_shape = {2}}, {conv[0]}, relu),
              "AveragePool: PrepareOptions::epilogue = Relu must not be given: it follows Conv, ConvTranspose, Gemm or MatMul");
    EXPECT_EQ(said(Shape{}, {conv[0]}, relu),
              "Shape: PrepareOptions::epilogue = Relu must not be given: it follows Conv, ConvTranspose, Gemm or MatMul");
    EXPECT_EQ(said(Elementwise{.kind = ElementwiseKind::neg}, {conv[0]}, relu),
              "Neg: PrepareOptions::epilogue = Relu must not be given: it follows Conv, ConvTranspose, Gemm or MatMul");
    EXPECT_EQ(
        said(ConvTranspose{}, conv, {.kind = ElementwiseKind::add}),
        "ConvTranspose: PrepareOptions::epilogue = Add must be Relu, LeakyRelu, Clip, Sigmoid, Tanh, HardSigmoid or HardSwish");
    EXPECT_EQ(said(ConvTranspose{}, conv, {}), "ConvTranspose: PrepareOptions::epilogue = Identity must be Relu, LeakyRelu, "
                                               "Clip, Sigmoid, Tanh, HardSigmoid or HardSwish");
    EXPECT_EQ(said(ConvTranspose{}, conv, {.kind = ElementwiseKind(99)}),
              "ConvTranspose: PrepareOptions::epilogue: Elementwise: kind = 99 must be one of ElementwiseKind");
    Elementwise chain = relu;
    chain.steps.emplace_back().kind = ElementwiseKind::neg;
    EXPECT_EQ(
        said(ConvTranspose{}, conv, chain),
        "ConvTranspose: PrepareOptions::epilogue: steps has Neg, but it must be a Mul, an Add or both in this order, by numbers");
    EXPECT_EQ(said(ConvTranspose{}, conv, {.kind = ElementwiseKind::relu, .alpha = 1.0f}),
              "ConvTranspose: PrepareOptions::epilogue: Relu: alpha must not be given: the operator has no such attribute");
    EXPECT_EQ(said(ConvTranspose{}, conv, {.opset = 0, .kind = ElementwiseKind::relu})
                  .find("ConvTranspose: PrepareOptions::epilogue: Relu: opset = 0"),
              0u);
    EXPECT_EQ(
        said(ConvTranspose{}, doubles, {.kind = ElementwiseKind::tanh}),
        "ConvTranspose: PrepareOptions::epilogue: Tanh: input has type double, in which there is no such function: float32, "
        "float16 and bfloat16 have it");
    EXPECT_EQ(
        said(onednn::ConvTranspose{.strides = {1}, .pads_begin = {0}, .pads_end = {0}, .dilations = {1}},
             {{DType::float32, {1, 5, 2}}, {DType::float32, {3, 2, 4}}}, {.kind = ElementwiseKind::abs}),
        "ConvTranspose: PrepareOptions::epilogue = Abs must be Relu, LeakyRelu, Clip, Sigmoid, Tanh, HardSigmoid or HardSwish");
    EXPECT_EQ(
        said(ConvTranspose{}, {{DType::float32, {0, 2, 5}}, conv[1]}, {.kind = ElementwiseKind::abs}),
        "ConvTranspose: PrepareOptions::epilogue = Abs must be Relu, LeakyRelu, Clip, Sigmoid, Tanh, HardSigmoid or HardSwish")
        << "though nothing runs";
    EXPECT_EQ(said(ConvTranspose{}, conv, {.kind = ElementwiseKind::leaky_relu, .alpha = NAN}), "") << "as the operator has it";
    EXPECT_EQ(said(ConvTranspose{}, conv, {.kind = ElementwiseKind::clip, .min = 1.0f, .max = -1.0f}), "") << "likewise";
    EXPECT_EQ(
        explain(ConvTranspose{}, std::span(conv), Capabilities(),
                {.kernel = "conv_transpose_columns", .constants = {{.input = 1}}, .epilogue = relu})
            .message(),
        "ConvTranspose: kernel \"conv_transpose_columns\" does not fit, because it stores its results as they are, without "
        "PrepareOptions::epilogue; those that fit: conv_transpose_phases, conv_transpose_phases_shared, conv_transpose_direct, "
        "conv_transpose_nd");
}

// X and Y have 16 KiB. Packed X has four channels a texel, which is more than 4 times as much. A band of it is bound at a time.
TEST(Explain, PacksInBandsWhatIsBeyondABinding)
{
    Capabilities c = *Capabilities::preset("desktop");
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 1, 64, 64}}, {DType::float32, {1, 1, 3, 3}}};
    const Conv conv = {.pads = {1, 1, 1, 1}};
    const auto whole = explain(conv, inputs, c, {.kernel = "conv_gemm"});
    ASSERT_TRUE(whole) << whole.message();
    c.max_storage_buffer_range = 1 << 15;
    const auto bands = explain(conv, inputs, c, {.kernel = "conv_gemm"});
    ASSERT_TRUE(bands) << bands.message();
    EXPECT_GT(whole->scratch_bytes, c.max_storage_buffer_range);
    EXPECT_LE(bands->scratch_bytes, c.max_storage_buffer_range);
    EXPECT_GT(bands->grids.size(), whole->grids.size());
}

bool are_among(const std::vector<PlannedPipeline>& some, const std::vector<PlannedPipeline>& all)
{
    return std::all_of(some.begin(), some.end(),
                       [&](const PlannedPipeline& one) { return std::find(all.begin(), all.end(), one) != all.end(); });
}

// Products of few rows have a kernel of their own. A kernel whose pipelines are built is kept nevertheless.
TEST(Explain, StaysWithPipelinesThatAreBuilt)
{
    const auto explained = [](int64_t rows, const std::vector<PlannedPipeline>& built) {
        const auto explained =
            explain(MatMul{}, std::vector<TensorDesc>{{DType::float32, {rows, 240}}, {DType::float32, {240, 480}}},
                    *Capabilities::preset("desktop"), {.constants = {{.input = 1}}, .built = built});
        EXPECT_TRUE(explained) << explained.message();
        return *explained;
    };
    // The kernel changes as products grow.
    Explanation few = explained(1, {});
    size_t changes = 0;
    for (int64_t rows = 2; rows < 4096; ++rows) {
        const Explanation more = explained(rows, {});
        if (more.kernel == few.kernel)
            continue;
        ++changes;
        const Explanation stays = explained(rows, few.pipelines);
        EXPECT_EQ(stays.kernel, few.kernel) << rows;
        EXPECT_TRUE(are_among(stays.pipelines, few.pipelines));
        EXPECT_NE(stays.why.find(" ms, but with pipelines that are not built"), std::string::npos) << stays.why;
        EXPECT_EQ(more.why.find("built"), std::string::npos) << more.why;
        EXPECT_EQ(explained(rows, more.pipelines).kernel, more.kernel);
        EXPECT_EQ(explained(rows, more.pipelines).grids, more.grids);
        few = more;
    }
    EXPECT_GE(changes, 2u) << "from a vector's to the engine's, and to tiles in shared memory";
    const Explanation one = explained(1, {});
    EXPECT_NE(explained(4096, one.pipelines).kernel, one.kernel) << "by then it takes more than twice as long";
    EXPECT_EQ(explained(4096, one.pipelines).kernel, explained(4096, {}).kernel);
}

// A kernel has tiles of several sizes, which fill a device better or worse. A size whose pipelines are built is kept.
TEST(Explain, StaysWithTilesThatAreBuilt)
{
    const auto explained = [](int64_t width, const std::vector<PlannedPipeline>& built) {
        const auto explained = explain(
            Conv{.pads = {1, 1, 1, 1}},
            std::vector<TensorDesc>{{DType::float32, {1, 64, 8, width}}, {DType::float32, {64, 64, 3, 3}}},
            *Capabilities::preset("desktop"), {.kernel = "conv_gemm_shared", .constants = {{.input = 1}}, .built = built});
        EXPECT_TRUE(explained) << explained.message();
        return *explained;
    };
    const Explanation narrow = explained(8, {});
    int64_t width = 16;
    while (width < 1 << 12 && are_among(explained(width, {}).pipelines, narrow.pipelines))
        width += 8;
    ASSERT_FALSE(are_among(explained(width, {}).pipelines, narrow.pipelines));
    EXPECT_TRUE(are_among(explained(width, narrow.pipelines).pipelines, narrow.pipelines)) << width;
}

TEST(Explain, TellsOfThePrologue)
{
    const Capabilities desktop = *Capabilities::preset("desktop");
    const TensorDesc x = {DType::float32, {1, 64, 8, 8}}, w = {DType::float32, {32, 64, 1, 1}},
                     none = {.dtype = DType::undefined};
    const std::vector<TensorDesc> plain_inputs = {x, w}, inputs = {x, w, none, {DType::float32, {64, 3}}};
    const Prologue prologue = {.scaled = true, .kind = ElementwiseKind::prelu};
    const auto plain = explain(Conv{}, plain_inputs, desktop);
    ASSERT_TRUE(plain) << plain.message();
    for (const auto& [kernel, modules] : {std::pair("conv_points", 1), std::pair("conv_gemm", 1), std::pair("conv_nd", 1)}) {
        const auto explained = explain(Conv{}, inputs, desktop, {.kernel = kernel, .prologue = prologue});
        ASSERT_TRUE(explained) << explained.message();
        EXPECT_EQ(explained->kernel.find(kernel), 0u);
        EXPECT_EQ(explained->equation, plain->equation + "\nprologue: t = x * scale + offset, t < 0 ? slope * t : t");
        EXPECT_EQ(explained->outputs, plain->outputs);
        const auto has_it = [&](const PlannedPipeline& pipeline) {
            const auto constants = pipeline.specialization();
            return std::find(constants.begin(), constants.end(), std::pair<std::string, uint32_t>("prologue", 5)) !=
                   constants.end();
        };
        EXPECT_EQ(std::count_if(explained->pipelines.begin(), explained->pipelines.end(), has_it), modules) << kernel;
    }
    const auto points = [&](const std::optional<Prologue>& one) {
        const std::vector<TensorDesc>& given = one ? inputs : plain_inputs;
        return explain(Conv{}, given, desktop, {.kernel = "conv_points", .constants = {{.input = 1}}, .prologue = one})->seconds;
    };
    EXPECT_GT(points(prologue), points({})) << "what each tile of rows computes anew";
    EXPECT_LT(points(prologue), 1.5 * points({}));
    const std::vector<TensorDesc> no_numbers = {x, w};
    EXPECT_TRUE(explain(Conv{}, no_numbers, desktop, {.prologue = Prologue{.kind = ElementwiseKind::relu}}));
}

TEST(Explain, RefusesAPrologueThatCanNotBe)
{
    const TensorDesc x = {DType::float32, {1, 2, 5}}, w = {DType::float32, {2, 4, 3}}, b = {DType::float32, {4}};
    const auto said = [](const Operator& op, const std::vector<TensorDesc>& inputs, const Prologue& prologue) {
        const auto explained = explain(op, inputs, *Capabilities::preset("desktop"), {.prologue = prologue});
        const auto listed = kernels(op, inputs, *Capabilities::preset("desktop"), {.prologue = prologue});
        EXPECT_EQ(explained.message(), listed.message());
        EXPECT_EQ(explained.code(), listed.code());
        return std::string(explained.message());
    };
    const Prologue relu = {.kind = ElementwiseKind::relu}, prelu = {.kind = ElementwiseKind::prelu}, scaled = {.scaled = true};
    EXPECT_EQ(said(AveragePool{.kernel_shape = {2}}, {x}, relu),
              "AveragePool: PrepareOptions::prologue = Relu must not be given: it goes in front of Conv, ConvTranspose or "
              "GlobalAveragePool");
    EXPECT_EQ(said(MatMul{}, {x, w}, scaled), "MatMul: PrepareOptions::prologue = scaled Identity must not be given: it goes in "
                                              "front of Conv, ConvTranspose or GlobalAveragePool");
    EXPECT_EQ(
        said(Shape{}, {x}, relu),
        "Shape: PrepareOptions::prologue = Relu must not be given: it goes in front of Conv, ConvTranspose or GlobalAveragePool");
    EXPECT_EQ(said(ConvTranspose{}, {x, w}, {.kind = ElementwiseKind::tanh}),
              "ConvTranspose: PrepareOptions::prologue = Tanh must be Identity, Relu or PRelu");
    EXPECT_EQ(said(ConvTranspose{}, {x, w}, {}),
              "ConvTranspose: PrepareOptions::prologue = Identity must be scaled: by itself it does nothing");
    EXPECT_EQ(
        said(ConvTranspose{}, {x, w, b}, prelu),
        "ConvTranspose: PrepareOptions::prologue = PRelu has its numbers as input 3, behind the place of B, and 3 inputs are "
        "given");
    for (const TensorDesc& wrong : {TensorDesc{DType::float16, {2, 1}}, TensorDesc{DType::float32, {1, 2}},
                                    TensorDesc{DType::float32, {2}}, TensorDesc{DType::float32, {4, 1}}})
        EXPECT_EQ(said(ConvTranspose{}, {x, w, b, wrong}, prelu),
                  "ConvTranspose: PrepareOptions::prologue = PRelu has its numbers as input 3, which is " + to_string(wrong) +
                      ", but must be float[2,1]: a row for each channel of X");
    EXPECT_EQ(
        said(ConvTranspose{}, {x, w, b, {DType::float32, {2, 2}}}, {.scaled = true, .kind = ElementwiseKind::prelu}),
        "ConvTranspose: PrepareOptions::prologue = scaled PRelu has its numbers as input 3, which is float[2,2], but must be "
        "float[2,3]: a row for each channel of X");
    EXPECT_EQ(said(GlobalAveragePool{}, {x}, prelu),
              "GlobalAveragePool: PrepareOptions::prologue = PRelu has its numbers as input 1, and 1 inputs are given");
    EXPECT_EQ(said(GlobalAveragePool{}, {x, {DType::float32, {5, 1}}}, prelu),
              "GlobalAveragePool: PrepareOptions::prologue = PRelu has its numbers as input 1, which is float[5,1], but must be "
              "float[2,1]: a row for each channel of X");
    EXPECT_EQ(said(GlobalAveragePool{}, {x, {DType::float32, {2, 1}}}, prelu), "");
    const onednn::ConvTranspose last = {.strides = {1}, .pads_begin = {0}, .pads_end = {0}, .dilations = {1}};
    EXPECT_EQ(said(last, {{DType::float32, {1, 5, 2}}, {DType::float32, {3, 2, 4}}, b, {DType::float32, {2, 1}}}, prelu), "")
        << "its channels are last";
    EXPECT_EQ(said(ConvTranspose{}, {x, w, {DType::float32, {5}}, {DType::float32, {2, 1}}}, prelu),
              "ConvTranspose: B.dims[0] = 5 must equal M = W.dims[1] * group = 4");
    EXPECT_EQ(
        said(ConvTranspose{}, {{DType::float32, {2}}, w, b, {DType::float32, {2, 1}}}, prelu).find("ConvTranspose: X has rank 1"),
        0u);
    const std::vector<TensorDesc> conv = {{DType::float32, {1, 4, 5}}, {DType::float32, {4, 1, 3}}};
    const auto depthwise =
        explain(Conv{.group = 4}, conv, *Capabilities::preset("desktop"), {.kernel = "conv_depthwise", .prologue = relu});
    EXPECT_EQ(depthwise.message().find("Conv: kernel \"conv_depthwise\" does not fit, because it reads X as it is, without "
                                       "PrepareOptions::prologue; those that fit: "),
              0u)
        << depthwise.message();
    Capabilities few;
    const auto nd = explain(Conv{.group = 4}, conv, few, {.kernel = "conv_nd", .prologue = relu});
    EXPECT_NE(
        nd.message().find("with PrepareOptions::prologue it binds 5 storage buffers, and the device's max_storage_buffers is 4"),
        std::string_view::npos)
        << nd.message();
    EXPECT_TRUE(explain(Conv{.group = 4}, conv, few, {.kernel = "conv_gemm", .prologue = relu})) << "X is packed by itself";
}

TEST(Explain, PassesOnWhatIsWrong)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 3, 32}}};
    EXPECT_EQ(explain(AveragePool{}, inputs, Capabilities()).code(), Code::invalid_argument);
    EXPECT_EQ(explain(AveragePool{.kernel_shape = {2}}, inputs, Capabilities(), {.kernel = "none"}).code(),
              Code::invalid_argument);
    Capabilities tiny;
    tiny.max_storage_buffer_range = 100;
    const auto refused = explain(AveragePool{.kernel_shape = {2}}, inputs, tiny);
    EXPECT_EQ(refused.code(), Code::unsupported);
    EXPECT_EQ(refused.message(),
              "AveragePool: the device's max_storage_buffer_range = 100 is too small for any part of its tensors");
}

}  // namespace
}  // namespace vkonnx
