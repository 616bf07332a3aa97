// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of normalization_running.
#ifndef VKONNX_NORMALIZATION_RUNNING_CONSTANTS_H
#define VKONNX_NORMALIZATION_RUNNING_CONSTANTS_H

#include "shaders/library/constants.h"

#define NORMALIZATION_RUNNING_SPECIALIZATION(SIZE, CONSTANT) SIZE(0, workgroup_size, x)

SPECIALIZATION(NormalizationRunning, NORMALIZATION_RUNNING_SPECIALIZATION)

#endif
