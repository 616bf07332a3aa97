#include "kit/vulkan_shim.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "kit/vulkan_shim_hooks.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace vkonnx::kit {
namespace hooks {

Shim* shim = nullptr;

static PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char* name);

VkResult VKAPI_CALL changed_vkCreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                             VkInstance* instance)
{
    VkInstanceCreateInfo changed = *info;
    const VkValidationFeatureDisableEXT no_shaders = VK_VALIDATION_FEATURE_DISABLE_SHADERS_EXT;
    VkValidationFeaturesEXT checks = {};
    checks.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
    checks.pNext = info->pNext;
    checks.disabledValidationFeatureCount = 1;
    checks.pDisabledValidationFeatures = &no_shaders;
    if (!shim->options.checks_shaders)
        changed.pNext = &checks;
    const VkResult result = NEXT(vkCreateInstance)(&changed, allocator, instance);
    if (result == VK_SUCCESS) {
        shim->instance = *instance;
        ++shim->live;
    }
    return result;
}

VkResult VKAPI_CALL changed_vkEnumeratePhysicalDevices(VkInstance instance, uint32_t* count, VkPhysicalDevice* devices)
{
    const VkResult result = NEXT(vkEnumeratePhysicalDevices)(instance, count, devices);
    if (devices && result == VK_SUCCESS)
        shim->physical_devices.assign(devices, devices + *count);
    return result;
}

void change(VkPhysicalDeviceProperties& properties)
{
    properties.apiVersion = shim->options.api_version.value_or(properties.apiVersion);
    properties.driverVersion = shim->options.driver_version.value_or(properties.driverVersion);
    if (shim->options.gpu_vendor) {
        properties.vendorID = *shim->options.gpu_vendor;
        properties.deviceID = shim->options.gpu_number;
        properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    }
    VkPhysicalDeviceLimits& limits = properties.limits;
    limits.maxStorageBufferRange = shim->options.max_storage_buffer_range.value_or(limits.maxStorageBufferRange);
    if (shim->fakes_memory())
        limits.nonCoherentAtomSize = fake_atom;
}

void VKAPI_CALL changed_vkGetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties)
{
    NEXT(vkGetPhysicalDeviceProperties)(device, properties);
    change(*properties);
}

void VKAPI_CALL changed_vkGetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties)
{
    NEXT(vkGetPhysicalDeviceProperties2)(device, properties);
    change(properties->properties);
    for (auto* next = static_cast<VkBaseOutStructure*>(properties->pNext); next; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES && !shim->options.float_controls)
            std::memset(next + 1, 0, sizeof(VkPhysicalDeviceFloatControlsProperties) - sizeof(VkBaseOutStructure));
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES && shim->options.driver_id)
            reinterpret_cast<VkPhysicalDeviceDriverProperties*>(next)->driverID = VkDriverId(*shim->options.driver_id);
    }
}

void VKAPI_CALL changed_vkGetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features)
{
    NEXT(vkGetPhysicalDeviceFeatures2)(device, features);
    if (!shim->options.float64)
        features->features.shaderFloat64 = VK_FALSE;
    if (!shim->options.float16)
        for (auto* next = static_cast<VkBaseOutStructure*>(features->pNext); next; next = next->pNext)
            if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES)
                reinterpret_cast<VkPhysicalDeviceShaderFloat16Int8Features*>(next)->shaderFloat16 = VK_FALSE;
}

// Tells whether a VkDeviceCreateInfo's chain enables arithmetic in halves, by the extension's own structure.
bool wants_float16(const void* chain)
{
    for (auto* next = static_cast<const VkBaseInStructure*>(chain); next; next = next->pNext)
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES)
            return reinterpret_cast<const VkPhysicalDeviceShaderFloat16Int8Features*>(next)->shaderFloat16;
    return false;
}

