// SPDX-License-Identifier: Apache-2.0
// The numbers of an epilogue's expression, shared by C++ and GLSL: a member `epilogue` of a kernel's uniform block.
#ifndef VKONNX_SHARED_EPILOGUE_H
#define VKONNX_SHARED_EPILOGUE_H

#include "shared/blocks.h"

// Bits of the constant `epilogue` beside the kind.
#define EPILOGUE_KIND 0xffu
#define EPILOGUE_MULTIPLIES 0x100u
#define EPILOGUE_ADDS 0x200u
// The constant, where EpilogueNumbers::constant has it instead, and it is none of the kinds that call functions.
#define EPILOGUE_AT_RUN_TIME 0x400u

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// Two words each: those of a double, or a float and a 0.
struct EpilogueNumbers {
    uint first_low;
    uint first_high;
    uint second_low;
    uint second_high;
    uint factor_low;
    uint factor_high;
    uint addend_low;
    uint addend_high;
    uint constant;  // what the kernel's constant is, or would be
    uint padding0_;
    uint padding1_;
    uint padding2_;
};

#ifdef __cplusplus
static_assert(sizeof(EpilogueNumbers) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
