// SPDX-License-Identifier: Apache-2.0
// This file describes the taps of a window, for bounding the loops that visit them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace vkonnx::plan {

// A TapAxis is an axis of a window, for bounding loops. An output meets every step-th tap, and at most `most` of them.
struct TapAxis {
    int64_t kernel = 1;
    int64_t step = 1;
    int64_t most = 1;
};

// A TapBox is a range [begin, end) of taps on each axis, outermost first. Axes that the rank lacks stand at the end as [0, 1).
struct TapBox {
    std::array<uint32_t, 6> begin = {0, 0, 0, 0, 0, 0};
    std::array<uint32_t, 6> end = {1, 1, 1, 1, 1, 1};
};

// Returns the box of all taps.
TapBox whole_window(std::span<const TapAxis> axes);

// Returns the iterations of nested loops over the taps of all axes, including the check that ends each loop. It saturates at
// INT64_MAX.
int64_t nested_iterations(std::span<const TapAxis> axes);

// Returns the iterations of the nd kernels for one channel: of a loop over rows of taps, and in each one of the loops over the
// axes and over the row.
int64_t row_iterations(std::span<const TapAxis> axes);

// Returns how many taps of a box one output can meet: 0 where an input extent is 0.
int64_t taps_of(std::span<const TapAxis> axes, const TapBox& box);

// Tells whether split_taps finds boxes.
bool can_split_taps(std::span<const TapAxis> axes, int64_t budget);

// Cuts the window into boxes of at most `budget` row_iterations and, for one output, `most_taps` taps each, in the order of the
// sum (taps row-major), as few as that order allows. Returns none where even single taps are too many, or the boxes are more than
// max_dispatches.
std::vector<TapBox> split_taps(std::span<const TapAxis> axes, int64_t budget, int64_t most_taps = INT64_MAX);

}  // namespace vkonnx::plan
