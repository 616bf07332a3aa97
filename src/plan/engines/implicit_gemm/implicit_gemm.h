// SPDX-License-Identifier: Apache-2.0
// The engine of convolutions is an implicit GEMM: a product of two matrices. One holds the packed weights. The other is never
// written as a whole: it is what the blocks of outputs read of the packed inputs. A row of the product is an output channel and a
// phase, a column is a block; shaders/engines/implicit_gemm/implicit_gemm.h explains the words.
//
// The sums are kept in registers, the operands go through shared memory, or cooperative matrices multiply. X is packed in each
// run, and W once where it is constant. Packing makes floats of halves, except for cooperative matrices. A last step then rounds
// the sums to halves and adds the bias, because the two halves of a word are computed by invocations that are far apart. The same
// step adds up the parts of a deep sum, which are computed side by side where outputs are few. A fourth form, of cooperative
// matrices, packs no X: it reads X as it lies, and stores halves one by one.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "modules.h"
#include "plan/core/plan.h"
#include "plan/engines/implicit_gemm/bands.h"

namespace vkonnx::plan::implicit_gemm {

enum class Form { registers, shared_memory, cooperative_matrices, unpacked_matrices };
inline constexpr size_t form_count = 4;

// This struct holds a problem and how each form cuts it. It is made once and answers all questions about the problem.
struct Engine {
    Problem problem;
    // One for each Form. A form that is not compiled for the problem's numbers has none.
    std::array<std::optional<Bands>, form_count> forms = {};
    std::optional<Cut> points = {};  // what cut_of_points() gives, where the operator has kernels for points
};

// Tells whether any form computes such numbers under these options. No form keeps the order of an operator's terms, so that none
// may where PrepareOptions::reproducible is set.
bool computes(ComputeType compute_type, const PrepareOptions& options);

Engine engine_for(Problem problem);

// These are KernelOf::variants of the form that goes through shared memory.
inline constexpr std::span<const Variant> shared_memory_inputs =
    std::span(modules::implicit_gemm_inputs).first(3);  // all but doubles

// These are KernelOf::unfit and KernelOf::plan for a form. The form must be compiled for the problem's numbers.
std::string unfit_for(const Engine& engine, Form form);
Result<Plan> planned(const Engine& engine, Form form);

// These plan the form for windows of a single point, in float32, which reads X without packing it (points.cpp). cut_of_points()
// returns nothing where X can't be read as it lies in memory.
std::optional<Cut> cut_of_points(const Problem& problem);
std::string unfit_for_points(const Engine& engine);
Result<Plan> planned_for_points(const Engine& engine);

}  // namespace vkonnx::plan::implicit_gemm
