// This file tests the case lists of this tree. Every line must be valid, and what the lists promise together must be there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "helpers.h"
#include "kit/cases.h"
#include "kit/elements.h"
#include "kit/layout.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

const std::vector<Case>& all_cases()
{
    static const std::vector<Case> cases = [] {
        Result<std::vector<Case>> loaded = load_all_cases();
        EXPECT_TRUE(loaded) << loaded.message();
        return loaded ? *loaded : std::vector<Case>();
    }();
    return cases;
}

const Case* find(std::string_view operator_name, std::string_view name)
{
    for (const Case& problem : all_cases())
        if (operator_of(problem) == operator_name && problem.name == name)
            return &problem;
    return nullptr;
}

// Returns the sorted words of a line, without the name and without the word of one key.
std::multiset<std::string> words_without(const Case& problem, const std::string& key)
{
    std::istringstream words(to_string(problem));
    std::string word;
    words >> word;
    std::multiset<std::string> kept;
    while (words >> word)
        if (word.substr(0, word.find('=')) != key)
            kept.insert(word);
    return kept;
}

// Tells whether both cases give outputs of the same shapes, types and numbers for the same inputs.
bool same_results(const Case& first, const Case& second)
{
    const Result<Resolution> a = resolve(first);
    const Result<Resolution> b = resolve(second);
    if (a->output.dims != b->output.dims)
        return false;
    if (a->output.dtype != b->output.dtype)
        return false;
    if (std::holds_alternative<Shape>(first.attributes))
        return *reference(std::get<Shape>(first.attributes), first.inputs[0]) ==
               *reference(std::get<Shape>(second.attributes), second.inputs[0]);
    // A third input is drawn last, so that a case without bias has the same X and W as its pair.
    const Case& fuller = first.inputs.size() >= second.inputs.size() ? first : second;
    std::vector<RealTensor> inputs = fill_inputs(fuller, Fill::reals);
    const auto values = [&](const Case& problem, const TensorDesc& desc, size_t output) {
        for (size_t i = 0; i < problem.inputs.size(); ++i)
            inputs[i].desc.layout = problem.inputs[i].layout;
        return *reference(problem, std::span(inputs).first(problem.inputs.size()), sample_of(desc, 500), output);
    };
    const std::vector<TensorDesc> outputs = outputs_of(*a);
    if (outputs.size() != outputs_of(*b).size())
        return false;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const auto left = values(first, outputs[i], i);
        const auto right = values(second, outputs[i], i);
        if (!std::equal(left.begin(), left.end(), right.begin(),
                        [](const Answer& l, const Answer& r) { return l.value.hi == r.value.hi && l.word == r.word; }))
            return false;
    }
    return true;
}

std::vector<double> elements_of(const Case& problem, Fill fill)
{
    const Result<Resolution> resolution = resolve(problem);
    const auto inputs = fill_inputs(problem, fill);
    const auto answers = reference(problem, inputs, sample_of(resolution->output, 20000));
    EXPECT_TRUE(answers) << answers.message();
    std::vector<double> elements;
    for (const Answer& answer : *answers)
        elements.push_back(answer.value.hi);
    return elements;
}

TEST(CaseLists, EveryLineIsUnderstoodAndValid)
{
    EXPECT_GT(all_cases().size(), 600u);
    for (const Case& problem : all_cases()) {
        const Result<Case> again = parse_case(operator_of(problem), to_string(problem));
        ASSERT_TRUE(again) << again.message();
        EXPECT_EQ(to_string(*again), to_string(problem));
        EXPECT_EQ(again->inputs, problem.inputs);
        EXPECT_TRUE(resolve(problem)) << to_string(problem) << ": " << resolve(problem).message();
    }
}

