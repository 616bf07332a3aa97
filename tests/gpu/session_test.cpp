// This file tests sessions on device tensors, the threads that prepare them, and the memory that they take.
#include <vulkan/vulkan_core.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using onnx::Session;

std::string pool(int64_t width)
{
    return kit::ints_attribute("kernel_shape", {width});
}

// Y is a mean of two; `same` is the input, `held` a constant, `shape` known on the host, `again` Y under other dimensions.
std::string file_with_every_output()
{
    return kit::ModelBuilder()
        .opset(17)
        .input("X", DType::float32, {1, 1, 4})
        .input("only_its_shape", DType::float32, {3, 5})
        .initializer(kit::float_tensor("W", {3}, {7, 8, 9}))
        .node("AveragePool", {"X"}, {"between"}, {pool(1)})
        .node("AveragePool", {"between"}, {"Y"}, {pool(2)}, "second")
        .node("Identity", {"X"}, {"same"})
        .node("Identity", {"W"}, {"held"})
        .node("Shape", {"only_its_shape"}, {"shape"})
        .node("Flatten", {"Y"}, {"again"})
        .output("Y")
        .output("same")
        .output("held")
        .output("shape")
        .output("again")
        .build();
}

struct EveryOutput {
    Tensor x, y, same, held, shape, again;

    explicit EveryOutput(const Device& device)
        : x(*device.tensor({DType::float32, {1, 1, 4}}, std::vector<float>{1, 3, 5, 9})),
          y(*device.tensor({DType::float32, {1, 1, 3}})), same(*device.tensor({DType::float32, {1, 1, 4}})),
          held(*device.tensor({DType::float32, {3}})), shape(*device.tensor({DType::int64, {2}})),
          again(*device.tensor({DType::float32, {1, 3}}))
    {
    }
    std::vector<Tensor> inputs() const { return {x, Tensor()}; }
    std::vector<Tensor> outputs() const { return {y, same, held, shape, again}; }
};

template <class T>
std::vector<T> downloaded(const Tensor& tensor)
{
    std::vector<T> values(size_t(*element_count(tensor.desc())));
    const Status status = tensor.download(values);
    EXPECT_TRUE(status) << status.message();
    return values;
}

void expect_every_output(const EveryOutput& tensors)
{
    EXPECT_EQ(downloaded<float>(tensors.y), (std::vector<float>{2, 4, 7}));
    EXPECT_EQ(downloaded<float>(tensors.same), (std::vector<float>{1, 3, 5, 9}));
    EXPECT_EQ(downloaded<float>(tensors.held), (std::vector<float>{7, 8, 9}));
    EXPECT_EQ(downloaded<int64_t>(tensors.shape), (std::vector<int64_t>{3, 5}));
    EXPECT_EQ(downloaded<float>(tensors.again), (std::vector<float>{2, 4, 7}));
}

TEST(SessionBind, FillsEveryKindOfOutput)
{
    on_every_device([](CaseDevice& on) {
        auto session = prepare(on, file_with_every_output());
        ASSERT_TRUE(session) << session.message();
        ASSERT_EQ(session->inputs().size(), 2u);
        EXPECT_EQ(to_string(session->outputs()[4]), "float[1,3]");
        const EveryOutput tensors(on.device());
        auto bound = session->bind(tensors.inputs(), tensors.outputs());
        ASSERT_TRUE(bound) << bound.message();
        ASSERT_TRUE(bound->run());
        expect_every_output(tensors);
    });
}

// Two bindings share the arena: their jobs run one after the other, whoever waits for which.
TEST(SessionBind, TwoInFlightDoNotDisturbEachOther)
{
    on_every_device([](CaseDevice& on) {
        auto session = prepare(on, file_with_every_output());
        ASSERT_TRUE(session) << session.message();
        const EveryOutput a(on.device()), b(on.device());
        auto first = session->bind(a.inputs(), a.outputs());
        auto second = session->bind(b.inputs(), b.outputs());
        ASSERT_TRUE(first && second);
        ASSERT_TRUE(Tensor(b.x).upload(std::vector<float>{2, 2, 4, 8}));
        auto job = first->submit();
        auto other = second->submit();
        ASSERT_TRUE(job && other);
        ASSERT_TRUE(other->wait(60));
        ASSERT_TRUE(job->wait(60));
        expect_every_output(a);
        EXPECT_EQ(downloaded<float>(b.y), (std::vector<float>{2, 3, 6}));
        EXPECT_EQ(downloaded<float>(b.same), (std::vector<float>{2, 2, 4, 8}));
    });
}

