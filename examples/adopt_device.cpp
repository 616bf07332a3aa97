// This is the second level: the engine already has a device, made with what vkonnx requires. It lends the device, with its queue
// and one of its buffers. The engine's frames go on before, meanwhile and after.
#include <thread>

#include "adopt_engine.hpp"

using namespace vkonnx;

namespace {

template <class T>
T take(Result<T> result, const char* what)
{
    app::check(result.ok(), std::string(what) + ": " + std::string(result.message()));
    return *result;
}

// This struct is an engine's frame: bytes go from one buffer of its own to another.
struct Frame {
    app::Engine& engine;
    app::Buffer from = engine.create_buffer(256, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
    app::Buffer to = engine.create_buffer(256, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint32_t number = 0;

    explicit Frame(app::Engine& e) : engine(e)
    {
        commands = engine.begin_commands();
        engine.copy(commands, from, 0, to, 0, 256);
        engine.barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                       VK_ACCESS_HOST_READ_BIT);
        engine.end_commands(commands);
    }

    void draw()
    {
        from.as<uint32_t>(0, 1)[0] = ++number;
        engine.submit(commands);
        app::check(to.as<uint32_t>(0, 1)[0] == number, "frame " + std::to_string(number) + " of the engine shows another");
    }
};

// Doubles pictures on the adopted device while the engine draws in a thread of its own; both share the queue by its lock.
void double_pictures(app::Engine& engine, Frame& frame)
{
    uint32_t locked = 0;
    vulkan::AdoptedDevice description = app::description_of(engine);
    description.lock_queue = [&] { engine.queue_mutex.lock(), ++locked; };
    const Device gpu = take(vulkan::adopt(description), "adopt");

    const TensorDesc x_desc = {DType::float32, {1, 1, 2, 2}}, w_desc = x_desc;
    const Op op = take(gpu.prepare(ConvTranspose{.strides = {2, 2}}, {x_desc, w_desc}), "prepare");
    const Tensor w = take(gpu.tensor(w_desc, std::vector<float>{1, 1, 1, 1}), "tensor w");
    const Tensor y = take(gpu.tensor(op.outputs()[0]), "tensor y");
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    const app::Buffer scene = engine.create_buffer(4096, usage, false);
    Tensor x = take(vulkan::wrap(gpu, {.buffer = scene.handle, .offset = 1024, .size = 16, .usage = usage}, x_desc), "wrap");
    const Result<Tensor> crooked =
        vulkan::wrap(gpu, {.buffer = scene.handle, .offset = 1026, .size = 16, .usage = usage}, x_desc);
    app::check(!crooked, "an offset of 1026 was taken");

    const Tensor inputs[] = {x, w}, outputs[] = {y};
    const Binding binding = take(gpu.bind(op, inputs, outputs), "bind");
    std::thread engine_thread([&] {
        for (int i = 0; i < 50; ++i)
            frame.draw();
    });
    std::string problem;
    for (int i = 0; i < 50 && problem.empty(); ++i) {
        const float f = float(i);
        std::vector<float> got(16);
        for (const Status& status : {x.upload(std::vector<float>{f, 1, 2, f + 3}), gpu.run(binding), y.download(got)})
            if (!status)
                problem = status.message();
        const std::vector<float> expected = {f, f, 1, 1, f, f, 1, 1, 2, 2, f + 3, f + 3, 2, 2, f + 3, f + 3};
        if (got != expected)
            problem = "picture " + std::to_string(i) + " is wrong";
    }
    engine_thread.join();
    app::check(problem.empty(), problem);
    std::printf(
        "%s: adopted; 50 pictures doubled, 16 values right in each, beside 50 frames of the engine, queue locked %u times\n"
        "    refused: %s\n",
        gpu.info().name.c_str(), locked, std::string(crooked.message()).c_str());
}

}  // namespace

int main()
{
    app::Engine first;
    for (size_t i = 0; i < first.physical_devices.size(); ++i) {
        app::Engine engine;
        app::create_device_for_vkonnx(engine, engine.physical_devices[i]);
        Frame frame(engine);
        frame.draw();
        double_pictures(engine, frame);
        frame.draw();  // vkonnx has let go of everything; the engine's device is as good as before
        std::printf("    the engine's own device drew %u frames\n", frame.number);
    }
    return first.physical_devices.empty() ? 1 : 0;
}
