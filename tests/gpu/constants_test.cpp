// This file tests constant inputs of an own device, an adopted one, an application's command buffer and a model file. They are
// packed by conv_transpose_columns, a kernel of the tests' own.
#include <gtest/gtest.h>

#include "interop_host.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

constexpr const char* packing = "conv_transpose_columns";

// This problem has two channels. Each digit of a result tells of one of them.
struct TwoChannels {
    TensorDesc x_desc = {DType::float32, {1, 2, 3}};
    TensorDesc w_desc = {DType::float32, {2, 1, 2}};
    std::vector<float> x = {1, 2, 3, 4, 5, 6};
    std::vector<float> w = {1, 10, 100, 1000};
    std::vector<float> y = {401, 4512, 5623, 6030};
};

Result<Op> prepare(const Device& device, const Tensor& w, std::string kernel = packing)
{
    const TwoChannels problem;
    return device.prepare(ConvTranspose{}, {problem.x_desc, problem.w_desc},
                          {.kernel = std::move(kernel), .constants = {{.input = 1, .tensor = w}}});
}

TEST(Constants, AreLeftOutByBind)
{
    for (const char* kernel : {packing, ""}) {
        SCOPED_TRACE(kernel);
        on_every_device([&](CaseDevice& device) {
            const TwoChannels problem;
            Result<Tensor> w = device.device().tensor(problem.w_desc, problem.w);
            ASSERT_TRUE(w) << w.message();
            const Result<Op> op = prepare(device.device(), *w, kernel);
            ASSERT_TRUE(op) << op.message();
            *w = Tensor();  // the Op no longer needs it, or keeps it
            EXPECT_EQ(std::vector<TensorDesc>(op->inputs().begin(), op->inputs().end()), std::vector{problem.x_desc});
            EXPECT_EQ(op->explanation().packed_bytes, kernel == packing ? 16u : 0u);
            EXPECT_EQ(op->explanation().scratch_bytes, kernel == packing ? 2u * 3 * 4 : 0u);
            const auto x = device.device().tensor(problem.x_desc, problem.x);
            const auto y = device.device().tensor(op->outputs()[0]);
            ASSERT_TRUE(x && y);
            const Status ran = device.device().run(*op, {*x}, {*y});
            ASSERT_TRUE(ran) << ran.message();
            EXPECT_EQ(contents(*y, 4), problem.y);
            EXPECT_EQ(device.device().run(*op, {*x, *x}, {*y}).message(),
                      "ConvTranspose: 2 inputs bound, but it was prepared for 1");
        });
    }
}

TEST(Constants, ArePackedOnceForAllWhoWantTheSame)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        const TwoChannels problem;
        const auto w = device->tensor(problem.w_desc, problem.w);
        ASSERT_TRUE(w) << w.message();
        const uint64_t one = device->memory().used;  // 16 bytes, and what the shim adds
        shim.reset_calls();
        {
            const auto first = prepare(*device, *w);
            ASSERT_TRUE(first) << first.message();
            EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
            const uint64_t used = device->memory().used;
            const auto second = prepare(*device, *w);
            ASSERT_TRUE(second) << second.message();
            EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u) << "packed already";
            EXPECT_EQ(device->memory().used, used);
            const auto other = device->tensor(problem.w_desc, std::vector<float>{5, 6, 7, 8});
            ASSERT_TRUE(other);
            const auto third = prepare(*device, *other);
            ASSERT_TRUE(third) << third.message();
            EXPECT_EQ(shim.calls("vkQueueSubmit"), 2u) << "other weights";
            EXPECT_EQ(device->memory().used, used + 2 * one);
        }
        EXPECT_EQ(device->memory().used, one) << "packed memory goes with the last Op that reads it";
        ASSERT_TRUE(prepare(*device, *w));
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 3u);
    }
}

