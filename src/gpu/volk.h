// SPDX-License-Identifier: Apache-2.0
// This file has volk, which loads Vulkan's entry points, under names of our own. volk's variables and functions have C names such
// as vkCreateInstance, and an application that links a static vkonnx may have a volk of its own. So volk_names.h, which
// src/CMakeLists.txt makes from the installed volk.h, puts "vkonnx_" in front of each of them. Vulkan's own libraries are asked
// by strings, which stay.
#pragma once

#include "volk_names.h"

#include <volk.h>
