// SPDX-License-Identifier: Apache-2.0
// This header has the composites of the domain com.microsoft. ONNX Runtime writes these into models that it optimizes. Its
// page ContribOperators is their document.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>
#include <vector>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

struct BiasGelu : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct FastGelu : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct MicrosoftGelu : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
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

// Computes activation(Conv(X, W, B) + Z).
struct FusedConv {
    Conv conv = {};
    std::optional<std::string> activation = {};  // a name of ONNX; none: Y is the sum
    std::vector<float> activation_params = {};   // its alpha, beta and gamma, as far as it has them, or the bounds of Clip

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        vkonnx::fields(conv, visit);
        visit("activation", activation);
        visit("activation_params", activation_params);
    }
};

// Computes activation(Gemm(A, B, C)).
struct FusedGemm {
    Gemm gemm = {};
    std::optional<std::string> activation = {};  // a name of ONNX; none: Y is the product
    std::optional<float> activation_alpha = {};  // the activation's own attributes, with its own defaults
    std::optional<float> activation_beta = {};
    std::optional<float> activation_gamma = {};

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        vkonnx::fields(gemm, visit);
        visit("activation", activation);
        visit("activation_alpha", activation_alpha);
        visit("activation_beta", activation_beta);
        visit("activation_gamma", activation_gamma);
    }
};

// Multiplies by weights of 2, 4 or 8 bits, which have a scale and a zero point for each block of a row.
struct MatMulNBits {
    std::optional<int64_t> K = {};               // required
    std::optional<int64_t> N = {};               // required
    std::optional<int64_t> accuracy_level = {};  // of no account: products are added in float
    std::optional<int64_t> bits = {};            // 4
    std::optional<int64_t> block_size = {};      // required

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("K", K);
        visit("N", N);
        visit("accuracy_level", accuracy_level);
        visit("bits", bits);
        visit("block_size", block_size);
    }
};

// Takes rows of a table of 2, 4 or 8 bits, or of float4 and float8, which has a scale and a zero point for each block.
struct GatherBlockQuantized {
    std::optional<int64_t> bits = {};           // 4, of bytes alone
    std::optional<int64_t> block_size = {};     // 128; 0 of floats: all of the axis
    std::optional<int64_t> gather_axis = {};    // 0
    std::optional<int64_t> quantize_axis = {};  // 1, along which the blocks lie

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("bits", bits);
        visit("block_size", block_size);
        visit("gather_axis", gather_axis);
        visit("quantize_axis", quantize_axis);
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

struct SkipAttributes {
    std::optional<float> epsilon = {};  // 1e-12

    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("epsilon", epsilon);
    }
};

struct SkipLayerNormalization : SkipAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct SkipSimplifiedLayerNormalization : SkipAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

}  // namespace vkonnx::graph
