#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

// This test overflows on purpose: that the sanitizer sees it shows that it is at work.
TEST(Control, OverflowsOnPurpose)
{
    volatile int64_t most = std::numeric_limits<int64_t>::max();
    EXPECT_LT(most + 1, 0);
}
