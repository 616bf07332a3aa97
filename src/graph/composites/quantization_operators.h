// SPDX-License-Identifier: Apache-2.0
// This header has the composites of quantized tensors.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

struct QuantizeLinear {
    std::optional<int64_t> axis = {};          // 1
    std::optional<int64_t> block_size = {};    // 0: a scale for all, or for each place of the axis
    std::optional<int64_t> output_dtype = {};  // the zero point's, or uint8
    std::optional<int64_t> precision = {};     // a DType's number; the division is of floats all the same
    std::optional<int64_t> saturate = {};      // of float8 types: 1

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

struct DynamicQuantizeLinear : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct MatMulInteger : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct QLinearMatMul : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct ConvAttributes {
    Conv conv = {};

    template <class Visitor>
    void fields(Visitor&& visit)
    {
        vkonnx::fields(conv, visit);
    }
};

struct ConvInteger : ConvAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct QLinearConv : ConvAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

}  // namespace vkonnx::graph
