// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes steps of RNN, GRU and LSTM, in two forms. With spec_shares a workgroup has a row, its invocations share H,
// and it does many steps. Else a dispatch has one step, and an invocation has an element of H. Where what is multiplied by R is not
// H itself, but the reset gate of GRU times H, or H rounded to 8 bits, an earlier dispatch computes that.
//
// A sum over H may have spec_parts parts. Then so many invocations compute them, each every spec_parts-th quad of H. The one that
// has the first part adds them up, and does all that follows. With 4 invocations and 2 parts:
//
//   invocation   0     1     2     3
//   element j    0     1     0     1     (where spec_shares, 2, 3, 2 and 3 in the next turn)
//   quads of H   even  even  odd   odd
//
// A row is a sequence of a batch in one direction. Rows are numbered row-major by (direction, batch).
//
// Layouts:
// - inputs: X * W^T, (steps, batch) or, with batch_first, (batch, steps), then (directions, gates, hidden)
// - weights: R as (directions, gates, quads, hidden, 4), where quad q of column j has R's elements [j, 4 * q] to [j, 4 * q + 3],
//   and zeros beyond the last; behind it B and P as they are
// - state: RECURRENT_STATES times (rows, 4 * quads), then the lengths (batch). H before the first step of a dispatch and behind
//   its last one is state 0 where spec_shares. Else H before step s is state s % 2, and the other one is H behind it.
// - y: Y
// Order of the sums: the operator's with one part. Parts are added up in their order.
// Assumptions:
// - element numbers fit 31 bits
// - the device allows the loops: quads iterations for each element of H and each step
// Specialization: recurrent_constants.h
// Grid: where spec_shares, a group a row; else ceil(count * spec_parts / workgroup size) groups; folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/operators/recurrent/recurrent_constants.h"

#include "shaders/library/common.glsl"
#include "shaders/operators/recurrent/recurrent.h"
#include "shaders/library/store.glsl"

#include "shaders/library/functions.glsl"

layout(binding = 0) readonly buffer Inputs
{
    float inputs[];
};
layout(binding = 1) readonly buffer Weights
{
    vec4 weights[];
};
layout(binding = 2) buffer State
{
    float state[];
};
layout(binding = 3) writeonly buffer OutputY
{
    float y[];
};
layout(push_constant) uniform Push
{
    RecurrentSteps push;
};

uint gates()
{
    return spec_kind == RECURRENT_RNN ? 1u : spec_kind == RECURRENT_GRU ? 3u : 4u;
}

uint directions()
{
    return spec_direction == RECURRENT_BIDIRECTIONAL ? 2u : 1u;
}

// Returns where element j of a row lies in one of the states.
uint place_of(uint which, uint row, uint j)
{
    return which * push.state_step + row * 4u * spec_quads + j;
}
#define STATE_C 2u
#define STATE_UPDATE 3u
#define STATE_INSTEAD 4u

// ---- functions, as vkonnx::RecurrentActivation numbers them. Tanh is ScaledTanh with ones.

#define FUNCTION_RELU 0u
#define FUNCTION_SIGMOID 2u
#define FUNCTION_AFFINE 3u
#define FUNCTION_LEAKY_RELU 4u
#define FUNCTION_THRESHOLDED_RELU 5u
#define FUNCTION_SCALED_TANH 6u
#define FUNCTION_HARD_SIGMOID 7u
#define FUNCTION_ELU 8u
#define FUNCTION_SOFTSIGN 9u
#define FUNCTION_SOFTPLUS 10u

// Tells whether any function is this one. Compilers leave out the others.
bool may_be(uint function)
{
    return spec_f == function || spec_g == function || spec_h == function || spec_f1 == function || spec_g1 == function ||
           spec_h1 == function;
}

float divided(float a, float b)
{
    return spec_exactly != 0u ? quotient_exactly(a, b) : quotient(a, b);
}

float clamped(float a, float low, float high)
{
    a = less(a, low) ? low : a;
    return less(high, a) ? high : a;
}

