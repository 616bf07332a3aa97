// SPDX-License-Identifier: Apache-2.0
// Sums over channels and taps as a product of matrices: its rows, its columns, and how much there is to multiply.
// shared/implicit_gemm.h has the words. An operator describes its axes, ConvTranspose in conv_transpose/phases.h; nothing here
// knows which one it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared/implicit_gemm.h"

namespace vkonnx::plan::implicit_gemm {

// Phases of an axis that have the same taps: r = first + i * step for i below count.
struct Phases {
    int64_t first = 0;
    int64_t step = 1;
    int64_t count = 1;
    int64_t taps = 1;
    int64_t place = 0;  // of their first tap, from where the block's line begins
    int64_t tap = 0;    // number of the first one's first tap, and from phase to phase
    int64_t tap_step = 0;
};

// Outputs in blocks, and the line of inputs that they read. As it stands: an axis that the operator lacks.
struct Axis {
    int64_t in = 1;
    int64_t out = 1;
    int64_t kernel = 1;
    int64_t kernel_step = 1;  // of W's taps, from one of a phase to its next
    int64_t phase_count = 1;  // outputs of a block
    int64_t begin = 0;        // outputs that the first block lacks
    int64_t blocks = 1;
    int64_t block_step = 1;  // places from block to block
    int64_t tap_step = 1;    // places from one of a phase's taps to its next, back where it is negative
    int64_t first = 0;       // input position of the first place
    int64_t extent = 1;      // places
    std::vector<Phases> phases = {{}};
};

// A choice of phases on each axis.
struct PhaseClass {
    std::array<Phases, GEMM_AXES> axes = {};
    int64_t rows = 0;  // of all channels of a group
    int64_t taps = 0;
};

// Products of numbers saturate: all is computed before anything is known to fit.
struct Product {
    std::array<Axis, GEMM_AXES> axes = {};
    int64_t images = 0;
    int64_t groups = 0;
    int64_t channels_in = 0;  // of one group
    int64_t channels_out = 0;
    // by completed()
    int64_t quads = 0;                     // of input channels of a group
    int64_t line = 0;                      // places of one image's
    int64_t columns = 0;                   // blocks of all images
    std::vector<PhaseClass> classes = {};  // those of many taps first
};

constexpr size_t max_classes = 64;  // a dispatch of packing each

// With what follows from axes, images and channels. Without classes where they are more than max_classes.
Product completed(Product product);

}  // namespace vkonnx::plan::implicit_gemm
