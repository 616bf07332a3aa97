// faults_test plays each scene on each device while one call or allocation fails, for each of them and for each error that Vulkan
// lets it return: once, for all later calls of its kind, and for all later ones. Only a full run takes all of these. A child
// process does the work, so that a crash or a hang fails one injection alone.
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

#include "injector.h"
#include "isolate.h"
#include "kit/draw.h"

namespace vkonnx::faults {
namespace {

constexpr double patience_seconds = 300;  // for one piece of work: only one that hangs takes so long

// Returns the injections as text, in which a child process hands them over.
std::string to_text(const std::vector<Injection>& injections)
{
    std::ostringstream text;
    for (const Injection& one : injections)
        text << one.in_heap << ' ' << one.number << ' ' << one.error << ' ' << int(one.reach) << '\n';
    return text.str();
}

std::vector<Injection> injections_from(const std::string& text)
{
    std::vector<Injection> injections;
    std::istringstream words(text);
    int reach = 0;
    for (Injection one; words >> one.in_heap >> one.number >> one.error >> reach; injections.push_back(one))
        one.reach = kit::Reach(reach);
    return injections;
}

// Returns every tenth injection, so that each part of a scene is met, or all in a full run. The first and the last are always
// among them.
std::vector<Injection> to_play(const std::vector<Injection>& all)
{
    if (kit::full_run())
        return all;
    std::vector<Injection> some;
    for (size_t i = 0; i < all.size(); ++i)
        if (i % 10 == 0 || i + 1 == all.size())
            some.push_back(all[i]);
    return some;
}

class Survives : public testing::Test {
public:
    Survives(const Scene& scene, const gpu_test::PresentDevice& present) : scene_(scene), present_(present) {}

    void TestBody() override
    {
        const Result<std::string> listed = tools::run_isolated(
            [&] {
                try {
                    return to_text(injections(scene_, present_));
                } catch (const std::exception& error) {
                    return std::string("! ") + error.what();
                }
            },
            patience_seconds);
        ASSERT_TRUE(listed) << listed.message();
        ASSERT_NE(listed->substr(0, 1), "!") << *listed;
        const std::vector<Injection> all = to_play(injections_from(*listed));
        ASSERT_FALSE(all.empty());
        const auto work = [&](size_t i) {
            const Outcome outcome = survive(scene_, present_, all[i]);
            return std::to_string(int(outcome.verdict)) + outcome.what;
        };
        std::vector<Result<std::string>> outcomes = tools::run_all_isolated(all.size(), work, patience_seconds);
        size_t counts[4] = {};
        for (size_t i = 0; i < all.size(); ++i) {
            const bool explained = outcomes[i].ok() && !outcomes[i]->empty();
            const auto verdict = explained ? Verdict(outcomes[i]->front() - '0') : Verdict::broken;
            ++counts[size_t(verdict)];
            if (verdict == Verdict::broken)
                ADD_FAILURE() << to_string(all[i]) << ": "
                              << (explained ? outcomes[i]->substr(1) : std::string(outcomes[i].message()));
        }
        const size_t survived = counts[size_t(Verdict::survived)] + counts[size_t(Verdict::abandoned)];
        const size_t injected = all.size() - counts[size_t(Verdict::not_met)];
        std::printf("%s, %s: %zu of %zu injected failures survived, %zu of them with what may still be in use left alone\n",
                    present_.label.c_str(), scene_.name, survived, injected, counts[size_t(Verdict::abandoned)]);
        EXPECT_GE(injected * 2, all.size()) << "more met nothing than loops of the self-test that end early can explain";
    }

private:
    const Scene& scene_;
    const gpu_test::PresentDevice& present_;
};

// Returns the devices that a child process found. This process never touches a driver, so that it can be forked again and again.
std::vector<gpu_test::PresentDevice> find_devices()
{
    const Result<std::string> listed = tools::run_isolated(
        [] {
            std::string problem;
            std::ostringstream text;
            for (const gpu_test::PresentDevice& device : gpu_test::present_devices(problem))
                text << device.index << ' ' << device.label << '\n';
            return text.str();
        },
        patience_seconds);
    std::vector<gpu_test::PresentDevice> devices;
    std::istringstream words(listed ? *listed : std::string());
    for (gpu_test::PresentDevice device; words >> device.index >> device.label;)
        devices.push_back(device);
    return devices;
}

}  // namespace
}  // namespace vkonnx::faults

int main(int argc, char** argv)
{
    using namespace vkonnx::faults;
    testing::InitGoogleTest(&argc, argv);
    static const std::vector<vkonnx::gpu_test::PresentDevice> devices = find_devices();
    for (const Scene& scene : scenes())
        for (const auto& device : devices)
            testing::RegisterTest(("Faults/" + device.label).c_str(), scene.name, nullptr, nullptr, __FILE__, __LINE__,
                                  [&]() -> testing::Test* { return new Survives(scene, device); });
    if (devices.empty()) {
        std::fprintf(stderr, "there is no Vulkan device to test\n");
        return 1;
    }
    return RUN_ALL_TESTS();
}
