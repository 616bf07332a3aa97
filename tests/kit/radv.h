// This header uses RADV, Mesa's driver of AMD's GPUs, for GPUs that are not there: RADV_FORCE_FAMILY makes it a device that
// compiles for one, has no memory and runs nothing (Mesa up to 25).
#pragma once

#include <string>

namespace vkonnx::kit {

// Returns the path of the installed driver for VK_ICD_FILENAMES, or "" where there is none.
std::string radv_manifest();

// Sets the environment of this process so that Vulkan has a device of this family ("navi21") alone. Returns "", or why RADV has
// no such device.
std::string pretend(const std::string& family);

}  // namespace vkonnx::kit
