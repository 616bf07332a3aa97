// SPDX-License-Identifier: Apache-2.0
// This file defines what runs for a problem: kernels with their specialization, push constants and grids, in order. A plan is
// pure data. After it no code sees a shape, and the layer that executes it knows no operator.
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
    tensor,   // of the caller
    scratch,  // the binding's own memory, Plan::scratch_bytes long
    packed,   // memory, Plan::packed_bytes long: constant inputs in another form, which Plan::setup wrote
    table,    // Plan::table, which no step writes
};

enum class Access : uint8_t { read, write, read_write };

// A View tells how a kernel sees an operand: as a storage buffer, or as texels of a format, which it only reads (texelFetch of a
// samplerBuffer or, of texel_rgba32ui, a usamplerBuffer).
enum class View : uint8_t { storage, texel_r32f, texel_rgba32f, texel_rgba32ui };

// Returns the bytes of a texel; 0 for storage.
uint32_t texel_bytes(View view);

// An Operand is what a step binds: a tensor or other memory, or the part of it that fits a device's buffer range. The step's
// pipeline tells by what view.
struct Operand {
    Place place = Place::tensor;
    uint8_t tensor = 0;  // the number of a tensor: inputs first, then outputs, as the caller binds them
    Access access = Access::read;
    uint64_t offset = 0;  // in bytes, a multiple of Capabilities::storage_buffer_alignment or, for texels, texel_buffer_alignment
    uint64_t bytes = 0;   // 0 for all that is behind the offset

    bool written() const { return access != Access::read; }
    friend bool operator==(const Operand&, const Operand&) = default;
};

// A PipelineKey is what a pipeline is made from. Steps with equal keys share a pipeline.
struct PipelineKey {
    Kernel kernel = {};
    std::vector<uint32_t> specialization = {};  // by id, from a struct of some X_constants.h
    std::vector<View> views = {};               // of the operands at bindings 0, 1, ...
    bool uses_uniform = false;                  // binds Plan::uniform at UNIFORM_BINDING
    uint32_t push_bytes = 0;

    friend auto operator<=>(const PipelineKey&, const PipelineKey&) = default;
};

// A Step is one dispatch.
struct Step {
    uint32_t pipeline = 0;  // the index in Plan::pipelines
    std::vector<Operand> operands = {};
    std::vector<std::byte> push = {};
    std::array<uint32_t, 3> groups = {1, 1, 1};
    double seconds = 0;  // an estimate

    friend bool operator==(const Step&, const Step&) = default;
};

struct Plan {
    std::vector<PipelineKey> pipelines = {};
    // These steps run once, before the first of `steps`. They read constant inputs and write packed memory.
    std::vector<Step> setup = {};
    // These steps run in order. Each sees what the ones before it wrote.
    std::vector<Step> steps = {};
    // The tensors that operands name are so many inputs, and behind them the outputs. tensor_bytes holds the size of each tensor
    // in this order.
    uint32_t inputs = 0;
    std::vector<uint64_t> tensor_bytes = {};
    // The first output may lie in the memory of any of these inputs. What a step reads of such an input, no earlier step has
    // overwritten, and no other invocation of the same step overwrites.
    std::vector<uint8_t> in_place = {};
    // These are the contents of a uniform buffer that the steps share. They may be empty.
    std::vector<std::byte> uniform = {};
    // These are the contents of a storage buffer that the steps, but not the setup, may read: what is known of a problem and is
    // more than a uniform block holds. They are uploaded once, may be empty, and are a multiple of 4 bytes.
    std::vector<std::byte> table = {};
    // These bytes are written to the first output as they are, instead of any step (Shape). They may be empty, and are a multiple
    // of 4.
    std::vector<std::byte> constant = {};
    uint64_t scratch_bytes = 0;
    uint64_t packed_bytes = 0;
    // Steps are submitted together up to this estimate.
    double max_submit_seconds = 0.5;
    std::string kernel = {};  // the chosen kernel and its compute type, such as "matmul_f32"; empty where nothing runs
    std::string why = {};
    std::string epilogue = {};  // the equation of PrepareOptions::epilogue, for people; empty where there is none

    friend bool operator==(const Plan&, const Plan&) = default;
};

// Returns the bytes of a buffer that holds so many: whole words of 4 bytes, and at least one.
uint64_t buffer_bytes(uint64_t bytes);

// Returns the key of the pipeline that runs the step.
inline const PipelineKey& pipeline_of(const Plan& plan, const Step& step)
{
    return plan.pipelines[step.pipeline];
}

// Tells for each tensor, by its number, whether a step names it.
std::vector<bool> named_tensors(const Plan& plan);

// A Setup is the setup steps as a plan of their own. Its input i is input inputs[i] of the whole plan; its output is the packed
// memory.
struct Setup {
    Plan plan = {};
    std::vector<uint8_t> inputs = {};
};
Setup setup_of(const Plan& plan);

// Returns how many bytes of its memory the operand binds, also where bytes = 0 stands for all up to the end.
uint64_t bound_bytes(const Plan& plan, const Operand& operand);

// Checks every rule that the layer below relies on, so that no plan can overrun an array, a buffer or a limit. An error is a
// mistake of the planner, never of its user: Code::driver_error, with a sentence that names the step.
Status check(const Plan& plan, const Capabilities& capabilities);

// Returns the specialization constants with the names that they have in their kernel's list.
std::vector<std::pair<std::string, uint32_t>> describe_specialization(const PipelineKey& pipeline);

}  // namespace vkonnx::plan
