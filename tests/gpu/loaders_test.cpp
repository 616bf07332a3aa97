// This file tests two loaders that work in one process at the same time, and what is asked of one that lists portability devices.
#include <vkonnx/vkonnx.hpp>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#ifndef _WIN32
#include <dlfcn.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "kit/vulkan_shim.h"
#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

#ifndef _WIN32
// Opens a device, computes and closes it again and again, and counts the right results.
int right_results(const DeviceOptions& options, int rounds, int runs)
{
    int right = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto device = Device::open(options);
        if (!device)
            return right;
        const SmallRun small(*device);
        if (!small.op)
            return right;
        for (int run = 0; run < runs; ++run)
            right += device->run(small.op, {small.x}, {small.y}).ok() && small.result() == small.problem.y;
    }
    return right;
}

// One is a driver's own entry point, the other the system's loader with its drivers: no order, no lock, neither knows of the
// other.
TEST(Loaders, TwoComputeAtTheSameTime)
{
    const char* given = std::getenv("VKONNX_SWIFTSHADER_LIBRARY");
    const std::string library = given ? given : "/usr/lib/chromium/libvk_swiftshader.so";
    if (!std::filesystem::exists(library))
        GTEST_SKIP() << "no driver that exports vkGetInstanceProcAddr; name one by VKONNX_SWIFTSHADER_LIBRARY";
    void* const module = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(module) << dlerror();
    DeviceOptions direct;
    direct.get_instance_proc_addr = reinterpret_cast<void (*)()>(dlsym(module, "vkGetInstanceProcAddr"));
    ASSERT_TRUE(direct.get_instance_proc_addr);

    constexpr int rounds = 3, runs = 20;
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        DeviceOptions system;
        system.select = std::to_string(present.index);
        int right_direct = 0;
        std::thread other([&] { right_direct = right_results(direct, rounds, runs); });
        const int right_system = right_results(system, rounds, runs);
        other.join();
        EXPECT_EQ(right_direct, rounds * runs);
        EXPECT_EQ(right_system, rounds * runs);
    }
}
#endif

#ifdef __linux__
// Returns the library that a driver's manifest names: a path, as seen from the manifest where it is relative, or a name.
std::string library_of(const std::string& manifest)
{
    std::ifstream file(manifest);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::smatch found;
    if (!std::regex_search(text, found, std::regex("\"library_path\"\\s*:\\s*\"([^\"]+)\"")))
        return "";
    const std::string path = found[1];
    return path.find('/') == std::string::npos ? path : (std::filesystem::path(manifest).parent_path() / path).string();
}

// Some drivers can't be loaded again and again in a process, so what the system's loader has loaded must stay when no device is
// left.
TEST(Loaders, DriversStayLoaded)
{
    const char* const manifests = std::getenv("VK_ICD_FILENAMES");
    if (!manifests)
        GTEST_SKIP() << "VK_ICD_FILENAMES names no drivers";
    ASSERT_TRUE(Device::list());
    std::istringstream paths(manifests);
    for (std::string path; std::getline(paths, path, ':');) {
        const std::string library = library_of(path);
        ASSERT_NE(library, "") << path;
        EXPECT_TRUE(dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD)) << library << " was unloaded";
    }
}
#endif

// This layer lies between the library and the shim. It plays a driver that is or is not a portability one, and keeps what the
// library then enables.
struct Portability {
    bool loader_lists = true;    // VK_KHR_portability_enumeration is there
    bool device_subset = false;  // the device has VK_KHR_portability_subset
    PFN_vkGetInstanceProcAddr below = nullptr;
    PFN_vkCreateInstance create_instance = nullptr;
    PFN_vkEnumerateInstanceExtensionProperties instance_extensions = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties device_extensions = nullptr;
    PFN_vkCreateDevice create_device = nullptr;

    VkInstanceCreateFlags instance_flags = 0;
    std::vector<std::string> instance_enabled = {};
    std::vector<std::string> device_enabled = {};
};

Portability* portability = nullptr;

constexpr const char* enumeration = "VK_KHR_portability_enumeration";
constexpr const char* subset = "VK_KHR_portability_subset";

