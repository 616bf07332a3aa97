// This file tests model files on every device: values, what is uploaded and when, and what a session refuses to run.
#include <filesystem>
#include <fstream>

#include "kit/models.h"
#include "kit/operators.h"
#include "kit/temporary_folder.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

namespace fs = std::filesystem;
using kit::float_tensor;
using kit::int64_tensor;
using kit::int_attribute;
using kit::ints_attribute;
using kit::ModelBuilder;
using kit::Proto;
using onnx::HostTensor;
using onnx::NamedDesc;
using onnx::Session;

TEST(OnnxSession, PoolAndTransposedConvolutionInOneGraph)
{
    on_every_device([](const CaseDevice& device) {
        TensorDesc x_desc{.dtype = DType::float32, .dims = {1, 3, 7, 10}};
        std::vector<float> picture;
        for (int i = 0; i < 3 * 7 * 10; ++i)
            picture.push_back(float((i * 37) % 64 - 20));
        std::vector<HostTensor> outputs = run(device, kit::half_then_double(), {floats(x_desc.dims, picture)}, {{"X", x_desc}});
        ASSERT_EQ(outputs.size(), 2U);

        // Every sum is exact: windows hold 1, 2 or 4 pixels, and the weights are sixteenths.
        kit::RealTensor x{.desc = x_desc, .values = {picture.begin(), picture.end()}};
        auto elements = [](const TensorDesc& desc, const Result<std::vector<kit::Answer>>& answers) {
            EXPECT_TRUE(answers) << answers.message();
            kit::RealTensor tensor{.desc = desc};
            for (const kit::Answer& answer : *answers)
                tensor.values.push_back(double(answer.value));
            return tensor;
        };
        TensorDesc halved_desc{.dtype = DType::float32, .dims = {1, 3, 4, 5}};
        kit::RealTensor halved =
            elements(halved_desc, kit::reference(AveragePool{.kernel_shape = {2, 2}, .strides = {2, 2}, .ceil_mode = 1},
                                                 std::span(&x, 1), kit::sample_of(halved_desc, 1 << 20)));
        kit::RealTensor w{.desc = {.dtype = DType::float32, .dims = {3, 1, 4, 4}}};
        for (int i = 0; i < 3 * 16; ++i)
            w.values.push_back((i / 4 % 4 % 3 == 0 ? 0.25 : 0.75) * (i % 4 % 3 == 0 ? 0.25 : 0.75));
        TensorDesc y_desc{.dtype = DType::float32, .dims = {1, 3, 8, 10}};
        const kit::RealTensor conv_inputs[] = {halved, w};
        kit::RealTensor y = elements(y_desc, kit::reference(ConvTranspose{.strides = {2, 2}, .pads = {1, 1, 1, 1}, .group = 3},
                                                            conv_inputs, kit::sample_of(y_desc, 1 << 20)));
        expect_floats(outputs[0], y_desc.dims, {y.values.begin(), y.values.end()});
        expect_floats(outputs[1], halved_desc.dims, {halved.values.begin(), halved.values.end()});
    });
}

TEST(OnnxSession, ViewsBetweenOperators)
{
    // [8] -> (1,1,8) -> pool -> (1,1,4) -> Squeeze, Identity, Reshape to (1,2,2) -> ConvTranspose, 2 groups -> Flatten
    std::string file =
        ModelBuilder()
            .opset(13)
            .input("X", DType::float32, {8})
            .initializer(int64_tensor("front", {2}, {0, 1}))
            .initializer(int64_tensor("pairs", {3}, {1, 2, -1}))
            .initializer(float_tensor("W", {2, 1, 2}, {1, 10, 100, 1000}))
            .node("Unsqueeze", {"X", "front"}, {"a"})
            .node("AveragePool", {"a"}, {"b"}, {ints_attribute("kernel_shape", {2}), ints_attribute("strides", {2})})
            .node("Squeeze", {"b"}, {"c"})
            .node("Identity", {"c"}, {"d"})
            .node("Reshape", {"d", "pairs"}, {"e"})
            .node("ConvTranspose", {"e", "W"}, {"f"}, {int_attribute("group", 2), ints_attribute("strides", {2})})
            .node("Flatten", {"f"}, {"Y"}, {int_attribute("axis", 2)})
            .output("Y", DType::float32, {2, 4})
            .output("d", DType::float32, {4})
            .build();
    on_every_device([&](const CaseDevice& device) {
        std::vector<HostTensor> outputs = run(device, file, {floats({8}, {1, 3, 2, 6, -1, 1, 0, 10})});
        ASSERT_EQ(outputs.size(), 2U);
        expect_floats(outputs[0], {2, 4}, {2, 20, 4, 40, 0, 0, 500, 5000});
        expect_floats(outputs[1], {4}, {2, 4, 0, 5});
    });
}

