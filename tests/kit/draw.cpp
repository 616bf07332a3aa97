#include "kit/draw.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kit/layout.h"

namespace vkonnx::kit {

namespace {

// Returns a whole number from the environment, or `usual`. A text that is no number ends the process: a test must not run with a
// guess.
uint32_t number_of(const char* variable, uint32_t usual)
{
    const char* const given = std::getenv(variable);
    if (!given)
        return usual;
    uint32_t number = 0;
    const char* const end = given + std::strlen(given);
    const auto [rest, error] = std::from_chars(given, end, number);
    if (error != std::errc() || rest != end) {
        std::fprintf(stderr, "%s is '%s'; a number from 0 to 4294967295 was expected\n", variable, given);
        std::exit(2);
    }
    return number;
}

}  // namespace

uint32_t test_seed(uint32_t usual)
{
    return number_of("VKONNX_TEST_SEED", usual);
}

int test_problems(int usual)
{
    return int(number_of("VKONNX_TEST_PROBLEMS", uint32_t(full_run() ? 10 * usual : usual)));
}

bool full_run()
{
    return number_of("VKONNX_TEST_FULL", 0) == 1;
}

Draw::Draw(uint32_t seed) : seed_(seed), engine_(seed)
{
}

int64_t Draw::between(int64_t least, int64_t most)
{
    return least + int64_t(engine_() % uint64_t(most - least + 1));
}

namespace {

using List = std::vector<int64_t>;

constexpr int64_t most_elements = 20'000;
constexpr int64_t most_terms = 1'000'000;  // in all sums together

// ---- axes

struct DrawnAxis {
    int64_t in = 1;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t begin = 0;
    int64_t end = 0;

