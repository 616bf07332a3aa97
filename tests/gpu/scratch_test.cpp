// This file tests the scratch memory of a plan, which carries sums of halves from pass to pass. It is the binding's, or given by
// the application.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <string>

#include "count_allocations.h"
#include "kit/elements.h"
#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

// Returns options for a device with so few loop iterations that one pass can't do a sum over 40 channels.
DeviceOptions few_iterations(const kit::VulkanShim& shim, const PresentDevice& present)
{
    DeviceOptions options = through(shim, present);
    options.capabilities = *Capabilities::preset("desktop");
    options.capabilities->max_loop_iterations = 64;
    return options;
}

// This struct has a ConvTranspose of ones in halves, in which each channel's window has three weights of `scale`. Its sums are
// 40, 80, 120, 120, ..., 80, 40 times `scale`.
struct Halves {
    static constexpr int64_t channels = 40;
    TensorDesc x_desc = {};
    TensorDesc w_desc = {DType::float16, {channels, 1, 3}};
    Op op = {};
    std::vector<Tensor> inputs = {};
    Tensor y = {};
    double scale = 1;

    Halves(const Device& device, int64_t extent, double of_w = 1) : x_desc{DType::float16, {1, channels, extent}}, scale(of_w)
    {
        const auto prepared = device.prepare(ConvTranspose{}, {x_desc, w_desc});
        EXPECT_TRUE(prepared) << prepared.message();
        op = *prepared;
        EXPECT_GT(op.explanation().grids.size(), 2u);
        inputs = {*device.tensor(x_desc, of(channels * extent, 1)), *device.tensor(w_desc, of(channels * 3, scale))};
        y = *device.tensor(op.outputs()[0], of(extent + 2, -1));
    }

    static std::vector<uint16_t> of(int64_t count, double value)
    {
        return std::vector<uint16_t>(size_t(count), kit::half_bits(kit::format_of(DType::float16), value));
    }

    Result<Binding> bind(const Device& device, const Tensor& scratch = {}) const
    {
        return device.bind(op, inputs, {&y, 1}, scratch);
    }

    uint64_t scratch_bytes() const { return op.explanation().scratch_bytes; }

    void expect_result() const
    {
        const int64_t outputs = y.desc().dims.back();
        std::vector<uint16_t> expected = of(outputs, 120 * scale), got(size_t(outputs), 0);
        expected.front() = expected.back() = of(1, 40 * scale)[0];
        expected[1] = expected[expected.size() - 2] = of(1, 80 * scale)[0];
        const Status read = y.download(got);
        ASSERT_TRUE(read) << read.message();
        EXPECT_TRUE(got == expected);
    }
};

TEST(Scratch, IsAllocatedByABindingForItsLife)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(few_iterations(shim, present));
        ASSERT_TRUE(device) << device.message();
        const Halves halves(*device, 100);
        EXPECT_EQ(halves.scratch_bytes(), 102 * sizeof(float));
        const uint64_t before = device->memory().used;
        {
            const auto binding = halves.bind(*device);
            ASSERT_TRUE(binding) << binding.message();
            EXPECT_GE(device->memory().used, before + halves.scratch_bytes());
            for (int i = 0; i < 2; ++i) {  // what the first run left in scratch must not count
                ASSERT_TRUE(device->run(*binding));
                halves.expect_result();
            }
            shim.reset_calls();
            const size_t allocated = allocations();
            ASSERT_TRUE(device->run(*binding));
            if (!std::getenv("VK_INSTANCE_LAYERS")) {  // a layer may use our operator new
                EXPECT_EQ(allocations(), allocated);
            }
            EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
            EXPECT_EQ(shim.calls("vkCreate*") + shim.calls("vkAllocate*"), 0u);
        }
        EXPECT_EQ(device->memory().used, before);
        const auto none = device->prepare(SmallProblem().attributes, {SmallProblem().input});
        ASSERT_TRUE(none) << none.message();
        EXPECT_EQ(none->explanation().scratch_bytes, 0u);
        EXPECT_EQ(shim.guard_report(), "");
        EXPECT_EQ(shim.violations(), std::vector<std::string>());
    }
}

