#include "plan/plan.h"

#include <algorithm>
#include <cmath>

#include "bindings.h"

namespace vkonnx::plan {
namespace {

Status mistake(const std::string& what)
{
    return Status(Code::driver_error, "a plan breaks its own rules: " + what);
}

// One at a time; each gives "" or what is wrong.
class Checker {
public:
    Checker(const Plan& plan, const Capabilities& capabilities) : plan_(plan), capabilities_(capabilities) {}

    std::string whole() const
    {
        if (plan_.inputs > plan_.tensor_bytes.size())
            return std::to_string(plan_.inputs) + " inputs, but " + std::to_string(plan_.tensor_bytes.size()) + " tensors";
        if (plan_.uniform.size() > capabilities_.max_uniform_buffer_range)
            return "a uniform block of " + std::to_string(plan_.uniform.size()) + " bytes";
        if (plan_.constant.size() % 4 != 0)
            return "a constant of " + std::to_string(plan_.constant.size()) + " bytes";
        if (!plan_.constant.empty() &&
            (plan_.inputs >= plan_.tensor_bytes.size() || plan_.constant.size() > plan_.tensor_bytes[plan_.inputs]))
            return "a constant without an output that holds it";
        if (!(plan_.max_submit_seconds > 0))
            return "max_submit_seconds = " + std::to_string(plan_.max_submit_seconds);
        return "";
    }

    std::string pipeline(const PipelineKey& key) const
    {
        if (size_t(key.kernel) >= kernel_count)
            return "there is no kernel " + std::to_string(size_t(key.kernel));
        if (key.specialization.size() != specialization_of(key.kernel).size())
            return std::to_string(key.specialization.size()) + " specialization constants for " +
                   std::string(kernel_name(key.kernel));
        if (key.operands > MAX_OPERANDS || key.operands > capabilities_.max_storage_buffers)
            return std::to_string(key.operands) + " storage buffers";
        if (key.uses_uniform && plan_.uniform.empty())
            return "a uniform block that is empty";
        if (key.push_bytes % 4 != 0 || key.push_bytes > capabilities_.max_push_constant_bytes)
            return std::to_string(key.push_bytes) + " bytes of push constants";
        return "";
    }

    std::string step(const Step& step) const
    {
        if (step.pipeline >= plan_.pipelines.size())
            return "there is no pipeline " + std::to_string(step.pipeline);
        const PipelineKey& key = pipeline_of(plan_, step);
        if (step.operands.size() != key.operands)
            return std::to_string(step.operands.size()) + " operands for a pipeline of " + std::to_string(key.operands);
        if (step.push.size() != key.push_bytes)
            return std::to_string(step.push.size()) + " bytes of push constants for a pipeline of " +
                   std::to_string(key.push_bytes);
        for (size_t d = 0; d < 3; ++d)
            if (step.groups[d] < 1 || step.groups[d] > capabilities_.max_group_count[d])
                return std::to_string(step.groups[d]) + " groups in dimension " + std::to_string(d);
        if (!(step.seconds >= 0))
            return "it takes " + std::to_string(step.seconds) + " s";
        for (size_t i = 0; i < step.operands.size(); ++i)
            if (std::string wrong = operand(step, i); !wrong.empty())
                return "operand " + std::to_string(i) + ": " + wrong;
        return "";
    }

private:
    uint64_t memory_bytes(const Operand& operand) const
    {
        return operand.place == Place::scratch ? plan_.scratch_bytes : plan_.tensor_bytes[operand.tensor];
    }

    std::string operand(const Step& step, size_t index) const
    {
        const Operand& operand = step.operands[index];
        if (operand.place == Place::tensor && operand.tensor >= plan_.tensor_bytes.size())
            return "there is no tensor " + std::to_string(operand.tensor);
        if (operand.place == Place::tensor && operand.tensor < plan_.inputs && operand.written())
            return "input " + std::to_string(operand.tensor) + " is written";
        const uint64_t size = buffer_bytes(memory_bytes(operand));
        if (operand.offset >= size || operand.bytes > size - operand.offset)
            return std::to_string(operand.bytes) + " bytes from " + std::to_string(operand.offset) + " on, of " +
                   std::to_string(size);
        if (operand.offset % capabilities_.storage_buffer_alignment != 0 || operand.offset % 4 != 0)
            return "offset " + std::to_string(operand.offset);
        if (bound_bytes(plan_, operand) > capabilities_.max_storage_buffer_range)
            return std::to_string(bound_bytes(plan_, operand)) + " bytes in one binding";
        for (size_t other = 0; other < step.operands.size(); ++other)
            if (other != index && operand.written() && overlap(operand, step.operands[other]))
                return "it is written and overlaps operand " + std::to_string(other);
        return "";
    }

    bool overlap(const Operand& a, const Operand& b) const
    {
        const bool same = a.place == b.place && (a.place != Place::tensor || a.tensor == b.tensor);
        return same && a.offset < b.offset + bound_bytes(plan_, b) && b.offset < a.offset + bound_bytes(plan_, a);
    }

    const Plan& plan_;
    const Capabilities& capabilities_;
};

}  // namespace

uint64_t buffer_bytes(uint64_t bytes)
{
    return std::max<uint64_t>(4, (bytes + 3) & ~uint64_t(3));
}

uint64_t bound_bytes(const Plan& plan, const Operand& operand)
{
    if (operand.bytes != 0)
        return operand.bytes;
    return buffer_bytes(operand.place == Place::scratch ? plan.scratch_bytes : plan.tensor_bytes[operand.tensor]) -
           operand.offset;
}

Status check(const Plan& plan, const Capabilities& capabilities)
{
    const Checker checker(plan, capabilities);
    if (std::string wrong = checker.whole(); !wrong.empty())
        return mistake(wrong);
    for (size_t i = 0; i < plan.pipelines.size(); ++i)
        if (std::string wrong = checker.pipeline(plan.pipelines[i]); !wrong.empty())
            return mistake("pipeline " + std::to_string(i) + ": " + wrong);
    for (size_t i = 0; i < plan.steps.size(); ++i)
        if (std::string wrong = checker.step(plan.steps[i]); !wrong.empty())
            return mistake("step " + std::to_string(i) + ": " + wrong);
    return {};
}

std::vector<std::pair<std::string, uint32_t>> describe_specialization(const PipelineKey& pipeline)
{
    std::vector<std::pair<std::string, uint32_t>> described;
    for (const SpecializationConstant& constant : specialization_of(pipeline.kernel))
        if (constant.id < pipeline.specialization.size())
            described.emplace_back(constant.name, pipeline.specialization[constant.id]);
    return described;
}

}  // namespace vkonnx::plan
