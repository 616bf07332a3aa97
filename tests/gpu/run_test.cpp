// This file tests prepare, bind and run: what each step costs in Vulkan calls, and what bind refuses.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "count_allocations.h"
#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

// Returns the allocations since `before`. They are unknown, and so 0, where a layer of the environment may use our operator new.
size_t allocations_since(size_t before)
{
    return std::getenv("VK_INSTANCE_LAYERS") ? 0 : allocations() - before;
}

uint64_t creations(const kit::VulkanShim& shim)
{
    return shim.calls("vkCreate*") + shim.calls("vkAllocate*") + shim.calls("vkUpdateDescriptorSet*") +
           shim.calls("vkMapMemory") + shim.calls("vkBindBufferMemory*");
}

void expect_only_one_submit(const kit::VulkanShim& shim)
{
    EXPECT_EQ(creations(shim), 0u);
    EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
    EXPECT_EQ(shim.calls("vkWaitForFences"), 1u);
    EXPECT_EQ(shim.calls("vkBeginCommandBuffer"), 0u);
    EXPECT_EQ(shim.calls("vkCmd*"), 0u) << "recorded once, not again";
    EXPECT_EQ(shim.calls("vkDestroy*") + shim.calls("vkFree*") + shim.calls("vkReset*"), 1u) << "only vkResetFences";
}

TEST(Run, TakesAnyRangeOfTensors)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        SmallRun small(*device);
        ASSERT_TRUE(small.op);
        const std::vector<Tensor> inputs = {small.x};
        const std::array<Tensor, 1> outputs = {small.y};
        ASSERT_TRUE(small.y.upload(std::vector<float>(3, -1)));
        const Status ran = device->run(small.op, inputs, outputs);
        ASSERT_TRUE(ran) << ran.message();
        EXPECT_EQ(small.result(), small.problem.y);
    }
}

TEST(Run, WarmRunOnlySubmitsAndWaits)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        SmallRun small(*device);
        ASSERT_TRUE(small.op);
        shim.reset_calls();
        const auto binding = device->bind(small.op, {&small.x, 1}, {&small.y, 1});
        ASSERT_TRUE(binding) << binding.message();
        EXPECT_GT(creations(shim), 0u) << "the counters count";
        ASSERT_TRUE(device->run(*binding));

        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(small.y.upload(std::vector<float>(3, -1)));
            shim.reset_calls();
            const size_t before = allocations();
            const Status ran = device->run(*binding);
            EXPECT_EQ(allocations_since(before), 0u);
            ASSERT_TRUE(ran) << ran.message();
            expect_only_one_submit(shim);
            EXPECT_EQ(small.result(), small.problem.y);
        }
    }
}

TEST(Run, StepsThatBindTheSameShareADescriptorSet)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        DeviceOptions options = through(shim, present);
        options.capabilities = present.capabilities;
        options.capabilities->max_loop_iterations = 30;
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        const auto op = device->prepare(ConvTranspose{}, {{.dims = {1, 40, 5}}, {.dims = {40, 1, 2}}});
        ASSERT_TRUE(op) << op.message();
        EXPECT_EQ(op->explanation().grids.size(), 6u) << "seven channels each go on with the sums of those before";
        const auto x = device->tensor(op->inputs()[0], std::vector<float>(200, 1));
        const auto w = device->tensor(op->inputs()[1], std::vector<float>(80, 1));
        const auto y = device->tensor(op->outputs()[0]);
        ASSERT_TRUE(x && w && y);
        shim.reset_calls();
        const auto binding = device->bind(*op, std::array{*x, *w}, {&*y, 1});
        ASSERT_TRUE(binding) << binding.message();
        EXPECT_EQ(shim.calls("vkUpdateDescriptorSets"), 1u);
        ASSERT_TRUE(device->run(*binding));
        std::vector<float> values(6);
        ASSERT_TRUE(y->download(values));
        EXPECT_EQ(values, (std::vector<float>{40, 80, 80, 80, 80, 40}));
    }
}

