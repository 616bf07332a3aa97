// This is vkonnx devices | operators | run | explain | cache. It tells which devices there are, what is computed, what a model
// gives, how it would be computed, and what is kept.
#include <vkonnx/onnx.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "command_line.h"
#include "compare.h"
#include "compiled.h"
#include "file.h"
#include "graph_text.h"
#include "inputs.h"
#include "json.h"
#include "operators.h"
#include "tensor_file.h"

using namespace vkonnx;
using namespace vkonnx::tools;

namespace {

struct Arguments {
    std::string model;
    std::string device;
    std::string capabilities;
    std::vector<std::string> inputs;   // NAME=FILE, NAME=random:DIMS or NAME=DIMS
    std::vector<std::string> outputs;  // NAME=FILE
    std::vector<std::string> operators;
    Rules rules = Rules::specification;
    uint64_t seed = 1;
    bool json = false;
    bool profile = false;
    bool reproducible = false;
    bool compiled = false;
    bool cache = false;
    std::vector<std::string> without_fusions;
    uint32_t prepare_threads = 1;

    onnx::SessionOptions session() const
    {
        onnx::SessionOptions options = {
            .rules = rules, .prepare = {.reproducible = reproducible}, .prepare_threads = prepare_threads};
        for (const Spelling<onnx::Fusion>& fusion : onnx::fusion_words)
            if (std::find(without_fusions.begin(), without_fusions.end(), fusion.word) != without_fusions.end())
                options.without_fusions |= uint32_t(fusion.value);
        return options;
    }
};

// ------------------------------------------------------------------------------------------------------------ devices

nlohmann::json to_json(const Capabilities& c)
{
    return {{"is_cpu", c.is_cpu},
            {"max_storage_buffer_range", c.max_storage_buffer_range},
            {"storage_buffer_alignment", c.storage_buffer_alignment},
            {"max_texel_buffer_elements", c.max_texel_buffer_elements},
            {"texel_buffer_alignment", c.texel_buffer_alignment},
            {"max_uniform_buffer_range", c.max_uniform_buffer_range},
            {"max_storage_buffers", c.max_storage_buffers},
            {"max_push_constant_bytes", c.max_push_constant_bytes},
            {"max_invocations", c.max_invocations},
            {"max_workgroup_size", c.max_workgroup_size},
            {"max_group_count", c.max_group_count},
            {"max_shared_bytes", c.max_shared_bytes},
            {"max_loop_iterations", c.max_loop_iterations},
            {"invocation_registers", c.invocation_registers},
            {"subgroup_size", c.subgroup_size},
            {"subgroup_shuffles", c.subgroup_shuffles},
            {"timestamps", c.timestamps},
            {"float16", c.float16},
            {"float64", c.float64},
            {"storage16", c.storage16},
            {"cooperative_matrix", c.cooperative_matrices ? nlohmann::json(c.cooperative_matrix) : nlohmann::json()},
            {"work_per_second", c.work_per_second},
            {"rounds_to_nearest", c.rounds_to_nearest},
            {"keeps_signed_zero_inf_nan", c.keeps_signed_zero_inf_nan}};
}

void print_devices_json(std::span<const DeviceInfo> devices)
{
    nlohmann::json list = nlohmann::json::array();
    for (const DeviceInfo& device : devices)
        list.push_back({{"index", device.index},
                        {"name", device.name},
                        {"kind", kind_text(device.kind)},
                        {"driver", device.driver},
                        {"api_version", version_text(device.api_version)},
                        {"vendor_id", device.vendor_id},
                        {"device_id", device.device_id},
                        {"uuid", device.uuid},
                        {"rejected", device.rejected},
                        {"capabilities", to_json(device.capabilities)}});
    std::printf("%s\n", json_text(list, 2).c_str());
}

// Returns "2.5e+09 multiply-adds a second", for example.
std::string work_text(double work_per_second)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.2g multiply-adds a second", work_per_second);
    return text;
}

// Returns a sentence on what the cache did for a device.
std::string cache_text(const CacheUse& use)
{
    if (use.place.empty())
        return "off (VKONNX_CACHE_DIR)";
    std::string text = use.place;
    text += use.missed.empty()
                ? ": " + std::to_string(use.read_pipelines) + " pipelines, " + std::to_string(use.read_bytes) + " bytes"
                : ": " + use.missed;
    if (use.writes > 0)
        text += "; written, " + std::to_string(use.written_bytes) + " bytes";
    return text + (use.unwritten.empty() ? "" : "; not written: " + use.unwritten);
}

