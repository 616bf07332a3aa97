// SPDX-License-Identifier: Apache-2.0
// How a product is cut into tiles, and what they take in memory and time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels.h"
#include "plan/implicit_gemm/problem.h"

namespace vkonnx::plan::implicit_gemm {

// What is computed together, and its modules: the one that reads texels, and the one that reads storage buffers.
struct Tile {
    int64_t rows;
    int64_t columns;
    Kernel texels;
    Kernel storage;
    int64_t invocations = 1;    // a workgroup's, through shared memory, where it is more than one
    int64_t texel_bytes = 16;   // of packed operands: four numbers
    bool matrices = false;      // by cooperative matrices
    bool shuffles = false;      // a subgroup's invocations have the same rows, and read their weights from each other
    bool x_as_it_lies = false;  // and not as texels
    int64_t lanes = 1;          // neighbouring invocations with each other's columns between their own
    int64_t prologue = 0;       // operations on each element of X that it reads, where none packed it
    int64_t part_quads = 0;     // quads of channels that a tile sums; 0: all, so that it computes outputs and not parts of sums
};
using Tiles = std::span<const Tile>;

// Cooperative matrices of a subgroup, where it multiplies by them.
struct MatrixShare {
    int64_t rows = 1;
    int64_t columns = 1;
};

// None where the device's matrices and subgroups are no parts of the tile, or it has no matrices.
std::optional<MatrixShare> share_of(const Tile& tile, const Capabilities& capabilities);

// What is multiplied, and by which tiles.
struct Cut {
    Product product;
    Tile tile;
};

// Invocations that keep a device busy.
double busy_invocations(const Capabilities& capabilities);

// Of the problem's products, and of the tiles that the device can run or else the first, those that take least; small tiles also
// let small problems fill a device.
Cut cut_of(const Problem& problem, Tiles tiles);

// In texels: of packed weights what describes a row or a tile's half, what a tile of the class takes, and what a group takes; of
// packed inputs all.
int64_t description_texels(const Tile& tile);
int64_t weight_texels(const Product& product, const PhaseClass& one, const Tile& tile);
int64_t group_texels(const Product& product, const Tile& tile);
int64_t input_texels(const Product& product);

// Quads of channels that a tile sums, and parts of the sum.
int64_t quads_of(const Product& product, const Tile& tile);
int64_t parts_of(const Product& product, const Tile& tile);

// Tiles of rows, of a class and of a group; of columns; and of all.
int64_t tiles_of(const PhaseClass& one, const Tile& tile);
int64_t tiles_of(const Product& product, const Tile& tile);
int64_t column_tiles(const Product& product, const Tile& tile);
int64_t tiles_of_product(const Product& product, const Tile& tile);

int64_t workgroup(const Tile& tile, const Capabilities& capabilities);
int64_t tiles_of_workgroup(const Tile& tile, const Capabilities& capabilities);
int64_t shared_bytes(const Tile& tile);
bool fits_workgroup(const Tile& tile, const Capabilities& capabilities);

// Of an invocation that sums each of its columns once more.
int64_t iterations(const Product& product, const Tile& tile, bool has_epilogue);

// In work units, of which a device does Capabilities::work_per_second: of a tile of the class, and of all.
double work_of(const Product& product, const PhaseClass& one, const Tile& tile, bool is_cpu);
double work_of(const Product& product, const Tile& tile, bool is_cpu);

}  // namespace vkonnx::plan::implicit_gemm
