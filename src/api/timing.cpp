// SPDX-License-Identifier: Apache-2.0
#include "api/timing.h"
#include "return_if_error.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace vkonnx::api {

Result<double> seconds_of(const std::shared_ptr<const gpu::Program>& program, const Buffers& operands, int runs, Clock clock)
{
    const auto binding = gpu::Binding::create(program, operands);
    VKONNX_RETURN_IF_ERROR(binding.status());
    gpu::Device& device = program->device();
    const auto execution = gpu::Execution::create(device);
    VKONNX_RETURN_IF_ERROR(execution.status());
    const gpu::Piece pieces[] = {binding->get()};
    VKONNX_RETURN_IF_ERROR((*execution)->record(pieces, clock == Clock::device && device.capabilities().timestamps));
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        VKONNX_RETURN_IF_ERROR((*execution)->run());
        const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const std::span<const double> measured = (*execution)->seconds();
        best = std::min(best, measured.empty() ? waited : measured[0]);
    }
    return best;
}

}  // namespace vkonnx::api
