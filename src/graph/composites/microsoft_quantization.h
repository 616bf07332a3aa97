// SPDX-License-Identifier: Apache-2.0
// This header has the composites of quantized tensors that the domain com.microsoft has. ONNX Runtime's tools write these where
// they quantize a model whose operators take integers themselves. Its page ContribOperators is their document.
#pragma once

#include <optional>

#include "graph/composites/quantization_operators.h"

namespace vkonnx::graph {

struct AxisAttribute {
    std::optional<int64_t> axis = {};  // required by QLinearConcat, and 1 by default in the others

    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
    }
};

struct MicrosoftQuantizeLinear : AxisAttribute {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct MicrosoftDequantizeLinear : AxisAttribute {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct QLinearAdd : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct QLinearMul : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct QLinearSigmoid : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct QLinearLeakyRelu {
    std::optional<float> alpha = {};  // 0.01

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("alpha", alpha);
    }
};

struct QLinearSoftmax {
    std::optional<int64_t> axis = {};   // -1, in every `opset`
    std::optional<int64_t> opset = {};  // required: before 13, all axes from `axis` on are one

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
        visit("opset", opset);
    }
};

struct QLinearConcat : AxisAttribute {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct QLinearWhere : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct QLinearAveragePool {
    AveragePool pool = {};
    std::optional<int64_t> channels_last = {};  // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("auto_pad", pool.auto_pad, Spellings<AutoPad>(auto_pad_words));
        visit("ceil_mode", pool.ceil_mode);
        visit("channels_last", channels_last);
        visit("count_include_pad", pool.count_include_pad);
        visit("kernel_shape", pool.kernel_shape);
        visit("pads", pool.pads);
        visit("strides", pool.strides);
    }
};

struct QLinearGlobalAveragePool {
    std::optional<int64_t> channels_last = {};  // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("channels_last", channels_last);
    }
};

struct MicrosoftQLinearConv {
    Conv conv = {};
    std::optional<int64_t> channels_last = {};  // of x and y: 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        vkonnx::fields(conv, visit);
        visit("channels_last", channels_last);
    }
};

struct QGemm {
    std::optional<float> alpha = {};     // 1
    std::optional<int64_t> transA = {};  // 0
    std::optional<int64_t> transB = {};  // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("alpha", alpha);
        visit("transA", transA);
        visit("transB", transB);
    }
};

struct MatMulIntegerToFloat : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct DynamicQuantizeMatMul : NoAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

}  // namespace vkonnx::graph
