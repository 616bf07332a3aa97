#include <algorithm>

#include "kit/draw.h"

namespace vkonnx::kit {
namespace {

using Mode = CoordinateTransformationMode;
using List = std::vector<int64_t>;

DType draw_type(Draw& draw, const Resize& op)
{
    if (op.mode == ResizeMode::nearest)
        return draw.of({DType::float32, DType::float32, DType::float16, DType::bfloat16, DType::float64, DType::boolean,
                        DType::int8, DType::int16, DType::int32, DType::int64, DType::uint8, DType::uint16, DType::uint32,
                        DType::uint64, DType::complex64});
    if (op.mode == ResizeMode::linear && op.antialias.value_or(0) == 0 && draw.one_in(4))
        return draw.of({DType::uint8, DType::int8, DType::int32});
    return draw.of({DType::float32, DType::float32, DType::float16, DType::bfloat16, DType::float64});
}

Mode draw_transformation(Draw& draw, int64_t opset)
{
    switch (draw.between(1, 8)) {
    case 1:
        return opset >= 19 || draw.one_in(20) ? Mode::half_pixel_symmetric : Mode::half_pixel;
    case 2:
        return Mode::pytorch_half_pixel;
    case 3:
        return Mode::align_corners;
    case 4:
        return Mode::asymmetric;
    case 5:
    case 6:
        return Mode::tf_crop_and_resize;
    case 7:
        return opset == 11 || opset == 12 || draw.one_in(20) ? Mode::tf_half_pixel_for_nn : Mode::half_pixel;
    default:
        return Mode::half_pixel;
    }
}

float draw_scale(Draw& draw)
{
    return draw.of({0.25f, 0.3f, 0.5f, 0.6f, 0.75f, 1.0f, 1.0f, 1.1f, 1.5f, 2.0f, 2.0f, 2.5f, 3.0f, 4.0f});
}

// Draws attributes that only later versions have, and seldom ones that the drawn version lacks.
void draw_attributes(Draw& draw, Resize& op)
{
    const auto may = [&](int64_t since) { return draw.one_in(op.opset >= since ? 3 : 60); };
    if (op.opset >= 11 || draw.one_in(30)) {
        op.coordinate_transformation_mode = draw_transformation(draw, op.opset);
        op.nearest_mode =
            draw.of({NearestMode::round_prefer_floor, NearestMode::round_prefer_ceil, NearestMode::floor, NearestMode::ceil});
    }
    if (may(11))
        op.cubic_coeff_a = draw.of({-0.5f, -0.75f, -1.0f});
    if (may(11))
        op.exclude_outside = draw.one_in(30) ? 2 : draw.between(0, 1);
    if (may(11))
        op.extrapolation_value = float(draw.between(-40, 40)) / 4;
    if (may(18))
        op.antialias = draw.between(0, 1);
}

// Draws the lists for some or all axes. All other axes keep their size.
void draw_lists(Draw& draw, Resize& op, const List& dims)
{
    List listed;
    const bool some = draw.one_in(op.opset >= 18 ? 3 : 60);
    for (size_t a = 0; a < dims.size(); ++a)
        if (!some || draw.one_in(2))
            listed.push_back(int64_t(a));
    if (some) {
        std::reverse(listed.begin(), listed.begin() + draw.between(0, int64_t(listed.size())));
        for (const int64_t axis : listed)
            op.axes.push_back(draw.one_in(3) ? axis - int64_t(dims.size()) : axis);
        if (listed.empty())
            for (size_t a = 0; a < dims.size(); ++a)
                listed.push_back(int64_t(a));
    }
    const bool by_size = draw.one_in(op.opset >= 11 ? 2 : 60);
    std::vector<float> starts, ends;
    for (const int64_t axis : listed) {
        const int64_t in = dims[size_t(axis)];
        const bool stays = draw.one_in(2);
        if (by_size)
            op.sizes.push_back(stays || in == 0 ? in : draw.between(1, 2 * in + 3));
        else
            op.scales.push_back(stays ? 1 : draw_scale(draw));
        starts.push_back(stays ? 0 : float(draw.between(-2, 6)) / 10);
        ends.push_back(stays ? 1 : float(draw.between(4, 12)) / 10);
    }
    if (op.coordinate_transformation_mode == Mode::tf_crop_and_resize && !draw.one_in(4)) {
        op.roi = starts;
        op.roi.insert(op.roi.end(), ends.begin(), ends.end());
    }
    if (by_size && draw.one_in(op.opset >= 18 ? 3 : 60))
        op.keep_aspect_ratio_policy = draw.of({KeepAspectRatioPolicy::not_larger, KeepAspectRatioPolicy::not_smaller});
}

// Changes one thing, so that the problem is likely to be wrong.
void spoil(Draw& draw, Case& problem, Resize& op)
{
    switch (draw.between(1, 6)) {
    case 1:
        op.sizes.push_back(1);
        return;
    case 2:
        op.scales.push_back(1);
        return;
    case 3:
        op.axes.push_back(draw.between(-7, 6));
        return;
    case 4:
        if (!op.scales.empty())
            op.scales[0] = draw.of({0.0f, -1.0f, 1e30f});
        return;
    case 5:
        problem.inputs[0].dims.clear();
        return;
    default:
        problem.inputs[0].dtype = draw.of({DType::string, DType::undefined, DType::complex128, DType::int64, DType::int4});
    }
}

Case drawn(Draw& draw, bool spoilt)
{
    Resize op = {.opset = draw.of<int64_t>({10, 11, 12, 13, 17, 18, 19, 19, 19, 25})};
    op.mode = draw.of({ResizeMode::nearest, ResizeMode::nearest, ResizeMode::linear, ResizeMode::cubic});
    if (op.opset < 11 && op.mode == ResizeMode::cubic && !draw.one_in(20))
        op.mode = ResizeMode::linear;
    draw_attributes(draw, op);
    Case problem;
    problem.name = "drawn";
    problem.fill = draw.of({Fill::integers, Fill::reals, Fill::positive});
    problem.inputs = {{draw_type(draw, op), {}, draw.of({Layout::ncx, Layout::nxc})}};
    if (problem.inputs[0].dtype == DType::bfloat16 && op.opset < 13 && !draw.one_in(10))
        problem.inputs[0].dtype = DType::float16;
    const int64_t rank = draw.between(1, 6);
    for (int64_t a = 0; a < rank; ++a)
        problem.inputs[0].dims.push_back(draw.one_in(60) ? 0 : draw.between(1, rank <= 2 ? 30 : rank <= 4 ? 8 : 4));
    draw_lists(draw, op, problem.inputs[0].dims);
    if (spoilt)
        spoil(draw, problem, op);
    problem.attributes = op;
    return problem;
}

// Tells whether the reference computes the problem in some milliseconds, and the problem is within the limits of the kernels.
bool is_small(const Case& problem, const Resolution& resolution)
{
    const auto& op = std::get<Resize>(problem.attributes);
    const DType dtype = problem.inputs[0].dtype;
    const bool is_integer = dtype == DType::uint8 || dtype == DType::int8 || dtype == DType::int32;
    double terms = 1;
    for (size_t a = 0; a < resolution.output.dims.size(); ++a) {
        const int64_t in = problem.inputs[0].dims[a];
        const int64_t out = resolution.output.dims[a];
        terms *= double(std::max<int64_t>(out, 1)) * double(op.mode == ResizeMode::nearest ? 1 : std::min<int64_t>(in, 8));
    }
    const bool takes_all_axes = op.mode == ResizeMode::nearest || !is_integer || resolution.output.dims.size() <= 3;
    return *element_count(resolution.output) <= 20'000 && terms <= 2e6 && takes_all_axes;
}

}  // namespace

Case draw_resize(Draw& draw)
{
    const bool may_be_refused = draw.one_in(5);
    for (;;) {
        const Case problem = drawn(draw, may_be_refused && draw.one_in(2));
        const Result<Resolution> resolution = resolve(problem);
        if (resolution ? is_small(problem, *resolution) : may_be_refused)
            return problem;
    }
}

}  // namespace vkonnx::kit
