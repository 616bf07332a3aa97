// This file tests model files in every type and in oneDNN Graph's dialect, on every device.
#include "kit/elements.h"
#include "kit/operators.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using kit::ints_attribute;
using kit::ModelBuilder;
using kit::Proto;
using kit::string_attribute;
using onnx::HostTensor;

constexpr const char* onednn_domain = "onednn.graph";
constexpr DType float_types[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};

HostTensor numbers(DType dtype, const Dims& dims, const std::vector<double>& values)
{
    return host(dtype, dims, kit::encoded(dtype, values));
}

// Returns integers from -4 to 4, in an order that is no pattern of a tensor's extents.
std::vector<double> small_integers(const TensorDesc& desc)
{
    std::vector<double> values;
    for (int64_t i = 0; i < *element_count(desc); ++i)
        values.push_back(double((i * 37 + 11) % 89 % 9 - 4));
    return values;
}

kit::RealTensor known(const TensorDesc& desc)
{
    kit::RealTensor tensor;
    tensor.desc = desc;
    tensor.values = small_integers(desc);
    return tensor;
}

std::vector<double> values_of_answers(const Result<std::vector<kit::Answer>>& answers)
{
    std::vector<double> values;
    EXPECT_TRUE(answers) << answers.message();
    if (answers)
        for (const kit::Answer& answer : *answers)
            values.push_back(double(answer.value));
    return values;
}

std::string raw(std::string_view name, const kit::RealTensor& tensor)
{
    return kit::raw_tensor(name, tensor.desc, kit::encoded(tensor));
}

void expect_numbers(const HostTensor& tensor, const TensorDesc& desc, const std::vector<double>& values)
{
    EXPECT_EQ(tensor.desc, desc) << to_string(tensor.desc);
    EXPECT_EQ(kit::decoded(desc.dtype, tensor.data), values);
}

struct Format {
    const char *data, *filter;
    Layout layout;
    onednn::FilterFormat filter_format;
    Dims x, w, y;
};

// The problem has N 1, C 4, 3 x 5, in 2 groups; kernel 3 x 2; strides 2 and 1, adj 1 and 0, SAME_UPPER: 7 x 5 with 6 channels.
const Format formats[] = {
    {"NXC", "XIO", Layout::nxc, onednn::FilterFormat::xio, {1, 3, 5, 4}, {3, 2, 4, 3}, {1, 7, 5, 6}},
    {"NXC", "OIX", Layout::nxc, onednn::FilterFormat::oix, {1, 3, 5, 4}, {3, 4, 3, 2}, {1, 7, 5, 6}},
    {"NXC", "IOX", Layout::nxc, onednn::FilterFormat::iox, {1, 3, 5, 4}, {4, 3, 3, 2}, {1, 7, 5, 6}},
    {"NCX", "XIO", Layout::ncx, onednn::FilterFormat::xio, {1, 4, 3, 5}, {3, 2, 4, 3}, {1, 6, 7, 5}},
    {"NCX", "OIX", Layout::ncx, onednn::FilterFormat::oix, {1, 4, 3, 5}, {3, 4, 3, 2}, {1, 6, 7, 5}},
    {"NCX", "IOX", Layout::ncx, onednn::FilterFormat::iox, {1, 4, 3, 5}, {4, 3, 3, 2}, {1, 6, 7, 5}},
};

}  // namespace

