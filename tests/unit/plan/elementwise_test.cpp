// This file tests plans of elementwise operators: which axes merge. It also runs plans on paper: every element of every input is
// read for the output it belongs to, once, through a window that has it, and in place before it is overwritten.

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <set>

#include "constant_of.h"
#include "kit/cases.h"
#include "kit/draw.h"
#include "kit/source_path.h"
#include "plan/engines/tiles.h"
#include "plan/operators/elementwise/problem.h"
#include "plan/operators/operators.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/engines/tiles/tiles.h"
#include "shaders/operators/elementwise/elementwise.h"
#include "shaders/operators/elementwise/elementwise_constants.h"

namespace vkonnx::plan {
namespace {

using ops::ElementwiseGeometry;
using Axes = std::vector<BroadcastAxis>;

ElementwiseGeometry geometry_of(std::string_view line)
{
    const Result<kit::Case> problem = kit::parse_case("elementwise", line);
    EXPECT_TRUE(problem) << problem.message();
    const auto geometry = ops::resolve(std::get<Elementwise>(problem->attributes), problem->inputs);
    EXPECT_TRUE(geometry) << geometry.message();
    return geometry ? *geometry : ElementwiseGeometry();
}

Axes merged(std::string_view line)
{
    const ElementwiseGeometry geometry = geometry_of(line);
    return plan::merged(geometry.dims, geometry.inputs);
}

TEST(MergedAxes, AreNoneWhereEveryInputLiesAsTheOutput)
{
    EXPECT_EQ(merged("a op=Relu a=2x3x5"), Axes{});
    EXPECT_EQ(merged("a op=Relu a=scalar"), Axes{});
    EXPECT_EQ(merged("a op=Add a=1x2x3 b=2x3"), Axes{});
    EXPECT_EQ(merged("a op=Add a=1x1 b=1"), Axes{});
}

TEST(MergedAxes, JoinNeighboursThatAllInputsSeeAlike)
{
    EXPECT_EQ(merged("a op=Add a=2x3x5x7 b=5x7"), (Axes{{6, {35, 0}}, {35, {1, 1}}}));
    EXPECT_EQ(merged("a op=Add a=2x3x5x7 b=3x1x1"), (Axes{{2, {105, 0}}, {3, {35, 1}}, {35, {1, 0}}}));
    EXPECT_EQ(merged("a op=Add a=2x3x5x7 b=scalar"), (Axes{{210, {1, 0}}}));
    EXPECT_EQ(merged("a op=Add a=3x1x5 b=3x1x1"), (Axes{{3, {5, 1}}, {5, {1, 0}}}));
    EXPECT_EQ(merged("a op=Clip a=3x5 c=scalar"), (Axes{{15, {1, 0, 0}}}));
    EXPECT_EQ(merged("a op=Mul a=2x1x3 b=1x2x1"), (Axes{{2, {3, 0}}, {2, {0, 1}}, {3, {1, 0}}}));
}

TEST(MergedAxes, OfAnyRankAreFewEnough)
{
    std::string a = "2", b = "1";
    for (int i = 1; i < 40; ++i) {
        a += i % 2 == 0 && i < 30 ? "x2" : "x1";
        b += i % 2 == 1 && i < 30 ? "x2" : "x1";
    }
    EXPECT_EQ(merged("a op=Add a=" + a + " b=" + b).size(), 30u);
    const auto plan = plan_for(geometry_of("a op=Add a=" + a + " b=" + b), Capabilities(), {});
    EXPECT_TRUE(plan) << plan.message();
}

// ---- on paper

// Returns where the element of an input lies that belongs to output `flat`. The input's dimensions are aligned with the output's.
int64_t place_of(const std::vector<int64_t>& own, const std::vector<int64_t>& dims, int64_t flat)
{
    int64_t place = 0;
    int64_t step = 1;
    for (size_t a = dims.size(); a-- > 0;) {
        place += own[a] == 1 ? 0 : flat % dims[a] * step;
        step *= own[a];
        flat /= dims[a];
    }
    return place;
}

class Paper {
public:
    Paper(const Plan& plan, const ElementwiseGeometry& geometry)
        : plan_(plan), geometry_(geometry), width_(bits(geometry.dtype) / 8), many_(geometry.inputs.size() > ELEMENTWISE_INPUTS),
          outputs_(*element_count(output_of(geometry)))
    {
        std::memcpy(words_.data(), plan.uniform.data(), plan.uniform.size());
    }

