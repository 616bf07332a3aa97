#include "plan/core/grid.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/core/limits.h"

namespace vkonnx::plan {
namespace {

Capabilities with_group_counts(uint32_t x, uint32_t y, uint32_t z)
{
    Capabilities capabilities;
    capabilities.max_group_count = {x, y, z};
    return capabilities;
}

int64_t product(const std::array<uint32_t, 3>& groups)
{
    return int64_t(groups[0]) * groups[1] * groups[2];
}

TEST(GroupsOf, CoverEveryInvocationUnderAnyGroupCounts)
{
    for (const Capabilities& capabilities :
         {Capabilities{}, with_group_counts(4, 4, 4), with_group_counts(3, 1, 2), with_group_counts(1, 1, 1)}) {
        const auto& most = capabilities.max_group_count;
        const int64_t room = std::min<int64_t>(product(most) * 64, 200000);
        for (const int64_t invocations : {int64_t(1), int64_t(63), int64_t(64), int64_t(65), int64_t(127), room - 1, room}) {
            if (invocations > room)
                continue;
            const std::array<uint32_t, 3> groups = groups_of(invocations, capabilities);
            EXPECT_GE(product(groups) * 64, invocations);
            for (size_t d = 0; d < 3; ++d) {
                EXPECT_GE(groups[d], 1u) << invocations;
                EXPECT_LE(groups[d], most[d]) << invocations;
            }
        }
    }
}

TEST(GroupsOf, FoldExactlyBeyondTheLimitOfOneDimension)
{
    const auto groups = [](int64_t workgroups) { return groups_of(workgroups * 64, Capabilities{}); };
    EXPECT_EQ(groups(65535), (std::array<uint32_t, 3>{65535, 1, 1}));
    EXPECT_EQ(groups(65536), (std::array<uint32_t, 3>{65535, 2, 1}));
    EXPECT_EQ(groups(65537), (std::array<uint32_t, 3>{65535, 2, 1}));
    EXPECT_EQ(groups_of(1000, with_group_counts(3, 2, 9)), (std::array<uint32_t, 3>{3, 2, 3}));  // 16 groups
}

// flat_invocation of common.glsl counts in 32 bits, and twice that where an invocation has two outputs.
TEST(GroupsOf, OvershootOnlyALittleWhereIndicesEnd)
{
    for (const Capabilities& capabilities :
         {Capabilities{}, with_group_counts(UINT32_MAX, 1, 1), with_group_counts(1, 65535, 65535)})
        EXPECT_LE(product(groups_of(index_limit, capabilities)) * 64, index_limit + 65535 * 64);
}

TEST(WorkgroupSize, StaysUnderTheDevicesLimits)
{
    Capabilities small;
    small.max_invocations = 32;
    EXPECT_EQ(workgroup_size(small), 32u);
    small.max_workgroup_size = {16, 1, 1};
    EXPECT_EQ(workgroup_size(small), 16u);
    small.max_invocations = 0;
    EXPECT_EQ(workgroup_size(small), 1u) << "it divides";
}

}  // namespace
}  // namespace vkonnx::plan
