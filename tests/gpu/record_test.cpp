// This file tests wrap, record and submit: an application's buffers, command buffers and semaphores.
#include "count_allocations.h"
#include "interop_host.h"

namespace vkonnx::gpu_test {
namespace {

TEST(Wrap, CopiesThroughTheEnginesBuffer)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        Copies copies(host);
        Tensor a = copies.slice(0, 8), b = copies.slice(256, 8);
        ASSERT_TRUE(b.upload(filled(8, 2)));
        ASSERT_TRUE(a.upload(filled(8, 1)));
        EXPECT_EQ(contents(a, 8), filled(8, 1));
        EXPECT_EQ(contents(b, 8), filled(8, 2));
        // It must work through the Device's own submit, too.
        const auto op = copies.gpu().prepare(AveragePool{.kernel_shape = {1}}, {a.desc()});
        ASSERT_TRUE(op);
        ASSERT_TRUE(copies.gpu().run(*op, {a}, {b}));
        EXPECT_EQ(contents(b, 8), filled(8, 1));
        EXPECT_EQ(host.shim.guard_report(), "");
    }
}

TEST(Wrap, RefusesInOneSentence)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        Copies copies(host);
        const Device& gpu = copies.gpu();
        const TensorDesc desc = {DType::float32, {1, 1, 8}};
        const vulkan::BufferSlice good = {.buffer = copies.buffer().handle, .offset = 256, .size = 32, .usage = every_usage};
        const auto refused = [&](auto spoil) {
            vulkan::BufferSlice slice = good;
            spoil(slice);
            return std::string(vulkan::wrap(gpu, slice, desc).message());
        };
        const std::string alignment = std::to_string(gpu.capabilities().storage_buffer_alignment);
        EXPECT_EQ(refused([](auto& s) { s.buffer = VK_NULL_HANDLE; }), "BufferSlice::buffer is null");
        EXPECT_EQ(refused([](auto& s) { s.offset = 257; }), "BufferSlice::offset = 257 must be a multiple of " + alignment +
                                                                ", as the device '" + gpu.info().name +
                                                                "' binds storage buffers");
        EXPECT_EQ(refused([](auto& s) { s.size = 31; }), "BufferSlice::size = 31 must be at least 32 for float[1,1,8]");
        EXPECT_TRUE(holds(refused([](auto& s) { s.size = VK_WHOLE_SIZE; }), "must not reach beyond 2^64"));
        EXPECT_EQ(refused([](auto& s) { s.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT; }),
                  "BufferSlice::usage lacks VK_BUFFER_USAGE_STORAGE_BUFFER_BIT");

        vulkan::BufferSlice plain = good;
        plain.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        auto tensor = vulkan::wrap(gpu, plain, desc);
        ASSERT_TRUE(tensor) << tensor.message();
        std::vector<float> values(8);
        EXPECT_TRUE(holds(tensor->upload(values).message(), "without VK_BUFFER_USAGE_TRANSFER_DST_BIT"));
        EXPECT_TRUE(holds(tensor->download(values).message(), "without VK_BUFFER_USAGE_TRANSFER_SRC_BIT"));
        const auto shape = gpu.prepare(Shape{}, {desc});
        const auto dims = vulkan::wrap(gpu, plain, {DType::int64, {3}});
        ASSERT_TRUE(shape && dims);
        EXPECT_TRUE(holds(gpu.bind(*shape, {}, {&*dims, 1}).message(), "without VK_BUFFER_USAGE_TRANSFER_DST_BIT"));
    }
}

TEST(Wrap, KnowsOverlappingSlices)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        Copies copies(host);
        const Tensor x = copies.slice(0, 128), overlapping = copies.slice(256, 128), adjacent = copies.slice(512, 128);
        const auto op = copies.gpu().prepare(AveragePool{.kernel_shape = {1}}, {x.desc()});
        ASSERT_TRUE(op) << op.message();
        EXPECT_EQ(copies.gpu().bind(*op, {&x, 1}, {&overlapping, 1}).message(),
                  "AveragePool: output[0] shares memory with input[0]");
        EXPECT_TRUE(copies.gpu().bind(*op, {&x, 1}, {&adjacent, 1}));
    }
}

