// SPDX-License-Identifier: Apache-2.0
// This header lists the composites: operators of model files that have no kernel, because other operators compute them. A header
// in composites/ has the structs of a family, whose members have the names of attributes; `fields` visits these with the versions
// that have them. A file beside it has an operator's schema and the function that says which operators compute it. A composite
// that is not in the variant is not found in models.
#pragma once

#include <variant>

#include "graph/composites/attention.h"
#include "graph/composites/elements.h"
#include "graph/composites/loss_operators.h"
#include "graph/composites/microsoft.h"
#include "graph/composites/microsoft_attention.h"
#include "graph/composites/microsoft_quantization.h"
#include "graph/composites/movement.h"
#include "graph/composites/normalization.h"
#include "graph/composites/old_broadcasting.h"
#include "graph/composites/products.h"
#include "graph/composites/quantization_operators.h"
#include "graph/composites/sampling.h"
#include "graph/composites/sequences.h"
#include "graph/composites/signals.h"

namespace vkonnx::graph {

using Composite =
    std::variant<Einsum, AffineGrid, Compress, GlobalLpPool, GridSample, LpPool, CastLike, BitCast, SwiGLU, Shrink, OneHot,
                 CenterCropPad, EyeLike, Trilu, ReverseSequence, Scatter, Upsample, Hardmax, LpNormalization,
                 MeanVarianceNormalization, GroupNormalization, RMSNormalization, Attention, RotaryEmbedding, DFT, STFT,
                 HannWindow, HammingWindow, BlackmanWindow, MelWeightMatrix, QuantizeLinear, DequantizeLinear,
                 DynamicQuantizeLinear, MatMulInteger, QLinearMatMul, ConvInteger, QLinearConv, NegativeLogLikelihoodLoss,
                 SoftmaxCrossEntropyLoss, BiasGelu, FastGelu, MicrosoftGelu, QuickGelu, FusedMatMul, MatMulNBits,
                 DynamicQuantizeLSTM, SkipLayerNormalization, SkipSimplifiedLayerNormalization, SimplifiedLayerNormalization,
                 Col2Im, DeformConv, MaxUnpool, RoiAlign, CausalConvWithState, CumProd, TensorScatter, MicrosoftQuantizeLinear,
                 MicrosoftDequantizeLinear, QLinearAdd, QLinearMul, QLinearSigmoid, QLinearLeakyRelu, QLinearSoftmax,
                 QLinearConcat, QLinearWhere, QLinearAveragePool, QLinearGlobalAveragePool, MicrosoftQLinearConv, QGemm,
                 MatMulIntegerToFloat, DynamicQuantizeMatMul, OldAdd, OldSub, OldMul, OldDiv, OldPow, OldEqual, OldGreater,
                 OldLess, OldAnd, OldOr, OldXor, OldPRelu, OldGemm, FusedConv, FusedGemm, MultiHeadAttention, MicrosoftAttention,
                 QAttention, GroupQueryAttention, MicrosoftRotaryEmbedding, EmbedLayerNormalization, GatherBlockQuantized>;

}  // namespace vkonnx::graph