TEST(OnnxSession, BiasGivenAndLeftOffAsNothing)
{
    auto file = [](const std::vector<std::string>& inputs) {
        return ModelBuilder()
            .opset(11)
            .input("X", DType::float32, {1, 1, 2})
            .initializer(float_tensor("W", {1, 2, 2}, {1, 2, 3, 4}))
            .initializer(float_tensor("B", {2}, {100, 200}))
            .node("ConvTranspose", inputs, {"Y"})
            .output("Y")
            .build();
    };
    on_every_device([&](const CaseDevice& device) {
        HostTensor x = floats({1, 1, 2}, {1, 10});
        std::vector<HostTensor> with = run(device, file({"X", "W", "B"}), {x});
        std::vector<HostTensor> without = run(device, file({"X", "W", ""}), {x});
        ASSERT_EQ(with.size(), 1U);
        ASSERT_EQ(without.size(), 1U);
        expect_floats(without[0], {1, 2, 3}, {1, 12, 20, 3, 34, 40});
        expect_floats(with[0], {1, 2, 3}, {101, 112, 120, 203, 234, 240});
    });
}

TEST(OnnxSession, ALastStateWithoutTheStatesBeforeIt)
{
    auto file = [](const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
        return ModelBuilder()
            .opset(14)
            .input("X", DType::float32, {3, 1, 1})
            .initializer(float_tensor("W", {1, 1, 1}, {3}))
            .initializer(float_tensor("R", {1, 1, 1}, {2}))
            .initializer(float_tensor("H", {1, 1, 1}, {100}))
            .node("RNN", inputs, outputs, {kit::int_attribute("hidden_size", 1), kit::strings_attribute("activations", {"relu"})})
            .output(outputs.back())
            .build();
    };
    on_every_device([&](const CaseDevice& device) {
        const HostTensor x = floats({3, 1, 1}, {1, 2, -10});
        expect_floats(run(device, file({"X", "W", "R"}, {"Y"}), {x}).at(0), {3, 1, 1, 1}, {3, 12, 0});
        expect_floats(run(device, file({"X", "W", "R", "", "", "H"}, {"", "Y_h"}), {x}).at(0), {1, 1, 1}, {794});
    });
}

TEST(OnnxSession, InitializersInTypedFieldsAndConstants)
{
    std::string w =
        Proto().integers(1, {1, 1, 2}).integer(2, 1).reals(4, std::vector<float>{3}).real(4, 5.0F).bytes(8, "W").str();
    std::string file = ModelBuilder()
                           .opset(13)
                           .input("X", DType::float32, {1, 1, 2})
                           .input("W", DType::float32, {1, 1, 2})  // listed as an input too, as before IR version 4
                           .initializer(w)
                           .node("Constant", {}, {"B"}, {kit::floats_attribute("value_floats", {0.5F})})
                           .node("ConvTranspose", {"X", "W", "B"}, {"Y"})
                           .output("Y")
                           .build();
    on_every_device([&](const CaseDevice& device) {
        std::vector<HostTensor> outputs = run(device, file, {floats({1, 1, 2}, {1, 2})});
        ASSERT_EQ(outputs.size(), 1U);
        expect_floats(outputs[0], {1, 1, 3}, {3.5F, 11.5F, 10.5F});
    });
}

TEST(OnnxSession, WeightsAsGraphInputAndOneTensorForTwoReaders)
{
    std::string file = ModelBuilder()
                           .opset(11)
                           .input("X", DType::float32, {1, 1, 2})
                           .input("W", DType::float32, {1, 1, 2})
                           .node("ConvTranspose", {"X", "W"}, {"Y"})
                           .node("ConvTranspose", {"W", "X"}, {"Z"})
                           .node("ConvTranspose", {"X", "X"}, {"S"})
                           .output("Y")
                           .output("Z")
                           .output("S")
                           .build();
    on_every_device([&](const CaseDevice& device) {
        std::vector<HostTensor> outputs = run(device, file, {floats({1, 1, 2}, {1, 2}), floats({1, 1, 2}, {10, 30})});
        ASSERT_EQ(outputs.size(), 3U);
        expect_floats(outputs[0], {1, 1, 3}, {10, 50, 60});
        expect_floats(outputs[1], {1, 1, 3}, {10, 50, 60});
        expect_floats(outputs[2], {1, 1, 3}, {1, 4, 4});
    });
}