// Two lines that differ in one key alone and in their results show that the key counts. An operator that is not named here has
// such lines for all of its attributes.
TEST(CaseLists, EveryAttributeChangesSomeResult)
{
    std::map<std::string_view, std::vector<std::string>> expected = {
        {"conv_transpose",
         {"b", "layout", "strides", "dilations", "pads", "output_padding", "output_shape", "group", "auto_pad", "opset",
          "rules"}},
        {"average_pool",
         {"layout", "kernel_shape", "strides", "dilations", "pads", "ceil_mode", "count_include_pad", "auto_pad", "rules"}},
        {"max_pool",
         {"layout", "kernel_shape", "strides", "dilations", "pads", "ceil_mode", "storage_order", "outputs", "auto_pad",
          "rules"}},
        {"onednn_conv_transpose",
         {"b", "strides", "pads_begin", "pads_end", "dilations", "output_padding", "groups", "auto_pad", "data_format",
          "filter_format"}},
        {"shape", {"start", "end"}},
        {"cast", {"to"}},
        {"resize",
         {"mode", "coordinate_transformation_mode", "nearest_mode", "axes", "sizes", "scales", "roi", "cubic_coeff_a",
          "exclude_outside", "extrapolation_value", "antialias", "keep_aspect_ratio_policy", "opset"}},
        {"global_average_pool", {"layout"}},
        {"global_max_pool", {"layout"}},
        {"reduce_mean", {"axes", "keepdims", "noop_with_empty_axes"}},
        {"reduce_sum", {"axes", "keepdims", "noop_with_empty_axes"}},
        {"softmax", {"axis", "opset"}},
        {"instance_normalization", {"epsilon", "layout"}},
        {"batch_normalization", {"epsilon", "momentum", "training_mode", "outputs", "layout"}},
        {"lrn", {"alpha", "beta", "bias", "size", "layout"}},
        {"layer_normalization", {"axis", "epsilon", "outputs"}},
        {"rnn",
         {"b", "initial_h", "direction", "activations", "activation_alpha", "activation_beta", "clip", "layout", "outputs"}},
        {"gru",
         {"b", "initial_h", "direction", "activations", "activation_alpha", "activation_beta", "clip", "layout",
          "linear_before_reset", "outputs"}},
        {"lstm",
         {"b", "initial_h", "p", "direction", "activations", "activation_alpha", "activation_beta", "clip", "input_forget",
          "layout", "outputs"}},
        {"dot_product_attention", {"bias", "scale"}},
        {"block_quantized_mat_mul", {"zero_points"}},
        // The attributes of these operators decide shapes, or have only one line each.
        {"concat", {}},
        {"conv", {}},
        {"depth_to_space", {}},
        {"elementwise", {}},
        {"expand", {}},
        {"gemm", {}},
        {"pad", {}},
        {"slice", {}},
        {"space_to_depth", {}},
        {"split", {}},
        {"tile", {}},
        {"transpose", {}}};
    for (const Case& problem : all_cases())
        if (const auto [all, is_new] = expected.try_emplace(operator_of(problem)); is_new)
            fields(problem.attributes,
                   [&](std::string_view attribute, const auto&, const auto&...) { all->second.emplace_back(attribute); });
    for (const auto& [operator_name, keys] : expected)
        for (const std::string& key : keys) {
            std::map<std::multiset<std::string>, std::vector<const Case*>> alike;  // alike but for the key and what it changes
            bool found = false;
            for (const Case& problem : all_cases()) {
                if (operator_of(problem) != operator_name)
                    continue;
                std::vector<const Case*>& others = alike[words_without(problem, key)];
                for (const Case* other : others)
                    found = found || (words_without(*other, "") != words_without(problem, "") && !same_results(*other, problem));
                others.push_back(&problem);
            }
            EXPECT_TRUE(found) << "no two lines of " << operator_name << " differ only in " << key << " and in their results";
        }
}

// ---- the traps of SEMANTICS section 7

struct Trap {
    std::string sentence;
    std::string operator_name;
    std::string line;
    std::function<bool(const Case&, const Resolution&)> shows;  // whether the line still has what makes it a trap
};

const ConvTranspose& conv_of(const Case& problem)
{
    return std::get<ConvTranspose>(problem.attributes);
}

const AveragePool& pool_of(const Case& problem)
{
    return std::get<AveragePool>(problem.attributes);
}

