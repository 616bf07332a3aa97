// SPDX-License-Identifier: Apache-2.0
#include "nodes.h"

#include "graph/operators.h"
#include "return_if_error.h"

namespace vkonnx::onnx {

std::string_view domain_name(std::string_view domain)
{
    return domain.empty() ? graph::onnx_domain : domain;
}

std::string_view name_of(const NodeProto& node)
{
    if (!node.name.empty())
        return node.name;
    for (std::string_view output : node.outputs)
        if (!output.empty())
            return output;
    return {};
}

std::string label(const NodeProto& node)
{
    return graph::label({.name = name_of(node), .op_type = node.op_type, .index = node.index});
}

std::string prefix(const NodeProto& node)
{
    return label(node) + ": ";
}

std::string label(const FunctionProto& function)
{
    return "function " + quote(function.name) + " of domain " + quote(domain_name(function.domain));
}

Status invalid(std::string sentence)
{
    return Status(Code::invalid_argument, std::move(sentence));
}

Result<Imports> Imports::of(std::string owner, const std::vector<OperatorSetId>& ids)
{
    Imports imports;
    imports.owner_ = std::move(owner);
    for (const OperatorSetId& id : ids) {
        auto [known, is_new] = imports.versions_.try_emplace(domain_name(id.domain), id.version);
        if (!is_new && known->second != id.version)
            return invalid(imports.owner_ + " imports domain " + quote(domain_name(id.domain)) + " twice, in version " +
                           std::to_string(known->second) + " and in version " + std::to_string(id.version));
    }
    return imports;
}

Result<int64_t> Imports::version_for(const NodeProto& node) const
{
    auto known = versions_.find(domain_name(node.domain));
    if (known != versions_.end() && known->second >= 1)
        return known->second;
    const std::string what = prefix(node) + visible(node.op_type) + " is of domain " + quote(domain_name(node.domain));
    if (known == versions_.end())
        return invalid(what + ", for which " + owner_ + " has no opset import");
    return invalid(what + ", which " + owner_ + " imports in version " + std::to_string(known->second) + "; versions begin at 1");
}

Result<std::vector<Imports>> imports_of(const ModelProto& model)
{
    std::vector<Imports> all;
    Result<Imports> own = Imports::of("the model", model.opset_imports);
    VKONNX_RETURN_IF_ERROR(own.status());
    all.push_back(std::move(*own));
    for (const FunctionProto& function : model.functions) {
        Result<Imports> imports = Imports::of(label(function), function.opset_imports);
        VKONNX_RETURN_IF_ERROR(imports.status());
        all.push_back(std::move(*imports));
    }
    return all;
}

}  // namespace vkonnx::onnx
