// This file tests how two results are compared.
#include "bench/compare.h"

#include <gtest/gtest.h>

#include "fake_result.h"

namespace vkonnx::bench {
namespace {

const std::vector<double> slow = {2.0e-3, 2.1e-3, 2.2e-3}, fast = {1.0e-3, 1.05e-3, 1.1e-3}, wide = {1.9e-3, 2.15e-3, 2.3e-3};

FakeCase timed(const std::string& name, const std::vector<double>& seconds)
{
    return {name, 1e6, 1e6, seconds};
}

Comparison compared(const std::vector<FakeCase>& a, const std::vector<FakeCase>& b)
{
    const Result<Comparison> comparison = compare(fake_run(a, "a.json"), fake_run(b, "b.json"));
    EXPECT_TRUE(comparison) << comparison.message();
    return comparison ? *comparison : Comparison();
}

TEST(Compare, RatiosVerdictsAndGeometricMean)
{
    const Comparison comparison = compared({timed("op/x/f32", slow), timed("op/y/f32", fast), timed("op/z/f32", slow)},
                                           {timed("op/x/f32", fast), timed("op/y/f32", slow), timed("op/z/f32", wide)});
    ASSERT_EQ(comparison.cases.size(), 3u);
    EXPECT_DOUBLE_EQ(comparison.cases[0].ratio, 0.5);
    EXPECT_EQ(comparison.cases[0].verdict, Verdict::faster);
    EXPECT_EQ(verdict_text(comparison.cases[0]), "2.00x faster");
    EXPECT_DOUBLE_EQ(comparison.cases[1].ratio, 2);
    EXPECT_EQ(comparison.cases[1].verdict, Verdict::slower);
    EXPECT_EQ(comparison.cases[2].verdict, Verdict::same) << "the ranges overlap";
    EXPECT_NEAR(comparison.cases[2].ratio, 2.15 / 2.1, 1e-12);
    EXPECT_EQ(comparison.compared, 3u);
    EXPECT_NEAR(comparison.geometric_mean, std::cbrt(0.5 * 2 * 2.15 / 2.1), 1e-12);
    EXPECT_TRUE(comparison.notes.empty());
}

TEST(Compare, RangesThatOnlyTouchAreTheSame)
{
    const Comparison comparison = compared({timed("op/x/f32", {1e-3, 2e-3, 3e-3})}, {timed("op/x/f32", {3e-3, 4e-3, 5e-3})});
    EXPECT_EQ(comparison.cases[0].verdict, Verdict::same);
}

TEST(Compare, MissingAndBrokenCasesAreNamed)
{
    const Comparison comparison =
        compared({timed("op/gone/f32", fast), timed("op/broke/f32", fast), {"op/never/f32"}, {"op/mended/f32"}},
                 {{"op/broke/f32"}, {"op/never/f32"}, timed("op/mended/f32", fast), timed("op/new/f32", fast)});
    ASSERT_EQ(comparison.cases.size(), 5u);
    EXPECT_EQ(comparison.cases[0].verdict, Verdict::only_in_a);
    EXPECT_EQ(comparison.cases[1].error, "in B: output[3] = 5 must be 7");
    EXPECT_EQ(comparison.cases[2].error, "in A: output[3] = 5 must be 7 (and the same in B)");
    EXPECT_EQ(comparison.cases[3].error, "in A: output[3] = 5 must be 7");
    EXPECT_EQ(comparison.cases[4].verdict, Verdict::only_in_b);
    EXPECT_EQ(comparison.compared, 0u);

    const std::string text = comparison_text(comparison);
    for (const char* line : {"No case has a time in both.\n", "only in A: op/gone/f32\n", "only in B: op/new/f32\n",
                             "error op/broke/f32: in B: output[3] = 5 must be 7\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "is not in\n" << text;

    // A case that had a time and has none now fails the gate. A case that never had one does not.
    const std::vector<std::string> reasons = regressions(comparison, 0.05);
    ASSERT_EQ(reasons.size(), 2u);
    EXPECT_EQ(reasons[0], "op/gone/f32: had a time in A; is not in B");
    EXPECT_EQ(reasons[1], "op/broke/f32: had a time in A; in B: output[3] = 5 must be 7");
}

TEST(Compare, AGateFailsOnOneCaseBeyondTheThreshold)
{
    const auto against = [](double factor) {
        return compared({timed("op/x/f32", {1e-3, 1.001e-3}), timed("op/y/f32", {1e-3})},
                        {timed("op/x/f32", {factor * 1e-3, factor * 1.001e-3}), timed("op/y/f32", {0.5e-3})});
    };
    EXPECT_TRUE(regressions(against(1.04), 0.05).empty());
    ASSERT_EQ(regressions(against(1.06), 0.05).size(), 1u);
    EXPECT_EQ(regressions(against(1.06), 0.05)[0], "op/x/f32: takes 1.060 times as long, over the limit of 1.050");
    EXPECT_TRUE(regressions(against(1.06), 0.10).empty());
}

TEST(Compare, AGateForgivesOneNoisyCaseButNotTheirMean)
{
    const std::vector<double> before = {1.0e-3, 1.0e-3, 1.3e-3}, after = {1.0e-3, 1.2e-3, 1.3e-3};
    const Comparison noisy =
        compared({timed("op/x/f32", before), timed("op/y/f32", fast)}, {timed("op/x/f32", after), timed("op/y/f32", fast)});
    EXPECT_EQ(noisy.cases[0].verdict, Verdict::same);
    EXPECT_TRUE(regressions(noisy, 0.10).empty()) << "20 % in one of two: 9.5 % in the mean";
    const std::vector<std::string> reasons = regressions(noisy, 0.05);
    ASSERT_EQ(reasons.size(), 1u);
    EXPECT_EQ(reasons[0], "geometric mean: takes 1.095 times as long, over the limit of 1.050");
}

TEST(Compare, TextIsAligned)
{
    const Comparison comparison = compared({timed("op/x/f32", slow), timed("op/longer/f32", {20e-6, 21e-6})},
                                           {timed("op/x/f32", fast), timed("op/longer/f32", {20.5e-6, 21e-6})});
    EXPECT_EQ(comparison_text(comparison), "A: Fake GPU, fake 1.0, 2026-11-21T07:00:00+00:00, a.json\n"
                                           "B: Fake GPU, fake 1.0, 2026-11-21T07:00:00+00:00, b.json\n"
                                           "\n"
                                           "case                 A        B    B/A  B is\n"
                                           "op/x/f32       2.10 ms  1.05 ms  0.500  2.00x faster\n"
                                           "op/longer/f32  20.5 us  20.8 us  1.012  same\n"
                                           "\n"
                                           "geometric mean B/A 0.711 (1.41x faster) over 2 cases: 1 faster, 0 slower, 1 same\n");
}

TEST(Compare, SaysWhatMakesItUnfair)
{
    RunResult a = fake_run({timed("op/x/f32", {1e-3})}), b = a;
    a.context["timed_by"] = "gpu timestamps";
    b.context["timed_by"] = "wall clock";
    b.context[context::peak_f32_after] = "90";
    const Result<Comparison> comparison = compare(a, b);
    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->notes,
              (std::vector<std::string>{
                  "timed by differs: \"gpu timestamps\" in A, \"wall clock\" in B",
                  "the peak of B drifted by 10 % during its run: its device was throttling or busy",
                  "1 case has a single sample on one side, so noise can't be told from change: use --benchmark_repetitions=5"}));
    EXPECT_EQ(comparison->cases[0].verdict, Verdict::same) << "equal times are the same";
}

TEST(Compare, ValidatedTimesAreRefused)
{
    RunResult a = fake_run({}), b = fake_run({}, "b.json");
    b.context[context::validation] = "on";
    EXPECT_EQ(compare(a, b).message(), "b.json: was timed with the validation layer on, which makes its times unusable");
}

TEST(Compare, Thresholds)
{
    EXPECT_DOUBLE_EQ(*parse_threshold("5%"), 0.05);
    EXPECT_DOUBLE_EQ(*parse_threshold("2.5 %"), 0.025);
    EXPECT_DOUBLE_EQ(*parse_threshold("0"), 0);
    for (const char* word : {"", "%", "-1%", "five", "5x", "nan", "inf"})
        EXPECT_FALSE(parse_threshold(word)) << word;
    EXPECT_EQ(parse_threshold("five").message(), "--fail-on: \"five\" must be a share such as 5%");
}

}  // namespace
}  // namespace vkonnx::bench
