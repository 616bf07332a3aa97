// SPDX-License-Identifier: Apache-2.0
#include "external.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "graph/quote.h"
#include "return_if_error.h"

namespace vkonnx::onnx {

namespace {

namespace fs = std::filesystem;
using graph::quote;

Status io_error(const ExternalData& data, const std::string& why)
{
    return Status(Code::io, "cannot read " + quote(data.location) + ": " + why);
}

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool has_parent(std::string_view location)
{
    for (size_t begin = 0; begin <= location.size();) {
        const size_t end = std::min(location.find('/', begin), location.size());
        if (location.substr(begin, end - begin) == "..")
            return true;
        begin = end + 1;
    }
    return false;
}

// Tells whether the file is below the folder. Both paths must be without links.
bool is_below(const fs::path& file, const fs::path& folder)
{
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

// Returns the path of the file itself, behind all links.
Result<fs::path> find(const ExternalFolder& folder, const ExternalData& data)
{
    std::error_code error;
    const fs::path home = fs::canonical(folder.path, error);
    if (error)
        return io_error(data, "its folder: " + error.message());
    fs::path name;
    try {
        name = std::u8string(data.location.begin(), data.location.end());
    } catch (const std::system_error&) {  // where the system's names are no bytes
        return Status(Code::invalid_argument, "the location " + quote(data.location) + " of its external data is no UTF-8");
    }
    const fs::path file = fs::canonical(home / name, error);
    if (error)
        return io_error(data, error == std::errc::no_such_file_or_directory ? "no such file" : error.message());
    bool is_inside = is_below(file, home);
    if (!is_inside && !folder.behind_link.empty()) {
        const fs::path behind = fs::canonical(folder.behind_link, error);
        is_inside = !error && is_below(file, behind);
    }
    if (!is_inside)
        return Status(Code::invalid_argument,
                      "the location " + quote(data.location) + " of its external data is a link that leads out of the folder");
    if (!fs::is_regular_file(file, error))  // before it is opened: a pipe would wait for its other end
        return io_error(data, "it is not a regular file");
    const uint64_t size = fs::file_size(file, error);
    if (error)
        return io_error(data, error.message());
    if (data.offset + data.bytes > size)
        return io_error(data, "it has " + std::to_string(size) + " bytes, but " + std::to_string(data.bytes) + " from byte " +
                                  std::to_string(data.offset) + " on are wanted");
    return file;
}

}  // namespace

ExternalFolder ExternalFolder::named(const std::string& folder)
{
    std::error_code error;
    return {.path = folder.empty() ? fs::path() : fs::absolute(folder, error)};
}

ExternalFolder ExternalFolder::of_model(const std::string& path)
{
    std::error_code error;
    ExternalFolder folder = {.path = fs::absolute(path, error).parent_path()};
    if (fs::is_symlink(path, error))
        folder.behind_link = fs::canonical(path, error).parent_path();
    return folder;
}

std::string wrong_location(std::string_view location)
{
    if (location.empty())
        return "is empty";
    if (location.find('\0') != std::string_view::npos)
        return "has a zero byte in it";
    // A backslash is a separator on one system and a part of the name on others. No model should depend on it.
    if (location.find('\\') != std::string_view::npos)
        return "has a backslash in it";
    if (location[0] == '/')
        return "is absolute";
    if (location.size() > 1 && is_letter(location[0]) && location[1] == ':')
        return "names a drive";
#ifdef _WIN32
    if (location.find(':') != std::string_view::npos)
        return "names a stream of a file";
#endif
    if (has_parent(location))
        return "has '..' in it";
    return {};
}

Status check_external(const ExternalFolder& folder, const ExternalData& data)
{
    return find(folder, data).status();
}

Status read_external(const ExternalFolder& folder, const ExternalData& data, uint64_t from, std::span<std::byte> to)
{
    const Result<fs::path> path = find(folder, data);
    VKONNX_RETURN_IF_ERROR(path.status());
    errno = 0;
    std::ifstream file(*path, std::ios::binary);
    if (!file)
        return io_error(data, std::generic_category().message(errno));
    file.seekg(std::streamoff(data.offset + from));
    file.read(reinterpret_cast<char*>(to.data()), std::streamsize(to.size()));
    if (uint64_t(file.gcount()) != to.size())
        return io_error(data, "it ended " + std::to_string(to.size() - uint64_t(file.gcount())) + " bytes too early");
    return {};
}

}  // namespace vkonnx::onnx
