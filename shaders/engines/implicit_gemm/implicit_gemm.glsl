// SPDX-License-Identifier: Apache-2.0
// This file holds what the forms of implicit_gemm share: the product's operands, where its tiles and columns are, and what is
// done with an invocation's sums. A form defines
//   TEXELS        1 where packed inputs and weights are read through texel buffers
//   HALF_TEXELS   1 where they are halves
//   X_PACKED      0 where X is read as it lies, and X, B and Y are tensors of halves; 1 where nothing is defined
//   ROWS          of a tile
//   OWN_QUADS     quads of rows that an invocation computes, OWN_QUAD_STEP quads apart
//   OWN_COLUMNS   columns that it computes, problem.column_step apart
//   TILE_STAGED   1 where a workgroup of INVOCATIONS computes a tile. It calls stage_taps and a barrier before source_of, and
//                 stage_rows and a barrier before finish. Taps never stand for channels there
//   FEW_REGISTERS 1 where it takes fewer registers and more instructions. OWN_QUADS is 1 then
//
// The zeros of a line are multiplied by weights, too. Where nothing must be added, that adds Inf * 0 = NaN, or 0 * w = 0.0 to a
// sum of -0.0; other sums do not change. So a column of which any sum is 0, Inf or NaN is summed once more, then only over taps
// that read the input.
#extension GL_EXT_control_flow_attributes : require
#include "shaders/library/common.glsl"
#include "shaders/library/divide.glsl"
#include "shaders/library/numbers.glsl"
#ifndef X_PACKED
#define X_PACKED 1
#endif
#include "shaders/engines/implicit_gemm/gemm_texels.glsl"
#include "shaders/engines/implicit_gemm/implicit_gemm.h"
#ifndef FEW_REGISTERS
#define FEW_REGISTERS 0
#endif
#if TILE_STAGED
#define TAPS_ARE_CHANNELS false
#else
#define TAPS_ARE_CHANNELS (spec_taps != 0u)
#endif

#if TEXELS
layout(binding = 0) uniform samplerBuffer inputs;
layout(binding = 1) uniform samplerBuffer weights;
#define INPUTS(i) texelFetch(inputs, int(i))
#define WEIGHTS(i) texelFetch(weights, int(i))
#else
#if X_PACKED
layout(binding = 0) readonly buffer Inputs
{
    Texel inputs[];
};
#define INPUTS(i) unpacked(inputs[i])
#endif
layout(binding = 1) readonly buffer Weights
{
    Texel weights[];
};
#define WEIGHTS(i) unpacked(weights[i])
#endif
#if X_PACKED
layout(binding = 2) readonly buffer InputB
{
    Real b[];
};
layout(binding = 3) buffer OutputY
{
    Real y[];
};
#define B(i) b[i]
#else
// Halves are loaded and stored one by one, since another workgroup may have the other half of a word.
#extension GL_EXT_shader_16bit_storage : require
layout(binding = 0) readonly buffer InputX
{
    uint16_t x[];
};
layout(binding = 2) readonly buffer InputB
{
    uint16_t b[];
};
layout(binding = 3) buffer Sums
{
    Real y[];
};
layout(binding = 3) buffer OutputY  // the same buffer, where it takes outputs and not sums
{
    uint16_t y_halves[];
};
#define B(i) widened(uint(b[i]))
#endif
layout(binding = UNIFORM_BINDING) uniform Problem
{
#if FEW_REGISTERS
    GemmProblem problems[1];
#else
    GemmProblem problem;
#endif
};
layout(push_constant) uniform Push
{
    GemmPart push;
};
#if FEW_REGISTERS
// A compiler reads each number of the uniform block once, and keeps it, with what it computes from it, in registers up to the last
// use. What the beginning of a kernel shares with its stores would thus take more registers than the sums do. problem_index is
// always 0, but a compiler can't know that. So behind reload_problem() it reads and computes everything anew.
uint problem_index = 0u;
#define problem problems[problem_index]
void reload_problem()
{
    problem_index = problem.zero;
}
#endif
#include "shaders/engines/fusion/epilogue.glsl"

Real4 sums[OWN_QUADS * OWN_COLUMNS];  // [column][quad of rows]