float function_of(uint function, float a, float alpha, float beta)
{
    if (may_be(FUNCTION_SIGMOID) && function == FUNCTION_SIGMOID)
        return logistic(a);
    if (may_be(FUNCTION_RELU) && function == FUNCTION_RELU)
        return less(a, 0.0f) ? 0.0f : a;
    if (may_be(FUNCTION_AFFINE) && function == FUNCTION_AFFINE)
        return plus(times(alpha, a), beta);
    if (may_be(FUNCTION_LEAKY_RELU) && function == FUNCTION_LEAKY_RELU)
        return less(a, 0.0f) ? times(alpha, a) : a;
    if (may_be(FUNCTION_THRESHOLDED_RELU) && function == FUNCTION_THRESHOLDED_RELU)
        return less(a, alpha) ? 0.0f : a;
    if (may_be(FUNCTION_SCALED_TANH) && function == FUNCTION_SCALED_TANH)
        return times(alpha, hyperbolic_tangent(times(beta, a)));
    if (may_be(FUNCTION_HARD_SIGMOID) && function == FUNCTION_HARD_SIGMOID)
        return clamped(plus(times(alpha, a), beta), 0.0f, 1.0f);
    if (may_be(FUNCTION_ELU) && function == FUNCTION_ELU)
        return less(a, 0.0f) ? times(alpha, exponential_minus_one(a)) : a;
    if (may_be(FUNCTION_SOFTSIGN) && function == FUNCTION_SOFTSIGN)
        return divided(a, plus(1.0f, absolute(a)));
    if (may_be(FUNCTION_SOFTPLUS) && function == FUNCTION_SOFTPLUS)
        return plus(less(a, 0.0f) ? 0.0f : a, natural_logarithm(plus(1.0f, exponential(negated(absolute(a))))));
    return a;
}

// Applies functions of a direction to the first `count` numbers, where which[i] is 0, 1 or 2 for f, g or h. The first `gates`
// numbers are those of gates, which may be clipped. It is a loop so that a module has each function once.
vec4 activated(vec4 a, uint count, uvec4 which, uint gates, uint direction)
{
    for (uint i = 0u; i < count; ++i) {
        bool second = direction != 0u;
        uint function = which[i] == 0u ? (second ? spec_f1 : spec_f)
                                       : which[i] == 1u ? (second ? spec_g1 : spec_g) : second ? spec_h1 : spec_h;
        uint at = 2u * (RECURRENT_FUNCTIONS * direction + which[i]);
        float clip = uintBitsToFloat(push.clip);
        float x = spec_clips != 0u && i < gates ? clamped(a[i], negated(clip), clip) : a[i];
        a[i] = function_of(function, x, uintBitsToFloat(push.numbers[at]), uintBitsToFloat(push.numbers[at + 1u]));
    }
    return a;
}

// ---- sums

// Where spec_shares is 1, shared_h holds H before a step, then H behind it, and then what sums take instead of H.
const bool has_instead = spec_kind == RECURRENT_GRU || spec_rounds_h != 0u;
shared vec4 shared_h[spec_shares == 0u ? 1u : (has_instead ? 3u : 2u) * spec_quads];
uint before = 0u;  // the quad at which H before the step begins

bool begins_with_zeros()
{
    return push.first_step == 0u && spec_has_h == 0u;
}

vec4 quad_at(uint which, uint row, uint q)
{
    uint at = place_of(which, row, 4u * q);
    return vec4(state[at], state[at + 1u], state[at + 2u], state[at + 3u]);
}

void store_quad(uint which, uint row, uint q, vec4 quad)
{
    uint at = place_of(which, row, 4u * q);
    state[at] = quad.x;
    state[at + 1u] = quad.y;
    state[at + 2u] = quad.z;
    state[at + 3u] = quad.w;
}

// Returns elements [4 * q, 4 * q + 4) of a row's H. With `instead` they are what a sum takes instead of H: the reset gate of GRU times
// H, or the rounded H.
vec4 hidden_at(uint row, uint q, bool instead)
{
    if (spec_shares != 0u)
        return shared_h[(instead ? 2u * spec_quads : before) + q];
    if (instead)
        return quad_at(STATE_INSTEAD, row, q);
    return begins_with_zeros() ? vec4(0.0f) : quad_at(push.first_step & 1u, row, q);
}

float with_products(float sum, vec4 a, vec4 b)
{
    sum = plus(sum, times(a.x, b.x));
    sum = plus(sum, times(a.y, b.y));
    sum = plus(sum, times(a.z, b.z));
    return plus(sum, times(a.w, b.w));
}

// Returns how many elements of H a workgroup computes at once.
uint elements_at_once()
{
    return gl_WorkGroupSize.x / spec_parts;
}

// Returns which part of a sum this invocation computes.
uint part()
{
    return spec_parts == 1u ? 0u : gl_LocalInvocationID.x / elements_at_once();
}

// This struct holds how H of a row is rounded to 8 bits: as DynamicQuantizeLinear of ONNX rounds it, whose numbers these are.
struct Rounding {
    float scale;
    float zero_point;
};

