// From a plan to a submit: Program (made by prepare), Binding (made by bind), Execution (recorded once, submitted often).
#pragma once

#include <set>

#include "gpu/commands.h"
#include "gpu/memory.h"
#include "gpu/pipeline.h"
#include "gpu/timestamps.h"
#include "plan/plan.h"

namespace vkonnx::gpu {

// A plan with its pipelines and its uniform buffer. Immutable; any thread.
class Program {
public:
    // The label shows in captures.
    static Result<std::shared_ptr<const Program>> create(Device& device, plan::Plan plan, std::string label);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    Device& device() const { return device_; }
    const plan::Plan& plan() const { return plan_; }

private:
    friend class Binding;
    explicit Program(Device& device) : device_(device) {}

    Device& device_;
    plan::Plan plan_;
    std::string label_;
    std::vector<std::shared_ptr<const Pipeline>> pipelines_;  // a step each
    std::shared_ptr<Buffer> uniform_;                         // null when the plan has none
};

// Finds where a barrier must stand: where something read or written meanwhile is written, or something written is read.
class Hazards {
public:
    // Notes the accesses of the next command. True: a barrier must come before it.
    bool need_barrier(std::span<const VkBuffer> read, VkBuffer written);

private:
    std::set<VkBuffer> read_;
    std::set<VkBuffer> written_;
};

// A program with its operands: descriptor sets, ready to be recorded.
class Binding {
public:
    // Operands as the plan numbers them; a plan's constant goes to operands[first_output].
    static Result<std::unique_ptr<Binding>> create(std::shared_ptr<const Program> program,
                                                   std::vector<std::shared_ptr<Buffer>> operands, size_t first_output);
    ~Binding();
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

    void record(Commands& commands, Hazards& hazards) const;

private:
    explicit Binding(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
    Status create_sets();
    void write_set(const plan::Step& step, VkDescriptorSet set) const;
    void record_step(size_t index, Commands& commands, Hazards& hazards) const;
    void record_constant(Commands& commands, Hazards& hazards) const;

    std::shared_ptr<const Program> program_;
    std::vector<std::shared_ptr<Buffer>> operands_;
    size_t first_output_ = 0;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> sets_;  // a step each
};

// Bindings in one command buffer.
class Execution {
public:
    static Result<std::unique_ptr<Execution>> create(Device& device);

    // The bindings must live as long as this may run. `timed`: measure each, where the queue can.
    Status record(std::span<const Binding* const> bindings, bool timed);
    // Submits once and waits. Allocates nothing.
    Status run();
    // GPU seconds of each binding in the last run; false when they were not measured.
    bool timed() const { return timestamps_ != nullptr; }
    Status read_seconds(std::span<double> seconds) { return timestamps_->read(seconds); }

private:
    explicit Execution(Device& device) : device_(device) {}

    Device& device_;
    std::unique_ptr<Timestamps> timestamps_;
    std::unique_ptr<Commands> commands_;  // destroyed first: it waits for what still runs
};

}  // namespace vkonnx::gpu
