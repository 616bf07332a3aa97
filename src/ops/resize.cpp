// SPDX-License-Identifier: Apache-2.0
// This file resolves Resize: what its attributes mean, and from which elements of X each output is made. Floats here are rounded
// after each operation, in this order: src/CMakeLists.txt keeps the compiler from joining them.
#include <array>
#include <cmath>
#include <cstdio>

#include "ops/attributes.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

constexpr int64_t resize_versions[] = {10, 11, 13, 18, 19};

constexpr Schema::Type resize_types[] = {
    {DType::float32, 10}, {DType::uint8, 10},     {DType::int8, 10},       {DType::uint16, 10},
    {DType::int16, 10},   {DType::int32, 10},     {DType::int64, 10},      {DType::string, 10},
    {DType::boolean, 10}, {DType::float16, 10},   {DType::float64, 10},    {DType::uint32, 10},
    {DType::uint64, 10},  {DType::complex64, 10}, {DType::complex128, 10}, {DType::bfloat16, 13},
};

constexpr Schema::Input list_of(std::string_view name, Schema::Option option, int64_t since, int64_t until = Schema::newest)
{
    return {.name = name, .option = option, .member = name, .since = since, .until = until};
}

constexpr Schema::Input resize_inputs[] = {{"X", "T1", resize_types},
                                           list_of("scales", Schema::Option::single, 10, 10),
                                           list_of("roi", Schema::Option::optional, 11),
                                           list_of("scales", Schema::Option::optional, 11),
                                           list_of("sizes", Schema::Option::optional, 11)};
constexpr Schema::Attribute resize_attributes[] = {{"mode", 10},
                                                   {"coordinate_transformation_mode", 11},
                                                   {"nearest_mode", 11},
                                                   {"axes", 18},
                                                   {"sizes", 11},
                                                   {"scales", 10},
                                                   {"roi", 11},
                                                   {"cubic_coeff_a", 11},
                                                   {"exclude_outside", 11},
                                                   {"extrapolation_value", 11},
                                                   {"antialias", 18},
                                                   {"keep_aspect_ratio_policy", 18}};
constexpr Schema resize_schema = {.name = Resize::name,
                                  .versions = resize_versions,
                                  .inputs = resize_inputs,
                                  .outputs = single_output,
                                  .attributes = resize_attributes};

using Transformation = CoordinateTransformationMode;

constexpr Spellings<ResizeMode> modes = resize_mode_words;
constexpr Spellings<Transformation> transformations = coordinate_transformation_mode_words;

std::string text_of(float number)
{
    std::array<char, 40> text = {};
    std::snprintf(text.data(), text.size(), "%.9g", double(number));
    return text.data();
}

// ---- attributes

Status check_words(const Document& document, const Resize& attributes)
{
    Status status;
    fields(attributes, [&](std::string_view name, const auto& value, auto... words) {
        if constexpr (sizeof...(words) == 1)
            if (status && word_of(words..., value).empty())
                status = document.refuse({name, " = ", int64_t(value), " must be one of its words"});
    });
    return status;
}

Status check_versions(const Document& document, const Resize& attributes)
{
    const Transformation transformation = attributes.coordinate_transformation_mode;
    if (transformation == Transformation::half_pixel_symmetric && document.version < 19)
        return document.refuse({"coordinate_transformation_mode = half_pixel_symmetric exists from version 19, and opset ",
                                document.opset, " means version ", document.version});
    if (transformation == Transformation::tf_half_pixel_for_nn && document.version != 11)
        return document.refuse({"coordinate_transformation_mode = tf_half_pixel_for_nn exists in version 11 only, and opset ",
                                document.opset, " means version ", document.version});
    return {};
}

Status check_flags(const Document& document, const Resize& attributes)
{
    VKONNX_RETURN_IF_ERROR(check_flag(document, "exclude_outside", attributes.exclude_outside));
    return check_flag(document, "antialias", attributes.antialias);
}

bool is_interpolated_integer(DType dtype)
{
    return dtype == DType::uint8 || dtype == DType::int8 || dtype == DType::int32;
}

