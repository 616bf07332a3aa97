// SPDX-License-Identifier: Apache-2.0
// Kernels with several outputs an invocation, a tile, shared by C++ and GLSL. Tiles are numbered over the whole problem; a dispatch
// has a range of them.
#ifndef VKONNX_SHARED_TILES_H
#define VKONNX_SHARED_TILES_H

#include "shared/blocks.h"

// Values of the constant `stores_quads`: whether tiles store four outputs of a row at once.
#define QUADS_NEVER 0
#define QUADS_ALWAYS 1
#define QUADS_OF_WHOLE_ROWS 2  // where rows are whole quads, which is seen when it runs

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// A dispatch. Bases are the elements that the bound windows of X and Y begin with; that of X is a multiple of 4.
struct TileRange {
    uint first_tile;
    uint tile_count;
    uint x_base;
    uint x_last_quad;  // of the bound window
    uint x_elements;   // likewise
    uint y_base;
    uint y_end;  // the elements of Y
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
