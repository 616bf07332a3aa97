// SPDX-License-Identifier: Apache-2.0
// This file joins several gathers to one plan, in which each may read what the ones before it wrote to scratch memory. Reductions
// are planned so, because a row of many elements is not summed by one invocation. A Chain has nothing to do with chains of
// elementwise operators.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "plan/core/compute_type.h"
#include "plan/core/plan.h"
#include "plan/engines/gather.h"

namespace vkonnx::plan {

// A Memory is a tensor of the caller, or a region of scratch or packed memory.
struct Memory {
    Place place = Place::tensor;
    uint8_t tensor = 0;
    uint64_t offset = 0;
    uint64_t bytes = 0;  // of a region of scratch or packed memory
};

// A Turn tells whether steps run each time, or only once, before all others.
enum class Turn : uint8_t { each, once };

class Chain {
public:
    // Begins a plan of operator `op` with tensors of these sizes, the outputs behind the inputs.
    Chain(std::string_view op, const Capabilities& capabilities, const PrepareOptions& options, uint32_t inputs,
          std::vector<uint64_t> tensor_bytes);

    std::string_view op() const { return op_; }
    const Capabilities& capabilities() const { return capabilities_; }
    const PrepareOptions& options() const { return options_; }

    // Reserves memory for so many elements. Steps may read packed memory as texels, and scratch memory where as_texels is set.
    // Only steps that run once write packed memory.
    Memory scratch(int64_t elements, uint32_t element_bytes, bool as_texels = false);
    Memory packed(int64_t elements, uint32_t element_bytes);

    // Adds the steps of a gather, whose operand number i is operands[i].
    Status add(const Gather& gather, std::span<const Memory> operands, Turn turn = Turn::each);
    // Adds the steps of a whole plan in the same way. Of all added plans only one may have a uniform block, and only one a table.
    Status add(Plan&& part, std::span<const Memory> operands, Turn turn = Turn::each);

    Plan take() { return std::move(plan_); }

private:
    uint32_t pipeline(const PipelineKey& key);
    Memory room(uint64_t& total, int64_t elements, uint32_t element_bytes, bool as_texels) const;

    std::string_view op_;
    const Capabilities& capabilities_;
    const PrepareOptions& options_;
    Plan plan_;
};

// ------------------------------------------------------------------------------------------------------ reductions

// Rows are the layout of a reduction, which makes Y (outer, inner) of X (outer, extent, inner).
struct Rows {
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;

    friend bool operator==(const Rows&, const Rows&) = default;
};

// A Pass is one stage of a reduction, in one dispatch or more. It makes `parts` results of each row, and element e of the row is
// added to result number e % parts:
//
//   row      0 1 2 3 4 5 6 7        with 3 parts
//   results  0+3+6  1+4+7  2+5
struct Pass {
    Rows rows;
    int64_t parts = 1;

    int64_t outputs() const { return rows.outer * parts * rows.inner; }
    friend bool operator==(const Pass&, const Pass&) = default;
};

// Returns the passes that reduce several groups of a tensor's axes; there is at least one. A group is (outer, extent, inner):
// `extent` is reduced, `inner` are the elements behind it, and `outer` are those before it, with the groups before it not yet
// reduced. The last group is reduced first. Passes depend on these numbers alone, and so do the bits of a sum.
std::vector<Pass> passes_of(std::span<const Rows> groups);

// Returns the taps of a pass, which are the elements that its longest result joins.
TapAxis taps_of(const Pass& pass);

// Returns the elements of X that a pass reads for these outputs and taps, as one range.
Range read_by(const Pass& pass, const Range& outputs, const TapBox& box);

enum class Term : uint8_t {
    sum,           // the sum of the elements
    greatest,      // the greatest element, -Inf where all are NaN
    exponentials,  // the sum of e^(element - statistic)
    squares,       // the sum of (element - statistic)^2
    prologue,      // the sum of what PrepareOptions::prologue makes of the elements
    max,           // the greatest element, NaN where one is NaN
    min,           // the least element, NaN where one is NaN
    product,       // the product of the elements
    magnitudes,    // the sum of |element|
    own_squares,   // the sum of element^2
};

// A Finish is what is made of a result once all terms are joined.
enum class Finish : uint8_t {
    as_it_is,
    square_root,
    finite,             // 0 where the result is infinite or NaN
    logarithm,          // the logarithm of a sum, or of a sum of exponentials
    shifted_logarithm,  // the logarithm plus the statistic
};

// These are the bytes and the compute type of a sum in scratch memory: floats for halves, and else the compute type itself.
uint32_t sum_bytes(ComputeType compute_type);
ComputeType sum_number(ComputeType compute_type);

struct Reduction {
    ComputeType compute_type = ComputeType::f32;  // of X
    uint32_t element_bytes = 4;                   // of X
    Term term = Term::sum;
    Finish finish = Finish::as_it_is;
    std::vector<Pass> passes = {};
    std::optional<int64_t> count = {};  // the number that the sum is divided by, if any
    // Row (outer o, inner i) of the first pass has statistic (o * Rows::inner + i) % statistic_count. For Term::prologue the
    // statistics are P, a row of numbers for each channel.
    Memory statistics = {};
    int64_t statistic_count = 1;
    bool from_sums = false;  // X holds sums, not elements of the tensor's type
    bool to_sums = false;    // Y holds sums, likewise
    bool narrow = false;     // elements of X and Y have 32 bits, sums 64
};

// Tells why no plan can have these passes; returns "" where one can.
std::string unfit_for_passes(std::span<const Pass> passes, ComputeType compute_type, const Capabilities& capabilities);

Status add_reduction(Chain& chain, const Reduction& reduction, const Memory& from, const Memory& to);

// Returns a range around the numbers `outer * inner + (flat % inner)` that belong to elements `flat` of (outer, row, inner), with
// `row` elements each, taken modulo `count`.
Range statistics_of(const Range& flat, int64_t row, int64_t inner, int64_t count);

}  // namespace vkonnx::plan
