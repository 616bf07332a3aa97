// SPDX-License-Identifier: Apache-2.0
// Which values may lie where others lay: those that never live at once share memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vkonnx::graph {

// A value lives from the step that writes it to the last that reads it, both included.
struct Lifetime {
    uint64_t bytes = 0;
    size_t first = 0;
    size_t last = 0;
    // The number of an earlier value of the list whose memory this one takes, or -1. The step that reads the earlier one last is
    // the first of this one and writes in place. The earlier one has at least as many bytes, and no other value takes its memory.
    ptrdiff_t takes = -1;
};

struct Spot {
    size_t arena = 0;
    uint64_t offset = 0;
};

struct Layout {
    std::vector<Spot> spots = {};       // as the lifetimes
    std::vector<uint64_t> arenas = {};  // bytes of each
    uint64_t bytes = 0;                 // of all arenas
    uint64_t unshared_bytes = 0;        // were each value to have its own
};

// Offsets are multiples of `alignment`. No arena has more than `most_bytes`, but for one that holds a single larger value. Takes
// n log n time. Heuristic, as the exact problem is NP-hard: best fit in the order of the steps, and backwards, whichever is less;
// where that is more than what lives at once, and there are no more than 1000, also the largest first, from one end or both.
Layout lay_out(std::span<const Lifetime> lifetimes, uint64_t alignment, uint64_t most_bytes);

// Where lifetimes besides those that were laid out find room, one after the other, without any arena growing. Takes n time for
// each.
std::vector<std::optional<Spot>> fitted(std::span<const Lifetime> more, std::span<const Lifetime> lifetimes, const Layout& layout,
                                        uint64_t alignment);

}  // namespace vkonnx::graph
