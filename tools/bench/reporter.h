// This header stands between Google Benchmark and the rest: one benchmark is run at a time, and all of them become one result.
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "progress.h"

namespace vkonnx::bench {

// A collector keeps every run, and hands it on to Google Benchmark's console or CSV reporter. It takes the number of iterations
// and the kind of time out of the run's name, because a name must be the same in every result.
class Collector : public benchmark::BenchmarkReporter {
public:
    enum class Display : uint8_t { none, console, csv };
    // The progress line, when there is one, is erased before each row.
    Collector(Display display, size_t longest_name, const Progress* progress = nullptr);

    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& report) override;
    // This is called after the last benchmark.
    void finish();

    // Tells whether one of the last runs that were reported, all of one benchmark, failed.
    bool last_failed() const { return last_failed_; }

    // Returns everything so far, with the custom context as it is now, in Google Benchmark's own JSON.
    std::string json() const;

private:
    void start_display(size_t longest_name);
    void display_console(std::vector<Run> runs);
    void display_csv();

    Display display_ = Display::none;
    const Progress* progress_ = nullptr;
    benchmark::BenchmarkReporter* inner_ = nullptr;  // Google Benchmark's own, which it never frees
    std::vector<std::vector<Run>> reports_;
    bool last_failed_ = false;
};

}  // namespace vkonnx::bench
