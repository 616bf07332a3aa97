// SPDX-License-Identifier: Apache-2.0
// The planner of the gather protocol (shaders/shared/gather.h), of kernels that compute one output at a time in the order of its
// sum. It cuts a problem into parts, a dispatch each, for the device's limits: windows of buffer range, time, groups a dimension,
// loop iterations. The sum of an output goes from part to part in the order of its terms: the bits do not depend on the cuts.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/numbers.h"
#include "plan/plan.h"
#include "plan/taps.h"
#include "shared/gather.h"

namespace vkonnx::plan {

// [first, first + count)
struct Range {
    int64_t first = 0;
    int64_t count = 0;

    int64_t end() const { return first + count; }
    friend bool operator==(const Range&, const Range&) = default;
};

// Lets a range of flat indices grow by coordinates, each `step` elements apart.
inline void reach(Range& flat, const Range& coordinates, int64_t step)
{
    flat.first += coordinates.first * step;
    flat.count += (coordinates.count - 1) * step;
}

// Tells visit(i, coordinates), from the innermost dimension i outwards, which coordinates the flat indices of a range have: a
// box around them. The extent of dimension i is dims[i].
template <class Dims, class Visitor>
void visit_bounds(const Range& flat, const Dims& dims, Visitor&& visit)
{
    int64_t first = flat.first;
    int64_t last = flat.end() - 1;
    for (size_t i = dims.size(); i-- > 0;) {
        // in one row of this dimension both ends bound it; else the range takes all of it
        const bool one_row = first / dims[i] == last / dims[i];
        visit(i, one_row ? Range{first % dims[i], last - first + 1} : Range{0, dims[i]});
        first /= dims[i];
        last /= dims[i];
    }
}

// The range of coordinates in each dimension, as visit_bounds finds it.
using Bounds = std::array<Range, 2 + max_spatial_axes>;
Bounds bounds_of(const Range& flat, std::span<const int64_t> dims);

// What a dispatch adds to which outputs: push::GatherPart, before it is known what is bound.
struct Part {
    Range outputs;
    Range channels;
    TapBox box;
    bool starts = true;
    bool finishes = true;
    int64_t scratch_base = -1;  // the output that scratch memory begins with, where its sum comes from or goes there

    // Only finishes sums from scratch memory.
    bool adds_nothing() const { return channels.count == 0; }
};

struct InputTensor {
    uint8_t operand = 0;
    int64_t elements = 0;
    uint32_t element_bytes = 0;  // 0: the problem's
};

// The range of elements that a part reads of each input that it binds: X, W and B, and behind them a prologue's P.
inline constexpr size_t max_bound_inputs = 3;
using Reads = std::array<Range, max_bound_inputs + 1>;

// A problem of a kernel of the protocol.
struct Gather {
    std::string_view op = {};
    Number number = Number::f32;
    uint32_t element_bytes = 4;
    int64_t outputs = 0;
    uint8_t output_operand = 0;
    std::vector<InputTensor> inputs = {};  // X; W and B; P
    // Elements that a part may read of each input, as one range.
    std::function<Reads(const Part&)> reads = {};
    int64_t channels = 1;  // that a sum goes through
    // The channels are the inputs themselves, in their order: a part reads those that it adds, and `reads` tells of those only.
    bool inputs_are_channels = false;
    // What the kernel counts the first of them as.
    int64_t first_channel = 0;
    std::vector<TapAxis> taps = {};
    bool reads_table = false;  // Plan::table, whole, bound behind the inputs

    // How the kernel goes about it.
    Kernel kernel = {};
    std::vector<uint32_t> specialization = {};
    bool uses_uniform = true;
    std::vector<std::byte> push = {};  // behind push::GatherPart
    bool goes_on = false;              // from a sum that an earlier part left: else a part adds all terms of its outputs
    bool takes_boxes = false;          // of taps, whose loops are the nd kernels': else a part adds all taps
    int64_t channels_at_once = 1;      // with all taps of each, by loop iterations
    int64_t outputs_at_once = 0;       // of an invocation; 0: those that share a word
};

// Iterations of one output's loops that the device allows an invocation of so many outputs, or of those that share a word.
int64_t loop_limit(int64_t outputs, const Capabilities& capabilities);
int64_t loop_limit(Number number, const Capabilities& capabilities);

// Multiply-adds that one invocation is taken to do in a second, each of them waiting for its loads: a few long sums keep no
// device busy. Some 250 ns are on the slow side for GPUs.
inline constexpr double invocation_work_per_second = 4e6;

// Multiply-adds that take as long as what each output takes beside its sum: coordinates, bounds, rounding. Measured on software
// drivers, where it is 1 to 28.
inline constexpr int64_t output_work = 16;

// Multiply-adds that one dispatch, and each invocation of it, may do.
int64_t work_limit(Number number, const Capabilities& capabilities, const PrepareOptions& options);
int64_t invocation_limit(Number number, const PrepareOptions& options);

// row_iterations of a box that leave room for the nd kernels' loops over axes and over channels.
int64_t box_iterations(Number number, const Capabilities& capabilities);

// Why a kernel that takes boxes of taps can't run the problem, whatever the boxes; "" where it can.
std::string unfit_for_boxes(std::span<const TapAxis> taps, Number number, const Capabilities& capabilities);

// The plan's pipeline and steps, and its scratch memory: all but what is the operator's own, its uniform block and `why`.
Result<Plan> plan_gather(const Gather& problem, const Capabilities& capabilities, const PrepareOptions& options);

}  // namespace vkonnx::plan