bool holds_name(const std::vector<std::string>& names, const char* name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns a real list with `name` in it or not, in the way of the Vulkan calls.
template <class Call>
VkResult list_with(bool present, const char* name, uint32_t* count, VkExtensionProperties* properties, Call call)
{
    uint32_t n = 0;
    if (const VkResult result = call(&n, nullptr); result != VK_SUCCESS)
        return result;
    std::vector<VkExtensionProperties> all(n);
    if (const VkResult result = call(&n, all.data()); result != VK_SUCCESS)
        return result;
    std::erase_if(all, [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; });
    if (present) {
        VkExtensionProperties extra = {};
        std::strncpy(extra.extensionName, name, sizeof(extra.extensionName) - 1);
        extra.specVersion = 1;
        all.push_back(extra);
    }
    if (!properties) {
        *count = uint32_t(all.size());
        return VK_SUCCESS;
    }
    const bool fits = *count >= all.size();
    *count = std::min(*count, uint32_t(all.size()));
    std::copy_n(all.begin(), *count, properties);
    return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

VkResult VKAPI_CALL instance_extensions(const char* layer, uint32_t* count, VkExtensionProperties* properties)
{
    const bool present = !layer && portability->loader_lists;
    return list_with(present, enumeration, count, properties,
                     [&](uint32_t* n, VkExtensionProperties* p) { return portability->instance_extensions(layer, n, p); });
}

VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                    VkInstance* instance)
{
    portability->instance_flags = info->flags;
    portability->instance_enabled.assign(info->ppEnabledExtensionNames,
                                         info->ppEnabledExtensionNames + info->enabledExtensionCount);
    return portability->create_instance(info, allocator, instance);
}

VkResult VKAPI_CALL device_extensions(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                      VkExtensionProperties* properties)
{
    return list_with(portability->device_subset, subset, count, properties,
                     [&](uint32_t* n, VkExtensionProperties* p) { return portability->device_extensions(device, layer, n, p); });
}

// The real driver below doesn't know the extension, and so must not be given it.
VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                  const VkAllocationCallbacks* allocator, VkDevice* device)
{
    std::vector<const char*> names(info->ppEnabledExtensionNames, info->ppEnabledExtensionNames + info->enabledExtensionCount);
    portability->device_enabled.assign(names.begin(), names.end());
    std::erase_if(names, [](const char* name) { return std::strcmp(name, subset) == 0; });
    VkDeviceCreateInfo changed = *info;
    changed.enabledExtensionCount = uint32_t(names.size());
    changed.ppEnabledExtensionNames = names.data();
    return portability->create_device(physical, &changed, allocator, device);
}

PFN_vkVoidFunction VKAPI_CALL portability_proc_addr(VkInstance instance, const char* name)
{
    const PFN_vkVoidFunction below = portability->below(instance, name);
    const auto replace = [&](auto& kept, auto own) {
        kept = reinterpret_cast<std::remove_reference_t<decltype(kept)>>(below);
        return reinterpret_cast<PFN_vkVoidFunction>(own);
    };
    if (std::strcmp(name, "vkCreateInstance") == 0)
        return replace(portability->create_instance, &create_instance);
    if (std::strcmp(name, "vkEnumerateInstanceExtensionProperties") == 0)
        return replace(portability->instance_extensions, &instance_extensions);
    if (std::strcmp(name, "vkEnumerateDeviceExtensionProperties") == 0)
        return replace(portability->device_extensions, &device_extensions);
    if (std::strcmp(name, "vkCreateDevice") == 0)
        return replace(portability->create_device, &create_device);
    return below;
}

class PortabilityTest : public testing::Test {
protected:
    void SetUp() override
    {
        ASSERT_EQ(shim_.error(), "");
        state_.below = reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim_.get_instance_proc_addr());
        portability = &state_;
    }
    void TearDown() override { portability = nullptr; }

    static DeviceOptions options(const PresentDevice& present)
    {
        DeviceOptions options;
        options.select = std::to_string(present.index);
        options.get_instance_proc_addr = reinterpret_cast<void (*)()>(&portability_proc_addr);
        return options;
    }

    kit::VulkanShim shim_;
    Portability state_ = {};
};

TEST_F(PortabilityTest, SubsetIsEnabledWhereTheDeviceHasIt)
{
    for (const PresentDevice& present : every_device())
        for (const bool has : {true, false}) {
            SCOPED_TRACE(present.label);
            state_.device_subset = has;
            const auto device = Device::open(options(present));
            ASSERT_TRUE(device) << device.message();
            EXPECT_EQ(holds_name(state_.device_enabled, subset), has);
            expect_works(*device);
        }
}

TEST_F(PortabilityTest, DevicesAreEnumeratedWhereTheLoaderCan)
{
    for (const PresentDevice& present : every_device())
        for (const bool lists : {true, false}) {
            SCOPED_TRACE(present.label);
            state_.loader_lists = lists;
            const auto device = Device::open(options(present));
            ASSERT_TRUE(device) << device.message();
            EXPECT_EQ((state_.instance_flags & VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR) != 0, lists);
            EXPECT_EQ(holds_name(state_.instance_enabled, enumeration), lists);
        }
}

}  // namespace
}  // namespace vkonnx::gpu_test
