// SPDX-License-Identifier: Apache-2.0
// This file makes the steps that all products need, whether X is packed for them or not. Some pack W, once where W is constant.
// The others multiply, in dispatches that are short enough.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/plan.h"
#include "plan/engines/implicit_gemm/tiles.h"

namespace vkonnx::plan::implicit_gemm {

inline constexpr uint8_t weights = 1;  // the place of W among the inputs

inline constexpr double packing_work = 6;  // work units that packing a texel takes
// This is the time that a dispatch and the barrier in front of it take beside the work. It counts here because the engine has
// several dispatches where other kernels have one.
inline constexpr double dispatch_seconds = 1e-5;

// This struct holds work that can be cut between any two invocations.
struct Work {
    int64_t invocations = 0;
    double of_each = 0;  // work units of an invocation
};

// Returns how many of the invocations a dispatch may have that is short enough for the options. They fill whole workgroups.
int64_t invocations_in_time(const Problem& problem, const Work& work);

// Returns the steps that do the work, each short enough for the options. `whole` gives their pipeline and operands, and `push`
// their push constants, but for the invocations [first, end) of a step.
template <typename Push>
std::vector<Step> steps_in_time(const Problem& problem, const Work& work, const Step& whole, Push push)
{
    const int64_t at_once = invocations_in_time(problem, work);
    std::vector<Step> steps;
    for (int64_t first = 0; first < work.invocations; first += at_once) {
        const int64_t some = std::min(at_once, work.invocations - first);
        push.first = uint32_t(first);
        push.end = uint32_t(first + some);
        Step& step = steps.emplace_back(whole);
        step.push = bytes_of(push);
        step.groups = groups_of(some, problem.capabilities);
        step.seconds = double(some) * work.of_each / problem.capabilities.work_per_second + dispatch_seconds;
    }
    return steps;
}

// Returns how many bytes a packed operand of so many texels takes.
int64_t bytes_of_texels(const Problem& problem, const Tile& tile, int64_t texels);

// These return the pipeline that packs W, and its steps, one for each class. `pipeline` is the pipeline's number in the plan.
PipelineKey packing_pipeline(Kernel kernel, const Capabilities& capabilities);
std::vector<Step> packing_steps(const Problem& problem, const Product& product, const Tile& tile, uint32_t pipeline,
                                Operand packed);

// Returns why the device's push constants or uniform buffers are too small for the engine; "" where they are large enough.
std::string unfit_for_blocks(const Capabilities& capabilities, size_t uniform_bytes);
// Returns why dispatches would be too large, too long or too many, however the work is cut; "" where they are not. X is packed
// and multiplied in so many bands, `packing` is the work of packing one of them, and `finishing` is what is done after all.
std::string unfit_for_dispatches(const Problem& problem, const Product& product, const Tile& tile, int64_t bands = 1,
                                 const Work& packing = {}, const Work& finishing = {});

// These return the size in bytes of each of the operator's operands, and of the prologue's numbers alone.
std::vector<uint64_t> tensor_bytes_of(const Problem& problem, const Product& product);
int64_t prologue_bytes(const Problem& problem, const Product& product);
// Returns the operand with the prologue's numbers. It is X where the prologue has none.
Operand prologue_operand(const Problem& problem);

// Returns the steps that multiply a band, each short enough for the options. `whole` gives their pipeline and operands, and
// `first_block` is the block that the band begins with.
std::vector<Step> product_steps(const Problem& problem, const Product& product, const Tile& tile, const Step& whole,
                                const std::array<uint32_t, GEMM_AXES>& first_block = {});

}  // namespace vkonnx::plan::implicit_gemm
