// SPDX-License-Identifier: Apache-2.0
// This file writes a part of a graph as the bytes of a model file (ModelProto), so that the reader of files, its checks and its
// table of operators serve here, too.
#pragma once

#include <string>

#include "onnxruntime/graph.h"

namespace vkonnx::onnxruntime {

enum class WeightsAs : uint8_t {
    elements,  // all elements of all constants are in the model
    // Constants of more than 1 KiB become inputs behind Part::inputs. Whether a part can run does not depend on their elements,
    // and the models that ask for it stay small.
    inputs,
};

struct ModelBytes {
    std::string bytes = {};
    std::vector<std::pair<std::string, TensorDesc>> weights = {};  // constants that are inputs of the model
};

ModelBytes write_model(const Runtime& runtime, const Graph& graph, const Part& part, WeightsAs weights);

}  // namespace vkonnx::onnxruntime
