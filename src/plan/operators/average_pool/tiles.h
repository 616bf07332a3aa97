// SPDX-License-Identifier: Apache-2.0
// This file holds what AveragePool's kernels share whose invocations compute several outputs each.
#pragma once

#include "plan/engines/pool_tiles.h"
#include "plan/operators/average_pool/problem.h"

namespace vkonnx::plan::average_pool {

TiledTensor tensor_x(const Problem& problem, std::function<Range(const Range& tiles)> used);
TiledTensor tensor_y(const Problem& problem, int64_t unit, std::function<Range(const Range& tiles)> used);

// Returns a plan that has its tensors, but no steps yet.
Plan plan_of(const Problem& problem);

// Adds the steps that compute the tiles to the plan. The tiles get the operator's name and its type.
Status add_steps(const Problem& problem, Tiles tiles, Plan& plan);

// Returns the key of a pipeline that binds X and Y, or scratch memory.
PipelineKey tile_pipeline(Kernel kernel, std::vector<uint32_t> specialization);

// Returns the values of the specialization constants of shaders/operators/average_pool/average_pool_tiles_constants.h.
std::vector<uint32_t> tile_constants(const Problem& problem, uint32_t workgroup_size);

// Returns the key of a pipeline of average_pool_moving.
PipelineKey moving_pipeline(const Problem& problem, std::span<const Variant> variants, uint32_t workgroup_size);

// These return why none of these kernels can run the problem, and why none can that takes so many iterations; "" where one can.
std::string unfit_for_quads(const Problem& problem);
std::string unfit_for_loops(const Problem& problem, int64_t iterations);

}  // namespace vkonnx::plan::average_pool
