// This header stands for an application's engine: its own loader, instance, device, buffers and frames. It knows nothing of
// vkonnx.
//
// A failure here ends the program. A real engine would do better.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace app {

[[noreturn]] inline void fail(const std::string& sentence)
{
    std::printf("FAILED: %s\n", sentence.c_str());
    std::exit(1);
}

inline void check(bool good, const std::string& sentence)
{
    if (!good)
        fail(sentence);
}

inline void check(VkResult result, const char* call)
{
    check(result == VK_SUCCESS, std::string(call) + " gave VkResult " + std::to_string(int(result)));
}

// Returns the entry point of the system's loader, found without help.
inline PFN_vkGetInstanceProcAddr system_loader()
{
#ifdef _WIN32
    const HMODULE library = LoadLibraryA("vulkan-1.dll");
    check(library != nullptr, "no Vulkan loader");
    return reinterpret_cast<PFN_vkGetInstanceProcAddr>(reinterpret_cast<void*>(GetProcAddress(library, "vkGetInstanceProcAddr")));
#else
    for (const char* name : {"libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib", "libMoltenVK.dylib"})
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
            return reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
    fail("no Vulkan loader");
#endif
}

#define APP_INSTANCE_FUNCTIONS(X)                                                                                                \
    X(vkDestroyInstance)                                                                                                         \
    X(vkEnumeratePhysicalDevices)                                                                                                \
    X(vkGetPhysicalDeviceProperties)                                                                                             \
    X(vkGetPhysicalDeviceFeatures2)                                                                                              \
    X(vkGetPhysicalDeviceMemoryProperties)                                                                                       \
    X(vkCreateDevice)                                                                                                            \
    X(vkGetDeviceProcAddr)

#define APP_DEVICE_FUNCTIONS(X)                                                                                                  \
    X(vkDestroyDevice)                                                                                                           \
    X(vkGetDeviceQueue)                                                                                                          \
    X(vkDeviceWaitIdle)                                                                                                          \
    X(vkQueueSubmit)                                                                                                             \
    X(vkCreateFence)                                                                                                             \
    X(vkDestroyFence)                                                                                                            \
    X(vkWaitForFences)                                                                                                           \
    X(vkResetFences)                                                                                                             \
    X(vkCreateCommandPool)                                                                                                       \
    X(vkDestroyCommandPool)                                                                                                      \
    X(vkAllocateCommandBuffers)                                                                                                  \
    X(vkBeginCommandBuffer)                                                                                                      \
    X(vkEndCommandBuffer)                                                                                                        \
    X(vkCmdCopyBuffer)                                                                                                           \
    X(vkCmdPipelineBarrier)                                                                                                      \
    X(vkCreateBuffer)                                                                                                            \
    X(vkDestroyBuffer)                                                                                                           \
    X(vkGetBufferMemoryRequirements)                                                                                             \
    X(vkAllocateMemory)                                                                                                          \
    X(vkFreeMemory)                                                                                                              \
    X(vkBindBufferMemory)                                                                                                        \
    X(vkMapMemory)

struct Buffer {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize size = 0;
    VkBufferUsageFlags usage = 0;
    std::byte* mapped = nullptr;  // null: the host does not see it

    template <class T>
    std::span<T> as(VkDeviceSize offset, size_t count) const
    {
        return {reinterpret_cast<T*>(mapped + offset), count};
    }
};

