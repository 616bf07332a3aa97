// This file tests PrepareOptions::prologue: a convolution or pool reads what the operators in front of it would make of X, by
// every kernel that takes one, in every type and layout, however the problem is cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "case_devices.h"
#include "kit/compare.h"
#include "kit/draw.h"
#include "kit/elements.h"
#include "kit/prologue.h"
#include "run_case.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Case;
using kit::Draw;
using kit::Fill;
using kit::RealTensor;
using Bytes = std::vector<std::byte>;

constexpr Prologue prologues[] = {
    {.scaled = true},
    {.kind = ElementwiseKind::relu},
    {.kind = ElementwiseKind::prelu},
    {.scaled = true, .kind = ElementwiseKind::relu},
    {.scaled = true, .kind = ElementwiseKind::prelu},
};
constexpr DType prologue_types[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};

std::string text_of(const Prologue& prologue)
{
    return std::string(prologue.scaled ? "scaled " : "") + std::string(name(prologue.kind));
}

bool is_conv(const Case& problem)
{
    return std::holds_alternative<Conv>(problem.attributes);
}

bool is_pool(const Case& problem)
{
    return std::holds_alternative<GlobalAveragePool>(problem.attributes);
}

Case drawn(Draw& draw, DType dtype)
{
    return kit::draw_with_output(draw, dtype, [](Draw& from) {
        const auto drawer = from.of(
            {kit::draw_conv, kit::draw_conv, kit::draw_conv_transpose, kit::draw_onednn_conv_transpose, kit::draw_reduction});
        for (;;)
            if (Case problem = drawer(from); drawer != kit::draw_reduction || is_pool(problem))
                return problem;
    });
}

Case parsed(const char* operator_name, const char* line)
{
    const Result<Case> problem = kit::parse_case(operator_name, line);
    EXPECT_TRUE(problem) << problem.message();
    return problem ? *problem : Case();
}

