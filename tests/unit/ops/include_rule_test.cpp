// This file tests that layers point one way. A table tells what each folder may include, and every #include of the tree is
// checked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kit/source_path.h"
#include "kit/temporary_folder.h"

namespace {

namespace fs = std::filesystem;

// A rule tells what the files of a folder may include. They may all include standard headers. A word without a delimiter names a
// group: "tools" is any header of tools/, and the others are listed below. "<vkonnx/" is every public header but vulkan.hpp and
// vulkan.h, which bring Vulkan's own.
struct Rule {
    std::string_view folder;  // the longest one that fits counts
    std::vector<std::string_view> may_begin;
};

// clang-format off
const std::vector<Rule> rules = {
    {"include/",    {"<vkonnx/"}},
    {"src/guard.h", {"<vkonnx/"}},
    {"src/halves.h", {}},
    {"include/vkonnx/vulkan.hpp", {"<vkonnx/", "<vulkan/vulkan_core.h>"}},
    {"include/vkonnx/vkonnx.h", {}},
    {"include/vkonnx/vkonnx.hpp", {"<vkonnx/"}},
    {"include/vkonnx/onnx.h", {"<vkonnx/vkonnx.h>"}},
    {"include/vkonnx/onnx.hpp", {"<vkonnx/"}},
    {"include/vkonnx/vulkan.h", {"<vkonnx/vkonnx.h>", "<vulkan/vulkan_core.h>"}},
    {"src/ops/",    {"<vkonnx/", "\"guard.h\"", "\"ops/", "\"return_if_error.h\""}},
    {"src/plan/core/", {"<vkonnx/", "\"halves.h\"", "\"ops/", "\"plan/core/", "\"shaders/library/", "\"shaders/probes/", "\"kernels.h\"", "\"modules.h\"", "\"return_if_error.h\""}},
    {"src/plan/engines/", {"<vkonnx/", "\"halves.h\"", "\"ops/", "\"plan/core/", "\"plan/engines/", "\"shaders/library/", "\"shaders/engines/", "\"kernels.h\"", "\"modules.h\"", "\"return_if_error.h\""}},
    {"src/plan/operators/", {"<vkonnx/", "\"halves.h\"", "\"ops/", "\"plan/", "\"shaders/", "\"kernels.h\"", "\"modules.h\"", "\"return_if_error.h\""}},
    {"src/gpu/",    {"<vkonnx/", "<vkonnx/vulkan.hpp>", "\"gpu/", "\"plan/core/plan.h\"", "\"shaders/library/bindings.h\"", "\"kernels.h\"", "<vulkan/", "<unistd.h>", "\"return_if_error.h\""}},
    {"src/gpu/cache_folder.cpp", {"<vkonnx/", "\"gpu/", "<unistd.h>", "<fcntl.h>", "<io.h>", "<share.h>", "<sys/", "\"return_if_error.h\""}},
    {"src/gpu/volk.h", {"\"volk_names.h\"", "<volk.h>"}},
    {"src/gpu/volk.cpp", {"\"gpu/volk.h\"", "<volk.c>"}},
    {"src/api/",    {"<vkonnx/", "<vkonnx/vulkan.hpp>", "\"guard.h\"", "\"api/", "\"ops/", "\"plan/", "\"gpu/", "\"kernels.h\"", "\"return_if_error.h\""}},
    {"src/graph/",  {"<vkonnx/", "\"guard.h\"", "\"halves.h\"", "\"graph/", "\"return_if_error.h\""}},
    {"src/onnx/",   {"<vkonnx/", "\"guard.h\"", "\"onnx/", "\"graph/", "<protozero/", "\"return_if_error.h\""}},
    {"src/onnxruntime/", {"<vkonnx/", "\"onnxruntime/", "<protozero/", "\"return_if_error.h\""}},
    {"src/onnxruntime/runtime.h", {"<vkonnx/", "<onnxruntime_c_api.h>"}},
    {"src/c/",      {"<vkonnx/", "\"guard.h\"", "\"c/handles.h\"", "\"return_if_error.h\""}},
    {"src/c/vulkan.cpp", {"<vkonnx/", "<vkonnx/vulkan.h>", "<vkonnx/vulkan.hpp>", "\"c/handles.h\"", "\"return_if_error.h\""}},
    {"src/c/onnx/", {"<vkonnx/", "\"guard.h\"", "\"c/", "\"return_if_error.h\""}},
    {"shaders/library/", {"\"shaders/library/"}},
    {"shaders/engines/", {"\"shaders/library/", "\"shaders/engines/"}},
    {"shaders/operators/", {"\"shaders/library/", "\"shaders/engines/", "\"shaders/operators/"}},
    {"shaders/probes/", {"\"shaders/library/", "\"shaders/engines/", "\"shaders/probes/"}},
    {"shaders/test/", {"\"shaders/"}},
    {"tools/",      {"<vkonnx/", "\"kit/", "\"bench/", "system", "libraries", "tools"}},
    {"tools/gpus/", {"<"}},
    {"tools/gpus/capabilities.cpp", {"\"gpu/instance.h\""}},  // built beside the library, of its sources
    {"tests/",      {"<vkonnx/", "<vkonnx/vulkan.hpp>", "\"kit/", "system", "libraries", "<vulkan/", "<protozero/"}},
    {"tests/gpu/",  {"<vkonnx/", "<vkonnx/vulkan.hpp>", "\"kit/", "\"examples/", "\"binary64_test.spv.h\"", "\"integers_test_", "\"functions_test.spv.h\"", "\"shaders/library/", "system", "libraries", "<vulkan/", "<protozero/", "<xmmintrin.h>"}},
    {"tests/faults/", {"<vkonnx/", "<vkonnx/vulkan.hpp>", "\"kit/", "\"examples/", "\"gpu/case_devices.h\"", "\"isolate.h\"", "system", "libraries", "<vulkan/"}},
    {"tests/c/", {"<vkonnx/vkonnx.h>", "<vkonnx/onnx.h>", "<vkonnx/vulkan.h>", "<dlfcn.h>"}},
    {"examples/run_in_onnxruntime.c", {"<onnxruntime_c_api.h>"}},
    {"examples/", {"<vkonnx/", "<vkonnx/vulkan.hpp>", "<vulkan/", "system"}},
    {"tests/consumers/", {"<vkonnx/", "<vulkan/", "<volk.h>", "system"}},
    {"tests/unit/", {"<vkonnx/", "\"kit/", "system", "libraries", "<vulkan/", "<protozero/", "\"ops/", "\"plan/", "\"shaders/", "\"kernels.h\"", "\"modules.h\"", "\"kernel_operators.h\"", "\"tests/unit/plan/tile_test_constants.h\"", "\"tile_test_"}},
    {"tests/unit/graph/", {"<vkonnx/", "\"kit/draw.h\"", "system", "libraries", "\"graph/"}},
    {"tests/unit/gpu/", {"<vkonnx/", "\"kit/draw.h\"", "\"kit/source_path.h\"", "\"kit/temporary_folder.h\"", "system", "libraries", "\"gpu/cache_folder.h\"", "\"gpu/cache_format.h\"", "\"gpu/cooperative_matrix.h\"", "\"gpu/float_controls.h\"", "\"gpu/fuse_products.h\"", "\"gpu/offset_allocator.h\"", "\"gpu/specialize.h\"", "\"kernels.h\""}},
    {"tests/unit/onnxruntime/", {"<vkonnx/", "\"kit/draw.h\"", "system", "libraries", "\"onnxruntime/groups.h\"", "\"onnxruntime/options.h\""}},
    {"tests/bench/", {"<vkonnx/", "\"kit/", "\"bench/", "\"tools/process.h\"", "system", "libraries", "tools"}},
    {"tests/tools/", {"<vkonnx/", "\"kit/", "system", "libraries", "<vulkan/", "tools"}},
    {"tests/fuzz/", {"<vkonnx/", "\"kit/", "system", "libraries", "<vulkan/", "<protozero/", "\"ops/", "\"plan/"}},
};
// Only executables may use these.
const std::vector<std::string_view> system_headers = {"<unistd.h>", "<fcntl.h>", "<io.h>", "<signal.h>", "<dlfcn.h>", "<fnmatch.h>", "<poll.h>", "<pthread.h>", "<spawn.h>", "<sys/", "<windows.h>"};
const std::vector<std::string_view> libraries = {"<CLI/", "<nlohmann/", "<gtest/", "<gmock/", "<benchmark/", "<stb", "\"stb"};
// clang-format on

// These are the floors within src/gpu, the lowest first. A file includes its own header and those of the floors below.
const std::vector<std::vector<std::string_view>> gpu_floors = {
    {"cooperative_matrix", "volk"},  // what older Vulkan headers lack, and Vulkan's loader
    {"functions", "features", "float_controls", "offset_allocator", "cache_format", "cache_folder"},
    {"instance", "fuse_products", "specialize", "persistent_cache"},
    {"physical_device", "select", "device"},
    {"commands", "pool", "pipeline"},
    {"memory", "timestamps", "compiled"},
    {"transfer"},
    {"recorder"},
    {"execution"},
    {"staging", "host_copies"},
    {"packing"},
    {"open"},  // makes a Device of Pool, PipelineCache and Transfer, which device.h only names
};

bool begins_with_any(std::string_view text, const std::vector<std::string_view>& beginnings)
{
    return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view start) {
        return text.starts_with(start) && (start != "<vkonnx/" || !text.starts_with("<vkonnx/vulkan.h"));
    });
}

