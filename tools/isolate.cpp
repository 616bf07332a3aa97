#include "isolate.h"

#ifdef _WIN32

namespace vkonnx::tools {

bool can_isolate()
{
    return false;
}

Result<std::string> run_isolated(const std::function<std::string()>&, double)
{
    return Status(Code::unsupported, "child processes are not supported on this platform");
}

}  // namespace vkonnx::tools

#else

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vkonnx::tools {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void be_the_child(const std::function<std::string()>& work, int pipe_end)
{
    std::string text;
    try {
        text = work();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::_Exit(1);
    }
    std::fflush(nullptr);
    for (size_t sent = 0; sent < text.size();) {
        const ssize_t count = write(pipe_end, text.data() + sent, text.size() - sent);
        if (count < 0 && errno != EINTR)
            std::_Exit(1);
        sent += count > 0 ? static_cast<size_t>(count) : 0;
    }
    std::_Exit(0);  // no destructors: a driver's may hang, and the result is out
}

// Everything that the child writes until it closes its end; nothing when the time is over first.
std::optional<std::string> read_until(int pipe_end, Clock::time_point deadline)
{
    std::string text;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0)
            return std::nullopt;
        pollfd wanted{pipe_end, POLLIN, 0};
        if (poll(&wanted, 1, static_cast<int>(std::min<int64_t>(left, 1'000'000))) <= 0)
            continue;
        char chunk[4096];
        const ssize_t count = read(pipe_end, chunk, sizeof chunk);
        if (count == 0 || (count < 0 && errno != EINTR))
            return text;
        text.append(chunk, count > 0 ? static_cast<size_t>(count) : 0);
    }
}

Status how_it_ended(int wait_status)
{
    if (WIFSIGNALED(wait_status)) {
        const int signal = WTERMSIG(wait_status);
        return Status(Code::driver_error,
                      "its process was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")");
    }
    const int code = WEXITSTATUS(wait_status);
    if (code != 0)
        return Status(Code::driver_error, "its process exited with code " + std::to_string(code));
    return {};
}

}  // namespace

bool can_isolate()
{
    return true;
}

Result<std::string> run_isolated(const std::function<std::string()>& work, double timeout_seconds)
{
    int ends[2];
    if (pipe(ends) != 0)
        return Status(Code::driver_error, "no pipe for a child process");
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return Status(Code::driver_error, "no child process could be started");
    }
    if (child == 0) {
        close(ends[0]);
        be_the_child(work, ends[1]);
    }
    close(ends[1]);
    const auto allowed = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_seconds));
    std::optional<std::string> text = read_until(ends[0], Clock::now() + allowed);
    close(ends[0]);
    if (!text)
        kill(child, SIGKILL);
    int wait_status = 0;
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
    }
    if (!text) {
        char sentence[96];
        std::snprintf(sentence, sizeof sentence, "its process took longer than %g seconds and was killed", timeout_seconds);
        return Status(Code::timeout, sentence);
    }
    if (const Status ended = how_it_ended(wait_status); !ended)
        return ended;
    return *std::move(text);
}

}  // namespace vkonnx::tools

#endif
