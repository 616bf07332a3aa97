// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of elementwise_chain.
#ifndef VKONNX_ELEMENTWISE_CHAIN_CONSTANTS_H
#define VKONNX_ELEMENTWISE_CHAIN_CONSTANTS_H

#include "shaders/operators/elementwise/elementwise_constants.h"

// These are the steps, as elementwise.h packs them; 0 stands for no step.
#define ELEMENTWISE_STEPS_SPECIALIZATION(SIZE, CONSTANT)                                                                         \
    CONSTANT(9, step1, 0)                                                                                                        \
    CONSTANT(10, step2, 0)                                                                                                       \
    CONSTANT(11, step3, 0)                                                                                                       \
    CONSTANT(12, step4, 0)                                                                                                       \
    CONSTANT(13, step5, 0)                                                                                                       \
    CONSTANT(14, step6, 0)

// The steps stand behind the rows of elementwise, which are of the first operator.
#define ELEMENTWISE_CHAIN_SPECIALIZATION(SIZE, CONSTANT)                                                                         \
    ELEMENTWISE_SPECIALIZATION(SIZE, CONSTANT) ELEMENTWISE_STEPS_SPECIALIZATION(SIZE, CONSTANT)

#ifdef __cplusplus
SPECIALIZATION(ElementwiseChain, ELEMENTWISE_CHAIN_SPECIALIZATION)
#else
SPECIALIZATION(ElementwiseSteps, ELEMENTWISE_STEPS_SPECIALIZATION)  // GLSL has the other rows already
#endif

#endif
