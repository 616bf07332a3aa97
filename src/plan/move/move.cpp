// SPDX-License-Identifier: Apache-2.0
#include "plan/move/move.h"

#include "plan/limits.h"
#include "plan/move/problem.h"
#include "shared/gather.h"
#include "shared/move.h"

namespace vkonnx::plan {
namespace move {
namespace {

using ops::MoveGeometry;

// Best first.
constexpr const KernelOf<Problem>* kernels[] = {&any_rank};

Result<Problem> problem_of(const MoveGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const std::string_view op = geometry.op;
    constexpr Needs needs = {.storage_buffers = MOVE_SOURCES + 1,
                             .push_constant_bytes = sizeof(push::GatherPart),
                             .uniform_bytes = sizeof(push::MoveProblem)};
    if (Status status = check_common(op, capabilities, options, needs); !status)
        return status;
    Problem problem = {.capabilities = capabilities, .options = options, .geometry = geometry};
    for (size_t i = 0; i < geometry.moves.size(); ++i) {
        const ops::Move& one = geometry.moves[i];
        const Result<int64_t> elements = element_count(one.output);
        if (!elements)
            return elements.status();
        if (*elements == 0)
            continue;
        if (Status status = check_addressable(op, "the output", one.output); !status)
            return status;
        for (const ops::Source& source : one.sources)
            if (Status status = check_addressable(op, "the input", geometry.inputs[source.input]); !status)
                return status;
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
    return all_choices(move::kernels, move::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
