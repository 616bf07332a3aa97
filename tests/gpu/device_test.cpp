// This file tests listing, choosing and opening devices, and what is said when it can't be done.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>

#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

constexpr uint32_t vulkan_1(uint32_t minor)
{
    return 1u << 22 | minor << 12;
}

std::vector<DeviceInfo> listed(const DeviceOptions& options = {})
{
    const auto devices = Device::list(options);
    EXPECT_TRUE(devices) << devices.message();
    return devices ? *devices : std::vector<DeviceInfo>();
}

Result<Device> open(std::string select)
{
    return Device::open({.select = std::move(select)});
}

TEST(DeviceList, TellsWhatADeviceIs)
{
    const std::vector<DeviceInfo> devices = listed();
    ASSERT_FALSE(devices.empty());
    for (size_t i = 0; i < devices.size(); ++i) {
        const DeviceInfo& info = devices[i];
        SCOPED_TRACE(info.name);
        EXPECT_EQ(info.index, i);
        EXPECT_FALSE(info.name.empty());
        EXPECT_FALSE(info.driver.empty());
        EXPECT_NE(info.driver.back(), ' ');
        const bool lavapipe = info.name.find("llvmpipe") != std::string::npos;
        EXPECT_EQ(info.vendor_id, lavapipe ? 0x10005u : 0x1ae0u);  // Vulkan's number of Mesa, PCI's of Google
        EXPECT_EQ(info.device_id, lavapipe ? 0u : 0xc0deu);
        EXPECT_EQ(info.uuid.size(), 32u);
        EXPECT_EQ(info.rejected, "");
        const Capabilities least;
        EXPECT_EQ(info.capabilities.name, info.name);
        EXPECT_GE(info.capabilities.max_storage_buffer_range, least.max_storage_buffer_range);
        EXPECT_LE(info.capabilities.storage_buffer_alignment, least.storage_buffer_alignment);
        EXPECT_GE(info.capabilities.max_texel_buffer_elements, least.max_texel_buffer_elements);
        EXPECT_LE(info.capabilities.texel_buffer_alignment, least.texel_buffer_alignment);
        EXPECT_GE(info.capabilities.max_invocations, least.max_invocations);
        EXPECT_GE(info.capabilities.max_push_constant_bytes, least.max_push_constant_bytes);
        EXPECT_GE(info.capabilities.max_shared_bytes, least.max_shared_bytes);
        EXPECT_GE(info.capabilities.subgroup_size, 1u);
        EXPECT_FALSE(info.capabilities.rounds_to_nearest) << "only the self-test can know";
        EXPECT_EQ(info.capabilities.max_loop_iterations, lavapipe ? 65535u : UINT32_MAX);
        EXPECT_EQ(info.capabilities.is_cpu, info.kind == DeviceKind::cpu);
    }
}

// The registers that no driver reports are known by vendor, for NVIDIA also by the chip's age. The numbers are those of pci.ids
// and Khronos.
TEST(DeviceList, KnowsHowManyRegistersAGpuHas)
{
    struct {
        const char* name;
        uint32_t vendor;
        uint32_t number;
        uint32_t api_version;
        uint32_t registers;
    } const gpus[] = {
        {"Radeon RX 7900 XTX", 0x1002, 0x744c, vulkan_1(3), 256},
        {"GeForce RTX 2080", 0x10de, 0x1e82, vulkan_1(3), 255},
        {"GeForce RTX 2080 by a driver of 2019", 0x10de, 0x1e82, vulkan_1(1), 255},
        {"GeForce GTX 780", 0x10de, 0x1004, vulkan_1(2), 64},
        {"HD Graphics 530", 0x8086, 0x1912, vulkan_1(3), 128},
        {"Apple M1 by MoltenVK", 0x106b, 0, vulkan_1(2), 128},
        {"Apple M1 by Honeykrisp", 0x10005, 0, vulkan_1(4), 128},
        {"Adreno 740", 0x5143, 0x43050a01, vulkan_1(3), 96},
        {"Mali-G610", 0x13b5, 0xa8670000, vulkan_1(3), 64},
        {"a vendor of tomorrow", 0x4321, 1, vulkan_1(3), 64},
    };
    for (const auto& gpu : gpus) {
        SCOPED_TRACE(gpu.name);
        kit::VulkanShim shim({.api_version = gpu.api_version, .gpu_vendor = gpu.vendor, .gpu_number = gpu.number});
        const std::vector<DeviceInfo> devices = listed({.get_instance_proc_addr = shim.get_instance_proc_addr()});
        ASSERT_FALSE(devices.empty());
        for (const DeviceInfo& info : devices)
            EXPECT_EQ(info.capabilities.invocation_registers, gpu.registers);
    }
    for (const DeviceInfo& info : listed()) {
        if (info.capabilities.is_cpu) {
            EXPECT_EQ(info.capabilities.invocation_registers, 256u);
        }
    }
}

