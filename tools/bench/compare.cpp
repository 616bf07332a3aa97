#include "compare.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "cli.h"
#include "counters.h"
#include "format.h"

namespace vkonnx::bench {

static CaseComparison compare_case(const CaseResult& a, const CaseResult& b)
{
    CaseComparison one{.name = a.name};
    if (!a.error.empty() || !b.error.empty()) {
        one.verdict = Verdict::error;
        one.broke = a.error.empty();
        one.error = a.error.empty() ? "in B: " + b.error : "in A: " + a.error;
        if (!a.error.empty() && !b.error.empty())
            one.error += a.error == b.error ? " (and the same in B)" : "; in B: " + b.error;
        return one;
    }
    one.a_s = a.median_s;
    one.b_s = b.median_s;
    one.ratio = b.median_s / a.median_s;
    const bool overlap = a.low_s <= b.high_s && b.low_s <= a.high_s;
    one.verdict = overlap ? Verdict::same : one.ratio < 1 ? Verdict::faster : Verdict::slower;
    return one;
}

static std::string describe(const RunResult& run)
{
    std::string text = run.device();
    for (const std::string_view part : {run.text(context::driver), run.text("date"), std::string_view(run.path)})
        if (!part.empty() && part != text)
            text += ", " + std::string(part);
    return text;
}

static std::vector<std::string> unfairness(const RunResult& a, const RunResult& b, const Comparison& comparison)
{
    std::vector<std::string> notes;
    const std::pair<std::string_view, std::string_view> settings[] = {
        {context::timed_by, "timed by"}, {context::cache_mode, "caches"}, {context::suite, "suite"}};
    for (const auto& [key, words] : settings)
        if (a.text(key) != b.text(key))
            notes.push_back(std::string(words) + " differs: \"" + std::string(a.text(key)) + "\" in A, \"" +
                            std::string(b.text(key)) + "\" in B");
    for (const auto& [run, side] : {std::pair(&a, "A"), std::pair(&b, "B")})
        if (const std::optional<Peak> peak = run->peak_f32(); peak && peak->drift() > 0.05)
            notes.push_back(std::string("the peak of ") + side + " drifted by " + percent_text(peak->drift()) +
                            " during its run: its device was throttling or busy");
    size_t single = 0;
    for (const CaseComparison& one : comparison.cases)
        if (one.ratio > 0 && (a.find(one.name)->samples < 2 || b.find(one.name)->samples < 2))
            ++single;
    if (single)
        notes.push_back(std::to_string(single) + (single == 1 ? " case has" : " cases have") +
                        " a single sample on one side, so noise can't be told from change: use --benchmark_repetitions=5");
    return notes;
}

Result<Comparison> compare(const RunResult& a, const RunResult& b)
{
    for (const RunResult* run : {&a, &b})
        if (run->text(context::validation) == "on")
            return Status(Code::invalid_argument,
                          run->path + ": was timed with the validation layer on, which makes its times unusable");
    Comparison comparison{.a = describe(a), .b = describe(b)};
    std::vector<double> ratios;
    for (const CaseResult& one : a.cases) {
        const CaseResult* other = b.find(one.name);
        comparison.cases.push_back(
            other ? compare_case(one, *other)
                  : CaseComparison{.name = one.name, .verdict = Verdict::only_in_a, .broke = one.error.empty()});
        if (comparison.cases.back().ratio > 0)
            ratios.push_back(comparison.cases.back().ratio);
    }
    for (const CaseResult& one : b.cases)
        if (!a.find(one.name))
            comparison.cases.push_back({.name = one.name, .verdict = Verdict::only_in_b});
    comparison.compared = ratios.size();
    if (!ratios.empty())
        comparison.geometric_mean = geometric_mean(ratios);
    comparison.notes = unfairness(a, b, comparison);
    return comparison;
}

static std::string ratio_text(double ratio)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", ratio);
    return text;
}

static std::string times_text(double ratio)
{
    char text[48];
    std::snprintf(text, sizeof text, "%.2fx %s", ratio < 1 ? 1 / ratio : ratio, ratio < 1 ? "faster" : "slower");
    return text;
}

std::vector<std::string> regressions(const Comparison& comparison, double threshold)
{
    std::vector<std::string> sentences;
    const std::string limit = ", over the limit of " + ratio_text(1 + threshold);
    for (const CaseComparison& one : comparison.cases) {
        if (one.verdict == Verdict::slower && one.ratio > 1 + threshold)
            sentences.push_back(one.name + ": takes " + ratio_text(one.ratio) + " times as long" + limit);
        else if (one.verdict == Verdict::error && one.broke)
            sentences.push_back(one.name + ": had a time in A; " + one.error);
        else if (one.verdict == Verdict::only_in_a && one.broke)
            sentences.push_back(one.name + ": had a time in A; is not in B");
    }
    if (comparison.geometric_mean > 1 + threshold)
        sentences.push_back("geometric mean: takes " + ratio_text(comparison.geometric_mean) + " times as long" + limit);
    return sentences;
}

Result<double> parse_threshold(std::string_view text)
{
    std::string_view number = text;
    while (number.ends_with('%') || number.ends_with(' '))
        number.remove_suffix(1);
    double percent = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), percent);
    if (error != std::errc() || end != number.data() + number.size() || !(percent >= 0) || !std::isfinite(percent))
        return Status(Code::invalid_argument, "--fail-on: \"" + std::string(text) + "\" must be a share such as 5%");
    return percent / 100;
}

std::string verdict_text(const CaseComparison& one)
{
    switch (one.verdict) {
    case Verdict::same:
        return "same";
    case Verdict::faster:
    case Verdict::slower:
        return times_text(one.ratio);
    case Verdict::only_in_a:
        return "only in A";
    case Verdict::only_in_b:
        return "only in B";
    case Verdict::error:
        break;
    }
    return "error";
}

std::string mean_text(const Comparison& comparison)
{
    if (comparison.compared == 0)
        return "-";
    return ratio_text(comparison.geometric_mean) + " (" + times_text(comparison.geometric_mean) + ")";
}

std::string comparison_text(const Comparison& comparison)
{
    tools::Table table;
    table.add({"case", "A", "B", "B/A", "B is"});
    std::string missing, errors;
    size_t counts[3] = {};
    for (const CaseComparison& one : comparison.cases) {
        if (one.ratio > 0) {
            table.add({one.name, time_text(one.a_s), time_text(one.b_s), ratio_text(one.ratio), verdict_text(one)});
            ++counts[size_t(one.verdict)];
        } else if (one.verdict == Verdict::error) {
            errors += "error " + one.name + ": " + one.error + "\n";
        } else {
            missing += verdict_text(one) + ": " + one.name + "\n";
        }
    }
    std::string text = "A: " + comparison.a + "\nB: " + comparison.b + "\n\n";
    if (comparison.compared)
        text += table.text("", {1, 2, 3}) + "\ngeometric mean B/A " + mean_text(comparison) + " over " +
                std::to_string(comparison.compared) + (comparison.compared == 1 ? " case: " : " cases: ") +
                std::to_string(counts[1]) + " faster, " + std::to_string(counts[2]) + " slower, " + std::to_string(counts[0]) +
                " same\n";
    else
        text += "No case has a time in both.\n";
    for (const std::string& part : {missing, errors})
        if (!part.empty())
            text += "\n" + part;
    if (!comparison.notes.empty())
        text += "\n";
    for (const std::string& note : comparison.notes)
        text += "note: " + note + "\n";
    return text;
}

}  // namespace vkonnx::bench
