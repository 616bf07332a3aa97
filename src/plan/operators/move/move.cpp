// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include "plan/core/limits.h"
#include "plan/operators/move/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/move/move.h"

namespace vkonnx::plan {
namespace move {
namespace {

using ops::MoveGeometry;

constexpr const KernelOf<Problem>* kernels[] = {&any_rank};

Result<Problem> problem_of(const MoveGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const std::string_view op = geometry.op;
    constexpr Needs needs = {.storage_buffers = MOVE_SOURCES + 1,
                             .push_constant_bytes = sizeof(push::GatherPart),
                             .uniform_bytes = sizeof(push::MoveProblem)};
    VKONNX_RETURN_IF_ERROR(check_common(op, capabilities, options, needs));
    Problem problem = {.capabilities = capabilities, .options = options, .geometry = geometry};
    for (size_t i = 0; i < geometry.moves.size(); ++i) {
        const ops::Move& one = geometry.moves[i];
        const Result<int64_t> elements = element_count(one.output);
        VKONNX_RETURN_IF_ERROR(elements.status());
        if (*elements == 0)
            continue;
        VKONNX_RETURN_IF_ERROR(check_addressable(op, "the output", one.output));
        for (const ops::Source& source : one.sources)
            VKONNX_RETURN_IF_ERROR(check_addressable(op, "the input", geometry.inputs[source.input]));
        problem.outputs.push_back({i, *elements, one.sources, merged(one, geometry.beyond)});
    }
    widen(problem);
    return problem;
}

}  // namespace
}  // namespace move

Result<Plan> plan_for(const ops::MoveGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    return best_plan(geometry.op, move::kernels, move::problem_of(geometry, capabilities, options));
}

Result<std::vector<KernelChoice>> kernels_for(const ops::MoveGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(geometry.op, move::kernels, move::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