class Engine {
public:
    // The entry point may be another one than that of the system's loader. With `want_validation` and where there is such a
    // layer, validation is on (synchronization, too), and `messages` fills.
    explicit Engine(PFN_vkGetInstanceProcAddr entry = nullptr, bool want_validation = false,
                    uint32_t version = VK_API_VERSION_1_1)
        : get_instance_proc_addr(entry ? entry : system_loader()), api_version(version)
    {
        create_instance(want_validation);
#define X(name)                                                                                                                  \
    name = reinterpret_cast<PFN_##name>(get_instance_proc_addr(instance, #name));                                                \
    check(name != nullptr, "no " #name);
        APP_INSTANCE_FUNCTIONS(X)
#undef X
        listen();
        uint32_t count = 0;
        check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
        physical_devices.resize(count);
        check(vkEnumeratePhysicalDevices(instance, &count, physical_devices.data()), "vkEnumeratePhysicalDevices");
    }

    ~Engine()
    {
        if (device) {
            vkDeviceWaitIdle(device);
            for (const Buffer& buffer : buffers_) {
                vkDestroyBuffer(device, buffer.handle, nullptr);
                vkFreeMemory(device, buffer.memory, nullptr);
            }
            vkDestroyFence(device, fence_, nullptr);
            vkDestroyCommandPool(device, pool_, nullptr);
            vkDestroyDevice(device, nullptr);
        }
        if (messenger_)
            destroy_messenger_(instance, messenger_, nullptr);
        vkDestroyInstance(instance, nullptr);
    }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    std::string name_of(VkPhysicalDevice which) const
    {
        VkPhysicalDeviceProperties properties = {};
        vkGetPhysicalDeviceProperties(which, &properties);
        return properties.deviceName;
    }

    void create_device(VkPhysicalDevice which, uint32_t family, const VkPhysicalDeviceFeatures2& features,
                       const std::vector<const char*>& extensions)
    {
        physical_device = which;
        queue_family = family;
        enabled_features = features.features;
        for (auto* next = static_cast<const VkBaseInStructure*>(features.pNext); next; next = next->pNext)
            if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES)
                enabled_halves.shaderFloat16 =
                    reinterpret_cast<const VkPhysicalDeviceShaderFloat16Int8Features*>(next)->shaderFloat16;
        device_extensions = extensions;
        const float priority = 1;
        VkDeviceQueueCreateInfo queue_info = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &priority};
        VkDeviceCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        info.pNext = &features;
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queue_info;
        info.enabledExtensionCount = uint32_t(extensions.size());
        info.ppEnabledExtensionNames = extensions.data();
        check(vkCreateDevice(physical_device, &info, nullptr, &device), "vkCreateDevice");
#define X(name)                                                                                                                  \
    name = reinterpret_cast<PFN_##name>(vkGetDeviceProcAddr(device, #name));                                                     \
    check(name != nullptr, "no " #name);
        APP_DEVICE_FUNCTIONS(X)
#undef X
        vkGetDeviceQueue(device, family, 0, &queue);
        const VkFenceCreateInfo fence_info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
        check(vkCreateFence(device, &fence_info, nullptr, &fence_), "vkCreateFence");
        const VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, family};
        check(vkCreateCommandPool(device, &pool_info, nullptr, &pool_), "vkCreateCommandPool");
    }

    // The engine owns the buffer.
    Buffer create_buffer(VkDeviceSize size, VkBufferUsageFlags usage, bool for_host)
    {
        Buffer buffer;
        buffer.size = size;
        buffer.usage = usage;
        VkBufferCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        info.size = size;
        info.usage = usage;
        check(vkCreateBuffer(device, &info, nullptr, &buffer.handle), "vkCreateBuffer");
        VkMemoryRequirements needs = {};
        vkGetBufferMemoryRequirements(device, buffer.handle, &needs);
        const VkMemoryAllocateInfo memory = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size,
                                             memory_type(needs.memoryTypeBits, for_host)};
        check(vkAllocateMemory(device, &memory, nullptr, &buffer.memory), "vkAllocateMemory");
        check(vkBindBufferMemory(device, buffer.handle, buffer.memory, 0), "vkBindBufferMemory");
        void* mapped = nullptr;
        if (for_host)
            check(vkMapMemory(device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
        buffer.mapped = static_cast<std::byte*>(mapped);
        buffers_.push_back(buffer);
        return buffer;
    }

    VkCommandBuffer begin_commands() const
    {
        const VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                                      VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
        VkCommandBuffer commands = VK_NULL_HANDLE;
        check(vkAllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
        const VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
        check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
        return commands;
    }

    void copy(VkCommandBuffer commands, const Buffer& from, VkDeviceSize from_offset, const Buffer& to, VkDeviceSize to_offset,
              VkDeviceSize bytes) const
    {
        const VkBufferCopy region = {from_offset, to_offset, bytes};
        vkCmdCopyBuffer(commands, from.handle, to.handle, 1, &region);
    }

    void barrier(VkCommandBuffer commands, VkPipelineStageFlags from_stages, VkAccessFlags from, VkPipelineStageFlags to_stages,
                 VkAccessFlags to) const
    {
        const VkMemoryBarrier memory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, from, to};
        vkCmdPipelineBarrier(commands, from_stages, to_stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
    }

    void end_commands(VkCommandBuffer commands) const
    {
        check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    }

    // Runs one frame: submits and waits.
    void submit(VkCommandBuffer commands)
    {
        VkSubmitInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        info.commandBufferCount = 1;
        info.pCommandBuffers = &commands;
        {
            std::lock_guard lock(queue_mutex);
            check(vkQueueSubmit(queue, 1, &info, fence_), "vkQueueSubmit");
        }
        check(vkWaitForFences(device, 1, &fence_, VK_TRUE, 60'000'000'000), "vkWaitForFences");
        check(vkResetFences(device, 1, &fence_), "vkResetFences");
    }

    std::vector<std::string> take_messages()
    {
        std::lock_guard lock(messages_mutex_);
        return std::exchange(messages_, {});
    }

    const PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    const uint32_t api_version;
    VkInstance instance = VK_NULL_HANDLE;
    std::vector<const char*> instance_extensions = {};
    bool validates = false;
    std::vector<VkPhysicalDevice> physical_devices = {};

    // These are valid from create_device on.
    VkPhysicalDevice physical_device = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    std::vector<const char*> device_extensions = {};
    VkPhysicalDeviceFeatures enabled_features = {};
    VkPhysicalDeviceShaderFloat16Int8Features enabled_halves = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
                                                                nullptr, VK_FALSE, VK_FALSE};
    uint32_t queue_family = 0;
    VkQueue queue = VK_NULL_HANDLE;
    std::mutex queue_mutex;  // held during every submit

#define X(name) PFN_##name name = nullptr;
    APP_INSTANCE_FUNCTIONS(X)
    APP_DEVICE_FUNCTIONS(X)
#undef X

private:
    static constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";

    template <class Function>
    Function find(const char* name) const
    {
        return reinterpret_cast<Function>(get_instance_proc_addr(instance, name));
    }

    bool layer_present() const
    {
        const auto list = find<PFN_vkEnumerateInstanceLayerProperties>("vkEnumerateInstanceLayerProperties");
        uint32_t count = 0;
        if (!list || list(&count, nullptr) != VK_SUCCESS)
            return false;
        std::vector<VkLayerProperties> layers(count);
        check(list(&count, layers.data()), "vkEnumerateInstanceLayerProperties");
        return std::any_of(layers.begin(), layers.end(),
                           [](const VkLayerProperties& layer) { return std::strcmp(layer.layerName, validation_layer) == 0; });
    }

    bool extension_present(const char* name) const
    {
        const auto list = find<PFN_vkEnumerateInstanceExtensionProperties>("vkEnumerateInstanceExtensionProperties");
        uint32_t count = 0;
        if (!list || list(nullptr, &count, nullptr) != VK_SUCCESS)
            return false;
        std::vector<VkExtensionProperties> all(count);
        check(list(nullptr, &count, all.data()), "vkEnumerateInstanceExtensionProperties");
        return std::any_of(all.begin(), all.end(),
                           [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; });
    }

    void create_instance(bool want_validation)
    {
        validates = want_validation && layer_present();
        if (validates)
            instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
        const bool portability = extension_present(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
        if (portability)
            instance_extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
        const VkApplicationInfo application = {
            VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, "examples", 1, "an engine", 1, api_version};
        const VkValidationFeatureEnableEXT synchronization = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
        const VkValidationFeaturesEXT features = {
            VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, nullptr, 1, &synchronization, 0, nullptr};
        VkInstanceCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
        info.pNext = validates ? &features : nullptr;
        info.flags = portability ? VkInstanceCreateFlags(VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR) : 0;
        info.pApplicationInfo = &application;
        info.enabledLayerCount = validates ? 1 : 0;
        info.ppEnabledLayerNames = &validation_layer;
        info.enabledExtensionCount = uint32_t(instance_extensions.size());
        info.ppEnabledExtensionNames = instance_extensions.data();
        const auto create = find<PFN_vkCreateInstance>("vkCreateInstance");
        check(create != nullptr, "no vkCreateInstance");
        check(create(&info, nullptr, &instance), "vkCreateInstance");
    }

    static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                                     const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
    {
        Engine& engine = *static_cast<Engine*>(user);
        std::lock_guard lock(engine.messages_mutex_);
        engine.messages_.push_back(data->pMessage);
        return VK_FALSE;
    }

    void listen()
    {
        if (!validates)
            return;
        VkDebugUtilsMessengerCreateInfoEXT info = {};
        info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
        info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
        info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
        info.pfnUserCallback = on_message;
        info.pUserData = this;
        const auto create = find<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT");
        destroy_messenger_ = find<PFN_vkDestroyDebugUtilsMessengerEXT>("vkDestroyDebugUtilsMessengerEXT");
        check(create && destroy_messenger_, "no VK_EXT_debug_utils");
        check(create(instance, &info, nullptr, &messenger_), "vkCreateDebugUtilsMessengerEXT");
    }

    uint32_t memory_type(uint32_t allowed, bool for_host) const
    {
        VkPhysicalDeviceMemoryProperties memory = {};
        vkGetPhysicalDeviceMemoryProperties(physical_device, &memory);
        const VkMemoryPropertyFlags wanted = for_host ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                                      : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        for (uint32_t type = 0; type < memory.memoryTypeCount; ++type)
            if ((allowed >> type & 1) && (memory.memoryTypes[type].propertyFlags & wanted) == wanted)
                return type;
        fail("no memory type that fits");
    }

    std::vector<Buffer> buffers_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
    PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger_ = nullptr;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    std::mutex messages_mutex_;
    std::vector<std::string> messages_;
};

}  // namespace app
