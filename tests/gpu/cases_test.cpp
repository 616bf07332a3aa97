// This file runs every line of tests/cases on every device present, through every kernel that fits, against the reference.
#include "cases_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

#include <vulkan/vulkan_core.h>

#include "kit/cases.h"
#include "kit/draw.h"
#include "run_case.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Case;
using kit::Fill;

// These are limits under which small problems are cut as large ones are, or devices that lack what is optional.
struct Limits {
    std::string suite;
    std::optional<Capabilities> capabilities = {};
    int64_t most_elements = 20000;            // in all tensors of a case that is run under them
    std::optional<int> driver_id = {};        // the VkDriverId of a driver for which modules are changed
    std::optional<Capabilities> others = {};  // limits whose plans are tested elsewhere
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
    most.invocation_registers = UINT32_MAX;
    most.keeps_signed_zero_inf_nan = most.rounds_to_nearest = most.timestamps = most.float16 = most.float64 = most.is_cpu = true;
    most.subgroup_shuffles = true;
    most.storage16 = true;
    most.cooperative_matrices = true;
    most.subgroup_size = UINT32_MAX;
    most.work_per_second = 1e300;
    return most;
}

std::vector<Limits> all_limits()
{
    Capabilities small_grid = without_limits();  // cuts outputs into several dispatches of folded grids
    small_grid.max_group_count = {3, 2, 2};
    small_grid.max_invocations = 8;
    Capabilities few_loops = without_limits();  // cuts taps into several passes of the general kernel
    few_loops.max_loop_iterations = 540;
    Capabilities fewest_loops = without_limits();  // cuts channels into several passes of the direct kernel
    fewest_loops.max_loop_iterations = 40;
    Capabilities tiny_windows =
        without_limits();  // cuts tensors into many windows; those of SwiftShader begin at multiples of 256 bytes
    tiny_windows.max_storage_buffer_range = 640;
    Capabilities one_unit = without_limits();                 // needs a dispatch for every multiply-add
    one_unit.work_per_second = 2;                             // one fits in max_dispatch_seconds, by default half a second
    Capabilities minimum = *Capabilities::preset("minimum");  // all that is optional is missing, and ranges and grids are tiny
    minimum.max_storage_buffer_range = 2048;
    minimum.max_group_count = {5, 3, 2};
    std::vector<Limits> limits = {{"cases"},
                                  {"cases_small_grid", small_grid},
                                  {"cases_few_loops", few_loops},
                                  {"cases_fewest_loops", fewest_loops},
                                  {"cases_tiny_windows", tiny_windows},
                                  {"cases_one_unit", one_unit, 500},
                                  {"cases_minimum", minimum}};
    const std::pair<const char*, bool Capabilities::*> optional[] = {
        {"is_cpu", &Capabilities::is_cpu},  // false: kernels that other devices run
        {"float16", &Capabilities::float16},
        {"storage16", &Capabilities::storage16},
        {"float64", &Capabilities::float64},
        {"timestamps", &Capabilities::timestamps},
        {"rounds_to_nearest", &Capabilities::rounds_to_nearest},
        {"keeps_signed_zero_inf_nan", &Capabilities::keeps_signed_zero_inf_nan}};
    for (const auto& [name, member] : optional) {
        Limits without{std::string("cases_without_") + name, without_limits()};
        (*without.capabilities).*member = false;
        limits.push_back(without);
    }
    for (const uint32_t registers : {96u, 64u}) {  // GPUs whose invocations keep fewer sums
        Limits few{"cases_of_" + std::to_string(registers) + "_registers", without_limits()};
        few.capabilities->is_cpu = false;
        few.others = few.capabilities;
        few.capabilities->invocation_registers = registers;
        limits.push_back(few);
    }
    Limits fused{"cases_fused_products", without_limits()};
    fused.capabilities->is_cpu = false;
    fused.driver_id = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    limits.push_back(fused);
    return limits;
}

