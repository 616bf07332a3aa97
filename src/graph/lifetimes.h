// SPDX-License-Identifier: Apache-2.0
// This file decides which values share memory: those that never live at once may.
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
    // This is the number of an earlier value whose memory this one takes, or -1. The step that reads the earlier one last is the
    // first of this one and writes in place. The earlier one has at least as many bytes, and no other value takes its memory.
    ptrdiff_t takes = -1;
};

struct Spot {
    size_t arena = 0;
    uint64_t offset = 0;
};

struct Layout {
    std::vector<Spot> spots = {};       // in the order of the lifetimes
    std::vector<uint64_t> arenas = {};  // bytes of each
    uint64_t bytes = 0;                 // of all arenas
    uint64_t unshared_bytes = 0;        // what the values would take without sharing
};

// Gives each lifetime a place. Offsets are multiples of `alignment`. No arena has more than `most_bytes`, except one that holds a
// single larger value. It takes n log n time and is a heuristic, because the exact problem is NP-hard. It tries best fit in the
// order of the steps, and backwards, and takes the smaller result. Where that is more than what lives at once, and there are at
// most 1000 lifetimes, it also tries the largest first, from one end and from both.
Layout lay_out(std::span<const Lifetime> lifetimes, uint64_t alignment, uint64_t most_bytes);

// Finds room for lifetimes besides those that were laid out, one after the other, without any arena growing. Those without room
// get no place. It takes n time for each.
std::vector<std::optional<Spot>> fitted(std::span<const Lifetime> more, std::span<const Lifetime> lifetimes, const Layout& layout,
                                        uint64_t alignment);

}  // namespace vkonnx::graph