// The device comes first, so that all tests of one device run one behind another and share it: see CaseDevice::shared.
class EachPrologue : public testing::TestWithParam<std::tuple<PresentDevice, Prologue>> {
protected:
    const PresentDevice& present() const { return std::get<0>(GetParam()); }
    const Prologue& prologue() const { return std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Prologue, EachPrologue,
                         testing::Combine(testing::ValuesIn(every_device()), testing::ValuesIn(prologues)), [](const auto& info) {
                             const Prologue& prologue = std::get<1>(info.param);
                             return std::string(prologue.scaled ? "Scaled" : "") + std::string(name(prologue.kind)) + "_" +
                                    std::get<0>(info.param).label;
                         });

TEST_P(EachPrologue, GivesWhatTheOperatorsInFrontWould)
{
    const Result<std::shared_ptr<CaseDevice>> on = CaseDevice::shared(present().index);
    ASSERT_TRUE(on) << on.message();
    Draw draw(kit::test_seed(21 + uint32_t(prologue().kind)));
    for (const DType dtype : prologue_types)
        for (const Fill fill : {Fill::integers, Fill::specials, Fill::integers}) {
            const Case problem = drawn(draw, dtype);
            SCOPED_TRACE(text_of(prologue()) + " in front of " + kit::to_string(problem) + "\nrepeat with " + draw.repeat());
            ASSERT_NO_FATAL_FAILURE(expect_right(**on, problem, {fill}, {}, prologue()));
        }
}

// Each line is for its kernels. Where there is padding, zeros must stay zeros, and an offset would show.
constexpr std::pair<const char*, const char*> prologue_lines[] = {
    {"conv", "padded x=2x7x6x5 w=6x7x3x3 b pads=1,1,2,1"},
    {"conv", "padded_last x=2x6x5x7 w=6x7x3x3 layout=NXC pads=1,1,1,1 strides=2,1"},
    {"conv", "groups x=1x12x5x8 w=8x6x3x2 b group=2 pads=1,0,1,1"},
    {"conv", "points x=2x8x4x7 w=19x8x1x1 b"},
    {"conv", "points_groups x=2x24x4x5 w=10x12x1x1 group=2"},
    {"conv", "four_axes x=1x5x3x4x3x2 w=3x5x2x2x2x1 pads=1,1,0,0,0,0,1,0"},
    {"conv_transpose", "plain x=1x7x3x4 w=7x3x3x3 b strides=2,2 pads=1,0,0,1"},
    {"conv_transpose", "groups x=2x12x5 w=12x3x4 group=2 strides=3"},
    {"onednn_conv_transpose", "last x=1x3x4x6 w=3x3x6x5 b strides=2,1 pads_begin=0,1 pads_end=1,0 dilations=1,1"},
    {"global_average_pool", "plane x=2x7x3x5"},
    {"global_average_pool", "last x=3x11x1x2x6 layout=NXC"},
    {"global_average_pool", "passes x=2x3x40x33"},
    {"global_average_pool", "one x=3x5x1"},
};

TEST_P(EachPrologue, LeavesPaddingAsItIs)
{
    const Result<std::shared_ptr<CaseDevice>> on = CaseDevice::shared(present().index);
    ASSERT_TRUE(on) << on.message();
    size_t turn = size_t(prologue().kind);  // a full run takes both fills of each line, an ordinary one takes them in turn
    for (const auto& [operator_name, line] : prologue_lines) {
        const Case problem = parsed(operator_name, line);
        SCOPED_TRACE(text_of(prologue()) + " in front of " + line);
        std::vector<Fill> fills = {Fill::integers, Fill::specials};
        if (!kit::full_run())
            fills = {fills[turn++ % 2]};
        ASSERT_NO_FATAL_FAILURE(expect_right(**on, problem, fills, {}, prologue()));
    }
}

// Each kernel that is known to take a prologue is named, so that none is left out by being unfit.
TEST(Prologue, IsTakenByTheKernels)
{
    const std::pair<size_t, std::vector<const char*>> expected[] = {
        {0, {"conv_gemm", "conv_gemm_shared", "conv_nd"}},
        {3, {"conv_points", "conv_gemm", "conv_nd"}},
        {4, {"conv_points", "conv_gemm", "conv_nd"}},
        {5, {"conv_nd"}},
        {6, {"conv_transpose_phases", "conv_transpose_phases_shared", "conv_transpose_nd"}},
        {8, {"conv_transpose_phases", "conv_transpose_nd"}},
        {9, {"reduction"}},
    };
    const Prologue prologue = {.scaled = true, .kind = ElementwiseKind::prelu};
    for (const auto& [line, kernels_of_line] : expected) {
        const Case given = with_prologue(parsed(prologue_lines[line].first, prologue_lines[line].second), prologue);
        for (const char* const kernel : kernels_of_line) {
            const auto explained = explain(given.attributes, given.inputs, unlimited(), {.kernel = kernel, .prologue = prologue});
            EXPECT_TRUE(explained) << prologue_lines[line].second << ": " << explained.message();
        }
    }
}

// Computes the operators in front, one after the other, and then the convolution.
Result<Bytes> computed_apart(const Device& device, const Case& problem, std::vector<RealTensor> inputs, const RealTensor& numbers,
                             const Prologue& prologue, const PrepareOptions& options)
{
    const int64_t columns = numbers.desc.dims[1];
    std::vector<std::pair<ElementwiseKind, int64_t>> steps;  // with the column of the other operand, if there is one
    if (prologue.scaled)
        steps = {{ElementwiseKind::mul, 0}, {ElementwiseKind::add, 1}};
    if (prologue.kind != ElementwiseKind::identity)
        steps.emplace_back(prologue.kind, prologue.kind == ElementwiseKind::prelu ? columns - 1 : -1);
    RealTensor& x = inputs[0];
    for (const auto& [kind, column] : steps) {
        std::vector<RealTensor> operands = {x};
        if (column >= 0) {
            RealTensor& other = operands.emplace_back();
            other.desc = {.dtype = x.desc.dtype, .dims = std::vector<int64_t>(x.desc.dims.size() - 1, 1)};
            other.desc.dims[0] = numbers.desc.dims[0];
            for (int64_t c = 0; c < numbers.desc.dims[0]; ++c)
                other.values.push_back(numbers.values[size_t(c * columns + column)]);
        }
        Case step = {.attributes = Elementwise{.kind = kind}};
        for (const RealTensor& operand : operands)
            step.inputs.push_back(operand.desc);
        const Result<Bytes> made = computed(device, step, operands, {});
        if (!made)
            return made.status();
        x.values = kit::decoded(x.desc.dtype, *made);
    }
    return computed(device, problem, inputs, options);
}

// Changes numbers so that their products and sums are rounded.
void spread(RealTensor& numbers)
{
    for (size_t i = 0; i < numbers.values.size(); ++i)
        numbers.values[i] = double(float(numbers.values[i] + double(i % 17) / 37));
}

TEST_P(EachPrologue, HasTheBitsOfTheOperatorsInFront)
{
    const Result<Device>& device = shared_device(present().index);
    ASSERT_TRUE(device) << device.message();
    size_t turn = size_t(prologue().kind);  // a full run takes both types of each line, an ordinary one takes them in turn
    for (const auto& [operator_name, line] : prologue_lines) {
        ++turn;
        for (const DType dtype : {DType::float32, DType::float64}) {
            if (!kit::full_run() && (turn % 2 == 0) != (dtype == DType::float64))
                continue;
            Case problem = parsed(operator_name, line);
            if (problem.inputs[0].layout == Layout::nxc || operator_name == std::string("onednn_conv_transpose"))
                continue;  // channels are broadcast another way there
            for (TensorDesc& input : problem.inputs)
                input.dtype = dtype;
            const std::vector<RealTensor> inputs = fill_inputs(problem, Fill::reals);
            RealTensor numbers = kit::prologue_numbers(problem, prologue());
            spread(numbers);
            const Case given = with_prologue(problem, prologue());
            const auto listed = kernels(given.attributes, given.inputs, device->capabilities(), {.prologue = prologue()});
            ASSERT_TRUE(listed) << listed.message();
            size_t compared = 0;
            for (const KernelInfo& kernel : *listed) {
                if (!kernel.unfit.empty())
                    continue;
                SCOPED_TRACE(present().label + ", " + kernel.name + ": " + text_of(prologue()) + " in front of " + line);
                const Result<Bytes> fused =
                    computed(*device, given, kit::with_numbers(inputs, numbers), {.kernel = kernel.name, .prologue = prologue()});
                const Result<Bytes> apart =
                    computed_apart(*device, problem, inputs, numbers, prologue(), {.kernel = kernel.name});
                ASSERT_TRUE(fused && apart) << fused.message() << apart.message();
                EXPECT_TRUE(*fused == *apart);
                ++compared;
            }
            EXPECT_GT(compared, 0u);
        }
    }
}

// Each part of a sum reads the numbers of its own channels, by windows where those don't fit.
TEST(Prologue, IsThatOfItsChannelsHoweverTheSumIsCut)
{
    Capabilities few_loops = unlimited();
    few_loops.max_loop_iterations = 1400;
    Capabilities tiny_windows = unlimited();
    tiny_windows.max_storage_buffer_range = 640;
    const std::pair<const char*, const char*> cut[] = {
        {"conv", "a x=1x61x5x7 w=3x61x3x3 b=3 pads=1,1,1,1"},
        {"conv", "b x=2x120x9 w=2x120x5 type=float16"},
        {"conv", "c x=2x9x120 w=4x60x5 b type=bfloat16 group=2 layout=NXC"},
        {"conv", "d x=1x301x4 w=2x301x3 b type=double pads=1,1"},
        {"conv_transpose", "e x=1x137x5x7 w=137x3x3x3 b=3 strides=2,1"},
        {"conv_transpose", "f x=1x120x4 w=120x2x5 b=2 type=bfloat16"},
        {"conv_transpose", "g x=1x3x3x302 w=302x2x2x2 type=double layout=NXC group=2"},
        {"global_average_pool", "h x=2x70x3x7"},
        {"global_average_pool", "i x=3x5x90 type=double"},
        {"global_average_pool", "j x=3x5x70 layout=NXC type=bfloat16"},
    };
    const Prologue prologue = {.scaled = true, .kind = ElementwiseKind::prelu};
    for (size_t i = 0; i < std::size(cut); ++i)
        for (const bool loops : {true, false})
            for (const PresentDevice& present : devices_in_turn(i + loops)) {
                const auto& [operator_name, line] = cut[i];
                const Capabilities& limits = loops ? few_loops : tiny_windows;
                const Result<std::shared_ptr<CaseDevice>> on = CaseDevice::shared(present.index, limits);
                ASSERT_TRUE(on) << on.message();
                const Case problem = parsed(operator_name, line);
                SCOPED_TRACE(present.label + ": " + line);
                const Case given = with_prologue(problem, prologue);
                const auto explained = explain(given.attributes, given.inputs, (*on)->device().capabilities(),
                                               {.kernel = is_conv(problem)   ? "conv_nd"
                                                          : is_pool(problem) ? ""
                                                                             : "conv_transpose_nd",
                                                .prologue = prologue});
                ASSERT_TRUE(explained) << explained.message();
                EXPECT_TRUE(explained->grids.size() > 1u || (is_pool(problem) && limits == few_loops)) << "it is not cut";
                ASSERT_NO_FATAL_FAILURE(expect_right(**on, problem, {Fill::integers}, {}, prologue));
            }
}

// An epilogue stands behind the convolution, and inputs are constant, of which P may be one.
TEST(Prologue, GoesWithAnEpilogueAndConstants)
{
    const Prologue prologue = {.scaled = true, .kind = ElementwiseKind::relu};
    const Elementwise epilogue = {.kind = ElementwiseKind::leaky_relu, .alpha = -0.5f};
    for (const PresentDevice& present : every_device()) {
        const Result<std::shared_ptr<CaseDevice>> on = CaseDevice::shared(present.index);
        ASSERT_TRUE(on) << on.message();
        const Device& device = (*on)->device();
        for (const auto& [operator_name, line] : prologue_lines) {
            const Case problem = parsed(operator_name, line);
            if (is_pool(problem))  // a pool takes no epilogue
                continue;
            SCOPED_TRACE(present.label + ": " + line);
            ASSERT_NO_FATAL_FAILURE(expect_right(**on, problem, {Fill::integers}, epilogue, prologue));
            const std::vector<RealTensor> inputs =
                kit::with_numbers(fill_inputs(problem, Fill::reals), kit::prologue_numbers(problem, prologue));
            const Case given = with_prologue(problem, prologue);
            const Result<Bytes> expected = computed(device, given, inputs, {.epilogue = epilogue, .prologue = prologue});
            ASSERT_TRUE(expected) << expected.message();
            PrepareOptions options = {.epilogue = epilogue, .prologue = prologue};
            std::vector<Tensor> constants;
            for (size_t i = 1; i < inputs.size(); ++i) {
                if (inputs[i].desc.dtype == DType::undefined)
                    continue;
                const Result<Tensor> tensor = device.tensor(inputs[i].desc, kit::encoded(inputs[i]));
                ASSERT_TRUE(tensor) << tensor.message();
                options.constants.push_back({.input = i, .tensor = *tensor});
            }
            const Result<Tensor> x = device.tensor(inputs[0].desc, kit::encoded(inputs[0]));
            const Result<Op> op = device.prepare(given.attributes, given.inputs, options);
            ASSERT_TRUE(x && op) << x.message() << op.message();
            EXPECT_EQ(op->inputs().size(), 1u);
            const Result<Tensor> y = device.tensor(op->outputs()[0]);
            ASSERT_TRUE(y) << y.message();
            const Status ran = device.run(*op, {*x}, {*y});
            ASSERT_TRUE(ran) << ran.message();
            Bytes got(expected->size());
            const Status read = y->download(std::span<std::byte>(got));
            ASSERT_TRUE(read) << read.message();
            const auto as_expected =
                explain(given.attributes, given.inputs, device.capabilities(), {.epilogue = epilogue, .prologue = prologue});
            if (op->explanation().kernel == as_expected->kernel) {
                EXPECT_TRUE(kit::same_bits(op->outputs()[0].dtype, got, *expected));
            }
        }
        EXPECT_EQ((*on)->take_messages(), "");
    }
}

TEST(Prologue, IsTheSameOnEveryDeviceInReproducibleMode)
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
            for (const Prologue& prologue : prologues)
                for (const DType dtype : prologue_types) {
                    const Case problem = drawn(draw, dtype);
                    RealTensor numbers = kit::prologue_numbers(problem, prologue);
                    if (dtype == DType::float32 || dtype == DType::float64)
                        spread(numbers);
                    const Result<Bytes> got = computed(*device, with_prologue(problem, prologue),
                                                       kit::with_numbers(fill_inputs(problem, Fill::reals), numbers),
                                                       {.reproducible = true, .prologue = prologue});
                    ASSERT_TRUE(got) << got.message() << kit::to_string(problem);
                    const std::string key = text_of(prologue) + " in front of " + kit::to_string(problem);
                    const auto [known, is_new] = answers.try_emplace(key, *got);
                    EXPECT_TRUE(known->second == *got) << present.label << ", " << range << ": " << key;
                    compared += !is_new;
                }
        }
    EXPECT_GE(compared, 20 * (2 * int(every_device().size()) - 1) - 10);
}

// A tuning for a problem without a prologue, or with another, must say nothing about this one.
TEST(Prologue, IsPartOfWhatIsTuned)
{
    const Result<Device> device = Device::open({.select = std::to_string(every_device().front().index), .self_test = false});
    ASSERT_TRUE(device) << device.message();
    const Case problem = parsed("conv", "points x=2x8x4x8 w=19x8x1x1 b");
    const auto tune = [&](const std::optional<Prologue>& prologue) {
        const Case given = prologue ? with_prologue(problem, *prologue) : problem;
        const Result<Op> op = device->prepare(given.attributes, given.inputs, {.tune = true, .prologue = prologue});
        EXPECT_TRUE(op) << op.message();
        const std::string found = *device->tunings();
        return std::count(found.begin(), found.end(), '\n');
    };
    EXPECT_EQ(tune({}), 1);
    EXPECT_EQ(tune(Prologue{.kind = ElementwiseKind::relu}), 2);
    EXPECT_EQ(tune(Prologue{.scaled = true, .kind = ElementwiseKind::relu}), 3);
    EXPECT_EQ(tune(Prologue{.scaled = true, .kind = ElementwiseKind::relu}), 3);
}

}  // namespace
}  // namespace vkonnx::gpu_test