    int64_t dilated_kernel() const { return (kernel - 1) * dilation + 1; }
};

// Draws long axes where there are few of them.
int64_t draw_extent(Draw& draw, size_t axes)
{
    static constexpr std::array<int64_t, max_spatial_axes> most = {40, 14, 8, 5, 4, 3};
    return draw.one_in(60) ? 0 : draw.between(1, most[axes - 1]);
}

int64_t draw_kernel(Draw& draw, size_t axes)
{
    return draw.between(1, axes <= 2 ? 5 : 3);
}

DrawnAxis draw_conv_axis(Draw& draw, size_t axes)
{
    DrawnAxis axis = {.in = draw_extent(draw, axes)};
    switch (draw.between(1, 12)) {
    case 1:
    case 2:  // a neutral axis, which may merge with its neighbour
        return axis;
    case 3:  // an axis of one position
        axis.in = 1;
        axis.stride = draw.between(1, 4);
        return axis;
    case 4:  // outputs between the reaches of the taps, which no tap meets
        axis.kernel = draw_kernel(draw, axes);
        axis.stride = draw.between(5, 40);
        return axis;
    case 5:  // holes between the taps
        axis.kernel = draw_kernel(draw, axes);
        axis.dilation = draw.between(5, 40);
        axis.stride = draw.between(1, 3);
        return axis;
    case 6: {  // phases without any tap
        const int64_t factor = draw.between(2, 4);
        axis.kernel = draw.between(1, 6);
        axis.stride = factor * draw.between(1, 3);
        axis.dilation = factor * draw.between(1, 3);
        return axis;
    }
    case 7:  // whole input positions are cropped
        axis.kernel = draw_kernel(draw, axes);
        axis.begin = draw.between(0, axis.kernel + 3);
        axis.end = draw.between(axis.kernel, axis.kernel + 3);
        return axis;
    case 8:  // a kernel longer than the input
        axis.kernel = draw.between(5, axes <= 2 ? 40 : 8);
        axis.begin = draw.between(0, axis.kernel);
        return axis;
    default:
        axis.kernel = draw_kernel(draw, axes);
        axis.stride = draw.between(1, 3);
        axis.dilation = draw.between(1, 3);
        axis.begin = draw.between(0, 2);
        axis.end = draw.between(0, 2);
        return axis;
    }
}

DrawnAxis draw_pool_axis(Draw& draw, size_t axes)
{
    DrawnAxis axis = {.in = draw_extent(draw, axes)};
    switch (draw.between(1, 12)) {
    case 1:
    case 2:  // a neutral axis, which may merge with its neighbour
        return axis;
    case 3:  // an axis of one position
        axis.in = 1;
        axis.stride = draw.between(1, 4);
        return axis;
    case 4:
    case 5:  // one window over everything
        axis.kernel = std::max<int64_t>(axis.in, 1);
        axis.stride = draw.between(1, 3);
        return axis;
    case 6:  // some of the input is not read; ceil_mode may add a window far out
        axis.kernel = draw_kernel(draw, axes);
        axis.stride = draw.between(axis.kernel, axis.kernel + 7);
        axis.end = draw.between(0, 2);
        return axis;
    case 7:  // windows without a tap inside
        axis.kernel = draw_kernel(draw, axes);
        axis.begin = draw.between(0, axis.kernel + 3);
        axis.end = draw.between(axis.kernel, axis.kernel + 3);
        return axis;
    case 8:  // holes between the taps
        axis.kernel = draw_kernel(draw, axes);
        axis.dilation = draw.between(3, 12);
        axis.begin = axis.end = axis.dilated_kernel() / 2;
        return axis;
    case 9:  // as wide as the padded input
        axis.begin = draw.between(0, 3);
        axis.end = draw.between(0, 3);
        axis.kernel = std::max<int64_t>(axis.in + axis.begin + axis.end, 1);
        return axis;
    default:
        axis.kernel = draw_kernel(draw, axes);
        axis.stride = draw.between(1, 3);
        axis.dilation = draw.between(1, 2);
        axis.begin = draw.between(0, 2);
        axis.end = draw.between(0, 2);
        return axis;
    }
}

std::vector<DrawnAxis> draw_axes(Draw& draw, DrawnAxis (*drawn)(Draw&, size_t))
{
    std::vector<DrawnAxis> axes(size_t(draw.of({1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6})));
    for (DrawnAxis& axis : axes)
        axis = drawn(draw, axes.size());
    return axes;
}

List of_each(const std::vector<DrawnAxis>& axes, int64_t DrawnAxis::*number)
{
    List list;
    for (const DrawnAxis& axis : axes)
        list.push_back(axis.*number);
    return list;
}

// Returns the list, or often an empty one where all entries are the default `absent`.
List given(Draw& draw, List list, int64_t absent)
{
    const bool says_nothing = std::all_of(list.begin(), list.end(), [&](int64_t entry) { return entry == absent; });
    return says_nothing && !draw.one_in(4) ? List() : list;
}

List pads_of(const std::vector<DrawnAxis>& axes)
{
    List pads = of_each(axes, &DrawnAxis::begin);
    const List ends = of_each(axes, &DrawnAxis::end);
    pads.insert(pads.end(), ends.begin(), ends.end());
    return pads;
}

// ---- tensors

DType draw_type(Draw& draw)
{
    return draw.of({DType::float32, DType::float32, DType::float16, DType::bfloat16, DType::float64});
}

Layout draw_layout(Draw& draw)
{
    return draw.of({Layout::ncx, Layout::ncx, Layout::nxc});
}

AutoPad draw_auto_pad(Draw& draw)
{
    return draw.of({AutoPad::notset, AutoPad::notset, AutoPad::notset, AutoPad::same_upper, AutoPad::same_lower, AutoPad::valid});
}

Fill draw_fill(Draw& draw)
{
    return draw.of({Fill::integers, Fill::integers, Fill::reals, Fill::reals, Fill::positive, Fill::specials, Fill::negative_zero,
                    Fill::large, Fill::denormals});
}

TensorDesc data_desc(DType dtype, Layout layout, int64_t batch, int64_t channels, const List& extents)
{
    const DataPlaces places = places_of(layout, extents.size());
    TensorDesc desc = {dtype, List(extents.size() + 2), layout};
    desc.dims[places.batch] = batch;
    desc.dims[places.channels] = channels;
    std::copy(extents.begin(), extents.end(), desc.dims.begin() + ptrdiff_t(places.first_axis));
    return desc;
}

TensorDesc filter_desc(DType dtype, onednn::FilterFormat format, int64_t in, int64_t out, const List& extents)
{
    const FilterPlaces places = places_of(format, extents.size());
    TensorDesc desc = {dtype, List(extents.size() + 2)};
    desc.dims[places.in] = in;
    desc.dims[places.out] = out;
    std::copy(extents.begin(), extents.end(), desc.dims.begin() + ptrdiff_t(places.first_axis));
    return desc;
}

struct Channels {
    int64_t batch = 1;
    int64_t groups = 1;
    int64_t in = 1;   // of all groups
    int64_t out = 1;  // of one group
};

Channels draw_channels(Draw& draw)
{
    Channels drawn = {.batch = draw.one_in(40) ? 0 : draw.between(1, 3), .groups = draw.of<int64_t>({1, 1, 1, 1, 2, 3})};
    int64_t in = draw.one_in(40) ? 0 : draw.between(1, 4);
    drawn.out = draw.one_in(40) ? 0 : draw.between(1, 4);
    if (draw.one_in(8))  // beyond the width of a tile or a vector
        in = draw.between(5, 40);
    if (draw.one_in(8))
        drawn.out = draw.between(5, 40);
    if (draw.one_in(8)) {  // depthwise
        drawn.groups = draw.between(1, 20);
        in = 1;
    }
    drawn.in = drawn.groups * in;
    return drawn;
}

// ---- problems

// Draws an opset at the edge of a version. For bfloat16 it is mostly one that knows the type.
int64_t draw_opset(Draw& draw, std::initializer_list<int64_t> opsets, DType dtype)
{
    const int64_t opset = draw.of(opsets);
    return dtype == DType::bfloat16 && opset < 22 && !draw.one_in(10) ? draw.between(22, 26) : opset;
}

Case conv_transpose(Draw& draw)
{
    const std::vector<DrawnAxis> axes = draw_axes(draw, draw_conv_axis);
    const Channels channels = draw_channels(draw);
    const DType dtype = draw_type(draw);
    ConvTranspose a;
    a.opset = draw_opset(draw, {1, 10, 11, 21, 22, 25}, dtype);
    a.rules = draw.of({Rules::specification, Rules::onnxruntime});
    a.auto_pad = draw_auto_pad(draw);
    a.group = channels.groups;
    a.strides = given(draw, of_each(axes, &DrawnAxis::stride), 1);
    a.dilations = given(draw, of_each(axes, &DrawnAxis::dilation), 1);
    if (a.auto_pad == AutoPad::notset || draw.one_in(a.rules == Rules::onnxruntime ? 3 : 20))
        a.pads = given(draw, pads_of(axes), 0);
    if (draw.one_in(4))
        for (const DrawnAxis& axis : axes)
            a.output_padding.push_back(draw.between(0, std::max(axis.stride, axis.dilation) - (draw.one_in(30) ? 0 : 1)));
    if (draw.one_in(6)) {
        for (const DrawnAxis& axis : axes) {
            const int64_t natural = axis.stride * (axis.in - 1) + axis.dilated_kernel();
            a.output_shape.push_back(std::max<int64_t>(natural + draw.between(-5, 3), 1));
        }
        if (draw.one_in(3))
            a.output_shape.insert(a.output_shape.begin(), {channels.batch, channels.out * channels.groups});
    }
    if (draw.one_in(4))
        a.kernel_shape = of_each(axes, &DrawnAxis::kernel);
    Case problem;
    problem.inputs = {
        data_desc(dtype, draw_layout(draw), channels.batch, channels.in, of_each(axes, &DrawnAxis::in)),
        filter_desc(dtype, onednn::FilterFormat::iox, channels.in, channels.out, of_each(axes, &DrawnAxis::kernel))};
    if (draw.one_in(2))
        problem.inputs.push_back({dtype, {channels.out * channels.groups}});
    problem.attributes = a;
    return problem;
}

Case onednn_conv_transpose(Draw& draw)
{
    const std::vector<DrawnAxis> axes = draw_axes(draw, draw_conv_axis);
    const Channels channels = draw_channels(draw);
    const DType dtype = draw_type(draw);
    onednn::ConvTranspose a;
    a.strides = of_each(axes, &DrawnAxis::stride);
    a.dilations = of_each(axes, &DrawnAxis::dilation);
    a.pads_begin = of_each(axes, &DrawnAxis::begin);
    a.pads_end = of_each(axes, &DrawnAxis::end);
    a.auto_pad = draw_auto_pad(draw);
    if (draw.one_in(3))
        for (size_t i = 0; i < axes.size(); ++i)
            a.output_padding.push_back(draw.between(0, 4));
    a.groups = channels.groups;
    a.data_format = draw.of({Layout::nxc, Layout::ncx});
    a.filter_format = draw.of({onednn::FilterFormat::xio, onednn::FilterFormat::oix, onednn::FilterFormat::iox});
    Case problem;
    problem.inputs = {data_desc(dtype, a.data_format, channels.batch, channels.in, of_each(axes, &DrawnAxis::in)),
                      filter_desc(dtype, a.filter_format, channels.in, channels.out, of_each(axes, &DrawnAxis::kernel))};
    problem.inputs[0].layout = Layout::ncx;  // oneDNN's dialect ignores it, and a case's line lacks it
    if (draw.one_in(2))
        problem.inputs.push_back({dtype, {channels.out * channels.groups}});
    problem.attributes = a;
    return problem;
}

Case depthwise_conv_transpose(Draw& draw)
{
    std::vector<DrawnAxis> axes(size_t(draw.between(1, 3)));
    for (DrawnAxis& axis : axes) {
        axis = {.in = draw.between(1, 6), .kernel = draw.between(1, 4), .stride = draw.between(1, 3)};
        axis.begin = draw.between(0, axis.kernel - 1);
        axis.end = draw.between(0, axis.kernel - 1);
    }
    DrawnAxis& last = axes.back();
    last.in = draw.between(1, 20);
    last.kernel = draw.of({int64_t(2), int64_t(3), int64_t(3), int64_t(4), int64_t(8), int64_t(16)});
    last.stride = last.kernel == 3 ? draw.between(1, 2) : std::max<int64_t>(2, last.kernel / 2);
    last.begin = draw.between(0, last.kernel - 1);
    last.end = draw.between(0, std::min(last.kernel - 1, last.stride * (last.in - 1) + last.kernel - 1 - last.begin));
    for (DrawnAxis& axis : axes)
        if (axis.stride * (axis.in - 1) + axis.kernel <= axis.begin + axis.end)
            axis.begin = axis.end = 0;
    const DType dtype = draw_type(draw);
    const int64_t groups = draw.one_in(3) ? draw.between(1, 3) : 4 * draw.between(1, 3);
    const int64_t multiplier = draw.between(1, 2);
    onednn::ConvTranspose a;
    a.strides = of_each(axes, &DrawnAxis::stride);
    a.dilations.assign(axes.size(), 1);
    a.pads_begin = of_each(axes, &DrawnAxis::begin);
    a.pads_end = of_each(axes, &DrawnAxis::end);
    if (draw.one_in(3))
        for (const DrawnAxis& axis : axes)
            a.output_padding.push_back(draw.between(0, axis.stride - 1));
    a.groups = groups;
    a.data_format = draw.one_in(3) ? Layout::nxc : Layout::ncx;
    a.filter_format = draw.of({onednn::FilterFormat::xio, onednn::FilterFormat::oix, onednn::FilterFormat::iox});
    Case problem;
    problem.inputs = {data_desc(dtype, a.data_format, draw.between(1, 2), groups, of_each(axes, &DrawnAxis::in)),
                      filter_desc(dtype, a.filter_format, groups, multiplier, of_each(axes, &DrawnAxis::kernel))};
    problem.inputs[0].layout = Layout::ncx;
    if (draw.one_in(2))
        problem.inputs.push_back({dtype, {multiplier * groups}});
    problem.attributes = a;
    return problem;
}

// Draws the attributes of pools that describe their windows.
template <class Pool>
void draw_windows(Draw& draw, const std::vector<DrawnAxis>& axes, int64_t dilations_since, Pool& a)
{
    a.rules = draw.of({Rules::specification, Rules::onnxruntime});
    a.auto_pad = draw_auto_pad(draw);
    a.kernel_shape = of_each(axes, &DrawnAxis::kernel);
    a.strides = given(draw, of_each(axes, &DrawnAxis::stride), 1);
    if (a.opset >= dilations_since || draw.one_in(30))
        a.dilations = given(draw, of_each(axes, &DrawnAxis::dilation), 1);
    if (a.auto_pad == AutoPad::notset || draw.one_in(20))
        a.pads = given(draw, pads_of(axes), 0);
    if (draw.one_in(a.opset >= 10 ? 2 : 30))
        a.ceil_mode = draw.between(0, 1);
}

TensorDesc draw_pooled(Draw& draw, DType dtype, const std::vector<DrawnAxis>& axes)
{
    const int64_t channels = draw.one_in(40) ? 0 : draw.one_in(8) ? draw.between(5, 40) : draw.between(1, 4);
    const int64_t batch = draw.one_in(40) ? 0 : draw.between(1, 3);
    return data_desc(dtype, draw_layout(draw), batch, channels, of_each(axes, &DrawnAxis::in));
}

Case average_pool(Draw& draw)
{
    const std::vector<DrawnAxis> axes = draw_axes(draw, draw_pool_axis);
    const DType dtype = draw_type(draw);
    AveragePool a;
    a.opset = draw_opset(draw, {1, 7, 9, 10, 11, 18, 19, 22, 22, 22, 25, 25}, dtype);
    draw_windows(draw, axes, 19, a);
    if (draw.one_in(a.opset >= 7 ? 2 : 30))
        a.count_include_pad = draw.between(0, 1);
    Case problem;
    problem.inputs = {draw_pooled(draw, dtype, axes)};
    problem.attributes = a;
    return problem;
}

Case max_pool(Draw& draw)
{
    const std::vector<DrawnAxis> axes = draw_axes(draw, draw_pool_axis);
    const DType dtype = draw.one_in(3) ? draw.of({DType::int8, DType::uint8}) : draw_type(draw);
    MaxPool a;
    a.opset = draw_opset(draw, {1, 7, 8, 9, 10, 11, 12, 12, 21, 22, 22, 25}, dtype);
    draw_windows(draw, axes, 10, a);
    if (draw.one_in(a.opset >= 8 ? 2 : 30))
        a.storage_order = draw.between(0, 1);
    if (draw.one_in(a.opset >= 8 ? 2 : 30))
        a.outputs = draw.one_in(30) ? draw.of({0, 3}) : 2;
    Case problem;
    problem.inputs = {draw_pooled(draw, dtype, axes)};
    problem.attributes = a;
    return problem;
}

DrawnAxis draw_common_window(Draw& draw)
{
    DrawnAxis axis = {.in = draw.between(3, 24)};
    switch (draw.between(1, 6)) {
    case 1:
        axis.kernel = axis.stride = 2;
        return axis;
    case 2:
        axis.kernel = 3;
        axis.dilation = 2;
        break;
    case 3:
        axis.kernel = 3;
        axis.stride = 2;
        break;
    case 4:
        axis = {.in = draw.between(5, 60), .kernel = 5, .stride = 4};
        break;
    default:
        axis.kernel = 3;
        break;
    }
    axis.begin = draw.between(0, 4);
    axis.end = draw.between(0, 4);
    return axis;
}

Case tiled_average_pool(Draw& draw)
{
    AveragePool a;
    std::vector<DrawnAxis> axes(size_t(draw.between(1, 3)));
    for (DrawnAxis& axis : axes)
        axis = draw_pool_axis(draw, 3);
    switch (draw.between(1, 4)) {
    case 1:
    case 2:
        axes.back() = draw_common_window(draw);
        if (draw.one_in(3))
            axes.resize(1);
        else if (axes.size() > 1 && draw.one_in(2)) {  // three by three, over several rows
            DrawnAxis& axis = axes[axes.size() - 2] = {.in = draw.between(3, 40), .kernel = 3};
            axis.dilation = draw.between(1, 3);
            axis.begin = draw.between(0, 4);
            axis.end = draw.between(2 * axis.dilation, 2 * axis.dilation + 3);
        }
        break;
    case 3: {  // a long window along the last axis
        DrawnAxis& axis =
            axes.back() = {.in = draw.between(12, 60), .kernel = draw.between(14, 40), .stride = draw.between(1, 20)};
        if (axis.in < axis.kernel || draw.one_in(3)) {
            axis.begin = draw.between(0, axis.kernel);
            axis.end = axis.kernel;
        }
        break;
    }
    default:  // large ones that overlap
        axes.resize(std::max<size_t>(2, axes.size()));
        for (DrawnAxis& axis : axes) {
            axis = {.in = draw.between(8, axes.size() == 2 ? 28 : 12), .kernel = draw.between(8, 14)};
            axis.begin = draw.between(0, axis.kernel + 1);
            axis.end = draw.between(axis.kernel - 1, axis.kernel + 1);
        }
    }
    const DType dtype = draw_type(draw);
    const Layout layout = draw_layout(draw);
    a.opset = 22;
    a.kernel_shape = of_each(axes, &DrawnAxis::kernel);
    a.strides = of_each(axes, &DrawnAxis::stride);
    a.dilations = of_each(axes, &DrawnAxis::dilation);
    a.pads = pads_of(axes);
    a.ceil_mode = draw.between(0, 1);
    a.count_include_pad = draw.between(0, 1);
    if (layout == Layout::ncx && draw.one_in(2))  // rows that begin with a quad
        axes.back().in = (axes.back().in + 3) / 4 * 4;
    const int64_t channels = 4 * draw.between(1, 2) - (draw.one_in(6) ? 1 : 0);
    Case problem;
    problem.inputs = {data_desc(dtype, layout, draw.between(1, 2), channels, of_each(axes, &DrawnAxis::in))};
    problem.attributes = a;
    return problem;
}

// Changes one thing, so that the problem is likely to be wrong.
void spoil(Draw& draw, Case& problem)
{
    const auto lists = lists_of(problem);
    List& list = *lists[size_t(draw.between(0, int64_t(lists.size()) - 1))];
    TensorDesc& input = problem.inputs[size_t(draw.between(0, int64_t(problem.inputs.size()) - 1))];
    const auto entry_of = [&](List& entries) -> int64_t& {
        return entries[size_t(draw.between(0, int64_t(entries.size()) - 1))];
    };
    switch (draw.between(1, 8)) {
    case 1:
        list.push_back(1);
        return;
    case 2:
        if (!list.empty())
            list.pop_back();
        return;
    case 3:
    case 4:
        if (!list.empty())
            entry_of(list) = draw.between(-1, 0);
        return;
    case 5:
        entry_of(input.dims) += 1;
        return;
    case 6:
        entry_of(input.dims) = draw.between(-1, 0);
        return;
    case 7:
        input.dims.push_back(1);
        return;
    default:
        const DType dtype = draw.of({DType::int32, DType::string, DType::undefined});
        for (TensorDesc& each : problem.inputs)
            each.dtype = dtype;
    }
}

// Returns how many input channels are summed into an output.
int64_t summed_channels(const Case& problem)
{
    if (const auto* a = std::get_if<ConvTranspose>(&problem.attributes))
        return problem.inputs[1].dims[0] / a->group;
    if (const auto* a = std::get_if<onednn::ConvTranspose>(&problem.attributes)) {
        const auto& dims = problem.inputs[1].dims;
        return dims[places_of(a->filter_format, dims.size() - 2).in] / a->groups;
    }
    return 1;
}

bool is_small(const Case& problem, const Resolution& resolution)
{
    int64_t elements = *element_count(resolution.output);
    int64_t terms = elements * summed_channels(problem);
    for (const ReferenceAxis& axis : resolution.axes)
        terms *= std::min(axis.kernel, axis.in + 1);
    for (const TensorDesc& input : problem.inputs)
        elements = std::max(elements, *element_count(input));
    return elements <= most_elements && terms <= most_terms;
}

// Draws until the problem is small. All problems but about a tenth are valid, too.
Case draw_until_fit(Draw& draw, Case (*drawn)(Draw&))
{
    const bool may_be_refused = draw.one_in(5);
    for (;;) {
        Case problem = drawn(draw);
        problem.name = "drawn";
        problem.fill = draw_fill(draw);
        if (may_be_refused && draw.one_in(2))
            spoil(draw, problem);
        const Result<Resolution> resolution = resolve(problem);
        if (resolution ? is_small(problem, *resolution) : may_be_refused)
            return problem;
    }
}

}  // namespace

Case draw_conv_transpose(Draw& draw)
{
    return draw_until_fit(draw, conv_transpose);
}

Case draw_onednn_conv_transpose(Draw& draw)
{
    return draw_until_fit(draw, onednn_conv_transpose);
}

Case draw_depthwise_conv_transpose(Draw& draw)
{
    return draw_until_fit(draw, depthwise_conv_transpose);
}

Case draw_average_pool(Draw& draw)
{
    return draw_until_fit(draw, average_pool);
}

Case draw_max_pool(Draw& draw)
{
    return draw_until_fit(draw, max_pool);
}

Case draw_tiled_average_pool(Draw& draw)
{
    return draw_until_fit(draw, tiled_average_pool);
}

Case draw_shape(Draw& draw)
{
    Shape a;
    a.opset = draw.one_in(50) ? 0 : draw.one_in(2) ? draw.between(25, 27) : draw.between(1, 24);
    if (draw.one_in(a.opset >= 15 ? 2 : 20))
        a.start = draw.between(-10, 10);
    if (draw.one_in(a.opset >= 15 ? 2 : 20))
        a.end = draw.between(-10, 10);
    Case problem;
    problem.name = "drawn";
    // Version 1 has the types 1 to 15. The types of all later versions together are drawn as often.
    const int64_t type = draw.one_in(2) ? draw.between(1, 15) : draw.between(16, 26);
    problem.inputs = {{DType(draw.one_in(50) ? 0 : type), {}}};
    for (int64_t rank = draw.between(0, 8); rank > 0; --rank)
        problem.inputs[0].dims.push_back(draw.one_in(20) ? draw.between(0, int64_t{1} << 40) : draw.between(0, 9));
    problem.attributes = a;
    return problem;
}

std::vector<int64_t> draw_broadcast_extents(Draw& draw)
{
    std::vector<int64_t> extents(size_t(draw.between(0, 7)));
    const int64_t most = extents.size() <= 2 ? 60 : extents.size() <= 4 ? 9 : 4;
    for (int64_t& extent : extents)
        extent = draw.one_in(40) ? 0 : draw.one_in(6) ? 1 : draw.between(1, most);
    return extents;
}

std::vector<int64_t> draw_narrowed(Draw& draw, std::vector<int64_t> extents)
{
    if (draw.one_in(3))
        extents.erase(extents.begin(), extents.begin() + draw.between(0, int64_t(extents.size())));
    if (draw.one_in(2))
        for (int64_t& extent : extents)
            extent = draw.one_in(2) ? 1 : extent;
    return extents;
}

Case draw_with_output(Draw& draw, DType dtype, const std::function<Case(Draw&)>& drawer)
{
    for (;;) {
        Case problem = drawer(draw);
        for (TensorDesc& input : problem.inputs)
            input.dtype = dtype;
        if (int64_t* opset = opset_of(problem.attributes))
            *opset = newest_opset;
        const Result<kit::Resolution> resolution = resolve(problem);
        if (resolution && *element_count(resolution->output) > 0)
            return problem;
    }
}

}  // namespace vkonnx::kit
