// This file tests copies between the host and tensors in a Recording: their order, when nothing is copied, what they cost and
// what is refused. It also tests sessions, whose inputs and outputs go with the run in one submit.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "count_allocations.h"
#include "interop_host.h"
#include "memory_kinds.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

constexpr double patience = 60;  // seconds for a job to end, far more than it takes

// Tells whether the host sees tensors. Nothing is returned where the test can't know.
std::optional<bool> sees_tensors(const MemoryKind& kind, const Device& device)
{
    if (kind.split)
        return false;
    return kind.incoherent || device.capabilities().is_cpu ? std::optional(true) : std::nullopt;
}

template <class Body>
void on_every_kind(Body body)
{
    for (const PresentDevice& present : every_device())
        for (const MemoryKind& kind : memory_kinds) {
            SCOPED_TRACE(present.label + kind.name);
            kit::VulkanShim shim({.split_memory = kind.split, .incoherent_memory = kind.incoherent, .watch_flight = true});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            body(shim, *device, sees_tensors(kind, *device));
            EXPECT_EQ(shim.violations(), std::vector<std::string>());
            EXPECT_EQ(shim.guard_report(), "");
        }
}

template <class T>
T must(Result<T> result)
{
    EXPECT_TRUE(result) << result.message();
    return result ? *result : T();
}

void write(Recording& recording, size_t number, const std::vector<float>& values)
{
    const auto bytes = recording.upload_bytes(number);
    ASSERT_TRUE(bytes) << bytes.message();
    ASSERT_EQ(bytes->size(), values.size() * sizeof(float));
    std::memcpy(bytes->data(), values.data(), bytes->size());
}

std::vector<float> read(Recording& recording, size_t number)
{
    const auto bytes = recording.download_bytes(number);
    EXPECT_TRUE(bytes) << bytes.message();
    std::vector<float> values(bytes ? bytes->size() / sizeof(float) : 0);
    if (!values.empty())
        std::memcpy(values.data(), bytes->data(), bytes->size());
    return values;
}

// This struct runs an operator whose output y is the negative of x.
struct Negation {
    TensorDesc desc = {};
    Tensor x = {};
    Tensor y = {};
    Binding binding = {};

    explicit Negation(const Device& device, int64_t count = 5) : desc{DType::float32, {count}}
    {
        x = must(device.tensor(desc));
        y = must(device.tensor(desc));
        const Op op = must(device.prepare(Elementwise{.kind = ElementwiseKind::neg}, {desc}));
        binding = must(device.bind(op, {&x, 1}, {&y, 1}));
    }
};

uint64_t copies(const kit::VulkanShim& shim)
{
    return shim.calls("vkCmdCopyBuffer");
}

TEST(HostCopies, AreOneSubmitWithWhatRunsBetween)
{
    on_every_kind([](kit::VulkanShim& shim, const Device& device, std::optional<bool> direct) {
        Negation small(device);
        Recording recording = must(device.recording());
        const size_t up = must(recording.add_upload(small.x));
        ASSERT_TRUE(recording.add(small.binding));
        const size_t down = must(recording.add_download(small.y));
        EXPECT_EQ(up, 0u);
        EXPECT_EQ(down, 1u);
        const uint64_t staging = device.memory().staging;
        shim.reset_calls();
        write(recording, up, {1, 2, 3, 4, 5});
        if (direct) {
            EXPECT_EQ(device.memory().staging > staging, !*direct);
            EXPECT_EQ(copies(shim), *direct ? 0u : 2u);
        }
        ASSERT_TRUE(recording.run());
        EXPECT_EQ(read(recording, down), (std::vector<float>{-1, -2, -3, -4, -5}));
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
        EXPECT_EQ(shim.calls("vkWaitForFences"), 1u);

        shim.reset_calls();
        write(recording, up, {6, 7, 8, 9, 10});
        ASSERT_TRUE(recording.run());
        EXPECT_EQ(read(recording, down), (std::vector<float>{-6, -7, -8, -9, -10}));
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
        EXPECT_EQ(shim.calls("vkWaitForFences"), 1u);
        EXPECT_EQ(shim.calls("vkCreate*") + shim.calls("vkAllocate*") + shim.calls("vkCmd*"), 0u);

        write(recording, up, {0, 1, 0, 2, 0});
        Job job = must(recording.submit());
        ASSERT_TRUE(job.wait(patience));
        EXPECT_EQ(read(recording, down), (std::vector<float>{0, -1, 0, -2, 0}));
        job = {};
        recording = {};
        EXPECT_EQ(device.memory().staging, staging) << "gone with the Recording";
    });
}

