// SPDX-License-Identifier: Apache-2.0
#include "gpu/instance.h"
#include "return_if_error.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace vkonnx::gpu {
namespace {

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";

bool has(const std::vector<VkExtensionProperties>& extensions, const char* name)
{
    return std::any_of(extensions.begin(), extensions.end(),
                       [&](const VkExtensionProperties& extension) { return std::strcmp(extension.extensionName, name) == 0; });
}

// Checks that the validation layer is installed. It is an error if it is missing.
Status find_validation_layer(const Loader& loader)
{
    std::vector<VkLayerProperties> layers;
    if (loader.instance_layers) {
        const VkResult result =
            enumerate(layers, [&](uint32_t* n, VkLayerProperties* p) { return loader.instance_layers(n, p); });
        if (result != VK_SUCCESS)
            return failure(result, "vkEnumerateInstanceLayerProperties");
    }
    if (std::any_of(layers.begin(), layers.end(),
                    [](const VkLayerProperties& layer) { return std::strcmp(layer.layerName, validation_layer) == 0; }))
        return {};
    return Status(Code::unsupported, "DeviceOptions::validation: VK_LAYER_KHRONOS_validation is not installed");
}

// Returns the extensions of the loader and drivers, and those of the validation layer when it is asked for.
Result<std::vector<VkExtensionProperties>> instance_extensions(const Loader& loader, bool validation)
{
    std::vector<VkExtensionProperties> all;
    for (const char* layer : {static_cast<const char*>(nullptr), validation_layer}) {
        if (layer && !validation)
            break;
        std::vector<VkExtensionProperties> some;
        const VkResult result =
            enumerate(some, [&](uint32_t* n, VkExtensionProperties* p) { return loader.instance_extensions(layer, n, p); });
        if (result != VK_SUCCESS)
            return failure(result, "vkEnumerateInstanceExtensionProperties");
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
{
    const auto& log = *static_cast<const std::function<void(LogLevel, std::string_view)>*>(user);
    if (log && data->pMessage) {
        const LogLevel level = severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT     ? LogLevel::error
                               : severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT ? LogLevel::warning
                                                                                             : LogLevel::info;
        log(level, data->pMessage);
    }
    return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(const std::function<void(LogLevel, std::string_view)>& log)
{
    auto info = structure<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    info.pfnUserCallback = on_message;
    info.pUserData = const_cast<std::function<void(LogLevel, std::string_view)>*>(&log);
    return info;
}

// Keeps one instance of the system's loader until the process ends, and asks nothing of it. Loaders unload a driver with the last
// instance that uses it, and not every driver can be loaded again and again: NVIDIA's 580 fails at the 31st time in a process.
void keep_drivers_loaded(const Loader& loader, VkInstanceCreateInfo info)
{
    static std::atomic_flag begun;
    static VkInstance kept = VK_NULL_HANDLE;
    if (begun.test_and_set())
        return;
    info.pNext = nullptr;
    info.enabledLayerCount = 0;
    if (loader.create_instance(&info, nullptr, &kept) != VK_SUCCESS)
        begun.clear();  // the next instance tries again
}

}  // namespace

Result<std::shared_ptr<Instance>> Instance::create(const DeviceOptions& options)
{
    const Result<Loader> loader = find_loader(options.get_instance_proc_addr);
    VKONNX_RETURN_IF_ERROR(loader.status());
    uint32_t version = VK_API_VERSION_1_0;
    if (loader->instance_version)
        if (const VkResult result = loader->instance_version(&version); result != VK_SUCCESS)
            return failure(result, "vkEnumerateInstanceVersion");
    if (version < VK_API_VERSION_1_1)
        return Status(Code::no_driver, "the Vulkan loader offers version 1.0, but 1.1 is needed");
    if (options.validation)
        VKONNX_RETURN_IF_ERROR(find_validation_layer(*loader));

    std::shared_ptr<Instance> instance(new Instance);
    instance->log_ = options.log;
    if (options.allocation_callbacks)
        instance->allocator_ = *options.allocation_callbacks;

    const Result<std::vector<VkExtensionProperties>> present = instance_extensions(*loader, options.validation);
    VKONNX_RETURN_IF_ERROR(present.status());
    std::vector<const char*> extensions;
    const bool portability = has(*present, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    if (portability)
        extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    instance->debug_utils_ = (options.validation || options.debug_names) && has(*present, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (instance->debug_utils_)
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);

    auto application = structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
    application.pEngineName = "vkonnx";
    application.apiVersion = instance->version_;
    const VkDebugUtilsMessengerCreateInfoEXT messages = messenger_info(instance->log_);
    const bool listen = instance->debug_utils_ && options.validation;
    auto info = structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
    info.pNext = listen ? &messages : nullptr;
    info.flags = portability ? VkInstanceCreateFlags(VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR) : 0;
    info.pApplicationInfo = &application;
    info.enabledLayerCount = options.validation ? 1 : 0;
    info.ppEnabledLayerNames = &validation_layer;
    info.enabledExtensionCount = uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    VkResult result = loader->create_instance(&info, instance->allocator(), &instance->handle_);
    if (result != VK_SUCCESS)
        instance->handle_ = VK_NULL_HANDLE;
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return Status(Code::no_driver,
                      "the Vulkan loader found no driver that works (vkCreateInstance: VK_ERROR_INCOMPATIBLE_DRIVER)");
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
        return Status::from_literal(Code::out_of_memory,
                                    "vkCreateInstance: the host is out of memory, or a driver's manifest is no JSON, which "
                                    "loaders call the same (VK_LOADER_DEBUG=error tells)");
    if (result != VK_SUCCESS)
        return failure(result, "vkCreateInstance");

    VKONNX_RETURN_IF_ERROR(load(*loader, instance->handle_, instance->vk_));
    if (listen) {
        result = instance->vk_.vkCreateDebugUtilsMessengerEXT(instance->handle_, &messages, instance->allocator(),
                                                              &instance->messenger_);
        if (result != VK_SUCCESS) {
            instance->messenger_ = VK_NULL_HANDLE;
            return failure(result, "vkCreateDebugUtilsMessengerEXT");
        }
    }
    if (!options.get_instance_proc_addr)
        keep_drivers_loaded(*loader, info);
    return instance;
}

Result<std::shared_ptr<Instance>> Instance::adopt(PFN_vkGetInstanceProcAddr get, VkInstance handle, uint32_t version,
                                                  std::span<const char* const> extensions, const DeviceOptions& options)
{
    std::shared_ptr<Instance> instance(new Instance);
    instance->owned_ = false;
    instance->version_ = version;
    instance->log_ = options.log;
    if (options.allocation_callbacks)
        instance->allocator_ = *options.allocation_callbacks;
    Loader loader;
    loader.get = get;
    VKONNX_RETURN_IF_ERROR(load(loader, handle, instance->vk_));
    instance->handle_ = handle;
    const bool declared = std::any_of(extensions.begin(), extensions.end(),
                                      [](const char* name) { return std::strcmp(name, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) == 0; });
    instance->debug_utils_ = declared && options.debug_names && instance->vk_.vkSetDebugUtilsObjectNameEXT &&
                             instance->vk_.vkCmdBeginDebugUtilsLabelEXT && instance->vk_.vkCmdEndDebugUtilsLabelEXT;
    return instance;
}

Instance::~Instance()
{
    if (!owned_)
        return;
    if (messenger_)
        vk_.vkDestroyDebugUtilsMessengerEXT(handle_, messenger_, allocator());
    if (handle_ && vk_.vkDestroyInstance)
        vk_.vkDestroyInstance(handle_, allocator());
}

}  // namespace vkonnx::gpu
