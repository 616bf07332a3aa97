// This file tests requirements and adopt: which devices of an application can be used, and which parts of them are.
#include <cstring>

#include "interop_host.h"

namespace vkonnx::gpu_test {
namespace {

TEST(Requirements, AreKnownBeforeThereIsADevice)
{
    const vulkan::Requirements any = vulkan::requirements();
    EXPECT_EQ(any.api_version, VK_API_VERSION_1_1);
    EXPECT_EQ(any.queue_flags, VkQueueFlags(VK_QUEUE_COMPUTE_BIT));
    EXPECT_EQ(any.buffer_usage, VkBufferUsageFlags(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT));
    EXPECT_EQ(any.offset_alignment, 256u);
    EXPECT_TRUE(any.extensions.empty());
    VkPhysicalDeviceFeatures2 features = {};
    features.features.geometryShader = VK_TRUE;  // a feature that the engine wants for itself stays
    any.add_to(features);
    EXPECT_TRUE(features.features.robustBufferAccess);
    EXPECT_TRUE(features.features.geometryShader);
    EXPECT_FALSE(features.features.shaderFloat64);

    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        app::Engine engine(reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr()));
        const int64_t before = shim.live_objects();
        const auto needs =
            vulkan::requirements(engine.get_instance_proc_addr, engine.instance, engine.physical_devices.at(present.index));
        ASSERT_TRUE(needs) << needs.message();
        EXPECT_FALSE(needs->queue_families.empty());
        const auto devices = Device::list();
        ASSERT_TRUE(devices) << devices.message();
        EXPECT_EQ(needs->optional_features.shaderFloat64, devices->at(present.index).capabilities.float64);
        EXPECT_FALSE(needs->features.shaderFloat64);
        EXPECT_EQ(shim.calls("vkCreateDevice"), 0u);
        EXPECT_EQ(shim.live_objects(), before);
        if (present.label == "swiftshader") {
            EXPECT_EQ(needs->offset_alignment, 256u);
        }
        if (present.label == "lavapipe") {
            EXPECT_EQ(needs->offset_alignment, 16u);
        }
        EXPECT_EQ(vulkan::requirements(engine.get_instance_proc_addr, nullptr, nullptr).message(),
                  "requirements: instance is null");
    }
}

// Devices of this entry point offer one extension: the one that must be enabled where it is there.
PFN_vkGetInstanceProcAddr below = nullptr;

VkResult VKAPI_CALL only_portability(VkPhysicalDevice, const char*, uint32_t* count, VkExtensionProperties* extensions)
{
    if (extensions)
        std::strcpy(extensions->extensionName, "VK_KHR_portability_subset");
    *count = 1;
    return VK_SUCCESS;
}

PFN_vkVoidFunction VKAPI_CALL portable(VkInstance instance, const char* name)
{
    if (std::strcmp(name, "vkEnumerateDeviceExtensionProperties") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(&only_portability);
    return below(instance, name);
}

TEST(Requirements, NameTheExtensionThatAPortabilityDeviceNeeds)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        below = host.engine.get_instance_proc_addr;
        vulkan::AdoptedDevice description = host.description();
        description.get_instance_proc_addr = portable;
        const auto needs = vulkan::requirements(portable, description.instance, description.physical_device);
        ASSERT_TRUE(needs) << needs.message();
        ASSERT_EQ(needs->extensions.size(), 1u);
        EXPECT_STREQ(needs->extensions[0], "VK_KHR_portability_subset");
        EXPECT_EQ(vulkan::adopt(description).message(), "AdoptedDevice::device_extensions lacks VK_KHR_portability_subset, which "
                                                        "this device must have enabled (requirements)");
        description.device_extensions = needs->extensions;
        const auto adopted = vulkan::adopt(description);
        ASSERT_TRUE(adopted) << adopted.message();
        expect_works(*adopted);
    }
}

TEST(Requirements, SayWhyADeviceDoesNotFit)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        for (const bool old : {true, false}) {
            kit::ShimOptions options;
            if (old)
                options.api_version = VK_API_VERSION_1_0;
            else
                options.no_compute_queue_mask = UINT32_MAX;
            kit::VulkanShim shim(options);
            app::Engine engine(reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr()));
            const auto needs =
                vulkan::requirements(engine.get_instance_proc_addr, engine.instance, engine.physical_devices.at(present.index));
            EXPECT_EQ(needs.code(), Code::unsupported);
            EXPECT_TRUE(holds(needs.message(), old ? "it offers Vulkan 1.0, but 1.1 is needed" : "it has no compute queue"));
        }
    }
}

