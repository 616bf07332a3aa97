// This file tests the operators that rename memory, in every version: their dimensions, and every refusal.
#include "helpers.h"

namespace vkonnx::onnx {
namespace {

// Returns the dimensions of Y for X of `dims`. `values`, if given, is the second input as an initializer.
Result<Dims> view(const std::string& op, int64_t opset, const Dims& dims, const std::vector<std::string>& attributes,
                  const std::optional<Dims>& values = {})
{
    ModelBuilder model = ModelBuilder().opset(opset).graph_field(11, kit::value_info_without_shape("X", DType::int8));
    Names inputs = {"X"};
    if (values) {
        inputs.emplace_back("values");
        model.initializer(int64_tensor("values", {int64_t(values->size())}, *values));
    }
    Result<std::vector<NodeReport>> reports = explain_file(model.node(op, inputs, {"Y"}, attributes, "v").output("Y").build(),
                                                           {{"X", {.dtype = DType::int8, .dims = dims}}});
    if (!reports)
        return reports.status();
    EXPECT_EQ(reports->front().explanation.kernel, "view");
    EXPECT_EQ(reports->front().explanation.outputs.front().dtype, DType::int8);
    return reports->front().explanation.outputs.front().dims;
}

testing::AssertionResult gives(const Result<Dims>& result, const Dims& expected)
{
    if (!result)
        return testing::AssertionFailure() << result.message();
    if (*result != expected)
        return testing::AssertionFailure() << to_string({.dims = *result}) << ", expected " << to_string({.dims = expected});
    return testing::AssertionSuccess();
}

TEST(Identity, EveryVersion)
{
    for (int64_t opset : {1, 13, 14, 16, 19, 21, 23, 24, 25, 26})
        EXPECT_TRUE(gives(view("Identity", opset, {2, 0, 3}, {}), {2, 0, 3}));
}

TEST(Reshape, Version1TakesAnAttribute)
{
    auto reshape = [](const Dims& dims, const Dims& shape) { return view("Reshape", 4, dims, {ints_attribute("shape", shape)}); };
    EXPECT_TRUE(gives(reshape({2, 3, 4}, {4, -1}), {4, 6}));
    EXPECT_TRUE(gives(reshape({2, 3, 4}, {0, 0, 2, 2}), {2, 3, 2, 2}));
    EXPECT_TRUE(gives(reshape({1, 1}, {}), {}));
    EXPECT_TRUE(
        gives(view("Reshape", 1, {6}, {ints_attribute("shape", {2, 3}), ints_attribute("consumed_inputs", {0})}), {2, 3}));
    EXPECT_TRUE(invalid(view("Reshape", 4, {6}, {}), "node 'v': Reshape: attribute shape is required in version 1"));
    EXPECT_TRUE(invalid(view("Reshape", 4, {6}, {}, Dims{2, 3}), "Reshape: it has 2 inputs, expected 1 at opset 4"));
}

TEST(Reshape, NewerVersionsTakeAnInput)
{
    for (int64_t opset : {5, 13, 14, 19, 21, 23, 24, 25, 99}) {
        auto reshape = [&](const Dims& dims, const Dims& shape) { return view("Reshape", opset, dims, {}, shape); };
        EXPECT_TRUE(gives(reshape({2, 3, 4}, {4, 6}), {4, 6}));
        EXPECT_TRUE(gives(reshape({2, 3, 4}, {-1}), {24}));
        EXPECT_TRUE(gives(reshape({2, 3, 4}, {0, -1}), {2, 12}));
        EXPECT_TRUE(gives(reshape({2, 3, 4}, {0, 0, 0}), {2, 3, 4}));
        EXPECT_TRUE(gives(reshape({1}, {}), {}));
        EXPECT_TRUE(gives(reshape({}, {1, -1}), {1, 1}));
        EXPECT_TRUE(gives(reshape({0, 3}, {0, 5}), {0, 5}));
        EXPECT_TRUE(gives(reshape({0, 3}, {-1, 3}), {0, 3}));
    }
    EXPECT_TRUE(invalid(view("Reshape", 5, {6}, {ints_attribute("shape", {2, 3})}, Dims{2, 3}),
                        "attribute shape exists only until version 1; this node has version 5"));
    EXPECT_TRUE(invalid(view("Reshape", 5, {6}, {ints_attribute("consumed_inputs", {0})}, Dims{2, 3}), "consumed_inputs"));
    EXPECT_TRUE(invalid(view("Reshape", 5, {6}, {}), "Reshape: it has 1 inputs, expected 2 at opset 5"));
}

TEST(Reshape, Allowzero)
{
    auto reshape = [](const Dims& dims, const Dims& shape, int64_t allowzero, int64_t opset = 14) {
        return view("Reshape", opset, dims, {int_attribute("allowzero", allowzero)}, shape);
    };
    EXPECT_TRUE(gives(reshape({0, 3, 4}, {3, 4, 0}, 1), {3, 4, 0}));
    EXPECT_TRUE(gives(reshape({2, 3}, {0, -1}, 0), {2, 3}));
    EXPECT_TRUE(gives(reshape({2, 3}, {3, -1}, 1), {3, 2}));
    EXPECT_TRUE(invalid(reshape({2, 3}, {0, 3}, 1), "Reshape: shape [0,3] has 0 elements, the input [2,3] has 6"));
    EXPECT_TRUE(invalid(reshape({0, 3}, {0, -1}, 1), "shape[1] = -1 cannot be inferred beside shape[0] = 0 with allowzero = 1"));
    EXPECT_TRUE(invalid(reshape({2}, {2}, 2), "allowzero = 2 must be 0 or 1"));
    EXPECT_TRUE(invalid(reshape({2}, {2}, 1, 13), "attribute allowzero exists from version 14; this node has version 13"));
}

TEST(Reshape, Refusals)
{
    auto reshape = [](const Dims& dims, const Dims& shape) { return view("Reshape", 13, dims, {}, shape); };
    EXPECT_TRUE(invalid(reshape({2, 3}, {7}), "node 'v': Reshape: shape [7] has 7 elements, the input [2,3] has 6"));
    EXPECT_TRUE(invalid(reshape({2, 3}, {-2, 3}), "shape[0] = -2 must be -1 or more"));
    EXPECT_TRUE(invalid(reshape({2, 3}, {2, -1, -1}), "shape[2] = -1, but shape[1] is -1 too"));
    EXPECT_TRUE(invalid(reshape({2, 3}, {4, -1}), "shape[1] = -1 cannot be inferred: 6 elements in rows of 4"));
    EXPECT_TRUE(invalid(reshape({2, 3}, {2, 3, 0}), "shape[2] = 0 copies the input's dimension 2, but the input has rank 2"));
    EXPECT_TRUE(invalid(reshape({0, 3}, {0, -1}), "shape[1] = -1 cannot be inferred"));
    EXPECT_TRUE(invalid(reshape({4}, {int64_t{1} << 62, int64_t{1} << 62}), "Reshape: "));
    EXPECT_TRUE(invalid(reshape({1}, Dims(65, 1)), "shape has 65 entries, at most 64 are supported"));
}

TEST(Reshape, ItsShapeMustBeKnownInt64List)
{
    auto with = [](const std::string& shape_input) {
        return explain_file(ModelBuilder()
                                .opset(13)
                                .input("X", DType::float32, {6})
                                .graph_field(11, shape_input)
                                .node("Reshape", {"X", "shape"}, {"Y"}, {}, "r")
                                .build());
    };
    EXPECT_TRUE(unsupported(with(kit::value_info("shape", DType::int64, {2})),
                            "node 'r': Reshape: shape ('shape') is known only when running; supported are an initializer, a "
                            "Constant, an input with NamedDesc::value, the result of a Shape, and what is computed from these"));
    EXPECT_TRUE(invalid(with(kit::value_info("shape", DType::int32, {2})),
                        "Reshape: shape ('shape') is int32[2], expected int64 with one dimension"));
    EXPECT_TRUE(
        invalid(with(kit::value_info("shape", DType::int64, {2, 1})), "is int64[2,1], expected int64 with one dimension"));
}

TEST(Flatten, EveryVersion)
{
    for (int64_t opset : {1, 9, 11, 13, 21, 23, 24, 25}) {
        auto flatten = [&](const Dims& dims, int64_t axis) {
            return view("Flatten", opset, dims, {int_attribute("axis", axis)});
        };
        EXPECT_TRUE(gives(view("Flatten", opset, {2, 3, 4}, {}), {2, 12}));
        EXPECT_TRUE(gives(flatten({2, 3, 4}, 0), {1, 24}));
        EXPECT_TRUE(gives(flatten({2, 3, 4}, 2), {6, 4}));
        EXPECT_TRUE(gives(flatten({2, 3, 4}, 3), {24, 1}));
        EXPECT_TRUE(gives(flatten({}, 0), {1, 1}));
        EXPECT_TRUE(gives(flatten({2, 0, 4}, 1), {2, 0}));
        EXPECT_TRUE(invalid(flatten({2, 3}, 3), "node 'v': Flatten: axis = 3 must be in ["));
        if (opset >= 11) {
            EXPECT_TRUE(gives(flatten({2, 3, 4}, -1), {6, 4}));
            EXPECT_TRUE(gives(flatten({2, 3, 4}, -3), {1, 24}));
            EXPECT_TRUE(invalid(flatten({2, 3}, -3), "axis = -3 must be in [-2, 2] for rank 2 in version"));
        } else {
            EXPECT_TRUE(invalid(flatten({2, 3}, -1), "axis = -1 must be in [0, 2] for rank 2 in version"));
        }
    }
    EXPECT_TRUE(invalid(view("Flatten", 13, {}, {}), "axis = 1 must be in [0, 0] for rank 0"));
    int64_t big = int64_t{1} << 40;
    EXPECT_TRUE(invalid(view("Flatten", 13, {big, big, 0}, {int_attribute("axis", 2)}), "Flatten: "));
}

TEST(Squeeze, WithAttribute)
{
    for (int64_t opset : {1, 11}) {
        auto squeeze = [&](const Dims& dims, const Dims& axes) {
            return view("Squeeze", opset, dims, {ints_attribute("axes", axes)});
        };
        EXPECT_TRUE(gives(view("Squeeze", opset, {1, 3, 1, 2}, {}), {3, 2}));
        EXPECT_TRUE(gives(squeeze({1, 3, 1, 2}, {0}), {3, 1, 2}));
        EXPECT_TRUE(gives(squeeze({1, 3, 1, 2}, {2, 0}), {3, 2}));
        EXPECT_TRUE(invalid(squeeze({1, 3}, {1}), "node 'v': Squeeze: axis 1 has extent 3; only an extent of 1 can be squeezed"));
        EXPECT_TRUE(invalid(squeeze({1, 3}, {2}), "axes[0] = 2 must be in ["));
        EXPECT_TRUE(invalid(squeeze({1, 3}, {0, 0}), "axes[1] = 0 names an axis twice"));
        EXPECT_TRUE(invalid(view("Squeeze", opset, {1, 3}, {}, Dims{0}), "Squeeze: it has 2 inputs, expected 1"));
    }
    EXPECT_TRUE(
        invalid(view("Squeeze", 1, {3, 1}, {ints_attribute("axes", {-1})}), "axes[0] = -1 must be in [0, 1] in version 1"));
    EXPECT_TRUE(gives(view("Squeeze", 11, {3, 1}, {ints_attribute("axes", {-1})}), {3}));
    EXPECT_TRUE(invalid(view("Squeeze", 11, {1, 1}, {ints_attribute("axes", {-1, 1})}), "axes[1] = 1 names an axis twice"));
}

TEST(Squeeze, WithInput)
{
    for (int64_t opset : {13, 21, 23, 24, 25}) {
        EXPECT_TRUE(gives(view("Squeeze", opset, {1, 3, 1}, {}), {3}));
        EXPECT_TRUE(gives(view("Squeeze", opset, {1, 3, 1}, {}, Dims{0}), {3, 1}));
        EXPECT_TRUE(gives(view("Squeeze", opset, {1, 3, 1}, {}, Dims{-1, 0}), {3}));
        EXPECT_TRUE(gives(view("Squeeze", opset, {1, 3, 1}, {}, Dims{}), {1, 3, 1}));
        EXPECT_TRUE(invalid(view("Squeeze", opset, {1, 3}, {}, Dims{-3}), "axes[0] = -3 must be in [-2, 1]"));
    }
    EXPECT_TRUE(invalid(view("Squeeze", 13, {1, 3}, {ints_attribute("axes", {0})}),
                        "attribute axes exists only until version 11; this node has version 13"));
}

TEST(Unsqueeze, WithAttribute)
{
    for (int64_t opset : {1, 11}) {
        auto unsqueeze = [&](const Dims& dims, const Dims& axes) {
            return view("Unsqueeze", opset, dims, {ints_attribute("axes", axes)});
        };
        EXPECT_TRUE(gives(unsqueeze({3, 2}, {0}), {1, 3, 2}));
        EXPECT_TRUE(gives(unsqueeze({3, 2}, {3, 0}), {1, 3, 2, 1}));
        EXPECT_TRUE(gives(unsqueeze({3, 2}, {1, 2}), {3, 1, 1, 2}));
        EXPECT_TRUE(gives(unsqueeze({}, {0}), {1}));
        EXPECT_TRUE(invalid(unsqueeze({3}, {2}), "node 'v': Unsqueeze: axes[0] = 2 must be in ["));
        EXPECT_TRUE(invalid(unsqueeze({3}, {1, 1}), "axes[1] = 1 names an axis twice"));
        EXPECT_TRUE(invalid(view("Unsqueeze", opset, {3}, {}), "attribute axes is required in version"));
    }
    EXPECT_TRUE(
        invalid(view("Unsqueeze", 1, {3}, {ints_attribute("axes", {-1})}), "axes[0] = -1 must be in [0, 1] in version 1"));
    EXPECT_TRUE(gives(view("Unsqueeze", 11, {3}, {ints_attribute("axes", {-1})}), {3, 1}));
}

TEST(Unsqueeze, WithInput)
{
    for (int64_t opset : {13, 21, 23, 24, 25}) {
        EXPECT_TRUE(gives(view("Unsqueeze", opset, {3, 4}, {}, Dims{-1, 1}), {3, 1, 4, 1}));
        EXPECT_TRUE(invalid(view("Unsqueeze", opset, {3}, {}), "Unsqueeze: it has 1 inputs, expected 2"));
        EXPECT_TRUE(invalid(view("Unsqueeze", opset, {3}, {}, Dims{0, -3}), "axes[1] = -3 names an axis twice"));
    }
    EXPECT_TRUE(invalid(view("Unsqueeze", 13, {1}, {}, Dims(64, 0)), "the output would have rank 65, at most 64 is supported"));
}

Result<TensorDesc> constant(int64_t opset, const std::vector<std::string>& attributes)
{
    Result<std::vector<NodeReport>> reports =
        explain_file(ModelBuilder().opset(opset).node("Constant", {}, {"Y"}, attributes, "c").output("Y").build());
    if (!reports)
        return reports.status();
    EXPECT_EQ(reports->front().explanation.kernel, "view");
    return reports->front().explanation.outputs.front();
}

void expect_constant(int64_t opset, const std::string& attribute, DType dtype, const Dims& dims)
{
    Result<TensorDesc> desc = constant(opset, {attribute});
    ASSERT_TRUE(accepted(desc));
    EXPECT_EQ(*desc, (TensorDesc{.dtype = dtype, .dims = dims}));
}

TEST(Constant, EveryValue)
{
    std::string tensor = tensor_attribute("value", float_tensor("t", {2, 1}, {1, 2}));
    for (int64_t opset : {1, 9, 11, 12, 13, 19, 21, 23, 24, 25})
        expect_constant(opset, tensor, DType::float32, {2, 1});
    expect_constant(12, float_attribute("value_float", 1), DType::float32, {});
    expect_constant(12, floats_attribute("value_floats", {1, 2, 3}), DType::float32, {3});
    expect_constant(12, int_attribute("value_int", 1), DType::int64, {});
    expect_constant(12, ints_attribute("value_ints", {}), DType::int64, {0});
    expect_constant(12, string_attribute("value_string", "s"), DType::string, {});
    expect_constant(12, strings_attribute("value_strings", {"s", "t"}), DType::string, {2});
}

TEST(Constant, Refusals)
{
    EXPECT_TRUE(invalid(constant(13, {}), "node 'c': Constant: it has no value"));
    EXPECT_TRUE(invalid(constant(13, {int_attribute("value_int", 1), float_attribute("value_float", 1)}),
                        "Constant: attributes value_float and value_int are both given, expected one"));
    EXPECT_TRUE(invalid(constant(11, {int_attribute("value_int", 1)}),
                        "attribute value_int exists from version 12; this node has version 11"));
    EXPECT_TRUE(invalid(constant(13, {int_attribute("value", 1)}), "attribute value has type INT, expected TENSOR"));
    EXPECT_TRUE(invalid(constant(13, {tensor_attribute("value", float_tensor("t", {2}, {1}))}),
                        "Constant: tensor 't': raw_data has 4 bytes, float[2] needs 8"));
}

TEST(Views, ACastToItsOwnType)
{
    const auto kernel = [](DType from, DType to) {
        const auto reports = explain_file(ModelBuilder()
                                              .opset(13)
                                              .input("X", from, {2, 3})
                                              .node("Cast", {"X"}, {"Y"}, {int_attribute("to", int64_t(to))})
                                              .output("Y")
                                              .build());
        return accepted(reports) ? reports->front().explanation.kernel : "";
    };
    for (const DType dtype : {DType::float32, DType::float16, DType::float64, DType::int64, DType::uint8})
        EXPECT_EQ(kernel(dtype, dtype), "view") << name(dtype);
    EXPECT_EQ(kernel(DType::boolean, DType::boolean), "cast_u8") << "booleans become 0 or 1";
    EXPECT_EQ(kernel(DType::int64, DType::uint64), "cast_u64");
}

}  // namespace
}  // namespace vkonnx::onnx
