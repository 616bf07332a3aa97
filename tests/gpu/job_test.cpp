// This file tests submit: jobs in flight, their order, waits that run out, handles that go first, and what each step costs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <thread>

#include "count_allocations.h"
#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

constexpr double job_patience = 60;  // seconds for a job to end, far more than it takes

// This struct opens a device with the validation layer where there is one, and keeps its warnings and errors.
struct Watched {
    std::mutex mutex = {};
    std::string messages = {};

    Result<Device> open(const kit::VulkanShim& shim, const PresentDevice& present)
    {
        DeviceOptions options = through(shim, present);
        options.validation = validation_available();
        options.self_test = false;  // on a busy machine it may find so low a rate of work that long jobs are cut
        options.log = [this](LogLevel, std::string_view text) {
            std::lock_guard lock(mutex);
            messages += std::string(text) + "\n";
        };
        return Device::open(options);
    }
};

Binding bound(const Device& device, const SmallRun& small)
{
    const auto binding = device.bind(small.op, {&small.x, 1}, {&small.y, 1});
    EXPECT_TRUE(binding) << binding.message();
    return binding ? *binding : Binding();
}

// This struct has a pool over so many elements that a software driver needs some milliseconds.
struct Slow {
    static constexpr int64_t extent = 1000;
    TensorDesc desc = {DType::float32, {1, 1, extent, extent}};
    Tensor x = {};
    Tensor y = {};
    Binding binding = {};

    explicit Slow(const Device& device, float value)
    {
        const auto op = device.prepare(AveragePool{.kernel_shape = {3, 3}, .pads = {1, 1, 1, 1}}, {desc});
        const auto made_x = device.tensor(desc, std::vector<float>(size_t(extent * extent), value));
        const auto made_y = device.tensor(desc);
        EXPECT_TRUE(op && made_x && made_y);
        x = *made_x;
        y = *made_y;
        binding = *device.bind(*op, {&x, 1}, {&y, 1});
    }

    bool holds_only(float value) const
    {
        std::vector<float> values(size_t(extent * extent), -1);
        EXPECT_TRUE(y.download(values));
        return values == std::vector<float>(values.size(), value);
    }
};

TEST(Job, ManyAreInFlightAtOnce)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        Watched watched;
        const auto device = watched.open(shim, present);
        ASSERT_TRUE(device) << device.message();
        std::vector<std::unique_ptr<Slow>> slow;
        std::vector<Job> jobs;
        for (int i = 0; i < 4; ++i)
            slow.push_back(std::make_unique<Slow>(*device, float(i + 1)));
        shim.reset_calls();
        for (const auto& each : slow) {
            auto job = device->submit(each->binding);
            ASSERT_TRUE(job) << job.message();
            jobs.push_back(*job);
        }
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 4u);
        EXPECT_EQ(shim.calls("vkWaitForFences"), 0u) << "submit does not wait";

        // Tensors that no job uses may be uploaded, run and downloaded meanwhile.
        expect_works(*device);
        for (size_t i = jobs.size(); i-- > 0;) {
            ASSERT_TRUE(jobs[i].wait(job_patience));
            EXPECT_TRUE(jobs[i].done());
            EXPECT_TRUE(slow[i]->holds_only(float(i + 1)));
        }
        EXPECT_EQ(shim.guard_report(), "");
        EXPECT_EQ(watched.messages, "");
    }
}

