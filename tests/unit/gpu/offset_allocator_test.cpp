// This file tests the allocator of offsets against a bitmap that is searched byte by byte.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "gpu/offset_allocator.h"

namespace vkonnx::gpu {
namespace {

class Bitmap {
public:
    explicit Bitmap(uint64_t size) : taken_(size, false) {}

    // Returns the lowest place in the smallest run of free bytes that can hold it.
    std::optional<uint64_t> place_for(uint64_t size, uint64_t alignment) const
    {
        std::optional<uint64_t> best;
        uint64_t best_run = UINT64_MAX;
        for (uint64_t begin = 0; begin < taken_.size();) {
            uint64_t end = begin;
            while (end < taken_.size() && !taken_[end])
                ++end;
            const uint64_t place = (begin + alignment - 1) / alignment * alignment;
            if (place + size <= end && end - begin < best_run) {
                best = place;
                best_run = end - begin;
            }
            begin = end + 1;
        }
        return best;
    }
    void mark(uint64_t offset, uint64_t size, bool taken)
    {
        for (uint64_t i = offset; i < offset + size; ++i) {
            EXPECT_NE(taken_[i], taken) << "byte " << i;
            taken_[i] = taken;
        }
    }

private:
    std::vector<bool> taken_;
};

TEST(OffsetAllocator, AgreesWithABitmap)
{
    for (uint32_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const uint64_t size = 1 + random() % 3000;
        OffsetAllocator offsets(size);
        Bitmap bitmap(size);
        std::vector<std::pair<uint64_t, uint64_t>> held;  // offset, size
        uint64_t held_bytes = 0;
        for (int step = 0; step < 600 && !testing::Test::HasFailure(); ++step) {
            if (held.empty() || random() % 5 < 3) {
                const uint64_t wanted = 1 + random() % (random() % 8 ? 60 : size + 5);
                const uint64_t alignment = uint64_t(1) << random() % 8;
                const auto expected = bitmap.place_for(wanted, alignment);
                const auto offset = offsets.take(wanted, alignment);
                ASSERT_EQ(offset, expected) << wanted << " bytes aligned to " << alignment;
                if (!offset)
                    continue;
                bitmap.mark(*offset, wanted, true);
                held.emplace_back(*offset, wanted);
                held_bytes += wanted;
            } else {
                std::swap(held[random() % held.size()], held.back());
                offsets.give_back(held.back().first);
                bitmap.mark(held.back().first, held.back().second, false);
                held_bytes -= held.back().second;
                held.pop_back();
            }
            ASSERT_EQ(offsets.free_bytes(), size - held_bytes);
        }
        for (const auto& [offset, bytes] : held)
            offsets.give_back(offset);
        EXPECT_EQ(offsets.ranges(), 1u) << "all merged";
        EXPECT_EQ(offsets.free_bytes(), size);
        EXPECT_EQ(offsets.take(size, 256), std::optional<uint64_t>(0));
    }
}

TEST(OffsetAllocator, MergesWithBothNeighbours)
{
    OffsetAllocator offsets(300);
    for (const uint64_t expected : {0u, 100u, 200u})
        ASSERT_EQ(offsets.take(100, 4), std::optional<uint64_t>(expected));
    EXPECT_EQ(offsets.take(1, 1), std::nullopt);
    offsets.give_back(0);
    offsets.give_back(200);
    EXPECT_EQ(offsets.take(200, 1), std::nullopt) << "200 bytes are free, but not in one piece";
    offsets.give_back(100);
    EXPECT_EQ(offsets.ranges(), 1u);
    EXPECT_EQ(offsets.take(300, 1), std::optional<uint64_t>(0));
}

TEST(OffsetAllocator, GapsOfAlignmentStayFree)
{
    OffsetAllocator offsets(1024);
    ASSERT_EQ(offsets.take(10, 1), std::optional<uint64_t>(0));
    ASSERT_EQ(offsets.take(512, 512), std::optional<uint64_t>(512));
    EXPECT_EQ(offsets.free_bytes(), 502u);
    EXPECT_EQ(offsets.take(502, 2), std::optional<uint64_t>(10));
}

}  // namespace
}  // namespace vkonnx::gpu
