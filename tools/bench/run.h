// This header has the benchmark itself, apart from the command line, so that a test can run it on a device that lies.
#pragma once

#include "options.h"
#include "suite.h"

namespace vkonnx::bench {

// Runs all cases and writes what the options ask for. `device` says how devices are opened, but its `select` comes from the
// options. Returns the exit code: 1 when a case was wrong or failed, 3 when nothing could run.
int run(const Options& options, DeviceOptions device = {});

// Prints what the driver's compiler makes of the kernels that the cases' plans use, and runs nothing.
int show_compiled(const Options& options);

// Prints the comparison of two results, and writes the report of both when asked for.
int compare_files(const Options& options);

}  // namespace vkonnx::bench