// Each copy of a -> b -> c ... has a submit of its own.
TEST(Job, RunsInTheOrderOfItsSubmit)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        Watched watched;
        const auto device = watched.open(shim, present);
        ASSERT_TRUE(device) << device.message();
        const TensorDesc desc = {DType::float32, {1, 1, 100, 100}};
        const auto op = device->prepare(AveragePool{.kernel_shape = {1, 1}}, {desc});
        ASSERT_TRUE(op) << op.message();
        std::vector<float> values(10000);
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = float(i);
        std::vector<Tensor> tensors = {*device->tensor(desc, values)};
        std::vector<Job> jobs;
        for (size_t i = 0; i < 10; ++i) {
            tensors.push_back(*device->tensor(desc));
            const auto binding = device->bind(*op, {&tensors[i], 1}, {&tensors[i + 1], 1});
            ASSERT_TRUE(binding) << binding.message();
            auto job = device->submit(*binding);
            ASSERT_TRUE(job) << job.message();
            jobs.push_back(*job);
        }
        ASSERT_TRUE(jobs.back().wait(job_patience));
        for (Job& job : jobs)
            EXPECT_TRUE(job.done()) << "the last has ended, and with it all before";
        std::vector<float> copied(values.size());
        ASSERT_TRUE(tensors.back().download(copied));
        EXPECT_EQ(copied, values);
        EXPECT_EQ(watched.messages, "");
    }
}

TEST(Job, IsInFlightOnceAtATime)
{
    const std::string_view refusal = "a Binding or Recording is in flight once at a time: wait for its Job first";
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        SmallRun small(*device);
        const Binding binding = bound(*device, small);
        auto job = device->submit(binding);
        ASSERT_TRUE(job) << job.message();
        shim.time_out_waits(2);
        const auto second = device->submit(binding);
        EXPECT_EQ(second.code(), Code::invalid_argument);
        EXPECT_EQ(second.message(), refusal);
        EXPECT_EQ(device->run(binding).message(), refusal);
        auto again = device->submit(binding);
        if (!again) {  // a device may really be so slow
            ASSERT_TRUE(job->wait(job_patience));
            again = device->submit(binding);
        }
        ASSERT_TRUE(again) << again.message();
        EXPECT_TRUE(job->done()) << "the first has ended";
        EXPECT_TRUE(job->wait(0));
        ASSERT_TRUE(again->wait(job_patience));
        EXPECT_EQ(small.result(), small.problem.y);

        auto recording = device->recording();
        ASSERT_TRUE(recording && recording->add(binding));
        auto recorded = recording->submit();
        ASSERT_TRUE(recorded) << recorded.message();
        auto beside = device->submit(binding);
        EXPECT_TRUE(beside) << "the Binding in it may be in flight by itself: " << beside.message();
        ASSERT_TRUE(recording->add(binding));
        shim.time_out_waits(2);
        EXPECT_EQ(recording->submit().message(), refusal);
        EXPECT_EQ(recording->run().message(), refusal);
        ASSERT_TRUE(recorded->wait(job_patience) && beside->wait(job_patience));
        shim.reset_calls();
        recorded = recording->submit();
        ASSERT_TRUE(recorded) << recorded.message();
        EXPECT_EQ(shim.calls("vkCmdDispatch"), 2u) << "recorded anew, with what was added meanwhile";
        ASSERT_TRUE(recorded->wait(job_patience));
        EXPECT_EQ(small.result(), small.problem.y);
    }
}

TEST(Job, AWaitThatRunsOutChangesNothing)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        Watched watched;
        const auto device = watched.open(shim, present);
        ASSERT_TRUE(device) << device.message();
        SmallRun small(*device);
        auto job = device->submit(bound(*device, small));
        ASSERT_TRUE(job) << job.message();
        shim.time_out_waits(3);
        for (int i = 0; i < 2; ++i) {
            const Status late = job->wait(0.001);
            EXPECT_EQ(late.code(), Code::timeout);
            EXPECT_EQ(late.message(), "the work is not done yet");
        }
        EXPECT_FALSE(job->done());
        EXPECT_FALSE(job->gpu_seconds());
        expect_works(*device);
        EXPECT_TRUE(job->wait(std::numeric_limits<double>::infinity()));
        EXPECT_TRUE(job->done());
        EXPECT_EQ(small.result(), small.problem.y);
        EXPECT_EQ(watched.messages, "");
    }
}

