// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: what a device offers, as far as planning depends on it.
#ifndef VKONNX_CAPABILITIES_HPP
#define VKONNX_CAPABILITIES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vkonnx/export.hpp>
#include <vkonnx/status.hpp>

namespace vkonnx {

// Capabilities are what a device offers, as far as choosing a kernel depends on it. They are read from a device, lowered through
// DeviceOptions::capabilities, or invented for `explain`. No plan exceeds any of it: what is too little for an operator (0
// invocations, 3 storage buffers for ConvTranspose) is refused by a sentence that names the field.
struct Capabilities {
    std::string name = "minimum";
    bool is_cpu = false;                           // a software driver
    uint64_t max_storage_buffer_range = 1u << 27;  // bytes
    uint32_t storage_buffer_alignment = 256;       // bytes, of a bound buffer's offset; a power of two
    uint32_t max_texel_buffer_elements = 65536;    // texels of a view
    uint32_t texel_buffer_alignment = 256;         // bytes, of a view's offset; a power of two
    uint32_t max_uniform_buffer_range = 16384;     // bytes
    uint32_t max_storage_buffers = 4;              // per shader stage
    uint32_t max_push_constant_bytes = 128;
    uint32_t max_invocations = 128;  // per workgroup
    std::array<uint32_t, 3> max_workgroup_size = {128, 128, 64};
    std::array<uint32_t, 3> max_group_count = {65535, 65535, 65535};
    uint32_t max_shared_bytes = 16384;
    uint32_t max_loop_iterations = UINT32_MAX;  // of one invocation, all its loops together; lavapipe stops at 65,535
    // Registers of 32 bits that a compiler gives an invocation before it moves values to memory. No driver tells it: it is known
    // by vendor and chip. Kernels keep as many sums at once as this allows.
    uint32_t invocation_registers = 64;
    uint32_t subgroup_size = 1;
    bool subgroup_shuffles = false;  // in compute shaders, a subgroup's invocations read each other's registers by number
    bool timestamps = false;
    bool float16 = false;                    // arithmetic in halves (shaderFloat16)
    bool float64 = false;                    // arithmetic in doubles (shaderFloat64), unless the self-test saw it round wrongly
    bool storage16 = false;                  // loads and stores of single halves in buffers (storageBuffer16BitAccess)
    bool rounds_to_nearest = false;          // f32 addition and multiplication, as the self-test at opening saw them
    bool keeps_signed_zero_inf_nan = false;  // SignedZeroInfNanPreserve for f32
    // Products of matrices in halves by a subgroup, with sums in floats (VK_KHR_cooperative_matrix), unless the self-test saw
    // them wrong; and the rows, columns and depth of one: M, N and K.
    bool cooperative_matrices = false;
    std::array<uint32_t, 3> cooperative_matrix = {};
    // Multiply-adds of plain kernels, with their loads, in a second: what the time of a dispatch is estimated by. Measured by the
    // self-test at opening, roughly. Greater than 0 and finite.
    double work_per_second = 1e8;

    friend bool operator==(const Capabilities&, const Capabilities&) = default;

    // "minimum" (what Vulkan 1.1 guarantees), "lavapipe", "swiftshader", "desktop", "mobile", and chips as their drivers describe
    // them: "amd-navi21", "nvidia-turing", "mali-g610" and others. A chip's work_per_second is assumed, not measured.
    VKONNX_API static Result<Capabilities> preset(std::string_view name);
    VKONNX_API static std::span<const std::string_view> preset_names() noexcept;
    // Returns the lesser of both in every field: what remains of `*this` under `limit`. It keeps this name; with the host out of
    // memory the name is "".
    VKONNX_API Capabilities lowered_to(const Capabilities& limit) const noexcept;
};

}  // namespace vkonnx

#endif