void print_device(const DeviceInfo& device, const std::string& cache)
{
    const Capabilities& c = device.capabilities;
    const auto triple = [](const std::array<uint32_t, 3>& v) {
        return std::to_string(v[0]) + " x " + std::to_string(v[1]) + " x " + std::to_string(v[2]);
    };
    std::printf("%u  %s\n", device.index, visible(device.name).c_str());
    Table table;
    table.add({"kind", std::string(kind_text(device.kind))});
    table.add({"driver", device.driver});
    table.add({"Vulkan", version_text(device.api_version)});
    table.add({"uuid", device.uuid});
    if (!device.rejected.empty()) {
        table.add({"rejected", device.rejected});
    } else {
        table.add({"workgroup", std::to_string(c.max_invocations) + " invocations, at most " + triple(c.max_workgroup_size)});
        table.add({"groups", triple(c.max_group_count)});
        table.add({"shared memory", std::to_string(c.max_shared_bytes >> 10) + " KiB"});
        table.add({"storage buffer", std::to_string(c.max_storage_buffer_range >> 20) + " MiB"});
        table.add({"subgroup", std::to_string(c.subgroup_size)});
        table.add({"timestamps", c.timestamps ? "yes" : "no"});
        table.add({"float16", c.float16 ? "yes" : "no"});
        table.add({"float64", c.float64 ? "yes" : "no, doubles are computed in integers"});
        table.add({"matrices", c.cooperative_matrices ? triple(c.cooperative_matrix) + ", halves" : "no"});
        table.add({"rounding", c.rounds_to_nearest ? "to nearest" : "not to nearest, so that there is no reproducible mode"});
        table.add({"work", work_text(c.work_per_second)});
    }
    if (!cache.empty())
        table.add({"cache", visible(cache)});
    std::printf("%s", table.text("   ").c_str());
}

Result<Device> open(const std::string& select)
{
    return Device::open({.select = select, .cache_folder = default_cache_folder()});
}

// Opens the device to find out what only the self-test knows, and whether the self-test passes. Returns what the cache had.
std::string open_device(DeviceInfo& info)
{
    if (!info.rejected.empty())
        return "";
    const Result<Device> device = open(std::to_string(info.index));
    if (!device) {
        info.rejected = device.message();
        return "";
    }
    info.capabilities = device->capabilities();
    device->save_cache();
    return cache_text(device->cache_use());
}

int run_devices(const Arguments& arguments)
{
    Result<std::vector<DeviceInfo>> devices = Device::list();
    if (!devices)
        return fail(exit_nothing, devices.message());
    std::vector<std::string> caches;
    for (DeviceInfo& info : *devices)
        caches.push_back(open_device(info));
    if (arguments.json)
        print_devices_json(*devices);
    else
        for (size_t i = 0; i < devices->size(); ++i)
            print_device((*devices)[i], arguments.cache ? caches[i] : "");
    const bool any = std::any_of(devices->begin(), devices->end(), [](const DeviceInfo& d) { return d.rejected.empty(); });
    return any ? exit_done : fail(exit_nothing, "there is no Vulkan device that vkonnx can use");
}

// ---------------------------------------------------------------------------------------------------------- operators

int show_operators(const Arguments& arguments)
{
    const Result<std::vector<const Schema*>> schemas = schemas_of(arguments.operators);
    if (!schemas)
        return fail(exit_usage, schemas.message());
    nlohmann::json list = nlohmann::json::array();
    for (const Schema* schema : *schemas) {
        if (arguments.json)
            list.push_back(json_of(*schema));
        else
            std::printf("%s", text_of(*schema).c_str());
    }
    if (arguments.json)
        std::printf("%s\n", json_text(list, 2).c_str());
    return exit_done;
}

// ---------------------------------------------------------------------------------------------------------------- run

// Returns "5x1x1, 2x1x1 3 times", for example: the dispatches in order, and how many more there are where they are many.
std::string grids_text(const Explanation& explanation)
{
    constexpr size_t most = 4;
    std::string text;
    size_t shown = 0;
    const auto& grids = explanation.grids;
    for (size_t i = 0, same = 0; i < grids.size(); i += same, ++shown) {
        if (shown == most)
            return text + ", and " + std::to_string(grids.size() - i) + " more";
        for (same = 1; i + same < grids.size() && grids[i + same] == grids[i];)
            ++same;
        text += (text.empty() ? "" : ", ") + std::to_string(grids[i][0]) + "x" + std::to_string(grids[i][1]) + "x" +
                std::to_string(grids[i][2]) + (same > 1 ? " " + std::to_string(same) + " times" : "");
    }
    return text.empty() ? "-" : text;
}

