// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t affine_grid_versions[] = {20};
constexpr Schema::Input affine_grid_inputs[] = {{.name = "theta"}, {.name = "size", .member = "size"}};
constexpr Schema::Output affine_grid_outputs[] = {{"grid"}};
}  // namespace

constinit const Schema AffineGrid::schema = {
    .name = "AffineGrid", .versions = affine_grid_versions, .inputs = affine_grid_inputs, .outputs = affine_grid_outputs};

// The places of a regular grid over [-1, 1] on each axis, as rows (x, y, 1) or (x, y, z, 1), are multiplied by theta transposed.
// x goes along the last axis. Places are the centers of elements, or with align_corners the first and the last one are the ends.
void AffineGrid::compose(Composer& composer) const
{
    const Operand theta = composer.input(0);
    const std::vector<double> size = composer.numbers(1, "size");
    const bool aligned = composer.flag(align_corners, "align_corners");
    const size_t axes = size.size() < 2 ? 0 : size.size() - 2;
    if (!composer.check_floats(0, "theta") ||
        !composer.check(axes == 2 || axes == 3, "size has " + std::to_string(size.size()) + " elements, expected 4 or 5"))
        return;
    std::vector<int64_t> dims;  // N and the spatial extents
    for (size_t i = 0; i < size.size(); ++i) {
        if (!composer.check(size[i] >= 0 && size[i] < 0x1p31,
                            "size[" + std::to_string(i) + "] = " + std::to_string(size[i]) + " must be from 0 to 2147483647"))
            return;
        if (i != 1)
            dims.push_back(int64_t(size[i]));
    }
    const auto rank = int64_t(axes);
    const std::vector<int64_t> expected = {dims[0], rank, rank + 1};
    if (!composer.check(theta.desc.dims == expected, "theta is " + to_string(theta.desc) + ", expected the dimensions " +
                                                         to_string({.dtype = theta.desc.dtype, .dims = expected}) +
                                                         " for this size"))
        return;

    const DType dtype = theta.desc.dtype, wide = computed_in(dtype);
    const int64_t places = extent_of(dims, 1, dims.size());
    const Operand rows = composer.constant({wide, {places, rank + 1}}, [&](int64_t i) {
        const int64_t column = i % (rank + 1);
        if (column == rank)
            return 1.0;
        int64_t place = i / (rank + 1);
        for (size_t axis = axes; axis > axes - size_t(column); --axis)
            place /= dims[axis];
        const int64_t extent = dims[axes - size_t(column)];
        const auto at = double(place % extent);
        return aligned ? (extent > 1 ? 2 * at / double(extent - 1) - 1 : -1) : (2 * at + 1) / double(extent) - 1;
    });
    const Operand turned = composer.add(Transpose{.perm = {0, 2, 1}}, {composer.cast(theta, wide)});
    const Operand product = composer.cast(composer.add(MatMul(), {rows, turned}), dtype);
    dims.push_back(rank);
    composer.set_output(0, Composer::view(product, std::move(dims)));
}

}  // namespace vkonnx::graph
