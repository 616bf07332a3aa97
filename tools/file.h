// Whole files, in and out.
#pragma once

#include <vkonnx/vkonnx.hpp>

namespace vkonnx::tools {

Result<std::vector<std::byte>> read_file(const std::string& path);

// Either the whole content lands at `path`, or whatever was there before stays: it is written beside it, then renamed.
// What is no regular file (/dev/stdout, a pipe) is written in place.
Status write_file(const std::string& path, std::span<const std::byte> content);
Status write_file(const std::string& path, std::string_view content);

// An error where `write_file` could not even begin: no such folder, or `path` is a folder.
Status check_writable(const std::string& path);

}  // namespace vkonnx::tools