std::string outputs_text(const Explanation& explanation)
{
    std::string text;
    for (const TensorDesc& desc : explanation.outputs)
        text += (text.empty() ? "" : ", ") + to_string(desc);
    return text;
}

void print_nodes(std::span<const onnx::NodeReport> nodes)
{
    Table table;
    for (const onnx::NodeReport& node : nodes)
        table.add(
            {node.name, node.op_type, node.explanation.kernel, outputs_text(node.explanation), milliseconds_text(node.seconds)});
    std::printf("%s", table.text("  ", {4}).c_str());
}

constexpr int profile_runs = 10;

// Runs again and prints each node's least and median GPU time: the first run pays for cold memory and page faults.
Status print_profile(const Device& device, onnx::Session& session, std::span<const onnx::HostTensor> inputs)
{
    std::vector<std::vector<double>> seconds(session.nodes().size());
    for (int i = 0; i < profile_runs; ++i) {
        if (const auto outputs = session.run(inputs); !outputs)
            return outputs.status();
        for (size_t n = 0; n < seconds.size(); ++n)
            seconds[n].push_back(session.nodes()[n].seconds);
    }
    double total = 0;
    for (std::vector<double>& times : seconds) {
        std::sort(times.begin(), times.end());
        total += times[profile_runs / 2];
    }
    Table table;
    table.add({"node", "operator", "kernel", "output", "grid", "least", "median", "share"});
    for (size_t n = 0; n < seconds.size(); ++n) {
        const onnx::NodeReport& node = session.nodes()[n];
        const double median = seconds[n][profile_runs / 2];
        const std::string share = total > 0 ? std::to_string(std::lround(100 * median / total)) + "%" : "-";
        table.add({node.name, node.op_type, node.explanation.kernel, outputs_text(node.explanation), grids_text(node.explanation),
                   milliseconds_text(seconds[n][0]), milliseconds_text(median), share});
    }
    table.add({"all", "", "", "", "", "", milliseconds_text(total), ""});
    print_memory(session.report());
    print_peak(session.report(), device.memory());
    std::printf("GPU time over %d more runs:\n%s", profile_runs, table.text("  ", {5, 6, 7}).c_str());
    return {};
}

struct Numbers {
    double least = 0, greatest = 0, sum = 0;
    size_t count = 0;
};

template <class Word, class Widen>
Numbers summed_up(const onnx::HostTensor& tensor, Widen widen)
{
    Numbers numbers;
    for (size_t at = 0; at + sizeof(Word) <= tensor.data.size(); at += sizeof(Word)) {
        Word word;
        std::memcpy(&word, tensor.data.data() + at, sizeof word);
        const double value = widen(word);
        if (numbers.count == 0 || value < numbers.least)
            numbers.least = value;
        if (numbers.count == 0 || value > numbers.greatest)
            numbers.greatest = value;
        numbers.sum += value;
        ++numbers.count;
    }
    return numbers;
}

// Sums up the elements of a floating-point tensor. Other types have no numbers.
Numbers numbers_of(const onnx::HostTensor& tensor)
{
    switch (tensor.desc.dtype) {
    case DType::float32:
        return summed_up<float>(tensor, [](float value) { return value; });
    case DType::float64:
        return summed_up<double>(tensor, [](double value) { return value; });
    case DType::float16:
    case DType::bfloat16:
        return summed_up<uint16_t>(tensor, [&](uint16_t bits) { return half_value(tensor.desc.dtype, bits); });
    default:
        return {};
    }
}

void print_output(const onnx::ValueInfo& info, const onnx::HostTensor& tensor, const std::string* file)
{
    std::string text = "output " + visible(info.name) + "  " + to_string(tensor.desc);
    if (const Numbers all = numbers_of(tensor); all.count > 0) {
        char numbers[96];
        std::snprintf(numbers, sizeof numbers, "  min %.6g  max %.6g  mean %.6g", all.least, all.greatest,
                      all.sum / double(all.count));
        text += numbers;
    }
    if (file)
        text += "  -> " + visible(*file);
    std::printf("%s\n", text.c_str());
}