struct Tile {
    uint part;          // number of the part of the sum
    uint group;
    uint number;        // among the tiles of rows of a group
    uint first_column;
    uint w_group;       // where the group's packed weights begin
    uint first_row;     // number of the description of its first row
    uint first_weight;
    uint steps;         // taps of all quads of channels of the part
    uint first_x;       // where place 0 has its first tap, in texels, or in elements where X is not packed
    uvec3 taps;
    uvec3 first;        // places from a block's place to its first tap, on each axis
    uvec3 x_step;       // from tap to tap on each axis, counted as first_x is
    uint plane;         // from quad to quad of channels, likewise
    uint channels;      // input channels of the group, from the part's first on
#if TILE_STAGED
    float quads_of_step;  // quads of channels that a step has: 1 / taps
#endif
};

// Returns description number i of a group whose packed weights begin at `first`.
vec4 description(uint first, uint i)
{
#if HALF_TEXELS
    return uintBitsToFloat(uvec4(weights[first + 2u * i], weights[first + 2u * i + 1u]));
#else
    return vec4(WEIGHTS(first + i));
#endif
}

// Returns the places from tap to tap on each axis, modulo 2^32.
uvec3 tap_steps()
{
    return uvec3(problem.axes[0].tap_step, problem.axes[1].tap_step, problem.axes[2].tap_step);
}

// Returns the tile with all that follows from its part, its group and its number.
Tile described(Tile tile)
{
    uint number = tile.number;
    tile.w_group = tile.group * problem.group_texels;
    vec4 taps_and_weights = description(tile.w_group, number * GEMM_TILE_TEXELS);
    tile.taps = uvec3(taps_and_weights.xyz);
    tile.first = uvec3(description(tile.w_group, number * GEMM_TILE_TEXELS + 1u).xyz);
    uint taps = tile.taps.x * tile.taps.y * tile.taps.z;
    uint first_quad = tile.part * problem.part_quads;
    tile.first_weight = tile.w_group + uint(taps_and_weights.w) + first_quad * taps * ROWS;
    tile.first_row = problem.tiles * GEMM_TILE_TEXELS + number * ROWS;
    tile.steps = min(problem.part_quads, problem.quads - first_quad) * taps;
#if X_PACKED
    uint row_pitch = problem.axes[2].extent;
    uvec3 pitch = uvec3(row_pitch * problem.axes[1].extent, row_pitch, 1u);
    uint lines = problem.images * problem.line;
    tile.plane = TAPS_ARE_CHANNELS ? 4u * problem.channel_places : lines;
    tile.first_x = tile.group * (TAPS_ARE_CHANNELS ? 1u : problem.quads) * lines + first_quad * tile.plane;
#else
    uvec3 pitch = uvec3(problem.axes[0].x_step, problem.axes[1].x_step, problem.axes[2].x_step);
    tile.plane = 4u * problem.x_channel;
    tile.first_x = (tile.group * problem.channels_in + 4u * first_quad) * problem.x_channel;
#endif
    tile.first_x += tile.first.x * pitch.x + tile.first.y * pitch.y + tile.first.z * pitch.z;
    tile.x_step = tap_steps() * pitch;
    tile.channels = problem.channels_in - 4u * first_quad;
#if TILE_STAGED
    tile.quads_of_step = 1.0 / float(max(taps, 1u));
#endif
    return tile;
}

// Returns the tile with this number among the tiles of rows of all groups and parts.
Tile tile_of(uint number, uint first_column)
{
    uint group = number / problem.tiles;
    Tile tile;
    tile.number = number % problem.tiles;
    tile.part = group / problem.groups;
    tile.group = group % problem.groups;
    tile.first_column = first_column;
    return described(tile);
}

// Returns the tile. Where registers are few, its description is read anew, so that it takes none up to here.
Tile reloaded(Tile tile)
{
#if FEW_REGISTERS
    reload_problem();
    tile = described(tile);
#endif
    return tile;
}

#if TILE_STAGED
// This struct tells where the inputs of a step are. A step is a tap of four channels.
struct Source {
    uint x_at;      // where they are, without the column's place
    uint channels;  // input channels of the group, from the first of the four on
    // A word has a bit for each tap of each axis. A column's word tells which of them lie in the input. This word has the bits of
    // the step's tap: the tap reads the input where the column's word has all of them. With 3 taps on the last axis, 2 on the one
    // before it, and 1 on the first:
    //
    //   bit    5        4  3     2  1  0
    //   tap    0        1  0     2  1  0
    //          first    second   last axis
    uint word;
};

