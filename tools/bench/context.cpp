#include "context.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "bench/counters.h"
#include "cli.h"
#include "revision.h"

namespace vkonnx::bench {
namespace {

std::string number_of(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string cpu_name()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
            return line.substr(line.find(": ") + 2);
    return "unknown";
}

// Returns the capabilities that choose a kernel or bound it.
std::string capabilities_text(const Capabilities& c)
{
    std::string text = "max_invocations " + std::to_string(c.max_invocations) + ", max_shared_bytes " +
                       std::to_string(c.max_shared_bytes) + ", max_storage_buffer_range " +
                       std::to_string(c.max_storage_buffer_range) + ", invocation_registers " +
                       std::to_string(c.invocation_registers);
    if (c.max_loop_iterations != UINT32_MAX)
        text += ", max_loop_iterations " + std::to_string(c.max_loop_iterations);
    const std::pair<bool, const char*> flags[] = {{c.is_cpu, "is_cpu"},
                                                  {c.subgroup_shuffles, "subgroup_shuffles"},
                                                  {c.timestamps, "timestamps"},
                                                  {c.float16, "float16"},
                                                  {c.storage16, "storage16"},
                                                  {c.cooperative_matrices, "cooperative_matrices"},
                                                  {c.rounds_to_nearest, "rounds_to_nearest"},
                                                  {c.keeps_signed_zero_inf_nan, "keeps_signed_zero_inf_nan"}};
    for (const auto& [set, flag] : flags)
        if (set)
            text.append(", ").append(flag);
    return text;
}

std::string suite_text(const Options& options)
{
    std::string text;
    for (const std::string& suite : options.suites)
        text += (text.empty() ? "" : ", ") + suite;
    for (const auto& [given, flag] : {std::pair(!options.cases.empty(), "--case"), std::pair(!options.models.empty(), "--model")})
        if (given)
            text += std::string(text.empty() ? "" : ", ") + flag;
    return !text.empty() ? text : options.quick ? "quick" : "full";
}

// Returns the case's line without its name, which the key holds, or for a model what names it on the command line.
std::string line_of(const NamedCase& one)
{
    if (one.model)
        return "--model " + one.model->folder.string() + "  # " + one.model->data_set.filename().string();
    const kit::Case& problem = one.problem;
    const std::string line = kit::to_string(problem);
    return line.substr(std::min(line.find(' ') + 1, line.size())) + (problem.why.empty() ? "" : "  # " + problem.why);
}

}  // namespace

bool validation_is_forced()
{
    for (const char* variable : {"VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"}) {
        const char* value = std::getenv(variable);
        if (value && std::string(value).find("validation") != std::string::npos)
            return true;
    }
    return false;
}

ContextEntries context_of(const Device& device, const Clock& clock, const Options& options, std::span<const NamedCase> cases)
{
    const DeviceInfo& info = device.info();
    ContextEntries entries = {
        {context::version, std::string(version())},
        {context::git_revision, git_revision},
        {context::spirv_hash, spirv_hash},
        {context::command, options.command_line},
        {context::suite, suite_text(options)},
        {context::device, info.name},
        {context::device_kind, std::string(tools::kind_text(info.kind))},
        {context::driver, info.driver},
        {context::api_version, tools::version_text(info.api_version)},
        {context::uuid, info.uuid},
        {context::subgroup_size, std::to_string(device.capabilities().subgroup_size)},
        {context::capabilities, capabilities_text(device.capabilities())},
        {context::validation, validation_is_forced() ? "on" : "off"},
        {context::timed_by, clock.on_device ? "gpu timestamps" : "wall clock"},
        {context::cache_mode, options.cold_cache ? "cold" : "hot"},
        {context::cpu, cpu_name()},
        {context::verify_seed, std::to_string(options.seed)},
    };
    if (clock.on_device)
        entries.emplace_back(context::empty_pair_s, number_of(clock.empty_seconds));
    for (const NamedCase& one : cases)
        entries.emplace_back(context::case_prefix + one.name, line_of(one));
    return entries;
}

ContextEntries peaks_before(const Peaks& before)
{
    ContextEntries entries = {{context::peak_f32_before, number_of(before.flops_f32 / 1e9)},
                              {context::peak_copy_before, number_of(before.copy_bytes_per_second / 1e9)}};
    if (before.flops_f16 > 0)
        entries.emplace_back(context::peak_f16_before, number_of(before.flops_f16 / 1e9));
    return entries;
}

ContextEntries peaks_after(const Peaks& before, const Peaks& after)
{
    ContextEntries entries = {{context::peak_f32_after, number_of(after.flops_f32 / 1e9)},
                              {context::peak_copy_after, number_of(after.copy_bytes_per_second / 1e9)},
                              {context::drift_percent, number_of(100 * drift_of(before, after))}};
    if (after.flops_f16 > 0)
        entries.emplace_back(context::peak_f16_after, number_of(after.flops_f16 / 1e9));
    return entries;
}

double drift_of(const Peaks& before, const Peaks& after)
{
    return std::max(std::fabs(after.flops_f32 / before.flops_f32 - 1),
                    std::fabs(after.copy_bytes_per_second / before.copy_bytes_per_second - 1));
}

}  // namespace vkonnx::bench
