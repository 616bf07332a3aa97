// This file draws extreme problems, capabilities and options. Whatever they are, `explain` and `infer` must end within a tenth of
// a second and 64 MB, refuse by a sentence, and plan nothing beyond the capabilities. It is also built with a sanitizer of
// undefined behaviour: tests/sanitizers. VKONNX_TEST_PROBLEMS sets how many are drawn.
#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>

#include "constant_of.h"
#include "heap.h"
#include "kit/draw.h"
#include "kit/layout.h"
#include "plan/core/limits.h"
#include "plan/operators/operators.h"

namespace vkonnx {
namespace {

using kit::Case;
using kit::Draw;
using List = std::vector<int64_t>;

// Planning walks over small vectors, so that its allocations stand for its time, and are the same on every machine. A plan may
// take eight for each of the dispatches that it may have.
constexpr uint64_t most_allocations = 8 * 65'536;
constexpr size_t most_heap = 64'000'000;
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(VKONNX_SANITIZED)
constexpr int default_trials = 2'000;  // builds that are not optimized or check what they do are slower
#else
constexpr int default_trials = 10'000;
#endif

// ---- draws

// Returns a number over which arithmetic in 32 or 64 bits stumbles.
int64_t extreme(Draw& draw)
{
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    const auto power = [](int exponent) { return int64_t(1) << exponent; };
    switch (draw.between(1, 8)) {
    case 1:
        return draw.of<int64_t>({0, 1, 2});
    case 2:
        return draw.of<int64_t>({3, 7, 31, 127, 1009, 65537, 1'000'003, 2'147'483'647});
    case 3:
        return power(int(draw.between(3, 62)));
    case 4:
        return power(int(draw.between(3, 62))) + draw.of<int64_t>({-1, 1});
    case 5:
        return draw.of<int64_t>({power(15), power(16) - 1, power(16) + 1, power(30), power(31) - 1, power(31), power(31) + 1});
    case 6:
        return draw.of<int64_t>({most, most - 1, most / 2, most / 2 + 1, most / 3, power(32), power(40)});
    case 7:
        return draw.of<int64_t>({-1, -2, -power(31), -most, -most - 1});
    default:
        return draw.between(1, 100'000);
    }
}

// Returns valid problems that are large or long.
const std::vector<Case>& seeds()
{
    struct Line {
        std::string_view operator_name;
        std::string_view text;
    };
    // clang-format off
    static constexpr Line lines[] = {
        {"conv_transpose", "layer          x=64x128x16x16 w=128x64x4x4 b strides=2,2 pads=1,1,1,1"},
        {"conv_transpose", "half           x=64x16x16x128 w=128x64x4x4 b type=float16 layout=NXC strides=2,2 pads=1,1,1,1"},
        {"conv_transpose", "six_axes       x=1x2x3x4x5x6x7x8 w=2x3x2x3x2x3x2x3"},
        {"conv_transpose", "no_channels    x=2x0x30x50 w=0x3x3x3 b strides=2,2"},
        {"conv_transpose", "cropped        x=1x0x30x30x30 w=0x1x30x30x30 pads=29,29,29,29,29,29"},
        {"conv_transpose", "long_phase     x=1x1x3 w=1x1x5 strides=70001 dilations=35000"},
        {"conv_transpose", "many_channels  x=1x70001x2 w=70001x1x1 b type=float16"},
        {"conv_transpose", "many_taps      x=1x1x70003 w=1x1x70001 pads=70000,70000"},
        {"conv_transpose", "large          x=1x150x1024x1024 w=150x1x1x1 group=150"},
        {"conv_transpose", "large_w        x=1x15360x1x1 w=15360x10240x1x1"},
        {"conv_transpose", "given_shape    x=2x3x9 w=3x4x5 strides=3 output_shape=20 type=double"},
        {"onednn_conv_transpose", "oix  x=64x16x16x128 w=64x128x4x4 strides=2,2 pads_begin=1,1 pads_end=1,1 dilations=1,1 filter_format=OIX"},
        {"average_pool", "layer            x=32x256x56x56 kernel_shape=2,2 strides=2,2"},
        {"average_pool", "half             x=32x56x56x256 kernel_shape=2,2 strides=2,2 layout=NXC type=float16"},
        {"average_pool", "five_axes        x=1x4x6x7x8x9x10 kernel_shape=2,3,2,3,2 strides=2,2,2,2,2"},
        {"average_pool", "global           x=1x64x40x41x42 kernel_shape=40,41,42 type=double"},
        {"average_pool", "large            x=1x150x1024x1024 kernel_shape=2,2 strides=2,2"},
        {"average_pool", "one_sum          x=1x1x2147483647 kernel_shape=2147483647"},
        {"average_pool", "only_pads        x=1x1x0x9 kernel_shape=1,3 pads=1,1,1,1 ceil_mode=1"},
        {"max_pool", "layer                x=32x64x112x112 kernel_shape=3,3 strides=2,2 pads=1,1,1,1"},
        {"max_pool", "indices              x=32x64x112x112 kernel_shape=2,2 strides=2,2 outputs=2 storage_order=1 type=float16"},
        {"max_pool", "five_axes            x=1x4x6x7x8x9x10 kernel_shape=2,3,2,3,2 strides=2,2,2,2,2 outputs=2 layout=NXC"},
        {"max_pool", "one_window           x=1x1x2147483647 kernel_shape=2147483647 type=uint8 outputs=2"},
        {"max_pool", "only_pads            x=1x1x0x9 kernel_shape=1,3 pads=1,1,1,1 ceil_mode=1 outputs=2 type=double"},
        {"conv", "layer                  x=1x64x56x56 w=64x64x3x3 pads=1,1,1,1"},
        {"conv", "depthwise              x=1x96x112x112 w=96x1x5x5 strides=2,2 pads=2,2,2,2 group=96 type=float16"},
        {"conv", "pointwise              x=1x512x28x28 w=128x512x1x1 b"},
        {"conv", "five_axes              x=1x4x6x7x8x9x10 w=4x4x2x3x2x3x2 type=double"},
        {"gemm", "classes                a=1x2048 b=1000x2048 c=1000 transB=1"},
        {"matmul", "heads                a=8x12x197x64 b=8x12x64x197"},
        {"shape", "shape                   x=2x3x5x7 start=-9 end=99"},
        {"elementwise", "flat               op=Relu a=64x256x56x56"},
        {"elementwise", "bias               op=Add a=64x256x56x56 b=256x1x1 type=float16"},
        {"elementwise", "alternating        op=Mul a=9x1x8x1x7x1x6 b=1x5x1x6x1x7x1 type=double"},
        {"elementwise", "many               op=Sum a=64x56x56 b=56x1 c=64x1x1 d=56 e=64x56x56 f=56x56 g=scalar type=bfloat16"},
        {"elementwise", "bytes              op=Max a=640x480x3 b=480x3 c=640x1x1 d=3 type=uint8"},
        {"elementwise", "bounds             op=Clip a=300x300 c=scalar type=int64"},
        {"cast", "narrows            x=64x256x56x56 to=2"},
        {"cast", "widens             x=640x480x3 to=11 type=uint8"},
        {"resize", "doubles            x=64x256x56x56 scales=1,1,2,2"},
        {"resize", "linear             x=8x64x128x128 sizes=8,64,224,200 mode=linear"},
        {"resize", "bytes              x=480x640x3 sizes=224,224,3 mode=linear type=uint8"},
        {"resize", "antialias          x=1x3x600x800 sizes=1,3,60,70 mode=cubic antialias=1 type=float16"},
        {"global_average_pool", "layer      x=32x2048x7x7"},
        {"global_average_pool", "last       x=32x7x7x2048 layout=NXC type=float16"},
        {"global_max_pool", "layer          x=32x2048x7x7 type=double"},
        {"reduce_mean", "one_sum            x=2147483647 type=int32"},
        {"reduce_mean", "alternating        x=9x8x7x6x5x4x3x2x9x8 axes=0,2,4,6,8 type=double"},
        {"reduce_sum", "columns             x=1048576x3 axes=0 type=float16 keepdims=0"},
        {"reduce_sum", "nothing             x=0x70001 axes=0 type=uint64"},
        {"gather", "table                   x=50257x768 indices=8x1024"},
        {"gather", "columns                 x=70001x3x1009 indices=65537 axis=1 type=uint8 indices_type=int32"},
        {"gather_elements", "columns        x=70001x3x1009 indices=7001x3x1009 type=uint8 indices_type=int32"},
        {"gather_elements", "shorter        x=9x8x7x6x5x4x3x2x9 indices=8x8x6x6x9x4x2x2x8 axis=4"},
        {"gather_nd", "points               x=1009x1009x1009 indices=70001x3 type=uint8"},
        {"gather_nd", "batches              x=7001x3x101 indices=7001x9x1 batch_dims=1"},
        {"scatter_elements", "columns       x=70001x3x1009 indices=701x3x1009 updates=701x3x1009 type=uint8 indices_type=int32"},
        {"scatter_elements", "shorter       x=9x8x7x6x5x4x3x2x9 indices=8x8x6x6x9x4x2x2x8 updates=8x8x6x6x9x4x2x2x8 axis=4 reduction=mul"},
        {"scatter_nd", "points              x=1009x1009x1009 indices=70001x3 updates=70001 type=uint8"},
        {"scatter_nd", "sums                x=7001x3x101 indices=9001x1 updates=9001x3x101 reduction=add type=float16"},
        {"reduce_max", "bytes               x=2147483647 type=int8"},
        {"reduce_min", "pixels              x=3x1048576x3 axes=1 type=bool"},
        {"reduce_log_sum_exp", "alternating x=9x8x7x6x5x4x3x2x9 axes=0,2,4,6,8 type=float16"},
        {"arg_max", "one_row                x=2147483647 type=int8"},
        {"topk", "one_row                x=2147483647 type=int8 k=1000"},
        {"topk", "rows                   x=1x21x2048x2048 axis=1 type=double k=5"},
        {"arg_max", "classes                x=1x21x2048x2048 axis=1 type=double select_last_index=1"},
        {"arg_min", "columns                x=1048576x3 type=float16 keepdims=0"},
        {"cum_sum", "one_row                x=2147483647 axis=0 type=int32"},
        {"cum_sum", "columns                x=64x70001x3 axis=1 type=float16 exclusive=1 reverse=1"},
        {"equal", "numbers              a=70001x3x1009 b=1009"},
        {"and", "words                  a=16777216 b=16777216"},
        {"where", "columns              condition=70001x1 x=1x3001 y=70001x3001 x_type=bfloat16"},
        {"softmax", "rows                   x=64x1000"},
        {"softmax", "one_row                x=16777216 type=bfloat16"},
        {"instance_normalization", "layer   x=8x64x128x128 scale=64 b=64"},
        {"instance_normalization", "last    x=8x128x128x65 scale=65 b=65 layout=NXC type=float16"},
        {"batch_normalization", "layer      x=32x256x56x56 scale=256 b=256 mean=256 var=256"},
        {"batch_normalization", "training   x=32x56x3x56 scale=56 b=56 mean=56 var=56 training_mode=1 type=double"},
        {"lrn", "layer                      x=32x96x55x55 size=5"},
        {"lrn", "wide                       x=1x70001x3 size=70001 type=float16"},
        {"layer_normalization", "layer      x=32x512x768 scale=768 b=768"},
        {"layer_normalization", "wide       x=3x700001 scale=700001 outputs=3 type=float16"},
        {"lstm", "speech                    x=100x16x80 w=2x2048x80 r=2x2048x512 b=2x4096 direction=bidirectional outputs=3"},
        {"lstm", "steps                     x=70001x1x1 w=1x4x1 r=1x4x1 type=float16"},
        {"gru", "wide                       x=3x2x8 w=1x120000x8 r=1x120000x40000 sequence_lens=2"},
        {"rnn", "both                       x=5x3x8 w=2x9x8 r=2x9x9 initial_h=2x3x9 direction=bidirectional"},
    };
    // clang-format on
    static const std::vector<Case> cases = [] {
        std::vector<Case> parsed;
        for (const Line& line : lines)
            parsed.push_back(*kit::parse_case(line.operator_name, line.text));
        return parsed;
    }();
    return cases;
}

template <class Value>
Value& any_of(Draw& draw, std::vector<Value>& values)
{
    return values[size_t(draw.between(0, int64_t(values.size()) - 1))];
}

Case draw_valid(Draw& draw)
{
    const auto any = [&](size_t count) { return size_t(draw.between(0, int64_t(count) - 1)); };
    return draw.one_in(3) ? seeds()[any(seeds().size())] : kit::drawers[any(std::size(kit::drawers))].draw(draw);
}

// Returns every number of a problem.
std::vector<int64_t*> numbers_of(Case& problem)
{
    std::vector<int64_t*> numbers;
    for (TensorDesc& input : problem.inputs)
        for (int64_t& extent : input.dims)
            numbers.push_back(&extent);
    for (List* list : lists_of(problem))
        for (int64_t& entry : *list)
            numbers.push_back(&entry);
    fields(problem.attributes, [&](std::string_view, auto& member, auto...) {
        if constexpr (std::same_as<decltype(member), int64_t&>)
            numbers.push_back(&member);
        else if constexpr (std::same_as<decltype(member), std::optional<int64_t>&>)
            if (member)
                numbers.push_back(&*member);
    });
    for (int64_t* number : {opset_of(problem.attributes), outputs_of(problem.attributes)})
        if (number)
            numbers.push_back(number);
    return numbers;
}

// Changes the channels of X and W together.
void change_channels(Draw& draw, Case& problem)
{
    const int64_t channels = draw.one_in(3) ? 0 : extreme(draw);
    if (problem.inputs.size() < 2 || problem.inputs[0].dims.size() < 3)
        return;
    const size_t axes = problem.inputs[0].dims.size() - 2;
    const auto* onednn = std::get_if<onednn::ConvTranspose>(&problem.attributes);
    const Layout layout = onednn ? onednn->data_format : problem.inputs[0].layout;
    problem.inputs[0].dims[kit::places_of(layout, axes).channels] = channels;
    const size_t place = kit::places_of(onednn ? onednn->filter_format : onednn::FilterFormat::iox, axes).in;
    if (place < problem.inputs[1].dims.size())
        problem.inputs[1].dims[place] = channels;
}

// Makes all axes of X, or of W too, long, and often empties the tensors. Only products of extents stumble over that.
void change_extents(Draw& draw, Case& problem)
{
    const int64_t extent = draw.of<int64_t>({1 << 15, 1 << 16, 1 << 21, 1 << 30, INT32_MAX, int64_t(1) << 40});
    const auto stretch = [&](List& dims) {
        for (size_t i = 2; i < dims.size(); ++i)
            dims[i] = extent;
    };
    stretch(problem.inputs[0].dims);
    if (problem.inputs.size() > 1 && draw.one_in(2))
        stretch(problem.inputs[1].dims);
    for (List* list : lists_of(problem))
        if (!list->empty() && draw.one_in(4))
            list->assign(list->size(), extent);
    if (!problem.inputs[0].dims.empty() && draw.one_in(2))
        problem.inputs[0].dims[size_t(draw.between(1, int64_t(problem.inputs[0].dims.size()))) - 1] = 0;
}

int64_t entry_of(const List& list, size_t index, int64_t absent)
{
    return index < list.size() ? list[index] : absent;
}

// Fits the pads so that few outputs are left of many, or windows are as wide as the pads. Extreme numbers need this to be legal.
void fit_pads(Draw& draw, Case& problem)
{
    const TensorDesc& x = problem.inputs[0];
    auto* conv = std::get_if<ConvTranspose>(&problem.attributes);
    auto* pool = std::get_if<AveragePool>(&problem.attributes);
    if ((!conv && !pool) || x.dims.size() < 3 || (conv && problem.inputs[1].dims.size() != x.dims.size()))
        return;
    const size_t axes = x.dims.size() - 2;
    List pads(2 * axes);
    for (size_t a = 0; a < axes; ++a) {
        const int64_t in = x.dims[kit::places_of(x.layout, axes).first_axis + a];
        const int64_t kernel = conv ? problem.inputs[1].dims[2 + a] : entry_of(pool->kernel_shape, a, 1);
        const int64_t dilation = entry_of(conv ? conv->dilations : pool->dilations, a, 1);
        const int64_t stride = entry_of(conv ? conv->strides : pool->strides, a, 1);
        const auto reach = [](int64_t a, int64_t b) { return (std::fabs(double(a)) + 1) * (std::fabs(double(b)) + 1); };
        if (reach(kernel, dilation) + reach(in, stride) > 0x1p62)
            return;
        const int64_t window = (kernel - 1) * dilation + 1;
        const int64_t less = conv ? stride * (in - 1) + window : window - in;
        const int64_t total = std::max<int64_t>(0, less + draw.of<int64_t>({-100, -7, -1, 0}) * (conv ? 1 : -1));
        pads[a] = draw.of<int64_t>({0, total / 2, total});
        pads[axes + a] = total - pads[a];
    }
    if (conv) {
        conv->auto_pad = AutoPad::notset;
        conv->output_shape.clear();
        conv->kernel_shape.clear();
        conv->pads = pads;
    } else {
        pool->auto_pad = AutoPad::notset;
        pool->pads = pads;
    }
}

void change_words(Draw& draw, Case& problem)
{
    const auto auto_pad = [&] { return draw.one_in(12) ? AutoPad(9) : AutoPad(draw.between(0, 3)); };
    const auto layout = [&] { return draw.one_in(12) ? Layout(9) : Layout(draw.between(0, 1)); };
    const auto rules = [&] { return Rules(draw.between(0, 1)); };
    switch (draw.between(1, 4)) {
    case 1: {
        const DType dtype = draw.one_in(4) ? DType(draw.between(0, 40)) : DType(draw.of<int>({1, 10, 11, 16}));
        for (TensorDesc& input : problem.inputs)
            input.dtype = dtype;
        return;
    }
    case 2:
        problem.inputs[0].layout = layout();
        if (auto* onednn = std::get_if<onednn::ConvTranspose>(&problem.attributes)) {
            onednn->data_format = layout();
            onednn->filter_format = onednn::FilterFormat(draw.one_in(12) ? 9 : draw.between(0, 2));
        }
        return;
    case 3:
        if (auto* conv = std::get_if<ConvTranspose>(&problem.attributes))
            conv->auto_pad = auto_pad(), conv->rules = rules();
        else if (auto* pool = std::get_if<AveragePool>(&problem.attributes))
            pool->auto_pad = auto_pad(), pool->rules = rules();
        else if (auto* max = std::get_if<MaxPool>(&problem.attributes))
            max->auto_pad = auto_pad(), max->rules = rules();
        else if (auto* onednn = std::get_if<onednn::ConvTranspose>(&problem.attributes))
            onednn->auto_pad = auto_pad();
        return;
    default:
        any_of(draw, problem.inputs).dims.resize(size_t(draw.between(0, 9)), 1);
        if (draw.one_in(4))
            problem.inputs.resize(size_t(draw.between(0, 4)), {DType::float32, {1}});
    }
}

Case draw_problem(Draw& draw)
{
    Case problem = draw_valid(draw);
    for (int64_t changes = draw.of<int64_t>({0, 0, 1, 1, 1, 2, 3}); changes > 0; --changes) {
        const std::vector<int64_t*> numbers = numbers_of(problem);
        if (!numbers.empty())
            *numbers[size_t(draw.between(0, int64_t(numbers.size()) - 1))] = extreme(draw);
    }
    const bool stretched = draw.one_in(8);
    if (stretched)
        change_extents(draw, problem);
    if (draw.one_in(stretched ? 2 : 8))
        change_channels(draw, problem);
    if (stretched || draw.one_in(2))
        fit_pads(draw, problem);
    if (draw.one_in(8))
        change_words(draw, problem);
    return problem;
}

constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double most = std::numeric_limits<double>::max();

Capabilities draw_capabilities(Draw& draw)
{
    const auto presets = Capabilities::preset_names();
    Capabilities c = *Capabilities::preset(presets[size_t(draw.between(0, int64_t(presets.size()) - 1))]);
    const auto number = [&] {
        return uint32_t(draw.one_in(2) ? draw.between(1, 5000)
                                       : draw.of<int64_t>({0, 1, 1, 2, 3, 4, 255, 256, 65535, 1 << 20, INT32_MAX, UINT32_MAX}));
    };
    for (int64_t changes = draw.one_in(2) ? 0 : draw.between(1, 3); changes > 0; --changes) {
        switch (draw.between(1, 12)) {
        case 1:
            c.max_storage_buffer_range = number();
            break;
        case 2:
            c.max_storage_buffer_range = draw.of<uint64_t>({300, 1u << 16, 1u << 20, uint64_t(1) << 40, UINT64_MAX});
            break;
        case 3:
            c.storage_buffer_alignment = draw.one_in(4) ? number() : 1u << draw.between(0, 31);
            break;
        case 4:
            c.max_uniform_buffer_range = number();
            break;
        case 5:
            c.max_storage_buffers = number();
            break;
        case 6:
            c.max_push_constant_bytes = number();
            break;
        case 7:
            c.max_invocations = number();
            break;
        case 8:
            c.max_workgroup_size[size_t(draw.between(0, 2))] = number();
            break;
        case 9:
            c.max_group_count[size_t(draw.between(0, 2))] = number();
            break;
        case 10:
            c.max_loop_iterations = number();
            c.invocation_registers = number();
            break;
        case 11:
            c.max_shared_bytes = number();
            c.subgroup_size = number();
            c.subgroup_shuffles = draw.one_in(2);
            c.storage16 = draw.one_in(2);
            break;
        default:
            c.work_per_second =
                draw.of<double>({0, -1, NAN, INFINITY, -INFINITY, least, 1e-300, 1, 20, 1000, 1e6, 1e15, 1e300, most});
        }
    }
    if (draw.one_in(4))
        c.float64 = draw.one_in(2);
    return c;
}

PrepareOptions draw_options(Draw& draw)
{
    PrepareOptions options;
    if (draw.one_in(6))
        options.kernel =
            draw.of<const char*>({"conv_transpose_direct", "conv_transpose_nd", "average_pool_direct", "average_pool_nd",
                                  "average_pool_rows", "average_pool_channels", "average_pool_runs", "average_pool_separable",
                                  "average_pool_sliding", "average_pool_moving", "max_pool", "none"});
    options.reproducible = draw.one_in(6);
    if (draw.one_in(12))
        options.epilogue = Elementwise{.kind = ElementwiseKind(draw.between(0, 24)), .alpha = 2.0f};
    if (draw.one_in(4))
        options.max_dispatch_seconds =
            draw.of<double>({0, -0.0, -1, NAN, INFINITY, -INFINITY, least, 1e-300, 1e-9, 1e-6, 1e-4, 1e-2, 1, 1e300, most});
    return options;
}

// ---- what repeats a failure

std::string explained(const Case& problem, const Capabilities& c, const PrepareOptions& options)
{
    std::ostringstream text;
    text << operator_of(problem) << " " << to_string(problem);
    for (const TensorDesc& input : problem.inputs)
        text << "\n  " << to_string(input);
    text << "\n  range " << c.max_storage_buffer_range << " alignment " << c.storage_buffer_alignment << " uniform "
         << c.max_uniform_buffer_range << " buffers " << c.max_storage_buffers << " push " << c.max_push_constant_bytes
         << " invocations " << c.max_invocations << " size " << c.max_workgroup_size[0] << "," << c.max_workgroup_size[1] << ","
         << c.max_workgroup_size[2] << " groups " << c.max_group_count[0] << "," << c.max_group_count[1] << ","
         << c.max_group_count[2] << " loops " << c.max_loop_iterations << " work " << c.work_per_second << " float64 "
         << c.float64 << "\n  kernel '" << options.kernel << "' reproducible " << options.reproducible << " seconds "
         << options.max_dispatch_seconds << " epilogue "
         << (options.epilogue ? std::to_string(int(options.epilogue->kind)) : "none");
    return text.str();
}

// ---- verdicts

// Returns "", or how a plan exceeds its capabilities.
std::string excess(const plan::Plan& plan, const Capabilities& c)
{
    if (plan.steps.size() > size_t(plan::max_dispatches))
        return "it has " + std::to_string(plan.steps.size()) + " steps";
    return std::string(plan::check(plan, c).message());
}

// This struct counts what the draws have reached, so that nothing is left out unseen.
struct Reached {
    int trials = 0;
    int accepted = 0;
    int dispatched = 0;
    int long_plans = 0;
    int scratch = 0;
    int by_capabilities = 0;
    int by_addresses = 0;
    int by_dispatches = 0;
    int by_ops = 0;
    uint64_t allocations = 0;
    std::string longest = {};
    size_t heap = 0;
    std::string largest = {};

    void count(const Result<Explanation>& explained)
    {
        const auto says = [&](std::string_view words) { return explained.message().find(words) != std::string_view::npos; };
        ++trials;
        if (explained) {
            ++accepted;
            dispatched += !explained->grids.empty();
            long_plans += explained->grids.size() > 1000;
            scratch += explained->scratch_bytes != 0;
            return;
        }
        by_capabilities += says(": Capabilities::");
        by_addresses += says("that kernels can number");
        by_dispatches += says("would cut this problem into");
    }
};

// Returns "", or what is wrong with how the library takes the problem.
template <class Attributes>
std::string verdict(const Attributes& attributes, std::span<const TensorDesc> inputs, const Capabilities& c,
                    const PrepareOptions& options, const std::string& repeat, Reached& reached)
{
    const auto inferred = infer(attributes, inputs);
    const HeapUse use;
    const auto explained = explain(attributes, inputs, c, options);
    const uint64_t allocations = use.allocations();
    const size_t heap = use.peak_bytes();
    if (allocations > reached.allocations) {
        reached.allocations = allocations;
        reached.longest = repeat;
    }
    if (heap > reached.heap) {
        reached.heap = heap;
        reached.largest = repeat;
    }
    reached.count(explained);
    reached.by_ops += !inferred;
    if (allocations > most_allocations)
        return "explain takes " + std::to_string(allocations) + " allocations";
    if (heap > most_heap)
        return "explain takes " + std::to_string(heap) + " bytes";
    if (!inferred || !explained) {
        const Status& refused = inferred ? explained.status() : inferred.status();
        if (!inferred && explained.message() != inferred.message())
            return "infer says '" + std::string(inferred.message()) + "', explain '" + std::string(explained.message()) + "'";
        if (refused.code() != Code::invalid_argument && refused.code() != Code::unsupported)
            return "it fails by code " + std::to_string(int(refused.code())) + ": " + std::string(refused.message());
        return refused.message().empty() ? "it is refused without a word" : "";
    }
    if (explained->outputs != *inferred)
        return "explain and infer tell of different outputs";
    const auto geometry = ops::resolve(attributes, inputs);
    const Result<plan::Plan> plan = plan::plan_for(*geometry, c, options);
    if (!plan)
        return "explain plans, and planning says " + std::string(plan.message());
    if (explained->grids.size() != plan->steps.size())
        return "explain tells of " + std::to_string(explained->grids.size()) + " grids";
    return excess(*plan, c);
}

TEST(Extreme, AnythingIsPlannedOrRefusedInBounds)
{
    const uint32_t first = kit::test_seed(1);
    const int trials = kit::test_problems(default_trials);
    std::cout << "VKONNX_TEST_SEED=" << first << "\n" << std::flush;
    Reached reached;
    for (int trial = 0; trial < trials && !HasFailure(); ++trial) {
        Draw draw(first + uint32_t(trial));  // each trial has its own seed, so that it can be repeated alone
        const Case problem = draw_problem(draw);
        const Capabilities capabilities = draw_capabilities(draw);
        const PrepareOptions options = draw_options(draw);
        const std::string wrong = std::visit(
            [&](const auto& attributes) {
                return verdict(attributes, problem.inputs, capabilities, options, draw.repeat(), reached);
            },
            problem.attributes);
        for (std::string* most : {&reached.longest, &reached.largest})
            if (*most == draw.repeat())
                *most += ": " + explained(problem, capabilities, options);
        EXPECT_EQ(wrong, "") << draw.repeat() << " VKONNX_TEST_PROBLEMS=1: " << explained(problem, capabilities, options);
    }
    std::cout << reached.accepted << " of " << reached.trials << " accepted, " << reached.dispatched << " with dispatches, "
              << reached.long_plans << " with more than 1000, " << reached.scratch
              << " with scratch memory; refused: " << reached.by_ops << " by shapes, " << reached.by_capabilities
              << " by capabilities, " << reached.by_addresses << " by addresses, " << reached.by_dispatches
              << " by dispatches\nmost allocations " << reached.allocations << ": " << reached.longest << "\nlargest heap "
              << double(reached.heap) / 1e6 << " MB: " << reached.largest << "\n";
    if (HasFailure() || trials < 5000)
        return;
    EXPECT_GT(reached.accepted, trials / 5);
    EXPECT_GT(reached.dispatched, trials / 8);
    for (const int times :
         {reached.long_plans, reached.scratch, reached.by_capabilities, reached.by_addresses, reached.by_dispatches})
        EXPECT_GT(times, trials / 1000);
}

}  // namespace
}  // namespace vkonnx
