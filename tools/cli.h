// This header has what every tool shares: exit codes, sizes as text, aligned tables. Options are in command_line.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vkonnx/vkonnx.hpp>

#include "console.h"

namespace vkonnx::tools {

enum ExitCode : int {
    exit_done = 0,
    exit_failed = 1,   // a case failed, a mismatch, a model that can't run
    exit_usage = 2,    // the command line, or a file it names that can't be used
    exit_nothing = 3,  // no device, or nothing ran
};

// Returns the exit code for a device that could not be opened or listed.
int exit_code_without_device(const Status& status);

// Prints the sentence to standard error, with control characters made visible, and returns the code.
int fail(int code, std::string_view message);

// Turns "1x3x64x64" into {1, 3, 64, 64}, and "" into the no dimensions of a scalar.
Result<std::vector<int64_t>> parse_dims(std::string_view text);

// Turns {1, 3} into "1x3".
std::string dims_text(std::span<const int64_t> dims);

// Splits "NAME=VALUE" at the first '='.
Result<std::pair<std::string, std::string>> parse_assignment(std::string_view text);

std::string_view kind_text(DeviceKind kind);

// Returns "1.3.224", for example.
std::string version_text(const std::array<uint32_t, 3>& version);

// Turns 0.000123 into "0.123 ms", and 0 into "-", because 0 means that nothing was timed.
std::string milliseconds_text(double seconds);

// A table is rows of cells, printed in aligned columns, with control characters made visible.
class Table {
public:
    void add(std::vector<std::string> row);
    // Columns that `right` names are aligned to the right.
    std::string text(std::string_view indent = "", const std::vector<size_t>& right = {}) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace vkonnx::tools
