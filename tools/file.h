// Whole files, in and out.
#pragma once

#include <vkonnx/vkonnx.hpp>

namespace vkonnx::tools {

// Regular files alone: a pipe may never begin, a device never end. The default is the most that a protobuf message may have.
Result<std::vector<std::byte>> read_file(const std::string& path, uint64_t most_bytes = 0x7fffffff);
inline constexpr uint64_t most_text_bytes = 0x4000000;  // of case lists and results

// Either the whole content lands at `path`, or whatever was there before stays: it is written beside it, then renamed.
// What is no regular file (/dev/stdout, a pipe) is written in place. An interrupt (SIGINT, SIGTERM, SIGHUP, SIGQUIT) leaves
// nothing half-written either. One thread at a time.
Status write_file(const std::string& path, std::span<const std::byte> content);
Status write_file(const std::string& path, std::string_view content);

// An error where `write_file` could not even begin: no such folder, or `path` is a folder.
Status check_writable(const std::string& path);

}  // namespace vkonnx::tools
