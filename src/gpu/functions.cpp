// SPDX-License-Identifier: Apache-2.0
#include "gpu/functions.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace vkonnx::gpu {
namespace {

// Of the system's loader, or null. Each call opens it once more, and nothing closes it: what is made by it may live on. The
// operating system counts, so that no variable of ours must.
PFN_vkGetInstanceProcAddr system_loader()
{
    constexpr const char* symbol = "vkGetInstanceProcAddr";
#ifdef _WIN32
    const HMODULE library = LoadLibraryA("vulkan-1.dll");
    if (!library)
        return nullptr;
    return reinterpret_cast<PFN_vkGetInstanceProcAddr>(reinterpret_cast<void*>(GetProcAddress(library, symbol)));
#else
#ifdef __APPLE__
    constexpr const char* names[] = {"libvulkan.dylib", "libvulkan.1.dylib", "libMoltenVK.dylib"};
#else
    constexpr const char* names[] = {"libvulkan.so.1", "libvulkan.so"};
#endif
    for (const char* name : names)
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
            return reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, symbol));
    return nullptr;
#endif
}

const char* result_name(VkResult result)
{
    switch (result) {
    case VK_NOT_READY:
        return "VK_NOT_READY";
    case VK_TIMEOUT:
        return "VK_TIMEOUT";
    case VK_INCOMPLETE:
        return "VK_INCOMPLETE";
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
        return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
        return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
        return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT:
        return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
        return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
        return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
        return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_INVALID_SHADER_NV:
        return "VK_ERROR_INVALID_SHADER_NV";
    default:
        return nullptr;
    }
}

}  // namespace

Result<Loader> find_loader(void (*get_instance_proc_addr)())
{
    Loader loader;
    loader.get = get_instance_proc_addr ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(get_instance_proc_addr) : system_loader();
    if (!loader.get)
        return Status(Code::no_loader, "no Vulkan loader found (libvulkan.so.1, vulkan-1.dll or libvulkan.dylib)");
    const auto load = [&](const char* name) { return loader.get(nullptr, name); };
    loader.create_instance = reinterpret_cast<PFN_vkCreateInstance>(load("vkCreateInstance"));
    loader.instance_version = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(load("vkEnumerateInstanceVersion"));
    loader.instance_extensions =
        reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(load("vkEnumerateInstanceExtensionProperties"));
    loader.instance_layers = reinterpret_cast<PFN_vkEnumerateInstanceLayerProperties>(load("vkEnumerateInstanceLayerProperties"));
    if (!loader.create_instance || !loader.instance_extensions)
        return Status(Code::no_loader, "the Vulkan loader's vkGetInstanceProcAddr does not know vkCreateInstance");
    return loader;
}

Status load(const Loader& loader, VkInstance instance, InstanceFunctions& functions)
{
    const char* missing = nullptr;
#define X(name)                                                                                                                  \
    functions.name = reinterpret_cast<PFN_##name>(loader.get(instance, #name));                                                  \
    if (!functions.name)                                                                                                         \
        missing = #name;
    VKONNX_INSTANCE_FUNCTIONS(X)
#undef X
#define X(name) functions.name = reinterpret_cast<PFN_##name>(loader.get(instance, #name));
    VKONNX_DEBUG_FUNCTIONS(X)
    VKONNX_MATRIX_FUNCTIONS(X)
#undef X
    if (missing)
        return Status(Code::driver_error, std::string("the Vulkan loader lacks ") + missing);
    return {};
}

Status load(const InstanceFunctions& instance, VkDevice device, DeviceFunctions& functions)
{
    const char* missing = nullptr;
#define X(name)                                                                                                                  \
    functions.name = reinterpret_cast<PFN_##name>(instance.vkGetDeviceProcAddr(device, #name));                                  \
    if (!functions.name)                                                                                                         \
        missing = #name;
    VKONNX_DEVICE_FUNCTIONS(X)
#undef X
#define X(name) functions.name = reinterpret_cast<PFN_##name>(instance.vkGetDeviceProcAddr(device, #name));
    VKONNX_EXECUTABLE_FUNCTIONS(X)
#undef X
    if (missing)
        return Status(Code::driver_error, std::string("the Vulkan driver lacks ") + missing);
    return {};
}

Status failure(VkResult result, const char* call)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return Status::from_literal(Code::out_of_memory, "the host is out of memory");
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return Status::from_literal(Code::out_of_memory, "the device is out of memory");
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
        return Status::from_literal(Code::out_of_memory, "a pool of the device is out of memory");
    case VK_ERROR_TOO_MANY_OBJECTS:
        return Status::from_literal(Code::out_of_memory, "the device holds as many memory allocations as its driver allows");
    case VK_ERROR_DEVICE_LOST:
        return Status::from_literal(Code::device_lost, "the device is lost");
    default:
        break;
    }
    const char* name = result_name(result);
    return Status(Code::driver_error,
                  std::string(call) + " failed with " + (name ? std::string(name) : "VkResult " + std::to_string(int(result))));
}

}  // namespace vkonnx::gpu
