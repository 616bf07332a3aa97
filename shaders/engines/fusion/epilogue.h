// SPDX-License-Identifier: Apache-2.0
// This file holds the numbers of an epilogue's expression, for C++ and GLSL. They are the member `epilogue` of a kernel's uniform
// block.
#ifndef VKONNX_EPILOGUE_H
#define VKONNX_EPILOGUE_H

#include "shaders/library/blocks.h"

// The constant `epilogue` has the kind in the bits EPILOGUE_KIND, and these bits beside it.
#define EPILOGUE_KIND 0xffu
#define EPILOGUE_MULTIPLIES 0x100u
#define EPILOGUE_ADDS 0x200u
// The constant is this where EpilogueNumbers::constant has its value instead. The kind is then none that calls functions.
#define EPILOGUE_AT_RUN_TIME 0x400u

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// Each number has two words: those of a double, or a float and a 0.
struct EpilogueNumbers {
    uint first_low;
    uint first_high;
    uint second_low;
    uint second_high;
    uint factor_low;
    uint factor_high;
    uint addend_low;
    uint addend_high;
    uint constant;  // the value of the kernel's constant, or what it would be
    uint padding0_;
    uint padding1_;
    uint padding2_;
};

#ifdef __cplusplus
static_assert(sizeof(EpilogueNumbers) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