// What `run` uploads must not lie where a job in flight has its values.
TEST(SessionBind, RunsBesideAJobInFlight)
{
    constexpr int64_t count = 65536;
    kit::ModelBuilder model;
    model.opset(17).input("X", DType::float32, {1, 1, count});
    std::string last = "X";
    for (int i = 0; i < 40; ++i) {
        const std::string next = i == 39 ? "Y" : "v" + std::to_string(i);
        model.node("AveragePool", {last}, {next}, {pool(1)});
        last = next;
    }
    const auto parsed = onnx::Model::parse(kit::as_bytes(model.output("Y").build()));
    ASSERT_TRUE(parsed) << parsed.message();
    for (const PresentDevice& present : every_device())
        for (const bool runs_before : {false, true}) {
            SCOPED_TRACE(present.label + (runs_before ? ", bound after a run" : ", bound at first"));
            const auto opened = Device::open({.select = std::to_string(present.index), .self_test = false});
            ASSERT_TRUE(opened) << opened.message();
            auto session = Session::prepare(*opened, *parsed, {});
            ASSERT_TRUE(session) << session.message();
            const std::vector<float> ours(count, 3), theirs(count, 5);
            const std::vector<onnx::HostTensor> given = {floats({1, 1, count}, ours)};
            if (runs_before) {
                ASSERT_TRUE(session->run(given));
            }
            const auto x = opened->tensor(session->inputs()[0], theirs);
            const auto y = opened->tensor(session->outputs()[0]);
            ASSERT_TRUE(x && y);
            auto bound = session->bind({&*x, 1}, {&*y, 1});
            ASSERT_TRUE(bound) << bound.message();
            for (int round = 0; round < 5; ++round) {
                auto job = bound->submit();
                ASSERT_TRUE(job) << job.message();
                const auto got = session->run(given);
                ASSERT_TRUE(got) << got.message();
                EXPECT_TRUE(values_of<float>(got->at(0)) == ours);
                ASSERT_TRUE(job->wait(60));
                ASSERT_TRUE(downloaded<float>(*y) == theirs) << "round " << round;
            }
        }
}

TEST(SessionBind, RefusesInOneSentence)
{
    on_every_device([](CaseDevice& on) {
        auto session = prepare(on, file_with_every_output());
        ASSERT_TRUE(session) << session.message();
        const EveryOutput tensors(on.device());
        const auto said = [&](auto spoil) {
            std::vector<Tensor> inputs = tensors.inputs(), outputs = tensors.outputs();
            spoil(inputs, outputs);
            return std::string(session->bind(inputs, outputs).message());
        };
        EXPECT_EQ(said([](auto& inputs, auto&) { inputs.pop_back(); }), "the model has 2 inputs, 1 are given");
        EXPECT_EQ(said([](auto&, auto& outputs) { outputs.pop_back(); }), "the model has 5 outputs, 4 are given");
        EXPECT_EQ(said([](auto& inputs, auto&) { inputs[0] = {}; }), "Session::bind: input 'X' is an empty handle");
        EXPECT_EQ(said([&](auto& inputs, auto&) { inputs[0] = tensors.y; }),
                  "Session::bind: input 'X' is float[1,1,3], but the session was prepared for float[1,1,4]");
        EXPECT_EQ(said([&](auto&, auto& outputs) { outputs[3] = tensors.y; }),
                  "Session::bind: output 'shape' is float[1,1,3], but the session was prepared for int64[2]");
        EXPECT_EQ(said([&](auto&, auto& outputs) { outputs[1] = tensors.x; }),
                  "Session::bind: output 'same' shares memory with input 'X'");
        EXPECT_EQ(said([&](auto&, auto& outputs) {
                      outputs[4] = *tensors.y.view({1, 3});
                  }),
                  "Session::bind: output 'again' shares memory with output 'Y'");
    });
}

// The file above has outputs of these many bytes.
const std::vector<size_t> output_bytes = {12, 16, 12, 16, 12};

