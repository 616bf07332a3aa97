#include "built_in.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace vkonnx::tools {
namespace {

using kit::Case;

const std::vector<TestCase>& all_tests()
{
    static const Result<std::vector<TestCase>> tests = built_in_cases(Rules::specification);
    static const std::vector<TestCase> none;
    EXPECT_TRUE(tests) << tests.message();
    return tests ? *tests : none;
}

std::map<Cell, std::vector<Case>> by_cell()
{
    std::map<Cell, std::vector<Case>> cells;
    for (const TestCase& test : all_tests())
        cells[*test.cell].push_back(*test.problem);
    return cells;
}

std::vector<Case> lines_of_the_lists()
{
    Result<std::vector<Case>> lines = kit::load_all_cases();
    EXPECT_TRUE(lines) << lines.message();
    return lines ? std::move(*lines) : std::vector<Case>();
}

// Returns the problem as text without its name, with the operator's version that its opset means.
std::string plain_words(Case problem)
{
    problem.name.clear();
    if (int64_t* opset = opset_of(problem.attributes))
        *opset = version_at(kind_of(problem.attributes), *opset);
    return std::string(operator_of(problem)) + kit::to_string(problem);
}

// Each line must run by itself, or as another line that has the same problem.
TEST(BuiltIn, EveryLineOfTheListsRuns)
{
    std::set<std::string> running, problems;
    for (const TestCase& test : all_tests()) {
        running.insert(std::string(operator_of(*test.problem)) + "/" + test.problem->name);
        problems.insert(plain_words(*test.problem));
    }
    const std::vector<Case> lines = lines_of_the_lists();
    ASSERT_GT(lines.size(), 2000u);
    for (const Case& line : lines)
        EXPECT_TRUE(running.count(std::string(operator_of(line)) + "/" + line.name) || problems.count(plain_words(line)))
            << operator_of(line) << " " << line.name;
}

TEST(BuiltIn, CasesAreOfTheirCell)
{
    std::set<std::string> names;
    for (const TestCase& test : all_tests()) {
        EXPECT_TRUE(names.insert(test.name).second) << test.name;
        EXPECT_EQ(test.name, cell_name(*test.cell) + "/" + test.problem->name);
        if (const int64_t* opset = opset_of(std::as_const(test.problem->attributes))) {
            EXPECT_EQ(*opset, test.cell->version);
        }
        EXPECT_EQ(kind_of(test.problem->attributes), test.cell->op) << test.name;
        EXPECT_EQ(test.problem->inputs[0].dtype, test.cell->dtype) << test.name;
        EXPECT_TRUE(kit::resolve(*test.problem)) << test.name;
    }
}

TEST(BuiltIn, EveryCellHasEnough)
{
    const auto cells = by_cell();
    size_t wanted = 0;
    for (const OperatorKind op : all_operators())
        for (const Cell& cell : cells_of(op)) {
            ++wanted;
            ASSERT_TRUE(cells.count(cell)) << cell_name(cell);
            // Shape has no more cases that differ, because without start and end only the rank counts.
            const bool thoroughly =
                op == kind_of(ConvTranspose()) || op == kind_of(AveragePool()) || op == kind_of(onednn::ConvTranspose());
            const size_t least = thoroughly ? 20 : op != kind_of(Shape()) ? 1 : cell.version < 15 ? 8 : 19;
            EXPECT_GE(cells.at(cell).size(), least) << cell_name(cell);
        }
    EXPECT_EQ(cells.size(), wanted);
}

TEST(BuiltIn, NoCellRunsAProblemTwice)
{
    for (const auto& [cell, problems] : by_cell()) {
        std::set<std::string> texts;
        for (Case problem : problems) {
            problem.name.clear();
            EXPECT_TRUE(texts.insert(kit::to_string(problem)).second) << cell_name(cell) << kit::to_string(problem);
        }
    }
}

template <class Attributes>
void expect_in_every_cell(OperatorKind op, const std::string& what, int64_t since,
                          const std::function<bool(const Attributes&, const Case&)>& has)
{
    for (const auto& [cell, problems] : by_cell())
        if (cell.op == op && cell.version >= since) {
            const bool found = std::any_of(problems.begin(), problems.end(), [&](const Case& problem) {
                return has(std::get<Attributes>(problem.attributes), problem);
            });
            EXPECT_TRUE(found) << cell_name(cell) << " has no case with " << what;
        }
}

template <class Attributes>
void expect_common(OperatorKind op)
{
    const auto expect = [op](const char* what, const std::function<bool(const Attributes&, const Case&)>& has) {
        expect_in_every_cell<Attributes>(op, what, 1, has);
    };
    expect("strides", [](const Attributes& a, const Case&) { return !a.strides.empty(); });
    for (const AutoPad word : {AutoPad::same_upper, AutoPad::same_lower, AutoPad::valid})
        expect("an auto_pad", [word](const Attributes& a, const Case&) { return a.auto_pad == word; });
    for (size_t rank = 3; rank <= 8; ++rank)
        expect("a rank", [rank](const Attributes&, const Case& c) { return c.inputs[0].dims.size() == rank; });
    for (const kit::Fill fill : {kit::Fill::any, kit::Fill::specials, kit::Fill::negative_zero})
        expect("a fill", [fill](const Attributes&, const Case& c) { return c.fill == fill; });
}

TEST(BuiltIn, EveryCellSeesEveryAttributeOfItsVersion)
{
    expect_common<ConvTranspose>(kind_of(ConvTranspose()));
    expect_common<AveragePool>(kind_of(AveragePool()));
    expect_common<onednn::ConvTranspose>(kind_of(onednn::ConvTranspose()));
    const auto conv = [](const char* what, const std::function<bool(const ConvTranspose&, const Case&)>& has) {
        expect_in_every_cell<ConvTranspose>(kind_of(ConvTranspose()), what, 1, has);
    };
    conv("pads", [](const auto& a, const Case&) { return !a.pads.empty(); });
    conv("dilations", [](const auto& a, const Case&) { return !a.dilations.empty(); });
    conv("output_padding", [](const auto& a, const Case&) { return !a.output_padding.empty(); });
    conv("output_shape", [](const auto& a, const Case&) { return !a.output_shape.empty(); });
    conv("group", [](const auto& a, const Case&) { return a.group > 1; });
    conv("a bias", [](const auto&, const Case& c) { return c.inputs.size() == 3; });
    conv("channels last", [](const auto&, const Case& c) { return c.inputs[0].layout == Layout::nxc; });
    conv("ONNX Runtime's rules", [](const auto& a, const Case&) { return a.rules == Rules::onnxruntime; });

    const auto pool = [](const char* what, int64_t since, const std::function<bool(const AveragePool&, const Case&)>& has) {
        expect_in_every_cell<AveragePool>(kind_of(AveragePool()), what, since, has);
    };
    pool("pads", 1, [](const auto& a, const Case&) { return !a.pads.empty(); });
    pool("channels last", 1, [](const auto&, const Case& c) { return c.inputs[0].layout == Layout::nxc; });
    pool("count_include_pad", 7, [](const auto& a, const Case&) { return a.count_include_pad == 1; });
    pool("ceil_mode", 10, [](const auto& a, const Case&) { return a.ceil_mode == 1; });
    pool("dilations", 19, [](const auto& a, const Case&) { return !a.dilations.empty(); });

    const auto dialect = [](const char* what, const std::function<bool(const onednn::ConvTranspose&, const Case&)>& has) {
        expect_in_every_cell<onednn::ConvTranspose>(kind_of(onednn::ConvTranspose()), what, 1, has);
    };
    dialect("groups", [](const auto& a, const Case&) { return a.groups > 1; });
    dialect("output_padding", [](const auto& a, const Case&) { return !a.output_padding.empty(); });
    dialect("NCX", [](const auto& a, const Case&) { return a.data_format == Layout::ncx; });
    for (const auto format : {onednn::FilterFormat::xio, onednn::FilterFormat::oix, onednn::FilterFormat::iox})
        dialect("a filter format", [format](const auto& a, const Case&) { return a.filter_format == format; });

    expect_in_every_cell<Shape>(kind_of(Shape()), "start", 15, [](const Shape& a, const Case&) { return a.start.has_value(); });
    expect_in_every_cell<Shape>(kind_of(Shape()), "end", 15, [](const Shape& a, const Case&) { return a.end.has_value(); });
    expect_in_every_cell<Shape>(kind_of(Shape()), "no rank", 1,
                                [](const Shape&, const Case& c) { return c.inputs[0].dims.empty(); });
}

// A line that names a type or an opset was written for it, and a big problem is slow. Such lines run as they are.
TEST(BuiltIn, LinesKeepWhatTheyName)
{
    std::map<std::string, std::set<Cell>> cells;
    for (const TestCase& test : all_tests())
        cells[std::string(operator_of(*test.problem)) + "/" + test.problem->name].insert(*test.cell);
    for (const Case& line : lines_of_the_lists()) {
        const std::set<Cell>& own = cells[std::string(operator_of(line)) + "/" + line.name];
        const DType dtype = line.inputs[0].dtype;
        const int64_t* named = vkonnx::opset_of(line.attributes);
        const int64_t opset = named ? *named : newest_opset;
        EXPECT_TRUE(own.empty() || std::any_of(own.begin(), own.end(),
                                               [&](const Cell& cell) {
                                                   return (dtype == DType::float32 || cell.dtype == dtype) &&
                                                          (opset == newest_opset || cell.version == version_at(cell.op, opset));
                                               }))
            << kit::to_string(line);
    }
    EXPECT_EQ(cells["average_pool/groups_beyond_65535_batch"], (std::set<Cell>{{kind_of(AveragePool()), 22, DType::float32}}));
}

TEST(BuiltIn, AreTheSameEveryTime)
{
    const Result<std::vector<TestCase>> again = built_in_cases(Rules::specification);
    ASSERT_TRUE(again) << again.message();
    ASSERT_EQ(again->size(), all_tests().size());
    for (size_t i = 0; i < again->size(); ++i)
        EXPECT_EQ(kit::to_string(*(*again)[i].problem), kit::to_string(*all_tests()[i].problem));
}

TEST(BuiltIn, OnePerCellIsOneForEachCellThatHasAny)
{
    const Result<std::vector<TestCase>> tests = built_in_cases(Rules::specification, true);
    ASSERT_TRUE(tests) << tests.message();
    std::set<Cell> cells;
    std::set<std::string> lines;
    for (const TestCase& test : *tests) {
        EXPECT_TRUE(cells.insert(*test.cell).second) << test.name;
        EXPECT_TRUE(kit::resolve(*test.problem)) << test.name;
        lines.insert(std::string(operator_of(*test.problem)) + "/" + test.problem->name);
    }
    EXPECT_EQ(cells.size(), by_cell().size());
    EXPECT_GT(lines.size(), cells.size() / 3) << "cells must share out the lines";
}

TEST(BuiltIn, RulesOfTheCallerAreForAll)
{
    const Result<std::vector<TestCase>> tests = built_in_cases(Rules::onnxruntime);
    ASSERT_TRUE(tests) << tests.message();
    for (const TestCase& test : *tests)
        if (const Rules* rules = rules_of(std::as_const(test.problem->attributes))) {
            EXPECT_EQ(*rules, Rules::onnxruntime) << test.name;
        }
}

}  // namespace
}  // namespace vkonnx::tools