TEST(Record, SetsBarriersWhereSlicesOverlap)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        Copies copies(host);
        Tensor a = copies.slice(0, 64), c = copies.slice(1024, 64);
        const Tensor b = copies.slice(512, 64), d = copies.slice(1536, 64);
        ASSERT_TRUE(a.upload(filled(64, 1)));
        ASSERT_TRUE(c.upload(filled(64, 3)));
        copies.add(a, b);  // four slices of one buffer that do not meet
        copies.add(c, d);
        EXPECT_EQ(copies.play(), 0u);
        EXPECT_EQ(contents(b, 64), filled(64, 1));
        EXPECT_EQ(contents(d, 64), filled(64, 3));

        copies.add(a, b);  // read after write, of a slice that reaches over both ends of the written one
        copies.add(copies.slice(256, 192), copies.slice(4096, 192));
        EXPECT_EQ(copies.play(), 1u);
        EXPECT_EQ(contents(copies.slice(4352, 64), 64), filled(64, 1));

        copies.add(copies.slice(0, 128), copies.slice(4096, 128));  // write after read, of the second half
        copies.add(c, copies.slice(256, 64));
        EXPECT_EQ(copies.play(), 1u);

        copies.add(c, copies.slice(4096, 64));  // write after write
        copies.add(copies.slice(0, 128), copies.slice(4096, 128));
        EXPECT_EQ(copies.play(vulkan::RecordFlags::outer_barriers), 1u + 2u);
        EXPECT_EQ(contents(copies.slice(4096, 64), 64), filled(64, 1));

        for (int i = 0; i < 200; ++i)  // more accesses than are remembered: one barrier more than needed
            copies.add(a, copies.slice(8192 + 256 * VkDeviceSize(i), 64));
        EXPECT_EQ(copies.play(), 1u);
        EXPECT_EQ(contents(copies.slice(8192 + 256 * 199, 64), 64), filled(64, 1));
        EXPECT_EQ(host.shim.guard_report(), "");
    }
}

// A sum of halves over more channels than one pass can add goes through scratch memory.
TEST(Wrap, ServesAsScratch)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        DeviceOptions options = {.self_test = false};
        options.capabilities = *Capabilities::preset("desktop");
        options.capabilities->max_loop_iterations = 64;
        const auto device = vulkan::adopt(host.description(), options);
        ASSERT_TRUE(device) << device.message();
        const app::Buffer buffer = host.engine.create_buffer(1 << 16, every_usage, false);
        const auto slice = [&](VkDeviceSize offset, VkDeviceSize size, const TensorDesc& desc) {
            return *vulkan::wrap(*device, {.buffer = buffer.handle, .offset = offset, .size = size, .usage = every_usage}, desc);
        };
        const TensorDesc x_desc = {DType::float16, {1, 40, 6}}, w_desc = {DType::float16, {40, 1, 1}};
        const auto op = device->prepare(ConvTranspose{}, {x_desc, w_desc});
        ASSERT_TRUE(op) << op.message();
        ASSERT_EQ(op->explanation().scratch_bytes, 24u);
        const TensorDesc scratch_desc = {DType::float32, {6}};
        Tensor x = slice(0, 480, x_desc), w = slice(512, 80, w_desc);
        const Tensor y = slice(1024, 12, op->outputs()[0]), scratch = slice(2048, 24, scratch_desc);
        ASSERT_TRUE(x.upload(std::vector<uint16_t>(240, 0x3c00)) && w.upload(std::vector<uint16_t>(40, 0x4000)));  // 1 and 2
        const std::vector<Tensor> inputs = {x, w};
        EXPECT_EQ(device->bind(*op, inputs, {&y, 1}, slice(1024, 24, scratch_desc)).message(),
                  "ConvTranspose: scratch shares memory with output[0]");
        EXPECT_EQ(device->bind(*op, inputs, {&y, 1}, slice(512, 24, scratch_desc)).message(),
                  "ConvTranspose: scratch shares memory with input[1]");
        const auto binding = device->bind(*op, inputs, {&y, 1}, scratch);
        ASSERT_TRUE(binding) << binding.message();

        const VkCommandBuffer commands = host.engine.begin_commands();
        host.shim.reset_calls();
        const size_t allocations_before = allocations();
        const Status recorded = vulkan::record(commands, *binding, vulkan::RecordFlags::outer_barriers);
        EXPECT_EQ(allocations() - allocations_before, 0u);
        ASSERT_TRUE(recorded) << recorded.message();
        EXPECT_EQ(host.shim.calls("vkCmd*"), host.shim.calls("vk*")) << "nothing but commands";
        EXPECT_EQ(host.shim.calls("vkCmdDispatch"), op->explanation().grids.size());
        host.engine.end_commands(commands);
        host.engine.submit(commands);
        std::vector<uint16_t> values(6);
        ASSERT_TRUE(y.download(values));
        EXPECT_EQ(values, std::vector<uint16_t>(6, 0x5500)) << "80";
        EXPECT_EQ(host.shim.guard_report(), "");
        EXPECT_EQ(host.shim.violations(), std::vector<std::string>());
    }
}

