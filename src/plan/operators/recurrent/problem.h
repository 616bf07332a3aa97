// SPDX-License-Identifier: Apache-2.0
// This file defines what the kernels of RNN, GRU and LSTM are told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/geometry.h"
#include "plan/core/choose.h"
#include "plan/engines/chain.h"

namespace vkonnx::plan::recurrent {

// These are the numbers of the inputs. Those from B on may be missing.
inline constexpr size_t input_x = 0;
inline constexpr size_t input_w = 1;
inline constexpr size_t input_r = 2;
inline constexpr size_t input_b = 3;
inline constexpr size_t input_lengths = 4;
inline constexpr size_t input_h = 5;
inline constexpr size_t input_c = 6;
inline constexpr size_t input_p = 7;

struct Problem {
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::RecurrentGeometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;  // elements of Y; the rest does not count where there are none
    int64_t rows = 0;     // sequences of the batch in all directions
    int64_t quads = 0;    // quads of the elements of H
    int64_t state_step = 0;
    int64_t b_begin = 0;  // where B begins in the weights
    int64_t p_begin = 0;
    int64_t weights = 0;  // the number of floats of R, B and P as the kernel reads them

    bool has(size_t input) const { return input < geometry.inputs.size() && geometry.inputs[input].dtype != DType::undefined; }
    // Tells whether this is a GRU that multiplies by R what its reset gate made of H.
    bool resets_first() const { return geometry.kind == ops::RecurrentKind::gru && !geometry.linear_before_reset; }
    // Returns the multiply-adds of an element of H, without those that round H.
    int64_t element_work() const { return geometry.gates * (4 * quads + 8); }
    // Returns the loop iterations in which an invocation finds the range of H and rounds so many quads of it, or 0 where H is not
    // rounded. Each takes about as long as two multiply-adds.
    int64_t rounding_iterations(int64_t rounded_quads) const { return geometry.rounds_h ? 5 * (quads + rounded_quads) : 0; }
};

// A Group tells what a workgroup computes at once: so many elements of H, whose sums have so many parts. An invocation computes
// one part of each gate's sum for one element.
struct Group {
    int64_t elements = 1;
    int64_t parts = 1;

    int64_t invocations() const { return elements * parts; }
    // Tells whether the parts pay for the barriers that they take.
    bool has_parts() const { return parts >= 4; }
    // Returns the bytes of shared memory that the parts take.
    int64_t shared_bytes() const { return parts > 1 ? invocations() * 16 : 0; }
};

// Returns the group of at least so many elements and at most so many invocations whose sums have most parts: a power of two, 16
// at most, and no more than H has quads.
Group group_in_parts(const Problem& problem, int64_t elements, int64_t invocations);

// Returns the seconds that an invocation of a GPU waits for the weights of one element, whose sums have so many parts.
double waiting_seconds(const Problem& problem, int64_t parts);

// A Program makes what both kernels share: all steps of a plan but those that go through the sequence, and the memories that
// these bind.
class Program {
public:
    explicit Program(const Problem& problem);

    // Copies what is not in the form that the kernel reads, and multiplies X by W.
    Status begin();
    // A Dispatch is what a dispatch of the kernel computes: all of H for each row where it `shares`, else `count` elements of all
    // states from `first` on. With `instead` it computes what sums of the next dispatch take instead of H; where that is the
    // rounded H, it does so by quads.
    struct Dispatch {
        bool shares = false;
        Group group = {};
        int64_t first_step = 0;
        int64_t steps = 1;
        int64_t first = 0;
        int64_t count = 0;
        bool instead = false;
        std::array<uint32_t, 3> groups = {1, 1, 1};
        double seconds = 0;
    };
    void add(const Dispatch& dispatch);
    // Makes the outputs and returns the plan. State number `final` is H at the end.
    Result<Plan> finish(int64_t final);

private:
    struct Copy;
    Status copy(const Copy& copy, const Memory& from, const Memory& to, Turn turn);
    Status copy_state(size_t input, int64_t state);
    Status copy_output(size_t output, int64_t state);
    Status copy_weights();
    Status multiply();
    bool is_constant(size_t input) const;
    Memory part_of(const Memory& memory, int64_t first, int64_t count) const;

    const Problem& problem_;
    uint8_t tensor_y_ = 0;
    Chain chain_;
    Plan own_ = {};  // the kernel's dispatches, which bind the memories below
    Memory products_ = {};
    Memory weights_ = {};
    Memory state_ = {};
    Memory y_ = {};  // Y, or for halves the floats of it
};

// Tells why what the kernel reads and writes can't be bound; returns "" where it can.
std::string unfit_for_ranges(const Problem& problem);

// recurrent_sequence computes many time steps in a dispatch, with a workgroup for each sequence. recurrent_sequence_parts does so
// with sums in parts.
extern const KernelOf<Problem> sequence;
extern const KernelOf<Problem> sequence_parts;
// recurrent_steps computes a time step in one dispatch or more. recurrent_steps_parts does so with sums in parts.
extern const KernelOf<Problem> steps;
extern const KernelOf<Problem> steps_parts;

}  // namespace vkonnx::plan::recurrent
