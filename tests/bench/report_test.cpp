// This file tests the report's three forms, and how they word numbers.
#include "bench/report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bench/format.h"
#include "fake_result.h"
#include "kit/temporary_folder.h"

namespace vkonnx::bench {
namespace {

size_t count(const std::string& text, const std::string& part)
{
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

const std::vector<FakeCase> three_cases = {{"conv_transpose/up/f32", 1e9, 1e6, {40e-3, 41e-3, 39e-3}},
                                           {"average_pool/global/f32", 1e6, 1e6, {200e-6, 200e-6, 220e-6}},
                                           {"conv_transpose/wrong/f32"}};

RunResult named_run()
{
    RunResult run = fake_run(three_cases);
    run.context["case:conv_transpose/up/f32"] = "x=1x3x8x8 w=3x5x2x2 strides=2,2   # U-Net | last <up>";
    return run;
}

TEST(Format, Numbers)
{
    EXPECT_EQ(number_text(0), "0");
    EXPECT_EQ(number_text(1.234), "1.23");
    EXPECT_EQ(number_text(12.34), "12.3");
    EXPECT_EQ(number_text(123.4), "123");
    EXPECT_EQ(number_text(12345), "12345");
    EXPECT_EQ(number_text(0.01234), "0.0123");
    EXPECT_EQ(number_text(9.996), "10.0");
    EXPECT_EQ(number_text(1e-9), "1.00e-09");
    EXPECT_EQ(number_text(std::nan("")), "-");
    EXPECT_EQ(time_text(1.5e-3), "1.50 ms");
    EXPECT_EQ(time_text(999.7e-6), "1.00 ms");
    EXPECT_EQ(time_text(2.5e-7), "250 ns");
    EXPECT_EQ(time_text(12), "12.0 s");
    EXPECT_EQ(text(rate_quantity(67000, "FLOP/s")), "67.0 TFLOP/s");
    EXPECT_EQ(text(rate_quantity(0.5, "B/s")), "500 MB/s");
    EXPECT_EQ(percent_text(0.371), "37 %");
    EXPECT_EQ(percent_text(0.0371), "3.7 %");
    EXPECT_EQ(percent_text(0.0017), "0.17 %");
    EXPECT_EQ(percent_text(1.12), "112 %");
    EXPECT_EQ(spread_text({.samples = 3, .median_s = 2, .low_s = 1.9, .high_s = 2.1}), "5.0 %");
    EXPECT_EQ(spread_text({.samples = 1, .median_s = 2, .low_s = 2, .high_s = 2}), "");
}

TEST(Format, Escapes)
{
    EXPECT_EQ(html_escape("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
    EXPECT_EQ(markdown_escape("a|b\n*c* <d> `e`"), "a\\|b \\*c\\* \\<d\\> \\`e\\`");
}

TEST(Format, ShortNames)
{
    using Names = std::vector<std::string>;
    EXPECT_EQ(short_names({"conv/a/f32", "pool/b/f32"}), (Names{"a", "b"}));
    EXPECT_EQ(short_names({"conv/a/f32", "conv/a/f16"}), (Names{"a/f32", "a/f16"})) << "types differ";
    EXPECT_EQ(short_names({"conv/a/f32", "pool/a/f32"}), (Names{"conv/a", "pool/a"})) << "operators are needed";
    EXPECT_EQ(short_names({"plain"}), (Names{"plain"}));
    EXPECT_EQ(short_names({"model/resnet"}), (Names{"resnet"})) << "a model has no type";
    EXPECT_EQ(short_names({"model/resnet", "conv/a/f32"}), (Names{"resnet", "a/f32"}));
    EXPECT_EQ(short_names({}), Names());
}

TEST(Report, HtmlShowsEveryCaseAndReachesNoNetwork)
{
    const RunResult run = named_run();
    const std::string html = report_html({&run, 1});
    EXPECT_TRUE(has(html, "<h1>Fake GPU</h1>"));
    EXPECT_EQ(count(html, "<g class=\"point\""), 4u) << "two points, in the wide and the narrow plot";
    EXPECT_EQ(count(html, "<div class=\"bar\">"), 2u);
    // The first case takes 40 ms where 10 ms would be possible, the second one 200 us where 100 us would be.
    EXPECT_TRUE(has(html, "<i style=\"width:25.00%\">"));
    EXPECT_TRUE(has(html, "<i style=\"width:50.00%\">"));
    EXPECT_TRUE(has(html, "<td class=\"n\">40.0<i>ms</i></td>"));
    EXPECT_TRUE(has(html, "<td class=\"n\">200<i>µs</i></td>"));
    EXPECT_TRUE(has(html, "<b>conv_transpose/wrong/f32</b>: output[3] = 5 must be 7"));
    EXPECT_TRUE(has(html, "<dd>35 %<small>mean</small></dd>")) << "the geometric mean of 25 and 50 %";
    EXPECT_TRUE(has(html, "U-Net | last &lt;up&gt;"));
    EXPECT_TRUE(has(html, "prefers-color-scheme: dark"));
    EXPECT_TRUE(has(html, "@media print"));
    for (const char* part : {"<script", "http:", "https:", "@import", "url(", "src="})
        EXPECT_FALSE(has(html, part)) << part;
}

TEST(Report, ModelsHaveATableOfTheirOwn)
{
    RunResult run = fake_run({{"model/net", 0, 0, {2e-3}}, {"conv/a/f32", 1e8, 1, {10e-3}}});
    for (const std::string& without : {report_html({&run, 1}), report_markdown({&run, 1})})
        EXPECT_FALSE(has(without, "Whole models"));
    run.cases[0].counters = {{"dispatches", 7}, {"arena_bytes", 1.5e6}, {"constant_bytes", 44e3}};
    const std::string html = report_html({&run, 1}), markdown = report_markdown({&run, 1});
    EXPECT_TRUE(has(html, "<td class=\"n\">7.00</td><td class=\"n\">1.50<i>MB</i></td><td class=\"n\">44.0<i>kB</i></td></tr>"))
        << html;
    EXPECT_TRUE(has(markdown, "| model/net | 7.00 | 1.50 MB | 44.0 kB |")) << markdown;
    EXPECT_EQ(count(html, "<div class=\"bar\">"), 1u) << "no best possible time is known of a model";
}

TEST(Report, BarsOfSlowKernelsAreLogarithmic)
{
    EXPECT_FALSE(has(report_html(std::vector<RunResult>{named_run()}), "card bars log"));
    // At best each case takes 1 ms. They reach 10 %, 1 % and 0.1 % of that, on a scale of four decades.
    const RunResult run = fake_run({{"op/a/f32", 1e8, 1, {10e-3}}, {"op/b/f32", 1e8, 1, {100e-3}}, {"op/c/f32", 1e8, 1, {1.0}}});
    const std::string html = report_html({&run, 1});
    EXPECT_TRUE(has(html, "<section class=\"card bars log\" style=\"--decade:25.000%\">"));
    for (const char* width : {"width:75.00%", "width:50.00%", "width:25.00%"})
        EXPECT_TRUE(has(html, width)) << width;
    EXPECT_TRUE(has(html, "<span style=\"left:0.00%\">0.01 %</span>"));
    EXPECT_TRUE(has(html, "<span style=\"left:100.00%\">100 %</span>"));
}

TEST(Report, EveryStringIsEscaped)
{
    // The mark is put into everything that comes from a file. It must not reach the page as markup.
    const std::string mark = "<img onerror='x'>\"&";
    nlohmann::json json = fake_json({{"conv_transpose/" + mark + "/f32", 1e9, 1e6, {1e-3}}, {"average_pool/" + mark + "2/f32"}});
    for (auto& [key, value] : json["context"].items())
        if (!key.starts_with("peak_"))
            value = mark;
    json["context"]["case:conv_transpose/" + mark + "/f32"] = "x=" + mark + " # " + mark;
    for (nlohmann::json& entry : json["benchmarks"]) {
        entry["label"] = mark;
        if (entry.contains("error_message"))
            entry["error_message"] = mark;
    }
    for (const char* key : {context::version, context::git_revision, context::command, context::suite, context::device_kind,
                            context::api_version, context::uuid, context::capabilities, context::timed_by, context::cache_mode})
        json["context"][key] = mark;
    const Result<RunResult> run = parse_result(json.dump(), mark);
    ASSERT_TRUE(run) << run.message();
    const RunResult one[] = {*run}, two[] = {*run, *run};
    for (const std::string& html : {report_html(one), report_html(two)}) {
        EXPECT_FALSE(has(html, "<img"));
        EXPECT_FALSE(has(html, "'x'"));
        EXPECT_TRUE(has(html, "&lt;img onerror=&#39;x&#39;&gt;&quot;&amp;"));
    }
    EXPECT_FALSE(has(report_markdown(one), " <img"));
}

TEST(Report, TwoResultsStandSideBySide)
{
    RunResult runs[] = {named_run(), fake_run({{"conv_transpose/up/f32", 1e9, 1e6, {20e-3, 20.5e-3, 19.5e-3}}}, "b.json")};
    runs[1].context[context::device] = "Other GPU";
    const std::string html = report_html(runs);
    EXPECT_TRUE(has(html, "<span class=\"letter a\">A</span>Fake GPU"));
    EXPECT_TRUE(has(html, "<span class=\"letter b\">B</span>Other GPU"));
    EXPECT_EQ(count(html, "<svg class=\"roofline a\""), 2u);
    EXPECT_EQ(count(html, "<svg class=\"roofline b\""), 2u);
    EXPECT_TRUE(has(html, "Geometric mean B/A of 0.500 (2.00x faster) over 1 case<")) << html.substr(html.find("Geometric"), 80);
    EXPECT_TRUE(has(html, "<td class=\"faster\">2.00x faster</td>"));
    EXPECT_TRUE(has(html, "<td class=\"n same\">missing</td>"));

    const nlohmann::json json = nlohmann::json::parse(report_json(runs));
    EXPECT_EQ(json["results"].size(), 2u);
    EXPECT_EQ(json["comparison"]["cases"][0]["ratio"], 0.5);
    EXPECT_EQ(json["comparison"]["cases"][1]["verdict"], "only in A");
}

TEST(Report, Markdown)
{
    const RunResult run = named_run();
    const std::string text = report_markdown({&run, 1});
    EXPECT_TRUE(
        has(text,
            "| # | Case | What | Kernel | Time | Spread | Best possible | of best | GFLOP/s | GB/s |\n"
            "| ---: | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            "| 1 | conv_transpose/up/f32 | U-Net \\| last \\<up\\> | conv_transpose_direct | 40.0 ms | 2.5 % | 10.0 ms | 25 % | "
            "25.0 | 0.0250 |\n"
            "| 2 | average_pool/global/f32 |  | conv_transpose_direct | 200 us | 5.0 % | 100 us | 50 % | 5.00 | 5.00 |\n"
            "| 3 | conv_transpose/wrong/f32 |  |  | error |  |  |  |  |  |\n"))
        << text;
    EXPECT_TRUE(has(text, "- **error** conv_transpose/wrong/f32: output\\[3\\] = 5 must be 7\n"));
    EXPECT_TRUE(has(text, "| f32 peak | 100 GFLOP/s, then 99.0 GFLOP/s |"));
}

TEST(Report, Json)
{
    const RunResult run = named_run();
    const nlohmann::json json = nlohmann::json::parse(report_json({&run, 1}));
    const nlohmann::json& result = json["results"][0];
    EXPECT_EQ(result["device"], "Fake GPU");
    EXPECT_EQ(result["peak_gflops_f32"]["before"], 100);
    EXPECT_TRUE(result["peak_gflops_f16"].is_null());
    EXPECT_DOUBLE_EQ(result["cases"][0]["median_s"], 40e-3);
    EXPECT_DOUBLE_EQ(result["cases"][0]["efficiency"], 0.25);
    EXPECT_EQ(result["cases"][2]["error"], "output[3] = 5 must be 7");
    EXPECT_FALSE(result["cases"][2].contains("median_s"));
    EXPECT_EQ(result["warnings"][0], "1 case went wrong");
    EXPECT_FALSE(json.contains("comparison"));
}

TEST(Report, WrittenByExtension)
{
    const RunResult run = named_run();
    EXPECT_EQ(write_report("r.txt", {&run, 1}).message(), "r.txt: a report's extension must be .html, .md or .json");
    EXPECT_EQ(write_report("r.md", {}).message(), "r.md: a report shows one or two results, not 0");
    const kit::TemporaryFolder folder;
    const std::string path = folder / "report.md";
    const Status written = write_report(path, {&run, 1});
    ASSERT_TRUE(written) << written.message();
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, "# vkonnx-bench");
}

TEST(Report, WarnsOfWhatSpoilsTimes)
{
    RunResult run = named_run();
    run.context[context::validation] = "on";
    run.context[context::peak_copy_after] = "9";
    run.context[context::device_kind] = "cpu";
    const std::string html = report_html({&run, 1});
    EXPECT_TRUE(has(html, "<span class=\"bad\">validation layer on: times are unusable</span>"));
    EXPECT_TRUE(has(html, "<span class=\"bad\">copy peak drifted by 10 %: throttling or busy</span>"));
    EXPECT_TRUE(has(html, "<span>software driver</span>"));
    EXPECT_FALSE(has(html, "f32 peak drifted"));
}

}  // namespace
}  // namespace vkonnx::bench
