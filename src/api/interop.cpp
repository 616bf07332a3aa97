// SPDX-License-Identifier: Apache-2.0
// This file implements vulkan.hpp: the application's device, buffers and command buffers.
#include <vkonnx/vulkan.hpp>

#include <algorithm>
#include <cstring>

#include "api/opening.h"
#include "api/state.h"
#include "return_if_error.h"

namespace vkonnx::vulkan {
namespace {

using api::state_of;

Status refuse_null(const char* what)
{
    return Status(Code::invalid_argument, std::string(what) + " is null");
}

Status check_names(const char* field, std::span<const char* const> names)
{
    VKONNX_RETURN_IF_ERROR(check_span("AdoptedDevice", field, names));
    for (size_t i = 0; i < names.size(); ++i)
        if (!names[i])
            return refuse_null((std::string("AdoptedDevice::") + field + "[" + std::to_string(i) + "]").c_str());
    return {};
}

Status check_version(const char* name, uint32_t version)
{
    if (version < VK_API_VERSION_1_1)
        return Status(Code::unsupported, std::string(name) + " = " + std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
                                             std::to_string(VK_API_VERSION_MINOR(version)) + ", but 1.1 is needed");
    return {};
}

// Refuses each missing member with its own name.
Status check_given(const AdoptedDevice& adopted)
{
    if (!adopted.get_instance_proc_addr)
        return refuse_null("AdoptedDevice::get_instance_proc_addr");
    if (!adopted.instance)
        return refuse_null("AdoptedDevice::instance");
    if (!adopted.physical_device)
        return refuse_null("AdoptedDevice::physical_device");
    if (!adopted.device)
        return refuse_null("AdoptedDevice::device");
    if (!adopted.queue)
        return refuse_null("AdoptedDevice::queue");
    VKONNX_RETURN_IF_ERROR(check_names("instance_extensions", adopted.instance_extensions));
    VKONNX_RETURN_IF_ERROR(check_names("device_extensions", adopted.device_extensions));
    if (!adopted.lock_queue != !adopted.unlock_queue)
        return Status(Code::invalid_argument, adopted.lock_queue ? "AdoptedDevice::unlock_queue is null, but lock_queue is not"
                                                                 : "AdoptedDevice::lock_queue is null, but unlock_queue is not");
    return check_version("AdoptedDevice::api_version", adopted.api_version);
}

VkPhysicalDeviceFeatures basic_features(const Capabilities& capabilities)
{
    auto basic = gpu::structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    for (const gpu::Feature& feature : gpu::every_feature())
        if (feature.is_offered(capabilities))
            gpu::switch_on(feature, &basic);
    return basic.features;
}

// Returns what is needed of any device, without the lists of extensions.
Requirements without_lists()
{
    Requirements needs;
    needs.optional_features = basic_features({});
    return needs;
}

Requirements with_lists()
{
    Requirements needs = without_lists();
    needs.optional_instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    return needs;
}

bool holds(std::span<const char* const> names, const char* wanted)
{
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return std::strcmp(name, wanted) == 0; });
}

Status check_extensions(const AdoptedDevice& adopted)
{
    const Result<Requirements> needs =
        requirements(adopted.get_instance_proc_addr, adopted.instance, adopted.physical_device, adopted.api_version);
    VKONNX_RETURN_IF_ERROR(needs.status());
    for (const char* extension : needs->extensions)
        if (!holds(adopted.device_extensions, extension))
            return Status(Code::invalid_argument, std::string("AdoptedDevice::device_extensions lacks ") + extension +
                                                      ", which this device must have enabled (requirements)");
    return {};
}

