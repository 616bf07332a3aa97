// SPDX-License-Identifier: Apache-2.0
// This header has the composites that go along a sequence, whose state one run leaves for the next, and running products.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

// A Conv of each channel by itself, which looks back only, and gives the last elements that it looks at to the next run.
struct CausalConvWithState {
    std::optional<std::string> activation = {};  // none

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("activation", activation);
    }
};

struct CumProd {
    std::optional<int64_t> exclusive = {};  // 0
    std::optional<int64_t> reverse = {};    // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("exclusive", exclusive);
        visit("reverse", reverse);
    }
};

// Writes the elements of a sequence into a cache, for each batch from a place of its own on.
struct TensorScatter {
    std::optional<int64_t> axis = {};      // -2
    std::optional<std::string> mode = {};  // linear

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
        visit("mode", mode);
    }
};

}  // namespace vkonnx::graph
