// SPDX-License-Identifier: Apache-2.0
// This file implements Device::measure_peaks. The probe of arithmetic grows until a run is long enough to time.
#include <algorithm>
#include <charconv>
#include <optional>

#include "api/state.h"
#include "api/timing.h"
#include "gpu/persistent_cache.h"
#include "gpu/transfer.h"
#include "plan/core/probe.h"
#include "return_if_error.h"

namespace vkonnx {
namespace {

constexpr double long_enough = 0.02;  // in seconds: thousands of timestamp ticks, and far above the cost of a submit
constexpr int repeats = 5;            // the best counts: everything that disturbs makes a probe slower

// Returns the seconds of the best run after the first one, which may compile.
Result<double> best_seconds(gpu::Device& device, plan::Plan plan, const api::Buffers& operands, int runs)
{
    const auto program = gpu::Program::create(device, std::move(plan), "peak probe");
    return program ? api::seconds_of(*program, operands, 1 + runs, api::Clock::device) : program.status();
}

Result<std::shared_ptr<gpu::Buffer>> filled(gpu::Device& device, uint64_t bytes, const char* name, std::span<const float> values)
{
    auto buffer = gpu::Buffer::create(device, bytes, gpu::BufferUse::storage, name);
    if (buffer)
        VKONNX_RETURN_IF_ERROR(gpu::upload(*buffer, std::as_bytes(values)));
    return buffer;
}

Result<double> peak_flops(gpu::Device& device, DType dtype)
{
    const Capabilities& capabilities = device.capabilities();
    const uint32_t groups = std::min(capabilities.is_cpu ? 64u : 4096u, capabilities.max_group_count[0]);
    const uint32_t most = std::min<uint32_t>(capabilities.max_loop_iterations - 1, 1u << 20);
    // These are four factors and four terms. Factors just below 1 keep the sums finite, and different after each iteration.
    const float chain[8] = {0.9921875f, 0.99609375f, 0.998046875f, 0.9990234375f, 0.25f, 0.5f, 0.75f, 1};
    auto x = filled(device, sizeof(chain), "peak probe input", chain);
    VKONNX_RETURN_IF_ERROR(x.status());
    auto y =
        gpu::Buffer::create(device, plan::flops_probe_bytes(capabilities, groups), gpu::BufferUse::storage, "peak probe output");
    VKONNX_RETURN_IF_ERROR(y.status());
    for (uint32_t iterations = 64;; iterations = std::min(most, iterations * 2)) {
        const plan::Plan plan = plan::plan_flops_probe(dtype, capabilities, groups, iterations);
        auto trial = best_seconds(device, plan, {*x, *y}, 1);
        VKONNX_RETURN_IF_ERROR(trial.status());
        if (*trial < long_enough && iterations < most)
            continue;
        auto best = best_seconds(device, plan, {*x, *y}, repeats);
        VKONNX_RETURN_IF_ERROR(best.status());
        return plan::flops_probe_operations(capabilities, groups, iterations) / *best;
    }
}

Result<double> peak_copy(gpu::Device& device)
{
    const Capabilities& capabilities = device.capabilities();
    // The buffers are to be beyond any cache. A CPU needs smaller ones for that.
    const uint64_t wanted = capabilities.is_cpu ? uint64_t(64) << 20 : uint64_t(512) << 20;
    const uint64_t bytes = std::min(wanted, capabilities.max_storage_buffer_range) / 16 * 16;
    auto x = gpu::Buffer::create(device, bytes, gpu::BufferUse::storage, "copy probe input");
    VKONNX_RETURN_IF_ERROR(x.status());
    VKONNX_RETURN_IF_ERROR(gpu::upload(*x, std::vector<std::byte>(bytes, std::byte{1})));
    auto y = gpu::Buffer::create(device, bytes, gpu::BufferUse::storage, "copy probe output");
    VKONNX_RETURN_IF_ERROR(y.status());
    auto best = best_seconds(device, plan::plan_copy_probe(capabilities, bytes), {*x, *y}, repeats);
    VKONNX_RETURN_IF_ERROR(best.status());
    return 2 * double(bytes) / *best;
}

// Writes three whole numbers, a line each.
std::string text_of(const Peaks& peaks)
{
    std::string text;
    for (const double value : {peaks.flops_f32, peaks.flops_f16, peaks.copy_bytes_per_second})
        text += std::to_string(uint64_t(value)) + "\n";
    return text;
}

std::optional<Peaks> peaks_of(std::string_view text)
{
    std::array<uint64_t, 3> values = {};
    for (uint64_t& value : values) {
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec != std::errc() || read.ptr == text.data() + text.size() || *read.ptr != '\n')
            return std::nullopt;
        text.remove_prefix(size_t(read.ptr + 1 - text.data()));
    }
    return Peaks{.flops_f32 = double(values[0]), .flops_f16 = double(values[1]), .copy_bytes_per_second = double(values[2])};
}

}  // namespace

Result<Peaks> Device::measure_peaks() const
{
    return guarded([&]() -> Result<Peaks> {
        VKONNX_RETURN_IF_ERROR(api::check_handles("Device::measure_peaks", {api::handle(*this)}));
        gpu::PersistentCache& cache = state_->gpu->cache();
        const std::string name = capabilities().float16 ? "peaks float16" : "peaks";
        if (const std::optional<std::string> text = cache.text(name))
            if (const std::optional<Peaks> kept = peaks_of(*text))
                return *kept;
        Peaks peaks;
        auto flops = peak_flops(*state_->gpu, DType::float32);
        VKONNX_RETURN_IF_ERROR(flops.status());
        peaks.flops_f32 = *flops;
        if (capabilities().float16) {
            flops = peak_flops(*state_->gpu, DType::float16);
            VKONNX_RETURN_IF_ERROR(flops.status());
            peaks.flops_f16 = *flops;
        }
        auto copy = peak_copy(*state_->gpu);
        VKONNX_RETURN_IF_ERROR(copy.status());
        peaks.copy_bytes_per_second = *copy;
        cache.keep_text(name, text_of(peaks));
        return peaks;
    });
}

}  // namespace vkonnx
