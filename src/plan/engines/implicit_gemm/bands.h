// SPDX-License-Identifier: Apache-2.0
// This file cuts a product into bands, so that X is packed for one band of blocks at a time, and not for all at once.
#pragma once

#include "plan/engines/implicit_gemm/tiles.h"

namespace vkonnx::plan::implicit_gemm {

// Bands lie along the first axis that has more than one block. A single band of all blocks is the whole product.
struct Bands {
    Product product;  // the product of one band
    Tile tile;
    size_t axis = 0;
    int64_t count = 1;
};

// Cuts the product into bands, so that packed X of one band has no more bytes than the device binds. It also has no more than
// `wanted_bytes`, unless that took bands that are mostly edges or idle tiles.
Bands in_bands(const Problem& problem, Cut cut, int64_t wanted_bytes);

}  // namespace vkonnx::plan::implicit_gemm
