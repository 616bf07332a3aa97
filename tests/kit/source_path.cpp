#include "kit/source_path.h"

namespace vkonnx::kit {

std::string source_path(std::string_view file)
{
    return VKONNX_SOURCE_DIR "/" + std::string(file);
}

}  // namespace vkonnx::kit
