// SPDX-License-Identifier: Apache-2.0
// This file holds what all push constants and uniform blocks share, for C++ and GLSL. A uniform block holds a
// whole problem, and push constants one dispatch of it. All members are 32-bit words, so that both languages lay them out alike.
// Structs in uniform arrays are a multiple of 16 bytes for std140. Push constants have at most 128 bytes.
#ifndef VKONNX_BLOCKS_H
#define VKONNX_BLOCKS_H

// MAX_AXES is the most axes with taps. Axes that a problem's rank lacks stand in front, and all of their extents are 1.
#define MAX_AXES 6

#ifdef __cplusplus
#include <cstdint>
namespace vkonnx::push {
using uint = uint32_t;
}
#endif

#endif
