// This file tests PrepareOptions::epilogue: every kernel that takes one stores what the operator behind it would make of its
// results, in every type, however the problem is cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "case_devices.h"
#include "kit/compare.h"
#include "kit/draw.h"
#include "kit/elements.h"
#include "run_case.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Case;
using kit::Draw;
using kit::Fill;
using Bytes = std::vector<std::byte>;

// Returns an epilogue of this kind, with a Mul and an Add behind it where their numbers are given.
Elementwise scaled(ElementwiseKind kind, std::optional<double> factor, std::optional<double> addend)
{
    Elementwise epilogue;
    epilogue.kind = kind;
    for (const auto& [step_kind, number] : {std::pair(ElementwiseKind::mul, factor), std::pair(ElementwiseKind::add, addend)}) {
        ElementwiseStep step;
        step.kind = step_kind;
        step.number = number;
        if (number)
            epilogue.steps.push_back(step);
    }
    return epilogue;
}

const std::vector<Elementwise>& epilogues()
{
    static const std::vector<Elementwise> all = {
        {.kind = ElementwiseKind::relu},
        {.kind = ElementwiseKind::leaky_relu},
        {.kind = ElementwiseKind::leaky_relu, .alpha = -1.5f},
        {.kind = ElementwiseKind::clip},
        {.kind = ElementwiseKind::clip, .min = -3, .max = 4.5f},
        {.kind = ElementwiseKind::clip, .min = 2, .max = -1},
        {.kind = ElementwiseKind::clip, .max = 1},
        {.kind = ElementwiseKind::sigmoid},
        {.kind = ElementwiseKind::tanh},
        {.kind = ElementwiseKind::hard_sigmoid},
        {.kind = ElementwiseKind::hard_sigmoid, .alpha = 0.125f, .beta = 0.25f},
        {.kind = ElementwiseKind::hard_swish},
        scaled(ElementwiseKind::hard_swish, 0.75, -0.5),
        scaled(ElementwiseKind::relu, {}, 2),
        scaled(ElementwiseKind::leaky_relu, -1.5, {}),
    };
    return all;
}

std::string text_of(const Elementwise& epilogue)
{
    std::string text(name(epilogue.kind));
    fields(epilogue, [&](std::string_view field, const auto& value, const auto&...) {
        if constexpr (std::is_same_v<decltype(value), const std::optional<float>&>)
            if (value)
                text += " " + std::string(field) + "=" + std::to_string(*value);
    });
    for (const ElementwiseStep& step : epilogue.steps)
        text += " then " + std::string(name(step.kind)) + " " + std::to_string(*step.number);
    return text;
}

bool is_function(const Elementwise& epilogue)
{
    return epilogue.kind == ElementwiseKind::sigmoid || epilogue.kind == ElementwiseKind::tanh;
}

// These are the families of operators that take an epilogue.
enum class Family { transposes, convolves };

Case drawn(Draw& draw, Family family, DType dtype)
{
    return kit::draw_with_output(draw, dtype, [&](Draw& from) {
        const auto drawer =
            from.of({kit::draw_conv_transpose, kit::draw_onednn_conv_transpose, kit::draw_depthwise_conv_transpose});
        if (family == Family::convolves)
            return from.one_in(4) ? kit::draw_whole_conv(from) : kit::draw_conv(from);
        return drawer(from);
    });
}

constexpr DType types[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};

// The device comes first, so that all tests of one device run one behind another and share it: see CaseDevice::shared.
class EachEpilogue : public testing::TestWithParam<std::tuple<PresentDevice, size_t>> {
protected:
    const PresentDevice& present() const { return std::get<0>(GetParam()); }
    size_t index() const { return std::get<1>(GetParam()); }  // in epilogues()
    const Elementwise& epilogue() const { return epilogues()[index()]; }
};

INSTANTIATE_TEST_SUITE_P(Epilogue, EachEpilogue,
                         testing::Combine(testing::ValuesIn(every_device()), testing::Range(size_t(0), epilogues().size())),
                         [](const auto& info) {
                             const size_t index = std::get<1>(info.param);
                             return std::string(name(epilogues()[index].kind)) + std::to_string(index) + "_" +
                                    std::get<0>(info.param).label;
                         });

TEST_P(EachEpilogue, GivesWhatTheOperatorBehindWould)
{
    const Result<std::shared_ptr<CaseDevice>> on = CaseDevice::shared(present().index);
    ASSERT_TRUE(on) << on.message();
    Draw draw(kit::test_seed(17 + uint32_t(epilogue().kind)));
    size_t turn = index();
    for (const DType dtype : types) {
        // A full run tests each type with both fills. A default run takes one of them, and types and epilogues take turns.
        ++turn;
        for (const Fill fill : {Fill::integers, Fill::specials}) {
            if (!kit::full_run() && (turn % 2 == 0) != (fill == Fill::specials))
                continue;
            const Case problem = drawn(draw, draw.of({Family::transposes, Family::convolves}), dtype);
            SCOPED_TRACE(text_of(epilogue()) + " behind " + kit::to_string(problem) + "\nrepeat with " + draw.repeat());
            if (dtype == DType::float64 && is_function(epilogue()))
                EXPECT_EQ((*on)->device().prepare(problem.attributes, problem.inputs, {.epilogue = epilogue()}).code(),
                          Code::unsupported);
            else
                ASSERT_NO_FATAL_FAILURE(expect_right(**on, problem, {fill}, epilogue()));
        }
    }
}

