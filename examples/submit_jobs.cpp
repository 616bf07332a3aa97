// This example submits jobs on an adopted device, tied to the engine's own order. One waits for the engine's timeline semaphore
// and signals it, and a fence. Two more hand over by a binary semaphore.
#include "adopt_engine.hpp"

using namespace vkonnx;

namespace {

constexpr double patience = 60;  // seconds for a job to end, far more than it takes

template <class T>
T take(Result<T> result, const char* what)
{
    app::check(result.ok(), std::string(what) + ": " + std::string(result.message()));
    return *result;
}

void expect(Status status, const char* what)
{
    app::check(status.ok(), std::string(what) + ": " + std::string(status.message()));
}

// These are the engine's semaphores. They use the functions of VK_KHR_timeline_semaphore for a timeline semaphore, where the
// device has one.
class Semaphores {
public:
    explicit Semaphores(app::Engine& engine) : engine_(engine) {}
    ~Semaphores()
    {
        for (VkSemaphore semaphore : all_)
            function<PFN_vkDestroySemaphore>("vkDestroySemaphore")(engine_.device, semaphore, nullptr);
    }
    Semaphores(const Semaphores&) = delete;
    Semaphores& operator=(const Semaphores&) = delete;

    VkSemaphore make(VkSemaphoreType type)
    {
        VkSemaphoreTypeCreateInfo kind = {};
        kind.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
        kind.semaphoreType = type;
        const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                            type == VK_SEMAPHORE_TYPE_TIMELINE ? &kind : nullptr, 0};
        VkSemaphore made = VK_NULL_HANDLE;
        app::check(function<PFN_vkCreateSemaphore>("vkCreateSemaphore")(engine_.device, &info, nullptr, &made),
                   "vkCreateSemaphore");
        all_.push_back(made);
        return made;
    }

    void signal(VkSemaphore semaphore, uint64_t value) const
    {
        const VkSemaphoreSignalInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, value};
        app::check(function<PFN_vkSignalSemaphoreKHR>("vkSignalSemaphoreKHR")(engine_.device, &info), "vkSignalSemaphoreKHR");
    }

    uint64_t value_of(VkSemaphore semaphore) const
    {
        uint64_t value = 0;
        app::check(
            function<PFN_vkGetSemaphoreCounterValueKHR>("vkGetSemaphoreCounterValueKHR")(engine_.device, semaphore, &value),
            "vkGetSemaphoreCounterValueKHR");
        return value;
    }

private:
    template <class Function>
    Function function(const char* name) const
    {
        const auto found = reinterpret_cast<Function>(engine_.vkGetDeviceProcAddr(engine_.device, name));
        app::check(found != nullptr, std::string("no ") + name);
        return found;
    }

    app::Engine& engine_;
    std::vector<VkSemaphore> all_;
};

