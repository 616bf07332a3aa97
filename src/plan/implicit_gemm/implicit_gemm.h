// SPDX-License-Identifier: Apache-2.0
// The engine of convolutions: an implicit GEMM, a product of matrices of which one is packed weights and the other what the
// blocks of outputs read of packed inputs. Its rows are output channels and phases, its columns blocks; see
// shared/implicit_gemm.h.
//
// In registers, through shared memory, or by cooperative matrices. X and W are packed for it: X in each run, W once where it is
// constant. Halves become floats there, but for cooperative matrices, and their sums halves again in a step of their own, which
// adds the bias: what shares a word is computed far apart. So it is with deep sums of few outputs, of which parts are computed
// side by side.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "plan/implicit_gemm/bands.h"
#include "plan/plan.h"

namespace vkonnx::plan::implicit_gemm {

enum class Form { registers, shared_memory, cooperative_matrices };
inline constexpr size_t form_count = 3;

// A problem and how it is cut, found once for all that is asked about it.
struct Engine {
    Problem problem;
    // By Form: none where the form is not compiled for the numbers.
    std::array<std::optional<Bands>, form_count> forms = {};
    std::optional<Cut> points = {};  // cut_of_points(), of operators that have them
};

// Whether any form computes such numbers, and may: none keeps the order of an operator's terms.
bool computes(Number number, const PrepareOptions& options);

Engine engine_for(Problem problem);

// What each form is compiled for: KernelOf::variants.
inline constexpr Variant inputs[] = {{Number::f32, Kernel::implicit_gemm_inputs_f32},
                                     {Number::f16, Kernel::implicit_gemm_inputs_f16},
                                     {Number::bf16, Kernel::implicit_gemm_inputs_bf16},
                                     {Number::f64, Kernel::implicit_gemm_inputs_f64}};
inline constexpr std::span<const Variant> shared_memory_inputs = std::span(inputs).first(3);
inline constexpr Variant half_inputs[] = {{Number::f16, Kernel::implicit_gemm_inputs_half_texels1_f16}};

// As KernelOf has them, of a form that is compiled for the numbers.
std::string unfit_for(const Engine& engine, Form form);
Result<Plan> planned(const Engine& engine, Form form);

// Where windows are single points and X needs no packing: points.cpp. Of floats. No cut where X can't be read as it lies.
inline constexpr Variant points[] = {{Number::f32, Kernel::implicit_gemm_points_rows16_columns8_texels1_f32}};
std::optional<Cut> cut_of_points(const Problem& problem);
std::string unfit_for_points(const Engine& engine);
Result<Plan> planned_for_points(const Engine& engine);

}  // namespace vkonnx::plan::implicit_gemm