TEST(DeviceList, RejectsVulkan10)
{
    kit::VulkanShim shim({.api_version = vulkan_1(0)});
    const DeviceOptions options = {.get_instance_proc_addr = shim.get_instance_proc_addr()};
    for (const DeviceInfo& info : listed(options))
        EXPECT_EQ(info.rejected, "it offers Vulkan 1.0, but 1.1 is needed");
    const auto opened = Device::open(options);
    EXPECT_EQ(opened.code(), Code::no_device);
    EXPECT_TRUE(holds(opened.message(), "no device can be used; there is 0 '"));
    EXPECT_TRUE(holds(opened.message(), "(rejected: it offers Vulkan 1.0, but 1.1 is needed)"));
    EXPECT_EQ(shim.live_objects(), 0);
}

TEST(DeviceList, RejectsADeviceWithoutAComputeQueue)
{
    kit::VulkanShim shim({.no_compute_queue_mask = 1});
    DeviceOptions options = {.get_instance_proc_addr = shim.get_instance_proc_addr()};
    const std::vector<DeviceInfo> devices = listed(options);
    ASSERT_FALSE(devices.empty());
    for (const DeviceInfo& info : devices)
        EXPECT_EQ(info.rejected, info.index == 0 ? "it has no compute queue" : "");
    const auto best = Device::open(options);
    if (devices.size() > 1) {
        ASSERT_TRUE(best) << best.message();
        EXPECT_NE(best->info().index, 0u);
    } else {
        EXPECT_EQ(best.code(), Code::no_device);
    }
    options.select = "0";
    const auto opened = Device::open(options);
    EXPECT_EQ(opened.code(), Code::no_device);
    EXPECT_EQ(opened.message(), "device 0 '" + devices[0].name + "' can't be used: it has no compute queue");
}

TEST(DeviceSelect, ByIndexNameAndUuid)
{
    const std::vector<DeviceInfo> devices = listed();
    for (const DeviceInfo& info : devices) {
        SCOPED_TRACE(info.name);
        std::string upper = info.name;
        std::transform(upper.begin(), upper.end(), upper.begin(),
                       [](unsigned char letter) { return char(std::toupper(letter)); });
        std::string dashed = info.uuid;
        dashed.insert(8, "-");
        for (const std::string& select : {std::to_string(info.index), info.name, upper, "uuid:" + info.uuid, "UUID:" + dashed}) {
            SCOPED_TRACE(select);
            const auto opened = open(select);
            ASSERT_TRUE(opened) << opened.message();
            EXPECT_EQ(opened->info().index, info.index);
        }
    }
}

TEST(DeviceSelect, ByKind)
{
    const std::vector<DeviceInfo> devices = listed();
    for (const bool cpu : {true, false}) {
        std::vector<uint32_t> of_kind;
        for (const DeviceInfo& info : devices)
            if ((info.kind == DeviceKind::cpu) == cpu && info.kind != DeviceKind::other)
                of_kind.push_back(info.index);
        const std::string kind = cpu ? "cpu" : "gpu";
        for (size_t i = 0; i < of_kind.size(); ++i) {
            const auto opened = open(kind + ":" + std::to_string(i));
            ASSERT_TRUE(opened) << opened.message();
            EXPECT_EQ(opened->info().index, of_kind[i]);
        }
        const auto first = open(kind);
        EXPECT_EQ(first.ok(), !of_kind.empty());
        if (first && !of_kind.empty()) {
            EXPECT_EQ(first->info().index, of_kind[0]);
        }
        const auto beyond = open(kind + ":" + std::to_string(of_kind.size()));
        EXPECT_EQ(beyond.code(), Code::no_device);
        EXPECT_TRUE(
            holds(beyond.message(), "no device fits '" + kind + ":" + std::to_string(of_kind.size()) + "'; there is 0 '"));
    }
}

