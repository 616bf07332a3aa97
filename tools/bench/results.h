// This header reads results of vkonnx-bench, which are Google Benchmark's JSON, back into plain structs. It understands files
// with or without repetitions, with single runs, with aggregates or with both.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vkonnx::bench {

// This struct holds one case, all its repetitions together.
struct CaseResult {
    std::string name = {};    // "conv_transpose/dcgan_g2/f32", without what Google Benchmark adds
    std::string kernel = {};  // the label
    std::string error = {};   // why there are no numbers; empty when there are
    size_t samples = 0;       // repetitions, or the samples inside of a single one
    double median_s = 0;
    // These are the spread. Of several repetitions they are the fastest and the slowest, of a single one the quartiles of its
    // samples. Where a file holds aggregates alone, they are the median less and plus twice the standard deviation. Where nothing
    // of this is known, both are the median itself.
    double low_s = 0;
    double high_s = 0;
    std::map<std::string, double, std::less<>> counters = {};  // names as in counters.h; medians over the repetitions

    std::optional<double> counter(std::string_view name) const;
    // Returns the best possible time as a share of the median: 1 is a perfect kernel. It is nothing where the floor is not known.
    std::optional<double> efficiency() const;
};

// A peak is a probe's reading before and after the cases, in 1e9 operations or bytes a second.
struct Peak {
    double before = 0;
    std::optional<double> after = {};

    double best() const;
    // Returns |after / before - 1|, or 0 without an "after".
    double drift() const;
};

struct RunResult {
    std::string path = {};
    std::map<std::string, std::string, std::less<>> context = {};  // keys as in counters.h and Google Benchmark's own
    std::vector<CaseResult> cases = {};                            // in the order of their first appearance

    // Returns "" when the key is absent.
    std::string_view text(std::string_view key) const;
    std::optional<double> number(std::string_view key) const;
    // Returns the device's name, or the path for files of other benchmarks.
    std::string device() const;
    std::optional<Peak> peak_f32() const;
    std::optional<Peak> peak_f16() const;
    std::optional<Peak> peak_copy() const;
    const CaseResult* find(std::string_view name) const;
};

// `path` only names the text in errors.
Result<RunResult> parse_result(std::string_view json, const std::string& path);
Result<RunResult> load_result(const std::string& path);

// Turns "a/b/iterations:20/manual_time" into "a/b".
std::string_view plain_name(std::string_view name);

// The lists must not be empty.
double median(std::vector<double> values);
double geometric_mean(std::span<const double> values);

}  // namespace vkonnx::bench
