// SPDX-License-Identifier: Apache-2.0
#include <vkonnx/vkonnx.hpp>

namespace vkonnx {

std::string_view version() noexcept
{
    return VKONNX_VERSION;
}

}  // namespace vkonnx
