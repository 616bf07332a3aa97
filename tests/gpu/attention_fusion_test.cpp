// This file tests that a DotProductAttention that was found in its parts computes what they compute. tests/unit/onnx has a test
// of what is found. Estimates for CPUs prefer the parts, so that the devices claim to be none here.
#include <vkonnx/onnx.hpp>

#include "composite_problem.h"
#include "kit/draw.h"
#include "kit/operators.h"

namespace vkonnx::gpu_test {
namespace {

struct AttentionGraph {
    std::string file = {};
    std::vector<onnx::HostTensor> inputs = {};
    std::vector<kit::Answer> answers = {};
    Dims output = {};
};

// Draws a model in one of the ways that exporters write: with three or four axes, the heads side by side or in front, a scale of
// the scores or of Q and K, with and without a bias.
AttentionGraph drawn(unsigned seed)
{
    kit::Draw draw(seed);
    const bool has_batches = draw.one_in(2), joins = draw.one_in(2), scales_both = draw.one_in(2), has_bias = draw.one_in(2);
    const int64_t batch = has_batches ? 2 : 1, heads = draw.between(1, 3), queries = draw.of<int64_t>({31, 32, 63}),
                  keys = draw.of<int64_t>({64, 95, 128});
    const int64_t size = 4 * draw.between(4, 10), value_size = 4 * draw.between(4, 10);
    const double scale = draw.of({0.25, 0.5});
    AttentionGraph graph;
    kit::ModelBuilder builder;
    builder.opset(17);
    // Heads side by side are (batch, rows, heads, size), or without batches (rows, heads, size).
    const Dims joined = has_batches ? Dims{0, 2, 1, 3} : Dims{1, 0, 2};
    std::vector<kit::RealTensor> operands;
    const auto add = [&](const std::string& name, int64_t rows, int64_t elements) {
        Dims dims = joins ? Dims{rows, heads, elements} : Dims{heads, rows, elements};
        if (has_batches)
            dims.insert(dims.begin(), batch);
        std::vector<float> values;
        for (int64_t i = 0; i < batch * heads * rows * elements; ++i)
            values.push_back(float(draw.between(-64, 64)) / 32);
        builder.input(name, DType::float32, {dims.begin(), dims.end()});
        operands.push_back(
            {.desc = {DType::float32, joins ? Dims{batch, rows, heads * elements} : Dims{batch, heads, rows, elements}},
             .values = {values.begin(), values.end()}});
        graph.inputs.push_back(floats(dims, values));
    };
    add("Q", queries, size);
    add("K", keys, size);
    add("V", keys, value_size);
    builder.initializer(kit::raw_tensor("scale", {DType::float32, {}}, kit::encoded(DType::float32, std::vector{scale})));
    builder.initializer(kit::raw_tensor("inverse", {DType::float32, {}}, kit::encoded(DType::float32, std::vector{1 / scale})));
    Dims turned = joined;
    std::swap(turned[turned.size() - 2], turned.back());
    if (!joins) {
        turned = has_batches ? Dims{0, 1, 3, 2} : Dims{0, 2, 1};
    }
    std::string q = "Q", k = "k", v = "V";
    if (joins) {
        builder.node("Transpose", {"Q"}, {"q"}, {kit::ints_attribute("perm", joined)});
        builder.node("Transpose", {"V"}, {"v"}, {kit::ints_attribute("perm", joined)});
        q = "q";
        v = "v";
    }
    builder.node("Transpose", {"K"}, {"k"}, {kit::ints_attribute("perm", turned)});
    if (scales_both) {
        builder.node("Mul", {q, "scale"}, {"qs"}).node("Mul", {k, "scale"}, {"ks"});
        q = "qs";
        k = "ks";
    }
    builder.node("MatMul", {q, k}, {"s"});
    std::string s = "s";
    if (!scales_both) {
        if (draw.one_in(2))
            builder.node("Mul", {"scale", s}, {"d"});
        else
            builder.node("Div", {s, "inverse"}, {"d"});
        s = "d";
    }
    if (has_bias) {
        const Dims dims = draw.one_in(2) ? Dims{queries, keys} : Dims{1, keys};
        std::vector<float> values;
        for (int64_t i = 0; i < dims[0] * dims[1]; ++i)
            values.push_back(draw.one_in(8) ? -HUGE_VALF : float(draw.between(-64, 64)) / 64);
        operands.push_back({.desc = {DType::float32, dims}, .values = {values.begin(), values.end()}});
        builder.input("B", DType::float32, {dims.begin(), dims.end()});
        graph.inputs.push_back(floats(dims, values));
        builder.node("Add", {s, "B"}, {"a"});
        s = "a";
    }
    builder.node("Softmax", {s}, {"w"}, {kit::int_attribute("axis", -1)}).node("MatMul", {"w", v}, {"y"});
    if (joins)
        builder.node("Transpose", {"y"}, {"Y"}, {kit::ints_attribute("perm", joined)});
    graph.file = builder.output(joins ? "Y" : "y").build();

    DotProductAttention op = {.scale = float(scales_both ? scale * scale : scale)};
    if (joins)
        op.q_num_heads = op.kv_num_heads = heads;
    const int64_t count = batch * heads * queries * value_size;
    graph.output = joins ? Dims{queries, heads, value_size} : Dims{heads, queries, value_size};
    if (has_batches)
        graph.output.insert(graph.output.begin(), batch);
    const auto answers = kit::reference(op, operands, kit::sample_of({DType::float32, {count}}, count));
    EXPECT_TRUE(answers) << answers.message();
    graph.answers = answers ? *answers : std::vector<kit::Answer>();
    return graph;
}

// Returns the capabilities of a device as those of a GPU.
Capabilities as_gpu(uint32_t index)
{
    const auto itself = CaseDevice::open(index, CaseDevice::default_options());
    EXPECT_TRUE(itself) << itself.message();
    Capabilities capabilities = itself ? (*itself)->device().capabilities() : Capabilities();
    capabilities.is_cpu = false;
    capabilities.work_per_second = 1e8;  // less than what any machine measures, so that all estimates are the same
    return capabilities;
}

// Several heads of queries share the keys, and are rows of one matrix before they are found.
TEST(AttentionFusion, ComputesHeadsThatShareKeys)
{
    using I = int64_t;
    constexpr I batches = 2, heads = 6, queries = 64, keys = 96, size = 16, value_size = 12;
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = CaseDevice::open(present.index, CaseDevice::default_options(), as_gpu(present.index));
        ASSERT_TRUE(device) << device.message();
        CompositeDraw draw(1);
        for (const I key_heads : {3, 1})
            for (const bool is_joined : {false, true})
                for (const bool has_mask : {false, true}) {
                    const auto tensor = [&](I count, I places, I elements) {
                        return draw.tensor(DType::float32, is_joined ? Dims{batches, places, count * elements}
                                                                     : Dims{batches, count, places, elements});
                    };
                    kit::CompositeProblem problem = {.op_type = "Attention",
                                                     .inputs = {tensor(heads, queries, size), tensor(key_heads, keys, size),
                                                                tensor(key_heads, keys, value_size)}};
                    if (is_joined)
                        problem.attributes = {{"q_num_heads", heads}, {"kv_num_heads", key_heads}};
                    if (has_mask)
                        problem.inputs.push_back(draw.tensor(DType::float32, {heads, 1, keys}));
                    const Result<onnx::Session> session = prepare(**device, kit::model_of(problem));
                    ASSERT_TRUE(session) << session.message();
                    const std::string kernels = session->report().nodes[0].explanation.kernel;
                    EXPECT_NE(kernels.find("dot_product_attention_tiles_f32"), kernels.npos) << kernels;
                    expect_composite(**device, problem);
                }
    }
}

TEST(AttentionFusion, ComputesWhatItsPartsCompute)
{
    const unsigned first = kit::test_seed(1);
    const auto graphs = unsigned(kit::test_problems(5));
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = CaseDevice::open(present.index, CaseDevice::default_options(), as_gpu(present.index));
        ASSERT_TRUE(device) << device.message();
        for (unsigned seed = first; seed < first + graphs; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            const AttentionGraph graph = drawn(seed);
            for (const bool fuses : {true, false}) {
                const onnx::SessionOptions options = {.without_fusions = fuses ? 0 : uint32_t(onnx::Fusion::pattern)};
                const Result<onnx::Session> session = prepare(**device, graph.file, {}, options);
                ASSERT_TRUE(session) << session.message();
                size_t calls = 0;
                for (const onnx::NodeReport& node : session->report().nodes)
                    calls += node.runs();
                EXPECT_EQ(calls == 1, fuses) << calls;
                const std::vector<onnx::HostTensor> got = run(**device, graph.file, graph.inputs, {}, options);
                ASSERT_EQ(got.size(), 1u);
                EXPECT_EQ(got[0].desc.dims, graph.output);
                const std::vector<float> values = values_of<float>(got[0]);
                ASSERT_EQ(values.size(), graph.answers.size());
                for (size_t i = 0; i < values.size(); ++i) {
                    const double value = graph.answers[i].value.hi;
                    ASSERT_NEAR(values[i], value, graph.answers[i].ulps * kit::ulp_at(DType::float32, float(value))) << i;
                }
            }
        }
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
