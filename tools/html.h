// What the pages that tools write have in common.
#pragma once

#include <string>
#include <string_view>

namespace vkonnx::tools {

// For text between tags and for quoted attributes; control characters become visible.
std::string html_escape(std::string_view text);

}  // namespace vkonnx::tools
