// SPDX-License-Identifier: Apache-2.0
// What runs for a problem: kernels, their specialization, push constants, grids, in order. Pure data; after this no code sees
// a shape, and the layer that executes it knows no operator.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels.h"  // generated: enum class Kernel, kernel_name(Kernel), specialization_of(Kernel)

namespace vkonnx::plan {

// The memory that an operand is a part of.
enum class Place : uint8_t {
    tensor,   // the caller's
    scratch,  // a binding's own, of Plan::scratch_bytes
    packed,   // of Plan::packed_bytes: constant inputs in another form, which Plan::setup wrote
    table,    // Plan::table, which no step writes
};

enum class Access : uint8_t { read, write, read_write };

// How a kernel sees an operand: as a storage buffer, or as texels of a format, which it only reads (texelFetch of a
// samplerBuffer).
enum class View : uint8_t { storage, texel_r32f, texel_rgba32f };

// Bytes of a texel; 0 for storage.
uint32_t texel_bytes(View view);

// What a step binds: a tensor, or the part of it that fits a device's buffer range. Its pipeline says by what view.
struct Operand {
    Place place = Place::tensor;
    uint8_t tensor = 0;  // of Place::tensor: numbered inputs first, then outputs, as the caller binds them
    Access access = Access::read;
    uint64_t offset = 0;  // bytes, a multiple of Capabilities::storage_buffer_alignment or, of texels, texel_buffer_alignment
    uint64_t bytes = 0;   // 0: all that is behind the offset

    bool written() const { return access != Access::read; }
    friend bool operator==(const Operand&, const Operand&) = default;
};

// What a pipeline is made from: steps with equal keys share one.
struct PipelineKey {
    Kernel kernel = {};
    std::vector<uint32_t> specialization = {};  // by id, from a struct of specialization/
    std::vector<View> views = {};               // of the operands at bindings 0, 1, ...
    bool uses_uniform = false;                  // Plan::uniform at UNIFORM_BINDING
    uint32_t push_bytes = 0;

    friend auto operator<=>(const PipelineKey&, const PipelineKey&) = default;
};

// One dispatch.
struct Step {
    uint32_t pipeline = 0;  // of Plan::pipelines
    std::vector<Operand> operands = {};
    std::vector<std::byte> push = {};
    std::array<uint32_t, 3> groups = {1, 1, 1};
    double seconds = 0;  // an estimate

    friend bool operator==(const Step&, const Step&) = default;
};

struct Plan {
    std::vector<PipelineKey> pipelines = {};
    // Run once, before the first of `steps`: they read inputs that are constant, and write packed memory.
    std::vector<Step> setup = {};
    // Run in order; each sees what the ones before it wrote.
    std::vector<Step> steps = {};
    // The tensors that operands name: so many inputs, and how large each tensor is, the outputs' sizes behind the inputs'.
    uint32_t inputs = 0;
    std::vector<uint64_t> tensor_bytes = {};
    // Inputs whose memory the first output may be, just as it lies: whatever the steps read of one, no step has written before,
    // and no invocation but the one that writes it there.
    std::vector<uint8_t> in_place = {};
    // Contents of a uniform buffer that the steps share; may be empty.
    std::vector<std::byte> uniform = {};
    // Contents of a storage buffer that the steps, but not the setup, may read: what is known of a problem and is more than a
    // uniform block holds. Uploaded once; may be empty. A multiple of 4 bytes.
    std::vector<std::byte> table = {};
    // Written to the first output as it stands, instead of any step (Shape); may be empty. A multiple of 4 bytes.
    std::vector<std::byte> constant = {};
    uint64_t scratch_bytes = 0;
    uint64_t packed_bytes = 0;
    // Steps are submitted together up to this estimate.
    double max_submit_seconds = 0.5;
    std::string kernel = {};  // that was chosen, with its numbers' name; empty where nothing runs
    std::string why = {};
    std::string epilogue = {};  // for people, the equation of PrepareOptions::epilogue; empty where there is none

    friend bool operator==(const Plan&, const Plan&) = default;
};

// Bytes of a buffer that holds so many: whole words, and at least one.
uint64_t buffer_bytes(uint64_t bytes);

// The key of the pipeline that runs the step.
inline const PipelineKey& pipeline_of(const Plan& plan, const Step& step)
{
    return plan.pipelines[step.pipeline];
}

// Whether a step names the tensor of each number.
std::vector<bool> named_tensors(const Plan& plan);

// The setup steps as a plan of their own. Its inputs are those of `inputs` of the whole plan; its output is packed memory.
struct Setup {
    Plan plan = {};
    std::vector<uint8_t> inputs = {};
};
Setup setup_of(const Plan& plan);

// What the operand binds of its memory, its end included that bytes = 0 stands for.
uint64_t bound_bytes(const Plan& plan, const Operand& operand);

// Every rule that the layer below relies on, so that no plan can overrun an array, a buffer or a limit. An error is a mistake
// of the planner, never of its user: Code::driver_error, with a sentence that names the step.
Status check(const Plan& plan, const Capabilities& capabilities);

// The constants with the names they bear in their kernel's list.
std::vector<std::pair<std::string, uint32_t>> describe_specialization(const PipelineKey& pipeline);

}  // namespace vkonnx::plan
