// SPDX-License-Identifier: Apache-2.0
// What conv_transpose_phases and the kernels that pack for it are told, shared by C++ and GLSL.
//
// ConvTranspose as a product of matrices, in floats or doubles; sums that become halves are kept until they are rounded. On an axis write
// o + begin = q * s + r for block q and phase r in [0, s), where begin is 0 or what is left of the padding behind whole strides: with
// the one there are fewest blocks, with the other most phases have the same taps. A tap k meets those phases whose outputs' distance
// from it, k * d, is a whole number of strides, and there it reads input q - t. All blocks of a phase have the same taps: Y is, for
// rows (output channel, phases) and columns (image, block), the product of weights and inputs over (input channel, tap).
//
// - A class is a set of phases with the same taps t on every axis: a range of r each. Its rows are numbered row-major, channels
//   outermost, then the phases of the axes, and cut into tiles; a tile belongs to one class.
// - Packed inputs, of four channels a texel: [group][quad of channels][image][line]. The line is the grid of input positions that
//   blocks of an image read, row-major, zeros where it reaches beyond the input, so that a tap is one distance for all blocks.
//   Columns are the blocks of all images, row-major; where a block's first tap is, the line has its place.
// - Packed weights, of four rows a texel, for each group: first two texels for each tile, (taps on each axis, where the tile's
//   weights begin) and (its first tap on each axis, as steps back from the last that any class has); then a texel for each row of a
//   tile, (channel of the group, phase on each axis), channel -1 for rows beyond the class; then each tile's weights: [quad of
//   channels][tap][channel][quad of rows]. All but weights are whole numbers below 2^24, so that floats hold them. Where texels are
//   of halves, two of them hold what one of floats would.
#ifndef VKONNX_SHARED_CONV_TRANSPOSE_PHASES_H
#define VKONNX_SHARED_CONV_TRANSPOSE_PHASES_H

#include "shared/blocks.h"
#include "shared/divide.h"
#include "shared/epilogue.h"

#define PHASES_AXES 3
#define PHASES_TILE_TEXELS 2

// Of conv_transpose_matrices: steps, taps of four channels, that are staged at once; and columns whose sums go from subgroups to
// invocations at once.
#define MATRICES_STEPS 8
#define MATRICES_COLUMNS 16

// Values of the constant `bias`.
#define PHASES_BIAS_NONE 0
#define PHASES_BIAS_ADDED 1
#define PHASES_BIAS_LATER 2  // sums are stored as they are, of no tap -0.0

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// Axes that the rank lacks stand in front, with all extents 1.
struct PhasesAxis {
    uint in_extent;
    uint out_extent;
    uint stride;
    uint begin;     // less than stride
    uint blocks;
    uint extent;    // of the line's grid
    uint first;     // input position where the grid begins, modulo 2^32
    uint tap_step;  // positions from a tap back to the next
    uint y_step;    // elements from output to output
    uint x_step;
    uint padding0_, padding1_;  // no array, whose elements would be 16 bytes apart
};

struct PhasesProblem {
    PhasesAxis axes[PHASES_AXES];
    uint quads;    // of input channels of a group
    uint groups;
    uint images;
    uint line;     // texels of one
    uint texels;   // of packed inputs
    uint channels_in;   // of one group
    uint channels_out;
    uint group_texels;  // of packed weights
    uint x_image;  // elements from image to image, channel to channel
    uint x_channel;
    uint y_image;
    uint y_channel;
    uint column_tiles;  // that share rows
    uint tiles;         // of rows, of a group
    uint outputs;       // of all groups
    uint part_quads;    // of channels that a tile sums: all, or a part of the sum
    EpilogueNumbers epilogue;
    // that packing divides by
    Divisor by_line;
    Divisor by_images;
    Divisor by_quads;
    Divisor by_extents[PHASES_AXES - 1];  // of the axes behind the first
    // what columns are numbered by
    Divisor by_image_blocks;
    Divisor by_blocks[PHASES_AXES - 1];  // blocks of the axes behind the first, of both and of the last
    // and what rounds sums
    Divisor by_y_channel;
    Divisor by_channels;  // of Y
};

// A dispatch of conv_transpose_phases: invocations [first, first + count) of [part of the sum][group][tile of rows][tile of columns].
// Sums of parts lie one Y behind the other.
struct PhasesPart {
    uint first;
    uint count;
};

// A dispatch of conv_transpose_phases_weights: a class. It knows no extent of X, so that problems which differ in those alone share
// packed weights.
struct PhasesWeights {
    uint texels;  // to write
    uint group_texels;
    uint first_tile;
    uint tiles;  // of the class
    uint all_tiles;
    uint first_weight;
    uint channels_in;  // of one group
    uint channels_out;
    uint w_channel;  // elements from channel to channel
    uint w_column;
    uint w_tap;
    uint padding_;
    // Of each axis two numbers in a word, the first one low.
    uint kernel_and_stride[PHASES_AXES];  // taps of W, and how many of them lie between two of a phase
    uint phase_and_step[PHASES_AXES];     // the class's first phase, and from phase to phase
    uint phases_and_taps[PHASES_AXES];
    uint first_and_tap[PHASES_AXES];  // steps to the first tap, and which of W it is for the first phase
    uint tap_step[PHASES_AXES];       // from the first tap of a phase to that of the next
};

#ifdef __cplusplus
static_assert(sizeof(PhasesAxis) % 16 == 0 && sizeof(PhasesProblem) % 16 == 0);
static_assert(sizeof(PhasesWeights) <= 128);
}  // namespace vkonnx::push
#endif

#endif
