#include "file.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

namespace vkonnx::tools {
namespace fs = std::filesystem;

static Status io_error(const std::string& path, const char* what)
{
    const int cause = errno;
    return Status(Code::io, path + ": " + what + (cause ? std::string(": ") + std::strerror(cause) : ""));
}

Result<std::vector<std::byte>> read_file(const std::string& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        return Status(Code::io, path + ": is a folder");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return io_error(path, "can't be opened");
    std::vector<std::byte> content;
    char chunk[1 << 16];
    do {
        file.read(chunk, sizeof chunk);
        const auto* begin = reinterpret_cast<const std::byte*>(chunk);
        content.insert(content.end(), begin, begin + file.gcount());
    } while (file);
    if (file.bad())
        return io_error(path, "can't be read");
    return content;
}

static Status write_in_place(const fs::path& path, std::span<const std::byte> content)
{
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file)
        return io_error(path.string(), "can't be opened for writing");
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
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
