// SPDX-License-Identifier: Apache-2.0
// This header has the composite of products.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

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

}  // namespace vkonnx::graph
