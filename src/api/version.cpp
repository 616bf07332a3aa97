#include <vkonnx/vkonnx.hpp>

namespace vkonnx {

std::string_view version()
{
    return VKONNX_VERSION;
}

}  // namespace vkonnx
