// SPDX-License-Identifier: Apache-2.0
// This file finds what operators with constants make of each channel of a value: scale * x + shift.
#pragma once

#include <optional>
#include <vector>

#include "graph/calls.h"

namespace vkonnx::graph {

struct Affine {
    std::vector<double> scale = {};  // a number for each channel
    std::vector<double> shift = {};

    bool shifts() const;
    bool is_finite() const;
};

// Returns what a BatchNormalization makes: (x - mean) / sqrt(var + epsilon) * scale + B. It returns nothing where one of them is
// not known, where mean and var are the input's own (training), or where each element has its own. It also returns nothing where
// scale times mean is beyond the greatest number of X's type: then scale * x may be, too, although the difference of both is not.
Result<std::optional<Affine>> normalization(const Calls& calls, const Call& call);

// Does what `normalization` does, for a scale and a shift that are stored in X's type. It gives nothing where the scale would be
// denormal or the shift infinite, and nothing for halves: where the mean is far from 0, scale * x and the shift are large and
// nearly cancel, so that a scale and a shift that are rounded to halves leave little of the sum. The operator alone subtracts
// first, in float.
Result<std::optional<Affine>> normalization_as_numbers(const Calls& calls, const Call& call);

// Returns the numbers of a constant that is broadcast to `output`, one for each channel. It returns nothing where they differ
// along any axis but `axis`.
Result<std::optional<std::vector<double>>> by_channels(const Calls& calls, int32_t constant, const TensorDesc& output,
                                                       size_t axis);

}  // namespace vkonnx::graph