bool has_timeline(const app::Engine& engine, VkPhysicalDevice physical_device)
{
    const auto list = reinterpret_cast<PFN_vkEnumerateDeviceExtensionProperties>(
        engine.get_instance_proc_addr(engine.instance, "vkEnumerateDeviceExtensionProperties"));
    uint32_t count = 0;
    app::check(list(physical_device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
    std::vector<VkExtensionProperties> all(count);
    app::check(list(physical_device, nullptr, &count, all.data()), "vkEnumerateDeviceExtensionProperties");
    return std::any_of(all.begin(), all.end(), [](const VkExtensionProperties& e) {
        return std::strcmp(e.extensionName, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME) == 0;
    });
}

void create_device(app::Engine& engine, VkPhysicalDevice physical_device, bool timeline)
{
    const auto needs =
        take(vulkan::requirements(engine.get_instance_proc_addr, engine.instance, physical_device), "requirements");
    VkPhysicalDeviceTimelineSemaphoreFeatures semaphores = {};
    semaphores.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
    semaphores.timelineSemaphore = VK_TRUE;
    VkPhysicalDeviceFeatures2 features = {};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = timeline ? &semaphores : nullptr;
    needs.add_to(features);
    std::vector<const char*> extensions = needs.extensions;
    if (timeline)
        extensions.push_back(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME);
    engine.create_device(physical_device, needs.queue_families.front(), features, extensions);
}

// This struct doubles numbers, y = x + x, by a kernel of one tap. x lies in memory that the engine writes at any time.
struct Doubling {
    app::Buffer memory;
    Tensor y;
    Binding binding;

    Doubling(app::Engine& engine, const Device& gpu, std::optional<Tensor> input = {})
    {
        const TensorDesc x_desc = {DType::float32, {1, 1, 4}}, w_desc = {DType::float32, {1, 1, 1}};
        const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        memory = engine.create_buffer(16, usage, true);
        const Tensor x =
            input ? *input : take(vulkan::wrap(gpu, {.buffer = memory.handle, .size = 16, .usage = usage}, x_desc), "x");
        const Tensor w = take(gpu.tensor(w_desc, std::vector<float>{2}), "w");
        const Op op = take(gpu.prepare(ConvTranspose{}, {x_desc, w_desc}), "prepare");
        y = take(gpu.tensor(op.outputs()[0]), "y");
        const Tensor inputs[] = {x, w};
        binding = take(gpu.bind(op, inputs, {&y, 1}), "bind");
    }

    void write(std::vector<float> values) { std::copy(values.begin(), values.end(), memory.as<float>(0, 4).begin()); }

    void expect_result(const std::vector<float>& expected) const
    {
        std::vector<float> got(4);
        expect(y.download(got), "download");
        app::check(got == expected, "a job computed wrong values");
    }
};

// The engine fills in what the job is to read only after the job was submitted.
void wait_for_the_engine(app::Engine& engine, const Device& gpu)
{
    Semaphores semaphores(engine);
    const VkSemaphore frames = semaphores.make(VK_SEMAPHORE_TYPE_TIMELINE);
    const VkFenceCreateInfo fence_info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    VkFence fence = VK_NULL_HANDLE;
    app::check(engine.vkCreateFence(engine.device, &fence_info, nullptr, &fence), "vkCreateFence");

    Doubling doubling(engine, gpu);
    doubling.write({0, 0, 0, 0});
    const vulkan::SemaphorePoint wait[] = {{frames, 1}}, signal[] = {{frames, 2}};
    Job job = take(vulkan::submit(gpu, doubling.binding, {.wait = wait, .signal = signal, .fence = fence}), "submit");
    app::check(!job.done(), "the job did not wait for the engine");
    app::check(job.wait(0.05).code() == Code::timeout, "the job did not wait for the engine");
    app::check(semaphores.value_of(frames) == 0, "the job signalled too early");
    doubling.write({1, 2, 3, 4});
    semaphores.signal(frames, 1);
    expect(job.wait(patience), "wait");
    app::check(semaphores.value_of(frames) == 2, "the job did not signal the engine's semaphore");
    app::check(engine.vkWaitForFences(engine.device, 1, &fence, VK_TRUE, uint64_t(60) * 1000000000),
               "vkWaitForFences of the engine's fence");
    doubling.expect_result({2, 4, 6, 8});
    engine.vkDestroyFence(engine.device, fence, nullptr);
    std::printf("    timeline: the job waited for the engine's 1 and signalled 2, and a fence; 4 values right\n");
}

void hand_over(app::Engine& engine, const Device& gpu)
{
    Semaphores semaphores(engine);
    const VkSemaphore handed = semaphores.make(VK_SEMAPHORE_TYPE_BINARY);
    Doubling first(engine, gpu), second(engine, gpu, first.y);
    Recording recording = take(gpu.recording(), "recording");
    expect(recording.add(second.binding), "add");
    const vulkan::SemaphorePoint point[] = {{handed}};
    for (float i = 1; i < 4; ++i) {
        first.write({i, 2, 3, 4});
        Job one = take(vulkan::submit(gpu, first.binding, {.signal = point}), "submit");
        Job two = take(vulkan::submit(recording, {.wait = point}), "submit of a recording");
        expect(two.wait(patience), "wait");
        app::check(one.done(), "the second job ended before the first");
        second.expect_result({4 * i, 8, 12, 16});
    }
    const vulkan::SemaphorePoint nothing[] = {{}};
    const auto refused = vulkan::submit(recording, {.signal = nothing});
    app::check(!refused, "a null semaphore was taken");
    std::printf("    binary: 3 times one job handed over to another; 12 values right\n    refused: %s\n",
                std::string(refused.message()).c_str());
}

}  // namespace

int main()
{
    app::Engine first;
    for (size_t i = 0; i < first.physical_devices.size(); ++i) {
        app::Engine engine(nullptr, true);
        const bool timeline = has_timeline(engine, engine.physical_devices[i]);
        create_device(engine, engine.physical_devices[i], timeline);
        {
            const Device gpu = take(vulkan::adopt(app::description_of(engine)), "adopt");
            std::printf("%s: adopted%s\n", gpu.info().name.c_str(), engine.validates ? ", validated" : "");
            if (timeline)
                wait_for_the_engine(engine, gpu);
            hand_over(engine, gpu);
        }
        for (const std::string& message : engine.take_messages())
            app::fail(message);
    }
    return first.physical_devices.empty() ? 1 : 0;
}