Status check_slice(const gpu::Device& device, const BufferSlice& slice, const TensorDesc& desc, uint64_t bytes)
{
    if (!slice.buffer)
        return refuse_null("BufferSlice::buffer");
    const VkDeviceSize alignment = std::max(4u, device.capabilities().storage_buffer_alignment);
    if (slice.offset % alignment != 0)
        return Status(Code::unsupported, "BufferSlice::offset = " + std::to_string(slice.offset) + " must be a multiple of " +
                                             std::to_string(alignment) + ", as the device '" + device.physical().info.name +
                                             "' binds storage buffers");
    if (slice.size < bytes)
        return Status(Code::invalid_argument, "BufferSlice::size = " + std::to_string(slice.size) + " must be at least " +
                                                  std::to_string(bytes) + " for " + to_string(desc));
    if (slice.size > UINT64_MAX - slice.offset)
        return Status(Code::invalid_argument, "BufferSlice::size = " + std::to_string(slice.size) + " at offset " +
                                                  std::to_string(slice.offset) +
                                                  " must not reach beyond 2^64 (VK_WHOLE_SIZE does not count here)");
    if (!(slice.usage & VK_BUFFER_USAGE_STORAGE_BUFFER_BIT))
        return Status(Code::invalid_argument, "BufferSlice::usage lacks VK_BUFFER_USAGE_STORAGE_BUFFER_BIT");
    return {};
}

}  // namespace

void Requirements::add_to(VkPhysicalDeviceFeatures2& enabled) const noexcept
{
    // VkPhysicalDeviceFeatures is a row of VkBool32 and nothing else.
    constexpr size_t count = sizeof(VkPhysicalDeviceFeatures) / sizeof(VkBool32);
    std::array<VkBool32, count> sum, mandatory, optional;
    std::memcpy(sum.data(), &enabled.features, sizeof(enabled.features));
    std::memcpy(mandatory.data(), &features, sizeof(features));
    std::memcpy(optional.data(), &optional_features, sizeof(optional_features));
    for (size_t i = 0; i < count; ++i)
        sum[i] |= mandatory[i] | optional[i];
    std::memcpy(&enabled.features, sum.data(), sizeof(enabled.features));
    for (const gpu::Feature& feature : gpu::every_feature())
        if (holds(optional_extended_features, feature.name))
            gpu::switch_on(feature, enabled.pNext);
}

Requirements requirements() noexcept
{
    return guarded_or(without_lists(), with_lists);
}

Result<Requirements> requirements(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                  VkPhysicalDevice physical_device, uint32_t api_version)
{
    return guarded([&]() -> Result<Requirements> {
        if (!get_instance_proc_addr || !instance || !physical_device)
            return refuse_null(!get_instance_proc_addr ? "requirements: get_instance_proc_addr"
                               : !instance             ? "requirements: instance"
                                                       : "requirements: physical_device");
        VKONNX_RETURN_IF_ERROR(check_version("requirements: api_version", api_version));
        const Result<std::shared_ptr<gpu::Instance>> borrowed =
            gpu::Instance::adopt(get_instance_proc_addr, instance, api_version, {}, {});
        VKONNX_RETURN_IF_ERROR(borrowed.status());
        const Result<gpu::PhysicalDevice> described = (*borrowed)->describe(physical_device, 0);
        VKONNX_RETURN_IF_ERROR(described.status());
        const gpu::PhysicalDevice& physical = *described;
        if (!physical.info.rejected.empty())
            return Status(Code::unsupported, "the device '" + physical.info.name + "' can't be used: " + physical.info.rejected);
        Requirements needs = with_lists();
        needs.queue_families = (*borrowed)->queue_families(physical_device);
        needs.offset_alignment = std::max(4u, physical.info.capabilities.storage_buffer_alignment);
        needs.texel_offset_alignment = std::max(4u, physical.info.capabilities.texel_buffer_alignment);
        needs.optional_features = basic_features(physical.info.capabilities);
        for (const gpu::Feature& feature : gpu::every_feature())
            if (!feature.is_basic() && feature.is_offered(physical.info.capabilities))
                needs.optional_extended_features.push_back(feature.name);
        needs.optional_extensions = physical.optional_extensions();
        if (physical.portability_subset)
            needs.extensions.push_back("VK_KHR_portability_subset");
        return needs;
    });
}

