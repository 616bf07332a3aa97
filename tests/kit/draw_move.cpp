#include <algorithm>

#include "kit/draw.h"

namespace vkonnx::kit {
namespace {

using List = std::vector<int64_t>;

DType draw_type(Draw& draw)
{
    return draw.of({DType::float32, DType::float32, DType::float16, DType::bfloat16, DType::float64, DType::int8, DType::int16,
                    DType::int32, DType::int64, DType::uint8, DType::uint16, DType::boolean, DType::complex64,
                    DType::float8e4m3fn});
}

// Draws long axes where there are few of them.
List draw_extents(Draw& draw)
{
    List extents(size_t(draw.between(1, 7)));
    const int64_t most = extents.size() <= 2 ? 60 : extents.size() <= 4 ? 9 : 4;
    for (int64_t& extent : extents)
        extent = draw.one_in(40) ? 0 : draw.one_in(6) ? 1 : draw.between(1, most);
    return extents;
}

List draw_order(Draw& draw, size_t count)
{
    List order;
    for (size_t i = 0; i < count; ++i)
        order.insert(order.begin() + draw.between(0, int64_t(i)), int64_t(i));
    return order;
}

// Draws some of the axes. About a third of them are counted from behind, and so negative.
List draw_axes(Draw& draw, size_t rank)
{
    List axes = draw_order(draw, rank);
    axes.resize(size_t(draw.between(1, int64_t(rank))));
    for (int64_t& axis : axes)
        axis -= draw.one_in(3) ? int64_t(rank) : 0;
    return axes;
}

int64_t draw_opset(Draw& draw)
{
    return draw.one_in(3) ? draw.between(2, newest_opset) : draw.between(21, newest_opset);
}

Operator drawn_slice(Draw& draw, const List& extents)
{
    Slice op = {.opset = draw_opset(draw)};
    if (!draw.one_in(3))
        op.axes = draw_axes(draw, extents.size());
    const size_t count = op.axes.empty() ? size_t(draw.between(0, int64_t(extents.size()))) : op.axes.size();
    for (size_t i = 0; i < count; ++i) {
        const auto any = [&] { return draw.one_in(8) ? draw.of({INT64_MAX, INT64_MIN}) : draw.between(-70, 70); };
        op.starts.push_back(draw.one_in(2) ? draw.between(-4, 4) : any());
        op.ends.push_back(any());
        op.steps.push_back(draw.one_in(20) ? draw.of({INT64_MAX, INT64_MIN}) : draw.between(1, 3) * draw.of({1, 1, -1}));
    }
    if (draw.one_in(3))
        op.steps.clear();
    return op;
}

Operator drawn_pad(Draw& draw, const List& extents)
{
    Pad op = {.opset = draw_opset(draw), .mode = draw.of({PadMode::constant, PadMode::reflect, PadMode::edge, PadMode::wrap})};
    if (draw.one_in(3))
        op.axes = draw_axes(draw, extents.size());
    const size_t count = op.axes.empty() ? extents.size() : op.axes.size();
    const int64_t most = extents.size() > 4 ? 1 : 4;
    for (size_t i = 0; i < 2 * count; ++i)
        op.pads.push_back(draw.one_in(3) ? 0 : draw.one_in(6) ? draw.between(-3, 12) : draw.between(-1, most));
    if (op.opset < 11 && draw.one_in(2))
        op.value = float(draw.between(-8, 8)) / 4;
    return op;
}

Operator drawn_split(Draw& draw, const List& extents)
{
    Split op = {.opset = draw_opset(draw)};
    const auto axis = size_t(draw.between(0, int64_t(extents.size()) - 1));
    if (axis != 0 || draw.one_in(3))
        op.axis = int64_t(axis) - (draw.one_in(2) ? int64_t(extents.size()) : 0);
    if (draw.one_in(2)) {
        int64_t left = extents[axis];
        while (left > 0 || op.split.empty()) {
            op.split.push_back(draw.between(0, left));
            left -= op.split.back();
        }
    } else if (op.opset >= 18) {
        op.num_outputs = draw.between(1, 6);
    } else {
        op.outputs = draw.of({1, 2, 3});
    }
    return op;
}

// Makes some of the input's extents 1, and asks for longer axes there, or for an axis in front of all.
Operator drawn_expand(Draw& draw, List& extents)
{
    Expand op = {.opset = draw_opset(draw), .shape = extents};
    for (size_t a = 0; a < extents.size(); ++a) {
        if (draw.one_in(3))
            extents[a] = 1;
        else if (draw.one_in(2))
            op.shape[a] = 1;
    }
    if (draw.one_in(3))
        op.shape.insert(op.shape.begin(), draw.between(1, 4));
    else
        op.shape.erase(op.shape.begin(), op.shape.begin() + draw.between(0, int64_t(op.shape.size()) / 2));
    return op;
}

Case drawn_move(Draw& draw)
{
    Case problem;
    problem.name = "drawn";
    const DType dtype = draw_type(draw);
    List extents = draw_extents(draw);
    problem.inputs = {{dtype, extents}};
    switch (draw.between(1, 9)) {
    case 1:
        problem.attributes =
            Transpose{.opset = draw_opset(draw), .perm = draw.one_in(8) ? List() : draw_order(draw, extents.size())};
        break;
    case 2:
        problem.attributes = drawn_slice(draw, extents);
        break;
    case 3:
        problem.attributes = drawn_pad(draw, extents);
        if (std::get<Pad>(problem.attributes).opset >= 11 && draw.one_in(2))
            problem.inputs.push_back({dtype, draw.one_in(2) ? List() : List{1}});
        break;
    case 4: {
        const auto axis = size_t(draw.between(0, int64_t(extents.size()) - 1));
        problem.attributes =
            Concat{.opset = draw_opset(draw), .axis = int64_t(axis) - (draw.one_in(2) ? int64_t(extents.size()) : 0)};
        for (int64_t more = draw.between(0, draw.one_in(3) ? 9 : 3); more > 0; --more) {
            extents[axis] = draw.between(0, 7);
            problem.inputs.push_back({dtype, extents});
        }
        break;
    }
    case 5:
        problem.attributes = drawn_split(draw, extents);
        break;
    case 6: {
        const int64_t block = draw.between(1, 3);
        problem.attributes = SpaceToDepth{
            .opset = draw_opset(draw), .blocksize = block, .mode = draw.of({DepthToSpaceMode::dcr, DepthToSpaceMode::crd})};
        problem.inputs[0].dims = {draw.between(1, 3), draw.between(1, 4), block * draw.between(1, 5), block * draw.between(0, 5)};
        break;
    }
    case 7:
        problem.attributes = drawn_expand(draw, problem.inputs[0].dims);
        break;
    case 8: {
        Tile op = {.opset = draw_opset(draw)};
        for (size_t i = 0; i < extents.size(); ++i)
            op.repeats.push_back(draw.one_in(40) ? 0 : draw.one_in(2) ? 1 : draw.between(1, 4));
        problem.attributes = op;
        break;
    }
    default: {
        const int64_t block = draw.between(1, 3);
        problem.attributes = DepthToSpace{
            .opset = draw_opset(draw), .blocksize = block, .mode = draw.of({DepthToSpaceMode::dcr, DepthToSpaceMode::crd})};
        problem.inputs[0].dims = {draw.between(1, 3), block * block * draw.between(1, 4), draw.between(1, 9), draw.between(0, 9)};
    }
    }
    return problem;
}

// Draws the attribute for this axis. It is often left out for the first axis, and otherwise negative half of the time.
std::optional<int64_t> drawn_axis(Draw& draw, int64_t axis, int64_t rank)
{
    if (axis == 0 && !draw.one_in(3))
        return std::nullopt;
    return axis - (draw.one_in(2) ? rank : 0);
}

// Draws indices of 0 to 3 axes, which are short where data has many axes.
Case drawn_gather(Draw& draw)
{
    const List extents = draw_extents(draw);
    const auto rank = int64_t(extents.size());
    Gather op = {.opset = draw_opset(draw)};
    const int64_t axis = draw.between(0, rank - 1);
    op.axis = drawn_axis(draw, axis, rank);
    List indices(size_t(draw.between(0, rank > 4 ? 2 : 3)));
    for (int64_t& extent : indices)
        extent = draw.one_in(40) ? 0 : draw.between(1, indices.size() == 1 && rank <= 4 ? 40 : 5);
    return {.name = "drawn",
            .attributes = op,
            .inputs = {{draw_type(draw), extents}, {draw.of({DType::int32, DType::int64}), indices}}};
}

// Draws indices of which some axes are shorter than data's. The axis that they index has any length.
Case drawn_gather_elements(Draw& draw)
{
    const List extents = draw_extents(draw);
    const auto rank = int64_t(extents.size());
    GatherElements op = {.opset = draw_opset(draw)};
    const int64_t axis = draw.between(0, rank - 1);
    op.axis = drawn_axis(draw, axis, rank);
    List indices = extents;
    for (int64_t& extent : indices)
        if (draw.one_in(4))
            extent = draw.between(0, extent);
    indices[size_t(axis)] = draw.between(1, rank > 4 ? 5 : 20);
    return {.name = "drawn",
            .attributes = op,
            .inputs = {{draw_type(draw), extents}, {draw.of({DType::int32, DType::int64}), indices}}};
}

Case drawn_gather_nd(Draw& draw)
{
    const List extents = draw_extents(draw);
    const auto rank = int64_t(extents.size());
    GatherND op = {.opset = draw_opset(draw)};
    const int64_t batch = op.opset < 12 || draw.one_in(2) ? 0 : draw.between(0, std::min<int64_t>(rank - 1, 2));
    if (batch != 0 || (op.opset >= 12 && draw.one_in(3)))
        op.batch_dims = batch;
    List indices(extents.begin(), extents.begin() + ptrdiff_t(batch));
    for (int64_t more = draw.between(0, 2); more > 0; --more)
        indices.push_back(draw.one_in(40) ? 0 : draw.between(1, rank > 4 ? 5 : 15));
    indices.push_back(draw.between(1, rank - batch));
    return {.name = "drawn", .attributes = op, .inputs = {{draw_type(draw), extents}, {DType::int64, indices}}};
}

ScatterReduction draw_scatter_reduction(Draw& draw)
{
    return draw.of({ScatterReduction::none, ScatterReduction::none, ScatterReduction::add, ScatterReduction::mul,
                    ScatterReduction::max, ScatterReduction::min});
}

// Draws few indices and many, so that some elements get no update and others several.
Case drawn_scatter_elements(Draw& draw)
{
    Case problem = drawn_gather_elements(draw);
    const auto& gather = std::get<GatherElements>(problem.attributes);
    const ScatterElements op = {.opset = gather.opset, .axis = gather.axis, .reduction = draw_scatter_reduction(draw)};
    problem.attributes = op;
    problem.inputs.push_back({problem.inputs[0].dtype, problem.inputs[1].dims});
    return problem;
}

Case drawn_scatter_nd(Draw& draw)
{
    const List extents = draw_extents(draw);
    const auto rank = int64_t(extents.size());
    List indices;
    for (int64_t more = draw.between(0, 2); more > 0; --more)
        indices.push_back(draw.one_in(40) ? 0 : draw.between(1, rank > 4 ? 5 : 15));
    List updates = indices;
    indices.push_back(draw.between(1, rank));
    updates.insert(updates.end(), extents.begin() + ptrdiff_t(indices.back()), extents.end());
    const DType type = draw_type(draw);
    return {.name = "drawn",
            .attributes = ScatterND{.opset = draw_opset(draw), .reduction = draw_scatter_reduction(draw)},
            .inputs = {{type, extents}, {DType::int64, indices}, {type, updates}}};
}

Case drawn_any_scatter(Draw& draw)
{
    return draw.one_in(2) ? drawn_scatter_elements(draw) : drawn_scatter_nd(draw);
}

Case drawn_any_gather(Draw& draw)
{
    switch (draw.between(1, 3)) {
    case 1:
        return drawn_gather(draw);
    case 2:
        return drawn_gather_elements(draw);
    default:
        return drawn_gather_nd(draw);
    }
}

// Changes one thing, so that the problem is likely to be wrong.
void spoil(Draw& draw, Case& problem)
{
    TensorDesc& input = problem.inputs[size_t(draw.between(0, int64_t(problem.inputs.size()) - 1))];
    std::vector<List*> lists = lists_of(problem);
    switch (draw.between(1, 4)) {
    case 1:
        problem.inputs.resize(size_t(draw.between(1, 3)), problem.inputs[0]);
        return;
    case 2:
        if (!lists.empty())
            lists[size_t(draw.between(0, int64_t(lists.size()) - 1))]->push_back(draw.between(-2, 2));
        return;
    case 3:
        if (!input.dims.empty())
            input.dims[size_t(draw.between(0, int64_t(input.dims.size()) - 1))] = draw.between(-1, 70);
        return;
    default:
        input.dtype = draw.of({DType::complex128, DType::string, DType::undefined, DType::int4, DType::float8e8m0});
    }
}

Case right_or_spoilt(Draw& draw, Case (*drawn)(Draw&))
{
    const bool may_be_refused = draw.one_in(6);
    for (;;) {
        Case problem = drawn(draw);
        if (may_be_refused && draw.one_in(2))
            spoil(draw, problem);
        const Result<Resolution> resolution = resolve(problem);
        if (!resolution && may_be_refused)
            return problem;
        int64_t elements = 0;
        for (const TensorDesc& output : resolution ? outputs_of(*resolution) : std::vector<TensorDesc>())
            elements += *element_count(output);
        if (resolution && elements <= 20'000)
            return problem;
    }
}

}  // namespace

Case draw_move(Draw& draw)
{
    return right_or_spoilt(draw, drawn_move);
}

Case draw_gather(Draw& draw)
{
    return right_or_spoilt(draw, drawn_any_gather);
}

Case draw_scatter(Draw& draw)
{
    Case problem = right_or_spoilt(draw, drawn_any_scatter);
    problem.fill = draw.of({Fill::any, Fill::reals, Fill::reals, Fill::specials});
    return problem;
}

}  // namespace vkonnx::kit
