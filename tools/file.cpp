#include "file.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#ifndef _WIN32
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace vkonnx::tools {
namespace fs = std::filesystem;

static Status io_error(const std::string& path, const char* what)
{
    const int cause = errno;
    return Status(Code::io, path + ": " + what + (cause ? std::string(": ") + std::strerror(cause) : ""));
}

// ---------------------------------------------------------------------------------------------------------------- reading

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Opens a regular file. It opens first and looks then, because a path's meaning may change in between. O_NONBLOCK keeps it from
// waiting for the other end of a pipe.
static Result<File> open_regular(const std::string& path)
{
    errno = 0;
#ifdef _WIN32
    File file(std::fopen(path.c_str(), "rb"), std::fclose);
    std::error_code error;
    const bool is_folder = fs::is_directory(path, error), is_regular = fs::is_regular_file(path, error);
#else
    const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    File file(descriptor < 0 ? nullptr : fdopen(descriptor, "rb"), std::fclose);
    struct stat found = {};
    const bool is_known = descriptor >= 0 && fstat(descriptor, &found) == 0;
    const bool is_folder = is_known && S_ISDIR(found.st_mode), is_regular = is_known && S_ISREG(found.st_mode);
#endif
    if (is_folder)
        return Status(Code::io, path + ": is a folder");
    if (!file)
        return io_error(path, "can't be opened");
    if (!is_regular)
        return Status(Code::io, path + ": is no regular file");
    return file;
}

Result<std::vector<std::byte>> read_file(const std::string& path, uint64_t most_bytes)
{
    const Result<File> file = open_regular(path);
    if (!file)
        return file.status();
    std::vector<std::byte> content;
    char chunk[1 << 16];
    while (const size_t count = std::fread(chunk, 1, sizeof chunk, file->get())) {
        if (count > most_bytes - content.size())
            return Status(Code::io, path + ": has more than " + std::to_string(most_bytes) + " bytes, which is the most for it");
        const auto* begin = reinterpret_cast<const std::byte*>(chunk);
        content.insert(content.end(), begin, begin + count);
    }
    if (std::ferror(file->get()))
        return io_error(path, "can't be read");
    return content;
}

// ---------------------------------------------------------------------------------------------------------------- writing

#ifdef _WIN32

namespace {
struct RemovedByInterrupt {
    explicit RemovedByInterrupt(const std::string&) {}
};
}  // namespace

#else

// The signal handler removes this file. One file is written at a time.
static char partial_path[4096];
static pthread_t partial_writer;

extern "C" {
static void remove_partial(int signal)
{
    if (!pthread_equal(pthread_self(), partial_writer)) {  // that thread may be about to create the file
        pthread_kill(partial_writer, signal);
        return;
    }
    unlink(partial_path);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}
}

namespace {

// While this object lives, a signal that ends the process removes the file, too. Where the file grows beyond the process's limit,
// the write fails, and no signal comes.
class RemovedByInterrupt {
public:
    explicit RemovedByInterrupt(const std::string& path)
    {
        if (path.size() >= sizeof partial_path)
            return;  // no system has such a path
        std::memcpy(partial_path, path.c_str(), path.size() + 1);
        partial_writer = pthread_self();
        for (size_t i = 0; i < std::size(signals); ++i) {
            struct sigaction action = {};
            action.sa_handler = signals[i] == SIGXFSZ ? SIG_IGN : remove_partial;
            action.sa_flags = SA_RESTART;
            sigfillset(&action.sa_mask);
            sigaction(signals[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN)  // an ignored signal stays ignored, as under nohup
                sigaction(signals[i], &action, nullptr);
        }
        armed_ = true;
    }
    RemovedByInterrupt(const RemovedByInterrupt&) = delete;
    RemovedByInterrupt& operator=(const RemovedByInterrupt&) = delete;
    ~RemovedByInterrupt()
    {
        for (size_t i = 0; armed_ && i < std::size(signals); ++i)
            sigaction(signals[i], &before_[i], nullptr);
    }

private:
    static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ};
    struct sigaction before_[std::size(signals)] = {};
    bool armed_ = false;
};

}  // namespace

#endif

static Status write_in_place(const fs::path& path, std::span<const std::byte> content)
{
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file)
        return io_error(path.string(), "can't be opened for writing");
    file.write(reinterpret_cast<const char*>(content.data()), std::streamsize(content.size()));
    file.close();
    return file ? Status() : io_error(path.string(), "can't be written");
}

Status write_file(const std::string& path, std::span<const std::byte> content)
{
    std::error_code error;
    fs::path target = path;
    if (fs::is_symlink(target, error))
        target = fs::weakly_canonical(target, error);  // replace what the link points to, not the link
    if (fs::exists(target, error) && !fs::is_regular_file(target, error))
        return write_in_place(target, content);

    fs::path partial = target;
    partial += ".partial-" + std::to_string(std::random_device()());
    const RemovedByInterrupt removed(partial.string());
    Status written = write_in_place(partial, content);
    if (written) {
        fs::rename(partial, target, error);
        if (error)
            written = Status(Code::io, path + ": can't be replaced: " + error.message());
    }
    if (!written)
        fs::remove(partial, error);
    return written;
}

Status write_file(const std::string& path, std::string_view content)
{
    return write_file(path, std::as_bytes(std::span(content)));
}

Status check_writable(const std::string& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        return Status(Code::io, path + ": is a folder");
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, error))
        return Status(Code::io, path + ": there is no folder " + folder.string());
    return {};
}

}  // namespace vkonnx::tools
