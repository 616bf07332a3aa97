// SPDX-License-Identifier: Apache-2.0
// This describes sums over channels and taps as a product of matrices: its rows, its columns, and how much there is to multiply.
// shaders/engines/implicit_gemm/implicit_gemm.h explains the words. Each operator describes its own axes, ConvTranspose in
// plan/operators/conv_transpose/phases.h, for example; nothing here knows the operator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shaders/engines/implicit_gemm/implicit_gemm.h"

namespace vkonnx::plan::implicit_gemm {

// This struct describes phases of an axis that have the same taps: r = first + i * step for i below count.
struct Phases {
    int64_t first = 0;
    int64_t step = 1;
    int64_t count = 1;
    int64_t taps = 1;
    int64_t place = 0;     // where their first tap reads, counted from the beginning of the block's line
    int64_t tap = 0;       // the number of the first phase's first tap
    int64_t tap_step = 0;  // how much that number grows from phase to phase
};

// This struct describes the outputs of an axis in blocks, and the line of inputs that they read. The defaults describe an axis
// that the operator lacks.
struct Axis {
    int64_t in = 1;
    int64_t out = 1;
    int64_t kernel = 1;
    int64_t kernel_step = 1;  // how many taps of W lie between a tap of a phase and its next
    int64_t phase_count = 1;  // how many outputs a block has
    int64_t begin = 0;        // how many outputs the first block lacks
    int64_t blocks = 1;
    int64_t block_step = 1;  // how many places lie between a block and the next
    int64_t tap_step = 1;    // how many places lie between a tap of a phase and its next; negative where they go back
    int64_t first = 0;       // the input position of the first place
    int64_t extent = 1;      // how many places the line has
    std::vector<Phases> phases = {{}};
};

// A class is a choice of phases on each axis.
struct PhaseClass {
    std::array<Phases, GEMM_AXES> axes = {};
    int64_t rows = 0;  // the rows of all output channels of a group together
    int64_t taps = 0;
};

// This struct describes a product of matrices. Products of its numbers saturate, since they are computed before it is known that
// the problem fits a device.
struct Product {
    std::array<Axis, GEMM_AXES> axes = {};
    int64_t images = 0;
    int64_t groups = 0;
    int64_t channels_in = 0;   // of one group
    int64_t channels_out = 0;  // of one group
    // Where the taps of the last axis stand for channels, this is how many places lie between a channel and its next. Else it is
    // 0. X has one channel a group then, and channels_in is the number of taps.
    int64_t channel_places = 0;
    // completed() fills in what follows.
    int64_t quads = 0;                     // a group's input channels divided by four, rounded up
    int64_t packed_quads = 0;              // how many quads of a group packed inputs have
    int64_t line = 0;                      // how many places one image has
    int64_t columns = 0;                   // how many blocks all images have
    std::vector<PhaseClass> classes = {};  // sorted: those with the most taps come first

    bool taps_are_channels() const { return channel_places > 0; }
    // Returns how many channels of X a group has.
    int64_t x_channels() const { return taps_are_channels() ? 1 : channels_in; }
};

constexpr size_t max_classes = 64;  // each takes a dispatch that packs its weights

// Fills in what follows from axes, images and channels. The result has no classes where there would be more than max_classes.
Product completed(Product product);

}  // namespace vkonnx::plan::implicit_gemm
