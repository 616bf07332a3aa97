#include <algorithm>

#include "kit/draw.h"
#include "kit/layout.h"

namespace vkonnx::kit {
namespace {

using List = std::vector<int64_t>;

Case drawn(Draw& draw)
{
    Conv op = {.opset = draw.one_in(3) ? draw.between(1, newest_opset) : newest_opset};
    const auto axes = size_t(draw.one_in(6) ? draw.between(4, 6) : draw.between(1, 3));
    const bool depthwise = axes <= 3 && draw.one_in(4);
    op.group = depthwise ? 4 * draw.between(1, 3) : draw.one_in(2) ? 1 : draw.between(1, 5);
    const int64_t in = depthwise ? 1 : draw.between(1, draw.one_in(3) ? 9 : 4);
    const int64_t out = draw.between(1, depthwise ? 2 : draw.one_in(3) ? 20 : 5);
    const int64_t most = axes == 1 ? 60 : axes == 2 ? 16 : axes == 3 ? 8 : 4;
    List extents, kernel;
    for (size_t a = 0; a < axes; ++a) {
        extents.push_back(draw.one_in(40) ? 0 : draw.between(1, most));
        kernel.push_back(draw.one_in(3) ? 1 : draw.between(1, axes > 3 ? 2 : axes == 1 ? 9 : 4));
    }
    if (depthwise)
        kernel.back() = draw.of({int64_t(3), int64_t(5), int64_t(7)});
    const auto list = [&](size_t count, int64_t least, int64_t greatest) {
        List entries(count);
        for (int64_t& entry : entries)
            entry = draw.between(least, greatest);
        return entries;
    };
    if (draw.one_in(2))
        op.strides = list(axes, 1, 3);
    if (draw.one_in(3))
        op.dilations = list(axes, 1, 3);
    if (draw.one_in(4))
        op.kernel_shape = kernel;
    if (draw.one_in(4))
        op.auto_pad = draw.of({AutoPad::same_upper, AutoPad::same_lower, AutoPad::valid});
    else if (!draw.one_in(3))
        op.pads = list(2 * axes, 0, draw.one_in(6) ? 12 : 3);

    Case problem;
    problem.name = "drawn";
    problem.fill =
        draw.of({Fill::integers, Fill::reals, Fill::specials, Fill::positive, Fill::negative_zero, Fill::large, Fill::denormals});
    const DType dtype = draw.of({DType::float32, DType::float32, DType::float16, DType::bfloat16, DType::float64});
    TensorDesc x = {.dtype = dtype, .dims = List(axes + 2), .layout = draw.one_in(3) ? Layout::nxc : Layout::ncx};
    const DataPlaces places = places_of(x.layout, axes);
    x.dims[places.batch] = draw.one_in(30) ? 0 : draw.between(1, 3);
    x.dims[places.channels] = in * op.group;
    std::copy(extents.begin(), extents.end(), x.dims.begin() + ptrdiff_t(places.first_axis));
    TensorDesc w = {.dtype = dtype, .dims = {out * op.group, in}};
    w.dims.insert(w.dims.end(), kernel.begin(), kernel.end());
    problem.inputs = {x, w};
    if (draw.one_in(2))
        problem.inputs.push_back({dtype, {out * op.group}});
    problem.attributes = op;
    return problem;
}

// Changes one thing, so that the problem is likely to be wrong.
void spoil(Draw& draw, Case& problem)
{
    TensorDesc& input = problem.inputs[size_t(draw.between(0, int64_t(problem.inputs.size()) - 1))];
    auto& op = std::get<Conv>(problem.attributes);
    switch (draw.between(1, 5)) {
    case 1:
        input.dims[size_t(draw.between(0, int64_t(input.dims.size()) - 1))] = draw.between(-1, 9);
        return;
    case 2:
        input.dims.push_back(draw.between(1, 3));
        return;
    case 3:
        op.group = draw.between(-1, 7);
        return;
    case 4: {
        const std::vector<List*> lists = lists_of(problem);
        lists[size_t(draw.between(0, int64_t(lists.size()) - 1))]->push_back(draw.between(-1, 2));
        return;
    }
    default:
        input.dtype = draw.of({DType::int32, DType::string, DType::undefined, DType::float64});
    }
}

}  // namespace

Case draw_conv(Draw& draw)
{
    const bool may_be_refused = draw.one_in(6);
    for (;;) {
        Case problem = drawn(draw);
        if (may_be_refused && draw.one_in(2))
            spoil(draw, problem);
        const Result<Resolution> resolution = resolve(problem);
        if (resolution ? *element_count(resolution->output) <= 20'000 : may_be_refused)
            return problem;
    }
}

Case draw_whole_conv(Draw& draw)
{
    Case problem = {.attributes = Conv()};
    problem.name = "drawn";
    problem.fill = draw.of({Fill::integers, Fill::reals, Fill::specials, Fill::negative_zero, Fill::denormals});
    const DType dtype = draw.of({DType::float32, DType::float16, DType::bfloat16, DType::float64});
    const int64_t in = draw.between(1, 40), out = draw.between(1, 40);
    TensorDesc x = {.dtype = dtype, .dims = {draw.between(1, 3), in}}, w = {.dtype = dtype, .dims = {out, in}};
    for (int64_t axes = draw.between(1, 4); axes > 0; --axes) {
        const int64_t extent = draw.one_in(2) ? 1 : draw.between(1, 4);
        x.dims.push_back(extent);
        w.dims.push_back(extent);
    }
    problem.inputs = {x, w};
    if (draw.one_in(2))
        problem.inputs.push_back({dtype, {out}});
    return problem;
}

}  // namespace vkonnx::kit
