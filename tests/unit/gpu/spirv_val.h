// This header lets spirv-val judge modules, where the build has found it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>

#include "gpu/float_controls.h"
#include "kit/temporary_folder.h"

namespace vkonnx::gpu {

// Tells whether there is a judge. Modules with cooperative matrices have their own, which is as new as the compiler that made
// them.
inline bool has_judge(std::span<const uint32_t> module)
{
    return *(spirv_words::places_in(module).cooperative_matrices ? VKONNX_MATRIX_SPIRV_VAL : VKONNX_SPIRV_VAL) != 0;
}

inline bool is_valid(std::span<const uint32_t> module)
{
    const std::string judge = spirv_words::places_in(module).cooperative_matrices ? VKONNX_MATRIX_SPIRV_VAL : VKONNX_SPIRV_VAL;
    const kit::TemporaryFolder folder;
    const std::string path = folder / "judged.spv";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(module.data()), std::streamsize(module.size_bytes()));
    return std::system(("'" + judge + "' --target-env vulkan1.1 '" + path + "'").c_str()) == 0;
}

}  // namespace vkonnx::gpu
