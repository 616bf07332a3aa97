// What every kernel starts with, behind its list of specialization constants: what is shared with C++, and an index over a grid
// folded into three dimensions.
#extension GL_GOOGLE_include_directive : require

#ifndef VKONNX_SPECIALIZATION_ROWS_H
#error "gl_WorkGroupSize is 1 before the kernel's list of specialization constants is included"
#endif

#include "bindings.h"
#include "push_constants.h"

// The place of this invocation in the grid, x innermost. Grids are folded because a dimension may end at 65,535 groups.
uint flat_invocation()
{
    uint workgroup = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    return workgroup * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
}

uint divide_up(uint a, uint b)
{
    return (a + b - 1u) / b;
}
