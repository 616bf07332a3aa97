// SPDX-License-Identifier: Apache-2.0
// This file defines Gemm and MatMul as their kernels see them, and declares these kernels.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"
#include "plan/engines/implicit_gemm/implicit_gemm.h"
#include "shaders/operators/matmul/matmul.h"

namespace vkonnx::plan::matmul {

// A Front is an axis in front of the matrices. Neighbouring axes over which A and B move alike are merged into one, and axes of
// extent 1 are left out.
struct Front {
    int64_t extent = 1;
    int64_t a_step = 0;
    int64_t b_step = 0;

    friend bool operator==(const Front&, const Front&) = default;
};

// Returns the axes in front of the matrices, outermost first.
std::vector<Front> merged(const ops::MatMulGeometry& geometry);

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::MatMulGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    ops::Epilogue epilogue = {};
    int64_t outputs = 0;  // elements of Y; the rest does not count where there are none
    std::vector<Front> front = {};
    // This is the problem in the form of the engine of convolutions. It is empty where the engine can't or may not compute it.
    std::optional<implicit_gemm::Engine> engine = {};

    bool has_c() const { return geometry.c && geometry.beta != 0; }
};

// Returns the number of products of matrices: one for each place of the axes in front.
int64_t matrices_of(const Problem& problem);

// Sets `engine` from all other members.
void add_engine(Problem& problem);

push::MatMulEnd end_of(const Problem& problem);

// matmul takes any rank and any type.
extern const KernelOf<Problem> direct;
// matmul_vector takes few rows of A, and reads B as it lies.
extern const KernelOf<Problem> vector;
// matmul_gemm computes floating-point types by the engine of convolutions.
extern const KernelOf<Problem> gemm;
// matmul_gemm_shared does the same through shared memory.
extern const KernelOf<Problem> gemm_shared;
// matmul_matrices does the same in float16, by cooperative matrices.
extern const KernelOf<Problem> matrices;
// matmul_matrices_unpacked does the same, and reads one factor as it lies.
extern const KernelOf<Problem> matrices_unpacked;

}  // namespace vkonnx::plan::matmul
