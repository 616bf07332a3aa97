// This file tests that values which live at once never share a byte, and that others do.
#include "graph/lifetimes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kit/draw.h"

namespace vkonnx::graph {
namespace {

constexpr uint64_t no_limit = UINT64_MAX;

bool live_at_once(const Lifetime& a, const Lifetime& b)
{
    return a.first <= b.last && b.first <= a.last;
}

// Tells whether b follows a in place, perhaps with other values between them.
bool follows(std::span<const Lifetime> lifetimes, size_t a, size_t b)
{
    for (ptrdiff_t under = lifetimes[b].takes; under >= 0; under = lifetimes[size_t(under)].takes)
        if (size_t(under) == a)
            return true;
    return false;
}

// Returns the most bytes alive in any step, and no layout can do with less. A step's in-place output lies over its input.
uint64_t most_alive(std::span<const Lifetime> lifetimes, uint64_t alignment)
{
    uint64_t most = 0;
    for (const Lifetime& at : lifetimes) {
        uint64_t alive = 0;
        for (const Lifetime& one : lifetimes)
            if (one.first <= at.first && at.first <= one.last && !(one.takes >= 0 && one.first == at.first))
                alive += (std::max<uint64_t>(one.bytes, 1) + alignment - 1) / alignment * alignment;
        most = std::max(most, alive);
    }
    return most;
}

void expect_sound(std::span<const Lifetime> lifetimes, const Layout& layout, uint64_t alignment)
{
    ASSERT_EQ(layout.spots.size(), lifetimes.size());
    uint64_t sum = 0;
    for (const uint64_t bytes : layout.arenas)
        sum += bytes;
    EXPECT_EQ(layout.bytes, sum);
    EXPECT_LE(layout.bytes, layout.unshared_bytes);
    for (size_t b = 0; b < lifetimes.size(); ++b) {
        const Spot& spot = layout.spots[b];
        ASSERT_LT(spot.arena, layout.arenas.size());
        EXPECT_EQ(spot.offset % alignment, 0u);
        EXPECT_LE(spot.offset + lifetimes[b].bytes, layout.arenas[spot.arena]);
        for (size_t a = 0; a < b; ++a) {
            const Spot& other = layout.spots[a];
            if (follows(lifetimes, a, b)) {
                EXPECT_TRUE(other.arena == spot.arena && other.offset == spot.offset) << b << " is not where " << a << " was";
                continue;
            }
            const bool apart = other.arena != spot.arena || other.offset + lifetimes[a].bytes <= spot.offset ||
                               spot.offset + lifetimes[b].bytes <= other.offset;
            EXPECT_TRUE(apart || !live_at_once(lifetimes[a], lifetimes[b])) << a << " and " << b << " share memory";
        }
    }
}

// The values are two layers of a dense block. Each reads everything before it through two convolutions, and a copy appends its
// result. Only where the copies lie at both ends, there is one gap for what a layer needs meanwhile.
TEST(Lifetimes, LieAtBothEnds)
{
    const std::vector<Lifetime> dense = {{2400, 0, 2}, {1600, 0, 1}, {1700, 1, 1}, {400, 1, 2}, {2800, 2, 5},
                                         {1600, 3, 4}, {1700, 4, 4}, {400, 4, 5},  {3200, 5, 6}};
    const Layout layout = lay_out(dense, 4, no_limit);
    expect_sound(dense, layout, 4);
    EXPECT_LE(layout.bytes, 6900u) << "6500 live at once; 8000 from one end";
}

TEST(Lifetimes, AChainNeedsTwoNeighbours)
{
    // Each value is written from the one before it.
    const std::vector<Lifetime> growing = {{256, 0, 1}, {512, 1, 2}, {1024, 2, 3}, {2048, 3, 4}};
    const Layout layout = lay_out(growing, 256, no_limit);
    expect_sound(growing, layout, 256);
    EXPECT_EQ(layout.bytes, 1024u + 2048u);
    EXPECT_EQ(layout.unshared_bytes, 256u + 512u + 1024u + 2048u);

    const std::vector<Lifetime> shrinking = {{2048, 0, 1}, {1024, 1, 2}, {512, 2, 3}, {256, 3, 4}};
    EXPECT_EQ(lay_out(shrinking, 256, no_limit).bytes, 1024u + 2048u);
}

TEST(Lifetimes, AReaderInTheLastStepStillReads)
{
    const std::vector<Lifetime> values = {{256, 0, 2}, {256, 1, 1}, {256, 2, 3}};
    const Layout layout = lay_out(values, 256, no_limit);
    expect_sound(values, layout, 256);
    EXPECT_EQ(layout.bytes, 512u);  // the third lies where the second was
    EXPECT_NE(layout.spots[0].offset, layout.spots[2].offset);
    EXPECT_EQ(layout.spots[1].offset, layout.spots[2].offset);
}

TEST(Lifetimes, InPlaceIsOneMemory)
{
    const std::vector<Lifetime> values = {{700, 0, 1}, {700, 1, 2, 0}, {700, 2, 4, 1}, {700, 3, 4}};
    const Layout layout = lay_out(values, 256, no_limit);
    expect_sound(values, layout, 256);
    EXPECT_EQ(layout.bytes, 2 * 768u);
}

// Best fit, in either direction, would take 8 times 256 bytes for these values.
TEST(Lifetimes, TheLargestFirstWhereThatIsLess)
{
    const std::vector<Lifetime> values = {{768, 3, 5}, {768, 2, 3}, {512, 4, 4}, {512, 4, 6}};
    const Layout layout = lay_out(values, 256, no_limit);
    expect_sound(values, layout, 256);
    EXPECT_EQ(layout.bytes, most_alive(values, 256));
}

TEST(Lifetimes, MoreFindRoomWithoutAnyGrowing)
{
    const std::vector<Lifetime> values = {{512, 0, 1}, {1024, 1, 2}, {256, 2, 3}};
    const Layout layout = lay_out(values, 256, no_limit);
    ASSERT_EQ(layout.bytes, 1536u);
    // The first two lie beside the first value, and the third one beside the third value. The last one doesn't fit beside the
    // second value and finds no place.
    const std::vector<Lifetime> more = {{512, 0, 0}, {300, 0, 0}, {1000, 3, 3}, {600, 1, 3}};
    const std::vector<std::optional<Spot>> spots = fitted(more, values, layout, 256);
    ASSERT_EQ(spots.size(), more.size());
    ASSERT_TRUE(spots[0] && spots[1] && spots[2]);
    EXPECT_FALSE(spots[3]);
    std::vector<Lifetime> all = values;
    Layout whole = layout;
    for (size_t i = 0; i < 3; ++i) {
        all.push_back(more[i]);
        whole.spots.push_back(*spots[i]);
    }
    whole.unshared_bytes = UINT64_MAX;
    expect_sound(all, whole, 256);
}

TEST(Lifetimes, NothingAndEmptyValues)
{
    const Layout none = lay_out({}, 256, no_limit);
    EXPECT_EQ(none.bytes, 0u);
    EXPECT_TRUE(none.arenas.empty());
    const std::vector<Lifetime> empty = {{0, 0, 1}, {0, 1, 1}};
    expect_sound(empty, lay_out(empty, 64, no_limit), 64);
}

TEST(Lifetimes, NoArenaAboveTheLimit)
{
    const std::vector<Lifetime> values = {{512, 0, 3}, {512, 1, 3}, {512, 2, 3}, {4096, 3, 3}};
    const Layout layout = lay_out(values, 256, 1024);
    expect_sound(values, layout, 256);
    EXPECT_EQ(layout.arenas.size(), 3u);  // two for the three small ones, two in each at most, and one for the large one
    for (const uint64_t bytes : layout.arenas)
        EXPECT_TRUE(bytes <= 1024 || bytes == 4096) << bytes;
}

TEST(Lifetimes, Random)
{
    std::mt19937 random(kit::test_seed(1));
    const auto below = [&](size_t end) { return size_t(random() % end); };
    double worst = 1;
    for (int round = 0; round < 2000; ++round) {
        std::vector<Lifetime> values;
        std::vector<bool> taken;
        const size_t steps = 1 + below(40);
        for (size_t step = 0; step < steps; ++step) {
            Lifetime value = {below(5000), step, step + below(below(4) == 0 ? steps : 3)};
            std::vector<size_t> dying;
            for (size_t i = 0; i < values.size(); ++i)
                if (values[i].last == step && !taken[i])
                    dying.push_back(i);
            if (!dying.empty() && below(2) == 0) {
                value.takes = ptrdiff_t(dying[below(dying.size())]);
                value.bytes = values[size_t(value.takes)].bytes;
                taken[size_t(value.takes)] = true;
            }
            values.push_back(value);
            taken.push_back(false);
        }
        const uint64_t alignment = uint64_t(4) << below(7);
        const Layout layout = lay_out(values, alignment, below(2) == 0 ? no_limit : 4096);
        ASSERT_NO_FATAL_FAILURE(expect_sound(values, layout, alignment));
        std::vector<Lifetime> all = values;
        Layout whole = layout;
        const std::vector<Lifetime> more = {{below(5000), 0, below(steps)}, {below(3000), below(steps), steps}};
        const std::vector<std::optional<Spot>> room = fitted(more, values, layout, alignment);
        for (size_t i = 0; i < more.size(); ++i)
            if (room[i]) {
                all.push_back(more[i]);
                whole.spots.push_back(*room[i]);
            }
        whole.unshared_bytes = UINT64_MAX;
        ASSERT_NO_FATAL_FAILURE(expect_sound(all, whole, alignment));
        if (layout.arenas.size() == 1) {
            EXPECT_GE(layout.bytes, most_alive(values, alignment));
            worst = std::max(worst, double(layout.bytes) / double(most_alive(values, alignment)));
        }
        ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round;
    }
    std::printf("at worst %.2f times what is alive at once\n", worst);
    EXPECT_LT(worst, 2);
}

TEST(Lifetimes, AHundredThousandInSecondsNotHours)
{
    std::vector<Lifetime> values;
    for (size_t i = 0; i < 100'000; ++i)
        values.push_back({1 + i % 977, i, i + 1 + (i % 100 == 0 ? 5000 : i % 3)});
    const Layout layout = lay_out(values, 64, no_limit);
    EXPECT_LT(layout.bytes, layout.unshared_bytes / 100);
}

}  // namespace
}  // namespace vkonnx::graph
