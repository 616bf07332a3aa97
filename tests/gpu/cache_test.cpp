// This file tests DeviceOptions::cache_folder: what a second device finds of what a first one has kept, and that nothing in a
// cache, nor anything that a driver does with one, is ever an error.
#include <vkonnx/onnx.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "case_devices.h"
#include "kit/onnx_builder.h"
#include "kit/temporary_folder.h"
#include "kit/vulkan_shim.h"
#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

namespace fs = std::filesystem;
using kit::Caching;

class Cache : public testing::Test {
protected:
    DeviceOptions options(const kit::VulkanShim& shim, const PresentDevice& present) const
    {
        DeviceOptions options = through(shim, present);
        options.cache_folder = folder_.string();
        return options;
    }

    std::vector<fs::path> files(const char* ending) const
    {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(folder_))
            if (entry.path().extension() == ending)
                found.push_back(entry.path());
        return found;
    }

    const kit::TemporaryFolder temporary_;
    const fs::path folder_ = temporary_.path() / "cache";  // a device makes it
};

// Opens a device, computes the small problem right, and tells what the cache did.
CacheUse use_of(const DeviceOptions& options)
{
    const auto device = Device::open(options);
    EXPECT_TRUE(device) << device.message();
    if (!device)
        return {};
    expect_works(*device);
    device->save_cache();
    return device->cache_use();
}

TEST_F(Cache, ASecondDeviceCompilesAndTestsNothing)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        fs::remove_all(folder_);
        kit::VulkanShim shim({.caching = Caching::keeps});
        Capabilities found;
        {
            const auto device = Device::open(options(shim, present));
            ASSERT_TRUE(device) << device.message();
            EXPECT_EQ(device->cache_use().missed, "there is no file");
            EXPECT_GT(shim.calls("vkQueueSubmit"), 0u) << "the self-test";
            expect_works(*device);
            found = device->capabilities();
            const CacheUse use = device->cache_use();
            EXPECT_EQ(use.found, 0u);
            EXPECT_GE(use.compiled, 2u) << "the self-test's pipeline and the pool's";
            EXPECT_EQ(use.kept, use.compiled);
            EXPECT_EQ(use.writes, 0u);
        }
        ASSERT_EQ(files(".cache").size(), 1u) << "written when the device went";
        EXPECT_EQ(files(".part").size(), 0u);
        EXPECT_EQ(shim.cache_hits(), 0u);
        shim.reset_calls();

        const auto device = Device::open(options(shim, present));
        ASSERT_TRUE(device) << device.message();
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 0u) << "no self-test";
        EXPECT_EQ(shim.calls("vkCreateComputePipelines"), 0u);
        EXPECT_EQ(device->capabilities().rounds_to_nearest, found.rounds_to_nearest);
        EXPECT_EQ(device->capabilities().float64, found.float64);
        EXPECT_EQ(device->capabilities().work_per_second, found.work_per_second);
        expect_works(*device);
        const CacheUse use = device->cache_use();
        EXPECT_EQ(use.missed, "");
        EXPECT_EQ(use.place, files(".cache").front().string());
        EXPECT_EQ(use.read_bytes, fs::file_size(use.place));
        EXPECT_GE(use.read_pipelines, 2u);
        EXPECT_EQ(use.found, 1u);
        EXPECT_EQ(use.confirmed, 1u) << "the driver says so";
        EXPECT_EQ(use.compiled, 0u);
        EXPECT_EQ(shim.cache_hits(), 1u) << "the driver was given what it gave";
        device->save_cache();
        EXPECT_EQ(device->cache_use().writes, 0u) << "there is nothing new";
    }
}

// Modules declare that floats are rounded to nearest. Where they can't declare it, they may round otherwise.
TEST_F(Cache, FindingsHoldForTheFloatControlsThatAreDeclared)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        fs::remove_all(folder_);
        bool declares = false;
        {
            kit::VulkanShim shim;
            const auto device = Device::open(options(shim, present));
            ASSERT_TRUE(device) << device.message();
            declares = device->capabilities().keeps_signed_zero_inf_nan;
        }
        kit::VulkanShim shim({.float_controls = false});
        const auto device = Device::open(options(shim, present));
        ASSERT_TRUE(device) << device.message();
        EXPECT_EQ(device->cache_use().missed, "");
        EXPECT_EQ(shim.calls("vkQueueSubmit") > 0, declares) << "the self-test runs once more";
    }
}

