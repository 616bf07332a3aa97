// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/contrib.h"
#include "graph/composites/packed_bits.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;

constexpr Schema::Input mat_mul_n_bits_inputs[] = {{.name = "A"},
                                                   {.name = "B"},
                                                   {.name = "scales"},
                                                   {.name = "zero_points", .option = Option::optional},
                                                   {.name = "g_idx", .option = Option::optional},
                                                   {.name = "bias", .option = Option::optional}};

// A product of at most this many rows of A reads W's packed integers. With more rows, the kernel would make floats of the same
// integers again and again, so W is made a matrix of floats once.
constexpr int64_t few_rows = 16;

}  // namespace

Operand unpacked_bits(Composer& composer, const Operand& packed, int64_t rows, int64_t bytes, int64_t bits)
{
    const int64_t each = 8 / bits;
    if (each == 1)
        return Composer::view(packed, {rows, bytes});
    const Operand shifts = composer.constant({DType::uint8, {each}}, [=](int64_t i) { return double(i * bits); });
    const Operand shifted =
        composer.add(BitShift{.direction = ShiftDirection::right}, {Composer::view(packed, {rows * bytes, 1}), shifts});
    const Operand mask = composer.constant(DType::uint8, double((1 << bits) - 1));
    return Composer::view(composer.add(BitwiseAnd(), {shifted, mask}), {rows, bytes * each});
}

bool check_packing(Composer& composer, int64_t bits, int64_t block_size)
{
    return composer.check(bits == 2 || bits == 4 || bits == 8, "bits = " + std::to_string(bits) + " must be 2, 4 or 8") &&
           composer.check(block_size >= 16 && block_size <= 65536 && (block_size & (block_size - 1)) == 0,
                          "block_size = " + std::to_string(block_size) + " must be a power of 2 from 16 to 65536");
}

constinit const Schema MatMulNBits::schema = contrib("MatMulNBits", mat_mul_n_bits_inputs);

// Y = A * W^T + bias. Of few rows of A BlockQuantizedMatMul makes the product, and W stays as small as it is. Of more rows W is
// made floats. What is known of it is computed once. A row of W is in blocks, and each block has a scale and a zero point:
//
//   B (N, blocks, bytes of a block) -> integers (N, blocks, block_size) -> (integer - zero point) * scale -> W (N, K)
void MatMulNBits::compose(Composer& composer) const
{
    using enum ElementwiseKind;
    const Operand a = composer.input(0), b = composer.input(1), given_scales = composer.input(2);
    const int64_t columns = K.value_or(0), rows = N.value_or(0), width = bits.value_or(4), size = block_size.value_or(0);
    if (!check_packing(composer, width, size) || !composer.check_list("K and N", {columns, rows}, 2, 1) ||
        !composer.check_floats(0, "A") || !composer.check_floats(2, "scales") ||
        !composer.check(!a.desc.dims.empty() && a.desc.dims.back() == columns, "A is " + to_string(a.desc) +
                                                                                   ", expected K = " + std::to_string(columns) +
                                                                                   " elements along its last axis"))
        return;
    const int64_t blocks = (columns + size - 1) / size, bytes = size * width / 8, packed_zeros = (blocks * width + 7) / 8;
    const auto has_elements = [&](size_t input, std::string_view name, DType dtype, int64_t elements) {
        const TensorDesc& desc = composer.input(input).desc;
        return composer.check(desc.dtype == dtype && extent_of(desc.dims, 0, desc.dims.size()) == elements,
                              std::string(name) + " is " + to_string(desc) + ", expected " + std::to_string(elements) +
                                  " elements of type " + std::string(vkonnx::name(dtype)));
    };
    const bool packs_zeros = composer.has(3) && composer.input(3).desc.dtype == DType::uint8;
    if (!has_elements(1, "B", DType::uint8, extent_of({rows, blocks, bytes}, 0, 3)) ||
        !has_elements(2, "scales", given_scales.desc.dtype, extent_of({rows, blocks}, 0, 2)) ||
        (composer.has(3) && !has_elements(3, "zero_points", packs_zeros ? DType::uint8 : given_scales.desc.dtype,
                                          extent_of({rows, packs_zeros ? packed_zeros : blocks}, 0, 2))) ||
        (composer.has(4) && !has_elements(4, "g_idx", DType::int32, columns)) ||
        (composer.has(5) && !has_elements(5, "bias", a.desc.dtype, rows)))
        return;

    const auto with_bias = [&](const Operand& y) {
        return composer.has(5) ? composer.add(add, {y, Composer::view(composer.input(5), {rows})}) : y;
    };
    const DType dtype = a.desc.dtype;
    const bool has_rows = extent_of(a.desc.dims, 0, a.desc.dims.size() - 1) <= few_rows;
    const bool binds_all = composer.capabilities().max_storage_buffers >= (packs_zeros ? 5u : 4u);  // Y among them
    if (has_rows && binds_all && dtype != DType::float64 && !composer.has(4) && (!composer.has(3) || packs_zeros)) {
        std::vector<Operand> inputs = {a, Composer::view(b, {rows, blocks, bytes}),
                                       Composer::view(composer.cast(given_scales, dtype), {rows, blocks})};
        if (packs_zeros)
            inputs.push_back(Composer::view(composer.input(3), {rows, packed_zeros}));
        return composer.set_output(
            0, with_bias(composer.add(BlockQuantizedMatMul{.bits = width, .block_size = size}, std::move(inputs))));
    }

    const auto first = [&](const Operand& operand, int64_t count) {  // the first columns
        return operand.desc.dims[1] == count ? operand
                                             : composer.add(Slice{.starts = {0}, .ends = {count}, .axes = {1}}, {operand});
    };
    const DType wide = DType::float32;
    Operand zeros = composer.constant(wide, double(1 << (width - 1)));
    if (packs_zeros)
        zeros = composer.cast(first(unpacked_bits(composer, composer.input(3), rows, packed_zeros, width), blocks), wide);
    else if (composer.has(3))
        zeros = Composer::view(composer.cast(composer.input(3), wide), {rows, blocks});
    Operand scales = Composer::view(composer.cast(given_scales, wide), {rows, blocks});
    Operand w = composer.cast(unpacked_bits(composer, b, rows, blocks * bytes, width), wide);
    if (composer.has(4)) {  // which block's scale each column has
        scales = composer.add(Gather{.axis = 1}, {scales, Composer::view(composer.input(4), {columns})});
        if (composer.has(3))
            zeros = composer.add(Gather{.axis = 1}, {zeros, Composer::view(composer.input(4), {columns})});
        w = first(w, columns);
    } else {
        w = Composer::view(w, {rows, blocks, size});
        scales = Composer::view(scales, {rows, blocks, 1});
        if (composer.has(3))
            zeros = Composer::view(zeros, {rows, blocks, 1});
    }
    w = composer.add(mul, {composer.add(sub, {w, zeros}), scales});
    w = first(Composer::view(w, {rows, composer.has(4) ? columns : blocks * size}), columns);
    w = composer.add(Transpose{.perm = {1, 0}}, {composer.cast(w, dtype)});
    composer.set_output(0, with_bias(composer.add(MatMul(), {a, w})));
}

}  // namespace vkonnx::graph
