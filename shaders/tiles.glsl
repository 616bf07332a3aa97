// SPDX-License-Identifier: Apache-2.0
// What kernels of several outputs an invocation, a tile, start with, behind their specialization constants.
//
// Software drivers decide the form. SwiftShader goes through both sides of every branch, also where a specialization constant
// decides it, and all of them divide integers lane by lane: what a plan knows of the form is a macro, and taps outside the input are
// not found by dividing. All are visited, and those add nothing, -0.0, which changes no sum and no bit.
#include "common.glsl"
#include "divide.glsl"
#include "shared/tiles.h"
#include "store.glsl"

#include "quads.glsl"
