// SPDX-License-Identifier: Apache-2.0
// This header tells which versions of an operator have an attribute.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace vkonnx::graph {

using OptionalList = std::optional<std::vector<int64_t>>;

// Both ends are included. An `until` of 0 means no end.
struct Versions {
    int64_t since = 1;
    int64_t until = 0;
};

}  // namespace vkonnx::graph