TEST(Job, AsksTheDeviceAndNotTheClock)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device) << device.message();
        const Slow slow(*device, 3);
        auto job = device->submit(slow.binding);
        ASSERT_TRUE(job) << job.message();
        while (!job->done()) {
            const Status asked = job->wait(0);
            EXPECT_TRUE(asked || asked.code() == Code::timeout) << asked.message();
            std::this_thread::yield();
        }
        EXPECT_TRUE(job->wait(0));
        EXPECT_TRUE(slow.holds_only(3));
    }
}

TEST(Job, RefusesWhatIsNoTime)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device) << device.message();
        SmallRun small(*device);
        auto job = device->submit(bound(*device, small));
        ASSERT_TRUE(job) << job.message();
        EXPECT_EQ(job->wait(-1).message(), "Job::wait: timeout_seconds = -1.000000 must be 0 or greater");
        EXPECT_EQ(job->wait(std::nan("")).code(), Code::invalid_argument);
        EXPECT_TRUE(job->wait(job_patience));

        EXPECT_EQ(Job().wait(1).message(), "Job::wait: the Job is an empty handle");
        EXPECT_TRUE(Job().done());
        EXPECT_FALSE(Job().gpu_seconds());
        EXPECT_EQ(device->submit(Binding()).message(), "Device::submit: the Binding is an empty handle");
    }
}

TEST(Job, OutlivesEveryOtherHandle)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        Watched watched;
        {
            Job job, recorded;
            Tensor y;
            {
                const auto device = watched.open(shim, present);
                ASSERT_TRUE(device) << device.message();
                const Slow slow(*device, 5);
                y = slow.y;
                job = *device->submit(slow.binding);
                SmallRun small(*device);
                auto recording = device->recording();
                ASSERT_TRUE(recording && recording->add(bound(*device, small)));
                recorded = *recording->submit();
                shim.time_out_waits(1);
                EXPECT_FALSE(job.done());
            }
            ASSERT_TRUE(recorded.wait(job_patience));
            ASSERT_TRUE(job.wait(job_patience));
            std::vector<float> values(size_t(Slow::extent * Slow::extent));
            ASSERT_TRUE(y.download(values));
            EXPECT_EQ(values.front(), 5);
            EXPECT_EQ(values.back(), 5);
            EXPECT_GT(shim.live_objects(), 0);
        }
        EXPECT_EQ(shim.live_objects(), 0);
        EXPECT_EQ(watched.messages, "");
    }
}

TEST(Job, IsWaitedForByTheLastHandleThatGoes)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        Watched watched;
        {
            const auto device = watched.open(shim, present);
            ASSERT_TRUE(device) << device.message();
            std::optional<Slow> slow(std::in_place, *device, 7);
            Tensor y = slow->y;
            shim.reset_calls();
            {
                const auto job = device->submit(slow->binding);
                ASSERT_TRUE(job) << job.message();
            }
            EXPECT_EQ(shim.calls("vkWaitForFences"), 0u) << "the Binding is still held";
            slow.reset();
            EXPECT_EQ(shim.calls("vkWaitForFences"), 1u);
            std::vector<float> values(size_t(Slow::extent * Slow::extent));
            ASSERT_TRUE(y.download(values));
            EXPECT_EQ(values.front(), 7);
            EXPECT_EQ(values.back(), 7);
        }
        EXPECT_EQ(shim.live_objects(), 0);
        EXPECT_EQ(watched.messages, "");
    }
}

TEST(Job, ThatNeverEndsIsLeftAlone)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        {
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            SmallRun one(*device), two(*device);
            auto job = device->submit(bound(*device, one));
            auto other = device->submit(bound(*device, two));
            ASSERT_TRUE(job && other);
            shim.time_out_waits(1000);
            shim.reset_calls();
            EXPECT_EQ(job->wait(0.1).code(), Code::timeout);
        }
        EXPECT_EQ(shim.calls("vkDestroy*") + shim.calls("vkFree*"), 0u);
        EXPECT_EQ(shim.calls("vkWaitForFences"), 2u) << "ours, and that of the first destructor, which gives the device up";
    }
}

