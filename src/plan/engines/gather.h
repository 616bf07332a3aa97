// SPDX-License-Identifier: Apache-2.0
// This file plans the kernels of the gather protocol (shaders/engines/gather/gather.h), which compute one output at a time in the
// order of its sum. It cuts a problem into parts, a dispatch each, for the device's limits: windows of buffer range, time, groups
// in a dimension, loop iterations. The sum of an output goes from part to part in the order of its terms, so that its bits do not
// depend on the cuts.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/core/compute_type.h"
#include "plan/core/plan.h"
#include "plan/engines/taps.h"
#include "shaders/engines/gather/gather.h"

namespace vkonnx::plan {

// A Range is the numbers [first, first + count).
struct Range {
    int64_t first = 0;
    int64_t count = 0;

    int64_t end() const { return first + count; }
    friend bool operator==(const Range&, const Range&) = default;
};

// Extends a range of flat indices by coordinates that lie `step` elements apart.
inline void reach(Range& flat, const Range& coordinates, int64_t step)
{
    flat.first += coordinates.first * step;
    flat.count += (coordinates.count - 1) * step;
}

// Calls visit(i, coordinates) for each dimension i, innermost first, with the range of coordinates that the flat indices of a
// range have in it. Together these are a box around them. The extent of dimension i is dims[i].
template <class Dims, class Visitor>
void visit_bounds(const Range& flat, const Dims& dims, Visitor&& visit)
{
    int64_t first = flat.first;
    int64_t last = flat.end() - 1;
    for (size_t i = dims.size(); i-- > 0;) {
        // Within one row of this dimension, both ends bound the range. Else it takes the whole dimension.
        const bool one_row = first / dims[i] == last / dims[i];
        visit(i, one_row ? Range{first % dims[i], last - first + 1} : Range{0, dims[i]});
        first /= dims[i];
        last /= dims[i];
    }
}

// Bounds are the ranges of coordinates in each dimension, as visit_bounds finds them.
using Bounds = std::array<Range, 2 + max_spatial_axes>;
Bounds bounds_of(const Range& flat, std::span<const int64_t> dims);

// A Part is what a dispatch adds to which outputs. It becomes a push::GatherPart when it is known what is bound.
struct Part {
    Range outputs;
    Range channels;
    TapBox box;
    bool starts = true;
    bool finishes = true;
    int64_t scratch_base = -1;  // the first output in scratch memory, where sums come from there or go there; else -1

    // Tells whether the part only finishes sums from scratch memory.
    bool adds_nothing() const { return channels.count == 0; }
};

struct InputTensor {
    uint8_t operand = 0;
    int64_t elements = 0;
    uint32_t element_bytes = 0;  // 0 for Gather::element_bytes
};

// Reads are the ranges of elements that a part reads of each input that it binds: X, W and B, and behind them a prologue's P.
inline constexpr size_t max_bound_inputs = 3;
using Reads = std::array<Range, max_bound_inputs + 1>;

// A Gather is a problem for a kernel of the gather protocol.
struct Gather {
    std::string_view op = {};
    ComputeType compute_type = ComputeType::f32;
    uint32_t element_bytes = 4;
    int64_t outputs = 0;
    uint8_t output_operand = 0;
    std::vector<InputTensor> inputs = {};  // X; W and B; P
    // Returns the elements that a part may read of each input, as one range.
    std::function<Reads(const Part&)> reads = {};
    int64_t channels = 1;  // the channels that a sum goes through
    // Where this is set, the channels are the inputs themselves, in their order: a part reads those that it adds, and `reads`
    // tells of those only.
    bool inputs_are_channels = false;
    // This is the number by which the kernel knows the first channel.
    int64_t first_channel = 0;
    std::vector<TapAxis> taps = {};
    bool reads_table = false;  // binds the whole Plan::table behind the inputs

    // The members below tell how the kernel works.
    Kernel kernel = {};
    std::vector<uint32_t> specialization = {};
    bool uses_uniform = true;
    std::vector<std::byte> push = {};  // push constants behind push::GatherPart
    bool goes_on = false;              // can go on from a sum of an earlier part; else a part adds all terms of its outputs
    bool takes_boxes = false;          // adds a box of taps in the loops of the nd kernels; else a part adds all taps
    int64_t channels_at_once = 1;      // channels that a part may add with all taps, by loop iterations
    int64_t outputs_at_once = 0;       // outputs of an invocation; 0 for those that share a word
};

// Returns the iterations that the loops of one output may have, in an invocation of so many outputs, or of those that share a
// word.
int64_t loop_limit(int64_t outputs, const Capabilities& capabilities);
int64_t loop_limit(ComputeType compute_type, const Capabilities& capabilities);

// This is the number of multiply-adds that one invocation is taken to do in a second, where each waits for its loads: a few long
// sums keep no device busy. Some 250 ns for each are on the slow side for GPUs.
inline constexpr double invocation_work_per_second = 4e6;

// This many multiply-adds take as long as what each output needs beside its sum: coordinates, bounds, rounding. On software
// drivers 1 to 28 were measured.
inline constexpr int64_t output_work = 16;

// These return the multiply-adds that one dispatch may do, and those that each invocation of it may do.
int64_t work_limit(ComputeType compute_type, const Capabilities& capabilities, const PrepareOptions& options);
int64_t invocation_limit(ComputeType compute_type, const PrepareOptions& options);

// Returns the row_iterations that a box may have, so that room is left for the nd kernels' loops over axes and over channels.
int64_t box_iterations(ComputeType compute_type, const Capabilities& capabilities);

// Tells why a kernel that takes boxes of taps can't run the problem, whatever the boxes; returns "" where it can.
std::string unfit_for_boxes(std::span<const TapAxis> taps, ComputeType compute_type, const Capabilities& capabilities);

// Returns a plan with its pipeline, steps and scratch memory. The operator adds what is its own, the uniform block, the table and
// `why`.
Result<Plan> plan_gather(const Gather& problem, const Capabilities& capabilities, const PrepareOptions& options);

}  // namespace vkonnx::plan
