// SPDX-License-Identifier: Apache-2.0
// This file makes the steps that all products need, whether X is packed for them or not. Some pack W, once where W is constant.
// The others multiply, in dispatches that are short enough.
#pragma once

#include <span>
#include <vector>

#include "plan/core/plan.h"
#include "plan/engines/implicit_gemm/tiles.h"

namespace vkonnx::plan::implicit_gemm {

inline constexpr uint8_t weights = 1;  // the place of W among the inputs

inline constexpr double packing_work = 6;  // work units that packing a texel takes
// This is the time that a dispatch and the barrier in front of it take beside the work. It counts here because the engine has
// several dispatches where other kernels have one.
inline constexpr double dispatch_seconds = 1e-5;

// Returns how many bytes a packed operand of so many texels takes.
int64_t bytes_of_texels(const Problem& problem, const Tile& tile, int64_t texels);

// These return the pipeline that packs W, and its steps, one for each class. `pipeline` is the pipeline's number in the plan.
PipelineKey packing_pipeline(Kernel kernel, const Capabilities& capabilities);
std::vector<Step> packing_steps(const Problem& problem, const Product& product, const Tile& tile, uint32_t pipeline,
                                Operand packed);

// Returns why the device's push constants or uniform buffers are too small for the engine; "" where they are large enough.
std::string unfit_for_blocks(const Capabilities& capabilities, size_t uniform_bytes);
// Returns why a dispatch would be too large or too long, however the work is cut; "" where none is. `other_work` and
// `other_invocations` describe the largest dispatch beside those that multiply and those that pack W.
std::string unfit_for_dispatches(const Problem& problem, const Product& product, const Tile& tile, double other_work,
                                 int64_t other_invocations);

// These return the size in bytes of each of the operator's operands, and of the prologue's numbers alone.
std::vector<uint64_t> tensor_bytes_of(const Problem& problem, const Product& product);
int64_t prologue_bytes(const Problem& problem, const Product& product);
// Returns the operand with the prologue's numbers. It is X where the prologue has none.
Operand prologue_operand(const Problem& problem);

// Returns the steps that multiply a band, each short enough for the options. `whole` gives their pipeline and operands.
std::vector<Step> product_steps(const Problem& problem, const Product& product, const Tile& tile, const Step& whole,
                                const push::GemmBand& band = {});

}  // namespace vkonnx::plan::implicit_gemm
