// This header tells how much work a problem is, whatever kernel does it.
#pragma once

#include <cstdint>

#include "kit/cases.h"

namespace vkonnx::tools {

struct Work {
    // Convolutions count pairs of input and tap that meet in an output, without padding and the zeros that a stride inserts.
    // Gemm, MatMul and BlockQuantizedMatMul count products, DotProductAttention those of both of its matrices, and RNN, GRU and
    // LSTM those with W and R. Pools count the taps of all windows, padding included, and reductions the elements. All others
    // count none.
    int64_t terms = 0;
    // This counts a multiplication and an addition for each pair or product, and an addition or comparison for each tap or
    // element.
    int64_t flop = 0;
    // Inputs, weights, bias and outputs count once each.
    int64_t bytes = 0;
    int64_t outputs = 0;
    // This is the number of terms that make up one output, on average. It is at least 1.
    double taps_per_output = 1;
    TensorDesc output = {};
};

// Counts the work axis by axis by trying every pair, as the reference does. It refuses what the operator's document forbids, and
// sizes that would take a host too much memory or time.
Result<Work> work_of(const kit::Case& problem);

// Returns the best possible seconds on a device with these peaks. What is no sum of products counts bytes alone, because windows
// of pools can share their additions, and all others compute little.
double floor_seconds(const kit::Case& problem, const Work& work, double flop_per_second, double bytes_per_second);

}  // namespace vkonnx::tools
