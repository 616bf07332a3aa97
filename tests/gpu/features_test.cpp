// This file tests features beyond VkPhysicalDeviceFeatures: asked for by Requirements, declared by an AdoptedDevice, both as
// pNext chains.
#include <algorithm>

#include "interop_host.h"

namespace vkonnx::gpu_test {
namespace {

using Names = std::vector<const char*>;

VkPhysicalDeviceShaderFloat16Int8Features halves(bool on, void* next = nullptr)
{
    return {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, next, on, VK_FALSE};
}

VkPhysicalDeviceVulkan12Features vulkan12(bool halves, void* next = nullptr)
{
    VkPhysicalDeviceVulkan12Features structure = {};
    structure.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    structure.pNext = next;
    structure.shaderFloat16 = halves;
    return structure;
}

// Returns a structure of ones, but for its type and its chain, so that reading any of it by mistake shows.
VkPhysicalDevice16BitStorageFeatures unknown(void* next = nullptr)
{
    return {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, next, VK_TRUE, VK_TRUE, VK_TRUE, VK_TRUE};
}

VkPhysicalDeviceFeatures2 features2(void* next = nullptr)
{
    VkPhysicalDeviceFeatures2 structure = {};
    structure.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    structure.pNext = next;
    return structure;
}

bool names(const Names& list, std::string_view wanted)
{
    return std::find(list.begin(), list.end(), wanted) != list.end();
}

// Tells whether any module declares SPIR-V's capability Float16, that is, computes in halves.
bool computes_in_halves(const std::vector<std::vector<uint32_t>>& modules)
{
    constexpr uint32_t op_capability = 2u << 16 | 17, float16 = 9;
    return std::any_of(modules.begin(), modules.end(), [](const std::vector<uint32_t>& module) {
        for (size_t at = 5; at + 1 < module.size() && module[at] == op_capability; at += 2)
            if (module[at + 1] == float16)
                return true;
        return false;
    });
}

TEST(Features, AreSwitchedOnInTheChainAndNeverOff)
{
    vulkan::Requirements needs = vulkan::requirements();
    EXPECT_TRUE(needs.optional_extended_features.empty());
    needs.optional_extended_features = {"shaderFloat16"};

    auto last = halves(false);
    last.shaderInt8 = VK_TRUE;  // what the engine wants for itself stays
    auto between = unknown(&last);
    auto enabled = features2(&between);
    needs.add_to(enabled);
    EXPECT_TRUE(last.shaderFloat16);
    EXPECT_TRUE(last.shaderInt8);
    EXPECT_TRUE(enabled.features.robustBufferAccess);
    EXPECT_EQ(enabled.pNext, &between) << "nothing is put into the chain";
    EXPECT_EQ(between.pNext, &last);
    EXPECT_EQ(last.pNext, nullptr);

    auto newer = vulkan12(false);
    newer.timelineSemaphore = VK_TRUE;
    enabled = features2(&newer);
    needs.add_to(enabled);
    EXPECT_TRUE(newer.shaderFloat16);
    EXPECT_TRUE(newer.timelineSemaphore);
    EXPECT_FALSE(newer.shaderInt8);

    needs.optional_extended_features.clear();  // the engine does not want it
    needs.add_to(enabled);
    EXPECT_TRUE(newer.shaderFloat16) << "switched off";
    newer = vulkan12(false);
    needs.add_to(enabled);
    EXPECT_FALSE(newer.shaderFloat16);
}

TEST(Features, AreRequiredWhereTheDeviceOffersThem)
{
    for (const PresentDevice& present : every_device())
        for (const bool hidden : {false, true}) {
            SCOPED_TRACE(present.label + (hidden ? ", hidden" : ""));
            const bool offered = present.capabilities.float16 && !hidden;
            kit::VulkanShim shim({.float16 = !hidden});
            app::Engine engine(reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr()), false,
                               VK_API_VERSION_1_2);
            const VkPhysicalDevice physical_device = engine.physical_devices.at(present.index);
            const auto of_1_1 = vulkan::requirements(engine.get_instance_proc_addr, engine.instance, physical_device);
            ASSERT_TRUE(of_1_1) << of_1_1.message();
            Names features = offered ? Names{"shaderFloat16"} : Names{};
            if (present.capabilities.storage16)
                features.push_back("storageBuffer16BitAccess");
            if (offered && present.capabilities.cooperative_matrices)
                features.insert(features.end(), {"cooperativeMatrix", "vulkanMemoryModel", "vulkanMemoryModelDeviceScope",
                                                 "computeFullSubgroups"});
            EXPECT_EQ(
                std::vector<std::string>(of_1_1->optional_extended_features.begin(), of_1_1->optional_extended_features.end()),
                std::vector<std::string>(features.begin(), features.end()));
            EXPECT_EQ(names(of_1_1->optional_extensions, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME), offered);
            const auto of_1_2 =
                vulkan::requirements(engine.get_instance_proc_addr, engine.instance, physical_device, VK_API_VERSION_1_2);
            ASSERT_TRUE(of_1_2) << of_1_2.message();
            EXPECT_EQ(of_1_2->optional_extended_features, of_1_1->optional_extended_features);
            if (present.capabilities.is_cpu && !present.capabilities.cooperative_matrices) {
                EXPECT_TRUE(of_1_2->optional_extensions.empty()) << "Vulkan 1.2 has them";
            }
            EXPECT_EQ(vulkan::requirements(engine.get_instance_proc_addr, engine.instance, physical_device, VK_API_VERSION_1_0)
                          .message(),
                      "requirements: api_version = 1.0, but 1.1 is needed");
        }
}

TEST(Features, OfOurOwnDeviceAreEnabledWhereTheyAreOffered)
{
    for (const PresentDevice& present : every_device())
        for (const bool hidden : {false, true}) {
            SCOPED_TRACE(present.label + (hidden ? ", hidden" : ""));
            kit::VulkanShim shim({.float16 = !hidden});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            EXPECT_EQ(device->capabilities().float16, present.capabilities.float16 && !hidden);
            EXPECT_EQ(shim.float16_wanted(), device->capabilities().float16);
        }
}

TEST(Features, TellWhetherHalvesAreStoredOneByOne)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        app::Engine engine(reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr()), false, VK_API_VERSION_1_1);
        const auto ask = reinterpret_cast<PFN_vkGetPhysicalDeviceFeatures2>(
            engine.get_instance_proc_addr(engine.instance, "vkGetPhysicalDeviceFeatures2"));
        ASSERT_TRUE(ask);
        VkPhysicalDevice16BitStorageFeatures storage = {};
        storage.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
        auto all = features2(&storage);
        ask(engine.physical_devices.at(present.index), &all);
        EXPECT_EQ(present.capabilities.storage16, storage.storageBuffer16BitAccess == VK_TRUE);
    }
}

