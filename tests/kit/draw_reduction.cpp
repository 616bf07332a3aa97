// This file draws problems of operators that reduce, and of those that normalize by what they reduced.
#include <algorithm>

#include "kit/draw.h"

namespace vkonnx::kit {
namespace {

using List = std::vector<int64_t>;

constexpr int64_t most_elements = 20'000;

// Draws long axes where there are few of them. Now and then one is as long as a row that takes several passes.
List draw_extents(Draw& draw, int64_t least_rank, int64_t most_rank)
{
    List extents(size_t(draw.between(least_rank, most_rank)));
    const int64_t most = extents.size() <= 2 ? 60 : extents.size() <= 4 ? 9 : 4;
    for (int64_t& extent : extents)
        extent = draw.one_in(40) ? 0 : draw.one_in(6) ? 1 : draw.between(1, most);
    if (!extents.empty() && draw.one_in(4)) {
        for (int64_t& extent : extents)
            extent = std::min<int64_t>(extent, 3);
        extents[size_t(draw.between(0, int64_t(extents.size()) - 1))] = draw.between(100, 1500);
    }
    return extents;
}

DType draw_float(Draw& draw)
{
    return draw.of({DType::float32, DType::float32, DType::float16, DType::bfloat16, DType::float64});
}

Layout draw_layout(Draw& draw)
{
    return draw.of({Layout::ncx, Layout::ncx, Layout::nxc});
}

Fill draw_fill(Draw& draw)
{
    return draw.of({Fill::integers, Fill::reals, Fill::reals, Fill::positive, Fill::specials, Fill::negative_zero, Fill::large});
}

// Draws an opset. For bfloat16 it is mostly one that knows the type.
int64_t draw_opset(Draw& draw, DType dtype, int64_t bfloat16_since)
{
    return dtype == DType::bfloat16 && !draw.one_in(10) ? draw.between(bfloat16_since, 26) : draw.between(1, 26);
}

// Returns each operator that reduces along axes, with its default attributes.
template <class... Op>
std::vector<Operator> reductions_of(std::type_identity<std::variant<Op...>>)
{
    std::vector<Operator> all;
    (
        [&] {
            if constexpr (Reduction<Op>)
                all.push_back(Op());
        }(),
        ...);
    return all;
}

template <Reduction Op>
void draw_attributes(Draw& draw, Op& op, size_t rank)
{
    op.opset = draw.between(1, newest_opset);
    if (!draw.one_in(4))
        for (size_t a = 0; a < rank; ++a)
            if (draw.one_in(2))
                op.axes.push_back(int64_t(a) - (draw.one_in(3) ? int64_t(rank) : 0));
    if (draw.one_in(20))
        op.axes.push_back(draw.between(-3, 5));
    if (draw.one_in(2))
        op.keepdims = draw.one_in(20) ? 2 : draw.between(0, 1);
    if (draw.one_in(4))
        op.noop_with_empty_axes = draw.between(0, 1);
}

Case reduction(Draw& draw)
{
    Case problem;
    static const std::vector<Operator> reductions = reductions_of(std::type_identity<Operator::variant>());
    const auto which = size_t(draw.between(0, int64_t(reductions.size()) + 1));
    const DType dtype =
        which < 2 || draw.one_in(2)
            ? draw_float(draw)
            : draw.of({DType::int32, DType::int64, DType::uint32, DType::uint64, DType::int8, DType::uint8, DType::boolean});
    problem.inputs = {{dtype, draw_extents(draw, which < 2 ? 3 : 0, 8), draw_layout(draw)}};
    if (which < 2) {
        const int64_t opset = draw_opset(draw, dtype, 22);
        problem.attributes = which == 0 ? Operator(GlobalMaxPool{.opset = opset}) : GlobalAveragePool{.opset = opset};
    } else {
        problem.attributes = reductions[which - 2];
        std::visit(
            [&](auto& op) {
                if constexpr (Reduction<std::remove_reference_t<decltype(op)>>)
                    draw_attributes(draw, op, problem.inputs[0].dims.size());
            },
            problem.attributes);
    }
    problem.fill = draw.one_in(8) ? Fill::denormals : draw_fill(draw);
    return problem;
}

template <ArgExtreme Op>
Op arg_extreme(Draw& draw, DType dtype, int64_t rank)
{
    Op op = {.opset = draw_opset(draw, dtype, 13)};
    if (!draw.one_in(4))
        op.axis = draw.one_in(20) ? rank : draw.between(-rank, std::max<int64_t>(rank, 1) - 1);
    if (draw.one_in(2))
        op.keepdims = draw.one_in(20) ? 2 : draw.between(0, 1);
    if (draw.one_in(2) && (op.opset >= 12 || draw.one_in(10)))
        op.select_last_index = draw.one_in(20) ? -1 : draw.between(0, 1);
    return op;
}

Case arg_extreme(Draw& draw)
{
    Case problem;
    const DType dtype = draw.one_in(2) ? draw_float(draw)
                                       : draw.of({DType::int8, DType::uint8, DType::int16, DType::uint16, DType::int32,
                                                  DType::uint32, DType::int64, DType::uint64});
    problem.inputs = {{dtype, draw_extents(draw, draw.one_in(20) ? 0 : 1, 8), draw_layout(draw)}};
    const auto rank = int64_t(problem.inputs[0].dims.size());
    problem.attributes =
        draw.one_in(2) ? Operator(arg_extreme<ArgMax>(draw, dtype, rank)) : arg_extreme<ArgMin>(draw, dtype, rank);
    problem.fill = draw.of({Fill::integers, Fill::reals, Fill::specials, Fill::denormals});
    return problem;
}

Case topk(Draw& draw)
{
    Case problem;
    const DType dtype = draw.one_in(2) ? draw_float(draw)
                                       : draw.of({DType::int8, DType::uint8, DType::int16, DType::uint16, DType::int32,
                                                  DType::uint32, DType::int64, DType::uint64});
    const bool is_new = dtype == DType::bfloat16;
    TopK op = {.opset = draw.between(is_new && !draw.one_in(10) ? 24 : draw.one_in(4) ? 1 : 11, newest_opset)};
    problem.inputs = {{dtype, draw_extents(draw, draw.one_in(20) ? 0 : 1, 8), draw_layout(draw)}};
    std::vector<int64_t>& dims = problem.inputs[0].dims;
    const auto rank = int64_t(dims.size());
    const int64_t axis = draw.one_in(20) ? rank : draw.between(-rank, std::max<int64_t>(rank, 1) - 1);
    if (axis != -1 || draw.one_in(2))
        op.axis = axis;
    int64_t extent = 0;
    if (axis < rank) {
        int64_t& along = dims[size_t(axis < 0 ? axis + rank : axis)];
        if (draw.one_in(3))
            along = draw.between(1, 70);
        extent = along;
    }
    if (!draw.one_in(40))
        op.k = draw.one_in(20) ? extent + 1 : draw.between(draw.one_in(10) ? -1 : 0, extent);
    if (draw.one_in(2) && (op.opset >= 11 || draw.one_in(10)))
        op.largest = draw.one_in(20) ? 2 : draw.between(0, 1);
    if (draw.one_in(4) && (op.opset >= 11 || draw.one_in(10)))
        op.sorted = draw.between(0, 1);
    if (draw.one_in(4))
        op.outputs = draw.one_in(10) ? 3 : 1;
    problem.attributes = op;
    problem.fill = draw.of({Fill::integers, Fill::reals, Fill::specials, Fill::denormals});
    return problem;
}

Case cum_sum(Draw& draw)
{
    Case problem;
    const DType dtype = draw.one_in(2) ? draw_float(draw) : draw.of({DType::int32, DType::uint32, DType::int64, DType::uint64});
    const bool is_half = dtype == DType::float16 || dtype == DType::bfloat16;
    CumSum op = {.opset = draw.between(is_half && !draw.one_in(10) ? 14 : draw.one_in(20) ? 10 : 11, newest_opset)};
    problem.inputs = {{dtype, draw_extents(draw, draw.one_in(20) ? 0 : 1, 8), draw_layout(draw)}};
    const auto rank = int64_t(problem.inputs[0].dims.size());
    if (!draw.one_in(20))
        op.axis = draw.one_in(20) ? rank : draw.between(-rank, std::max<int64_t>(rank, 1) - 1);
    if (draw.one_in(2))
        op.exclusive = draw.one_in(20) ? 2 : draw.between(0, 1);
    if (draw.one_in(2))
        op.reverse = draw.one_in(20) ? -1 : draw.between(0, 1);
    problem.attributes = op;
    problem.fill = draw.one_in(8) ? Fill::denormals : draw_fill(draw);
    return problem;
}

template <class Op>
Case softmax(Draw& draw)
{
    Case problem;
    const DType dtype =
        draw.one_in(20) ? DType::float64 : draw.of({DType::float32, DType::float32, DType::float16, DType::bfloat16});
    Op op = {.opset = draw_opset(draw, dtype, 13)};
    problem.inputs = {{dtype, draw_extents(draw, draw.one_in(20) ? 0 : 1, 6), draw_layout(draw)}};
    const auto rank = int64_t(problem.inputs[0].dims.size());
    if (draw.one_in(2) || (rank == 1 && !draw.one_in(10)))
        op.axis = draw.one_in(20) ? rank : draw.between(-rank, std::max<int64_t>(rank, 1) - 1);
    problem.attributes = op;
    problem.fill = draw_fill(draw);
    return problem;
}

float draw_epsilon(Draw& draw)
{
    return draw.of({1e-5f, 1e-3f, 0.25f, 2.0f});
}

Case normalization(Draw& draw)
{
    Case problem;
    const DType dtype = draw_float(draw);
    const bool batch = draw.one_in(2);
    const TensorDesc x = {dtype, draw_extents(draw, batch ? 1 : 3, 6), draw_layout(draw)};
    const int64_t channels = x.dims.size() == 1 ? 1 : x.dims[x.layout == Layout::nxc ? x.dims.size() - 1 : 1];
    problem.inputs = {x};
    if (batch) {
        BatchNormalization op = {.opset = draw.one_in(20) ? 6 : draw.between(dtype == DType::bfloat16 ? 14 : 7, 26)};
        if (draw.one_in(2))
            op.epsilon = draw_epsilon(draw);
        if (draw.one_in(4))
            op.momentum = 0.5f;
        if (draw.one_in(op.opset >= 14 ? 2 : 40))
            op.training_mode = draw.between(0, 1);
        if (draw.one_in(op.training_mode == 1 ? 1 : 40))
            op.outputs = draw.between(1, draw.one_in(20) ? 5 : 3);
        if (draw.one_in(op.opset < 9 ? 1 : 40))
            op.spatial = draw.between(0, 1);
        const auto other = [&](int64_t since) {
            if (dtype == DType::float64 || op.opset < since || draw.one_in(2))
                return dtype;
            return draw.of({DType::float32, DType::float16, DType::bfloat16});
        };
        const DType scale = other(15), mean = other(14);
        const List dims = op.spatial == 0 ? List(x.dims.begin() + 1, x.dims.end()) : List{channels};
        for (const DType type : {scale, scale, mean, mean})
            problem.inputs.push_back({type, dims});
        problem.attributes = op;
    } else {
        InstanceNormalization op = {.opset = draw_opset(draw, dtype, 22)};
        if (draw.one_in(2))
            op.epsilon = draw_epsilon(draw);
        problem.inputs.resize(3, {dtype, {channels}});
        problem.attributes = op;
    }
    problem.fill = draw_fill(draw);
    return problem;
}

Case lrn(Draw& draw)
{
    Case problem;
    const DType dtype =
        draw.one_in(20) ? DType::float64 : draw.of({DType::float32, DType::float32, DType::float16, DType::bfloat16});
    LRN op = {.opset = draw_opset(draw, dtype, 13)};
    if (!draw.one_in(30))
        op.size = draw.one_in(30) ? 0 : draw.one_in(6) ? draw.between(10, 3000) : draw.between(1, 9);
    if (draw.one_in(2))
        op.alpha = draw.of({0.5f, 1e-3f, 2.0f});
    if (draw.one_in(2))
        op.beta = draw.of({0.5f, 1.0f, -0.75f, 2.0f});
    if (draw.one_in(2))
        op.bias = draw.of({0.5f, 2.0f});
    problem.inputs = {{dtype, draw_extents(draw, draw.one_in(20) ? 1 : 2, 6), draw_layout(draw)}};
    problem.attributes = op;
    problem.fill = draw_fill(draw);
    return problem;
}

Case layer_normalization(Draw& draw)
{
    Case problem;
    const DType dtype = draw_float(draw);
    LayerNormalization op = {.opset = draw.one_in(20) ? 16 : draw.between(17, 28)};
    const TensorDesc x = {dtype, draw_extents(draw, draw.one_in(20) ? 0 : 1, 6), draw_layout(draw)};
    const auto rank = int64_t(x.dims.size());
    if (!draw.one_in(4))
        op.axis = draw.one_in(20) ? rank : draw.between(-rank, std::max<int64_t>(rank, 1) - 1);
    if (draw.one_in(2))
        op.epsilon = draw_epsilon(draw);
    if (draw.one_in(10))
        op.stash_type = draw.one_in(2) ? 1 : 16;
    op.outputs = draw.one_in(3) ? draw.between(1, draw.one_in(20) ? 4 : 3) : 1;
    const int64_t axis = op.axis.value_or(-1);
    const auto at = ptrdiff_t(std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank));
    const List row(x.dims.begin() + at, x.dims.end());
    problem.inputs = {x, {dtype, draw.one_in(8) ? List{1} : row}};
    if (!draw.one_in(4))
        problem.inputs.push_back({dtype, draw.one_in(8) ? List{} : row});
    problem.attributes = op;
    problem.fill = draw_fill(draw);
    return problem;
}

// Changes one thing, so that the problem is likely to be wrong.
void spoil(Draw& draw, Case& problem)
{
    TensorDesc& input = problem.inputs[size_t(draw.between(0, int64_t(problem.inputs.size()) - 1))];
    switch (draw.between(1, 4)) {
    case 1:
        problem.inputs.resize(size_t(draw.between(1, 5)), problem.inputs[0]);
        return;
    case 2:
        input.dims.push_back(draw.between(2, 5));
        return;
    case 3:
        if (!input.dims.empty())
            input.dims[size_t(draw.between(0, int64_t(input.dims.size()) - 1))] = draw.between(-1, 70);
        return;
    default:
        input.dtype = draw.of({DType::boolean, DType::string, DType::undefined, DType::int8});
    }
}

Case draw_until_fit(Draw& draw, Case (*drawn)(Draw&))
{
    const bool may_be_refused = draw.one_in(5);
    for (;;) {
        Case problem = drawn(draw);
        problem.name = "drawn";
        if (may_be_refused && draw.one_in(2))
            spoil(draw, problem);
        const Result<Resolution> resolution = resolve(problem);
        if (!resolution) {
            if (may_be_refused)
                return problem;
            continue;
        }
        if (*element_count(problem.inputs[0]) <= most_elements && *element_count(resolution->output) <= most_elements)
            return problem;
    }
}

}  // namespace

Case draw_reduction(Draw& draw)
{
    return draw_until_fit(draw, reduction);
}

Case draw_arg_extreme(Draw& draw)
{
    return draw_until_fit(draw, arg_extreme);
}

Case draw_topk(Draw& draw)
{
    return draw_until_fit(draw, topk);
}

Case draw_cum_sum(Draw& draw)
{
    return draw_until_fit(draw, cum_sum);
}

Case draw_softmax(Draw& draw)
{
    return draw_until_fit(draw, softmax<Softmax>);
}

Case draw_log_softmax(Draw& draw)
{
    return draw_until_fit(draw, softmax<LogSoftmax>);
}

Case draw_normalization(Draw& draw)
{
    return draw_until_fit(draw, normalization);
}

Case draw_lrn(Draw& draw)
{
    return draw_until_fit(draw, lrn);
}

Case draw_layer_normalization(Draw& draw)
{
    return draw_until_fit(draw, layer_normalization);
}

}  // namespace vkonnx::kit
