#include <array>

#include "ops/attributes.h"

namespace vkonnx::ops {

namespace {

constexpr std::array<int64_t, 3> versions = {1, 11, 22};

// Where an axis's output extent comes from.
enum class Sizing : uint8_t {
    output_shape,     // given; the padding follows from it
    same,             // in * stride
    same_or_natural,  // in * stride, but never more than the taps reach
    padded,           // the taps' reach less the pads
};

struct Rule {
    Sizing sizing;
    Extra extra = Extra::end;  // where an odd total padding has its extra position
};

Rule rule_of(const Document& document, const ConvTranspose& attributes)
{
    const bool as_document = attributes.rules == Rules::specification;
    const bool upper = attributes.auto_pad == AutoPad::same_upper;
    if (!attributes.output_shape.empty()) {
        // The equation of version 1 says the opposite of the later ones.
        const bool at_end = document.version == 1 && as_document ? !upper : upper;
        return {Sizing::output_shape, at_end ? Extra::end : Extra::begin};
    }
    if (is_same(attributes.auto_pad))
        return {as_document ? Sizing::same : Sizing::same_or_natural, upper ? Extra::end : Extra::begin};
    return {Sizing::padded};
}

std::string equation_of(const Document& document, const ConvTranspose& attributes, Rule rule)
{
    static constexpr std::string_view natural = "stride*(in - 1) + output_padding + dilated kernel";
    const std::string total = join({"total padding = max(", natural, " - out, 0), split with the extra at the ",
                                    rule.extra == Extra::end ? "end" : "beginning"});
    const std::string title = join({document.title(attributes.rules), ", "});
    switch (rule.sizing) {
    case Sizing::output_shape:
        return join({title, "output_shape given, ", name(attributes.auto_pad), ": ", total});
    case Sizing::same:
        return join({title, name(attributes.auto_pad), ": out = in*stride, ", total});
    case Sizing::same_or_natural:
        return join({title, name(attributes.auto_pad), ": out = min(in*stride, ", natural, "), ", total});
    case Sizing::padded:
        return join({title, attributes.auto_pad == AutoPad::valid ? "VALID" : "explicit pads", ": out = ", natural,
                     attributes.auto_pad == AutoPad::valid && attributes.pads.empty() ? "" : " - pads"});
    }
    return title;
}

Status size_axis(const Document& document, Axis& axis, size_t index, Rule rule, int64_t output_padding, int64_t requested)
{
    const Exact natural = Exact(axis.stride) * (Exact(axis.in) - 1) + output_padding + dilated_kernel(axis);
    Exact out = requested;
    switch (rule.sizing) {
    case Sizing::output_shape:
        break;
    case Sizing::same:
        out = Exact(axis.in) * axis.stride;
        break;
    case Sizing::same_or_natural:
        out = lesser(Exact(axis.in) * axis.stride, natural);
        break;
    case Sizing::padded:
        out = natural - axis.begin - axis.end;
        break;
    }
    const Exact total = natural - out;
    if (!total.fits)
        return refuse_overflow(document, axis, index);
    axis.out = out.value;
    if (rule.sizing != Sizing::padded)
        split_pads(axis, total.value, rule.extra);
    return axis.out < 1 ? refuse_empty(document, axis, index) : Status();
}

Status check_channels(const Document& document, int64_t group, std::span<const TensorDesc> inputs)
{
    const TensorDesc& x = inputs[0];
    const TensorDesc& w = inputs[1];
    if (group < 1)
        return document.refuse({"group = ", group, " must be at least 1"});
    if (x.dims[1] % group != 0)
        return document.refuse({"X.dims[1] = ", x.dims[1], " must be a multiple of group = ", group});
    if (w.dims[0] != x.dims[1])
        return document.refuse({"W.dims[0] = ", w.dims[0], " must equal X.dims[1] = ", x.dims[1]});
    const Exact channels_out = Exact(w.dims[1]) * group;
    if (!channels_out.fits)
        return document.refuse({"W.dims[1] = ", w.dims[1], " times group = ", group, " is beyond 64 bits"}, Code::unsupported);
    if (inputs.size() < 3)
        return {};
    const TensorDesc& b = inputs[2];
    if (b.dims.size() != 1)
        return document.refuse({"B has rank ", static_cast<int64_t>(b.dims.size()), ", but must have 1"});
    if (b.dims[0] != channels_out.value)
        return document.refuse({"B.dims[0] = ", b.dims[0], " must equal M = W.dims[1] * group = ", channels_out.value});
    return {};
}

Status check_inputs(const Document& document, int64_t group, std::span<const TensorDesc> inputs)
{
    static constexpr std::array<std::string_view, 3> names = {"X", "W", "B"};
    if (Status checked = check_input_count(document, inputs.size(), 2, 3); !checked)
        return checked;
    const TensorDesc& x = inputs[0];
    if (Status checked = check_type(document, "X", x.dtype, float_types()); !checked)
        return checked;
    if (Status checked = check_spatial_rank(document, x); !checked)
        return checked;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (Status checked = check_tensor(document, names[i], inputs[i]); !checked)
            return checked;
        if (inputs[i].dtype != x.dtype)
            return document.refuse(
                {names[i], " has type ", vkonnx::name(inputs[i].dtype), ", but must have X's type ", vkonnx::name(x.dtype)});
    }
    if (inputs[1].dims.size() != x.dims.size())
        return document.refuse({"W has rank ", static_cast<int64_t>(inputs[1].dims.size()), ", but must have X's rank ",
                                static_cast<int64_t>(x.dims.size())});
    return check_channels(document, group, inputs);
}

// W's spatial extents are the kernel; the attribute can only repeat them.
Status check_kernel(const Document& document, std::span<const int64_t> kernel_shape, std::span<const int64_t> kernel)
{
    if (Status checked = check_list(document, "kernel_shape", kernel_shape, kernel.size(), 1); !checked)
        return checked;
    for (size_t i = 0; i < kernel.size(); ++i) {
        const auto index = static_cast<int64_t>(i);
        if (kernel[i] < 1)
            return document.refuse({"W.dims[", index + 2, "] = ", kernel[i], " must be at least 1"});
        if (!kernel_shape.empty() && kernel_shape[i] != kernel[i])
            return document.refuse(
                {"kernel_shape[", index, "] = ", kernel_shape[i], " must equal W.dims[", index + 2, "] = ", kernel[i]});
    }
    return {};
}

Status check_output_padding(const Document& document, const ConvTranspose& attributes, std::span<const Axis> axes)
{
    const std::span<const int64_t> list = attributes.output_padding;
    if (Status checked = check_list(document, "output_padding", list, axes.size(), 0); !checked)
        return checked;
    if (document.version == 1 && attributes.rules == Rules::specification)
        return {};
    for (size_t i = 0; i < list.size(); ++i)
        if (list[i] >= std::max(axes[i].stride, axes[i].dilation))
            return document.refuse({"output_padding[", static_cast<int64_t>(i), "] = ", list[i], " must be less than max(stride ",
                                    axes[i].stride, ", dilation ", axes[i].dilation, ")"});
    return {};
}

// Accepts n spatial extents, or N and M in front of them.
Status check_output_shape(const Document& document, std::span<const int64_t> list, size_t n, int64_t batch, int64_t channels)
{
    if (list.empty() || list.size() == n)
        return check_list(document, "output_shape", list, n, 1);
    if (list.size() != n + 2)
        return document.refuse({"output_shape has ", static_cast<int64_t>(list.size()), " entries, but ", static_cast<int64_t>(n),
                                " spatial extents must be given, or ", static_cast<int64_t>(n + 2), " with N and M in front"});
    if (list[0] != batch)
        return document.refuse({"output_shape[0] = ", list[0], " must equal N = ", batch});
    if (list[1] != channels)
        return document.refuse({"output_shape[1] = ", list[1], " must equal M = ", channels});
    for (size_t i = 2; i < list.size(); ++i)
        if (list[i] < 1)
            return document.refuse({"output_shape[", static_cast<int64_t>(i), "] = ", list[i], " must be at least 1"});
    return {};
}

}  // namespace

