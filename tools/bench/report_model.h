// This header makes ready what all forms of the report show: rows of cases, remarks, sums. The forms only word and colour it.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare.h"
#include "results.h"

namespace vkonnx::bench {

struct ReportRow {
    size_t number = 0;                            // from 1; stands for the case where its name has no room
    std::string name = {};                        // in full
    std::string label = {};                       // as short as all rows allow
    std::string what = {};                        // the case line's reason: "DCGAN G4"
    std::string problem = {};                     // the case line
    std::vector<const CaseResult*> results = {};  // one a run; null where that run lacks the case
    std::string verdict = {};                     // of two runs: "1.12x faster"
    double ratio = 0;                             // of two runs, B/A; 0 when there is none
};

// A remark is something that the reader must know about a run before believing it.
struct Remark {
    std::string text = {};
    bool serious = false;
};

struct ReportModel {
    std::span<const RunResult> runs = {};
    std::vector<ReportRow> rows = {};        // in the order of the runs
    std::vector<std::string> compared = {};  // of two runs: the sentence of the geometric mean, then notes
};

// The result points into `runs`.
ReportModel report_model(std::span<const RunResult> runs);

std::vector<Remark> remarks(const RunResult& run);

// Returns the geometric mean over all cases whose floor is known, or nothing when there is none.
std::optional<double> mean_efficiency(const RunResult& run);
size_t error_count(const RunResult& run);

// Returns label and value of what was measured, on what and how, in a fixed order. What is not known is left out.
std::vector<std::pair<std::string, std::string>> context_lines(const RunResult& run);

// Returns "NVIDIA 550.54, Vulkan 1.3.277", for example.
std::string driver_line(const RunResult& run);

// Returns "2026-11-21 08:07:00+00:00", for example.
std::string date_text(const RunResult& run);

// Returns "67.0 TFLOP/s, then 66.1 TFLOP/s", for example.
std::string peak_text(const Peak& peak, std::string_view unit);

}  // namespace vkonnx::bench
