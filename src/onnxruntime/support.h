// SPDX-License-Identifier: Apache-2.0
// This file asks vkonnx::onnx::explain whether a part of a graph can run. There is no second list of operators.
#pragma once

#include <map>
#include <set>
#include <string>

#include <vkonnx/onnx.hpp>

#include "onnxruntime/model_bytes.h"

namespace vkonnx::onnxruntime {

struct Verdict {
    std::string refusal = {};  // why the part can't run, whatever its inputs are; empty where it can
    // Why it can't run with any of the dimensions that stood for those that are not known. It may run with others.
    std::string doubt = {};
    // Inputs of the part without whose elements nobody can tell: they decide dimensions. A part that has any is not refused.
    std::set<std::string> decides = {};
    // The first outputs of the nodes that the device computes. The others only rename memory, or are computed while preparing.
    std::set<std::string> computed = {};
    double work = 0;  // of the dispatches, by estimate, in multiply-adds of floats
};

// ONNX Runtime asks about a graph more than once, so that each verdict is kept.
class Support {
public:
    Support(const Runtime& runtime, Capabilities capabilities, onnx::SessionOptions options)
        : runtime_(runtime), capabilities_(std::move(capabilities)), options_(std::move(options))
    {
    }

    const Verdict& of(const Graph& graph, const Part& part);

private:
    Verdict judge(const ModelBytes& bytes, const Graph& graph, const Part& part) const;
    // Returns what vkonnx lacks for a model whose inputs decide dimensions, or nothing.
    std::string lacking_with_elements(const onnx::Model& model, const ModelBytes& bytes, const Graph& graph,
                                      const Part& part) const;

    const Runtime& runtime_;
    Capabilities capabilities_;
    onnx::SessionOptions options_;
    std::map<std::string, Verdict> verdicts_ = {};  // by the model's bytes and the inputs' descriptions
};

}  // namespace vkonnx::onnxruntime
