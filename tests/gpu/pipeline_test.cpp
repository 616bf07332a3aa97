// This file tests pipelines that many threads build at once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <latch>
#include <thread>

#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

using Clock = std::chrono::steady_clock;

struct Want {
    Operator attributes = {};
    std::vector<TensorDesc> inputs = {};
    PrepareOptions options = {};
};

TensorDesc cube(DType dtype, size_t axes, int64_t extent, Layout layout = Layout::ncx)
{
    TensorDesc desc = {dtype, {2, 2}, layout};
    desc.dims.insert(desc.dims.end(), axes, extent);
    return desc;
}

// Returns problems of which each needs a pipeline of its own.
std::vector<Want> different_pipelines(size_t count)
{
    std::vector<Want> wants;
    for (const bool nd : {true, false})
        for (size_t axes = 1; axes <= (nd ? 6u : 3u); ++axes)
            for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64})
                for (const bool flag : {false, true}) {
                    const AveragePool pool = {.kernel_shape = std::vector<int64_t>(axes, 2), .count_include_pad = flag};
                    const std::string suffix = nd ? "_nd" : "_direct";
                    wants.push_back({pool, {cube(dtype, axes, 3)}, {.kernel = "average_pool" + suffix}});
                    for (const Layout layout : {Layout::ncx, Layout::nxc}) {
                        std::vector<TensorDesc> inputs = {cube(dtype, axes, 2, layout), cube(dtype, axes, 2)};
                        if (flag)
                            inputs.push_back({dtype, {2}});
                        wants.push_back({ConvTranspose{}, inputs, {.kernel = "conv_transpose" + suffix}});
                    }
                }
    EXPECT_LE(count, wants.size());
    wants.resize(std::min(count, wants.size()));
    return wants;
}

Result<Op> prepare(const Device& device, const Want& want)
{
    return device.prepare(want.attributes, want.inputs, want.options);
}

// Does the work in this many threads, which start together. Each is given its number.
void in_threads(size_t count, const std::function<void(size_t)>& work)
{
    std::latch start{ptrdiff_t(count)};
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            work(i);
        });
    for (std::thread& thread : threads)
        thread.join();
}

Result<Device> open_untested(const kit::VulkanShim& shim, const PresentDevice& present)
{
    DeviceOptions options = through(shim, present);
    options.self_test = false;  // it builds pipelines of its own
    return Device::open(options);
}

TEST(Pipelines, AreBuiltOnceForManyThreads)
{
    constexpr size_t threads = 8;
    const std::vector<Want> wants = different_pipelines(12);
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        {
            const auto device = open_untested(shim, present);
            ASSERT_TRUE(device) << device.message();
            std::atomic<size_t> prepared = 0;
            in_threads(threads, [&](size_t thread) {
                for (size_t i = 0; i < wants.size(); ++i) {
                    const size_t which = thread % 2 ? wants.size() - 1 - i : i;
                    const auto op = prepare(*device, wants[which]);
                    EXPECT_TRUE(op) << op.message();
                    prepared += op.ok();
                }
            });
            EXPECT_EQ(prepared, threads * wants.size());
            EXPECT_EQ(shim.calls("vkCreateComputePipelines"), wants.size());
        }
        EXPECT_EQ(shim.live_objects(), 0);
    }
}

TEST(Pipelines, OfDifferentKeysAreBuiltAtTheSameTime)
{
    const std::vector<Want> wants = different_pipelines(2);
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        std::atomic<size_t> inside = 0;
        std::atomic<bool> alone = false;  // where the other thread does not come in minutes, it never does
        kit::VulkanShim shim({.before_pipeline = [&] {
            ++inside;
            for (const auto begin = Clock::now(); inside < 2 && !alone; std::this_thread::sleep_for(std::chrono::milliseconds(1)))
                alone = Clock::now() - begin > std::chrono::minutes(2);
        }});
        const auto device = open_untested(shim, present);
        ASSERT_TRUE(device) << device.message();
        in_threads(2, [&](size_t thread) { EXPECT_TRUE(prepare(*device, wants[thread])); });
        EXPECT_FALSE(alone) << "a thread waits until another's pipeline is built";
    }
}

