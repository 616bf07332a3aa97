// This header has what the pages that tools write have in common.
#pragma once

#include <string>
#include <string_view>

namespace vkonnx::tools {

// Escapes text between tags and in quoted attributes, and makes control characters visible.
std::string html_escape(std::string_view text);

}  // namespace vkonnx::tools