shared uvec2 taps_staged[MATRICES_MOST_TAPS];  // [tap]: how far its inputs are behind those of the first tap, and its word

uint volume_of(uvec3 taps)
{
    return taps.x * taps.y * taps.z;
}

// Returns which tap on each axis tap number i is.
uvec3 tap_of(uint i, Tile tile)
{
    uint row = i / tile.taps.z;
    return uvec3(row / tile.taps.y, row % tile.taps.y, i % tile.taps.z);
}

void stage_taps(Tile tile)
{
    uint count = volume_of(tile.taps);
    for (uint i = gl_LocalInvocationID.x; i < count; i += INVOCATIONS) {
        uvec3 tap = tap_of(i, tile);
        uvec3 distance = tap * tile.x_step;
        taps_staged[i] = uvec2(distance.x + distance.y + distance.z,
                               1u << tap.z | 1u << (tile.taps.z + tap.y) | 1u << (tile.taps.z + tile.taps.y + tap.x));
    }
}

// Returns the source of a step. Its quad of channels is step / taps, rounded down. A product of floats is faster, and right below
// 2^20 steps: half a step lies farther from the next whole number than the product is off. Steps are fewer than 2^18, since
// packed weights have fewer than 2^24 texels.
Source source_of(uint step, Tile tile)
{
    uint taps = volume_of(tile.taps);
    uint quad = uint((float(step) + 0.5) * tile.quads_of_step);
    uvec2 tap = taps_staged[min(step - quad * taps, MATRICES_MOST_TAPS - 1u)];
    return Source(tile.first_x + quad * tile.plane + tap.x, tile.channels - 4u * quad, tap.y);
}
#else
// This struct holds a tap of four channels: where its inputs are, and which tap it is on each axis.
struct Walk {
    uint x_at;
    uvec3 tap;
};

// Returns the next tap of the same channels, or else the first tap of the next four.
Walk after(Walk walk, Tile tile)
{
    walk.x_at += tile.x_step.z;
    ++walk.tap.z;
    bool ends = walk.tap.z == tile.taps.z;
    walk.x_at += ends ? tile.x_step.y - tile.taps.z * tile.x_step.z : 0u;
    walk.tap.z = ends ? 0u : walk.tap.z;
    walk.tap.y += uint(ends);
    ends = walk.tap.y == tile.taps.y;
    walk.x_at += ends ? tile.x_step.x - tile.taps.y * tile.x_step.y : 0u;
    walk.tap.y = ends ? 0u : walk.tap.y;
    walk.tap.x += uint(ends);
    ends = walk.tap.x == tile.taps.x;
    walk.x_at += ends ? tile.plane - tile.taps.x * tile.x_step.x : 0u;
    walk.tap.x = ends ? 0u : walk.tap.x;
    return walk;
}
#endif

// This struct holds a column of the product.
struct Column {
    uint image;
    uvec3 block;
};

Column column_of(uint number)
{
    uint image = divided(number, problem.by_image_blocks);
    uint block = number - image * problem.by_image_blocks.number;
    uint slice = divided(block, problem.by_blocks[0]);
    block -= slice * problem.by_blocks[0].number;
    uint row = divided(block, problem.by_blocks[1]);
    return Column(image, uvec3(slice, row, block - row * problem.by_blocks[1].number));
}

// Returns the invocation's next column. It adds digit by digit, without the divisions that are most of what a driver compiles.
Column after(Column column)
{
    bool ends = false;
    [[unroll]] for (int axis = 2; axis >= 0; --axis) {
        column.block[axis] += problem.axes[axis].column_step + uint(ends);
        ends = column.block[axis] >= problem.axes[axis].blocks;
        column.block[axis] -= ends ? problem.axes[axis].blocks : 0u;
    }
    column.image += problem.image_step + uint(ends);
    return column;
}

// Tells whether there is such a column. A tile may reach beyond the last one.
bool is_block(Column column)
{
    return column.image < problem.images;
}

