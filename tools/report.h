// This header writes the report of vkonnx-test, as JSON or as one self-contained page.
#pragma once

#include "test_case.h"

namespace vkonnx::tools {

struct ReportEntry {
    TestCase test = {};
    size_t device = 0;  // into Report::devices
    CaseResult result = {};
    std::string repeat = {};  // the command that repeats it
};

struct Report {
    std::string command = {};
    std::string date = {};
    CaseOptions options = {};
    bool validated = false;
    bool isolated = false;
    std::vector<DeviceInfo> devices = {};
    std::vector<ReportEntry> entries = {};
};

struct Counts {
    size_t passed = 0, failed = 0, skipped = 0;
};
void add(Counts& counts, Outcome outcome);
Counts count(const Report& report);

// Returns "3 passed, 0 failed, 1 skipped", for example.
std::string counts_text(const Counts& counts);

// Returns "1.2e-07", "0" or "inf", for example.
std::string error_text(double error);

// Returns "0.5", "12", "1e+06" or "inf", for example.
std::string ulp_text(double ulp);

// Returns absolute and relative error and units in the last place, or "-" three times where there are none.
std::array<std::string, 3> errors_text(const std::optional<Errors>& errors);

// Returns a name such as "0_llvmpipe", which is unique, and has none of the characters that --gtest_filter gives a meaning.
std::string device_label(const DeviceInfo& device);

// Returns the name of the device without what drivers put in brackets.
std::string device_name(const DeviceInfo& device);

// These choose the form by the path's extension: .json or .html.
Status check_report_path(const std::string& path);
Status write_report(const std::string& path, const Report& report);

std::string report_json(const Report& report);
std::string report_html(const Report& report);

}  // namespace vkonnx::tools
