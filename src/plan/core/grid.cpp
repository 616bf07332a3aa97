// SPDX-License-Identifier: Apache-2.0
#include "plan/core/grid.h"

#include <algorithm>

#include "plan/core/arithmetic.h"

namespace vkonnx::plan {

uint32_t workgroup_size(const Capabilities& capabilities)
{
    return std::max(1u, std::min({64u, capabilities.max_invocations, capabilities.max_workgroup_size[0]}));
}

std::array<uint32_t, 3> groups_of(int64_t invocations, const Capabilities& capabilities)
{
    return groups_of(invocations, workgroup_size(capabilities), capabilities);
}

std::array<uint32_t, 3> groups_of(int64_t invocations, int64_t workgroup, const Capabilities& capabilities)
{
    const auto& most = capabilities.max_group_count;
    const int64_t groups = divide_up(invocations, workgroup);
    const int64_t x = std::min<int64_t>(groups, most[0]);
    const int64_t y = std::min<int64_t>(divide_up(groups, x), most[1]);
    const int64_t z = std::min<int64_t>(divide_up(groups, x * y), most[2]);
    return {uint32_t(x), uint32_t(y), uint32_t(z)};
}

}  // namespace vkonnx::plan
