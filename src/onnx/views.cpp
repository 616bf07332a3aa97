// SPDX-License-Identifier: Apache-2.0
#include "views.h"

#include <algorithm>
#include <cstring>

#include "attributes.h"
#include "tensor.h"

namespace vkonnx::onnx {

namespace {

using Dims = std::vector<int64_t>;

constexpr int64_t identity_versions[] = {1, 13, 14, 16, 19, 21, 23, 24, 25};
constexpr int64_t constant_versions[] = {1, 9, 11, 12, 13, 19, 21, 23, 24, 25};
constexpr int64_t reshape_versions[] = {1, 5, 13, 14, 19, 21, 23, 24, 25};
constexpr int64_t flatten_versions[] = {1, 9, 11, 13, 21, 23, 24, 25};
constexpr int64_t squeeze_versions[] = {1, 11, 13, 21, 23, 24, 25};  // Unsqueeze's too

Status invalid(const Node& node, std::string what)
{
    return Status(Code::invalid_argument, std::string(node.proto->op_type) + ": " + std::move(what));
}

std::string at(const char* list, size_t index, int64_t value)
{
    return std::string(list) + "[" + std::to_string(index) + "] = " + std::to_string(value);
}

std::string text(const Dims& dims)
{
    return to_string(TensorDesc{.dtype = DType::int64, .dims = dims}).substr(name(DType::int64).size());
}

Result<int64_t> count(const Node& node, Dims dims)
{
    Result<int64_t> elements = element_count({.dims = std::move(dims)});
    return elements ? elements : invalid(node, std::string(elements.message()));
}

// -1 where no entry is -1. Zeros are replaced in place by the input's extents unless `allowzero`.
Result<int64_t> settle_entries(const Node& node, const Dims& data, Dims& shape, bool allowzero)
{
    int64_t inferred = -1;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] < -1)
            return invalid(node, at("shape", i, shape[i]) + " must be -1 or more");
        if (shape[i] == -1 && inferred >= 0)
            return invalid(node, at("shape", i, -1) + ", but shape[" + std::to_string(inferred) +
                                     "] is -1 too; one entry at most can be inferred");
        if (shape[i] == -1)
            inferred = int64_t(i);
        if (shape[i] == 0 && !allowzero) {
            if (i >= data.size())
                return invalid(node, at("shape", i, 0) + " copies the input's dimension " + std::to_string(i) +
                                         ", but the input has rank " + std::to_string(data.size()));
            shape[i] = data[i];
        }
    }
    if (allowzero && inferred >= 0)
        if (auto zero = std::find(shape.begin(), shape.end(), 0); zero != shape.end())
            return invalid(node, at("shape", size_t(inferred), -1) + " cannot be inferred beside " +
                                     at("shape", size_t(zero - shape.begin()), 0) + " with allowzero = 1");
    return inferred;
}

Result<Dims> reshape(const Node& node, const Dims& data, Dims shape, bool allowzero)
{
    if (shape.size() > max_rank)
        return invalid(node, "shape has " + std::to_string(shape.size()) + " entries, at most " + std::to_string(max_rank) +
                                 " are supported");
    Dims asked = shape;
    Result<int64_t> inferred = settle_entries(node, data, shape, allowzero);
    if (!inferred)
        return inferred.status();
    Result<int64_t> total = count(node, data);
    if (!total)
        return total.status();
    if (*inferred >= 0) {
        int64_t& extent = shape[size_t(*inferred)];
        extent = 1;
        Result<int64_t> others = count(node, shape);
        if (!others)
            return others.status();
        if (*others == 0 || *total % *others != 0)
            return invalid(node, at("shape", size_t(*inferred), -1) + " cannot be inferred: " + std::to_string(*total) +
                                     " elements in rows of " + std::to_string(*others));
        extent = *total / *others;
    }
    Result<int64_t> made = count(node, shape);
    if (!made)
        return made.status();
    if (*made != *total)
        return invalid(node, "shape " + text(asked) + " has " + std::to_string(*made) + " elements, the input " + text(data) +
                                 " has " + std::to_string(*total));
    return shape;
}