// Long work is cut into submits where the library submits, and never where the application does.
TEST(Submit, WaitsWithItsFirstPartAndSignalsWithItsLast)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        DeviceOptions options = {.self_test = false};
        options.capabilities = *Capabilities::preset("desktop");
        options.capabilities->work_per_second = 136;  // four copies, at 17, in the half second of a submit
        const auto device = vulkan::adopt(host.description(), options);
        ASSERT_TRUE(device) << device.message();
        const TensorDesc desc = {DType::float32, {1, 1, 12}};
        const auto op = device->prepare(AveragePool{.kernel_shape = {1}}, {desc});
        ASSERT_TRUE(op) << op.message();
        ASSERT_EQ(op->explanation().grids.size(), 3u);
        const auto a = device->tensor(desc, filled(12, 4)), b = device->tensor(desc), c = device->tensor(desc);
        ASSERT_TRUE(a && b && c);
        const auto first = device->bind(*op, {&*a, 1}, {&*b, 1}), second = device->bind(*op, {&*b, 1}, {&*c, 1});
        ASSERT_TRUE(first && second);

        const auto find = [&](const char* name) { return host.engine.get_instance_proc_addr(host.engine.instance, name); };
        const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
        VkSemaphore handed = VK_NULL_HANDLE;
        ASSERT_EQ(reinterpret_cast<PFN_vkCreateSemaphore>(find("vkCreateSemaphore"))(host.engine.device, &info, nullptr, &handed),
                  VK_SUCCESS);
        const vulkan::SemaphorePoint point[] = {{handed}};
        host.shim.reset_calls();
        auto signals = vulkan::submit(*device, *first, {.signal = point});
        auto waits = vulkan::submit(*device, *second, {.wait = point});
        ASSERT_TRUE(signals && waits);
        EXPECT_EQ(host.shim.submits(),
                  (std::vector<kit::SubmitCall>{
                      {0, 0, false}, {0, 0, false}, {0, 1, true}, {1, 0, false}, {0, 0, false}, {0, 0, true}}));
        ASSERT_TRUE(waits->wait(60) && signals->done());
        EXPECT_EQ(contents(*c, 12), filled(12, 4));

        auto both = vulkan::submit(*device, *first, {.signal = point});
        ASSERT_TRUE(both && both->wait(60));
        host.shim.reset_calls();
        auto last = vulkan::submit(*device, *first, {.wait = point, .signal = point});
        ASSERT_TRUE(last && last->wait(60));
        EXPECT_EQ(host.shim.submits(), (std::vector<kit::SubmitCall>{{1, 0, false}, {0, 0, false}, {0, 1, true}}));

        const VkCommandBuffer commands = host.engine.begin_commands();
        host.shim.reset_calls();
        ASSERT_TRUE(vulkan::record(commands, *second));
        EXPECT_EQ(host.shim.calls("vkCmdDispatch"), 3u);
        EXPECT_EQ(host.shim.calls("vkCmd*"), host.shim.calls("vk*"));
        host.engine.end_commands(commands);
        host.engine.submit(commands);
        reinterpret_cast<PFN_vkDestroySemaphore>(find("vkDestroySemaphore"))(host.engine.device, handed, nullptr);
    }
}

