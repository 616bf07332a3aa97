// SPDX-License-Identifier: Apache-2.0
// This file holds what the steps of operators that normalize are told, for C++ and GLSL. Push constants lie behind the part of
// the gather protocol (gather.h).
#ifndef VKONNX_NORMALIZATION_H
#define VKONNX_NORMALIZATION_H

#include "shaders/library/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// X is (outer, row), with rows (extent, inner). Element i of X belongs to statistic i / row * inner + i % inner.
struct NormalizationRows {
    uint row;
    uint inner;
    uint statistics;  // statistics are numbered modulo so many
    uint channels;    // likewise, to find their element of B
};

// NormalizationFactors is for pairs of a mean and the factor of the difference from it.
struct NormalizationFactors {
    uint channels;    // a statistic has the scale of its number modulo so many
    uint epsilon[2];  // the words of a double, or of a float and 0
};

// A running statistic becomes given * momentum + current * rest.
struct NormalizationRunning {
    uint momentum[2];  // the words of a double, or of a float and 0
    uint rest[2];      // 1 - momentum
};

// X is (rows, extent). Element i of X belongs to row i / extent, at position i % extent.
struct LayerNormalizationElements {
    uint extent;
};

// X is (rows, extent). This lies behind the range of tiles (tiles.h).
struct SoftmaxRow {
    uint extent;
};

// This struct is the uniform block of layer_normalization_rows, which all of its dispatches share.
struct LayerNormalizationProblem {
    uint extent;
    uint count;        // the bits of the extent as a float
    uint epsilon;      // likewise, of epsilon
    uint last_scale;   // the number of Scale's last element: position i has that of the lesser of i and this
    uint last_offset;  // likewise of B
    uint padding_[3];
};

struct LayerNormalizationDeviations {
    uint epsilon[2];  // the words of a double, or of a float and 0
};

// Pair i is element i % firsts of the first list and element i % seconds of the second. With seconds = 0 there is no second list,
// and pairs have a 0 in its place.
struct LayerNormalizationPairs {
    uint firsts;
    uint seconds;
};

struct LrnWindow {
    uint channels;
    uint inner;
    uint before;  // channels before an element's own
    uint factor;  // the bits of a float, as the next two are
    uint beta;
    uint bias;
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