// An engine enables features in either structure, with the validation layer where there is one. Kernels must run with what it
// asked for.
TEST(Features, ReachKernelsThroughEachStructure)
{
    for (const PresentDevice& present : every_device())
        for (const uint32_t version : {VK_API_VERSION_1_1, VK_API_VERSION_1_2}) {
            SCOPED_TRACE(present.label + (version == VK_API_VERSION_1_1 ? ", 1.1" : ", 1.2"));
            kit::VulkanShim shim;
            app::Engine engine(reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr()), validation_available(),
                               version);
            const VkPhysicalDevice physical_device = engine.physical_devices.at(present.index);
            const auto needs = vulkan::requirements(engine.get_instance_proc_addr, engine.instance, physical_device, version);
            ASSERT_TRUE(needs) << needs.message();
            auto older = halves(false);
            auto newer = vulkan12(false);
            auto enabled = features2();
            if (version == VK_API_VERSION_1_2)
                enabled.pNext = &newer;
            else if (!needs->optional_extended_features.empty())
                enabled.pNext = &older;
            needs->add_to(enabled);
            engine.create_device(physical_device, needs->queue_families.front(), enabled, needs->optional_extensions);
            vulkan::AdoptedDevice description = app::description_of(engine);
            description.features = {};
            for (const bool declared : {true, false}) {
                description.features_chain = declared ? &enabled : nullptr;
                shim.reset_calls();
                const auto device = vulkan::adopt(description);
                ASSERT_TRUE(device) << device.message();
                const bool used = declared && present.capabilities.float16;
                EXPECT_EQ(device->capabilities().float16, used);
                EXPECT_EQ(device->capabilities().float64, declared && present.capabilities.float64);
                if (present.label == "lavapipe") {
                    EXPECT_EQ(used, declared);
                }
                expect_works(*device);
                if (declared || version == VK_API_VERSION_1_1) {  // peaks take seconds
                    const auto peaks = device->measure_peaks();
                    ASSERT_TRUE(peaks) << peaks.message();
                    EXPECT_EQ(peaks->flops_f16 > 0, used);
                    EXPECT_EQ(computes_in_halves(shim.shader_modules()), used);
                }
            }
            EXPECT_EQ(engine.take_messages(), std::vector<std::string>());
        }
}

