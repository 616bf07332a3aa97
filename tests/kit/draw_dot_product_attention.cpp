#include "kit/draw.h"

namespace vkonnx::kit {

Case draw_dot_product_attention(Draw& draw)
{
    const DType dtype = draw.of({DType::float32, DType::float16, DType::bfloat16});
    const int64_t batch = draw.between(1, 2), key_heads = draw.between(1, 2), heads = key_heads * draw.of<int64_t>({1, 1, 2});
    const int64_t unit = draw.of<int64_t>({1, 4, 4});  // kernels for tiles take whole quads
    const int64_t size = unit * draw.between(1, 10), value_size = draw.one_in(2) ? size : unit * draw.between(1, 10);
    const int64_t queries = draw.one_in(3) ? 1 : draw.between(1, 36), keys = draw.one_in(40) ? 0 : draw.between(1, 70);
    DotProductAttention op = {.opset = draw.between(1, newest_opset)};
    if (draw.one_in(3))
        op.scale = float(draw.between(-8, 8)) / 16;
    const auto tensor = [&](int64_t count, int64_t rows, int64_t elements) {
        return draw.one_in(2) ? TensorDesc{dtype, {batch, rows, count * elements}}
                              : TensorDesc{dtype, {batch, count, rows, elements}};
    };
    Case drawn = {.name = "drawn",
                  .inputs = {tensor(heads, queries, size), tensor(key_heads, keys, size), tensor(key_heads, keys, value_size)}};
    if (drawn.inputs[0].dims.size() == 3 || draw.one_in(4))
        op.q_num_heads = heads;
    if (drawn.inputs[1].dims.size() == 3 || drawn.inputs[2].dims.size() == 3 || draw.one_in(4))
        op.kv_num_heads = key_heads;
    if (draw.one_in(2))
        drawn.inputs.push_back({dtype, draw_narrowed(draw, {batch, heads, queries, keys})});
    drawn.attributes = op;
    return drawn;
}

}  // namespace vkonnx::kit