TEST(HostCopies, AllocateNothingOnceTheyAreLaidOut)
{
    for (const PresentDevice& present : every_device())
        for (const MemoryKind& kind : memory_kinds) {
            SCOPED_TRACE(present.label + kind.name);
            kit::VulkanShim shim({.split_memory = kind.split, .incoherent_memory = kind.incoherent});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            Negation small(*device);
            Recording recording = must(device->recording());
            const size_t up = must(recording.add_upload(small.x));
            ASSERT_TRUE(recording.add(small.binding));
            const size_t down = must(recording.add_download(small.y));
            std::vector<float> values = {1, 2, 3, 4, 5};
            write(recording, up, values);
            ASSERT_TRUE(recording.run());
            values = {5, 6, 7, 8, 9};
            const size_t before = allocations();
            write(recording, up, values);
            const Status ran = recording.run();
            const auto bytes = recording.download_bytes(down);
            const size_t after = allocations();
            ASSERT_TRUE(ran && bytes);
            if (!std::getenv("VK_INSTANCE_LAYERS")) {  // a layer may use our operator new
                EXPECT_EQ(after, before);
            }
            EXPECT_EQ(read(recording, down), (std::vector<float>{-5, -6, -7, -8, -9}));
        }
}

TEST(HostCopies, RunInTheOrderInWhichTheyWereAdded)
{
    on_every_kind([](kit::VulkanShim& shim, const Device& device, std::optional<bool> direct) {
        Negation small(device);
        Recording recording = must(device.recording());
        std::array<size_t, 2> ups = {}, downs = {};
        for (size_t i = 0; i < 2; ++i) {
            ups[i] = must(recording.add_upload(small.x));
            ASSERT_TRUE(recording.add(small.binding));
            downs[i] = must(recording.add_download(small.y));
        }
        for (const float factor : {1.0f, 3.0f}) {
            shim.reset_calls();
            write(recording, ups[0], {factor, 2, 3, 4, 5});
            write(recording, ups[1], {5, 4, 3, 2, factor});
            if (factor == 1 && direct) {
                EXPECT_EQ(copies(shim), *direct ? 2u : 4u) << "at both ends the host may see the tensor itself";
                EXPECT_EQ(shim.calls("vkCmdPipelineBarrier"), *direct ? 2u + 2 : 2u + 4) << "two of them around everything";
            }
            ASSERT_TRUE(recording.run());
            EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
            EXPECT_EQ(read(recording, downs[0]), (std::vector<float>{-factor, -2, -3, -4, -5}));
            EXPECT_EQ(read(recording, downs[1]), (std::vector<float>{-5, -4, -3, -2, -factor}));
        }
    });
}

TEST(HostCopies, DoNotOvertakeABinding)
{
    on_every_kind([](kit::VulkanShim&, const Device& device, std::optional<bool>) {
        Negation small(device);
        Recording recording = must(device.recording());
        ASSERT_TRUE(recording.add(small.binding));
        const size_t negative = must(recording.add_download(small.y));
        const size_t read_before = must(recording.add_upload(small.x));
        const size_t written_before = must(recording.add_upload(small.y));
        const size_t last = must(recording.add_download(small.y));
        ASSERT_TRUE(small.x.upload(std::vector<float>{1, 2, 3, 4, 5}));
        write(recording, read_before, {6, 6, 6, 6, 6});
        write(recording, written_before, {7, 7, 7, 7, 7});
        ASSERT_TRUE(recording.run());
        EXPECT_EQ(read(recording, negative), (std::vector<float>{-1, -2, -3, -4, -5}));
        EXPECT_EQ(read(recording, last), (std::vector<float>{7, 7, 7, 7, 7}));
        EXPECT_EQ(contents(small.x, 5), (std::vector<float>{6, 6, 6, 6, 6}));
    });
}

