// SPDX-License-Identifier: Apache-2.0
#include <vkonnx/vkonnx.hpp>

#include <algorithm>

#include "guard.h"

namespace vkonnx {
namespace {

// Returns what Mesa 22.3 on a CPU of today reports of itself.
Capabilities lavapipe()
{
    Capabilities c;
    c.name = "lavapipe";
    c.is_cpu = true;
    c.storage_buffer_alignment = 16;
    c.max_texel_buffer_elements = 1u << 27;
    c.texel_buffer_alignment = 16;
    c.max_uniform_buffer_range = 65536;
    c.max_storage_buffers = 16;
    c.max_invocations = 1024;
    c.max_workgroup_size = {1024, 1024, 1024};
    c.max_shared_bytes = 32768;
    c.max_loop_iterations = 65535;
    c.invocation_registers = 256;
    c.subgroup_size = 8;
    c.subgroup_shuffles = true;
    c.timestamps = true;
    c.float16 = true;
    c.float64 = true;
    c.storage16 = true;
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
    c.invocation_registers = 256;
    c.subgroup_size = 4;
    c.subgroup_shuffles = true;
    c.timestamps = true;
    c.rounds_to_nearest = true;
    c.keeps_signed_zero_inf_nan = true;
    return c;
}

// Returns what discrete GPUs of three vendors have in common.
Capabilities desktop()
{
    Capabilities c;
    c.name = "desktop";
    c.max_storage_buffer_range = UINT32_MAX;
    c.storage_buffer_alignment = 64;
    c.max_texel_buffer_elements = 1u << 27;
    c.texel_buffer_alignment = 64;
    c.max_uniform_buffer_range = 65536;
    c.max_storage_buffers = 1024;
    c.max_push_constant_bytes = 256;
    c.max_invocations = 1024;
    c.max_workgroup_size = {1024, 1024, 64};
    c.max_shared_bytes = 32768;
    c.invocation_registers = 255;  // what both AMD's and NVIDIA's GPUs have
    c.subgroup_size = 32;
    c.subgroup_shuffles = true;
    c.timestamps = true;
    c.float16 = true;
    c.float64 = true;
    c.storage16 = true;
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

struct Preset {
    std::string_view name;
    Capabilities (*make)();
};

// The chips are those of tools/gpus/gpus.sh. What a driver does not tell of a chip is as tools/gpus/capabilities.cpp says.
constexpr Preset presets[] = {
    {"minimum", [] { return Capabilities(); }},
    {"lavapipe", lavapipe},
    {"swiftshader", swiftshader},
    {"desktop", desktop},
    {"mobile", mobile},
#include "api/chips/adreno-618.inc"
#include "api/chips/adreno-630.inc"
#include "api/chips/adreno-660.inc"
#include "api/chips/adreno-730.inc"
#include "api/chips/adreno-740.inc"
#include "api/chips/adreno-750.inc"
#include "api/chips/adreno-810.inc"
#include "api/chips/adreno-830.inc"
#include "api/chips/amd-gfx1201.inc"
#include "api/chips/amd-navi10.inc"
#include "api/chips/amd-navi21.inc"
#include "api/chips/amd-navi31.inc"
#include "api/chips/amd-polaris10.inc"
#include "api/chips/amd-strix1.inc"
#include "api/chips/amd-vega10.inc"
#include "api/chips/amd-vega20.inc"
#include "api/chips/apple-m1.inc"
#include "api/chips/broadcom-pi4.inc"
#include "api/chips/intel-bmg.inc"
#include "api/chips/intel-cfl.inc"
#include "api/chips/intel-dg2.inc"
#include "api/chips/intel-icl.inc"
#include "api/chips/intel-lnl.inc"
#include "api/chips/intel-mtl.inc"
#include "api/chips/intel-ptl.inc"
#include "api/chips/intel-skl.inc"
#include "api/chips/intel-tgl.inc"
#include "api/chips/mali-g610.inc"
#include "api/chips/mali-g720.inc"
#include "api/chips/mali-g725.inc"
#include "api/chips/nvidia-ampere.inc"
#include "api/chips/nvidia-kepler.inc"
#include "api/chips/nvidia-maxwell.inc"
#include "api/chips/nvidia-pascal.inc"
#include "api/chips/nvidia-turing.inc"
#include "api/chips/nvidia-volta.inc"
#include "api/chips/powervr-bxs.inc"
};

constexpr auto names_of_presets = [] {
    std::array<std::string_view, std::size(presets)> names = {};
    for (size_t i = 0; i < names.size(); ++i)
        names[i] = presets[i].name;
    return names;
}();

}  // namespace

Result<Capabilities> Capabilities::preset(std::string_view name)
{
    return guarded([&]() -> Result<Capabilities> {
        std::string known;
        for (const Preset& preset : presets) {
            if (preset.name == name)
                return preset.make();
            const bool is_chip = preset.name.find('-') != std::string_view::npos;
            if (!is_chip)
                known += std::string(preset.name) + ", ";
        }
        return Status(Code::invalid_argument, "no capability preset is called '" + std::string(name) + "'; there are " + known +
                                                  "and chips, such as amd-navi21");
    });
}

std::span<const std::string_view> Capabilities::preset_names() noexcept
{
    return names_of_presets;
}

Capabilities Capabilities::lowered_to(const Capabilities& limit) const noexcept
{
    Capabilities c;
    c.name = guarded_or(std::string(), [&] { return name; });
    const auto lower = [&](auto Capabilities::*field) { c.*field = std::min(this->*field, limit.*field); };
    lower(&Capabilities::is_cpu);
    lower(&Capabilities::max_storage_buffer_range);
    c.storage_buffer_alignment = std::max(storage_buffer_alignment, limit.storage_buffer_alignment);  // stricter counts as less
    lower(&Capabilities::max_texel_buffer_elements);
    c.texel_buffer_alignment = std::max(texel_buffer_alignment, limit.texel_buffer_alignment);
    lower(&Capabilities::max_uniform_buffer_range);
    lower(&Capabilities::max_storage_buffers);
    lower(&Capabilities::max_push_constant_bytes);
    lower(&Capabilities::max_invocations);
    for (size_t i = 0; i < 3; ++i) {
        c.max_workgroup_size[i] = std::min(max_workgroup_size[i], limit.max_workgroup_size[i]);
        c.max_group_count[i] = std::min(max_group_count[i], limit.max_group_count[i]);
    }
    lower(&Capabilities::max_shared_bytes);
    lower(&Capabilities::max_loop_iterations);
    lower(&Capabilities::invocation_registers);
    lower(&Capabilities::subgroup_size);
    lower(&Capabilities::subgroup_shuffles);
    lower(&Capabilities::timestamps);
    lower(&Capabilities::float16);
    lower(&Capabilities::storage16);
    lower(&Capabilities::float64);
    lower(&Capabilities::cooperative_matrices);
    c.cooperative_matrices = c.cooperative_matrices && c.subgroup_size == subgroup_size;  // a matrix belongs to a whole subgroup
    c.cooperative_matrix = c.cooperative_matrices ? cooperative_matrix : std::array<uint32_t, 3>();
    lower(&Capabilities::rounds_to_nearest);
    lower(&Capabilities::keeps_signed_zero_inf_nan);
    lower(&Capabilities::work_per_second);
    return c;
}

}  // namespace vkonnx
