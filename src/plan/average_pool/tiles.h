// SPDX-License-Identifier: Apache-2.0
// What AveragePool's kernels of several outputs an invocation share.
#pragma once

#include "plan/average_pool/problem.h"
#include "plan/pool_tiles.h"

namespace vkonnx::plan::average_pool {

TiledTensor tensor_x(const Problem& problem, std::function<Range(const Range& tiles)> used);
TiledTensor tensor_y(const Problem& problem, int64_t unit, std::function<Range(const Range& tiles)> used);

// Begins a plan, which has the tensors but no steps.
Plan plan_of(const Problem& problem);

// Adds the steps that compute the tiles to the plan. The tiles get the operator's name and its type.
Status add_steps(const Problem& problem, Tiles tiles, Plan& plan);

// Binds X, or what stands in for it, and Y.
PipelineKey tile_pipeline(Kernel kernel, std::vector<uint32_t> specialization);

// Returns the values of the specialization constants of specialization/average_pool_tiles.h.
std::vector<uint32_t> tile_constants(const Problem& problem, uint32_t workgroup_size);

// The pipeline of a module of average_pool_moving.
PipelineKey moving_pipeline(const Problem& problem, std::span<const Variant> variants, uint32_t workgroup_size);

// "", or why no kernel of these runs the problem, and why none whose invocations loop so often.
std::string unfit_for_quads(const Problem& problem);
std::string unfit_for_loops(const Problem& problem, int64_t iterations);

}  // namespace vkonnx::plan::average_pool
