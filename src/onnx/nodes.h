// SPDX-License-Identifier: Apache-2.0
// This file says how sentences name a file's nodes, and which version of its domain each node has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parse.h"

namespace vkonnx::onnx {

// Returns "ai.onnx" for the default domain, which has two names, and else the domain itself.
std::string_view domain_name(std::string_view domain);

// Returns the node's own name, or its first output's where it has none, or "" where it has neither.
std::string_view name_of(const NodeProto& node);

// Returns "node 'up'", or "node #3 (AveragePool)" without a name.
std::string label(const NodeProto& node);

// Returns the same with ": " behind it.
std::string prefix(const NodeProto& node);

// Returns "function 'up' of domain 'local'".
std::string label(const FunctionProto& function);

Status invalid(std::string sentence);

// This class holds the opset imports of a model or of one of its functions, each domain once.
class Imports {
public:
    // `owner` is "the model" or the function's label.
    static Result<Imports> of(std::string owner, const std::vector<OperatorSetId>& ids);

    bool has(std::string_view domain) const { return versions_.contains(domain_name(domain)); }
    Result<int64_t> version_for(const NodeProto& node) const;

private:
    std::string owner_;
    std::unordered_map<std::string_view, int64_t> versions_;
};

// Returns the imports of the model and behind them those of each function, as NodeProto::imports counts them.
Result<std::vector<Imports>> imports_of(const ModelProto& model);

}  // namespace vkonnx::onnx
