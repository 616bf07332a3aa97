#include "cli.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace vkonnx::tools {

int exit_code_without_device(const Status& status)
{
    return status.code() == Code::invalid_argument ? exit_usage : exit_nothing;
}

int fail(int code, std::string_view message)
{
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", visible(message).c_str());
    return code;
}

Result<std::vector<int64_t>> parse_dims(std::string_view text)
{
    const auto refused = [&] {
        return Status(Code::invalid_argument, "\"" + std::string(text) + "\" is no list of sizes such as 1x3x64x64");
    };
    std::vector<int64_t> dims;
    for (size_t at = 0; at < text.size();) {
        const size_t stop = std::min(text.find('x', at), text.size());
        int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + stop, value);
        if (error != std::errc() || end != text.data() + stop || value < 0 || stop + 1 == text.size())
            return refused();
        dims.push_back(value);
        at = stop + 1;
    }
    return dims;
}

std::string dims_text(std::span<const int64_t> dims)
{
    std::string text;
    for (const int64_t dim : dims)
        text += (text.empty() ? "" : "x") + std::to_string(dim);
    return text;
}

Result<std::pair<std::string, std::string>> parse_assignment(std::string_view text)
{
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
        return Status(Code::invalid_argument, "\"" + std::string(text) + "\" is not of the form NAME=VALUE");
    return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

std::string_view kind_text(DeviceKind kind)
{
    switch (kind) {
    case DeviceKind::integrated_gpu:
        return "integrated gpu";
    case DeviceKind::discrete_gpu:
        return "discrete gpu";
    case DeviceKind::virtual_gpu:
        return "virtual gpu";
    case DeviceKind::cpu:
        return "cpu";
    case DeviceKind::other:
        break;
    }
    return "other";
}

std::string version_text(const std::array<uint32_t, 3>& version)
{
    return std::to_string(version[0]) + "." + std::to_string(version[1]) + "." + std::to_string(version[2]);
}

std::string milliseconds_text(double seconds)
{
    if (seconds == 0)
        return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.3f ms", seconds * 1e3);
    return text;
}

void Table::add(std::vector<std::string> row)
{
    for (std::string& cell : row)
        cell = visible(cell);
    rows_.push_back(std::move(row));
}

std::string Table::text(std::string_view indent, const std::vector<size_t>& right) const
{
    std::vector<size_t> widths;
    for (const auto& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
        std::string line(indent);
        for (size_t i = 0; i < row.size(); ++i) {
            const std::string gap(widths[i] - row[i].size(), ' ');
            const bool to_right = std::find(right.begin(), right.end(), i) != right.end();
            line += to_right ? gap + row[i] : row[i] + gap;
            line += "  ";
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

}  // namespace vkonnx::tools
