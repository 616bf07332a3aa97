#include "compiled.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "cli.h"

namespace vkonnx::tools {
namespace {

constexpr std::string_view spaces = " \t\r";

std::string_view first_word(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
    return text.substr(0, text.find_first_of(spaces));
}

// "BB12:"
bool begins_block(std::string_view word)
{
    const bool labelled = word.size() > 3 && word.starts_with("BB") && word.ends_with(':');
    return labelled && word.substr(2, word.size() - 3).find_first_not_of("0123456789") == std::string_view::npos;
}

// v_fmac_f32 and v_pk_fma_f16, but not v_mad_u32_u24, which computes addresses, nor v_div_fmas_f32, which divides.
bool multiplies_and_adds(std::string_view instruction)
{
    if (!instruction.starts_with("v_"))
        return false;
    for (const std::string_view prefix : {"v_", "dual_", "pk_"})
        if (instruction.starts_with(prefix))
            instruction.remove_prefix(prefix.size());
    const auto has = [&](std::string_view word) { return instruction.find(word) != std::string_view::npos; };
    const auto begins = [&](std::string_view word) { return instruction.starts_with(word); };
    return (begins("fma") || begins("mac") || begins("mad") || begins("dot") || begins("wmma")) &&
           (has("_f16") || has("_bf16") || has("_f32") || has("_f64"));
}

std::string number_text(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", value);
    return text;
}

// What is shown of RADV's figures, some twenty; of other drivers' all.
struct Column {
    const char* heading;
    const char* statistic;
};
constexpr Column radv[] = {
    {"VGPRs", "VGPRs"},
    {"SGPRs", "SGPRs"},
    {"spilled VGPRs", "Spilled VGPRs"},
    {"spilled SGPRs", "Spilled SGPRs"},
    {"shared bytes", "LDS size"},
    {"waves a SIMD", "Subgroups per SIMD"},
    {"instructions", "Instructions"},
    {"latency", "Latency"},
    {"inverse throughput", "Inverse Throughput"},
};

using Columns = std::vector<std::pair<std::string, std::string>>;  // headings, and the driver's names

Columns columns_of(const CompiledProgram& program)
{
    Columns columns;
    for (const Column& column : radv)
        if (statistic(program, column.statistic))
            columns.emplace_back(column.heading, column.statistic);
    if (columns.size() == std::size(radv))
        return columns;
    columns.clear();
    for (const auto& [name, value] : program.statistics)
        columns.emplace_back(name, name);
    return columns;
}

// "33 of 81, 41 %"
std::string share_text(const Block& block)
{
    if (block.multiply_adds == 0)
        return "none";
    char text[64];
    std::snprintf(text, sizeof text, "%zu of %zu, %.0f %%", block.multiply_adds, block.instructions,
                  100 * double(block.multiply_adds) / double(block.instructions));
    return text;
}

std::string users_text(const PipelineList::Entry& entry)
{
    return entry.users == 1 ? entry.user : entry.user + " and " + std::to_string(entry.users - 1) + " more";
}

}  // namespace

Block busiest_block(std::string_view assembly)
{
    Block busiest, block;
    const auto done = [&] {
        if (block.multiply_adds > busiest.multiply_adds)
            busiest = block;
        block = {};
    };
    while (!assembly.empty()) {
        std::string_view line = assembly.substr(0, assembly.find('\n'));
        assembly.remove_prefix(std::min(line.size() + 1, assembly.size()));
        line = line.substr(0, line.find(';'));
        if (begins_block(first_word(line))) {
            done();
            continue;
        }
        // the halves of a pair
        for (size_t at = 0; at < line.size();) {
            const size_t end = std::min(line.find("::", at), line.size());
            const std::string_view instruction = first_word(line.substr(at, end - at));
            block.instructions += !instruction.empty();
            block.multiply_adds += multiplies_and_adds(instruction);
            at = end + 2;
        }
    }
    done();
    return busiest;
}

std::optional<Block> busiest_block(const CompiledProgram& program)
{
    for (const auto& [name, text] : program.texts)
        if (name == "Assembly")
            return busiest_block(text);
    return std::nullopt;
}

std::optional<double> statistic(const CompiledProgram& program, std::string_view name)
{
    for (const auto& [own, value] : program.statistics)
        if (own == name)
            return value;
    return std::nullopt;
}

Result<Compiler> open_compiler(const std::string& select)
{
    DeviceOptions options = {.select = select, .self_test = false, .compiler_statistics = true};
    Result<Device> device = Device::open(options);
    if (!device)
        return device.status();
    Compiler compiler = {*device, device->capabilities()};
    compiler.capabilities.work_per_second = Capabilities::preset("desktop")->work_per_second;
    compiler.capabilities.rounds_to_nearest = true;
    compiler.capabilities.cooperative_matrices = device->info().capabilities.cooperative_matrices;
    options.self_test = true;
    if (const Result<Device> tested = Device::open(options))
        compiler = {*tested, tested->capabilities()};
    return compiler;
}

void PipelineList::add(const std::string& user, std::span<const PlannedPipeline> pipelines)
{
    for (const PlannedPipeline& pipeline : pipelines) {
        const auto same = [&](const Entry& entry) { return entry.pipeline == pipeline; };
        auto found = std::find_if(entries_.begin(), entries_.end(), same);
        if (found == entries_.end())
            found = entries_.insert(found, {pipeline, user});
        ++found->users;
    }
}

std::string compiled_table(const std::vector<CompiledRow>& rows)
{
    if (rows.empty())
        return {};
    const Columns columns = columns_of(rows.front().program);
    const bool with_blocks = busiest_block(rows.front().program).has_value();
    Table table;
    std::vector<std::string> head = {"kernel"};
    std::vector<size_t> right;
    for (const auto& [heading, name] : columns)
        head.push_back(heading);
    if (with_blocks)
        head.push_back("multiply-adds");
    for (size_t column = 1; column < head.size(); ++column)
        right.push_back(column);
    head.insert(head.end(), {"specialization", "for"});
    table.add(std::move(head));
    for (const CompiledRow& row : rows) {
        std::vector<std::string> cells = {row.kernel};
        for (const auto& [heading, name] : columns) {
            const auto value = statistic(row.program, name);
            cells.push_back(value ? number_text(*value) : "-");
        }
        if (with_blocks)
            cells.push_back(share_text(busiest_block(row.program).value_or(Block())));
        cells.insert(cells.end(), {row.specialization, row.users});
        table.add(std::move(cells));
    }
    return table.text("  ", right);
}

int print_compiled(const Compiler& compiler, const PipelineList& list)
{
    std::vector<CompiledRow> rows;
    size_t failed = 0;
    for (const PipelineList::Entry& entry : list.entries()) {
        const CompiledRow row = {.kernel = std::string(entry.pipeline.kernel()),
                                 .specialization = specialization_text(entry.pipeline.specialization()),
                                 .users = users_text(entry)};
        Result<std::vector<CompiledProgram>> programs = compiler.device.compile(entry.pipeline);
        if (!programs) {
            fail(exit_failed,
                 row.kernel + ", " + row.specialization + ", for " + row.users + ": " + std::string(programs.message()));
            ++failed;
            continue;
        }
        for (CompiledProgram& program : *programs) {
            rows.push_back(row);
            rows.back().program = std::move(program);
        }
    }
    if (rows.empty())
        return fail(failed ? exit_failed : exit_nothing, "no kernel was compiled");
    const DeviceInfo& info = compiler.device.info();
    std::printf("as compiled by %s for %s\n%s", visible(info.driver).c_str(), visible(info.name).c_str(),
                compiled_table(rows).c_str());
    if (busiest_block(rows.front().program))
        std::printf("multiply-adds: of the instructions in the block that has most of them; each half of a pair counts\n");
    return failed ? exit_failed : exit_done;
}

std::string specialization_text(std::span<const std::pair<std::string, uint32_t>> specialization)
{
    std::string text;
    for (const auto& [name, value] : specialization)
        text += (text.empty() ? "" : ", ") + name + " " + std::to_string(value);
    return text;
}

}  // namespace vkonnx::tools
