// SPDX-License-Identifier: Apache-2.0
// What all push constants and uniform blocks of this folder keep, shared by C++ and GLSL: a uniform block holds a whole problem,
// push constants one dispatch of it. All members are 32-bit words, so that both languages lay them out alike; structs in uniform
// arrays are a multiple of 16 bytes for std140; push constants have at most 128 bytes.
#ifndef VKONNX_SHARED_BLOCKS_H
#define VKONNX_SHARED_BLOCKS_H

// Axes that a problem's rank lacks stand in front, with all extents 1.
#define MAX_AXES 6

#ifdef __cplusplus
#include <cstdint>
namespace vkonnx::push {
using uint = uint32_t;
}
#endif

#endif
