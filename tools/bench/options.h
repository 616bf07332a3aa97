// This header reads the command line of vkonnx-bench: its own flags, those of Google Benchmark that it handles itself, and the
// rest for it.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vkonnx::bench {

// These are the types that are timed, under the names that --type takes and that names of cases and kernels end with.
inline constexpr std::pair<const char*, DType> timed_types[] = {
    {"f32", DType::float32}, {"f16", DType::float16}, {"bf16", DType::bfloat16}};

struct Options {
    std::string device = {};
    std::string kernel = {};

    // These say what is timed.
    bool quick = false;
    std::vector<std::string> suites = {};  // files, or "networks"; with `cases`, in place of the default suite
    std::vector<std::string> cases = {};   // "average_pool x=1x3x64x64 kernel_shape=2,2"
    std::vector<std::string> models = {};  // ONNX backend test folders, or folders of such; likewise in place of the suite
    std::string op = {};                   // the operator of files whose stem is none
    DType type = DType::float32;           // the type that cases of floats are timed in
    std::string filter = {};               // a regular expression over names; '-' in front turns it round
    bool list = false;
    bool tune = false;           // kernels by the clock (PrepareOptions::tune), not by estimates
    std::string tune_file = {};  // where they are kept; implies `tune`
    bool compiled = false;       // only what the driver's compiler makes of their kernels

    // These say how it is timed.
    bool cold_cache = false;
    int64_t batch = 0;          // operators in one submit; 0: one after another
    double budget_seconds = 0;  // of samples, a case
    int64_t samples = 0;        // an exact number instead
    uint64_t seed = 1;
    double model_tolerance = 1e-4;  // of models' outputs, relative to the greatest of each

    // These say where results go.
    std::string report = {};
    std::string json_path = {};
    std::string format = "console";
    std::vector<std::string> google_flags = {};  // for benchmark::Initialize

    // These compare two results instead of a run.
    std::vector<std::string> compare = {};
    std::optional<double> fail_on = {};  // a ratio: 0.05 for 5 %

    std::string command_line = {};
};

// Returns an exit code when the tool is done already: after --help or --version, or after a usage error, which was printed.
std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace vkonnx::bench
