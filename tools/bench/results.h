// Results of vkonnx-bench: Google Benchmark's JSON, read back into plain structs. Files with or without repetitions, with single
// runs, with aggregates or with both are understood.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vkonnx::bench {

// One case, all its repetitions together.
struct CaseResult {
    std::string name = {};    // "conv_transpose/dcgan_g2/f32", without what Google Benchmark adds
    std::string kernel = {};  // the label
    std::string error = {};   // why there are no numbers; empty when there are
    size_t samples = 0;       // repetitions, or the samples inside of a single one
    double median_s = 0;
    // The spread. Of several repetitions: the fastest and the slowest. Of a single one: the quartiles of the samples that it
    // took. Where a file holds aggregates alone: the median less and plus twice the standard deviation. The median itself where
    // nothing of this is known.
    double low_s = 0;
    double high_s = 0;
    std::map<std::string, double, std::less<>> counters = {};  // names as in counters.h; medians over the repetitions

    std::optional<double> counter(std::string_view name) const;
    // The best possible time as a share of the median: 1 is a perfect kernel. Nothing where the floor is not known.
    std::optional<double> efficiency() const;
};

// A probe's reading before and after the cases, in 1e9 operations or bytes a second.
struct Peak {
    double before = 0;
    std::optional<double> after = {};

    double best() const;
    // |after / before - 1|; 0 without an "after".
    double drift() const;
};

struct RunResult {
    std::string path = {};
    std::map<std::string, std::string, std::less<>> context = {};  // keys as in counters.h and Google Benchmark's own
    std::vector<CaseResult> cases = {};                            // in the order of their first appearance

    // "" when the key is absent.
    std::string_view text(std::string_view key) const;
    std::optional<double> number(std::string_view key) const;
    // The device's name, or the path for files of other benchmarks.
    std::string device() const;
    std::optional<Peak> peak_f32() const;
    std::optional<Peak> peak_f16() const;
    std::optional<Peak> peak_copy() const;
    const CaseResult* find(std::string_view name) const;
};

// `path` only names the text in errors.
Result<RunResult> parse_result(std::string_view json, const std::string& path);
Result<RunResult> load_result(const std::string& path);

// "a/b/iterations:20/manual_time" to "a/b".
std::string_view plain_name(std::string_view name);

// Of a list that is not empty.
double median(std::vector<double> values);
double geometric_mean(std::span<const double> values);

}  // namespace vkonnx::bench
