// SPDX-License-Identifier: Apache-2.0
#include "graph/affine.h"

#include <algorithm>
#include <cmath>

namespace vkonnx::graph {

bool Affine::shifts() const
{
    return std::any_of(shift.begin(), shift.end(), [](double number) { return number != 0; });
}

bool Affine::is_finite() const
{
    const auto finite = [](double number) { return std::isfinite(number); };
    return std::all_of(scale.begin(), scale.end(), finite) && std::all_of(shift.begin(), shift.end(), finite);
}

Result<std::optional<Affine>> normalization(const Calls& calls, const Call& call)
{
    const auto& op = std::get<BatchNormalization>(call.op);
    if (op.training_mode.value_or(0) != 0 || op.spatial.value_or(1) == 0)
        return std::optional<Affine>();
    std::vector<double> given[4];  // scale, B, mean, var
    for (size_t i = 0; i < 4; ++i) {
        Result<std::optional<std::vector<double>>> numbers = calls.reals(call.inputs[1 + i]);
        if (!numbers)
            return numbers.status();
        if (!*numbers)
            return std::optional<Affine>();
        given[i] = std::move(**numbers);
    }
    Affine affine;
    for (size_t c = 0; c < given[0].size(); ++c) {
        affine.scale.push_back(given[0][c] / std::sqrt(given[3][c] + double(op.epsilon.value_or(1e-5f))));
        affine.shift.push_back(given[1][c] - given[2][c] * affine.scale.back());
    }
    return std::optional(std::move(affine));
}

Result<std::optional<std::vector<double>>> by_channels(const Calls& calls, int32_t constant, const TensorDesc& output,
                                                       size_t axis)
{
    using Numbers = std::optional<std::vector<double>>;
    const std::vector<int64_t>& dims = calls.desc(constant).dims;
    if (!calls.content(constant) || dims.size() > output.dims.size())
        return Numbers();
    const size_t missing = output.dims.size() - dims.size();
    for (size_t a = 0; a < dims.size(); ++a)
        if (dims[a] != 1 && missing + a != axis)
            return Numbers();
    Result<Numbers> numbers = calls.reals(constant);
    if (numbers && *numbers && (*numbers)->size() == 1)
        (*numbers)->assign(size_t(output.dims[axis]), (**numbers)[0]);
    return numbers;
}

}  // namespace vkonnx::graph
