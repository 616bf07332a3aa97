// This file tests what each elementwise operator's document takes, to which dimensions inputs are broadcast, and every refusal.
#include <gtest/gtest.h>

#include <limits>

#include "expect.h"
#include "ops/geometry.h"

namespace vkonnx::ops {
namespace {

using Kind = ElementwiseKind;

std::string refusal(const Elementwise& op, const std::vector<TensorDesc>& inputs)
{
    const auto geometry = resolve(op, inputs);
    return geometry ? "accepted" : std::string(geometry.message());
}

TEST(Elementwise, BroadcastsToWhatAllInputsMake)
{
    const auto dims = [](Kind kind, const std::vector<TensorDesc>& inputs) {
        const auto geometry = resolve(Elementwise{.kind = kind}, inputs);
        EXPECT_TRUE(geometry) << geometry.message();
        return geometry ? geometry->dims : Dims{-1};
    };
    EXPECT_EQ(dims(Kind::add, {f32({2, 3, 5}), f32({3, 1})}), (Dims{2, 3, 5}));
    EXPECT_EQ(dims(Kind::add, {f32({4, 1}), f32({7, 1, 5})}), (Dims{7, 4, 5}));
    EXPECT_EQ(dims(Kind::mul, {f32({}), f32({})}), Dims{});
    EXPECT_EQ(dims(Kind::div, {f32({}), f32({2, 3})}), (Dims{2, 3}));
    EXPECT_EQ(dims(Kind::sub, {f32({3, 0}), f32({1})}), (Dims{3, 0}));
    EXPECT_EQ(dims(Kind::max, {f32({1, 5}), f32({4, 1}), f32({2, 1, 1})}), (Dims{2, 4, 5}));
    EXPECT_EQ(dims(Kind::sum, {f32({2, 2})}), (Dims{2, 2}));
    EXPECT_EQ(dims(Kind::prelu, {f32({2, 3, 5}), f32({3, 1})}), (Dims{2, 3, 5}));
    EXPECT_EQ(dims(Kind::clip, {f32({3}), {.dtype = DType::undefined}, f32({1, 1, 1})}), Dims{3});
}

TEST(Elementwise, InputsHaveTheRankOfTheOutput)
{
    const std::vector<TensorDesc> inputs = {f32({4, 1}), f32({7, 1, 5})};
    const auto geometry = resolve(Elementwise{.kind = Kind::add}, inputs);
    ASSERT_TRUE(geometry) << geometry.message();
    EXPECT_EQ(*geometry->inputs[0], (Dims{1, 4, 1}));
    EXPECT_EQ(*geometry->inputs[1], (Dims{7, 1, 5}));
    EXPECT_FALSE(geometry->variadic);
    EXPECT_EQ(geometry->equation, "ONNX Add-14: C = A + B");
    const std::vector<TensorDesc> holes = {f32({2}), {.dtype = DType::undefined}, f32({})};
    const auto clip = resolve(Elementwise{.kind = Kind::clip}, holes);
    ASSERT_TRUE(clip) << clip.message();
    EXPECT_FALSE(clip->inputs[1]);
    EXPECT_EQ(*clip->inputs[2], Dims{1});
}

TEST(Elementwise, TheOutputIsChannelsLastWhereAnInputIs)
{
    TensorDesc last = f32({1, 5, 3});
    last.layout = Layout::nxc;
    const std::vector<TensorDesc> inputs = {f32({3}), last};
    EXPECT_EQ(output_of(*resolve(Elementwise{.kind = Kind::add}, inputs)).layout, Layout::nxc);
}

std::array<double, 2> numbers(const Elementwise& op, DType dtype)
{
    const std::vector<TensorDesc> inputs = {{dtype, {2}}};
    const auto geometry = resolve(op, inputs);
    EXPECT_TRUE(geometry) << geometry.message();
    return geometry ? geometry->numbers : std::array<double, 2>{};
}

TEST(Elementwise, NumbersAreTheDocumentsWhereNoneAreGiven)
{
    using Numbers = std::array<double, 2>;
    EXPECT_EQ(numbers({.kind = Kind::leaky_relu}, DType::float32)[0], double(0.01f));
    EXPECT_EQ(numbers({.kind = Kind::leaky_relu, .alpha = 3}, DType::float32)[0], 3);
    EXPECT_EQ(numbers({.kind = Kind::hard_sigmoid}, DType::float64), (Numbers{0.2f, 0.5f}));
    EXPECT_EQ(numbers({.kind = Kind::hard_sigmoid, .beta = -1}, DType::float64), (Numbers{0.2f, -1}));
    EXPECT_EQ(numbers({.kind = Kind::hard_swish}, DType::float16), (Numbers{1.0f / 6, 0.5f}));
    EXPECT_EQ(numbers({.kind = Kind::selu}, DType::float32), (Numbers{1.67326319217681884765625, 1.05070102214813232421875}));
    EXPECT_EQ(numbers({.kind = Kind::selu, .gamma = 2}, DType::float32)[1], 2);
    EXPECT_EQ(numbers({.kind = Kind::gelu}, DType::float32)[0], 0);
    EXPECT_EQ(numbers({.kind = Kind::gelu, .approximate = GeluApproximation::tanh}, DType::float32)[0], 1);
    constexpr double most = std::numeric_limits<float>::max();
    EXPECT_EQ(numbers({.kind = Kind::clip}, DType::float32), (Numbers{-most, most}));
    EXPECT_EQ(numbers({.kind = Kind::clip}, DType::float16), (Numbers{-65504, 65504}));
    EXPECT_EQ(numbers({.kind = Kind::clip}, DType::bfloat16), (Numbers{-0x1.fep127, 0x1.fep127}));
    EXPECT_EQ(numbers({.opset = 10, .kind = Kind::clip, .min = -1.5f}, DType::float32), (Numbers{-1.5, most}));
}

TEST(Elementwise, EveryKindHasARowAndAName)
{
    for (const Spelling<Kind>& kind : elementwise_words) {
        EXPECT_EQ(name(kind.value), kind.word);
        Elementwise op = {.kind = kind.value};
        if (kind.value == Kind::mod)
            op.fmod = 1;  // of floats
        std::vector<TensorDesc> inputs = {f32({2, 3})};
        if (!resolve(op, inputs))
            inputs.push_back(f32({2, 3}));
        const auto geometry = resolve(op, inputs);
        EXPECT_TRUE(geometry) << kind.word << ": " << geometry.message();
    }
}

// In opset 7, operators that never broadcast still have their version 6. Version 6 of Sum takes only equal shapes.
TEST(Elementwise, OpsetSixWhereItsVersionsAreStillThere)
{
    for (const Kind kind : {Kind::relu, Kind::elu, Kind::hard_sigmoid, Kind::clip, Kind::neg, Kind::sum}) {
        const auto geometry = resolve(Elementwise{.opset = 6, .kind = kind}, std::vector{f32({2, 3})});
        EXPECT_TRUE(geometry) << geometry.message();
    }
    EXPECT_FALSE(resolve(Elementwise{.opset = 6, .kind = Kind::sum}, std::vector{f32({2, 3}), f32({3})}));
}

struct ElementwiseRefusal {
    // The constructor is needed because GCC 12 takes an aggregate of an aggregate with a list for uninitialized.
    ElementwiseRefusal(const Elementwise& of, std::vector<TensorDesc> given, const char* said)
        : op(of), inputs(std::move(given)), sentence(said)
    {
    }

