// SPDX-License-Identifier: Apache-2.0
// This file declares what plans each operator. `plan_for` makes the plan that runs, of the kernel that options.kernel names, or
// else of the one whose estimate is least. `kernels_for` lists every kernel, whatever options.kernel says, with why it does not
// fit or what it would take. The list is empty where all outputs are, since nothing runs then. Both are in the file of the
// operator's name.
#pragma once

#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"
#include "plan/core/plan.h"

namespace vkonnx::plan {

using Kernels = Result<std::vector<KernelChoice>>;

// The operands are the input and the output. ArgMax and ArgMin have this geometry.
Result<Plan> plan_for(const ops::ArgExtremeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::ArgExtremeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are X and Y.
Result<Plan> plan_for(const ops::AveragePoolGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::AveragePoolGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are the input and the output.
Result<Plan> plan_for(const ops::CastGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::CastGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are X, W, B where there is a bias, and Y.
Result<Plan> plan_for(const ops::ConvGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::ConvGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are X, W, B where there is a bias, and Y. oneDNN's ConvTranspose has this geometry, too.
Result<Plan> plan_for(const ops::ConvTransposeGeometry& geometry, const Capabilities& capabilities,
                      const PrepareOptions& options);
Kernels kernels_for(const ops::ConvTransposeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are the input and the output.
Result<Plan> plan_for(const ops::CumSumGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::CumSumGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are the inputs as given and the output. No step names an input that is not there.
Result<Plan> plan_for(const ops::ElementwiseGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::ElementwiseGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are data, indices and the output. Gather, GatherElements and GatherND have this geometry.
Result<Plan> plan_for(const ops::GatherGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::GatherGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are X, Scale, B where it is given, Y, and Mean and InvStdDev as far as they are wanted.
Result<Plan> plan_for(const ops::LayerNormalizationGeometry& geometry, const Capabilities& capabilities,
                      const PrepareOptions& options);
Kernels kernels_for(const ops::LayerNormalizationGeometry& geometry, const Capabilities& capabilities,
                    const PrepareOptions& options);

// The operands are the inputs and the output. All operators of logic.hpp have this geometry.
Result<Plan> plan_for(const ops::LogicGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::LogicGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are X and Y.
Result<Plan> plan_for(const ops::LrnGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::LrnGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are Q, K, V, bias where it is given, and Y.
Result<Plan> plan_for(const ops::DotProductAttentionGeometry& geometry, const Capabilities& capabilities,
                      const PrepareOptions& options);
Kernels kernels_for(const ops::DotProductAttentionGeometry& geometry, const Capabilities& capabilities,
                    const PrepareOptions& options);

// The operands are A, B, scales, zero_points where they are given, and Y.
Result<Plan> plan_for(const ops::BlockQuantizedMatMulGeometry& geometry, const Capabilities& capabilities,
                      const PrepareOptions& options);
Kernels kernels_for(const ops::BlockQuantizedMatMulGeometry& geometry, const Capabilities& capabilities,
                    const PrepareOptions& options);

// The operands are A, B, C where it is given, and Y. Gemm has this geometry, too.
Result<Plan> plan_for(const ops::MatMulGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::MatMulGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are X, Y, and Indices where they are wanted.
Result<Plan> plan_for(const ops::MaxPoolGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::MaxPoolGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are the inputs as given, and the outputs. Transpose, Slice, Pad, Concat, Split, DepthToSpace, SpaceToDepth, Expand
// and Tile have this geometry.
Result<Plan> plan_for(const ops::MoveGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::MoveGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are X, scale, B, for BatchNormalization also mean and var, and the outputs. InstanceNormalization has this
// geometry, too.
Result<Plan> plan_for(const ops::NormalizationGeometry& geometry, const Capabilities& capabilities,
                      const PrepareOptions& options);
Kernels kernels_for(const ops::NormalizationGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are the inputs as given, Y, and Y_h and Y_c as far as they are wanted. No step names an input that is not there.
// RNN, GRU and LSTM have this geometry.
Result<Plan> plan_for(const ops::RecurrentGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::RecurrentGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are the input and the output. The global pools and all operators that reduce along axes have this geometry.
Result<Plan> plan_for(const ops::ReductionGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::ReductionGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are X, Y, and a table that the plan holds.
Result<Plan> plan_for(const ops::ResizeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::ResizeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// Shape runs on the host, without a kernel. The plan holds the bytes of its result.
Result<Plan> plan_for(const ops::ShapeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::ShapeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are data, indices, updates and the output. ScatterElements and ScatterND have this geometry.
Result<Plan> plan_for(const ops::ScatterGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::ScatterGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are the input and the output.
Result<Plan> plan_for(const ops::SoftmaxGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::SoftmaxGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

// The operands are X, Values, and Indices where they are wanted.
Result<Plan> plan_for(const ops::TopKGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);
Kernels kernels_for(const ops::TopKGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);

}  // namespace vkonnx::plan
