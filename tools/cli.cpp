#include "cli.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

namespace vkonnx::tools {

std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv, const std::string& version)
{
    app.set_version_flag("--version", version);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 has an exit code for each kind of mistake. The tools have one for all.
        std::ostringstream out, err;
        const int code = app.exit(error, out, err);
        std::cout << visible_lines(out.str());
        std::cerr << visible_lines(err.str());
        return code == 0 ? exit_done : exit_usage;
    }
    return std::nullopt;
}

CLI::Option* add_device_option(CLI::App& app, std::string& select)
{
    // CLI11's envname isn't used, because it would count the variable as the flag, which --all-devices excludes.
    if (const char* variable = std::getenv("VKONNX_DEVICE"))
        select = variable;
    return app.add_option("--device", select,
                          "An index, gpu, cpu, gpu:1, uuid:... or a part of the name (default: VKONNX_DEVICE, else the best)");
}

CLI::Option* add_rules_option(CLI::App& app, Rules& rules)
{
    std::map<std::string, Rules> names;
    for (const Spelling<Rules>& one : rules_words)
        names.emplace(one.word, one.value);
    return app.add_option("--rules", rules, "Whose answer to give where ONNX Runtime differs from the operator's document")
        ->transform(CLI::Transformer(names).description(""))  // else the help lists the enum's bytes
        ->type_name("specification|onnxruntime");
}

CLI::Validator finite_number()
{
    return CLI::Validator(
        [](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            return std::isfinite(value) && end != text.c_str() && *end == '\0' ? "" : "\"" + text + "\" is no finite number";
        },
        "");
}

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
