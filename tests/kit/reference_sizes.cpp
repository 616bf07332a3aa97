// This file finds sizes and pads for the reference by laying out windows and walking positions, never by the documents' closed
// formulas.
#include "kit/operators.h"

#include <algorithm>
#include <array>
#include <string>

#include "kit/layout.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

Status refuse(const std::string& sentence)
{
    return Status(Code::invalid_argument, "reference: " + sentence);
}

bool is_real_type(DType dtype, int64_t version)
{
    return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16 ||
           (dtype == DType::bfloat16 && version >= 22);
}

// Returns a list attribute with its default filled in. It is empty when it has a wrong number of entries or one below `least`.
std::vector<int64_t> filled(const std::vector<int64_t>& given, size_t entries, int64_t absent, int64_t least)
{
    if (given.empty())
        return std::vector<int64_t>(entries, absent);
    const bool fits = given.size() == entries && *std::min_element(given.begin(), given.end()) >= least;
    return fits ? given : std::vector<int64_t>();
}

bool has_negative(const TensorDesc& desc)
{
    return std::any_of(desc.dims.begin(), desc.dims.end(), [](int64_t extent) { return extent < 0; });
}

// Hands out padding one position at a time, alternately, beginning at the end or at the front. A negative total hands out
// nothing.
void deal(int64_t total, bool end_first, ReferenceAxis& axis)
{
    axis.begin = axis.end = 0;
    bool to_end = end_first;
    for (int64_t dealt = 0; dealt < total; ++dealt) {
        ++(to_end ? axis.end : axis.begin);
        to_end = !to_end;
    }
}

// Returns how many positions a kernel at the origin reaches beyond its first tap.
int64_t reach_of(const ReferenceAxis& axis)
{
    int64_t position = 0;
    for (int64_t tap = 1; tap < axis.kernel; ++tap)
        position += axis.dilation;
    return position;
}

// ---- AveragePool

// Returns how many windows lie over the padded input, positions -begin .. in + end - 1; 0 when not even one fits.
int64_t windows_over(const ReferenceAxis& axis, bool ceil_mode)
{
    const int64_t reach = reach_of(axis);
    const int64_t last = axis.in + axis.end - 1;
    std::vector<int64_t> starts;
    int64_t start = -axis.begin;
    for (; start + reach <= last; start += axis.stride)
        starts.push_back(start);
    if (starts.empty() || !ceil_mode)
        return int64_t(starts.size());
    if (starts.back() + reach < last)  // positions are left over: one more window, which hangs out
        starts.push_back(start);
    if (starts.back() >= axis.in)  // it would start in the right padding
        starts.pop_back();
    return int64_t(starts.size());
}

void same_windows(ReferenceAxis& axis, bool upper)
{
    int64_t last_start = 0;
    axis.out = 0;
    for (int64_t start = 0; start < axis.in; start += axis.stride) {
        last_start = start;
        ++axis.out;
    }
    deal(last_start + reach_of(axis) - (axis.in - 1), upper, axis);
}

// ---- ConvTranspose

// Returns the extent of everything that the input scatters to, with output_padding behind it. An input of no position is one step
// shorter than an input of one.
int64_t natural_extent(const ReferenceAxis& axis, int64_t adjustment)
{
    int64_t position = -axis.stride;
    for (int64_t q = 0; q < axis.in; ++q)
        position += axis.stride;
    return position + reach_of(axis) + 1 + adjustment;
}

struct Sizing {
    int64_t version = 0;
    bool runtime_rules = false;
    AutoPad auto_pad = AutoPad::notset;
    bool has_output_shape = false;
};

void size_by_output_shape(const Sizing& sizing, int64_t natural, ReferenceAxis& axis)
{
    const bool upper = sizing.auto_pad == AutoPad::same_upper;
    const bool old_document = sizing.version == 1 && !sizing.runtime_rules;
    deal(natural - axis.out, old_document ? !upper : upper, axis);
}

void size_axis(const Sizing& sizing, int64_t adjustment, ReferenceAxis& axis)
{
    const int64_t natural = natural_extent(axis, adjustment);
    if (sizing.has_output_shape)
        return size_by_output_shape(sizing, natural, axis);
    if (sizing.auto_pad == AutoPad::same_upper || sizing.auto_pad == AutoPad::same_lower) {
        axis.out = 0;
        for (int64_t q = 0; q < axis.in; ++q)
            axis.out += axis.stride;
        if (sizing.runtime_rules)
            axis.out = std::min(axis.out, natural);
        return deal(natural - axis.out, sizing.auto_pad == AutoPad::same_upper, axis);
    }
    if (sizing.auto_pad == AutoPad::valid && !sizing.runtime_rules)
        axis.begin = axis.end = 0;
    axis.out = natural - axis.begin - axis.end;
}

