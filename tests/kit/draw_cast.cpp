#include "kit/draw.h"

namespace vkonnx::kit {
namespace {

DType draw_type(Draw& draw)
{
    if (draw.one_in(6))
        return draw.of({DType::int2, DType::uint2, DType::int4, DType::uint4, DType::float4e2m1});
    if (draw.one_in(4))
        return draw.of({DType::float8e4m3fn, DType::float8e4m3fnuz, DType::float8e5m2, DType::float8e5m2fnuz, DType::float8e8m0});
    return draw.of({DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::boolean, DType::int8, DType::int16,
                    DType::int32, DType::int64, DType::uint8, DType::uint16, DType::uint32, DType::uint64});
}

Case drawn(Draw& draw)
{
    Cast op = {.opset = draw.one_in(3) ? draw.between(6, 28) : draw.between(13, 28), .to = int64_t(draw_type(draw))};
    if (draw.one_in(op.opset >= 19 ? 3 : 50))
        op.saturate = draw.one_in(40) ? 2 : draw.between(0, 1);
    if (draw.one_in(op.opset >= 24 ? 3 : 50))
        op.round_mode = draw.of({RoundMode::up, RoundMode::down, RoundMode::nearest});
    Case problem;
    problem.name = "drawn";
    problem.fill = draw.of({Fill::reals, Fill::reals, Fill::integers, Fill::specials, Fill::negative_zero, Fill::denormals});
    problem.inputs = {{draw_type(draw), {}, draw.of({Layout::ncx, Layout::nxc})}};
    for (int64_t rank = draw.between(0, 5); rank > 0; --rank)
        problem.inputs[0].dims.push_back(draw.one_in(40) ? 0 : draw.between(1, rank > 2 ? 5 : 20));
    if (draw.one_in(30))
        op.to = draw.between(-1, 30);
    if (draw.one_in(50))
        problem.inputs[0].dtype = draw.of({DType::string, DType::undefined, DType::complex64, DType::complex128});
    if (draw.one_in(50))
        problem.inputs[0].dims.push_back(-1);
    problem.attributes = op;
    return problem;
}

}  // namespace

Case draw_cast(Draw& draw)
{
    for (;;) {
        const Case problem = drawn(draw);
        const Result<Resolution> resolution = resolve(problem);
        if (!resolution || *element_count(resolution->output) <= 20'000)
            return problem;
    }
}

}  // namespace vkonnx::kit