// Returns the outputs that are asked for, or refuses what can be refused before any work: unknown names, extensions, folders.
Result<Assignments> checked_outputs(const Arguments& arguments, const onnx::Model& model)
{
    Result<Assignments> outputs = assignments(arguments.outputs, model.outputs(), "output");
    if (outputs)
        for (const auto& [name, file] : *outputs)
            for (Status status : {check_tensor_path(file), check_writable(file)})
                if (!status)
                    return status;
    return outputs;
}

int run_model(const Arguments& arguments)
{
    const Result<onnx::Model> model = onnx::Model::load(arguments.model);
    if (!model)
        return fail(exit_failed, model.message());
    const Result<Assignments> given = assignments(arguments.inputs, model->inputs(), "input");
    if (!given)
        return fail(exit_usage, given.message());
    const Result<Assignments> wanted = checked_outputs(arguments, *model);
    if (!wanted)
        return fail(exit_usage, wanted.message());

    Result<std::vector<onnx::HostTensor>> inputs = read_inputs(*model, *given);
    if (!inputs)
        return fail(exit_usage, inputs.message());
    std::vector<onnx::NamedDesc> descs;
    for (size_t i = 0; i < inputs->size(); ++i) {
        const onnx::ValueInfo& info = model->inputs()[i];
        descs.push_back({info.name, (*inputs)[i].desc});
        if (info.decides_dimensions && !is_random(find(*given, info.name)))
            descs.back().value = (*inputs)[i];
    }

    const Result<Device> device = open(arguments.device);
    if (!device)
        return fail(exit_code_without_device(device.status()), device.message());
    std::printf("device %s, %s\n", visible(device->info().name).c_str(), visible(device->info().driver).c_str());
    Result<onnx::Session> session = onnx::Session::prepare(*device, *model, descs, arguments.session());
    if (!session)
        return fail(exit_failed, session.message());
    if (Status status = fill_random(*model, *given, arguments.seed, *inputs); !status)
        return fail(exit_usage, status.message());
    const Result<std::vector<onnx::HostTensor>> outputs = session->run(*inputs);
    if (!outputs)
        return fail(exit_failed, outputs.message());

    print_nodes(session->nodes());
    for (size_t i = 0; i < outputs->size(); ++i) {
        const std::string* file = find(*wanted, model->outputs()[i].name);
        if (file)
            if (Status status = write_tensor(*file, (*outputs)[i]); !status)
                return fail(exit_failed, status.message());
        print_output(model->outputs()[i], (*outputs)[i], file);
    }
    if (arguments.profile)
        if (Status status = print_profile(*device, *session, *inputs); !status)
            return fail(exit_failed, status.message());
    return exit_done;
}

// ------------------------------------------------------------------------------------------------------------ explain

Result<Capabilities> chosen_capabilities(const Arguments& arguments)
{
    if (!arguments.capabilities.empty())
        return Capabilities::preset(arguments.capabilities);
    const Result<Device> device = open(arguments.device);
    return device ? Result<Capabilities>(device->capabilities()) : device.status();
}

// Adds the document and its rule, then for each axis its pads and why its output has this size.
void add_equation(Table& table, const Explanation& e)
{
    std::string_view rest = e.equation;
    const auto next_line = [&] {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        return std::string(line);
    };
    if (!rest.empty())
        table.add({"equation", next_line()});
    for (size_t i = 0; i < e.pads_begin.size(); ++i) {
        std::string numbers = next_line();
        numbers.erase(0, numbers.find(": ") + 1);  // "axis 0: "
        table.add({"axis " + std::to_string(i),
                   "pads " + std::to_string(e.pads_begin[i]) + " and " + std::to_string(e.pads_end[i]) + ":" + numbers});
    }
}

void print_explanation(const onnx::NodeReport& node)
{
    const Explanation& e = node.explanation;
    const std::string domain = node.domain == "ai.onnx" || node.domain.empty() ? "" : node.domain + "::";
    std::printf("%s  %s%s, opset %lld\n", visible(node.name).c_str(), visible(domain).c_str(), visible(node.op_type).c_str(),
                static_cast<long long>(node.opset));
    Table table;
    table.add({"output", outputs_text(e)});
    add_equation(table, e);
    table.add({"kernel", e.kernel});
    std::string modules;
    for (const PlannedPipeline& pipeline : e.pipelines)
        modules.append(modules.empty() ? "" : ", ").append(pipeline.kernel());
    if (!modules.empty())
        table.add({"modules", modules});
    if (!e.specialization.empty())
        table.add({"specialization", specialization_text(e.specialization)});
    if (!e.grids.empty()) {
        table.add({"dispatches", std::to_string(e.grids.size())});
        table.add({"grid", grids_text(e)});
        table.add({"scratch", std::to_string(e.scratch_bytes) + " bytes"});
    }
    if (!e.why.empty())
        table.add({"why", e.why});
    std::printf("%s", table.text("  ").c_str());
}

