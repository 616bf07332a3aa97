// This file tests where DotProductAttention is found in the operators that spell it out, and where not.
// tests/gpu/attention_fusion_test.cpp tests the values.
#include <algorithm>

#include "helpers.h"
#include "kit/elements.h"

namespace vkonnx::onnx {
namespace {

using List = std::vector<int64_t>;

// This struct holds the parts that a model may write in another way. There are 3 heads of 64 rows with 32 elements.
struct AttentionParts {
    bool is_joined = true;      // the heads of Q, K, V and Y lie side by side in their inputs and in the output
    const char* scale = "Div";  // of the scores; "" without one
    bool scales_q = false;      // a Mul of Q and of K in its place, as PyTorch writes them
    List bias = {2, 1, 1, 64};  // none where it is empty
    bool adds_after_scale = true;
    int64_t axis = -1;
    const char* seen = nullptr;  // a value that is also an output of the model
    DType dtype = DType::float32;
    const char* device = "amd-navi21";
    bool reproducible = false;
};

std::string model_of(const AttentionParts& parts)
{
    ModelBuilder builder;
    builder.opset(17);
    const auto number = [&](const char* name, double value) {
        builder.initializer(raw_tensor(name, {parts.dtype, {}}, kit::encoded(parts.dtype, std::vector{value})));
    };
    number("factor", 4);
    const List lies = parts.is_joined ? List{2, 64, 3, 32} : List{2, 3, 64, 32};
    for (const char* input : {"Q", "K", "V"})
        builder.input(input, parts.dtype, {lies.begin(), lies.end()});
    if (!parts.bias.empty())
        builder.input("B", parts.dtype, {parts.bias.begin(), parts.bias.end()});
    const auto turned = [&](const char* x, const char* y, const List& perm) {
        builder.node("Transpose", {x}, {y}, {ints_attribute("perm", perm)}, y);
    };
    std::string q = "Q", k = "k", v = "V";
    if (parts.is_joined) {
        turned("Q", "q", {0, 2, 1, 3});
        turned("V", "v", {0, 2, 1, 3});
        q = "q";
        v = "v";
    }
    turned("K", "k", parts.is_joined ? List{0, 2, 3, 1} : List{0, 1, 3, 2});
    if (parts.scales_q) {
        builder.node("Mul", {q, "factor"}, {"qs"}, {}, "qs").node("Mul", {"factor", k}, {"ks"}, {}, "ks");
        q = "qs";
        k = "ks";
    }
    builder.node("MatMul", {q, k}, {"s"}, {}, "s");
    std::string s = "s";
    const auto scaled = [&] {
        if (*parts.scale) {
            builder.node(parts.scale, {s, "factor"}, {"d"}, {}, "d");
            s = "d";
        }
    };
    if (parts.adds_after_scale)
        scaled();
    if (!parts.bias.empty()) {
        builder.node("Add", {"B", s}, {"a"}, {}, "a");
        s = "a";
    }
    if (!parts.adds_after_scale)
        scaled();
    builder.node("Softmax", {s}, {"w"}, {int_attribute("axis", parts.axis)}, "w").node("MatMul", {"w", v}, {"y"}, {}, "y");
    if (parts.is_joined)
        turned("y", "Y", {0, 2, 1, 3});
    builder.output(parts.is_joined ? "Y" : "y");
    if (parts.seen)
        builder.output(parts.seen);
    return builder.build();
}

// Returns the names of the nodes that run, with the kernel of what is not a part any more.
Names running(const AttentionParts& parts)
{
    const Result<Model> model = parse(model_of(parts));
    EXPECT_TRUE(accepted(model));
    SessionOptions options;
    options.without_fusions = uint32_t(Fusion::chain) | uint32_t(Fusion::activation) | uint32_t(Fusion::weights);
    options.prepare.reproducible = parts.reproducible;
    const Result<GraphReport> report = explain(*model, {}, *Capabilities::preset(parts.device), options);
    EXPECT_TRUE(accepted(report));
    Names names;
    for (const NodeReport& node : report ? report->nodes : std::vector<NodeReport>())
        if (node.runs())
            names.push_back(node.explanation.kernel.starts_with("dot_product_attention_tiles") ? node.name + " by tiles"
                                                                                               : node.name);
    return names;
}

TEST(AttentionFusion, TakesWhatSpellsItOut)
{
    EXPECT_EQ(running({}), Names{"y by tiles"});
    EXPECT_EQ(running({.is_joined = false}), Names{"y by tiles"});
    EXPECT_EQ(running({.scale = "Mul", .bias = {}}), Names{"y by tiles"});
    EXPECT_EQ(running({.scale = "", .bias = {64, 64}}), Names{"y by tiles"});
    EXPECT_EQ(running({.scale = "", .scales_q = true}), Names{"y by tiles"});
    EXPECT_EQ(running({.axis = 3, .dtype = DType::float16}), Names{"y by tiles"});
    EXPECT_EQ(running({.seen = "y"}), (Names{"q", "y by tiles", "Y"})) << "y is needed with the heads in front";
    EXPECT_EQ(running({.seen = "k"}), (Names{"q", "v", "k", "s", "d", "a", "w", "y", "Y"}));
    EXPECT_EQ(running({.seen = "v"}), (Names{"v", "y by tiles"})) << "V is needed with the heads in front";
}

// ONNX's Attention is computed by operators that spell it out, with heads that share keys as rows of one matrix, too.
TEST(AttentionFusion, TakesAttention)
{
    for (const int64_t key_heads : {8, 2, 1})
        for (const bool is_joined : {false, true}) {
            const auto input = [&](int64_t heads) {
                return is_joined ? std::vector<kit::Dim>{1, 128, heads * 64} : std::vector<kit::Dim>{1, heads, 128, 64};
            };
            std::vector<std::string> attributes = {int_attribute("is_causal", 1)};
            if (is_joined) {
                attributes.push_back(int_attribute("q_num_heads", 8));
                attributes.push_back(int_attribute("kv_num_heads", key_heads));
            }
            const std::string file = ModelBuilder()
                                         .opset(23)
                                         .input("Q", DType::float32, input(8))
                                         .input("K", DType::float32, input(key_heads))
                                         .input("V", DType::float32, input(key_heads))
                                         .node("Attention", {"Q", "K", "V"}, {"Y"}, attributes, "attention")
                                         .output("Y")
                                         .build();
            const Result<GraphReport> report = explain(*parse(file), {}, *Capabilities::preset("amd-navi21"));
            ASSERT_TRUE(accepted(report));
            EXPECT_EQ(report->nodes[0].explanation.kernel, "dot_product_attention_tiles_f32") << key_heads << is_joined;
        }
}

TEST(AttentionFusion, LeavesWhatIsAnother)
{
    const Names all = {"q", "v", "k", "s", "d", "a", "w", "y", "Y"};
    EXPECT_EQ(running({.axis = 2}), all) << "a softmax of columns";
    EXPECT_EQ(running({.seen = "s"}), all) << "the scores are needed";
    EXPECT_EQ(running({.seen = "w"}), all);
    EXPECT_EQ(running({.adds_after_scale = false}), (Names{"q", "v", "k", "s", "a", "d", "w", "y", "Y"}))
        << "what is added is scaled, too";
    EXPECT_EQ(running({.device = "lavapipe"}), all) << "CPUs are faster at the parts";
    EXPECT_EQ(running({.reproducible = true}), all);
}

}  // namespace
}  // namespace vkonnx::onnx
