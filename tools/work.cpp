#include "work.h"

#include <algorithm>
#include <concepts>

namespace vkonnx::tools {
namespace {

template <class Op, class... Ops>
concept OneOf = (std::same_as<Op, Ops> || ...);

template <class Op>
concept Convolution = OneOf<Op, Conv, ConvTranspose, onednn::ConvTranspose>;
template <class Op>
concept Product = Convolution<Op> || OneOf<Op, Gemm, MatMul, BlockQuantizedMatMul, DotProductAttention> || kit::Recurrent<Op>;
template <class Op>
concept Pool = OneOf<Op, AveragePool, MaxPool>;
template <class Op>
concept Reducing = OneOf<Op, GlobalAveragePool, GlobalMaxPool, ArgMax, ArgMin, CumSum> || Reduction<Op>;

bool is_product(const kit::Case& problem)
{
    return std::visit([](const auto& op) { return Product<std::remove_cvref_t<decltype(op)>>; }, problem.attributes);
}

// Returns the extent whose positions a stride moves on: outputs in Conv, which gathers, and inputs in ConvTranspose, which
// scatters.
int64_t strided(const kit::Case& problem, const kit::ReferenceAxis& axis)
{
    return std::holds_alternative<Conv>(problem.attributes) ? axis.out : axis.in;
}

// Counts the pairs of such a position and a tap of the axis that meet inside the other extent.
int64_t pairs_of(const kit::Case& problem, const kit::ReferenceAxis& axis)
{
    const int64_t from = strided(problem, axis), to = std::holds_alternative<Conv>(problem.attributes) ? axis.in : axis.out;
    int64_t pairs = 0;
    for (int64_t tap = 0; tap < axis.kernel; ++tap)
        for (int64_t q = 0; q < from; ++q) {
            const int64_t met = q * axis.stride + tap * axis.dilation - axis.begin;
            pairs += met >= 0 && met < to;
        }
    return pairs;
}

int64_t taps_of(const kit::Resolution& resolution)
{
    int64_t taps = 1;
    for (const kit::ReferenceAxis& axis : resolution.axes)
        taps *= axis.kernel;
    return taps;
}

template <Convolution Op>
int64_t terms_of(const Op&, const kit::Case& problem, const kit::Resolution& resolution)
{
    int64_t pairs = 1;
    for (const kit::ReferenceAxis& axis : resolution.axes)
        pairs *= pairs_of(problem, axis);
    // Every input channel meets the output channels of its own group. In each filter format W has the taps of a window for each
    // such pair of channels.
    return pairs * resolution.output.dims[0] * (*element_count(problem.inputs[1]) / taps_of(resolution));
}

int64_t terms_of(const Gemm& op, const kit::Case& problem, const kit::Resolution& resolution)
{
    return *element_count(resolution.output) * problem.inputs[0].dims[op.transA.value_or(0) != 0 ? 0 : 1];
}

int64_t terms_of(const MatMul&, const kit::Case& problem, const kit::Resolution& resolution)
{
    return *element_count(resolution.output) * problem.inputs[0].dims.back();
}

int64_t terms_of(const BlockQuantizedMatMul&, const kit::Case& problem, const kit::Resolution& resolution)
{
    return *element_count(resolution.output) * problem.inputs[0].dims.back();
}

// Each query meets each key in both products.
int64_t terms_of(const DotProductAttention&, const kit::Case& problem, const kit::Resolution& resolution)
{
    const std::vector<int64_t>& k = problem.inputs[1].dims;
    return (*element_count(problem.inputs[0]) + *element_count(resolution.output)) * k[k.size() - 2];
}

// Each step of each sequence meets all of W and R of its direction.
template <kit::Recurrent Op>
int64_t terms_of(const Op&, const kit::Case& problem, const kit::Resolution&)
{
    const std::vector<int64_t>& x = problem.inputs[0].dims;
    return x[0] * x[1] * (*element_count(problem.inputs[1]) + *element_count(problem.inputs[2]));
}

template <Pool Op>
int64_t terms_of(const Op&, const kit::Case&, const kit::Resolution& resolution)
{
    return *element_count(resolution.output) * taps_of(resolution);
}

template <Reducing Op>
int64_t terms_of(const Op&, const kit::Case& problem, const kit::Resolution&)
{
    return *element_count(problem.inputs[0]);
}

// Other operators compute little beside the bytes that they read and write, if they compute at all.
int64_t terms_of(const auto&, const kit::Case&, const kit::Resolution&)
{
    return 0;
}

// These limit what the host fills, verifies and counts. Beyond them it would take all memory, or years.
constexpr int64_t most_elements = int64_t{1} << 29;
constexpr int64_t most_pairs = int64_t{1} << 31;

Status refused(const std::string& what, int64_t most)
{
    return Status(Code::unsupported, what + " are more than " + std::to_string(most) + ", the most for a benchmark");
}

Status check_elements(std::span<const TensorDesc> tensors)
{
    for (const TensorDesc& tensor : tensors)
        if (const Result<int64_t> count = element_count(tensor); !count || *count > most_elements)
            return refused("the elements of " + to_string(tensor), most_elements);
    return {};
}

Status check_size(const kit::Case& problem, const kit::Resolution& resolution)
{
    if (Status status = check_elements({&resolution.output, 1}); !status)
        return status;
    TensorDesc window = {DType::float32, {}};
    for (const kit::ReferenceAxis& axis : resolution.axes) {
        const int64_t positions = strided(problem, axis);
        if (axis.kernel > most_pairs / std::max<int64_t>(positions, 1))
            return refused("the pairs of " + std::to_string(positions) + " positions and " + std::to_string(axis.kernel) +
                               " taps",
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
    // The inputs are checked first, because a resolution may hold a number for each output.
    if (Status status = check_elements(problem.inputs); !status)
        return status;
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
    work.terms = std::visit([&](const auto& op) { return terms_of(op, problem, *resolution); }, problem.attributes);
    work.flop = is_product(problem) ? 2 * work.terms : work.terms;
    if (work.outputs > 0)
        work.taps_per_output = std::max(1.0, double(work.terms) / double(work.outputs));
    return work;
}

double floor_seconds(const kit::Case& problem, const Work& work, double flop_per_second, double bytes_per_second)
{
    const double by_bytes = double(work.bytes) / bytes_per_second;
    if (!is_product(problem))
        return by_bytes;
    return std::max(by_bytes, double(work.flop) / flop_per_second);
}

}  // namespace vkonnx::tools
