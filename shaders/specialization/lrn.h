// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of lrn and lrn_sums.
#ifndef VKONNX_SPECIALIZATION_LRN_H
#define VKONNX_SPECIALIZATION_LRN_H

#include "specialization/rows.h"

#define LRN_SPECIALIZATION(SIZE, CONSTANT) SIZE(0, workgroup_size, x)

SPECIALIZATION(Lrn, LRN_SPECIALIZATION)

#endif
