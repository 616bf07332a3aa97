#include "injector.h"

#include "heap.h"

namespace vkonnx::faults {
namespace {

void begin(World& world, const Injection& injection)
{
    constexpr size_t never = SIZE_MAX;
    heap::inject(injection.in_heap ? injection.number : never, injection.lasting);
    world.shim.inject({injection.in_heap ? never : injection.number, injection.error, injection.lasting});
}

void end(World& world)
{
    world.shim.end_injection();
    heap::end_injection();
}

// A status with a sentence, or a right result. "" when that holds.
std::string judge(const Scene& scene, World& world, const Status& status)
{
    if (status)
        return scene.check(world);
    if (status.code() == Code::ok || status.message().empty())
        return "a failure has no sentence";
    return status.code() == Code::invalid_argument ? "the caller is blamed: " + std::string(status.message()) : "";
}

std::string all_of(const std::vector<std::string>& sentences)
{
    std::string text;
    for (const std::string& sentence : sentences)
        text += (text.empty() ? "" : "; ") + sentence;
    return text;
}

// What is left when all handles are gone, or "". What may be in use is left alone.
std::string judge_rest(World& world, int64_t blocks_before, bool abandoned)
{
    std::string text = all_of(world.shim.violations()) + world.shim.guard_report();
    world.engine.reset();
    if (abandoned)
        return text;
    if (const int64_t objects = world.shim.live_objects(); objects != 0)
        text += (text.empty() ? "" : "; ") + std::to_string(objects) + " Vulkan objects leak";
    if (const int64_t blocks = heap::live() - blocks_before; blocks != 0)
        text += (text.empty() ? "" : "; ") + std::to_string(blocks) + " blocks of memory leak";
    return text;
}

kit::ShimOptions shim_options(const Scene& scene)
{
    kit::ShimOptions options;
    options.split_memory = scene.split_memory;
    options.watch_flight = true;
    return options;
}

// A first play fills what the standard library and drivers keep for ever. The loader unloads a driver with its last instance, and
// SwiftShader keeps a thread's key each time: one instance stays.
void warm_up(const Scene& scene, const gpu_test::PresentDevice& present)
{
    static const app::Engine keeps_drivers_loaded;
    World world(present, shim_options(scene));
    scene.set_up(world);
    scene.before(world);
    (void)scene.attempt(world);
    world.clear();
    world.engine.reset();
}

}  // namespace

std::vector<Injection> injections(const Scene& scene, const gpu_test::PresentDevice& present)
{
    World world(present, shim_options(scene));
    scene.set_up(world);
    scene.before(world);
    begin(world, {.in_heap = true, .number = SIZE_MAX});
    const Status status = scene.attempt(world);
    end(world);
    std::vector<Injection> all;
    if (const std::string wrong = status ? scene.check(world) : std::string(status.message()); !wrong.empty())
        throw std::runtime_error(std::string(scene.name) + " fails without an injection: " + wrong);
    const std::vector<kit::FallibleCall> calls = world.shim.fallible_calls();
    for (const bool lasting : {false, true}) {
        for (size_t i = 0; i < calls.size(); ++i)
            for (const int error : calls[i].errors)
                all.push_back({false, i, error, lasting});
        for (size_t i = 0; i < heap::asked(); ++i)
            all.push_back({true, i, 0, lasting});
    }
    world.clear();
    world.engine.reset();
    return all;
}

Outcome survive(const Scene& scene, const gpu_test::PresentDevice& present, const Injection& injection)
{
    static const Scene* warm = nullptr;
    if (warm != &scene)
        warm_up(scene, present);
    warm = &scene;

    const int64_t blocks_before = heap::live();
    World world(present, shim_options(scene));
    scene.set_up(world);
    scene.before(world);

    begin(world, injection);
    std::optional<Status> status = scene.attempt(world);
    if (!injection.lasting)
        end(world);
    const bool met = heap::injected() + world.shim.injected() > 0;
    const bool late = !injection.in_heap && injection.error == VK_TIMEOUT;
    const bool lost = late || (!injection.in_heap && injection.error == VK_ERROR_DEVICE_LOST);
    std::string wrong;
    if (injection.lasting) {
        if (!*status)
            wrong = judge(scene, world, *status);
        heap::inject(0, true);  // while it still fails, and destructors allocate nothing
        world.clear();
        if (heap::asked() != 0)
            wrong += (wrong.empty() ? "" : "; ") + std::string("destructors allocate");
        end(world);
    } else {
        wrong = judge(scene, world, *status);
        if (wrong.empty()) {
            scene.before(world);
            *status = scene.attempt(world);
            if (*status)
                wrong = scene.check(world);
            else if (!(lost && status->code() == Code::device_lost))
                wrong = "the repeated call fails: " + std::string(status->message());
        }
        world.clear();
    }
    status.reset();
    const bool abandoned = world.shim.in_flight();
    if (abandoned && !injection.lasting && !late)
        wrong += (wrong.empty() ? "" : "; ") + std::string("work is in flight, though one failure only could hide its end");
    if (const std::string rest = judge_rest(world, blocks_before, abandoned); !rest.empty())
        wrong += (wrong.empty() ? "" : "; ") + rest;
    if (!wrong.empty())
        return {Verdict::broken, wrong};
    return {!met ? Verdict::not_met : abandoned ? Verdict::abandoned : Verdict::survived, ""};
}

std::string to_string(const Injection& injection)
{
    const std::string from = injection.lasting ? ", lasting" : "";
    if (injection.in_heap)
        return "allocation " + std::to_string(injection.number) + from;
    return "call " + std::to_string(injection.number) + ", VkResult " + std::to_string(injection.error) + from;
}

}  // namespace vkonnx::faults