// The device is one with everything enabled, which is declared in many ways.
TEST(Features, AreUsedWhereTheyAreDeclared)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        const vulkan::AdoptedDevice good = host.description();
        const bool offered = present.capabilities.float16;
        EXPECT_EQ(bool(host.engine.enabled_halves.shaderFloat16), offered) << "Requirements::add_to";
        const auto float16_of = [&](const void* chain, auto change) {
            vulkan::AdoptedDevice description = good;
            description.features_chain = chain;
            change(description);
            const auto device = vulkan::adopt(description, {.self_test = false});
            EXPECT_TRUE(device) << device.message();
            return device && device->capabilities().float16;
        };
        const auto as_it_is = [](vulkan::AdoptedDevice&) {};
        const auto without_extension = [](vulkan::AdoptedDevice& d) { d.device_extensions = {}; };
        const auto by_version = [](vulkan::AdoptedDevice& d) {
            d.device_extensions = {};
            d.api_version = VK_API_VERSION_1_2;
        };
        auto on = halves(true), off = halves(false), off_then_on = halves(false, &on);
        auto newer = vulkan12(true);
        auto before = unknown(&on), alone = unknown();
        auto head = features2(&before);
        EXPECT_FALSE(float16_of(nullptr, as_it_is));
        EXPECT_FALSE(float16_of(&off, as_it_is));
        EXPECT_FALSE(float16_of(&alone, as_it_is)) << "an unknown structure is not read";
        EXPECT_FALSE(float16_of(&on, without_extension));
        EXPECT_FALSE(float16_of(&newer, without_extension));
        EXPECT_EQ(float16_of(&on, as_it_is), offered);
        EXPECT_EQ(float16_of(&newer, as_it_is), offered);
        EXPECT_EQ(float16_of(&off_then_on, as_it_is), offered);
        EXPECT_EQ(float16_of(&before, as_it_is), offered) << "an unknown structure is passed over";
        EXPECT_EQ(float16_of(&head, as_it_is), offered);
        EXPECT_EQ(float16_of(&on, by_version), offered);
        EXPECT_EQ(float16_of(&newer, by_version), offered);
    }
}

TEST(Features, OfEitherDeclarationAreUnited)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        vulkan::AdoptedDevice description = host.description();
        auto chain = features2();
        description.features_chain = &chain;
        for (const bool simple : {false, true})
            for (const bool chained : {false, true}) {
                description.features.shaderFloat64 = simple;
                chain.features.shaderFloat64 = chained;
                const auto device = vulkan::adopt(description, {.self_test = false});
                ASSERT_TRUE(device) << device.message();
                EXPECT_EQ(device->capabilities().float64, (simple || chained) && present.capabilities.float64);
            }
    }
}

TEST(Features, ThatTheDeviceDoesNotOfferAreNotUsed)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present, {.float64 = false, .float16 = false});
        EXPECT_FALSE(host.engine.enabled_halves.shaderFloat16);
        const Names extensions = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
        auto chain = halves(true);
        vulkan::AdoptedDevice description = host.description();
        description.features.shaderFloat64 = VK_TRUE;
        description.features_chain = &chain;
        description.device_extensions = extensions;
        const auto device = vulkan::adopt(description);
        ASSERT_TRUE(device) << device.message();
        EXPECT_FALSE(device->capabilities().float16);
        EXPECT_FALSE(device->capabilities().float64);
        expect_works(*device);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
