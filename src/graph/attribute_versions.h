// SPDX-License-Identifier: Apache-2.0
// This header tells which versions of an operator have an attribute.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace vkonnx::graph {

using OptionalList = std::optional<std::vector<int64_t>>;

// This struct holds the versions that have an attribute, both ends included. An `until` of 0 means no end.
struct Versions {
    int64_t since = 1;
    int64_t until = 0;
};

struct NoAttributes {
    template <class Visitor>
    void fields(Visitor&&)
    {
    }
};

}  // namespace vkonnx::graph
