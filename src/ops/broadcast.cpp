// SPDX-License-Identifier: Apache-2.0
#include "ops/broadcast.h"

#include <algorithm>

namespace vkonnx::ops {

std::vector<int64_t> aligned(const std::vector<int64_t>& dims, size_t rank)
{
    std::vector<int64_t> result(rank - std::min(rank, dims.size()), 1);
    result.insert(result.end(), dims.begin(), dims.end());
    return result;
}

Result<std::vector<int64_t>> broadcast(const Document& document, std::span<const TensorDesc> inputs,
                                       const std::function<std::string(size_t)>& name_of)
{
    size_t rank = 0;
    for (const TensorDesc& input : inputs)
        rank = std::max(rank, input.dims.size());
    std::vector<int64_t> dims(rank, 1);
    std::vector<size_t> from(rank, 0);  // the input that each extent comes from
    for (size_t i = 0; i < inputs.size(); ++i) {
        const size_t missing = rank - inputs[i].dims.size();
        for (size_t a = missing; a < rank; ++a) {
            const int64_t extent = inputs[i].dims[a - missing];
            if (extent == 1 || extent == dims[a])
                continue;
            if (dims[a] != 1)
                return document.refuse({name_of(i), " has extent ", extent, " on axis ", int64_t(a), " of the output, where ",
                                        name_of(from[a]), " has ", dims[a], "; extents must be equal, or 1"});
            dims[a] = extent;
            from[a] = i;
        }
    }
    return dims;
}

size_t broadcast_place(size_t index, const std::vector<int64_t>& dims, const std::vector<int64_t>& input)
{
    size_t place = 0;
    size_t stride = 1;
    for (size_t a = dims.size(); a-- > 0;) {
        const auto own = size_t(input[a]);
        place += own == 1 ? 0 : index % size_t(dims[a]) * stride;
        stride *= own;
        index /= size_t(dims[a]);
    }
    return place;
}

}  // namespace vkonnx::ops