TEST(Constants, AreFreedWhereNobodyReadsThemAsTheyAre)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device) << device.message();
        const TwoChannels problem;
        for (const char* kernel : {packing, "conv_transpose_nd"}) {
            auto w = device->tensor(problem.w_desc, problem.w);
            ASSERT_TRUE(w) << w.message();
            const auto op = prepare(*device, *w, kernel);
            ASSERT_TRUE(op) << op.message();
            const uint64_t used = device->memory().used;
            *w = Tensor();
            EXPECT_EQ(used - device->memory().used, kernel == packing ? 16u : 0u) << kernel;
        }
    }
}

TEST(Constants, OfAnApplicationAreRecordedIntoItsCommands)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        const auto device = vulkan::adopt(host.description(), {.self_test = false});
        ASSERT_TRUE(device) << device.message();
        const TwoChannels problem;
        const app::Buffer buffer = host.engine.create_buffer(4096, every_usage | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, false);
        const auto wrapped = [&](VkDeviceSize offset, const TensorDesc& desc, VkBufferUsageFlags usage) {
            const auto made =
                vulkan::wrap(*device, {.buffer = buffer.handle, .offset = offset, .size = 256, .usage = usage}, desc);
            EXPECT_TRUE(made) << made.message();
            return *made;
        };
        Tensor w = wrapped(0, problem.w_desc, every_usage);
        ASSERT_TRUE(w.upload(problem.w));
        host.shim.reset_calls();
        const auto op = prepare(*device, w);
        ASSERT_TRUE(op) << op.message();
        EXPECT_EQ(host.shim.calls("vkQueueSubmit"), 1u);

        const Tensor without = wrapped(1024, problem.x_desc, every_usage);
        const Tensor y = wrapped(2048, op->outputs()[0], every_usage);
        EXPECT_EQ(device->bind(*op, {&without, 1}, {&y, 1}).message(),
                  "ConvTranspose: input[0] is wrapped without VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT (BufferSlice::usage), by "
                  "which kernel conv_transpose_columns_f32 reads it");
        Tensor x = wrapped(1024, problem.x_desc, every_usage | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
        ASSERT_TRUE(x.upload(problem.x));
        const auto binding = device->bind(*op, {&x, 1}, {&y, 1});
        ASSERT_TRUE(binding) << binding.message();
        const VkCommandBuffer commands = host.engine.begin_commands();
        host.shim.reset_calls();
        const Status recorded = vulkan::record(commands, *binding);
        ASSERT_TRUE(recorded) << recorded.message();
        EXPECT_EQ(host.shim.calls("vkCmdDispatch"), 2u) << "the setup is done";
        EXPECT_EQ(host.shim.calls("vkCmdPipelineBarrier"), 1u) << "the sum reads what the product wrote";
        host.engine.end_commands(commands);
        host.engine.submit(commands);
        EXPECT_EQ(contents(y, 4), problem.y);
        EXPECT_EQ(host.shim.guard_report(), "");
    }
}

// Returns a model of two nodes with one filter. The second one's input is the first one's output.
std::string model_with_one_filter()
{
    return kit::ModelBuilder()
        .opset(22)
        .input("X", DType::float32, {1, 1, 3})
        .initializer(kit::float_tensor("W", {1, 1, 2}, {1, 10}))
        .node("ConvTranspose", {"X", "W"}, {"H"})
        .node("ConvTranspose", {"H", "W"}, {"Y"})
        .output("Y", DType::float32, {1, 1, 5})
        .build();
}

