// SPDX-License-Identifier: Apache-2.0
// This file is what kernels start with, behind their specialization constants, whose invocations compute several outputs, a tile.
//
// Software drivers decide the form. SwiftShader goes through both sides of every branch, also where a specialization constant
// decides it, and all of them divide integers lane by lane. So what a plan knows of the form is a macro, and taps outside the
// input are not found by dividing. All taps are visited, and those outside add -0.0, which changes no sum and no bit.
#include "shaders/library/common.glsl"
#include "shaders/library/divide.glsl"
#include "shaders/engines/tiles/tiles.h"
#include "shaders/library/store.glsl"

#include "shaders/library/quads.glsl"
