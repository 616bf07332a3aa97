// This header shows one line on standard error, when that is a terminal.
#pragma once

#include <chrono>
#include <string>

namespace vkonnx::bench {

// Returns "[ 3/46] conv_transpose/ct03/f32, about 1 min 20 s left", for example. A negative estimate, before the first case is
// done, is not shown.
std::string progress_text(size_t done, size_t total, const std::string& name, double seconds_left);

class Progress {
public:
    explicit Progress(size_t total);
    void start(const std::string& name);
    void erase() const;
    void done() { ++done_; }

private:
    size_t total_ = 0;
    size_t done_ = 0;
    bool is_terminal_ = false;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace vkonnx::bench
