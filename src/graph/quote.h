// SPDX-License-Identifier: Apache-2.0
// Names from a file inside sentences.
#pragma once

#include <string>
#include <string_view>

namespace vkonnx::graph {

// Shortened, with control characters (C0, DEL, C1, line and direction marks) and bytes that are no UTF-8 as "\x1b".
std::string visible(std::string_view text);

// The same in quotes.
std::string quote(std::string_view text);

}  // namespace vkonnx::graph