TEST(Run, WarmRecordingOnlySubmitsAndWaits)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        SmallRun one(*device), two(*device);
        auto recording = device->recording();
        ASSERT_TRUE(recording);
        for (SmallRun* small : {&one, &two}) {
            const auto binding = device->bind(small->op, {&small->x, 1}, {&small->y, 1});
            ASSERT_TRUE(binding) << binding.message();
            ASSERT_TRUE(recording->add(*binding));
        }
        shim.reset_calls();
        ASSERT_TRUE(recording->run());
        EXPECT_EQ(shim.calls("vkCmdDispatch"), 2u);
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);

        ASSERT_TRUE(one.y.upload(std::vector<float>(3, -1)));
        shim.reset_calls();
        const size_t before = allocations();
        ASSERT_TRUE(recording->run());
        EXPECT_EQ(allocations_since(before), 0u);
        expect_only_one_submit(shim);
        EXPECT_EQ(one.result(), one.problem.y);
        EXPECT_EQ(two.result(), two.problem.y);

        const auto third = device->bind(one.op, {&one.x, 1}, {&two.y, 1});
        ASSERT_TRUE(third && recording->add(*third));
        shim.reset_calls();
        ASSERT_TRUE(recording->run());
        EXPECT_EQ(shim.calls("vkCmdDispatch"), 3u) << "recorded anew after an add";
        EXPECT_EQ(recording->seconds().size(), device->capabilities().timestamps ? 3u : 0u);
    }
}

TEST(Prepare, OtherExtentsCreateNoPipeline)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        const ConvTranspose up = {.strides = {2, 2}};
        std::string kernel = "conv_transpose_direct";
        const auto prepare_both = [&](int64_t channels, int64_t height, int64_t width) {
            const TensorDesc x = {DType::float32, {2, channels, height, width}};
            const auto pooled =
                device->prepare(AveragePool{.kernel_shape = {2, 2}, .strides = {2, 2}}, {x}, {.kernel = "average_pool_direct"});
            EXPECT_TRUE(pooled) << pooled.message();
            const auto grown = device->prepare(up, {x, {DType::float32, {channels, 3, 3, 3}}}, {.kernel = kernel});
            EXPECT_TRUE(grown) << grown.message();
        };
        shim.reset_calls();
        prepare_both(3, 8, 8);
        EXPECT_EQ(shim.calls("vkCreateComputePipelines"), 2u);
        shim.reset_calls();
        prepare_both(5, 31, 17);
        prepare_both(1, 64, 7);
        EXPECT_EQ(shim.calls("vkCreateComputePipelines"), 0u);
        EXPECT_EQ(shim.calls("vkCreate*") + shim.calls("vkAllocate*"), shim.calls("vkCreateBuffer"));
        EXPECT_EQ(shim.calls("vkCreateBuffer"), 4u) << "each problem's own numbers, in memory that is there";

        kernel = "conv_transpose_phases";
        shim.reset_calls();
        prepare_both(3, 40, 40);
        EXPECT_EQ(shim.calls("vkCreateComputePipelines"), 3u) << "to pack X and W, and to multiply";
        shim.reset_calls();
        prepare_both(5, 40, 41);  // of the same tiles
        EXPECT_EQ(shim.calls("vkCreateComputePipelines"), 0u);
    }
}

// Returns one of four pools that need four pipelines.
Result<Op> one_of_four(const Device& device, int which)
{
    const size_t axes = size_t(which / 2 + 1);
    TensorDesc x = {DType::float32, {1, 1}};
    x.dims.insert(x.dims.end(), axes, 4);
    return device.prepare(AveragePool{.kernel_shape = std::vector<int64_t>(axes, 2), .count_include_pad = which % 2}, {x});
}

TEST(Prepare, KeepsTheLeastRecentlyUsedPipelinesBounded)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        DeviceOptions options = through(shim, present);
        options.max_cached_pipelines = 2;
        options.self_test = false;  // it would take a place in the cache
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        const auto created = [&] { return shim.calls("vkCreateComputePipelines"); };
        const auto alive = [&] { return created() - shim.calls("vkDestroyPipeline"); };

        for (int which : {0, 1, 0, 2})
            ASSERT_TRUE(one_of_four(*device, which));
        EXPECT_EQ(created(), 3u);
        EXPECT_EQ(alive(), 2u);
        ASSERT_TRUE(one_of_four(*device, 0));
        ASSERT_TRUE(one_of_four(*device, 2));
        EXPECT_EQ(created(), 3u) << "0 and 2 were used last";
        ASSERT_TRUE(one_of_four(*device, 1));
        EXPECT_EQ(created(), 4u) << "1 was dropped";

        {
            std::vector<Op> held;
            for (int which : {0, 1, 2, 3})
                held.push_back(*one_of_four(*device, which));
            EXPECT_EQ(alive(), 4u);
            const uint64_t before = created();
            for (int which : {0, 1, 2, 3})
                ASSERT_TRUE(one_of_four(*device, which));
            EXPECT_EQ(created(), before) << "what an Op holds is never built twice";
        }
        EXPECT_EQ(alive(), 2u) << "dropped when the Ops go, not later";
    }
}