// Returns how many positions a kernel shares with its successor, one stride further.
int64_t overlap_of(const ReferenceAxis& axis)
{
    int64_t shared = 0;
    for (int64_t position = axis.stride; position <= reach_of(axis); ++position)
        ++shared;
    return shared;
}

// Checks X, W and maybe B. The number of spatial axes decides where the dimensions stand, and so comes first.
Status check_tensors(std::span<const TensorDesc> inputs, int64_t version, int64_t groups, Layout layout,
                     onednn::FilterFormat format)
{
    if (inputs.size() < 2 || inputs.size() > 3)
        return refuse("ConvTranspose has 2 or 3 inputs");
    const TensorDesc& x = inputs[0];
    const TensorDesc& w = inputs[1];
    for (const TensorDesc& input : inputs)
        if (input.dtype != x.dtype || !is_real_type(input.dtype, version) || has_negative(input))
            return refuse("type or extent");
    if (x.dims.size() < 3 || x.dims.size() > 2 + max_spatial_axes || w.dims.size() != x.dims.size())
        return refuse("rank");
    const size_t n = x.dims.size() - 2;
    const FilterPlaces filter = places_of(format, n);
    const int64_t channels = x.dims[places_of(layout, n).channels];
    if (groups < 1 || w.dims[filter.in] != channels || channels % groups != 0)
        return refuse("channels and groups");
    if (inputs.size() == 3 && (inputs[2].dims.size() != 1 || inputs[2].dims[0] != w.dims[filter.out] * groups))
        return refuse("B");
    for (size_t i = 0; i < n; ++i)
        if (w.dims[filter.first_axis + i] < 1)
            return refuse("kernel");
    return Status();
}

bool repeats_kernel(const std::vector<int64_t>& kernel_shape, const TensorDesc& w)
{
    return kernel_shape.empty() || std::equal(kernel_shape.begin(), kernel_shape.end(), w.dims.begin() + 2, w.dims.end());
}

// Returns the description of the output for resolved axes.
TensorDesc laid_out(DType dtype, Layout layout, int64_t batch, int64_t channels, const std::vector<ReferenceAxis>& axes)
{
    const DataPlaces places = places_of(layout, axes.size());
    TensorDesc output = {dtype, std::vector<int64_t>(axes.size() + 2), layout};
    output.dims[places.batch] = batch;
    output.dims[places.channels] = channels;
    for (size_t i = 0; i < axes.size(); ++i)
        output.dims[places.first_axis + i] = axes[i].out;
    return output;
}

// Returns the n spatial values of output_shape, or none when it is malformed.
std::vector<int64_t> spatial_output_shape(const std::vector<int64_t>& given, size_t n, int64_t batch, int64_t channels)
{
    if (given.size() == n)
        return given;
    if (given.size() == n + 2 && given[0] == batch && given[1] == channels)
        return std::vector<int64_t>(given.begin() + 2, given.end());
    return {};
}

}  // namespace

Result<Resolution> resolve(const ConvTranspose& attributes, std::span<const TensorDesc> inputs)
{
    Sizing sizing;
    sizing.version = version_of(versions<ConvTranspose>, attributes.opset);
    sizing.runtime_rules = attributes.rules == Rules::onnxruntime;
    sizing.auto_pad = attributes.auto_pad;
    sizing.has_output_shape = !attributes.output_shape.empty();
    if (sizing.version == 0)
        return refuse("opset");
    const Layout layout = inputs.empty() ? Layout::ncx : inputs[0].layout;
    if (Status status = check_tensors(inputs, sizing.version, attributes.group, layout, onednn::FilterFormat::iox); !status)
        return status;
    if (!repeats_kernel(attributes.kernel_shape, inputs[1]))
        return refuse("kernel_shape");

    const TensorDesc& x = inputs[0];
    const size_t n = x.dims.size() - 2;
    const DataPlaces places = places_of(layout, n);
    const int64_t batch = x.dims[places.batch];
    const int64_t channels_out = inputs[1].dims[1] * attributes.group;
    const auto strides = filled(attributes.strides, n, 1, 1);
    const auto dilations = filled(attributes.dilations, n, 1, 1);
    const auto pads = filled(attributes.pads, 2 * n, 0, 0);
    const auto adjustments = filled(attributes.output_padding, n, 0, 0);
    if (strides.empty() || dilations.empty() || pads.empty() || adjustments.empty())
        return refuse("a list attribute");
    if (!attributes.pads.empty() && attributes.auto_pad != AutoPad::notset && !sizing.runtime_rules)
        return refuse("pads beside auto_pad");
    std::vector<int64_t> wanted(n, 0);
    if (sizing.has_output_shape)
        wanted = spatial_output_shape(attributes.output_shape, n, batch, channels_out);
    if (wanted.empty())
        return refuse("output_shape");

    Resolution resolution;
    for (size_t i = 0; i < n; ++i) {
        const bool limited = sizing.version >= 11 || sizing.runtime_rules;
        if (limited && adjustments[i] >= strides[i] && adjustments[i] >= dilations[i])
            return refuse("output_padding");
        ReferenceAxis axis = {
            x.dims[places.first_axis + i], inputs[1].dims[2 + i], strides[i], dilations[i], wanted[i], pads[i], pads[n + i]};
        size_axis(sizing, adjustments[i], axis);
        if (axis.out <= 0)
            return refuse("no output position");
        resolution.axes.push_back(axis);
    }
    resolution.output = laid_out(x.dtype, layout, batch, channels_out, resolution.axes);
    return resolution;
}

