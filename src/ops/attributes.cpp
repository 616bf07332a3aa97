// SPDX-License-Identifier: Apache-2.0
#include "ops/attributes.h"
#include "return_if_error.h"

#include <array>
#include <limits>

namespace vkonnx::ops {

namespace {

constexpr int64_t lowest = std::numeric_limits<int64_t>::min();

// Converts back to signed. Unsigned arithmetic wraps, and C++20 defines this conversion.
int64_t wrap(uint64_t bits)
{
    return int64_t(bits);
}

Word count_of(size_t number, std::string_view singular, std::string_view plural)
{
    return join({int64_t(number), " ", number == 1 ? singular : plural});
}

}  // namespace

Exact operator+(Exact a, Exact b)
{
    const int64_t sum = wrap(uint64_t(a.value) + uint64_t(b.value));
    const bool wrapped = ((a.value ^ sum) & (b.value ^ sum)) < 0;
    return {sum, a.fits && b.fits && !wrapped};
}

Exact operator-(Exact a, Exact b)
{
    const int64_t difference = wrap(uint64_t(a.value) - uint64_t(b.value));
    const bool wrapped = ((a.value ^ b.value) & (a.value ^ difference)) < 0;
    return {difference, a.fits && b.fits && !wrapped};
}

Exact operator*(Exact a, Exact b)
{
    const int64_t product = wrap(uint64_t(a.value) * uint64_t(b.value));
    bool wrapped = false;
    if (b.value == -1)  // the division below would overflow for lowest / -1
        wrapped = a.value == lowest;
    else if (b.value != 0)
        wrapped = product / b.value != a.value;
    return {product, a.fits && b.fits && !wrapped};
}

Exact floor_divide(Exact a, int64_t b)
{
    return {a.value / b, a.fits};
}

Exact ceil_divide(Exact a, int64_t b)
{
    return {a.value / b + (a.value % b != 0 ? 1 : 0), a.fits};
}

Exact lesser(Exact a, Exact b)
{
    return {std::min(a.value, b.value), a.fits && b.fits};
}

std::string join(std::initializer_list<Word> words)
{
    size_t length = 0;
    for (const Word& word : words)
        length += word.text().size();
    std::string text;
    text.reserve(length);
    for (const Word& word : words)
        text += word.text();
    return text;
}

Status Document::refuse(std::initializer_list<Word> words, Code code) const
{
    return {code, join({op, ": ", join(words)})};
}

std::string Document::title(Rules rules) const
{
    return join({vocabulary.family, " ", op, "-", version, rules == Rules::onnxruntime ? " (ONNX Runtime's rules)" : ""});
}

Status check_flag(const Document& document, std::string_view attribute, std::optional<int64_t> value)
{
    if (!value || *value == 0 || *value == 1)
        return {};
    return document.refuse({attribute, " = ", *value, " must be 0 or 1"});
}

Status check_input_count(const Document& document, size_t count, size_t least, size_t most, Code beyond)
{
    if (count >= least && count <= most)
        return {};
    const Word expected =
        least == most ? count_of(most, "input", "inputs")
                      : Word(join({int64_t(least), least + 1 == most ? " or " : " to ", count_of(most, "input", "inputs")}));
    return document.refuse({"expects ", expected, ", but ", count_of(count, "is", "are"), " given"},
                           count > most ? beyond : Code::invalid_argument);
}

Status check_type(const Document& document, std::string_view input, DType dtype, std::span<const Schema::Type> types)
{
    const auto find = [&](DType wanted) {
        return std::find_if(types.begin(), types.end(), [&](const Schema::Type& type) { return type.dtype == wanted; });
    };
    const auto type = find(dtype);
    const bool lacks_doubles = dtype == DType::float64 && type == types.end() && find(DType::float32) != types.end();
    if (lacks_doubles)  // all documents with floats have doubles, too
        return document.refuse(
            {input, " has type double, in which there is no such function: float32, float16 and bfloat16 have it"},
            Code::unsupported);
    if (type == types.end())
        return document.refuse({input, " has type ", vkonnx::name(dtype), ", which no version of the operator accepts"});
    if (type->since > document.version)
        return document.refuse({input, " has type ", vkonnx::name(dtype), ", which exists from version ", type->since,
                                ", and opset ", document.opset, " means version ", document.version});
    return {};
}

Status check_dims(const Document& document, std::string_view input, const TensorDesc& desc)
{
    for (size_t i = 0; i < desc.dims.size(); ++i)
        if (desc.dims[i] < 0)
            return document.refuse({input, ".dims[", int64_t(i), "] = ", desc.dims[i], " must be at least 0"});
    return {};
}

Status check_tensor(const Document& document, std::string_view name, const TensorDesc& desc)
{
    VKONNX_RETURN_IF_ERROR(check_dims(document, name, desc));
    if (const Result<int64_t> count = element_count(desc); !count)
        return document.refuse({name, " = ", to_string(desc), " has more than 2^63 - 1 elements"}, count.code());
    return {};
}

int64_t product_of(std::span<const int64_t> extents)
{
    Exact product = 1;
    for (const int64_t extent : extents)
        product = product * extent;
    return product.value;
}

Places places_of(Layout layout, size_t rank)
{
    return layout == Layout::nxc ? Places{.channels = rank - 1, .spatial = 1} : Places{.channels = 1, .spatial = 2};
}

Status check_spatial_rank(const Document& document, const TensorDesc& x)
{
    const size_t rank = x.dims.size();
    if (rank >= 3 && rank <= 2 + max_spatial_axes)
        return {};
    return document.refuse({"X has rank ", int64_t(rank), ", but 3 to ", int64_t(2 + max_spatial_axes),
                            " is expected: N, C and 1 to ", int64_t(max_spatial_axes), " spatial axes"},
                           rank < 3 ? Code::invalid_argument : Code::unsupported);
}

Status check_layout(const Document& document, std::string_view name, Layout layout)
{
    if (layout == Layout::ncx || layout == Layout::nxc)
        return {};
    return document.refuse({name, " = ", int64_t(layout), " must be NCX or NXC"});
}

Status check_lists(const Document& document, std::initializer_list<List> lists)
{
    for (const auto& [name, entries, count, least, presence] : lists) {
        if (entries.empty() && presence == Presence::required)
            return document.refuse({name, " is required: ", count_of(count, "entry", "entries"), " must be given"});
        if (!entries.empty() && entries.size() != count)
            return document.refuse(
                {name, " has ", count_of(entries.size(), "entry", "entries"), ", but ", int64_t(count), " must be given"});
        for (size_t i = 0; i < entries.size(); ++i)
            if (entries[i] < least)
                return document.refuse({name, "[", int64_t(i), "] = ", entries[i], " must be at least ", least});
    }
    return {};
}

Status check_auto_pad(const Document& document, AutoPad auto_pad)
{
    if (!name(document, auto_pad).empty())
        return {};
    std::string list;
    for (const Spelling<AutoPad>& one : document.vocabulary.auto_pads)
        list.append(list.empty() ? "" : ", ").append(one.word);
    return document.refuse({"auto_pad = ", int64_t(auto_pad), " must be one of ", list});
}

Status check_pads_alone(const Document& document, AutoPad auto_pad, std::span<const int64_t> pads)
{
    if (pads.empty() || auto_pad == AutoPad::notset)
        return {};
    return document.refuse({"auto_pad = ", name(document, auto_pad), " must be NOTSET when pads is given"});
}

Exact dilated_kernel(const Axis& axis)
{
    return (Exact(axis.kernel) - 1) * axis.dilation + 1;
}

void split_pads(Axis& axis, int64_t total, Extra extra)
{
    total = std::max<int64_t>(total, 0);
    axis.begin = extra == Extra::end ? total / 2 : total - total / 2;
    axis.end = total - axis.begin;
}

Status refuse_overflow(const Document& document, const Axis& axis, size_t index)
{
    return document.refuse({"spatial axis ", int64_t(index), " with in ", axis.in, ", kernel ", axis.kernel, ", stride ",
                            axis.stride, ", dilation ", axis.dilation, ", pads ", axis.begin, " and ", axis.end,
                            " leads to an integer beyond 64 bits"},
                           Code::unsupported);
}

Status refuse_empty(const Document& document, const Axis& axis, size_t index)
{
    return document.refuse({"output extent of spatial axis ", int64_t(index), " = ", axis.out, " must be at least 1 (in ",
                            axis.in, ", kernel ", axis.kernel, ", stride ", axis.stride, ", dilation ", axis.dilation, ", pads ",
                            axis.begin, " and ", axis.end, ")"});
}

Terms terms_of(const Axis& axis, int64_t output_padding)
{
    return {.out = axis.out,
            .in = axis.in,
            .stride = axis.stride,
            .dilated_kernel = axis.dilated_kernel(),
            .pads = axis.begin + axis.end,
            .total = axis.begin + axis.end,
            .output_padding = output_padding};
}

std::string axis_line(size_t index)
{
    return join({"\naxis ", int64_t(index), ": "});
}

TensorDesc output_desc(DType dtype, int64_t batch, int64_t channels, std::span<const Axis> axes, Layout layout)
{
    TensorDesc desc = {.dtype = dtype, .dims = std::vector<int64_t>(2 + axes.size()), .layout = layout};
    const Places places = places_of(layout, desc.dims.size());
    desc.dims[0] = batch;
    desc.dims[places.channels] = channels;
    for (size_t i = 0; i < axes.size(); ++i)
        desc.dims[places.spatial + i] = axes[i].out;
    return desc;
}

}  // namespace vkonnx::ops
