// This is the third level: vkonnx records into the engine's command buffer, between the engine's own commands, on slices of the
// engine's buffer. The frame is recorded once and submitted 100 times, each with other values.
//
// Where the Khronos validation layer is installed, synchronization validation watches. It is silent with the outer barriers of
// vkonnx, silent with the engine's own in their place, and not silent when one of these is taken away.
#include "adopt_engine.hpp"

using namespace vkonnx;

namespace {

constexpr int64_t extent = 8;  // of the square picture
constexpr size_t pixels = extent * extent;
constexpr VkDeviceSize picture_bytes = pixels * sizeof(float);
constexpr VkDeviceSize shape_bytes = 4 * sizeof(int64_t);

template <class T>
T take(Result<T> result, const char* what)
{
    app::check(result.ok(), std::string(what) + ": " + std::string(result.message()));
    return *result;
}

// AveragePool halves the picture, ConvTranspose doubles it, and Shape tells its dimensions. All work on slices of one buffer.
class Effect {
public:
    explicit Effect(app::Engine& engine)
        : engine_(engine), gpu_(take(vulkan::adopt(app::description_of(engine), {.debug_names = true}), "adopt")),
          from_host_(engine.create_buffer(picture_bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true)),
          to_host_(engine.create_buffer(picture_bytes + shape_bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true)),
          scene_(engine.create_buffer(6 * step, usage, false))
    {
        const TensorDesc picture = {DType::float32, {1, 1, extent, extent}};
        const TensorDesc w_desc = {DType::float32, {1, 1, 2, 2}};
        const Op halve = take(gpu_.prepare(AveragePool{.kernel_shape = {2, 2}, .strides = {2, 2}}, {picture}), "AveragePool");
        const Op twice = take(gpu_.prepare(ConvTranspose{.strides = {2, 2}}, {halve.outputs()[0], w_desc}), "ConvTranspose");
        const Op shape = take(gpu_.prepare(Shape{}, {twice.outputs()[0]}), "Shape");
        const Tensor x = slice(x_at, picture), half = slice(half_at, halve.outputs()[0]), w = slice(w_at, w_desc);
        const Tensor y = slice(y_at, twice.outputs()[0]), dims = slice(dims_at, shape.outputs()[0]);
        Tensor constant = w;
        const Status uploaded = constant.upload(std::vector<float>(4, 1));
        app::check(uploaded.ok(), std::string(uploaded.message()));
        const Tensor halve_in[] = {x}, halve_out[] = {half}, twice_in[] = {half, w}, twice_out[] = {y}, shape_out[] = {dims};
        bindings_ = {take(gpu_.bind(halve, halve_in, halve_out), "bind"), take(gpu_.bind(twice, twice_in, twice_out), "bind"),
                     take(gpu_.bind(shape, twice_out, shape_out), "bind")};
    }

    enum class Barriers { by_vkonnx, by_engine, by_engine_first_missing, by_engine_last_missing };

    VkCommandBuffer record_frame(Barriers barriers)
    {
        const VkCommandBuffer commands = engine_.begin_commands();
        engine_.copy(commands, from_host_, 0, scene_, x_at, picture_bytes);
        if (barriers == Barriers::by_engine || barriers == Barriers::by_engine_last_missing)
            engine_.barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, vulkan::entry_stages,
                            vulkan::entry_accesses);
        const Status recorded =
            vulkan::record(commands, bindings_,
                           barriers == Barriers::by_vkonnx ? vulkan::RecordFlags::outer_barriers : vulkan::RecordFlags::none);
        app::check(recorded.ok(), std::string(recorded.message()));
        if (barriers == Barriers::by_engine || barriers == Barriers::by_engine_first_missing)
            engine_.barrier(commands, vulkan::exit_stages, vulkan::exit_accesses, VK_PIPELINE_STAGE_TRANSFER_BIT,
                            VK_ACCESS_TRANSFER_READ_BIT);
        engine_.copy(commands, scene_, y_at, to_host_, 0, picture_bytes);
        engine_.copy(commands, scene_, dims_at, to_host_, picture_bytes, shape_bytes);
        engine_.barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                        VK_ACCESS_HOST_READ_BIT);
        engine_.end_commands(commands);
        return commands;
    }

    // Submits a recorded frame once. Returns how many values were right. A wrong one ends the program.
    size_t show(VkCommandBuffer commands, uint32_t number)
    {
        const std::span<float> in = from_host_.as<float>(0, pixels);
        for (size_t i = 0; i < pixels; ++i)
            in[i] = float((i * 7 + number * 13) % 101);
        std::memset(to_host_.mapped, 0xff, size_t(to_host_.size));
        engine_.submit(commands);
        const std::span<const float> out = to_host_.as<const float>(0, pixels);
        for (size_t i = 0; i < pixels; ++i) {
            const float* corner = &in[i / extent / 2 * 2 * extent + i % extent / 2 * 2];
            const float expected = (corner[0] + corner[1] + corner[extent] + corner[extent + 1]) / 4;
            app::check(out[i] == expected, "frame " + std::to_string(number) + ", pixel " + std::to_string(i) + " is " +
                                               std::to_string(out[i]) + " and should be " + std::to_string(expected));
        }
        const std::span<const int64_t> dims = to_host_.as<const int64_t>(picture_bytes, 4);
        app::check(dims[0] == 1 && dims[1] == 1 && dims[2] == extent && dims[3] == extent, "the shape is wrong");
        return pixels + 4;
    }

