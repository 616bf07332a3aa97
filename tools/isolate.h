// This header runs work that may take its process down with it.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <chrono>

namespace vkonnx::tools {

// Tells whether this platform can isolate work, for which it needs fork.
bool can_isolate();

// A clock tells what time it is. Tests have one of their own.
using Clock = std::function<std::chrono::steady_clock::time_point()>;

// Runs `work` in a child process and returns the text that it returns, which holds no '\0'. It returns an error when the child is
// killed by a signal, exits by itself, or takes longer than `timeout_seconds` and is killed. The calling process must have one
// thread and no Vulkan instance, because drivers do not survive a fork.
Result<std::string> run_isolated(const std::function<std::string()>& work, double timeout_seconds,
                                 const Clock& clock = std::chrono::steady_clock::now);

// Does the same for works 0 to count - 1, which share a child as long as it lives. Its end is the result of the work that it was
// at, and the next work has another child. The time is each work's own.
std::vector<Result<std::string>> run_all_isolated(size_t count, const std::function<std::string(size_t)>& work,
                                                  double timeout_seconds, const Clock& clock = std::chrono::steady_clock::now);

}  // namespace vkonnx::tools
