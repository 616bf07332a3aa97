// SPDX-License-Identifier: Apache-2.0
// This file is what every kernel starts with, behind its list of specialization constants. It holds what is shared with C++, and
// an index over a grid that is folded into three dimensions.
#extension GL_GOOGLE_include_directive : require

#ifndef VKONNX_CONSTANTS_H
#error "gl_WorkGroupSize is 1 before the kernel's list of specialization constants is included"
#endif

#include "shaders/library/bindings.h"

// Returns the place of this workgroup in the grid, x innermost. Grids are folded because a dimension may end at 65,535 groups.
uint flat_workgroup()
{
    return (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

// Returns the place of this invocation in the grid, for workgroups of one dimension. In a kernel whose list of specialization
// constants sizes y or z, several invocations get the same number here. Such a kernel takes flat_workgroup and its own place in
// the group.
uint flat_invocation()
{
    return flat_workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
}

uint divide_up(uint a, uint b)
{
    return (a + b - 1u) / b;
}
