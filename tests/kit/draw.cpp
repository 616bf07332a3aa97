#include "kit/draw.h"

#include <cstdlib>

namespace vkonnx::kit {

Draw::Draw()
{
    const char* given = std::getenv("VKONNX_TEST_SEED");
    seed_ = given ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : std::random_device()();
    engine_.seed(seed_);
}

int64_t Draw::between(int64_t least, int64_t most)
{
    return least + static_cast<int64_t>(engine_() % static_cast<uint64_t>(most - least + 1));
}

std::vector<int64_t> Draw::list(size_t entries, int64_t least, int64_t most)
{
    std::vector<int64_t> values(one_in(100) ? entries + 1 : entries);
    for (int64_t& value : values)
        value = one_in(100) ? -1 : between(least, most);
    return values;
}

std::vector<int64_t> Draw::maybe(size_t entries, int64_t least, int64_t most)
{
    return one_in(2) ? std::vector<int64_t>() : list(entries, least, most);
}

namespace {

AutoPad draw_auto_pad(Draw& draw)
{
    return draw.of({AutoPad::notset, AutoPad::notset, AutoPad::same_upper, AutoPad::same_lower, AutoPad::valid});
}

}  // namespace

Case draw_conv_transpose(Draw& draw)
{
    const size_t n = static_cast<size_t>(draw.between(1, 3));
    ConvTranspose a;
    a.opset = draw.of<int64_t>({1, 10, 11, 21, 22, 25});
    a.rules = draw.of({Rules::specification, Rules::onnxruntime});
    a.auto_pad = draw_auto_pad(draw);
    a.strides = draw.maybe(n, 1, 4);
    a.dilations = draw.maybe(n, 1, 4);
    a.pads = draw.one_in(2) ? std::vector<int64_t>() : draw.list(2 * n, 0, 4);
    a.output_padding = draw.one_in(3) ? draw.list(n, 0, 3) : std::vector<int64_t>();
    a.group = draw.of<int64_t>({1, 1, 1, 2, 3});
    const int64_t batch = draw.between(0, 2);
    const int64_t columns = draw.between(0, 2);
    const int64_t channels = a.group * draw.between(0, 2) + (draw.one_in(50) ? 1 : 0);
    Case problem;
    problem.name = "drawn";
    problem.inputs = {{DType::float32, {batch, channels}}, {DType::float32, {channels, columns}}};
    for (size_t i = 0; i < n; ++i) {
        problem.inputs[0].dims.push_back(draw.between(0, 6));
        problem.inputs[1].dims.push_back(draw.one_in(100) ? 0 : draw.between(1, 5));
    }
    if (draw.one_in(3)) {
        a.output_shape = draw.list(n, 0, 12);
        if (draw.one_in(3))
            a.output_shape.insert(a.output_shape.begin(), {batch, columns * a.group + (draw.one_in(9) ? 1 : 0)});
    }
    if (draw.one_in(4))
        a.kernel_shape.assign(problem.inputs[1].dims.begin() + 2, problem.inputs[1].dims.end());
    if (draw.one_in(3))
        problem.inputs.push_back({DType::float32, {columns * a.group + (draw.one_in(50) ? 1 : 0)}});
    problem.attributes = a;
    return problem;
}

Case draw_average_pool(Draw& draw)
{
    const size_t n = static_cast<size_t>(draw.between(1, 3));
    AveragePool a;
    a.opset = draw.of<int64_t>({1, 7, 9, 10, 11, 18, 19, 22, 22, 22, 25, 25});
    a.rules = draw.of({Rules::specification, Rules::onnxruntime});
    a.auto_pad = draw_auto_pad(draw);
    a.kernel_shape = draw.list(n, 1, 5);
    a.strides = draw.maybe(n, 1, 4);
    a.dilations = draw.maybe(n, 1, 3);
    a.pads = draw.maybe(2 * n, 0, 4);
    if (draw.one_in(2))
        a.ceil_mode = draw.between(0, 1);
    if (draw.one_in(2))
        a.count_include_pad = draw.between(0, 1);
    Case problem;
    problem.name = "drawn";
    problem.inputs = {{DType::float32, {draw.between(0, 2), draw.between(0, 2)}}};
    for (size_t i = 0; i < n; ++i)
        problem.inputs[0].dims.push_back(draw.between(0, 9));
    problem.attributes = a;
    return problem;
}

Case draw_shape(Draw& draw)
{
    Shape a;
    a.opset = draw.between(0, 27);
    if (draw.one_in(2))
        a.start = draw.between(-5, 5);
    if (draw.one_in(2))
        a.end = draw.between(-5, 5);
    Case problem;
    problem.name = "drawn";
    problem.inputs = {{static_cast<DType>(draw.between(1, 26)), {}}};
    for (int64_t rank = draw.between(0, 4); rank > 0; --rank)
        problem.inputs[0].dims.push_back(draw.between(0, 9));
    problem.attributes = a;
    return problem;
}

}  // namespace vkonnx::kit
