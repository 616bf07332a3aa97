// SPDX-License-Identifier: Apache-2.0
// What products have in common, whether X is packed for them or read as it lies: how W becomes their packed operand, once where
// it is constant, and how they are cut into dispatches.
#pragma once

#include <span>
#include <vector>

#include "plan/implicit_gemm/tiles.h"
#include "plan/plan.h"

namespace vkonnx::plan::implicit_gemm {

inline constexpr uint8_t weights = 1;  // place of W among the inputs

inline constexpr double packing_work = 6;  // work units of a texel packed
// What a dispatch takes beside its work, and the barrier before it: there are some where the other kernels have one.
inline constexpr double dispatch_seconds = 1e-5;

// Of floats, and of halves for cooperative matrices.
inline constexpr Variant packed_weights[] = {{Number::f32, Kernel::implicit_gemm_weights_f32},
                                             {Number::f16, Kernel::implicit_gemm_weights_f16},
                                             {Number::bf16, Kernel::implicit_gemm_weights_bf16},
                                             {Number::f64, Kernel::implicit_gemm_weights_f64}};
inline constexpr Variant half_weights[] = {{Number::f16, Kernel::implicit_gemm_weights_half_texels1_f16}};

// What a packed operand of so many texels takes.
int64_t bytes_of_texels(const Problem& problem, const Tile& tile, int64_t texels);

// The steps that write it, a class each, and their pipeline, which has that number in the plan.
PipelineKey packing_pipeline(Kernel kernel, const Capabilities& capabilities);
std::vector<Step> packing_steps(const Problem& problem, const Product& product, const Tile& tile, uint32_t pipeline,
                                Operand packed);

// Why the device has too few constants for them; "" where it doesn't.
std::string unfit_for_blocks(const Capabilities& capabilities, size_t uniform_bytes);
// Why no dispatches can do it: of the product, of packing W, and of others that take so much work and so many invocations.
std::string unfit_for_dispatches(const Problem& problem, const Product& product, const Tile& tile, double other_work,
                                 int64_t other_invocations);

// How large the operator's operands are.
std::vector<uint64_t> tensor_bytes_of(const Problem& problem, const Product& product);
int64_t prologue_bytes(const Problem& problem, const Product& product);
// P, for which X stands in where a prologue has no numbers.
Operand prologue_operand(const Problem& problem);

// The product of a band, in dispatches of such pipeline and operands that are short enough.
std::vector<Step> product_steps(const Problem& problem, const Product& product, const Tile& tile, const Step& whole,
                                const push::GemmBand& band = {});

}  // namespace vkonnx::plan::implicit_gemm
