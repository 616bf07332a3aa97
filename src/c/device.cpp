// SPDX-License-Identifier: Apache-2.0
// This file has devices and their tensors.
#include "c/handles.h"
#include "return_if_error.h"

using namespace vkonnx;
using namespace vkonnx::c;

vkonnx_device::vkonnx_device(Device given) : device(std::move(given))
{
    fill(info, device.info(), memory);
    auto* capabilities = memory.make<vkonnx_capabilities>();
    fill(*capabilities, device.capabilities());
    info.capabilities = capabilities;
}

vkonnx_tensor::vkonnx_tensor(Tensor given) : tensor(std::move(given))
{
    fill(desc, tensor.desc());
}

vkonnx_status* vkonnx_device_list(const vkonnx_device_options* options, const vkonnx_device_infos** result)
{
    return call(__func__, {{"result", result}}, [&]() -> Status {
        const Result<DeviceOptions> wanted = options_of(options);
        Result<std::vector<DeviceInfo>> devices = wanted ? Device::list(*wanted) : wanted.status();
        VKONNX_RETURN_IF_ERROR(devices.status());
        auto owned = std::make_unique<OwnedFrom<vkonnx_device_infos, std::vector<DeviceInfo>>>(std::move(*devices));
        owned->count = owned->source.size();
        owned->devices = make_list<vkonnx_device_info>(
            owned->source, owned->memory, [&](auto& one, const DeviceInfo& info) { fill(one, info, owned->memory); });
        *result = owned.release();
        return {};
    });
}

void vkonnx_device_infos_destroy(const vkonnx_device_infos* infos)
{
    delete static_cast<const OwnedFrom<vkonnx_device_infos, std::vector<DeviceInfo>>*>(infos);
}

vkonnx_status* vkonnx_device_open(const vkonnx_device_options* options, vkonnx_device** result)
{
    return call(__func__, {{"result", result}}, [&]() -> Status {
        const Result<DeviceOptions> wanted = options_of(options);
        return hand_out(wanted ? Device::open(*wanted) : wanted.status(), result);
    });
}

void vkonnx_device_destroy(vkonnx_device* device)
{
    delete device;
}

const vkonnx_device_info* vkonnx_device_get_info(const vkonnx_device* device)
{
    return device ? &device->info : nullptr;
}

const vkonnx_capabilities* vkonnx_device_get_capabilities(const vkonnx_device* device)
{
    return device ? device->info.capabilities : nullptr;
}

vkonnx_status* vkonnx_device_memory(const vkonnx_device* device, vkonnx_memory_use* result)
{
    return call(__func__, {{"device", device}, {"result", result}}, [&] {
        const MemoryUse use = device->device.memory();
        return fill("vkonnx_memory_use",
                    vkonnx_memory_use{.struct_size = sizeof(vkonnx_memory_use),
                                      .used = use.used,
                                      .allocated = use.allocated,
                                      .peak_used = use.peak_used,
                                      .peak_allocated = use.peak_allocated,
                                      .limit = use.limit,
                                      .staging = use.staging,
                                      .peak_staging = use.peak_staging},
                    result);
    });
}

vkonnx_status* vkonnx_device_measure_peaks(const vkonnx_device* device, vkonnx_peaks* result)
{
    return call(__func__, {{"device", device}, {"result", result}}, [&]() -> Status {
        const Result<Peaks> peaks = device->device.measure_peaks();
        VKONNX_RETURN_IF_ERROR(peaks.status());
        return fill("vkonnx_peaks",
                    vkonnx_peaks{.struct_size = sizeof(vkonnx_peaks),
                                 .flops_f32 = peaks->flops_f32,
                                 .flops_f16 = peaks->flops_f16,
                                 .copy_bytes_per_second = peaks->copy_bytes_per_second},
                    result);
    });
}

vkonnx_status* vkonnx_device_compile(const vkonnx_device* device, const vkonnx_explanation* explanation, size_t pipeline,
                                     const vkonnx_compiled_programs** result)
{
    const char* function = __func__;
    return call(function, {{"device", device}, {"explanation", explanation}, {"result", result}}, [&]() -> Status {
        if (pipeline >= explanation->pipeline_count)
            return Status(Code::invalid_argument, std::string(function) + ": pipeline " + std::to_string(pipeline) +
                                                      ", but the explanation has " + std::to_string(explanation->pipeline_count));
        const auto* planned = static_cast<const ExplainedPipeline*>(explanation->pipelines[pipeline])->planned;
        Result<std::vector<CompiledProgram>> programs = device->device.compile(*planned);
        VKONNX_RETURN_IF_ERROR(programs.status());
        auto owned = std::make_unique<OwnedFrom<vkonnx_compiled_programs, std::vector<CompiledProgram>>>(std::move(*programs));
        owned->count = owned->source.size();
        owned->programs = make_list<vkonnx_compiled_program>(owned->source, owned->memory, [&](auto& one, const auto& program) {
            one.subgroup_size = program.subgroup_size;
            one.statistics = make_list<vkonnx_statistic>(program.statistics, owned->memory, [](auto& row, const auto& statistic) {
                row.name = statistic.first.c_str();
                row.value = statistic.second;
            });
            one.statistic_count = program.statistics.size();
            one.texts = make_list<vkonnx_program_text>(program.texts, owned->memory, [](auto& row, const auto& text) {
                row.name = text.first.c_str();
                row.text = text.second.c_str();
            });
            one.text_count = program.texts.size();
        });
        *result = owned.release();
        return {};
    });
}

