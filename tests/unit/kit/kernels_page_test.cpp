// docs/kernels.md has a row for every kernel that the library lists, with the types that it is compiled for and whether it keeps
// the order of the sum. What the library has is asked of it by every line of the case lists, and each kernel fits one of them.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "kit/cases.h"
#include "kit/source_path.h"

namespace vkonnx::kit {
namespace {

struct KernelRow {
    std::set<std::string> types = {};
    bool keeps_order = true;

    friend bool operator==(const KernelRow&, const KernelRow&) = default;
};

using Rows = std::map<std::string, KernelRow>;

std::string text_of(const Rows& rows)
{
    std::string text;
    for (const auto& [name, row] : rows) {
        text += name + ":";
        for (const std::string& type : row.types)
            text += " " + type;
        text += row.keeps_order ? ", keeps the order\n" : ", another order\n";
    }
    return text;
}

// Returns the texts between the bars of a line.
std::vector<std::string> columns_of(const std::string& line)
{
    std::vector<std::string> columns;
    for (size_t at = line.find('|'); at != std::string::npos;) {
        const size_t next = line.find('|', at + 1);
        if (next != std::string::npos)
            columns.push_back(line.substr(at + 2, next - at - 3));
        at = next;
    }
    return columns;
}

// Reads the rows of the page, such as "| `name` | what it runs | f32, f16 | yes |".
Rows rows_of_the_page()
{
    std::ifstream page(source_path("docs/kernels.md"));
    EXPECT_TRUE(page);
    Rows rows;
    for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("| `"))
            continue;
        const std::vector<std::string> columns = columns_of(line);
        if (columns.size() != 4) {
            ADD_FAILURE() << line;
            continue;
        }
        KernelRow row = {.keeps_order = columns[3] == "yes"};
        std::istringstream types(columns[2]);
        for (std::string type; std::getline(types >> std::ws, type, ',');)
            row.types.insert(type);
        const std::string name = columns[0].substr(1, columns[0].size() - 2);
        EXPECT_TRUE(rows.emplace(name, row).second) << name << " is there twice";
    }
    return rows;
}

// Returns a device with doubles, one without and one with cooperative matrices, because there are kernels for each.
std::vector<Capabilities> devices()
{
    Capabilities without;
    without.max_storage_buffers = 5;  // which a bias of DotProductAttention and zero points need
    Capabilities with = without;
    with.float64 = true;
    return {with, without, *Capabilities::preset("nvidia-turing")};
}

// Adds a problem's kernels to the rows, and to `fitting` those that fit it. A kernel has the problem's type unless it says that
// it is not compiled for it.
void add_rows(const Case& problem, const Capabilities& device, Rows& rows, std::set<std::string>& fitting)
{
    const auto listed = kernels(problem.attributes, problem.inputs, device);
    const auto explained = explain(problem.attributes, problem.inputs, device);
    ASSERT_TRUE(listed && explained) << to_string(problem) << ": " << listed.message() << explained.message();
    const bool is_soft = explained->kernel.ends_with("_soft");
    const std::string type = is_soft ? "f64_soft" : explained->kernel.substr(explained->kernel.rfind('_') + 1);
    for (const KernelInfo& kernel : *listed) {
        KernelRow& row = rows[kernel.name];
        row.keeps_order = kernel.keeps_order;
        if (kernel.unfit != "it is not compiled for " + type)
            row.types.insert(type);
        if (kernel.unfit.empty())
            fitting.insert(kernel.name);
    }
}

TEST(KernelsPage, HasEveryKernelWithItsTypes)
{
    const Result<std::vector<Case>> cases = load_all_cases();
    ASSERT_TRUE(cases) << cases.message();
    Rows rows;
    std::set<std::string> fitting;
    for (const Capabilities& device : devices())
        for (const Case& problem : *cases)
            ASSERT_NO_FATAL_FAILURE(add_rows(problem, device, rows, fitting));
    rows.erase("conv_transpose_columns");  // the tests' own, which a shared library has where the tests are built
    EXPECT_EQ(text_of(rows_of_the_page()), text_of(rows));
    for (const auto& [name, row] : rows)
        EXPECT_TRUE(fitting.contains(name)) << name << " fits no line of the case lists";
}

}  // namespace
}  // namespace vkonnx::kit
