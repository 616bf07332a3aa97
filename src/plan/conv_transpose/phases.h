// SPDX-License-Identifier: Apache-2.0
// ConvTranspose as a product of matrices whose rows are channels and phases of the stride.
//
// On an axis write o + begin = q * s + r for block q and phase r in [0, s), where begin is 0 or what is left of the padding
// behind whole strides: with the one there are fewest blocks, with the other most phases have the same taps. A tap k meets those
// phases whose outputs' distance from it, k * d, is a whole number of strides, and there it reads input q - t: all blocks of a
// phase have the same taps, each t further back than the one before.
#pragma once

#include <span>

#include "plan/conv_transpose/problem.h"
#include "plan/implicit_gemm/product.h"

namespace vkonnx::plan::conv_transpose {

// Where blocks begin on every axis: at outputs that the first tap of an input meets, which makes classes few and large, or at the
// first output, which makes blocks few.
enum class Blocks { of_inputs, of_outputs };

// Returns the geometry as a product of matrices. It has at most GEMM_AXES axes, and neither X nor W is empty. `axes` has the
// phases of its axes.
implicit_gemm::Product product_of(const ops::ConvTransposeGeometry& geometry, std::span<const push::ConvTransposeAxis> axes,
                                  Blocks blocks);

// Both, or one where they are the same.
std::vector<implicit_gemm::Product> products_of(const Problem& problem);

}  // namespace vkonnx::plan::conv_transpose
