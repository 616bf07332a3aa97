// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include <algorithm>

#include "plan/core/arithmetic.h"
#include "plan/core/limits.h"
#include "plan/engines/convolution.h"
#include "plan/engines/merge.h"
#include "plan/operators/conv/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/operators/conv/conv.h"

namespace vkonnx::plan {
namespace conv {
namespace {

using ops::Axis;
using ops::ConvGeometry;

constexpr const char* op = "Conv";

// The best come first: of equal estimates the first counts.
constexpr const KernelOf<Problem>* kernels[] = {&depthwise,         &vector,   &points, &gemm, &gemm_shared,
                                                &matrices_unpacked, &matrices, &nd};

TapAxis tap_axis(const Axis& axis)
{
    return {axis.kernel, 1, std::min(axis.kernel, divide_up(axis.in, axis.dilation))};
}

Status check(const ConvGeometry& g)
{
    const TensorDesc x = tensor_x(g);
    const TensorDesc w = tensor_w(g);
    const TensorDesc y = output_of(g);
    for (const auto& [name, desc] : {std::pair("input X", &x), std::pair("input W", &w), std::pair("output Y", &y)})
        VKONNX_RETURN_IF_ERROR(check_addressable(op, name, *desc));
    for (size_t a = 0; a < g.axes.size(); ++a) {
        const Axis& axis = g.axes[a];
        // Every number that a kernel forms along the axis lies below one of these.
        for (const int64_t number : {axis.in + axis.begin + axis.end, axis.stride, axis.dilation, axis.dilated_kernel()})
            VKONNX_RETURN_IF_ERROR(check_spatial(op, a, number));
    }
    return {};
}

// Computes once what all kernels need, or returns why no kernel can run the problem.
Result<Problem> problem_of(const ConvGeometry& given, const Capabilities& capabilities, const PrepareOptions& options)
{
    VKONNX_RETURN_IF_ERROR(check_options(op, capabilities, options));
    constexpr Needs needs = {
        .storage_buffers = 4, .push_constant_bytes = sizeof(push::GatherPart), .uniform_bytes = sizeof(push::ConvProblem)};
    VKONNX_RETURN_IF_ERROR(check_capabilities(op, capabilities, needs));
    const Result<ComputeType> compute_type = compute_type_of(op, given.dtype, capabilities);
    VKONNX_RETURN_IF_ERROR(compute_type.status());
    Result<ops::Epilogue> epilogue = ops::resolve_epilogue(op, options.epilogue, output_of(given));
    VKONNX_RETURN_IF_ERROR(epilogue.status());
    const Result<int64_t> outputs = element_count(output_of(given));
    VKONNX_RETURN_IF_ERROR(outputs.status());
    Problem problem = {.capabilities = capabilities,
                       .options = options,
                       .compute_type = *compute_type,
                       .epilogue = std::move(*epilogue),
                       .outputs = *outputs};
    if (*outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check(given));
    problem.geometry = merged(given);
    std::transform(problem.geometry.axes.begin(), problem.geometry.axes.end(), std::back_inserter(problem.taps), tap_axis);
    add_engine(problem);
    return problem;
}

}  // namespace

TensorDesc tensor_x(const ConvGeometry& g)
{
    return tensor_of(g, g.batch, g.channels_in, &Axis::in);
}

TensorDesc tensor_w(const ConvGeometry& g)
{
    return tensor_of(g, g.channels_out, g.channels_in / g.group, &Axis::kernel);
}

}  // namespace conv

Result<Plan> plan_for(const ops::ConvGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const Result<conv::Problem> problem = conv::problem_of(geometry, capabilities, options);
    const std::string note = problem ? merge_note(geometry.axes.size(), problem->geometry.axes.size()) : "";
    return best_plan(conv::op, conv::kernels, problem, note);
}

Result<std::vector<KernelChoice>> kernels_for(const ops::ConvGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(conv::op, conv::kernels, conv::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