bool needs_end_pads(const Case&, const Resolution& resolution)
{
    return any_axis(resolution.axes, [](const ReferenceAxis& axis) { return axis.begin == 0 && axis.end > 0; });
}

bool strides_over_kernel(const Case&, const Resolution& resolution)
{
    return any_axis(resolution.axes, [](const ReferenceAxis& axis) { return axis.stride > axis.kernel; });
}

bool has_one_axis(const Case& problem, const Resolution& resolution)
{
    return resolution.axes.size() == 1 && problem.inputs[0].dims.size() == 3;
}

// Tells whether a position is read and written that float16 does not have.
bool is_beyond_halves(const Case& problem, const Resolution& resolution)
{
    return problem.inputs[0].dtype == DType::float16 && resolution.axes.back().in > 2049 && resolution.axes.back().out > 2049;
}

bool is_same(AutoPad auto_pad)
{
    return auto_pad == AutoPad::same_upper || auto_pad == AutoPad::same_lower;
}

std::vector<Trap> traps()
{
    return {
        {"asymmetric pads with count_include_pad", "average_pool", "asymmetric_pads_include",
         [](const Case& c, const Resolution& r) {
             return pool_of(c).count_include_pad == 1 &&
                    any_axis(r.axes, [](const ReferenceAxis& a) { return a.begin != a.end; });
         }},
        {"end pads dropped", "average_pool", "pads_end_only", needs_end_pads},
        {"end pads dropped", "conv_transpose", "pads_end_only", needs_end_pads},
        {"ceil overhang of two or more split to the front", "average_pool", "ceil_overhang_two",
         [](const Case& c, const Resolution& r) {
             return pool_of(c).ceil_mode == 1 && any_axis(r.axes, [](const ReferenceAxis& a) {
                        return a.begin == 0 && (a.out - 1) * a.stride + dilated(a) - a.in - a.end >= 2;
                    });
         }},
        {"SAME with dilation computed from the undilated kernel", "average_pool", "same_upper_dilated",
         [](const Case& c, const Resolution& r) {
             return pool_of(c).auto_pad == AutoPad::same_upper &&
                    any_axis(r.axes, [](const ReferenceAxis& a) { return a.dilation > 1 && a.begin + a.end > a.kernel - 1; });
         }},
        {"SAME with dilation computed from the undilated kernel", "conv_transpose", "same_upper_dilated",
         [](const Case& c, const Resolution& r) {
             return conv_of(c).auto_pad == AutoPad::same_upper && any_axis(r.axes, [](const ReferenceAxis& a) {
                        return a.begin + a.end > std::max<int64_t>(a.kernel - a.stride, 0);
                    });
         }},
        {"SAME with k < s", "average_pool", "same_small_kernel",
         [](const Case& c, const Resolution& r) { return is_same(pool_of(c).auto_pad) && strides_over_kernel(c, r); }},
        {"SAME with k < s", "conv_transpose", "same_small_kernel",
         [](const Case& c, const Resolution& r) { return is_same(conv_of(c).auto_pad) && strides_over_kernel(c, r); }},
        {"division rounding a negative total towards zero", "conv_transpose", "same_small_kernel_lower",
         [](const Case& c, const Resolution& r) {
             return conv_of(c).auto_pad == AutoPad::same_lower && any_axis(r.axes, [](const ReferenceAxis& a) {
                        return a.stride > dilated(a) && (a.stride - dilated(a)) % 2 != 0;
                    });
         }},
        {"division rounding a negative total towards zero", "conv_transpose", "output_shape_above_natural",
         [](const Case&, const Resolution& r) {
             return any_axis(r.axes, [](const ReferenceAxis& a) {
                 const int64_t beyond = a.out - ((a.in - 1) * a.stride + dilated(a));
                 return beyond > 0 && beyond % 2 != 0 && a.begin == 0 && a.end == 0;
             });
         }},
        {"M/group > 1 with groups", "conv_transpose", "groups_of_many",
         [](const Case& c, const Resolution&) { return conv_of(c).group > 1 && c.inputs[1].dims[1] > 1; }},
        {"the whole bias given to every group", "conv_transpose", "groups_bias",
         [](const Case& c, const Resolution&) {
             return conv_of(c).group > 1 && c.inputs[1].dims[1] > 1 && c.inputs.size() == 3;
         }},
        {"half-precision index arithmetic beyond 2048", "conv_transpose", "float16_index_beyond_2048", is_beyond_halves},
        {"half-precision index arithmetic beyond 2048", "average_pool", "float16_index_beyond_2048", is_beyond_halves},
        {"a loop beyond 65,535 iterations", "conv_transpose", "iterations_channels",
         [](const Case& c, const Resolution&) { return c.inputs[0].dims[1] > 65535; }},
        {"a loop beyond 65,535 iterations", "average_pool", "iterations_2d",
         [](const Case&, const Resolution& r) { return r.axes[0].kernel * r.axes[1].kernel > 65535; }},
        {"output_shape smaller than the input", "conv_transpose", "output_shape_below_input",
         [](const Case& c, const Resolution& r) {
             return !conv_of(c).output_shape.empty() && any_axis(r.axes, [](const ReferenceAxis& a) { return a.out < a.in; });
         }},
        {"Shape with start = 0 and end < -rank", "shape", "end_below",
         [](const Case& c, const Resolution& r) {
             const auto& shape = std::get<Shape>(c.attributes);
             return shape.start == 0 && shape.end.value_or(0) < -int64_t(c.inputs[0].dims.size()) &&
                    r.output.dims == std::vector<int64_t>{0};
         }},
        {"1-D as an afterthought", "conv_transpose", "plain_1d", has_one_axis},
        {"1-D as an afterthought", "average_pool", "plain_1d", has_one_axis},
        {"stride larger than kernel", "conv_transpose", "stride_above_kernel", strides_over_kernel},
        {"stride larger than kernel", "average_pool", "stride_above_kernel", strides_over_kernel},
        {"gcd(stride, dilation) > 1", "conv_transpose", "gcd_2",
         [](const Case&, const Resolution& r) {
             return any_axis(r.axes, [](const ReferenceAxis& a) { return std::gcd(a.stride, a.dilation) > 1; });
         }},
        {"a host-computed reciprocal", "average_pool", "reciprocal_7",
         [](const Case&, const Resolution& r) { return r.axes[0].kernel == 7; }},
    };
}

