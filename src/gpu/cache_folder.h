// SPDX-License-Identifier: Apache-2.0
// This file reads and writes the files of DeviceOptions::cache_folder. What goes wrong is told in words and is no error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vkonnx::gpu {

// Returns a regular file of at most `max_bytes`. Nothing else is opened, so a pipe or a device can't hold the caller up.
std::optional<std::vector<std::byte>> read_cache_file(const std::filesystem::path& file, size_t max_bytes, std::string& why);

// Writes the file anew: `make` gets what is in it now and gives what shall be in it. Processes and threads that do so at the same
// time go one after another, and none waits longer than a quarter of a second for the others. Readers see the old file or the new
// one as a whole. Returns the bytes written, or nothing, with the reason, where they could not be written: the old file then
// stays as it is.
std::optional<size_t> replace_cache_file(const std::filesystem::path& file, size_t max_bytes,
                                         const std::function<std::vector<std::byte>(std::span<const std::byte>)>& make,
                                         std::string& why);

}  // namespace vkonnx::gpu