TEST(OnnxTypes, OneDnnNodesInEveryFormatAndType)
{
    on_every_device([](const CaseDevice& device) {
        for (const Format& format : formats)
            for (const DType dtype : float_types) {
                SCOPED_TRACE(std::string(format.data) + " " + format.filter + " " + std::string(name(dtype)));
                const kit::RealTensor problem[] = {known({dtype, format.x}), known({dtype, format.w}), known({dtype, {6}})};
                const std::string file =
                    ModelBuilder()
                        .opset(1, onednn_domain)
                        .input("X", dtype, {format.x.begin(), format.x.end()})
                        .initializer(raw("W", problem[1]))
                        .initializer(raw("B", problem[2]))
                        .node("ConvTranspose", {"X", "W", "B"}, {"Y"},
                              {ints_attribute("strides", {2, 1}), ints_attribute("pads_begin", {0, 0}),
                               ints_attribute("pads_end", {0, 0}), ints_attribute("dilations", {1, 1}),
                               ints_attribute("output_padding", {1, 0}), string_attribute("auto_pad", "SAME_UPPER"),
                               kit::int_attribute("groups", 2), string_attribute("data_format", format.data),
                               string_attribute("filter_format", format.filter)},
                              "up", onednn_domain)
                        .output("Y", dtype, {format.y.begin(), format.y.end()})
                        .build();
                const onednn::ConvTranspose attributes = {.strides = {2, 1},
                                                          .pads_begin = {0, 0},
                                                          .pads_end = {0, 0},
                                                          .dilations = {1, 1},
                                                          .auto_pad = AutoPad::same_upper,
                                                          .output_padding = {1, 0},
                                                          .groups = 2,
                                                          .data_format = format.layout,
                                                          .filter_format = format.filter_format};
                const TensorDesc y = {dtype, format.y};
                // The caller's description may say how the dimensions are meant. In a model nothing follows from it.
                HostTensor x = numbers(dtype, format.x, problem[0].values);
                x.desc.layout = format.layout;
                const std::vector<HostTensor> outputs = run(device, file, {x}, {{"X", x.desc}});
                ASSERT_EQ(outputs.size(), 1U);
                expect_numbers(outputs[0], y, values_of_answers(kit::reference(attributes, problem, kit::sample_of(y, 1 << 20))));
            }
    });
}

// The next node sees the values of a node with channels last as plain dimensions: (1, 2, 3, 2) as N, C, D1, D2.
TEST(OnnxTypes, ValuesPassFromOneDnnToOnnx)
{
    const std::string file = ModelBuilder()
                                 .opset(22)
                                 .opset(1, onednn_domain)
                                 .input("X", DType::float32, {1, 2, 2, 1})
                                 .initializer(kit::float_tensor("W", {1, 2, 1, 2}, {1, 10, 100, 1000}))
                                 .node("ConvTranspose", {"X", "W"}, {"a"},
                                       {ints_attribute("strides", {1, 1}), ints_attribute("pads_begin", {0, 0}),
                                        ints_attribute("pads_end", {0, 0}), ints_attribute("dilations", {1, 1})},
                                       "", onednn_domain)
                                 .node("AveragePool", {"a"}, {"b"}, {ints_attribute("kernel_shape", {1, 2})})
                                 .node("Shape", {"a"}, {"s"})
                                 .output("b")
                                 .output("s")
                                 .output("a")
                                 .build();
    on_every_device([&](const CaseDevice& device) {
        const std::vector<HostTensor> outputs = run(device, file, {floats({1, 2, 2, 1}, {2, 4, 6, 8})});
        ASSERT_EQ(outputs.size(), 3U);
        expect_floats(outputs[2], {1, 2, 3, 2}, {2, 20, 204, 2040, 400, 4000, 6, 60, 608, 6080, 800, 8000});
        expect_floats(outputs[0], {1, 2, 3, 1}, {11, 1122, 2200, 33, 3344, 4400});
        EXPECT_EQ(values_of<int64_t>(outputs[1]), (Dims{1, 2, 3, 2}));
    });
}

TEST(OnnxTypes, EveryFloatTypeAsInputAndInitializer)
{
    on_every_device([](const CaseDevice& device) {
        for (const DType dtype : float_types) {
            SCOPED_TRACE(name(dtype));
            const kit::RealTensor problem[] = {known({dtype, {2, 3, 5}}), known({dtype, {3, 2, 4}}), known({dtype, {2}})};
            const TensorDesc y = {dtype, {2, 2, 12}};
            const auto expected =
                values_of_answers(kit::reference(ConvTranspose{.strides = {2}}, problem, kit::sample_of(y, 1 << 20)));
            const HostTensor x = numbers(dtype, problem[0].desc.dims, problem[0].values);
            const HostTensor w = numbers(dtype, problem[1].desc.dims, problem[1].values);

            ModelBuilder model = ModelBuilder().opset(22).input("X", dtype, {2, 3, 5}).initializer(raw("B", problem[2]));
            model.node("ConvTranspose", {"X", "W", "B"}, {"Y"}, {ints_attribute("strides", {2})}).output("Y", dtype, {2, 2, 12});
            ModelBuilder with_input = model;
            const std::vector<HostTensor> from_input = run(device, with_input.input("W", dtype, {3, 2, 4}).build(), {x, w});
            ASSERT_EQ(from_input.size(), 1U);
            expect_numbers(from_input[0], y, expected);
            const std::vector<HostTensor> from_file = run(device, model.initializer(raw("W", problem[1])).build(), {x});
            ASSERT_EQ(from_file.size(), 1U);
            expect_numbers(from_file[0], y, expected);
        }
    });
}