TEST(OnnxSession, OutputsThatNeedNoDevice)
{
    std::string packed = kit::raw_tensor("nibbles", {.dtype = DType::int4, .dims = {3}}, kit::as_bytes("\x21\x03"));
    std::string file = ModelBuilder()
                           .opset(21)
                           .input("words", DType::string, {2, 1})
                           .input("bits", DType::boolean, {3})
                           .initializer(packed)
                           .node("Shape", {"words"}, {"extents"})
                           .node("Squeeze", {"words"}, {"flat"})
                           .node("Identity", {"nibbles"}, {"copy"})
                           .node("Constant", {}, {"name"}, {kit::string_attribute("value_string", "seven")})
                           .output("words")
                           .output("flat")
                           .output("bits")
                           .output("copy")
                           .output("extents")
                           .output("name")
                           .build();
    on_every_device([&](CaseDevice& device) {
        HostTensor words = strings({2, 1}, {"one", ""});
        HostTensor bits = host<uint8_t>(DType::boolean, {3}, {1, 0, 1});
        device.shim().reset_calls();
        std::vector<HostTensor> outputs = run(device, file, {words, bits});
        EXPECT_EQ(device.shim().calls("vkCreateBuffer"), 0U);
        EXPECT_EQ(device.shim().calls("vkQueueSubmit"), 0U);
        ASSERT_EQ(outputs.size(), 6U);
        EXPECT_EQ(outputs[0].desc, words.desc);
        EXPECT_EQ(outputs[0].strings, words.strings);
        EXPECT_EQ(outputs[1].desc.dims, (Dims{2}));
        EXPECT_EQ(outputs[1].strings, words.strings);
        EXPECT_EQ(outputs[2].data, bits.data);
        EXPECT_EQ(outputs[3].desc, (TensorDesc{.dtype = DType::int4, .dims = {3}}));
        EXPECT_EQ(values_of<uint8_t>(outputs[3]), (std::vector<uint8_t>{0x21, 0x03}));
        EXPECT_EQ(outputs[4].desc, (TensorDesc{.dtype = DType::int64, .dims = {2}}));
        EXPECT_EQ(values_of<int64_t>(outputs[4]), (std::vector<int64_t>{2, 1}));
        EXPECT_EQ(outputs[5].strings, (std::vector<std::string>{"seven"}));
    });
}

TEST(OnnxSession, ShapeOfADeviceValueFeedsReshape)
{
    // Y gets back the dimensions that X had. The pooled values of stride 1 and window 1 are X itself.
    std::string file = ModelBuilder()
                           .opset(15)
                           .input("X", DType::float32, {1, "C", "L"})
                           .node("AveragePool", {"X"}, {"P"}, {ints_attribute("kernel_shape", {1})})
                           .node("Shape", {"P"}, {"S"}, {int_attribute("start", 1)})
                           .node("Reshape", {"P", "S"}, {"Y"})
                           .output("Y")
                           .output("S")
                           .build();
    on_every_device([&](const CaseDevice& device) {
        HostTensor x = floats({1, 2, 3}, {1, 2, 3, 4, 5, 6});
        std::vector<HostTensor> outputs = run(device, file, {x}, {{"X", x.desc}});
        ASSERT_EQ(outputs.size(), 2U);
        expect_floats(outputs[0], {2, 3}, {1, 2, 3, 4, 5, 6});
        EXPECT_EQ(values_of<int64_t>(outputs[1]), (std::vector<int64_t>{2, 3}));
    });
}

TEST(OnnxSession, RunsAgainWithOtherInputsInOneSubmitAndWithoutAllocations)
{
    on_every_device([](CaseDevice& device) {
        TensorDesc desc{.dtype = DType::float32, .dims = {1, 3, 4, 4}};
        Result<Session> session = prepare(device, kit::half_then_double(), {{"X", desc}});
        ASSERT_TRUE(session) << session.message();
        HostTensor zeros = floats(desc.dims, std::vector<float>(48, 0));
        HostTensor fours = floats(desc.dims, std::vector<float>(48, 4));
        auto cold = session->run({&fours, 1});
        ASSERT_TRUE(cold) << cold.message();

        device.shim().reset_calls();
        auto warm = session->run({&zeros, 1});
        ASSERT_TRUE(warm) << warm.message();
        // Where the host does not see the device's memory, inputs and outputs are copied by submits of their own.
        const uint64_t submits = device.shim().calls("vkQueueSubmit");
        EXPECT_GE(submits, 1U);
        EXPECT_LE(submits, device.device().capabilities().is_cpu ? 1U : 3U);
        EXPECT_EQ(device.shim().calls("vkAllocateMemory"), 0U);
        EXPECT_EQ(device.shim().calls("vkCreate*"), 0U);
        EXPECT_EQ(device.shim().calls("vkUpdateDescriptorSets"), 0U);

        expect_floats((*cold)[1], {1, 3, 2, 2}, std::vector<float>(12, 4));
        expect_floats((*warm)[1], {1, 3, 2, 2}, std::vector<float>(12, 0));
        expect_floats((*warm)[0], desc.dims, std::vector<float>(48, 0));
    });
}

