#include "isolate.h"

#ifdef _WIN32

namespace vkonnx::tools {

bool can_isolate()
{
    return false;
}

Result<std::string> run_isolated(const std::function<std::string()>&, double, const Clock&)
{
    return Status(Code::unsupported, "child processes are not supported on this platform");
}

std::vector<Result<std::string>> run_all_isolated(size_t count, const std::function<std::string(size_t)>&, double, const Clock&)
{
    return {count, run_isolated({}, 0)};
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

#include "console.h"

namespace vkonnx::tools {
namespace {

using Time = std::chrono::steady_clock::time_point;

[[noreturn]] void be_the_child(size_t first, size_t count, const std::function<std::string(size_t)>& work, int pipe_end)
{
    for (size_t i = first; i < count; ++i) {
        std::string text;
        try {
            text = work(i) + '\0';
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", visible(error.what()).c_str());
            std::_Exit(1);
        }
        std::fflush(nullptr);
        for (size_t sent = 0; sent < text.size();) {
            const ssize_t written = write(pipe_end, text.data() + sent, text.size() - sent);
            if (written < 0 && errno != EINTR)
                std::_Exit(1);
            sent += written > 0 ? size_t(written) : 0;
        }
    }
    std::_Exit(0);  // no destructors: a driver's may hang, and the results are out
}

class Child {
public:
    // Runs the works from `first` on. It is not `ok` where no process could be started.
    Child(size_t first, size_t count, const std::function<std::string(size_t)>& work)
    {
        int ends[2];
        if (pipe(ends) != 0)
            return;
        std::fflush(nullptr);
        process_ = fork();
        if (process_ == 0) {
            close(ends[0]);
            be_the_child(first, count, work, ends[1]);
        }
        close(ends[1]);
        pipe_ = ends[0];
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child()
    {
        if (pipe_ >= 0)
            close(pipe_);
        if (process_ > 0)
            end();
    }

    bool ok() const { return process_ > 0; }

    // Returns the next text that the child writes, or an error that tells how the child ended. After an error there is no further
    // text.
    Result<std::string> next(double timeout_seconds, const Clock& clock)
    {
        constexpr double most_seconds = 1e9;  // thirty years; the clock counts nanoseconds in 64 bits
        const std::chrono::duration<double> allowed(timeout_seconds < most_seconds ? std::max(timeout_seconds, 0.0)
                                                                                   : most_seconds);
        const Time deadline = clock() + std::chrono::duration_cast<Time::duration>(allowed);
        size_t length;
        while ((length = unread_.find('\0')) == std::string::npos) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock()).count();
            if (left <= 0) {
                kill(process_, SIGKILL);
                char sentence[96];
                std::snprintf(sentence, sizeof sentence, "its process took longer than %g seconds and was killed",
                              timeout_seconds);
                return Status(Code::timeout, sentence);
            }
            pollfd wanted{pipe_, POLLIN, 0};
            if (poll(&wanted, 1, int(std::min<int64_t>(left, 1'000'000))) <= 0)
                continue;
            char chunk[4096];
            const ssize_t count = read(pipe_, chunk, sizeof chunk);
            if (count == 0 || (count < 0 && errno != EINTR))
                return how_it_ended(end());
            unread_.append(chunk, count > 0 ? size_t(count) : 0);
        }
        std::string text = unread_.substr(0, length);
        unread_.erase(0, length + 1);
        return text;
    }

private:
    static Status how_it_ended(int wait_status)
    {
        if (WIFSIGNALED(wait_status)) {
            const int signal = WTERMSIG(wait_status);
            return Status(Code::driver_error,
                          "its process was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")");
        }
        return Status(Code::driver_error, "its process exited with code " + std::to_string(WEXITSTATUS(wait_status)));
    }

    int end()
    {
        int wait_status = 0;
        while (waitpid(process_, &wait_status, 0) < 0 && errno == EINTR) {
        }
        process_ = -1;
        return wait_status;
    }

    pid_t process_ = -1;
    int pipe_ = -1;
    std::string unread_;
};

}  // namespace

bool can_isolate()
{
    return true;
}

std::vector<Result<std::string>> run_all_isolated(size_t count, const std::function<std::string(size_t)>& work,
                                                  double timeout_seconds, const Clock& clock)
{
    std::vector<Result<std::string>> results;
    while (results.size() < count) {
        Child child(results.size(), count, work);
        do
            results.push_back(child.ok() ? child.next(timeout_seconds, clock)
                                         : Status(Code::driver_error, "no child process could be started"));
        while (results.back() && results.size() < count);
    }
    return results;
}

Result<std::string> run_isolated(const std::function<std::string()>& work, double timeout_seconds, const Clock& clock)
{
    return run_all_isolated(
        1, [&](size_t) { return work(); }, timeout_seconds, clock)[0];
}

}  // namespace vkonnx::tools

#endif
