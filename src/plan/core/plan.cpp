// SPDX-License-Identifier: Apache-2.0
#include "plan/core/plan.h"

#include <algorithm>
#include <cmath>

#include "shaders/library/bindings.h"

namespace vkonnx::plan {
namespace {

uint64_t memory_bytes(const Plan& plan, const Operand& operand)
{
    switch (operand.place) {
    case Place::tensor:
        return plan.tensor_bytes[operand.tensor];
    case Place::scratch:
        return plan.scratch_bytes;
    case Place::packed:
        return plan.packed_bytes;
    case Place::table:
        return plan.table.size();
    }
    return 0;
}

Status mistake(const std::string& what)
{
    return Status(Code::driver_error, "a plan breaks its own rules: " + what);
}

// A Checker checks one thing at a time. Each function returns "" or what is wrong.
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
        if (plan_.table.size() % 4 != 0)
            return "a table of " + std::to_string(plan_.table.size()) + " bytes";
        if (!plan_.constant.empty() &&
            (plan_.inputs >= plan_.tensor_bytes.size() || plan_.constant.size() > plan_.tensor_bytes[plan_.inputs]))
            return "a constant without an output that holds it";
        for (const uint8_t input : plan_.in_place)
            if (input >= plan_.inputs || plan_.inputs == plan_.tensor_bytes.size() ||
                plan_.tensor_bytes[input] != plan_.tensor_bytes[plan_.inputs])
                return "the output may not be the memory of input " + std::to_string(input);
        if (plan_.setup.empty() != (plan_.packed_bytes == 0))
            return std::to_string(plan_.setup.size()) + " setup steps for " + std::to_string(plan_.packed_bytes) +
                   " bytes of packed memory";
        if (!(plan_.max_submit_seconds > 0))
            return "max_submit_seconds = " + std::to_string(plan_.max_submit_seconds);
        return "";
    }

    std::string pipeline(const PipelineKey& key) const
    {
        if (size_t(key.kernel) >= kernel_count())
            return "there is no kernel " + std::to_string(size_t(key.kernel));
        if (key.specialization.size() != specialization_of(key.kernel).size())
            return std::to_string(key.specialization.size()) + " specialization constants for " +
                   std::string(kernel_name(key.kernel));
        if (std::string wrong = workgroup(key); !wrong.empty())
            return wrong;
        if (key.views.size() > MAX_OPERANDS)
            return std::to_string(key.views.size()) + " operands";
        const auto buffers = std::count(key.views.begin(), key.views.end(), View::storage);
        if (buffers > ptrdiff_t(capabilities_.max_storage_buffers))
            return std::to_string(buffers) + " storage buffers";
        if (key.uses_uniform && plan_.uniform.empty())
            return "a uniform block that is empty";
        if (key.push_bytes % 4 != 0 || key.push_bytes > capabilities_.max_push_constant_bytes)
            return std::to_string(key.push_bytes) + " bytes of push constants";
        return "";
    }

    std::string step(const Step& step, bool is_setup) const
    {
        if (step.pipeline >= plan_.pipelines.size())
            return "there is no pipeline " + std::to_string(step.pipeline);
        const PipelineKey& key = pipeline_of(plan_, step);
        if (step.operands.size() != key.views.size())
            return std::to_string(step.operands.size()) + " operands for a pipeline of " + std::to_string(key.views.size());
        if (step.push.size() != key.push_bytes)
            return std::to_string(step.push.size()) + " bytes of push constants for a pipeline of " +
                   std::to_string(key.push_bytes);
        for (size_t d = 0; d < 3; ++d)
            if (step.groups[d] < 1 || step.groups[d] > capabilities_.max_group_count[d])
                return std::to_string(step.groups[d]) + " groups in dimension " + std::to_string(d);
        if (!(step.seconds >= 0))
            return "it takes " + std::to_string(step.seconds) + " s";
        for (size_t i = 0; i < step.operands.size(); ++i)
            if (std::string wrong = operand(step, i, is_setup); !wrong.empty())
                return "operand " + std::to_string(i) + ": " + wrong;
        return "";
    }

private:
    std::string workgroup(const PipelineKey& key) const
    {
        uint64_t invocations = 1;
        for (const SpecializationConstant& constant : specialization_of(key.kernel)) {
            if (constant.dimension == 0)
                continue;
            const uint64_t size = key.specialization[constant.id];
            if (size < 1 || size > capabilities_.max_workgroup_size[size_t(constant.dimension - 'x')])
                return "a workgroup of " + std::to_string(size) + " in " + constant.dimension;
            invocations *= size;
        }
        if (invocations > capabilities_.max_invocations)
            return "a workgroup of " + std::to_string(invocations) + " invocations";
        return "";
    }

    std::string memory(const Operand& operand, bool is_setup) const
    {
        const std::string number = std::to_string(operand.tensor);
        switch (operand.place) {
        case Place::tensor:
            if (operand.tensor >= plan_.tensor_bytes.size())
                return "there is no tensor " + number;
            if (operand.tensor < plan_.inputs && operand.written())
                return "input " + number + " is written";
            if (operand.tensor >= plan_.inputs && is_setup)
                return "setup names output " + number;
            return "";
        case Place::scratch:
            return is_setup ? "setup names scratch memory" : "";
        case Place::packed:
            return !is_setup && operand.written() ? "packed memory is written behind setup" : "";
        case Place::table:
            return is_setup ? "setup names the table" : operand.written() ? "the table is written" : "";
        }
        return "there is no place " + std::to_string(int(operand.place));
    }

