// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of resize_nearest, resize_direct and resize_nd.
#ifndef VKONNX_RESIZE_CONSTANTS_H
#define VKONNX_RESIZE_CONSTANTS_H

#include "shaders/library/constants.h"

// `axes` is the number of merged axes, and `tapped` the number of those that have several taps.
#define RESIZE_SPECIALIZATION(SIZE, CONSTANT)                                                                                    \
    SIZE(0, workgroup_size, x)                                                                                                   \
    CONSTANT(1, axes, 1)                                                                                                         \
    CONSTANT(2, tapped, 0)

SPECIALIZATION(Resize, RESIZE_SPECIALIZATION)

#endif
