// SPDX-License-Identifier: Apache-2.0
// This file makes a SPIR-V module declare about its floats what a device offers: that results are rounded to nearest, and that
// -0, infinities and NaNs stay what they are. Without this a driver may round and treat special values as it likes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace vkonnx::gpu {

// FloatControls tells what modules may declare of floats of 32 and 64 bits, taken from VkPhysicalDeviceFloatControlsProperties.
struct FloatControls {
    bool preserves32 = false;  // SignedZeroInfNanPreserve
    bool preserves64 = false;
    bool to_nearest32 = false;  // RoundingModeRTE
    bool to_nearest64 = false;
    bool rounds32_apart = false;    // 32 bits may be declared to round otherwise than 16 and 64 bits
    bool rounds_all_apart = false;  // each width may be declared to round otherwise

    friend bool operator==(const FloatControls&, const FloatControls&) = default;
};

namespace spirv_words {

enum : uint32_t {
    magic = 0x07230203,
    header_words = 5,
    op_extension = 10,
    op_entry_point = 15,
    op_execution_mode = 16,
    op_capability = 17,
    op_decorate = 71,
    capability_float16 = 9,
    capability_float64 = 10,
    capability_storage16 = 4433,
    capability_cooperative_matrix = 6022,
    capability_signed_zero_inf_nan_preserve = 4466,
    capability_rounding_mode_rte = 4467,
    mode_signed_zero_inf_nan_preserve = 4461,
    mode_rounding_mode_rte = 4462,
};

// Returns the first word of an instruction.
constexpr uint32_t instruction(uint32_t op, uint32_t words)
{
    return words << 16 | op;
}

// This is "SPV_KHR_float_controls" with its final 0, four characters in a word, the first one in the lowest byte.
constexpr std::array<uint32_t, 6> extension_name = {0x5f565053, 0x5f52484b, 0x616f6c66, 0x6f635f74, 0x6f72746e, 0x0000736c};

// Places tells where things stand in a module, counted in words.
struct Places {
    bool known = false;  // whether it is a module of one entry point, and no instruction reaches beyond its end
    bool float16 = false;
    bool float64 = false;
    bool storage16 = false;
    bool cooperative_matrices = false;
    uint32_t entry_point = 0;
    size_t behind_capabilities = 0;
    size_t behind_extensions = 0;
    size_t behind_execution_modes = 0;
};

inline Places places_in(std::span<const uint32_t> code)
{
    Places places;
    if (code.size() <= header_words || code[0] != magic)
        return places;
    size_t entry_points = 0;
    for (size_t at = header_words; at < code.size();) {
        const size_t words = code[at] >> 16;
        if (words == 0 || words > code.size() - at)
            return places;
        const size_t behind = at + words;
        switch (code[at] & 0xffff) {
        case op_capability:
            places.float16 = places.float16 || code[behind - 1] == capability_float16;
            places.float64 = places.float64 || code[behind - 1] == capability_float64;
            places.storage16 = places.storage16 || code[behind - 1] == capability_storage16;
            places.cooperative_matrices = places.cooperative_matrices || code[behind - 1] == capability_cooperative_matrix;
            places.behind_capabilities = places.behind_extensions = behind;
            break;
        case op_extension:
            places.behind_extensions = behind;
            break;
        case op_entry_point:
            ++entry_points;
            places.entry_point = words > 2 ? code[at + 2] : 0;
            places.behind_execution_modes = behind;
            break;
        case op_execution_mode:
            places.behind_execution_modes = behind;
            break;
        default:
            break;
        }
        at = behind;
    }
    places.known = entry_points == 1 && places.behind_capabilities != 0;
    return places;
}

}  // namespace spirv_words

// Returns the module, declaring all that is offered for the widths of floats that it uses. Anything but a module of one entry
// point comes back as it is.
inline std::vector<uint32_t> with_float_controls(std::span<const uint32_t> code, const FloatControls& offered)
{
    using namespace spirv_words;
    const Places places = places_in(code);
    const bool preserves64 = offered.preserves64 && places.float64;
    bool to_nearest32 = offered.to_nearest32;
    bool to_nearest64 = offered.to_nearest64 && places.float64;
    // Widths that can't differ are declared together or not at all.
    if (!offered.rounds_all_apart && places.float16)
        to_nearest64 = false;
    const bool together = to_nearest32 && to_nearest64 == places.float64 && !places.float16;
    if (!offered.rounds_all_apart && !offered.rounds32_apart && !together)
        to_nearest32 = to_nearest64 = false;

    std::vector<uint32_t> capabilities, extension, modes;
    const auto declare = [&](uint32_t capability, uint32_t mode, bool of32, bool of64) {
        if (of32 || of64)
            capabilities.insert(capabilities.end(), {instruction(op_capability, 2), capability});
        for (const auto& [wanted, width] : {std::pair(of32, 32u), std::pair(of64, 64u)})
            if (wanted)
                modes.insert(modes.end(), {instruction(op_execution_mode, 4), places.entry_point, mode, width});
    };
    declare(capability_signed_zero_inf_nan_preserve, mode_signed_zero_inf_nan_preserve, offered.preserves32, preserves64);
    declare(capability_rounding_mode_rte, mode_rounding_mode_rte, to_nearest32, to_nearest64);
    std::vector<uint32_t> module(code.begin(), code.end());
    if (!places.known || modes.empty())
        return module;
    extension.push_back(instruction(op_extension, 1 + uint32_t(extension_name.size())));
    extension.insert(extension.end(), extension_name.begin(), extension_name.end());

    // Insertions go from the end to the front, so that the places stay right.
    const auto insert = [&](size_t place, const std::vector<uint32_t>& words) {
        module.insert(module.begin() + std::ptrdiff_t(place), words.begin(), words.end());
    };
    insert(places.behind_execution_modes, modes);
    insert(places.behind_extensions, extension);
    insert(places.behind_capabilities, capabilities);
    return module;
}

}  // namespace vkonnx::gpu
