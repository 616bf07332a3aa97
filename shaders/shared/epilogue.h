// SPDX-License-Identifier: Apache-2.0
// The numbers of an epilogue's expression, shared by C++ and GLSL: a member `epilogue` of a kernel's uniform block.
#ifndef VKONNX_SHARED_EPILOGUE_H
#define VKONNX_SHARED_EPILOGUE_H

#include "shared/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// Two words each: those of a double, or a float and a 0.
struct EpilogueNumbers {
    uint first_low;
    uint first_high;
    uint second_low;
    uint second_high;
};

#ifdef __cplusplus
static_assert(sizeof(EpilogueNumbers) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