TEST(Adopt, ComputesAndDestroysOnlyItsOwn)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        const int64_t before = host.shim.live_objects();
        int depth = 0, locked = 0;
        vulkan::AdoptedDevice description = host.description();
        description.lock_queue = [&] {
            EXPECT_EQ(depth++, 0);
            ++locked;
        };
        description.unlock_queue = [&] { EXPECT_EQ(depth--, 1); };
        host.shim.reset_calls();
        {
            const auto device = vulkan::adopt(description, {.debug_names = true});  // it is not declared, and so not used
            ASSERT_TRUE(device) << device.message();
            EXPECT_TRUE(device->capabilities().rounds_to_nearest || !device->capabilities().is_cpu) << "the self-test ran";
            expect_works(*device);
            EXPECT_GT(host.shim.live_objects(), before);
        }
        EXPECT_EQ(host.shim.live_objects(), before);
        EXPECT_EQ(host.shim.calls("vkCreateInstance") + host.shim.calls("vkCreateDevice"), 0u);
        EXPECT_EQ(host.shim.calls("vkDestroyInstance") + host.shim.calls("vkDestroyDevice"), 0u);
        EXPECT_EQ(uint64_t(locked), host.shim.calls("vkQueueSubmit"));
        EXPECT_EQ(depth, 0);
        EXPECT_EQ(host.shim.guard_report(), "");
        const VkCommandBuffer commands = host.engine.begin_commands();  // the engine goes on
        host.engine.end_commands(commands);
        host.engine.submit(commands);
    }
}

TEST(Adopt, UsesOnlyWhatIsDeclared)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        vulkan::AdoptedDevice description = host.description();
        const bool enabled = description.features.shaderFloat64;
        if (present.label == "lavapipe") {
            EXPECT_TRUE(enabled) << "Requirements::add_to";
        }
        const auto all = vulkan::adopt(description);
        ASSERT_TRUE(all) << all.message();
        EXPECT_TRUE(all->capabilities().float64 == enabled || !all->capabilities().is_cpu);
        description.features.shaderFloat64 = VK_FALSE;
        const auto fewer = vulkan::adopt(description);
        ASSERT_TRUE(fewer) << fewer.message();
        EXPECT_FALSE(fewer->capabilities().float64);
        EXPECT_FALSE(fewer->info().capabilities.float64);
    }
}

TEST(Adopt, DeclaresFloatControlsWhereTheyAreEnabled)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        app::Engine engine(reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr()));
        const VkPhysicalDevice physical_device = engine.physical_devices.at(present.index);
        const auto needs = vulkan::requirements(engine.get_instance_proc_addr, engine.instance, physical_device);
        ASSERT_TRUE(needs) << needs.message();
        VkPhysicalDeviceFeatures2 features = {};
        features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
        needs->add_to(features);
        engine.create_device(physical_device, needs->queue_families.front(), features, needs->optional_extensions);
        vulkan::AdoptedDevice description = app::description_of(engine);
        for (const bool declared : {true, false}) {
            if (!declared)
                description.device_extensions = {};
            const size_t before = shim.shader_modules().size();
            const auto device = vulkan::adopt(description);
            ASSERT_TRUE(device) << device.message();
            if (device->capabilities().is_cpu) {
                EXPECT_EQ(device->capabilities().keeps_signed_zero_inf_nan, declared);
            }
            const auto modules = shim.shader_modules();
            ASSERT_GT(modules.size(), before);
            EXPECT_EQ(kit::declares(modules.back(), kit::keeps_signed_zero_inf_nan, 32),
                      device->capabilities().keeps_signed_zero_inf_nan);
        }
        description.api_version = VK_API_VERSION_1_2;  // this version took the extension in
        const auto newer = vulkan::adopt(description);
        ASSERT_TRUE(newer) << newer.message();
        if (newer->capabilities().is_cpu) {
            EXPECT_TRUE(newer->capabilities().keeps_signed_zero_inf_nan);
        }
    }
}

TEST(Adopt, RefusesWhatCanNotWork)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        const int64_t before = host.shim.live_objects();
        const vulkan::AdoptedDevice good = host.description();
        const auto refused = [&](auto spoil) {
            vulkan::AdoptedDevice description = good;
            spoil(description);
            const auto device = vulkan::adopt(description);
            EXPECT_FALSE(device);
            return std::string(device.message());
        };
        EXPECT_EQ(refused([](auto& d) { d.get_instance_proc_addr = nullptr; }), "AdoptedDevice::get_instance_proc_addr is null");
        EXPECT_EQ(refused([](auto& d) { d.instance = nullptr; }), "AdoptedDevice::instance is null");
        EXPECT_EQ(refused([](auto& d) { d.physical_device = nullptr; }), "AdoptedDevice::physical_device is null");
        EXPECT_EQ(refused([](auto& d) { d.device = nullptr; }), "AdoptedDevice::device is null");
        EXPECT_EQ(refused([](auto& d) { d.queue = nullptr; }), "AdoptedDevice::queue is null");
        EXPECT_EQ(refused([](auto& d) { d.unlock_queue = {}; }), "AdoptedDevice::unlock_queue is null, but lock_queue is not");
        EXPECT_EQ(refused([](auto& d) { d.api_version = VK_API_VERSION_1_0; }),
                  "AdoptedDevice::api_version = 1.0, but 1.1 is needed");
        EXPECT_TRUE(holds(refused([](auto& d) { d.queue_family = 77; }), "can't be adopted: its queue family 77 can't compute"));
        EXPECT_EQ(host.shim.live_objects(), before);
    }
}

TEST(Adopt, TestsTheDeviceUnlessDeclined)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host liar(present, {.swallow_dispatches = true});
        const auto device = vulkan::adopt(liar.description());
        EXPECT_EQ(device.code(), Code::driver_error);
        EXPECT_TRUE(holds(device.message(), "computes wrong"));
        EXPECT_TRUE(vulkan::adopt(liar.description(), {.self_test = false}));
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
