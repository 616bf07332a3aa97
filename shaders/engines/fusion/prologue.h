// SPDX-License-Identifier: Apache-2.0
// These are the bits of the constant `prologue` of a kernel's list, for C++ and GLSL. 0 stands for no prologue.
#ifndef VKONNX_PROLOGUE_H
#define VKONNX_PROLOGUE_H

#define PROLOGUE_SCALES 1u
#define PROLOGUE_RELU 2u
#define PROLOGUE_PRELU 4u

#endif