Status check_input(const Document& document, const Resize& attributes, std::span<const TensorDesc> inputs)
{
    const TensorDesc& x = inputs[0];
    const std::string_view mode = word_of(modes, attributes.mode);
    const bool is_float =
        x.dtype == DType::float32 || x.dtype == DType::float64 || x.dtype == DType::float16 || x.dtype == DType::bfloat16;
    if (x.dtype == DType::string || x.dtype == DType::complex128)
        return document.refuse({"X has type ", vkonnx::name(x.dtype), ", which is not supported"}, Code::unsupported);
    if (attributes.mode != ResizeMode::nearest && !is_float && !is_interpolated_integer(x.dtype))
        return document.refuse({"X has type ", vkonnx::name(x.dtype), ", which mode ", mode,
                                " does not support: float16, bfloat16, float, double, uint8, int8 and int32 are"},
                               Code::unsupported);
    const bool antialias = attributes.antialias.value_or(0) == 1;
    if (!is_float && (attributes.mode == ResizeMode::cubic || (attributes.mode == ResizeMode::linear && antialias)))
        return document.refuse({"X has type ", vkonnx::name(x.dtype), ", which mode ", mode, antialias ? " with antialias" : "",
                                " does not support: float16, bfloat16, float and double are"},
                               Code::unsupported);
    VKONNX_RETURN_IF_ERROR(check_layout(document, "X.layout", x.layout));
    if (x.dims.empty())
        return document.refuse({"X has rank 0, which must be at least 1"});
    return check_tensor(document, "X", x);
}

// ---- axes

// Returns the axes that the lists speak of, in their order.
Result<std::vector<size_t>> listed_axes(const Document& document, const Resize& attributes, size_t rank)
{
    std::vector<size_t> listed;
    if (attributes.axes.empty())
        for (size_t a = 0; a < rank; ++a)
            listed.push_back(a);
    for (size_t i = 0; i < attributes.axes.size(); ++i) {
        const int64_t axis = attributes.axes[i];
        const auto end = int64_t(rank);
        if (axis < -end || axis >= end)
            return document.refuse({"axes[", int64_t(i), "] = ", axis, " must be in [", -end, ", ", end - 1, "]"});
        const auto place = size_t(axis < 0 ? axis + end : axis);
        if (std::find(listed.begin(), listed.end(), place) != listed.end())
            return document.refuse({"axes[", int64_t(i), "] = ", axis, " names axis ", int64_t(place), " a second time"});
        listed.push_back(place);
    }
    return listed;
}

Status check_counts(const Document& document, const Resize& attributes, size_t count)
{
    const auto wrong = [&](std::string_view name, size_t entries, size_t expected) {
        return document.refuse({name, " has ", int64_t(entries), " entries, expected ", int64_t(expected),
                                attributes.axes.empty() ? ", for each axis of X" : ", for each of axes",
                                expected != count ? " a start and an end" : ""});
    };
    if (attributes.sizes.empty() == attributes.scales.empty())
        return document.refuse(
            {"exactly one of sizes and scales must be given, ", attributes.sizes.empty() ? "not none" : "not both"});
    if (!attributes.sizes.empty() && attributes.sizes.size() != count)
        return wrong("sizes", attributes.sizes.size(), count);
    if (!attributes.scales.empty() && attributes.scales.size() != count)
        return wrong("scales", attributes.scales.size(), count);
    const bool crops = attributes.coordinate_transformation_mode == Transformation::tf_crop_and_resize;
    if (crops && !attributes.roi.empty() && attributes.roi.size() != 2 * count)
        return wrong("roi", attributes.roi.size(), 2 * count);
    for (size_t i = 0; crops && i < attributes.roi.size(); ++i)
        if (!std::isfinite(attributes.roi[i]))
            return document.refuse({"roi[", int64_t(i), "] = ", text_of(attributes.roi[i]), " must be finite"});
    return {};
}

Status size_by_scale(const Document& document, float scale, size_t index, ResizeAxis& axis)
{
    if (!(scale > 0) || !std::isfinite(scale))
        return document.refuse({"scales[", int64_t(index), "] = ", text_of(scale), " must be greater than 0 and finite"});
    axis.scale = scale;
    float length = float(axis.in) * scale;
    axis.length = length;
    if (!(length < 0x1p63f))
        return document.refuse({"scales[", int64_t(index), "] = ", text_of(scale), " makes more than 2^63 - 1 of ", axis.in});
    axis.out = int64_t(length);
    return {};
}

Status size_by_size(const Document& document, int64_t size, size_t index, ResizeAxis& axis)
{
    if (axis.in == 0 && size != 0)
        return document.refuse({"sizes[", int64_t(index), "] = ", size, " must be 0, as X's extent is"});
    if (axis.in != 0 && size < 1)
        return document.refuse({"sizes[", int64_t(index), "] = ", size, " must be at least 1"});
    axis.out = size;
    axis.scale = axis.in == 0 ? 1 : float(size) / float(axis.in);
    axis.length = float(size);
    return {};
}