TEST(OnnxSession, ReportsItsNodes)
{
    on_every_device([](const CaseDevice& device) {
        TensorDesc desc{.dtype = DType::float32, .dims = {1, 3, 64, 64}};
        Result<Session> session = prepare(device, kit::half_then_double(), {{"X", desc}});
        ASSERT_TRUE(session) << session.message();
        ASSERT_EQ(session->nodes().size(), 2U);
        EXPECT_EQ(session->nodes()[0].name, "half");
        AveragePool half;
        half.kernel_shape = half.strides = {2, 2};
        const Result<Explanation> explained = explain(half, {{desc}}, device.device().capabilities(), {});
        ASSERT_TRUE(explained) << explained.message();
        EXPECT_EQ(session->nodes()[0].explanation.kernel, explained->kernel);
        EXPECT_EQ(session->nodes()[1].explanation.outputs.front().dims, desc.dims);
        EXPECT_EQ(session->nodes()[1].seconds, 0);
        HostTensor x = floats(desc.dims, std::vector<float>(3 * 64 * 64, 1));
        ASSERT_TRUE(session->run({&x, 1}));
        for (const onnx::NodeReport& node : session->nodes()) {
            if (device.device().capabilities().timestamps) {
                EXPECT_GT(node.seconds, 0) << node.name;
                EXPECT_LT(node.seconds, 60) << node.name;
            } else {
                EXPECT_EQ(node.seconds, 0) << node.name;
            }
        }
    });
}

