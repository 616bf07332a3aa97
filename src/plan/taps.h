// SPDX-License-Identifier: Apache-2.0
// The taps of a window, for bounding the loops that visit them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace vkonnx::plan {

// An axis of a kernel window, for bounding loops. Outputs meet every step-th tap, `most` of them at the most.
struct TapAxis {
    int64_t kernel = 1;
    int64_t step = 1;
    int64_t most = 1;
};

// A box of taps, an axis each, outermost first; axes that the rank lacks stand at the end as [0, 1).
struct TapBox {
    std::array<uint32_t, 6> begin = {0, 0, 0, 0, 0, 0};
    std::array<uint32_t, 6> end = {1, 1, 1, 1, 1, 1};
};

// All taps.
TapBox whole_window(std::span<const TapAxis> axes);

// Iterations of nested loops over the taps of all axes, the check that ends each loop included. Saturates at INT64_MAX.
int64_t nested_iterations(std::span<const TapAxis> axes);

// Iterations of the nd kernels for one channel: a loop over rows of taps, in each one over the axes and one over a row.
int64_t row_iterations(std::span<const TapAxis> axes);

// Taps of a part of the window that one output can meet: 0 where an input extent is.
int64_t taps_of(std::span<const TapAxis> axes, const TapBox& box);

// Whether split_taps finds boxes.
bool can_split_taps(std::span<const TapAxis> axes, int64_t budget);

// Cuts the window into boxes of at most `budget` row_iterations and, for one output, `most_taps` each, in the order of the sum
// (taps row-major), as few as that order allows. Empty when even single taps are too many, or the boxes are more than
// max_dispatches.
std::vector<TapBox> split_taps(std::span<const TapAxis> axes, int64_t budget, int64_t most_taps = INT64_MAX);

}  // namespace vkonnx::plan