// Gives all listed axes one scale, to keep the aspect ratio.
Status keep_aspect_ratio(const Document& document, KeepAspectRatioPolicy policy, std::span<const size_t> listed,
                         std::span<ResizeAxis> axes)
{
    float scale = axes[listed[0]].scale;
    for (const size_t a : listed)
        scale = policy == KeepAspectRatioPolicy::not_larger ? std::min(scale, axes[a].scale) : std::max(scale, axes[a].scale);
    for (const size_t a : listed) {
        const float length = std::round(scale * float(axes[a].in));
        if (!(length < 0x1p63f))
            return document.refuse(
                {"keep_aspect_ratio_policy makes more than 2^63 - 1 of ", axes[a].in, " on axis ", int64_t(a)});
        axes[a].scale = scale;
        axes[a].out = int64_t(length);
        axes[a].length = length;
    }
    return {};
}

Status size_axes(const Document& document, const Resize& attributes, std::span<const size_t> listed, std::span<ResizeAxis> axes)
{
    for (size_t i = 0; i < listed.size(); ++i) {
        ResizeAxis& axis = axes[listed[i]];
        Status status = attributes.sizes.empty() ? size_by_scale(document, attributes.scales[i], i, axis)
                                                 : size_by_size(document, attributes.sizes[i], i, axis);
        if (!status)
            return status;
    }
    if (!attributes.sizes.empty() && attributes.keep_aspect_ratio_policy != KeepAspectRatioPolicy::stretch)
        return keep_aspect_ratio(document, attributes.keep_aspect_ratio_policy, listed, axes);
    return {};
}

Nearest nearest_of(const Document& document, NearestMode mode)
{
    return document.version < 11 ? Nearest::by_scale : Nearest(mode);
}

std::string equation_of(const Document& document, const ResizeGeometry& geometry)
{
    std::string text =
        join({document.title(), ", ", word_of(modes, geometry.mode), ", ", word_of(transformations, geometry.transformation),
              geometry.antialias ? ", antialias" : "", geometry.exclude_outside ? ", exclude_outside" : "", ": x = "});
    switch (geometry.transformation) {
    case Transformation::half_pixel:
        text += "(o + 0.5) / scale - 0.5";
        break;
    case Transformation::half_pixel_symmetric:
        text += "in / 2 * (1 - out / (scale * in)) + (o + 0.5) / scale - 0.5";
        break;
    case Transformation::pytorch_half_pixel:
        text += "out > 1 ? (o + 0.5) / scale - 0.5 : 0";
        break;
    case Transformation::align_corners:
        text += "o * (in - 1) / (length - 1)";
        break;
    case Transformation::asymmetric:
        text += "o / scale";
        break;
    case Transformation::tf_crop_and_resize:
        text += "start * (in - 1) + o * (end - start) * (in - 1) / (out - 1)";
        break;
    case Transformation::tf_half_pixel_for_nn:
        text += "(o + 0.5) / scale";
        break;
    }
    for (size_t a = 0; a < geometry.axes.size(); ++a) {
        const ResizeAxis& axis = geometry.axes[a];
        text += axis_line(a) + join({axis.in, " to ", axis.out});
        if (axis.changes)
            text += ", scale " + text_of(axis.scale);
        if (axis.changes && geometry.extrapolates)
            text += ", from " + text_of(axis.roi_start) + " to " + text_of(axis.roi_end);
    }
    return text;
}

// ---- taps

float coordinate_of(const ResizeGeometry& geometry, const ResizeAxis& axis, int64_t coordinate)
{
    const auto o = float(coordinate);
    const auto in = float(axis.in);
    const auto out = float(axis.out);
    switch (geometry.transformation) {
    case Transformation::half_pixel:
        break;
    case Transformation::half_pixel_symmetric: {
        const float adjustment = out / (axis.scale * in);
        const float offset = in / 2 * (1 - adjustment);
        return float(offset + (o + 0.5) / axis.scale - 0.5);
    }
    case Transformation::pytorch_half_pixel:
        if (axis.out <= 1)
            return 0;
        break;
    case Transformation::align_corners:
        return axis.length == 1 ? 0 : o * (in - 1) / (axis.length - 1);
    case Transformation::asymmetric:
        return o / axis.scale;
    case Transformation::tf_crop_and_resize:
        if (axis.out > 1)
            return axis.roi_start * (in - 1) + o * (axis.roi_end - axis.roi_start) * (in - 1) / (out - 1);
        return float(0.5 * (axis.roi_start + axis.roi_end) * (in - 1));
    case Transformation::tf_half_pixel_for_nn:
        return (o + 0.5f) / axis.scale;
    }
    return (o + 0.5f) / axis.scale - 0.5f;
}

