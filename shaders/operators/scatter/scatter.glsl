// SPDX-License-Identifier: Apache-2.0
// This file has what the kernels of scatters share. It is included behind the uniform block `words` of scatter.h.

#define NO_TARGET 0xffffffffu  // of an update that goes nowhere; slices are fewer than 2^31

#include "shaders/library/words.glsl"
