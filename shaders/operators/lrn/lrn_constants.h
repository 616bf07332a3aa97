// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of lrn and lrn_sums.
#ifndef VKONNX_LRN_CONSTANTS_H
#define VKONNX_LRN_CONSTANTS_H

#include "shaders/library/constants.h"

#define LRN_SPECIALIZATION(SIZE, CONSTANT) SIZE(0, workgroup_size, x)

SPECIALIZATION(Lrn, LRN_SPECIALIZATION)

#endif
