// SPDX-License-Identifier: Apache-2.0
#include "graph/fold.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace vkonnx::graph {
namespace {

// As the operators' comments in operators.hpp decide: sums and products wrap, and so does the least integer's negative; a
// division by zero gives zero. 64 bits hold what 32 give before it wraps.
int64_t wrapped(uint64_t value)
{
    return int64_t(value);
}

int64_t quotient(int64_t a, int64_t b)
{
    if (b == 0)
        return 0;
    return b == -1 ? wrapped(0 - uint64_t(a)) : a / b;
}

// What a kind makes of the elements at one place; a pair of them at a time where there are more. Clip is not among them: an input
// of it may be missing.
struct Folding {
    ElementwiseKind kind;
    int64_t (*first)(int64_t a);
    int64_t (*next)(int64_t so_far, int64_t b);
};

int64_t same(int64_t a)
{
    return a;
}

constexpr Folding foldings[] = {
    {ElementwiseKind::relu, [](int64_t a) { return std::max<int64_t>(a, 0); }, nullptr},
    {ElementwiseKind::neg, [](int64_t a) { return wrapped(0 - uint64_t(a)); }, nullptr},
    {ElementwiseKind::abs, [](int64_t a) { return a < 0 ? wrapped(0 - uint64_t(a)) : a; }, nullptr},
    {ElementwiseKind::add, same, [](int64_t a, int64_t b) { return wrapped(uint64_t(a) + uint64_t(b)); }},
    {ElementwiseKind::sub, same, [](int64_t a, int64_t b) { return wrapped(uint64_t(a) - uint64_t(b)); }},
    {ElementwiseKind::mul, same, [](int64_t a, int64_t b) { return wrapped(uint64_t(a) * uint64_t(b)); }},
    {ElementwiseKind::div, same, quotient},
    {ElementwiseKind::min, same, [](int64_t a, int64_t b) { return std::min(a, b); }},
    {ElementwiseKind::max, same, [](int64_t a, int64_t b) { return std::max(a, b); }},
};

const Folding* folding_of(const Operator& op)
{
    const auto* elementwise = std::get_if<Elementwise>(&op);
    for (const Folding& one : foldings)
        if (elementwise && elementwise->kind == one.kind)
            return &one;
    return nullptr;
}

bool fits(const TensorDesc& desc, DType dtype, uint64_t most_bytes)
{
    const Result<uint64_t> bytes = byte_size(desc);
    return desc.dtype == dtype && bytes && *bytes <= most_bytes;
}

std::vector<int64_t> decoded(const HostTensor& tensor)
{
    const size_t width = bits(tensor.desc.dtype) / 8;
    std::vector<int64_t> values(tensor.data.size() / width);
    for (size_t i = 0; i < values.size(); ++i) {
        int32_t narrow = 0;
        if (width == sizeof narrow) {
            std::memcpy(&narrow, tensor.data.data() + i * width, width);
            values[i] = narrow;
        } else {
            std::memcpy(&values[i], tensor.data.data() + i * width, width);
        }
    }
    return values;
}

HostTensor encoded(const std::vector<int64_t>& values, const TensorDesc& desc)
{
    const size_t width = bits(desc.dtype) / 8;
    HostTensor tensor = {.desc = desc, .data = std::vector<std::byte>(values.size() * width)};
    for (size_t i = 0; i < values.size(); ++i) {
        const auto narrow = int32_t(uint32_t(uint64_t(values[i])));
        std::memcpy(tensor.data.data() + i * width, width == sizeof narrow ? static_cast<const void*>(&narrow) : &values[i],
                    width);
    }
    return tensor;
}

// The element of an input that is broadcast to `dims` which belongs to element `index` of these.
size_t place_of(size_t index, const std::vector<int64_t>& dims, const std::vector<int64_t>& input)
{
    size_t place = 0;
    size_t stride = 1;
    for (size_t i = 0; i < input.size(); ++i) {
        const auto extent = size_t(dims[dims.size() - 1 - i]);
        const auto own = size_t(input[input.size() - 1 - i]);
        place += own == 1 ? 0 : index % extent * stride;
        stride *= own;
        index /= extent;
    }
    return place;
}

}  // namespace

Result<std::optional<HostTensor>> folded(const Operator& op, std::span<const std::shared_ptr<const Content>> inputs,
                                         const TensorDesc& output, uint64_t most_bytes)
{
    const Folding* folding = folding_of(op);
    if (!folding || (output.dtype != DType::int64 && output.dtype != DType::int32) || !fits(output, output.dtype, most_bytes))
        return std::optional<HostTensor>();
    for (const auto& input : inputs)
        if (!input || !fits(input->desc, output.dtype, most_bytes))
            return std::optional<HostTensor>();
    const Result<int64_t> count = element_count(output);
    if (!count)
        return count.status();
    std::vector<int64_t> values(size_t(*count), 0);
    for (const auto& input : inputs) {
        const Result<HostTensor> tensor = input->read();
        if (!tensor)
            return tensor.status();
        const std::vector<int64_t> operand = decoded(*tensor);
        const bool is_first = &input == &inputs.front();
        for (size_t i = 0; i < values.size(); ++i) {
            const int64_t value = operand[place_of(i, output.dims, tensor->desc.dims)];
            values[i] = is_first ? folding->first(value) : folding->next(values[i], value);
        }
    }
    return std::optional(encoded(values, output));
}

}  // namespace vkonnx::graph
