// What every tool shares: exit codes, the device option, sizes on the command line, aligned tables.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <CLI/CLI.hpp>

#include "console.h"

namespace vkonnx::tools {

enum ExitCode : int {
    exit_done = 0,
    exit_failed = 1,   // a case failed, a mismatch, a model that can't run
    exit_usage = 2,    // the command line, or a file it names that can't be used
    exit_nothing = 3,  // no device, or nothing ran
};

// Reads the command line. An exit code when the tool is done already: after --help or --version, or a usage error, which it
// has printed. `version` is what --version prints.
std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv,
                                      const std::string& version = std::string(vkonnx::version()));

// --device; VKONNX_DEVICE stands in where it is not given.
CLI::Option* add_device_option(CLI::App& app, std::string& select);

// --rules specification|onnxruntime
CLI::Option* add_rules_option(CLI::App& app, Rules& rules);

// For numbers beside CLI11's own checks, which let NaN and infinities through.
CLI::Validator finite_number();

// The exit code for a device that could not be opened or listed.
int exit_code_without_device(const Status& status);

// Prints the sentence to standard error, visibly, and hands back the code.
int fail(int code, std::string_view message);

// "1x3x64x64" to {1, 3, 64, 64}; "" to a scalar's no dimensions.
Result<std::vector<int64_t>> parse_dims(std::string_view text);

// {1, 3} to "1x3"
std::string dims_text(std::span<const int64_t> dims);

// "NAME=VALUE", split at the first '='.
Result<std::pair<std::string, std::string>> parse_assignment(std::string_view text);

std::string_view kind_text(DeviceKind kind);

// "1.3.224"
std::string version_text(const std::array<uint32_t, 3>& version);

// 0.000123 to "0.123 ms"; "-" for 0, since 0 means that nothing was timed.
std::string milliseconds_text(double seconds);

// Rows of cells, printed visibly in aligned columns.
class Table {
public:
    void add(std::vector<std::string> row);
    // Columns that `right` names are aligned to the right.
    std::string text(std::string_view indent = "", const std::vector<size_t>& right = {}) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace vkonnx::tools
