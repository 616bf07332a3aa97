// SPDX-License-Identifier: Apache-2.0
// This header has what the schemas of the domain com.microsoft share.
#pragma once

#include "graph/composer.h"

namespace vkonnx::graph {

inline constexpr int64_t contrib_versions[] = {1};  // of every operator of the domain
inline constexpr Schema::Output contrib_output[] = {{"Y"}};

constexpr Schema contrib(std::string_view name, std::span<const Schema::Input> inputs,
                         std::span<const Schema::Output> outputs = contrib_output)
{
    return {.domain = microsoft_domain, .name = name, .versions = contrib_versions, .inputs = inputs, .outputs = outputs};
}

}  // namespace vkonnx::graph