// Tells whether a header is standard, such as <vector> or <stdint.h>, but not <vulkan/vulkan.h> or <volk.h>.
bool is_standard(std::string_view include)
{
    const std::vector<std::string_view> c_headers = {"<assert.h>", "<math.h>",  "<stdbool.h>", "<stddef.h>",
                                                     "<stdint.h>", "<stdio.h>", "<stdlib.h>",  "<string.h>"};
    const bool bare = include.front() == '<' && include.find_first_of("./") == std::string_view::npos;
    return bare || begins_with_any(include, c_headers);
}

// Returns what follows #include in a line with its delimiters, or nothing where there is no such directive.
std::optional<std::string> included(std::string_view line)
{
    const auto skip = [&] {
        while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())))
            line.remove_prefix(1);
    };
    skip();
    if (!line.starts_with('#'))
        return {};
    line.remove_prefix(1);
    skip();
    if (!line.starts_with("include"))
        return {};
    line.remove_prefix(7);
    skip();
    const char closing = line.starts_with('<') ? '>' : '"';
    const size_t end = line.find(closing, 1);
    if (line.empty() || (line.front() != '<' && line.front() != '"') || end == std::string_view::npos)
        return std::string(line);  // a macro, which no folder may include
    return std::string(line.substr(0, end + 1));
}

