// SPDX-License-Identifier: Apache-2.0
// ConvTranspose as its kernels see it, and which there are.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/choose.h"
#include "plan/implicit_gemm/implicit_gemm.h"
#include "plan/taps.h"
#include "shared/conv_transpose.h"

namespace vkonnx::plan::conv_transpose {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    Number number = Number::f32;
    ops::Epilogue epilogue = {};
    int64_t outputs = 0;                             // the rest is of no account where there are none
    ops::ConvTransposeGeometry geometry = {};        // with merged axes
    std::vector<push::ConvTransposeAxis> axes = {};  // the geometry's, with their phases
    std::vector<TapAxis> taps = {};                  // the geometry's, for bounding loops
    // The same as a product of matrices: none where it can't be one, or may not be computed so.
    std::optional<implicit_gemm::Engine> engine = {};
};

// Sets `engine`, from all else.
void add_engine(Problem& problem);

// The axis with its phases, which are computed once.
push::ConvTransposeAxis phased(const ops::Axis& axis);

TensorDesc tensor_x(const ops::ConvTransposeGeometry& geometry);
TensorDesc tensor_w(const ops::ConvTransposeGeometry& geometry);

// Elements of W from a channel of X to the next, to the next of Y's that it makes, and to the next tap.
struct WeightSteps {
    int64_t channel;
    int64_t column;
    int64_t tap;
};
WeightSteps weight_steps(const ops::ConvTransposeGeometry& geometry);

// conv_transpose_depthwise: groups of one channel of X, common kernels along the last of 1 to 3 axes.
extern const KernelOf<Problem> depthwise;
// conv_transpose_depthwise_channels: groups of one channel of X and one of Y, 1 to 3 axes, channels last.
extern const KernelOf<Problem> depthwise_channels;
// conv_transpose_phases: 1 to 3 axes, in floats, as a product of matrices whose rows are the phases.
extern const KernelOf<Problem> phases;
// conv_transpose_phases_shared: the same through shared memory.
extern const KernelOf<Problem> phases_shared;
// conv_transpose_matrices: the same in halves, by cooperative matrices.
extern const KernelOf<Problem> matrices;
// conv_transpose_matrices_unpacked: the same of X as it lies.
extern const KernelOf<Problem> matrices_unpacked;
// conv_transpose_direct: 1 to 3 axes, in nested loops over one channel's taps.
extern const KernelOf<Problem> direct;
// conv_transpose_nd: any rank, any stride, any number of taps.
extern const KernelOf<Problem> nd;
// conv_transpose_columns: the tests' own, and only by its name.
extern const KernelOf<Problem> columns;

}  // namespace vkonnx::plan::conv_transpose
