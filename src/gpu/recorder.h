// SPDX-License-Identifier: Apache-2.0
// This file goes from a plan to commands: Program is made by prepare, and Binding by bind. execution.h submits them.
#pragma once

#include <array>
#include <functional>

#include "gpu/commands.h"
#include "gpu/memory.h"
#include "gpu/pipeline.h"
#include "gpu/transfer.h"
#include "plan/core/plan.h"

namespace vkonnx::gpu {

// An Upload fills a buffer with bytes, now or before anything that reads it is recorded.
using Upload = std::function<Status(const std::shared_ptr<Buffer>& to, std::span<const std::byte> bytes)>;

// A Program is a plan with its pipelines, uniform buffer, table and packed memory. It never changes, and any thread may use it.
class Program {
public:
    // The label shows in captures. A plan that the device can't run is refused: see plan::check. `packed` is what its setup steps
    // wrote, where it has any; these steps are not part of the program (see packing.h).
    static Result<std::shared_ptr<const Program>> create(Device& device, plan::Plan plan, std::string label,
                                                         std::shared_ptr<Buffer> packed = nullptr,
                                                         const Upload& upload = gpu::upload);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    Device& device() const { return device_; }
    const plan::Plan& plan() const { return plan_; }

private:
    friend class Binding;
    explicit Program(Device& device) : device_(device) {}
    void number_sets();
    const Pipeline& pipeline_of(const plan::Step& step) const { return *pipelines_[step.pipeline]; }

    Device& device_;
    plan::Plan plan_;
    std::string label_;
    std::vector<std::shared_ptr<const Pipeline>> pipelines_;  // in the order of Plan::pipelines
    // Steps that bind the same memory share a descriptor set.
    std::vector<uint32_t> set_of_step_;     // for each step, its set
    std::vector<uint32_t> first_with_set_;  // for each set, a step that has it
    std::shared_ptr<Buffer> uniform_;       // null when the plan has none
    std::shared_ptr<Buffer> table_;         // null when the plan has none
    std::shared_ptr<Buffer> packed_;        // null when the plan has none
};

// Hazards finds where a barrier must stand: before a write of what was accessed, or a read of what was written, since the last.
class Hazards {
public:
    struct Access {
        Slice slice;
        bool writes;
    };

    // Tells whether a barrier must come before this access.
    bool conflicts(const Access& access) const;
    // Notes the accesses of the next command. Returns whether a barrier must come before it.
    bool need_barrier(std::span<const Access> accesses);
    // Must be called when a barrier was set.
    void clear() { count_ = 0; }

private:
    std::array<Access, 256> accesses_;  // since the last barrier; a full list asks for one, so that recording allocates nothing
    size_t count_ = 0;
};

// A Binding is a program with its operands: descriptor sets that are ready to be recorded.
class Binding {
public:
    // Tensors are given as the plan numbers them, each at least as large as it says, or null where no step names one. `scratch`
    // has at least Plan::scratch_bytes; without it the binding allocates its own where the plan needs any.
    static Result<std::unique_ptr<Binding>> create(std::shared_ptr<const Program> program,
                                                   std::vector<std::shared_ptr<Buffer>> tensors,
                                                   std::shared_ptr<Buffer> scratch = nullptr);
    ~Binding();
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

    std::span<const plan::Step> steps() const { return program_->plan().steps; }
    double max_submit_seconds() const { return program_->plan().max_submit_seconds; }
    // Tells whether the binding reads or writes (uses), or only whether it writes, any of this memory.
    bool uses(const Slice& slice) const { return accesses(slice, false); }
    bool writes(const Slice& slice) const { return accesses(slice, true); }

    // Records all steps, and allocates nothing.
    void record(VkCommandBuffer commands, Hazards& hazards) const { record(commands, hazards, 0, steps().size()); }
    // Records the steps [first, last), and behind the last step of all what follows it.
    void record(VkCommandBuffer commands, Hazards& hazards, size_t first, size_t last) const;

private:
    explicit Binding(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
    Status check_sizes() const;
    Status create_scratch();
    Status create_sets();
    Slice part_of(const plan::Operand& operand) const;
    bool accesses(const Slice& slice, bool only_writes) const;
    Status create_view(const Slice& part, plan::View view);
    Status write_set(const plan::Step& step, VkDescriptorSet set);
    void record_step(size_t index, VkCommandBuffer commands, Hazards& hazards) const;
    void record_constant(VkCommandBuffer commands, Hazards& hazards) const;

    std::shared_ptr<const Program> program_;
    std::vector<std::shared_ptr<Buffer>> tensors_;
    std::shared_ptr<Buffer> scratch_;  // may be null where the plan needs none
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> sets_;  // in the order of Program's numbers
    std::vector<VkBufferView> views_;    // the views that the sets hold
};

}  // namespace vkonnx::gpu