TEST(CaseLists, EveryTrapIsANamedLine)
{
    std::set<const Case*> marked;
    for (const Trap& trap : traps()) {
        SCOPED_TRACE(trap.operator_name + "." + trap.line + ": " + trap.sentence);
        const Case* problem = find(trap.operator_name, trap.line);
        ASSERT_TRUE(problem) << "the line is gone";
        EXPECT_EQ(problem->why.find("trap: "), 0u) << "its reason does not say so";
        EXPECT_TRUE(trap.shows(*problem, *resolve(*problem))) << "no longer such a problem: " << to_string(*problem);
        marked.insert(problem);
    }
    for (const Case& problem : all_cases())
        EXPECT_TRUE(problem.why.find("trap: ") != 0 || marked.count(&problem)) << problem.name << " is a trap that no test knows";
}

// ---- the rows marked [ORT]

Case under(const Case& problem, Rules rules)
{
    Case other = problem;
    if (auto* conv = std::get_if<ConvTranspose>(&other.attributes))
        conv->rules = rules;
    if (auto* pool = std::get_if<AveragePool>(&other.attributes))
        pool->rules = rules;
    if (auto* pool = std::get_if<MaxPool>(&other.attributes))
        pool->rules = rules;
    return other;
}

struct Row {
    std::string sentence;
    std::string operator_name;
    std::string specification;  // the line's name; empty where that rule set refuses the problem
    std::string runtime;
};

