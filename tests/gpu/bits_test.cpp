// This file tests reproducible mode: the whole case list gives the same bits on every device, through every kernel, and however
// it is cut.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "case_devices.h"
#include "kit/cases.h"
#include "kit/draw.h"
#include "run_case.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Case;
using kit::Fill;
using kit::RealTensor;

using Bytes = std::vector<std::byte>;

constexpr int64_t most_elements = 20000;  // in all tensors of a case
constexpr size_t most_dispatches = 400;

int64_t elements_of(const Case& problem)
{
    int64_t elements = 0;
    for (const TensorDesc& input : problem.inputs)
        elements += *element_count(input);
    const Result<kit::Resolution> resolution = resolve(problem);
    return resolution ? elements + *element_count(resolution->output) : 0;
}

// Returns the cases whose answers are promised bits: computed ones, without NaN and denormals.
std::vector<Case> promised_cases()
{
    const Result<std::vector<Case>> all = kit::load_all_cases();
    EXPECT_TRUE(all) << all.message();
    std::vector<Case> cases;
    for (const Case& problem : *all)
        if (!std::holds_alternative<Shape>(problem.attributes) && problem.fill != Fill::specials &&
            problem.fill != Fill::denormals && elements_of(problem) > 0 && elements_of(problem) < most_elements)
            cases.push_back(problem);
    return cases;
}

// Returns one of so many cases, and all in a full run.
std::vector<Case> sample_of(const std::vector<Case>& cases, size_t one_of)
{
    std::vector<Case> sample;
    for (size_t i = 0; i < cases.size(); i += kit::full_run() ? 1 : one_of)
        sample.push_back(cases[i]);
    return sample;
}

// This has the first answer to each case and fill, and the plan by which each device ran a case first.
struct Known {
    std::map<std::pair<std::string, Fill>, Bytes> answers = {};
    std::map<std::pair<uint32_t, std::string>, Explanation> plans = {};
};

struct Way {
    std::string name;
    std::optional<Capabilities> limits = {};
    PrepareOptions options = {.reproducible = true};
    int64_t most_elements = 20000;
};

// Returns the number of results that were compared. A device does not run a case again where the way does not change its plan.
int expect_same_bits(const Device& device, const PresentDevice& present, const Way& way, const std::vector<Case>& cases,
                     Known& known)
{
    int compared = 0;
    for (const Case& problem : cases) {
        const Result<Explanation> explained = explain(problem.attributes, problem.inputs, device.capabilities(), way.options);
        if (elements_of(problem) >= way.most_elements || !explained || explained->grids.size() > most_dispatches)
            continue;
        const std::string line = std::string(operator_of(problem)) + " " + kit::to_string(problem);
        const auto [plain, is_first] = known.plans.try_emplace({present.index, line}, *explained);
        if (!is_first && same_plan(plain->second, *explained))
            continue;
        for (const Fill fill : fills_of(problem)) {
            const std::vector<RealTensor> inputs = fill_inputs(problem, fill);
            const Result<Bytes> got = computed(device, problem, inputs, way.options);
            EXPECT_TRUE(got) << problem.name << ": " << got.message();
            if (!got)
                continue;
            const auto [answer, is_new] = known.answers.try_emplace({line, fill}, *got);
            EXPECT_TRUE(answer->second == *got) << way.name << ", fill " << name(fill) << ": " << kit::to_string(problem);
            compared += !is_new;
        }
    }
    return compared;
}

std::vector<Way> ways()
{
    Way few_loops{"few loop iterations", unlimited()};
    few_loops.limits->max_loop_iterations = 540;
    Way fewest_loops{"fewest loop iterations", unlimited()};
    fewest_loops.limits->max_loop_iterations = 60;
    Way windows{"tiny windows", unlimited()};
    windows.limits->max_storage_buffer_range = 640;
    Way one_unit{"a budget of one work unit", unlimited(), {.reproducible = true, .max_dispatch_seconds = 1}, 500};
    one_unit.limits->work_per_second = 1;
    Way small_grid{"small grids", unlimited()};
    small_grid.limits->max_group_count = {3, 2, 2};
    small_grid.limits->max_invocations = 8;
    Way integer_doubles{"doubles in integer words", unlimited()};
    integer_doubles.limits->float64 = false;
    Way as_elsewhere{"as on devices that are no CPUs", unlimited()};
    as_elsewhere.limits->is_cpu = false;
    return {Way{"as it comes"}, few_loops, fewest_loops, windows, one_unit, small_grid, integer_doubles, as_elsewhere};
}

TEST(Reproducible, GivesTheSameBitsOnEveryDeviceByEveryWay)
{
    const std::vector<Case> cases = sample_of(promised_cases(), 24);  // each way takes the same
    ASSERT_GT(cases.size(), 100u);
    Known known;
    std::string problem;
    const std::vector<PresentDevice> devices = present_devices(problem);
    ASSERT_FALSE(devices.empty()) << problem;
    const std::vector<Way> all = ways();
    for (const Way& way : all)
        for (const PresentDevice& present : devices) {
            const Result<Device> device = Device::open({.select = std::to_string(present.index), .capabilities = way.limits});
            ASSERT_TRUE(device) << device.message();
            SCOPED_TRACE(present.label);
            const int compared = expect_same_bits(*device, present, way, cases, known);
            std::printf("%s, %s: %d results compared\n", present.label.c_str(), way.name.c_str(), compared);
            EXPECT_TRUE(compared > 0 || (&way == &all.front() && &present == &devices.front())) << "nothing was compared";
        }
}

