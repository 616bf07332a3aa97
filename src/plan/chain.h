// SPDX-License-Identifier: Apache-2.0
// Plans of several gathers, each of which may read what the ones before it wrote to scratch memory; and reductions, which are
// such: a row of many elements is not summed by one invocation.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "plan/gather.h"
#include "plan/numbers.h"
#include "plan/plan.h"

namespace vkonnx::plan {

// A tensor of the caller's, or a region of scratch or packed memory.
struct Memory {
    Place place = Place::tensor;
    uint8_t tensor = 0;
    uint64_t offset = 0;
    uint64_t bytes = 0;  // of scratch and packed memory
};

// Whether steps run each time, or once, before all others.
enum class Turn : uint8_t { each, once };

class Chain {
public:
    // Begins a plan of operator `op` with tensors of these sizes, the outputs behind the inputs.
    Chain(std::string_view op, const Capabilities& capabilities, const PrepareOptions& options, uint32_t inputs,
          std::vector<uint64_t> tensor_bytes);

    std::string_view op() const { return op_; }
    const Capabilities& capabilities() const { return capabilities_; }
    const PrepareOptions& options() const { return options_; }

    // Room for so many, where a step may read it as texels, too. Packed memory is written by steps that run once.
    Memory scratch(int64_t elements, uint32_t element_bytes, bool as_texels = false);
    Memory packed(int64_t elements, uint32_t element_bytes);

    // The steps of a gather, whose operands are these memories by its numbers.
    Status add(const Gather& gather, std::span<const Memory> operands, Turn turn = Turn::each);
    // The steps of a whole plan, likewise. Only one of them may have a uniform block, and only one a table.
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

// X (outer, extent, inner) becomes Y (outer, inner).
struct Rows {
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;

    friend bool operator==(const Rows&, const Rows&) = default;
};

// One dispatch of a reduction in several. It makes `parts` results of each row, and element e of the row is added to result
// number e % parts:
//
//   row      0 1 2 3 4 5 6 7        with 3 parts
//   results  0+3+6  1+4+7  2+5
struct Pass {
    Rows rows;
    int64_t parts = 1;

    int64_t outputs() const { return rows.outer * parts * rows.inner; }
    friend bool operator==(const Pass&, const Pass&) = default;
};

// The passes that reduce several groups of a tensor's axes, at least one pass. A group is (outer, extent, inner): `extent` is
// reduced, `inner` are the elements behind it, and `outer` are those before it, with the groups before it not yet reduced. The
// last group is reduced first. Passes depend on these numbers alone, and so do the bits of a sum.
std::vector<Pass> passes_of(std::span<const Rows> groups);

enum class Term : uint8_t {
    sum,           // of the elements
    greatest,      // of them, -Inf where all are NaN
    exponentials,  // the sum of e^(element - statistic)
    squares,       // the sum of (element - statistic)^2
    prologue,      // the sum of what PrepareOptions::prologue makes of them
    max,           // the greatest of them, NaN where one is NaN
    min,           // the least, likewise
    product,       // of the elements
    magnitudes,    // the sum of |element|
    own_squares,   // the sum of element^2
};

// What becomes of the terms once all of them are joined.
enum class Finish : uint8_t {
    as_it_is,
    square_root,
    finite,             // 0 where it is infinite or NaN
    logarithm,          // of a sum, or of exponentials
    shifted_logarithm,  // likewise, and the statistic is added
};

// What is computed in lies in scratch memory as a sum does: floats for halves.
uint32_t sum_bytes(Number number);
Number sum_number(Number number);

struct Reduction {
    Number number = Number::f32;  // of X
    uint32_t element_bytes = 4;   // likewise
    Term term = Term::sum;
    Finish finish = Finish::as_it_is;
    std::vector<Pass> passes = {};
    std::optional<int64_t> count = {};  // of elements: what their sum is divided by
    // One for (outer, inner) of the first pass, modulo so many; of Term::prologue its numbers, a row each.
    Memory statistics = {};
    int64_t statistic_count = 1;
    bool from_sums = false;  // X is no tensor, but what is computed in
    bool to_sums = false;    // likewise Y
    bool narrow = false;     // elements of X and Y have 32 bits, of the number's 64
};

// Why no plan can have the passes; "" where it can.
std::string unfit_for_passes(std::span<const Pass> passes, Number number, const Capabilities& capabilities);

Status add_reduction(Chain& chain, const Reduction& reduction, const Memory& from, const Memory& to);

// The range of the numbers `outer * inner + (flat % inner)` that belong to elements `flat` of (outer, row, inner), with `row`
// elements each, taken modulo `count`. Conservative.
Range statistics_of(const Range& flat, int64_t row, int64_t inner, int64_t count);

}  // namespace vkonnx::plan