const Rule* rule_for(std::string_view file)
{
    const Rule* found = nullptr;
    for (const Rule& rule : rules)
        if (file.starts_with(rule.folder) && (!found || rule.folder.size() > found->folder.size()))
            found = &rule;
    return found;
}

// Tells whether the include is a "name.h" without a folder that lies in this folder.
bool is_header_in(const fs::path& folder, std::string_view include)
{
    if (include.front() != '"' || include.find('/') != std::string_view::npos)
        return false;
    return fs::exists(folder / include.substr(1, include.size() - 2));
}

// Returns the floor of a file, or nothing where the floors don't know it.
std::optional<size_t> floor_of(std::string_view stem)
{
    for (size_t floor = 0; floor < gpu_floors.size(); ++floor)
        if (std::find(gpu_floors[floor].begin(), gpu_floors[floor].end(), stem) != gpu_floors[floor].end())
            return floor;
    return {};
}

// Tells whether a file of src/gpu includes a header of its own floor or of one above.
bool reaches_up(std::string_view file, std::string_view include)
{
    if (!file.starts_with("src/gpu/") || include.front() != '"' ||
        (include.find('/') != std::string_view::npos && !include.starts_with("\"gpu/")))
        return false;
    const std::string from = fs::path(file).stem().string();
    const std::string to = fs::path(include.substr(1, include.size() - 2)).stem().string();
    const bool is_ours = include.starts_with("\"gpu/") || floor_of(to);
    return is_ours && from != to && (!floor_of(from) || !floor_of(to) || *floor_of(to) >= *floor_of(from));
}