void vkonnx_compiled_programs_destroy(const vkonnx_compiled_programs* programs)
{
    delete static_cast<const OwnedFrom<vkonnx_compiled_programs, std::vector<CompiledProgram>>*>(programs);
}

vkonnx_status* vkonnx_device_tunings(const vkonnx_device* device, char** text)
{
    return call(__func__, {{"device", device}, {"text", text}}, [&]() -> Status {
        const Result<std::string> tunings = device->device.tunings();
        return tunings ? hand_out_text(*tunings, text) : tunings.status();
    });
}

vkonnx_status* vkonnx_device_cache_use(const vkonnx_device* device, const vkonnx_cache_use** result)
{
    return call(__func__, {{"device", device}, {"result", result}}, [&]() -> Status {
        auto owned = std::make_unique<OwnedFrom<vkonnx_cache_use, CacheUse>>(device->device.cache_use());
        const CacheUse& use = owned->source;
        owned->place = use.place.c_str();
        owned->missed = use.missed.c_str();
        owned->unwritten = use.unwritten.c_str();
        owned->read_bytes = use.read_bytes;
        owned->written_bytes = use.written_bytes;
        owned->read_pipelines = use.read_pipelines;
        owned->found = use.found;
        owned->confirmed = use.confirmed;
        owned->compiled = use.compiled;
        owned->kept = use.kept;
        owned->writes = use.writes;
        *result = owned.release();
        return {};
    });
}

void vkonnx_cache_use_destroy(const vkonnx_cache_use* use)
{
    delete static_cast<const OwnedFrom<vkonnx_cache_use, CacheUse>*>(use);
}

vkonnx_status* vkonnx_device_save_cache(const vkonnx_device* device)
{
    return call(__func__, {{"device", device}}, [&]() -> Status {
        device->device.save_cache();
        return {};
    });
}

vkonnx_status* vkonnx_default_cache_folder(char** text)
{
    return call(__func__, {{"text", text}}, [&] { return hand_out_text(default_cache_folder(), text); });
}

// ---- tensors

vkonnx_status* vkonnx_tensor_create(const vkonnx_device* device, const vkonnx_tensor_desc* desc, vkonnx_tensor** result)
{
    return call(__func__, {{"device", device}, {"desc", desc}, {"result", result}}, [&]() -> Status {
        const Result<TensorDesc> wanted = desc_of("desc", desc);
        return hand_out(wanted ? device->device.tensor(*wanted) : wanted.status(), result);
    });
}

void vkonnx_tensor_destroy(vkonnx_tensor* tensor)
{
    delete tensor;
}

const vkonnx_tensor_desc* vkonnx_tensor_get_desc(const vkonnx_tensor* tensor)
{
    return tensor ? &tensor->desc : nullptr;
}

vkonnx_status* vkonnx_tensor_upload(vkonnx_tensor* tensor, const void* data, size_t bytes)
{
    return call(__func__, {{"tensor", tensor}},
                [&] { return tensor->tensor.upload(std::span(static_cast<const std::byte*>(data), bytes)); });
}

vkonnx_status* vkonnx_tensor_download(const vkonnx_tensor* tensor, void* data, size_t bytes)
{
    return call(__func__, {{"tensor", tensor}},
                [&] { return tensor->tensor.download(std::span(static_cast<std::byte*>(data), bytes)); });
}

vkonnx_status* vkonnx_tensor_view(const vkonnx_tensor* tensor, const int64_t* dims, size_t rank, vkonnx_tensor** result)
{
    const char* function = __func__;
    return call(function, {{"tensor", tensor}, {"result", result}}, [&]() -> Status {
        VKONNX_RETURN_IF_ERROR(check_span(function, "dims", std::span(dims, rank)));
        return hand_out(tensor->tensor.view(std::vector<int64_t>(dims, dims + rank)), result);
    });
}

vkonnx_status* vkonnx_tensor_part(const vkonnx_tensor* tensor, uint64_t offset, const vkonnx_tensor_desc* desc,
                                  vkonnx_tensor** result)
{
    return call(__func__, {{"tensor", tensor}, {"desc", desc}, {"result", result}}, [&]() -> Status {
        const Result<TensorDesc> wanted = desc_of("desc", desc);
        return hand_out(wanted ? tensor->tensor.part(offset, *wanted) : wanted.status(), result);
    });
}

bool vkonnx_tensor_shares_memory(const vkonnx_tensor* tensor, const vkonnx_tensor* other)
{
    return tensor && other && tensor->tensor.shares_memory(other->tensor);
}
