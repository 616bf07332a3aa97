// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "plan/core/arithmetic.h"
#include "plan/core/limits.h"
#include "plan/engines/convolution.h"
#include "plan/engines/merge.h"
#include "plan/operators/conv_transpose/problem.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"

namespace vkonnx::plan {
namespace conv_transpose {
namespace {

using ops::Axis;
using ops::ConvTransposeGeometry;

constexpr const char* op = "ConvTranspose";

// The best come first: of equal estimates the first counts.
constexpr const KernelOf<Problem>* kernels[] = {
    &depthwise, &depthwise_channels, &phases, &phases_shared, &matrices_unpacked, &matrices, &direct, &nd,
#ifdef VKONNX_TEST_KERNELS
    &columns,
#endif
};

// Returns x with a * x = 1 mod m, for coprime a and m, by Euclid's algorithm. It is 0 for m = 1.
int64_t inverse_modulo(int64_t a, int64_t m)
{
    int64_t r0 = m, r1 = a % m, x0 = 0, x1 = 1;
    while (r1 != 0) {
        int64_t quotient = r0 / r1;
        std::tie(r0, r1) = std::pair(r1, r0 - quotient * r1);
        std::tie(x0, x1) = std::pair(x1, x0 - quotient * x1);
    }
    return m == 1 ? 0 : (x0 % m + m) % m;
}

TapAxis tap_axis(const push::ConvTransposeAxis& axis)
{
    return {axis.kernel, axis.stride, std::min(divide_up(axis.kernel, axis.stride), divide_up(axis.in_extent, axis.dilation))};
}

Status check(const ConvTransposeGeometry& g)
{
    const TensorDesc x = tensor_x(g);
    const TensorDesc w = tensor_w(g);
    const TensorDesc y = tensor_of(g, g.batch, g.channels_out, &Axis::out);
    for (const auto& [name, desc] : {std::pair("input X", &x), std::pair("input W", &w), std::pair("output Y", &y)})
        VKONNX_RETURN_IF_ERROR(check_addressable(op, name, *desc));
    for (size_t a = 0; a < g.axes.size(); ++a) {
        const Axis& axis = g.axes[a];
        // Every number that a kernel forms along the axis lies below one of these.
        for (const int64_t number : {axis.out + axis.begin, axis.stride, axis.dilation, axis.dilated_kernel()})
            VKONNX_RETURN_IF_ERROR(check_spatial(op, a, number));
    }
    return {};
}

// Computes once what all kernels need, or returns why no kernel can run the problem.
Result<Problem> problem_of(const ConvTransposeGeometry& given, const Capabilities& capabilities, const PrepareOptions& options)
{
    VKONNX_RETURN_IF_ERROR(check_options(op, capabilities, options));
    constexpr Needs needs = {.storage_buffers = 4,
                             .push_constant_bytes = sizeof(push::GatherPart),
                             .uniform_bytes = sizeof(push::ConvTransposeProblem)};
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
    for (const Axis& axis : problem.geometry.axes) {
        problem.axes.push_back(phased(axis));
        problem.taps.push_back(tap_axis(problem.axes.back()));
    }
    add_engine(problem);
    return problem;
}

}  // namespace

push::ConvTransposeAxis phased(const Axis& axis)
{
    const int64_t gcd = std::gcd(axis.stride, axis.dilation);
    const int64_t stride = axis.stride / gcd;
    const int64_t dilation = axis.dilation / gcd;
    return {uint32_t(axis.in), uint32_t(axis.out), uint32_t(axis.kernel), uint32_t(axis.begin),
            uint32_t(gcd),     uint32_t(stride),   uint32_t(dilation),    uint32_t(inverse_modulo(dilation, stride))};
}

TensorDesc tensor_x(const ConvTransposeGeometry& g)
{
    return tensor_of(g, g.batch, g.channels_in, &Axis::in);
}

TensorDesc tensor_w(const ConvTransposeGeometry& g)
{
    return tensor_of(g, g.channels_in, g.channels_out / g.group, &Axis::kernel);
}

WeightSteps weight_steps(const ConvTransposeGeometry& g)
{
    const int64_t columns = g.channels_out / g.group;
    int64_t volume = 1;
    for (const Axis& axis : g.axes)
        volume *= axis.kernel;
    switch (g.filter) {
    case onednn::FilterFormat::xio:
        return {columns, 1, g.channels_in * columns};
    case onednn::FilterFormat::oix:
        return {volume, g.channels_in * volume, 1};
    case onednn::FilterFormat::iox:
        break;
    }
    return {columns * volume, volume, 1};
}

}  // namespace conv_transpose

Result<Plan> plan_for(const ops::ConvTransposeGeometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{
    const Result<conv_transpose::Problem> problem = conv_transpose::problem_of(geometry, capabilities, options);
    const std::string note = problem ? merge_note(geometry.axes.size(), problem->axes.size()) : "";
    return best_plan(conv_transpose::op, conv_transpose::kernels, problem, note);
}

Result<std::vector<KernelChoice>> kernels_for(const ops::ConvTransposeGeometry& geometry, const Capabilities& capabilities,
                                              const PrepareOptions& options)
{
    return all_choices(conv_transpose::op, conv_transpose::kernels, conv_transpose::problem_of(geometry, capabilities, options));
}

}  // namespace vkonnx::plan
