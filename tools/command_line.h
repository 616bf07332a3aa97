// This header has the command line that every tool reads with CLI11. It stands alone because each source that includes CLI11
// takes three seconds longer to compile.
#pragma once

#include <CLI/CLI.hpp>

#include "cli.h"

namespace vkonnx::tools {

// Reads the command line. Returns an exit code when the tool is done already: after --help or --version, or after a usage error,
// which it has printed. `version` is what --version prints.
std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv,
                                      const std::string& version = std::string(vkonnx::version()));

// Adds the option --device. Where it is not given, the environment variable VKONNX_DEVICE counts.
CLI::Option* add_device_option(CLI::App& app, std::string& select);

// Adds the option --rules specification|onnxruntime.
CLI::Option* add_rules_option(CLI::App& app, Rules& rules);

// Returns a check that refuses NaN and infinities, which CLI11's own checks let through.
CLI::Validator finite_number();

}  // namespace vkonnx::tools