// The parts are those of one tensor, like a session's. Two of them share bytes.
TEST(HostCopies, KnowPartsThatShareMemory)
{
    on_every_kind([](kit::VulkanShim&, const Device& device, std::optional<bool>) {
        const uint32_t step = std::max(4u, device.capabilities().storage_buffer_alignment);
        const int64_t count = step / 4;
        const Tensor whole = must(device.tensor({DType::float32, {2 * count}}));
        const Tensor left = must(whole.part(0, {DType::float32, {count}}));
        const Tensor right = must(whole.part(step, {DType::float32, {count}}));
        const auto filled_with = [&](float value, int64_t times) { return std::vector<float>(size_t(count * times), value); };
        Recording recording = must(device.recording());
        const size_t first = must(recording.add_download(whole));  // the uploads must not overtake it
        const size_t all = must(recording.add_upload(whole));
        const size_t part = must(recording.add_upload(right));
        const size_t untouched = must(recording.add_download(left));
        const size_t last = must(recording.add_download(whole));
        ASSERT_TRUE(Tensor(whole).upload(filled_with(1, 2)));
        write(recording, part, filled_with(3, 1));
        write(recording, all, filled_with(2, 2));
        ASSERT_TRUE(recording.run());
        EXPECT_EQ(read(recording, first), filled_with(1, 2));
        EXPECT_EQ(read(recording, untouched), filled_with(2, 1));
        std::vector<float> both = filled_with(2, 1);
        both.resize(size_t(2 * count), 3);
        EXPECT_EQ(read(recording, last), both);
    });
}

TEST(HostCopies, TakeAnyNumberOfBytes)
{
    on_every_kind([](kit::VulkanShim&, const Device& device, std::optional<bool>) {
        Recording recording = must(device.recording());
        std::vector<size_t> ups, downs;
        for (int64_t bytes = 0; bytes < 70; ++bytes) {
            const Tensor tensor = must(device.tensor({DType::uint8, {bytes}}));
            ups.push_back(must(recording.add_upload(tensor)));
            downs.push_back(must(recording.add_download(tensor)));
        }
        for (size_t size = 0; size < ups.size(); ++size) {
            const auto bytes = recording.upload_bytes(ups[size]);
            ASSERT_TRUE(bytes) << bytes.message();
            ASSERT_EQ(bytes->size(), size);
            for (size_t i = 0; i < size; ++i)
                (*bytes)[i] = std::byte(size + i);
        }
        ASSERT_TRUE(recording.run());
        for (size_t size = 0; size < downs.size(); ++size) {
            const auto bytes = recording.download_bytes(downs[size]);
            ASSERT_TRUE(bytes) << bytes.message();
            ASSERT_EQ(bytes->size(), size);
            for (size_t i = 0; i < size; ++i)
                ASSERT_EQ((*bytes)[i], std::byte(size + i)) << "byte " << i << " of " << size;
        }
    });
}

// A sum is cut into command buffers of its own, with copies before, between and behind.
TEST(HostCopies, GoWithWorkThatIsCut)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.split_memory = true});
        DeviceOptions options = through(shim, present);
        options.capabilities = *Capabilities::preset("desktop");
        options.capabilities->work_per_second = 40;
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        const TensorDesc x_desc = {DType::float32, {1, 3, 5}}, w_desc = {DType::float32, {3, 1, 2}};
        const Op op = must(device->prepare(ConvTranspose{}, {x_desc, w_desc}));
        ASSERT_GT(op.explanation().grids.size(), 2u);
        const std::vector<Tensor> inputs = {must(device->tensor(x_desc)), must(device->tensor(w_desc, std::vector<float>(6, 1)))};
        const Tensor y = must(device->tensor(op.outputs()[0]));
        const Binding binding = must(device->bind(op, inputs, {&y, 1}));
        Recording recording = must(device->recording());
        std::array<size_t, 2> ups = {}, downs = {};
        for (size_t i = 0; i < 2; ++i) {
            ups[i] = must(recording.add_upload(inputs[0]));
            ASSERT_TRUE(recording.add(binding));
            downs[i] = must(recording.add_download(y));
        }
        write(recording, ups[0], std::vector<float>(15, 1));
        write(recording, ups[1], std::vector<float>(15, 2));
        shim.reset_calls();
        ASSERT_TRUE(recording.run());
        EXPECT_GT(shim.calls("vkQueueSubmit"), 2u);
        EXPECT_EQ(shim.calls("vkWaitForFences"), 1u);
        EXPECT_EQ(read(recording, downs[0]), (std::vector<float>{3, 6, 6, 6, 6, 3}));
        EXPECT_EQ(read(recording, downs[1]), (std::vector<float>{6, 12, 12, 12, 12, 6}));
        EXPECT_EQ(shim.violations(), std::vector<std::string>());
    }
}

