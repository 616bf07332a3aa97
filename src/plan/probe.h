// SPDX-License-Identifier: Apache-2.0
// The probes that tell what a device can do: two for its best, and the self-test at opening.
#pragma once

#include "plan/plan.h"
#include "shared/self_test.h"

namespace vkonnx::plan {

// float32, or float16 where the device has Capabilities::float16. Operands: 2 vec4 of factor and term, and one vec4 an
// invocation (flops_probe_bytes), floats in both.
Plan plan_flops_probe(DType dtype, const Capabilities& capabilities, uint32_t groups, uint32_t iterations);
uint64_t flops_probe_bytes(const Capabilities& capabilities, uint32_t groups);
// Floating-point operations of that plan; a multiply-add is two.
double flops_probe_operations(const Capabilities& capabilities, uint32_t groups, uint32_t iterations);

// Operands: source and destination of `bytes` each, a multiple of 16. Reads and writes all of them once.
Plan plan_copy_probe(const Capabilities& capabilities, uint64_t bytes);

// The self-test, or with rows > 0 the rate of plain kernels: see self_test.comp. Operands: pairs of floats, pairs of doubles, and
// results. Groups have this many invocations on every device.
inline constexpr uint32_t self_test_workgroup = 64;
Plan plan_self_test(bool with_doubles, const push::SelfTest& push, uint32_t groups);

// The self-test of Capabilities::cooperative_matrix: see self_test_matrices.comp. Operands: halves of both factors, and floats.
Plan plan_matrix_self_test(const Capabilities& capabilities);

}  // namespace vkonnx::plan
