#include "kit/prologue.h"

#include "kit/layout.h"

namespace vkonnx::kit {
namespace {

size_t axis_of_channels(const Case& problem)
{
    const TensorDesc& x = problem.inputs[0];
    const auto* onednn = std::get_if<onednn::ConvTranspose>(&problem.attributes);
    return places_of(onednn ? onednn->data_format : x.layout, x.dims.size() - 2).channels;
}

}  // namespace

RealTensor prologue_numbers(const Case& problem, const Prologue& prologue)
{
    constexpr double scales[] = {1, -1, 2, -0.5, 3};
    constexpr double offsets[] = {0, 1, -2, 3, -1, 0.5, -3};
    constexpr double slopes[] = {0.5, -1, 2};
    const TensorDesc& x = problem.inputs[0];
    RealTensor numbers = {.desc = {.dtype = x.dtype, .dims = {x.dims[axis_of_channels(problem)], 0}}};
    int64_t& columns = numbers.desc.dims[1];
    columns = (prologue.scaled ? 2 : 0) + (prologue.kind == ElementwiseKind::prelu ? 1 : 0);
    for (size_t c = 0; columns > 0 && c < size_t(numbers.desc.dims[0]); ++c) {
        if (prologue.scaled)
            numbers.values.insert(numbers.values.end(), {scales[c % 5], offsets[c % 7]});
        if (prologue.kind == ElementwiseKind::prelu)
            numbers.values.push_back(slopes[c % 3]);
    }
    return numbers;
}

std::vector<RealTensor> with_numbers(std::vector<RealTensor> inputs, const RealTensor& numbers)
{
    if (numbers.desc.dims[1] == 0)
        return inputs;
    if (inputs.size() > 1)  // GlobalAveragePool has X alone
        inputs.resize(3, {.desc = {.dtype = DType::undefined}});
    inputs.push_back(numbers);
    return inputs;
}

RealTensor after_prologue(const Case& problem, const Prologue& prologue, RealTensor x, const RealTensor& numbers)
{
    int64_t inner = 1;  // the elements of a channel that lie side by side
    for (size_t a = axis_of_channels(problem) + 1; a < x.desc.dims.size(); ++a)
        inner *= x.desc.dims[a];
    const int64_t channels = numbers.desc.dims[0];
    for (size_t i = 0; i < x.values.size(); ++i) {
        const size_t row = size_t(int64_t(i) / inner % channels * numbers.desc.dims[1]);
        double& value = x.values[i];
        if (prologue.scaled)
            value = value * numbers.values[row] + numbers.values[row + 1];
        if (prologue.kind == ElementwiseKind::relu && value < 0)
            value = 0;
        if (prologue.kind == ElementwiseKind::prelu && value < 0)
            value *= numbers.values[row + (prologue.scaled ? 2 : 0)];
    }
    return x;
}

}  // namespace vkonnx::kit
