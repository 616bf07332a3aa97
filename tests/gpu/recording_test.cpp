// This file tests barriers of a Recording, GPU times, and Shape, whose result is written by a command of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

// These copies are pools with a window of one, whose barriers are easy to count.
struct Copies {
    const Device& device;
    TensorDesc desc = {DType::float32, {1, 1, 4}};
    Op op = {};
    Recording recording = {};

    explicit Copies(const Device& on) : device(on)
    {
        op = *device.prepare(AveragePool{.kernel_shape = {1}}, {desc});
        recording = *device.recording();
    }

    Tensor tensor(float value) { return *device.tensor(desc, std::vector<float>(4, value)); }

    void add(Tensor from, Tensor to)
    {
        const auto binding = device.bind(op, {&from, 1}, {&to, 1});
        ASSERT_TRUE(binding) << binding.message();
        ASSERT_TRUE(recording.add(*binding));
    }
};

float first_of(const Tensor& tensor)
{
    std::vector<float> values(4, -1);
    EXPECT_TRUE(tensor.download(values));
    return values[0];
}

TEST(Recording, SetsBarriersOnlyWhereSomethingIsTouchedTwice)
{
    constexpr uint64_t ends = 2;  // one at the beginning of each command buffer, one at its end
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        const auto barriers = [&](Copies& copies) {
            shim.reset_calls();
            const Status ran = copies.recording.run();
            EXPECT_TRUE(ran) << ran.message();
            return shim.calls("vkCmdPipelineBarrier") - ends;
        };

        Copies independent(*device);
        const Tensor a = independent.tensor(1), b = independent.tensor(2), c = independent.tensor(3), d = independent.tensor(4);
        independent.add(a, c);
        independent.add(a, d);
        EXPECT_EQ(barriers(independent), 0u);
        EXPECT_EQ(first_of(d), 1);

        Copies chain(*device);  // read after write, twice
        chain.add(a, b);
        chain.add(b, c);
        chain.add(c, d);
        EXPECT_EQ(barriers(chain), 2u);
        EXPECT_EQ(first_of(d), 1);

        Copies overwriting(*device);  // write after read
        const Tensor e = overwriting.tensor(5), f = overwriting.tensor(6), g = overwriting.tensor(7);
        overwriting.add(e, f);
        overwriting.add(g, e);
        EXPECT_EQ(barriers(overwriting), 1u);
        EXPECT_EQ(first_of(f), 5);
        EXPECT_EQ(first_of(e), 7);

        Copies twice(*device);  // write after write, and a barrier that serves a later pair, too
        const Tensor h = twice.tensor(8), i = twice.tensor(9), j = twice.tensor(10);
        twice.add(a, h);
        twice.add(i, j);
        twice.add(g, h);
        EXPECT_EQ(barriers(twice), 1u);
        twice.add(j, f);
        EXPECT_EQ(barriers(twice), 1u);
        EXPECT_EQ(first_of(h), 7);
        EXPECT_EQ(first_of(f), 9);

        Copies viewed(*device);  // another view of the same memory
        viewed.add(a, b);
        viewed.add(*b.view({2, 2, 1}), c);
        EXPECT_EQ(barriers(viewed), 1u);
    }
}

TEST(Recording, OrdersThePassesOfOnePlan)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        DeviceOptions options = through(shim, present);
        options.capabilities = *Capabilities::preset("desktop");
        options.capabilities->max_loop_iterations = 64;
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        // 40 channels of ones are more taps than one pass of 64 iterations can sum.
        const TensorDesc x = {DType::float32, {1, 40, 3}}, w = {DType::float32, {40, 1, 3}};
        const auto op = device->prepare(ConvTranspose{}, {x, w});
        ASSERT_TRUE(op) << op.message();
        const size_t passes = op->explanation().grids.size();
        ASSERT_GT(passes, 1u);
        const auto y = device->tensor(op->outputs()[0]);
        const auto ones_x = device->tensor(x, std::vector<float>(120, 1)), ones_w = device->tensor(w, std::vector<float>(120, 1));
        ASSERT_TRUE(y && ones_x && ones_w);
        shim.reset_calls();
        ASSERT_TRUE(device->run(*op, {*ones_x, *ones_w}, {*y}));
        EXPECT_EQ(shim.calls("vkCmdDispatch"), passes);
        EXPECT_EQ(shim.calls("vkCmdPipelineBarrier"), passes - 1 + 2);
        std::vector<float> values(5);
        ASSERT_TRUE(y->download(values));
        EXPECT_EQ(values, (std::vector<float>{40, 80, 120, 80, 40}));
    }
}