TEST(Constants, OfAModelFileAreItsInitializers)
{
    for (const char* kernel : {packing, ""}) {
        SCOPED_TRACE(kernel);
        on_every_device([&](CaseDevice& device) {
            const onnx::SessionOptions options = {.prepare = {.kernel = kernel}};
            device.shim().reset_calls();
            const Result<onnx::Session> session = gpu_test::prepare(device, model_with_one_filter(), {}, options);
            ASSERT_TRUE(session) << session.message();
            for (const onnx::NodeReport& node : session->nodes()) {
                EXPECT_EQ(node.explanation.kernel.find(kernel == packing ? packing : "conv_transpose_direct"), 0u);
                EXPECT_EQ(node.explanation.packed_bytes, kernel == packing ? 8u : 0u);
            }
            EXPECT_EQ(device.shim().calls("vkQueueSubmit"), kernel == packing ? 1u : 0u) << "one filter, packed once";
        });
        on_every_device([&](CaseDevice& device) {
            const std::vector<onnx::HostTensor> outputs =
                run(device, model_with_one_filter(), {floats({1, 1, 3}, {1, 2, 3})}, {}, {.prepare = {.kernel = kernel}});
            ASSERT_EQ(outputs.size(), 1u);
            expect_floats(outputs[0], {1, 1, 5}, {1, 22, 143, 260, 300});
        });
    }
    on_every_device([&](CaseDevice& device) {
        const Result<onnx::Session> session =
            gpu_test::prepare(device, model_with_one_filter(), {}, {.prepare = {.constants = {{}}}});
        EXPECT_EQ(session.message(), "SessionOptions::prepare.constants has 1 entries, expected none: what the file holds is "
                                     "constant by itself");
    });
}

TEST(Constants, OfWeightsAreMadeWhereAKernelAsksForThem)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device) << device.message();
        const TwoChannels problem;
        int made = 0;
        const auto weights = Weights::create(*device, problem.w_desc, [&](Tensor& to) {
            ++made;
            return to.upload(problem.w);
        });
        ASSERT_TRUE(weights) << weights.message();
        EXPECT_EQ(weights->desc(), problem.w_desc);
        const auto with = [&](const char* kernel, int64_t width) {
            return device->prepare(ConvTranspose{}, {{DType::float32, {1, 2, width}}, problem.w_desc},
                                   {.kernel = kernel, .constants = {{.input = 1, .weights = *weights}}});
        };
        const uint64_t before = device->memory().used;
        {
            const auto packed = with(packing, 3);
            ASSERT_TRUE(packed) << packed.message();
            EXPECT_EQ(made, 1);
            EXPECT_EQ(device->memory().used, before + 16) << "the packed form alone";
            const auto wider = with(packing, 5);
            ASSERT_TRUE(wider) << wider.message();
            EXPECT_EQ(made, 1) << "packed already";
            EXPECT_EQ(device->memory().used, before + 16);
            const auto as_they_are = with("conv_transpose_nd", 3);
            const auto again = with("conv_transpose_nd", 5);
            ASSERT_TRUE(as_they_are && again);
            EXPECT_EQ(made, 2) << "and held by the first that reads them";
            const auto x = device->tensor(problem.x_desc, problem.x);
            const auto y = device->tensor(packed->outputs()[0]);
            ASSERT_TRUE(x && y);
            for (const Op& op : {*packed, *as_they_are}) {
                ASSERT_TRUE(device->run(op, {*x}, {*y}));
                EXPECT_EQ(contents(*y, 4), problem.y);
            }
        }
        EXPECT_EQ(device->memory().used, before);
        ASSERT_TRUE(with(packing, 3));
        EXPECT_EQ(made, 3) << "nobody held them";
    }
}

