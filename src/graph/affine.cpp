// SPDX-License-Identifier: Apache-2.0
#include "graph/affine.h"

#include <algorithm>
#include <cmath>

#include "graph/reals.h"
#include "return_if_error.h"

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
        VKONNX_RETURN_IF_ERROR(numbers.status());
        if (!*numbers)
            return std::optional<Affine>();
        given[i] = std::move(**numbers);
    }
    const DType dtype = calls.desc(call.inputs[0]).dtype;
    Affine affine;
    for (size_t c = 0; c < given[0].size(); ++c) {
        const double scale = given[0][c] / std::sqrt(given[3][c] + double(op.epsilon.value_or(1e-5f)));
        const double scaled_mean = given[2][c] * scale;
        if (!is_within(dtype, scaled_mean))
            return std::optional<Affine>();
        affine.scale.push_back(scale);
        affine.shift.push_back(given[1][c] - scaled_mean);
    }
    return std::optional(std::move(affine));
}

Result<std::optional<Affine>> normalization_as_numbers(const Calls& calls, const Call& call)
{
    const DType dtype = calls.desc(call.inputs[0]).dtype;
    if (is_half(dtype))
        return std::optional<Affine>();
    Result<std::optional<Affine>> affine = normalization(calls, call);
    const auto is_right = [&](double scale) { return scale == 0 || is_normal(dtype, scale); };
    const auto is_finite = [&](double shift) { return is_within(dtype, shift); };
    if (affine && *affine &&
        !(std::all_of((*affine)->scale.begin(), (*affine)->scale.end(), is_right) &&
          std::all_of((*affine)->shift.begin(), (*affine)->shift.end(), is_finite)))
        affine->reset();
    return affine;
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
