#include "reporter.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <sstream>

#include "bench/counters.h"

namespace vkonnx::bench {
namespace {

// Tells whether a run failed. Google Benchmark 1.8 renamed the flag.
template <class Run>
bool failed(const Run& run)
{
    if constexpr (requires { run.error_occurred; })
        return run.error_occurred;
    else
        return run.skipped != 0;
}

}  // namespace

Collector::Collector(Display display, size_t longest_name, const Progress* progress) : display_(display), progress_(progress)
{
    if (display_ != Display::none)
        start_display(longest_name);
}

// Starts the display without the context, which is dozens of lines by then. The tool prints the essence itself, and the rest is
// in the JSON.
void Collector::start_display(size_t longest_name)
{
    inner_ = benchmark::CreateDefaultDisplayReporter();
    Context context;
    context.name_field_width = longest_name;
    std::ostringstream unseen;
    inner_->SetErrorStream(&unseen);
    inner_->ReportContext(context);
    inner_->SetErrorStream(&std::cerr);
}

void Collector::ReportRuns(const std::vector<Run>& report)
{
    std::vector<Run> runs = report;
    last_failed_ = false;
    for (Run& run : runs) {
        run.run_name.iterations.clear();
        run.run_name.time_type.clear();
        run.statistics = nullptr;  // belongs to a benchmark that is about to go
        last_failed_ = last_failed_ || failed(run);
    }
    reports_.push_back(runs);
    if (progress_)
        progress_->erase();
    if (display_ == Display::console)
        display_console(std::move(runs));
}

// Shows what one wants to see at once. The rest is in the JSON.
void Collector::display_console(std::vector<Run> runs)
{
    for (Run& run : runs) {
        benchmark::UserCounters shown;
        for (const char* name :
             {counter::gflops, counter::gbps, counter::peak_percent, counter::arena_bytes, counter::constant_bytes})
            if (const auto found = run.counters.find(name); found != run.counters.end())
                shown.insert(*found);
        run.counters = shown;
    }
    inner_->ReportRuns(runs);
    std::cout.flush();
}

// Shows the runs as CSV. The CSV reporter takes its columns from the first run and ends the process at a counter that it does not
// know. So all runs get all counters, and an absent one is "nan".
void Collector::display_csv()
{
    benchmark::UserCounters all;
    for (const auto& runs : reports_)
        for (const Run& run : runs)
            for (const auto& [name, value] : run.counters)
                all[name] = std::numeric_limits<double>::quiet_NaN();
    for (auto runs : reports_) {
        for (Run& run : runs)
            run.counters.insert(all.begin(), all.end());
        inner_->ReportRuns(runs);
    }
}

void Collector::finish()
{
    if (display_ == Display::csv)
        display_csv();
    if (inner_)
        inner_->Finalize();
}

std::string Collector::json() const
{
    std::ostringstream text;
    benchmark::JSONReporter reporter;
    reporter.SetOutputStream(&text);
    reporter.SetErrorStream(&text);
    reporter.ReportContext(Context());
    for (const auto& runs : reports_)
        reporter.ReportRuns(runs);
    reporter.Finalize();
    return text.str();
}

}  // namespace vkonnx::bench
