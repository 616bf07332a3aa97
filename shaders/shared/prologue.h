// SPDX-License-Identifier: Apache-2.0
// Bits of the constant `prologue` of a kernel's list, shared by C++ and GLSL; 0: none.
#ifndef VKONNX_SHARED_PROLOGUE_H
#define VKONNX_SHARED_PROLOGUE_H

#define PROLOGUE_SCALES 1u
#define PROLOGUE_RELU 2u
#define PROLOGUE_PRELU 4u

#endif