Result<ConvTransposeGeometry> resolve(const ConvTranspose& attributes, std::span<const TensorDesc> inputs)
{
    const Result<Document> document = document_of("ConvTranspose", versions, attributes.opset);
    if (!document)
        return document.status();
    if (Status checked = check_inputs(*document, attributes.group, inputs); !checked)
        return checked;

    const TensorDesc& x = inputs[0];
    const TensorDesc& w = inputs[1];
    const auto kernel = std::span(w.dims).subspan(2);
    const size_t n = kernel.size();
    const int64_t channels_out = w.dims[1] * attributes.group;
    if (Status checked = check_kernel(*document, attributes.kernel_shape, kernel); !checked)
        return checked;
    const Window window = {attributes.auto_pad, kernel, attributes.strides, attributes.dilations, attributes.pads};
    Result<std::vector<Axis>> axes = axes_of(*document, x, window);
    if (!axes)
        return axes.status();
    if (attributes.rules == Rules::specification)
        if (Status checked = check_pads_alone(*document, window); !checked)
            return checked;
    if (Status checked = check_output_padding(*document, attributes, *axes); !checked)
        return checked;
    if (Status checked = check_output_shape(*document, attributes.output_shape, n, x.dims[0], channels_out); !checked)
        return checked;

    const Rule rule = rule_of(*document, attributes);
    const auto requested = std::span(attributes.output_shape);
    for (size_t i = 0; i < n; ++i) {
        const int64_t output_padding = attributes.output_padding.empty() ? 0 : attributes.output_padding[i];
        const int64_t extent = requested.empty() ? 0 : requested.last(n)[i];
        if (Status sized = size_axis(*document, (*axes)[i], i, rule, output_padding, extent); !sized)
            return sized;
    }
    ConvTransposeGeometry geometry = {.dtype = x.dtype,
                                      .batch = x.dims[0],
                                      .channels_in = x.dims[1],
                                      .channels_out = channels_out,
                                      .group = attributes.group,
                                      .bias = inputs.size() == 3,
                                      .axes = std::move(*axes),
                                      .equation = equation_of(*document, attributes, rule)};
    if (Status checked = check_tensor(*document, "Y", output_of(geometry)); !checked)
        return checked;
    return geometry;
}

TensorDesc output_of(const ConvTransposeGeometry& geometry)
{
    return output_desc(geometry.dtype, geometry.batch, geometry.channels_out, geometry.axes);
}

}  // namespace vkonnx::ops