const std::vector<Row> rows = {
    {"pads beside SAME", "conv_transpose", "", "same_with_pads_runtime"},
    {"pads beside SAME", "conv_transpose", "", "same_lower_pads_runtime"},
    {"pads beside VALID", "conv_transpose", "", "valid_with_pads_runtime"},
    {"zero pads beside VALID", "conv_transpose", "", "valid_pads_zero_runtime"},
    {"split of total, version 1", "conv_transpose", "output_shape_odd_opset_1", "output_shape_runtime_opset_1"},
    {"split of total, version 1", "conv_transpose", "output_shape_upper_opset_1", "output_shape_upper_runtime_1"},
    {"SAME beyond natural", "conv_transpose", "same_small_kernel", "same_small_kernel_runtime"},
    {"SAME beyond natural", "conv_transpose", "same_small_kernel_lower", "same_lower_runtime"},
    {"limit of output_padding, version 1", "conv_transpose", "output_padding_opset_1", ""},
    {"limit of output_padding, version 1", "conv_transpose", "output_padding_beyond", ""},
    {"VALID with ceil_mode", "average_pool", "valid_ceil", "valid_ceil_runtime"},
    {"VALID with ceil_mode", "average_pool", "valid_ceil_1d", "valid_ceil_1d_runtime"},
    {"VALID with ceil_mode", "average_pool", "valid_ceil_include", "valid_ceil_include_runtime"},
    {"VALID with ceil_mode", "max_pool", "valid_ceil", "valid_ceil_runtime"},
};

TEST(CaseLists, RuleSetsDifferInEveryRow)
{
    std::set<const Case*> paired;
    for (const Row& row : rows) {
        SCOPED_TRACE(row.sentence + ": " + row.specification + " and " + row.runtime);
        const Case* specification = row.specification.empty() ? nullptr : find(row.operator_name, row.specification);
        const Case* runtime = row.runtime.empty() ? nullptr : find(row.operator_name, row.runtime);
        ASSERT_EQ(row.specification.empty(), specification == nullptr) << "the line is gone";
        ASSERT_EQ(row.runtime.empty(), runtime == nullptr) << "the line is gone";
        paired.insert(runtime);
        if (specification && runtime) {
            EXPECT_EQ(words_without(*specification, "rules"), words_without(*runtime, "rules"));
            EXPECT_NE(words_without(*specification, ""), words_without(*runtime, ""));
            EXPECT_FALSE(same_results(*specification, *runtime));
        } else if (specification) {
            EXPECT_FALSE(resolve(under(*specification, Rules::onnxruntime)));
        } else {
            EXPECT_FALSE(resolve(under(*runtime, Rules::specification)));
        }
    }
    for (const Case& problem : all_cases())
        EXPECT_TRUE(words_without(problem, "rules") == words_without(problem, "") || paired.count(&problem))
            << problem.name << " asks for the other rules without need";
}

// ---- tables without holes

int64_t version_of(const Case& problem)
{
    const int64_t* opset = opset_of(problem.attributes);
    const std::span<const int64_t> known = versions_of(problem.attributes);
    return *(std::upper_bound(known.begin(), known.end(), opset ? *opset : 1) - 1);
}

// Every kind of elementwise operator counts as an operator of its own.
TEST(CaseLists, EveryKindHasEveryVersion)
{
    for (const Spelling<ElementwiseKind>& kind : elementwise_words)
        for (const int64_t version : versions_of(kind.value)) {
            const auto has = [&](const Case& problem) {
                const auto* op = std::get_if<Elementwise>(&problem.attributes);
                return op && op->kind == kind.value && version_of(problem) == version;
            };
            EXPECT_TRUE(std::any_of(all_cases().begin(), all_cases().end(), has)) << kind.word << "-" << version;
        }
}