TEST(SessionRunInto, FillsEveryKindOfOutput)
{
    on_every_device([](CaseDevice& on) {
        auto session = prepare(on, file_with_every_output());
        ASSERT_TRUE(session) << session.message();
        const std::vector<float> x = {1, 3, 5, 9};
        const std::vector<float> zeros(15);
        const onnx::HostView views[] = {{{DType::float32, {1, 1, 4}}, std::as_bytes(std::span(x))},
                                        {{DType::float32, {3, 5}}, std::as_bytes(std::span(zeros))}};
        std::vector<std::vector<std::byte>> outputs;
        std::string asked;
        const Status status = session->run_into(views, [&](size_t output, const TensorDesc& desc) {
            asked += std::to_string(output) + " " + to_string(desc) + "\n";
            outputs.emplace_back(output_bytes.at(output));
            return Result(std::span(outputs.back()));
        });
        ASSERT_TRUE(status) << status.message();
        EXPECT_EQ(asked, "0 float[1,1,3]\n1 float[1,1,4]\n2 float[3]\n3 int64[2]\n4 float[1,3]\n");
        const auto floats = [&](size_t output) {
            std::vector<float> values(outputs[output].size() / sizeof(float));
            std::memcpy(values.data(), outputs[output].data(), outputs[output].size());
            return values;
        };
        EXPECT_EQ(floats(0), (std::vector<float>{2, 4, 7}));
        EXPECT_EQ(floats(1), x);
        EXPECT_EQ(floats(2), (std::vector<float>{7, 8, 9}));
        int64_t shape[2] = {};
        std::memcpy(shape, outputs[3].data(), sizeof shape);
        EXPECT_EQ(shape[0], 3);
        EXPECT_EQ(shape[1], 5);
        EXPECT_EQ(floats(4), (std::vector<float>{2, 4, 7}));
    });
}

TEST(SessionRunInto, RefusesInOneSentence)
{
    on_every_device([](CaseDevice& on) {
        auto session = prepare(on, file_with_every_output());
        ASSERT_TRUE(session) << session.message();
        const std::vector<float> zeros(15);
        const onnx::HostView views[] = {{{DType::float32, {1, 1, 4}}, std::as_bytes(std::span(zeros)).first(16)},
                                        {{DType::float32, {3, 5}}, std::as_bytes(std::span(zeros))}};
        std::vector<std::byte> room(64);
        EXPECT_EQ(session->run_into(views, {}).message(), "Session::run_into: memory is an empty function");
        EXPECT_EQ(session->run_into(views, [&](size_t, const TensorDesc&) { return Result(std::span(room)); }).message(),
                  "output 'Y': its memory has 64 bytes, float[1,1,3] needs 12");
        size_t calls = 0;
        const auto refuses_the_second = [&](size_t output, const TensorDesc&) -> Result<std::span<std::byte>> {
            ++calls;
            if (output == 1)
                return Status(Code::out_of_memory, "no room for the second");
            return std::span(room).first(output_bytes[output]);
        };
        EXPECT_EQ(session->run_into(views, refuses_the_second).message(), "no room for the second");
        EXPECT_EQ(calls, 2u);
    });
}

// This struct notes the threads that drivers are called on, as Vulkan's allocation callbacks see them.
struct Callers {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    VkAllocationCallbacks callbacks = {};

    Callers()
    {
        callbacks.pUserData = this;
        callbacks.pfnAllocation = [](void* self, size_t size, size_t alignment, VkSystemAllocationScope) {
            auto& callers = *static_cast<Callers*>(self);
            const std::lock_guard lock(callers.mutex);
            callers.threads.insert(std::this_thread::get_id());
            return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
        };
        callbacks.pfnReallocation = [](void*, void* old, size_t size, size_t, VkSystemAllocationScope) {
            return std::realloc(old, size);
        };
        callbacks.pfnFree = [](void*, void* memory) { std::free(memory); };
    }
};