    std::string texels(const Operand& operand, View view) const
    {
        const uint64_t bytes = bound_bytes(plan_, operand);
        if (operand.written())
            return "texels are written";
        if (operand.offset % capabilities_.texel_buffer_alignment != 0)
            return "offset " + std::to_string(operand.offset);
        if (bytes % texel_bytes(view) != 0)
            return std::to_string(bytes) + " bytes of texels with " + std::to_string(texel_bytes(view));
        if (bytes / texel_bytes(view) > capabilities_.max_texel_buffer_elements)
            return std::to_string(bytes / texel_bytes(view)) + " texels";
        return "";
    }

    std::string operand(const Step& step, size_t index, bool is_setup) const
    {
        const Operand& operand = step.operands[index];
        if (std::string wrong = memory(operand, is_setup); !wrong.empty())
            return wrong;
        const uint64_t size = buffer_bytes(memory_bytes(plan_, operand));
        if (operand.offset >= size || operand.bytes > size - operand.offset)
            return std::to_string(operand.bytes) + " bytes from " + std::to_string(operand.offset) + " on, of " +
                   std::to_string(size);
        const View view = pipeline_of(plan_, step).views[index];
        if (view != View::storage)
            return texels(operand, view);
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

uint32_t texel_bytes(View view)
{
    switch (view) {
    case View::storage:
        return 0;
    case View::texel_r32f:
        return 4;
    case View::texel_rgba32f:
    case View::texel_rgba32ui:
        return 16;
    }
    return 0;
}

std::vector<bool> named_tensors(const Plan& plan)
{
    std::vector<bool> named(plan.tensor_bytes.size());
    for (const Step& step : plan.steps)
        for (const Operand& operand : step.operands)
            if (operand.place == Place::tensor)
                named[operand.tensor] = true;
    return named;
}

Setup setup_of(const Plan& plan)
{
    // The plan has nothing but what these steps read, because problems whose setups are equal share packed memory.
    Setup setup;
    setup.plan.steps = plan.setup;
    setup.plan.tensor_bytes = plan.tensor_bytes;
    setup.plan.max_submit_seconds = plan.max_submit_seconds;
    std::vector<size_t> places(plan.pipelines.size(), SIZE_MAX);
    for (Step& step : setup.plan.steps) {
        const PipelineKey& key = plan.pipelines[step.pipeline];
        size_t& place = places[step.pipeline];
        if (place == SIZE_MAX) {
            place = setup.plan.pipelines.size();
            setup.plan.pipelines.push_back(key);
        }
        if (key.uses_uniform)
            setup.plan.uniform = plan.uniform;
        step.pipeline = uint32_t(place);
    }
    const std::vector<bool> named = named_tensors(setup.plan);
    std::vector<uint8_t> numbers(named.size());
    setup.plan.tensor_bytes.clear();
    for (uint8_t tensor = 0; tensor < named.size(); ++tensor) {
        if (!named[tensor])
            continue;
        numbers[tensor] = uint8_t(setup.inputs.size());
        setup.inputs.push_back(tensor);
        setup.plan.tensor_bytes.push_back(plan.tensor_bytes[tensor]);
    }
    setup.plan.inputs = uint32_t(setup.inputs.size());
    setup.plan.tensor_bytes.push_back(plan.packed_bytes);
    for (Step& step : setup.plan.steps)
        for (Operand& operand : step.operands) {
            const bool packed = operand.place == Place::packed;
            operand.tensor = packed ? uint8_t(setup.plan.inputs) : numbers[operand.tensor];
            operand.place = Place::tensor;
        }
    return setup;
}

uint64_t buffer_bytes(uint64_t bytes)
{
    return std::max<uint64_t>(4, (bytes + 3) & ~uint64_t(3));
}

uint64_t bound_bytes(const Plan& plan, const Operand& operand)
{
    if (operand.bytes != 0)
        return operand.bytes;
    return buffer_bytes(memory_bytes(plan, operand)) - operand.offset;
}

Status check(const Plan& plan, const Capabilities& capabilities)
{
    const Checker checker(plan, capabilities);
    if (std::string wrong = checker.whole(); !wrong.empty())
        return mistake(wrong);
    for (size_t i = 0; i < plan.pipelines.size(); ++i)
        if (std::string wrong = checker.pipeline(plan.pipelines[i]); !wrong.empty())
            return mistake("pipeline " + std::to_string(i) + ": " + wrong);
    for (size_t i = 0; i < plan.setup.size(); ++i)
        if (std::string wrong = checker.step(plan.setup[i], true); !wrong.empty())
            return mistake("setup step " + std::to_string(i) + ": " + wrong);
    for (size_t i = 0; i < plan.steps.size(); ++i)
        if (std::string wrong = checker.step(plan.steps[i], false); !wrong.empty())
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