TEST(CaseLists, EveryOperatorHasEveryVersionAndTypeOfFloat)
{
    std::set<std::string> found;
    std::map<std::string, Operator> operators;
    for (const Case& problem : all_cases()) {
        const std::string op(operator_of(problem));
        found.insert(op + " " + std::to_string(version_of(problem)));
        found.insert(op + " " + std::string(name(problem.inputs[0].dtype)));
        operators.emplace(op, problem.attributes);
    }
    EXPECT_EQ(operators.size(), std::variant_size_v<Operator::variant>);
    for (const auto& [op, attributes] : operators) {
        if (std::holds_alternative<Elementwise>(attributes))
            continue;  // it has a test of its own
        for (const int64_t version : versions_of(attributes))
            EXPECT_TRUE(found.contains(op + " " + std::to_string(version))) << op << "-" << version;
        for (const DType type : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
            const std::span<const Schema::Type> types = schema(attributes)->inputs.front().types;
            const bool takes = std::ranges::any_of(types, [&](const Schema::Type& each) { return each.dtype == type; });
            EXPECT_TRUE(!takes || found.contains(op + " " + std::string(name(type)))) << op << " of " << name(type);
        }
    }
}

TEST(CaseLists, EveryVersionHasEveryType)
{
    std::set<std::string> found;
    for (const Case& problem : all_cases())
        found.insert(std::string(operator_of(problem)) + " " + std::to_string(version_of(problem)) + " " +
                     std::string(name(problem.inputs[0].dtype)));
    const auto expect = [&](const std::string& operator_name, std::initializer_list<int64_t> versions, const std::string& type) {
        for (const int64_t version : versions)
            EXPECT_TRUE(found.count(operator_name + " " + std::to_string(version) + " " + type))
                << "no line of " << operator_name << ", version " << version << ", " << type;
    };
    for (const std::string type : {"float", "float16", "double"}) {
        expect("conv", {1, 11, 22}, type);
        expect("gemm", {7, 9, 11, 13}, type);
        expect("matmul", {1, 9, 13}, type);
        expect("conv_transpose", {1, 11, 22}, type);
        expect("average_pool", {1, 7, 10, 11, 19, 22}, type);
        expect("max_pool", {1, 8, 10, 11, 12, 22}, type);
        expect("onednn_conv_transpose", {1}, type);
    }
    expect("conv", {22}, "bfloat16");
    expect("max_pool", {22}, "bfloat16");
    for (const std::string type : {"int8", "uint8"})
        expect("max_pool", {12, 22}, type);
    for (const std::string type : {"int32", "int64", "uint32", "uint64"}) {
        expect("gemm", {9, 11, 13}, type);
        expect("matmul", {9, 13}, type);
    }
    expect("gemm", {13}, "bfloat16");
    expect("matmul", {13}, "bfloat16");
    for (const std::string type : {"float", "float16", "double"}) {
        expect("global_average_pool", {1, 22}, type);
        expect("global_max_pool", {1, 22}, type);
        expect("reduce_mean", {1, 11, 13, 18}, type);
        expect("reduce_sum", {1, 11, 13}, type);
        expect("instance_normalization", {6, 22}, type);
        expect("batch_normalization", {7, 9, 15}, type);
    }
    for (const std::string type : {"float", "float16"}) {
        expect("softmax", {1, 11, 13}, type);
        expect("lrn", {1, 13}, type);
    }
    for (const std::string type : {"int32", "int64", "uint32", "uint64"}) {
        expect("reduce_mean", {18}, type);
        expect("reduce_sum", {13}, type);
    }
    for (const std::string type : {"float", "float16", "bfloat16", "double"})
        expect("layer_normalization", {17}, type);
    for (const std::string operator_name : {"global_average_pool", "global_max_pool", "instance_normalization"})
        expect(operator_name, {22}, "bfloat16");
    for (const std::string operator_name : {"reduce_mean", "reduce_sum", "softmax", "lrn"})
        expect(operator_name, {13}, "bfloat16");
    expect("batch_normalization", {14, 15}, "bfloat16");
    expect("conv_transpose", {22}, "bfloat16");
    expect("average_pool", {22}, "bfloat16");
    expect("onednn_conv_transpose", {1}, "bfloat16");
    const auto types_of_version_1 = {"float", "uint8",   "int8",   "uint16", "int16",  "int32",     "int64",     "string",
                                     "bool",  "float16", "double", "uint32", "uint64", "complex64", "complex128"};
    for (const std::string type : types_of_version_1)
        expect("shape", {1, 13, 15, 19, 21, 23, 24, 25}, type);
    expect("shape", {13, 15, 19, 21, 23, 24, 25}, "bfloat16");
    for (const std::string type : {"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"})
        expect("shape", {19, 21, 23, 24, 25}, type);
    for (const std::string type : {"uint4", "int4"})
        expect("shape", {21, 23, 24, 25}, type);
    expect("shape", {23, 24, 25}, "float4e2m1");
    expect("shape", {24, 25}, "float8e8m0");
    for (const std::string type : {"uint2", "int2"})
        expect("shape", {25}, type);
    for (const std::string type :
         {"float", "uint8", "int8", "uint16", "int16", "int32", "int64", "bool", "float16", "double", "uint32", "uint64"}) {
        expect("cast", {28}, type);
        expect("resize", {10, 19}, type);
    }
    for (const std::string type : {"float", "float16"}) {
        expect("cast", {6, 9, 13, 19, 21, 23, 24, 25, 28}, type);
        expect("resize", {10, 11, 13, 18, 19}, type);
    }
    expect("cast", {13, 19, 21, 23, 24, 25, 28}, "bfloat16");
    expect("resize", {13, 18, 19}, "bfloat16");
}

