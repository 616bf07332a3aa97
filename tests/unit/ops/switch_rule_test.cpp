// This file tests that no switch over the kinds of a family of operators has a default, so that the compiler finds each switch
// that a new kind is missing in.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "kit/source_path.h"

namespace vkonnx {
namespace {

namespace fs = std::filesystem;

constexpr const char* families[] = {"ElementwiseKind", "LogicKind", "RecurrentKind", "ReductionKind"};

size_t indent_of(const std::string& line)
{
    return line.find_first_not_of(' ');
}

// Returns the numbers of the lines that are a default of such a switch. By the layout of .clang-format a switch's labels stand
// below its own first letter.
std::vector<size_t> defaults_of_kinds(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    std::vector<size_t> found;
    for (size_t at = 0; at < lines.size(); ++at) {
        const size_t indent = indent_of(lines[at]);
        if (indent == std::string::npos || lines[at].compare(indent, 8, "default:") != 0)
            continue;
        const std::string margin(indent, ' ');
        for (size_t above = at; above-- > 0 && !lines[above].starts_with(margin + "switch (");)
            if (std::ranges::any_of(
                    families, [&](const char* family) { return lines[above].starts_with(margin + "case " + family + "::"); })) {
                found.push_back(at + 1);
                break;
            }
    }
    return found;
}

TEST(SwitchRule, KindsHaveNoDefault)
{
    size_t files = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kit::source_path("src"))) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h")
            continue;
        ++files;
        std::ifstream file(entry.path());
        std::stringstream text;
        text << file.rdbuf();
        for (const size_t line : defaults_of_kinds(text.str()))
            ADD_FAILURE() << entry.path().string() << ":" << line << ": a default in a switch over kinds of operators";
    }
    EXPECT_GT(files, 100u);
}

TEST(SwitchRule, NoticesADefault)
{
    const std::string other = "    switch (type) {\n    case DType::int8:\n        break;\n    default:\n        break;\n    }\n";
    const std::string kinds = "    switch (kind) {\n    case ElementwiseKind::add:\n        return {1, n};\n    default:\n";
    EXPECT_EQ(defaults_of_kinds(other), std::vector<size_t>{});
    EXPECT_EQ(defaults_of_kinds(other + kinds + other), std::vector<size_t>{10});
    EXPECT_EQ(defaults_of_kinds("    switch (kind) {\n    case LogicKind::where:\n    default:\n"), std::vector<size_t>{3});
}

}  // namespace
}  // namespace vkonnx
