// SPDX-License-Identifier: Apache-2.0
// This file has the functions for use inside a Vulkan program.
#include <vkonnx/vulkan.h>
#include <vkonnx/vulkan.hpp>

#include "c/handles.h"
#include "return_if_error.h"

using namespace vkonnx;
using namespace vkonnx::c;

namespace {

using OwnedRequirements = OwnedFrom<vkonnx_vulkan_requirements, vulkan::Requirements>;

void fill(OwnedRequirements& place)
{
    const vulkan::Requirements& needs = place.source;
    place.api_version = needs.api_version;
    place.queue_flags = needs.queue_flags;
    place.queue_families = needs.queue_families.data();
    place.queue_family_count = needs.queue_families.size();
    place.extensions = needs.extensions.data();
    place.extension_count = needs.extensions.size();
    place.features = needs.features;
    place.optional_features = needs.optional_features;
    place.optional_extensions = needs.optional_extensions.data();
    place.optional_extension_count = needs.optional_extensions.size();
    place.optional_extended_features = needs.optional_extended_features.data();
    place.optional_extended_feature_count = needs.optional_extended_features.size();
    place.optional_instance_extensions = needs.optional_instance_extensions.data();
    place.optional_instance_extension_count = needs.optional_instance_extensions.size();
    place.buffer_usage = needs.buffer_usage;
    place.written_buffer_usage = needs.written_buffer_usage;
    place.downloaded_buffer_usage = needs.downloaded_buffer_usage;
    place.texel_buffer_usage = needs.texel_buffer_usage;
    place.offset_alignment = needs.offset_alignment;
    place.texel_offset_alignment = needs.texel_offset_alignment;
}

Status check_names(const char* what, std::span<const char* const> names)
{
    return read_list(what, names.data(), names.size(),
                     [](const std::string& place, const char* name) -> Result<const char*> {
                         return name ? Result(name) : Status(Code::invalid_argument, place + " is NULL");
                     })
        .status();
}

Result<std::vector<vulkan::SemaphorePoint>> semaphores_of(const char* what, const vkonnx_vulkan_semaphore* const* given,
                                                          size_t count)
{
    return read_list(what, given, count,
                     [](const std::string& place, const vkonnx_vulkan_semaphore* one) -> Result<vulkan::SemaphorePoint> {
                         if (!one)
                             return Status(Code::invalid_argument, place + " is NULL");
                         const Result<vkonnx_vulkan_semaphore> semaphore = read("vkonnx_vulkan_semaphore", one);
                         VKONNX_RETURN_IF_ERROR(semaphore.status());
                         return vulkan::SemaphorePoint{.semaphore = semaphore->semaphore, .value = semaphore->value};
                     });
}

// Calls submit(options of C++). The lists of these options live until it returns.
template <class Submit>
Status submit_with(const vkonnx_vulkan_submit_options* given, vkonnx_job** result, Submit submit)
{
    const Result<vkonnx_vulkan_submit_options> options = read("vkonnx_vulkan_submit_options", given);
    VKONNX_RETURN_IF_ERROR(options.status());
    const auto wait = semaphores_of("vkonnx_vulkan_submit_options::wait", options->wait, options->wait_count);
    const auto signal = semaphores_of("vkonnx_vulkan_submit_options::signal", options->signal, options->signal_count);
    if (!wait || !signal)
        return wait ? signal.status() : wait.status();
    return hand_out(submit(vulkan::SubmitOptions{.wait = *wait, .signal = *signal, .fence = options->fence}), result);
}

Result<vulkan::RecordFlags> flags_of(const char* function, vkonnx_vulkan_record_flags flags)
{
    if (flags > uint32_t(vulkan::RecordFlags::outer_barriers))
        return Status(Code::invalid_argument,
                      std::string(function) + ": flags " + std::to_string(flags) +
                          ", expected a sum of VKONNX_VULKAN_BARRIER_BEFORE and VKONNX_VULKAN_BARRIER_AFTER");
    return vulkan::RecordFlags(flags);
}

}  // namespace

vkonnx_status* vkonnx_vulkan_get_requirements(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                              VkPhysicalDevice physical_device, uint32_t api_version,
                                              vkonnx_vulkan_requirements** result)
{
    return call(__func__, {{"result", result}}, [&]() -> Status {
        Result<vulkan::Requirements> needs = get_instance_proc_addr
                                                 ? vulkan::requirements(get_instance_proc_addr, instance, physical_device,
                                                                        api_version != 0 ? api_version : VK_API_VERSION_1_1)
                                                 : vulkan::requirements();
        VKONNX_RETURN_IF_ERROR(needs.status());
        auto owned = std::make_unique<OwnedRequirements>(std::move(*needs));
        fill(*owned);
        *result = owned.release();
        return {};
    });
}

void vkonnx_vulkan_requirements_destroy(vkonnx_vulkan_requirements* requirements)
{
    delete static_cast<OwnedRequirements*>(requirements);
}