TEST(Bind, RefusesWhatDoesNotFit)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        const auto other = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device && other);
        SmallRun small(*device), foreign(*other);
        const auto refused = [&](std::vector<Tensor> inputs, std::vector<Tensor> outputs) {
            const auto binding = device->bind(small.op, inputs, outputs);
            EXPECT_EQ(binding.code(), Code::invalid_argument);
            return std::string(binding.message());
        };
        const Tensor integers = *device->tensor({DType::int32, {1, 1, 2, 6}});
        const Tensor line = *small.x.view({12});
        const Tensor channels_last = *device->tensor({DType::float32, {1, 1, 2, 6}, Layout::nxc});
        EXPECT_EQ(refused({}, {small.y}), "AveragePool: 0 inputs bound, but it was prepared for 1");
        EXPECT_EQ(refused({small.x}, {}), "AveragePool: 0 outputs bound, but it gives 1");
        EXPECT_EQ(refused({small.y}, {small.x}), "AveragePool: input[0] is float[1,1,1,3], but float[1,1,2,6] is expected");
        EXPECT_EQ(refused({integers}, {small.y}), "AveragePool: input[0] is int32[1,1,2,6], but float[1,1,2,6] is expected");
        EXPECT_EQ(refused({channels_last}, {small.y}),
                  "AveragePool: input[0] is float[1,1,2,6] NXC, but float[1,1,2,6] is expected");
        EXPECT_EQ(refused({small.x}, {line}), "AveragePool: output[0] is float[12], but float[1,1,1,3] is expected");
        EXPECT_EQ(refused({Tensor()}, {small.y}), "AveragePool: input[0] is an empty handle, but float[1,1,2,6] is expected");
        EXPECT_EQ(refused({foreign.x}, {small.y}), "AveragePool: input[0] belongs to another device");
        EXPECT_EQ(device->bind(foreign.op, {&small.x, 1}, {&small.y, 1}).message(),
                  "Device::bind: the Op belongs to another device");
        EXPECT_EQ(device->bind(Op(), {&small.x, 1}, {&small.y, 1}).message(), "Device::bind: the Op is an empty handle");
        EXPECT_TRUE(device->bind(small.op, {&line, 1}, {&small.y, 1})) << "a view of equal size fits";
        EXPECT_EQ(device->run(Binding()).code(), Code::invalid_argument);
    }
}

TEST(Bind, RefusesSharedMemory)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device) << device.message();
        const TensorDesc desc = {DType::float32, {1, 1, 4}};
        const auto op = device->prepare(AveragePool{.kernel_shape = {1}}, {desc});
        const auto x = device->tensor(desc);
        ASSERT_TRUE(op && x);
        const auto view = x->view({4, 1, 1});
        ASSERT_TRUE(view) << view.message();
        const auto binding = device->bind(*op, {&*x, 1}, {&*view, 1});
        EXPECT_EQ(binding.code(), Code::invalid_argument);
        EXPECT_EQ(binding.message(), "AveragePool: output[0] shares memory with input[0]");
    }
}

TEST(Run, ManyThreadsShareADevice)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device) << device.message();
        SmallRun shared(*device);
        ASSERT_TRUE(shared.op);
        std::array<int, 4> right = {};
        std::vector<std::thread> threads;
        for (int& count : right)
            threads.emplace_back([&device, &shared, &count] {
                for (int i = 0; i < 20; ++i) {
                    const auto op = device->prepare(shared.problem.attributes, {shared.problem.input});
                    const auto y = device->tensor(shared.problem.output);
                    if (!op || !y || !device->run(*op, {shared.x}, {*y}) || !device->run(shared.op, {shared.x}, {*y}))
                        return;
                    std::vector<float> values(3);
                    if (y->download(values) && values == shared.problem.y)
                        ++count;
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        EXPECT_EQ(right, (std::array<int, 4>{20, 20, 20, 20}));
    }
}

TEST(Run, EverythingIsDestroyed)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        {
            std::optional<SmallRun> small;
            Result<Recording> recording = Status(Code::unsupported, "none yet");
            {
                const auto device = Device::open(through(shim, present));
                ASSERT_TRUE(device) << device.message();
                small.emplace(*device);
                recording = device->recording();
                const auto binding = device->bind(small->op, {&small->x, 1}, {&small->y, 1});
                ASSERT_TRUE(binding && recording->add(*binding));
            }
            ASSERT_TRUE(recording->run()) << "handles keep their device alive";
            EXPECT_EQ(small->result(), small->problem.y);
            EXPECT_GT(shim.live_objects(), 0);
        }
        EXPECT_EQ(shim.live_objects(), 0);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
