// This file tests how a NodeProto becomes ConvTranspose, AveragePool or Shape. Each attribute must arrive, and each wrong one be
// named.
#include "helpers.h"

namespace vkonnx::onnx {
namespace {

// Returns a model of one node on X (1, 2, 6, 6), with W (2, 1, 3, 3) for ConvTranspose.
std::string node_file(const std::string& op, const std::vector<std::string>& attributes, int64_t opset = 22)
{
    ModelBuilder model = ModelBuilder().opset(opset).input("X", DType::float32, {1, 2, 6, 6});
    Names inputs = {"X"};
    if (op == "ConvTranspose") {
        model.input("W", DType::float32, {2, 1, 3, 3});
        inputs.emplace_back("W");
    }
    return model.node(op, inputs, {"Y"}, attributes, "n").output("Y").build();
}

Result<Explanation> explain_node(const std::string& op, const std::vector<std::string>& attributes, int64_t opset = 22,
                                 const SessionOptions& options = {})
{
    Result<std::vector<NodeReport>> reports = explain_file(node_file(op, attributes, opset), {}, options);
    if (!reports)
        return reports.status();
    return reports->front().explanation;
}

Dims output_dims(const Result<Explanation>& explanation)
{
    return explanation ? explanation->outputs.front().dims : Dims{};
}

TEST(Attributes, EachOneOfConvTransposeArrives)
{
    // With X of 6 and a kernel of 3 the natural size is s * 5 + adj + K.
    EXPECT_EQ(output_dims(explain_node("ConvTranspose", {})), (Dims{1, 1, 8, 8}));
    EXPECT_EQ(output_dims(explain_node("ConvTranspose", {ints_attribute("strides", {2, 3})})), (Dims{1, 1, 13, 18}));
    EXPECT_EQ(output_dims(explain_node("ConvTranspose", {ints_attribute("dilations", {1, 2})})), (Dims{1, 1, 8, 10}));
    EXPECT_EQ(output_dims(explain_node("ConvTranspose", {ints_attribute("pads", {1, 0, 2, 0})})), (Dims{1, 1, 5, 8}));
    EXPECT_EQ(output_dims(explain_node("ConvTranspose", {ints_attribute("kernel_shape", {3, 3})})), (Dims{1, 1, 8, 8}));
    EXPECT_EQ(output_dims(explain_node("ConvTranspose", {ints_attribute("output_shape", {7, 9})})), (Dims{1, 1, 7, 9}));
    EXPECT_EQ(output_dims(explain_node("ConvTranspose", {int_attribute("group", 2)})), (Dims{1, 2, 8, 8}));
    EXPECT_EQ(
        output_dims(explain_node("ConvTranspose", {ints_attribute("output_padding", {1, 0}), ints_attribute("strides", {2, 2})})),
        (Dims{1, 1, 14, 13}));
    EXPECT_EQ(output_dims(explain_node("ConvTranspose", {string_attribute("auto_pad", "SAME_UPPER")})), (Dims{1, 1, 6, 6}));
    EXPECT_TRUE(invalid(explain_node("ConvTranspose", {ints_attribute("kernel_shape", {3, 2})}), "node 'n': ConvTranspose: "));
}

TEST(Attributes, EachOneOfAveragePoolArrives)
{
    std::string kernel = ints_attribute("kernel_shape", {3, 3});
    EXPECT_TRUE(invalid(explain_node("AveragePool", {}), "node 'n': AveragePool: "));
    EXPECT_EQ(output_dims(explain_node("AveragePool", {kernel})), (Dims{1, 2, 4, 4}));
    EXPECT_EQ(output_dims(explain_node("AveragePool", {kernel, ints_attribute("strides", {2, 3})})), (Dims{1, 2, 2, 2}));
    EXPECT_EQ(output_dims(explain_node("AveragePool", {kernel, ints_attribute("pads", {1, 0, 1, 2})})), (Dims{1, 2, 6, 6}));
    EXPECT_EQ(output_dims(explain_node("AveragePool", {kernel, ints_attribute("dilations", {2, 1})})), (Dims{1, 2, 2, 4}));
    EXPECT_EQ(
        output_dims(explain_node("AveragePool", {kernel, ints_attribute("strides", {2, 2}), int_attribute("ceil_mode", 1)})),
        (Dims{1, 2, 3, 3}));
    EXPECT_EQ(output_dims(explain_node("AveragePool", {kernel, string_attribute("auto_pad", "SAME_LOWER")})), (Dims{1, 2, 6, 6}));
    EXPECT_TRUE(accepted(explain_node("AveragePool", {kernel, int_attribute("count_include_pad", 1)})));
    EXPECT_TRUE(invalid(explain_node("AveragePool", {kernel, int_attribute("count_include_pad", 2)}), "count_include_pad"));
}

TEST(Attributes, TheOpsetImportDecidesTheVersion)
{
    std::string kernel = ints_attribute("kernel_shape", {3, 3});
    EXPECT_TRUE(accepted(explain_node("AveragePool", {kernel, ints_attribute("dilations", {2, 2})}, 19)));
    EXPECT_TRUE(invalid(explain_node("AveragePool", {kernel, ints_attribute("dilations", {2, 2})}, 18), "19"));
    EXPECT_TRUE(invalid(explain_node("AveragePool", {kernel, int_attribute("ceil_mode", 0)}, 9), "10"));
    EXPECT_TRUE(invalid(explain_node("AveragePool", {kernel, int_attribute("count_include_pad", 0)}, 6), "7"));
    EXPECT_TRUE(invalid(explain_node("Shape", {int_attribute("start", 0)}, 14), "15"));
    EXPECT_TRUE(accepted(explain_node("AveragePool", {kernel}, 1)));
    EXPECT_TRUE(accepted(explain_node("AveragePool", {kernel}, 1000)));
    // Version 1 splits the pads for output_shape differently.
    Result<Explanation> old = explain_node("ConvTranspose", {ints_attribute("output_shape", {7, 8})}, 1);
    Result<Explanation> newer = explain_node("ConvTranspose", {ints_attribute("output_shape", {7, 8})}, 11);
    ASSERT_TRUE(accepted(old));
    ASSERT_TRUE(accepted(newer));
    EXPECT_EQ(old->pads_begin, (Dims{0, 0}));
    EXPECT_EQ(newer->pads_begin, (Dims{1, 0}));
}

TEST(Attributes, TheSessionsRulesArrive)
{
    std::string both = string_attribute("auto_pad", "SAME_UPPER");
    std::string pads = ints_attribute("pads", {0, 0, 0, 0});
    EXPECT_FALSE(explain_node("ConvTranspose", {both, pads}).ok());
    EXPECT_TRUE(accepted(explain_node("ConvTranspose", {both, pads}, 22, {.rules = Rules::onnxruntime})));
}

TEST(Attributes, TheSessionsPrepareOptionsArrive)
{
    std::string kernel = ints_attribute("kernel_shape", {3, 3});
    Result<Explanation> forced = explain_node("AveragePool", {kernel}, 22, {.prepare = {.kernel = "average_pool_nd"}});
    ASSERT_TRUE(accepted(forced));
    EXPECT_EQ(forced->kernel, "average_pool_nd_f32");
    EXPECT_FALSE(explain_node("AveragePool", {kernel}, 22, {.prepare = {.kernel = "no_such_kernel"}}).ok());
}

TEST(Attributes, AutoPadIsExactlyOneOfFour)
{
    for (const char* word : {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"})
        EXPECT_TRUE(accepted(explain_node("ConvTranspose", {string_attribute("auto_pad", word)}))) << word;
    for (const char* word : {"", "SAME", "valid", "SAME_UPPER ", "None"})
        EXPECT_TRUE(invalid(explain_node("ConvTranspose", {string_attribute("auto_pad", word)}),
                            "node 'n': ConvTranspose: auto_pad is '" + std::string(word) +
                                "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID"));
}

TEST(Attributes, UnknownOnes)
{
    EXPECT_TRUE(invalid(explain_node("AveragePool", {int_attribute("stride", 2)}),
                        "node 'n': AveragePool: unknown attribute 'stride'; expected one of auto_pad, kernel_shape, strides, "
                        "dilations, pads, ceil_mode, count_include_pad"));
    EXPECT_TRUE(invalid(explain_node("ConvTranspose", {int_attribute("groups", 2)}), "unknown attribute 'groups'"));
    EXPECT_TRUE(
        invalid(explain_node("Identity", {int_attribute("axis", 2)}), "Identity: unknown attribute 'axis'; expected none"));
    EXPECT_TRUE(invalid(explain_node("ConvTranspose", {ints_attribute("consumed_inputs", {0, 0})}, 1),
                        "unknown attribute 'consumed_inputs'"));
}

TEST(Attributes, WrongTypes)
{
    EXPECT_TRUE(invalid(explain_node("ConvTranspose", {int_attribute("strides", 2)}),
                        "node 'n': ConvTranspose: attribute strides has type INT, expected INTS"));
    EXPECT_TRUE(
        invalid(explain_node("ConvTranspose", {float_attribute("group", 1)}), "attribute group has type FLOAT, expected INT"));
    EXPECT_TRUE(invalid(explain_node("ConvTranspose", {int_attribute("auto_pad", 1)}),
                        "attribute auto_pad has type INT, expected STRING"));
    EXPECT_TRUE(
        invalid(explain_node("AveragePool", {floats_attribute("pads", {1})}), "attribute pads has type FLOATS, expected INTS"));
    EXPECT_TRUE(invalid(explain_node("Shape", {string_attribute("end", "1")}), "attribute end has type STRING, expected INT"));
}

TEST(Attributes, GivenTwice)
{
    EXPECT_TRUE(invalid(explain_node("ConvTranspose", {int_attribute("group", 1), int_attribute("group", 2)}),
                        "ConvTranspose: attribute group is given twice"));
}

TEST(Attributes, ReferencesOutsideFunctions)
{
    std::string reference = Proto().bytes(1, "group").bytes(21, "outer").integer(20, 2).str();
    EXPECT_TRUE(invalid(explain_node("ConvTranspose", {reference}),
                        "attribute 'group' refers to a function's attribute 'outer', but the node is not in a function"));
}

TEST(Attributes, TypeMayBeMissingInOldFiles)
{
    std::string group = Proto().bytes(1, "group").integer(3, 2).str();
    EXPECT_EQ(output_dims(explain_node("ConvTranspose", {group}, 1)), (Dims{1, 2, 8, 8}));
}

TEST(Attributes, ValuesThatAreZeroMayBeLeftOut)
{
    // Writers of proto3 leave zeros out.
    std::string start = Proto().bytes(1, "start").integer(20, 2).str();
    EXPECT_EQ(output_dims(explain_node("Shape", {start})), (Dims{4}));
    std::string ceil_mode = Proto().bytes(1, "ceil_mode").integer(20, 2).str();
    EXPECT_TRUE(accepted(explain_node("AveragePool", {ints_attribute("kernel_shape", {3, 3}), ceil_mode})));
}

}  // namespace
}  // namespace vkonnx::onnx
