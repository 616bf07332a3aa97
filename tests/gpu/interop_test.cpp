// vulkan.hpp against the engine of tests/embed, with every Vulkan call counted by the shim.
#include <vkonnx/vulkan.hpp>

#include <gtest/gtest.h>

#include <cstring>

#include "count_allocations.h"
#include "embed/adopt_engine.hpp"
#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

constexpr VkBufferUsageFlags every_usage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// The engine on one device, all of its calls through the shim.
struct Host {
    kit::VulkanShim shim;
    app::Engine engine;

    explicit Host(const PresentDevice& present, kit::ShimOptions options = {})
        : shim(std::move(options)), engine(reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr()))
    {
        app::create_device_for_vkonnx(engine, engine.physical_devices.at(present.index));
    }

    vulkan::AdoptedDevice description() { return app::description_of(engine); }
};

// One buffer of the engine, and copies (pools of one element) between slices of it.
class Copies {
public:
    explicit Copies(Host& host) : host_(host), gpu_(*vulkan::adopt(host.description(), {.self_test = false})) {}

    const Device& gpu() const { return gpu_; }
    const app::Buffer& buffer() const { return buffer_; }

    Tensor slice(VkDeviceSize offset, int64_t floats) const
    {
        const auto made = vulkan::wrap(
            gpu_,
            {.buffer = buffer_.handle, .offset = offset, .size = VkDeviceSize(floats) * sizeof(float), .usage = every_usage},
            {DType::float32, {1, 1, floats}});
        EXPECT_TRUE(made) << made.message();
        return *made;
    }

    void add(const Tensor& from, const Tensor& to)
    {
        const auto op = gpu_.prepare(AveragePool{.kernel_shape = {1}}, {from.desc()});
        ASSERT_TRUE(op) << op.message();
        const auto binding = gpu_.bind(*op, {&from, 1}, {&to, 1});
        ASSERT_TRUE(binding) << binding.message();
        bindings_.push_back(*binding);
    }

    // Records all that were added, and submits. The number of barriers.
    uint64_t play(vulkan::RecordFlags flags = vulkan::RecordFlags::none)
    {
        const VkCommandBuffer commands = host_.engine.begin_commands();
        host_.shim.reset_calls();
        const Status recorded = vulkan::record(commands, bindings_, flags);
        EXPECT_TRUE(recorded) << recorded.message();
        const uint64_t barriers = host_.shim.calls("vkCmdPipelineBarrier");
        host_.engine.end_commands(commands);
        host_.engine.submit(commands);
        bindings_.clear();
        return barriers;
    }

private:
    Host& host_;
    app::Buffer buffer_ = host_.engine.create_buffer(1 << 16, every_usage, false);
    Device gpu_;
    std::vector<Binding> bindings_;
};

std::vector<float> filled(size_t count, float value)
{
    return std::vector<float>(count, value);
}

std::vector<float> contents(const Tensor& tensor, size_t count)
{
    std::vector<float> values(count, -1);
    const Status read = tensor.download(values);
    EXPECT_TRUE(read) << read.message();
    return values;
}

TEST(Requirements, AreKnownBeforeThereIsADevice)
{
    const vulkan::Requirements any = vulkan::requirements();
    EXPECT_EQ(any.api_version, VK_API_VERSION_1_1);
    EXPECT_EQ(any.queue_flags, VkQueueFlags(VK_QUEUE_COMPUTE_BIT));
    EXPECT_EQ(any.buffer_usage, VkBufferUsageFlags(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT));
    EXPECT_EQ(any.offset_alignment, 256u);
    EXPECT_TRUE(any.extensions.empty());
    VkPhysicalDeviceFeatures2 features = {};
    features.features.geometryShader = VK_TRUE;  // what the engine wants for itself stays
    any.add_to(features);
    EXPECT_TRUE(features.features.robustBufferAccess);
    EXPECT_TRUE(features.features.geometryShader);
    EXPECT_FALSE(features.features.shaderFloat64);

    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        app::Engine engine(reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr()));
        const int64_t before = shim.live_objects();
        const auto needs =
            vulkan::requirements(engine.get_instance_proc_addr, engine.instance, engine.physical_devices.at(present.index));
        ASSERT_TRUE(needs) << needs.message();
        EXPECT_FALSE(needs->queue_families.empty());
        EXPECT_EQ(shim.calls("vkCreateDevice"), 0u);
        EXPECT_EQ(shim.live_objects(), before);
        if (present.label == "swiftshader") {
            EXPECT_EQ(needs->offset_alignment, 256u);
        }
        if (present.label == "lavapipe") {
            EXPECT_EQ(needs->offset_alignment, 16u);
        }
        EXPECT_EQ(vulkan::requirements(engine.get_instance_proc_addr, nullptr, nullptr).message(),
                  "requirements: instance is null");
    }
}

// An entry point whose devices offer one extension: the one that must be enabled where it is there.
PFN_vkGetInstanceProcAddr below = nullptr;

VkResult VKAPI_CALL only_portability(VkPhysicalDevice, const char*, uint32_t* count, VkExtensionProperties* extensions)
{
    if (extensions)
        std::strcpy(extensions->extensionName, "VK_KHR_portability_subset");
    *count = 1;
    return VK_SUCCESS;
}