TEST(HostCopies, AreNotCountedInTheSecondsOfBindings)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        // These are the ticks of the upload, the first binding, the download between, the second binding and the last download.
        kit::VulkanShim shim({.split_memory = true, .after_timestamps = [](std::span<uint64_t> ticks) {
                                  const std::array<uint64_t, 6> now = {0, 1000, 11000, 111000, 131000, 1131000};
                                  ASSERT_EQ(ticks.size(), now.size());
                                  std::copy(now.begin(), now.end(), ticks.begin());
                              }});
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        if (!device->capabilities().timestamps)
            continue;
        Negation small(*device);
        Recording recording = must(device->recording());
        ASSERT_TRUE(recording.add_upload(small.x));
        for (int i = 0; i < 2; ++i) {
            ASSERT_TRUE(recording.add(small.binding));
            ASSERT_TRUE(recording.add_download(small.y));
        }
        Job job = must(recording.submit());
        ASSERT_TRUE(job.wait(patience));
        ASSERT_EQ(recording.seconds().size(), 2u);
        const double first = recording.seconds()[0];
        EXPECT_GT(first, 0);
        EXPECT_DOUBLE_EQ(recording.seconds()[1], 2 * first);
        ASSERT_TRUE(job.gpu_seconds());
        EXPECT_NEAR(*job.gpu_seconds(), 113.1 * first, 1e-9 * first) << "from begin to end";
    }
}

TEST(HostCopies, AreRefusedInOneSentence)
{
    const std::string in_flight = "a Binding or Recording is in flight once at a time: wait for its Job first";
    const std::string not_run = "Recording::download_bytes: the Recording has not run to its end since something was added";
    on_every_kind([&](kit::VulkanShim& shim, const Device& device, std::optional<bool>) {
        Negation small(device);
        Recording recording = must(device.recording());
        const size_t up = must(recording.add_upload(small.x));
        ASSERT_TRUE(recording.add(small.binding));
        const size_t down = must(recording.add_download(small.y));
        const auto refused = [&](const auto& result) {
            EXPECT_EQ(result.code(), Code::invalid_argument);
            return std::string(result.message());
        };
        EXPECT_EQ(refused(recording.upload_bytes(down)), "Recording::upload_bytes: no upload has the number 1");
        EXPECT_EQ(refused(recording.download_bytes(up)), "Recording::download_bytes: no download has the number 0");
        EXPECT_EQ(refused(recording.download_bytes(2)), "Recording::download_bytes: no download has the number 2");
        EXPECT_EQ(refused(recording.download_bytes(down)), not_run);
        write(recording, up, {1, 2, 3, 4, 5});
        EXPECT_EQ(refused(recording.download_bytes(down)), not_run) << "ready, but not run";

        Job job = must(recording.submit());
        shim.time_out_waits(2);
        EXPECT_EQ(refused(recording.upload_bytes(up)), in_flight);
        EXPECT_EQ(refused(recording.download_bytes(down)), in_flight);
        ASSERT_TRUE(job.wait(patience));
        EXPECT_EQ(read(recording, down), (std::vector<float>{-1, -2, -3, -4, -5}));

        const size_t again = must(recording.add_download(small.x));
        EXPECT_EQ(refused(recording.download_bytes(down)), not_run);
        write(recording, up, {2, 2, 2, 2, 2});
        shim.fail_submit(0);
        EXPECT_FALSE(recording.run());
        EXPECT_EQ(refused(recording.download_bytes(down)), not_run) << "its submit failed";
        write(recording, up, {3, 3, 3, 3, 3});
        ASSERT_TRUE(recording.run());
        EXPECT_EQ(read(recording, again), (std::vector<float>{3, 3, 3, 3, 3}));
    });
}

