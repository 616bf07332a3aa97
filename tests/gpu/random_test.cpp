// This file tests random problems of all operators, versions, types, ranks and layouts on every device present, against the
// reference: a test for each operator and device. A failure is shrunk, and printed as a line for tests/cases with the seed that
// repeats the draw.
#include "random_test.h"

#include <algorithm>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "case_devices.h"
#include "kit/compare.h"
#include "kit/draw.h"
#include "kit/elements.h"
#include "kit/shrink.h"
#include "run_case.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Answer;
using kit::Case;
using kit::Fill;

// This struct counts the results so far, for the closing lines.
struct Tally {
    int refused = 0;
    std::map<std::string, int> kernels;
    std::map<std::string, double> ulp;  // by type; only of answers that cancel little, else a unit in the last place says nothing
};

void note_errors(Tally& tally, const Case& problem, const std::vector<Answer>& answers, const std::vector<int64_t>& sample,
                 const std::vector<double>& got, DType dtype)
{
    double& most = tally.ulp[std::string(name(dtype))];
    if (problem.fill != Fill::reals)
        return;
    for (size_t i = 0; i < sample.size(); ++i)
        if (std::fabs(answers[i].value.hi) > answers[i].magnitude / 4)
            most = std::max(most, ulp_error(answers[i], dtype, got[size_t(sample[i])]));
}

// Returns "", or what is wrong with the device's answer. A problem that one side refuses, the other must refuse, too.
std::string verdict(const Device& device, const Case& problem, Tally* tally)
{
    const Result<kit::Resolution> expected = resolve(problem);
    const auto op = device.prepare(problem.attributes, problem.inputs);
    if (!expected || !op) {
        if (tally)
            ++tally->refused;
        return expected.ok() == op.ok() ? ""
               : expected               ? "the library refuses it: " + std::string(op.message())
                                        : "the library accepts what the reference refuses";
    }
    const std::vector<TensorDesc> outputs = outputs_of(*expected);
    if (op->outputs().size() != outputs.size())
        return "it has " + std::to_string(op->outputs().size()) + " outputs, expected " + std::to_string(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i)
        if (to_string(op->outputs()[i]) != to_string(outputs[i]))
            return "output " + std::to_string(i) + " is " + to_string(op->outputs()[i]) + ", expected " + to_string(outputs[i]);
    if (tally)
        ++tally->kernels[op->explanation().kernel];
    if (const Shape* shape = std::get_if<Shape>(&problem.attributes)) {
        const auto values = kit::reference(*shape, problem.inputs[0]);
        const std::vector<int64_t> got(op->host_result().begin(), op->host_result().end());
        return values && got == *values ? "" : "the shape is wrong";
    }
    const Fill fill = problem.fill == Fill::any ? Fill::integers : problem.fill;
    const std::vector<kit::RealTensor> inputs = fill_inputs(problem, fill);
    const Result<std::vector<std::vector<std::byte>>> bytes = computed_outputs(device, problem, inputs, {});
    if (!bytes)
        return std::string(bytes.message());
    const bool sums = !std::holds_alternative<Elementwise>(problem.attributes) && !kit::moves_elements(problem.attributes) &&
                      !std::holds_alternative<Cast>(problem.attributes) && !std::holds_alternative<Resize>(problem.attributes);
    std::string wrong;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const std::vector<int64_t> sample = kit::sample_of(outputs[i], 100'000);
        const Result<std::vector<Answer>> answers = kit::reference(problem, inputs, sample, i);
        if (!answers)
            return std::string(answers.message());
        if (tally && sums && !kit::is_integer(outputs[i].dtype) && !answers->empty() && answers->front().taps > 0)
            note_errors(*tally, problem, *answers, sample, kit::decoded(outputs[i].dtype, bytes->at(i)), outputs[i].dtype);
        wrong += kit::mismatches(outputs[i], sample, *answers, bytes->at(i), fill,
                                 kit::FloatRules::of(device.capabilities(), op->explanation().kernel));
    }
    return wrong;
}

void report(const Device& device, const Case& problem, const std::string& wrong, const kit::Draw& draw)
{
    const Case small = kit::shrunk(problem, [&](const Case& smaller) { return !verdict(device, smaller, nullptr).empty(); });
    ADD_FAILURE() << "drawn:  " << kit::to_string(problem) << "\n"
                  << wrong << "shrunk: " << kit::to_string(small) << "\n"
                  << verdict(device, small, nullptr) << "repeat with " << draw.repeat();
}

void expect_all_right(Case (*drawn)(kit::Draw&), uint32_t seed, int problems, const PresentDevice& present)
{
    const Result<Device>& device = shared_device(present.index);
    ASSERT_TRUE(device) << device.message();
    kit::Draw draw(kit::test_seed(seed));
    Tally tally;
    for (int run = 0; run < problems && !testing::Test::HasFailure(); ++run) {
        const Case problem = drawn(draw);
        const std::string wrong = verdict(*device, problem, &tally);
        if (!wrong.empty())
            report(*device, problem, wrong, draw);
    }
    std::printf("%d problems, %d of them refused\n", problems, tally.refused);
    for (const auto& [kernel, count] : tally.kernels)
        std::printf("  %s: %d\n", kernel.c_str(), count);
    for (const auto& [type, ulp] : tally.ulp)
        std::printf("  largest error of %s, where answers cancel little: %.3f ULP\n", type.c_str(), ulp);
    EXPECT_LT(tally.refused, problems) << "nothing was computed";
}