class CaseTest : public testing::Test {
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
        const Result<std::shared_ptr<CaseDevice>> on =
            CaseDevice::shared(present_.index, limits_.capabilities, limits_.driver_id);
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

Result<Explanation> explained(const Case& problem, const Capabilities& capabilities)
{
    return explain(problem.attributes, problem.inputs, capabilities);
}

// Returns the kernels of an explanation ("a_f32 + b_u8") without their types ("a + b").
std::string without_types(const std::string& kernels)
{
    std::string families;
    std::stringstream words(kernels);
    for (std::string word; words >> word;)
        families += (families.empty() ? "" : " ") + (word == "+" ? word : word.substr(0, word.rfind('_')));
    return families;
}

// Describes how the lowered limits change the plan of a case, by operator, kernels of any type and whether there are several
// dispatches. Cases with the same text go the same way. There is no text where plan and modules stay as they are, or where the
// case takes long.
std::optional<std::string> way_under(const Case& problem, const Limits& limits, const Capabilities& device)
{
    const auto output = resolve(problem);
    int64_t elements = output ? *element_count(output->output) : limits.most_elements;
    for (const TensorDesc& input : problem.inputs)
        elements += *element_count(input);
    if (elements >= limits.most_elements)
        return {};
    const Result<Explanation> full = explained(problem, limits.others ? device.lowered_to(*limits.others) : device);
    const Result<Explanation> lowered = explained(problem, device.lowered_to(*limits.capabilities));
    if (!full || !lowered || lowered->kernel == "host" || lowered->grids.size() > 2000)
        return {};
    if (!limits.driver_id && same_plan(*full, *lowered))
        return {};
    std::string way = std::string(operator_of(problem)) + " " + without_types(full->kernel);
    for (const Explanation* each : {&*full, &*lowered})
        way += each->grids.size() > 1 ? " several" : " one";
    return way + " " + without_types(lowered->kernel);
}

// Tells whether a test of this suite may fit GoogleTest's filter. Planning every case under every limit takes a while.
bool is_wanted(const std::string& suite)
{
    const std::string filter = GTEST_FLAG_GET(filter);
    std::stringstream positive(filter.substr(0, filter.find('-')));
    bool any = false;
    for (std::string pattern; std::getline(positive, pattern, ':'); any = true) {
        const size_t literal = std::min(pattern.find_first_of("*?"), suite.size());
        if (pattern.compare(0, literal, suite, 0, literal) == 0)
            return true;
    }
    return !any;
}

std::string suite_of(const Limits& limits, const Case& problem)
{
    return limits.suite + "/" + std::string(operator_of(problem));
}

// Returns the cases to run under lowered limits, in the order of devices: of each way one case, on the devices in turn among
// those whose plans go that way. A way's cases differ by type and sizes, and the number of the way picks one of them. In a full
// run it returns all cases whose plans the limits change, on every device.
std::vector<std::pair<PresentDevice, Case>> sample_under(const Limits& limits, const std::vector<PresentDevice>& devices,
                                                         const std::vector<Case>& cases)
{
    std::vector<std::map<std::string, std::vector<Case>>> by_way(devices.size());
    std::map<std::string, std::vector<size_t>> devices_of;
    for (size_t d = 0; d < devices.size(); ++d)
        for (const Case& problem : cases)
            if (const std::optional<std::string> way = way_under(problem, limits, devices[d].capabilities)) {
                if (by_way[d][*way].empty())
                    devices_of[*way].push_back(d);
                by_way[d][*way].push_back(problem);
            }
    std::vector<std::pair<PresentDevice, Case>> sample;
    for (size_t d = 0; d < devices.size(); ++d) {
        size_t turn = 0;
        for (const auto& [way, of] : devices_of) {
            const bool is_its_turn = of[turn % of.size()] == d;
            const std::vector<Case>& all = by_way[d][way];
            if (kit::full_run())
                for (const Case& problem : all)
                    sample.emplace_back(devices[d], problem);
            else if (is_its_turn)
                sample.emplace_back(devices[d], all[turn % all.size()]);
            ++turn;
        }
    }
    return sample;
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
    const auto add = [](const Limits& limits, const PresentDevice& device, const Case& problem) {
        testing::RegisterTest(suite_of(limits, problem).c_str(), (problem.name + "/" + device.label).c_str(), nullptr, nullptr,
                              __FILE__, __LINE__, [=]() -> testing::Test* { return new CaseTest(problem, device, limits); });
    };
    for (const Limits& limits : all_limits()) {
        std::vector<Case> wanted;
        std::ranges::copy_if(*cases, std::back_inserter(wanted),
                             [&](const Case& problem) { return is_wanted(suite_of(limits, problem)); });
        if (!limits.capabilities)
            for (const PresentDevice& device : devices)
                for (const Case& problem : wanted)
                    add(limits, device, problem);
        else
            for (const auto& [device, problem] : sample_under(limits, devices, wanted))
                add(limits, device, problem);
    }
}

}  // namespace vkonnx::gpu_test