// The host does not see a buffer that the application wraps, and the library does not see what the application submits.
TEST(HostCopies, OfWrappedBuffersGoThroughStaging)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        const auto gpu = vulkan::adopt(host.description(), {.self_test = false});
        ASSERT_TRUE(gpu) << gpu.message();
        const app::Buffer buffer = host.engine.create_buffer(8192, every_usage, false);
        const TensorDesc desc = {DType::float32, {5}};
        const auto wrapped = [&](VkDeviceSize offset, VkBufferUsageFlags usage) {
            return must(vulkan::wrap(*gpu, {.buffer = buffer.handle, .offset = offset, .size = 256, .usage = usage}, desc));
        };
        const VkBufferUsageFlags least = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        Recording recording = must(gpu->recording());
        EXPECT_EQ(recording.add_upload(wrapped(0, least | VK_BUFFER_USAGE_TRANSFER_SRC_BIT)).message(),
                  "Recording::add_upload: the wrapped buffer was declared without VK_BUFFER_USAGE_TRANSFER_DST_BIT "
                  "(BufferSlice::usage)");
        EXPECT_EQ(recording.add_download(wrapped(0, least | VK_BUFFER_USAGE_TRANSFER_DST_BIT)).message(),
                  "Recording::add_download: the wrapped buffer was declared without VK_BUFFER_USAGE_TRANSFER_SRC_BIT "
                  "(BufferSlice::usage)");
        const Tensor x = wrapped(0, every_usage), y = wrapped(4096, every_usage);
        const Op op = must(gpu->prepare(Elementwise{.kind = ElementwiseKind::neg}, {desc}));
        const Binding binding = must(gpu->bind(op, {&x, 1}, {&y, 1}));
        const size_t up = must(recording.add_upload(x));
        ASSERT_TRUE(recording.add(binding));
        const size_t down = must(recording.add_download(y));
        host.shim.reset_calls();
        write(recording, up, {1, 2, 3, 4, 5});
        EXPECT_EQ(copies(host.shim), 2u);
        Job job = must(vulkan::submit(recording, {}));
        ASSERT_TRUE(job.wait(patience));
        EXPECT_EQ(read(recording, down), (std::vector<float>{-1, -2, -3, -4, -5}));

        const VkCommandBuffer commands = host.engine.begin_commands();
        host.shim.reset_calls();
        EXPECT_EQ(vulkan::record(commands, recording).message(),
                  "vulkan::record: the Recording has uploads or downloads, which only `run` and `submit` make");
        EXPECT_EQ(host.shim.calls("vkCmd*"), 0u);
        host.engine.end_commands(commands);
    }
}

// ---- sessions

onnx::HostTensor ramp(int64_t rows, int64_t count, float first)
{
    std::vector<float> values(size_t(rows * count));
    std::iota(values.begin(), values.end(), first);
    return floats({rows, count}, values);
}

// Returns a model of three inputs and two outputs: one is a sum of two inputs, the other of that and the third one.
std::string three_and_two()
{
    return kit::ModelBuilder()
        .opset(17)
        .input("A", DType::float32, {"N", 6})
        .input("B", DType::float32, {"N", 6})
        .input("C", DType::float32, {1, 6})
        .node("Add", {"A", "B"}, {"P"})
        .node("Mul", {"P", "C"}, {"Q"})
        .output("P")
        .output("Q")
        .build();
}

TEST(SessionRun, IsOneSubmit)
{
    const auto model = onnx::Model::parse(kit::as_bytes(three_and_two()));
    ASSERT_TRUE(model) << model.message();
    for (const PresentDevice& present : every_device()) {
        std::vector<std::vector<std::byte>> expected;
        for (const MemoryKind& kind : memory_kinds) {
            SCOPED_TRACE(present.label + kind.name);
            kit::VulkanShim shim({.split_memory = kind.split, .incoherent_memory = kind.incoherent, .watch_flight = true});
            DeviceOptions options = through(shim, present);
            options.self_test = false;
            const auto device = Device::open(options);
            ASSERT_TRUE(device) << device.message();
            const std::optional<bool> direct = sees_tensors(kind, *device);
            const auto descs = [](int64_t rows) {
                const TensorDesc desc = {DType::float32, {rows, 6}};
                return std::vector<onnx::NamedDesc>{{"A", desc}, {"B", desc}};
            };
            auto session = onnx::Session::prepare(*device, *model, descs(2));
            ASSERT_TRUE(session) << session.message();
            ASSERT_TRUE(session->for_inputs(descs(7)));
            size_t next = 0;
            for (const bool is_first : {true, false})
                for (const int64_t rows : {2, 7}) {
                    const std::vector<onnx::HostTensor> inputs = {ramp(rows, 6, float(next) + 0.1f), ramp(rows, 6, 1.7f),
                                                                  ramp(1, 6, 0.3f)};
                    shim.reset_calls();
                    const auto outputs = session->run(inputs);
                    ASSERT_TRUE(outputs) << outputs.message();
                    EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
                    EXPECT_EQ(shim.calls("vkWaitForFences"), 1u);
                    if (!is_first) {
                        EXPECT_EQ(shim.calls("vkCmd*") + shim.calls("vkCreate*") + shim.calls("vkAllocate*"), 0u);
                    } else if (direct) {
                        EXPECT_EQ(copies(shim), *direct ? 0u : 5u);
                    }
                    for (const onnx::HostTensor& output : *outputs) {
                        if (&kind == memory_kinds)
                            expected.push_back(output.data);
                        EXPECT_TRUE(output.data == expected.at(next)) << "output " << next;
                        ++next;
                    }
                }
            const std::vector<float> a = values_of<float>(ramp(2, 6, 0.1f)), b = values_of<float>(ramp(2, 6, 1.7f));
            std::vector<float> sum(a.size());
            std::transform(a.begin(), a.end(), b.begin(), sum.begin(), std::plus<>());
            const auto bytes = std::as_bytes(std::span(sum));
            EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), expected.at(0).begin(), expected.at(0).end()));
            EXPECT_EQ(shim.violations(), std::vector<std::string>());
            EXPECT_EQ(shim.guard_report(), "");
        }
    }
}