// The tensor is larger than what the device binds at once. Each step must bind the part that it reads or writes.
TEST(Recording, BindsTheWindowsOfOnePlan)
{
    constexpr uint32_t range = 1 << 16;
    const TensorDesc desc = {DType::float32, {1, 3, 150, 110}};  // 198,000 bytes
    std::vector<float> x(3 * 150 * 110);
    for (size_t i = 0; i < x.size(); ++i)
        x[i] = float(i % 8191);
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        std::array<std::vector<float>, 2> results;
        for (const bool windows : {false, true}) {
            kit::ShimOptions lie;
            if (windows)
                lie.max_storage_buffer_range = range;
            kit::VulkanShim shim(lie);
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            const auto op = device->prepare(AveragePool{.kernel_shape = {3, 3}, .pads = {1, 1, 1, 1}}, {desc});
            ASSERT_TRUE(op) << op.message();
            EXPECT_EQ(op->explanation().grids.size() > 1, windows);
            const auto from = device->tensor(desc, x), to = device->tensor(op->outputs()[0]);
            ASSERT_TRUE(from && to);
            const Status ran = device->run(*op, {*from}, {*to});
            ASSERT_TRUE(ran) << ran.message();
            results[windows].resize(x.size());
            ASSERT_TRUE(to->download(results[windows]));
            EXPECT_EQ(shim.violations(), std::vector<std::string>());
            EXPECT_EQ(shim.guard_report(), "");
        }
        EXPECT_TRUE(results[0] == results[1]);
    }
}

// This struct binds a pool of 3 x 3 over a square.
struct Pool {
    Binding binding = {};

    Pool(const Device& device, int64_t extent)
    {
        const TensorDesc desc = {DType::float32, {1, 1, extent, extent}};
        const auto op = device.prepare(AveragePool{.kernel_shape = {3, 3}, .pads = {1, 1, 1, 1}}, {desc});
        const auto x = device.tensor(desc, std::vector<float>(size_t(extent * extent), 1));
        const auto y = device.tensor(desc);
        binding = *device.bind(*op, {&*x, 1}, {&*y, 1});
    }
};

TEST(Recording, MeasuresSecondsPerBinding)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        // The first binding takes 1000 ticks, and ten times as many in the next run. The second one takes three times as long.
        uint64_t first = 100;
        kit::VulkanShim shim({.after_timestamps = [&](std::span<uint64_t> ticks) {
            first *= 10;
            ASSERT_EQ(ticks.size(), 3u);
            const std::array<uint64_t, 3> now = {12345, 12345 + first, 12345 + 4 * first};
            std::copy(now.begin(), now.end(), ticks.begin());
        }});
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        if (!device->capabilities().timestamps)
            continue;
        auto recording = device->recording();
        for (const int64_t extent : {4, 8})
            ASSERT_TRUE(recording->add(Pool(*device, extent).binding));
        EXPECT_TRUE(recording->seconds().empty()) << "not run yet";
        shim.reset_calls();
        ASSERT_TRUE(recording->run());
        std::string recorded;
        for (const std::string_view command : shim.commands())
            recorded += command == "vkCmdWriteTimestamp" ? "time " : command == "vkCmdDispatch" ? "work " : "";
        EXPECT_EQ(recorded, "time work time work time ");
        ASSERT_EQ(recording->seconds().size(), 2u);
        const double once = recording->seconds()[0];
        EXPECT_GT(once, 0);
        EXPECT_DOUBLE_EQ(recording->seconds()[1], 3 * once);
        ASSERT_TRUE(recording->run());
        ASSERT_EQ(recording->seconds().size(), 2u);
        EXPECT_DOUBLE_EQ(recording->seconds()[0], 10 * once);
        EXPECT_DOUBLE_EQ(recording->seconds()[1], 30 * once);
    }
}

