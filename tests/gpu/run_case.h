#pragma once

#include "case_devices.h"
#include "kit/cases.h"

namespace vkonnx::gpu_test {

// Runs a case on a device with each of these fills, through the kernel that the library picks and through every other one that
// fits. Fails the current test where an answer, a description, a second run's bits, a guard band or a message is wrong. With an
// epilogue or a prologue it takes only kernels that take one. The fills must then be of integers, whose sums are exact.
void expect_right(CaseDevice& on, const kit::Case& problem, const std::vector<kit::Fill>& fills,
                  const std::optional<Elementwise>& epilogue = {}, const std::optional<Prologue>& prologue = {});

// Returns the case with the inputs that the library is given for a prologue.
kit::Case with_prologue(const kit::Case& problem, const Prologue& prologue);

// This struct is an epilogue as an operator of its own behind `x`. Clip's bounds are inputs.
struct Following {
    Elementwise op = {};
    std::vector<kit::RealTensor> inputs = {};
};
Following following(const Elementwise& epilogue, kit::RealTensor x);

// Tells whether two plans of one problem are the same, so that running both shows no more than running one.
bool same_plan(const Explanation& one, const Explanation& other);

// Returns what a device makes of a case: the outputs' bytes of one run into poisoned memory.
Result<std::vector<std::vector<std::byte>>> computed_outputs(const Device& device, const kit::Case& problem,
                                                             const std::vector<kit::RealTensor>& inputs,
                                                             const PrepareOptions& options);
// Returns the bytes of the first output.
Result<std::vector<std::byte>> computed(const Device& device, const kit::Case& problem,
                                        const std::vector<kit::RealTensor>& inputs, const PrepareOptions& options);

}  // namespace vkonnx::gpu_test