// Two of Split's three outputs are read, and the one between has no name. What decides dimensions is known beforehand.
TEST(OnnxSession, PartsOfAnInputAndAListThatIsKnown)
{
    const std::string file = ModelBuilder()
                                 .opset(13)
                                 .input("X", DType::float32, {2, 6})
                                 .input("starts", DType::int64, {1})
                                 .initializer(int64_tensor("ends", {1}, {2}))
                                 .node("Split", {"X"}, {"a", "", "c"}, {int_attribute("axis", 1)})
                                 .node("Add", {"a", "c"}, {"sum"})
                                 .node("Slice", {"sum", "starts", "ends"}, {"Y"})
                                 .output("Y")
                                 .output("a")
                                 .build();
    const onnx::HostTensor x = floats({2, 6}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const onnx::HostTensor starts = host<int64_t>(DType::int64, {1}, {1});
    std::vector<onnx::NamedDesc> known(1);
    known[0].name = "starts";
    known[0].desc = starts.desc;
    known[0].value = starts;
    on_every_device([&](const CaseDevice& device) {
        const std::vector<onnx::HostTensor> outputs = run(device, file, {x, starts}, known);
        ASSERT_EQ(outputs.size(), 2u);
        expect_floats(outputs[0], {1, 2}, {16, 18});
        expect_floats(outputs[1], {2, 2}, {0, 1, 6, 7});
        Result<onnx::Session> session = prepare(device, file, known);
        ASSERT_TRUE(session) << session.message();
        const auto other = session->run(std::vector{x, host<int64_t>(DType::int64, {1}, {0})});
        ASSERT_TRUE(other) << other.message();
        expect_floats(other->at(0), {2, 2}, {4, 6, 16, 18});
    });
}

// The mask is as exporters write it: what is not 0 and below a limit is kept, and all else becomes a number. The input is known
// when the model is prepared, or only when it runs.
TEST(OnnxSession, ChoosesByComparisonsOfARun)
{
    const std::string file = ModelBuilder()
                                 .opset(16)
                                 .input("X", DType::float32, {2, 3})
                                 .initializer(float_tensor("zero", {}, {0}))
                                 .initializer(float_tensor("limits", {3}, {1, 2, 3}))
                                 .initializer(float_tensor("mask", {}, {-100}))
                                 .node("Equal", {"X", "zero"}, {"is_zero"})
                                 .node("Not", {"is_zero"}, {"is_other"})
                                 .node("Less", {"X", "limits"}, {"is_below"})
                                 .node("And", {"is_other", "is_below"}, {"is_kept"})
                                 .node("Where", {"is_kept", "X", "mask"}, {"Y"})
                                 .node("Relu", {"Y"}, {"Z"})
                                 .output("Z")
                                 .output("Y")
                                 .build();
    const HostTensor x = host<float>(DType::float32, {2, 3}, {0.5f, -0.0f, 7, 1, NAN, -2});
    std::vector<NamedDesc> known(1);
    known[0].name = "X";
    known[0].desc = x.desc;
    known[0].value = x;
    on_every_device([&](const CaseDevice& device) {
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        EXPECT_EQ(session->nodes()[0].explanation.kernel, "logic_u8");
        EXPECT_EQ(session->nodes()[4].explanation.kernel, "logic_u32");
        const auto outputs = session->run(std::span(&x, 1));
        ASSERT_TRUE(outputs) << outputs.message();
        expect_floats(outputs->at(0), {2, 3}, {0.5f, 0, 0, 0, 0, 0});
        expect_floats(outputs->at(1), {2, 3}, {0.5f, -100, -100, -100, -100, -2});

        Result<Session> folded = prepare(device, file, known);
        ASSERT_TRUE(folded) << folded.message();
        EXPECT_EQ(folded->nodes()[4].explanation.kernel, "host");
        const auto same = folded->run(std::span(&x, 1));
        ASSERT_TRUE(same) << same.message();
        EXPECT_EQ(same->at(1).data, outputs->at(1).data);
    });
}

// The table has four rows. Its words are known when the model is prepared, or only when it runs.
TEST(OnnxSession, RowsOfATableByIndicesOfARun)
{
    const std::string file =
        ModelBuilder()
            .opset(13)
            .input("words", DType::int64, {2, 2})
            .initializer(float_tensor("table", {4, 4}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33}))
            .initializer(int64_tensor("column", {}, {-1}))
            .node("Gather", {"table", "words"}, {"rows"}, {int_attribute("axis", 0)})
            .node("Gather", {"rows", "column"}, {"last"}, {int_attribute("axis", 2)})
            .output("rows")
            .output("last")
            .build();
    const HostTensor words = host<int64_t>(DType::int64, {2, 2}, {3, 0, -2, 3});
    const std::vector<float> rows = {30, 31, 32, 33, 0, 1, 2, 3, 20, 21, 22, 23, 30, 31, 32, 33};
    std::vector<NamedDesc> known(1);
    known[0].name = "words";
    known[0].desc = words.desc;
    known[0].value = words;
    on_every_device([&](const CaseDevice& device) {
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        EXPECT_EQ(session->nodes()[0].explanation.kernel, "take_u128");
        EXPECT_EQ(session->nodes()[1].explanation.kernel, "take_u32");
        const auto outputs = session->run(std::span(&words, 1));
        ASSERT_TRUE(outputs) << outputs.message();
        expect_floats(outputs->at(0), {2, 2, 4}, rows);
        expect_floats(outputs->at(1), {2, 2}, {33, 3, 23, 33});
        // The document leaves open what indices that the table does not have give.
        const auto beyond = session->run(std::vector{host<int64_t>(DType::int64, {2, 2}, {4, 1, -5, INT64_MAX})});
        ASSERT_TRUE(beyond) << beyond.message();
        expect_floats(beyond->at(0), {2, 2, 4}, {0, 0, 0, 0, 10, 11, 12, 13, 0, 0, 0, 0, 0, 0, 0, 0});
        expect_floats(beyond->at(1), {2, 2}, {0, 13, 0, 0});

        Result<Session> folded = prepare(device, file, known);
        ASSERT_TRUE(folded) << folded.message();
        EXPECT_EQ(folded->nodes()[0].explanation.kernel, "host");
        EXPECT_EQ(folded->nodes()[1].explanation.kernel, "host");
        const auto same = folded->run(std::span(&words, 1));
        ASSERT_TRUE(same) << same.message();
        EXPECT_EQ(same->at(0).data, outputs->at(0).data);
        EXPECT_EQ(same->at(1).data, outputs->at(1).data);
    });
}

// What nobody reads later is written in place.
TEST(OnnxSession, UpdatesGoToIndicesOfARun)
{
    const std::string file = ModelBuilder()
                                 .opset(18)
                                 .input("x", DType::float32, {2, 3})
                                 .input("i", DType::int64, {2, 2})
                                 .initializer(float_tensor("points", {2}, {7, 8}))
                                 .initializer(float_tensor("elements", {2, 2}, {1, 2, 3, 4}))
                                 .node("Neg", {"x"}, {"y"})
                                 .node("ScatterND", {"y", "i", "points"}, {"z"})
                                 .node("ScatterElements", {"z", "i", "elements"}, {"sums"},
                                       {int_attribute("axis", 1), kit::string_attribute("reduction", "add")})
                                 .output("sums")
                                 .build();
    on_every_device([&](const CaseDevice& device) {
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        const HostTensor x = host<float>(DType::float32, {2, 3}, {-10, -20, -30, -40, -50, -60});
        const auto outputs = session->run(std::vector{x, host<int64_t>(DType::int64, {2, 2}, {1, 1, -2, 1})});
        ASSERT_TRUE(outputs) << outputs.message();
        expect_floats(outputs->at(0), {2, 3}, {10, 8 + 1 + 2, 30, 40, 7 + 3 + 4, 60});
        const auto beyond = session->run(std::vector{x, host<int64_t>(DType::int64, {2, 2}, {1, 3, INT64_MIN, 0})});
        ASSERT_TRUE(beyond) << beyond.message();
        expect_floats(beyond->at(0), {2, 3}, {10, 20 + 1, 30, 40 + 4, 50, 60});
    });
}

