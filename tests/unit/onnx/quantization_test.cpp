// This file tests what is refused of quantized operators and of signals, and which inputs decide dimensions.
#include "helpers.h"

namespace vkonnx::onnx {
namespace {

struct Given {
    std::string name = {};
    DType dtype = DType::float32;
    Dims dims = {};
};

// Explains a model of one node, whose inputs are given when it runs. Inputs without a name are left out.
Result<std::vector<NodeReport>> explain_op(const std::string& op, const std::vector<Given>& inputs, const Names& attributes = {},
                                           int64_t opset = 21, const std::vector<std::string>& constants = {},
                                           const std::string& domain = "")
{
    ModelBuilder model;
    model.opset(opset);
    if (!domain.empty())
        model.opset(1, domain);
    for (const std::string& constant : constants)
        model.initializer(constant);
    Names names;
    for (const Given& input : inputs) {
        names.push_back(input.name);
        if (!input.name.empty() && !input.name.starts_with("c_"))  // those are in the file
            model.input(input.name, input.dtype, {input.dims.begin(), input.dims.end()});
    }
    return explain_file(model.node(op, names, {"y"}, attributes, "n", domain).output("y").build());
}

// Scales, zero points, weights and a small bias are constants here, as in most files.
TEST(QuantizedNodes, RunInFewDispatches)
{
    const auto byte = [](const char* name, const Dims& dims) {
        return raw_tensor(name, {DType::uint8, dims}, std::vector<std::byte>(size_t(*element_count({DType::uint8, dims}))));
    };
    const Names constants = {float_tensor("c_s", {}, {0.5f}), byte("c_z", {}), byte("c_w", {8, 4, 3}),
                             raw_tensor("c_b", {DType::int32, {8}}, std::vector<std::byte>(32))};
    const Given x = {"x", DType::float32, {1, 4, 16}}, q = {"q", DType::uint8, {1, 4, 16}}, s = {"c_s"}, z = {"c_z"}, w = {"c_w"};
    const auto expect_kernels = [&](const std::string& op, const std::vector<Given>& inputs, const std::string& kernels) {
        const Result<std::vector<NodeReport>> nodes = explain_op(op, inputs, {}, 21, constants);
        ASSERT_TRUE(accepted(nodes)) << op;
        EXPECT_EQ(nodes->front().explanation.kernel, kernels) << op;
    };
    expect_kernels("QuantizeLinear", {x, s, z}, "elementwise_f32 + cast_u8");
    expect_kernels("DequantizeLinear", {q, s, z}, "cast_u32 + elementwise_quads_f32");
    expect_kernels("QLinearConv", {q, s, z, w, s, z, s, z, {"c_b"}},
                   "cast_u32 + elementwise_quads_f32 + conv_gemm_f32 + elementwise_f32 + cast_u8");
    expect_kernels("ConvInteger", {q, w, z, z}, "cast_u32 + elementwise_quads_f32 + conv_gemm_f32 + cast_u32");
}

TEST(QuantizedNodes, AreRefusedBySentences)
{
    const Given x = {"x", DType::float32, {2, 4}}, q = {"q", DType::uint8, {2, 4}}, scale = {"s", DType::float32, {}};
    const auto axis = [](int64_t value) { return int_attribute("axis", value); };
    EXPECT_TRUE(invalid(explain_op("QuantizeLinear", {x, {"s", DType::float32, {3}}}, {axis(1)}),
                        "node 'n': QuantizeLinear: a scale or zero point is float[3], expected one element, or 4 along axis 1"));
    EXPECT_TRUE(invalid(explain_op("QuantizeLinear", {x, {"s", DType::float32, {4}}}, {axis(2)}),
                        "QuantizeLinear: axis = 2 must be from -2 to 1"));
    EXPECT_TRUE(invalid(explain_op("QuantizeLinear", {x, {"s", DType::float32, {2, 3}}}, {int_attribute("block_size", 2)}),
                        "a scale or zero point is float[2,3], expected float[2,2] by block_size"));
    EXPECT_TRUE(invalid(explain_op("QuantizeLinear", {x, scale}, {int_attribute("block_size", -1)}),
                        "block_size = -1 must not be negative"));
    EXPECT_TRUE(invalid(explain_op("QuantizeLinear", {x, scale, {"z", DType::int8, {}}}, {int_attribute("output_dtype", 2)}),
                        "output_dtype = 2, but y_zero_point has type int8"));
    EXPECT_TRUE(unsupported(explain_op("QuantizeLinear", {x, scale}, {int_attribute("output_dtype", int64_t(DType::int32))}),
                            "its output has type int32, supported are integers of 2 to 16 bits, float4e2m1 and float8"));
    EXPECT_TRUE(invalid(explain_op("QuantizeLinear", {x, scale}, {int_attribute("output_dtype", 258)}),
                        "output_dtype = 258 is the number of no type"));
    EXPECT_TRUE(invalid(explain_op("DequantizeLinear", {q, scale}, {int_attribute("output_dtype", 257)}, 23),
                        "output_dtype = 257, expected that of floats"));
    EXPECT_TRUE(unsupported(explain_op("DequantizeLinear", {{"q", DType::int64, {2}}, scale}),
                            "x has type int64, supported are integers of 2 to 16 bits, int32, float4e2m1 and float8"));
    EXPECT_TRUE(invalid(explain_op("DequantizeLinear", {q, scale}, {int_attribute("block_size", 1)}, 19),
                        "attribute block_size exists from version 21; this node has version 19"));
    EXPECT_TRUE(invalid(explain_op("DynamicQuantizeLinear", {{"x", DType::float16, {2}}}),
                        "DynamicQuantizeLinear: x is float16[2], expected float"));
    EXPECT_TRUE(invalid(explain_op("MatMulInteger", {{"A", DType::int32, {2, 2}}, {"B", DType::int8, {2, 2}}}),
                        "MatMulInteger: A is int32[2,2], expected int8 or uint8"));
    EXPECT_TRUE(invalid(explain_op("MatMulInteger", {{"A", DType::int8, {}}, {"B", DType::int8, {2, 2}}}), "A has no axis"));
    EXPECT_TRUE(unsupported(explain_op("MatMulInteger", {{"A", DType::int8, {1, 74566}}, {"B", DType::int8, {74566, 1}}}),
                            "each element is a sum of 74566 products, supported are 74565"));
    EXPECT_TRUE(invalid(
        explain_op("ConvInteger", {{"x", DType::uint8, {1, 1, 4}}, {"w", DType::int8, {2, 1, 2}}, {}, {"z", DType::int8, {3}}}),
        "a scale or zero point of w is int8[3], expected one element, or 2"));
    EXPECT_TRUE(invalid(explain_op("ConvInteger", {{"x", DType::uint8, {1, 4}}, {"w", DType::int8, {2, 1}}}),
                        "w is int8[2,1], expected three dimensions or more"));
    EXPECT_TRUE(invalid(
        explain_op("ConvInteger", {{"x", DType::uint8, {1, 1, 4}}, {"w", DType::int8, {2, 1, 2}}, {"z", DType::uint8, {2}}}),
        "x_zero_point is uint8[2], expected one element"));
}

TEST(QuantizedNodes, WeightsOfALongShortTermMemoryAreChecked)
{
    const auto of = [](const Dims& w, const Dims& w_scale) {
        return explain_op("DynamicQuantizeLSTM",
                          {{"X", DType::float32, {3, 2, 4}},
                           {"W", DType::int8, w},
                           {"R", DType::int8, {1, 5, 20}},
                           {},
                           {},
                           {},
                           {},
                           {},
                           {"ws", DType::float32, w_scale},
                           {"wz", DType::int8, {1}},
                           {"rs", DType::float32, {1}},
                           {"rz", DType::int8, {1}}},
                          {int_attribute("hidden_size", 5)}, 17, {}, "com.microsoft");
    };
    EXPECT_TRUE(of({1, 4, 20}, {1}));
    EXPECT_TRUE(of({1, 4, 20}, {1, 20}));
    EXPECT_TRUE(invalid(of({4, 20}, {1}), "DynamicQuantizeLSTM: W is int8[4,20], expected int8 or uint8 with three dimensions"));
    EXPECT_TRUE(invalid(of({1, 4, 20}, {20}), "W_scale is float[20], expected (1) or (1, 20)"));
}

TEST(Signals, AreRefusedBySentences)
{
    const auto integer = [](const char* name, int64_t value) { return int64_tensor(name, {}, {value}); };
    const Given x = {"x", DType::float32, {2, 8, 1}}, none = {}, step = {"c_step"}, length = {"c_length"}, axis = {"c_axis"};
    EXPECT_TRUE(invalid(explain_op("DFT", {{"x", DType::float32, {2, 8, 3}}}),
                        "DFT: input is float[2,8,3], expected two dimensions or more, the last of 1 or 2"));
    EXPECT_TRUE(invalid(explain_op("DFT", {x, none, axis}, {}, 20, {integer("c_axis", 2)}), "axis = 2 must not be the last one"));
    EXPECT_TRUE(invalid(explain_op("DFT", {x, none, axis}, {}, 20, {integer("c_axis", 5)}), "axis = 5 must be from -3 to 2"));
    EXPECT_TRUE(invalid(explain_op("DFT", {x, length}, {}, 20, {integer("c_length", 0)}), "dft_length = 0 must be above 0"));
    EXPECT_TRUE(invalid(explain_op("DFT", {x, length}, {}, 20, {float_tensor("c_length", {}, {2.5f})}),
                        "dft_length = 2.500000, expected a whole number of 32 bits"));
    EXPECT_TRUE(invalid(explain_op("DFT", {x}, {int_attribute("inverse", 1), int_attribute("onesided", 1)}),
                        "onesided = 1 takes a real input, or with inverse = 1 a complex one"));
    EXPECT_TRUE(invalid(explain_op("DFT", {x}, {int_attribute("inverse", 2)}), "inverse = 2 must be 0 or 1"));
    EXPECT_TRUE(unsupported(explain_op("DFT", {{"x", DType::float32, {1, 8192, 1}}}, {int_attribute("onesided", 1)}),
                            "above what is left of SessionOptions::max_folded_bytes"));
    EXPECT_TRUE(unsupported(explain_op("STFT", {x, {"step", DType::int64, {}}, none, length}, {}, 17, {integer("c_length", 4)}),
                            "frame_step ('step') is known only when running"));
    EXPECT_TRUE(invalid(explain_op("STFT", {x, step, none, length}, {}, 17, {integer("c_step", 2), integer("c_length", 9)}),
                        "frame_length = 9 is above the signal's length, 8"));
    EXPECT_TRUE(invalid(
        explain_op("STFT", {x, step, {"w", DType::float32, {4}}, length}, {}, 17, {integer("c_step", 2), integer("c_length", 5)}),
        "window is float[4], expected 5 elements, as frame_length is"));
    EXPECT_TRUE(invalid(explain_op("HannWindow", {length}, {int_attribute("periodic", 2)}, 17, {integer("c_length", 4)}),
                        "periodic = 2 must be 0 or 1"));
    EXPECT_TRUE(invalid(explain_op("HannWindow", {length}, {int_attribute("output_datatype", 8)}, 17, {integer("c_length", 4)}),
                        "output_datatype = 8 is no type of numbers of 8 to 64 bits"));
    EXPECT_TRUE(invalid(explain_op("HannWindow", {length}, {}, 17, {integer("c_length", -1)}), "size = -1 must not be negative"));
    EXPECT_TRUE(invalid(explain_op("HannWindow", {length}, {}, 17, {int64_tensor("c_length", {2}, {1, 2})}),
                        "size has 2 elements, expected one"));
    EXPECT_TRUE(invalid(explain_op("MelWeightMatrix", {{"c_a"}, {"c_b"}, {"c_c"}, {"c_d"}, {"c_e"}}, {}, 17,
                                   {integer("c_a", 2), integer("c_b", 16), integer("c_c", 8000), float_tensor("c_d", {}, {0}),
                                    float_tensor("c_e", {}, {30000})}),
                        "hertz is beyond the spectrum of half the sample rate, 8000"));
    EXPECT_TRUE(unsupported(explain_op("MelWeightMatrix", {{"c_a"}, {"c_b"}, {"c_c"}, {"c_d"}, {"c_e"}}, {}, 17,
                                       {integer("c_a", 2000000000), integer("c_b", 16), integer("c_c", 8000),
                                        float_tensor("c_d", {}, {0}), float_tensor("c_e", {}, {4000})}),
                            "above what is left of SessionOptions::max_folded_bytes"));
    EXPECT_TRUE(invalid(explain_op("CenterCropPad", {x, {"c_shape"}}, {}, 18, {int64_tensor("c_shape", {2}, {1, 2})}),
                        "shape has 2 elements, expected 3, one for each axis"));
    EXPECT_TRUE(invalid(explain_op("CenterCropPad", {x, {"c_shape"}}, {}, 18, {int64_tensor("c_shape", {3}, {1, -2, 1})}),
                        "shape[1] = -2.000000 must not be negative"));
    EXPECT_TRUE(invalid(explain_op("SwiGLU", {{"A", DType::float32, {2}}, {"B", DType::float32, {1}}}, {}, 28),
                        "A is float[2] and B float[1], expected equal dimensions"));
}

TEST(Signals, InputsThatMustBeKnownAreTold)
{
    const std::string file = ModelBuilder()
                                 .opset(17)
                                 .input("x", DType::float32, {1, 8, 1})
                                 .input("step", DType::int64, {})
                                 .input("window", DType::float32, {4})
                                 .node("STFT", {"x", "step", "window"}, {"y"})
                                 .output("y")
                                 .build();
    const Result<Model> model = Model::parse(kit::as_bytes(file));
    ASSERT_TRUE(model) << model.message();
    std::vector<bool> decides;
    for (const ValueInfo& input : model->inputs())
        decides.push_back(input.decides_dimensions);
    EXPECT_EQ(decides, (std::vector<bool>{false, true, false}));
}

}  // namespace
}  // namespace vkonnx::onnx
