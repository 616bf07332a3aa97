// SPDX-License-Identifier: Apache-2.0
// This file holds what kernels share whose invocations compute several outputs, a tile, for C++ and GLSL. Tiles are numbered over
// the whole problem; a dispatch has a range of them.
#ifndef VKONNX_TILES_H
#define VKONNX_TILES_H

#include "shaders/library/blocks.h"

// These are the values of the constant `stores_quads`, which tells whether tiles store four outputs of a row at once.
#define QUADS_NEVER 0
#define QUADS_ALWAYS 1
#define QUADS_OF_WHOLE_ROWS 2  // where rows are whole quads, which is seen at run time

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct holds a dispatch. Bases are the elements that the bound windows of X and Y begin with; that of X is a multiple of
// 4.
struct TileRange {
    uint first_tile;
    uint tile_count;
    uint x_base;
    uint x_last_quad;  // the last quad of the bound window of X
    uint x_elements;   // the elements of that window
    uint y_base;
    uint y_end;  // the number of elements of Y
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
