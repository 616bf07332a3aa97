// SPDX-License-Identifier: Apache-2.0
// This header has the composites that normalize.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

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

struct RMSAttributes {
    std::optional<int64_t> axis = {};        // -1
    std::optional<float> epsilon = {};       // 1e-5
    std::optional<int64_t> stash_type = {};  // 1: float

    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
        visit("epsilon", epsilon);
        visit("stash_type", stash_type);
    }
};

struct RMSNormalization : RMSAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

// This is RMSNormalization, which ONNX Runtime had in ONNX's own domain before ONNX did.
struct SimplifiedLayerNormalization : RMSAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

}  // namespace vkonnx::graph