// Runs drawn problems with every guard of the case tests, through every kernel that fits, under the validation layer.
void expect_all_guarded(Case (*drawn)(kit::Draw&), uint32_t seed, int problems, const PresentDevice& present,
                        const std::optional<Capabilities>& limits)
{
    const Result<std::shared_ptr<CaseDevice>> on = CaseDevice::shared(present.index, limits);
    ASSERT_TRUE(on) << on.message();
    kit::Draw draw(kit::test_seed(seed));
    for (int run = 0; run < problems && !testing::Test::HasFailure();) {
        const Case problem = drawn(draw);
        if (!resolve(problem) || problem.fill == Fill::specials)  // specials might leave no answer that is a number
            continue;
        ++run;
        SCOPED_TRACE(present.label + ": " + kit::to_string(problem) + "\nrepeat with " + draw.repeat());
        expect_right(**on, problem, {problem.fill == Fill::any ? Fill::integers : problem.fill});
    }
}

// Returns capabilities without texel buffers. Drivers compile loops around reads of storage buffers otherwise than around fetches
// of texels.
Capabilities without_texels()
{
    Capabilities limits = *Capabilities::preset("desktop");
    limits.is_cpu = true;
    limits.subgroup_size = UINT32_MAX;
    limits.max_texel_buffer_elements = 1;
    return limits;
}

// There are so few columns that neighbours among the invocations have phases of other taps, and leave their loops apart.
TEST(WithoutTexels, NeighboursSumTheirOwnTaps)
{
    std::string nothing;
    for (const PresentDevice& present : present_devices(nothing)) {
        const auto on = CaseDevice::shared(present.index, without_texels());
        ASSERT_TRUE(on) << on.message();
        for (const int64_t stride : {2, 3})
            for (const int64_t kernel : {5, 7}) {
                Case problem;
                problem.name = "neighbours";
                problem.attributes = ConvTranspose{.strides = {stride}};
                problem.inputs = {{DType::float32, {1, 4, 2}}, {DType::float32, {4, 3, kernel}}};
                SCOPED_TRACE(present.label + ": " + kit::to_string(problem));
                expect_right(**on, problem, {Fill::integers});
            }
    }
}

// Devices that are no CPUs share a tile among invocations, which meet at barriers. An invocation keeps as many sums as the device
// has registers for.
Capabilities of_gpus(uint32_t registers = 255)
{
    Capabilities limits = *Capabilities::preset("desktop");
    limits.subgroup_size = UINT32_MAX;
    limits.invocation_registers = registers;
    return limits;
}

// This struct tells what is drawn for a pair of tests, one that asks only for right answers and one with every guard. There is no
// test for 0 problems.
struct Drawn {
    std::string_view name;
    Case (*problem)(kit::Draw&);
    int problems = 30;
    int guarded = 10;
    std::optional<Capabilities> limits = {};  // the limits of the guarded ones
};

std::vector<Drawn> all_drawn()
{
    std::vector<Drawn> all;
    for (const auto& [name, draw] : kit::drawers)
        all.push_back({name, draw});
    const auto find = [&](std::string_view name) { return std::ranges::find(all, name, &Drawn::name); };
    find("elementwise")->problems = 50;
    if (!kit::full_run()) {  // which has ten times as many of all
        for (Drawn& one : all)
            one.problems = one.problems * 2 / 3;
        for (const std::string_view with_large_kernels : {"dot_product_attention", "recurrent"})
            find(with_large_kernels)->problems = 10;  // drivers take half a second for a kernel
    }
    find("shape")->guarded = 0;  // it runs on the host
    find("tiled_average_pool")->guarded = 20;
    for (const std::string_view with_many_kernels : {"conv", "matmul", "move", "max_pool"})
        find(with_many_kernels)->guarded = 15;
    all.push_back({"conv_transpose_without_texels", kit::draw_conv_transpose, 0, 10, without_texels()});
    all.push_back({"matmul_of_gpus", kit::draw_matmul, 0, 10, of_gpus()});
    all.push_back({"matmul_of_96_registers", kit::draw_matmul, 0, 5, of_gpus(96)});
    all.push_back({"conv_of_64_registers", kit::draw_conv, 0, 5, of_gpus(64)});
    return all;
}

class DrawnTest : public testing::Test {
public:
    explicit DrawnTest(std::function<void()> body) : body_(std::move(body)) {}
    void TestBody() override { body_(); }

private:
    std::function<void()> body_;
};

}  // namespace

void register_random_tests(const std::vector<PresentDevice>& devices)
{
    const auto add = [](const char* suite, const std::string& name, const std::function<void()>& body) {
        testing::RegisterTest(suite, name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [body]() -> testing::Test* { return new DrawnTest(body); });
    };
    for (const PresentDevice& device : devices) {
        uint32_t seed = 0;
        for (const Drawn& one : all_drawn()) {
            ++seed;
            const std::string name = std::string(one.name) + "/" + device.label;
            if (one.problems > 0)
                add("RandomProblems", name,
                    [=] { expect_all_right(one.problem, seed, kit::test_problems(one.problems), device); });
            if (one.guarded > 0)
                add("RandomGuarded", name,
                    [=] { expect_all_guarded(one.problem, seed, kit::test_problems(one.guarded), device, one.limits); });
        }
    }
}

}  // namespace vkonnx::gpu_test
