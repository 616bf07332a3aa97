// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/sampler.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t deform_conv_versions[] = {19, 22};
constexpr Schema::Input deform_conv_inputs[] = {{.name = "X"},
                                                {.name = "W"},
                                                {.name = "offset"},
                                                {.name = "B", .option = Schema::Option::optional},
                                                {.name = "mask", .option = Schema::Option::optional}};
constexpr Schema::Output deform_conv_outputs[] = {{"Y"}};
}  // namespace

constinit const Schema DeformConv::schema = {
    .name = "DeformConv", .versions = deform_conv_versions, .inputs = deform_conv_inputs, .outputs = deform_conv_outputs};

// X is sampled at each tap of each output, and the samples are multiplied by the weights. While sampling, the channels that share
// their offsets count as an image of their own:
//
//   samples (N * offset groups, taps * outputs, C / offset groups) -> (N, groups, C / groups * taps, outputs)
//   Y = W (groups, M / groups, C / groups * taps) * samples + B
void DeformConv::compose(Composer& composer) const
{
    const Operand x = composer.input(0), w = composer.input(1), offset = composer.input(2);
    const std::vector<int64_t>&dims = x.desc.dims, &of_w = w.desc.dims;
    const size_t rank = dims.size(), axes = rank < 2 ? 0 : rank - 2;
    const int64_t groups = group.value_or(1), offset_groups = offset_group.value_or(1);
    if (!composer.check_floats(0, "X") ||
        !composer.check(axes >= 1, "X is " + to_string(x.desc) + ", expected a batch, channels and spatial axes") ||
        !composer.check(axes <= 12, "X is " + to_string(x.desc) + ", whose " + std::to_string(axes) +
                                        " spatial axes are more than the 12 that this library samples") ||
        !composer.check(of_w.size() == rank, "W is " + to_string(w.desc) + ", expected the rank of X, " + std::to_string(rank)) ||
        !composer.check(groups >= 1 && dims[1] % groups == 0 && of_w[0] % groups == 0 && of_w[1] == dims[1] / groups,
                        "group = " + std::to_string(groups) + " must divide the channels of X, " + to_string(x.desc) +
                            ", and of W, " + to_string(w.desc) + ", whose axis 1 has those of a group") ||
        !composer.check(offset_groups >= 1 && dims[1] % offset_groups == 0, "offset_group = " + std::to_string(offset_groups) +
                                                                                " must divide the channels of X, " +
                                                                                to_string(x.desc)))
        return;
    const std::vector<int64_t> kernel = {of_w.begin() + 2, of_w.end()};
    const std::vector<int64_t> steps = strides.value_or(std::vector<int64_t>(axes, 1));
    const std::vector<int64_t> spread = dilations.value_or(std::vector<int64_t>(axes, 1));
    const std::vector<int64_t> around = pads.value_or(std::vector<int64_t>(2 * axes, 0));
    if (!composer.check_list("spatial extents of X", {dims.begin() + 2, dims.end()}, axes, 0) ||
        !composer.check_list("spatial extents of W", kernel, axes, 1) || !composer.check_list("strides", steps, axes, 1) ||
        !composer.check_list("dilations", spread, axes, 1) || !composer.check_list("pads", around, 2 * axes, 0) ||
        !composer.check(kernel_shape.value_or(kernel) == kernel,
                        "kernel_shape must be the spatial extents of W, " + to_string(w.desc)))
        return;
    const int64_t batch = dims[0], channels = dims[1], outputs = of_w[0], taps = extent_of(kernel, 0, axes);
    std::vector<int64_t> shape = {batch, outputs};
    for (size_t i = 0; i < axes; ++i) {
        const int64_t room = dims[2 + i] + around[i] + around[axes + i] - spread[i] * (kernel[i] - 1) - 1;
        if (!composer.check(room >= 0, "axis " + std::to_string(2 + i) + " of X, with its pads, is smaller than the kernel"))
            return;
        shape.push_back(room / steps[i] + 1);
    }
    const auto of_taps = [&](int64_t numbers) {  // for each tap of each output, in all groups of offsets
        std::vector<int64_t> all = shape;
        all[1] = extent_of({offset_groups, taps, numbers}, 0, 3);
        return all;
    };
    if (!composer.check_dims(2, "offset", of_taps(int64_t(axes))) || !composer.check_dims(3, "B", {outputs}) ||
        !composer.check_dims(4, "mask", of_taps(1)))
        return;

    const DType wide = computed_in(x.desc.dtype);
    const int64_t places = extent_of(shape, 2, rank), images = extent_of({batch, offset_groups}, 0, 2);
    const int64_t count = extent_of({taps, places}, 0, 2);  // of the samples of an image
    Operand y;
    if (extent_of(dims, 0, rank) == 0 || extent_of(shape, 0, rank) == 0) {  // nothing to look at
        const Operand zero = composer.constant({wide, {1, 1, 1}}, [](int64_t) { return 0.0; });
        y = composer.add(Expand{.shape = {batch, outputs, places}}, {zero});
    } else {
        std::vector<int64_t> of_image = dims;
        of_image[0] = images;
        of_image[1] = channels / offset_groups;
        Sampler sampler(composer, Composer::view(x, of_image), Sampling::linear, Padding::zeros, true);
        const Operand offsets = Composer::view(composer.cast(offset, wide), {images, taps, int64_t(axes), places});
        for (size_t axis = 0; axis < axes; ++axis) {
            const auto number = int64_t(axis);
            const Operand moved = Composer::view(
                composer.add(Slice{.starts = {number}, .ends = {number + 1}, .axes = {2}}, {offsets}), {images, count});
            const int64_t tap_step = extent_of(kernel, axis + 1, axes), place_step = extent_of(shape, axis + 3, rank);
            const Operand unmoved = composer.constant({wide, {1, count}}, [&, axis](int64_t i) {
                const int64_t tap = i / places / tap_step % kernel[axis], place = i % places / place_step % shape[2 + axis];
                return double(place * steps[axis] - around[axis] + tap * spread[axis]);
            });
            sampler.add_axis(composer.add(ElementwiseKind::add, {unmoved, moved}));
        }
        Operand samples = sampler.samples();
        if (composer.has(4))
            samples = composer.add(ElementwiseKind::mul,
                                   {samples, Composer::view(composer.cast(composer.input(4), wide), {images, count, 1})});
        samples = Composer::view(samples, {images, taps, places, channels / offset_groups});
        samples = composer.add(Transpose{.perm = {0, 3, 1, 2}}, {samples});
        const int64_t terms = of_w[1] * taps;
        y = composer.add(MatMul(), {Composer::view(composer.cast(w, wide), {groups, outputs / groups, terms}),
                                    Composer::view(samples, {batch, groups, terms, places})});
    }
    y = Composer::view(y, {batch, outputs, places});
    if (composer.has(3))
        y = composer.add(ElementwiseKind::add, {y, Composer::view(composer.cast(composer.input(3), wide), {outputs, 1})});
    composer.set_output(0, Composer::view(composer.cast(y, x.desc.dtype), shape));
}

}  // namespace vkonnx::graph