vkonnx_status* vkonnx_vulkan_add_features(const vkonnx_vulkan_requirements* requirements, VkPhysicalDeviceFeatures2* enabled)
{
    return call(__func__, {{"requirements", requirements}, {"enabled", enabled}}, [&]() -> Status {
        const Result<vkonnx_vulkan_requirements> given = read("vkonnx_vulkan_requirements", requirements);
        VKONNX_RETURN_IF_ERROR(given.status());
        const std::span names(given->optional_extended_features, given->optional_extended_feature_count);
        VKONNX_RETURN_IF_ERROR(check_names("vkonnx_vulkan_requirements::optional_extended_features", names));
        const vulkan::Requirements needs = {.features = given->features,
                                            .optional_features = given->optional_features,
                                            .optional_extended_features = {names.begin(), names.end()}};
        needs.add_to(*enabled);
        return {};
    });
}

vkonnx_status* vkonnx_vulkan_adopt(const vkonnx_vulkan_device* adopted, const vkonnx_device_options* options,
                                   vkonnx_device** result)
{
    return call(__func__, {{"adopted", adopted}, {"result", result}}, [&]() -> Status {
        const Result<vkonnx_vulkan_device> given = read("vkonnx_vulkan_device", adopted);
        const Result<DeviceOptions> wanted = options_of(options);
        if (!given || !wanted)
            return given ? wanted.status() : given.status();
        const std::span instance_names(given->instance_extensions, given->instance_extension_count);
        const std::span device_names(given->device_extensions, given->device_extension_count);
        VKONNX_RETURN_IF_ERROR(check_names("vkonnx_vulkan_device::instance_extensions", instance_names));
        VKONNX_RETURN_IF_ERROR(check_names("vkonnx_vulkan_device::device_extensions", device_names));
        vulkan::AdoptedDevice device = {.get_instance_proc_addr = given->get_instance_proc_addr,
                                        .instance = given->instance,
                                        .physical_device = given->physical_device,
                                        .device = given->device,
                                        .queue = given->queue,
                                        .queue_family = given->queue_family,
                                        .instance_extensions = instance_names,
                                        .device_extensions = device_names,
                                        .features = given->features,
                                        .features_chain = given->features_chain};
        if (given->api_version != 0)
            device.api_version = given->api_version;
        if (given->lock_queue)
            device.lock_queue = [lock = given->lock_queue, user = given->queue_user] { lock(user); };
        if (given->unlock_queue)
            device.unlock_queue = [unlock = given->unlock_queue, user = given->queue_user] { unlock(user); };
        return hand_out(vulkan::adopt(device, *wanted), result);
    });
}

vkonnx_status* vkonnx_vulkan_wrap(const vkonnx_device* device, const vkonnx_vulkan_buffer* slice, const vkonnx_tensor_desc* desc,
                                  vkonnx_tensor** result)
{
    return call(__func__, {{"device", device}, {"slice", slice}, {"desc", desc}, {"result", result}}, [&]() -> Status {
        const Result<vkonnx_vulkan_buffer> given = read("vkonnx_vulkan_buffer", slice);
        const Result<TensorDesc> wanted = desc_of("desc", desc);
        if (!given || !wanted)
            return given ? wanted.status() : given.status();
        vulkan::BufferSlice buffer = {.buffer = given->buffer, .offset = given->offset, .size = given->size};
        if (given->usage != 0)
            buffer.usage = given->usage;
        return hand_out(vulkan::wrap(device->device, buffer, *wanted), result);
    });
}

vkonnx_status* vkonnx_vulkan_record_binding(VkCommandBuffer commands, const vkonnx_binding* binding,
                                            vkonnx_vulkan_record_flags flags)
{
    const char* function = __func__;
    return call(function, {{"commands", commands}, {"binding", binding}}, [&]() -> Status {
        const Result<vulkan::RecordFlags> wanted = flags_of(function, flags);
        return wanted ? vulkan::record(commands, binding->binding, *wanted) : wanted.status();
    });
}

vkonnx_status* vkonnx_vulkan_record_recording(VkCommandBuffer commands, const vkonnx_recording* recording,
                                              vkonnx_vulkan_record_flags flags)
{
    const char* function = __func__;
    return call(function, {{"commands", commands}, {"recording", recording}}, [&]() -> Status {
        const Result<vulkan::RecordFlags> wanted = flags_of(function, flags);
        return wanted ? vulkan::record(commands, recording->recording, *wanted) : wanted.status();
    });
}

vkonnx_status* vkonnx_vulkan_submit_binding(const vkonnx_device* device, const vkonnx_binding* binding,
                                            const vkonnx_vulkan_submit_options* options, vkonnx_job** result)
{
    return call(__func__, {{"device", device}, {"binding", binding}, {"result", result}}, [&] {
        return submit_with(options, result, [&](const vulkan::SubmitOptions& how) {
            return vulkan::submit(device->device, binding->binding, how);
        });
    });
}

vkonnx_status* vkonnx_vulkan_submit_recording(const vkonnx_recording* recording, const vkonnx_vulkan_submit_options* options,
                                              vkonnx_job** result)
{
    return call(__func__, {{"recording", recording}, {"result", result}}, [&] {
        return submit_with(options, result,
                           [&](const vulkan::SubmitOptions& how) { return vulkan::submit(recording->recording, how); });
    });
}
