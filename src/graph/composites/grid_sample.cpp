// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/sampler.h"

namespace vkonnx::graph {
namespace {

constexpr int64_t grid_sample_versions[] = {16, 20, 22};
constexpr Schema::Input grid_sample_inputs[] = {{.name = "X"}, {.name = "grid"}};
constexpr Schema::Output grid_sample_outputs[] = {{"Y"}};

// Returns the place along an axis that the grid's number means: -1 and 1 are the centers of the first and the last element, or,
// where it is not aligned, their outer edges.
Operand place_of(Composer& composer, const Operand& number, int64_t extent, bool aligned)
{
    using enum ElementwiseKind;
    const auto real = [&](double value) { return composer.constant(number.desc.dtype, value); };
    const Operand shifted = composer.add(add, {number, real(1)});
    if (aligned)
        return composer.add(mul, {shifted, real(double(extent - 1) / 2)});
    return composer.add(sub, {composer.add(mul, {shifted, real(double(extent) / 2)}), real(0.5)});
}

}  // namespace

constinit const Schema GridSample::schema = {
    .name = "GridSample", .versions = grid_sample_versions, .inputs = grid_sample_inputs, .outputs = grid_sample_outputs};

void GridSample::compose(Composer& composer) const
{
    const Operand x = composer.input(0), grid = composer.input(1);
    const std::vector<int64_t>& dims = x.desc.dims;
    const size_t axes = dims.size() < 2 ? 0 : dims.size() - 2;
    const bool is_old = composer.version() < 20;
    const std::string wanted = mode.value_or(is_old ? "bilinear" : "linear");
    const std::string padding = padding_mode.value_or("zeros");
    const bool is_linear = wanted == (is_old ? "bilinear" : "linear"), is_cubic = wanted == (is_old ? "bicubic" : "cubic");
    const bool aligned = composer.flag(align_corners, "align_corners");
    if (!composer.check(is_linear || is_cubic || wanted == "nearest",
                        "mode = " + quote(wanted) + " must be " +
                            (is_old ? "bilinear, nearest or bicubic" : "linear, nearest or cubic")) ||
        !composer.check(padding == "zeros" || padding == "border" || padding == "reflection",
                        "padding_mode = " + quote(padding) + " must be zeros, border or reflection") ||
        !composer.check(axes >= 1 && (axes == 2 || !is_old), "X is " + to_string(x.desc) + ", expected " +
                                                                 (is_old ? "four dimensions" : "three dimensions or more")) ||
        !composer.check_floats(1, "grid") || (wanted != "nearest" && !composer.check_floats(0, "X")))
        return;
    const std::vector<int64_t>& places = grid.desc.dims;
    if (!composer.check(places.size() == dims.size() && places.front() == dims[0] && places.back() == int64_t(axes),
                        "grid is " + to_string(grid.desc) + ", but must have X's rank, X's batch and " + std::to_string(axes) +
                            " numbers for each place"))
        return;
    const Sampling sampling = is_cubic ? Sampling::cubic : is_linear ? Sampling::linear : Sampling::nearest;
    const int64_t each = Sampler::taps_of(sampling);
    if (!composer.check(extent_of(std::vector<int64_t>(axes, each), 0, axes) <= Sampler::most_combinations,
                        "X is " + to_string(x.desc) + ", whose " + std::to_string(axes) + " spatial axes have more than " +
                            std::to_string(Sampler::most_combinations) + " combinations of " + std::to_string(each) +
                            " taps, which is the limit of this library"))
        return;
    const int64_t batch = dims[0], channels = dims[1], elements = extent_of(dims, 2, dims.size());
    const int64_t count = extent_of(places, 1, places.size() - 1);
    const auto output = [&](const Operand& operand) {
        std::vector<int64_t> shape = {batch, channels};
        shape.insert(shape.end(), places.begin() + 1, places.end() - 1);
        composer.set_output(0, Composer::view(operand, std::move(shape)));
    };
    if (elements == 0 || batch == 0 || channels == 0 || count == 0) {  // nothing to look at
        output(composer.constant({.dtype = x.desc.dtype, .dims = {batch, channels, count}}, [](int64_t) { return 0.0; }));
        return;
    }

    Sampler sampler(composer, x, sampling,
                    padding == "zeros"    ? Padding::zeros
                    : padding == "border" ? Padding::border
                                          : Padding::reflection,
                    aligned);
    const Operand numbers = Composer::view(composer.cast(grid, computed_in(grid.desc.dtype)), {batch, count, int64_t(axes)});
    for (size_t axis = 0; axis < axes; ++axis) {
        const auto entry = int64_t(axes - 1 - axis);  // the grid begins with the last axis
        const Operand number =
            Composer::view(composer.add(Slice{.starts = {entry}, .ends = {entry + 1}, .axes = {2}}, {numbers}), {batch, count});
        sampler.add_axis(place_of(composer, number, dims[2 + axis], aligned));
    }
    Operand samples = sampler.samples();
    if (!composer.status())
        return;
    if (channels > 1)
        samples = composer.add(Transpose{.perm = {0, 2, 1}}, {samples});
    output(composer.cast(samples, x.desc.dtype));
}

}  // namespace vkonnx::graph