Result<Dims> flatten(const Node& node, const Dims& data, int64_t axis)
{
    auto rank = int64_t(data.size());
    int64_t least = view_version(node) >= 11 ? -rank : 0;
    if (axis < least || axis > rank)
        return invalid(node, "axis = " + std::to_string(axis) + " must be in [" + std::to_string(least) + ", " +
                                 std::to_string(rank) + "] for rank " + std::to_string(rank) + " in version " +
                                 std::to_string(view_version(node)));
    auto split = data.begin() + (axis < 0 ? axis + rank : axis);
    Result<int64_t> rows = count(node, Dims(data.begin(), split));
    Result<int64_t> columns = count(node, Dims(split, data.end()));
    if (!rows || !columns)
        return rows ? columns.status() : rows.status();
    return Dims{*rows, *columns};
}

// Which of `rank` dimensions `axes` names: each once, negative ones from version 11.
Result<std::vector<bool>> marked_axes(const Node& node, const Dims& axes, size_t rank)
{
    auto limit = int64_t(rank);
    int64_t least = view_version(node) >= 11 ? -limit : 0;
    std::vector<bool> marked(rank);
    for (size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] < least || axes[i] >= limit)
            return invalid(node, at("axes", i, axes[i]) + " must be in [" + std::to_string(least) + ", " +
                                     std::to_string(limit - 1) + "] in version " + std::to_string(view_version(node)));
        auto axis = size_t(axes[i] < 0 ? axes[i] + limit : axes[i]);
        if (marked[axis])
            return invalid(node, at("axes", i, axes[i]) + " names an axis twice");
        marked[axis] = true;
    }
    return marked;
}

Result<Dims> squeeze(const Node& node, const Dims& data, const std::optional<Dims>& axes)
{
    Dims kept;
    if (!axes) {
        std::copy_if(data.begin(), data.end(), std::back_inserter(kept), [](int64_t extent) { return extent != 1; });
        return kept;
    }
    Result<std::vector<bool>> gone = marked_axes(node, *axes, data.size());
    if (!gone)
        return gone.status();
    for (size_t i = 0; i < data.size(); ++i) {
        if (!(*gone)[i])
            kept.push_back(data[i]);
        else if (data[i] != 1)
            return invalid(node, "axis " + std::to_string(i) + " has extent " + std::to_string(data[i]) +
                                     "; only an extent of 1 can be squeezed");
    }
    return kept;
}

Result<Dims> unsqueeze(const Node& node, const Dims& data, const Dims& axes)
{
    if (data.size() + axes.size() > max_rank)
        return invalid(node, "the output would have rank " + std::to_string(data.size() + axes.size()) + ", at most " +
                                 std::to_string(max_rank) + " is supported");
    Result<std::vector<bool>> added = marked_axes(node, axes, data.size() + axes.size());
    if (!added)
        return added.status();
    Dims dims;
    auto next = data.begin();
    for (bool is_new : *added)
        dims.push_back(is_new ? 1 : *next++);
    return dims;
}

// The list attribute of versions that take no values input; required or not.
std::optional<Dims> list_attribute(AttributeReader& reader, const char* name, int64_t until)
{
    const AttributeProto* list = reader.find(name, AttributeType::integers, 1, until);
    return list ? std::optional(list->ints) : std::nullopt;
}

template <class T>
ConstantContent made_from(DType dtype, Dims dims, const T* values, size_t count)
{
    auto host = std::make_shared<HostTensor>();
    host->desc = {.dtype = dtype, .dims = std::move(dims)};
    std::span<const std::byte> bytes = std::as_bytes(std::span(values, count));
    host->data.assign(bytes.begin(), bytes.end());
    return {.desc = host->desc, .made = host};
}

ConstantContent made_from_strings(Dims dims, const std::string_view* values, size_t count)
{
    auto host = std::make_shared<HostTensor>();
    host->desc = {.dtype = DType::string, .dims = std::move(dims)};
    host->strings.assign(values, values + count);
    return {.desc = host->desc, .made = host};
}

Result<ConstantContent> constant_from(const AttributeProto& attribute)
{
    auto length = [](const auto& list) { return Dims{int64_t(list.size())}; };
    switch (attribute.type) {
    case AttributeType::tensor: {
        Result<TensorDesc> desc = check(*attribute.t);
        if (!desc)
            return Status(desc.code(), "Constant: " + std::string(desc.message()));
        return ConstantContent{.desc = *desc, .stored = attribute.t};
    }
    case AttributeType::real:
        return made_from(DType::float32, {}, &attribute.f, 1);
    case AttributeType::integer:
        return made_from(DType::int64, {}, &attribute.i, 1);
    case AttributeType::string:
        return made_from_strings({}, &attribute.s, 1);
    case AttributeType::reals:
        return made_from(DType::float32, length(attribute.floats), attribute.floats.data(), attribute.floats.size());
    case AttributeType::integers:
        return made_from(DType::int64, length(attribute.ints), attribute.ints.data(), attribute.ints.size());
    case AttributeType::strings:
        return made_from_strings(length(attribute.strings), attribute.strings.data(), attribute.strings.size());
    default:
        return Status(Code::unsupported, "Constant: a sparse_value is not supported");
    }
}

}  // namespace

