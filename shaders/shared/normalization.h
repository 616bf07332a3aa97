// SPDX-License-Identifier: Apache-2.0
// Steps of operators that normalize, behind the part of the gather protocol (shared/gather.h), shared by C++ and GLSL.
#ifndef VKONNX_SHARED_NORMALIZATION_H
#define VKONNX_SHARED_NORMALIZATION_H

#include "shared/blocks.h"

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// X (outer, row) of rows (extent, inner): element i of it is of the statistic i / row * inner + i % inner.
struct NormalizationRows {
    uint row;
    uint inner;
    uint statistics;  // modulo so many, or
    uint channels;    // so many for B
};

// Pairs of a mean and what the difference from it is multiplied by.
struct NormalizationFactors {
    uint channels;    // statistics have scales modulo so many
    uint epsilon[2];  // the words of a double, or of a float and 0
};

// A statistic goes on from the one that is given.
struct NormalizationRunning {
    uint momentum[2];  // the words of a double, or of a float and 0
    uint rest[2];      // 1 - momentum
};

// X (rows, extent): element i of it is of row i / extent, at position i % extent.
struct LayerNormalizationElements {
    uint extent;
};

// The uniform block of layer_normalization_rows, which all of its dispatches share.
struct LayerNormalizationProblem {
    uint extent;
    uint count;        // the bits of the extent as a float
    uint epsilon;      // likewise
    uint last_scale;   // the number of Scale's last element: position i has the lesser of i and this
    uint last_offset;  // of B, likewise
    uint padding_[3];
};

struct LayerNormalizationDeviations {
    uint epsilon[2];  // the words of a double, or of a float and 0
};

// Pair i is element i % firsts of the first list and element i % seconds of the second. With seconds = 0 there is no second list, and
// pairs have a 0 in its place.
struct LayerNormalizationPairs {
    uint firsts;
    uint seconds;
};

struct LrnWindow {
    uint channels;
    uint inner;
    uint before;  // channels before an element's own
    uint factor;  // the bits of floats
    uint beta;
    uint bias;
};

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
