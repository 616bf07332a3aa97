// spirv-val as the judge of modules, where the build has found it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>

#include "gpu/float_controls.h"

namespace vkonnx::gpu {

// Modules with cooperative matrices have a judge of their own, as new as what has compiled them.
inline bool has_judge(std::span<const uint32_t> module)
{
    return *(spirv_words::places_in(module).cooperative_matrices ? VKONNX_MATRIX_SPIRV_VAL : VKONNX_SPIRV_VAL) != 0;
}

inline bool is_valid(std::span<const uint32_t> module)
{
    const std::string judge = spirv_words::places_in(module).cooperative_matrices ? VKONNX_MATRIX_SPIRV_VAL : VKONNX_SPIRV_VAL;
    const std::string path = testing::TempDir() + "vkonnx_judged.spv";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(module.data()), std::streamsize(module.size_bytes()));
    const int status = std::system(("'" + judge + "' --target-env vulkan1.1 '" + path + "'").c_str());
    std::remove(path.c_str());
    return status == 0;
}

}  // namespace vkonnx::gpu