// 1.5 and -2 are in float_data, double_data and, as bit patterns, in int32_data.
TEST(OnnxTypes, WeightsInTypedFields)
{
    const auto head = [](DType dtype) { return Proto().integers(1, {1, 1, 2}).integer(2, int64_t(dtype)).bytes(8, "W"); };
    const std::pair<DType, std::string> weights[] = {
        {DType::float32, head(DType::float32).reals(4, std::vector<float>{1.5F, -2}).str()},
        {DType::float64, head(DType::float64).reals(10, std::vector<double>{1.5, -2}).str()},
        {DType::float16, head(DType::float16).integers(5, {0x3e00, 0xc000}).str()},
        {DType::bfloat16, head(DType::bfloat16).integers(5, {0x3fc0, 0xc000}).str()}};
    on_every_device([&](const CaseDevice& device) {
        for (const auto& [dtype, w] : weights) {
            SCOPED_TRACE(name(dtype));
            const std::string file = ModelBuilder()
                                         .opset(22)
                                         .input("X", dtype, {1, 1, 3})
                                         .initializer(w)
                                         .node("ConvTranspose", {"X", "W"}, {"Y"})
                                         .output("Y", dtype, {1, 1, 4})
                                         .build();
            const std::vector<HostTensor> outputs = run(device, file, {numbers(dtype, {1, 1, 3}, {2, 0, -4})});
            ASSERT_EQ(outputs.size(), 1U);
            expect_numbers(outputs[0], {dtype, {1, 1, 4}}, {3, -4, -6, 8});
        }
    });
}

// The session takes inputs that no device could hold: only Shape reads them, and nothing is uploaded.
TEST(OnnxTypes, ShapeOfInputsOfEveryType)
{
    ModelBuilder model = ModelBuilder().opset(25);
    std::vector<HostTensor> inputs;
    for (int number = 1; number <= int(DType::int2); ++number) {
        const auto dtype = DType(number);
        const TensorDesc desc = {dtype, {number, 3}};
        const std::string index = std::to_string(number);
        model.input("T" + index, dtype, {"n", 3}).node("Shape", {"T" + index}, {"S" + index}).output("S" + index);
        HostTensor input;
        input.desc = desc;
        if (dtype == DType::string)
            input.strings.resize(size_t(3 * number), "text");
        else
            input.data.resize(*byte_size(desc));
        inputs.push_back(std::move(input));
    }
    std::vector<onnx::NamedDesc> descs;
    for (size_t i = 0; i < inputs.size(); ++i)
        descs.push_back({"T" + std::to_string(i + 1), inputs[i].desc});
    on_every_device([&](CaseDevice& device) {
        device.shim().reset_calls();
        const std::vector<HostTensor> outputs = run(device, model.build(), inputs, descs);
        EXPECT_EQ(device.shim().calls("vkCreateBuffer"), 0U);
        EXPECT_EQ(device.shim().calls("vkQueueSubmit"), 0U);
        ASSERT_EQ(outputs.size(), 26U);
        for (size_t i = 0; i < outputs.size(); ++i)
            EXPECT_EQ(values_of<int64_t>(outputs[i]), (Dims{int64_t(i + 1), 3}));
    });
}

