#include "scenes.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "heap.h"
#include "kit/models.h"
#include "kit/onnx_builder.h"

namespace vkonnx::faults {
namespace {

constexpr double patience = 60;
constexpr VkBufferUsageFlags every_usage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// Returns the value. Throws where something fails on which the test itself relies.
template <class T>
T must(Result<T> result, const char* what)
{
    if (!result)
        throw std::runtime_error(std::string(what) + ": " + std::string(result.message()));
    return std::move(*result);
}

// Calls the library, so that its allocations count.
template <class Call>
auto lib(Call call)
{
    const heap::Scope scope;
    return call();
}

// Moves the value to `place`.
template <class T>
Status take(Result<T> result, T& place)
{
    if (!result)
        return result.status();
    place = std::move(*result);
    return {};
}

const Operator& small_pool()
{
    static const Operator pool = AveragePool{.kernel_shape = {2, 2}, .strides = {2, 2}};
    return pool;
}

// Describes a pool whose answer is exact.
void describe_pool(World& world)
{
    world.input_descs = {{DType::float32, {1, 1, 2, 6}}};
    world.y_desc = {DType::float32, {1, 1, 1, 3}};
    world.expected = {4, 0, 4};
}

const std::vector<float> pool_x = {1, 3, -8, 2, 0, 4, 5, 7, 2, 4, 4, 8};

const Operator& small_sum()
{
    static const Operator sum = ConvTranspose{};
    return sum;
}

const std::vector<float> sum_x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
const std::vector<float> sum_w = {0, 1, 0, 1, 1, 2, 2, 2, 2, 2, 2, 3};

// Returns what the definition gives for the sum above.
std::vector<float> sum_y()
{
    std::vector<float> y(12, 0);
    for (size_t c = 0; c < 3; ++c)
        for (size_t m = 0; m < 2; ++m)
            for (size_t i = 0; i < 5; ++i)
                for (size_t t = 0; t < 2; ++t)
                    y[m * 6 + i + t] += sum_x[c * 5 + i] * sum_w[c * 4 + m * 2 + t];
    return y;
}

// Describes a sum over three channels of integers, which a slow device cuts into many submits.
void describe_sum(World& world)
{
    world.input_descs = {{DType::float32, {1, 3, 5}}, {DType::float32, {3, 2, 2}}};
    world.y_desc = {DType::float32, {1, 2, 6}};
    world.expected = sum_y();
}

void open(World& world)
{
    world.options.self_test = false;
    world.device = must(Device::open(world.options), "open");
}

void make_tensors(World& world, const std::vector<const std::vector<float>*>& contents)
{
    for (size_t i = 0; i < contents.size(); ++i)
        world.inputs.push_back(must(world.device.tensor(world.input_descs[i], *contents[i]), "tensor"));
    world.y = must(world.device.tensor(world.y_desc), "tensor");
}

void prepare_pool(World& world)
{
    describe_pool(world);
    open(world);
    world.op = must(world.device.prepare(small_pool(), world.input_descs), "prepare");
    make_tensors(world, {&pool_x});
}

void bind_pool(World& world)
{
    prepare_pool(world);
    world.binding = must(world.device.bind(world.op, world.inputs, {&world.y, 1}), "bind");
}

// Binds a sum on a device that is taken for so slow that one output of few taps fills a submit.
void bind_cut_sum(World& world)
{
    describe_sum(world);
    world.options.capabilities = must(Capabilities::preset("desktop"), "preset");
    world.options.capabilities->work_per_second = 200;
    open(world);
    world.op = must(world.device.prepare(small_sum(), world.input_descs), "prepare");
    if (world.op.explanation().grids.size() < 3)
        throw std::runtime_error("the sum is not cut");
    make_tensors(world, {&sum_x, &sum_w});
    world.binding = must(world.device.bind(world.op, world.inputs, {&world.y, 1}), "bind");
}

// Makes weights for the sum that never change, and that a kernel of the tests' own packs.
void hold_weights(World& world)
{
    describe_sum(world);
    open(world);
    make_tensors(world, {&sum_x, &sum_w});
}

// Acts as an application that keeps the cache in its own memory, and finds it there when it opens the device once more.
void keep_in_memory(World& world)
{
    describe_pool(world);
    world.kept.reserve(size_t(1) << 20);  // so that the callback allocates nothing
    world.options.load_cache = [&world](std::string_view) { return world.kept; };
    world.options.store_cache = [&world](std::string_view, std::span<const std::byte> bytes) {
        world.kept.assign(bytes.begin(), bytes.end());
    };
    must(Device::open(world.options), "open").save_cache();
    if (world.kept.empty())
        throw std::runtime_error("nothing was kept");
}

Status open_and_prepare_kept(World& world)
{
    return lib([&]() -> Status {
        if (Status status = take(Device::open(world.options), world.device); !status)
            return status;
        if (Status status = take(world.device.prepare(small_pool(), world.input_descs), world.op); !status)
            return status;
        world.device.save_cache();
        return {};
    });
}

Status prepare_packed(World& world)
{
    const PrepareOptions options = {.kernel = "conv_transpose_columns", .constants = {{.input = 1, .tensor = world.inputs[1]}}};
    return take(lib([&] { return world.device.prepare(small_sum(), world.input_descs, options); }), world.op);
}

Status bind_packed(World& world)
{
    return take(lib([&] { return world.device.bind(world.op, {&world.inputs[0], 1}, {&world.y, 1}); }), world.binding);
}

void forget_result(World& world)
{
    if (world.y)
        (void)world.y.upload(std::vector<float>(world.expected.size(), -1));
}

std::string compare(const std::vector<float>& got, const std::vector<float>& expected)
{
    if (got == expected)
        return "";
    std::string text = "the result is wrong:";
    for (const float value : got)
        text += " " + std::to_string(value);
    return text;
}

std::string check_result(World& world)
{
    std::vector<float> values(world.expected.size(), -1);
    if (const Status status = world.y.download(values); !status)
        return "the result can't be read: " + std::string(status.message());
    return compare(values, world.expected);
}

// Checks the result, unless the device is lost. Work that goes on when nobody holds its job can't tell that.
std::string check_result_unless_lost(World& world)
{
    return world.device.tensor(world.y_desc).code() == Code::device_lost ? "" : check_result(world);
}

std::string run_and_check(World& world)
{
    forget_result(world);
    const Status ran = world.device.run(world.binding);
    return ran ? check_result(world) : "a run fails: " + std::string(ran.message());
}

// Checks that the Op computes, once.
std::string check_op(World& world)
{
    world.inputs.clear();
    make_tensors(world, {&pool_x});
    world.binding = must(world.device.bind(world.op, world.inputs, {&world.y, 1}), "bind");
    return run_and_check(world);
}

// Checks that the Op computes, and that what was timed is either known or not. Estimates decide where memory was out.
std::string check_tuned(World& world)
{
    const Result<std::string> tunings = world.device.tunings();
    if (!tunings)
        return "tunings: " + std::string(tunings.message());
    const bool whole = tunings->empty() || (tunings->starts_with("average_pool_") && tunings->ends_with("\n"));
    return whole ? check_op(world) : "tunings are " + *tunings;
}

std::string check_packed(World& world)
{
    const Status bound = bind_packed(world);
    return bound ? run_and_check(world) : "a bind fails: " + std::string(bound.message());
}

// Checks that a device computes.
std::string check_device(World& world)
{
    describe_pool(world);
    world.op = must(world.device.prepare(small_pool(), world.input_descs), "prepare");
    return check_op(world);
}

// Compares capabilities, since a query that failed must not be taken for an answer. What the self-test finds may vary from run to
// run.
bool same(Capabilities got, const Capabilities& expected)
{
    got.work_per_second = expected.work_per_second;
    got.rounds_to_nearest = expected.rounds_to_nearest;
    return got == expected;
}

void list(World& world)
{
    world.expected_infos = must(Device::list(world.options), "list");
}

std::string check_infos(World& world)
{
    if (world.infos.size() != world.expected_infos.size())
        return "another number of devices is listed";
    for (size_t i = 0; i < world.infos.size(); ++i)
        if (world.infos[i].rejected.empty() && !same(world.infos[i].capabilities, world.expected_infos[i].capabilities))
            return "a device is listed with other capabilities";
    return "";
}

std::string check_opened(World& world)
{
    const bool right = same(world.device.capabilities(), world.expected_capabilities);
    return right ? check_device(world) : "the device has other capabilities";
}

Status submit_and_wait(World& world)
{
    if (Status status = take(lib([&] { return world.device.submit(world.binding); }), world.job); !status)
        return status;
    return lib([&] { return world.job.wait(patience); });
}

// Waits for the job, which goes on although an earlier wait ran out of time.
void await_and_forget(World& world)
{
    (void)world.job.wait(patience);
    forget_result(world);
}

Status drop_in_flight(World& world)
{
    Result<Binding> binding = lib([&] { return world.device.bind(world.op, world.inputs, {&world.y, 1}); });
    if (!binding)
        return binding.status();
    const Status submitted = lib([&] { return world.device.submit(*binding); }).status();
    lib([&] { return std::exchange(*binding, {}); });
    return submitted;
}

Status record_and_run(World& world)
{
    if (Status status = take(lib([&] { return world.device.recording(); }), world.recording); !status)
        return status;
    for (int i = 0; i < 2; ++i)
        if (Status status = lib([&] { return world.recording.add(world.binding); }); !status)
            return status;
    return lib([&] { return world.recording.run(); });
}

void bind_to_copy(World& world)
{
    bind_pool(world);
    world.taken.assign(world.expected.size(), -1);
}

// Records two uploads. The second one overwrites the first, and the host can't write the tensor itself.
Status record_with_copies(World& world)
{
    if (Status status = take(lib([&] { return world.device.recording(); }), world.recording); !status)
        return status;
    size_t numbers[3] = {};
    for (size_t i = 0; i < 2; ++i) {
        if (Status status = take(lib([&] { return world.recording.add_upload(world.inputs[0]); }), numbers[i]); !status)
            return status;
        if (Status status = lib([&] { return world.recording.add(world.binding); }); !status)
            return status;
    }
    if (Status status = take(lib([&] { return world.recording.add_download(world.y); }), numbers[2]); !status)
        return status;
    for (size_t i = 0; i < 2; ++i) {
        const Result<std::span<std::byte>> bytes = lib([&] { return world.recording.upload_bytes(numbers[i]); });
        if (!bytes)
            return bytes.status();
        std::ranges::fill(*bytes, std::byte());
        if (i == 1)
            std::ranges::copy(std::as_bytes(std::span(pool_x)), bytes->begin());
    }
    if (Status status = lib([&] { return world.recording.run(); }); !status)
        return status;
    const Result<std::span<const std::byte>> bytes = lib([&] { return world.recording.download_bytes(numbers[2]); });
    if (!bytes)
        return bytes.status();
    std::ranges::copy(*bytes, std::as_writable_bytes(std::span(world.taken)).begin());
    return {};
}

void make_engine(World& world)
{
    world.engine.emplace(reinterpret_cast<PFN_vkGetInstanceProcAddr>(world.options.get_instance_proc_addr));
    app::create_device_for_vkonnx(*world.engine, world.engine->physical_devices.at(size_t(std::stoul(world.options.select))));
}

void adopt(World& world)
{
    world.options.self_test = false;
    world.device = must(vulkan::adopt(app::description_of(*world.engine), world.options), "adopt");
}

void prepare_to_wrap(World& world)
{
    make_engine(world);
    adopt(world);
    describe_pool(world);
    world.op = must(world.device.prepare(small_pool(), world.input_descs), "prepare");
    world.x_buffer = world.engine->create_buffer(4096, every_usage, true);
    world.y_buffer = world.engine->create_buffer(4096, every_usage, true);
    std::copy(pool_x.begin(), pool_x.end(), world.x_buffer.as<float>(0, pool_x.size()).begin());
    world.inputs.resize(1);
}

void forget_buffer(World& world)
{
    std::ranges::fill(world.y_buffer.as<float>(0, world.expected.size()), -1.0f);
}

Status wrap_and_bind(World& world)
{
    const auto slice = [](const app::Buffer& buffer) {
        return vulkan::BufferSlice{.buffer = buffer.handle, .offset = 0, .size = buffer.size, .usage = every_usage};
    };
    if (Status status =
            take(lib([&] { return vulkan::wrap(world.device, slice(world.x_buffer), world.input_descs[0]); }), world.inputs[0]);
        !status)
        return status;
    if (Status status = take(lib([&] { return vulkan::wrap(world.device, slice(world.y_buffer), world.y_desc); }), world.y);
        !status)
        return status;
    return take(lib([&] { return world.device.bind(world.op, world.inputs, {&world.y, 1}); }), world.binding);
}

Status wrap_and_run(World& world)
{
    if (Status status = wrap_and_bind(world); !status)
        return status;
    return lib([&] { return world.device.run(world.binding); });
}

Status wrap_and_record(World& world)
{
    if (Status status = wrap_and_bind(world); !status)
        return status;
    return lib([&] { return vulkan::record(world.commands, world.binding, vulkan::RecordFlags::outer_barriers); });
}

std::string check_buffer(World& world)
{
    const std::span<const float> values = world.y_buffer.as<float>(0, world.expected.size());
    return compare({values.begin(), values.end()}, world.expected);
}

std::string play_and_check_buffer(World& world)
{
    world.engine->end_commands(world.commands);
    world.engine->submit(world.commands);
    return check_buffer(world);
}

void make_model_file(World& world)
{
    std::ofstream(world.model_file, std::ios::binary) << kit::half_then_double();
}

std::string check_model(World& world)
{
    return world.model.inputs().size() == 1 && world.model.outputs().size() == 2 ? "" : "the model lacks inputs or outputs";
}

void prepare_session(World& world)
{
    const std::string bytes = kit::antialias_half();
    world.model = must(onnx::Model::parse(std::as_bytes(std::span(bytes))), "parse");
    open(world);
    const std::vector<float> values(size_t{1} * 3 * 4 * 4, 2.5f);
    onnx::HostTensor& input = world.host_inputs.emplace_back();
    input.desc = {DType::float32, {1, 3, 4, 4}};
    const auto content = std::as_bytes(std::span(values));
    input.data.assign(content.begin(), content.end());
    world.expected.assign(size_t{1} * 3 * 2 * 2, 2.5f);
    world.taken.resize(world.expected.size());
}

Status prepare_and_run_session(World& world)
{
    const onnx::NamedDesc described = {"X", world.host_inputs[0].desc};
    if (Status status = take(lib([&] {
                                 return onnx::Session::prepare(world.device, world.model, {&described, 1});
                             }),
                             world.session);
        !status)
        return status;
    const Result<std::vector<onnx::HostTensor>> outputs = lib([&] { return world.session.run(world.host_inputs); });
    if (!outputs)
        return outputs.status();
    std::copy_n(outputs->at(0).data.data(), world.taken.size() * sizeof(float),
                std::as_writable_bytes(std::span(world.taken)).data());
    return {};
}

// Prepares two pools, so that there is a value between them and neither has weights.
void prepare_bound_session(World& world)
{
    const auto kernel = kit::ints_attribute("kernel_shape", {1, 2});
    const std::string bytes = kit::ModelBuilder()
                                  .opset(13)
                                  .input("X", DType::float32, {1, 1, 1, 3})
                                  .node("AveragePool", {"X"}, {"between"}, {kernel})
                                  .node("AveragePool", {"between"}, {"Y"}, {kernel})
                                  .output("Y")
                                  .build();
    world.model = must(onnx::Model::parse(std::as_bytes(std::span(bytes))), "parse");
    open(world);
    world.inputs = {must(world.device.tensor({DType::float32, {1, 1, 1, 3}}, std::vector<float>{1, 3, 9}), "tensor")};
    world.y = must(world.device.tensor({DType::float32, {1, 1, 1, 1}}), "tensor");
    world.expected = {4};
}

Status bind_and_run_session(World& world)
{
    if (Status status = take(lib([&] { return onnx::Session::prepare(world.device, world.model, {}); }), world.session); !status)
        return status;
    if (Status status = take(lib([&] { return world.session.bind(world.inputs, {&world.y, 1}); }), world.recording); !status)
        return status;
    return lib([&] { return world.recording.run(); });
}

// Calls the public functions that need no device.
Status explain_all(World& world)
{
    if (const auto inferred = lib([&] { return infer(small_sum(), world.input_descs); }); !inferred)
        return inferred.status();
    if (const auto size = lib([&] { return byte_size(world.y_desc); }); !size)
        return size.status();
    const Result<Capabilities> capabilities = lib([&] { return Capabilities::preset("minimum"); });
    if (!capabilities)
        return capabilities.status();
    const Result<Explanation> explained = lib([&] { return explain(small_sum(), world.input_descs, *capabilities); });
    if (!explained)
        return explained.status();
    return explained->outputs.at(0) == world.y_desc ? Status() : Status(Code::driver_error, "explain gives another output");
}

Scene session_scene(bool staged)
{
    return {.name = staged ? "staged session" : "session",
            .split_memory = staged,
            .drops_handles = staged,  // preparing drops the buffers through which it uploads
            .set_up = prepare_session,
            .attempt = prepare_and_run_session,
            .check = [](World& w) { return compare(w.taken, w.expected); }};
}

Scene tensor_scene(bool staged)
{
    return {.name = staged ? "staged tensor" : "tensor",
            .split_memory = staged,
            .set_up =
                [](World& w) {
                    describe_pool(w);
                    w.expected = {1.5f, -2, 3};
                    w.taken.assign(3, -1);
                    open(w);
                },
            .attempt =
                [](World& w) {
                    if (Status status = take(lib([&] { return w.device.tensor(w.y_desc, w.expected); }), w.y); !status)
                        return status;
                    return lib([&] { return w.y.download(w.taken); });
                },
            .check = [](World& w) { return compare(w.taken, w.expected); }};
}

}  // namespace

World::World(const gpu_test::PresentDevice& present, const kit::ShimOptions& shim_options) : shim(shim_options)
{
    options.select = std::to_string(present.index);
    options.get_instance_proc_addr = shim.get_instance_proc_addr();
}

void World::clear()
{
    const heap::Scope scope;
    infos = std::vector<DeviceInfo>();  // frees its memory, too
    session = {};
    model = {};
    job = {};
    recording = {};
    binding = {};
    op = {};
    y = {};
    inputs.clear();
    device = {};
}

const std::vector<Scene>& scenes()
{
    const auto nothing = [](World&) { return std::string(); };
    static const std::vector<Scene> all = {
        {.name = "list",
         .set_up = list,
         .attempt = [](World& w) { return take(lib([&] { return Device::list(w.options); }), w.infos); },
         .check = check_infos},
        {.name = "open",
         .drops_handles = true,
         .set_up = [](World& w) { w.expected_capabilities = must(Device::open(w.options), "open").capabilities(); },
         .attempt = [](World& w) { return take(lib([&] { return Device::open(w.options); }), w.device); },
         .check = check_opened},
        {.name = "open with a cache",
         .drops_handles = true,
         .set_up = keep_in_memory,
         .attempt = open_and_prepare_kept,
         .check = check_op},
        {.name = "explain", .set_up = describe_sum, .attempt = explain_all, .check = nothing},
        {.name = "prepare",
         .set_up =
             [](World& w) {
                 describe_pool(w);
                 open(w);
             },
         .attempt = [](World& w) { return take(lib([&] { return w.device.prepare(small_pool(), w.input_descs); }), w.op); },
         .check = check_op},
        {.name = "prepare by the clock",
         .drops_handles = true,
         .set_up =
             [](World& w) {
                 describe_pool(w);
                 open(w);
             },
         .attempt =
             [](World& w) {
                 return take(lib([&] { return w.device.prepare(small_pool(), w.input_descs, {.tune = true}); }), w.op);
             },
         .check = check_tuned},
        {.name = "prepare with constants",
         .drops_handles = true,
         .set_up = hold_weights,
         .attempt = prepare_packed,
         .check = check_packed},
        tensor_scene(false),
        tensor_scene(true),
        {.name = "bind",
         .set_up = prepare_pool,
         .attempt = [](World& w) { return take(lib([&] {
                                                   return w.device.bind(w.op, w.inputs, {&w.y, 1});
                                               }),
                                               w.binding); },
         .check = run_and_check},
        {.name = "bind texels",
         .set_up =
             [](World& w) {
                 hold_weights(w);
                 if (const Status prepared = prepare_packed(w); !prepared)
                     throw std::runtime_error("prepare: " + std::string(prepared.message()));
             },
         .attempt = bind_packed,
         .check = run_and_check},
        {.name = "run",
         .set_up = bind_pool,
         .before = forget_result,
         .attempt = [](World& w) { return lib([&] { return w.device.run(w.binding); }); },
         .check = check_result},
        {.name = "cut run",
         .set_up = bind_cut_sum,
         .before = forget_result,
         .attempt = [](World& w) { return lib([&] { return w.device.run(w.binding); }); },
         .check = check_result},
        {.name = "submit", .set_up = bind_pool, .before = await_and_forget, .attempt = submit_and_wait, .check = check_result},
        {.name = "cut submit",
         .set_up = bind_cut_sum,
         .before = await_and_forget,
         .attempt = submit_and_wait,
         .check = check_result},
        {.name = "handles dropped in flight",
         .drops_handles = true,
         .set_up = prepare_pool,
         .before = forget_result,
         .attempt = drop_in_flight,
         .check = check_result_unless_lost},
        {.name = "recording", .set_up = bind_pool, .before = forget_result, .attempt = record_and_run, .check = check_result},
        {.name = "recording with copies",
         .split_memory = true,
         .set_up = bind_to_copy,
         .attempt = record_with_copies,
         .check = [](World& w) { return compare(w.taken, w.expected); }},
        {.name = "one-call run",
         .drops_handles = true,
         .set_up = prepare_pool,
         .before = forget_result,
         .attempt = [](World& w) { return lib([&] { return w.device.run(w.op, {w.inputs[0]}, {w.y}); }); },
         .check = check_result},
        {.name = "adopt",
         .drops_handles = true,
         .set_up =
             [](World& w) {
                 make_engine(w);
                 w.expected_capabilities = must(vulkan::adopt(app::description_of(*w.engine), w.options), "adopt").capabilities();
             },
         .attempt =
             [](World& w) {
                 const vulkan::AdoptedDevice adopted = app::description_of(*w.engine);
                 return take(lib([&] { return vulkan::adopt(adopted, w.options); }), w.device);
             },
         .check = check_opened},
        {.name = "wrap and run",
         .set_up = prepare_to_wrap,
         .before = forget_buffer,
         .attempt = wrap_and_run,
         .check = check_buffer},
        {.name = "wrap and record",
         .set_up = prepare_to_wrap,
         .before =
             [](World& w) {
                 forget_buffer(w);
                 w.commands = w.engine->begin_commands();
             },
         .attempt = wrap_and_record,
         .check = play_and_check_buffer},
        {.name = "model load",
         .set_up = make_model_file,
         .attempt = [](World& w) { return take(lib([&] { return onnx::Model::load(w.model_file); }), w.model); },
         .check = check_model},
        session_scene(false),
        session_scene(true),
        {.name = "session bound", .set_up = prepare_bound_session, .attempt = bind_and_run_session, .check = check_result},
    };
    return all;
}

}  // namespace vkonnx::faults