TEST(Scratch, CountsForMaxMemory)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.guards = false});
        DeviceOptions options = few_iterations(shim, present);
        options.max_memory = uint64_t(25) << 20;
        options.self_test = false;  // a rate measured on a busy machine might cut the outputs, and so the sums
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        const Halves halves(*device, 250000);  // some 20 MiB of X, 0.5 of Y, and 1 of sums
        EXPECT_EQ(halves.scratch_bytes(), 250002 * sizeof(float));
        ASSERT_TRUE(halves.bind(*device));
        const auto filler = device->tensor({DType::uint8, {int64_t(options.max_memory - device->memory().allocated)}});
        ASSERT_TRUE(filler) << filler.message();
        std::vector<Tensor> small;  // they take what is left of the blocks
        for (auto more = device->tensor({DType::uint8, {100000}}); more; more = device->tensor({DType::uint8, {100000}}))
            small.push_back(*more);
        const auto refused = halves.bind(*device);
        EXPECT_EQ(refused.code(), Code::out_of_memory);
        // Drivers round up what a buffer takes.
        std::smatch bytes;
        const std::string message(refused.message());
        ASSERT_TRUE(std::regex_search(message, bytes,
                                      std::regex("^ConvTranspose conv_transpose_direct_f16 scratch needs (\\d+) bytes, but ")))
            << message;
        EXPECT_GE(std::stoull(bytes[1]), halves.scratch_bytes());
        EXPECT_LE(std::stoull(bytes[1]), halves.scratch_bytes() + (present.capabilities.is_cpu ? 0 : 4096));
        EXPECT_TRUE(holds(refused.message(), "DeviceOptions::max_memory"));
    }
}

TEST(Scratch, MayBeGivenAndShared)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(few_iterations(shim, present));
        ASSERT_TRUE(device) << device.message();
        const Halves one(*device, 100), two(*device, 60, 2);
        const auto scratch = device->tensor({DType::uint8, {1000}});
        ASSERT_TRUE(scratch) << scratch.message();
        const uint64_t before = device->memory().used;
        const auto first = one.bind(*device, *scratch), second = two.bind(*device, *scratch);
        ASSERT_TRUE(first) << first.message();
        ASSERT_TRUE(second) << second.message();
        EXPECT_EQ(device->memory().used, before);

        auto recording = device->recording();
        ASSERT_TRUE(recording && recording->add(*first) && recording->add(*second));
        shim.reset_calls();
        ASSERT_TRUE(recording->run());
        const size_t dispatches = one.op.explanation().grids.size() + two.op.explanation().grids.size();
        EXPECT_EQ(shim.calls("vkCmdDispatch"), dispatches);
        EXPECT_EQ(shim.calls("vkCmdPipelineBarrier"), dispatches - 1 + 2) << "between the bindings, too";
        one.expect_result();
        two.expect_result();
        EXPECT_EQ(shim.guard_report(), "");
        EXPECT_EQ(shim.violations(), std::vector<std::string>());
    }
}

TEST(Scratch, IsRefusedWhereItDoesNotFit)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(few_iterations(shim, present));
        const auto other = Device::open(few_iterations(shim, present));
        ASSERT_TRUE(device && other);
        const Halves halves(*device, 100);
        const auto refused = [&](const Tensor& scratch) {
            const auto binding = halves.bind(*device, scratch);
            EXPECT_EQ(binding.code(), Code::invalid_argument);
            return std::string(binding.message());
        };
        EXPECT_EQ(refused(*device->tensor({DType::float32, {101}})),
                  "ConvTranspose: scratch float[101] has 404 bytes, but 408 are needed (Explanation::scratch_bytes)");
        EXPECT_EQ(refused(*other->tensor({DType::float32, {102}})), "ConvTranspose: scratch belongs to another device");
        EXPECT_EQ(refused(*halves.inputs[0].view({4000})), "ConvTranspose: scratch shares memory with input[0]");
        const SmallRun small(*device);
        const auto needless = device->bind(small.op, {&small.x, 1}, {&small.y, 1}, *device->tensor({DType::uint8, {1}}));
        ASSERT_TRUE(needless) << needless.message();
        ASSERT_TRUE(device->run(*needless));
        EXPECT_EQ(small.result(), small.problem.y);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