// Returns the kernel that can run any problem, for operators with other kernels that keep the order of their sums; "" for others.
std::string general_kernel(const Case& problem)
{
    if (std::holds_alternative<AveragePool>(problem.attributes))
        return "average_pool_nd";
    if (std::holds_alternative<Elementwise>(problem.attributes))
        return "elementwise";
    if (std::holds_alternative<ConvTranspose>(problem.attributes) ||
        std::holds_alternative<onednn::ConvTranspose>(problem.attributes))
        return "conv_transpose_nd";
    return "";
}

TEST(Reproducible, GivesTheSameBitsThroughEveryKernel)
{
    std::vector<Case> cases = promised_cases();
    std::erase_if(cases, [](const Case& one) { return general_kernel(one).empty(); });
    cases = sample_of(cases, 8);
    std::string problem;
    for (const PresentDevice& present : present_devices(problem)) {
        const Result<Device>& device = shared_device(present.index);
        ASSERT_TRUE(device) << device.message();
        int compared = 0;
        for (const Case& one : cases) {
            const std::string kernel = general_kernel(one);
            const std::vector<RealTensor> inputs = fill_inputs(one, fills_of(one).back());
            const Result<Bytes> direct = computed(*device, one, inputs, {.reproducible = true});
            ASSERT_TRUE(direct) << direct.message();
            const Result<Bytes> general = computed(*device, one, inputs, {.kernel = kernel, .reproducible = true});
            ASSERT_TRUE(general) << general.message();
            EXPECT_TRUE(*direct == *general) << present.label << ": " << kit::to_string(one);
            ++compared;
        }
        EXPECT_GT(compared, 100);
    }
}

// Each row has one random number and zeros, so that each window's sum is known and only the division rounds. Quotients may be
// denormal.
template <class Float, class Bits>
void expect_host_quotients(const Device& device, DType dtype, int64_t count, kit::Draw& draw)
{
    constexpr int64_t rows = 3000;
    std::vector<Float> x(size_t(rows * count), Float(0));
    std::vector<Float> expected;
    for (int64_t row = 0; row < rows; ++row) {
        Bits bits = 0;
        for (size_t i = 0; i < sizeof(Bits); i += 2)
            bits = Bits(bits << 16 | Bits(draw.between(0, 65535)));
        Float value = std::bit_cast<Float>(bits);
        if (!std::isnormal(value))
            value = Float(row + 1);
        x[size_t(row * count)] = value;
        expected.push_back(value / Float(count));
    }
    const TensorDesc desc = {dtype, {1, rows, count}};
    const Result<Op> op = device.prepare(AveragePool{.kernel_shape = {count}}, {desc}, PrepareOptions{.reproducible = true});
    ASSERT_TRUE(op) << op.message();
    const Result<Tensor> from = device.tensor(desc, x);
    const Result<Tensor> to = device.tensor(op->outputs()[0]);
    ASSERT_TRUE(from && to);
    const Status ran = device.run(*op, {*from}, {*to});
    ASSERT_TRUE(ran) << ran.message();
    std::vector<Float> got(expected.size());
    ASSERT_TRUE(to->download(got));
    for (size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(std::bit_cast<Bits>(got[i]), std::bit_cast<Bits>(expected[i]))
            << x[i * size_t(count)] << " / " << count << " on " << op->explanation().kernel << "; repeat with " << draw.repeat();
}

TEST(Reproducible, GivesTheSameQuotientAsTheHost)
{
    std::string problem;
    kit::Draw draw(kit::test_seed(20));
    for (const PresentDevice& present : present_devices(problem)) {
        SCOPED_TRACE(present.label);
        const Result<Device>& device = shared_device(present.index);
        ASSERT_TRUE(device) << device.message();
        for (const int64_t count : {1, 2, 3, 5, 7, 9, 10, 21, 49, 127, 128, 641, 1023})
            ASSERT_NO_FATAL_FAILURE((expect_host_quotients<float, uint32_t>(*device, DType::float32, count, draw)));
        for (const int64_t count : {1, 3, 7, 128, 1023})
            ASSERT_NO_FATAL_FAILURE((expect_host_quotients<double, uint64_t>(*device, DType::float64, count, draw)));
    }
}

TEST(Reproducible, IsRefusedWhereFloatsAreNotSeenToRoundToNearest)
{
    std::string problem;
    for (const PresentDevice& present : present_devices(problem)) {
        const Result<Device> device = Device::open({.select = std::to_string(present.index), .self_test = false});
        ASSERT_TRUE(device) << device.message();
        const Result<Op> op = device->prepare(AveragePool{.kernel_shape = {2}}, {TensorDesc{DType::float32, {1, 1, 4}}},
                                              PrepareOptions{.reproducible = true});
        ASSERT_FALSE(op);
        EXPECT_EQ(op.code(), Code::unsupported);
        EXPECT_NE(op.message().find("rounds_to_nearest"), std::string_view::npos) << op.message();
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