void VKAPI_CALL changed_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t* count,
                                                                 VkQueueFamilyProperties* families)
{
    NEXT(vkGetPhysicalDeviceQueueFamilyProperties)(device, count, families);
    const auto found = std::find(shim->physical_devices.begin(), shim->physical_devices.end(), device);
    const auto index = found - shim->physical_devices.begin();
    for (uint32_t i = 0; families && i < *count; ++i) {
        if (shim->options.no_compute_queue_mask >> index & 1)
            families[i].queueFlags &= ~VkQueueFlags(VK_QUEUE_COMPUTE_BIT);
        families[i].timestampValidBits = shim->options.timestamp_bits.value_or(families[i].timestampValidBits);
    }
}

void VKAPI_CALL changed_vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* memory)
{
    NEXT(vkGetPhysicalDeviceMemoryProperties)(device, memory);
    if (!shim->fakes_memory())
        return;
    const uint64_t size = memory->memoryHeaps[0].size;
    const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    if (shim->options.incoherent_memory) {
        memory->memoryHeapCount = memory->memoryTypeCount = 1;
        memory->memoryHeaps[0] = {size, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
        memory->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | host, 0};
        return;
    }
    memory->memoryHeapCount = 2;
    memory->memoryHeaps[0] = {size, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    memory->memoryHeaps[1] = {size, 0};
    memory->memoryTypeCount = 2;
    memory->memoryTypes[fake_device_local] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    memory->memoryTypes[fake_host_visible] = {host, 1};
}

VkResult VKAPI_CALL changed_vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                           const VkAllocationCallbacks* allocator, VkDevice* device)
{
    VkDeviceCreateInfo changed = *info;
    VkPhysicalDeviceFeatures features = {};
    shim->robustness_wanted = info->pEnabledFeatures && info->pEnabledFeatures->robustBufferAccess;
    shim->float64_wanted = info->pEnabledFeatures && info->pEnabledFeatures->shaderFloat64;
    shim->float16_wanted = wants_float16(info->pNext);
    if (!shim->options.robust_buffer_access && info->pEnabledFeatures) {
        features = *info->pEnabledFeatures;
        features.robustBufferAccess = VK_FALSE;
        changed.pEnabledFeatures = &features;
    }
    const VkResult result = NEXT(vkCreateDevice)(physical, &changed, allocator, device);
    if (result == VK_SUCCESS) {
        std::lock_guard lock(shim->mutex);
        shim->physical_of[*device] = physical;
        ++shim->live;
        (void)get(shim->instance, "vkDeviceWaitIdle");  // lose_devices needs it; the library may never ask for it
    }
    return result;
}

VkResult VKAPI_CALL changed_vkCreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                 const VkAllocationCallbacks* allocator, VkShaderModule* module)
{
    std::vector<uint32_t> code(info->pCode, info->pCode + info->codeSize / sizeof(uint32_t));
    if (shim->spirv_version != 0)
        code[1] = shim->spirv_version;
    VkShaderModuleCreateInfo changed = *info;
    changed.pCode = code.data();
    const VkResult result = NEXT(vkCreateShaderModule)(device, &changed, allocator, module);
    if (result == VK_SUCCESS) {
        std::lock_guard lock(shim->mutex);
        const std::vector<uint32_t>& words = shim->modules.emplace_back(std::move(code));
        shim->hashes[key(*module)] =
            std::hash<std::string_view>()({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)});
        ++shim->live;
    }
    return result;
}

void VKAPI_CALL changed_vkCmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
    const auto next = NEXT(vkCmdDispatch);
    if (!shim->options.swallow_dispatches)
        next(commands, x + shim->extra_groups, y, z);
}

VkResult VKAPI_CALL changed_vkQueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence)
{
    const auto next = NEXT(vkQueueSubmit);
    {
        std::lock_guard lock(shim->mutex);
        if (shim->submit_count < shim->submits.size())
            shim->submits[shim->submit_count++] = {count ? submits->waitSemaphoreCount : 0,
                                                   count ? submits->signalSemaphoreCount : 0, fence != VK_NULL_HANDLE};
    }
    if (take(shim->losses))
        return VK_ERROR_DEVICE_LOST;
    if (shim->submits_before_failure != UINT32_MAX && shim->submits_before_failure-- == 0)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    return next(queue, count, submits, fence);
}

