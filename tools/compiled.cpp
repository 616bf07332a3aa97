#include "compiled.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "cli.h"

namespace vkonnx::tools {
namespace {

constexpr std::string_view spaces = " \t\r";

std::string_view first_word(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
    return text.substr(0, text.find_first_of(spaces));
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words)
{
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.starts_with(word); });
}

// This struct holds what a line of a listing adds to its block. A branch ends a block, and a label begins one.
struct Line {
    size_t instructions = 0;
    size_t multiply_adds = 0;
    bool begins_block = false;
    bool ends_block = false;
};

// Reads a line of RADV, such as "v_fmac_f32_e32 v0, v1, v2   ; 56000501". A block begins with "BB12:". v_fmac_f32 and
// v_pk_fma_f16 count as multiply-adds, but not v_mad_u32_u24, which computes addresses, nor v_div_fmas_f32, which divides.
Line radv_line(std::string_view text)
{
    text = text.substr(0, text.find(';'));
    const std::string_view label = first_word(text);
    if (label.size() > 3 && label.starts_with("BB") && label.ends_with(':') &&
        label.substr(2, label.size() - 3).find_first_not_of("0123456789") == std::string_view::npos)
        return {.begins_block = true};
    const auto multiplies_and_adds = [](std::string_view instruction) {
        if (!instruction.starts_with("v_"))
            return false;
        for (const std::string_view prefix : {"v_", "dual_", "pk_"})
            if (instruction.starts_with(prefix))
                instruction.remove_prefix(prefix.size());
        const auto has = [&](std::string_view word) { return instruction.find(word) != std::string_view::npos; };
        return starts_with_any(instruction, {"fma", "mac", "mad", "dot", "wmma"}) &&
               (has("_f16") || has("_bf16") || has("_f32") || has("_f64"));
    };
    Line line;
    for (size_t at = 0; at < text.size();) {  // the halves of a pair
        const size_t end = std::min(text.find("::", at), text.size());
        const std::string_view instruction = first_word(text.substr(at, end - at));
        line.instructions += !instruction.empty();
        line.multiply_adds += multiplies_and_adds(instruction);
        at = end + 2;
    }
    return line;
}

// Reads a line of NVK, such as "r16 = ffma.ftz r116 r79 r17   // delay=1". A block stands between "block.u 3 L4 [2] -> {" and "}
// -> [5]".
Line nvk_line(std::string_view text)
{
    text = text.substr(0, text.find("//"));
    std::string_view word = first_word(text);
    if (word.starts_with("block"))
        return {.begins_block = true};
    if (word.empty() || word.starts_with('}'))
        return {};
    if (const size_t equals = text.find(" = "); equals != std::string_view::npos)
        word = first_word(text.substr(equals + 3));
    return {.instructions = 1, .multiply_adds = starts_with_any(word, {"ffma", "hfma2", "dfma", "hmma"})};
}

// Reads a line of ANV, such as "mad(8)  g75<1>F  g3<1>F ...", which is not indented, or "(+f0.0) if(8)" with a condition. A block
// begins with "LABEL12:".
Line anv_line(std::string_view text)
{
    if (text.empty() || spaces.find(text.front()) != std::string_view::npos)
        return {};  // an indented line only explains a message
    if (text.starts_with("LABEL"))
        return {.begins_block = true};
    if (text.starts_with('('))
        text.remove_prefix(std::min(text.find(')') + 1, text.size()));
    const std::string_view word = first_word(text);
    const std::string_view operation = word.substr(0, word.find('('));
    const auto is_any = [&](std::initializer_list<std::string_view> words) {
        return std::find(words.begin(), words.end(), operation) != words.end();
    };
    text.remove_prefix(std::min(text.find(word) + word.size(), text.size()));
    const std::string_view result = first_word(text);
    return {.instructions = 1,
            .multiply_adds = is_any({"mad", "mac", "dpas"}) && result.ends_with('F'),
            .ends_block = is_any({"if", "else", "endif", "while", "break", "cont", "halt", "jmpi", "ret"})};
}

// Reads a line of turnip, such as "(sy)(rpt1)mad.f32 r1.x, r2.x, r3.x, r1.x   ; ...". A block begins with "l12:". (rpt1) repeats
// the instruction once, and (nop2) waits for two instructions more.
Line turnip_line(std::string_view text)
{
    text = text.substr(0, text.find(';'));
    if (first_word(text).ends_with(':'))
        return {.begins_block = true};
    if (text.starts_with('@'))
        return {};
    size_t repeats = 1, waits = 0;
    while (text.starts_with('(')) {
        const std::string_view group = text.substr(1, text.find(')') - 1);
        const auto number = [&](size_t from) { return size_t(std::atoi(std::string(group.substr(from)).c_str())); };
        if (group.starts_with("rpt"))
            repeats += number(3);
        else if (group.starts_with("nop"))
            waits += number(3);
        text.remove_prefix(std::min(group.size() + 2, text.size()));
    }
    const std::string_view word = first_word(text);
    if (word.empty())
        return {};
    return {.instructions = repeats + waits,
            .multiply_adds = starts_with_any(word, {"mad.f"}) ? repeats : 0,
            .ends_block = word == "br" || word == "jump"};
}

// A listing has the name that its driver gives it, and a function that reads a line of it.
constexpr struct Listing {
    std::string_view name;
    Line (*read)(std::string_view line);
} listings[] = {{"Assembly", radv_line}, {"NAK assembly", nvk_line}, {"GEN Assembly", anv_line}, {"IR3 Assembly", turnip_line}};

Block busiest_block(std::string_view assembly, Line (*read)(std::string_view line))
{
    Block busiest, block;
    const auto done = [&] {
        if (block.multiply_adds > busiest.multiply_adds)
            busiest = block;
        block = {};
    };
    while (!assembly.empty()) {
        const std::string_view text = assembly.substr(0, assembly.find('\n'));
        assembly.remove_prefix(std::min(text.size() + 1, assembly.size()));
        const Line line = read(text);
        if (line.begins_block)
            done();
        block.instructions += line.instructions;
        block.multiply_adds += line.multiply_adds;
        if (line.ends_block)
            done();
    }
    done();
    return busiest;
}

std::string figure_text(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", value);
    return text;
}

// These are the columns shown for RADV, which has some twenty figures. Of other drivers all figures are shown.
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

// Returns "33 of 81, 41 %", for example.
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

std::optional<Block> busiest_block(const CompiledProgram& program)
{
    for (const auto& [name, text] : program.texts)
        for (const Listing& listing : listings)
            if (name == listing.name)
                return busiest_block(text, listing.read);
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
            cells.push_back(value ? figure_text(*value) : "-");
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
