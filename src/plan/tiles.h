// SPDX-License-Identifier: Apache-2.0
// Plans of kernels with several outputs an invocation, a tile (shaders/shared/average_pool_tiles.h): a problem's tiles are cut
// into dispatches for the device's limits, windows of buffer range, time and groups.
#pragma once

#include <functional>

#include "plan/average_pool/problem.h"
#include "plan/gather.h"
#include "shared/average_pool_tiles.h"

namespace vkonnx::plan::average_pool {

inline constexpr int64_t quad = 4;  // elements that are read at once

// A memory's elements, and those that a range of tiles needs of it.
struct Tensor {
    Operand operand = {};
    int64_t base = 0;  // the element that the memory begins with
    int64_t elements = 0;
    uint32_t element_bytes = 4;
    int64_t unit = 1;  // windows begin with multiples of it
    std::function<Range(const Range& tiles)> used = {};
};

// Invocations of one pipeline, each of which reads `from` and writes a part of `to` that is its own.
struct Tiles {
    uint32_t pipeline = 0;
    uint32_t workgroup_size = 0;
    Range tiles = {};
    std::vector<std::byte> push = {};  // behind push::AveragePoolTiles
    double work = 0;                   // of one, in multiply-adds
    Tensor from = {};
    Tensor to = {};
};

// Appends the steps. Code::unsupported, with a sentence, where a single tile is too much.
Status add_steps(const Problem& problem, const Tiles& tiles, Plan& plan);

// Workgroups for kernels that keep many values in registers: software drivers run small ones faster.
uint32_t tile_workgroup_size(const Capabilities& capabilities);

// Whether a window has taps beyond the input, or padding.
bool is_clipped(const PoolProblem& pool);

// Axes that the rank lacks stand in front.
push::AveragePoolTiled tiled_of(const PoolProblem& pool, int64_t tiles_of_row);

Tensor tensor_x(const Problem& problem, std::function<Range(const Range& tiles)> used);
Tensor tensor_y(const Problem& problem, int64_t unit, std::function<Range(const Range& tiles)> used);

// With nothing but the tensors.
Plan plan_of(const Problem& problem);

// Binds X, or what stands in for it, and Y.
PipelineKey tile_pipeline(Kernel kernel, std::vector<uint32_t> specialization);

// Of specialization/average_pool_tiles.h.
std::vector<uint32_t> tile_constants(const Problem& problem, uint32_t workgroup_size);

// Of nested loops over the kernel of the axes before the last, each time with so many more.
int64_t loops_before_last(const Problem& problem, int64_t last);

// "", or why no kernel of these runs the problem, and why none whose invocations loop so often.
std::string unfit_for_quads(const Problem& problem);
std::string unfit_for_loops(const Problem& problem, int64_t iterations);

}  // namespace vkonnx::plan::average_pool