TEST(DeviceSelect, RefusesWhatFitsNothingOrTooMuch)
{
    const std::vector<DeviceInfo> devices = listed();
    for (const std::string select : {"no such device", "99", "uuid:00", "gpu:x"}) {
        const auto opened = open(select);
        EXPECT_EQ(opened.code(), Code::no_device) << select;
        EXPECT_TRUE(holds(opened.message(), "no device fits '" + select + "'; there is 0 '" + devices[0].name + "'"));
    }
    if (devices.size() < 2)
        GTEST_SKIP() << "an ambiguous name needs two devices";
    std::set<char> common(devices[0].name.begin(), devices[0].name.end());
    std::erase_if(common, [&](char letter) {
        return std::isdigit(static_cast<unsigned char>(letter)) || devices[1].name.find(letter) == std::string::npos;
    });
    ASSERT_FALSE(common.empty());
    const std::string part(1, *common.begin());
    const auto opened = open(part);
    EXPECT_EQ(opened.code(), Code::no_device);
    EXPECT_TRUE(
        holds(opened.message(), "'" + part + "' fits several devices: 0 '" + devices[0].name + "', 1 '" + devices[1].name + "'"));
}

TEST(DeviceOpen, RefusesATimeoutThatIsNone)
{
    for (const double seconds : {0.0, -1.0}) {
        const auto opened = Device::open({.timeout_seconds = seconds});
        EXPECT_EQ(opened.code(), Code::invalid_argument);
        EXPECT_TRUE(holds(opened.message(), "must be greater than 0"));
    }
}

TEST(DeviceOpen, RefusesARateOfWorkThatIsNone)
{
    for (const double rate : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        const auto opened = Device::open({.work_per_second = rate});
        EXPECT_EQ(opened.code(), Code::invalid_argument);
        EXPECT_EQ(opened.message(),
                  "DeviceOptions::work_per_second = " + std::to_string(rate) + " must be 0, or greater than 0 and finite");
    }
}

// This is a vkGetInstanceProcAddr that knows no function.
void* knows_nothing(void*, const char*)
{
    return nullptr;
}

TEST(DeviceOpen, SaysThatALoaderIsNone)
{
    const auto opened = Device::open({.get_instance_proc_addr = reinterpret_cast<void (*)()>(&knows_nothing)});
    EXPECT_EQ(opened.code(), Code::no_loader);
}

#ifndef _WIN32
// This class sets an environment variable and puts back what was there.
class Environment {
public:
    Environment(const char* name, const char* value) : name_(name)
    {
        if (const char* old = std::getenv(name))
            old_ = old;
        setenv(name, value, 1);
    }
    ~Environment() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

private:
    const char* name_;
    std::optional<std::string> old_;
};

TEST(DeviceOpen, SaysThatThereIsNoDriver)
{
    const Environment filenames("VK_ICD_FILENAMES", "/nonexistent.json");
    const Environment newer("VK_DRIVER_FILES", "/nonexistent.json");
    const auto opened = Device::open();
    EXPECT_EQ(opened.code(), Code::no_driver);
    EXPECT_TRUE(holds(opened.message(), "no driver"));
    EXPECT_EQ(Device::list().code(), Code::no_driver);
}
#endif

TEST(SelfTest, FindsRoundingToNearest)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        DeviceOptions options = {.select = std::to_string(present.index)};
        const auto tested = Device::open(options);
        ASSERT_TRUE(tested) << tested.message();
        EXPECT_TRUE(tested->capabilities().rounds_to_nearest || !tested->capabilities().is_cpu);
        options.self_test = false;
        const auto untested = Device::open(options);
        ASSERT_TRUE(untested) << untested.message();
        EXPECT_FALSE(untested->capabilities().rounds_to_nearest);
    }
}

TEST(SelfTest, RefusesADriverThatComputesNothing)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.swallow_dispatches = true});
        DeviceOptions options = through(shim, present);
        const auto opened = Device::open(options);
        EXPECT_EQ(opened.code(), Code::driver_error);
        EXPECT_TRUE(holds(opened.message(), "computes wrong"));
        EXPECT_EQ(shim.live_objects(), 0);
        options.self_test = false;
        EXPECT_TRUE(Device::open(options));
    }
}

