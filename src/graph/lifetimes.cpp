// SPDX-License-Identifier: Apache-2.0
#include "graph/lifetimes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <set>

namespace vkonnx::graph {
namespace {

// The free parts of one arena, which grows at its end.
class Arena {
public:
    uint64_t bytes() const { return bytes_; }

    // The least part that is large enough, or the end, by which the arena may grow to `most`; nothing where that is too little.
    std::optional<uint64_t> take(uint64_t size, uint64_t most)
    {
        if (const auto fit = by_size_.lower_bound({size, 0}); fit != by_size_.end()) {
            const auto [length, offset] = *fit;
            remove(offset, length);
            if (length > size)
                add(offset + size, length - size);
            return offset;
        }
        const bool ends_free = !by_offset_.empty() && by_offset_.rbegin()->first + by_offset_.rbegin()->second == bytes_;
        const uint64_t offset = ends_free ? by_offset_.rbegin()->first : bytes_;
        if (bytes_ != 0 && (size > most || offset > most - size))
            return {};
        if (ends_free)
            remove(offset, bytes_ - offset);
        bytes_ = offset + size;
        return offset;
    }

    void give_back(uint64_t offset, uint64_t size)
    {
        auto after = by_offset_.lower_bound(offset);
        if (after != by_offset_.end() && after->first == offset + size) {
            size += after->second;
            remove(after->first, after->second);
            after = by_offset_.lower_bound(offset);
        }
        if (after != by_offset_.begin()) {
            const auto before = std::prev(after);
            if (before->first + before->second == offset) {
                offset = before->first;
                size += before->second;
                remove(before->first, before->second);
            }
        }
        add(offset, size);
    }

private:
    void add(uint64_t offset, uint64_t size)
    {
        by_offset_.emplace(offset, size);
        by_size_.emplace(size, offset);
    }

    void remove(uint64_t offset, uint64_t size)
    {
        by_offset_.erase(offset);
        by_size_.erase({size, offset});
    }

    uint64_t bytes_ = 0;
    std::map<uint64_t, uint64_t> by_offset_;  // free parts and their sizes
    std::set<std::pair<uint64_t, uint64_t>> by_size_;
};

// Places lifetimes in the order of their first steps; what has ended before is free. None takes over another here.
Layout placed(std::span<const Lifetime> lifetimes, uint64_t most_bytes)
{
    std::vector<size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lifetimes[a].first < lifetimes[b].first; });

    Layout layout = {.spots = std::vector<Spot>(lifetimes.size())};
    std::vector<Arena> arenas;
    using End = std::pair<size_t, size_t>;  // last step, lifetime
    std::priority_queue<End, std::vector<End>, std::greater<End>> alive;
    for (const size_t i : order) {
        for (; !alive.empty() && alive.top().first < lifetimes[i].first; alive.pop()) {
            const size_t gone = alive.top().second;
            arenas[layout.spots[gone].arena].give_back(layout.spots[gone].offset, lifetimes[gone].bytes);
        }
        for (size_t arena = 0;; ++arena) {
            if (arena == arenas.size())
                arenas.emplace_back();
            if (const std::optional<uint64_t> offset = arenas[arena].take(lifetimes[i].bytes, most_bytes)) {
                layout.spots[i] = {arena, *offset};
                break;
            }
        }
        alive.emplace(lifetimes[i].last, i);
    }
    for (const Arena& arena : arenas)
        layout.arenas.push_back(arena.bytes());
    layout.bytes = std::accumulate(layout.arenas.begin(), layout.arenas.end(), uint64_t(0));
    return layout;
}

}  // namespace

Layout lay_out(std::span<const Lifetime> lifetimes, uint64_t alignment, uint64_t most_bytes)
{
    // those that follow one another in place are one, which is as large as the first and lives as long as all
    std::vector<Lifetime> chains;
    std::vector<size_t> chain_of;
    uint64_t unshared = 0;
    size_t end = 0;
    for (const Lifetime& lifetime : lifetimes) {
        const uint64_t bytes = (std::max<uint64_t>(lifetime.bytes, 1) + alignment - 1) / alignment * alignment;
        unshared += bytes;
        end = std::max(end, lifetime.last);
        if (lifetime.takes >= 0) {
            chain_of.push_back(chain_of[size_t(lifetime.takes)]);
            chains[chain_of.back()].last = lifetime.last;
        } else {
            chain_of.push_back(chains.size());
            chains.push_back({bytes, lifetime.first, lifetime.last});
        }
    }
    Layout best = placed(chains, most_bytes);
    for (Lifetime& chain : chains)
        chain = {chain.bytes, end - chain.last, end - chain.first};
    if (Layout backwards = placed(chains, most_bytes); backwards.bytes < best.bytes)
        best = std::move(backwards);

    Layout layout = {.arenas = std::move(best.arenas), .bytes = best.bytes, .unshared_bytes = unshared};
    for (const size_t chain : chain_of)
        layout.spots.push_back(best.spots[chain]);
    return layout;
}

}  // namespace vkonnx::graph
