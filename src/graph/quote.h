// SPDX-License-Identifier: Apache-2.0
// This file makes names from a file fit for messages.
#pragma once

#include <string>
#include <string_view>

namespace vkonnx::graph {

// Returns the text shortened, with control characters (C0, DEL, C1, line and direction marks) and bytes that are no UTF-8 as
// "\x1b".
std::string visible(std::string_view text);

// Returns the same in quotes.
std::string quote(std::string_view text);

}  // namespace vkonnx::graph