int show_compiled(const Arguments& arguments, const onnx::Model& model, std::span<const onnx::NamedDesc> inputs)
{
    const Result<Compiler> compiler = open_compiler(arguments.device);
    if (!compiler)
        return fail(exit_code_without_device(compiler.status()), compiler.message());
    const Result<onnx::GraphReport> graph = onnx::explain(model, inputs, compiler->capabilities, arguments.session());
    if (!graph)
        return fail(exit_failed, graph.message());
    PipelineList list;
    for (const onnx::NodeReport& node : graph->nodes)
        list.add(node.name, node.explanation.pipelines);
    return print_compiled(*compiler, list);
}

int explain_model(const Arguments& arguments)
{
    const Result<onnx::Model> model = onnx::Model::load(arguments.model);
    if (!model)
        return fail(exit_failed, model.message());
    const Result<Assignments> given = assignments(arguments.inputs, model->inputs(), "input");
    if (!given)
        return fail(exit_usage, given.message());
    std::vector<onnx::NamedDesc> descs;
    for (const onnx::ValueInfo& info : model->inputs()) {
        const std::string* value = find(*given, info.name);
        if (!value && !has_full_shape(info))
            return fail(exit_usage, missing_input(info, "1x3x64x64").message());
        Result<std::vector<int64_t>> dims = value ? parse_dims(*value) : info.dims;
        if (!dims && info.decides_dimensions) {
            Result<onnx::HostTensor> tensor = read_tensor(*value, info);
            if (!tensor)
                return fail(exit_usage, tensor.message());
            descs.push_back({info.name, tensor->desc, std::move(*tensor)});
            continue;
        }
        if (!dims)
            return fail(exit_usage, dims.message());
        descs.push_back({info.name, {info.dtype, std::move(*dims)}});
    }
    if (arguments.compiled)
        return show_compiled(arguments, *model, descs);
    const Result<Capabilities> capabilities = chosen_capabilities(arguments);
    if (!capabilities)
        return fail(exit_code_without_device(capabilities.status()), capabilities.message());
    const Result<onnx::GraphReport> graph = onnx::explain(*model, descs, *capabilities, arguments.session());
    if (!graph)
        return fail(exit_failed, graph.message());
    std::printf("capabilities of %s\n", visible(capabilities->name).c_str());
    print_graph(*graph);
    for (const onnx::NodeReport& node : graph->nodes)
        print_explanation(node);
    print_memory(*graph);
    return exit_done;
}

// -------------------------------------------------------------------------------------------------------------- cache