TEST_F(Cache, WithoutAFolderNothingIsKept)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.caching = Caching::keeps});
        const CacheUse use = use_of(through(shim, present));
        EXPECT_EQ(use.place, "");
        EXPECT_EQ(use.compiled, 0u) << "it isn't counted either";
        EXPECT_EQ(shim.calls("vkCreatePipelineCache"), 0u);
    }
}

TEST_F(Cache, KeepsPeaksAndTunings)
{
    const AveragePool pool = {.kernel_shape = {3, 3}};
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 8, 40, 40}}};
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        fs::remove_all(folder_);
        kit::VulkanShim shim;
        Peaks peaks;
        std::string tunings;
        {
            const auto device = Device::open(options(shim, present));
            ASSERT_TRUE(device) << device.message();
            const auto measured = device->measure_peaks();
            ASSERT_TRUE(measured) << measured.message();
            peaks = *measured;
            const auto op = device->prepare(pool, inputs, {.tune = true});
            ASSERT_TRUE(op) << op.message();
            tunings = *device->tunings();
            EXPECT_NE(tunings, "");
        }
        const auto device = Device::open(options(shim, present));
        ASSERT_TRUE(device) << device.message();
        EXPECT_EQ(*device->tunings(), tunings);
        shim.reset_calls();
        const auto kept = device->measure_peaks();
        ASSERT_TRUE(kept);
        EXPECT_NEAR(kept->flops_f32, peaks.flops_f32, 1);
        EXPECT_NEAR(kept->flops_f16, peaks.flops_f16, 1);
        EXPECT_NEAR(kept->copy_bytes_per_second, peaks.copy_bytes_per_second, 1);
        const auto op = device->prepare(pool, inputs, {.tune = true});
        ASSERT_TRUE(op) << op.message();
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 0u) << "nothing is measured again";
    }
}

TEST_F(Cache, ASessionSavesWhenItIsPrepared)
{
    const std::string file = kit::ModelBuilder()
                                 .opset(17)
                                 .input("X", DType::float32, {1, 1, 4, 4})
                                 .output("Y", DType::float32, {1, 1, 3, 3})
                                 .node("AveragePool", {"X"}, {"Y"}, {kit::ints_attribute("kernel_shape", {2, 2})})
                                 .build();
    const auto model = onnx::Model::parse(kit::as_bytes(file));
    ASSERT_TRUE(model) << model.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        fs::remove_all(folder_);
        kit::VulkanShim shim({.caching = Caching::keeps});
        const auto device = Device::open(options(shim, present));
        ASSERT_TRUE(device) << device.message();
        const auto session = onnx::Session::prepare(*device, *model, {});
        ASSERT_TRUE(session) << session.message();
        const CacheUse use = device->cache_use();
        EXPECT_EQ(use.writes, 1u);
        EXPECT_EQ(use.written_bytes, fs::file_size(use.place));
    }
}

TEST_F(Cache, DriversMayBreakTheirPromises)
{
    struct {
        Caching caching;
        uint32_t kept, found;  // by the first device, and by the second
    } const rows[] = {
        {Caching::says_incomplete, 1, 1},
        {Caching::gives_nothing, 0, 0},
        {Caching::refuses_data, 1, 0},
        {Caching::fails_with_data, 1, 0},
    };
    for (const PresentDevice& present : every_device())
        for (const auto& row : rows) {
            SCOPED_TRACE(present.label + ", Caching " + std::to_string(int(row.caching)));
            fs::remove_all(folder_);
            kit::VulkanShim shim({.caching = row.caching});
            DeviceOptions given = options(shim, present);
            given.self_test = false;
            const CacheUse first = use_of(given);
            EXPECT_EQ(first.compiled, 1u);
            EXPECT_EQ(first.kept, row.kept);
            const CacheUse second = use_of(given);
            EXPECT_EQ(second.found, row.found);
            EXPECT_EQ(second.compiled, 1 - row.found);
            EXPECT_EQ(shim.live_objects(), 0);
        }
}

