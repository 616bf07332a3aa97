// This file tests whole graphs without a device: descriptions pass through, the host computes values, and inputs are checked.
#include "helpers.h"
#include "kit/models.h"

namespace vkonnx::onnx {
namespace {

Dims output_of(const Result<std::vector<NodeReport>>& reports, size_t node)
{
    return reports && node < reports->size() ? (*reports)[node].explanation.outputs.front().dims : Dims{-1};
}

TEST(Explain, NamesTheNodesInTheFilesOrder)
{
    Result<std::vector<NodeReport>> reports =
        explain_file(kit::half_then_double(), {{"X", {.dtype = DType::float32, .dims = {1, 3, 5, 8}}}});
    ASSERT_TRUE(accepted(reports));
    ASSERT_EQ(reports->size(), 2U);
    EXPECT_EQ((*reports)[0].name, "half");
    EXPECT_EQ((*reports)[0].op_type, "AveragePool");
    EXPECT_EQ((*reports)[0].domain, "ai.onnx");
    EXPECT_EQ((*reports)[0].opset, 17);
    EXPECT_EQ((*reports)[0].seconds, 0);
    EXPECT_EQ(output_of(reports, 0), (Dims{1, 3, 3, 4}));
    EXPECT_EQ((*reports)[0].explanation.kernel, "average_pool_direct_f32");
    EXPECT_EQ((*reports)[1].name, "double");
    EXPECT_EQ(output_of(reports, 1), (Dims{1, 3, 6, 8}));
    EXPECT_EQ((*reports)[1].explanation.pads_begin, (Dims{1, 1}));
    EXPECT_FALSE((*reports)[1].explanation.grids.empty());
}

TEST(Explain, NodesWithoutANameBearTheirOutputs)
{
    Result<std::vector<NodeReport>> reports =
        explain_file(ModelBuilder().opset(1).input("X", DType::float32, {1}).node("Identity", {"X"}, {"Y"}).build());
    ASSERT_TRUE(accepted(reports));
    EXPECT_EQ(reports->front().name, "Y");
}

TEST(Explain, EmptyModel)
{
    EXPECT_TRUE(invalid(explain(Model{}, {}, *Capabilities::preset("minimum")), "onnx::explain: the Model is an empty handle"));
}

TEST(Explain, ShapeFeedingReshape)
{
    // This is the usual export of "flatten everything but the first dimensions": a reshape to another tensor's shape.
    Result<std::vector<NodeReport>> reports = explain_file(ModelBuilder()
                                                               .opset(15)
                                                               .input("X", DType::float32, {2, 3, 4})
                                                               .input("Like", DType::string, {"N", 6, 7})
                                                               .node("Shape", {"Like"}, {"S"}, {int_attribute("end", 2)})
                                                               .node("Reshape", {"X", "S"}, {"Y"})
                                                               .output("Y")
                                                               .build(),
                                                           {{"Like", {.dtype = DType::string, .dims = {4, 6, 7}}}});
    ASSERT_TRUE(accepted(reports));
    EXPECT_EQ(output_of(reports, 0), (Dims{2}));
    EXPECT_EQ((*reports)[0].explanation.kernel, "host");
    EXPECT_EQ(output_of(reports, 1), (Dims{4, 6}));
    EXPECT_EQ((*reports)[1].explanation.kernel, "view");
}

TEST(Explain, ValuesOfShapeSlices)
{
    struct Row {
        std::vector<std::string> attributes;
        Dims slice;  // of [2,3,4]
    };
    const Row rows[] = {{{}, {2, 3, 4}},
                        {{int_attribute("start", 1), int_attribute("end", -1)}, {3}},
                        {{int_attribute("start", -2)}, {3, 4}},
                        {{int_attribute("start", -9), int_attribute("end", 1)}, {2}},
                        {{int_attribute("start", 2), int_attribute("end", 9)}, {4}},
                        {{int_attribute("start", 0), int_attribute("end", -9)}, {}},
                        {{int_attribute("start", 2), int_attribute("end", 1)}, {}}};
    for (const Row& row : rows) {
        // The reshape of a list to the slice succeeds only if the values are the slice, and its dimensions show them.
        int64_t elements = *element_count({.dims = row.slice});
        Result<std::vector<NodeReport>> reports = explain_file(ModelBuilder()
                                                                   .opset(15)
                                                                   .input("X", DType::float32, {2, 3, 4})
                                                                   .input("flat", DType::float32, {elements})
                                                                   .node("Shape", {"X"}, {"S"}, row.attributes)
                                                                   .node("Reshape", {"flat", "S"}, {"Y"})
                                                                   .build());
        ASSERT_TRUE(accepted(reports));
        EXPECT_EQ(output_of(reports, 1), row.slice);
    }
}

TEST(Explain, ViewsOfHostValuesStayKnown)
{
    Result<std::vector<NodeReport>> reports = explain_file(ModelBuilder()
                                                               .opset(13)
                                                               .input("X", DType::float32, {2, 3})
                                                               .node("Shape", {"X"}, {"a"})
                                                               .node("Unsqueeze", {"a", "axis"}, {"b"})
                                                               .node("Identity", {"b"}, {"c"})
                                                               .node("Squeeze", {"c", "axis"}, {"d"})
                                                               .node("Reshape", {"flat", "d"}, {"Y"})
                                                               .initializer(int64_tensor("axis", {1}, {0}))
                                                               .initializer(float_tensor("flat", {6}, {1, 2, 3, 4, 5, 6}))
                                                               .build());
    ASSERT_TRUE(accepted(reports));
    EXPECT_EQ(output_of(reports, 1), (Dims{1, 2}));
    EXPECT_EQ(output_of(reports, 4), (Dims{2, 3}));
}

TEST(Explain, ShapesInConstantsAndTypedInitializers)
{
    std::string typed = Proto().integers(1, {2}).integer(2, 7).integers(7, {3, -1}).bytes(8, "typed").str();
    Result<std::vector<NodeReport>> reports =
        explain_file(ModelBuilder()
                         .opset(13)
                         .input("X", DType::float32, {2, 3})
                         .initializer(typed)
                         .node("Reshape", {"X", "typed"}, {"a"})
                         .node("Constant", {}, {"ints"}, {ints_attribute("value_ints", {6})})
                         .node("Reshape", {"a", "ints"}, {"b"})
                         .node("Constant", {}, {"tensor"}, {tensor_attribute("value", int64_tensor("", {3}, {1, 6, 1}))})
                         .node("Reshape", {"b", "tensor"}, {"c"})
                         .build());
    ASSERT_TRUE(accepted(reports));
    EXPECT_EQ(output_of(reports, 0), (Dims{3, 2}));
    EXPECT_EQ(output_of(reports, 2), (Dims{6}));
    EXPECT_EQ(output_of(reports, 4), (Dims{1, 6, 1}));
}

TEST(Explain, ShapesComputedOnTheDeviceAreRefused)
{
    std::string pooled = ModelBuilder()
                             .opset(13)
                             .input("X", DType::float32, {1, 1, 4})
                             .node("AveragePool", {"X"}, {"P"}, {ints_attribute("kernel_shape", {2})})
                             .node("Reshape", {"X", "P"}, {"Y"})
                             .build();
    EXPECT_TRUE(invalid(explain_file(pooled), "Reshape: shape ('P') is float[1,1,3], expected int64 with one dimension"));
}

TEST(Explain, OptionalBiasGivenAsNothing)
{
    auto with = [](const Names& inputs) {
        return explain_file(ModelBuilder()
                                .opset(11)
                                .input("X", DType::float32, {1, 1, 4})
                                .initializer(float_tensor("W", {1, 1, 2}, {1, 2}))
                                .node("ConvTranspose", inputs, {"Y"})
                                .build());
    };
    EXPECT_EQ(output_of(with({"X", "W", ""}), 0), (Dims{1, 1, 5}));
    EXPECT_EQ(output_of(with({"X", "W"}), 0), (Dims{1, 1, 5}));
}

TEST(Explain, ShapeTakesEveryTypeOfItsVersion)
{
    auto with = [](DType dtype, int64_t opset) {
        return explain_file(ModelBuilder()
                                .opset(opset)
                                .input("X", dtype, {2, 3})
                                .node("Shape", {"X"}, {"Y"}, {}, "s")
                                .output("Y", DType::int64, {2})
                                .build());
    };
    for (int number = 1; number <= 26; ++number) {
        auto dtype = DType(number);
        EXPECT_EQ(output_of(with(dtype, 25), 0), (Dims{2})) << name(dtype);
    }
    EXPECT_TRUE(invalid(with(DType::int4, 20), "node 's': Shape"));
    EXPECT_TRUE(accepted(with(DType::int4, 21)));
}

TEST(Inputs, AreCheckedAgainstTheDeclaration)
{
    std::string file = ModelBuilder()
                           .opset(13)
                           .input("X", DType::float32, {1, 3, "H"})
                           .input("Z", DType::float32, {2})
                           .node("Identity", {"X"}, {"Y"})
                           .build();
    auto with = [&](const std::vector<NamedDesc>& inputs) { return explain_file(file, inputs); };
    TensorDesc right{.dtype = DType::float32, .dims = {1, 3, 8}};
    EXPECT_EQ(output_of(with({{"X", right}}), 0), (Dims{1, 3, 8}));
    EXPECT_TRUE(accepted(with({{"Z", {.dims = {2}}}, {"X", right}})));
    EXPECT_TRUE(invalid(with({}), "input 'X': it needs a description, since the model declares only float[1,3,?]"));
    EXPECT_TRUE(invalid(with({{"Q", right}, {"X", right}}), "the model has no input 'Q' that a caller fills"));
    EXPECT_TRUE(invalid(with({{"X", right}, {"X", right}}), "input 'X' is described twice"));
    EXPECT_TRUE(invalid(with({{"X", {.dtype = DType::float16, .dims = {1, 3, 8}}}}),
                        "input 'X': it has type float16, but the model declares float[1,3,?]"));
    EXPECT_TRUE(invalid(with({{"X", {.dims = {1, 4, 8}}}}), "input 'X': dims[1] = 4, but the model declares float[1,3,?]"));
    EXPECT_TRUE(invalid(with({{"X", {.dims = {1, 3}}}}), "input 'X': it has rank 2, but the model declares float[1,3,?]"));
    EXPECT_TRUE(invalid(with({{"X", {.dims = {1, 3, -1}}}}), "input 'X': "));
}

TEST(Inputs, WithoutATypeNeedADescription)
{
    std::string file =
        ModelBuilder().opset(13).graph_field(11, Proto().bytes(1, "X").str()).node("Identity", {"X"}, {"Y"}).build();
    EXPECT_TRUE(invalid(explain_file(file), "input 'X': it needs a description, since the model declares only any type"));
    EXPECT_TRUE(accepted(explain_file(file, {{"X", {.dims = {2}}}})));
    EXPECT_TRUE(
        invalid(explain_file(file, {{"X", {.dtype = DType::undefined, .dims = {2}}}}), "input 'X': its type is undefined"));
}

TEST(Inputs, ThatInitializersFillAreNoInputs)
{
    std::string file =
        ModelBuilder().opset(13).input("W", DType::float32, {1}).initializer(float_tensor("W", {1}, {1})).output("W").build();
    EXPECT_TRUE(accepted(explain_file(file)));
    EXPECT_TRUE(invalid(explain_file(file, {{"W", {.dims = {1}}}}), "the model has no input 'W' that a caller fills"));
}

TEST(Outputs, TypeMustBeTheDeclaredOne)
{
    auto with = [](DType dtype, const std::vector<kit::Dim>& dims) {
        return explain_file(ModelBuilder()
                                .opset(13)
                                .input("X", DType::float32, {2})
                                .node("Identity", {"X"}, {"Y"})
                                .output("Y", dtype, dims)
                                .build());
    };
    EXPECT_TRUE(invalid(with(DType::int8, {2}), "output 'Y' is float[2], but the model declares int8[2]"));
    EXPECT_TRUE(accepted(with(DType::float32, {7})));  // the extents that a file declares bind nothing
}

}  // namespace
}  // namespace vkonnx::onnx
