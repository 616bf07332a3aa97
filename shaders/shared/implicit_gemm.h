// SPDX-License-Identifier: Apache-2.0
// What implicit_gemm and the kernels that pack for it are told, shared by C++ and GLSL.
//
// Convolutions as a product of matrices, in floats or doubles; sums that become halves are kept until they are rounded. On each axis
// outputs lie in blocks of so many phases: o + begin = q * phases + r for block q and phase r. All blocks of a phase have the same
// taps, so far from the block's place in the input, and from block to block that place moves by block_step. So Y is, for rows (output
// channel, phases) and columns (image, block), the product of weights and inputs over (input channel, tap). A transposed convolution's
// phases are those of its stride, and block_step is 1; a convolution has one phase, and its stride is block_step.
//
// - A class is a set of phases with the same taps on every axis: a range of r each. Its rows are numbered row-major, channels
//   outermost, then the phases of the axes, and cut into tiles; a tile belongs to one class.
// - Packed inputs, of four channels a texel: [group][quad of channels][image][line]. The line is the grid of input positions that
//   blocks of an image read, row-major, zeros where it reaches beyond the input, so that a tap is one distance for all blocks.
//   Columns are the blocks of all images, row-major; block q's place is q * block_step on each axis. Or it is so with a band of the
//   blocks at a time, one behind the other: all of it holds for each, but that it begins with some block. The last one's may be more
//   than there are.
// - Packed weights, of four rows a texel, for each group: first two texels for each tile, (taps on each axis, where the tile's
//   weights begin) and (its first tap on each axis, in places from the block's); then a texel for each row of a tile, (channel of the
//   group, phase on each axis), channel -1 for rows beyond the class; then each tile's weights: [quad of channels][tap][channel]
//   [quad of rows]. All but weights are whole numbers below 2^24, so that floats hold them. Where texels are of halves, two of them
//   hold what one of floats would.
#ifndef VKONNX_SHARED_IMPLICIT_GEMM_H
#define VKONNX_SHARED_IMPLICIT_GEMM_H

#include "shared/blocks.h"
#include "shared/divide.h"
#include "shared/epilogue.h"

#define GEMM_AXES 3
#define GEMM_TILE_TEXELS 2

// Of implicit_gemm_matrices: steps, taps of four channels, that are staged at once; and columns whose sums go from subgroups to
// invocations at once.
#define MATRICES_STEPS 8
#define MATRICES_COLUMNS 16

// Values of GemmProblem::bias.
#define GEMM_BIAS_NONE 0
#define GEMM_BIAS_ADDED 1
#define GEMM_BIAS_LATER 2  // sums are stored as they are, of no tap -0.0

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// Axes that the rank lacks stand in front, with all extents 1.
struct GemmAxis {
    uint in_extent;
    uint out_extent;
    uint phases;      // outputs of a block
    uint begin;       // outputs that the first block lacks
    uint blocks;
    uint block_step;  // places from block to block
    uint first;       // input position of the first place, modulo 2^32
    uint extent;      // places
    int tap_step;     // places from a tap to the next
    uint y_step;      // elements from output to output
    uint x_step;
    uint column_step;  // see GemmProblem::column_step
};

struct GemmProblem {
    GemmAxis axes[GEMM_AXES];
    uint quads;    // of input channels of a group
    uint groups;
    uint images;
    uint line;     // texels of one
    uint packers;  // invocations that pack inputs
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
    uint bias;          // GEMM_BIAS_...
    uint stores_sums;   // 1: what is stored is not what Y becomes, see implicit_gemm_outputs.comp
    uint column_step;   // columns from an invocation's to its next: so many images, and blocks on each axis
    uint image_step;
    uint quads_at_once;  // of channels, of all groups, that an invocation packs
    uint padding0_;
    uint padding1_;
    uint padding2_;
    EpilogueNumbers epilogue;
    // what packing divides by
    Divisor by_line;
    Divisor by_lines;  // of all images
    Divisor by_quads;
    Divisor by_extents[GEMM_AXES - 1];  // of the axes behind the first
    // what columns are numbered by
    Divisor by_image_blocks;
    Divisor by_blocks[GEMM_AXES - 1];  // blocks of the axes behind the first, of both and of the last
    // and what rounds sums
    Divisor by_y_channel;
    Divisor by_channels;  // of Y
};

// A dispatch of implicit_gemm_inputs: a band of blocks, and the one that it begins with.
struct GemmBand {
    uint first_block[GEMM_AXES];
};

// A dispatch of implicit_gemm: invocations [first, first + count) of [part of the sum][group][tile of rows][tile of columns], of a
// band. Sums of parts lie one Y behind the other.
struct GemmPart {
    uint first;
    uint count;
    uint first_block[GEMM_AXES];
};

// A dispatch of implicit_gemm_weights: a class. It knows no extent of X, so that problems which differ in those alone share
// packed weights.
struct GemmWeights {
    uint texels;  // to write
    uint group_texels;
    uint tile_rows;  // a multiple of 4
    uint first_tile;
    uint tiles;  // of the class
    uint all_tiles;
    uint first_weight;
    uint channels_in;  // of one group
    uint channels_out;
    uint w_group;  // elements from group to group
    uint w_channel;
    uint w_column;
    uint w_tap;
    // Of each axis two numbers in a word, the first one low.
    uint kernel_and_step[GEMM_AXES];    // taps of W, and how many of them from one of a phase to its next
    uint phase_and_step[GEMM_AXES];     // the class's first phase, and from phase to phase
    uint phases_and_taps[GEMM_AXES];
    uint place_and_tap[GEMM_AXES];    // of the first tap, and which of W it is for the first phase
    uint tap_step[GEMM_AXES];         // from the first tap of a phase to that of the next
};

#ifdef __cplusplus
static_assert(sizeof(GemmAxis) % 16 == 0 && sizeof(GemmProblem) % 16 == 0);
static_assert(sizeof(GemmWeights) <= 128);
}  // namespace vkonnx::push
#endif

#endif