// Returns the place of the column's block on one axis, counted from the band's first block.
uint place_of(Column column, uint axis)
{
    return column.block[axis] * problem.axes[axis].block_step;
}

// Returns the input position of the column's place on an axis, modulo 2^32.
uint position_of(Column column, uint axis)
{
    return problem.axes[axis].first + push.first_block[axis] * problem.axes[axis].block_step + place_of(column, axis);
}

#if X_PACKED
// Returns the column's place in the lines of all images, in texels, or some place where there is no such column.
uint place_of(Column column)
{
    return is_block(column) ? column.image * problem.line +
                                  (place_of(column, 0u) * problem.axes[1].extent + place_of(column, 1u)) * problem.axes[2].extent +
                                  place_of(column, 2u)
                            : 0u;
}
#else
// Returns where the column's place is in X, in elements. The number is modulo 2^32, since the place may lie beside the image.
uint place_of(Column column)
{
    uint place = column.image * problem.x_image;
    [[unroll]] for (uint axis = 0u; axis < 3u; ++axis)
        place += position_of(column, axis) * problem.axes[axis].x_step;
    return place;
}

// Returns the inputs of four channels, with zeros for those that the group lacks.
Real4 x_of(uint at, uint channels)
{
    Real4 four = Real4(zero());
    [[unroll]] for (uint k = 0u; k < 4u; ++k)
        if (k < channels)
            four[k] = widened(uint(x[at + k * problem.x_channel]));
    return four;
}

// Returns the word of a column, which Source explains.
uint word_of(Column column, Tile tile)
{
    uint word = 0u;
    uint bit = uint(is_block(column));
    [[unroll]] for (int axis = 2; axis >= 0; --axis) {
        uint at = position_of(column, uint(axis)) + tile.first[axis];
        for (uint tap = 0u; tap < tile.taps[axis]; ++tap) {
            word |= at < problem.axes[axis].in_extent ? bit : 0u;
            at += uint(problem.axes[axis].tap_step);
            bit <<= 1u;
        }
    }
    return word;
}
#endif

// Tells whether the tap of a column reads the input.
bool reads(Column column, uvec3 tap, Tile tile)
{
    bool inside = true;
    uvec3 distance = tile.first + tap * tap_steps();
    [[unroll]] for (uint axis = 0u; axis < 3u; ++axis)
        inside = inside && position_of(column, axis) + distance[axis] < problem.axes[axis].in_extent;
    return inside;
}

#if !TILE_STAGED
// Returns four bits for a column's tap and a quad of the tile's channels: which of the four are read from the input.
uint channels_read(Column column, uvec3 tap, uint quad, Tile tile)
{
    if (!TAPS_ARE_CHANNELS)
        return reads(column, tap, tile) ? 15u : 0u;
    uvec3 distance = tile.first + tap * tap_steps();
    bool inside = true;
    [[unroll]] for (uint axis = 0u; axis < 2u; ++axis)
        inside = inside && position_of(column, axis) + distance[axis] < problem.axes[axis].in_extent;
    uint channel = 4u * (tile.part * problem.part_quads + quad);
    uint last = position_of(column, 2u) + distance[2] + channel * problem.channel_places;
    uint read = 0u;
    [[unroll]] for (uint c = 0u; c < 4u; ++c)
        if (inside && channel + c < problem.channels_in && last + c * problem.channel_places < problem.axes[2].in_extent)
            read |= 1u << c;
    return read;
}
#endif

// Tells whether any tap may read the input: on each axis a column's taps lie between the first and the last. Dilated ones may all
// miss.
bool may_read(Column column, uvec3 first, ivec3 last)
{
    bool inside = true;
    [[unroll]] for (uint axis = 0u; axis < 3u; ++axis) {
        int begin = int(position_of(column, axis) + first[axis]);
        int end = begin + last[axis];
        inside = inside && max(begin, end) >= 0 && min(begin, end) < int(problem.axes[axis].in_extent);
    }
    return inside;
}

// This struct tells where a column's outputs are.
struct Outputs {
    uvec3 first;  // position of phase 0, below 0 where that lies in the padding, and beyond all where there is no such column
    uint base;    // the element there, modulo 2^32
};

