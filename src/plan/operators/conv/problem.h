// SPDX-License-Identifier: Apache-2.0
// This file describes Conv to its kernels, and lists the kernels.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"
#include "plan/engines/implicit_gemm/implicit_gemm.h"
#include "plan/engines/taps.h"
#include "shaders/operators/conv/conv.h"

namespace vkonnx::plan::conv {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    ComputeType compute_type = ComputeType::f32;
    ops::Epilogue epilogue = {};
    int64_t outputs = 0;              // where it is 0, the members below are not used
    ops::ConvGeometry geometry = {};  // with merged axes
    std::vector<TapAxis> taps = {};   // the taps of these axes, which bound the kernels' loops
    // This is the same problem as a product of matrices. It is empty where the problem can't be one, or the engine may not
    // compute it.
    std::optional<implicit_gemm::Engine> engine = {};
};

// Sets `engine` from all other members.
void add_engine(Problem& problem);

TensorDesc tensor_x(const ops::ConvGeometry& geometry);
TensorDesc tensor_w(const ops::ConvGeometry& geometry);

push::ConvAxis push_axis(const ops::Axis& axis);

// conv_depthwise takes 1 to 3 axes, groups of one channel of X, and common windows along the last axis.
extern const KernelOf<Problem> depthwise;
// conv_vector takes a window that is all of X, whose product with W is that of a vector and a matrix.
extern const KernelOf<Problem> vector;
// conv_points takes windows of single points. It multiplies float32 matrices, of which X is one.
extern const KernelOf<Problem> points;
// conv_gemm takes 1 to 3 axes. It multiplies matrices in floats or doubles, in registers.
extern const KernelOf<Problem> gemm;
// conv_gemm_shared does the same in floats, through shared memory.
extern const KernelOf<Problem> gemm_shared;
// conv_matrices does the same in float16, by cooperative matrices.
extern const KernelOf<Problem> matrices;
// conv_matrices_unpacked does the same, and reads X as it lies in memory.
extern const KernelOf<Problem> matrices_unpacked;
// conv_nd takes any rank, any stride and any number of taps.
extern const KernelOf<Problem> nd;

}  // namespace vkonnx::plan::conv
