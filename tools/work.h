// How much work a problem is, whatever kernel does it.
#pragma once

#include <cstdint>

#include "kit/cases.h"

namespace vkonnx::tools {

struct Work {
    // Convolutions: pairs of input and tap that meet in an output; padding and the zeros that a stride inserts are none. Gemm and
    // MatMul: products. Pools: the taps of all windows, padding included. Reductions: the elements. All others: none.
    int64_t terms = 0;
    // A multiplication and an addition for each pair or product, an addition or comparison for each tap or element.
    int64_t flop = 0;
    // Inputs, weights, bias and outputs, each once.
    int64_t bytes = 0;
    int64_t outputs = 0;
    // Terms that make up one output, on average; at least 1.
    double taps_per_output = 1;
    TensorDesc output = {};
};

// Counted axis by axis by trying every pair, as the reference does. Errors: what the operator's document forbids, and sizes that
// would take a host too much memory or time.
Result<Work> work_of(const kit::Case& problem);

// The best possible seconds on a device with these peaks. What is no sum of products counts bytes alone: windows of pools can
// share their additions, and all others compute little.
double floor_seconds(const kit::Case& problem, const Work& work, double flop_per_second, double bytes_per_second);

}  // namespace vkonnx::tools
