// SPDX-License-Identifier: Apache-2.0
#include "graph/views.h"

#include <algorithm>

#include "graph/graph.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

using Dims = std::vector<int64_t>;

// This struct names a view's operator and version, for messages and rules.
struct Document {
    std::string_view name;
    int64_t version = 0;
};

Status invalid(const Document& document, const std::string& what)
{
    return Status(Code::invalid_argument, std::string(document.name) + ": " + what);
}

std::string at(const char* list, size_t index, int64_t value)
{
    return std::string(list) + "[" + std::to_string(index) + "] = " + std::to_string(value);
}

std::string text(const Dims& dims)
{
    return to_string(TensorDesc{.dtype = DType::int64, .dims = dims}).substr(name(DType::int64).size());
}

Result<int64_t> count(const Document& document, Dims dims)
{
    Result<int64_t> elements = element_count({.dims = std::move(dims)});
    return elements ? elements : invalid(document, std::string(elements.message()));
}

// Returns the index of the entry that is -1, or -1 where there is none. Zeros are replaced in place by the input's extents unless
// `allowzero`.
Result<int64_t> settle_entries(const Document& document, const Dims& data, Dims& shape, bool allowzero)
{
    int64_t inferred = -1;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] < -1)
            return invalid(document, at("shape", i, shape[i]) + " must be -1 or more");
        if (shape[i] == -1 && inferred >= 0)
            return invalid(document, at("shape", i, -1) + ", but shape[" + std::to_string(inferred) +
                                         "] is -1 too; one entry at most can be inferred");
        if (shape[i] == -1)
            inferred = int64_t(i);
        if (shape[i] == 0 && !allowzero) {
            if (i >= data.size())
                return invalid(document, at("shape", i, 0) + " copies the input's dimension " + std::to_string(i) +
                                             ", but the input has rank " + std::to_string(data.size()));
            shape[i] = data[i];
        }
    }
    if (allowzero && inferred >= 0)
        if (auto zero = std::find(shape.begin(), shape.end(), 0); zero != shape.end())
            return invalid(document, at("shape", size_t(inferred), -1) + " cannot be inferred beside " +
                                         at("shape", size_t(zero - shape.begin()), 0) + " with allowzero = 1");
    return inferred;
}

Result<Dims> reshape(const Document& document, const Dims& data, Dims shape, bool allowzero)
{
    if (shape.size() > max_rank)
        return invalid(document, "shape has " + std::to_string(shape.size()) + " entries, at most " + std::to_string(max_rank) +
                                     " are supported");
    Dims asked = shape;
    Result<int64_t> inferred = settle_entries(document, data, shape, allowzero);
    VKONNX_RETURN_IF_ERROR(inferred.status());
    Result<int64_t> total = count(document, data);
    VKONNX_RETURN_IF_ERROR(total.status());
    if (*inferred >= 0) {
        int64_t& extent = shape[size_t(*inferred)];
        extent = 1;
        Result<int64_t> others = count(document, shape);
        VKONNX_RETURN_IF_ERROR(others.status());
        if (*others == 0 || *total % *others != 0)
            return invalid(document, at("shape", size_t(*inferred), -1) + " cannot be inferred: " + std::to_string(*total) +
                                         " elements in rows of " + std::to_string(*others));
        extent = *total / *others;
    }
    Result<int64_t> made = count(document, shape);
    VKONNX_RETURN_IF_ERROR(made.status());
    if (*made != *total)
        return invalid(document, "shape " + text(asked) + " has " + std::to_string(*made) + " elements, the input " + text(data) +
                                     " has " + std::to_string(*total));
    return shape;
}

Result<Dims> flatten(const Document& document, const Dims& data, int64_t axis)
{
    auto rank = int64_t(data.size());
    int64_t least = document.version >= 11 ? -rank : 0;
    if (axis < least || axis > rank)
        return invalid(document, "axis = " + std::to_string(axis) + " must be in [" + std::to_string(least) + ", " +
                                     std::to_string(rank) + "] for rank " + std::to_string(rank) + " in version " +
                                     std::to_string(document.version));
    auto split = data.begin() + (axis < 0 ? axis + rank : axis);
    Result<int64_t> rows = count(document, Dims(data.begin(), split));
    Result<int64_t> columns = count(document, Dims(split, data.end()));
    if (!rows || !columns)
        return rows ? columns.status() : rows.status();
    return Dims{*rows, *columns};
}

