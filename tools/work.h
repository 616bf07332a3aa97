// How much work a problem is, whatever kernel does it.
#pragma once

#include <cstdint>

#include "kit/cases.h"

namespace vkonnx::tools {

struct Work {
    // ConvTranspose: pairs of input and tap that land in the output; padding cut off and the zeros that a stride inserts are
    // none. AveragePool: the taps of all windows, padding included. Shape: none.
    int64_t terms = 0;
    // A multiplication and an addition for each pair, an addition for each tap of a pool.
    int64_t flop = 0;
    // Inputs, weights, bias and outputs, each once.
    int64_t bytes = 0;
    int64_t outputs = 0;
    // Pairs or taps that make up one output, on average; at least 1.
    double taps_per_output = 1;
    TensorDesc output = {};
};

// Counted axis by axis by trying every pair, as the reference does. Errors: what the operator's document forbids, and sizes that
// would take a host too much memory or time.
Result<Work> work_of(const kit::Case& problem);

// The best possible seconds on a device with these peaks. Pools count bytes alone: their additions can be shared between windows.
double floor_seconds(const kit::Case& problem, const Work& work, double flop_per_second, double bytes_per_second);

}  // namespace vkonnx::tools
