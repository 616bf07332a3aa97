// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"
#include "graph/reals.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t col2im_versions[] = {18};
constexpr Schema::Input col2im_inputs[] = {
    {.name = "input"}, {.name = "image_shape", .member = "image_shape"}, {.name = "block_shape", .member = "block_shape"}};
constexpr Schema::Output col2im_outputs[] = {{"output"}};

// Returns the type that elements are added in: integers of 8 and 16 bits have no sums of their own, and bools are "or"ed.
DType summed_in(DType dtype)
{
    const bool is_small = dtype == DType::int8 || dtype == DType::int16 || dtype == DType::uint8 || dtype == DType::uint16;
    return is_small || dtype == DType::boolean ? DType::int32 : computed_in(dtype);
}
}  // namespace

constinit const Schema Col2Im::schema = {
    .name = "Col2Im", .versions = col2im_versions, .inputs = col2im_inputs, .outputs = col2im_outputs};

// An element of the image is the sum of one element of the input for each tap of a block, from the block that has this tap there.
// Where none has, it is a zero that is put behind the input.
//
//   input (N, C * taps, blocks) -> (N * C, taps * blocks + 1) -> taken: (N * C, taps, image) -> sum: (N * C, image)
void Col2Im::compose(Composer& composer) const
{
    const Operand x = composer.input(0);
    const std::vector<int64_t>& dims = x.desc.dims;
    const auto list = [](const std::vector<double>& numbers) { return std::vector<int64_t>(numbers.begin(), numbers.end()); };
    const std::vector<int64_t> image = list(composer.numbers(1, "image_shape"));
    const std::vector<int64_t> block = list(composer.numbers(2, "block_shape"));
    const size_t axes = image.size();
    const std::vector<int64_t> steps = strides.value_or(std::vector<int64_t>(axes, 1));
    const std::vector<int64_t> spread = dilations.value_or(std::vector<int64_t>(axes, 1));
    const std::vector<int64_t> around = pads.value_or(std::vector<int64_t>(2 * axes, 0));
    if (!composer.check(dims.size() == 3, "input is " + to_string(x.desc) + ", expected three dimensions") ||
        !composer.check(is_real(x.desc.dtype) || is_integer(x.desc.dtype) || x.desc.dtype == DType::boolean,
                        "input is " + to_string(x.desc) + ", expected floats, integers or bools") ||
        !composer.check(axes > 0, "image_shape has no elements, expected one for each axis of the image") ||
        !composer.check_list("image_shape", image, axes, 1) || !composer.check_list("block_shape", block, axes, 1) ||
        !composer.check_list("strides", steps, axes, 1) || !composer.check_list("dilations", spread, axes, 1) ||
        !composer.check_list("pads", around, 2 * axes, 0))
        return;
    std::vector<int64_t> counts;  // of blocks along each axis
    for (size_t i = 0; i < axes; ++i) {
        const int64_t room = image[i] + around[i] + around[axes + i] - spread[i] * (block[i] - 1) - 1;
        if (!composer.check(room >= 0, "block_shape[" + std::to_string(i) + "] = " + std::to_string(block[i]) +
                                           " is larger than the image with its pads"))
            return;
        counts.push_back(room / steps[i] + 1);
    }
    const int64_t taps = extent_of(block, 0, axes), blocks = extent_of(counts, 0, axes), elements = extent_of(image, 0, axes);
    if (!composer.check(dims[1] % taps == 0, "input is " + to_string(x.desc) + ", expected a multiple of block_shape's " +
                                                 std::to_string(taps) + " elements along axis 1") ||
        !composer.check(dims[2] == blocks,
                        "input is " + to_string(x.desc) + ", expected " + std::to_string(blocks) + " blocks along axis 2"))
        return;

    const int64_t rows = extent_of({dims[0], dims[1] / taps}, 0, 2), given = extent_of({taps, blocks}, 0, 2);
    const Operand sums = composer.cast(x, summed_in(x.desc.dtype));
    const Operand columns = composer.add(Pad{.pads = {0, 0, 0, 1}}, {Composer::view(sums, {rows, given})});
    const auto from = [&](int64_t i) {  // which element of the columns lies at a tap of an element of the image
        int64_t tap = i / elements, place = i % elements, number = 0, step = 1;
        for (size_t axis = axes; axis-- > 0;) {
            const int64_t begin = place % image[axis] + around[axis] - tap % block[axis] * spread[axis];
            if (begin < 0 || begin % steps[axis] != 0 || begin / steps[axis] >= counts[axis])
                return double(given);
            number += begin / steps[axis] * step;
            step *= counts[axis];
            place /= image[axis];
            tap /= block[axis];
        }
        return double(i / elements * blocks + number);
    };
    const Operand places = composer.constant({.dtype = DType::int64, .dims = {taps, elements}}, from);
    const Operand taken = composer.add(Gather{.axis = 1}, {columns, places});
    const Operand y = composer.add(ReduceSum{.axes = {1}, .keepdims = 0}, {taken});
    std::vector<int64_t> shape = {dims[0], dims[1] / taps};
    shape.insert(shape.end(), image.begin(), image.end());
    composer.set_output(0, Composer::view(composer.cast(y, x.desc.dtype), std::move(shape)));
}

}  // namespace vkonnx::graph