// Compares the bits of a kernel with an epilogue with those of the two operators one after the other.
void expect_equal(const Device& device, const Case& problem, const std::string& kernel, const Elementwise& epilogue)
{
    const DType dtype = problem.inputs[0].dtype;
    const auto inputs = fill_inputs(problem, Fill::reals);
    const Result<Bytes> plain = computed(device, problem, inputs, {.kernel = kernel});
    const Result<Bytes> fused = computed(device, problem, inputs, {.kernel = kernel, .epilogue = epilogue});
    ASSERT_TRUE(plain && fused) << plain.message() << fused.message();
    const Following behind = following(epilogue, {.desc = resolve(problem)->output, .values = kit::decoded(dtype, *plain)});
    Case alone = {.attributes = behind.op};
    for (const kit::RealTensor& input : behind.inputs)
        alone.inputs.push_back(input.desc);
    const Result<Bytes> expected = computed(device, alone, behind.inputs, {});
    ASSERT_TRUE(expected) << expected.message();
    EXPECT_TRUE(kit::same_bits(dtype, *fused, *expected));
}

// Draws a problem that the kernel fits, or returns nothing where it fits none of many.
std::optional<Case> drawn_for(Draw& draw, Family family, DType dtype, size_t kernel, const Device& device,
                              const PrepareOptions& options)
{
    for (int tries = 0; tries < 2000; ++tries) {
        const Case problem = drawn(draw, family, dtype);
        const auto listed = kernels(problem.attributes, problem.inputs, device.capabilities(), options);
        EXPECT_TRUE(listed || listed.code() == Code::unsupported) << listed.message();  // some have too many outputs
        if (listed && kernel < listed->size() && listed->at(kernel).unfit.empty())
            return problem;
    }
    return {};
}

// Compares kernels of a family, in this type, with the epilogue of this index: in a full run all, else every fifth, so that each
// kernel meets a fifth of the epilogues.
void expect_own_bits(const Device& device, Draw& draw, Family family, DType dtype, size_t index)
{
    const Elementwise& epilogue = epilogues()[index];
    const PrepareOptions options = {.epilogue = epilogue};
    const Case any = drawn(draw, family, dtype);
    const auto listed = kernels(any.attributes, any.inputs, device.capabilities(), options);
    ASSERT_TRUE(listed) << listed.message();
    for (size_t i = 0; i < listed->size(); ++i) {
        const std::string& kernel = listed->at(i).name;
        if (listed->at(i).unfit.starts_with("it is not compiled for") || (!kit::full_run() && (i + index) % 5 != 0))
            continue;
        const std::optional<Case> problem = drawn_for(draw, family, dtype, i, device, options);
        if (!problem) {
            EXPECT_TRUE(dtype == DType::float64 || listed->at(i).only_by_name) << kernel << " fits nothing";
            continue;
        }
        SCOPED_TRACE(kernel + ": " + text_of(epilogue) + " behind " + kit::to_string(*problem) + "\nrepeat with " +
                     draw.repeat());
        ASSERT_NO_FATAL_FAILURE(expect_equal(device, *problem, kernel, epilogue));
    }
}

// Sums are rounded here, too, so that only the last rounding could differ: floats and doubles have the operator's own bits.
TEST_P(EachEpilogue, HasTheBitsOfTheOperatorsOwnKernel)
{
    const Result<Device>& device = shared_device(present().index);
    ASSERT_TRUE(device) << device.message();
    Draw draw(kit::test_seed(18 + uint32_t(epilogue().kind)));
    for (const Family family : {Family::transposes, Family::convolves})
        for (const DType dtype : {DType::float32, DType::float64})
            if (dtype == DType::float32 || !is_function(epilogue())) {
                ASSERT_NO_FATAL_FAILURE(expect_own_bits(*device, draw, family, dtype, index()));
            }
}

