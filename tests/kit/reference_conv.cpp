// This file computes Conv as its document defines it: windows are laid out as AveragePool's are, and every term of an output is
// looked up by itself.
#include <cmath>

#include "kit/layout.h"
#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

// Goes to the next combination of taps, the last axis fastest. Returns false behind the last one.
bool step(List& taps, const std::vector<ReferenceAxis>& axes)
{
    for (size_t a = axes.size(); a-- > 0;) {
        if (++taps[a] < axes[a].kernel)
            return true;
        taps[a] = 0;
    }
    return false;
}

// Doubles are added up in DoubleDouble, all else in double; nothing is added to the first term, whose sign of zero counts.
struct Sum {
    bool precise = false;
    bool any = false;
    DoubleDouble total = {};

    void add(double a, double b)
    {
        const DoubleDouble term = precise ? DoubleDouble::two_product(a, b) : DoubleDouble(a * b);
        add(term);
    }
    void add(const DoubleDouble& term)
    {
        total = !any ? term : precise ? total + term : DoubleDouble(total.hi + term.hi);
        any = true;
    }
};

struct Problem {
    const Conv& op;
    std::span<const RealTensor> inputs;
    Resolution resolution;
};

Answer answer_at(const Problem& problem, int64_t flat)
{
    const RealTensor& x = problem.inputs[0];
    const RealTensor& w = problem.inputs[1];
    const std::vector<ReferenceAxis>& axes = problem.resolution.axes;
    const DataPlaces places = places_of(x.desc.layout, axes.size());
    const List out = coordinates_of(flat, problem.resolution.output.dims);
    const int64_t m = out[places.channels];
    const int64_t of_group = w.desc.dims[1];
    const int64_t group = m / (w.desc.dims[0] / problem.op.group);

    Answer answer;
    Sum sum = {.precise = x.desc.dtype == DType::float64};
    for (int64_t c = 0; c < of_group; ++c) {
        List taps(axes.size());
        do {
            List from = out;
            List weight = {m, c};
            from[places.channels] = group * of_group + c;
            bool inside = true;
            for (size_t a = 0; a < axes.size(); ++a) {
                int64_t& position = from[places.first_axis + a];
                position = position * axes[a].stride + taps[a] * axes[a].dilation - axes[a].begin;
                inside = inside && position >= 0 && position < axes[a].in;
                weight.push_back(taps[a]);
            }
            if (!inside)
                continue;
            const double value = x.values[size_t(index_of(from, x.desc.dims))];
            const double factor = w.values[size_t(index_of(weight, w.desc.dims))];
            sum.add(value, factor);
            answer.magnitude += std::fabs(value * factor);
            ++answer.taps;
        } while (step(taps, axes));
    }
    if (problem.inputs.size() == 3) {
        const double bias = problem.inputs[2].values[size_t(m)];
        sum.add(DoubleDouble(bias));
        answer.magnitude += std::fabs(bias);
    }
    answer.value = sum.total;
    return answer;
}

}  // namespace

Result<Resolution> resolve(const Conv& op, std::span<const TensorDesc> inputs)
{
    if (op.opset < 1 || inputs.size() < 2 || inputs.size() > 3)
        return refusal("opset or number of inputs");
    const TensorDesc& x = inputs[0];
    const TensorDesc& w = inputs[1];
    for (const TensorDesc& input : inputs)
        if (!element_count(input) || input.dtype != x.dtype || (x.dtype == DType::bfloat16 && op.opset < 22))
            return refusal("type or extent");
    if (x.dims.size() < 3 || w.dims.size() != x.dims.size() || op.group < 1)
        return refusal("rank or group");
    const DataPlaces places = places_of(x.layout, x.dims.size() - 2);
    const int64_t channels = x.dims[places.channels];
    if (channels != w.dims[1] * op.group || w.dims[0] % op.group != 0)
        return refusal("channels");
    if (inputs.size() == 3 && inputs[2].dims != List{w.dims[0]})
        return refusal("bias");
    const List kernel(w.dims.begin() + 2, w.dims.end());
    if (!op.kernel_shape.empty() && op.kernel_shape != kernel)
        return refusal("kernel_shape");
    const AveragePool windows = {
        .auto_pad = op.auto_pad, .kernel_shape = kernel, .strides = op.strides, .dilations = op.dilations, .pads = op.pads};
    Result<Resolution> resolution = resolve(windows, inputs.first(1));
    if (resolution)
        resolution->output.dims[places.channels] = w.dims[0];
    return resolution;
}

Result<std::vector<Answer>> reference(const Conv& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    std::vector<TensorDesc> descs;
    for (const RealTensor& input : inputs)
        descs.push_back(input.desc);
    Result<Resolution> resolution = resolve(op, descs);
    if (!resolution)
        return resolution.status();
    const Problem problem = {op, inputs, std::move(*resolution)};
    std::vector<Answer> answers;
    for (const int64_t index : sample)
        answers.push_back(answer_at(problem, index));
    return answers;
}

}  // namespace vkonnx::kit
