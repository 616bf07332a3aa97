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

#include <span>
#include <string>
#include <vector>

#include "ops/geometry.h"
#include "plan/implicit_gemm/product.h"
#include "plan/numbers.h"
#include "plan/plan.h"

namespace vkonnx::plan::implicit_gemm {

// What an operator has it compute. Operands: X, W, B where there is a bias, Y.
struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    Number number = Number::f32;
    ops::Epilogue epilogue = {};
    DType dtype = DType::float32;
    Layout layout = Layout::ncx;  // of X and Y
    bool bias = false;
    int64_t x_elements = 0;
    int64_t w_elements = 0;
    int64_t outputs = 0;
    // Elements of W from a group to the next, from a channel of X to the next, to the next of Y's that it makes, and to the next
    // tap.
    int64_t w_group = 0;
    int64_t w_channel = 0;
    int64_t w_column = 0;
    int64_t w_tap = 0;
    std::vector<Product> products = {};  // ways to cut outputs into blocks, of which that is taken that costs least
};

enum class Form { registers, shared_memory, cooperative_matrices };

// What each form is compiled for: KernelOf::variants.
inline constexpr Variant inputs[] = {{Number::f32, Kernel::implicit_gemm_inputs_f32},
                                     {Number::f16, Kernel::implicit_gemm_inputs_f16},
                                     {Number::bf16, Kernel::implicit_gemm_inputs_bf16},
                                     {Number::f64, Kernel::implicit_gemm_inputs_f64}};
inline constexpr std::span<const Variant> shared_memory_inputs = std::span(inputs).first(3);
inline constexpr Variant half_inputs[] = {{Number::f16, Kernel::implicit_gemm_inputs_half_texels1_f16}};

// As KernelOf has them.
std::string unfit_for(const Problem& problem, Form form);
Result<Plan> planned(const Problem& problem, Form form);

// Where windows are single points and X needs no packing: points.cpp. Of floats.
inline constexpr Variant points[] = {{Number::f32, Kernel::implicit_gemm_points_rows16_columns8_texels1_f32}};
std::string unfit_for_points(const Problem& problem);
Result<Plan> planned_for_points(const Problem& problem);

}  // namespace vkonnx::plan::implicit_gemm
