// This file tests the lists of cases. The small list must keep the characters of the full one.
#include "bench/suite.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "work.h"

namespace vkonnx::bench {
namespace {

std::vector<kit::Case> cases(std::string_view suite)
{
    Result<std::vector<kit::Case>> loaded = built_in_cases(suite);
    EXPECT_TRUE(loaded) << loaded.message();
    return std::move(*loaded);
}

std::vector<std::string> names(const Options& options)
{
    const Result<std::vector<NamedCase>> loaded = load_suite(options);
    EXPECT_TRUE(loaded) << loaded.message();
    std::vector<std::string> names;
    for (size_t i = 0; loaded && i < loaded->size(); ++i)
        names.push_back((*loaded)[i].name);
    return names;
}

void expect_same_character(const ConvTranspose& full, const kit::Case& full_case, const kit::Case& quick_case)
{
    const auto& quick = std::get<ConvTranspose>(quick_case.attributes);
    EXPECT_EQ(full.strides, quick.strides);
    EXPECT_EQ(full.pads, quick.pads);
    EXPECT_EQ(full.dilations, quick.dilations);
    EXPECT_EQ(full.output_padding, quick.output_padding);
    const auto& full_w = full_case.inputs[1].dims;
    const auto& quick_w = quick_case.inputs[1].dims;
    EXPECT_EQ(std::vector(full_w.begin() + 2, full_w.end()), std::vector(quick_w.begin() + 2, quick_w.end()));
    // A depthwise layer stays depthwise, and others keep their number of groups. At most three output channels a group stay as
    // many.
    EXPECT_EQ(quick.group, full.group == full_w[0] ? quick_w[0] : full.group);
    if (full_w[1] <= 3) {
        EXPECT_EQ(quick_w[1], full_w[1]);
    }
}

void expect_same_character(const AveragePool& full, const kit::Case& full_case, const kit::Case& quick_case)
{
    const auto& quick = std::get<AveragePool>(quick_case.attributes);
    EXPECT_EQ(full.strides, quick.strides);
    EXPECT_EQ(full.pads, quick.pads);
    EXPECT_EQ(full.dilations, quick.dilations);
    EXPECT_EQ(full.count_include_pad, quick.count_include_pad);
    const auto& full_x = full_case.inputs[0].dims;
    const auto& quick_x = quick_case.inputs[0].dims;
    // A window over the whole input stays one, whatever the size of the input is.
    const bool global = std::vector(full_x.begin() + 2, full_x.end()) == full.kernel_shape;
    EXPECT_EQ(quick.kernel_shape, global ? std::vector(quick_x.begin() + 2, quick_x.end()) : full.kernel_shape);
}

template <class Op>
void expect_same_character(const Op&, const kit::Case&, const kit::Case&)
{
    ADD_FAILURE() << "the suite has no such operator";
}

void expect_same_character(const Cast&, const kit::Case&, const kit::Case&)
{
    ADD_FAILURE() << "the suite has no Cast";
}

void expect_same_character(const Resize&, const kit::Case&, const kit::Case&)
{
    ADD_FAILURE() << "the suite has no Resize";
}

TEST(Suite, QuickKeepsLabelsAndCharacters)
{
    const std::vector<kit::Case> full = cases(full_suite);
    const std::vector<kit::Case> quick = cases(quick_suite);
    ASSERT_EQ(full.size(), quick.size());
    std::set<std::string> lines;
    for (size_t i = 0; i < full.size(); ++i) {
        SCOPED_TRACE(full[i].name);
        EXPECT_EQ(full[i].name, quick[i].name);
        EXPECT_EQ(full[i].why, quick[i].why);
        EXPECT_NE(full[i].why, "");
        ASSERT_EQ(full[i].attributes.index(), quick[i].attributes.index());
        EXPECT_EQ(full[i].inputs[0].dims.size(), quick[i].inputs[0].dims.size());
        std::visit([&](const auto& attributes) { expect_same_character(attributes, full[i], quick[i]); }, full[i].attributes);
        kit::Case nameless = quick[i];
        nameless.name.clear();
        EXPECT_TRUE(lines.insert(kit::to_string(nameless)).second) << "twice the same problem";
    }
}

TEST(Suite, QuickIsQuick)
{
    for (const kit::Case& problem : cases(quick_suite)) {
        const Result<tools::Work> work = tools::work_of(problem);
        ASSERT_TRUE(work) << work.message();
        EXPECT_LE(work->flop, 20'000'000) << problem.name;
        EXPECT_LE(work->bytes, 8'000'000) << problem.name;
    }
}

TEST(Suite, NetworksAreLayersOfManyKinds)
{
    const std::vector<kit::Case> layers = cases(networks_suite);
    std::map<std::string_view, int> operators;
    std::set<std::string> shapes, kinds;
    for (const kit::Case& layer : layers) {
        SCOPED_TRACE(layer.name);
        ++operators[kit::operator_of(layer)];
        EXPECT_NE(layer.why, "");
        const Result<tools::Work> work = tools::work_of(layer);
        ASSERT_TRUE(work) << work.message();
        // At 1.3 GFLOP/s, as on a slow software driver, this takes less than half a second.
        EXPECT_LE(work->flop, 650'000'000);
        EXPECT_LE(work->bytes, 10'000'000);
        kit::Case nameless = layer;
        nameless.name.clear();
        EXPECT_TRUE(shapes.insert(std::string(kit::operator_of(layer)) + kit::to_string(nameless)).second) << "twice the same";
        if (const auto* conv = std::get_if<Conv>(&layer.attributes)) {
            const std::vector<int64_t>&x = layer.inputs[0].dims, &w = layer.inputs[1].dims;
            kinds.insert(std::to_string(x.size() - 2) + "-D " + std::to_string(w.back()) +
                         (conv->strides.empty() ? "" : " strided") + (conv->dilations.empty() ? "" : " dilated") +
                         (conv->group == 1      ? ""
                          : conv->group == x[1] ? " depthwise"
                                                : " grouped"));
        }
    }
    EXPECT_EQ(layers.size(), 54u);
    EXPECT_EQ(operators, (std::map<std::string_view, int>{{"average_pool", 3},
                                                          {"batch_normalization", 1},
                                                          {"concat", 1},
                                                          {"conv", 30},
                                                          {"conv_transpose", 7},
                                                          {"elementwise", 2},
                                                          {"gemm", 1},
                                                          {"global_average_pool", 2},
                                                          {"matmul", 1},
                                                          {"max_pool", 3},
                                                          {"resize", 1},
                                                          {"softmax", 1},
                                                          {"transpose", 1}}));
    EXPECT_EQ(kinds, (std::set<std::string>{"1-D 11 dilated", "1-D 256 strided", "1-D 3 dilated", "1-D 7", "2-D 1",
                                            "2-D 1 grouped", "2-D 1 strided", "2-D 3", "2-D 3 depthwise", "2-D 3 strided",
                                            "2-D 3 strided depthwise", "2-D 4 strided", "2-D 5", "2-D 5 depthwise",
                                            "2-D 5 strided depthwise", "2-D 7 strided", "2-D 9", "3-D 3"}));
}

TEST(Suite, NetworksAreASuiteByName)
{
    EXPECT_EQ(names({.suites = {"networks"}}).size(), 54u);
    EXPECT_EQ(names({.quick = true, .suites = {"networks"}}).size(), 54u);  // they have one size only
    EXPECT_EQ(names({.suites = {"networks"}, .cases = {"average_pool x=1x3x64x64 kernel_shape=2,2"}}).size(), 55u);
    EXPECT_EQ(names({.suites = {"networks"}, .filter = "gemm"}), std::vector<std::string>{"gemm/resnet_classes/f32"});
    EXPECT_FALSE(load_suite({.suites = {"quick"}}));  // a name that is taken for a file, which is not there
}

TEST(Suite, FilterReadsAsGoogleBenchmarksDoes)
{
    EXPECT_EQ(names({}).size(), 47u);
    EXPECT_EQ(names({.filter = "all"}).size(), 47u);
    EXPECT_EQ(names({.filter = "ap19"}), std::vector<std::string>{"average_pool/ap19/f32"});
    EXPECT_EQ(names({.filter = "average_pool"}).size(), 19u);
    EXPECT_EQ(names({.filter = "-average_pool"}).size(), 28u);
    EXPECT_EQ(names({.filter = "ap11[ab]"}), (std::vector<std::string>{"average_pool/ap11a/f32", "average_pool/ap11b/f32"}));
    EXPECT_FALSE(load_suite({.filter = "ap["}));
}

TEST(Suite, ModesAreInTheName)
{
    EXPECT_EQ(names({.filter = "ap19", .cold_cache = true}), std::vector<std::string>{"average_pool/ap19/f32/cold"});
    EXPECT_EQ(names({.filter = "ap19", .batch = 8}), std::vector<std::string>{"average_pool/ap19/f32/many8"});
}

TEST(Suite, TypeIsThatOfCasesThatNameNone)
{
    const Options options = {
        .cases = {"average_pool x=1x3x64x64 kernel_shape=2,2", "conv_transpose x=1x2x3 w=2x1x2 type=bfloat16"},
        .type = DType::float16};
    const Result<std::vector<NamedCase>> suite = load_suite(options);
    ASSERT_TRUE(suite) << suite.message();
    ASSERT_EQ(suite->size(), 2u);
    EXPECT_EQ((*suite)[0].name, "average_pool/case1/f16");
    EXPECT_EQ((*suite)[0].problem.inputs[0].dtype, DType::float16);
    EXPECT_EQ((*suite)[1].name, "conv_transpose/case2/bf16");
    EXPECT_EQ((*suite)[1].problem.inputs[1].dtype, DType::bfloat16);
}

TEST(Suite, KernelChoosesItsOperator)
{
    EXPECT_EQ(names({.kernel = "average_pool_nd"}).size(), 19u);
    EXPECT_EQ(names({.kernel = "conv_transpose_nd"}).size(), 28u);
    EXPECT_EQ(names({.kernel = "nobodys"}).size(), 0u);
    // The first name begins with another operator's name, and the second one belongs to two operators.
    EXPECT_EQ(names({.kernel = "conv_transpose_nd", .suites = {"networks"}}).size(), 7u);
    EXPECT_EQ(names({.kernel = "matmul_gemm", .suites = {"networks"}}),
              (std::vector<std::string>{"gemm/resnet_classes/f32", "matmul/rec_head/f32"}));
    // A kernel's name that no operator has is left to the device to refuse.
    EXPECT_EQ(names({.kernel = "average_pool_nobodys"}).size(), 19u);
}

TEST(Suite, CasesFromTheCommandLine)
{
    const Options options = {.cases = {"average_pool x=1x3x64x64 kernel_shape=2,2", "conv_transpose x=1x2x3 w=2x1x2"}};
    EXPECT_EQ(names(options), (std::vector<std::string>{"average_pool/case1/f32", "conv_transpose/case2/f32"}));
    EXPECT_EQ(names({.cases = {"block_quantized_mat_mul a=1x64 b=5x2x16 scales=5x2 block_size=32"}}),
              std::vector<std::string>{"block_quantized_mat_mul/case1/f32"})
        << "its weights are bytes";
    for (const char* refused :
         {"", "average_pool", "nobodys x=1x1x3", "average_pool x=1x1x3", "average_pool x=1x1x3 kernel_shape=4",
          "average_pool x=0x1x3 kernel_shape=2", "shape x=1x2", "conv_transpose x=1x1x3 w=1x1x2 type=double",
          "cast x=4 to=1 type=uint8", "max_pool x=1x1x3 kernel_shape=2 outputs=2"})
        EXPECT_EQ(load_suite({.cases = {refused}}).code(), Code::invalid_argument) << refused;
}

}  // namespace
}  // namespace vkonnx::bench
