// A node's attributes as the public structs; every attribute is of the right type and known, or refused by name.
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

Result<ConvTranspose> read_conv_transpose(const Node& node, Rules rules);
// Of the domain onednn.graph, in oneDNN Graph's own words; its rules are one, whatever the session's.
Result<onednn::ConvTranspose> read_onednn_conv_transpose(const Node& node);
Result<AveragePool> read_average_pool(const Node& node, Rules rules);
Result<Shape> read_shape(const Node& node);

// The newest of `versions` (ascending, beginning with 1) that is not newer than the opset.
int64_t version_at(std::span<const int64_t> versions, int64_t opset);

}  // namespace vkonnx::onnx
