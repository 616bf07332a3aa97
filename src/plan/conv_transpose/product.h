// SPDX-License-Identifier: Apache-2.0
// ConvTranspose as a product of matrices: which phases have which taps, where the lines of inputs begin, and how much there is to
// multiply. shared/conv_transpose_phases.h has the words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/conv_transpose/problem.h"
#include "shared/conv_transpose_phases.h"

namespace vkonnx::plan::conv_transpose {

// Phases of an axis that have the same taps: r = first + i * step for i below count.
struct Phases {
    int64_t first = 0;
    int64_t step = 1;
    int64_t count = 1;
    int64_t taps = 0;
    int64_t reach = 0;  // t of their first tap
    int64_t tap = 0;    // number of the first one's first tap, and from phase to phase
    int64_t tap_step = 0;
};

// The line along one axis.
struct Line {
    std::vector<Phases> phases = {};
    int64_t blocks = 0;
    int64_t extent = 0;
    int64_t first = 0;     // input position where it begins
    int64_t begin = 0;     // outputs that the first block lacks
    int64_t farthest = 0;  // t of the farthest tap of any phase
};

// A choice of phases on each axis.
struct PhaseClass {
    std::array<Phases, PHASES_AXES> axes = {};
    int64_t rows = 0;  // of all channels of a group
    int64_t taps = 0;
};

// All that is computed before anything is known to fit; products saturate.
struct Product {
    std::array<ops::Axis, PHASES_AXES> axes = {};  // those that the rank lacks in front
    std::array<push::ConvTransposeAxis, PHASES_AXES> phased = {};
    std::array<Line, PHASES_AXES> lines = {};
    std::vector<PhaseClass> classes = {};  // those of many taps first
    int64_t images = 0;
    int64_t groups = 0;
    int64_t channels_in = 0;  // of one group
    int64_t channels_out = 0;
    int64_t quads = 0;    // of input channels of a group
    int64_t line = 0;     // places of one image's
    int64_t columns = 0;  // blocks of all images
};

constexpr size_t max_classes = 64;  // a dispatch of packing each

// Where blocks begin on every axis: at outputs that the first tap of an input meets, which makes classes few and large, or at the first
// output, which makes blocks few.
enum class Blocks { of_inputs, of_outputs };

// Of at most PHASES_AXES axes, with X and W that are not empty; `axes` has the phases of the geometry's. Without classes where they
// are more than max_classes.
Product product_of(const ops::ConvTransposeGeometry& geometry, std::span<const push::ConvTransposeAxis> axes, Blocks blocks);

}  // namespace vkonnx::plan::conv_transpose
