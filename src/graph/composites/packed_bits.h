// SPDX-License-Identifier: Apache-2.0
// This header has how composites read weights of 2, 4 and 8 bits that lie in bytes.
#pragma once

#include "graph/composer.h"

namespace vkonnx::graph {

// Returns integers of so many bits, of which several lie in each byte, the first one in its lowest bits: (rows, bytes) becomes
// (rows, bytes * 8 / bits).
Operand unpacked_bits(Composer& composer, const Operand& packed, int64_t rows, int64_t bytes, int64_t bits);

// Checks the attributes `bits` and `block_size` of such weights.
bool check_packing(Composer& composer, int64_t bits, int64_t block_size);

}  // namespace vkonnx::graph
