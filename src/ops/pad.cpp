// SPDX-License-Identifier: Apache-2.0
#include "ops/move.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t pad_versions[] = {2, 11, 13, 18, 19, 21, 23, 24, 25};

constexpr Schema::Type pad_types[] = {
    {DType::float32, 1},       {DType::uint8, 11},      {DType::int8, 11},           {DType::uint16, 11},
    {DType::int16, 11},        {DType::int32, 11},      {DType::int64, 11},          {DType::string, 13},
    {DType::boolean, 13},      {DType::float16, 1},     {DType::float64, 1},         {DType::uint32, 11},
    {DType::uint64, 11},       {DType::complex64, 13},  {DType::complex128, 13},     {DType::bfloat16, 13},
    {DType::float8e4m3fn, 21}, {DType::float8e5m2, 21}, {DType::float8e4m3fnuz, 21}, {DType::float8e5m2fnuz, 21},
    {DType::uint4, 21},        {DType::int4, 21},       {DType::float4e2m1, 23},     {DType::float8e8m0, 24},
    {DType::uint2, 25},        {DType::int2, 25},
};

constexpr Schema::Input pad_inputs[] = {
    {"data", "T", pad_types},
    {.name = "pads", .member = "pads", .since = 11},
    {.name = "constant_value", .type_constraint = "T", .types = pad_types, .option = Schema::Option::optional, .since = 11},
    {.name = "axes", .option = Schema::Option::optional, .member = "axes", .since = 18}};
constexpr Schema::Output pad_outputs[] = {{"output"}};
constexpr Schema::Attribute pad_attributes[] = {{"mode"}, {"pads"}, {"axes", 18}, {"value", 1, 10}};
constexpr Schema pad_schema = {.name = Pad::name,
                               .versions = pad_versions,
                               .older = older_versions,
                               .inputs = pad_inputs,
                               .outputs = pad_outputs,
                               .attributes = pad_attributes};

Beyond beyond_of(PadMode mode)
{
    switch (mode) {
    case PadMode::constant:
        break;
    case PadMode::reflect:
        return Beyond::reflect;
    case PadMode::edge:
        return Beyond::edge;
    case PadMode::wrap:
        return Beyond::wrap;
    }
    return Beyond::other;
}

Status check_mode(const Document& document, PadMode mode)
{
    const std::string_view word = word_of(Spellings<PadMode>(pad_mode_words), mode);
    if (word.empty())
        return document.refuse({"mode = ", int64_t(mode), " must be one of constant, reflect, edge, wrap"});
    if (mode == PadMode::wrap && document.version < 19)
        return document.refuse(
            {"mode = wrap exists from version 19, and opset ", document.opset, " means version ", document.version});
    return {};
}

Status check_inputs(const Document& document, std::span<const TensorDesc> inputs)
{
    VKONNX_RETURN_IF_ERROR(check_movable(document, "data", inputs[0].dtype));
    VKONNX_RETURN_IF_ERROR(check_tensor(document, "data", inputs[0]));
    if (inputs.size() < 2 || inputs[1].dtype == DType::undefined)
        return {};
    const TensorDesc& value = inputs[1];
    VKONNX_RETURN_IF_ERROR(check_tensor(document, "constant_value", value));
    if (*element_count(value) != 1)
        return document.refuse({"constant_value = ", to_string(value), " must have one element"});
    return {};
}

// This struct holds one axis of the output, for the input's extent and its two pads.
struct Padded {
    int64_t first = 0;  // the first element of the input that is left
    int64_t begin = 0;
    int64_t extent = 0;  // elements of the input that are left
    int64_t out = 0;
};

Result<Padded> padded(const Document& document, PadMode mode, size_t axis, int64_t extent, int64_t begin, int64_t end)
{
    const Exact out = Exact(extent) + begin + end;
    if (!out.fits)
        return document.refuse({"axis ", int64_t(axis), " with ", extent, " elements and pads ", begin, " and ", end,
                                " leads to an integer beyond 64 bits"},
                               Code::unsupported);
    if (out.value < 0)
        return document.refuse(
            {"pads of axis ", int64_t(axis), ", ", begin, " and ", end, ", take more away than its ", extent, " elements"});
    if (mode == PadMode::constant)
        return Padded{.begin = begin, .extent = extent, .out = out.value};
    const Exact left = Exact(extent) + std::min<int64_t>(begin, 0) + std::min<int64_t>(end, 0);
    Padded axis_of_output = {
        .first = -std::min<int64_t>(begin, 0), .begin = std::max<int64_t>(begin, 0), .extent = left.value, .out = out.value};
    const std::string_view word = word_of(Spellings<PadMode>(pad_mode_words), mode);
    const int64_t most = std::max(begin, end);
    if (left.value <= 0 && most > 0)
        return document.refuse({"mode = ", word, " has nothing to repeat on axis ", int64_t(axis), ", where ",
                                std::max<int64_t>(left.value, 0), " of ", extent, " elements are left"});
    if (mode == PadMode::reflect && most > 0 && most >= left.value)
        return document.refuse({"mode = reflect adds at most ", left.value - 1, " elements to the ", left.value, " of axis ",
                                int64_t(axis), ", not ", most});
    return axis_of_output;
}

}  // namespace

const Schema& schema_of(const Pad&)
{
    return pad_schema;
}

Result<MoveGeometry> resolve(const Pad& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_mode(*document, attributes.mode));
    VKONNX_RETURN_IF_ERROR(check_inputs(*document, inputs));
    const TensorDesc& data = inputs[0];
    const Result<std::vector<size_t>> axes = axes_of(*document, attributes.axes, data.dims.size());
    VKONNX_RETURN_IF_ERROR(axes.status());
    const size_t n = axes->size();
    if (attributes.pads.size() != 2 * n)
        return document->refuse({"pads has ", int64_t(attributes.pads.size()), " entries, but ", int64_t(2 * n),
                                 " must be given: all begins, then all ends, of ", int64_t(n), " axes"});

    Move move = {.output = data, .sources = {whole_source(data)}};
    std::string text;
    for (size_t i = 0; i < n; ++i) {
        const size_t axis = (*axes)[i];
        const Result<Padded> along =
            padded(*document, attributes.mode, axis, data.dims[axis], attributes.pads[i], attributes.pads[n + i]);
        VKONNX_RETURN_IF_ERROR(along.status());
        SourceAxis& source = move.sources[0].axes[axis];
        move.sources[0].first += place_of(along->first, source.stride);
        source.begin = along->begin;
        source.extent = along->extent;
        move.output.dims[axis] = along->out;
        text +=
            join({axis_line(axis), along->out, " = ", data.dims[axis], " + ", attributes.pads[i], " + ", attributes.pads[n + i]});
    }
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "output", move.output));
    move.extents = move.output.dims;
    MoveGeometry geometry = {.op = Pad::name,
                             .dtype = data.dtype,
                             .beyond = beyond_of(attributes.mode),
                             .inputs = {inputs.begin(), inputs.end()},
                             .moves = {std::move(move)},
                             .fill = attributes.value.value_or(0)};
    if (inputs.size() > 1 && inputs[1].dtype != DType::undefined && attributes.mode == PadMode::constant)
        geometry.fill_input = 1;
    geometry.equation = join({document->title(), ", ", word_of(Spellings<PadMode>(pad_mode_words), attributes.mode),
                              ": out = in + begin + end", text});
    return geometry;
}

}  // namespace vkonnx::ops
