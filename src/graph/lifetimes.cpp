// SPDX-License-Identifier: Apache-2.0
#include "graph/lifetimes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

namespace vkonnx::graph {
namespace {

// This class keeps the free parts of one arena, which grows at its end.
class Arena {
public:
    uint64_t bytes() const { return bytes_; }

    // Takes the smallest free part that is large enough, or else grows the arena at its end to at most `most` bytes. Returns the
    // offset, or nothing where that is too little.
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

// Places lifetimes in the order of their first steps, ignoring `takes`. The memory of those that have ended is free again.
Layout placed(std::span<const Lifetime> lifetimes, uint64_t most_bytes)
{
    std::vector<size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return std::pair(lifetimes[a].first, a) < std::pair(lifetimes[b].first, b); });

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

bool meet(const Lifetime& a, const Lifetime& b)
{
    return a.first <= b.last && b.first <= a.last;
}

constexpr size_t most_by_size = 1000;  // lifetimes, because placing by size takes n^2 time

struct Part {
    uint64_t offset = 0;
    size_t lifetime = 0;

    friend bool operator<(const Part& a, const Part& b) { return a.offset < b.offset; }
};

// Returns an offset for `one` among the parts, which are in the order of their offsets. Only parts that live while it lives
// count. It takes the smallest gap between them that is large enough, or what is free behind them: there the end, as long as that
// is within `upper`, so that small ones later find one gap in the middle.
uint64_t gap_for(const Lifetime& one, std::span<const Part> parts, std::span<const Lifetime> lifetimes, uint64_t upper = 0)
{
    uint64_t end = 0;  // of the parts so far
    uint64_t best = UINT64_MAX;
    uint64_t least = UINT64_MAX;
    for (const Part& part : parts) {
        const Lifetime& other = lifetimes[part.lifetime];
        if (!meet(one, other))
            continue;
        if (part.offset > end && part.offset - end >= one.bytes && part.offset - end < least) {
            best = end;
            least = part.offset - end;
        }
        end = std::max(end, part.offset + other.bytes);
    }
    if (best != UINT64_MAX)
        return best;
    return end != 0 && upper >= one.bytes && upper - one.bytes > end ? upper - one.bytes : end;
}

// Places the largest first, each where the others leave room while it lives. It starts from both ends of an arena of `bytes`
// bytes, which grows.
Layout placed_by_size(std::span<const Lifetime> lifetimes, uint64_t bytes)
{
    std::vector<size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return std::pair(lifetimes[b].bytes, a) < std::pair(lifetimes[a].bytes, b); });
    Layout layout = {.spots = std::vector<Spot>(lifetimes.size())};
    std::vector<Part> parts;
    for (const size_t i : order) {
        const Part part = {gap_for(lifetimes[i], parts, lifetimes, bytes), i};
        parts.insert(std::upper_bound(parts.begin(), parts.end(), part), part);
        layout.spots[i].offset = part.offset;
        layout.bytes = std::max(layout.bytes, part.offset + lifetimes[i].bytes);
    }
    layout.arenas = {layout.bytes};
    return layout;
}

// Returns the most bytes that live at once. No layout takes fewer.
uint64_t most_alive(std::span<const Lifetime> lifetimes, size_t end)
{
    std::vector<uint64_t> begins(end + 1), ends(end + 1);
    for (const Lifetime& one : lifetimes) {
        begins[one.first] += one.bytes;
        ends[one.last] += one.bytes;
    }
    uint64_t alive = 0, most = 0;
    for (size_t step = 0; step <= end; ++step) {
        alive += begins[step];
        most = std::max(most, alive);
        alive -= ends[step];
    }
    return most;
}

uint64_t aligned(uint64_t bytes, uint64_t alignment)
{
    return (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
}

}  // namespace

Layout lay_out(std::span<const Lifetime> lifetimes, uint64_t alignment, uint64_t most_bytes)
{
    // Lifetimes that follow one another in place count as one, which is as large as the first and lives as long as all of them.
    std::vector<Lifetime> chains;
    std::vector<size_t> chain_of;
    uint64_t unshared = 0;
    size_t end = 0;
    for (const Lifetime& lifetime : lifetimes) {
        const uint64_t bytes = aligned(lifetime.bytes, alignment);
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
    const uint64_t alive = most_alive(chains, end);
    for (const uint64_t bytes : {uint64_t(0), alive})
        if (chains.size() <= most_by_size && best.bytes > alive)
            if (Layout by_size = placed_by_size(chains, bytes); by_size.bytes < best.bytes && by_size.bytes <= most_bytes)
                best = std::move(by_size);

    Layout layout = {.arenas = std::move(best.arenas), .bytes = best.bytes, .unshared_bytes = unshared};
    for (const size_t chain : chain_of)
        layout.spots.push_back(best.spots[chain]);
    return layout;
}

std::vector<std::optional<Spot>> fitted(std::span<const Lifetime> more, std::span<const Lifetime> lifetimes, const Layout& layout,
                                        uint64_t alignment)
{
    std::vector<Lifetime> all;
    std::vector<std::vector<Part>> parts(layout.arenas.size());
    for (size_t i = 0; i < lifetimes.size(); ++i) {
        all.push_back({aligned(lifetimes[i].bytes, alignment), lifetimes[i].first, lifetimes[i].last});
        parts[layout.spots[i].arena].push_back({layout.spots[i].offset, i});
    }
    for (std::vector<Part>& arena : parts)
        std::sort(arena.begin(), arena.end());
    std::vector<std::optional<Spot>> spots(more.size());
    for (size_t i = 0; i < more.size(); ++i) {
        const Lifetime one = {aligned(more[i].bytes, alignment), more[i].first, more[i].last};
        for (size_t arena = 0; arena < parts.size() && !spots[i]; ++arena) {
            const Part part = {gap_for(one, parts[arena], all), all.size()};
            if (part.offset > layout.arenas[arena] || one.bytes > layout.arenas[arena] - part.offset)
                continue;
            spots[i] = {arena, part.offset};
            parts[arena].insert(std::upper_bound(parts[arena].begin(), parts[arena].end(), part), part);
            all.push_back(one);
        }
    }
    return spots;
}

}  // namespace vkonnx::graph