// Returns the sentence that refuses a line of a file (its path from the root, with '/'), or "" where the line is fine.
std::string violation(const fs::path& root, std::string_view file, std::string_view line)
{
    const std::optional<std::string> include = included(line);
    if (!include)
        return {};
    const Rule* rule = rule_for(file);
    if (!rule)
        return std::string(file) + " is in a folder that the table does not know";
    const auto lists = [&](std::string_view word) {
        return std::find(rule->may_begin.begin(), rule->may_begin.end(), word) != rule->may_begin.end();
    };
    const bool climbs = include->find("..") != std::string::npos;
    if (!climbs && !include->empty() &&
        (begins_with_any(*include, rule->may_begin) || is_standard(*include) ||
         is_header_in((root / file).parent_path(), *include) || (lists("tools") && is_header_in(root / "tools", *include)) ||
         (lists("system") && begins_with_any(*include, system_headers)) ||
         (lists("libraries") && begins_with_any(*include, libraries))))
        return reaches_up(file, *include) ? std::string(file) + " must not include " + *include + ", which is no floor below"
                                          : std::string();
    return std::string(file) + " must not include " + *include;
}

struct Walk {
    size_t files = 0;
    size_t includes = 0;
    std::vector<std::string> violations;
};

Walk walk(const fs::path& root)
{
    Walk found;
    for (const char* top : {"include", "src", "shaders", "tools", "tests", "examples"}) {
        if (!fs::exists(root / top))
            continue;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
            const std::string extension = entry.path().extension().string();
            if (!entry.is_regular_file() || (extension != ".h" && extension != ".hpp" && extension != ".c" &&
                                             extension != ".cpp" && extension != ".comp" && extension != ".glsl"))
                continue;
            ++found.files;
            const std::string file = entry.path().lexically_relative(root).generic_string();
            std::ifstream stream(entry.path());
            for (std::string line; std::getline(stream, line);) {
                found.includes += included(line).has_value();
                if (std::string refused = violation(root, file, line); !refused.empty())
                    found.violations.push_back(std::move(refused));
            }
        }
    }
    return found;
}

const fs::path source_dir = vkonnx::kit::source_path(".");

}  // namespace

TEST(IncludeRule, TheTreeKeepsIt)
{
    const Walk found = walk(source_dir);
    EXPECT_GT(found.files, 20u);
    EXPECT_GT(found.includes, 100u);
    for (const std::string& refused : found.violations)
        ADD_FAILURE() << refused;
}

