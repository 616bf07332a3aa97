// SPDX-License-Identifier: Apache-2.0
// This file holds the bindings that C++ and GLSL agree on.
#ifndef VKONNX_BINDINGS_H
#define VKONNX_BINDINGS_H

// A kernel's operands stand at bindings 0, 1, ... The uniform buffer stands behind as many as there may be.
#define MAX_OPERANDS 8
#define UNIFORM_BINDING MAX_OPERANDS

#endif
