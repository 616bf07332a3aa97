// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/conv_transpose_common.h"
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

using onednn::FilterFormat;

// FilterPlaces tells which dimensions of W are its input channels, the output channels of a group, and the kernel.
struct FilterPlaces {
    size_t in;
    size_t out;
    size_t spatial;  // the first of the kernel's n
};

FilterPlaces places_of(FilterFormat filter, size_t rank)
{
    switch (filter) {
    case FilterFormat::xio:
        return {.in = rank - 2, .out = rank - 1, .spatial = 0};
    case FilterFormat::oix:
        return {.in = 1, .out = 0, .spatial = 2};
    case FilterFormat::iox:
        break;
    }
    return {.in = 0, .out = 1, .spatial = 2};
}

// Returns a text such as "W.dims[2]".
Word dim(std::string_view input, size_t index)
{
    return join({input, ".dims[", int64_t(index), "]"});
}

Status check_descs(const Document& document, Layout layout, std::span<const TensorDesc> inputs)
{
    static constexpr std::array<std::string_view, 3> names = {"X", "W", "B"};
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_layout(document, "X.layout", layout));
    VKONNX_RETURN_IF_ERROR(check_spatial_rank(document, x));
    // Ranks are checked before a sentence lists all dimensions of a tensor.
    if (inputs[1].dims.size() != x.dims.size())
        return document.refuse(
            {"W has rank ", int64_t(inputs[1].dims.size()), ", but must have X's rank ", int64_t(x.dims.size())});
    if (inputs.size() == 3 && inputs[2].dtype == DType::undefined)
        return refuse_missing(document, "B");
    if (inputs.size() == 3 && inputs[2].dims.size() != 1)
        return document.refuse({"B has rank ", int64_t(inputs[2].dims.size()), ", but must have 1"});
    for (size_t i = 0; i < inputs.size(); ++i)
        VKONNX_RETURN_IF_ERROR(check_tensor(document, names[i], inputs[i]));
    return {};
}

Status check_bias(const Document& document, const TensorDesc& b, int64_t channels_out, size_t filter_out)
{
    if (b.dims[0] != channels_out)
        return document.refuse({"B.dims[0] = ", b.dims[0], " must equal ", document.vocabulary.channels_out, " = ",
                                dim("W", filter_out), " * ", document.vocabulary.group, " = ", channels_out});
    return {};
}

}  // namespace

Result<ConvTransposeGeometry> read_inputs(const Document& document, const ConvTransposeForm& form,
                                          std::span<const TensorDesc> inputs)
{
    VKONNX_RETURN_IF_ERROR(check_descs(document, form.layout, inputs));
    const std::span<const int64_t> x = inputs[0].dims;
    const std::span<const int64_t> w = inputs[1].dims;
    const Places data = places_of(form.layout, x.size());
    const FilterPlaces filter = places_of(form.filter, w.size());
    const std::string_view group = document.vocabulary.group;
    if (form.group < 1)
        return document.refuse({group, " = ", form.group, " must be at least 1"});
    if (x[data.channels] % form.group != 0)
        return document.refuse(
            {dim("X", data.channels), " = ", x[data.channels], " must be a multiple of ", group, " = ", form.group});
    if (w[filter.in] != x[data.channels])
        return document.refuse(
            {dim("W", filter.in), " = ", w[filter.in], " must equal ", dim("X", data.channels), " = ", x[data.channels]});
    const Exact channels_out = Exact(w[filter.out]) * form.group;
    if (!channels_out.fits)
        return document.refuse(
            {dim("W", filter.out), " = ", w[filter.out], " times ", group, " = ", form.group, " is beyond 64 bits"},
            Code::unsupported);
    if (inputs.size() == 3)
        VKONNX_RETURN_IF_ERROR(check_bias(document, inputs[2], channels_out.value, filter.out));

    ConvTransposeGeometry geometry = {.dtype = inputs[0].dtype,
                                      .batch = x[0],
                                      .channels_in = x[data.channels],
                                      .channels_out = channels_out.value,
                                      .group = form.group,
                                      .bias = inputs.size() == 3,
                                      .layout = form.layout,
                                      .filter = form.filter,
                                      .axes = std::vector<Axis>(x.size() - 2)};
    for (size_t i = 0; i < geometry.axes.size(); ++i) {
        const size_t place = filter.spatial + i;
        if (w[place] < 1)
            return document.refuse({dim("W", place), " = ", w[place], " must be at least 1"});
        geometry.axes[i].in = x[data.spatial + i];
        geometry.axes[i].kernel = w[place];
    }
    return geometry;
}

Exact natural_extent(const Axis& axis, int64_t output_padding)
{
    return Exact(axis.stride) * (Exact(axis.in) - 1) + output_padding + dilated_kernel(axis);
}

std::string natural_text(const Terms& terms)
{
    return join({terms.stride, "*(", terms.in, " - 1) + ", terms.output_padding, " + ", terms.dilated_kernel});
}

TensorDesc output_of(const ConvTransposeGeometry& geometry)
{
    return output_desc(geometry.dtype, geometry.batch, geometry.channels_out, geometry.axes, geometry.layout);
}

}  // namespace vkonnx::ops
