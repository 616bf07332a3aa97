// SPDX-License-Identifier: Apache-2.0
// This file holds the push constants of the probes. C++ and GLSL share it.
#ifndef VKONNX_PROBE_H
#define VKONNX_PROBE_H

#include "shaders/library/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

struct FlopsProbe {
    uint iterations;
};

#define FLOPS_PROBE_OPERATIONS 128  // in one iteration of an invocation: 16 multiply-adds of vec4

struct CopyProbe {
    uint count;   // the number of vec4
    uint stride;  // the number of invocations of the grid
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