Result<Resolution> resolve(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs)
{
    const int64_t all_types = newest_opset;
    if (Status status = check_tensors(inputs, all_types, attributes.groups, attributes.data_format, attributes.filter_format);
        !status)
        return status;
    const TensorDesc& x = inputs[0];
    const TensorDesc& w = inputs[1];
    const size_t n = x.dims.size() - 2;
    for (const auto* required : {&attributes.strides, &attributes.pads_begin, &attributes.pads_end, &attributes.dilations})
        if (required->empty())
            return refuse("a required list");
    const auto strides = filled(attributes.strides, n, 1, 1);
    const auto dilations = filled(attributes.dilations, n, 1, 1);
    const auto begins = filled(attributes.pads_begin, n, 0, 0);
    const auto ends = filled(attributes.pads_end, n, 0, 0);
    const auto adjustments = filled(attributes.output_padding, n, 0, 0);
    if (strides.empty() || dilations.empty() || begins.empty() || ends.empty() || adjustments.empty())
        return refuse("a list attribute");

    const DataPlaces places = places_of(attributes.data_format, n);
    const FilterPlaces filter = places_of(attributes.filter_format, n);
    Resolution resolution;
    for (size_t i = 0; i < n; ++i) {
        ReferenceAxis axis = {
            x.dims[places.first_axis + i], w.dims[filter.first_axis + i], strides[i], dilations[i], 0, begins[i], ends[i]};
        if (attributes.auto_pad == AutoPad::valid)
            axis.begin = axis.end = 0;
        else if (attributes.auto_pad != AutoPad::notset)
            deal(overlap_of(axis), attributes.auto_pad == AutoPad::same_upper, axis);
        axis.out = natural_extent(axis, adjustments[i]) - axis.begin - axis.end;
        if (axis.out <= 0)
            return refuse("no output position");
        resolution.axes.push_back(axis);
    }
    const int64_t channels_out = w.dims[filter.out] * attributes.groups;
    resolution.output = laid_out(x.dtype, attributes.data_format, x.dims[places.batch], channels_out, resolution.axes);
    return resolution;
}

Result<Resolution> resolve(const AveragePool& attributes, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<AveragePool>, attributes.opset);
    if (version == 0 || (version < 19 && !attributes.dilations.empty()) || (version < 10 && attributes.ceil_mode) ||
        (version < 7 && attributes.count_include_pad))
        return refuse("version");
    if (inputs.size() != 1 || !is_real_type(inputs[0].dtype, version) || has_negative(inputs[0]))
        return refuse("type or extent");
    const TensorDesc& x = inputs[0];
    if (x.dims.size() < 3 || x.dims.size() > 2 + max_spatial_axes)
        return refuse("rank");

    const size_t n = x.dims.size() - 2;
    const auto kernel = filled(attributes.kernel_shape, n, 0, 1);
    const auto strides = filled(attributes.strides, n, 1, 1);
    const auto dilations = filled(attributes.dilations, n, 1, 1);
    const auto pads = filled(attributes.pads, 2 * n, 0, 0);
    if (attributes.kernel_shape.empty() || kernel.empty() || strides.empty() || dilations.empty() || pads.empty())
        return refuse("a list attribute");
    if (!attributes.pads.empty() && attributes.auto_pad != AutoPad::notset)
        return refuse("pads beside auto_pad");

    const DataPlaces places = places_of(x.layout, n);
    Resolution resolution;
    bool ceil_mode = attributes.ceil_mode.value_or(0) != 0;
    if (attributes.auto_pad == AutoPad::valid && attributes.rules == Rules::specification)
        ceil_mode = false;
    for (size_t i = 0; i < n; ++i) {
        ReferenceAxis axis = {x.dims[places.first_axis + i], kernel[i], strides[i], dilations[i], 0, pads[i], pads[n + i]};
        if (attributes.auto_pad == AutoPad::same_upper || attributes.auto_pad == AutoPad::same_lower)
            same_windows(axis, attributes.auto_pad == AutoPad::same_upper);
        else
            axis.out = windows_over(axis, ceil_mode);
        if (axis.out <= 0)
            return refuse("no output position");
        resolution.axes.push_back(axis);
    }
    resolution.output = laid_out(x.dtype, x.layout, x.dims[places.batch], x.dims[places.channels], resolution.axes);
    return resolution;
}

