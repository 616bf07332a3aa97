#include "report.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "console.h"
#include "json.h"

namespace vkonnx::tools {
namespace {

Report example_report()
{
    Report report;
    report.command = "vkonnx-test 'a & b'";
    report.date = "2026-11-21 00:00:00 UTC";
    report.devices = {{.index = 0, .name = "first <gpu>", .driver = "driver 1", .uuid = "00"}, {.index = 1, .name = "second"}};
    report.entries = {{{"good", "cases/good", "cases/good/test_data_set_0"},
                       0,
                       {.errors = Errors{1e-7, 2e-7, 3},
                        .kernels = {"average_pool_direct_f32"},
                        .cells = {{kind_of(AveragePool()), 11, DType::float32}, {kind_of(Shape()), 25, DType::int2}},
                        .seconds = 0.5},
                       "repeat good"},
                      {{"bad", "cases/bad", "cases/bad/test_data_set_0"},
                       1,
                       {.outcome = Outcome::failed,
                        .message = "output \"Y\" <wrong>",
                        .errors = Errors{std::numeric_limits<double>::infinity(), 0, 0}},
                       "repeat bad"},
                      {{"odd", "cases/odd", {}}, 1, {.outcome = Outcome::skipped, .message = "no data"}, "repeat odd"}};
    return report;
}

TEST(Report, Counts)
{
    EXPECT_EQ(counts_text(count(example_report())), "1 passed, 1 failed, 1 skipped");
}

TEST(Report, JsonHoldsEveryResult)
{
    const nlohmann::json json = nlohmann::json::parse(report_json(example_report()));
    EXPECT_EQ(json["passed"], 1);
    EXPECT_EQ(json["failed"], 1);
    EXPECT_EQ(json["skipped"], 1);
    EXPECT_EQ(json["devices"][0]["name"], "first <gpu>");
    EXPECT_EQ(json["relative_tolerance"], 1e-3);
    ASSERT_EQ(json["results"].size(), 3u);
    EXPECT_EQ(json["results"][0]["case"], "good");
    EXPECT_EQ(json["results"][0]["outcome"], "passed");
    EXPECT_EQ(json["results"][0]["max_error"]["ulp"], 3);
    EXPECT_EQ(json["results"][0]["kernels"][0], "average_pool_direct_f32");
    EXPECT_EQ(json["results"][1]["device"], 1);
    EXPECT_EQ(json["results"][1]["max_error"]["absolute"], "infinity");
    EXPECT_EQ(json["results"][1]["repeat"], "repeat bad");
}

TEST(Report, ResultSurvivesJson)
{
    for (const ReportEntry& entry : example_report().entries) {
        const Result<CaseResult> back = case_result_from_json(to_json(entry.result).dump());
        ASSERT_TRUE(back) << back.message();
        EXPECT_EQ(back->outcome, entry.result.outcome);
        EXPECT_EQ(back->message, entry.result.message);
        ASSERT_EQ(back->errors.has_value(), entry.result.errors.has_value());
        EXPECT_EQ(errors_text(back->errors), errors_text(entry.result.errors));
        EXPECT_EQ(back->kernels, entry.result.kernels);
        EXPECT_EQ(back->cells, entry.result.cells);
        EXPECT_EQ(back->seconds, entry.result.seconds);
    }
    EXPECT_FALSE(case_result_from_json("{\"outcome\": "));
    EXPECT_FALSE(case_result_from_json("{}"));
}

TEST(Report, PageIsEscapedAndShowsFailuresFirst)
{
    const std::string page = report_html(example_report());
    EXPECT_NE(page.find("first &lt;gpu&gt;"), std::string::npos);
    EXPECT_NE(page.find("output &quot;Y&quot; &lt;wrong&gt;"), std::string::npos);
    EXPECT_NE(page.find("vkonnx-test &#39;a &amp; b&#39;"), std::string::npos);
    EXPECT_EQ(page.find("<wrong>"), std::string::npos);
    EXPECT_LT(page.find(">bad<"), page.find(">good<"));
    EXPECT_LT(page.find(">good<"), page.find(">odd<"));
    EXPECT_NE(page.find("repeat bad"), std::string::npos);
    EXPECT_EQ(page.find("repeat good"), std::string::npos);
    EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
    EXPECT_EQ(page.find("http"), std::string::npos) << "the page must not fetch anything";
}

TEST(Report, NamesOfAnyBytesAreVisible)
{
    Report report = example_report();
    report.devices[0].name = "first\x1b[31m \xff";
    report.entries[1].result.message = "wrong\x07\xc2\x9b";
    const std::string page = report_html(report);
    EXPECT_NE(page.find("<th>first\\x1b[31m \\xff<td>"), std::string::npos);
    EXPECT_NE(page.find(">wrong\\x07\\xc2\\x9b<"), std::string::npos);
    EXPECT_EQ(visible_lines(page), page);
    const nlohmann::json json = nlohmann::json::parse(report_json(report));
    EXPECT_EQ(json["devices"][0]["name"], "first\x1b[31m \ufffd");
    EXPECT_EQ(case_result_from_json(json_text(to_json(report.entries[1].result)))->message, "wrong\x07\xc2\x9b");
}

TEST(Report, ManyThatPassedAreFoldedAway)
{
    Report report = example_report();
    EXPECT_EQ(report_html(report).find("<summary>1 passed"), std::string::npos);
    for (int i = 0; i < 200; ++i)
        report.entries.push_back(report.entries[0]);
    const std::string page = report_html(report);
    const size_t fold = page.find("<summary>201 passed");
    ASSERT_NE(fold, std::string::npos);
    EXPECT_LT(page.find(">bad<"), fold);
    EXPECT_LT(page.find(">odd<"), fold);
    EXPECT_GT(page.find(">good<"), fold);
}

TEST(Report, BuiltInCasesShowTheirProblem)
{
    Report report = example_report();
    const Result<kit::Case> problem = kit::parse_case("average_pool", "pads x=1x2x5 kernel_shape=3 pads=1,1");
    ASSERT_TRUE(problem) << problem.message();
    report.entries = {
        {{.name = "AveragePool_22/float/pads", .cell = Cell{kind_of(AveragePool()), 22, DType::float32}, .problem = *problem}}};
    const nlohmann::json json = nlohmann::json::parse(report_json(report));
    EXPECT_EQ(json["results"][0]["problem"], "pads x=1x2x5 kernel_shape=3 pads=1,1");
    EXPECT_FALSE(json["results"][0].contains("folder"));
    EXPECT_NE(report_html(report).find("but built-in cases within the bounds of rounding"), std::string::npos);
    EXPECT_EQ(report_html(example_report()).find("built-in"), std::string::npos);
}

TEST(Report, UlpAreWholeNumbersOrNot)
{
    EXPECT_EQ(ulp_text(0), "0");
    EXPECT_EQ(ulp_text(0.4999), "0.5");
    EXPECT_EQ(ulp_text(3), "3");
    EXPECT_EQ(ulp_text(12.4), "12");
    EXPECT_EQ(ulp_text(999999), "999999");
    EXPECT_EQ(ulp_text(1.26e6), "1.3e+06");
    EXPECT_EQ(ulp_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Report, DevicesHaveLabelsForFilters)
{
    EXPECT_EQ(device_label({.index = 1, .name = "llvmpipe (LLVM 15.0.6, 256 bits)"}), "1_llvmpipe");
    EXPECT_EQ(device_label({.index = 0, .name = "Intel(R) HD-Graphics"}), "0_Intel");
    EXPECT_EQ(device_label({.index = 2, .name = "a-b*c"}), "2_a_b_c");
    EXPECT_EQ(device_name({.name = "llvmpipe (LLVM 15.0.6, 256 bits)"}), "llvmpipe");
}

TEST(Report, KnowsTwoFormats)
{
    EXPECT_TRUE(check_report_path("report.json"));
    EXPECT_TRUE(check_report_path("report.html"));
    EXPECT_EQ(check_report_path("report.txt").message(), "report.txt: a report's extension must be .json or .html");
    EXPECT_FALSE(check_report_path("no/such/folder/report.json"));
}

}  // namespace
}  // namespace vkonnx::tools
