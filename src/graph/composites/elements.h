// SPDX-License-Identifier: Apache-2.0
// This header has the composites that compute each element by itself.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

struct CastLike {
    std::optional<int64_t> saturate = {};        // of float8 types: 1
    std::optional<std::string> round_mode = {};  // of float8e8m0: up

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

}  // namespace vkonnx::graph
