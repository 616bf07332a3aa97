// SPDX-License-Identifier: Apache-2.0
// This says how a product is cut into tiles, and how much memory and time the tiles take.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels.h"
#include "plan/engines/implicit_gemm/problem.h"

namespace vkonnx::plan::implicit_gemm {

// This is the value of Tile::registers of the smallest tiles. Every GPU takes them that takes no others.
inline constexpr int64_t any_gpu = 1;

// A tile is the part of the product that one invocation, or one workgroup, computes.
struct Tile {
    int64_t rows = 1;
    int64_t columns = 1;
    Kernel texels = {};        // the module that reads its operands as texels
    Kernel storage = {};       // the module that reads them as storage buffers
    int64_t invocations = 1;   // how many invocations compute a tile together; more than one go through shared memory
    int64_t texel_bytes = 16;  // the size of a texel of a packed operand, which holds four numbers
    // An invocation needs so many of Capabilities::invocation_registers, so that none of Mesa's compilers moves sums to memory.
    // Tiles of one invocation that have 0 here are for software drivers, and the others for GPUs.
    int64_t registers = 0;
    bool matrices = false;      // whether cooperative matrices multiply
    bool shuffles = false;      // whether a subgroup's invocations have the same rows and read weights from each other
    bool x_as_it_lies = false;  // whether X is read without being packed
    int64_t lanes = 1;          // how many neighbouring invocations take columns in turns
    int64_t prologue = 0;       // operations on each element of X that is read, where no packing has done them
    int64_t part_quads = 0;  // quads of channels that a tile sums; 0: all of them, so that it computes outputs, not parts of sums
};
using Tiles = std::span<const Tile>;

// A share is a part of a tile.
struct Share {
    int64_t rows = 1;
    int64_t columns = 1;
};

// Returns the share, in matrices, that one subgroup computes by cooperative matrices; nothing where the device has none, or where
// its matrices or subgroups don't divide the tile.
std::optional<Share> subgroup_share(const Tile& tile, const Capabilities& capabilities);

// Returns the share that one invocation computes.
Share invocation_share(const Tile& tile);

// This struct holds a product, and the tile that it is cut by.
struct Cut {
    Product product;
    Tile tile;
};

// Returns how many invocations keep a device busy.
double busy_invocations(const Capabilities& capabilities);

// Returns the product and the tile that are estimated to take least time, of those that the problem offers. Tiles that the device
// can't run are left out, unless it can run none: then the first one counts. Small tiles win where a problem is too small to fill
// the device by large ones.
Cut cut_of(const Problem& problem, Tiles tiles);

// These return sizes of packed weights in texels: of a description (each row of a tile has one, the tile itself
// GEMM_TILE_TEXELS), of the weights of a tile of the class, and of all that a group takes.
int64_t description_texels(const Tile& tile);
int64_t weight_texels(const Product& product, const PhaseClass& one, const Tile& tile);
int64_t group_texels(const Product& product, const Tile& tile);
// The size in texels of all packed inputs.
int64_t input_texels(const Product& product);

// These return how many quads of channels a tile sums, and how many parts a sum has.
int64_t quads_of(const Product& product, const Tile& tile);
int64_t parts_of(const Product& product, const Tile& tile);

// These return how many tiles the rows of a class have, and the rows of a group; then the columns, and the whole product.
int64_t tiles_of(const PhaseClass& one, const Tile& tile);
int64_t tiles_of(const Product& product, const Tile& tile);
int64_t column_tiles(const Product& product, const Tile& tile);
int64_t tiles_of_product(const Product& product, const Tile& tile);

int64_t workgroup(const Tile& tile, const Capabilities& capabilities);
int64_t tiles_of_workgroup(const Tile& tile, const Capabilities& capabilities);
int64_t shared_bytes(const Tile& tile);
bool fits_workgroup(const Tile& tile, const Capabilities& capabilities);

// Returns the most iterations of loops that an invocation takes, which may sum each of its columns once more at the end.
int64_t iterations(const Product& product, const Tile& tile, bool has_epilogue);

// These return the work of a tile of the class, and of the whole product. A device does Capabilities::work_per_second units of it
// a second.
double work_of(const Product& product, const PhaseClass& one, const Tile& tile, bool is_cpu);
double work_of(const Product& product, const Tile& tile, bool is_cpu);

}  // namespace vkonnx::plan::implicit_gemm
