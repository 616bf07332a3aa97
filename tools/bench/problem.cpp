#include "problem.h"

#include <algorithm>

namespace vkonnx::bench {
namespace {

bool is_pool(const kit::Case& problem)
{
    return std::holds_alternative<AveragePool>(problem.attributes);
}

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
    int64_t taps = 1;
    int64_t pairs = 1;
    for (const kit::ReferenceAxis& axis : resolution.axes) {
        taps *= axis.kernel;
        pairs *= pairs_of(axis);
    }
    if (is_pool(problem))
        return taps * outputs;
    // Every input channel meets the output channels of its own group: in each filter format W has a box of taps for each such two.
    return pairs * resolution.output.dims[0] * (*element_count(problem.inputs[1]) / taps);
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
    work.flop = is_pool(problem) ? terms : 2 * terms;
    if (work.outputs > 0)
        work.taps_per_output = std::max(1.0, static_cast<double>(terms) / static_cast<double>(work.outputs));
    return work;
}

double floor_seconds(const kit::Case& problem, const Work& work, double flop_per_second, double bytes_per_second)
{
    const double by_bytes = static_cast<double>(work.bytes) / bytes_per_second;
    if (is_pool(problem))
        return by_bytes;
    return std::max(by_bytes, static_cast<double>(work.flop) / flop_per_second);
}

}  // namespace vkonnx::bench