    Elementwise op;
    std::vector<TensorDesc> inputs;
    const char* sentence;
};

const TensorDesc hole = {.dtype = DType::undefined};

const ElementwiseRefusal elementwise_refusals[] = {
    {{.kind = Kind(200)}, {f32({2})}, "Elementwise: kind = 200 must be one of ElementwiseKind"},
    {{.opset = 0, .kind = Kind::relu}, {f32({2})}, "Relu: opset = 0 must be at least 1"},
    {{.opset = 6, .kind = Kind::add},
     {f32({2}), f32({2})},
     "Add: opset = 6 must be at least 7: what broadcasts in a way of its own, as older versions do, is not supported"},
    {{.opset = 5, .kind = Kind::relu}, {f32({2})}, "Relu: opset = 5 must be at least 6: older versions are not supported"},
    {{.opset = 13, .kind = Kind::hard_swish},
     {f32({2})},
     "HardSwish: opset = 13 must be at least 14, the version in which the operator came"},
    {{.kind = Kind::relu, .alpha = 1}, {f32({2})}, "Relu: alpha must not be given: the operator has no such attribute"},
    {{.kind = Kind::leaky_relu, .beta = 1}, {f32({2})}, "LeakyRelu: beta must not be given: the operator has no such attribute"},
    {{.kind = Kind::sin, .approximate = GeluApproximation::tanh},
     {f32({2})},
     "Sin: approximate must not be given: the operator has no such attribute"},
    {{.kind = Kind::gelu, .approximate = GeluApproximation(7)},
     {f32({2})},
     "Gelu: approximate = 7 must be one of GeluApproximation"},
    {{.opset = 27, .kind = Kind::celu},
     {{DType::float16, {2}}},
     "Celu: X has type float16, which exists from version 28, and opset 27 means version 12"},
    {{.opset = 11, .kind = Kind::clip, .min = 1},
     {f32({2})},
     "Clip: min must not be given: it is an attribute until version 6, and opset 11 means version 11"},
    {{.kind = Kind::relu}, {}, "Relu: expects 1 input, but 0 are given"},
    {{.kind = Kind::add}, {f32({2})}, "Add: expects 2 inputs, but 1 is given"},
    {{.kind = Kind::clip}, std::vector<TensorDesc>(4, f32({})), "Clip: expects 1 to 3 inputs, but 4 are given"},
    {{.opset = 10, .kind = Kind::clip}, {f32({2}), f32({})}, "Clip: expects 1 input, but 2 are given"},
    {{.kind = Kind::sum}, {}, "Sum: expects 1 to 254 inputs, but 0 are given"},
    {{.kind = Kind::sum}, std::vector<TensorDesc>(255, f32({})), "Sum: expects 1 to 254 inputs, but 255 are given"},
    {{.kind = Kind::add}, {f32({2}), hole}, "Add: B is not given (DType::undefined), but it is no optional input"},
    {{.kind = Kind::clip}, {hole, f32({})}, "Clip: input is not given (DType::undefined), but it is no optional input"},
    {{.kind = Kind::relu}, {{DType::uint8, {2}}}, "Relu: X has type uint8, which no version of the operator accepts"},
    {{.opset = 13, .kind = Kind::relu},
     {{DType::int8, {2}}},
     "Relu: X has type int8, which exists from version 14, and opset 13 means version 13"},
    {{.opset = 21, .kind = Kind::hard_sigmoid},
     {{DType::bfloat16, {2}}},
     "HardSigmoid: X has type bfloat16, which exists from version 22, and opset 21 means version 6"},
    {{.kind = Kind::add}, {f32({2}), {DType::float16, {2}}}, "Add: B has type float16, but must have A's type float"},
    {{.kind = Kind::identity},
     {{DType::string, {2}}},
     "Identity: input has type string, which no version of the operator accepts"},
    {{.kind = Kind::relu}, {{DType::float32, {2}, Layout(9)}}, "Relu: X.layout = 9 must be NCX or NXC"},
    {{.kind = Kind::relu}, {f32({2, -1})}, "Relu: X.dims[1] = -1 must be at least 0"},
    {{.kind = Kind::relu},
     {f32({int64_t(1) << 40, int64_t(1) << 40})},
     "Relu: X = float[1099511627776,1099511627776] has more than 2^63 - 1 elements"},
    {{.kind = Kind::add},
     {f32({int64_t(1) << 40, 1}), f32({int64_t(1) << 40})},
     "Add: the output = float[1099511627776,1099511627776] has more than 2^63 - 1 elements"},
    {{.kind = Kind::add},
     {f32({2, 3, 5}), f32({4, 1})},
     "Add: B has extent 4 on axis 1 of the output, where A has 3; extents must be equal, or 1"},
    {{.kind = Kind::max},
     {f32({1, 5}), f32({3, 1}), f32({2, 5})},
     "Max: data_2 has extent 2 on axis 0 of the output, where data_1 has 3; extents must be equal, or 1"},
    {{.kind = Kind::add},
     {f32({0}), f32({2})},
     "Add: B has extent 2 on axis 0 of the output, where A has 0; extents must be equal, or 1"},
    {{.opset = 7, .kind = Kind::sum},
     {f32({2, 3}), f32({3})},
     "Sum: data_1 = float[3] must have the dimensions of data_0 = float[2,3]: version 6 does not broadcast, as version 8 does"},
    {{.kind = Kind::prelu}, {f32({2, 3, 5}), f32({2, 1})}, "PRelu: slope has extent 2 on axis 1 of X, which must be its 3, or 1"},
    {{.kind = Kind::prelu},
     {f32({3}), f32({1, 3})},
     "PRelu: slope has rank 2, which must not be more than X's, 1: it is broadcast to it"},
    {{.kind = Kind::mean}, {}, "Mean: expects 1 to 254 inputs, but 0 are given"},
    {{.opset = 27, .kind = Kind::mod}, {f32({2}), f32({2})}, "Mod: fmod = 0 must be 1 for type float before version 28"},
    {{.opset = 27, .kind = Kind::mod, .fmod = 0},
     {f32({2}), f32({2})},
     "Mod: fmod = 0 must be 1 for type float before version 28"},
    {{.kind = Kind::mod, .fmod = 2}, {f32({2}), f32({2})}, "Mod: fmod = 2 must be 0 or 1"},
    {{.kind = Kind::add, .fmod = 1}, {f32({2}), f32({2})}, "Add: fmod must not be given: the operator has no such attribute"},
    {{.kind = Kind::clip}, {f32({3}), f32({3})}, "Clip: min = float[3] must be a scalar"},
    {{.kind = Kind::clip}, {f32({3}), hole, f32({0})}, "Clip: max = float[0] must be a scalar"},
};

TEST(Elementwise, RefusesWithASentence)
{
    for (const ElementwiseRefusal& each : elementwise_refusals)
        EXPECT_EQ(refusal(each.op, each.inputs), each.sentence);
}

// ---- several in a row

ElementwiseStep step(Kind kind, std::optional<double> number = {}, bool swapped = false)
{
    ElementwiseStep one;
    one.kind = kind;
    one.number = number;
    one.swapped = swapped;
    return one;
}

Elementwise chain(Kind first, std::vector<ElementwiseStep> then)
{
    Elementwise op;
    op.kind = first;
    op.steps = std::move(then);
    return op;
}

TEST(ElementwiseChain, InputsOfStepsAreBehindTheOperatorsOwn)
{
    const std::vector<TensorDesc> inputs = {f32({3, 1}), f32({1}), f32({2, 1, 5})};
    const auto geometry = resolve(chain(Kind::clip, {step(Kind::relu), step(Kind::sub, {}, true), step(Kind::mul, 0.5)}), inputs);
    ASSERT_TRUE(geometry) << geometry.message();
    EXPECT_EQ(geometry->dims, (Dims{2, 3, 5}));
    EXPECT_EQ(geometry->own_inputs, 2u);
    EXPECT_EQ(*geometry->inputs[0], (Dims{1, 3, 1}));
    EXPECT_EQ(*geometry->inputs[1], (Dims{1, 1, 1}));
    EXPECT_EQ(*geometry->inputs[2], (Dims{2, 1, 5}));
    ASSERT_EQ(geometry->steps.size(), 3u);
    EXPECT_EQ(geometry->steps[0].kind, Kind::relu);
    EXPECT_EQ(geometry->steps[0].input, std::nullopt);
    EXPECT_EQ(geometry->steps[1].input, 2u);
    EXPECT_TRUE(geometry->steps[1].swapped);
    EXPECT_EQ(geometry->steps[2].input, std::nullopt);
    EXPECT_EQ(geometry->steps[2].numbers[0], 0.5);
    EXPECT_EQ(geometry->equation, "ONNX Clip-13: output = min(max(input, min), max)\n"
                                  "then ONNX Relu-14: Y = max(0, X)\n"
                                  "then ONNX Sub-14: C = A - B, where A is input 2\n"
                                  "then ONNX Mul-14: C = A * B, where B is 0.5");
}

TEST(ElementwiseChain, TheOutputIsChannelsLastWhereAnInputIs)
{
    TensorDesc last = f32({1, 5, 3});
    last.layout = Layout::nxc;
    const std::vector<TensorDesc> inputs = {f32({3}), last};
    EXPECT_EQ(output_of(*resolve(chain(Kind::neg, {step(Kind::add)}), inputs)).layout, Layout::nxc);
}

TEST(ElementwiseChain, NumbersAreThoseOfEachStep)
{
    ElementwiseStep leaky = step(Kind::leaky_relu);
    leaky.alpha = 0.25f;
    ElementwiseStep clip = step(Kind::clip);
    clip.min = -1;
    const std::vector<TensorDesc> inputs = {{DType::float16, {2}}};
    const auto geometry = resolve(chain(Kind::identity, {leaky, step(Kind::hard_sigmoid), clip}), inputs);
    ASSERT_TRUE(geometry) << geometry.message();
    EXPECT_EQ(geometry->steps[0].numbers[0], 0.25);
    EXPECT_EQ(geometry->steps[1].numbers, (std::array<double, 2>{0.2f, 0.5f}));
    EXPECT_EQ(geometry->steps[2].numbers, (std::array<double, 2>{-1, 65504}));
}

// A step has its kind's newest version, whatever the first operator's version is. Identity, Sum, Mean and Mod can't be steps.
TEST(ElementwiseChain, EveryOtherKindMayBeAStep)
{
    for (const Spelling<Kind>& kind : elementwise_words) {
        Elementwise op = chain(Kind::neg, {step(kind.value)});
        op.opset = 6;
        const bool one = resolve(op, std::vector{f32({2})}).ok();
        const bool two = resolve(op, std::vector{f32({2}), f32({2})}).ok();
        const bool none =
            kind.value == Kind::identity || kind.value == Kind::sum || kind.value == Kind::mean || kind.value == Kind::mod;
        EXPECT_EQ(one || two, !none) << kind.word;
        EXPECT_FALSE(one && two) << kind.word;
    }
}

TEST(ElementwiseChain, TakesAnIntegersOwnNumbersOnly)
{
    const auto takes = [](DType dtype, double number) {
        return resolve(chain(Kind::identity, {step(Kind::add, number)}), std::vector<TensorDesc>{{dtype, {2}}}).ok();
    };
    EXPECT_TRUE(takes(DType::int8, -128));
    EXPECT_FALSE(takes(DType::int8, 128));
    EXPECT_TRUE(takes(DType::uint16, 65535));
    EXPECT_FALSE(takes(DType::uint16, -1));
    EXPECT_TRUE(takes(DType::int64, -0x1p63));
    EXPECT_FALSE(takes(DType::int64, 0x1p63));
    EXPECT_TRUE(takes(DType::uint64, 0x1p63));
    EXPECT_FALSE(takes(DType::uint64, 0x1p64));
    EXPECT_FALSE(takes(DType::int32, 0.5));
    EXPECT_FALSE(takes(DType::int32, std::numeric_limits<double>::quiet_NaN()));
    EXPECT_TRUE(takes(DType::float16, 1e300)) << "an infinity";
}

TEST(ElementwiseChain, IsForDevices)
{
    const std::vector<TensorDesc> inputs = {{DType::int64, {1}}};
    const std::vector<std::byte> element(8);
    const std::vector<std::span<const std::byte>> data = {element};
    EXPECT_TRUE(evaluate(chain(Kind::neg, {}), inputs, data));
    EXPECT_EQ(evaluate(chain(Kind::neg, {step(Kind::abs)}), inputs, data).message(), "Neg: it is computed on devices only");
}

TEST(ElementwiseChain, IsWhatSignaturesCount)
{
    const Signature add = *signature(chain(Kind::add, {step(Kind::mul), step(Kind::sub, 1)}));
    EXPECT_EQ(add.least_inputs, 3u);
    EXPECT_EQ(add.most_inputs, 3u);
    EXPECT_EQ(signature(chain(Kind::max, {step(Kind::relu)}))->most_inputs, 3u);
}

TEST(ElementwiseChain, RefusesWithASentence)
{
    const auto with = [](auto member, auto value) {
        ElementwiseStep one = step(Kind::clip);
        one.*member = value;
        return chain(Kind::identity, {one});
    };
    ElementwiseStep steep = step(Kind::relu);
    steep.alpha = 1;
    ElementwiseStep odd = step(Kind::gelu);
    odd.approximate = GeluApproximation(7);
    const TensorDesc bytes = {DType::uint8, {2}};
    const TensorDesc doubles = {DType::float64, {2}};
    const std::vector<std::pair<std::string, std::string>> said = {
        {refusal(chain(Kind::neg, std::vector<ElementwiseStep>(7, step(Kind::relu))), {f32({2})}),
         "Neg: steps has 7 entries, which must be at most 6"},
        {refusal(chain(Kind::neg, {step(Kind::relu), step(Kind::identity)}), {f32({2})}),
         "Neg: steps[1].kind = Identity must be one of ElementwiseKind but Identity, Sum, Mean and Mod"},
        {refusal(chain(Kind::neg, {step(Kind(99))}), {f32({2})}),
         "Neg: steps[0].kind = 99 must be one of ElementwiseKind but Identity, Sum, Mean and Mod"},
        {refusal(chain(Kind::sum, {step(Kind::relu)}), std::vector<TensorDesc>(4, f32({2}))),
         "Sum: steps is not empty, so that at most 3 inputs are expected, but 4 are given"},
        {refusal(chain(Kind::neg, {step(Kind::add)}), {f32({2})}),
         "Neg: steps has 1 step with an input of its own, behind the operator's, but 1 input is given"},
        {refusal(chain(Kind::add, {step(Kind::add)}), {f32({2}), f32({2})}), "Add: expects 2 inputs, but 1 is given"},
        {refusal(chain(Kind::neg, {step(Kind::relu)}), {f32({2}), f32({2})}), "Neg: expects 1 input, but 2 are given"},
        {refusal(chain(Kind::identity, {step(Kind::relu)}), {bytes}),
         "Identity: steps[0].kind = Relu has no uint8, the type of what it is to be computed of"},
        {refusal(chain(Kind::identity, {step(Kind::tanh)}), {doubles}),
         "Identity: steps[0].kind = Tanh has no double, the type of what it is to be computed of"},
        {refusal(chain(Kind::neg, {step(Kind::pow, 2)}), {{DType::int32, {2}}}),
         "Neg: steps[0].kind = Pow has no int32, the type of what it is to be computed of"},
        {refusal(chain(Kind::neg, {steep}), {f32({2})}), "Neg: steps[0].alpha must not be given: Relu has no such attribute"},
        {refusal(with(&ElementwiseStep::approximate, GeluApproximation::tanh), {f32({2})}),
         "Identity: steps[0].approximate must not be given: Clip has no such attribute"},
        {refusal(chain(Kind::identity, {odd}), {f32({2})}),
         "Identity: steps[0].approximate = 7 must be one of GeluApproximation"},
        {refusal(chain(Kind::neg, {step(Kind::relu, 1)}), {f32({2})}),
         "Neg: steps[0].number must not be given: Relu has no second operand"},
        {refusal(chain(Kind::neg, {step(Kind::relu, {}, true)}), {f32({2})}),
         "Neg: steps[0].swapped must not be given: Relu has no second operand"},
        {refusal(chain(Kind::identity, {step(Kind::add, 1.5)}), {bytes}),
         "Identity: steps[0].number = 1.5 must be a whole number that uint8 has"},
        {refusal(with(&ElementwiseStep::max, 256.0f), {bytes}),
         "Identity: steps[0].max = 256 must be a whole number that uint8 has"},
        {refusal(chain(Kind::neg, {step(Kind::add)}), {f32({2}), {DType::float16, {2}}}),
         "Neg: steps[0]'s input has type float16, but must have X's type float"},
        {refusal(chain(Kind::neg, {step(Kind::add)}), {f32({2}), hole}),
         "Neg: steps[0]'s input has type undefined, but must have X's type float"},
        {refusal(chain(Kind::neg, {step(Kind::add)}), {f32({2}), {DType::float32, {2}, Layout(9)}}),
         "Neg: steps[0]'s input.layout = 9 must be NCX or NXC"},
        {refusal(chain(Kind::neg, {step(Kind::add)}), {f32({2}), f32({-1})}),
         "Neg: steps[0]'s input.dims[0] = -1 must be at least 0"},
        {refusal(chain(Kind::neg, {step(Kind::relu), step(Kind::add)}), {f32({2}), f32({3})}),
         "Neg: steps[1]'s input has extent 3 on axis 0 of the output, where what the operator makes has 2; extents must be "
         "equal, "
         "or 1"},
        {refusal(chain(Kind::prelu, {step(Kind::add)}), {f32({1, 3}), f32({2, 3}), f32({2, 3})}),
         "PRelu: slope has extent 2 on axis 0 of X, which must be its 1, or 1"},
    };
    for (const auto& [refused, sentence] : said)
        EXPECT_EQ(refused, sentence);
    EXPECT_EQ(resolve(chain(Kind::identity, {step(Kind::tanh)}), std::vector{doubles}).code(), Code::unsupported);
    EXPECT_EQ(resolve(chain(Kind::identity, {step(Kind::relu)}), std::vector{bytes}).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace vkonnx::ops