int64_t view_version(const Node& node)
{
    switch (node.kind) {
    case OpKind::identity:
        return version_at(identity_versions, node.opset);
    case OpKind::constant:
        return version_at(constant_versions, node.opset);
    case OpKind::reshape:
        return version_at(reshape_versions, node.opset);
    case OpKind::flatten:
        return version_at(flatten_versions, node.opset);
    case OpKind::squeeze:
    case OpKind::unsqueeze:
        return version_at(squeeze_versions, node.opset);
    case OpKind::none:
    case OpKind::average_pool:
    case OpKind::conv_transpose:
    case OpKind::onednn_conv_transpose:
    case OpKind::shape:
        break;
    }
    return 0;
}

bool has_values_input(const Node& node)
{
    if (node.kind == OpKind::reshape)
        return view_version(node) >= 5;
    return (node.kind == OpKind::squeeze || node.kind == OpKind::unsqueeze) && view_version(node) >= 13;
}

Result<Dims> view_dims(const Node& node, const TensorDesc& data, const std::optional<Dims>& values)
{
    AttributeReader reader(node, view_version(node));
    std::optional<Dims> list = values;
    int64_t axis = 1;
    int64_t allowzero = 0;
    if (node.kind == OpKind::reshape) {
        if (std::optional<Dims> shape = list_attribute(reader, "shape", 1))
            list = std::move(shape);
        (void)reader.find("consumed_inputs", AttributeType::integers, 1, 1);  // a hint of ONNX's first days
        allowzero = reader.integer("allowzero", 14).value_or(0);
        if (allowzero != 0 && allowzero != 1)
            reader.fail("allowzero = " + std::to_string(allowzero) + " must be 0 or 1");
    } else if (node.kind == OpKind::flatten) {
        axis = reader.integer("axis").value_or(1);
    } else if (node.kind != OpKind::identity) {
        if (std::optional<Dims> axes = list_attribute(reader, "axes", 11))
            list = std::move(axes);
    }
    if (Status status = reader.finish(); !status)
        return status;

    if (!list && (node.kind == OpKind::reshape || node.kind == OpKind::unsqueeze))
        return invalid(node, std::string("attribute ") + (node.kind == OpKind::reshape ? "shape" : "axes") +
                                 " is required in version " + std::to_string(view_version(node)));
    switch (node.kind) {
    case OpKind::reshape:
        return reshape(node, data.dims, std::move(*list), allowzero != 0);
    case OpKind::flatten:
        return flatten(node, data.dims, axis);
    case OpKind::squeeze:
        return squeeze(node, data.dims, list);
    case OpKind::unsqueeze:
        return unsqueeze(node, data.dims, *list);
    case OpKind::identity:
        return data.dims;
    case OpKind::none:
    case OpKind::average_pool:
    case OpKind::constant:
    case OpKind::conv_transpose:
    case OpKind::onednn_conv_transpose:
    case OpKind::shape:
        break;
    }
    return refuse_forgotten(node);
}

Result<ConstantContent> read_constant(const Node& node)
{
    struct Known {
        const char* name;
        AttributeType type;
        int64_t since;
    };
    constexpr Known known[] = {{"value", AttributeType::tensor, 1},         {"sparse_value", AttributeType::sparse_tensor, 11},
                               {"value_float", AttributeType::real, 12},    {"value_floats", AttributeType::reals, 12},
                               {"value_int", AttributeType::integer, 12},   {"value_ints", AttributeType::integers, 12},
                               {"value_string", AttributeType::string, 12}, {"value_strings", AttributeType::strings, 12}};
    AttributeReader reader(node, view_version(node));
    const AttributeProto* value = nullptr;
    for (const Known& one : known) {
        const AttributeProto* found = reader.find(one.name, one.type, one.since);
        if (found && value)
            reader.fail("attributes " + std::string(value->name) + " and " + one.name + " are both given, expected one");
        value = found ? found : value;
    }
    if (Status status = reader.finish(); !status)
        return status;
    if (!value)
        return invalid(node, "it has no value");
    return constant_from(*value);
}

}  // namespace vkonnx::onnx
