// This file tests work that takes longer than a system lets a GPU be silent. It is cut into submits, with the results and at the
// cost of one.
#include <gtest/gtest.h>

#include <cstdlib>

#include "count_allocations.h"
#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

// Opens a device that is taken for so slow that one output with four taps, at 20, fills a submit.
Result<Device> open_slow(const kit::VulkanShim& shim, const PresentDevice& present, std::string& messages)
{
    DeviceOptions options = through(shim, present);
    options.capabilities = *Capabilities::preset("desktop");
    options.capabilities->work_per_second = 40;
    options.validation = validation_available();
    options.log = [&messages](LogLevel, std::string_view text) { messages += std::string(text) + "\n"; };
    return Device::open(options);
}

// This struct has a sum over three channels with products that are rounded, so that any other order would give other bits.
struct Sums {
    TensorDesc x_desc = {DType::float32, {1, 3, 5}}, w_desc = {DType::float32, {3, 2, 2}};
    Op op = {};
    std::vector<Tensor> inputs = {};
    Tensor y = {};

    explicit Sums(const Device& device)
    {
        const auto prepared = device.prepare(ConvTranspose{}, {x_desc, w_desc});
        EXPECT_TRUE(prepared) << prepared.message();
        op = *prepared;
        std::vector<float> x(15), w(12);
        for (size_t i = 0; i < x.size(); ++i)
            x[i] = 1 / float(i + 3);
        for (size_t i = 0; i < w.size(); ++i)
            w[i] = 1 / float(7 * i + 5);
        inputs = {*device.tensor(x_desc, x), *device.tensor(w_desc, w)};
        y = *device.tensor(op.outputs()[0], std::vector<float>(12, -1));
    }

    Binding bind(const Device& device) const
    {
        const auto binding = device.bind(op, inputs, {&y, 1});
        EXPECT_TRUE(binding) << binding.message();
        return *binding;
    }

    size_t dispatches() const { return op.explanation().grids.size(); }

    // Returns the bits of the result, and overwrites it.
    std::vector<uint32_t> take_result()
    {
        std::vector<uint32_t> bits(12);
        EXPECT_TRUE(y.download(bits));
        EXPECT_TRUE(y.upload(std::vector<float>(12, -1)));
        return bits;
    }
};

std::vector<uint32_t> result_of_one_submit(const PresentDevice& present)
{
    const auto device = Device::open({.select = std::to_string(present.index), .self_test = false});
    EXPECT_TRUE(device) << device.message();
    Sums sums(*device);
    EXPECT_EQ(sums.dispatches(), 1u);
    EXPECT_TRUE(device->run(sums.bind(*device)));
    return sums.take_result();
}

TEST(LongWork, IsCutIntoSubmits)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const std::vector<uint32_t> expected = result_of_one_submit(present);
        kit::VulkanShim shim({.after_timestamps = [](std::span<uint64_t> ticks) {
            for (size_t i = 0; i < ticks.size(); ++i)
                ticks[i] = 1000 * i;
        }});
        std::string messages;
        const auto device = open_slow(shim, present, messages);
        ASSERT_TRUE(device) << device.message();
        Sums sums(*device);
        const Binding binding = sums.bind(*device);
        ASSERT_GT(sums.dispatches(), 4u);
        shim.reset_calls();
        ASSERT_TRUE(device->run(binding));
        const uint64_t submits = shim.calls("vkQueueSubmit");
        EXPECT_GE(submits, 60 / 4u) << "60 taps, four a submit";
        EXPECT_LE(submits, sums.dispatches());
        EXPECT_EQ(shim.calls("vkCmdDispatch"), sums.dispatches());
        EXPECT_EQ(shim.calls("vkBeginCommandBuffer"), submits);
        EXPECT_EQ(shim.calls("vkWaitForFences"), 1u);
        EXPECT_EQ(sums.take_result(), expected);

        shim.reset_calls();
        const size_t allocated = allocations();
        ASSERT_TRUE(device->run(binding));
        if (!std::getenv("VK_INSTANCE_LAYERS") && !validation_available()) {  // a layer may use our operator new
            EXPECT_EQ(allocations(), allocated);
        }
        EXPECT_EQ(shim.calls("vkQueueSubmit"), submits);
        EXPECT_EQ(shim.calls("vkCreate*") + shim.calls("vkAllocate*") + shim.calls("vkCmd*"), 0u);
        EXPECT_EQ(sums.take_result(), expected);

        auto job = device->submit(binding);
        ASSERT_TRUE(job) << job.message();
        ASSERT_TRUE(job->wait(60));
        ASSERT_EQ(job->gpu_seconds().has_value(), device->capabilities().timestamps);
        if (device->capabilities().timestamps) {
            EXPECT_GT(*job->gpu_seconds(), 0);
        }
        EXPECT_EQ(sums.take_result(), expected);
        EXPECT_EQ(messages, "");
        EXPECT_EQ(shim.guard_report(), "");
    }
}

TEST(LongWork, SharesSubmitsWhereThatIsShortEnough)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        std::string messages;
        const auto device = open_slow(shim, present, messages);
        ASSERT_TRUE(device) << device.message();
        // Each pool has one window of one, estimated as 17 at 40 a second. A submit may take 1.8 seconds.
        const TensorDesc desc = {DType::float32, {1, 1, 1}};
        const auto op = device->prepare(AveragePool{.kernel_shape = {1}}, {desc}, {.max_dispatch_seconds = 1.8});
        ASSERT_TRUE(op) << op.message();
        std::vector<Tensor> tensors = {*device->tensor(desc, std::vector<float>{3})};
        auto recording = device->recording();
        for (size_t i = 0; i < 9; ++i) {
            tensors.push_back(*device->tensor(desc));
            ASSERT_TRUE(recording->add(*device->bind(*op, {&tensors[i], 1}, {&tensors[i + 1], 1})));
        }
        shim.reset_calls();
        ASSERT_TRUE(recording->run());
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 3u) << "four, four and one";
        EXPECT_EQ(shim.calls("vkCmdPipelineBarrier"), 8u + 2u) << "one between any two, wherever they stand";
        EXPECT_EQ(recording->seconds().size(), device->capabilities().timestamps ? 9u : 0u);
        std::vector<float> value(1);
        ASSERT_TRUE(tensors.back().download(value));
        EXPECT_EQ(value[0], 3);
        EXPECT_EQ(messages, "");
    }
}

TEST(LongWork, ThatFailsHalfwayIsWaitedFor)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const std::vector<uint32_t> expected = result_of_one_submit(present);
        kit::VulkanShim shim;
        std::string messages;
        {
            const auto device = open_slow(shim, present, messages);
            ASSERT_TRUE(device) << device.message();
            Sums sums(*device);
            const Binding binding = sums.bind(*device);
            for (const uint32_t after : {0u, 1u, 3u}) {
                shim.fail_submit(after);
                EXPECT_EQ(device->run(binding).code(), Code::out_of_memory);
                shim.fail_submit(UINT32_MAX);
                const Status again = device->run(binding);  // waits for what was submitted
                ASSERT_TRUE(again) << again.message();
                EXPECT_EQ(sums.take_result(), expected);
            }
            shim.fail_submit(2);
            EXPECT_EQ(device->run(binding).code(), Code::out_of_memory);
            shim.fail_submit(UINT32_MAX);
        }
        EXPECT_EQ(shim.live_objects(), 0) << "waited for, and destroyed";
        EXPECT_EQ(messages, "");
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