// Windows lie as AveragePool's do.
Result<Resolution> resolve(const MaxPool& attributes, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<MaxPool>, attributes.opset);
    if (version == 0 || (version < 10 && (!attributes.dilations.empty() || attributes.ceil_mode)) ||
        (version < 8 && (attributes.storage_order || attributes.outputs != 1)))
        return refuse("version");
    if (attributes.outputs < 1 || attributes.outputs > 2 || attributes.ceil_mode.value_or(0) >> 1 != 0 ||
        attributes.storage_order.value_or(0) >> 1 != 0)
        return refuse("a flag or the number of outputs");
    if (inputs.size() != 1)
        return refuse("inputs");
    TensorDesc x = inputs[0];
    const bool is_byte = x.dtype == DType::int8 || x.dtype == DType::uint8;
    if (!is_real_type(x.dtype, version) && !(is_byte && version >= 12))
        return refuse("type");
    x.dtype = DType::float32;
    const AveragePool windows = {.rules = attributes.rules,
                                 .auto_pad = attributes.auto_pad,
                                 .kernel_shape = attributes.kernel_shape,
                                 .strides = attributes.strides,
                                 .dilations = attributes.dilations,
                                 .pads = attributes.pads,
                                 .ceil_mode = attributes.ceil_mode};
    Result<Resolution> resolution = resolve(windows, std::span<const TensorDesc>(&x, 1));
    if (!resolution)
        return resolution;
    resolution->output.dtype = inputs[0].dtype;
    if (attributes.outputs > 1) {
        resolution->more_outputs = {resolution->output};
        resolution->more_outputs[0].dtype = DType::int64;
    }
    return resolution;
}

Result<Resolution> resolve(const Shape& attributes, std::span<const TensorDesc> inputs)
{
    if (inputs.size() != 1)
        return refuse("Shape has 1 input");
    Result<std::vector<int64_t>> result = reference(attributes, inputs[0]);
    if (!result)
        return result.status();
    return Resolution{.output = {DType::int64, {int64_t(result->size())}}};
}

Result<std::vector<int64_t>> reference(const Shape& attributes, const TensorDesc& input)
{
    const int64_t version = version_of(versions<Shape>, attributes.opset);
    const auto type_since = [](DType dtype) -> int64_t {
        switch (dtype) {
        case DType::undefined:
            return newest_opset + 1;
        case DType::bfloat16:
            return 13;
        case DType::float8e4m3fn:
        case DType::float8e4m3fnuz:
        case DType::float8e5m2:
        case DType::float8e5m2fnuz:
            return 19;
        case DType::int4:
        case DType::uint4:
            return 21;
        case DType::float4e2m1:
            return 23;
        case DType::float8e8m0:
            return 24;
        case DType::int2:
        case DType::uint2:
            return 25;
        default:
            return 1;
        }
    };
    if (version == 0 || version < type_since(input.dtype) || has_negative(input) ||
        (version < 15 && (attributes.start || attributes.end)))
        return refuse("version, type or extent");

    // A dimension belongs to the slice when it is neither before the start nor at or behind the end, each counted from the
    // back where negative. Whatever lies outside the tensor simply meets no dimension.
    const int64_t rank = int64_t(input.dims.size());
    std::vector<int64_t> result;
    for (int64_t i = 0; i < rank; ++i) {
        const int64_t start = attributes.start.value_or(0);
        const int64_t end = attributes.end.value_or(rank);
        const bool started = start < 0 ? i - rank >= start : i >= start;
        const bool before_end = end < 0 ? i - rank < end : i < end;
        if (started && before_end)
            result.push_back(input.dims[size_t(i)]);
    }
    return result;
}

}  // namespace vkonnx::kit