// Returns the rounding of a row's H. Each invocation that calls it goes through all elements. Those beyond H are zeros, and the
// range always has 0 in it.
Rounding rounding_of(uint row)
{
    float least = 0.0f;
    float greatest = 0.0f;
    for (uint q = 0u; q < spec_quads; ++q) {
        vec4 h = hidden_at(row, q, false);
        for (uint i = 0u; i < 4u; ++i) {
            least = less(h[i], least) ? h[i] : least;
            greatest = less(greatest, h[i]) ? h[i] : greatest;
        }
    }
    Rounding rounding;
    rounding.scale = greatest == least ? 1.0f : quotient(minus(greatest, least), 255.0f);
    rounding.zero_point = clamped(binary32_whole(quotient(negated(least), rounding.scale), true, false), 0.0f, 255.0f);
    return rounding;
}

vec4 rounded(vec4 h, Rounding rounding)
{
    for (uint i = 0u; i < 4u; ++i) {
        float steps = plus(binary32_whole(quotient(h[i], rounding.scale), true, false), rounding.zero_point);
        h[i] = times(minus(clamped(steps, 0.0f, 255.0f), rounding.zero_point), rounding.scale);
    }
    return h;
}

// Rounds all quads of a row's H before a step, where the workgroup shares them.
void round_shared(uint row)
{
    Rounding rounding = rounding_of(row);
    for (uint q = gl_LocalInvocationID.x; q < spec_quads; q += gl_WorkGroupSize.x)
        shared_h[2u * spec_quads + q] = rounded(hidden_at(row, q, false), rounding);
    barrier();
}

// Rounds the quads of a dispatch that computes nothing else.
void round_quads()
{
    uint index = flat_workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (index >= push.count)
        return;
    index += push.first;
    uint row = index / spec_quads;
    uint q = index % spec_quads;
    store_quad(STATE_INSTEAD, row, q, rounded(hidden_at(row, q, false), rounding_of(row)));
}

// Returns this invocation's part of H * R^T in column j of `count` gates from `first` on. `instead` is as in hidden_at.
vec4 products(uint row, uint j, uint first, uint count, bool instead)
{
    uint gate = spec_quads * push.hidden;
    uint at = (row / push.batch * gates() + first) * gate + j;
    vec4 sums = vec4(0.0f);
    at += part() * push.hidden;
    for (uint q = part(); q < spec_quads; q += spec_parts) {
        vec4 h = hidden_at(row, q, instead);
        sums.x = with_products(sums.x, h, weights[at]);
        if (count > 1u)
            sums.y = with_products(sums.y, h, weights[at + gate]);
        if (count > 2u)
            sums.z = with_products(sums.z, h, weights[at + 2u * gate]);
        if (count > 3u)
            sums.w = with_products(sums.w, h, weights[at + 3u * gate]);
        at += spec_parts * push.hidden;
    }
    return sums;
}

shared vec4 shared_parts[spec_parts == 1u ? 1u : gl_WorkGroupSize.x];

// Returns the sum of all parts to the invocation that has the first of them. All invocations of the workgroup call it.
vec4 summed(vec4 sums)
{
    if (spec_parts == 1u)
        return sums;
    barrier();  // the parts of the sum before have been read
    shared_parts[gl_LocalInvocationID.x] = sums;
    barrier();
    if (part() != 0u)
        return sums;
    for (uint p = 1u; p < spec_parts; ++p) {
        vec4 other = shared_parts[p * elements_at_once() + gl_LocalInvocationID.x];
        [[unroll]] for (uint i = 0u; i < 4u; ++i)
            sums[i] = plus(sums[i], other[i]);
    }
    return sums;
}

float parameter(uint i)
{
    return weights[i >> 2u][i & 3u];
}

// Returns the element of B for X, or for H, of a gate.
float offset_of(uint direction, uint gate, uint j, bool of_h)
{
    if (spec_has_b == 0u)
        return 0.0f;
    return parameter(push.b_begin + (direction * 2u * gates() + (of_h ? gates() : 0u) + gate) * push.hidden + j);
}

float both_offsets(uint direction, uint gate, uint j)
{
    return plus(offset_of(direction, gate, j, false), offset_of(direction, gate, j, true));
}

// Returns the element of P for a gate, times C.
float peephole(uint direction, uint gate, uint j, float c)
{
    if (spec_has_p == 0u)
        return 0.0f;
    return times(parameter(push.p_begin + (direction * 3u + gate) * push.hidden + j), c);
}

uint length_of(uint batch)
{
    if (spec_has_lengths == 0u)
        return push.step_count;
    return uint(clamped(state[RECURRENT_STATES * push.state_step + batch], 0.0f, float(push.step_count)));
}

