// SPDX-License-Identifier: Apache-2.0
// This file holds what implicit_gemm and the kernels that pack for it are told. C++ and GLSL share it.
//
// The engine computes a convolution as a product of matrices, in floats or doubles. Sums that become halves are kept in floats
// until they are rounded.
//
// Blocks and phases. The outputs of an axis lie in blocks, and each block has one output of every phase: output o is that of
// phase r in block q where o + begin = q * phases + r. The outputs of a phase have the same taps, at the same distances from the
// block's place in the input. From block to block that place moves by block_step. A transposed convolution has as many phases as
// its stride, and its block_step is 1. A convolution has one phase, and its block_step is its stride. With two phases and begin
// 1:
//
//   output        0 1 2 3 4 5
//   block q     0 0 1 1 2 2 3
//   phase r     0 1 0 1 0 1 0
//
// The product. Y has the rows (output channel, phases) and the columns (image, block). It is the product of weights and inputs
// over (input channel, tap). A class is a set of phases that have the same taps on every axis, a range of r on each. Its rows are
// numbered row-major, with channels outermost and then the phases of the axes, and are cut into tiles. A tile belongs to one
// class.
//
// Packed inputs have four channels in a texel and lie as [group][quad of channels][image][line]. A line is the grid of input
// positions that the blocks of an image read, row-major. It has zeros where it reaches beyond the input, so that a tap lies at
// the same distance for all blocks. Columns are the blocks of all images, row-major, and the place of block q is q * block_step
// on each axis.
//
// Taps as channels. Where a group has one input channel, three of the four channels of a texel would be zeros. There the taps of
// the last axis may stand for channels: four neighbouring taps are the channels of a texel, and the texel at a place has what all
// four of them read. The next quad of channels reads another place of the same line, so that only one quad is packed. With taps of
// distance 1, for the block at place 2 (x2 is the input at place 2, and t0 the first tap):
//
//   place            ...   2             3             ...   6               ...
//   texel            ...   x2 x3 x4 x5   x3 x4 x5 x6   ...   x6 x7 x8 x9     ...
//   quad of channels       0: t0 to t3                       1: t4 to t7
//
// Bands. Where scratch memory is short, one band of the blocks is packed and multiplied at a time. Every band has this same
// layout, and begins at its first_block. Neighbouring bands both pack the positions that both read, and the last band may reach
// beyond the last block:
//
//   blocks    0 1 2 3 4 5 6 7
//   packed    ---------
//                   ---------
//                         ---------
//
// Packed weights have four rows in a texel. For each group there are, one behind the other:
// - two texels for each tile: (taps on each axis, where the tile's weights begin) and (its first tap on each axis, in places from
//   the block's);
// - a texel for each row of each tile: (channel of the group, phase on each axis), where the channel is -1 beyond the class's
//   rows;
// - the weights of each tile, as [quad of channels][tap][channel][quad of rows].
// The numbers beside the weights are whole and below 2^24, so that floats hold them. Where texels hold halves, two of them stand
// for one of floats.
#ifndef VKONNX_IMPLICIT_GEMM_H
#define VKONNX_IMPLICIT_GEMM_H

#include "shaders/library/blocks.h"
#include "shaders/library/divide.h"
#include "shaders/engines/fusion/epilogue.h"

#define GEMM_AXES 3
#define GEMM_TILE_TEXELS 2

// An invocation of implicit_gemm_shared that computes 64 sums has 8 columns of 8 rows. One that computes fewer has 4 columns.
#define GEMM_SHARED_COLUMNS(sums) (4 + (sums) / 64 * 4)
// implicit_gemm_shared stages so many steps at once, each a tap of four channels: at least one texel of weights for each
// invocation.
#define GEMM_SHARED_DEPTH(rows, invocations) ((invocations) / (rows) > 2 ? (invocations) / (rows) : 2)


// implicit_gemm_matrices stages so many steps at once, each a tap of four channels.
#define MATRICES_STEPS 8
// It keeps where the inputs of each tap are, for so many taps at most.
#define MATRICES_MOST_TAPS 128
// Where it reads X as it lies, a word has a bit for each tap of each axis.
#define MATRICES_WORD_BITS 32
// It passes the sums of so many columns at once from subgroups to invocations.
#define MATRICES_COLUMNS 16

