// Work that may take its process down with it.
#pragma once

#include <vkonnx/vkonnx.hpp>

namespace vkonnx::tools {

// Whether this platform can (it needs fork).
bool can_isolate();

// Runs `work` in a child process and hands back the text that it returns; a sentence when the child is killed by a signal,
// exits by itself, or takes longer than `timeout_seconds` and is killed. The calling process must have one thread and no
// Vulkan instance: drivers do not survive a fork.
Result<std::string> run_isolated(const std::function<std::string()>& work, double timeout_seconds);

}  // namespace vkonnx::tools
