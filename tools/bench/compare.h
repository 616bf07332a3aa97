// This header compares two results of vkonnx-bench, case by case: `vkonnx-bench --compare A.json B.json [--fail-on 5%]`.
//
// The ratio of a case is the median time of B over that of A: below 1, B is faster. A case is "same" when the ranges of both
// (CaseResult::low_s to high_s: fastest to slowest repetition, or the quartiles of a single one) overlap: the spread is then
// larger than the difference. With five repetitions on each side, two equal kernels are told apart by chance once in 126 times.
// Where a file has neither repetitions nor quartiles there is no range: nothing is ever "same", and a note says so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results.h"

namespace vkonnx::bench {

enum class Verdict : uint8_t { same, faster, slower, only_in_a, only_in_b, error };

struct CaseComparison {
    std::string name = {};
    Verdict verdict = Verdict::same;
    double a_s = 0, b_s = 0, ratio = 0;  // of same, faster and slower
    bool broke = false;                  // error: there was a time in A
    std::string error = {};              // error: which side, and its sentence
};

struct Comparison {
    std::string a = {}, b = {};              // which result: device, driver, date, path
    std::vector<CaseComparison> cases = {};  // in A's order, then those of B alone
    size_t compared = 0;                     // cases with a ratio
    double geometric_mean = 1;               // of all ratios, "same" ones too
    std::vector<std::string> notes = {};     // what makes the comparison less than fair
};

// Compares two results. Returns an error where one can't be compared at all, because it was timed under the validation layer.
Result<Comparison> compare(const RunResult& a, const RunResult& b);

// Returns why a gate must not let B pass, a sentence for each reason, or nothing when it may. With a threshold of 0.05 the
// reasons are: the geometric mean, or any case that is not "same", takes over 1.05 times as long, or a case that had a time in A
// is an error in B or is not in B at all (a gate that a case leaves by vanishing is none). Cases that only B has never fail.
std::vector<std::string> regressions(const Comparison& comparison, double threshold);

// Turns "5%", "5 %" or "5" into 0.05.
Result<double> parse_threshold(std::string_view text);

// Returns "1.12x faster" or "same", for example.
std::string verdict_text(const CaseComparison& one);
// Returns "0.893 (1.12x faster)", for example.
std::string mean_text(const Comparison& comparison);

// Returns the table, the geometric mean, then what is missing, what is wrong, and the notes.
std::string comparison_text(const Comparison& comparison);

}  // namespace vkonnx::bench
