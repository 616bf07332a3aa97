#include "report.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace vkonnx::tools {
namespace {

Report example()
{
    Report report;
    report.command = "vkonnx-test 'a & b'";
    report.date = "2026-11-21 00:00:00 UTC";
    report.devices = {{.index = 0, .name = "first <gpu>", .driver = "driver 1", .uuid = "00"}, {.index = 1, .name = "second"}};
    report.entries = {{{"good", "cases/good", "cases/good/test_data_set_0"},
                       0,
                       {.errors = Errors{1e-7, 2e-7, 3}, .kernels = {"average_pool_direct_f32"}, .seconds = 0.5},
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
    EXPECT_EQ(counts_text(count(example())), "1 passed, 1 failed, 1 skipped");
}

TEST(Report, JsonHoldsEveryResult)
{
    const nlohmann::json json = nlohmann::json::parse(report_json(example()));
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
    for (const ReportEntry& entry : example().entries) {
        const Result<CaseResult> back = case_result_from_json(to_json(entry.result).dump());
        ASSERT_TRUE(back) << back.message();
        EXPECT_EQ(back->outcome, entry.result.outcome);
        EXPECT_EQ(back->message, entry.result.message);
        ASSERT_EQ(back->errors.has_value(), entry.result.errors.has_value());
        EXPECT_EQ(errors_text(back->errors), errors_text(entry.result.errors));
        EXPECT_EQ(back->kernels, entry.result.kernels);
        EXPECT_EQ(back->seconds, entry.result.seconds);
    }
    EXPECT_FALSE(case_result_from_json("{\"outcome\": "));
    EXPECT_FALSE(case_result_from_json("{}"));
}

TEST(Report, PageIsEscapedAndShowsFailuresFirst)
{
    const std::string page = report_html(example());
    EXPECT_NE(page.find("first &lt;gpu&gt;"), std::string::npos);
    EXPECT_NE(page.find("output &quot;Y&quot; &lt;wrong&gt;"), std::string::npos);
    EXPECT_NE(page.find("vkonnx-test 'a &amp; b'"), std::string::npos);
    EXPECT_EQ(page.find("<wrong>"), std::string::npos);
    EXPECT_LT(page.find(">bad<"), page.find(">good<"));
    EXPECT_LT(page.find(">good<"), page.find(">odd<"));
    EXPECT_NE(page.find("repeat bad"), std::string::npos);
    EXPECT_EQ(page.find("repeat good"), std::string::npos);
    EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
    EXPECT_EQ(page.find("http"), std::string::npos) << "the page must not fetch anything";
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
