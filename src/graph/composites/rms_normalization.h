// SPDX-License-Identifier: Apache-2.0
// This header has what composites that divide by the root of the mean of squares share.
#pragma once

#include "graph/composer.h"

namespace vkonnx::graph {

struct RootMeanSquare {
    Operand normalized = {};  // x / root
    Operand root = {};  // sqrt(mean of x^2 + epsilon), with the mean along the axes from `axis` on, which stay with extent 1
};

RootMeanSquare root_mean_square(Composer& composer, const Operand& x, size_t axis, float epsilon);

}  // namespace vkonnx::graph
