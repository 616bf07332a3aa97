// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vkonnx::plan {

// Returns the bytes of a block whose layout C++ and GLSL share.
template <class Block>
std::vector<std::byte> bytes_of(const Block& block)
{
    const auto bytes = std::as_bytes(std::span(&block, 1));
    return {bytes.begin(), bytes.end()};
}

}  // namespace vkonnx::plan
