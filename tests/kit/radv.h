// RADV, Mesa's driver of AMD's GPUs, for GPUs that are not there: RADV_FORCE_FAMILY makes it a device that compiles for one, has
// no memory and runs nothing (Mesa up to 25).
#pragma once

#include <string>

namespace vkonnx::kit {

// Of the installed driver, a path for VK_ICD_FILENAMES; "" where there is none.
std::string radv_manifest();

// Why that driver is no device of this family ("navi21"); "" where it is. Sets the environment of this process so that Vulkan has
// this one device.
std::string pretend(const std::string& family);

}  // namespace vkonnx::kit
