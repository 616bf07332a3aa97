#include "problem.h"

#include <algorithm>

namespace vkonnx::bench {
namespace {

// Pairs of input position and tap of an axis that meet inside the output.
int64_t pairs_of(const kit::ReferenceAxis& axis)
{
    int64_t pairs = 0;
    for (int64_t tap = 0; tap < axis.kernel; ++tap)
        for (int64_t q = 0; q < axis.in; ++q) {
            const int64_t o = q * axis.stride + tap * axis.dilation - axis.begin;
            pairs += o >= 0 && o < axis.out;
        }
    return pairs;
}

// Of one operator run: pairs for ConvTranspose, taps for AveragePool.
int64_t terms_of(const kit::Case& problem, const kit::Resolution& resolution, int64_t outputs)
{
    int64_t terms = 1;
    if (!std::holds_alternative<ConvTranspose>(problem.attributes)) {
        for (const kit::ReferenceAxis& axis : resolution.axes)
            terms *= axis.kernel;
        return terms * outputs;
    }
    for (const kit::ReferenceAxis& axis : resolution.axes)
        terms *= pairs_of(axis);
    // Every input channel meets the output channels of its own group: W has C rows of M/group.
    return terms * resolution.output.dims[0] * problem.inputs[1].dims[0] * problem.inputs[1].dims[1];
}

}  // namespace

Result<Work> work_of(const kit::Case& problem)
{
    Result<kit::Resolution> resolution = kit::resolve(problem);
    if (!resolution)
        return resolution.status();
    Work work;
    work.output = resolution->output;
    const Result<int64_t> outputs = element_count(work.output);
    if (!outputs)
        return outputs.status();
    work.outputs = *outputs;
    std::vector<TensorDesc> tensors = problem.inputs;
    tensors.push_back(work.output);
    for (const TensorDesc& tensor : tensors) {
        const Result<uint64_t> bytes = byte_size(tensor);
        if (!bytes)
            return bytes.status();
        work.bytes += static_cast<int64_t>(*bytes);
    }
    const int64_t terms = terms_of(problem, *resolution, work.outputs);
    work.flop = std::holds_alternative<ConvTranspose>(problem.attributes) ? 2 * terms : terms;
    if (work.outputs > 0)
        work.taps_per_output = std::max(1.0, static_cast<double>(terms) / static_cast<double>(work.outputs));
    return work;
}

double floor_seconds(const kit::Case& problem, const Work& work, double flop_per_second, double bytes_per_second)
{
    const double by_bytes = static_cast<double>(work.bytes) / bytes_per_second;
    if (std::holds_alternative<AveragePool>(problem.attributes))
        return by_bytes;
    return std::max(by_bytes, static_cast<double>(work.flop) / flop_per_second);
}

}  // namespace vkonnx::bench
