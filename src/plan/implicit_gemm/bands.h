// SPDX-License-Identifier: Apache-2.0
// A product of which X is packed for a band of blocks at a time, and not for all at once.
#pragma once

#include "plan/implicit_gemm/tiles.h"

namespace vkonnx::plan::implicit_gemm {

// Along the first axis that has blocks. One band, of all blocks, is the product as it was.
struct Bands {
    Product product;  // of a band
    Tile tile;
    size_t axis = 0;
    int64_t count = 1;
};

// Cuts the product into bands, so that packed X of one band has no more bytes than the device binds. It also has no more than
// `wanted_bytes`, unless that took bands that are mostly edges or idle tiles.
Bands in_bands(const Problem& problem, Cut cut, int64_t wanted_bytes);

}  // namespace vkonnx::plan::implicit_gemm
