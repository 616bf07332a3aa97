// SPDX-License-Identifier: Apache-2.0
// This file converts between the structs of C and those of C++, both ways. It is in both libraries of C.
#include "c/handles.h"

#include <cstdlib>
#include <limits>

#include "return_if_error.h"

namespace vkonnx::c {

namespace {

// Tells whether the numbers of C count from 0 to `last`, as those of C++ do.
template <class Cpp, class... C>
constexpr bool counts(Cpp last, C... numbers)
{
    int32_t next = 0;
    return ((numbers == next++) && ...) && next == int32_t(last) + 1;
}
static_assert(counts(Code::driver_error, VKONNX_OK, VKONNX_INVALID_ARGUMENT, VKONNX_UNSUPPORTED, VKONNX_OUT_OF_MEMORY,
                     VKONNX_NO_LOADER, VKONNX_NO_DRIVER, VKONNX_NO_DEVICE, VKONNX_DEVICE_LOST, VKONNX_TIMEOUT, VKONNX_IO,
                     VKONNX_DRIVER_ERROR));
static_assert(Code::invalid_argument == Code(VKONNX_INVALID_ARGUMENT) && Code::no_loader == Code(VKONNX_NO_LOADER) &&
              Code::device_lost == Code(VKONNX_DEVICE_LOST) && Code::io == Code(VKONNX_IO));
static_assert(counts(DType::int2, VKONNX_UNDEFINED, VKONNX_FLOAT32, VKONNX_UINT8, VKONNX_INT8, VKONNX_UINT16, VKONNX_INT16,
                     VKONNX_INT32, VKONNX_INT64, VKONNX_STRING, VKONNX_BOOLEAN, VKONNX_FLOAT16, VKONNX_FLOAT64, VKONNX_UINT32,
                     VKONNX_UINT64, VKONNX_COMPLEX64, VKONNX_COMPLEX128, VKONNX_BFLOAT16, VKONNX_FLOAT8E4M3FN,
                     VKONNX_FLOAT8E4M3FNUZ, VKONNX_FLOAT8E5M2, VKONNX_FLOAT8E5M2FNUZ, VKONNX_UINT4, VKONNX_INT4,
                     VKONNX_FLOAT4E2M1, VKONNX_FLOAT8E8M0, VKONNX_UINT2, VKONNX_INT2));
static_assert(counts(Layout::nxc, VKONNX_NCX, VKONNX_NXC));
static_assert(counts(Rules::onnxruntime, VKONNX_RULES_SPECIFICATION, VKONNX_RULES_ONNXRUNTIME));
static_assert(counts(DeviceKind::cpu, VKONNX_KIND_OTHER, VKONNX_KIND_INTEGRATED_GPU, VKONNX_KIND_DISCRETE_GPU,
                     VKONNX_KIND_VIRTUAL_GPU, VKONNX_KIND_CPU));
static_assert(counts(LogLevel::error, VKONNX_LOG_INFO, VKONNX_LOG_WARNING, VKONNX_LOG_ERROR));

constexpr vkonnx_status no_memory = {VKONNX_OUT_OF_MEMORY, true, "the host is out of memory"};

Status refuse(const std::string& what)
{
    return Status(Code::invalid_argument, what);
}

}  // namespace

vkonnx_status* to_c(const Status& status) noexcept
{
    if (status.ok())
        return nullptr;
    const std::string_view message = status.message();
    void* memory = std::malloc(sizeof(vkonnx_status) + message.size() + 1);
    if (!memory)
        return const_cast<vkonnx_status*>(&no_memory);
    char* text = static_cast<char*>(memory) + sizeof(vkonnx_status);
    if (!message.empty())
        std::memcpy(text, message.data(), message.size());
    text[message.size()] = 0;
    return new (memory) vkonnx_status{vkonnx_code(status.code()), false, text};
}

Status hand_out_text(std::string_view text, char** result)
{
    char* copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (!copy)
        return Status::from_literal(Code::out_of_memory, "the host is out of memory");
    if (!text.empty())
        std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = 0;
    *result = copy;
    return {};
}

Result<TensorDesc> desc_of(const std::string& what, const vkonnx_tensor_desc* given)
{
    if (!given)
        return refuse(what + " is NULL");
    Result<vkonnx_tensor_desc> desc = read("vkonnx_tensor_desc", given);
    VKONNX_RETURN_IF_ERROR(desc.status());
    if (desc->dtype < 0 || desc->dtype > VKONNX_INT2)
        return refuse(what + ": dtype " + std::to_string(desc->dtype) + " is none of ONNX's, which are 0 to " +
                      std::to_string(VKONNX_INT2));
    if (desc->layout != VKONNX_NCX && desc->layout != VKONNX_NXC)
        return refuse(what + ": layout " + std::to_string(desc->layout) + " is neither VKONNX_NCX nor VKONNX_NXC");
    if (!desc->dims && desc->rank > 0)
        return refuse(what + ": dims is NULL, but rank is " + std::to_string(desc->rank));
    return TensorDesc{.dtype = DType(desc->dtype),
                      .dims = std::vector<int64_t>(desc->dims, desc->dims + desc->rank),
                      .layout = Layout(desc->layout)};
}

Result<std::vector<TensorDesc>> inputs_of(const char* function, const vkonnx_tensor_desc* const* inputs, size_t count)
{
    return read_list(std::string(function) + ": inputs", inputs, count,
                     [](const std::string& what, const vkonnx_tensor_desc* given) -> Result<TensorDesc> {
                         return given ? desc_of(what, given) : Result(TensorDesc{.dtype = DType::undefined});
                     });
}

Result<std::vector<Tensor>> tensors_of(const char* function, const char* argument, const vkonnx_tensor* const* tensors,
                                       size_t count, bool may_be_null)
{
    return read_list(std::string(function) + ": " + argument, tensors, count,
                     [&](const std::string& what, const vkonnx_tensor* given) -> Result<Tensor> {
                         if (!given && !may_be_null)
                             return refuse(what + " is NULL");
                         return given ? given->tensor : Tensor();
                     });
}

Result<Rules> rules_of(const char* what, vkonnx_rules rules)
{
    if (rules != VKONNX_RULES_SPECIFICATION && rules != VKONNX_RULES_ONNXRUNTIME)
        return refuse(std::string(what) + ": rules " + std::to_string(rules) +
                      " is neither VKONNX_RULES_SPECIFICATION nor VKONNX_RULES_ONNXRUNTIME");
    return Rules(rules);
}

// ---- capabilities: every member once

namespace {

// Calls visit(member of C, member of C++) for each member but the name.
template <class OfC, class OfCpp, class Visitor>
void members(OfC& c, OfCpp& cpp, Visitor visit)
{
    visit(c.is_cpu, cpp.is_cpu);
    visit(c.subgroup_shuffles, cpp.subgroup_shuffles);
    visit(c.timestamps, cpp.timestamps);
    visit(c.float16, cpp.float16);
    visit(c.float64, cpp.float64);
    visit(c.rounds_to_nearest, cpp.rounds_to_nearest);
    visit(c.keeps_signed_zero_inf_nan, cpp.keeps_signed_zero_inf_nan);
    visit(c.cooperative_matrices, cpp.cooperative_matrices);
    visit(c.storage16, cpp.storage16);
    visit(c.invocation_registers, cpp.invocation_registers);
    visit(c.max_storage_buffer_range, cpp.max_storage_buffer_range);
    visit(c.storage_buffer_alignment, cpp.storage_buffer_alignment);
    visit(c.max_texel_buffer_elements, cpp.max_texel_buffer_elements);
    visit(c.texel_buffer_alignment, cpp.texel_buffer_alignment);
    visit(c.max_uniform_buffer_range, cpp.max_uniform_buffer_range);
    visit(c.max_storage_buffers, cpp.max_storage_buffers);
    visit(c.max_push_constant_bytes, cpp.max_push_constant_bytes);
    visit(c.max_invocations, cpp.max_invocations);
    for (size_t i = 0; i < 3; ++i) {
        visit(c.max_workgroup_size[i], cpp.max_workgroup_size[i]);
        visit(c.max_group_count[i], cpp.max_group_count[i]);
        visit(c.cooperative_matrix[i], cpp.cooperative_matrix[i]);
    }
    visit(c.max_shared_bytes, cpp.max_shared_bytes);
    visit(c.max_loop_iterations, cpp.max_loop_iterations);
    visit(c.subgroup_size, cpp.subgroup_size);
    visit(c.work_per_second, cpp.work_per_second);
}

}  // namespace

Result<Capabilities> capabilities_of(const vkonnx_capabilities* given)
{
    Result<vkonnx_capabilities> c = read("vkonnx_capabilities", given);
    VKONNX_RETURN_IF_ERROR(c.status());
    Capabilities capabilities;
    capabilities.name = text(c->name);
    members(*c, capabilities, [](const auto& from, auto& to) { to = from; });
    return capabilities;
}

void fill(vkonnx_capabilities& place, const Capabilities& capabilities)
{
    place.name = capabilities.name.c_str();
    members(place, capabilities, [](auto& to, const auto& from) { to = from; });
}

// ---- options

Result<PrepareOptions> options_of(const vkonnx_prepare_options* given)
{
    Result<vkonnx_prepare_options> c = read("vkonnx_prepare_options", given);
    VKONNX_RETURN_IF_ERROR(c.status());
    PrepareOptions options;
    options.kernel = text(c->kernel);
    options.reproducible = c->reproducible;
    options.tune = c->tune;
    if (c->max_dispatch_seconds != 0)
        options.max_dispatch_seconds = c->max_dispatch_seconds;
    if (c->scratch_budget != 0)
        options.scratch_budget = c->scratch_budget;
    auto constants = read_list("vkonnx_prepare_options::constants", c->constants, c->constant_count,
                               [](const std::string& what, const vkonnx_constant_input* one) -> Result<ConstantInput> {
                                   if (!one)
                                       return refuse(what + " is NULL");
                                   Result<vkonnx_constant_input> constant = read("vkonnx_constant_input", one);
                                   VKONNX_RETURN_IF_ERROR(constant.status());
                                   return ConstantInput{.input = constant->input,
                                                        .tensor = constant->tensor ? constant->tensor->tensor : Tensor(),
                                                        .weights = constant->weights ? constant->weights->weights : Weights()};
                               });
    VKONNX_RETURN_IF_ERROR(constants.status());
    options.constants = std::move(*constants);
    auto built = read_list("vkonnx_prepare_options::built", c->built, c->built_count,
                           [](const std::string& what, const vkonnx_pipeline* one) -> Result<PlannedPipeline> {
                               if (!one)
                                   return refuse(what + " is NULL");
                               return *static_cast<const ExplainedPipeline*>(one)->planned;
                           });
    VKONNX_RETURN_IF_ERROR(built.status());
    options.built = std::move(*built);
    if (c->staging)
        options.staging = c->staging->staging;
    if (c->epilogue) {
        const auto* elementwise = std::get_if<Elementwise>(&c->epilogue->op);
        if (!elementwise)
            return refuse("vkonnx_prepare_options::epilogue is a " + std::string(name(c->epilogue->op)) +
                          ", expected an elementwise operator");
        options.epilogue = *elementwise;
    }
    if (c->prologue || c->prologue_scaled) {
        const auto* elementwise = c->prologue ? std::get_if<Elementwise>(&c->prologue->op) : nullptr;
        if (c->prologue && (!elementwise || !elementwise->steps.empty()))
            return refuse("vkonnx_prepare_options::prologue is a " + std::string(name(c->prologue->op)) +
                          ", expected an elementwise operator without steps");
        options.prologue = {.scaled = c->prologue_scaled, .kind = elementwise ? elementwise->kind : ElementwiseKind::identity};
    }
    return options;
}

Result<DeviceOptions> options_of(const vkonnx_device_options* given)
{
    Result<vkonnx_device_options> c = read("vkonnx_device_options", given);
    VKONNX_RETURN_IF_ERROR(c.status());
    DeviceOptions options;
    options.select = text(c->select);
    options.get_instance_proc_addr = c->get_instance_proc_addr;
    if (c->capabilities) {
        Result<Capabilities> capabilities = capabilities_of(c->capabilities);
        VKONNX_RETURN_IF_ERROR(capabilities.status());
        options.capabilities = std::move(*capabilities);
    }
    options.validation = c->validation;
    options.debug_names = c->debug_names;
    options.self_test = !c->no_self_test;
    options.work_per_second = c->work_per_second;
    options.compiler_statistics = c->compiler_statistics;
    if (c->timeout_seconds != 0)
        options.timeout_seconds = c->timeout_seconds;
    options.max_memory = c->max_memory;
    options.allocation_callbacks = c->allocation_callbacks;
    options.tunings = text(c->tunings);
    if (c->max_cached_pipelines < -1 || c->max_cached_pipelines > std::numeric_limits<uint32_t>::max())
        return refuse("vkonnx_device_options::max_cached_pipelines is " + std::to_string(c->max_cached_pipelines) +
                      ", expected a number of pipelines below 2^32, 0 for 64 of them, or -1 for none");
    if (c->max_cached_pipelines != 0)
        options.max_cached_pipelines = c->max_cached_pipelines == -1 ? 0 : uint32_t(c->max_cached_pipelines);
    options.cache_folder = text(c->cache_folder);
    if (c->load_cache)
        options.load_cache = [load = c->load_cache, user = c->cache_user](std::string_view name) {
            return guarded_or(std::vector<std::byte>(), [&] {
                const std::string ended(name);
                std::vector<std::byte> bytes(load(user, ended.c_str(), nullptr, 0));
                if (bytes.empty() || load(user, ended.c_str(), bytes.data(), bytes.size()) != bytes.size())
                    bytes.clear();
                return bytes;
            });
        };
    if (c->store_cache)
        options.store_cache = [store = c->store_cache, user = c->cache_user](std::string_view name,
                                                                             std::span<const std::byte> bytes) {
            guarded_or(0, [&] {
                const std::string ended(name);
                store(user, ended.c_str(), bytes.data(), bytes.size());
                return 0;
            });
        };
    if (c->log)
        options.log = [log = c->log, user = c->log_user](LogLevel level, std::string_view line) {
            guarded_or(0, [&] {
                const std::string ended(line);
                log(user, vkonnx_log_level(level), ended.c_str());
                return 0;
            });
        };
    return options;
}

// ---- what is given out

void fill(vkonnx_tensor_desc& place, const TensorDesc& desc)
{
    place.struct_size = sizeof(place);
    place.dtype = vkonnx_dtype(desc.dtype);
    place.layout = vkonnx_layout(desc.layout);
    place.rank = desc.dims.size();
    place.dims = desc.dims.data();
}

void fill(vkonnx_tensor_descs& place, std::span<const TensorDesc> descs, Memory& memory)
{
    place.struct_size = sizeof(place);
    place.count = descs.size();
    place.descs = make_list<vkonnx_tensor_desc>(descs, memory, [](auto& one, const TensorDesc& desc) { fill(one, desc); });
}

void fill(vkonnx_device_info& place, const DeviceInfo& info, Memory& memory)
{
    place.struct_size = sizeof(place);
    place.index = info.index;
    place.kind = vkonnx_device_kind(info.kind);
    place.name = info.name.c_str();
    place.driver = info.driver.c_str();
    std::copy(info.api_version.begin(), info.api_version.end(), place.api_version);
    place.vendor_id = info.vendor_id;
    place.device_id = info.device_id;
    place.uuid = info.uuid.c_str();
    place.rejected = info.rejected.c_str();
    auto* capabilities = memory.make<vkonnx_capabilities>();
    fill(*capabilities, info.capabilities);
    place.capabilities = capabilities;
}

namespace {

using Constants = std::span<const std::pair<std::string, uint32_t>>;

const vkonnx_specialization* const* make_specialization(Constants constants, Memory& memory)
{
    return make_list<vkonnx_specialization>(constants, memory, [](auto& one, const auto& constant) {
        one.name = constant.first.c_str();
        one.value = constant.second;
    });
}

}  // namespace

void fill(vkonnx_explanation& place, const Explanation& explanation, Memory& memory)
{
    place.struct_size = sizeof(place);
    auto* outputs = memory.make<vkonnx_tensor_descs>();
    fill(*outputs, explanation.outputs, memory);
    place.outputs = outputs;
    place.pads_begin = explanation.pads_begin.data();
    place.pads_end = explanation.pads_end.data();
    place.pad_count = explanation.pads_begin.size();
    place.equation = explanation.equation.c_str();
    place.kernel = explanation.kernel.c_str();
    place.specialization = make_specialization(explanation.specialization, memory);
    place.specialization_count = explanation.specialization.size();
    place.pipelines = memory.list(explanation.pipelines, [&](const PlannedPipeline& planned) -> const vkonnx_pipeline* {
        auto* pipeline = memory.make<ExplainedPipeline>();
        pipeline->struct_size = sizeof(vkonnx_pipeline);
        pipeline->planned = &planned;
        pipeline->kernel = memory.text(planned.kernel());
        pipeline->specialization = make_specialization(planned.specialization(), memory);
        pipeline->specialization_count = planned.specialization().size();
        return pipeline;
    });
    place.pipeline_count = explanation.pipelines.size();
    static_assert(sizeof(explanation.grids[0]) == 3 * sizeof(uint32_t));
    place.grids = explanation.grids.empty() ? nullptr : explanation.grids[0].data();
    place.grid_count = explanation.grids.size();
    place.seconds = explanation.seconds;
    place.scratch_bytes = explanation.scratch_bytes;
    place.packed_bytes = explanation.packed_bytes;
    place.why = explanation.why.c_str();
    place.in_place = explanation.in_place.data();
    place.in_place_count = explanation.in_place.size();
    place.host_result = explanation.host_result.data();
    place.host_result_count = explanation.host_result.size();
}

}  // namespace vkonnx::c
