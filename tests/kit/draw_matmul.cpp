#include "kit/draw.h"

namespace vkonnx::kit {
namespace {

using List = std::vector<int64_t>;

DType draw_type(Draw& draw)
{
    return draw.of({DType::float32, DType::float32, DType::float32, DType::float16, DType::bfloat16, DType::float64, DType::int32,
                    DType::int64, DType::uint32, DType::uint64});
}

int64_t draw_extent(Draw& draw)
{
    return draw.one_in(30) ? 0 : draw.one_in(5) ? 1 : draw.between(1, draw.one_in(3) ? 70 : 12);
}

int64_t draw_opset(Draw& draw)
{
    return draw.one_in(4) ? draw.between(1, newest_opset) : newest_opset;
}

Case drawn_gemm(Draw& draw)
{
    Gemm op = {.opset = draw_opset(draw)};
    const int64_t m = draw_extent(draw), k = draw_extent(draw), n = draw_extent(draw);
    if (draw.one_in(2))
        op.transA = draw.between(0, 1);
    if (draw.one_in(2))
        op.transB = draw.between(0, 1);
    if (draw.one_in(3))
        op.alpha = float(draw.between(-4, 4)) / (draw.one_in(2) ? 1.0f : 4.0f);
    if (draw.one_in(3))
        op.beta = float(draw.between(-4, 4)) / (draw.one_in(2) ? 1.0f : 4.0f);
    Case problem;
    const DType dtype = draw_type(draw);
    problem.inputs = {{dtype, op.transA.value_or(0) ? List{k, m} : List{m, k}},
                      {dtype, op.transB.value_or(0) ? List{n, k} : List{k, n}}};
    if (!draw.one_in(3))
        problem.inputs.push_back({dtype, draw.of({List{n}, List{1, n}, List{m, n}, List{m, 1}, List{1}, List{}})});
    problem.attributes = op;
    return problem;
}

Case drawn_matmul(Draw& draw)
{
    const int64_t m = draw_extent(draw), k = draw_extent(draw), n = draw_extent(draw);
    List front(size_t(draw.one_in(2) ? 0 : draw.between(1, 4)));
    for (int64_t& extent : front)
        extent = draw.between(1, 4);
    const auto narrowed = [&](int64_t rows, int64_t columns) {
        List dims = front;
        if (draw.one_in(3))
            dims.erase(dims.begin(), dims.begin() + draw.between(0, int64_t(dims.size())));
        for (int64_t& extent : dims)
            extent = draw.one_in(5) ? 1 : extent;
        dims.insert(dims.end(), {rows, columns});
        return dims;
    };
    Case problem;
    const DType dtype = draw_type(draw);
    problem.inputs = {{dtype, draw.one_in(8) ? List{k} : narrowed(m, k)}, {dtype, draw.one_in(8) ? List{k} : narrowed(k, n)}};
    problem.attributes = MatMul{.opset = draw_opset(draw)};
    return problem;
}

// Changes one thing, so that the problem is likely to be wrong.
void spoil(Draw& draw, Case& problem)
{
    TensorDesc& input = problem.inputs[size_t(draw.between(0, int64_t(problem.inputs.size()) - 1))];
    switch (draw.between(1, 3)) {
    case 1:
        input.dims.push_back(draw.between(1, 3));
        return;
    case 2:
        if (!input.dims.empty())
            input.dims[size_t(draw.between(0, int64_t(input.dims.size()) - 1))] = draw.between(-1, 9);
        return;
    default:
        input.dtype = draw.of({DType::int8, DType::string, DType::undefined, DType::float64});
    }
}

}  // namespace

Case draw_matmul(Draw& draw)
{
    const bool may_be_refused = draw.one_in(6);
    for (;;) {
        Case problem = draw.one_in(2) ? drawn_gemm(draw) : drawn_matmul(draw);
        problem.name = "drawn";
        problem.fill = draw.of({Fill::integers, Fill::reals, Fill::specials, Fill::positive, Fill::large});
        if (may_be_refused && draw.one_in(2))
            spoil(draw, problem);
        const Result<Resolution> resolution = resolve(problem);
        if (resolution ? *element_count(resolution->output) <= 20'000 : may_be_refused)
            return problem;
    }
}

}  // namespace vkonnx::kit