TEST(OnnxSession, ElementsAndPointsByIndicesOfARun)
{
    const std::string file = ModelBuilder()
                                 .opset(18)
                                 .input("i", DType::int64, {2, 2})
                                 .initializer(float_tensor("table", {2, 3}, {0, 1, 2, 10, 11, 12}))
                                 .node("GatherElements", {"table", "i"}, {"elements"}, {int_attribute("axis", 1)})
                                 .node("GatherND", {"table", "i"}, {"points"})
                                 .output("elements")
                                 .output("points")
                                 .build();
    const HostTensor indices = host<int64_t>(DType::int64, {2, 2}, {1, -1, -2, 0});
    std::vector<NamedDesc> known(1);
    known[0].name = "i";
    known[0].desc = indices.desc;
    known[0].value = indices;
    on_every_device([&](const CaseDevice& device) {
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        EXPECT_EQ(session->nodes()[0].explanation.kernel, "take_nd_u32");
        EXPECT_EQ(session->nodes()[1].explanation.kernel, "take_nd_u32");
        const auto outputs = session->run(std::span(&indices, 1));
        ASSERT_TRUE(outputs) << outputs.message();
        expect_floats(outputs->at(0), {2, 2}, {1, 2, 11, 10});
        expect_floats(outputs->at(1), {2}, {12, 0});
        const auto beyond = session->run(std::vector{host<int64_t>(DType::int64, {2, 2}, {1, 3, INT64_MIN, 2})});
        ASSERT_TRUE(beyond) << beyond.message();
        expect_floats(beyond->at(0), {2, 2}, {1, 0, 0, 12});
        expect_floats(beyond->at(1), {2}, {0, 0});

        Result<Session> folded = prepare(device, file, known);
        ASSERT_TRUE(folded) << folded.message();
        EXPECT_EQ(folded->nodes()[0].explanation.kernel, "host");
        EXPECT_EQ(folded->nodes()[1].explanation.kernel, "host");
        const auto same = folded->run(std::span(&indices, 1));
        ASSERT_TRUE(same) << same.message();
        EXPECT_EQ(same->at(0).data, outputs->at(0).data);
        EXPECT_EQ(same->at(1).data, outputs->at(1).data);
    });
}

TEST(OnnxSession, RowsOfATableByTheGreatestOfARun)
{
    const std::string file =
        ModelBuilder()
            .opset(13)
            .input("x", DType::float32, {2, 3})
            .initializer(float_tensor("table", {3, 2}, {0, 1, 10, 11, 20, 21}))
            .node("Neg", {"x"}, {"scores"})
            .node("ArgMax", {"scores"}, {"classes"}, {int_attribute("axis", -1), int_attribute("keepdims", 0)})
            .node("ArgMin", {"scores"}, {"others"}, {int_attribute("select_last_index", 1)})
            .node("Gather", {"table", "classes"}, {"rows"})
            .output("classes")
            .output("others")
            .output("rows")
            .build();
    on_every_device([&](const CaseDevice& device) {
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        const auto outputs = session->run(std::vector{host<float>(DType::float32, {2, 3}, {5, -1, 5, 2, 3, 5})});
        ASSERT_TRUE(outputs) << outputs.message();
        EXPECT_EQ(values_of<int64_t>(outputs->at(0)), (std::vector<int64_t>{1, 0}));
        EXPECT_EQ(outputs->at(0).desc, (TensorDesc{DType::int64, {2}}));
        EXPECT_EQ(values_of<int64_t>(outputs->at(1)), (std::vector<int64_t>{0, 1, 1}));
        EXPECT_EQ(outputs->at(1).desc, (TensorDesc{DType::int64, {1, 3}}));
        expect_floats(outputs->at(2), {2, 2}, {10, 11, 0, 1});
    });
}