TEST(Job, IsLostWithItsDevice)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        {
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            SmallRun one(*device), two(*device);
            auto job = device->submit(bound(*device, one));
            ASSERT_TRUE(job) << job.message();
            shim.lose_device_at_submit(1);
            EXPECT_EQ(device->submit(bound(*device, two)).code(), Code::device_lost);
            EXPECT_EQ(job->wait(job_patience).message(), "the device is lost");
            EXPECT_FALSE(job->gpu_seconds());
        }
        EXPECT_EQ(shim.live_objects(), 0);
    }
}

TEST(Job, MeasuresItsSeconds)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        for (const bool timestamps : {true, false}) {
            // From one timestamp to the next there are 1000 ticks, then 2000, and so on.
            kit::ShimOptions lie = {.after_timestamps = [](std::span<uint64_t> ticks) {
                for (size_t i = 0; i < ticks.size(); ++i)
                    ticks[i] = 500 * i * (i + 1);
            }};
            if (!timestamps)
                lie.timestamp_bits = 0;
            kit::VulkanShim shim(lie);
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            const bool measured = device->capabilities().timestamps;
            const Slow slow(*device, 1);
            auto job = device->submit(slow.binding);
            ASSERT_TRUE(job) << job.message();
            ASSERT_TRUE(job->wait(job_patience));
            ASSERT_EQ(job->gpu_seconds().has_value(), measured);
            const double once = job->gpu_seconds().value_or(0);
            EXPECT_EQ(once > 0, measured);

            auto recording = device->recording();
            ASSERT_TRUE(recording && recording->add(slow.binding) && recording->add(slow.binding));
            auto recorded = recording->submit();
            ASSERT_TRUE(recorded && recorded->wait(job_patience));
            ASSERT_EQ(recording->seconds().size(), measured ? 2u : 0u);
            if (measured) {
                EXPECT_DOUBLE_EQ(recording->seconds()[0], once);
                EXPECT_DOUBLE_EQ(recording->seconds()[1], 2 * once);
                EXPECT_DOUBLE_EQ(*recorded->gpu_seconds(), 3 * once);
            }
            auto next = recording->submit();
            ASSERT_TRUE(next) << next.message();
            EXPECT_FALSE(recorded->gpu_seconds()) << "its place was taken";
            ASSERT_TRUE(next->wait(job_patience));
            EXPECT_EQ(next->gpu_seconds().has_value(), measured);
        }
    }
}

TEST(Job, WarmSubmitOnlySubmits)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        SmallRun small(*device);
        const Binding binding = bound(*device, small);
        ASSERT_TRUE(device->run(binding));
        shim.reset_calls();
        auto first = device->submit(binding);
        ASSERT_TRUE(first && first->wait(job_patience));
        const bool measured = device->capabilities().timestamps;
        EXPECT_EQ(shim.calls("vkBeginCommandBuffer"), 1u) << "recorded anew, with timestamps";
        EXPECT_EQ(shim.calls("vkCreate*"), measured ? 1u : 0u) << "the query pool";

        ASSERT_TRUE(small.y.upload(std::vector<float>(3, -1)));
        shim.reset_calls();
        const size_t before = allocations();
        auto job = device->submit(binding);
        const Status waited = job ? job->wait(job_patience) : job.status();
        EXPECT_TRUE(job && job->done());
        const size_t after = allocations();
        ASSERT_TRUE(waited) << waited.message();
        if (!std::getenv("VK_INSTANCE_LAYERS")) {  // a layer may use our operator new
            EXPECT_EQ(after, before);
        }
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
        EXPECT_EQ(shim.calls("vkCreate*") + shim.calls("vkAllocate*") + shim.calls("vkUpdateDescriptorSet*"), 0u);
        EXPECT_EQ(shim.calls("vkCmd*") + shim.calls("vkBeginCommandBuffer"), 0u);
        EXPECT_EQ(small.result(), small.problem.y);

        shim.reset_calls();
        ASSERT_TRUE(device->run(binding));
        EXPECT_EQ(shim.calls("vkBeginCommandBuffer"), 0u) << "run takes the commands as they are";
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
