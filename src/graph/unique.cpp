// SPDX-License-Identifier: Apache-2.0
// This file computes Unique on the host.
#include <algorithm>
#include <cstring>
#include <map>

#include "graph/composer.h"
#include "graph/host_request.h"
#include "graph/reals.h"

namespace vkonnx::graph {
namespace {

// Returns a number that is ordered and equal as elements of the type are, which lie in the low bits of `element`. Zeros of both
// signs are equal. NaN is equal to itself and above all others.
uint64_t ordered(DType dtype, uint64_t element)
{
    const uint64_t sign = uint64_t(1) << (bits(dtype) - 1);
    if (!is_real(dtype)) {
        const bool is_signed = dtype == DType::int8 || dtype == DType::int16 || dtype == DType::int32 || dtype == DType::int64;
        return is_signed ? element ^ sign : element;
    }
    const size_t mantissa = dtype == DType::float64 ? 52 : dtype == DType::float32 ? 23 : dtype == DType::float16 ? 10 : 7;
    const uint64_t infinity = (sign - 1) >> mantissa << mantissa;
    const uint64_t magnitude = element & (sign - 1);
    if (magnitude > infinity)
        return UINT64_MAX;
    return (element & sign) != 0 ? sign - magnitude : sign + magnitude;
}

// This struct holds pieces of X that are equal.
struct Found {
    int64_t first = 0;  // the number of the first of them
    int64_t count = 0;
    int64_t place = 0;  // in Y
};

}  // namespace

Result<HostTensors> compute(const Unique& op, const HostRequest& request)
{
    const HostTensor& x = request.inputs[0];
    const DType dtype = x.desc.dtype;
    if (!is_real(dtype) && !is_integer(dtype) && dtype != DType::boolean)
        return request.unsupported("elements of type " + std::string(name(dtype)) + " are not compared on the host");
    if (op.sorted && *op.sorted != 0 && *op.sorted != 1)
        return request.invalid("sorted = " + std::to_string(*op.sorted) + " must be 0 or 1");
    const std::vector<int64_t>& dims = x.desc.dims;
    const auto rank = int64_t(dims.size());
    if (op.axis && (*op.axis < -rank || *op.axis >= rank))
        return request.invalid("axis = " + std::to_string(*op.axis) + " must be in [" + std::to_string(-rank) + ", " +
                               std::to_string(rank - 1) + "] for rank " + std::to_string(rank));
    // X is (outer, count, inner), and a piece is what has the same index along the axis.
    const size_t width = bits(dtype) / 8;
    const size_t axis = op.axis ? size_t(*op.axis < 0 ? *op.axis + rank : *op.axis) : 0;
    const int64_t outer = op.axis ? extent_of(dims, 0, axis) : 1;
    const int64_t count = op.axis ? dims[axis] : int64_t(x.data.size() / width);
    const int64_t inner = op.axis ? extent_of(dims, axis + 1, dims.size()) : 1;
    const auto place_of = [&](int64_t row, int64_t piece, int64_t column) {
        return size_t((row * count + piece) * inner + column) * width;
    };

    std::map<std::vector<uint64_t>, Found> found;
    std::vector<const Found*> equals;  // of each piece
    for (int64_t piece = 0; piece < count; ++piece) {
        std::vector<uint64_t> key;
        for (int64_t row = 0; row < outer; ++row)
            for (int64_t column = 0; column < inner; ++column) {
                uint64_t element = 0;
                std::memcpy(&element, x.data.data() + place_of(row, piece, column), width);
                key.push_back(ordered(dtype, element));
            }
        Found& one = found.try_emplace(std::move(key), Found{.first = piece}).first->second;
        ++one.count;
        equals.push_back(&one);
    }
    std::vector<Found*> kept;
    for (auto& [key, one] : found)
        kept.push_back(&one);
    if (op.sorted == 0)
        std::ranges::sort(kept, {}, &Found::first);
    std::vector<int64_t> firsts, inverse, counts;
    for (size_t i = 0; i < kept.size(); ++i) {
        kept[i]->place = int64_t(i);
        firsts.push_back(kept[i]->first);
        counts.push_back(kept[i]->count);
    }
    for (const Found* one : equals)
        inverse.push_back(one->place);

    TensorDesc desc = {.dtype = dtype, .dims = op.axis ? dims : std::vector<int64_t>(1)};
    desc.dims[axis] = int64_t(kept.size());
    Result<HostTensor> y = request.sized(std::move(desc));
    if (!y)
        return y.status();
    const size_t bytes = size_t(inner) * width;
    std::byte* to = y->data.data();
    for (int64_t row = 0; row < outer && bytes > 0; ++row)
        for (const int64_t first : firsts) {
            std::memcpy(to, x.data.data() + place_of(row, first, 0), bytes);
            to += bytes;
        }
    HostTensors made = {std::move(*y)};
    for (const std::vector<int64_t>* list : {&firsts, &inverse, &counts}) {
        Result<HostTensor> numbers = request.numbers({int64_t(list->size())}, *list);
        if (!numbers)
            return numbers.status();
        made.push_back(std::move(*numbers));
    }
    return made;
}

}  // namespace vkonnx::graph
