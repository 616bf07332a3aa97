#include "work.h"

#include <algorithm>

namespace vkonnx::tools {
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

int64_t terms_of(const kit::Case& problem, const kit::Resolution& resolution, int64_t outputs)
{
    if (resolution.axes.empty())
        return 0;
    int64_t taps = 1;
    int64_t pairs = 1;
    for (const kit::ReferenceAxis& axis : resolution.axes) {
        taps *= axis.kernel;
        pairs *= pairs_of(axis);
    }
    if (is_pool(problem))
        return taps * outputs;
    // Every input channel meets the output channels of its own group: in each filter format W has a box of taps for each such
    // two.
    return pairs * resolution.output.dims[0] * (*element_count(problem.inputs[1]) / taps);
}

// What the host fills, verifies and counts: beyond this it would take all memory, or years.
Status check_size(const kit::Case& problem, const kit::Resolution& resolution)
{
    constexpr int64_t most_elements = int64_t{1} << 29, most_pairs = int64_t{1} << 31;
    const auto refused = [](const std::string& what, int64_t most) {
        return Status(Code::unsupported, what + " are more than " + std::to_string(most) + ", the most for a benchmark");
    };
    std::vector<TensorDesc> tensors = problem.inputs;
    tensors.push_back(resolution.output);
    for (const TensorDesc& tensor : tensors)
        if (const Result<int64_t> count = element_count(tensor); !count || *count > most_elements)
            return refused("the elements of " + to_string(tensor), most_elements);
    TensorDesc window = {DType::float32, {}};
    for (const kit::ReferenceAxis& axis : resolution.axes) {
        if (axis.kernel > most_pairs / std::max<int64_t>(axis.in, 1))
            return refused("the pairs of " + std::to_string(axis.in) + " inputs and " + std::to_string(axis.kernel) + " taps",
                           most_pairs);
        window.dims.push_back(axis.kernel);
    }
    if (const Result<int64_t> taps = element_count(window); !taps || *taps > most_elements)
        return refused("the taps of a window", most_elements);
    return {};
}

}  // namespace

Result<Work> work_of(const kit::Case& problem)
{
    Result<kit::Resolution> resolution = kit::resolve(problem);
    if (!resolution)
        return resolution.status();
    if (Status status = check_size(problem, *resolution); !status)
        return status;
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
        work.bytes += int64_t(*bytes);
    }
    work.terms = terms_of(problem, *resolution, work.outputs);
    work.flop = is_pool(problem) ? work.terms : 2 * work.terms;
    if (work.outputs > 0)
        work.taps_per_output = std::max(1.0, double(work.terms) / double(work.outputs));
    return work;
}

double floor_seconds(const kit::Case& problem, const Work& work, double flop_per_second, double bytes_per_second)
{
    const double by_bytes = double(work.bytes) / bytes_per_second;
    if (is_pool(problem))
        return by_bytes;
    return std::max(by_bytes, double(work.flop) / flop_per_second);
}

}  // namespace vkonnx::tools
