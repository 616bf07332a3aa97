// SPDX-License-Identifier: Apache-2.0
#include "gpu/cache_folder.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <system_error>
#include <thread>

#ifdef _WIN32
#include <io.h>
#include <share.h>
#include <sys/stat.h>

#include <fcntl.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

namespace vkonnx::gpu {
namespace {

namespace fs = std::filesystem;

constexpr int lock_tries = 50;
constexpr std::chrono::milliseconds between_tries(5);

// A WriterLock is held by one writer at a time, of all threads and processes. The operating system takes it from one that dies.
class WriterLock {
public:
    explicit WriterLock(const fs::path& file)
    {
        for (int left = lock_tries; !try_once(file) && --left > 0;)
            std::this_thread::sleep_for(between_tries);
    }
    ~WriterLock()
    {
#ifdef _WIN32
        if (descriptor_ >= 0)
            _close(descriptor_);
#else
        if (descriptor_ >= 0)
            close(descriptor_);
#endif
    }
    WriterLock(const WriterLock&) = delete;
    WriterLock& operator=(const WriterLock&) = delete;
    bool is_held() const
    {
        return descriptor_ >= 0;
    }

private:
    bool try_once(const fs::path& file)
    {
#ifdef _WIN32
        return _wsopen_s(&descriptor_, file.c_str(), _O_CREAT | _O_RDWR, _SH_DENYRW, _S_IREAD | _S_IWRITE) == 0;
#else
        const int opened = open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (opened < 0)
            return false;
        if (flock(opened, LOCK_EX | LOCK_NB) == 0)
            descriptor_ = opened;
        else
            close(opened);
        return descriptor_ >= 0;
#endif
    }

    int descriptor_ = -1;
};

bool write_file(const fs::path& path, std::span<const std::byte> bytes)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    file.close();
    return !file.fail();
}

fs::path with_ending(fs::path file, const char* ending)
{
    return file += ending;
}

}  // namespace

std::optional<std::vector<std::byte>> read_cache_file(const fs::path& file, size_t max_bytes, std::string& why)
{
    const auto refuse = [&](const char* words) {
        why = words;
        return std::nullopt;
    };
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (!fs::exists(status))
        return refuse("there is no file");
    if (!fs::is_regular_file(status))
        return refuse("it is no regular file");
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    const std::streamoff size = stream.tellg();  // of the file that was opened: the name may stand for another file by now
    if (size > std::streamoff(max_bytes))
        return refuse("it is too large");
    std::vector<std::byte> bytes(size_t(std::max<std::streamoff>(size, 0)), std::byte(0));
    stream.seekg(0);
    stream.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()));
    if (!stream)
        return refuse("it can't be read");
    return bytes;
}

std::optional<size_t> replace_cache_file(const fs::path& file, size_t max_bytes,
                                         const std::function<std::vector<std::byte>(std::span<const std::byte>)>& make,
                                         std::string& why)
{
    const auto refuse = [&](std::string words) {
        why = std::move(words);
        return std::nullopt;
    };
    std::error_code error;
    fs::create_directories(file.parent_path(), error);  // where this fails, the lock can't be made either
    const WriterLock lock(with_ending(file, ".lock"));
    if (!lock.is_held())
        return refuse("the folder can't be written to, or others were writing all the time");
    std::string ignored;
    const std::optional<std::vector<std::byte>> present = read_cache_file(file, max_bytes, ignored);
    const std::vector<std::byte> bytes = make(present ? std::span<const std::byte>(*present) : std::span<const std::byte>());
    const fs::path part = with_ending(file, ".part");  // one that a crash has left behind is overwritten
    const bool written = write_file(part, bytes);
    if (written)
        fs::rename(part, file, error);
    if (!written || error) {
        std::error_code gone;
        fs::remove(part, gone);
        return refuse(written ? "the file can't be replaced: " + error.message() : "the file can't be written");
    }
    return bytes.size();
}

}  // namespace vkonnx::gpu
