// This header reads and writes whole files.
#pragma once

#include <vkonnx/vkonnx.hpp>

namespace vkonnx::tools {

// Reads a regular file. Others are refused: a pipe may never begin, and a device never end. The default limit is the most that a
// protobuf message may have.
Result<std::vector<std::byte>> read_file(const std::string& path, uint64_t most_bytes = 0x7fffffff);
inline constexpr uint64_t most_text_bytes = 0x4000000;  // of case lists and results

// Writes a file: either the whole content lands at `path`, or whatever was there before stays. It is written beside it, then
// renamed. What is no regular file (/dev/stdout, a pipe) is written in place. An interrupt (SIGINT, SIGTERM, SIGHUP, SIGQUIT)
// leaves nothing half-written either. One thread at a time may write.
Status write_file(const std::string& path, std::span<const std::byte> content);
Status write_file(const std::string& path, std::string_view content);

// Returns an error where `write_file` could not even begin: there is no such folder, or `path` is a folder.
Status check_writable(const std::string& path);

}  // namespace vkonnx::tools
