#include "kit/draw.h"

namespace vkonnx::kit {

Case draw_block_quantized_mat_mul(Draw& draw)
{
    const DType dtype = draw.of({DType::float32, DType::float16, DType::bfloat16});
    const int64_t bits = draw.of<int64_t>({2, 4, 4, 8}), size = draw.of<int64_t>({16, 32, 32, 64, 128});
    const int64_t unit = draw.of<int64_t>({1, 64, 64});  // the kernel of few rows takes whole quads of words
    const int64_t inner = draw.one_in(40) ? 0 : unit * draw.between(1, unit == 1 ? 150 : 5);
    const int64_t columns = draw.one_in(40) ? 0 : draw.between(1, 24), blocks = (inner + size - 1) / size;
    BlockQuantizedMatMul op = {.opset = draw.between(1, newest_opset), .block_size = size};
    if (bits != 4 || draw.one_in(2))
        op.bits = bits;
    std::vector<int64_t> a = {inner};
    for (int64_t axes = draw.between(0, 2); axes > 0; --axes)
        a.insert(a.begin(), draw.between(1, 4));
    Case drawn = {.name = "drawn",
                  .attributes = op,
                  .inputs = {{dtype, a}, {DType::uint8, {columns, blocks, size * bits / 8}}, {dtype, {columns, blocks}}}};
    if (draw.one_in(2))
        drawn.inputs.push_back({DType::uint8, {columns, (blocks * bits + 7) / 8}});
    return drawn;
}

}  // namespace vkonnx::kit
