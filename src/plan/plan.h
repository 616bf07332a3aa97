// What runs for a problem: kernels, their specialization, push constants, grids, in order. Pure data; after this no code sees
// a shape, and the layer that executes it knows no operator.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels.h"  // generated: enum class Kernel, kernel_name(Kernel), specialization_of(Kernel)

namespace vkonnx::plan {

// What a step binds: a tensor, or the part of it that fits a device's buffer range.
struct Operand {
    uint8_t tensor = 0;   // numbered inputs first, then outputs, as the caller binds them; or `scratch`
    uint64_t offset = 0;  // bytes, a multiple of Capabilities::storage_buffer_alignment
    uint64_t bytes = 0;   // 0: all that is behind the offset

    friend bool operator==(const Operand&, const Operand&) = default;
};

// Memory of a binding's own, of Plan::scratch_bytes.
inline constexpr uint8_t scratch = 255;

// One dispatch.
struct Step {
    Kernel kernel = {};
    std::vector<uint32_t> specialization = {};  // by id, from a struct of specialization/
    std::vector<Operand> operands = {};         // storage buffers at bindings 0, 1, ...: at most 4, the last one is written
    bool uses_uniform = false;                  // Plan::uniform at binding uniform_binding
    std::vector<std::byte> push = {};           // at most 128 bytes, a multiple of 4
    std::array<uint32_t, 3> groups = {1, 1, 1};
    double seconds = 0;  // an estimate
};

struct Plan {
    // Run in order; each sees what the ones before it wrote.
    std::vector<Step> steps = {};
    // Contents of a uniform buffer that the steps share; may be empty.
    std::vector<std::byte> uniform = {};
    // Written to the first output as it stands, instead of any step (Shape); may be empty. A multiple of 4 bytes.
    std::vector<std::byte> constant = {};
    uint64_t scratch_bytes = 0;
    // Steps are submitted together up to this estimate.
    double max_submit_seconds = 0.5;
    std::string why = {};
};

// The step's specialization constants with the names they bear in their kernel's list.
std::vector<std::pair<std::string, uint32_t>> describe_specialization(const Step& step);

}  // namespace vkonnx::plan