// Returns the step of X and Y that a row computes as its step number `step`.
uint time_of(uint direction, uint length, uint step)
{
    bool reverse = spec_direction == RECURRENT_REVERSE || (spec_direction == RECURRENT_BIDIRECTIONAL && direction != 0u);
    return reverse && step < length ? length - 1u - step : step;
}

float input_at(uint row, uint time, uint gate, uint j)
{
    uint direction = row / push.batch;
    uint batch = row % push.batch;
    uint at = spec_batch_first != 0u ? batch * push.step_count + time : time * push.batch + batch;
    return inputs[((at * directions() + direction) * gates() + gate) * push.hidden + j];
}

// Tells whether GRU multiplies its reset gate times H by R. All of that gate times H is computed before.
bool resets_first()
{
    return spec_kind == RECURRENT_GRU && spec_linear_before_reset == 0u;
}

// Returns what goes into the function of a gate, but for LSTM's peepholes.
float gate_at(uint row, uint time, uint gate, uint j, float sum)
{
    return plus(plus(input_at(row, time, gate, j), sum), both_offsets(row / push.batch, gate, j));
}

// Stores GRU's update gate, and returns its reset gate times H. `sums` are the products of these two gates.
float reset_of(uint row, uint time, uint j, float h, vec4 sums)
{
    vec4 gate = vec4(gate_at(row, time, 0u, j, sums.x), gate_at(row, time, 1u, j, sums.y), 0.0f, 0.0f);
    gate = activated(gate, 2u, uvec4(0u), 2u, row / push.batch);
    state[place_of(STATE_UPDATE, row, j)] = gate.x;
    return times(gate.y, h);
}

// Returns element j of a row's H behind a step. `h` is the one before the step, and `sums` are the products that it takes.
float next_of(uint row, uint time, uint j, float h, bool starts, vec4 sums)
{
    uint direction = row / push.batch;
    uint place = place_of(STATE_C, row, j);
    float c = 0.0f;
    if (spec_kind == RECURRENT_LSTM && (!starts || spec_has_c != 0u))
        c = state[place];

    // These gates depend on no other gate.
    vec4 gate = vec4(0.0f);
    uint count = 1u;
    if (spec_kind == RECURRENT_RNN) {
        gate.x = gate_at(row, time, 0u, j, sums.x);
    } else if (spec_kind == RECURRENT_LSTM) {
        gate.x = plus(gate_at(row, time, 0u, j, sums.x), peephole(direction, 0u, j, c));
        gate.y = plus(gate_at(row, time, 2u, j, sums.z), peephole(direction, 2u, j, c));
        gate.z = gate_at(row, time, 3u, j, sums.w);
        count = 3u;
    } else if (resets_first()) {
        count = 0u;
    } else {
        gate.x = gate_at(row, time, 0u, j, sums.x);
        gate.y = gate_at(row, time, 1u, j, sums.y);
        count = 2u;
    }
    gate = activated(gate, count, uvec4(0u, 0u, 1u, 0u), count, direction);
    if (spec_kind == RECURRENT_RNN)
        return gate.x;

    // What follows depends on those gates.
    vec4 last = vec4(0.0f);
    if (spec_kind == RECURRENT_LSTM) {
        float forget = spec_input_forget != 0u ? minus(1.0f, gate.x) : gate.y;
        c = plus(times(forget, c), times(gate.x, gate.z));
        state[place] = c;
        last.x = plus(gate_at(row, time, 1u, j, sums.y), peephole(direction, 1u, j, c));
        last.y = c;
    } else if (resets_first()) {
        gate.x = state[place_of(STATE_UPDATE, row, j)];
        last.x = gate_at(row, time, 2u, j, sums.x);
    } else {
        float reset = times(gate.y, plus(sums.z, offset_of(direction, 2u, j, true)));
        last.x = plus(plus(input_at(row, time, 2u, j), reset), offset_of(direction, 2u, j, false));
    }
    bool is_lstm = spec_kind == RECURRENT_LSTM;
    last = activated(last, is_lstm ? 2u : 1u, is_lstm ? uvec4(0u, 2u, 0u, 0u) : uvec4(1u), 1u, direction);
    if (is_lstm)
        return times(last.x, last.y);
    return plus(times(minus(1.0f, gate.x), last.x), times(gate.x, h));
}