Result<Device> adopt(const AdoptedDevice& adopted, const DeviceOptions& options)
{
    return guarded([&]() -> Result<Device> {
        VKONNX_RETURN_IF_ERROR(check_given(adopted));
        VKONNX_RETURN_IF_ERROR(api::check_callbacks(options));
        VKONNX_RETURN_IF_ERROR(check_extensions(adopted));
        Result<std::shared_ptr<gpu::Device>> opened = gpu::Device::adopt(adopted, options);
        VKONNX_RETURN_IF_ERROR(opened.status());
        return api::made(std::move(*opened), options);
    });
}

Result<Tensor> wrap(const Device& device, const BufferSlice& slice, const TensorDesc& desc)
{
    return guarded([&]() -> Result<Tensor> {
        VKONNX_RETURN_IF_ERROR(api::check_handles("vulkan::wrap", {api::handle(device)}));
        const Result<uint64_t> bytes = byte_size(desc);
        VKONNX_RETURN_IF_ERROR(bytes.status());
        if (*bytes > UINT64_MAX - 3)
            return Status(Code::unsupported,
                          to_string(desc) + " has " + std::to_string(*bytes) + " bytes, which no buffer holds");
        const uint64_t room = std::max<uint64_t>(4, (*bytes + 3) & ~uint64_t(3));
        gpu::Device& gpu = *state_of(device)->gpu;
        VKONNX_RETURN_IF_ERROR(check_slice(gpu, slice, desc, room));
        return api::Access::handle<Tensor>(std::make_shared<api::TensorState>(api::TensorState{
            state_of(device), desc, *bytes, gpu::Buffer::wrap(gpu, {slice.buffer, slice.offset, room}, slice.usage)}));
    });
}

namespace {

// Records a list, of which the caller has checked that all are of one device. `binding_of` gives the gpu::Binding of an element.
template <class List, class BindingOf>
Status record_all(VkCommandBuffer commands, const gpu::Device& device, const List& list, BindingOf binding_of, RecordFlags flags)
{
    VKONNX_RETURN_IF_ERROR(device.alive());
    if (flags & RecordFlags::barrier_before)
        gpu::barrier_before(device, commands);
    gpu::Hazards hazards;
    for (const auto& one : list)
        binding_of(one)->record(commands, hazards);
    if (flags & RecordFlags::barrier_after)
        gpu::barrier_after(device, commands);
    return {};
}

}  // namespace

Status record(VkCommandBuffer commands, std::span<const Binding> bindings, RecordFlags flags)
{
    return guarded([&]() -> Status {
        if (!commands)
            return refuse_null("record: the command buffer");
        VKONNX_RETURN_IF_ERROR(check_span("vulkan::record", "bindings", bindings));
        for (size_t i = 0; i < bindings.size(); ++i)
            VKONNX_RETURN_IF_ERROR(api::check_handles("vulkan::record", {api::handle(bindings, 0), api::handle(bindings, i)}));
        if (bindings.empty())
            return {};
        const auto binding_of = [](const Binding& binding) { return state_of(binding)->binding.get(); };
        return record_all(commands, *state_of(bindings[0])->op->device->gpu, bindings, binding_of, flags);
    });
}

Status record(VkCommandBuffer commands, const Binding& binding, RecordFlags flags)
{
    return record(commands, std::span(&binding, 1), flags);
}

Status record(VkCommandBuffer commands, const Recording& recording, RecordFlags flags)
{
    return guarded([&]() -> Status {
        if (!commands)
            return refuse_null("record: the command buffer");
        VKONNX_RETURN_IF_ERROR(api::check_handles("vulkan::record", {api::handle(recording)}));
        const api::RecordingState& state = *state_of(recording);
        if (!state.copies.empty())
            return Status(Code::invalid_argument, "vulkan::record: the Recording has uploads or downloads, which only `run` and "
                                                  "`submit` make");
        const auto binding_of = [](const std::shared_ptr<api::BindingState>& binding) { return binding->binding.get(); };
        return record_all(commands, *state.device->gpu, state.bindings, binding_of, flags);
    });
}

}  // namespace vkonnx::vulkan
