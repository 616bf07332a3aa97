// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t max_unpool_versions[] = {9, 11, 22};
constexpr Schema::Input max_unpool_inputs[] = {
    {.name = "X"}, {.name = "I"}, {.name = "output_shape", .option = Schema::Option::optional, .member = "output_shape"}};
constexpr Schema::Output max_unpool_outputs[] = {{"output"}};
}  // namespace

constinit const Schema MaxUnpool::schema = {
    .name = "MaxUnpool", .versions = max_unpool_versions, .inputs = max_unpool_inputs, .outputs = max_unpool_outputs};

// Indices are those of a tensor whose windows cover it exactly. A larger output_shape adds zeros behind its elements, as in
// ONNX's own case of it.
void MaxUnpool::compose(Composer& composer) const
{
    const Operand x = composer.input(0), indices = composer.input(1);
    const std::vector<int64_t>& dims = x.desc.dims;
    if (!composer.check_floats(0, "X") ||
        !composer.check(dims.size() > 2, "X is " + to_string(x.desc) + ", expected a batch, channels and spatial axes") ||
        !composer.check(indices.desc.dtype == DType::int64 && indices.desc.dims == dims,
                        "I is " + to_string(indices.desc) + ", expected int64 with the dimensions of X, " + to_string(x.desc)))
        return;
    const size_t axes = dims.size() - 2;
    const std::vector<int64_t> kernel = kernel_shape.value_or(std::vector<int64_t>());
    const std::vector<int64_t> steps = strides.value_or(std::vector<int64_t>(axes, 1));
    std::vector<int64_t> around = pads.value_or(std::vector<int64_t>(2 * axes, 0));
    if (!composer.check_list("spatial extents of X", {dims.begin() + 2, dims.end()}, axes, 0) ||
        !composer.check_list("kernel_shape", kernel, axes, 1) || !composer.check_list("strides", steps, axes, 1) ||
        !composer.check_list("pads", around, 2 * axes, 0))
        return;
    if (composer.has(2))
        around.assign(2 * axes, 0);  // the document has output_shape take the place of pads
    std::vector<int64_t> shape = dims;
    for (size_t i = 0; i < axes; ++i) {
        shape[2 + i] = (dims[2 + i] - 1) * steps[i] + kernel[i] - around[i] - around[axes + i];
        if (!composer.check(shape[2 + i] >= 0, "pads take more from axis " + std::to_string(2 + i) + " than windows cover"))
            return;
    }
    Pad more = {.pads = std::vector<int64_t>(2 * dims.size())};
    bool has_more = false;
    if (composer.has(2)) {
        const std::vector<double> wanted = composer.numbers(2, "output_shape");
        if (!composer.check(wanted.size() == dims.size(), "output_shape has " + std::to_string(wanted.size()) +
                                                              " elements, expected " + std::to_string(dims.size())))
            return;
        for (size_t i = 0; i < dims.size(); ++i) {
            const std::string name = "output_shape[" + std::to_string(i) + "]";
            if (i < 2 ? !composer.check(wanted[i] == double(dims[i]), name + " must be " + std::to_string(dims[i]) + ", as in X")
                      : !composer.check(wanted[i] >= double(shape[i]) && wanted[i] < 0x1p31,
                                        name + " must be from " + std::to_string(shape[i]) +
                                            ", which windows cover, to 2147483647"))
                return;
            more.pads[dims.size() + i] = int64_t(wanted[i]) - shape[i];
            has_more = has_more || more.pads[dims.size() + i] > 0;
        }
    }

    const int64_t elements = extent_of(shape, 0, shape.size()), given = extent_of(dims, 0, dims.size());
    const Operand zeros =
        composer.add(Expand{.shape = {elements}}, {composer.constant({x.desc.dtype, {1}}, [](int64_t) { return 0.0; })});
    const Operand put =
        composer.add(ScatterElements{.axis = 0}, {zeros, Composer::view(indices, {given}), Composer::view(x, {given})});
    const Operand y = Composer::view(put, shape);
    composer.set_output(0, has_more ? composer.add(std::move(more), {y}) : y);
}

}  // namespace vkonnx::graph