// Returns element j of a row's H behind a step, and stores it in Y. `sums` are the products that the step takes. Behind the end of
// a sequence H stays as it is, and Y is 0. A sequence without steps has states of 0 alone.
float stepped(uint row, uint step, uint j, float h, vec4 sums)
{
    uint direction = row / push.batch;
    uint batch = row % push.batch;
    uint length = length_of(batch);
    uint time = time_of(direction, length, step);
    if (step < length) {
        h = next_of(row, time, j, h, step == 0u, sums);
    } else if (length == 0u) {
        h = 0.0f;
        if (spec_kind == RECURRENT_LSTM)
            state[place_of(STATE_C, row, j)] = 0.0f;
    }
    uint at = spec_batch_first != 0u ? (batch * push.step_count + time) * directions() + direction
                                     : (time * directions() + direction) * push.batch + batch;
    y[at * push.hidden + j] = step < length ? h : 0.0f;
    return h;
}

// Returns element j of a row's H, in either form.
float element_of_h(uint row, uint j)
{
    if (spec_shares != 0u)
        return shared_h[before + (j >> 2u)][j & 3u];
    return begins_with_zeros() ? 0.0f : state[place_of(push.first_step & 1u, row, j)];
}

// Stores element j of a row: where spec_shares in the shared quads from `quad` on, else in the state number `which`.
void store_element(uint which, uint quad, uint row, uint j, float value)
{
    if (spec_shares != 0u)
        shared_h[quad + (j >> 2u)][j & 3u] = value;
    else
        state[place_of(which, row, j)] = value;
}

// Tells whether this invocation stores element j. Elements of the last quad beyond H are zeros. Where spec_shares, load_h has
// stored them.
bool is_stored(bool exists, uint j)
{
    return exists && part() == 0u && (spec_shares == 0u || j < push.hidden);
}

void load_h(uint row)
{
    for (uint q = gl_LocalInvocationID.x; q < spec_quads; q += gl_WorkGroupSize.x) {
        shared_h[q] = begins_with_zeros() ? vec4(0.0f) : quad_at(0u, row, q);
        shared_h[spec_quads + q] = vec4(0.0f);
        if (has_instead)
            shared_h[2u * spec_quads + q] = vec4(0.0f);
    }
    barrier();
}

void store_h(uint row)
{
    for (uint q = gl_LocalInvocationID.x; q < spec_quads; q += gl_WorkGroupSize.x)
        store_quad(0u, row, q, shared_h[before + q]);
}

void main()
{
    bool shares = spec_shares != 0u;
    if (spec_rounds_h != 0u && !shares && push.instead != 0u) {
        round_quads();
        return;
    }
    uint lane = gl_LocalInvocationID.x - part() * elements_at_once();
    uint index = shares ? flat_workgroup() : flat_workgroup() * elements_at_once() + lane;
    bool exists = index < (shares ? push.rows : push.count);
    if (!exists && (shares || spec_parts == 1u))
        return;  // elsewhere others of the workgroup would wait for it in vain
    index = exists ? index + (shares ? 0u : push.first) : 0u;
    uint row = shares ? index : index / (4u * spec_quads);
    uint first = shares ? lane : index % (4u * spec_quads);
    uint turns = shares ? divide_up(push.hidden, elements_at_once()) : 1u;
    uint length = length_of(row % push.batch);
    if (shares)
        load_h(row);
    for (uint step = push.first_step; step < push.first_step + push.steps; ++step) {
        if (resets_first() && (shares || push.instead != 0u)) {
            uint time = time_of(row / push.batch, length, step);
            for (uint turn = 0u; turn < turns; ++turn) {
                uint j = first + turn * elements_at_once();
                bool multiplies = j < push.hidden && step < length;
                vec4 sums = vec4(0.0f);
                if (multiplies)
                    sums = products(row, j, 0u, 2u, false);
                sums = summed(sums);
                if (is_stored(exists, j))
                    store_element(STATE_INSTEAD, 2u * spec_quads, row, j,
                                  multiplies ? reset_of(row, time, j, element_of_h(row, j), sums) : 0.0f);
            }
            if (shares)
                barrier();
        }
        if (shares || push.instead == 0u) {
            uint behind = spec_quads - before;
            bool instead = resets_first() || spec_rounds_h != 0u;
            if (shares && spec_rounds_h != 0u)
                round_shared(row);
            for (uint turn = 0u; turn < turns; ++turn) {
                uint j = first + turn * elements_at_once();
                vec4 sums = vec4(0.0f);
                if (j < push.hidden && step < length)
                    sums = products(row, j, resets_first() ? 2u : 0u, resets_first() ? 1u : gates(), instead);
                sums = summed(sums);
                if (is_stored(exists, j))
                    store_element((step + 1u) & 1u, behind, row, j,
                                  j < push.hidden ? stepped(row, step, j, element_of_h(row, j), sums) : 0.0f);
            }
            if (shares)
                barrier();
            before = behind;
        }
    }
    if (shares)
        store_h(row);
}