// Tiles end amid their rows and columns. Their results must be those of the operators behind the kernel.
TEST(Epilogue, IsThatOfPoints)
{
    const Elementwise all[] = {
        {.kind = ElementwiseKind::relu},
        {.kind = ElementwiseKind::sigmoid},
        {.kind = ElementwiseKind::hard_swish,
         .steps = {{.kind = ElementwiseKind::mul, .number = 3.0f}, {.kind = ElementwiseKind::add, .number = -1.0f}}}};
    for (const PresentDevice& present : every_device()) {
        const Result<std::shared_ptr<CaseDevice>> on = CaseDevice::shared(present.index);
        ASSERT_TRUE(on) << on.message();
        for (const Elementwise& epilogue : all) {
            const Result<Case> problem = kit::parse_case("conv", "points x=2x8x4x7 w=19x8x1x1 b");
            ASSERT_TRUE(problem) << problem.message();
            SCOPED_TRACE(present.label + ": " + text_of(epilogue));
            const auto explained = explain(problem->attributes, problem->inputs, (*on)->device().capabilities(),
                                           {.kernel = "conv_points", .epilogue = epilogue});
            ASSERT_TRUE(explained) << explained.message();
            ASSERT_NO_FATAL_FAILURE(expect_right(**on, *problem, {Fill::integers}, epilogue));
        }
    }
}

// Only the last part of a sum may apply the epilogue.
TEST(Epilogue, ComesOnceHoweverTheSumIsCut)
{
    Capabilities few_loops = unlimited();
    few_loops.max_loop_iterations = 200;
    Capabilities tiny_windows = unlimited();
    tiny_windows.max_storage_buffer_range = 640;
    const std::pair<const char*, const char*> lines[] = {{"conv_transpose", "a x=1x37x5x7 w=37x3x3x3 b=3 strides=2,1"},
                                                         {"conv_transpose", "b x=2x300x4 w=300x2x5 type=float16"},
                                                         {"conv_transpose", "c x=1x300x4 w=300x2x5 b=2 type=bfloat16"},
                                                         {"conv_transpose", "d x=1x3x3x301 w=301x2x2x2 type=double layout=NXC"},
                                                         {"conv", "e x=1x37x5x7 w=3x37x3x3 b=3 pads=1,1,1,1"},
                                                         {"conv", "f x=2x300x9 w=2x300x5 type=float16"}};
    for (size_t i = 0; i < std::size(lines); ++i)
        for (const bool loops : {true, false})
            for (const PresentDevice& present : devices_in_turn(i + loops)) {
                const auto& [operator_name, line] = lines[i];
                const Capabilities& limits = loops ? few_loops : tiny_windows;
                const Result<std::shared_ptr<CaseDevice>> on = CaseDevice::shared(present.index, limits);
                ASSERT_TRUE(on) << on.message();
                if (operator_name == std::string("conv") && limits.max_loop_iterations < 540)
                    continue;  // too few for the general kernel
                const Result<Case> problem = kit::parse_case(operator_name, line);
                ASSERT_TRUE(problem) << problem.message();
                SCOPED_TRACE(present.label + ": " + line);
                const Elementwise epilogue = {.kind = ElementwiseKind::leaky_relu, .alpha = -1.5f};
                const auto explained =
                    explain(problem->attributes, problem->inputs, (*on)->device().capabilities(), {.epilogue = epilogue});
                ASSERT_TRUE(explained) << explained.message();
                EXPECT_GT(explained->grids.size(), 2u) << "it is not cut";
                ASSERT_NO_FATAL_FAILURE(expect_right(**on, *problem, {Fill::integers}, epilogue));
            }
}

TEST(Epilogue, IsTheSameOnEveryDeviceInReproducibleMode)
{
    std::map<std::string, Bytes> answers;
    int compared = 0;
    for (const PresentDevice& present : every_device())
        for (const uint64_t range : {uint64_t(UINT64_MAX), uint64_t(4096)}) {
            Capabilities limits = unlimited();
            limits.max_storage_buffer_range = range;
            const Result<Device> device = Device::open({.select = std::to_string(present.index), .capabilities = limits});
            ASSERT_TRUE(device) << device.message();
            Draw draw(15);
            int turn = 0;
            for (const Elementwise& epilogue : epilogues())
                for (const DType dtype : types) {
                    const Family family = draw.of({Family::transposes, Family::convolves});
                    const Case problem = drawn(draw, family, dtype);
                    if (dtype == DType::float64 && is_function(epilogue))
                        continue;
                    if (++turn % 2 != 0 && !kit::full_run())
                        continue;
                    for (const char* const kernel : {"", family == Family::convolves ? "conv_nd" : "conv_transpose_nd"}) {
                        const Result<Bytes> got = computed(*device, problem, fill_inputs(problem, Fill::reals),
                                                           {.kernel = kernel, .reproducible = true, .epilogue = epilogue});
                        ASSERT_TRUE(got) << got.message();
                        const std::string key = text_of(epilogue) + " behind " + kit::to_string(problem);
                        const auto [known, is_new] = answers.try_emplace(key, *got);
                        EXPECT_TRUE(known->second == *got) << present.label << ", " << range << ": " << key;
                        compared += !is_new;
                    }
                }
        }
    EXPECT_GT(compared, 50 * int(every_device().size()));
}

}  // namespace
}  // namespace vkonnx::gpu_test