// These operators only move elements. Their versions differ in little else than types, and each width has its own kernel.
TEST(CaseLists, EveryVersionAndWidthIsMoved)
{
    std::set<std::string> found;
    for (const Case& problem : all_cases()) {
        const std::string start = std::string(operator_of(problem)) + " ";
        found.insert(start + "version " + std::to_string(version_of(problem)));
        const bool chooses = std::holds_alternative<Where>(problem.attributes);  // by its first input
        found.insert(start + std::to_string(bits((chooses ? problem.inputs.back() : problem.inputs[0]).dtype)) + " bits");
    }
    std::map<std::string, Versions> operators;
    for (const Case& problem : all_cases())
        if (moves_elements(problem.attributes) && !std::holds_alternative<Shape>(problem.attributes))
            operators.emplace(operator_of(problem), versions_of(problem.attributes));
    EXPECT_GE(operators.size(), 8u);
    for (const auto& [name, versions] : operators) {
        for (const int64_t version : versions)
            EXPECT_TRUE(found.count(name + " version " + std::to_string(version))) << name << "-" << version;
        for (const std::string width : {"8", "16", "32", "64"})
            EXPECT_TRUE(found.count(name + " " + width + " bits")) << name << " of " << width << " bits";
    }
}

TEST(CaseLists, EveryRankHasEveryLayoutAndType)
{
    std::set<std::string> found;
    for (const Case& problem : all_cases()) {
        const TensorDesc& x = problem.inputs[0];
        const auto* onednn = std::get_if<onednn::ConvTranspose>(&problem.attributes);
        const Layout layout = onednn ? onednn->data_format : x.layout;
        const std::string start = std::string(operator_of(problem)) + " ";
        const std::string rank = std::to_string(x.dims.size() - 2);
        found.insert(start + rank + "-D " + std::string(name(layout)));
        found.insert(start + (x.dims.size() <= 5 ? "up to 3-D " : "beyond 3-D ") + std::string(name(x.dtype)));
        found.insert(start + std::string(name(layout)) + " " + std::string(name(x.dtype)));
        if (onednn) {
            const std::string filter = onednn->filter_format == onednn::FilterFormat::xio   ? "XIO"
                                       : onednn->filter_format == onednn::FilterFormat::oix ? "OIX"
                                                                                            : "IOX";
            found.insert(start + std::string(name(layout)) + " " + filter + (onednn->groups > 1 ? " groups" : ""));
            found.insert(start + filter + " " + std::string(name(x.dtype)));
        }
    }
    const auto expect = [&](const std::string& what) { EXPECT_TRUE(found.count(what)) << "no line of " << what; };
    const std::vector<std::string> types = {"float", "float16", "bfloat16", "double"};
    for (const std::string op : {"conv_transpose ", "average_pool ", "onednn_conv_transpose "}) {
        for (int rank = 1; rank <= 6; ++rank)
            expect(op + std::to_string(rank) + "-D " + (op == "onednn_conv_transpose " ? "NXC" : "NCX"));
        for (const std::string rank : {"1-D", "2-D", "3-D", "4-D", "6-D"})
            if (op != "onednn_conv_transpose ")
                expect(op + rank + " NXC");
        for (const std::string& type : types) {
            expect(op + "up to 3-D " + type);
            expect(op + "beyond 3-D " + type);
            expect(op + "NXC " + type);
            expect(op + "NCX " + type);
        }
    }
    for (const std::string filter : {"XIO", "OIX", "IOX"}) {
        for (const std::string layout : {"NXC ", "NCX "}) {
            expect("onednn_conv_transpose " + layout + filter);
            expect("onednn_conv_transpose " + layout + filter + " groups");
        }
        for (const std::string& type : types)
            expect("onednn_conv_transpose " + filter + " " + type);
    }
}

