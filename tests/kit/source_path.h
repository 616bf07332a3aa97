#pragma once

#include <string>
#include <string_view>

namespace vkonnx::kit {

// Returns the path of a file of the repository, such as "README.md". The repository's folder is compiled into one source file
// alone, so that ccache finds the objects of all others when the repository lies elsewhere.
std::string source_path(std::string_view file);

}  // namespace vkonnx::kit
