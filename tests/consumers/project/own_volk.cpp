// Three ways to Vulkan in one program: the application's volk, a library that links libvulkan, and vkonnx. Each is used before
// and after the others, and a device of the application's lives throughout.
#include <vkonnx/vkonnx.hpp>

#include <cstdio>

#include <volk.h>

extern "C" uint32_t version_by_linked_vulkan();

namespace {

bool fails(const char* what, bool ok)
{
    if (!ok)
        std::fprintf(stderr, "failed: %s\n", what);
    return !ok;
}

// An empty batch, by volk's global functions.
bool submit_by_volk(VkDevice device, VkQueue queue)
{
    VkFenceCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    VkFence fence = VK_NULL_HANDLE;
    if (vkCreateFence(device, &info, nullptr, &fence) != VK_SUCCESS)
        return false;
    const bool done = vkQueueSubmit(queue, 0, nullptr, fence) == VK_SUCCESS &&
                      vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS;
    vkDestroyFence(device, fence, nullptr);
    return done;
}

// Means of 2 x 2 windows.
bool compute_by_vkonnx()
{
    using namespace vkonnx;
    const TensorDesc x_desc = {DType::float32, {1, 1, 2, 4}};
    const auto gpu = Device::open();
    if (!gpu)
        return false;
    const auto op = gpu->prepare(AveragePool{.kernel_shape = {2, 2}, .strides = {2, 2}}, {x_desc});
    const auto x = gpu->tensor(x_desc, std::vector<float>{1, 3, -8, 2, 0, 4, 5, 9});
    if (!op || !x)
        return false;
    const auto y = gpu->tensor(op->outputs()[0]);
    if (!y || !gpu->run(*op, {*x}, {*y}))
        return false;
    std::vector<float> result(2);
    return y->download(result) && result == std::vector<float>{2, 2};
}

}  // namespace

int main()
{
    if (fails("volkInitialize", volkInitialize() == VK_SUCCESS) || fails("vkonnx before all", compute_by_vkonnx()))
        return 1;
    VkApplicationInfo application = {};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo instance_info = {};
    instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    instance_info.pApplicationInfo = &application;
    VkInstance instance = VK_NULL_HANDLE;
    if (fails("vkCreateInstance", vkCreateInstance(&instance_info, nullptr, &instance) == VK_SUCCESS))
        return 1;
    volkLoadInstance(instance);
    uint32_t count = 1;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    if (fails("vkEnumeratePhysicalDevices", vkEnumeratePhysicalDevices(instance, &count, &physical) >= VK_SUCCESS && count == 1))
        return 1;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue_info = {};
    queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    VkDeviceCreateInfo device_info = {};
    device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    VkDevice device = VK_NULL_HANDLE;
    if (fails("vkCreateDevice", vkCreateDevice(physical, &device_info, nullptr, &device) == VK_SUCCESS))
        return 1;
    volkLoadDevice(device);
    VkQueue queue = VK_NULL_HANDLE;
    vkGetDeviceQueue(device, 0, 0, &queue);

    if (fails("volk before vkonnx", submit_by_volk(device, queue)) || fails("vkonnx beside a device", compute_by_vkonnx()) ||
        fails("the linked libvulkan", version_by_linked_vulkan() >= VK_API_VERSION_1_1) ||
        fails("volk after vkonnx", submit_by_volk(device, queue)) ||
        fails("volk's current instance", volkGetLoadedInstance() == instance))
        return 1;
    vkDestroyDevice(device, nullptr);
    vkDestroyInstance(instance, nullptr);
    if (fails("vkonnx after all", compute_by_vkonnx()))
        return 1;
    std::printf("volk, libvulkan and vkonnx in one process\n");
    return 0;
}