TEST(IncludeRule, RefusesWhatTheTableForbids)
{
    const std::vector<std::pair<std::string_view, std::string_view>> table = {
        {"include/vkonnx/vkonnx.hpp", "#include <vulkan/vulkan_core.h>"},
        {"include/vkonnx/vkonnx.hpp", "#include <vkonnx/vulkan.hpp>"},
        {"include/vkonnx/vulkan.hpp", "#include <vulkan/vulkan.h>"},
        {"src/ops/shape.cpp", "#include <vkonnx/vulkan.hpp>"},
        {"src/ops/shape.cpp", "#include <vulkan/vulkan_core.h>"},
        {"src/ops/shape.cpp", "#include \"plan/core/plan.h\""},
        {"src/ops/shape.cpp", "#include \"kernels.h\""},
        {"src/ops/shape.cpp", "  #  include \"gpu/device.h\"  // why not"},
        {"src/ops/shape.cpp", "#include \"../plan/plan.h\""},
        {"src/ops/shape.cpp", "#include <../plan/plan.h>"},
        {"src/ops/shape.cpp", "#include \"ops/../plan/plan.h\""},
        {"src/ops/shape.cpp", "#include \"no_such_neighbour.h\""},
        {"src/ops/shape.cpp", "#include SOME_MACRO"},
        {"src/plan/core/plan.cpp", "#include <vulkan/vulkan.h>"},
        {"src/plan/core/plan.cpp", "#include \"gpu/device.h\""},
        {"src/plan/core/plan.cpp", "#include \"plan/engines/gather.h\""},
        {"src/plan/engines/gather.cpp", "#include \"plan/operators/operators.h\""},
        {"src/plan/engines/gather.cpp", "#include \"shaders/operators/cast/cast_constants.h\""},
        {"shaders/library/store.glsl", "#include \"shaders/engines/gather/gather.glsl\""},
        {"shaders/engines/gather/gather.glsl", "#include \"shaders/operators/cast/cast_constants.h\""},
        {"src/plan/core/plan.cpp", "#include \"guard.h\""},
        {"src/gpu/device.cpp", "#include \"guard.h\""},
        {"src/guard.h", "#include \"ops/geometry.h\""},
        {"src/plan/core/plan.cpp", "#include <dlfcn.h>"},
        {"src/gpu/device.cpp", "#include <volk.h>"},
        {"src/gpu/device.cpp", "#include \"ops/geometry.h\""},
        {"src/gpu/device.cpp", "#include \"plan/operators/operators.h\""},
        {"src/gpu/device.cpp", "#include \"shaders/engines/gather/gather.h\""},
        {"src/gpu/device.cpp", "#include \"shaders/library/plain_constants.h\""},
        {"src/gpu/device.cpp", "#include \"shaders/probes/self_test.h\""},
        {"src/gpu/device.cpp", "#include \"api/opening.h\""},
        {"src/gpu/device.cpp", "#include \"gpu/pool.h\""},
        {"src/gpu/device.h", "#include \"transfer.h\""},
        {"src/gpu/memory.cpp", "#include \"gpu/transfer.h\""},
        {"src/gpu/pool.cpp", "#include \"gpu/pipeline.h\""},
        {"src/gpu/pool.cpp", "#include \"gpu/not_in_the_list.h\""},
        {"src/gpu/not_in_the_list.cpp", "#include \"gpu/device.h\""},
        {"src/api/device.cpp", "#include \"onnx/build.h\""},
        {"src/api/device.cpp", "#include \"graph/graph.h\""},
        {"src/graph/session.cpp", "#include \"onnx/build.h\""},
        {"src/graph/session.cpp", "#include \"plan/core/plan.h\""},
        {"src/graph/session.cpp", "#include \"gpu/device.h\""},
        {"src/graph/session.cpp", "#include <vkonnx/vulkan.hpp>"},
        {"src/graph/session.cpp", "#include <protozero/pbf_reader.hpp>"},
        {"src/onnx/build.cpp", "#include \"plan/core/plan.h\""},
        {"src/onnx/build.cpp", "#include \"gpu/device.h\""},
        {"src/onnx/build.cpp", "#include \"ops/geometry.h\""},
        {"src/onnx/build.cpp", "#include <google/protobuf/message.h>"},
        {"include/vkonnx/vkonnx.h", "#include <vkonnx/vkonnx.hpp>"},
        {"include/vkonnx/onnx.h", "#include <vkonnx/vulkan.h>"},
        {"src/c/device.cpp", "#include <vkonnx/vulkan.h>"},
        {"src/c/device.cpp", "#include \"c/onnx/handles.h\""},
        {"src/c/device.cpp", "#include \"gpu/device.h\""},
        {"src/c/onnx/model.cpp", "#include \"graph/graph.h\""},
        {"tests/c/devices.c", "#include <vkonnx/vkonnx.hpp>"},
        {"tools/vkonnx.cpp", "#include \"ops/geometry.h\""},
        {"tools/vkonnx.cpp", "#include \"../src/ops/geometry.h\""},
        {"tools/vkonnx.cpp", "#include <vulkan/vulkan.h>"},
        {"tools/vkonnx.cpp", "#include <vkonnx/vulkan.hpp>"},
        {"tests/unit/ops/shape_test.cpp", "#include \"cli.h\""},
        {"tests/tools/cli_test.cpp", "#include \"ops/geometry.h\""},
        {"src/onnx/build.cpp", "#include \"cli.h\""},
        {"tests/kit/reference.cpp", "#include \"ops/geometry.h\""},
        {"tests/gpu/cases_test.cpp", "#include \"gpu/device.h\""},
        {"tests/unit/plan/a_test.cpp", "#include \"gpu/device.h\""},
        {"elsewhere/a.cpp", "#include <vector>"},
    };
    for (const auto& [file, line] : table)
        EXPECT_NE(violation(source_dir, file, line), "") << file << " took " << line;
    EXPECT_EQ(violation(source_dir, "src/ops/shape.cpp", "#include \"plan/core/plan.h\""),
              "src/ops/shape.cpp must not include \"plan/core/plan.h\"");
    EXPECT_EQ(violation(source_dir, "src/gpu/memory.cpp", "#include \"gpu/transfer.h\""),
              "src/gpu/memory.cpp must not include \"gpu/transfer.h\", which is no floor below");
}