// ---- fills that must show what they are for

TEST(CaseLists, SpecialsAreMixed)
{
    int cases = 0;
    for (const Case& problem : all_cases()) {
        const DType dtype = resolve(problem)->output.dtype;
        if (problem.fill != Fill::specials || !is_real(dtype))  // words have none
            continue;
        ++cases;
        const auto elements = elements_of(problem, Fill::specials);
        const auto finite = [](double value) { return std::isfinite(value); };
        EXPECT_TRUE(std::any_of(elements.begin(), elements.end(), finite)) << to_string(problem);
        EXPECT_FALSE(std::all_of(elements.begin(), elements.end(), finite)) << to_string(problem);
    }
    EXPECT_GT(cases, 20);
}

// A half that sums in halves would become Inf, although the answer is a number.
TEST(CaseLists, LargeHalvesOverflowOnlyMidway)
{
    int cases = 0;
    for (const Case& problem : all_cases()) {
        if (problem.fill != Fill::large || problem.inputs[0].dtype != DType::float16)
            continue;
        const std::string_view operator_name = operator_of(problem);
        const bool is_other_reduction = operator_name.starts_with("reduce_") && operator_name != "reduce_mean";
        if (is_other_reduction || operator_name.ends_with("_normalization") || operator_name == "lrn")
            continue;  // the answer is not a number either, or the squares or powers are what overflows
        ++cases;
        const auto inputs = fill_inputs(problem, Fill::large);
        const auto answers = *reference(problem, inputs, sample_of(resolve(problem)->output, 20000));
        const auto only_midway = [](const Answer& answer) {
            return answer.magnitude * double(answer.divisor) > 65520 && std::isfinite(rounded(DType::float16, answer.value.hi));
        };
        EXPECT_TRUE(std::any_of(answers.begin(), answers.end(), only_midway)) << to_string(problem);
    }
    EXPECT_GE(cases, 5);
    const auto sums = elements_of(*find("conv_transpose", "float16_large_sums"), Fill::large);
    EXPECT_TRUE(std::any_of(sums.begin(), sums.end(), [](double y) { return std::isinf(rounded(DType::float16, y)); }));
}

// Some answers lie in the middle between two halves. They go to the even one, upwards as often as downwards.
TEST(CaseLists, TiesAreAmongTheAnswers)
{
    for (const std::string operator_name : {"conv_transpose", "average_pool"})
        for (const std::string type : {"float16", "bfloat16"}) {
            const Case* problem = find(operator_name, type + "_ties");
            ASSERT_TRUE(problem);
            const DType dtype = problem->inputs[0].dtype;
            int up = 0;
            int down = 0;
            for (const double value : elements_of(*problem, Fill::positive)) {
                const double error = rounded(dtype, value) - value;
                const bool is_tie = std::fabs(error) == ulp_at(dtype, value) / 2;
                up += is_tie && error > 0;
                down += is_tie && error < 0;
            }
            EXPECT_GT(up, 0) << to_string(*problem);
            EXPECT_GT(down, 0) << to_string(*problem);
        }
}

}  // namespace
}  // namespace vkonnx::kit