TEST(SessionPrepare, TakesAsManyThreadsAsItIsTold)
{
    // Each node needs a pipeline of its own: the kind, and what is broadcast, are specialization constants.
    kit::ModelBuilder model;
    model.opset(17).input("X", DType::float32, {2, 3, 5});
    for (const char* op :
         {"Relu", "Neg", "Abs", "Exp", "Tanh", "Sigmoid", "Sqrt", "Elu", "HardSigmoid", "HardSwish", "LeakyRelu"})
        model.node(op, {"X"}, {op}).output(op);
    const auto parsed = onnx::Model::parse(kit::as_bytes(model.build()));
    ASSERT_TRUE(parsed) << parsed.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        for (const uint32_t threads : {1u, 3u}) {
            Callers callers;
            const auto opened = Device::open(
                {.select = std::to_string(present.index), .self_test = false, .allocation_callbacks = &callers.callbacks});
            ASSERT_TRUE(opened) << opened.message();
            callers.threads.clear();
            const auto session = Session::prepare(*opened, *parsed, {}, {.prepare_threads = threads});
            ASSERT_TRUE(session) << session.message();
            if (threads == 1) {
                EXPECT_EQ(callers.threads, std::set<std::thread::id>{std::this_thread::get_id()});
            } else {
                EXPECT_GT(callers.threads.size(), 1u) << "no other thread prepared anything";
            }
        }
    }
}

// The first failure is told even where others are prepared before it, because their weights are larger.
TEST(SessionPrepare, TellsTheFirstFailureOfTheGraph)
{
    kit::ModelBuilder model;
    model.opset(17).input("X", DType::float32, {1, 2, 9});
    model.initializer(kit::float_tensor("V", {2, 2, 1}, std::vector<float>(4, 1)));
    model.initializer(kit::float_tensor("W", {8, 2, 3}, std::vector<float>(48, 1)));
    model.node("Conv", {"X", "V"}, {"a"}, {}, "first").node("Conv", {"a", "W"}, {"b"}, {}, "second");
    model.node("Conv", {"a", "W"}, {"c"}, {}, "third").output("b").output("c");
    const auto parsed = onnx::Model::parse(kit::as_bytes(model.build()));
    ASSERT_TRUE(parsed) << parsed.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto opened = Device::open({.select = std::to_string(present.index), .self_test = false});
        ASSERT_TRUE(opened) << opened.message();
        for (const uint32_t threads : {1u, 3u}) {
            const auto session =
                Session::prepare(*opened, *parsed, {}, {.prepare = {.kernel = "conv_depthwise"}, .prepare_threads = threads});
            EXPECT_EQ(session.code(), Code::unsupported);
            EXPECT_EQ(session.message().substr(0, 13), "node 'first':") << session.message();
        }
    }
}