// This struct holds what finds outputs. Loops that store keep it in registers, since compilers read a uniform again after each
// store.
struct Strides {
    uvec3 extent;
    uvec3 step;
    uint channel_step;
    bool stores_sums;
};

Strides strides_of()
{
    Strides strides;
    [[unroll]] for (uint axis = 0u; axis < 3u; ++axis) {
        strides.extent[axis] = problem.axes[axis].out_extent;
        strides.step[axis] = problem.axes[axis].y_step;
    }
    strides.channel_step = problem.y_channel;
    strides.stores_sums = problem.stores_sums != 0u;
    return strides;
}

Outputs outputs_of(Column column, Tile tile)
{
    Outputs outputs;
    outputs.base = tile.part * problem.outputs + column.image * problem.y_image;
    [[unroll]] for (uint axis = 0u; axis < 3u; ++axis) {
        outputs.first[axis] = (push.first_block[axis] + column.block[axis]) * problem.axes[axis].phases - problem.axes[axis].begin;
        outputs.base += outputs.first[axis] * problem.axes[axis].y_step;
    }
    if (!is_block(column))
        outputs.first = uvec3(0x80000000u);
    return outputs;
}

// Tells whether the sums of column number c are all finite and other than 0.
bool are_numbers(uint c)
{
#ifdef TYPE_f64
    bool numbers = true;
    [[unroll]] for (uint quad = 0u; quad < OWN_QUADS; ++quad) {
        dvec4 magnitude = abs(sums[c * OWN_QUADS + quad]);
        numbers = numbers && all(greaterThan(magnitude, dvec4(0.0))) && all(lessThan(magnitude, dvec4(real_of(uvec2(0u, 0x7ff00000u)))));
    }
    return numbers;
#else
    uvec4 least = uvec4(0xffffffffu);
    uvec4 most = uvec4(0u);
    [[unroll]] for (uint quad = 0u; quad < OWN_QUADS; ++quad) {
        uvec4 magnitude = floatBitsToUint(sums[c * OWN_QUADS + quad]) & 0x7fffffffu;
        least = min(least, magnitude);
        most = max(most, magnitude);
    }
    return all(greaterThan(least, uvec4(0u))) && all(lessThan(most, uvec4(0x7f800000u)));
#endif
}

// Returns one of four components, by a number that is known only at run time.
Real component(Real4 of, uint i)
{
    return i == 0u ? of.x : i == 1u ? of.y : i == 2u ? of.z : of.w;
}

// This struct holds a row of the tile: what finds a column's output in it, and its bias.
struct Row {
    uvec3 phase;  // beyond all where the class has no such row
    uint at;      // elements from a column's phase 0 of channel 0 to its output in this row
    Real bias;
};

Row row_of(Tile tile, Strides strides, uint number)
{
    vec4 described = description(tile.w_group, tile.first_row + number);
    uint channel = tile.group * problem.channels_out + uint(max(described.x, 0.0));
    Row row;
    row.phase = described.x >= 0.0 ? uvec3(described.yzw) : uvec3(0x40000000u);
    row.at = channel * strides.channel_step + row.phase.x * strides.step.x + row.phase.y * strides.step.y + row.phase.z * strides.step.z;
    row.bias = problem.bias == GEMM_BIAS_ADDED ? B(channel) : empty_sum();
    return row;
}

#if TILE_STAGED
// The rows of the tile are staged here: else each invocation would load the description and the bias of each of its rows one
// after the other.
shared uvec4 row_places[ROWS];  // phase on each axis, and Row::at
shared Real row_biases[ROWS];

void stage_rows(Tile tile)
{
    Strides strides = strides_of();
    [[unroll]] for (uint first = 0u; first < ROWS; first += INVOCATIONS) {
        uint number = first + gl_LocalInvocationID.x;
        if (number < ROWS) {
            Row row = row_of(tile, strides, number);
            row_places[number] = uvec4(row.phase, row.at);
            row_biases[number] = row.bias;
        }
    }
}

Row staged_row(uint number)
{
    uvec4 places = row_places[number];
    return Row(places.xyz, places.w, row_biases[number]);
}
#define ROW(number) staged_row(number)
#else
#define ROW(number) row_of(tile, strides, number)
#endif

