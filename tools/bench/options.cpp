#include "options.h"

#include <cstdlib>
#include <iterator>
#include <map>

#include "bench/compare.h"
#include "command_line.h"

namespace vkonnx::bench {
namespace {

constexpr double default_budget = 0.5;
constexpr double quick_budget = 0.1;

std::optional<double> number(const std::string& text)
{
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value >= 0) || value > 1e9)
        return std::nullopt;
    return value;
}

int refuse(const std::string& sentence)
{
    return tools::fail(tools::exit_usage, sentence);
}

// Reads "0.5" or "0.5s" as a time, and "20x" as a number of samples.
bool read_min_time(std::string_view text, Options& options)
{
    const char last = text.empty() ? ' ' : text.back();
    const auto value = number(std::string(text.substr(0, text.size() - (last == 's' || last == 'x' ? 1 : 0))));
    if (!value || *value <= 0)
        return false;
    if (last == 'x')
        options.samples = int64_t(*value);
    else
        options.budget_seconds = *value;
    return last != 'x' || double(options.samples) == *value;
}

// Returns the first flag that is neither CLI11's nor Google Benchmark's.
std::optional<std::string> first_stranger(const std::vector<std::string>& rest)
{
    for (const std::string& flag : rest)
        if (flag.rfind("--benchmark_", 0) != 0 && flag.rfind("--v=", 0) != 0)
            return flag;
    return std::nullopt;
}

std::optional<int> check(const std::string& out_format, const Options& options)
{
    if (out_format != "json")
        return refuse("--benchmark_out_format=" + out_format + ": only json is written to files");
    if (options.cold_cache && options.batch > 0)
        return refuse("--cold-cache and --batch exclude each other: a batch runs on warm inputs");
    if (!options.compare.empty() && !(options.suites.empty() && options.cases.empty() && options.models.empty()))
        return refuse("--compare runs nothing: --suite, --case and --model don't go with it");
    if (!options.models.empty() && (options.cold_cache || options.batch > 0 || !options.kernel.empty() || options.compiled))
        return refuse(
            "--model times what a session makes of a model: --cold-cache, --batch, --kernel and --compiled don't go with it");
    if (options.compiled && !(options.compare.empty() && options.report.empty() && options.json_path.empty()))
        return refuse("--compiled times nothing: --compare, --report and --benchmark_out don't go with it");
    if (options.tune && !(options.compare.empty() && options.kernel.empty() && !options.compiled))
        return refuse("--tune chooses kernels for a run: --kernel, --compiled and --compare don't go with it");
    if (options.fail_on && options.compare.empty())
        return refuse("--fail-on needs --compare");
    return std::nullopt;
}

}  // namespace

std::optional<int> parse_options(int argc, const char* const* argv, Options& options)
{
    CLI::App app(
        "Times ONNX operators on a Vulkan device, each verified first. Built on Google Benchmark: its other --benchmark_... "
        "flags work too.");
    const std::map<std::string, DType> type_names(std::begin(timed_types), std::end(timed_types));
    std::string type = "f32", fail_on, min_time, out_format = "json";
    tools::add_device_option(app, options.device);
    app.add_flag("--quick", options.quick, "The small version of the default suite, for software drivers");
    app.add_option("--suite", options.suites, "Layers of real networks, or a file of cases; its stem is the operator (or --op)")
        ->type_name("networks|FILE");
    app.add_option("--op", options.op, "The operator of --suite files")->type_name("conv_transpose|average_pool|...");
    app.add_option("--case", options.cases, "One case: \"average_pool x=1x3x64x64 kernel_shape=2,2\"")->type_name("TEXT");
    app.add_option("--model", options.models, "A whole model: a folder with model.onnx and test_data_set_*, or a folder of such")
        ->type_name("FOLDER");
    app.add_option("--rtol", options.model_tolerance, "How far a model's outputs may be off, relative to the greatest of each")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber)
        ->check(tools::finite_number());
    app.add_option("--kernel", options.kernel, "Force a kernel: conv_transpose_nd; or all: each that fits")->type_name("NAME");
    app.add_flag("--tune", options.tune, "Take the fastest kernel by the clock, not by estimates");
    app.add_option("--tune-file", options.tune_file, "--tune, and keep what it finds: read first where it exists")
        ->type_name("FILE");
    app.add_flag("--compiled", options.compiled,
                 "Run nothing: what the driver's compiler makes of the cases' kernels, registers, spills and instructions");
    app.add_option("--type", type, "Element type of cases that name none")->check(CLI::IsMember(type_names));
    app.add_flag("--cold-cache", options.cold_cache, "Rotate buffers, so that no run finds its data in a cache");
    app.add_option("--batch", options.batch, "Time N independent operators in one submit")
        ->type_name("N")
        ->check(CLI::Range(int64_t{1}, int64_t{4096}));
    app.add_option("--seed", options.seed, "Of the outputs that are compared with the reference");
    app.add_option("--report", options.report, "Write a page (.html), a table (.md) or the data (.json)")->type_name("FILE");
    app.add_option("--compare", options.compare, "Compare two results instead of running")
        ->type_name("A.json B.json")
        ->expected(2);
    app.add_option("--fail-on", fail_on, "With --compare: exit code 1 when B is slower by more")->type_name("5%");
    app.add_option("--benchmark_filter", options.filter, "Only cases whose name matches")->type_name("REGEX");
    app.add_flag("--benchmark_list_tests", options.list, "Only print the cases' names");
    app.add_option("--benchmark_min_time", min_time, "Seconds of samples a case (0.5, or 0.1 with --quick), or 20x: samples");
    app.add_option("--benchmark_out", options.json_path, "Write Google Benchmark's JSON")->type_name("FILE");
    app.add_option("--benchmark_out_format", out_format, "json");
    app.add_option("--benchmark_format", options.format, "What is printed")->check(CLI::IsMember({"console", "json", "csv"}));
    app.allow_extras();
    if (auto code = tools::parse_command_line(app, argc, argv))
        return code;

    options.google_flags = app.remaining();
    if (auto stranger = first_stranger(options.google_flags))
        return refuse("unknown argument " + *stranger);
    options.budget_seconds = options.quick ? quick_budget : default_budget;
    if (!min_time.empty() && !read_min_time(min_time, options))
        return refuse("--benchmark_min_time=" + min_time + " is neither seconds (0.5) nor a number of samples (20x)");
    if (!fail_on.empty()) {
        const Result<double> threshold = parse_threshold(fail_on);
        if (!threshold)
            return refuse("--fail-on: " + std::string(threshold.message()));
        options.fail_on = *threshold;
    }
    options.type = type_names.at(type);
    options.tune = options.tune || !options.tune_file.empty();
    for (int i = 0; i < argc; ++i)
        options.command_line.append(i ? " " : "").append(argv[i]);
    return check(out_format, options);
}

}  // namespace vkonnx::bench
