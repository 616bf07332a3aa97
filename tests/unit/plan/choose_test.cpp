#include "plan/core/choose.h"
#include "plan/operators/operators.h"

#include <gtest/gtest.h>

namespace vkonnx::plan {
namespace {

TEST(CheckChoices, NamesThoseThatFit)
{
    const KernelChoice choices[] = {{"fast", "it is too wide"}, {"plain"}, {"last"}};
    EXPECT_TRUE(check_choices("Op", choices, ""));
    EXPECT_TRUE(check_choices("Op", choices, "last"));
    EXPECT_EQ(check_choices("Op", choices, "fast").message(),
              "Op: kernel \"fast\" does not fit, because it is too wide; those that fit: plain, last");
    EXPECT_EQ(check_choices("Op", choices, "none").message(), "Op: there is no kernel \"none\"; those that fit: plain, last");
    EXPECT_EQ(check_choices("Op", std::span(choices).first(1), "").message(), "Op: no kernel fits, because it is too wide");
}

TEST(Why, TellsWhatDoesNotFitAndWhatWouldComeNext)
{
    const KernelChoice choices[] = {{"fast", "it is too wide"}, {"plain", "", 0.5}, {"late", "", 2e-3}, {"last", "", 0.25}};
    EXPECT_EQ(why(choices, 2, ""), "fast does not fit: it is too wide; estimated at 2 ms, last at 250 ms");
    EXPECT_EQ(why(choices, 2, "late"), "forced by PrepareOptions::kernel");
    EXPECT_EQ(why(std::span(choices).first(2), 1, ""), "fast does not fit: it is too wide");
    EXPECT_EQ(why(std::span(choices).subspan(1, 1), 0, ""), "the first choice for this problem");
}

// A problem has invented kernels, and this struct holds what they say of it.
struct Problem {
    PrepareOptions options = {};
    ComputeType compute_type = ComputeType::f32;
    std::string unfit = {};                       // what `fast` says
    Status refusal = {};                          // what the planner of `fast` says
    std::vector<std::string>* planned = nullptr;  // the kernels whose planner was asked
};

const Status too_small(Code::unsupported, "its windows are too small");

Result<Plan> plan_of(const Problem& problem, const char* name, Status refusal, std::vector<double> seconds)
{
    if (problem.planned)
        problem.planned->push_back(name);
    if (!refusal)
        return refusal;
    Plan plan;
    for (const double s : seconds)
        plan.steps.push_back({.seconds = s});
    return plan;
}

std::string fits(const Problem&)
{
    return "";
}

constexpr Variant every[] = {{ComputeType::f32, Kernel::self_test_f32}, {ComputeType::f64, Kernel::self_test_f64}};
constexpr Variant floats[] = {{ComputeType::f32, Kernel::self_test_f32}};

const KernelOf<Problem> fast = {.name = "fast",
                                .variants = floats,
                                .keeps_order = false,
                                .unfit = [](const Problem& problem) { return problem.unfit; },
                                .plan = [](const Problem& problem) { return plan_of(problem, "fast", problem.refusal, {1}); }};
const KernelOf<Problem> plain = {.name = "plain", .variants = every, .unfit = fits, .plan = [](const Problem& problem) {
                                     return plan_of(problem, "plain", {}, {2, 3});
                                 }};
const KernelOf<Problem> trial = {
    .name = "trial", .variants = every, .only_by_name = true, .unfit = fits, .plan = [](const Problem& problem) {
        return plan_of(problem, "trial", {}, {7});
    }};
const KernelOf<Problem>* const fast_and_plain[] = {&fast, &plain};
const KernelOf<Problem>* const fast_alone[] = {&fast};

TEST(Choose, GoesOnWhereADevicesLimitsLetNoPartOfAProblemThrough)
{
    std::vector<std::string> planned;
    Problem problem;
    problem.refusal = too_small;
    problem.planned = &planned;
    const Result<Plan> plan = choose("Op", fast_and_plain, problem);
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(planned, (std::vector<std::string>{"fast", "plain"}));
    EXPECT_EQ(plan->why, "fast does not fit: its windows are too small");
    EXPECT_EQ(choose("Op", fast_alone, problem).message(), "its windows are too small") << "none is left";
    problem.options.kernel = "fast";
    EXPECT_EQ(choose("Op", fast_and_plain, problem).message(), "its windows are too small") << "a forced kernel stays";
    problem.options.kernel = "plain";
    EXPECT_EQ(choose("Op", fast_and_plain, problem)->why, "forced by PrepareOptions::kernel");

    problem.options.kernel = "";
    problem.refusal = Status(Code::invalid_argument, "it is wrong");
    EXPECT_EQ(choose("Op", fast_and_plain, problem).message(), "it is wrong");
    problem.refusal = {};
    EXPECT_EQ(choose("Op", fast_and_plain, problem)->why, "estimated at 1e+03 ms, plain at 5e+03 ms");
}

TEST(Choose, TakesTheLeastEstimateWhereverItStands)
{
    const KernelOf<Problem>* const plain_and_fast[] = {&plain, &fast, &fast};
    const Result<Plan> plan = choose("Op", plain_and_fast, Problem());
    ASSERT_TRUE(plan) << plan.message();
    EXPECT_EQ(plan->steps.size(), 1u);
    EXPECT_EQ(plan->why, "estimated at 1e+03 ms, fast at 1e+03 ms") << "the first of equals";
}

TEST(Choose, PlansALastResortOnlyWhereNothingElseRuns)
{
    KernelOf<Problem> last = plain;
    last.last_resort = true;
    const KernelOf<Problem>* const list[] = {&fast, &last};
    std::vector<std::string> planned;
    Problem problem;
    problem.planned = &planned;
    EXPECT_EQ(choose("Op", list, problem)->why, "the first choice for this problem");
    EXPECT_EQ(planned, std::vector<std::string>{"fast"});
    problem.unfit = "it is too wide";
    EXPECT_EQ(choose("Op", list, problem)->steps.size(), 2u);
    problem.unfit = "";
    problem.options.kernel = "plain";
    EXPECT_EQ(choose("Op", list, problem)->steps.size(), 2u) << "it can be asked for";
}

TEST(Choose, TakesOnlyAKernelThatKnowsTheEpilogue)
{
    KernelOf<Problem> knows = plain;
    knows.takes_epilogue = true;
    const KernelOf<Problem>* const list[] = {&fast, &knows};
    std::vector<std::string> planned;
    Problem problem;
    problem.options.epilogue = Elementwise{.kind = ElementwiseKind::relu};
    problem.planned = &planned;
    EXPECT_EQ(choose("Op", list, problem)->why,
              "fast does not fit: it stores its results as they are, without PrepareOptions::epilogue");
    EXPECT_EQ(planned, std::vector<std::string>{"plain"});
    EXPECT_EQ(choose("Op", fast_alone, problem).message(),
              "Op: no kernel fits, because it stores its results as they are, without PrepareOptions::epilogue");
}

TEST(Choose, TakesNoKernelOfAnotherOrderInTheReproducibleMode)
{
    std::vector<std::string> planned;
    Problem problem;
    problem.options.reproducible = true;
    problem.planned = &planned;
    EXPECT_EQ(choose("Op", fast_and_plain, problem)->why,
              "fast does not fit: it adds in an order of its own, and PrepareOptions::reproducible asks for the operator's");
    EXPECT_EQ(planned, std::vector<std::string>{"plain"});
    problem.options.kernel = "fast";
    EXPECT_EQ(choose("Op", fast_and_plain, problem).message(),
              "Op: kernel \"fast\" does not fit, because it adds in an order of its own, and PrepareOptions::reproducible asks "
              "for the operator's; those that fit: plain");
    problem.options.reproducible = false;
    EXPECT_EQ(choose("Op", fast_and_plain, problem)->why, "forced by PrepareOptions::kernel");
}

TEST(Choose, TakesNoKernelThatIsNotCompiledForTheNumber)
{
    Problem problem;
    problem.compute_type = ComputeType::f64;
    EXPECT_EQ(choose("Op", fast_and_plain, problem)->why, "fast does not fit: it is not compiled for f64");
    EXPECT_EQ(choose("Op", fast_alone, problem).message(), "Op: no kernel fits, because it is not compiled for f64");
    EXPECT_EQ(*variant(every, ComputeType::f64), Kernel::self_test_f64);
}

TEST(Choose, NeverPicksAKernelThatRunsOnlyByName)
{
    const KernelOf<Problem>* const first[] = {&trial, &fast, &plain};
    const KernelOf<Problem>* const last[] = {&fast, &trial};
    Problem problem;
    EXPECT_EQ(choose("Op", first, problem)->why, "estimated at 1e+03 ms, plain at 5e+03 ms");
    EXPECT_EQ(choose("Op", first, problem)->steps.size(), 1u);
    problem.unfit = "it is too wide";
    EXPECT_EQ(choose("Op", first, problem)->why, "fast does not fit: it is too wide");
    EXPECT_EQ(choose("Op", last, problem).message(), "Op: no kernel fits, because it is too wide");
    problem.unfit = "";
    problem.refusal = too_small;
    EXPECT_EQ(choose("Op", last, problem).message(), "its windows are too small");

    problem.options.kernel = "none";
    EXPECT_EQ(choose("Op", first, problem).message(), "Op: there is no kernel \"none\"; those that fit: fast, plain");
    problem.options.kernel = "trial";
    for (const std::span<const KernelOf<Problem>* const> list : {std::span(first).subspan(0), std::span(last).subspan(0)}) {
        const Result<Plan> plan = choose("Op", list, problem);
        ASSERT_TRUE(plan) << plan.message();
        EXPECT_EQ(plan->steps[0].seconds, 7);
    }
}

TEST(Enumerate, TellsOfEveryKernelWhetherItFitsAndHowLongItTakes)
{
    const KernelOf<Problem>* const list[] = {&fast, &trial, &plain};
    Problem problem;
    problem.options.kernel = "plain";
    const std::vector<KernelChoice> choices = enumerate("Op", list, problem);
    ASSERT_EQ(choices.size(), 3u);
    EXPECT_EQ(choices[0].name, "fast");
    EXPECT_EQ(choices[0].unfit, "");
    EXPECT_EQ(choices[0].seconds, 1);
    EXPECT_FALSE(choices[0].keeps_order);
    EXPECT_FALSE(choices[0].only_by_name);
    EXPECT_EQ(choices[1].name, "trial");
    EXPECT_EQ(choices[1].seconds, 7);
    EXPECT_TRUE(choices[1].only_by_name);
    EXPECT_EQ(choices[2].name, "plain");
    EXPECT_EQ(choices[2].seconds, 5) << "all its steps";
    EXPECT_TRUE(choices[2].keeps_order);

    problem.unfit = "it is too wide";
    EXPECT_EQ(enumerate("Op", list, problem)[0].unfit, "it is too wide");
    problem.unfit = "";
    problem.refusal = too_small;
    EXPECT_EQ(enumerate("Op", list, problem)[0].unfit, "its windows are too small");
    EXPECT_EQ(enumerate("Op", list, problem)[0].seconds, 0);
}

ops::ConvTransposeGeometry conv(size_t rank)
{
    ops::ConvTransposeGeometry g;
    g.channels_in = g.channels_out = 4;
    g.axes.assign(rank, {.in = 5, .out = 11, .kernel = 3, .stride = 2});
    return g;
}

ops::AveragePoolGeometry pool(size_t rank)
{
    ops::AveragePoolGeometry g;
    g.channels = 3;
    g.axes.assign(rank, {.in = 9, .out = 4, .kernel = 3, .stride = 2});
    return g;
}

#ifdef VKONNX_TEST_KERNELS
constexpr bool has_test_kernels = true;
#else
constexpr bool has_test_kernels = false;
#endif

// Compares the list of kernels with the plans in which each of them is forced.
template <class Geometry>
void expect_told(const Geometry& g, std::string_view stem, const Capabilities& capabilities)
{
    const Result<std::vector<KernelChoice>> choices = kernels_for(g, capabilities, {.kernel = "none of them"});
    ASSERT_TRUE(choices) << choices.message();
    std::vector<std::string> expected = {std::string(stem) + "_direct", std::string(stem) + "_nd"};
    if (stem == "conv_transpose") {
        for (const char* tiled :
             {"_matrices", "_matrices_unpacked", "_phases_shared", "_phases", "_depthwise_channels", "_depthwise"})
            expected.insert(expected.begin(), std::string(stem) + tiled);
        if (has_test_kernels)
            expected.push_back("conv_transpose_columns");
    } else {
        for (const char* tiled : {"_moving", "_runs", "_channels", "_rows", "_sliding", "_separable"})
            expected.insert(expected.begin(), std::string(stem) + tiled);
    }
    ASSERT_EQ(choices->size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        const KernelChoice& choice = (*choices)[i];
        EXPECT_EQ(choice.name, expected[i]);
        const bool reorders = choice.name.starts_with("conv_transpose_phases") ||
                              choice.name.starts_with("conv_transpose_matrices") || choice.name == "average_pool_separable" ||
                              choice.name == "average_pool_sliding" || choice.name == "average_pool_moving";
        const bool is_of_tests = choice.name == "conv_transpose_columns";
        EXPECT_EQ(choice.keeps_order, !is_of_tests && !reorders) << choice.name;
        EXPECT_EQ(choice.only_by_name, is_of_tests) << choice.name;
        const Result<Plan> plan = plan_for(g, capabilities, {.kernel = std::string(choice.name)});
        EXPECT_EQ(plan.ok(), choice.unfit.empty()) << choice.name << ": " << plan.message();
        if (plan) {
            EXPECT_EQ(choice.seconds, seconds_of(*plan)) << choice.name;
            EXPECT_GT(choice.seconds, 0) << choice.name;
        } else {
            EXPECT_NE(plan.message().find(choice.unfit), std::string::npos) << plan.message() << "\n" << choice.unfit;
        }
    }
}

TEST(KernelsFor, ToldAreThoseThatCanBeForced)
{
    Capabilities few_loops;
    few_loops.max_loop_iterations = 100;
    Capabilities slow;
    slow.work_per_second = 100;
    for (const Capabilities& capabilities : {Capabilities{}, few_loops, slow}) {
        for (const size_t rank : {1u, 3u, 4u}) {
            expect_told(conv(rank), "conv_transpose", capabilities);
            expect_told(pool(rank), "average_pool", capabilities);
        }
    }
    const auto choice = [](const ops::ConvTransposeGeometry& g, const Capabilities& capabilities, std::string_view name) {
        const Result<std::vector<KernelChoice>> all = kernels_for(g, capabilities, {});
        return *std::find_if(all->begin(), all->end(), [&](const KernelChoice& one) { return one.name == name; });
    };
    EXPECT_EQ(choice(conv(4), {}, "conv_transpose_phases").unfit, "it takes at most 3 spatial axes, not 4");
    EXPECT_EQ(choice(conv(2), few_loops, "conv_transpose_nd").unfit,
              "the device's 100 loop iterations are too few for its window");
    // An output takes 4 channels of at most 2 taps, and as much as 16 multiply-adds beside them, at 1e8 a second.
    EXPECT_DOUBLE_EQ(choice(conv(1), {}, "conv_transpose_direct").seconds, 4 * 11 * (8 + 16) / 1e8);
}

// Returns a problem whose groups have one channel each.
ops::ConvTransposeGeometry depthwise(int64_t channels, int64_t extent, int64_t kernel, int64_t stride, Layout layout)
{
    ops::ConvTransposeGeometry g;
    g.layout = layout;
    g.channels_in = g.channels_out = g.group = channels;
    g.axes.assign(2, {.in = extent, .out = (extent - 1) * stride + kernel, .kernel = kernel, .stride = stride});
    return g;
}

TEST(KernelsFor, DepthwiseProblemsHaveKernelsOfTheirOwn)
{
    const auto picked = [](const ops::ConvTransposeGeometry& g, const char* device = "lavapipe") {
        const Result<Plan> plan = plan_for(g, *Capabilities::preset(device), {});
        return plan ? std::string(kernel_name(plan->pipelines.front().kernel)) : std::string(plan.message());
    };
    EXPECT_EQ(picked(depthwise(24, 36, 4, 2, Layout::ncx)), "conv_transpose_depthwise_kernel4_stride2_outputs16_f32");
    EXPECT_EQ(picked(depthwise(21, 35, 16, 8, Layout::ncx), "swiftshader"),
              "conv_transpose_depthwise_kernel16_stride8_outputs16_ends1_f32")
        << "where subgroups are of eight, the phases' product is level";
    EXPECT_EQ(picked(depthwise(24, 35, 4, 2, Layout::nxc)), "conv_transpose_depthwise_channels_outputs4_f32");
    EXPECT_EQ(picked(depthwise(21, 35, 4, 2, Layout::nxc)).find("conv_transpose_depthwise"), std::string::npos)
        << "no fours of channels";
}

TEST(KernelsFor, DepthwiseConvolutionsHaveAKernelOfTheirOwn)
{
    ops::ConvGeometry g;
    g.channels_in = g.channels_out = g.group = 24;
    g.axes.assign(2, {.in = 20, .out = 20, .kernel = 3, .begin = 1, .end = 1});
    const auto picked = [](const ops::ConvGeometry& geometry) {
        const Result<Plan> plan = plan_for(geometry, *Capabilities::preset("lavapipe"), {});
        return plan ? std::string(kernel_name(plan->pipelines.front().kernel)) : std::string(plan.message());
    };
    const auto unfit = [](const ops::ConvGeometry& geometry) {
        const auto choices = kernels_for(geometry, *Capabilities::preset("lavapipe"), {});
        return choices ? choices->front().unfit : std::string(choices.message());
    };
    EXPECT_EQ(picked(g), "conv_depthwise_kernel3_stride1_outputs8_f32");
    ops::ConvGeometry other = g;
    other.axes.back() = {.in = 20, .out = 10, .kernel = 5, .stride = 2, .begin = 2, .end = 2};
    other.axes.front().dilation = 2;
    other.axes.front().out = 18;
    EXPECT_EQ(picked(other), "conv_depthwise_kernel5_stride2_outputs8_f32");
    other.axes.back() = {.in = 20, .out = 16, .kernel = 3, .dilation = 2};
    EXPECT_EQ(unfit(other), "it takes no dilation of the last axis, not 2");
    other.axes.back() = {.in = 20, .out = 17, .kernel = 4};
    EXPECT_EQ(unfit(other), "it has no module for kernel 4 and stride 1 of the last axis");
    other = g;
    other.group = 12;
    EXPECT_EQ(unfit(other), "it takes groups of one channel of X, not of 2");
    other = g;
    other.layout = Layout::nxc;
    EXPECT_EQ(unfit(other), "it takes nothing behind the axes, and layout NXC has channels there");
    other = g;
    other.channels_in = other.channels_out = other.group = 3;
    other.axes.front().in = 21;
    other.axes.back().in = 21;
    EXPECT_EQ(unfit(other), "it reads 4 elements at a time, and X has 1323");
}

TEST(KernelsFor, RefusesAsPlanningDoes)
{
    ops::ConvTransposeGeometry g = conv(1);
    g.dtype = DType::int32;
    EXPECT_EQ(kernels_for(g, Capabilities{}, {}).message(), "ConvTranspose: there is no kernel for int32");
    EXPECT_FALSE(kernels_for(pool(1), Capabilities{}, {.reproducible = true}).ok());
    ops::AveragePoolGeometry empty = pool(1);
    empty.batch = 0;
    EXPECT_TRUE(kernels_for(empty, Capabilities{}, {})->empty()) << "nothing runs";
}

}  // namespace
}  // namespace vkonnx::plan
