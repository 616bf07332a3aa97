// SPDX-License-Identifier: Apache-2.0
// A node's attributes in the public structs; every attribute is of the right type and known, or refused by name.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"

namespace vkonnx::onnx {

// Reads attributes by name and remembers the first thing wrong; `finish` also refuses those that nobody asked for.
class AttributeReader {
public:
    // `version` is the operator's, for attributes that not every version has.
    AttributeReader(const Node& node, int64_t version);

    std::optional<int64_t> integer(std::string_view name, int64_t since = 1);
    std::vector<int64_t> integers(std::string_view name);  // empty when not given
    std::optional<std::string_view> string(std::string_view name);
    const AttributeProto* find(std::string_view name, AttributeType type, int64_t since = 1, int64_t until = 0);
    void fail(std::string sentence);
    Status finish();

private:
    const Node& node_;
    int64_t version_;
    std::vector<bool> asked_;
    std::string known_;
    std::string error_;
};

// Sets what the node gives in an operator's default attributes, and its opset and rules where it has them: the rules of oneDNN
// Graph are one, whatever the session's. Which attribute a version has is the operator's own matter, not checked here.
Status read_attributes(const Node& node, Rules rules, Operator& op);

// The newest of `versions` (ascending, beginning with 1) that is not newer than the opset.
int64_t version_at(std::span<const int64_t> versions, int64_t opset);

}  // namespace vkonnx::onnx