// The operators have weights of their own, in packed form and as they are. Devices are ones whose memory the host sees, and
// others.
TEST(Constants, OfSeveralOperatorsGoUpByOneSubmit)
{
    for (const PresentDevice& present : every_device())
        for (const bool split : {false, true}) {
            SCOPED_TRACE(present.label + (split ? ", split" : ""));
            kit::VulkanShim shim({.split_memory = split, .max_storage_buffer_range = 1u << 27});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            const TwoChannels problem;
            const auto x = device->tensor(problem.x_desc, problem.x);
            const auto y = device->tensor({DType::float32, {1, 1, 4}});
            ASSERT_TRUE(x && y);
            const auto with = [&](const char* kernel, float factor, const Staging& staging) {
                const auto weights = Weights::create(*device, problem.w_desc, [=](Tensor& to) {
                    std::vector<float> w = TwoChannels().w;
                    for (float& value : w)
                        value *= factor;
                    return to.upload(w);
                });
                EXPECT_TRUE(weights) << weights.message();
                return device->prepare(ConvTranspose{}, {problem.x_desc, problem.w_desc},
                                       {.kernel = kernel, .constants = {{1, {}, *weights}}, .staging = staging});
            };
            const auto expect_times = [&](const Op& op, float factor) {
                ASSERT_TRUE(device->run(op, {*x}, {*y}));
                std::vector<float> expected = problem.y;
                for (float& value : expected)
                    value *= factor;
                EXPECT_EQ(contents(*y, 4), expected) << factor;
            };
            const uint64_t before = device->memory().used;
            const uint64_t staging_before = device->memory().staging;
            shim.reset_calls();
            {
                const auto staging = Staging::create(*device);
                ASSERT_TRUE(staging) << staging.message();
                const auto packed = with(packing, 1, *staging);
                const auto other = with(packing, 2, *staging);
                const auto as_they_are = with("conv_transpose_nd", 3, *staging);
                ASSERT_TRUE(packed && other && as_they_are);
                EXPECT_EQ(shim.calls("vkQueueSubmit"), 0u);
                EXPECT_GT(device->memory().staging, staging_before);
                const Status finished = staging->finish();
                ASSERT_TRUE(finished) << finished.message();
                EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
                EXPECT_EQ(device->memory().staging, staging_before);
                EXPECT_TRUE(staging->finish());
                EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u) << "nothing is left";
                expect_times(*packed, 1);
                expect_times(*other, 2);
                expect_times(*as_they_are, 3);

                shim.reset_calls();
                const auto bound = with(packing, 4, *staging);
                ASSERT_TRUE(bound) << bound.message();
                EXPECT_EQ(shim.calls("vkQueueSubmit"), 0u);
                ASSERT_TRUE(device->bind(*bound, {&*x, 1}, {&*y, 1}));
                EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u) << "binding finishes it";
                expect_times(*bound, 4);

                ASSERT_TRUE(with(packing, 5, *staging));  // it is never used
            }
            EXPECT_EQ(device->memory().used, before) << "given up";
            EXPECT_EQ(device->memory().staging, staging_before);
            const auto alone = with(packing, 6, {});
            ASSERT_TRUE(alone) << alone.message();
            expect_times(*alone, 6);
            EXPECT_EQ(shim.violations(), std::vector<std::string>());
            EXPECT_EQ(shim.guard_report(), "");
        }
}

// An Op that shares weights with an unfinished staging must do what is left to do.
TEST(Constants, OfAnUnfinishedStagingAreShared)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        const TwoChannels problem;
        int made = 0;
        const auto weights = Weights::create(*device, problem.w_desc, [&](Tensor& to) {
            ++made;
            return to.upload(problem.w);
        });
        auto staging = Staging::create(*device);
        ASSERT_TRUE(weights && staging);
        const auto with = [&](const Staging& gathers) {
            return device->prepare(ConvTranspose{}, {problem.x_desc, problem.w_desc},
                                   {.kernel = packing, .constants = {{1, {}, *weights}}, .staging = gathers});
        };
        shim.reset_calls();
        const auto first = with(*staging);
        const auto same = with(*staging);
        ASSERT_TRUE(first && same);
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 0u);
        const auto other = with({});
        ASSERT_TRUE(other) << other.message();
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
        EXPECT_EQ(made, 1);
        const auto x = device->tensor(problem.x_desc, problem.x);
        const auto y = device->tensor(other->outputs()[0]);
        ASSERT_TRUE(x && y);
        for (const Op& op : {*first, *same, *other}) {
            ASSERT_TRUE(device->run(op, {*x}, {*y}));
            EXPECT_EQ(contents(*y, 4), problem.y);
        }
    }
}