// Sums that are carried from pass to pass lie in scratch memory, which lies among the session's values: there is no more buffer.
TEST(OnnxTypes, NodesHaveTheirScratchInTheArena)
{
    const DType dtype = DType::float16;
    const kit::RealTensor w = known({dtype, {8, 8, 3}});
    const std::string file =
        ModelBuilder()
            .opset(22)
            .input("X", dtype, {1, 8, 40})
            .initializer(raw("W", w))
            .node("ConvTranspose", {"X", "W"}, {"a"}, {ints_attribute("pads", {1, 1})})
            .node("AveragePool", {"a"}, {"b"}, {ints_attribute("kernel_shape", {4}), ints_attribute("pads", {2, 1})})
            .node("ConvTranspose", {"b", "W"}, {"Y"}, {ints_attribute("pads", {1, 1})})
            .output("Y", dtype, {1, 8, 40})
            .build();
    const HostTensor x = numbers(dtype, {1, 8, 40}, small_integers({dtype, {1, 8, 40}}));
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        // There are 24 taps, in one pass or in several.
        Capabilities few_iterations = present.capabilities;
        few_iterations.max_loop_iterations = 16;
        few_iterations.rounds_to_nearest = true;  // only the self-test tells
        uint32_t buffers[2] = {};
        std::vector<std::byte> results[2];
        for (const bool cut : {false, true}) {
            auto device = CaseDevice::open(present.index, CaseDevice::default_options(),
                                           cut ? std::optional(few_iterations) : std::nullopt);
            ASSERT_TRUE(device) << device.message();
            (*device)->shim().reset_calls();
            // Reproducible kernels add in order. Others have scratch memory for other things.
            auto session = prepare(**device, file, {}, {.prepare = {.reproducible = true}});
            ASSERT_TRUE(session) << session.message();
            buffers[cut] = uint32_t((*device)->shim().calls("vkCreateBuffer"));
            for (const onnx::NodeReport& node : session->nodes())
                EXPECT_EQ(node.explanation.scratch_bytes > 0, cut && node.op_type == "ConvTranspose") << node.name;
            auto outputs = session->run({&x, 1});
            ASSERT_TRUE(outputs) << outputs.message();
            results[cut] = (*outputs)[0].data;
            EXPECT_EQ((*device)->shim().guard_report(), "");
            EXPECT_EQ((*device)->take_messages(), "");
        }
        EXPECT_EQ(buffers[true], buffers[false]);
        EXPECT_EQ(results[true], results[false]);
    }
}

// The floats are read as the bits that they are, also where they are known, and what is computed of the bits as floats again.
TEST(OnnxTypes, BitCastKeepsBits)
{
    on_every_device([](const CaseDevice& device) {
        for (const bool is_constant : {false, true}) {
            const HostTensor x = floats({3}, {1, -2, 0.5f});
            ModelBuilder model;
            model.opset(26);
            if (is_constant)
                model.initializer(kit::float_tensor("X", {3}, {1, -2, 0.5f}));
            else
                model.input("X", DType::float32, {3});
            const std::string file =
                model
                    .initializer(
                        kit::raw_tensor("one", {DType::int32, {}}, host(DType::int32, {}, std::vector<int32_t>{1 << 23}).data))
                    .node("BitCast", {"X"}, {"bits"}, {kit::int_attribute("to", int64_t(DType::int32))})
                    .node("Add", {"bits", "one"}, {"next"})
                    .node("BitCast", {"next"}, {"floats"}, {kit::int_attribute("to", int64_t(DType::float32))})
                    .node("Relu", {"floats"}, {"Y"})
                    .output("Y")
                    .output("bits")
                    .build();
            const std::vector<HostTensor> got = run(device, file, is_constant ? std::vector<HostTensor>() : std::vector{x});
            ASSERT_EQ(got.size(), 2u);
            expect_floats(got[0], {3}, {2, 0, 1});
            EXPECT_EQ(got[1].desc, (TensorDesc{.dtype = DType::int32, .dims = {3}}));
            EXPECT_EQ(values_of<int32_t>(got[1]), (std::vector<int32_t>{0x3f800000, -0x40000000, 0x3f000000}));
        }
    });
}

// The bits of the half -1.5 are those of -0.125 as bfloat16. What LeakyRelu makes of them is not what it makes of the half.
TEST(OnnxTypes, NothingIsFusedAcrossABitCast)
{
    on_every_device([](const CaseDevice& device) {
        const HostTensor x = numbers(DType::float16, {1, 1, 3}, {1.5, -1.5, 1});
        const std::string file =
            ModelBuilder()
                .opset(26)
                .input("X", DType::float16, {1, 1, 3})
                .initializer(kit::raw_tensor("W", {DType::float16, {1, 1, 1}}, numbers(DType::float16, {1, 1, 1}, {1}).data))
                .node("Conv", {"X", "W"}, {"sum"})
                .node("BitCast", {"sum"}, {"bits"}, {kit::int_attribute("to", int64_t(DType::bfloat16))})
                .node("LeakyRelu", {"bits"}, {"Y"}, {kit::float_attribute("alpha", 0.5f)})
                .output("Y")
                .build();
        const std::vector<HostTensor> got = run(device, file, {x});
        ASSERT_EQ(got.size(), 1u);
        EXPECT_EQ(values_of<uint16_t>(got[0]), (std::vector<uint16_t>{0x3e00, 0xbd80, 0x3c00}));
    });
}

}  // namespace vkonnx::gpu_test