// Returns x without its fraction, clamped to +-2^62, because x may be any float.
int64_t whole(float x)
{
    return int64_t(std::clamp(x, -0x1p62f, 0x1p62f));
}

int64_t nearest_to(const ResizeGeometry& geometry, const ResizeAxis& axis, float x)
{
    const float below = std::floor(x);
    const bool halfway = double(std::fabs(x - below - 0.5f)) < 1e-6;
    switch (geometry.nearest) {
    case Nearest::round_prefer_floor:
        return whole(halfway ? below : std::round(x));
    case Nearest::round_prefer_ceil:
        return whole(halfway ? below + 1 : std::round(x));
    case Nearest::floor:
        break;
    case Nearest::ceil:
        return whole(std::ceil(x));
    case Nearest::by_scale:
        return whole(axis.scale < 1 ? std::ceil(x) : std::trunc(x));
    }
    return whole(below);
}

// Finds the two neighbours of x, or an end twice.
void find_linear(const ResizeAxis& axis, float x, std::vector<ResizeTap>& taps)
{
    x = std::clamp(x, 0.0f, float(axis.in - 1));
    const int64_t first = std::min(int64_t(x), axis.in - 1);
    const int64_t second = std::min(first + 1, axis.in - 1);
    const float rest = x - float(first);
    if (first == second)
        taps.assign(2, {first, 0.5f});
    else
        taps.assign({{first, float(second) - x}, {second, rest}});
}

// Returns the weights of four neighbours. The second one lies `rest` below the coordinate.
std::array<float, 4> cubic_weights(float rest, float a)
{
    const auto near = [a](float s) { return ((a + 2) * s - (a + 3)) * s * s + 1; };
    const auto far = [a](float s) { return ((a * s - 5 * a) * s + 8 * a) * s - 4 * a; };
    return {far(rest + 1), near(rest), near(1 - rest), far(2 - rest)};
}

void divide(std::vector<ResizeTap>& taps, float by)
{
    for (ResizeTap& tap : taps)
        tap.weight /= by;
}

void find_cubic(const ResizeGeometry& geometry, const ResizeAxis& axis, float x, std::vector<ResizeTap>& taps)
{
    const float below = std::floor(x);
    const std::array<float, 4> weights = cubic_weights(x - below, geometry.cubic_coeff_a);
    float sum = 0;
    for (int64_t i = 0; i < 4; ++i) {
        const int64_t position = whole(below) - 1 + i;
        const bool inside = position >= 0 && position < axis.in;
        if (geometry.exclude_outside && !inside)
            continue;
        sum += weights[size_t(i)];
        taps.push_back({std::clamp<int64_t>(position, 0, axis.in - 1), weights[size_t(i)]});
    }
    if (geometry.exclude_outside)
        divide(taps, sum);
}

// Returns how far the filter reaches to either side where it is not stretched.
float support_of(ResizeMode mode)
{
    return mode == ResizeMode::cubic ? 2 : 1;
}

float filtered(const ResizeGeometry& geometry, float distance)
{
    const float s = std::fabs(distance);
    if (geometry.mode == ResizeMode::linear)
        return std::max(1 - s, 0.0f);
    const float a = geometry.cubic_coeff_a;
    if (s <= 1)
        return ((a + 2) * s - (a + 3)) * s * s + 1;
    return s < 2 ? ((a * s - 5 * a) * s + 8 * a) * s - 4 * a : 0;
}

// Finds the taps of the filter stretched by the scale, which is below 1. What lies beyond the ends adds its weight to them.
void find_antialiased(const ResizeGeometry& geometry, const ResizeAxis& axis, float x, std::vector<ResizeTap>& taps)
{
    const float reach = support_of(geometry.mode) / axis.scale;
    const int64_t first = whole(std::ceil(x - reach));
    const int64_t last = whole(std::floor(x + reach));
    float sum = 0;
    for (int64_t position = first; position <= last; ++position) {
        const float weight = filtered(geometry, (float(position) - x) * axis.scale);
        const int64_t inside = std::clamp<int64_t>(position, 0, axis.in - 1);
        if (weight == 0 || (geometry.exclude_outside && inside != position))
            continue;
        sum += weight;
        if (!taps.empty() && taps.back().position == inside)
            taps.back().weight += weight;
        else
            taps.push_back({inside, weight});
    }
    divide(taps, sum);
}