// Returns which of `rank` dimensions `axes` names. Each may be named once; negative numbers are allowed from version 11 on.
Result<std::vector<bool>> marked_axes(const Document& document, const Dims& axes, size_t rank)
{
    auto limit = int64_t(rank);
    int64_t least = document.version >= 11 ? -limit : 0;
    std::vector<bool> marked(rank);
    for (size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] < least || axes[i] >= limit)
            return invalid(document, at("axes", i, axes[i]) + " must be in [" + std::to_string(least) + ", " +
                                         std::to_string(limit - 1) + "] in version " + std::to_string(document.version));
        auto axis = size_t(axes[i] < 0 ? axes[i] + limit : axes[i]);
        if (marked[axis])
            return invalid(document, at("axes", i, axes[i]) + " names an axis twice");
        marked[axis] = true;
    }
    return marked;
}

Result<Dims> squeeze(const Document& document, const Dims& data, const std::optional<Dims>& axes)
{
    Dims kept;
    if (!axes) {
        std::copy_if(data.begin(), data.end(), std::back_inserter(kept), [](int64_t extent) { return extent != 1; });
        return kept;
    }
    Result<std::vector<bool>> gone = marked_axes(document, *axes, data.size());
    VKONNX_RETURN_IF_ERROR(gone.status());
    for (size_t i = 0; i < data.size(); ++i) {
        if (!(*gone)[i])
            kept.push_back(data[i]);
        else if (data[i] != 1)
            return invalid(document, "axis " + std::to_string(i) + " has extent " + std::to_string(data[i]) +
                                         "; only an extent of 1 can be squeezed");
    }
    return kept;
}

Result<Dims> unsqueeze(const Document& document, const Dims& data, const Dims& axes)
{
    if (data.size() + axes.size() > max_rank)
        return invalid(document, "the output would have rank " + std::to_string(data.size() + axes.size()) + ", at most " +
                                     std::to_string(max_rank) + " is supported");
    Result<std::vector<bool>> added = marked_axes(document, axes, data.size() + axes.size());
    VKONNX_RETURN_IF_ERROR(added.status());
    Dims dims;
    auto next = data.begin();
    for (bool is_new : *added)
        dims.push_back(is_new ? 1 : *next++);
    return dims;
}

// Returns the list that decides the dimensions, from the attribute or the input, whichever the version has.
Result<Dims> required(const Document& document, const char* name, const OptionalList& given)
{
    if (given)
        return *given;
    return invalid(document, std::string("attribute ") + name + " is required in version " + std::to_string(document.version));
}

Result<Dims> dims_of(const Identity&, const Document&, const Dims& data, const OptionalList&)
{
    return data;
}

Result<Dims> dims_of(const Dropout& view, const Document& document, const Dims& data, const OptionalList&)
{
    if (document.version < 7 && view.is_test.value_or(0) == 0)
        return Status(Code::unsupported, "Dropout: is_test = 0 asks for training, which is not supported; expected 1");
    return data;
}

Result<Dims> dims_of(const Flatten& view, const Document& document, const Dims& data, const OptionalList&)
{
    return flatten(document, data, view.axis.value_or(1));
}

Result<Dims> dims_of(const Reshape& view, const Document& document, const Dims& data, const OptionalList& values)
{
    const int64_t allowzero = view.allowzero.value_or(0);
    if (allowzero != 0 && allowzero != 1)
        return invalid(document, "allowzero = " + std::to_string(allowzero) + " must be 0 or 1");
    Result<Dims> shape = required(document, "shape", values ? values : view.shape);
    return shape ? reshape(document, data, std::move(*shape), allowzero != 0) : shape;
}

Result<Dims> dims_of(const Squeeze& view, const Document& document, const Dims& data, const OptionalList& values)
{
    return squeeze(document, data, values ? values : view.axes);
}

Result<Dims> dims_of(const Unsqueeze& view, const Document& document, const Dims& data, const OptionalList& values)
{
    const Result<Dims> axes = required(document, "axes", values ? values : view.axes);
    return axes ? unsqueeze(document, data, *axes) : axes;
}

}  // namespace

Result<Dims> view_dims(const View& view, std::string_view name, int64_t version, const Dims& data, const OptionalList& values)
{
    return std::visit([&](const auto& one) { return dims_of(one, Document{name, version}, data, values); }, view);
}

}  // namespace vkonnx::graph
