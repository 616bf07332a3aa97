// SPDX-License-Identifier: Apache-2.0
// This file describes ConvTranspose to its kernels, and lists the kernels.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"
#include "plan/engines/implicit_gemm/implicit_gemm.h"
#include "plan/engines/taps.h"
#include "shaders/operators/conv_transpose/conv_transpose.h"

namespace vkonnx::plan::conv_transpose {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    ComputeType compute_type = ComputeType::f32;
    ops::Epilogue epilogue = {};
    int64_t outputs = 0;                             // where it is 0, the members below are not used
    ops::ConvTransposeGeometry geometry = {};        // with merged axes
    std::vector<push::ConvTransposeAxis> axes = {};  // the geometry's axes, with their phases
    std::vector<TapAxis> taps = {};                  // the taps of these axes, which bound the kernels' loops
    // This is the same problem as a product of matrices. It is empty where the problem can't be one, or the engine may not
    // compute it.
    std::optional<implicit_gemm::Engine> engine = {};
};

// Sets `engine` from all other members.
void add_engine(Problem& problem);

// Returns the axis with the numbers that describe its phases. They are computed once on the host.
push::ConvTransposeAxis phased(const ops::Axis& axis);

TensorDesc tensor_x(const ops::ConvTransposeGeometry& geometry);
TensorDesc tensor_w(const ops::ConvTransposeGeometry& geometry);

// These are distances in W, in elements: from a channel of X to the next, from a channel of Y in the same group to the next, and
// from a tap to the next.
struct WeightSteps {
    int64_t channel;
    int64_t column;
    int64_t tap;
};
WeightSteps weight_steps(const ops::ConvTransposeGeometry& geometry);

// conv_transpose_depthwise takes 1 to 3 axes, groups of one channel of X, and common kernels along the last axis.
extern const KernelOf<Problem> depthwise;
// conv_transpose_depthwise_channels takes 1 to 3 axes, channels last, and groups of one channel of X and one of Y.
extern const KernelOf<Problem> depthwise_channels;
// conv_transpose_phases takes 1 to 3 axes. It multiplies matrices in floats or doubles, in registers. Their rows are the phases.
extern const KernelOf<Problem> phases;
// conv_transpose_phases_shared does the same in floats, through shared memory.
extern const KernelOf<Problem> phases_shared;
// conv_transpose_matrices does the same in float16, by cooperative matrices.
extern const KernelOf<Problem> matrices;
// conv_transpose_matrices_unpacked does the same, and reads X as it lies in memory.
extern const KernelOf<Problem> matrices_unpacked;
// conv_transpose_direct takes 1 to 3 axes, and adds one channel's taps in nested loops.
extern const KernelOf<Problem> direct;
// conv_transpose_nd takes any rank, any stride and any number of taps.
extern const KernelOf<Problem> nd;
// conv_transpose_columns belongs to the tests, and runs only where it is named.
extern const KernelOf<Problem> columns;

}  // namespace vkonnx::plan::conv_transpose
