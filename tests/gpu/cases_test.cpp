// Every line of tests/cases on every device present, through every kernel that fits, against the reference.
#include "cases_test.h"

#include <gtest/gtest.h>

#include "kit/cases.h"
#include "run_case.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Case;
using kit::Fill;

// Limits that make small problems take the ways of big ones.
struct Limits {
    std::string suite;
    std::optional<Capabilities> capabilities = {};
};

Capabilities without_limits()
{
    Capabilities most = *Capabilities::preset("desktop");
    most.max_invocations = UINT32_MAX;
    most.max_storage_buffer_range = UINT64_MAX;
    most.max_shared_bytes = UINT32_MAX;
    most.max_uniform_buffer_range = UINT32_MAX;
    most.max_storage_buffers = UINT32_MAX;
    most.max_workgroup_size = most.max_group_count = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    most.max_loop_iterations = UINT32_MAX;
    most.keeps_signed_zero_inf_nan = most.rounds_to_nearest = most.timestamps = most.float16 = most.is_cpu = true;
    return most;
}

std::vector<Limits> all_limits()
{
    Capabilities small_grid = without_limits();  // outputs in several dispatches of folded grids
    small_grid.max_group_count = {3, 2, 2};
    small_grid.max_invocations = 8;
    Capabilities few_loops = without_limits();  // taps in several passes of the general kernel
    few_loops.max_loop_iterations = 540;
    Capabilities fewest_loops = without_limits();  // channels in several passes of the direct kernel
    fewest_loops.max_loop_iterations = 40;
    return {{"cases"}, {"cases_small_grid", small_grid}, {"cases_few_loops", few_loops}, {"cases_fewest_loops", fewest_loops}};
}

struct OpenDevice {
    std::shared_ptr<CaseDevice> device;
    uint32_t index = 0;
    std::string suite;
};

// The device stays open from case to case of a suite. One shim at a time: it makes room for the next one.
class CaseSuite : public testing::Test {
public:
    static void TearDownTestSuite() { open_ = OpenDevice(); }

protected:
    static Result<std::shared_ptr<CaseDevice>> opened(const PresentDevice& present, const Limits& limits)
    {
        if (!open_.device || open_.index != present.index || open_.suite != limits.suite) {
            open_ = OpenDevice();
            Result<std::shared_ptr<CaseDevice>> device =
                CaseDevice::open(present.index, CaseDevice::default_options(), limits.capabilities);
            if (!device)
                return device;
            open_ = OpenDevice{*device, present.index, limits.suite};
        }
        return open_.device;
    }

private:
    inline static OpenDevice open_;
};

class CaseTest : public CaseSuite {
public:
    CaseTest(const Case& problem, const PresentDevice& present, const Limits& limits)
        : problem_(problem), present_(present), limits_(limits)
    {
    }

    void TestBody() override
    {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        SCOPED_TRACE("repeat with: gpu_test --gtest_filter='" + std::string(test->test_suite_name()) + "." + test->name() +
                     "'\ncase: " + kit::to_string(problem_));
        const Result<std::shared_ptr<CaseDevice>> on = opened(present_, limits_);
        ASSERT_TRUE(on) << on.message();
        std::vector<Fill> fills = fills_of(problem_);
        if (limits_.capabilities)
            fills.resize(1);
        expect_right(**on, problem_, fills);
    }

private:
    Case problem_;
    PresentDevice present_;
    Limits limits_;
};

// Under lowered limits: what stays quick, and what the plan still takes.
bool is_for(const Case& problem, const Limits& limits)
{
    if (!limits.capabilities)
        return true;
    if (std::holds_alternative<Shape>(problem.attributes))
        return false;
    const auto explained = std::visit(
        [&](const auto& attributes) { return explain(attributes, problem.inputs, *limits.capabilities); }, problem.attributes);
    if (!explained || explained->kernel == "host" || explained->grids.size() > 2000)
        return false;
    int64_t elements = *element_count(explained->outputs[0]);
    for (const TensorDesc& input : problem.inputs)
        elements += *element_count(input);
    return elements < 20000;
}

class Unreadable : public testing::Test {
public:
    explicit Unreadable(std::string why) : why_(std::move(why)) {}
    void TestBody() override { FAIL() << why_; }

private:
    std::string why_;
};

}  // namespace

void register_case_tests(const std::vector<PresentDevice>& devices)
{
    const Result<std::vector<Case>> cases = kit::load_all_cases();
    if (!cases) {
        const std::string why(cases.message());
        testing::RegisterTest("cases", "unreadable", nullptr, nullptr, __FILE__, __LINE__,
                              [why]() -> testing::Test* { return new Unreadable(why); });
        return;
    }
    for (const Limits& limits : all_limits())
        for (const PresentDevice& device : devices)
            for (const Case& problem : *cases) {
                if (!is_for(problem, limits))
                    continue;
                const std::string suite = limits.suite + "/" + std::string(operator_of(problem));
                testing::RegisterTest(
                    suite.c_str(), (problem.name + "/" + device.label).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                    [problem, device, limits]() -> CaseSuite* { return new CaseTest(problem, device, limits); });
            }
}

}  // namespace vkonnx::gpu_test
