// This header makes a failing problem small enough to be understood: its line is what a report should show.
#pragma once

#include <functional>

#include "kit/cases.h"

namespace vkonnx::kit {

// Returns the smallest problem found that still fails, after at most so many calls of `fails`, which must hold for `problem`.
// Attributes go to their defaults, axes, bias, batch, groups, channels and extents away or towards 1, the type to float, the
// layouts to ONNX's; what the reference accepts stays accepted, what it refuses refused. Nothing is random.
Case shrunk(const Case& problem, const std::function<bool(const Case&)>& fails, int most_tries = 2000);

}  // namespace vkonnx::kit