TEST(Pipelines, OfOneKeyAreWaitedFor)
{
    const std::vector<Want> wants = different_pipelines(1);
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        constexpr size_t threads = 4;
        std::atomic<size_t> wanting = 0;
        kit::VulkanShim shim({.before_pipeline = [&] {
            while (wanting < threads)  // the build lasts until all want it
                std::this_thread::yield();
        }});
        const auto device = open_untested(shim, present);
        ASSERT_TRUE(device) << device.message();
        in_threads(threads, [&](size_t) {
            ++wanting;
            EXPECT_TRUE(prepare(*device, wants[0]));
        });
        EXPECT_EQ(shim.calls("vkCreateComputePipelines"), 1u);
    }
}

// Whoever builds first fails and says so; those who wait for it build it themselves, once.
TEST(Pipelines, AFailedBuildIsNobodyElses)
{
    constexpr size_t threads = 4;
    constexpr size_t call_of_build = 3;
    const std::vector<Want> wants = different_pipelines(1);
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.watch_flight = true});
        {
            const auto device = open_untested(shim, present);
            ASSERT_TRUE(device) << device.message();
            const int64_t before = shim.live_objects();
            const auto attempt = [&] {
                std::atomic<size_t> failed = 0;
                in_threads(threads, [&](size_t) {
                    const auto op = prepare(*device, wants[0]);
                    EXPECT_TRUE(op || op.code() == Code::out_of_memory) << op.message();
                    failed += !op;
                });
                return failed.load();
            };
            shim.reset_calls();
            shim.inject({.call = call_of_build, .error = -1, .reach = kit::Reach::all});
            EXPECT_EQ(attempt(), threads);
            EXPECT_EQ(shim.live_objects(), before) << "nothing of a failed build stays";
            shim.inject({.call = call_of_build, .error = -1});
            shim.reset_calls();
            EXPECT_EQ(attempt(), 1u);
            ASSERT_GT(shim.fallible_calls().size(), call_of_build);
            EXPECT_EQ(shim.fallible_calls()[call_of_build].name, "vkCreateComputePipelines");
            shim.end_injection();
            EXPECT_EQ(shim.calls("vkCreateComputePipelines"), 2u);
            EXPECT_EQ(attempt(), 0u);
            EXPECT_EQ(shim.calls("vkCreateComputePipelines"), 2u);
        }
        EXPECT_EQ(shim.live_objects(), 0);
    }
}

// Prints how long the builds take. VKONNX_TEST_PIPELINES sets how many there are (16 when not set).
TEST(Pipelines, AreAsManyAsTheProblemsDiffer)
{
    const char* const wanted = std::getenv("VKONNX_TEST_PIPELINES");
    const std::vector<Want> wants = different_pipelines(wanted ? std::strtoul(wanted, nullptr, 10) : 16);
    for (const PresentDevice& present : every_device())
        for (const size_t threads : {1u, 2u}) {
            SCOPED_TRACE(present.label);
            kit::VulkanShim shim;
            const auto device = open_untested(shim, present);
            ASSERT_TRUE(device) << device.message();
            std::atomic<size_t> next = 0;
            const auto begin = Clock::now();
            in_threads(threads, [&](size_t) {
                for (size_t i = next++; i < wants.size(); i = next++) {
                    const auto op = prepare(*device, wants[i]);
                    EXPECT_TRUE(op) << op.message();
                }
            });
            const std::chrono::duration<double> seconds = Clock::now() - begin;
            std::printf("%s: %zu pipelines in %.3f s by %zu threads\n", present.label.c_str(), wants.size(), seconds.count(),
                        threads);
            EXPECT_EQ(shim.calls("vkCreateComputePipelines"), wants.size()) << "each problem needs one of its own";
        }
}

}  // namespace
}  // namespace vkonnx::gpu_test