    // Runs the plan, and returns "" or what is wrong.
    std::string run()
    {
        reads_.assign(size_t(outputs_) * geometry_.inputs.size(), 0);
        written_.assign(size_t(outputs_), false);
        for (const Step& step : plan_.steps)
            if (std::string wrong = take(step); !wrong.empty())
                return wrong;
        for (int64_t o = 0; o < outputs_; ++o)
            for (size_t i = 0; i < geometry_.inputs.size(); ++i)
                if (reads_[size_t(o) * geometry_.inputs.size() + i] != (geometry_.inputs[i] ? 1 : 0))
                    return "output " + std::to_string(o) + " has input " + std::to_string(i) + " not once";
        return std::all_of(written_.begin(), written_.end(), [](bool each) { return each; }) ? "" : "an output is not written";
    }

    // Returns how many outputs lie in whole quads.
    int64_t quads() const { return quads_; }

private:
    // Returns the element of the whole tensor that the kernel reads or writes at a place counted from the window's beginning.
    std::optional<int64_t> element(const Operand& operand, uint32_t place, uint64_t width) const
    {
        const uint64_t offset = place * width;
        if (offset + width > bound_bytes(plan_, operand))
            return std::nullopt;
        return int64_t((operand.offset + offset) / width);
    }

    std::string take(const Step& step)
    {
        push::GatherPart push;
        std::memcpy(&push, step.push.data(), sizeof(push));
        const PipelineKey& key = pipeline_of(plan_, step);
        const uint32_t rank = constant_of(key, "rank");
        const bool by_quads = rows_are_quads(key, rank);
        const uint32_t at_once = by_quads ? quad : width_ < 4 ? uint32_t(4 / width_) : 1;
        if (step.groups[0] * step.groups[1] * step.groups[2] * constant_of(key, "workgroup_size") * at_once < push.output_count)
            return "too few invocations";
        const Operand& y = step.operands[ELEMENTWISE_INPUTS];
        const bool wide = y.place == Place::scratch;
        const size_t inputs = !many_ ? geometry_.inputs.size() : push.channel_count;
        const uint32_t end = push.first_output + push.output_count;
        for (uint32_t o = push.first_output; o < end; ++o) {
            const uint32_t in_quad = (o - push.first_output) % quad;
            const bool whole = by_quads && o - in_quad + quad <= end;
            quads_ += whole;
            if (whole && (o - in_quad - push.y_base) % quad != 0)
                return "output " + std::to_string(o) + " is in a quad that begins amid one";
            for (size_t i = 0; i < inputs; ++i)
                if (std::string wrong = read(step, push, rank, i, o, whole ? in_quad : 0, whole); !wrong.empty())
                    return wrong;
            const auto at = element(y, o - push.y_base, wide ? 4 : width_);
            if (!at || (!wide && *at != int64_t(o)))
                return "output " + std::to_string(o) + " is written elsewhere";
            written_[o] = written_[o] || !wide;
        }
        return "";
    }

    // Decides as shaders/operators/elementwise/elementwise_quads.glsl does whether rows are whole quads.
    bool rows_are_quads(const PipelineKey& key, uint32_t rank) const
    {
        const uint32_t quads = constant_of(key, "quads");
        return quads == QUADS_ALWAYS || (quads == QUADS_OF_WHOLE_ROWS && (rank == 0 || words_[ELEMENTWISE_NUMBERS] % quad == 0));
    }