TEST(Constants, OfWeightsAreRefusedWhereTheyCannotBe)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        const auto other = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device && other);
        const TwoChannels problem;
        const auto w = device->tensor(problem.w_desc, problem.w);
        ASSERT_TRUE(w) << w.message();
        const auto refusal = [&](const Device& of, const TensorDesc& desc, Status gives, const Tensor& beside = {}) {
            const auto weights = Weights::create(of, desc, [&](Tensor&) { return gives; });
            EXPECT_TRUE(weights) << weights.message();
            const auto op = device->prepare(ConvTranspose{}, {problem.x_desc, problem.w_desc},
                                            {.constants = {{.input = 1, .tensor = beside, .weights = *weights}}});
            EXPECT_NE(op.code(), Code::ok);
            return std::string(op.message());
        };
        const std::string place = "ConvTranspose: PrepareOptions::constants[0]";
        EXPECT_EQ(refusal(*device, problem.w_desc, {}, *w), place + " has both a tensor and weights, expected one of them");
        EXPECT_EQ(refusal(*other, problem.w_desc, {}), place + ".weights belongs to another device");
        EXPECT_EQ(refusal(*device, problem.x_desc, {}), place + ".weights is float[1,2,3], but float[2,1,2] is expected");
        EXPECT_EQ(refusal(*device, problem.w_desc, Status(Code::io, "the disk is gone")), "the disk is gone");
        EXPECT_EQ(Weights::create(*device, problem.w_desc, {}).message(), "Weights::create: `fill` is an empty function");
        EXPECT_EQ(Weights::create(*device, {DType::undefined, {1}}, [](Tensor&) { return Status(); }).code(),
                  Code::invalid_argument);
    }
}

TEST(Constants, AreRefusedWhereTheyCannotBe)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index)});
        const auto other = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(device && other);
        const TwoChannels problem;
        const auto w = device->tensor(problem.w_desc, problem.w);
        const auto foreign = other->tensor(problem.w_desc, problem.w);
        ASSERT_TRUE(w && foreign);
        const auto refusal = [&](std::vector<ConstantInput> constants) {
            const auto op =
                device->prepare(ConvTranspose{}, {problem.x_desc, problem.w_desc}, {.constants = std::move(constants)});
            EXPECT_EQ(op.code(), Code::invalid_argument);
            return std::string(op.message());
        };
        EXPECT_EQ(refusal({{2, *w}}),
                  "ConvTranspose: PrepareOptions::constants[0].input = 2 must be less than the number of inputs, 2");
        EXPECT_EQ(refusal({{1, *w}, {1, *w}}), "ConvTranspose: PrepareOptions::constants[1].input = 1 is given twice");
        EXPECT_EQ(refusal({{1, {}}}),
                  "ConvTranspose: PrepareOptions::constants[0].tensor is an empty handle, but float[2,1,2] is "
                  "expected");
        EXPECT_EQ(refusal({{1, *foreign}}), "ConvTranspose: PrepareOptions::constants[0].tensor belongs to another device");
        EXPECT_EQ(refusal({{0, *w}}),
                  "ConvTranspose: PrepareOptions::constants[0].tensor is float[2,1,2], but float[1,2,3] is expected");

        const auto plain = prepare(*device, *w, "");
        ASSERT_TRUE(plain) << plain.message();
        const auto x = device->tensor(problem.x_desc, problem.x);
        const auto y = w->view({1, 1, 4});
        ASSERT_TRUE(x && y);
        EXPECT_EQ(device->bind(*plain, {&*x, 1}, {&*y, 1}).message(),
                  "ConvTranspose: output[0] shares memory with constant input 1");
        EXPECT_EQ(device->bind(*plain, {}, {&*y, 1}).message(), "ConvTranspose: 0 inputs bound, but it was prepared for 1");
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