TEST(OnnxSession, EmptyBatch)
{
    on_every_device([](const CaseDevice& device) {
        std::string file = ModelBuilder()
                               .opset(11)
                               .input("X", DType::float32, {"N", 1, 2})
                               .initializer(float_tensor("W", {1, 1, 2}, {1, 2}))
                               .node("ConvTranspose", {"X", "W"}, {"Y"})
                               .output("Y")
                               .build();
        HostTensor x = floats({0, 1, 2}, {});
        std::vector<HostTensor> outputs = run(device, file, {x}, {{"X", x.desc}});
        ASSERT_EQ(outputs.size(), 1U);
        expect_floats(outputs[0], {0, 1, 3}, {});
    });
}

TEST(OnnxSession, RefusesInputsThatTheModelCannotTake)
{
    std::string file = ModelBuilder()
                           .opset(13)
                           .input("X", DType::float32, {1, 1, 2})
                           .input("words", DType::string, {2})
                           .node("AveragePool", {"X"}, {"Y"}, {ints_attribute("kernel_shape", {2})})
                           .output("Y")
                           .build();
    on_every_device([&](const CaseDevice& device) {
        Result<Session> session = prepare(device, file);
        ASSERT_TRUE(session) << session.message();
        HostTensor x = floats({1, 1, 2}, {1, 2});
        HostTensor words = strings({2}, {"a", "b"});
        auto message = [&](const std::vector<HostTensor>& inputs) {
            auto result = session->run(inputs);
            return result ? "accepted" : std::string(result.message());
        };
        EXPECT_EQ(message({x, words}), "accepted");
        EXPECT_EQ(message({x}), "the model has 2 inputs, 1 are given");
        EXPECT_EQ(message({floats({1, 2, 1}, {1, 2}), words}), "input 'X': dims[1] = 2, but the model declares float[1,1,2]");
        HostTensor short_x = x;
        short_x.data.pop_back();
        EXPECT_EQ(message({short_x, words}), "input 'X': it has 7 bytes, float[1,1,2] needs 8");
        HostTensor short_words = words;
        short_words.strings.pop_back();
        EXPECT_EQ(message({x, short_words}), "input 'words': it has 1 strings, string[2] needs 2");
        EXPECT_EQ(Session{}.run({}).message(), "Session::run: the Session is an empty handle");
    });
}

TEST(OnnxSession, NamesTheNodeThatADeviceRefuses)
{
    std::string file = ModelBuilder()
                           .opset(13)
                           .input("X", DType::int32, {1, 1, 2})
                           .node("AveragePool", {"X"}, {"Y"}, {ints_attribute("kernel_shape", {2})}, "odd")
                           .output("Y")
                           .build();
    on_every_device([&](const CaseDevice& device) {
        Result<Session> session = prepare(device, file);
        ASSERT_FALSE(session);
        EXPECT_TRUE(holds(session.message(), "node 'odd': AveragePool"));
    });
}

// This class writes weights into files of their own, in a folder that it removes at the end.
class ExternalWeights {
public:
    // Adds the tensor to the file, and returns its TensorProto.
    std::string add(const std::string& name, const HostTensor& tensor, const std::string& file = "weights.bin") const
    {
        std::ofstream stream(path(file), std::ios::binary | std::ios::app);
        stream << "what is not read";
        const auto offset = std::streamoff(stream.tellp());
        stream.write(reinterpret_cast<const char*>(tensor.data.data()), std::streamsize(tensor.data.size()));
        return kit::external_tensor(name, tensor.desc, {{"location", file}, {"offset", std::to_string(offset)}});
    }
    fs::path path(const std::string& file) const { return folder_.path() / file; }
    Result<onnx::Model> parse(const std::string& file) const
    {
        return onnx::Model::parse(kit::as_bytes(file), {.external_data_folder = folder_.path().string()});
    }

private:
    const kit::TemporaryFolder folder_;
};

std::string inner(const std::string& name, const HostTensor& tensor)
{
    return kit::raw_tensor(name, tensor.desc, tensor.data);
}

HostTensor counting(const Dims& dims, int period)
{
    std::vector<float> values;
    const Result<int64_t> count = element_count({DType::float32, dims});
    for (int64_t i = 0; i < *count; ++i)
        values.push_back(float(i % period) - 3);
    return floats(dims, values);
}

// Runs both models and compares what they give, byte by byte.
void expect_same(const CaseDevice& device, const Result<onnx::Model>& model, const std::string& inner_file, const HostTensor& x)
{
    ASSERT_TRUE(model) << model.message();
    Result<Session> session = Session::prepare(device.device(), *model, {});
    ASSERT_TRUE(session) << session.message();
    const Result<std::vector<HostTensor>> outputs = session->run(std::span(&x, 1));
    ASSERT_TRUE(outputs) << outputs.message();
    const std::vector<HostTensor> expected = run(device, inner_file, {x});
    ASSERT_EQ(outputs->size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ((*outputs)[i].desc, expected[i].desc) << "output " << i;
        EXPECT_TRUE((*outputs)[i].data == expected[i].data) << "output " << i;
    }
}