    // `in_quad` is the number of the output in a whole quad, whose places are those of its first output.
    std::string read(const Step& step, const push::GatherPart& push, uint32_t rank, size_t slot, uint32_t o, uint32_t in_quad,
                     bool whole)
    {
        const size_t input = slot + (many_ ? push.first_channel : 0);
        if (!geometry_.inputs[input])
            return "";
        const uint32_t first = o - in_quad;
        uint32_t place = rank == 0 ? first : 0;
        uint32_t rest = first;
        for (uint32_t a = 0; a < rank; ++a) {
            const uint32_t extent = words_[ELEMENTWISE_NUMBERS + a];
            place += rest % extent * words_[ELEMENTWISE_NUMBERS + (1 + input) * rank + a];
            rest /= extent;
        }
        const uint32_t bases[] = {push.x_base, push.w_base, push.b_base};
        if (whole && constant_of(pipeline_of(plan_, step), "advances") >> slot & 1u) {
            if ((place - bases[slot]) % quad != 0)
                return "a quad of input " + std::to_string(input) + " begins amid one";
            place += in_quad;
        }
        const bool other = input == 1 && geometry_.exponent != DType::undefined;
        const auto at = element(step.operands[slot], place - bases[slot], other ? bits(geometry_.exponent) / 8 : width_);
        if (step.operands[slot].tensor != input || !at || *at != place_of(*geometry_.inputs[input], geometry_.dims, o))
            return "output " + std::to_string(o) + " reads input " + std::to_string(input) + " elsewhere";
        const bool may_be_output = std::count(plan_.in_place.begin(), plan_.in_place.end(), input) != 0;
        if (may_be_output && (*at != int64_t(o) || written_[o]))
            return "input " + std::to_string(input) + " is read after the output was written in its place";
        ++reads_[o * geometry_.inputs.size() + input];
        return "";
    }

