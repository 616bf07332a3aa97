// SPDX-License-Identifier: Apache-2.0
// Conv as its kernels see it, and which there are.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/choose.h"
#include "plan/implicit_gemm/implicit_gemm.h"
#include "plan/taps.h"
#include "shared/conv.h"

namespace vkonnx::plan::conv {

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    Number number = Number::f32;
    ops::Epilogue epilogue = {};
    int64_t outputs = 0;              // the rest is of no account where there are none
    ops::ConvGeometry geometry = {};  // with merged axes
    std::vector<TapAxis> taps = {};   // the geometry's, for bounding loops
    // The same as a product of matrices: none where it can't be one, or may not be computed so.
    std::optional<implicit_gemm::Engine> engine = {};
};

// Sets `engine`, from all else.
void add_engine(Problem& problem);

TensorDesc tensor_x(const ops::ConvGeometry& geometry);
TensorDesc tensor_w(const ops::ConvGeometry& geometry);

push::ConvAxis push_axis(const ops::Axis& axis);

// conv_depthwise: groups of one channel of X, common windows along the last of 1 to 3 axes.
extern const KernelOf<Problem> depthwise;
// conv_points: windows of single points, in floats, as a product of matrices of which X is one.
extern const KernelOf<Problem> points;
// conv_gemm: 1 to 3 axes, in floats, as a product of matrices.
extern const KernelOf<Problem> gemm;
// conv_gemm_shared: the same through shared memory.
extern const KernelOf<Problem> gemm_shared;
// conv_matrices: the same in halves, by cooperative matrices.
extern const KernelOf<Problem> matrices;
// conv_matrices_unpacked: the same of X as it lies.
extern const KernelOf<Problem> matrices_unpacked;
// conv_nd: any rank, any stride, any number of taps.
extern const KernelOf<Problem> nd;

}  // namespace vkonnx::plan::conv
