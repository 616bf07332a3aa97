// SPDX-License-Identifier: Apache-2.0
// This header has how composites write into caches of keys and values.
#pragma once

#include "graph/composer.h"

namespace vkonnx::graph {

// Returns a cache whose places along an axis, from `first` on, have the elements of an update. The axis is not that of the
// batches, axis 0, and `first` is an int64 for each of these, or 0. What is beyond the last place is left out, or goes to the
// places in front if the cache wraps.
Operand written(Composer& composer, const Operand& cache, const Operand& update, size_t axis, const std::optional<Operand>& first,
                bool wraps);

}  // namespace vkonnx::graph
