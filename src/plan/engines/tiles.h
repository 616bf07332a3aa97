// SPDX-License-Identifier: Apache-2.0
// This file plans kernels whose invocations compute several outputs, a tile (shaders/engines/tiles/tiles.h). It cuts a problem's
// tiles into dispatches for the device's limits: windows of buffer range, time and groups.
#pragma once

#include <functional>

#include "plan/engines/gather.h"
#include "shaders/engines/tiles/tiles.h"

namespace vkonnx::plan {

inline constexpr int64_t quad = 4;  // elements that are read at once

// A TiledTensor is the elements of a memory, and those that a range of tiles needs of it.
struct TiledTensor {
    Operand operand = {};
    int64_t base = 0;  // the element that the memory begins with
    int64_t elements = 0;
    uint32_t element_bytes = 4;
    int64_t unit = 1;  // windows begin at multiples of it
    std::function<Range(const Range& tiles)> used = {};
};

// Tiles are the tiles of one pipeline, each of which reads `from` and writes a part of `to` that is its own.
struct Tiles {
    std::string_view op = {};
    ComputeType compute_type = ComputeType::f32;
    uint32_t pipeline = 0;
    uint32_t workgroup_size = 0;  // in tiles
    Range tiles = {};
    std::vector<std::byte> push = {};  // push constants behind push::TileRange
    double work = 0;                   // the multiply-adds of one tile
    int64_t lanes = 1;                 // invocations that share a tile
    TiledTensor from = {};
    std::vector<Operand> whole = {};  // operands between `from` and `to`, bound as they are
    TiledTensor to = {};
};

// Appends the steps to the plan. Returns Code::unsupported, with a sentence, where a single tile is too much.
Status add_steps(const Tiles& tiles, const Capabilities& capabilities, const PrepareOptions& options, Plan& plan);

// Returns how many invocations share a tile that is a row of so many elements (shaders/engines/tiles/lanes.glsl). A CPU has
// enough to do without sharing, which would need barriers.
int64_t lanes_of(int64_t extent, const Capabilities& capabilities);
// Tells why a kernel whose lanes share rows of so many elements can't run; returns "" where it can.
std::string unfit_for_lanes(int64_t extent, const Capabilities& capabilities);

// Returns the size of workgroups for kernels that keep many values in registers: software drivers run small ones faster.
uint32_t tile_workgroup_size(const Capabilities& capabilities);

// Returns the constant `stores_quads` for rows of so many outputs. Only compilers of software drivers are told of the rows, so
// that on other devices inputs of other sizes share the pipeline.
uint32_t stores_quads(int64_t row, const Capabilities& capabilities);

}  // namespace vkonnx::plan
