// This file tests a device in a fork of the process that opened it: its threads and locks are gone or held for ever there.
#ifndef _WIN32

#include <gtest/gtest.h>

#include <optional>

#include <sys/wait.h>
#include <unistd.h>

#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

// Returns what the child found wrong, as its exit code; 0 for nothing.
template <class Work>
int in_child(Work work)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(work());
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool is_refused(const Status& status)
{
    return status.code() == Code::device_lost && holds(status.message(), "fork");
}

TEST(Fork, RefusesTheParentsDevice)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        std::optional<Device> device = *Device::open(through(shim, present));
        std::optional<SmallRun> small(*device);
        ASSERT_TRUE(small->op);
        std::optional<Binding> binding = *device->bind(small->op, {&small->x, 1}, {&small->y, 1});
        auto recording = device->recording();
        ASSERT_TRUE(recording && recording->add(*binding));
        std::optional<Job> job = *device->submit(*binding);
        const int wrong = in_child([&] {
            shim.reset_calls();
            std::vector<float> values(3);
            if (!is_refused(job->wait(60)) || !job->done())
                return 1;
            if (!is_refused(device->run(*binding)) || !is_refused(device->submit(*binding).status()))
                return 2;
            if (!is_refused(device->run(small->op, {small->x}, {small->y})) || !is_refused(recording->run()))
                return 3;
            if (!is_refused(device->tensor(small->problem.input).status()) || !is_refused(small->y.download(values)) ||
                !is_refused(small->x.upload(small->problem.x)))
                return 4;
            if (!is_refused(device->prepare(small->problem.attributes, {small->problem.input}).status()))
                return 5;
            if (device->memory().used == 0)
                return 6;
            job.reset();  // waits for nothing, destroys nothing
            binding.reset();
            *recording = {};
            small.reset();
            device.reset();
            return shim.calls("vk*") == 0 ? 0 : 7;
        });
        EXPECT_EQ(wrong, 0);
        ASSERT_TRUE(job->wait(60));
        EXPECT_EQ(small->result(), small->problem.y) << "the parent's goes on";
        expect_works(*device);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test

#endif
