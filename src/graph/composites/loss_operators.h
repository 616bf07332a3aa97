// SPDX-License-Identifier: Apache-2.0
// This header has the losses.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

struct LossAttributes {
    std::optional<int64_t> ignore_index = {};   // none
    std::optional<std::string> reduction = {};  // "mean"

    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("ignore_index", ignore_index);
        visit("reduction", reduction);
    }
};

struct NegativeLogLikelihoodLoss : LossAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct SoftmaxCrossEntropyLoss : LossAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

}  // namespace vkonnx::graph
