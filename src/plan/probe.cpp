#include "plan/probe.h"

#include <algorithm>

#include "plan/passes.h"
#include "push_constants.h"
#include "specialization/plain.h"

namespace vkonnx::plan {
namespace {

constexpr uint64_t vec4_bytes = 16;

// From the first tensor to the second, of so many bytes.
Plan one_step(Kernel kernel, const Capabilities& capabilities, std::vector<std::byte> push, uint32_t groups, uint64_t source,
              uint64_t destination)
{
    Plan plan;
    plan.pipelines = {{.kernel = kernel,
                       .specialization = specialization::Plain{.workgroup_size = workgroup_size(capabilities)}.values(),
                       .views = {View::storage, View::storage},
                       .push_bytes = uint32_t(push.size())}};
    plan.inputs = 1;
    plan.tensor_bytes = {source, destination};
    plan.steps = {
        {.operands = {{.tensor = 0}, {.tensor = 1, .access = Access::write}}, .push = std::move(push), .groups = {groups, 1, 1}}};
    return plan;
}

}  // namespace

Plan plan_flops_probe(DType dtype, const Capabilities& capabilities, uint32_t groups, uint32_t iterations)
{
    const Kernel kernel = dtype == DType::float16 ? Kernel::probe_flops_f16 : Kernel::probe_flops_f32;
    return one_step(kernel, capabilities, bytes_of(push::FlopsProbe{iterations}), groups, 2 * vec4_bytes,
                    flops_probe_bytes(capabilities, groups));
}

uint64_t flops_probe_bytes(const Capabilities& capabilities, uint32_t groups)
{
    return uint64_t(groups) * workgroup_size(capabilities) * vec4_bytes;
}

double flops_probe_operations(const Capabilities& capabilities, uint32_t groups, uint32_t iterations)
{
    return double(groups) * workgroup_size(capabilities) * iterations * FLOPS_PROBE_OPERATIONS;
}

Plan plan_copy_probe(const Capabilities& capabilities, uint64_t bytes)
{
    const uint64_t count = bytes / vec4_bytes;
    const uint64_t size = workgroup_size(capabilities);
    const uint64_t groups =
        std::min<uint64_t>(uint64_t(divide_up(int64_t(count), int64_t(size))), capabilities.max_group_count[0]);
    return one_step(Kernel::probe_copy_f32, capabilities, bytes_of(push::CopyProbe{uint32_t(count), uint32_t(groups * size)}),
                    uint32_t(groups), bytes, bytes);
}

}  // namespace vkonnx::plan