TEST(Record, OnlyRecords)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        Copies copies(host);
        const Device& gpu = copies.gpu();
        const TensorDesc x_desc = {DType::float32, {1, 1, 4, 4, 4, 4}};  // four spatial axes: with a uniform buffer
        const auto pool = gpu.prepare(AveragePool{.kernel_shape = {2, 2, 2, 2}}, {x_desc});
        ASSERT_TRUE(pool) << pool.message();
        const TensorDesc y_desc = pool->outputs()[0];
        const auto shape = gpu.prepare(Shape{}, {y_desc});
        ASSERT_TRUE(shape) << shape.message();
        Tensor x = *copies.slice(0, 256).view(x_desc.dims);
        const Tensor y = *copies.slice(1024, 81).view(y_desc.dims);
        const auto dims = vulkan::wrap(gpu, {.buffer = copies.buffer().handle, .offset = 2048, .size = 64, .usage = every_usage},
                                       {DType::int64, {6}});
        ASSERT_TRUE(dims) << dims.message();
        ASSERT_TRUE(x.upload(filled(256, 5)));
        const auto bound_pool = gpu.bind(*pool, {&x, 1}, {&y, 1});
        const auto bound_shape = gpu.bind(*shape, {}, {&*dims, 1});
        ASSERT_TRUE(bound_pool && bound_shape);
        const std::vector<Binding> bindings = {*bound_pool, *bound_shape};

        const VkCommandBuffer commands = host.engine.begin_commands();
        host.shim.reset_calls();
        const size_t allocations_before = allocations();
        const Status recorded = vulkan::record(commands, bindings, vulkan::RecordFlags::outer_barriers);
        EXPECT_EQ(allocations() - allocations_before, 0u);
        ASSERT_TRUE(recorded) << recorded.message();
        EXPECT_EQ(host.shim.calls("vkCmdDispatch"), 1u);
        EXPECT_EQ(host.shim.calls("vkCmdUpdateBuffer"), 1u);
        EXPECT_EQ(host.shim.calls("vkCmdPipelineBarrier"), 2u);
        EXPECT_EQ(host.shim.calls("vkCmd*"), host.shim.calls("vk*")) << "nothing but commands";
        for (const char* call : {"vkAllocate*", "vkCreate*", "vkUpdateDescriptorSet*", "vkQueueSubmit", "vkWaitForFences",
                                 "vkBeginCommandBuffer", "vkEndCommandBuffer", "vkDestroy*", "vkMapMemory"})
            EXPECT_EQ(host.shim.calls(call), 0u) << call;
        host.engine.end_commands(commands);
        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(x.upload(filled(256, float(i))));
            host.engine.submit(commands);
            EXPECT_EQ(contents(y, 81), filled(81, float(i)));
        }
        std::vector<int64_t> read(6);
        ASSERT_TRUE(dims->download(read));
        EXPECT_EQ(read, y_desc.dims);
    }
}

TEST(Record, RefusesWithoutRecording)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        Copies copies(host);
        const auto other = vulkan::adopt(host.description(), {.self_test = false});
        ASSERT_TRUE(other);
        const SmallRun one(copies.gpu()), two(*other);
        const auto mine = copies.gpu().bind(one.op, {&one.x, 1}, {&one.y, 1});
        const auto foreign = other->bind(two.op, {&two.x, 1}, {&two.y, 1});
        ASSERT_TRUE(mine && foreign);
        const VkCommandBuffer commands = host.engine.begin_commands();
        host.shim.reset_calls();
        EXPECT_EQ(vulkan::record(VK_NULL_HANDLE, *mine).message(), "record: the command buffer is null");
        EXPECT_EQ(vulkan::record(commands, Binding()).message(), "vulkan::record: bindings[0] is an empty handle");
        EXPECT_EQ(vulkan::record(commands, std::vector<Binding>{*mine, *foreign}).message(),
                  "vulkan::record: bindings[1] belongs to another device");
        host.shim.lose_device_at_submit(1);
        EXPECT_EQ(copies.gpu().run(*mine).code(), Code::device_lost);
        host.shim.reset_calls();
        EXPECT_EQ(vulkan::record(commands, *mine, vulkan::RecordFlags::outer_barriers).code(), Code::device_lost);
        EXPECT_EQ(host.shim.calls("vk*"), 0u);
        host.engine.end_commands(commands);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