// Tells whether the column has an output in the row.
bool has_output(Outputs outputs, Row row, Strides strides)
{
    return all(lessThan(outputs.first + row.phase, strides.extent));
}

Real output_of(Real sum, Row row, bool any_tap)
{
    return any_tap ? sum + row.bias : problem.bias != GEMM_BIAS_NONE ? row.bias : zero();
}

// Stores an output, which is a sum where sums are stored.
void store(uint at, Real value, Strides strides, Epilogue epilogue)
{
#if !X_PACKED
    if (!strides.stores_sums)
        y_halves[at] = uint16_t(narrowed(after_plain_epilogue(epilogue, value)));
    else
#endif
        y[at] = value;
}

// This function stores the columns that have a bit in `any_tap` with their sums, and the others as sums without terms.
#if FEW_REGISTERS
// It goes column by column, since the outputs of all columns would take as many registers as the sums do. The sums move, so that
// each column comes first in turn.
void store_columns(Tile tile, uint own_quad, uint any_tap)
{
    Column column = column_of(tile.first_column);
    uint c = 0u;
    [[dont_unroll]] do {
        reload_problem();
        Strides strides = strides_of();
        Epilogue epilogue = asked_epilogue();
        Outputs outputs = outputs_of(column, tile);
        column = after(column);
        uint r = 0u;
        [[dont_unroll]] do {
            Row row = ROW(4u * own_quad + r);
            if (has_output(outputs, row, strides))
                store(outputs.base + row.at, output_of(component(sums[0], r), row, (any_tap >> c & 1u) != 0u), strides, epilogue);
        } while (++r < 4u);
        [[unroll]] for (uint next = 1u; next < OWN_COLUMNS; ++next)
            sums[next - 1u] = sums[next];
    } while (++c < OWN_COLUMNS);
}
#else
// It goes row by row, so that a compiler has few branches within a loop, and only the row within a quad is chosen at run time: the
// sums move, so that each quad comes first in turn.
void store_columns(Tile tile, uint own_quad, uint any_tap)
{
    Strides strides = strides_of();
    Epilogue epilogue = asked_epilogue();
    Outputs outputs[OWN_COLUMNS];
    Column column = column_of(tile.first_column);
    [[unroll]] for (uint c = 0u; c < OWN_COLUMNS; ++c) {
        outputs[c] = outputs_of(column, tile);
        column = after(column);
    }
#if OWN_QUADS != 2  // also for one quad: without this loop around the other lavapipe takes six times as long
#define PRESENT 0u
    uint quad = 0u;
    [[dont_unroll]] do {
#else  // moving the sums would take registers
#define PRESENT quad
    [[unroll]] for (uint quad = 0u; quad < OWN_QUADS; ++quad) {
#endif
        uint r = 0u;
        [[dont_unroll]] do {
            Row row = ROW(4u * (own_quad + quad * OWN_QUAD_STEP) + r);
            [[unroll]] for (uint c = 0u; c < OWN_COLUMNS; ++c)
                if (has_output(outputs[c], row, strides))
                    store(outputs[c].base + row.at,
                          output_of(component(sums[c * OWN_QUADS + PRESENT], r), row, (any_tap >> c & 1u) != 0u), strides, epilogue);
        } while (++r < 4u);
#if OWN_QUADS != 2
        [[unroll]] for (uint i = 1u; i < OWN_QUADS * OWN_COLUMNS; ++i)
            sums[i - 1u] = sums[i];
    } while (++quad < OWN_QUADS);
#else
    }
#endif
}
#endif

