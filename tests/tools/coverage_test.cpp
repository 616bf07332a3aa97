#include "coverage.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace vkonnx::tools {
namespace {

const Cell pool_11 = {kind_of(AveragePool()), 11, DType::float32};
const Cell conv_22 = {kind_of(ConvTranspose()), 22, DType::bfloat16};

// Returns the number of cells of all operators on one device.
size_t all_cells()
{
    size_t count = 0;
    for (const OperatorKind op : all_operators())
        count += cells_of(op).size();
    return count;
}

ReportEntry entry(const Cell& cell, size_t device, Outcome outcome, std::optional<double> ulp = {})
{
    CaseResult result = {.outcome = outcome, .cells = {cell}};
    if (ulp)
        result.errors = Errors{.ulp = *ulp};
    return {{.name = "case"}, device, result};
}

Report example()
{
    Report report;
    report.devices = {{.index = 0, .name = "one <gpu>"}, {.index = 1, .name = "two (driver)"}};
    report.entries = {entry(pool_11, 0, Outcome::passed, 2.5), entry(pool_11, 0, Outcome::passed, 0.5),
                      entry(pool_11, 0, Outcome::failed, 1e7), entry(pool_11, 0, Outcome::skipped),
                      entry(conv_22, 1, Outcome::passed, 0.5), entry(conv_22, 1, Outcome::passed)};
    return report;
}

nlohmann::json json_of(const Report& report, size_t device, const Cell& cell)
{
    for (const nlohmann::json& one : coverage_json(report))
        if (one["device"] == device && one["operator"] == operator_text(cell.op) && one["version"] == cell.version &&
            one["type"] == name(cell.dtype))
            return one;
    ADD_FAILURE() << cell_name(cell) << " is missing";
    return {};
}

TEST(Coverage, CountsByCellAndDevice)
{
    const Coverage coverage(example());
    const CellCounts* pool = coverage.find(0, pool_11);
    ASSERT_NE(pool, nullptr);
    EXPECT_EQ(pool->counts.passed, 2u);
    EXPECT_EQ(pool->counts.failed, 1u);
    EXPECT_EQ(pool->counts.skipped, 1u);
    EXPECT_EQ(pool->ulp, 1e7);
    EXPECT_EQ(coverage.find(1, pool_11), nullptr);
    EXPECT_EQ(coverage.find(0, conv_22), nullptr);
    EXPECT_EQ(coverage.find(1, conv_22)->ulp, 0.5);
    EXPECT_TRUE(coverage.has_run(kind_of(AveragePool())));
    EXPECT_FALSE(coverage.has_run(kind_of(Shape())));
    EXPECT_EQ(coverage.cells(), 2 * all_cells());
    EXPECT_EQ(coverage.holes(), 2 * all_cells() - 2);
}

TEST(Coverage, ResultsOfNoCellAreCountedApart)
{
    Report report = example();
    report.entries.push_back({{.name = "softplus"}, 0, {.outcome = Outcome::skipped}});
    report.entries.push_back(entry({kind_of(AveragePool()), 11, DType::bfloat16}, 0, Outcome::failed));  // not in version 11
    const Coverage coverage(report);
    EXPECT_EQ(coverage.elsewhere().failed, 1u);
    EXPECT_EQ(coverage.elsewhere().skipped, 1u);
    EXPECT_EQ(coverage.elsewhere().passed, 0u);
    const std::string ran = "2 of " + std::to_string(2 * all_cells()) + " cells ran";
    EXPECT_NE(coverage_text(report).find(ran + "; in no cell: 0 passed, 1 failed, 1 skipped\n"), std::string::npos);
    EXPECT_EQ(coverage_text(example()).find("in no cell"), std::string::npos);
}

// A process that crashed names no cell, and its case must count as a failure of its cell nevertheless.
TEST(Coverage, BuiltInCaseFailsItsCellWithoutAResult)
{
    Report report = example();
    report.entries = {{{.name = "case", .cell = pool_11}, 0, {.outcome = Outcome::failed, .message = "killed by signal 11"}}};
    EXPECT_EQ(Coverage(report).find(0, pool_11)->counts.failed, 1u);
    EXPECT_EQ(Coverage(report).elsewhere().failed, 0u);
}

TEST(Coverage, JsonTellsHolesFromNumbers)
{
    size_t expected = 0;
    for (const OperatorKind op : all_operators())
        expected += versions_of(op).size() * types_of(op).size();
    EXPECT_EQ(coverage_json(example()).size(), 2 * expected);
    const nlohmann::json pool = json_of(example(), 0, pool_11);
    EXPECT_EQ(pool["state"], "run");
    EXPECT_EQ(pool["passed"], 2);
    EXPECT_EQ(pool["failed"], 1);
    EXPECT_EQ(pool["skipped"], 1);
    EXPECT_EQ(pool["max_ulp_error"], 1e7);
    const nlohmann::json hole = json_of(example(), 1, pool_11);
    EXPECT_EQ(hole["state"], "not run");
    const nlohmann::json absent = json_of(example(), 0, {kind_of(AveragePool()), 19, DType::bfloat16});
    EXPECT_EQ(absent["state"], "not in this version");
    for (const nlohmann::json& without : {hole, absent})
        for (const char* key : {"passed", "failed", "skipped", "max_ulp_error"})
            EXPECT_FALSE(without.contains(key)) << without;
}

TEST(Coverage, UlpAreInfiniteOrNotMeasured)
{
    Report report = example();
    report.entries = {entry(pool_11, 0, Outcome::failed, std::numeric_limits<double>::infinity()),
                      entry(conv_22, 0, Outcome::passed), entry({kind_of(Shape()), 25, DType::int2}, 0, Outcome::passed, 0)};
    EXPECT_EQ(json_of(report, 0, pool_11)["max_ulp_error"], "infinity");
    EXPECT_TRUE(json_of(report, 0, conv_22)["max_ulp_error"].is_null());
    EXPECT_TRUE(json_of(report, 0, {kind_of(Shape()), 25, DType::int2})["max_ulp_error"].is_null()) << "integers have none";
}

TEST(Coverage, TextShowsWhatRan)
{
    const std::string text = coverage_text(example());
    EXPECT_NE(text.find("ConvTranspose on 0_one\n"
                        "  version                 1        11       22\n"
                        "  float, float16, double  not run  not run  not run\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("ConvTranspose on 1_two\n"
                        "  version                 1        11       22\n"
                        "  float, float16, double  not run  not run  not run\n"
                        "  bfloat16                -        -        2 (0.5 ulp)\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("1 FAILED, 2, 1 skipped (1e+07 ulp)"), std::string::npos) << text;
    EXPECT_NE(text.find("\nShape: not run\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n2 of " + std::to_string(2 * all_cells()) + " cells ran\n"), std::string::npos) << text;
}

TEST(Coverage, TextJoinsWhatIsEqual)
{
    Report report = example();
    report.entries.clear();
    for (size_t device = 0; device < 2; ++device)
        for (const Cell& cell : cells_of(kind_of(Shape())))
            report.entries.push_back(entry(cell, device, Outcome::passed));
    const std::string text = coverage_text(report);
    EXPECT_NE(text.find("Shape on 0_one, 1_two\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n  float to complex128 (15 types)            1  1   1   1   1   1   1   1\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("\n  uint4, int4                               -  -   -   -   1   1   1   1\n"), std::string::npos)
        << text;
    report.entries[0].result.outcome = Outcome::failed;
    EXPECT_NE(coverage_text(report).find("Shape on 0_one\n"), std::string::npos);
    EXPECT_NE(coverage_text(report).find("\n  uint8 to complex128 (14 types)"), std::string::npos);
}

TEST(Coverage, PageShowsWhatRan)
{
    const std::string page = coverage_html(example());
    EXPECT_NE(page.find("<td class=\"failed\">1 failed<small>2 passed</small><small>1 skipped</small><small>1e+07 ulp</small>"),
              std::string::npos)
        << page;
    EXPECT_NE(page.find("<td class=\"passed\">2<small>0.5 ulp</small>"), std::string::npos) << page;
    EXPECT_NE(page.find("<td class=\"hole\">not run"), std::string::npos);
    EXPECT_NE(page.find("title=\"not in this version\""), std::string::npos);
    EXPECT_NE(page.find("<h3>Shape</h3>\n<p class=\"soft\">not run</p>"), std::string::npos);
    EXPECT_NE(page.find("<caption>one &lt;gpu&gt;</caption>"), std::string::npos);
    EXPECT_NE(page.find("<caption>two</caption>"), std::string::npos);
    EXPECT_EQ(page.find(">0<"), std::string::npos) << "a hole is no zero";
    Report skipped = example();
    skipped.entries = {entry(pool_11, 0, Outcome::skipped)};
    EXPECT_NE(coverage_html(skipped).find("<td class=\"skipped\">1 skipped"), std::string::npos) << "nor is it a pass";
}

}  // namespace
}  // namespace vkonnx::tools
