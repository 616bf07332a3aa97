#include "progress.h"

#include <cmath>
#include <cstdio>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace vkonnx::bench {
namespace {

bool standard_error_is_terminal()
{
#if defined(_WIN32)
    return _isatty(2) != 0;
#else
    return isatty(2) != 0;
#endif
}

}  // namespace

std::string progress_text(size_t done, size_t total, const std::string& name, double seconds_left)
{
    const std::string whole = std::to_string(total);
    const std::string number = std::to_string(done + 1);
    std::string text = "[" + std::string(whole.size() - number.size(), ' ') + number + "/" + whole + "] " + name;
    if (seconds_left >= 0) {
        const auto left = static_cast<long long>(std::ceil(seconds_left));
        text += ", about " + (left >= 60 ? std::to_string(left / 60) + " min " : "") + std::to_string(left % 60) + " s left";
    }
    return text;
}

Progress::Progress(size_t total) : total_(total), is_terminal_(standard_error_is_terminal())
{
}

void Progress::start(const std::string& name)
{
    if (!is_terminal_)
        return;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    const double left = done_ ? elapsed / double(done_) * double(total_ - done_) : -1;
    std::fprintf(stderr, "\r%s\033[K", progress_text(done_, total_, name, left).c_str());
}

void Progress::erase() const
{
    if (is_terminal_)
        std::fprintf(stderr, "\r\033[K");
}

}  // namespace vkonnx::bench
