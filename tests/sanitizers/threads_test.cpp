// This program runs the stress test under ThreadSanitizer, on a driver that computes nothing. With --race two threads run one
// Binding, which the header forbids: this is the control, and must be reported. --nothing only shows that the sanitizer can
// start.
#include <cstdio>
#include <string_view>
#include <thread>

#include "kit/stress.h"

using namespace vkonnx;

namespace {

constexpr uint64_t rounds = 100;  // of each thread

int fail(std::string_view what)
{
    std::printf("%s\n", std::string(what).c_str());
    return 1;
}

int race(const Device& device)
{
    const TensorDesc desc = {DType::float32, {1, 1, 4}};
    const auto op = device.prepare(AveragePool{.kernel_shape = {1}}, {desc});
    const auto x = device.tensor(desc), y = device.tensor(desc);
    if (!op || !x || !y)
        return fail("the control can't be prepared");
    const auto binding = device.bind(*op, {&*x, 1}, {&*y, 1});
    if (!binding || !device.run(*binding))  // records, so that the threads have nothing to create
        return fail("the control can't be bound");
    const auto work = [&] {
        for (uint64_t i = 0; i < rounds; ++i)
            (void)device.run(*binding);
    };
    std::thread one(work), two(work);
    one.join();
    two.join();
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string_view mode = argc > 1 ? argv[1] : "";
    if (mode == "--nothing")
        return 0;
    DeviceOptions how;
    how.self_test = false;
    how.max_cached_pipelines = 0;  // so that pipelines are built and dropped throughout
    const auto device = Device::open(how);
    if (!device) {
        std::printf("skipped: %s\n", std::string(device.message()).c_str());
        return 0;
    }
    if (mode == "--race")
        return race(*device);
    kit::StressOptions options;
    options.rounds = rounds;
    options.verify = false;
    options.open = how;
    const kit::StressCounts counts = kit::stress(*device, options);
    std::printf("%s, 8 threads: %s\n", device->info().name.c_str(), to_string(counts).c_str());
    return counts.failure.empty() ? 0 : fail(counts.failure);
}