TEST(Recording, KnowsTheValidBitsOfTimestamps)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        for (const uint32_t bits : {0u, 8u}) {
            kit::VulkanShim shim({.timestamp_bits = bits, .after_timestamps = [](std::span<uint64_t> ticks) {
                                      const std::array<uint64_t, 3> now = {0, 100, 400};
                                      ASSERT_EQ(ticks.size(), now.size());
                                      std::copy(now.begin(), now.end(), ticks.begin());
                                  }});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            EXPECT_EQ(device->capabilities().timestamps, bits != 0);
            auto recording = device->recording();
            for (const int64_t extent : {4, 8})
                ASSERT_TRUE(recording->add(Pool(*device, extent).binding));
            shim.reset_calls();
            ASSERT_TRUE(recording->run());
            ASSERT_EQ(recording->seconds().size(), bits ? 2u : 0u);
            EXPECT_EQ(shim.calls("vkCreateQueryPool"), bits ? 1u : 0u);
            if (bits) {
                EXPECT_DOUBLE_EQ(recording->seconds()[1], 0.44 * recording->seconds()[0]) << "the low 8 bits of 300 are 44";
            }
        }
    }
}

TEST(Recording, RefusesForeignAndEmptyBindings)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        const auto other = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device && other);
        auto recording = device->recording();
        EXPECT_EQ(recording->add(Binding()).code(), Code::invalid_argument);
        SmallRun foreign(*other);
        const auto binding = other->bind(foreign.op, {&foreign.x, 1}, {&foreign.y, 1});
        ASSERT_TRUE(binding);
        EXPECT_EQ(recording->add(*binding).message(), "Recording::add: the Binding belongs to another device");
        EXPECT_TRUE(recording->run()) << "nothing to do is no failure";
    }
}

TEST(ShapeOp, WritesItsResultToTheDevice)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        // 72,000 bytes are more than one vkCmdUpdateBuffer takes.
        TensorDesc many = {DType::int8, std::vector<int64_t>(9000, 1)};
        many.dims[0] = 0;
        many.dims[1] = int64_t(1) << 40;
        many.dims[8999] = 7;
        const auto op = device->prepare(Shape{}, {many});
        ASSERT_TRUE(op) << op.message();
        EXPECT_EQ(std::vector<int64_t>(op->host_result().begin(), op->host_result().end()), many.dims);
        const auto y = device->tensor(op->outputs()[0]);
        ASSERT_TRUE(y) << y.message();
        const std::vector<Tensor> outputs = {*y};
        const auto binding = device->bind(*op, {}, outputs);
        ASSERT_TRUE(binding) << binding.message();
        shim.reset_calls();
        ASSERT_TRUE(device->run(*binding));
        EXPECT_EQ(shim.calls("vkCmdUpdateBuffer"), 2u);
        std::vector<int64_t> values(9000, -1);
        ASSERT_TRUE(y->download(values));
        EXPECT_EQ(values, many.dims);
        EXPECT_EQ(shim.guard_report(), "");
    }
}

TEST(ShapeOp, TakesItsInputOrNone)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device) << device.message();
        const TensorDesc desc = {DType::boolean, {2, 3, 5}};
        const auto op = device->prepare(Shape{.start = 1}, {desc});
        const auto x = device->tensor(desc);
        auto y = device->tensor({DType::int64, {2}});
        ASSERT_TRUE(op && x && y);
        for (const bool with_input : {false, true}) {
            ASSERT_TRUE(y->upload(std::vector<int64_t>{-1, -1}));
            const Status ran = with_input ? device->run(*op, {*x}, {*y}) : device->run(*op, {}, {*y});
            ASSERT_TRUE(ran) << ran.message();
            std::vector<int64_t> values(2);
            ASSERT_TRUE(y->download(values));
            EXPECT_EQ(values, (std::vector<int64_t>{3, 5}));
        }
        EXPECT_EQ(device->run(*op, {*x, *x}, {*y}).message(), "Shape: 2 inputs bound, but it was prepared for 1");

        const auto scalar = device->prepare(Shape{}, {TensorDesc{DType::float32, {}}});
        const auto nothing = device->tensor({DType::int64, {0}});
        ASSERT_TRUE(scalar && nothing);
        EXPECT_TRUE(scalar->host_result().empty());
        EXPECT_TRUE(device->run(*scalar, {}, {*nothing}));
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
