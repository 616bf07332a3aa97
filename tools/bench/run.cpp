#include "run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "bench/compare.h"
#include "bench/counters.h"
#include "bench/format.h"
#include "bench/report.h"
#include "cli.h"
#include "compiled.h"
#include "context.h"
#include "file.h"
#include "measure.h"
#include "model.h"
#include "progress.h"
#include "reporter.h"

namespace vkonnx::bench {
namespace {

constexpr double most_drift = 0.05;

struct Session {
    const Options& options;
    DeviceOptions& device;  // with what was tuned so far
    Settings settings = {};
    Clock clock = {};
    std::optional<Peaks> peaks = {};  // before the cases; absent where a probe failed
    size_t ran = 0, failed = 0, skipped = 0;
};

void add_times(const HostCosts& costs, std::vector<double> seconds, benchmark::UserCounters& counters)
{
    counters[counter::samples] = double(seconds.size());
    const Spread spread = spread_of(std::move(seconds));
    counters[counter::min_s] = spread.min;
    counters[counter::p25_s] = spread.p25;
    counters[counter::median_s] = spread.median;
    counters[counter::p75_s] = spread.p75;
    counters[counter::max_s] = spread.max;
    counters[counter::wall_s] = costs.submit;
    counters[counter::prepare_s] = costs.prepare;
    counters[counter::bind_s] = costs.bind;
    if (costs.record)
        counters[counter::record_s] = *costs.record;
    counters[counter::first_run_cold_s] = costs.first_run_cold;
    counters[counter::first_run_cached_s] = costs.first_run_cached;
}

void add_counters(const Session& session, const kit::Case& problem, const tools::Work& work, const Measurement& measured,
                  double mean, benchmark::UserCounters& counters)
{
    if (work.flop > 0) {
        counters[counter::flop] = double(work.flop);
        counters[counter::gflops] = double(work.flop) / 1e9 / mean;
    }
    counters[counter::bytes] = double(work.bytes);
    counters[counter::gbps] = double(work.bytes) / 1e9 / mean;
    if (session.peaks) {
        const bool halves = problem.inputs[0].dtype == DType::float16 && session.peaks->flops_f16 > 0;
        const double flops = halves ? session.peaks->flops_f16 : session.peaks->flops_f32;
        const double floor = tools::floor_seconds(problem, work, flops, session.peaks->copy_bytes_per_second);
        counters[counter::floor_s] = floor;
        counters[counter::peak_percent] = 100 * floor / mean;
    }
    counters[counter::estimated_s] = measured.explanation().seconds;
    counters[counter::dispatches] = double(measured.explanation().grids.size());
    counters[counter::verified] = double(measured.verified());
    counters[counter::outputs] = double(work.outputs);
    counters[counter::repeats] = double(measured.repeats());
}

size_t operators_of(const onnx::GraphReport& report)
{
    return size_t(std::count_if(report.nodes.begin(), report.nodes.end(), [](const auto& node) { return node.runs(); }));
}

void add_counters(const ModelMeasurement& measured, benchmark::UserCounters& counters)
{
    const onnx::GraphReport& report = measured.report();
    double estimated = 0, dispatches = 0;
    for (const onnx::NodeReport& node : report.nodes)
        if (node.runs()) {
            estimated += node.explanation.seconds;
            dispatches += double(node.explanation.grids.size());
        }
    counters[counter::estimated_s] = estimated;
    counters[counter::dispatches] = dispatches;
    counters[counter::arena_bytes] = double(report.arena_bytes);
    counters[counter::constant_bytes] = double(report.constant_bytes + report.packed_bytes);
    counters[counter::verified] = counters[counter::outputs] = double(measured.verified());
    counters[counter::repeats] = 1;
}

// Lets Google Benchmark run this one benchmark and nothing else.
template <class Function>
void run_benchmark(const std::string& name, int64_t iterations, Collector& collector, Function&& function)
{
    benchmark::RegisterBenchmark(name.c_str(), function)
        ->Iterations(iterations)
        ->UseManualTime()
        ->MeasureProcessCPUTime()
        ->Unit(benchmark::kMicrosecond);
    benchmark::RunSpecifiedBenchmarks(&collector, ".");  // "." fits, whatever filter the environment holds
    benchmark::ClearRegisteredBenchmarks();
}

void report_error(const std::string& name, const std::string& sentence, Collector& collector)
{
    run_benchmark(name, 1, collector, [&](benchmark::State& state) { state.SkipWithError(tools::visible(sentence).c_str()); });
}

// Takes the samples. `add` is given their mean, and adds the rest of the counters.
template <class Measured, class Add>
void time_case(const std::string& name, const std::string& label, Measured& measured, Session& session, Collector& collector,
               Add&& add)
{
    if (Result<std::string> tunings = measured.tunings())
        session.device.tunings = std::move(*tunings);
    run_benchmark(name, measured.samples(), collector, [&](benchmark::State& state) {
        std::vector<double> seconds;
        double total = 0;
        for (auto _ : state) {
            const Result<double> sample = measured.sample();
            if (!sample) {
                state.SkipWithError(tools::visible(sample.message()).c_str());
                break;
            }
            state.SetIterationTime(*sample);
            seconds.push_back(*sample);
            total += *sample;
        }
        if (!state.error_occurred()) {
            add(total / double(seconds.size()), state.counters);
            add_times(measured.costs(), std::move(seconds), state.counters);
        }
        state.SetLabel(label);
    });
    ++(collector.last_failed() ? session.failed : session.ran);
}

// Tells whether a code is no fault: what a device can't do is none, what it does wrong is one.
bool is_no_fault(Code code)
{
    return code == Code::unsupported || code == Code::out_of_memory;
}

void report_failure(const NamedCase& one, const Status& status, bool skipped, Session& session, Collector& collector)
{
    ++(skipped ? session.skipped : session.failed);
    report_error(one.name, (skipped ? "skipped: " : "") + std::string(status.message()), collector);
}

void run_model(const NamedCase& one, Session& session, Collector& collector)
{
    const auto made = ModelMeasurement::create(session.device, *one.model, session.clock, session.settings);
    if (!made)
        return report_failure(one, made.status(), is_no_fault(made.code()), session, collector);
    ModelMeasurement& measured = **made;
    const size_t operators = operators_of(measured.report());
    time_case(one.name, std::to_string(operators) + (operators == 1 ? " operator" : " operators"), measured, session, collector,
              [&](double, benchmark::UserCounters& counters) { add_counters(measured, counters); });
}

void run_problem(const NamedCase& one, Session& session, Collector& collector)
{
    const Result<tools::Work> work = tools::work_of(one.problem);
    Settings settings = session.settings;
    settings.prepare.kernel = one.kernel;
    Result<std::unique_ptr<Measurement>> made =
        work ? Measurement::create(session.device, one.problem, *work, session.clock, settings)
             : Result<std::unique_ptr<Measurement>>(work.status());
    // An invalid argument can only be a forced kernel that does not fit, because the cases themselves were checked.
    if (!made)
        return report_failure(one, made.status(),
                              is_no_fault(made.code()) || (made.code() == Code::invalid_argument && !one.kernel.empty()), session,
                              collector);
    Measurement& measured = **made;
    time_case(one.name, measured.explanation().kernel, measured, session, collector,
              [&](double mean, benchmark::UserCounters& counters) {
                  add_counters(session, one.problem, *work, measured, mean, counters);
              });
}

void run_case(const NamedCase& one, Session& session, Collector& collector)
{
    if (one.model)
        run_model(one, session, collector);
    else
        run_problem(one, session, collector);
}

void add_context(const ContextEntries& entries)
{
    for (const auto& [key, value] : entries)
        benchmark::AddCustomContext(key, tools::visible(value));  // Google Benchmark's JSON escapes none
}

void set_context(const Device& device, const Session& session, std::span<const NamedCase> cases)
{
    // Google Benchmark has no other way to forget what a run before this one, in the same process, added.
    if (auto* context = benchmark::internal::GetGlobalContext())
        context->clear();
    add_context(context_of(device, session.clock, session.options, cases));
    if (session.peaks)
        add_context(peaks_before(*session.peaks));
}

Settings settings_of(const Options& options)
{
    return {.prepare = {.tune = options.tune},
            .cold_cache = options.cold_cache,
            .batch = options.batch,
            .budget_seconds = options.budget_seconds,
            .samples = options.samples,
            .seed = options.seed,
            .model_tolerance = options.model_tolerance};
}

size_t longest_name(std::span<const NamedCase> cases)
{
    size_t longest = 10;
    for (const NamedCase& one : cases)
        longest = std::max(longest, one.name.size());
    return longest;
}

// Gives Google Benchmark its own flags. Returns false for one that it does not know, which it has then named.
bool initialize_google(const Options& options)
{
    static char executable[] = "vkonnx-bench";  // Google Benchmark keeps the pointer
    std::vector<std::string> words = options.google_flags;
    if (options.format == "csv")
        words.push_back("--benchmark_format=csv");
    std::vector<char*> pointers = {executable};
    for (std::string& word : words)
        pointers.push_back(word.data());
    int count = int(pointers.size());
    pointers.push_back(nullptr);
    benchmark::Initialize(&count, pointers.data());
    return !benchmark::ReportUnrecognizedArguments(count, pointers.data());
}

Collector::Display display_of(const Options& options)
{
    return options.format == "json"  ? Collector::Display::none
           : options.format == "csv" ? Collector::Display::csv
                                     : Collector::Display::console;
}

void print_head(const Device& device, const Session& session, size_t cases)
{
    const DeviceInfo& info = device.info();
    std::fprintf(stderr, "%s%s, %s, Vulkan %s\n", tools::visible(info.name).c_str(),
                 info.kind == DeviceKind::cpu ? " (a software driver)" : "", tools::visible(info.driver).c_str(),
                 tools::version_text(info.api_version).c_str());
    if (session.peaks)
        std::fprintf(stderr, "peaks: %s GFLOP/s in f32, %s in f16, %s GB/s copied\n",
                     number_text(session.peaks->flops_f32 / 1e9).c_str(),
                     session.peaks->flops_f16 > 0 ? number_text(session.peaks->flops_f16 / 1e9).c_str() : "none",
                     number_text(session.peaks->copy_bytes_per_second / 1e9).c_str());
    if (session.clock.on_device)
        std::fprintf(stderr, "timed by GPU timestamps, less %.3g us for an empty pair\n", session.clock.empty_seconds * 1e6);
    else
        std::fprintf(stderr, "this device has no timestamps: wall time of submits\n");
    if (validation_is_forced())
        std::fprintf(stderr, "the validation layer is on: no time below means anything\n");
    std::fprintf(stderr, "%zu case%s, %.3g s of samples each beside set-up and verification (sampled outputs, seed %llu)\n",
                 cases, cases == 1 ? "" : "s", session.settings.budget_seconds,
                 static_cast<unsigned long long>(session.settings.seed));
}

Status write_json(const Options& options, const Collector& collector)
{
    return options.json_path.empty() ? Status() : tools::write_file(options.json_path, collector.json());
}

Status write_tunings(const Session& session)
{
    const std::string& path = session.options.tune_file;
    return path.empty() ? Status() : tools::write_file(path, session.device.tunings);
}

Status write_last_outputs(const Options& options, const Collector& collector)
{
    if (options.format == "json")
        std::cout << collector.json() << std::flush;
    if (Status status = write_json(options, collector); !status)
        return status;
    if (options.report.empty())
        return Status();
    const Result<RunResult> result = parse_result(collector.json(), options.report);
    return result ? write_report(options.report, std::span(&*result, 1)) : result.status();
}

// Refuses outputs that can't be written. That should be known before an hour of measuring, not after.
Status check_outputs(const Options& options)
{
    if (!options.report.empty()) {
        if (Status status = check_report_path(options.report); !status)
            return status;
        if (Status status = tools::check_writable(options.report); !status)
            return status;
    }
    for (const std::string& path : {options.json_path, options.tune_file})
        if (Status status = path.empty() ? Status() : tools::check_writable(path); !status)
            return status;
    return Status();
}

// Returns the tunings of a file, or "" where there is no file yet.
Result<std::string> tunings_of_file(const std::string& path)
{
    if (path.empty() || !std::filesystem::exists(path))
        return std::string();
    const Result<std::vector<std::byte>> content = tools::read_file(path, tools::most_text_bytes);
    if (!content)
        return content.status();
    return std::string(reinterpret_cast<const char*>(content->data()), content->size());
}

// Returns an error when a forced kernel fits no case at all. Its sentence is that for the first case, and lists the kernels that
// fit.
Status check_kernel(const Capabilities& capabilities, std::span<const NamedCase> cases)
{
    Status refused;
    for (const NamedCase& one : cases) {
        if (one.kernel.empty())
            return Status();
        const auto explained = explain(one.problem.attributes, one.problem.inputs, capabilities, {.kernel = one.kernel});
        if (explained || explained.code() != Code::invalid_argument)
            return Status();
        if (refused.ok())
            refused = explained.status();
    }
    return refused;
}

// Returns each case once for each kernel that fits it, whose name follows the case's. Kernels that are never picked are left out.
Result<std::vector<NamedCase>> through_every_kernel(const Capabilities& capabilities, std::span<const NamedCase> cases)
{
    std::vector<NamedCase> expanded;
    for (const NamedCase& one : cases) {
        const auto listed = kernels(one.problem.attributes, one.problem.inputs, capabilities);
        if (!listed)
            return listed.status();
        for (const KernelInfo& kernel : *listed)
            if (kernel.unfit.empty() && !kernel.only_by_name)
                expanded.push_back({one.name + "/" + kernel.name, one.problem, kernel.name});
    }
    return expanded;
}

// Measures the peaks. A device that fails at this can still be timed, and nothing is said of its peaks.
std::optional<Peaks> probe(const Device& device)
{
    const Result<Peaks> peaks = device.measure_peaks();
    const bool usable = peaks && std::isnormal(peaks->flops_f32) && std::isnormal(peaks->copy_bytes_per_second);
    if (!usable)
        std::fprintf(stderr, "peaks are unknown: %s\n",
                     peaks ? "the probes took no time" : tools::visible(peaks.message()).c_str());
    return usable ? std::optional(*peaks) : std::nullopt;
}

int finish(const Device& device, Session& session, Collector& collector)
{
    const std::optional<Peaks> after = session.peaks ? probe(device) : std::nullopt;
    if (after) {
        add_context(peaks_after(*session.peaks, *after));
        if (const double drift = drift_of(*session.peaks, *after); drift > most_drift)
            std::fprintf(stderr, "the device's peaks drifted by %.1f %% during the run: it throttles, or others use it\n",
                         drift * 100);
    }
    collector.finish();
    if (Status status = write_last_outputs(session.options, collector); !status)
        return tools::fail(tools::exit_failed, status.message());
    std::fprintf(stderr, "%zu timed, %zu failed, %zu skipped\n", session.ran, session.failed, session.skipped);
    if (session.failed > 0)
        return tools::exit_failed;
    return session.ran > 0 ? tools::exit_done : tools::exit_nothing;
}

}  // namespace

int run(const Options& options, DeviceOptions device_options)
{
    Result<std::vector<NamedCase>> cases = load_suite(options);
    if (!cases)
        return tools::fail(tools::exit_usage, cases.message());
    if (options.list) {
        for (const NamedCase& one : *cases)
            std::printf("%s\n", one.name.c_str());
        return cases->empty() ? tools::exit_nothing : tools::exit_done;
    }
    if (cases->empty())
        return tools::fail(tools::exit_nothing, "no case fits --benchmark_filter and --kernel");
    if (Status status = check_outputs(options); !status)
        return tools::fail(tools::exit_usage, status.message());
    if (!initialize_google(options))
        return tools::exit_usage;

    device_options.select = options.device;
    Result<std::string> tunings = tunings_of_file(options.tune_file);
    if (!tunings)
        return tools::fail(tools::exit_usage, tunings.message());
    device_options.tunings = std::move(*tunings);
    const Result<Device> device = Device::open(device_options);
    if (!device)
        return tools::fail(tools::exit_code_without_device(device.status()), device.message());
    if (options.kernel == every_kernel) {
        cases = through_every_kernel(device->capabilities(), *cases);
        if (!cases)
            return tools::fail(tools::exit_usage, cases.message());
    }
    if (Status status = check_kernel(device->capabilities(), *cases); !status)
        return tools::fail(tools::exit_usage, status.message());
    // Every case opens the same device again, whatever else the selection may fit by then.
    device_options.select = std::to_string(device->info().index);

    Session session = {.options = options, .device = device_options, .settings = settings_of(options)};
    const Result<Clock> clock = measure_clock(*device);
    if (!clock)
        return tools::fail(tools::exit_failed, clock.message());
    session.clock = *clock;
    session.peaks = probe(*device);
    set_context(*device, session, *cases);
    print_head(*device, session, cases->size());

    Progress progress(cases->size());
    Collector collector(display_of(options), longest_name(*cases), &progress);
    for (const NamedCase& one : *cases) {
        progress.start(one.name);
        run_case(one, session, collector);
        progress.done();
        // Results are written after every case, so that a driver that takes the process down leaves what was measured.
        if (Status status = write_json(options, collector); !status)
            return tools::fail(tools::exit_failed, status.message());
        if (Status status = write_tunings(session); !status)
            return tools::fail(tools::exit_failed, status.message());
    }
    return finish(*device, session, collector);
}

int show_compiled(const Options& options)
{
    Result<std::vector<NamedCase>> cases = load_suite(options);
    if (!cases)
        return tools::fail(tools::exit_usage, cases.message());
    const Result<tools::Compiler> compiler = tools::open_compiler(options.device);
    if (!compiler)
        return tools::fail(tools::exit_code_without_device(compiler.status()), compiler.message());
    if (options.kernel == every_kernel) {
        cases = through_every_kernel(compiler->capabilities, *cases);
        if (!cases)
            return tools::fail(tools::exit_usage, cases.message());
    }
    if (Status status = check_kernel(compiler->capabilities, *cases); !status)
        return tools::fail(tools::exit_usage, status.message());
    tools::PipelineList list;
    for (const NamedCase& one : *cases) {
        PrepareOptions prepare = {.kernel = one.kernel};
        for (size_t i = varying_inputs(one.problem); i < one.problem.inputs.size(); ++i)
            prepare.constants.push_back({.input = i});
        const auto explained = explain(one.problem.attributes, one.problem.inputs, compiler->capabilities, prepare);
        if (explained)
            list.add(one.name, explained->pipelines);
        else  // as in a run: what does not fit the device is no fault
            std::fprintf(stderr, "%s is skipped: %s\n", one.name.c_str(), tools::visible(explained.message()).c_str());
    }
    return tools::print_compiled(*compiler, list);
}

int compare_files(const Options& options)
{
    const Result<RunResult> a = load_result(options.compare[0]);
    const Result<RunResult> b = load_result(options.compare[1]);
    if (!a || !b)
        return tools::fail(tools::exit_usage, a ? b.message() : a.message());
    const Result<Comparison> comparison = compare(*a, *b);
    if (!comparison)
        return tools::fail(tools::exit_usage, comparison.message());
    std::fputs(tools::visible_lines(comparison_text(*comparison)).c_str(), stdout);
    if (!options.report.empty())
        if (Status status = write_report(options.report, std::vector<RunResult>{*a, *b}); !status)
            return tools::fail(tools::exit_failed, status.message());
    if (comparison->compared == 0)
        return tools::fail(tools::exit_nothing, "no case is in both results");
    if (!options.fail_on)
        return tools::exit_done;
    const std::vector<std::string> reasons = regressions(*comparison, *options.fail_on);
    for (const std::string& reason : reasons)
        tools::fail(tools::exit_failed, "regression: " + reason);
    return reasons.empty() ? tools::exit_done : tools::exit_failed;
}

}  // namespace vkonnx::bench