private:
    static constexpr VkDeviceSize step = 256;  // the coarsest alignment that Vulkan lets a device ask for
    static constexpr VkDeviceSize x_at = 0, half_at = 1 * step, w_at = 2 * step, y_at = 3 * step, dims_at = 4 * step;
    static constexpr VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    static_assert(picture_bytes <= step);

    Tensor slice(VkDeviceSize offset, const TensorDesc& desc) const
    {
        return take(vulkan::wrap(gpu_, {.buffer = scene_.handle, .offset = offset, .size = step, .usage = usage}, desc), "wrap");
    }

    app::Engine& engine_;
    Device gpu_;
    app::Buffer from_host_, to_host_, scene_;
    std::vector<Binding> bindings_;
};

// Records a frame and submits it 100 times. Returns what the validation layer has said since it was last asked.
std::vector<std::string> play(app::Engine& engine, Effect& effect, Effect::Barriers barriers, const char* name)
{
    const VkCommandBuffer commands = effect.record_frame(barriers);
    size_t right = 0;
    for (uint32_t number = 0; number < 100; ++number)
        right += effect.show(commands, number);
    const std::vector<std::string> messages = engine.take_messages();
    std::printf("    barriers %s: recorded once, submitted 100 times, %zu values right, %zu validation messages\n", name, right,
                messages.size());
    return messages;
}

size_t hazards(const std::vector<std::string>& messages)
{
    return size_t(std::count_if(messages.begin(), messages.end(),
                                [](const std::string& text) { return text.find("SYNC-HAZARD") != std::string::npos; }));
}

}  // namespace

int main()
{
    app::Engine first;
    for (size_t i = 0; i < first.physical_devices.size(); ++i) {
        app::Engine engine(nullptr, true);
        app::create_device_for_vkonnx(engine, engine.physical_devices[i]);
        std::printf("%s, validation %s\n", engine.name_of(engine.physical_device).c_str(), engine.validates ? "on" : "off");
        Effect effect(engine);
        for (const auto& [barriers, name] :
             {std::pair(Effect::Barriers::by_vkonnx, "by vkonnx"), std::pair(Effect::Barriers::by_engine, "by the engine")}) {
            const std::vector<std::string> messages = play(engine, effect, barriers, name);
            app::check(messages.empty(), messages.empty() ? "" : messages.front());
        }
        if (!engine.validates)
            continue;
        for (const auto& [barriers, which] : {std::pair(Effect::Barriers::by_engine_first_missing, "before"),
                                              std::pair(Effect::Barriers::by_engine_last_missing, "after")}) {
            (void)effect.record_frame(barriers);  // and never submitted: its result would be undefined
            const size_t reported = hazards(engine.take_messages());
            std::printf("    the engine's barrier %s taken away: %zu hazards reported\n", which, reported);
            app::check(reported > 0, std::string("synchronization validation misses no barrier ") + which);
        }
    }
    return first.physical_devices.empty() ? 1 : 0;
}