TEST(IncludeRule, AcceptsWhatTheTableAllows)
{
    const std::vector<std::pair<std::string_view, std::string_view>> table = {
        {"src/ops/shape.cpp", "#include <vector>"},
        {"src/ops/shape.cpp", "#include <stdint.h>"},
        {"src/ops/shape.cpp", "#include \"ops/geometry.h\""},
        {"src/ops/shape.cpp", "#include \"geometry.h\""},
        {"src/ops/shape.cpp", "// #include <vulkan/vulkan.h>"},
        {"src/ops/shape.cpp", "#if include"},
        {"src/plan/core/plan.h", "#include \"kernels.h\""},
        {"src/plan/operators/shape.cpp", "#include \"shaders/operators/conv_transpose/conv_transpose_constants.h\""},
        {"src/plan/core/plan.h", "#include <vkonnx/vkonnx.hpp>"},
        {"src/gpu/device.cpp", "#include <vulkan/vulkan.h>"},
        {"src/gpu/device.cpp", "#include \"plan/core/plan.h\""},
        {"src/gpu/memory.cpp", "#include \"gpu/memory.h\""},
        {"src/gpu/transfer.h", "#include \"gpu/memory.h\""},
        {"src/gpu/open.cpp", "#include \"gpu/transfer.h\""},
        {"src/gpu/pipeline.cpp", "#include \"shaders/library/bindings.h\""},
        {"src/api/device.cpp", "#include \"gpu/device.h\""},
        {"src/api/interop.cpp", "#include <vkonnx/vulkan.hpp>"},
        {"include/vkonnx/vulkan.hpp", "#include <vulkan/vulkan_core.h>"},
        {"tests/gpu/binary64_test.cpp", "#include \"binary64_test.spv.h\""},
        {"src/onnx/build.cpp", "#include <protozero/pbf_reader.hpp>"},
        {"tests/gpu/integers_test.cpp", "#include \"integers_test_i8.spv.h\""},
        {"src/onnx/session.cpp", "#include \"guard.h\""},
        {"src/c/device.cpp", "#include \"c/handles.h\""},
        {"src/c/vulkan.cpp", "#include <vkonnx/vulkan.h>"},
        {"src/c/onnx/model.cpp", "#include \"c/onnx/handles.h\""},
        {"include/vkonnx/vkonnx.h", "#include <stdbool.h>"},
        {"tools/vkonnx.cpp", "#include <CLI/CLI.hpp>"},
        {"tests/unit/ops/shape_test.cpp", "#include \"ops/geometry.h\""},
        {"tests/tools/cli_test.cpp", "#include \"cli.h\""},
    };
    for (const auto& [file, line] : table)
        EXPECT_EQ(violation(source_dir, file, line), "") << line;
}

// Tests the walk itself on a small tree with one bad line deep inside.
TEST(IncludeRule, TheWalkFindsAnInventedBadLine)
{
    const vkonnx::kit::TemporaryFolder folder;
    const fs::path& root = folder.path();
    fs::create_directories(root / "src" / "ops" / "deep");
    std::ofstream(root / "src" / "ops" / "good.cpp") << "#include <vector>\n#include \"ops/geometry.h\"\n";
    std::ofstream(root / "src" / "ops" / "deep" / "bad.h") << "#pragma once\n#include <vector>\n#include <vulkan/vulkan.h>\n";
    std::ofstream(root / "src" / "ops" / "notes.txt") << "#include <vulkan/vulkan.h>\n";
    const Walk found = walk(root);
    EXPECT_EQ(found.files, 2u);
    EXPECT_EQ(found.includes, 4u);
    EXPECT_EQ(found.violations, std::vector<std::string>{"src/ops/deep/bad.h must not include <vulkan/vulkan.h>"});
}

// `#pragma once` knows a header by its bytes. An application may precompile our headers, and ccache gives it back a precompiled
// header that was made when a comment of ours was another: then the same classes are read twice, and nothing compiles. A guard is
// known by name.
TEST(IncludeRule, PublicHeadersHaveGuards)
{
    int headers = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source_dir / "include" / "vkonnx")) {
        if (!entry.is_regular_file())
            continue;
        ++headers;
        const fs::path name = entry.path().filename();
        const std::string folder = entry.path().parent_path().filename() == "operators" ? "OPERATORS_" : "";
        std::string guard = "VKONNX_" + folder + name.stem().string() + "_" + name.extension().string().substr(1);
        std::ranges::transform(guard, guard.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        EXPECT_NE(text.find("\n#ifndef " + guard + "\n#define " + guard + "\n"), std::string::npos)
            << name << " lacks the guard " << guard;
        EXPECT_EQ(text.find("#pragma once"), std::string::npos) << name;
    }
    EXPECT_GE(headers, 17);
}