    const Plan& plan_;
    const ElementwiseGeometry& geometry_;
    const uint64_t width_;
    const bool many_;
    const int64_t outputs_;
    int64_t quads_ = 0;
    std::array<uint32_t, 4 * ELEMENTWISE_VECTORS> words_ = {};
    std::vector<int> reads_;
    std::vector<bool> written_;
};

Capabilities drawn_capabilities(kit::Draw& draw)
{
    const auto names = Capabilities::preset_names();
    Capabilities c = *Capabilities::preset(names[size_t(draw.between(0, int64_t(names.size()) - 1))]);
    if (draw.one_in(2)) {
        c.storage_buffer_alignment = draw.of({4u, 64u, 256u});
        c.max_storage_buffer_range = uint64_t(draw.between(600, 6000));
    }
    if (draw.one_in(3))
        c.max_group_count = {uint32_t(draw.between(1, 3)), 2, 2};
    if (draw.one_in(3))
        c.work_per_second = draw.of({2e3, 1e5, 1e12});
    return c;
}

TEST(ElementwisePlan, ReadsEachElementOnceWhateverTheCuts)
{
    kit::Draw draw(kit::test_seed(10));
    SCOPED_TRACE(draw.repeat());
    int parts = 0, scratch = 0, quads = 0, cut_quads = 0, refused = 0;
    for (int trial = 0; trial < 3600 && !HasFailure(); ++trial) {
        const kit::Case problem = draw_elementwise(draw);
        const auto geometry = ops::resolve(std::get<Elementwise>(problem.attributes), problem.inputs);
        if (!geometry || *element_count(output_of(*geometry)) == 0)
            continue;
        const Capabilities capabilities = drawn_capabilities(draw);
        const Result<Plan> plan = plan_for(*geometry, capabilities, {.kernel = draw.one_in(4) ? "elementwise" : ""});
        if (!plan) {
            EXPECT_EQ(plan.code(), Code::unsupported) << plan.message();
            ++refused;
            continue;
        }
        SCOPED_TRACE(to_string(problem));
        const Status checked = check(*plan, capabilities);
        EXPECT_TRUE(checked) << checked.message();
        Paper paper(*plan, *geometry);
        EXPECT_EQ(paper.run(), "");
        quads += paper.quads() > 0;
        cut_quads += paper.quads() > 0 && plan->steps.size() > 1;
        parts += plan->steps.size() > 1;
        scratch += plan->scratch_bytes != 0;
    }
    EXPECT_GT(parts, 180);
    EXPECT_GT(scratch, 10);
    EXPECT_GT(quads, 90);
    EXPECT_GT(cut_quads, 10);
    EXPECT_LT(refused, 600);
}

TEST(ElementwisePlan, FitsEveryPresetAndVulkansMinimum)
{
    const Result<std::vector<kit::Case>> cases = kit::load_cases(kit::source_path("tests/cases/elementwise.txt"));
    ASSERT_TRUE(cases) << cases.message();
    std::set<Kernel> kernels;
    for (const kit::Case& problem : *cases)
        for (const std::string_view preset : Capabilities::preset_names()) {
            SCOPED_TRACE(to_string(problem));
            const auto geometry = ops::resolve(std::get<Elementwise>(problem.attributes), problem.inputs);
            ASSERT_TRUE(geometry) << geometry.message();
            const Capabilities capabilities = *Capabilities::preset(preset);
            const Result<Plan> plan = plan_for(*geometry, capabilities, {});
            ASSERT_TRUE(plan) << plan.message();
            const Status checked = check(*plan, capabilities);
            EXPECT_TRUE(checked) << checked.message();
            if (!plan->steps.empty()) {
                EXPECT_EQ(Paper(*plan, *geometry).run(), "");
            }
            for (const PipelineKey& key : plan->pipelines)
                kernels.insert(key.kernel);
        }
    EXPECT_EQ(kernels.size(), 2 * (13u + 4u + 4u))
        << "a type has no case, alone or with steps; of four, with functions or without, and these one by one or by quads";
}

TEST(ElementwisePlan, FunctionsAreInModulesOfTheirOwn)
{
    const auto module_of = [](std::string_view line) {
        const Result<Plan> plan = plan_for(geometry_of(line), *Capabilities::preset("desktop"), {});
        return plan ? std::string(kernel_name(plan->pipelines.at(0).kernel)) : std::string(plan.message());
    };
    EXPECT_EQ(module_of("a op=Add a=4x9 b=9"), "elementwise_functions0_outputs4_f32");
    EXPECT_EQ(module_of("a op=Sum a=9 b=9 c=9 d=9"), "elementwise_functions0_f32") << "more inputs than one part has";
    EXPECT_EQ(module_of("a op=Div a=4x9 b=9"), "elementwise_f32");
    EXPECT_EQ(module_of("a op=Add a=4x9 b=9 steps=HardSwish"), "elementwise_chain_functions0_outputs4_f32");
    EXPECT_EQ(module_of("a op=Add a=4x9 b=9 steps=HardSwish,Tanh"), "elementwise_chain_f32");
    EXPECT_EQ(module_of("a op=Exp a=4x9 steps=Add:1"), "elementwise_chain_f32");
    EXPECT_EQ(module_of("a op=Add a=4x9 b=9 type=int8"), "elementwise_i8") << "there is one for integers";
}

// Whether rows are whole quads is known when the pipeline is made, or only when it runs.
TEST(ElementwisePlan, QuadsAreOfRowsThatAreWholeQuads)
{
    const auto quads_of = [](std::string_view line, std::string_view preset) {
        const Result<Plan> plan = plan_for(geometry_of(line), *Capabilities::preset(preset), {});
        EXPECT_TRUE(plan) << plan.message();
        if (!plan)
            return std::string();
        const PipelineKey& key = plan->pipelines.at(0);
        return plan->kernel + " " + std::to_string(constant_of(key, "quads")) + " " +
               std::to_string(constant_of(key, "advances"));
    };
    static_assert(QUADS_NEVER == 0 && QUADS_ALWAYS == 1 && QUADS_OF_WHOLE_ROWS == 2);
    EXPECT_EQ(quads_of("a op=Add a=4x8 b=8", "lavapipe"), "elementwise_quads_f32 1 3");
    EXPECT_EQ(quads_of("a op=Add a=4x8 b=4x1", "lavapipe"), "elementwise_quads_f32 1 1");
    EXPECT_EQ(quads_of("a op=Add a=4x1 b=4x8", "lavapipe"), "elementwise_quads_f32 1 2");
    EXPECT_EQ(quads_of("a op=Add a=3x4 b=3x4", "lavapipe"), "elementwise_quads_f32 1 7") << "all are one row";
    EXPECT_EQ(quads_of("a op=Add a=3x5 b=3x5", "lavapipe"), "elementwise_f32 0 0");
    EXPECT_EQ(quads_of("a op=Add a=4x9 b=4x1", "lavapipe"), "elementwise_f32 0 0");
    for (const char* line : {"a op=Add a=4x8 b=4x1", "a op=Add a=4x9 b=4x1"})
        EXPECT_EQ(quads_of(line, "desktop"), "elementwise_quads_f32 2 1") << line << ": one pipeline for both";
}

TEST(ElementwisePlan, SumsOfHalvesGoOnInScratchMemoryAndOthersInTheOutput)
{
    const auto steps = [](std::string_view line) {
        const Result<Plan> plan = plan_for(geometry_of(line), Capabilities(), {});
        EXPECT_TRUE(plan) << plan.message();
        return plan ? *plan : Plan();
    };
    const Plan halves = steps("a op=Sum a=9 b=9 c=9 d=9 e=9 f=9 g=9 type=float16");
    ASSERT_EQ(halves.steps.size(), 4u);
    EXPECT_EQ(halves.scratch_bytes, 36u);
    EXPECT_EQ(halves.steps[0].operands[3].place, Place::scratch);
    EXPECT_EQ(halves.steps[3].operands[0].place, Place::scratch);
    EXPECT_EQ(halves.steps[3].operands[3].tensor, 7);
    EXPECT_EQ(halves.in_place, (std::vector<uint8_t>{0, 1, 2, 3, 4, 5, 6}));
    const Plan floats = steps("a op=Sum a=9 b=9 c=9 d=9 e=9 f=9 g=9");
    ASSERT_EQ(floats.steps.size(), 3u);
    EXPECT_EQ(floats.scratch_bytes, 0u);
    EXPECT_EQ(floats.steps[1].operands[3].access, Access::read_write);
    EXPECT_EQ(floats.steps[2].operands[1], floats.steps[2].operands[0]) << "only one input is left";
    EXPECT_EQ(floats.in_place, std::vector<uint8_t>{0});
    EXPECT_EQ(steps("a op=Sum a=9 b=9 c=9").steps.size(), 1u);
}

TEST(ElementwisePlan, TheBlockIsSmallWhereLittleIsTold)
{
    for (const auto& [line, vectors] :
         {std::pair("a op=Mul a=4x9 b=9", 16u), std::pair("a op=Sum a=2x1x2x1x2 b=1x2x1x2x1 c=2x2x2x2x2", 16u),
          std::pair("a op=Mul a=2x1x2x1x2x1x2x1 b=1x2x1x2x1x2x1x2", 256u)}) {
        const Result<Plan> plan = plan_for(geometry_of(line), Capabilities(), {});
        ASSERT_TRUE(plan) << plan.message();
        EXPECT_EQ(plan->uniform.size(), vectors * 16) << line;
        EXPECT_EQ(constant_of(plan->pipelines.at(0), "vectors"), vectors) << line;
    }
}

TEST(ElementwisePlan, StepsAreConstantsAndTheirNumbersAreInTheBlock)
{
    const Result<Plan> plan =
        plan_for(geometry_of("a op=Mul a=4x9 b=9 c=4x1 steps=Add,LeakyRelu:alpha=0.25,2:Sub"), Capabilities(), {});
    ASSERT_TRUE(plan) << plan.message();
    const PipelineKey& key = plan->pipelines.at(0);
    EXPECT_EQ(key.kernel, Kernel::elementwise_chain_functions0_outputs4_f32);
    EXPECT_EQ(constant_of(key, "kind"), uint32_t(ElementwiseKind::mul));
    EXPECT_EQ(constant_of(key, "given"), 3u) << "of the first operator";
    EXPECT_EQ(constant_of(key, "step1"), uint32_t(ElementwiseKind::add) | 2u << ELEMENTWISE_OTHER);
    EXPECT_EQ(constant_of(key, "step2"), uint32_t(ElementwiseKind::leaky_relu) | ELEMENTWISE_NUMBER << ELEMENTWISE_OTHER);
    EXPECT_EQ(constant_of(key, "step3"),
              uint32_t(ElementwiseKind::sub) | ELEMENTWISE_NUMBER << ELEMENTWISE_OTHER | ELEMENTWISE_SWAPPED);
    EXPECT_EQ(constant_of(key, "step4"), 0u);
    const auto block = block_of<push::ElementwiseProblem>(plan->uniform);
    const auto number = [&](size_t step) { return std::bit_cast<float>(block.words[step * ELEMENTWISE_NUMBERS_OF_ONE]); };
    EXPECT_EQ(number(1), 0) << "an input";
    EXPECT_EQ(number(2), 0.25f);
    EXPECT_EQ(number(3), 2);
    EXPECT_EQ(plan->why, "the first choice for this problem");
}

TEST(ElementwisePlan, NumbersOfIntegersAreWords)
{
    const auto words = [](const std::string& steps) {
        const Result<Plan> plan = plan_for(geometry_of("a op=Identity a=9 " + steps), Capabilities(), {});
        EXPECT_TRUE(plan) << plan.message();
        const auto block = block_of<push::ElementwiseProblem>(plan->uniform);
        const uint32_t* first = block.words + ELEMENTWISE_NUMBERS_OF_ONE;
        return std::vector<uint32_t>(first, first + ELEMENTWISE_NUMBERS_OF_ONE);
    };
    using Words = std::vector<uint32_t>;
    EXPECT_EQ(words("type=int8 steps=Add:-7"), (Words{0xfffffff9, 0xffffffff, 0, 0}));
    EXPECT_EQ(words("type=uint64 steps=Add:9223372036854775808"), (Words{0, 0x80000000, 0, 0}));
    EXPECT_EQ(words("type=int64 steps=Clip:max=-2"), (Words{0, 0x80000000, 0xfffffffe, 0xffffffff}));
    EXPECT_EQ(words("type=double steps=Mul:0.1"), (Words{0x9999999a, 0x3fb99999, 0, 0}));
}

TEST(ElementwisePlan, AChainIsInPlaceOfAnInputThatIsNotBroadcast)
{
    const auto in_place = [](std::string_view line) {
        const Result<Plan> plan = plan_for(geometry_of(line), Capabilities(), {});
        EXPECT_TRUE(plan) << plan.message();
        return plan ? plan->in_place : std::vector<uint8_t>();
    };
    EXPECT_EQ(in_place("a op=Mul a=4x9 b=9 c=4x9 steps=Add"), (std::vector<uint8_t>{0, 2}));
    EXPECT_EQ(in_place("a op=Neg a=9 b=4x9 steps=Add"), (std::vector<uint8_t>{1}));
}

TEST(ElementwisePlan, RefusesWhatItsBlockCannotDescribe)
{
    std::vector<TensorDesc> inputs;
    for (int i = 0; i < 100; ++i) {
        TensorDesc desc = {DType::float32, std::vector<int64_t>(14, 1)};
        desc.dims[size_t(i) % 14] = 2;
        inputs.push_back(desc);
    }
    const auto geometry = ops::resolve(Elementwise{.kind = ElementwiseKind::max}, inputs);
    ASSERT_TRUE(geometry) << geometry.message();
    EXPECT_EQ(
        plan_for(*geometry, Capabilities(), {}).message(),
        "Max: no kernel fits, because its 100 inputs are broadcast along 14 axes, more than its uniform block can describe");
}

TEST(ElementwisePlan, RefusesWhatNoKernelCanNumber)
{
    const std::vector<TensorDesc> inputs = {{DType::uint8, {65536, 32768}}};
    const auto geometry = ops::resolve(Elementwise{}, inputs);
    ASSERT_TRUE(geometry) << geometry.message();
    EXPECT_EQ(
        plan_for(*geometry, Capabilities(), {}).message(),
        "Identity: the output uint8[65536,32768] has 2147483648 elements, more than the 2147483647 that kernels can number");
}

TEST(ElementwisePlan, RefusesADeviceOfTooFewLoopIterations)
{
    Capabilities few;
    few.max_loop_iterations = 100;
    const std::string message(plan_for(geometry_of("a op=Relu a=9"), few, {}).message());
    EXPECT_NE(message.find("would exceed the device's 100 iterations"), std::string::npos) << message;
    few.max_loop_iterations = 2 * ELEMENTWISE_ITERATIONS;
    EXPECT_TRUE(plan_for(geometry_of("a op=Relu a=9 steps=Neg"), few, {}));
    EXPECT_FALSE(plan_for(geometry_of("a op=Relu a=9 steps=Neg,Abs"), few, {})) << "each step has loops of its own";
}

}  // namespace
}  // namespace vkonnx::plan
