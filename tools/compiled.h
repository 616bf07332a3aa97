// This header tells what a driver's compiler made of the kernels that plans use: the table of `--compiled`.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vkonnx::tools {

// A block is a stretch of a program without a branch.
struct Block {
    size_t multiply_adds = 0;
    size_t instructions = 0;
};

// Returns the block with the most multiply-adds of floats in the listing that RADV, NVK, ANV or turnip shows, the first of
// equals. Each half of a pair of AMD's instructions (v_dual_...) counts as one, and so does each repetition of Qualcomm's. It
// holds zeros where none multiplies and adds. Returns nothing where the driver shows no listing.
std::optional<Block> busiest_block(const CompiledProgram& program);

// Returns a figure by the driver's own name for it, or nothing where it has no such figure.
std::optional<double> statistic(const CompiledProgram& program, std::string_view name);

// A compiler is a device that compiles, and the capabilities that plans for it go by.
struct Compiler {
    Device device = {};
    Capabilities capabilities = {};
};

// Opens a device that compiles. It need not run anything: where its self-test fails (drivers without a GPU), plans are made for a
// desktop's speed.
Result<Compiler> open_compiler(const std::string& select);

// This list has the pipelines of many plans, each once, with the first plan that uses it.
class PipelineList {
public:
    void add(const std::string& user, std::span<const PlannedPipeline> pipelines);

    struct Entry {
        PlannedPipeline pipeline;
        std::string user;
        size_t users = 0;
    };
    std::span<const Entry> entries() const { return entries_; }

private:
    std::vector<Entry> entries_;
};

struct CompiledRow {
    std::string kernel = {};
    std::string specialization = {};
    std::string users = {};
    CompiledProgram program = {};
};

// Returns an aligned table with a head. All rows are of one driver.
std::string compiled_table(const std::vector<CompiledRow>& rows);

// Compiles the pipelines and prints a row for each. Returns the exit code: 1 where one can't be compiled, whose row has the
// reason, and 3 for none.
int print_compiled(const Compiler& compiler, const PipelineList& list);

// Returns "workgroup_size 64, rank 2", for example.
std::string specialization_text(std::span<const std::pair<std::string, uint32_t>> specialization);

}  // namespace vkonnx::tools
