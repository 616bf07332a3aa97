// SPDX-License-Identifier: Apache-2.0
// This file holds what cast is told beside a part of the gather protocol, for C++ and GLSL.
#ifndef VKONNX_CAST_H
#define VKONNX_CAST_H

#include "shaders/library/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// Where elements of Y have less than 8 bits, a byte is an output, and its last one may have fewer elements than the others.
struct CastEnd {
    uint elements;  // of X and Y
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
