// SPDX-License-Identifier: Apache-2.0
// This file hands out ranges of a block of memory by their offsets. It is pure: it never touches the memory, and knows no Vulkan.
#pragma once

#include <cassert>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace vkonnx::gpu {

class OffsetAllocator {
public:
    explicit OffsetAllocator(uint64_t size) : free_bytes_(size)
    {
        segments_[0].size = size;
        free_.emplace(size, 0);
    }

    // Returns where `size` bytes (at least 1) may stand, at a multiple of `alignment`: in the smallest free range that holds
    // them, as low as possible. Returns nothing when there is none.
    std::optional<uint64_t> take(uint64_t size, uint64_t alignment)
    {
        auto found = free_.lower_bound({size, 0});
        while (found != free_.end() && aligned(found->second, alignment) + size > found->second + found->first)
            ++found;
        if (found == free_.end())
            return {};
        auto best = segments_.find(found->second);
        const uint64_t offset = aligned(best->first, alignment);
        // What can throw comes first. If it throws, free ranges lie side by side at worst.
        if (offset > best->first)
            best = split(best, offset - best->first);
        if (size < best->second.size)
            split(best, size);
        best->second.held = free_.extract(key(best));
        free_bytes_ -= size;
        return offset;
    }

    // Takes back what `take` gave, and merges it with its free neighbours.
    void give_back(uint64_t offset) noexcept
    {
        auto segment = segments_.find(offset);
        assert(segment != segments_.end() && !segment->second.free());
        free_bytes_ += segment->second.size;
        put(std::move(segment->second.held), segment);
        if (const auto next = std::next(segment); next != segments_.end() && next->second.free())
            merge(segment, next);
        if (segment != segments_.begin())
            if (const auto before = std::prev(segment); before->second.free())
                merge(before, segment);
    }

    uint64_t free_bytes() const { return free_bytes_; }
    // Returns the number of taken and free ranges together, which is 1 when all is free.
    size_t ranges() const { return segments_.size(); }

private:
    using Free = std::set<std::pair<uint64_t, uint64_t>>;  // size and offset
    struct Segment {
        uint64_t size = 0;
        Free::node_type held = {};  // if taken: its node of `free_`, kept so that giving back allocates nothing

        bool free() const { return held.empty(); }
    };
    using Segments = std::map<uint64_t, Segment>;

    static uint64_t aligned(uint64_t offset, uint64_t alignment) { return (offset + alignment - 1) / alignment * alignment; }
    static Free::value_type key(Segments::const_iterator segment) { return {segment->second.size, segment->first}; }

    void put(Free::node_type node, Segments::const_iterator segment) noexcept
    {
        node.value() = key(segment);
        free_.insert(std::move(node));
    }
    // Divides a free range in two, of which the first keeps `bytes`. Returns the second.
    Segments::iterator split(Segments::iterator segment, uint64_t bytes)
    {
        Free made = {{segment->second.size - bytes, segment->first + bytes}};
        const auto second = segments_.emplace_hint(std::next(segment), segment->first + bytes, Segment{});
        Free::node_type node = free_.extract(key(segment));
        second->second.size = segment->second.size - bytes;
        segment->second.size = bytes;
        put(std::move(node), segment);
        free_.merge(made);
        return second;
    }
    // Makes one range of two, which must both be free.
    void merge(Segments::iterator first, Segments::iterator second) noexcept
    {
        Free::node_type node = free_.extract(key(first));
        free_.erase(key(second));
        first->second.size += second->second.size;
        segments_.erase(second);
        put(std::move(node), first);
    }

    Segments segments_;  // by offset, without gaps
    Free free_;          // the segments that are free
    uint64_t free_bytes_;
};

}  // namespace vkonnx::gpu
