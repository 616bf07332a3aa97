// SPDX-License-Identifier: Apache-2.0
// This header lists the composites: operators of model files that have no kernel, because other operators compute them. Each has
// a file in composites/ with its schema and the function that says which operators these are. A composite that is not in the
// variant is not found in models.
//
// Members have the names of attributes. `fields` visits them with the versions that have them.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>
#include <variant>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

// ------------------------------------------------------------------------------------------------- products

struct Einsum {
    std::optional<std::string> equation = {};  // required

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("equation", equation);
    }
};

// ------------------------------------------------------------------------------------------------- elements

struct CastLike {
    std::optional<int64_t> saturate = {};        // of float8 types, of no account here
    std::optional<std::string> round_mode = {};  // of float8e8m0, of no account here

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("saturate", saturate, Versions{19});
        visit("round_mode", round_mode, Versions{24});
    }
};

// Computes Swish(A) * B.
struct SwiGLU {
    std::optional<float> alpha = {};  // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("alpha", alpha);
    }
};

struct BitCast {
    std::optional<int64_t> to = {};  // required: a DType's number

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("to", to);
    }
};

struct Shrink {
    std::optional<float> lambd = {};  // 0.5
    std::optional<float> bias = {};   // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("lambd", lambd);
        visit("bias", bias);
    }
};

// ------------------------------------------------------------------------------------------------- movement

struct OneHot {
    std::optional<int64_t> axis = {};  // -1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
    }
};

struct CenterCropPad {
    OptionalList axes = {};  // all

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axes", axes, Versions{});
    }
};

struct EyeLike {
    std::optional<int64_t> dtype = {};  // the input's
    std::optional<int64_t> k = {};      // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("dtype", dtype);
        visit("k", k);
    }
};

struct Trilu {
    std::optional<int64_t> upper = {};  // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("upper", upper);
    }
};

struct ReverseSequence {
    std::optional<int64_t> batch_axis = {};  // 1
    std::optional<int64_t> time_axis = {};   // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("batch_axis", batch_axis);
        visit("time_axis", time_axis);
    }
};

// ScatterElements has taken its place since version 11.
struct Scatter {
    std::optional<int64_t> axis = {};  // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
    }
};

// Resize has taken its place since version 10.
struct Upsample {
    std::optional<std::string> mode = {};  // "nearest"
    std::vector<float> scales = {};        // in version 7; later ones have an input

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("mode", mode);
        visit("scales", scales, Versions{7, 8});
    }
};

// ------------------------------------------------------------------------------------------------- normalization

struct Hardmax {
    std::optional<int64_t> axis = {};  // 1, and -1 from version 13 on

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
    }
};

struct LpNormalization {
    std::optional<int64_t> axis = {};  // -1
    std::optional<int64_t> p = {};     // 2

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
        visit("p", p);
    }
};

struct MeanVarianceNormalization {
    OptionalList axes = {};  // 0, 2, 3

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axes", axes, Versions{});
    }
};

struct GroupNormalization {
    std::optional<float> epsilon = {};       // 1e-5
    std::optional<int64_t> num_groups = {};  // required
    std::optional<int64_t> stash_type = {};  // 1: float

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("epsilon", epsilon);
        visit("num_groups", num_groups);
        visit("stash_type", stash_type, Versions{21});
    }
};

struct RMSNormalization {
    std::optional<int64_t> axis = {};        // -1
    std::optional<float> epsilon = {};       // 1e-5
    std::optional<int64_t> stash_type = {};  // 1: float

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
        visit("epsilon", epsilon);
        visit("stash_type", stash_type);
    }
};

// ------------------------------------------------------------------------------------------------- attention

struct Attention {
    std::optional<int64_t> is_causal = {};              // 0
    std::optional<int64_t> q_num_heads = {};            // required with three dimensions
    std::optional<int64_t> kv_num_heads = {};           // likewise
    std::optional<int64_t> qk_matmul_output_mode = {};  // 0
    std::optional<float> scale = {};                    // 1 / sqrt(head_size)
    std::optional<float> softcap = {};                  // 0: none
    std::optional<int64_t> softmax_precision = {};      // a DType's number; the softmax is computed in float all the same
    std::optional<int64_t> left_window_size = {};       // -1: unbounded
    std::optional<int64_t> right_window_size = {};      // likewise

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("is_causal", is_causal);
        visit("q_num_heads", q_num_heads);
        visit("kv_num_heads", kv_num_heads);
        visit("qk_matmul_output_mode", qk_matmul_output_mode);
        visit("scale", scale);
        visit("softcap", softcap);
        visit("softmax_precision", softmax_precision);
        visit("left_window_size", left_window_size, Versions{25});
        visit("right_window_size", right_window_size, Versions{25});
    }
};

struct RotaryEmbedding {
    std::optional<int64_t> interleaved = {};           // 0
    std::optional<int64_t> num_heads = {};             // required with three dimensions
    std::optional<int64_t> rotary_embedding_dim = {};  // 0: all of a head

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("interleaved", interleaved);
        visit("num_heads", num_heads);
        visit("rotary_embedding_dim", rotary_embedding_dim);
    }
};

// ------------------------------------------------------------------------------------------------- signals

struct DFT {
    std::optional<int64_t> axis = {};      // 1, in version 17; version 20 has an input
    std::optional<int64_t> inverse = {};   // 0
    std::optional<int64_t> onesided = {};  // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis, Versions{17, 19});
        visit("inverse", inverse);
        visit("onesided", onesided);
    }
};

struct STFT {
    std::optional<int64_t> onesided = {};  // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("onesided", onesided);
    }
};