TEST_F(Cache, DriversThatBreakWithOneGetNone)
{
    constexpr int qualcomm = 8;  // VK_DRIVER_ID_QUALCOMM_PROPRIETARY
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.driver_version = 1, .driver_id = qualcomm, .caching = Caching::keeps});
        const CacheUse use = use_of(options(shim, present));
        EXPECT_EQ(shim.calls("vkCreatePipelineCache"), 0u);
        EXPECT_EQ(use.writes, 1u) << "the findings are kept all the same";
    }
}

TEST_F(Cache, AnythingInItsPlaceIsAMiss)
{
    const PresentDevice present = every_device().front();
    kit::VulkanShim shim({.caching = Caching::keeps});
    const DeviceOptions given = options(shim, present);
    const fs::path file = use_of(given).place;
    std::ifstream stream(file, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(stream)), {});
    ASSERT_GT(whole.size(), 200u);
    const auto write = [&](const std::string& text) { std::ofstream(file, std::ios::binary) << text; };

    std::string flipped = whole;
    flipped[whole.size() / 2] ^= 1;
    const std::string damaged = "it is damaged", foreign = "it is no cache of vkonnx";
    for (const auto& [text, why] : std::map<std::string, std::string>{{whole.substr(0, whole.size() - 1), damaged},
                                                                      {whole.substr(0, 100), damaged},
                                                                      {whole + "x", damaged},
                                                                      {flipped, damaged},
                                                                      {"", foreign},
                                                                      {std::string(4096, '\0'), foreign}}) {
        write(text);
        const CacheUse use = use_of(given);
        EXPECT_EQ(use.missed, why);
        EXPECT_EQ(use.found, 0u);
        EXPECT_EQ(use.writes, 1u);
        EXPECT_EQ(use_of(given).missed, "") << "written anew";
    }
    fs::remove(file);
    fs::create_symlink("/dev/zero", file);
    EXPECT_EQ(use_of(given).missed, "it is no regular file");
    fs::remove_all(file);
    fs::create_directories(file / "within");
    const CacheUse folder = use_of(given);
    EXPECT_EQ(folder.missed, "it is no regular file");
    EXPECT_EQ(folder.writes, 0u);
    EXPECT_EQ(folder.unwritten.substr(0, 26), "the file can't be replaced");

    DeviceOptions nowhere = given;
    nowhere.cache_folder = "/dev/null/vkonnx";
    const CacheUse none = use_of(nowhere);
    EXPECT_EQ(none.missed, "there is no file");
    EXPECT_EQ(none.unwritten, "the folder can't be written to, or others were writing all the time");
}

TEST_F(Cache, CallbacksInPlaceOfAFolder)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.caching = Caching::keeps});
        std::map<std::string, std::vector<std::byte>, std::less<>> kept;
        DeviceOptions given = through(shim, present);
        given.load_cache = [&](std::string_view name) {
            const auto found = kept.find(name);
            return found == kept.end() ? std::vector<std::byte>() : found->second;
        };
        EXPECT_EQ(Device::open(given).message(), "DeviceOptions::store_cache is empty, but load_cache is not");
        given.store_cache = [&](std::string_view name, std::span<const std::byte> bytes) {
            kept.insert_or_assign(std::string(name), std::vector(bytes.begin(), bytes.end()));
        };
        EXPECT_EQ(use_of(given).missed, "nothing was kept");
        ASSERT_EQ(kept.size(), 1u);
        const CacheUse use = use_of(given);
        EXPECT_EQ(use.place, kept.begin()->first);
        EXPECT_EQ(use.found, 1u);
        kept.begin()->second.pop_back();
        EXPECT_EQ(use_of(given).missed, "it is damaged");
        given.cache_folder = folder_.string();
        EXPECT_EQ(Device::open(given).message(),
                  "DeviceOptions::cache_folder and load_cache are both given, but only one can be used");
        given.load_cache = {};
        EXPECT_EQ(Device::open(given).message(), "DeviceOptions::load_cache is empty, but store_cache is not");
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