TEST(SessionMemory, TooMuchIsRefusedBeforeAnythingIsAllocated)
{
    kit::ModelBuilder model;
    model.opset(17)
        .input("X", DType::float32, {1, 8, 100'000})
        .initializer(kit::float_tensor("W", {8, 8, 100}, std::vector<float>(6400, 1)))
        .node("AveragePool", {"X"}, {"a"}, {pool(3)}, "first")
        .node("ConvTranspose", {"a", "W"}, {"b"}, {}, "second")
        .node("AveragePool", {"b"}, {"Y"}, {pool(3)}, "third")
        .output("Y");
    const auto parsed = onnx::Model::parse(kit::as_bytes(model.build()));
    ASSERT_TRUE(parsed) << parsed.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto opened = Device::open({.select = std::to_string(present.index), .self_test = false, .max_memory = 4'000'000});
        ASSERT_TRUE(opened) << opened.message();
        EXPECT_EQ(opened->memory().limit, 4'000'000u);
        const MemoryUse before = opened->memory();
        const auto session = Session::prepare(*opened, *parsed, {});
        EXPECT_EQ(session.code(), Code::out_of_memory);
        const auto graph = onnx::explain(*parsed, {}, opened->capabilities());
        ASSERT_TRUE(graph) << graph.message();
        EXPECT_EQ(graph->constant_bytes, 25600u);
        EXPECT_GE(graph->arena_bytes, 2u * 8 * 99'998 * 4);
        EXPECT_EQ(session.message(),
                  "the model needs " + std::to_string(graph->arena_bytes) + " bytes for values between its operators and " +
                      std::to_string(graph->constant_bytes + graph->packed_bytes) + " bytes for constants, but " +
                      std::to_string(before.used) + " of DeviceOptions::max_memory = 4000000 are in use");
        EXPECT_EQ(opened->memory().peak_used, before.peak_used);
        EXPECT_EQ(opened->memory().peak_allocated, before.peak_allocated);
    }
}

// There are sixty values of 256 KiB in a row. The device really holds two of them, where the tensors at both ends find room, too.
TEST(SessionMemory, ALongChainHoldsTwoValues)
{
    kit::ModelBuilder model;
    model.opset(17).input("X", DType::float32, {1, 1, 65536});
    std::string last = "X";
    for (int i = 0; i < 60; ++i) {
        const std::string next = i == 59 ? "Y" : "v" + std::to_string(i);
        model.node("AveragePool", {last}, {next}, {pool(1)});
        last = next;
    }
    const auto parsed = onnx::Model::parse(kit::as_bytes(model.output("Y").build()));
    ASSERT_TRUE(parsed) << parsed.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto opened = Device::open({.select = std::to_string(present.index), .self_test = false});
        ASSERT_TRUE(opened) << opened.message();
        const uint64_t before = opened->memory().used;
        auto session = Session::prepare(*opened, *parsed, {});
        ASSERT_TRUE(session) << session.message();
        EXPECT_EQ(session->report().arena_bytes, 2u * 262144);
        EXPECT_EQ(session->report().unshared_bytes, 59u * 262144);
        std::vector<float> values(65536);
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = float(i % 1009);
        const auto got = session->run(std::vector<onnx::HostTensor>{floats({1, 1, 65536}, values)});
        ASSERT_TRUE(got) << got.message();
        EXPECT_EQ(values_of<float>(got->at(0)), values);
        const uint64_t held = opened->memory().peak_used - before;
        EXPECT_GE(held, 2u * 262144);
        EXPECT_LT(held, 3u * 262144) << "small buffers of operators included";
        std::printf("%s: %llu bytes held at most, %u without sharing\n", present.label.c_str(),
                    static_cast<unsigned long long>(held), 61u * 262144);
    }
}

TEST(TensorPart, IsMemoryOfTheWhole)
{
    on_every_device([](CaseDevice& on) {
        const Device& device = on.device();
        const uint32_t step = std::max(4u, device.capabilities().storage_buffer_alignment);
        std::vector<float> values(step);
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = float(i);
        auto whole = device.tensor({DType::float32, {int64_t(step)}}, values);
        ASSERT_TRUE(whole) << whole.message();
        auto part = whole->part(step, {DType::float32, {1, 1, 3}});
        ASSERT_TRUE(part) << part.message();
        EXPECT_EQ(downloaded<float>(*part), std::vector<float>(values.begin() + step / 4, values.begin() + step / 4 + 3));
        EXPECT_TRUE(part->shares_memory(*whole));
        const auto next = whole->part(2 * step, {DType::float32, {1, 1, 2}});
        ASSERT_TRUE(next) << next.message();
        EXPECT_FALSE(part->shares_memory(*next));
        EXPECT_FALSE(part->shares_memory(Tensor()));
        const auto op = device.prepare(AveragePool{.kernel_shape = {2}}, {part->desc()});
        ASSERT_TRUE(op) << op.message();
        whole = Tensor();  // the parts keep it
        ASSERT_TRUE(device.run(*op, {*part}, {*next}));
        EXPECT_EQ(downloaded<float>(*next), (std::vector<float>{float(step) / 4 + 0.5f, float(step) / 4 + 1.5f}));
        ASSERT_TRUE(part->upload(std::vector<float>{5, 6, 7}));
        EXPECT_EQ(downloaded<float>(*part), (std::vector<float>{5, 6, 7}));

        const auto small = device.tensor({DType::uint8, {int64_t(step) + 4}});
        ASSERT_TRUE(small) << small.message();
        EXPECT_EQ(small->part(2, {DType::uint8, {1}}).message(),
                  "part: offset = 2 must be a multiple of " + std::to_string(step));
        EXPECT_EQ(small->part(step, {DType::uint8, {5}}).message(),
                  "part: uint8[5] with 5 bytes from byte " + std::to_string(step) + " on do not fit into uint8[" +
                      std::to_string(step + 4) + "] with " + std::to_string(step + 4) + " bytes");
        EXPECT_FALSE(small->part(uint64_t(step) << 40, {DType::uint8, {1}}));
        EXPECT_FALSE(small->part(0, {DType::float32, {-1}}));
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
