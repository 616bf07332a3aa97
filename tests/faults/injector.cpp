#include "injector.h"

#include "heap.h"

namespace vkonnx::faults {
namespace {

void begin(World& world, const Injection& injection)
{
    constexpr size_t never = SIZE_MAX;
    heap::inject(injection.in_heap ? injection.number : never, injection.lasts());
    world.shim.inject({injection.in_heap ? never : injection.number, injection.error, injection.reach});
}

void end(World& world)
{
    world.shim.end_injection();
    heap::end_injection();
}

// Returns "" if the status is a failure with a sentence, or if the result is right. Otherwise tells what is wrong.
std::string judge(const Scene& scene, World& world, const Status& status)
{
    if (status)
        return scene.check(world);
    if (status.code() == Code::ok || status.message().empty())
        return "a failure has no sentence";
    return status.code() == Code::invalid_argument ? "the caller is blamed: " + std::string(status.message()) : "";
}

// This class gathers what is wrong, one sentence for each.
class Complaints {
public:
    void add(const std::string& sentence)
    {
        if (!sentence.empty())
            text_ += (text_.empty() ? "" : "; ") + sentence;
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

// Checks what is left when all handles are gone. Objects that may be in use were left alone, and do not count.
void judge_rest(World& world, int64_t blocks_before, bool abandoned, Complaints& wrong)
{
    for (const std::string& violation : world.shim.violations())
        wrong.add(violation);
    wrong.add(world.shim.guard_report());
    world.engine.reset();
    if (abandoned)
        return;
    if (const int64_t objects = world.shim.live_objects(); objects != 0)
        wrong.add(std::to_string(objects) + " Vulkan objects leak");
    if (const int64_t blocks = heap::live() - blocks_before; blocks != 0)
        wrong.add(std::to_string(blocks) + " blocks of memory leak");
}

// Destroys everything while it still fails, and without memory, since destructors must allocate nothing.
void drop_without_memory(World& world, Complaints& wrong)
{
    heap::inject(0, true);
    world.clear();
    if (heap::asked() != 0)
        wrong.add("destructors allocate");
    end(world);
}

// Repeats the attempt on the same objects when nothing fails any more.
void repeat(const Scene& scene, World& world, bool may_be_lost, Complaints& wrong)
{
    scene.before(world);
    const Status status = scene.attempt(world);
    if (status)
        wrong.add(scene.check(world));
    else if (!may_be_lost || status.code() != Code::device_lost)
        wrong.add("the repeated call fails: " + std::string(status.message()));
}

kit::ShimOptions shim_options(const Scene& scene)
{
    kit::ShimOptions options;
    options.split_memory = scene.split_memory;
    options.watch_flight = true;
    return options;
}

// Plays the scene once before anything is counted, so that the standard library and drivers have what they keep for ever. One
// instance stays, because the loader unloads a driver with its last instance, and SwiftShader keeps a thread's key each time.
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
    for (const kit::Reach reach : {kit::Reach::once, kit::Reach::kind, kit::Reach::all}) {
        for (size_t i = 0; i < calls.size(); ++i)
            for (const int error : calls[i].errors)
                all.push_back({false, i, error, reach});
        for (size_t i = 0; reach != kit::Reach::kind && i < heap::asked(); ++i)
            all.push_back({true, i, 0, reach});
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
    if (!injection.lasts())
        end(world);
    const bool met = heap::injected() + world.shim.injected() > 0;
    const bool late = !injection.in_heap && injection.error == VK_TIMEOUT;
    const bool given_up = scene.drops_handles && world.shim.in_flight();
    const bool lost = late || given_up || (!injection.in_heap && injection.error == VK_ERROR_DEVICE_LOST);
    Complaints wrong;
    if (!injection.lasts() || !*status)
        wrong.add(judge(scene, world, *status));
    if (injection.lasts())
        drop_without_memory(world, wrong);
    else if (wrong.text().empty())
        repeat(scene, world, lost, wrong);
    status.reset();
    world.clear();
    const bool abandoned = given_up || world.shim.in_flight();
    if (abandoned && !injection.lasts() && !given_up && !late)
        wrong.add("work is in flight, though its end could be seen");
    judge_rest(world, blocks_before, abandoned, wrong);
    if (!wrong.text().empty())
        return {Verdict::broken, wrong.text()};
    return {!met ? Verdict::not_met : abandoned ? Verdict::abandoned : Verdict::survived, ""};
}

std::string to_string(const Injection& injection)
{
    constexpr const char* reaches[] = {"", ", and all later ones of its kind", ", and all later ones"};
    const std::string from = reaches[size_t(injection.reach)];
    if (injection.in_heap)
        return "allocation " + std::to_string(injection.number) + from;
    return "call " + std::to_string(injection.number) + ", VkResult " + std::to_string(injection.error) + from;
}

}  // namespace vkonnx::faults
