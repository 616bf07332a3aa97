// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of kernels that have none of their own: only the workgroup's size.
#ifndef VKONNX_PLAIN_CONSTANTS_H
#define VKONNX_PLAIN_CONSTANTS_H

#include "shaders/library/constants.h"

#define PLAIN_SPECIALIZATION(SIZE, CONSTANT) SIZE(0, workgroup_size, x)

SPECIALIZATION(Plain, PLAIN_SPECIALIZATION)

#endif
