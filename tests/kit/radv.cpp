#include "kit/radv.h"

#include <vkonnx/vkonnx.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

namespace vkonnx::kit {

std::string radv_manifest()
{
    namespace fs = std::filesystem;
    for (const char* folder : {"/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"}) {
        std::error_code unreadable;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable))
            if (entry.path().filename().string().starts_with("radeon_icd"))
                return entry.path().string();
    }
    return {};
}

std::string pretend([[maybe_unused]] const std::string& family)
{
#ifdef _WIN32
    return "RADV is no driver of this system";
#else
    const std::string manifest = radv_manifest();
    if (manifest.empty())
        return "RADV is not installed (Debian: mesa-vulkan-drivers)";
    unsetenv("VK_DRIVER_FILES");
    setenv("VK_ICD_FILENAMES", manifest.c_str(), 1);
    setenv("RADV_FORCE_FAMILY", family.c_str(), 1);
    std::string upper = family;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    const auto devices = Device::list();
    if (devices && devices->size() == 1 && devices->front().name.find(upper) != std::string::npos)
        return {};
    return "this RADV makes no device of RADV_FORCE_FAMILY=" + family;
#endif
}

}  // namespace vkonnx::kit