// Inputs and outputs beyond 16 MiB in all are copied by submits of their own, in pieces. Those that come first go with the run.
TEST(SessionRun, BoundsItsStaging)
{
    constexpr uint64_t mib = uint64_t(1) << 20;
    constexpr int64_t rows = (int64_t(7) << 20) / 24;  // A, B and P have almost 7 MiB each
    const auto model = onnx::Model::parse(kit::as_bytes(three_and_two()));
    ASSERT_TRUE(model) << model.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.split_memory = true});
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        const TensorDesc desc = {DType::float32, {rows, 6}};
        const onnx::SessionOptions uncut = {.prepare = {.max_dispatch_seconds = std::numeric_limits<double>::infinity()}};
        auto session = onnx::Session::prepare(*device, *model, std::vector<onnx::NamedDesc>{{"A", desc}, {"B", desc}}, uncut);
        ASSERT_TRUE(session) << session.message();
        const std::vector<onnx::HostTensor> inputs = {ramp(rows, 6, 0), ramp(rows, 6, 1), ramp(1, 6, 2)};
        const std::vector<float> a = values_of<float>(inputs[0]), b = values_of<float>(inputs[1]),
                                 c = values_of<float>(inputs[2]);
        for (int round = 0; round < 2; ++round) {
            shim.reset_calls();
            const auto outputs = session->run(inputs);
            ASSERT_TRUE(outputs) << outputs.message();
            EXPECT_EQ(shim.calls("vkQueueSubmit"), 3u) << "the run, and a download of each output";
            const std::vector<float> p = values_of<float>(outputs->at(0)), q = values_of<float>(outputs->at(1));
            ASSERT_EQ(p.size(), a.size());
            ASSERT_EQ(q.size(), a.size());
            for (size_t i = 0; i < a.size(); ++i) {
                ASSERT_EQ(p[i], a[i] + b[i]) << i;
                ASSERT_EQ(q[i], (a[i] + b[i]) * c[i % 6]) << i;
            }
        }
        EXPECT_LT(device->memory().staging, 14 * mib + 8 * mib + mib);
    }
}

TEST(SessionRun, DoesWithLittleStagingWhereMemoryIsShort)
{
    constexpr uint64_t mib = uint64_t(1) << 20;
    constexpr int64_t rows = (int64_t(1) << 20) / 24;  // A, B, P and Q have almost 1 MiB each
    const auto model = onnx::Model::parse(kit::as_bytes(three_and_two()));
    ASSERT_TRUE(model) << model.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.guards = false, .split_memory = true});
        DeviceOptions options = through(shim, present);
        options.max_memory = 7 * mib;
        options.self_test = false;
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        const TensorDesc desc = {DType::float32, {rows, 6}};
        auto session = onnx::Session::prepare(*device, *model, std::vector<onnx::NamedDesc>{{"A", desc}, {"B", desc}});
        ASSERT_TRUE(session) << session.message();
        const std::vector<onnx::HostTensor> inputs = {ramp(rows, 6, 0), ramp(rows, 6, 1), ramp(1, 6, 2)};
        for (int round = 0; round < 2; ++round) {
            shim.reset_calls();
            const auto outputs = session->run(inputs);
            ASSERT_TRUE(outputs) << outputs.message();
            EXPECT_GT(shim.calls("vkQueueSubmit"), 5u);
            const std::vector<float> p = values_of<float>(outputs->at(0));
            for (size_t i = 0; i < p.size(); ++i)
                ASSERT_EQ(p[i], 2 * float(i) + 1) << i;
        }
        EXPECT_LE(device->memory().peak_allocated, options.max_memory);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
