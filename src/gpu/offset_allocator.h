// SPDX-License-Identifier: Apache-2.0
// Hands out ranges of a block of memory by their offsets. Pure: it never touches the memory, and knows no Vulkan.
#pragma once

#include <cassert>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace vkonnx::gpu {

class OffsetAllocator {
public:
    explicit OffsetAllocator(uint64_t size) : free_bytes_(size) { segments_.emplace(0, Segment{size, true}); }

    // Where `size` (at least 1) bytes may stand, at a multiple of `alignment`: in the smallest free range that holds them,
    // as low as there is one. Nothing when there is none.
    std::optional<uint64_t> take(uint64_t size, uint64_t alignment)
    {
        if (size > free_bytes_)
            return {};
        auto best = segments_.end();
        for (auto it = segments_.begin(); it != segments_.end(); ++it)
            if (it->second.free && fits(it, size, alignment) && (best == segments_.end() || it->second.size < best->second.size))
                best = it;
        if (best == segments_.end())
            return {};
        const uint64_t offset = aligned(best->first, alignment);
        const uint64_t end = best->first + best->second.size;
        // What can throw comes first, and leaves free ranges side by side at worst.
        if (offset + size < end) {
            segments_.emplace_hint(std::next(best), offset + size, Segment{end - offset - size, true});
            best->second.size = offset + size - best->first;
        }
        if (offset > best->first) {
            const auto taken = segments_.emplace_hint(std::next(best), offset, Segment{size, true});
            best->second.size = offset - best->first;
            best = taken;
        }
        best->second.free = false;
        free_bytes_ -= size;
        return offset;
    }

    // Takes back what `take` gave, and merges it with its free neighbours.
    void give_back(uint64_t offset) noexcept
    {
        auto segment = segments_.find(offset);
        assert(segment != segments_.end() && !segment->second.free);
        segment->second.free = true;
        free_bytes_ += segment->second.size;
        if (const auto next = std::next(segment); next != segments_.end() && next->second.free)
            merge(segment, next);
        if (segment != segments_.begin())
            if (const auto before = std::prev(segment); before->second.free)
                merge(before, segment);
    }

    uint64_t free_bytes() const { return free_bytes_; }
    // Taken and free ranges together; 1 when all is free.
    size_t ranges() const { return segments_.size(); }

private:
    struct Segment {
        uint64_t size;
        bool free;
    };
    using Segments = std::map<uint64_t, Segment>;

    static uint64_t aligned(uint64_t offset, uint64_t alignment) { return (offset + alignment - 1) / alignment * alignment; }
    static bool fits(Segments::const_iterator segment, uint64_t size, uint64_t alignment)
    {
        const uint64_t lost = aligned(segment->first, alignment) - segment->first;
        return segment->second.size >= lost && segment->second.size - lost >= size;
    }
    void merge(Segments::iterator first, Segments::iterator second) noexcept
    {
        first->second.size += second->second.size;
        segments_.erase(second);
    }

    Segments segments_;  // by offset, without gaps
    uint64_t free_bytes_;
};

}  // namespace vkonnx::gpu
