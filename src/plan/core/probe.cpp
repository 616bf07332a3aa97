// SPDX-License-Identifier: Apache-2.0
#include "plan/core/probe.h"

#include <algorithm>

#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "shaders/library/plain_constants.h"
#include "shaders/probes/probe.h"
#include "shaders/probes/self_test_matrices_constants.h"

namespace vkonnx::plan {
namespace {

constexpr uint64_t vec4_bytes = 16;

// Returns a plan of one step, which reads all tensors but the last one and writes that.
Plan one_step(Kernel kernel, uint32_t workgroup, std::vector<std::byte> push, uint32_t groups, std::vector<uint64_t> tensor_bytes)
{
    Plan plan;
    plan.inputs = uint32_t(tensor_bytes.size() - 1);
    plan.tensor_bytes = std::move(tensor_bytes);
    plan.pipelines = {{.kernel = kernel,
                       .specialization = specialization::Plain{.workgroup_size = workgroup}.values(),
                       .views = std::vector<View>(plan.inputs + 1, View::storage),
                       .push_bytes = uint32_t(push.size())}};
    Step step = {.push = std::move(push), .groups = {groups, 1, 1}};
    for (uint8_t i = 0; i <= plan.inputs; ++i)
        step.operands.push_back({.tensor = i, .access = i == plan.inputs ? Access::write : Access::read});
    plan.steps = {std::move(step)};
    return plan;
}

}  // namespace

Plan plan_flops_probe(DType dtype, const Capabilities& capabilities, uint32_t groups, uint32_t iterations)
{
    const Kernel kernel = dtype == DType::float16 ? Kernel::probe_flops_f16 : Kernel::probe_flops_f32;
    return one_step(kernel, workgroup_size(capabilities), bytes_of(push::FlopsProbe{iterations}), groups,
                    {2 * vec4_bytes, flops_probe_bytes(capabilities, groups)});
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
    return one_step(Kernel::probe_copy_f32, uint32_t(size), bytes_of(push::CopyProbe{uint32_t(count), uint32_t(groups * size)}),
                    uint32_t(groups), {bytes, bytes});
}

Plan plan_self_test(bool with_doubles, const push::SelfTest& push, uint32_t groups)
{
    const uint64_t pairs = push.count, tested = push.rows > 0 ? 1 : pairs;
    return one_step(with_doubles ? Kernel::self_test_f64 : Kernel::self_test_f32, self_test_workgroup, bytes_of(push), groups,
                    {pairs * 2 * sizeof(float), tested * 2 * sizeof(double), tested * SELF_TEST_WORDS * sizeof(uint32_t)});
}

Plan plan_matrix_self_test(const Capabilities& capabilities)
{
    const auto [rows, columns, depth] = capabilities.cooperative_matrix;
    Plan plan = one_step(Kernel::self_test_matrices_f16, capabilities.subgroup_size, {}, 1,
                         {uint64_t(rows + columns) * depth * 2, uint64_t(rows) * columns * sizeof(float)});
    plan.pipelines.front().specialization =
        specialization::SelfTestMatrices{
            .workgroup_size = capabilities.subgroup_size, .rows = rows, .columns = columns, .depth = depth}
            .values();
    return plan;
}

}  // namespace vkonnx::plan
