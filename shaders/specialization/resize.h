// SPDX-License-Identifier: Apache-2.0
// Specialization constants of resize_nearest, resize_direct and resize_nd.
#ifndef VKONNX_SPECIALIZATION_RESIZE_H
#define VKONNX_SPECIALIZATION_RESIZE_H

#include "specialization/rows.h"

// axes: merged ones. tapped: of them, those with several taps.
#define RESIZE_SPECIALIZATION(SIZE, CONSTANT)                                                                                    \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, axes, 1)                                                                                                         \
    CONSTANT(2, tapped, 0)

SPECIALIZATION(Resize, RESIZE_SPECIALIZATION)

#endif
