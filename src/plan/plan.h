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

#include "kernels.h"  // generated: enum class Kernel, kernel_name(Kernel)

namespace vkonnx::plan {

// One dispatch. Operands are numbered inputs first, then outputs, as the caller binds them.
struct Step {
    Kernel kernel = {};
    std::vector<uint32_t> specialization = {};  // by spec id, from 0
    std::vector<uint8_t> operands = {};         // storage buffers at bindings 0, 1, ...: at most 4, the last one is written
    bool uses_uniform = false;                  // Plan::uniform at binding uniform_binding
    std::vector<std::byte> push = {};           // at most 128 bytes, a multiple of 4
    std::array<uint32_t, 3> groups = {1, 1, 1};
};

struct Plan {
    // Run in order; each sees what the ones before it wrote.
    std::vector<Step> steps = {};
    // Contents of a uniform buffer that the steps share; may be empty.
    std::vector<std::byte> uniform = {};
    // Written to the first output as it stands, instead of any step (Shape); may be empty. A multiple of 4 bytes.
    std::vector<std::byte> constant = {};
    std::string why = {};
};

// The step's specialization constants with the names they bear in spec_ids.h, in lower case without the operator.
std::vector<std::pair<std::string, uint32_t>> describe_specialization(const Step& step);

}  // namespace vkonnx::plan
