// This is a Vulkan driver for tests. It passes every call on to the driver that VKONNX_REAL_DRIVER names, until the file that
// VKONNX_DIE names exists. Then the next vkQueueSubmit removes the file and does what it says: "abort" or "hang". A file that
// says "idle" stays, and as long as it is there, nothing that is submitted is done.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

namespace {

void* real_driver()
{
    static void* const library = [] {
        const char* path = std::getenv("VKONNX_REAL_DRIVER");
        return path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    }();
    return library;
}

template <class Function>
Function real(const char* name)
{
    return real_driver() ? reinterpret_cast<Function>(dlsym(real_driver(), name)) : nullptr;
}

PFN_vkQueueSubmit real_submit = nullptr;
PFN_vkGetDeviceProcAddr real_device_function = nullptr;

// Tells whether nothing of what is submitted is to be done. May abort or hang instead of returning.
bool die_or_idle_when_told()
{
    const char* path = std::getenv("VKONNX_DIE");
    std::string way;
    if (!path || !(std::ifstream(path) >> way))
        return false;
    if (way == "idle")
        return true;
    unlink(path);
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (way == "abort")
        std::abort();
    for (;;)
        pause();
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence)
{
    if (!die_or_idle_when_told())
        return real_submit(queue, count, submits, fence);
    std::vector<VkSubmitInfo> idle(submits, submits + count);
    for (VkSubmitInfo& one : idle)
        one.commandBufferCount = 0;
    return real_submit(queue, count, idle.data(), fence);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name)
{
    const PFN_vkVoidFunction found = real_device_function(device, name);
    if (std::strcmp(name, "vkQueueSubmit") != 0)
        return found;
    real_submit = reinterpret_cast<PFN_vkQueueSubmit>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(submit);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version)
{
    const auto negotiate = real<PFN_vkNegotiateLoaderICDInterfaceVersion>("vk_icdNegotiateLoaderICDInterfaceVersion");
    return negotiate ? negotiate(version) : VK_ERROR_INCOMPATIBLE_DRIVER;
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                                                          const char* name)
{
    const auto find = real<PFN_vkGetInstanceProcAddr>("vk_icdGetInstanceProcAddr");
    const PFN_vkVoidFunction found = find ? find(instance, name) : nullptr;
    if (std::strcmp(name, "vkGetDeviceProcAddr") != 0)
        return found;
    real_device_function = reinterpret_cast<PFN_vkGetDeviceProcAddr>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(device_function);
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name)
{
    const auto find = real<PFN_vkGetInstanceProcAddr>("vk_icdGetPhysicalDeviceProcAddr");
    return find ? find(instance, name) : nullptr;
}
}