// Returns the caches and what interrupted writes have left. The empty files by which writers take turns are not among them,
// because a writer may have just taken its turn.
std::vector<std::filesystem::path> cache_files(const std::string& folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        const bool is_cache = name.starts_with("vkonnx-") && (name.ends_with(".cache") || name.ends_with(".cache.part"));
        if (is_cache && entry.is_regular_file(error))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

int show_cache(bool clear)
{
    const std::string folder = default_cache_folder();
    if (folder.empty()) {
        std::printf("nothing is kept: VKONNX_CACHE_DIR is empty, or there is no folder for caches\n");
        return exit_done;
    }
    uintmax_t bytes = 0;
    size_t count = 0;
    for (const std::filesystem::path& file : cache_files(folder)) {
        std::error_code error;
        const uintmax_t size = std::filesystem::file_size(file, error);
        if (clear)
            std::filesystem::remove(file, error);
        if (error)
            return fail(exit_failed, visible(file.string()) + ": " + error.message());
        if (file.extension() != ".cache")
            continue;
        ++count;
        bytes += size;
        if (!clear)
            std::printf("%s  %ju bytes\n", visible(file.string()).c_str(), size);
    }
    std::printf("%s: %zu files, %ju bytes%s\n", visible(folder).c_str(), count, bytes, clear ? ", deleted" : "");
    return exit_done;
}

// Returns the version, and whether cooperative matrices are built in. It asks for a product of matrices that their kernel takes.
std::string version_and_options()
{
    Capabilities capabilities = *Capabilities::preset("desktop");
    capabilities.cooperative_matrices = true;
    capabilities.cooperative_matrix = {16, 16, 16};
    const TensorDesc matrix = {DType::float16, {256, 256}};
    const Result<std::vector<KernelInfo>> all = kernels(MatMul{}, std::vector{matrix, matrix}, capabilities);
    const bool built = all && std::any_of(all->begin(), all->end(), [](const KernelInfo& kernel) {
                           return kernel.name == "matmul_matrices" && kernel.unfit.empty();
                       });
    return std::string(version()) + "\ncooperative matrices: " + (built ? "built in" : "not built in, glslang was older than 13");
}

int run_tool(int argc, char** argv)
{
    CLI::App app("Runs and explains ONNX models on Vulkan devices.", "vkonnx");
    app.require_subcommand(1);
    app.footer("Exit codes: 0 done, 1 failed, 2 usage, 3 no device.");
    Arguments arguments;

    CLI::App* devices = app.add_subcommand("devices", "What devices are there, what they can do, which are rejected and why");
    CLI::Option* json = devices->add_flag("--json", arguments.json, "As a JSON list");
    devices->add_flag("--cache", arguments.cache, "Also what is kept for each of them from run to run")->excludes(json);

    CLI::App* operators = app.add_subcommand("operators", "What operators are computed: versions, inputs, types, attributes");
    operators->add_option("NAME", arguments.operators, "Only these, by ONNX's names");
    operators->add_flag("--json", arguments.json, "As a JSON list");

    CLI::App* cache =
        app.add_subcommand("cache", "What the tools keep from run to run, in VKONNX_CACHE_DIR or the platform's folder");
    CLI::App* clear = cache->add_subcommand("clear", "Deletes it");

    CLI::App* run = app.add_subcommand("run", "Runs a model");
    run->add_option("--input", arguments.inputs, "A .npy, .pb, .png or .jpg file, or random numbers of that shape")
        ->type_name("NAME=FILE|random:1x3x64x64")
        ->allow_extra_args(false);
    run->add_option("--output", arguments.outputs, "Writes an output to a .npy, .pb, .png or .jpg file")
        ->type_name("NAME=FILE")
        ->allow_extra_args(false);
    run->add_flag("--profile", arguments.profile, "Runs again and prints tables of GPU times and of device memory");
    run->add_option("--prepare-threads", arguments.prepare_threads, "Threads that compile kernels")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    run->add_option("--seed", arguments.seed, "Of the random numbers")->capture_default_str();
    add_device_option(*run, arguments.device);

    CLI::App* explain = app.add_subcommand("explain", "Says how each node is understood and what would run");
    explain
        ->add_option("--input", arguments.inputs,
                     "An input's shape, where the model leaves it open, or a .npy or .pb file where its numbers decide sizes or "
                     "the branch of an If")
        ->type_name("NAME=1x3x64x64|FILE")
        ->allow_extra_args(false);
    CLI::Option* preset =
        explain->add_option("--capabilities", arguments.capabilities, "Of a preset, instead of a present device")
            ->check(CLI::IsMember(
                std::vector<std::string>(Capabilities::preset_names().begin(), Capabilities::preset_names().end())));
    explain
        ->add_flag("--compiled", arguments.compiled,
                   "Instead, what the driver's compiler makes of the kernels: registers, spills, instructions")
        ->excludes(preset);
    add_device_option(*explain, arguments.device);

    std::vector<std::string> fusions;
    for (const Spelling<onnx::Fusion>& fusion : onnx::fusion_words)
        fusions.emplace_back(fusion.word);
    for (CLI::App* command : {run, explain}) {
        command->add_option("MODEL", arguments.model, "An .onnx file")->required()->check(CLI::ExistingFile);
        add_rules_option(*command, arguments.rules);
        command->add_flag("--reproducible", arguments.reproducible, "Equal bits on every device; an error where that can't be");
        command->add_option("--without-fusion", arguments.without_fusions, "Leaves operators as the model has them")
            ->check(CLI::IsMember(fusions))
            ->allow_extra_args(false);
    }

    if (const std::optional<int> code = parse_command_line(app, argc, argv, version_and_options()))
        return *code;
    if (cache->parsed())
        return show_cache(clear->parsed());
    if (operators->parsed())
        return show_operators(arguments);
    return devices->parsed() ? run_devices(arguments) : run->parsed() ? run_model(arguments) : explain_model(arguments);
}

}  // namespace

int main(int argc, char** argv)
{
    return tool_main(run_tool, argc, argv);
}
