// SPDX-License-Identifier: Apache-2.0
// This file plans the probes that tell what a device can do: two for its best rates, and the self-test at opening.
#pragma once

#include "plan/core/plan.h"
#include "shaders/probes/self_test.h"

namespace vkonnx::plan {

// Plans a probe of multiply-adds in float32, or in float16 where the device has Capabilities::float16. The input is 2 vec4, a
// factor and a term, and the output one vec4 for each invocation (flops_probe_bytes). Both hold floats.
Plan plan_flops_probe(DType dtype, const Capabilities& capabilities, uint32_t groups, uint32_t iterations);
uint64_t flops_probe_bytes(const Capabilities& capabilities, uint32_t groups);
// Returns the floating-point operations of that plan; a multiply-add is two.
double flops_probe_operations(const Capabilities& capabilities, uint32_t groups, uint32_t iterations);

// Plans a probe that reads and writes `bytes` bytes once, a multiple of 16. The operands are the source and the destination.
Plan plan_copy_probe(const Capabilities& capabilities, uint64_t bytes);

// Plans the self-test, or with rows > 0 a measurement of the rate of plain kernels (self_test.comp). The operands are pairs of
// floats, pairs of doubles, and results. Groups have this many invocations on every device.
inline constexpr uint32_t self_test_workgroup = 64;
Plan plan_self_test(bool with_doubles, const push::SelfTest& push, uint32_t groups);

// Plans the self-test of Capabilities::cooperative_matrix (self_test_matrices.comp). The operands are the halves of both factors,
// and the floats of their product.
Plan plan_matrix_self_test(const Capabilities& capabilities);

}  // namespace vkonnx::plan