VkResult VKAPI_CALL changed_vkWaitForFences(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all,
                                            uint64_t timeout)
{
    const auto next = NEXT(vkWaitForFences);
    if (take(shim->timeouts))
        return VK_TIMEOUT;
    const VkResult result = next(device, count, fences, all, timeout);
    if (result == VK_SUCCESS && shim->options.after_wait) {
        std::lock_guard lock(shim->mutex);
        for (const auto& [handle, buffer] : shim->buffers)
            if (buffer.bound && shim->memories[buffer.memory].base)
                shim->options.after_wait({shim->memories[buffer.memory].base + buffer.offset, buffer.size});
    }
    return result;
}

VkResult VKAPI_CALL changed_vkGetFenceStatus(VkDevice device, VkFence fence)
{
    const auto next = NEXT(vkGetFenceStatus);
    return take(shim->timeouts) ? VK_NOT_READY : next(device, fence);
}

VkResult VKAPI_CALL changed_vkGetQueryPoolResults(VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count, size_t size,
                                                  void* data, VkDeviceSize stride, VkQueryResultFlags flags)
{
    const VkResult result = NEXT(vkGetQueryPoolResults)(device, pool, first, count, size, data, stride, flags);
    if (result == VK_SUCCESS && shim->options.after_timestamps && (flags & VK_QUERY_RESULT_64_BIT) && stride == sizeof(uint64_t))
        shim->options.after_timestamps({static_cast<uint64_t*>(data), count});
    return result;
}

PFN_vkVoidFunction VKAPI_CALL changed_vkGetDeviceProcAddr(VkDevice device, const char* name)
{
    // The function is taken from the instance, because that one works for all of its devices. The device says which functions
    // there are.
    const PFN_vkVoidFunction there = NEXT(vkGetDeviceProcAddr)(device, name);
    const PFN_vkVoidFunction wrapped = there ? get(shim->instance, name) : nullptr;
    return wrapped ? wrapped : there;
}

static PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char* name)
{
    const Below here;
    if (std::strcmp(name, "vkGetInstanceProcAddr") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(&get);
    const PFN_vkVoidFunction below = shim->get(instance, name);
    if (!below)
        return nullptr;
#define X(function)                                                                                                              \
    if (std::strcmp(name, #function) == 0) {                                                                                     \
        Hook<id_##function, PFN_##function>::next = reinterpret_cast<PFN_##function>(below);                                     \
        return reinterpret_cast<PFN_vkVoidFunction>(&Hook<id_##function, PFN_##function>::change<&changed_##function>);          \
    }
    VKONNX_SHIM_CHANGED(X)
#undef X
#define X(function)                                                                                                              \
    if (std::strcmp(name, #function) == 0) {                                                                                     \
        Hook<id_##function, PFN_##function>::next = reinterpret_cast<PFN_##function>(below);                                     \
        return reinterpret_cast<PFN_vkVoidFunction>(&Hook<id_##function, PFN_##function>::count);                                \
    }
    VKONNX_SHIM_COUNTED(X)
#undef X
    return below;
}

static PFN_vkGetInstanceProcAddr open_library(const std::string& library)
{
    const char* const symbol = "vkGetInstanceProcAddr";
#ifdef _WIN32
    const HMODULE module = LoadLibraryA(library.empty() ? "vulkan-1.dll" : library.c_str());
    return module ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(GetProcAddress(module, symbol)) : nullptr;
#else
    const std::vector<std::string> candidates =
        library.empty() ? std::vector<std::string>{"libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib", "libMoltenVK.dylib"}
                        : std::vector<std::string>{library};
    for (const std::string& candidate : candidates)
        if (void* const module = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL))
            return reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(module, symbol));
    return nullptr;
#endif
}

}  // namespace hooks

using hooks::shim;

VulkanShim::VulkanShim(ShimOptions options)
{
    if (make_room)
        std::exchange(make_room, {})();
    if (shim)
        std::abort();  // there is only one at a time, because the wrappers are plain functions
    shim = new hooks::Shim;
    shim->options = std::move(options);
    shim->get = hooks::open_library(shim->options.library);
    if (!shim->get)
        shim->error = "no vkGetInstanceProcAddr in '" + shim->options.library + "' (empty: the system's loader)";
}

VulkanShim::~VulkanShim()
{
    delete shim;
    shim = nullptr;
}

const std::string& VulkanShim::error() const
{
    return shim->error;
}

void (*VulkanShim::get_instance_proc_addr() const)()
{
    return reinterpret_cast<void (*)()>(&hooks::get);
}

uint64_t VulkanShim::calls(std::string_view name) const
{
    const bool prefix = name.ends_with('*');
    if (prefix)
        name.remove_suffix(1);
    uint64_t sum = 0;
    bool known = false;
    for (size_t i = 0; i < hooks::id_count; ++i)
        if (prefix ? hooks::names[i].starts_with(name) : hooks::names[i] == name) {
            sum += shim->calls[i];
            known = true;
        }
    return known ? sum : UINT64_MAX;  // so that no test passes by a misspelt name
}

void VulkanShim::reset_calls()
{
    for (auto& count : shim->calls)
        count = 0;
    shim->without_callbacks = 0;
    shim->command_count = 0;
    std::lock_guard lock(shim->mutex);
    shim->submit_count = 0;
    shim->modules.clear();
}

uint64_t VulkanShim::calls_without_callbacks() const
{
    return shim->without_callbacks;
}

int64_t VulkanShim::live_objects() const
{
    return shim->live;
}

std::string VulkanShim::guard_report()
{
    std::lock_guard lock(shim->mutex);
    for (const auto& [handle, buffer] : shim->buffers)
        hooks::check_guards(buffer);
    return std::exchange(shim->report, {});
}

std::vector<std::string> VulkanShim::violations() const
{
    std::lock_guard lock(shim->mutex);
    return shim->violations;
}

bool VulkanShim::robust_buffer_access_wanted() const
{
    return shim->robustness_wanted;
}

bool VulkanShim::float64_wanted() const
{
    return shim->float64_wanted;
}

bool VulkanShim::float16_wanted() const
{
    return shim->float16_wanted;
}

std::vector<std::string_view> VulkanShim::commands() const
{
    const size_t count = std::min(shim->command_count.load(), shim->commands.size());
    return {shim->commands.begin(), shim->commands.begin() + ptrdiff_t(count)};
}

std::vector<SubmitCall> VulkanShim::submits() const
{
    std::lock_guard lock(shim->mutex);
    return {shim->submits.begin(), shim->submits.begin() + std::ptrdiff_t(shim->submit_count)};
}

std::vector<std::vector<uint32_t>> VulkanShim::shader_modules() const
{
    std::lock_guard lock(shim->mutex);
    return shim->modules;
}

bool declares(std::span<const uint32_t> module, uint32_t mode, uint32_t bits)
{
    constexpr uint32_t op_execution_mode = 4u << 16 | 16;  // with an entry point, a mode and a literal
    for (size_t at = 5; at + 3 < module.size() && module[at] >> 16 != 0; at += module[at] >> 16)
        if (module[at] == op_execution_mode && module[at + 2] == mode && module[at + 3] == bits)
            return true;
    return false;
}

void VulkanShim::time_out_waits(uint32_t count)
{
    shim->timeouts = count;
}

void VulkanShim::bind_short(uint32_t bytes)
{
    shim->missing_bytes = bytes;
}

void VulkanShim::add_groups(uint32_t groups)
{
    shim->extra_groups = groups;
}

void VulkanShim::set_spirv_version(uint32_t version)
{
    shim->spirv_version = version;
}

void VulkanShim::lose_device_at_submit(uint32_t count)
{
    shim->losses = count;
}

void VulkanShim::fail_submit(uint32_t after)
{
    shim->submits_before_failure = after;
}

void VulkanShim::fail_allocations(uint32_t count)
{
    shim->failed_allocations = count;
}

}  // namespace vkonnx::kit