PFN_vkVoidFunction VKAPI_CALL portable(VkInstance instance, const char* name)
{
    if (std::strcmp(name, "vkEnumerateDeviceExtensionProperties") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(&only_portability);
    return below(instance, name);
}

TEST(Requirements, NameTheExtensionThatAPortabilityDeviceNeeds)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        below = host.engine.get_instance_proc_addr;
        vulkan::AdoptedDevice description = host.description();
        description.get_instance_proc_addr = portable;
        const auto needs = vulkan::requirements(portable, description.instance, description.physical_device);
        ASSERT_TRUE(needs) << needs.message();
        ASSERT_EQ(needs->extensions.size(), 1u);
        EXPECT_STREQ(needs->extensions[0], "VK_KHR_portability_subset");
        EXPECT_EQ(vulkan::adopt(description).message(), "AdoptedDevice::device_extensions lacks VK_KHR_portability_subset, which "
                                                        "this device must have enabled (requirements)");
        description.device_extensions = needs->extensions;
        const auto adopted = vulkan::adopt(description);
        ASSERT_TRUE(adopted) << adopted.message();
        expect_works(*adopted);
    }
}

TEST(Requirements, SayWhyADeviceDoesNotFit)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        for (const bool old : {true, false}) {
            kit::ShimOptions options;
            if (old)
                options.api_version = VK_API_VERSION_1_0;
            else
                options.no_compute_queue_mask = UINT32_MAX;
            kit::VulkanShim shim(options);
            app::Engine engine(reinterpret_cast<PFN_vkGetInstanceProcAddr>(shim.get_instance_proc_addr()));
            const auto needs =
                vulkan::requirements(engine.get_instance_proc_addr, engine.instance, engine.physical_devices.at(present.index));
            EXPECT_EQ(needs.code(), Code::unsupported);
            EXPECT_TRUE(holds(needs.message(), old ? "it offers Vulkan 1.0, but 1.1 is needed" : "it has no compute queue"));
        }
    }
}

TEST(Adopt, ComputesAndDestroysOnlyItsOwn)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        const int64_t before = host.shim.live_objects();
        int depth = 0, locked = 0;
        vulkan::AdoptedDevice description = host.description();
        description.lock_queue = [&] {
            EXPECT_EQ(depth++, 0);
            ++locked;
        };
        description.unlock_queue = [&] { EXPECT_EQ(depth--, 1); };
        host.shim.reset_calls();
        {
            const auto device = vulkan::adopt(description, {.debug_names = true});  // not declared, so not used
            ASSERT_TRUE(device) << device.message();
            EXPECT_TRUE(device->capabilities().rounds_to_nearest || !device->capabilities().is_cpu) << "the self-test ran";
            expect_works(*device);
            EXPECT_GT(host.shim.live_objects(), before);
        }
        EXPECT_EQ(host.shim.live_objects(), before);
        EXPECT_EQ(host.shim.calls("vkCreateInstance") + host.shim.calls("vkCreateDevice"), 0u);
        EXPECT_EQ(host.shim.calls("vkDestroyInstance") + host.shim.calls("vkDestroyDevice"), 0u);
        EXPECT_EQ(uint64_t(locked), host.shim.calls("vkQueueSubmit"));
        EXPECT_EQ(depth, 0);
        EXPECT_EQ(host.shim.guard_report(), "");
        const VkCommandBuffer commands = host.engine.begin_commands();  // the engine goes on
        host.engine.end_commands(commands);
        host.engine.submit(commands);
    }
}

TEST(Adopt, RefusesWhatCanNotWork)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        const int64_t before = host.shim.live_objects();
        const vulkan::AdoptedDevice good = host.description();
        const auto refused = [&](auto spoil) {
            vulkan::AdoptedDevice description = good;
            spoil(description);
            const auto device = vulkan::adopt(description);
            EXPECT_FALSE(device);
            return std::string(device.message());
        };
        EXPECT_EQ(refused([](auto& d) { d.get_instance_proc_addr = nullptr; }), "AdoptedDevice::get_instance_proc_addr is null");
        EXPECT_EQ(refused([](auto& d) { d.instance = nullptr; }), "AdoptedDevice::instance is null");
        EXPECT_EQ(refused([](auto& d) { d.physical_device = nullptr; }), "AdoptedDevice::physical_device is null");
        EXPECT_EQ(refused([](auto& d) { d.device = nullptr; }), "AdoptedDevice::device is null");
        EXPECT_EQ(refused([](auto& d) { d.queue = nullptr; }), "AdoptedDevice::queue is null");
        EXPECT_EQ(refused([](auto& d) { d.unlock_queue = {}; }), "AdoptedDevice::unlock_queue is null, but lock_queue is not");
        EXPECT_EQ(refused([](auto& d) { d.api_version = VK_API_VERSION_1_0; }),
                  "AdoptedDevice::api_version = 1.0, but 1.1 is needed");
        EXPECT_TRUE(holds(refused([](auto& d) { d.queue_family = 77; }), "can't be adopted: its queue family 77 can't compute"));
        EXPECT_EQ(host.shim.live_objects(), before);
    }
}

TEST(Adopt, TestsTheDeviceUnlessDeclined)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host liar(present, {.swallow_dispatches = true});
        const auto device = vulkan::adopt(liar.description());
        EXPECT_EQ(device.code(), Code::driver_error);
        EXPECT_TRUE(holds(device.message(), "computes wrong"));
        EXPECT_TRUE(vulkan::adopt(liar.description(), {.self_test = false}));
    }
}

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
        // Through the Device's own submit, too.
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
        EXPECT_EQ(vulkan::record(commands, Binding()).message(), "record: a Binding is an empty handle");
        EXPECT_EQ(vulkan::record(commands, std::vector<Binding>{*mine, *foreign}).message(),
                  "record: the Bindings belong to different devices");
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