struct HannWindow {
    std::optional<int64_t> output_datatype = {};  // a DType's number (float)
    std::optional<int64_t> periodic = {};         // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("output_datatype", output_datatype);
        visit("periodic", periodic);
    }
};

struct HammingWindow {
    std::optional<int64_t> output_datatype = {};  // a DType's number (float)
    std::optional<int64_t> periodic = {};         // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("output_datatype", output_datatype);
        visit("periodic", periodic);
    }
};

struct BlackmanWindow {
    std::optional<int64_t> output_datatype = {};  // a DType's number (float)
    std::optional<int64_t> periodic = {};         // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("output_datatype", output_datatype);
        visit("periodic", periodic);
    }
};

struct MelWeightMatrix {
    std::optional<int64_t> output_datatype = {};  // a DType's number (float)

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("output_datatype", output_datatype);
    }
};

// ------------------------------------------------------------------------------------------------- quantization

struct QuantizeLinear {
    std::optional<int64_t> axis = {};          // 1
    std::optional<int64_t> block_size = {};    // 0: a scale for all, or for each place of the axis
    std::optional<int64_t> output_dtype = {};  // the zero point's, or uint8
    std::optional<int64_t> precision = {};     // a DType's number; the division is of floats all the same
    std::optional<int64_t> saturate = {};      // of float8 types, of no account here

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis, Versions{13});
        visit("block_size", block_size, Versions{21});
        visit("output_dtype", output_dtype, Versions{21});
        visit("precision", precision, Versions{23});
        visit("saturate", saturate, Versions{19});
    }
};

struct DequantizeLinear {
    std::optional<int64_t> axis = {};          // 1
    std::optional<int64_t> block_size = {};    // 0: a scale for all, or for each place of the axis
    std::optional<int64_t> output_dtype = {};  // the scale's

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis, Versions{13});
        visit("block_size", block_size, Versions{21});
        visit("output_dtype", output_dtype, Versions{23});
    }
};

struct DynamicQuantizeLinear {
    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&&)
    {
    }
};

struct MatMulInteger {
    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&&)
    {
    }
};

struct QLinearMatMul {
    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&&)
    {
    }
};

struct ConvInteger {
    Conv conv = {};

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        vkonnx::fields(conv, visit);
    }
};

struct QLinearConv {
    Conv conv = {};

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        vkonnx::fields(conv, visit);
    }
};

// ------------------------------------------------------------------------------------------------- losses

struct NegativeLogLikelihoodLoss {
    std::optional<int64_t> ignore_index = {};   // none
    std::optional<std::string> reduction = {};  // "mean"

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("ignore_index", ignore_index);
        visit("reduction", reduction);
    }
};

struct SoftmaxCrossEntropyLoss {
    std::optional<int64_t> ignore_index = {};   // none
    std::optional<std::string> reduction = {};  // "mean"

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("ignore_index", ignore_index);
        visit("reduction", reduction);
    }
};

// ------------------------------------------------------------------------------------------------- com.microsoft
//
// ONNX Runtime writes these into models that it optimizes. Its page ContribOperators is their document.

struct BiasGelu {
    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&&)
    {
    }
};

struct FastGelu {
    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&&)
    {
    }
};

struct MicrosoftGelu {
    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&&)
    {
    }
};

struct QuickGelu {
    std::optional<float> alpha = {};  // 1.702

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("alpha", alpha);
    }
};

struct FusedMatMul {
    std::optional<float> alpha = {};          // 1
    std::optional<int64_t> transA = {};       // 0
    std::optional<int64_t> transB = {};       // 0
    std::optional<int64_t> transBatchA = {};  // 0
    std::optional<int64_t> transBatchB = {};  // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("alpha", alpha);
        visit("transA", transA);
        visit("transB", transB);
        visit("transBatchA", transBatchA);
        visit("transBatchB", transBatchB);
    }
};

struct DynamicQuantizeLSTM {
    LSTM lstm = {};

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        recurrent_fields(lstm, visit);
        visit("input_forget", lstm.input_forget);
    }
};

struct SkipLayerNormalization {
    std::optional<float> epsilon = {};  // 1e-12

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("epsilon", epsilon);
    }
};

struct SkipSimplifiedLayerNormalization {
    std::optional<float> epsilon = {};  // 1e-12

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("epsilon", epsilon);
    }
};

// This is RMSNormalization, which ONNX Runtime had in ONNX's own domain before ONNX did.
struct SimplifiedLayerNormalization {
    std::optional<int64_t> axis = {};        // -1
    std::optional<float> epsilon = {};       // 1e-5
    std::optional<int64_t> stash_type = {};  // 1: float

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
        visit("epsilon", epsilon);
        visit("stash_type", stash_type);
    }
};

using Composite =
    std::variant<Einsum, CastLike, BitCast, SwiGLU, Shrink, OneHot, CenterCropPad, EyeLike, Trilu, ReverseSequence, Scatter,
                 Upsample, Hardmax, LpNormalization, MeanVarianceNormalization, GroupNormalization, RMSNormalization, Attention,
                 RotaryEmbedding, DFT, STFT, HannWindow, HammingWindow, BlackmanWindow, MelWeightMatrix, QuantizeLinear,
                 DequantizeLinear, DynamicQuantizeLinear, MatMulInteger, QLinearMatMul, ConvInteger, QLinearConv,
                 NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss, BiasGelu, FastGelu, MicrosoftGelu, QuickGelu, FusedMatMul,
                 DynamicQuantizeLSTM, SkipLayerNormalization, SkipSimplifiedLayerNormalization, SimplifiedLayerNormalization>;

}  // namespace vkonnx::graph