// Item 1 of the self-test adds 16777218 and 1: the exact 16777219 lies between 16777218 and 16777220, the even one.
Result<Device> open_with_wrong_answer(const PresentDevice& present, size_t word, uint32_t bits)
{
    constexpr size_t output_bytes = 200 * 9 * 4;
    kit::VulkanShim shim({.after_wait = [=](std::span<std::byte> buffer) {
        if (buffer.size() == output_bytes)
            std::memcpy(buffer.data() + 4 * word, &bits, sizeof(bits));
    }});
    Result<Device> opened = Device::open(through(shim, present));
    if (!opened)
        return opened;
    EXPECT_FALSE(opened->capabilities().rounds_to_nearest);
    return Status(Code::unsupported, "opened");  // the device must not outlive the shim
}

TEST(SelfTest, TellsOtherRoundingFromWrongAnswers)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto truncating = open_with_wrong_answer(present, 9, 0x4b800001);  // 16777218
        EXPECT_EQ(truncating.message(), "opened");
        const auto wrong = open_with_wrong_answer(present, 9, 0x4b800003);  // 16777222
        EXPECT_EQ(wrong.code(), Code::driver_error);
        EXPECT_TRUE(holds(wrong.message(), "fails at item 1 (a sum of floats)"));
        const auto product = open_with_wrong_answer(present, 10, 0);
        EXPECT_TRUE(holds(product.message(), "fails at item 1 (a product of floats)"));
        const auto integers = open_with_wrong_answer(present, 11, 0);
        EXPECT_TRUE(holds(integers.message(), "fails at item 1 (integers)"));
    }
}

TEST(SelfTest, TrustsDoublesThatAreRight)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        for (const bool offered : {true, false}) {
            kit::VulkanShim shim({.float64 = offered});
            DeviceOptions options = through(shim, present);
            std::string messages;
            options.log = [&](LogLevel, std::string_view text) { messages += text; };
            const auto tested = Device::open(options);
            ASSERT_TRUE(tested) << tested.message();
            const bool has = tested->info().capabilities.float64;
            EXPECT_TRUE(offered || !has);
            EXPECT_EQ(shim.float64_wanted(), has);
            if (present.label == "lavapipe") {
                EXPECT_EQ(has, offered);
            }
            if (tested->capabilities().is_cpu) {
                EXPECT_EQ(tested->capabilities().float64, has);
                EXPECT_EQ(messages, "");
            }
            options.self_test = false;
            const auto untested = Device::open(options);
            ASSERT_TRUE(untested) << untested.message();
            EXPECT_EQ(untested->capabilities().float64, has);
        }
    }
}

TEST(SelfTest, DoesWithoutDoublesThatAreWrong)
{
    constexpr size_t output_bytes = 200 * 9 * 4;
    constexpr const char* kinds[] = {"sum", "product", "quotient"};
    for (const PresentDevice& present : every_device())
        for (size_t word = 0; word < 3; ++word) {
            SCOPED_TRACE(present.label + ", a " + kinds[word]);
            kit::VulkanShim shim({.after_wait = [=](std::span<std::byte> buffer) {
                if (buffer.size() == output_bytes)
                    buffer[4 * (9 * 5 + 3 + 2 * word)] ^= std::byte(1);  // the last bit of item 5
            }});
            DeviceOptions options = through(shim, present);
            std::vector<std::string> warnings;
            options.log = [&](LogLevel level, std::string_view text) {
                EXPECT_EQ(level, LogLevel::warning);
                warnings.emplace_back(text);
            };
            const auto opened = Device::open(options);
            ASSERT_TRUE(opened) << opened.message();
            EXPECT_FALSE(opened->capabilities().float64);
            if (opened->info().capabilities.float64) {
                ASSERT_EQ(warnings.size(), 1u);
                EXPECT_EQ(warnings[0], "vkonnx: doubles of the device '" + opened->info().name +
                                           "' are not used, because its self-test fails: a " + kinds[word] +
                                           " of doubles is wrong at item 5");
            }
            EXPECT_TRUE(opened->capabilities().rounds_to_nearest || !opened->capabilities().is_cpu);
            expect_works(*opened);
        }
}