TEST(OnnxSession, WeightsInOtherFilesGiveWhatThoseInTheModelGive)
{
    on_every_device([](const CaseDevice& device) {
        const ExternalWeights weights;
        const HostTensor x = counting({1, 3, 5, 7}, 11), w = counting({3, 2, 3, 3}, 7), b = counting({2}, 5),
                         factors = counting({2, 1, 1}, 3), unused = counting({5}, 4);
        const auto file = [&](const std::vector<std::string>& tensors) {
            ModelBuilder builder;
            builder.opset(13).input("X", DType::float32, {1, 3, 5, 7});
            for (const std::string& tensor : tensors)
                builder.initializer(tensor);
            return builder.node("ConvTranspose", {"X", "W", "B"}, {"C"}, {ints_attribute("strides", {2, 2})}, "up")
                .node("Mul", {"C", "F"}, {"Y"})  // it is fused into the weights, which are read for that
                .output("Y")
                .output("U")  // a tensor of the file as it is
                .build();
        };
        expect_same(device,
                    weights.parse(file({weights.add("W", w), weights.add("B", b, "b"), weights.add("F", factors, "b"),
                                        weights.add("U", unused)})),
                    file({inner("W", w), inner("B", b), inner("F", factors), inner("U", unused)}), x);
    });
}

TEST(OnnxSession, WeightsInOtherFilesGoUpInPieces)
{
    on_every_device([](const CaseDevice& device) {
        const ExternalWeights weights;
        const HostTensor x = floats({1}, {0.5F}), w = counting({(4 << 20) + 3}, 1000003);
        const auto file = [](const std::string& tensor) {
            return ModelBuilder()
                .opset(13)
                .input("X", DType::float32, {1})
                .initializer(tensor)
                .node("Add", {"X", "W"}, {"Y"})
                .output("Y")
                .build();
        };
        expect_same(device, weights.parse(file(weights.add("W", w))), file(inner("W", w)), x);
    });
}

TEST(OnnxSession, WeightsInOtherFilesOfAnyType)
{
    on_every_device([](const CaseDevice& device) {
        for (const DType dtype : {DType::int8, DType::float16, DType::int64}) {
            SCOPED_TRACE(name(dtype));
            const ExternalWeights weights;
            std::vector<uint8_t> bytes(8 * bits(dtype) / 8);
            for (size_t i = 0; i < bytes.size(); ++i)
                bytes[i] = uint8_t(i + 1);
            HostTensor x = host(dtype, {8}, bytes), w = x;
            w.desc.dims = {5};
            w.data.resize(5 * bits(dtype) / 8);
            const auto file = [&](const std::string& tensor) {
                return ModelBuilder()
                    .opset(13)
                    .input("X", dtype, {8})
                    .initializer(tensor)
                    .node("Concat", {"W", "X"}, {"Y"}, {int_attribute("axis", 0)})
                    .output("Y")
                    .build();
            };
            expect_same(device, weights.parse(file(weights.add("W", w))), file(inner("W", w)), x);
        }
    });
}

TEST(OnnxSession, WeightsThatWentAfterLoadingAreNamed)
{
    on_every_device([](const CaseDevice& device) {
        const ExternalWeights weights;
        const HostTensor x = counting({1, 3, 5, 7}, 11), w = counting({3, 2, 3, 3}, 7);
        const std::string file = ModelBuilder()
                                     .opset(13)
                                     .input("X", DType::float32, {1, 3, 5, 7})
                                     .initializer(weights.add("W", w))
                                     .node("ConvTranspose", {"X", "W"}, {"Y"}, {}, "up")
                                     .output("Y")
                                     .build();
        const Result<onnx::Model> model = weights.parse(file);
        ASSERT_TRUE(model) << model.message();
        const uint64_t size = fs::file_size(weights.path("weights.bin"));
        fs::resize_file(weights.path("weights.bin"), size - 1);
        Result<Session> session = Session::prepare(device.device(), *model, {});
        EXPECT_EQ(session.code(), Code::io);
        EXPECT_EQ(session.message(), "node 'up': tensor 'W': cannot read 'weights.bin': it has " + std::to_string(size - 1) +
                                         " bytes, but 216 from byte 16 on are wanted");
        fs::remove(weights.path("weights.bin"));
        session = Session::prepare(device.device(), *model, {});
        EXPECT_EQ(session.code(), Code::io);
        EXPECT_EQ(session.message(), "node 'up': tensor 'W': cannot read 'weights.bin': no such file");
        (void)weights.add("W", w);
        session = Session::prepare(device.device(), *model, {});
        EXPECT_TRUE(session) << session.message();
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
