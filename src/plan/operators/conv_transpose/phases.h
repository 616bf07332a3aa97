// SPDX-License-Identifier: Apache-2.0
// This file describes ConvTranspose as a product of matrices whose rows are output channels and phases of the stride.
//
// On an axis with stride s and dilation d, output o belongs to phase r of block q where o + begin = q * s + r and r is in [0, s).
// `begin` is 0, which makes blocks few, or the padding modulo s, with which most phases have the same taps. With the latter, tap
// k meets phase r where k * d = r + t * s for a whole t, and reads the input t positions before the block's place. All blocks of
// a phase have the same taps, and each tap reads further back than the one before.
#pragma once

#include <span>

#include "plan/engines/implicit_gemm/product.h"
#include "plan/operators/conv_transpose/problem.h"

namespace vkonnx::plan::conv_transpose {

// This tells where the blocks of every axis begin: at outputs that the first tap of an input meets, which makes classes few and
// large, or at the first output, which makes blocks few.
enum class Blocks { of_inputs, of_outputs };

// Returns the geometry as a product of matrices. The geometry must have at most GEMM_AXES axes, and neither X nor W may be empty.
// `axes` are its axes with their phases.
implicit_gemm::Product product_of(const ops::ConvTransposeGeometry& geometry, std::span<const push::ConvTransposeAxis> axes,
                                  Blocks blocks);

// Returns the products for both values of Blocks, or one where they are the same.
std::vector<implicit_gemm::Product> products_of(const Problem& problem);

}  // namespace vkonnx::plan::conv_transpose
