// SPDX-License-Identifier: Apache-2.0
// Gemm and MatMul as their kernels see them, and which there are.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/choose.h"
#include "plan/implicit_gemm/implicit_gemm.h"
#include "shared/matmul.h"

namespace vkonnx::plan::matmul {

// An axis in front of the matrices. Neighbouring axes over which A and B move alike are merged into one, and axes of extent 1 are
// left out.
struct Front {
    int64_t extent = 1;
    int64_t a_step = 0;
    int64_t b_step = 0;

    friend bool operator==(const Front&, const Front&) = default;
};

// Outermost first.
std::vector<Front> merged(const ops::MatMulGeometry& geometry);

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::MatMulGeometry& geometry;
    Number number = Number::f32;
    ops::Epilogue epilogue = {};
    int64_t outputs = 0;  // the rest is of no account where there are none
    std::vector<Front> front = {};
    // The same as the engine of convolutions has it: none where it can't, or may not.
    std::optional<implicit_gemm::Engine> engine = {};

    bool has_c() const { return geometry.c && geometry.beta != 0; }
};

// Products of matrices, one for each place of the axes in front.
int64_t matrices_of(const Problem& problem);

// Sets `engine`, from all else.
void add_engine(Problem& problem);

push::MatMulEnd end_of(const Problem& problem);

// matmul: any rank, any type.
extern const KernelOf<Problem> direct;
// matmul_vector: few rows of A; B is read as it lies.
extern const KernelOf<Problem> vector;
// matmul_gemm: floats, by the engine of convolutions.
extern const KernelOf<Problem> gemm;
// matmul_gemm_shared: the same through shared memory.
extern const KernelOf<Problem> gemm_shared;
// matmul_matrices: the same in halves, by cooperative matrices.
extern const KernelOf<Problem> matrices;
// matmul_matrices_unpacked: the same of a factor as it lies.
extern const KernelOf<Problem> matrices_unpacked;

}  // namespace vkonnx::plan::matmul