// These are the values of GemmProblem::bias.
#define GEMM_BIAS_NONE 0
#define GEMM_BIAS_ADDED 1
#define GEMM_BIAS_LATER 2  // sums are stored as they are, those without taps as -0.0

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct holds an axis of the convolution. Axes that its rank lacks stand in front, and all of their extents are 1.
struct GemmAxis {
    uint in_extent;
    uint out_extent;
    uint phases;      // outputs of a block
    uint begin;       // outputs that the first block lacks
    uint blocks;
    uint block_step;  // places from block to block
    uint first;       // input position of the first place, modulo 2^32
    uint extent;      // the number of places
    int tap_step;     // places from a tap to the next
    uint y_step;      // elements from output to output
    uint x_step;
    uint column_step;  // see GemmProblem::column_step
};

struct GemmProblem {
    GemmAxis axes[GEMM_AXES];
    uint quads;    // quads of input channels of a group
    uint groups;
    uint images;
    uint line;     // texels of a line
    uint channels_in;   // of one group
    uint channels_out;
    uint group_texels;  // of packed weights
    uint x_image;  // elements from image to image, channel to channel
    uint x_channel;
    uint y_image;
    uint y_channel;
    uint column_tiles;  // tiles of columns that share rows
    uint tiles;         // tiles of rows of a group
    uint outputs;       // elements of Y, of all groups
    uint part_quads;    // quads of channels that a tile sums: all, or those of a part of the sum
    uint bias;          // GEMM_BIAS_...
    uint stores_sums;   // 1: sums are stored, of which implicit_gemm_outputs.comp makes outputs
    uint column_step;   // columns from one of an invocation's to its next: so many images, and blocks on each axis
    uint image_step;
    uint quads_at_once;  // quads of channels, of all groups, that an invocation packs
    uint zero;  // always 0, which compilers of shaders can't know: see reload_problem()
    uint channel_places;  // places from a channel to its next where taps stand for channels, else 0
    uint padding0_;
    uint padding1_;
    EpilogueNumbers epilogue;
    // Packing divides by these.
    Divisor by_line;
    Divisor by_lines;  // the lines of all images
    Divisor by_quads;  // quads of channels of a group that are packed
    Divisor by_extents[GEMM_AXES - 1];  // the extents of the axes behind the first
    // The numbers of columns are divided by these.
    Divisor by_image_blocks;
    Divisor by_blocks[GEMM_AXES - 1];  // blocks of the axes behind the first, of both and of the last
    // The kernel that rounds sums divides by these.
    Divisor by_y_channel;
    Divisor by_channels;  // of Y
};

// This struct holds a dispatch of implicit_gemm_inputs: invocations [first, end) of those that pack a band of blocks. The band is
// given by the block that it begins with.
struct GemmInputs {
    uint first;
    uint end;
    uint first_block[GEMM_AXES];
};

// This struct holds a dispatch of implicit_gemm_outputs: invocations [first, end) of those that make outputs of sums.
struct GemmOutputs {
    uint first;
    uint end;
};

// This struct holds a dispatch of implicit_gemm: invocations [first, first + count) of [part of the sum][group][tile of
// rows][tile of columns], in a band. Sums of parts lie one Y behind the other.
struct GemmPart {
    uint first;
    uint count;
    uint first_block[GEMM_AXES];
};

// This struct holds a dispatch of implicit_gemm_weights: texels [first, end) of a class. It knows no extent of X, so that problems
// which differ in those alone share packed weights.
struct GemmWeights {
    uint first;
    uint end;
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
    // All of these but tap_step hold two numbers in a word, the first one low.
    uint kernel_and_step[GEMM_AXES];    // taps of W, and how many of them lie from one tap of a phase to its next
    uint phase_and_step[GEMM_AXES];     // the class's first phase, and the distance from phase to phase
    uint phases_and_taps[GEMM_AXES];
    uint place_and_tap[GEMM_AXES];    // the place of the first tap, and which tap of W it is for the first phase
    uint tap_step[GEMM_AXES];         // taps of W from the first tap of a phase to that of the next
};

#ifdef __cplusplus
static_assert(sizeof(GemmAxis) % 16 == 0 && sizeof(GemmProblem) % 16 == 0);
static_assert(sizeof(GemmWeights) <= 128);
}  // namespace vkonnx::push
#endif

#endif