bool stretches(const ResizeGeometry& geometry, const ResizeAxis& axis)
{
    return geometry.antialias && geometry.mode != ResizeMode::nearest && axis.scale < 1;
}

}  // namespace

bool find_taps(const ResizeGeometry& geometry, const ResizeAxis& axis, int64_t coordinate, std::vector<ResizeTap>& taps)
{
    const float x = coordinate_of(geometry, axis, coordinate);
    taps.clear();
    if (geometry.mode == ResizeMode::nearest)
        taps.push_back({std::clamp<int64_t>(nearest_to(geometry, axis, x), 0, axis.in - 1)});
    else if (stretches(geometry, axis))
        find_antialiased(geometry, axis, x, taps);
    else if (geometry.mode == ResizeMode::linear)
        find_linear(axis, x, taps);
    else
        find_cubic(geometry, axis, x, taps);
    if (taps.empty())  // x is so far outside that all are excluded
        taps.push_back({x < 0 ? 0 : axis.in - 1, 0});
    return geometry.extrapolates && (x < 0 || x > float(axis.in - 1));
}

int64_t most_taps(const ResizeGeometry& geometry, const ResizeAxis& axis)
{
    if (geometry.mode == ResizeMode::nearest)
        return 1;
    if (stretches(geometry, axis))
        return std::min(axis.in, 2 * whole(std::ceil(support_of(geometry.mode) / axis.scale)) + 1);
    return geometry.mode == ResizeMode::linear ? 2 : 4;
}

const Schema& schema_of(const Resize&)
{
    return resize_schema;
}

Result<ResizeGeometry> resolve(const Resize& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    for (const auto check : {check_words, check_versions, check_flags})
        VKONNX_RETURN_IF_ERROR(check(*document, attributes));
    if (document->version < 11 && attributes.mode == ResizeMode::cubic)
        return document->refuse({"mode = cubic exists from version 11, and opset ", document->opset, " means version 10"});
    VKONNX_RETURN_IF_ERROR(check_input(*document, attributes, inputs));
    const TensorDesc& x = inputs[0];
    const Result<std::vector<size_t>> listed = listed_axes(*document, attributes, x.dims.size());
    VKONNX_RETURN_IF_ERROR(listed.status());
    VKONNX_RETURN_IF_ERROR(check_counts(*document, attributes, listed->size()));

    const bool crops = attributes.coordinate_transformation_mode == Transformation::tf_crop_and_resize;
    ResizeGeometry geometry = {.dtype = x.dtype,
                               .layout = x.layout,
                               .mode = attributes.mode,
                               .transformation = document->version < 11 ? Transformation::asymmetric
                                                                        : attributes.coordinate_transformation_mode,
                               .nearest = nearest_of(*document, attributes.nearest_mode),
                               .antialias = attributes.antialias.value_or(0) == 1,
                               .exclude_outside = attributes.exclude_outside.value_or(0) == 1,
                               .extrapolates = crops,
                               .extrapolation_value = attributes.extrapolation_value.value_or(0),
                               .cubic_coeff_a = attributes.cubic_coeff_a.value_or(-0.75f)};
    for (const int64_t extent : x.dims)
        geometry.axes.push_back({.in = extent, .out = extent});
    for (size_t i = 0; crops && !attributes.roi.empty() && i < listed->size(); ++i) {
        geometry.axes[(*listed)[i]].roi_start = attributes.roi[i];
        geometry.axes[(*listed)[i]].roi_end = attributes.roi[listed->size() + i];
    }
    VKONNX_RETURN_IF_ERROR(size_axes(*document, attributes, *listed, geometry.axes));
    for (ResizeAxis& axis : geometry.axes)
        axis.changes = axis.scale != 1 || axis.in != axis.out || (crops && (axis.roi_start != 0 || axis.roi_end != 1));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "Y", output_of(geometry)));
    geometry.equation = equation_of(*document, geometry);
    return geometry;
}

TensorDesc output_of(const ResizeGeometry& geometry)
{
    TensorDesc output = {geometry.dtype, {}, geometry.layout};
    for (const ResizeAxis& axis : geometry.axes)
        output.dims.push_back(axis.out);
    return output;
}

}  // namespace vkonnx::ops
