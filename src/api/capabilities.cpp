#include <vkonnx/vkonnx.hpp>

#include <algorithm>

#include "api/state.h"

namespace vkonnx {
namespace {

constexpr std::string_view preset_list[] = {"minimum", "lavapipe", "swiftshader", "desktop", "mobile"};

// As Mesa 22.3 on a CPU of today reports itself.
Capabilities lavapipe()
{
    Capabilities c;
    c.name = "lavapipe";
    c.is_cpu = true;
    c.storage_buffer_alignment = 16;
    c.max_uniform_buffer_range = 65536;
    c.max_storage_buffers = 16;
    c.max_invocations = 1024;
    c.max_workgroup_size = {1024, 1024, 1024};
    c.max_shared_bytes = 32768;
    c.max_loop_iterations = 65535;
    c.subgroup_size = 8;
    c.timestamps = true;
    c.float16 = true;
    c.float64 = true;
    c.rounds_to_nearest = true;
    c.keeps_signed_zero_inf_nan = true;
    return c;
}

Capabilities swiftshader()
{
    Capabilities c;
    c.name = "swiftshader";
    c.is_cpu = true;
    c.max_storage_buffer_range = 1u << 30;
    c.max_uniform_buffer_range = 65536;
    c.max_storage_buffers = 16;
    c.max_invocations = 256;
    c.max_workgroup_size = {256, 256, 64};
    c.max_shared_bytes = 32768;
    c.subgroup_size = 4;
    c.timestamps = true;
    c.rounds_to_nearest = true;
    c.keeps_signed_zero_inf_nan = true;
    return c;
}

// What discrete GPUs of three vendors have in common.
Capabilities desktop()
{
    Capabilities c;
    c.name = "desktop";
    c.max_storage_buffer_range = UINT32_MAX;
    c.storage_buffer_alignment = 64;
    c.max_uniform_buffer_range = 65536;
    c.max_storage_buffers = 1024;
    c.max_push_constant_bytes = 256;
    c.max_invocations = 1024;
    c.max_workgroup_size = {1024, 1024, 64};
    c.max_shared_bytes = 32768;
    c.subgroup_size = 32;
    c.timestamps = true;
    c.float16 = true;
    c.float64 = true;
    c.rounds_to_nearest = true;
    c.keeps_signed_zero_inf_nan = true;
    c.work_per_second = 1e10;
    return c;
}

Capabilities mobile()
{
    Capabilities c;
    c.name = "mobile";
    c.storage_buffer_alignment = 64;
    c.max_uniform_buffer_range = 65536;
    c.max_storage_buffers = 24;
    c.max_invocations = 256;
    c.max_workgroup_size = {256, 256, 64};
    c.max_shared_bytes = 16384;
    c.subgroup_size = 16;
    c.timestamps = true;
    c.float16 = true;
    c.rounds_to_nearest = true;
    c.work_per_second = 1e9;
    return c;
}

}  // namespace

Result<Capabilities> Capabilities::preset(std::string_view name)
{
    return api::guarded([&]() -> Result<Capabilities> {
        if (name == "minimum")
            return Capabilities();
        if (name == "lavapipe")
            return lavapipe();
        if (name == "swiftshader")
            return swiftshader();
        if (name == "desktop")
            return desktop();
        if (name == "mobile")
            return mobile();
        std::string known;
        for (const std::string_view preset : preset_list)
            known += (known.empty() ? "" : ", ") + std::string(preset);
        return Status(Code::invalid_argument, "no capability preset is called '" + std::string(name) + "'; there are " + known);
    });
}

std::span<const std::string_view> Capabilities::preset_names()
{
    return preset_list;
}

Capabilities Capabilities::lowered_to(const Capabilities& limit) const
{
    Capabilities c = *this;
    const auto lower = [](auto& value, const auto& bound) { value = std::min(value, bound); };
    lower(c.is_cpu, limit.is_cpu);
    lower(c.max_storage_buffer_range, limit.max_storage_buffer_range);
    c.storage_buffer_alignment = std::max(storage_buffer_alignment, limit.storage_buffer_alignment);  // stricter is less
    lower(c.max_uniform_buffer_range, limit.max_uniform_buffer_range);
    lower(c.max_storage_buffers, limit.max_storage_buffers);
    lower(c.max_push_constant_bytes, limit.max_push_constant_bytes);
    lower(c.max_invocations, limit.max_invocations);
    lower(c.max_shared_bytes, limit.max_shared_bytes);
    lower(c.max_loop_iterations, limit.max_loop_iterations);
    lower(c.subgroup_size, limit.subgroup_size);
    lower(c.timestamps, limit.timestamps);
    lower(c.float16, limit.float16);
    lower(c.float64, limit.float64);
    lower(c.work_per_second, limit.work_per_second);
    lower(c.rounds_to_nearest, limit.rounds_to_nearest);
    lower(c.keeps_signed_zero_inf_nan, limit.keeps_signed_zero_inf_nan);
    for (size_t i = 0; i < 3; ++i) {
        lower(c.max_workgroup_size[i], limit.max_workgroup_size[i]);
        lower(c.max_group_count[i], limit.max_group_count[i]);
    }
    return c;
}

}  // namespace vkonnx
