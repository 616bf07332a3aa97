// SPDX-License-Identifier: Apache-2.0
// Push constants of the probes, shared by C++ and GLSL.
#ifndef VKONNX_SHARED_PROBE_H
#define VKONNX_SHARED_PROBE_H

#include "shared/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

struct FlopsProbe {
    uint iterations;
};

#define FLOPS_PROBE_OPERATIONS 128  // of one invocation in one iteration: 16 multiply-adds of vec4

struct CopyProbe {
    uint count;   // vec4
    uint stride;  // invocations of the grid
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