// Sums column number c once more, only over taps that read the input, and stores it. It does all quads at once, because lavapipe
// ends the loops of an invocation after 65535 turns; implicit_gemm::iterations counts them.
void store_again(Tile tile, uint own_quad, uint c)
{
    Column column = column_of(tile.first_column + c * problem.column_step);
    Real4 own[OWN_QUADS];
    [[unroll]] for (uint quad = 0u; quad < OWN_QUADS; ++quad)
        own[quad] = Real4(empty_sum());
    bool any_tap = false;
    uint place = place_of(column);
#if !X_PACKED
    uint word = word_of(column, tile);
#elif !TILE_STAGED
    Walk walk = Walk(tile.first_x + place, uvec3(0u));
    uint quad_of_tap = 0u;
#endif
#if TILE_STAGED
#define IS_READ(channel) true
#else
#define IS_READ(channel) (!TAPS_ARE_CHANNELS || (read >> channel & 1u) != 0u)
#endif
    uint w_at = tile.first_weight + own_quad;
    for (uint step = 0u; step < tile.steps; ++step) {
#if !X_PACKED
        Source source = source_of(step, tile);
        if ((word & source.word) == source.word) {
            Real4 four = x_of(source.x_at + place, source.channels);
#elif TILE_STAGED
        if (reads(column, tap_of(step % volume_of(tile.taps), tile), tile)) {
            Real4 four = INPUTS(source_of(step, tile).x_at + place);
#else
        uint read = channels_read(column, walk.tap, quad_of_tap, tile);
        if (read != 0u) {
            Real4 four = INPUTS(walk.x_at);
#endif
            any_tap = true;
            [[unroll]] for (uint channel = 0u; channel < 4u; ++channel)
                [[unroll]] for (uint quad = 0u; quad < OWN_QUADS; ++quad)
                    if (IS_READ(channel))
                        own[quad] += WEIGHTS(w_at + channel * (ROWS / 4) + quad * OWN_QUAD_STEP) * four[channel];
        }
        w_at += ROWS;
#if !TILE_STAGED
        walk = after(walk, tile);
        quad_of_tap += uint(walk.tap == uvec3(0u));
#endif
    }
    Outputs outputs = outputs_of(column, tile);
    Strides strides = strides_of();
    Epilogue epilogue = asked_epilogue();
    uint quad = 0u;
    [[dont_unroll]] do {
        uint r = 0u;
        [[dont_unroll]] do {
            Row row = ROW(4u * (own_quad + quad * OWN_QUAD_STEP) + r);
            if (has_output(outputs, row, strides))
                store(outputs.base + row.at, output_of(component(own[0], r), row, any_tap), strides, epilogue);
        } while (++r < 4u);
        [[unroll]] for (uint i = 1u; i < OWN_QUADS; ++i)
            own[i - 1u] = own[i];
    } while (++quad < OWN_QUADS);
}

// Stores the sums of the columns from the tile's first on, and of the rows from own_quad on.
void finish(Tile tile, uint own_quad)
{
    ivec3 last = ivec3((tile.taps - 1u) * tap_steps());
    if (TAPS_ARE_CHANNELS)
        last.z += int((problem.channels_in - 1u) * problem.channel_places);
    uint any_tap = 0u, again = 0u;  // a bit for each column
    Column column = column_of(tile.first_column);
    [[dont_unroll]] for (uint c = 0u; c < OWN_COLUMNS; ++c) {
        bool may = tile.steps > 0u && may_read(column, tile.first, last);
        any_tap |= uint(may) << c;
        again |= uint(may && is_block(column)) << c;
        column = after(column);
    }
    [[unroll]] for (uint c = 0u; c < OWN_COLUMNS; ++c)
        again &= ~(uint(are_numbers(c)) << c);
    store_columns(reloaded(tile), own_quad, any_tap);
    while (again != 0u) {
        uint c = uint(findLSB(again));
        again &= again - 1u;
        store_again(reloaded(tile), own_quad, c);
    }

#if X_PACKED
    // The epilogue is applied to what was just stored here: unrolled for all sums, it would be most of the module. The bound is 0
    // without an epilogue, since some drivers run both sides of a branch.
    tile = reloaded(tile);
    Epilogue epilogue = asked_epilogue();
    uint columns = epilogue.asked == IDENTITY || problem.stores_sums != 0u ? 0u : OWN_COLUMNS;
    Strides strides = strides_of();
    column = column_of(tile.first_column);
    [[dont_unroll]] for (uint c = 0u; c < columns; ++c) {
        Outputs outputs = outputs_of(column, tile);
        column = after(column);
        [[dont_unroll]] for (uint r = 0u; r < 4u * OWN_QUADS; ++r) {
            Row row = ROW(4u * (own_quad + r / 4u * OWN_QUAD_STEP) + r % 4u);
            uint i = outputs.base + row.at;
            if (has_output(outputs, row, strides))
                y[i] = after_epilogue(epilogue, y[i]);
        }
    }
#endif
}