TEST(SelfTest, MeasuresTheRateOfWork)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto rate_of = [&](const kit::VulkanShim& shim, const DeviceOptions& with) {
            DeviceOptions options = with;
            options.select = std::to_string(present.index);
            options.get_instance_proc_addr = shim.get_instance_proc_addr();
            const auto device = Device::open(options);
            EXPECT_TRUE(device) << device.message();
            return device ? device->capabilities().work_per_second : 0;
        };
        {
            kit::VulkanShim shim;
            const double rate = rate_of(shim, {});
            // The rate is of some 50,000 taps, in no more than the minute after which the device is given up, and in no less than
            // a submit takes.
            EXPECT_GE(rate, 256);
            EXPECT_LE(rate, 1e14);
            EXPECT_EQ(rate, std::exp2(std::floor(std::log2(rate)))) << "rounded, so that plans do not change from run to run";
            EXPECT_EQ(rate_of(shim, {.self_test = false}), 1e8);
            DeviceOptions lowered;
            lowered.capabilities = Capabilities();
            lowered.capabilities->work_per_second = 1;
            EXPECT_EQ(rate_of(shim, lowered), 1);
            EXPECT_EQ(rate_of(shim, {.work_per_second = 3e20}), 3e20);
            EXPECT_EQ(rate_of(shim, {.self_test = false, .work_per_second = 0.5}), 0.5);
            lowered.work_per_second = 3e20;
            EXPECT_EQ(rate_of(shim, lowered), 1);
        }
        kit::VulkanShim slow(
            {.after_wait = [](std::span<std::byte>) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }});
        EXPECT_LE(rate_of(slow, {}), 1e7) << "some 50,000 taps in at least 10 ms";
    }
}

// A driver may drop the sign of zero and round as it likes where modules do not declare otherwise.
TEST(DeviceOpen, DeclaresFloatControlsInEveryModule)
{
    for (const PresentDevice& present : every_device())
        for (const bool offered : {true, false}) {
            SCOPED_TRACE(present.label + (offered ? "" : ", not offered"));
            kit::VulkanShim shim({.float_controls = offered});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            expect_works(*device);
            const bool kept = device->capabilities().keeps_signed_zero_inf_nan;
            if (device->capabilities().is_cpu) {
                EXPECT_EQ(kept, offered);
            }
            const auto modules = shim.shader_modules();
            ASSERT_GE(modules.size(), 2u) << "the self-test's and a pool's";
            for (const auto& module : modules) {
                EXPECT_EQ(kit::declares(module, kit::keeps_signed_zero_inf_nan, 32), kept);
                if (present.label == "lavapipe") {
                    EXPECT_EQ(kit::declares(module, kit::rounds_to_nearest, 32), offered);
                }
            }
            const bool of_doubles = std::any_of(modules.begin(), modules.end(), [](const auto& module) {
                return kit::declares(module, kit::keeps_signed_zero_inf_nan, 64) &&
                       kit::declares(module, kit::rounds_to_nearest, 64);
            });
            if (present.label == "lavapipe") {
                EXPECT_EQ(of_doubles, offered);
            }
        }
}

TEST(DeviceOpen, WantsRobustBufferAccess)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        EXPECT_FALSE(shim.robust_buffer_access_wanted());
        EXPECT_TRUE(Device::open(through(shim, present)));
        EXPECT_TRUE(shim.robust_buffer_access_wanted());
    }
}

TEST(DeviceOpen, LowersCapabilities)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        DeviceOptions options = {.select = std::to_string(present.index)};
        options.capabilities = Capabilities{};
        const auto opened = Device::open(options);
        ASSERT_TRUE(opened) << opened.message();
        EXPECT_EQ(opened->capabilities().max_invocations, 128u);
        EXPECT_FALSE(opened->capabilities().timestamps);
        EXPECT_EQ(opened->capabilities().name, opened->info().name);
        EXPECT_GE(opened->info().capabilities.max_invocations, 128u);
        expect_works(*opened);
    }
}

// An application without a loader brings a driver's own entry point, beside the system's loader in the same process.
TEST(DeviceOpen, TwoLoadersLiveSideBySide)
{
    const char* given = std::getenv("VKONNX_SWIFTSHADER_LIBRARY");
    const std::string library = given ? given : "/usr/lib/chromium/libvk_swiftshader.so";
    if (!std::filesystem::exists(library))
        GTEST_SKIP() << "no driver that exports vkGetInstanceProcAddr; name one by VKONNX_SWIFTSHADER_LIBRARY";
    kit::VulkanShim shim({.library = library});
    ASSERT_EQ(shim.error(), "");
    const auto direct = Device::open({.get_instance_proc_addr = shim.get_instance_proc_addr()});
    ASSERT_TRUE(direct) << direct.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto system = open(std::to_string(present.index));
        ASSERT_TRUE(system) << system.message();
        expect_works(*direct);
        expect_works(*system);
        expect_works(*direct);
    }
    EXPECT_EQ(shim.guard_report(), "");
}

}  // namespace
}  // namespace vkonnx::gpu_test
