// This file tests nodes of the domain onednn.graph. Attributes arrive in oneDNN Graph's own words, and values are plain
// dimensions.
#include "helpers.h"

namespace vkonnx::onnx {
namespace {

constexpr const char* domain = "onednn.graph";

// Returns the attributes that the document requires, for two axes.
std::vector<std::string> required()
{
    return {ints_attribute("strides", {1, 1}), ints_attribute("pads_begin", {0, 0}), ints_attribute("pads_end", {0, 0}),
            ints_attribute("dilations", {1, 1})};
}

// Returns the required attributes with the one at `place` replaced.
std::vector<std::string> with(size_t place, std::string attribute)
{
    std::vector<std::string> attributes = required();
    attributes[place] = std::move(attribute);
    return attributes;
}

// Returns the required attributes and one more.
std::vector<std::string> with(std::string attribute)
{
    std::vector<std::string> attributes = required();
    attributes.push_back(std::move(attribute));
    return attributes;
}

// A problem has X (1, 6, 5, 2) and W (3, 3, 2, 4) unless other dimensions are given: 2 channels, which are last, become 4.
struct Problem {
    std::vector<std::string> attributes = required();
    Dims x = {1, 6, 5, 2};
    Dims w = {3, 3, 2, 4};
    int64_t version = 1;
    DType dtype = DType::float32;
};

Result<Explanation> explain_node(const Problem& problem, const SessionOptions& options = {})
{
    std::vector<kit::Dim> x(problem.x.begin(), problem.x.end());
    std::vector<kit::Dim> w(problem.w.begin(), problem.w.end());
    std::string file = ModelBuilder()
                           .opset(problem.version, domain)
                           .input("X", problem.dtype, x)
                           .input("W", problem.dtype, w)
                           .node("ConvTranspose", {"X", "W"}, {"Y"}, problem.attributes, "n", domain)
                           .output("Y")
                           .build();
    Result<std::vector<NodeReport>> reports = explain_file(file, {}, options);
    if (!reports)
        return reports.status();
    EXPECT_EQ(reports->front().domain, domain);
    EXPECT_EQ(reports->front().op_type, "ConvTranspose");
    EXPECT_EQ(reports->front().opset, problem.version);
    return reports->front().explanation;
}

Dims output_dims(const Result<Explanation>& explanation)
{
    EXPECT_TRUE(accepted(explanation));
    return explanation ? explanation->outputs.front().dims : Dims{};
}

Dims output_dims(std::vector<std::string> attributes)
{
    return output_dims(explain_node({.attributes = std::move(attributes)}));
}

TEST(OneDnn, EachAttributeArrives)
{
    // The natural size is s * (in - 1) + adj + K for in of 6 and 5, and k of 3.
    EXPECT_EQ(output_dims(required()), (Dims{1, 8, 7, 4}));
    EXPECT_EQ(output_dims(with(0, ints_attribute("strides", {2, 3}))), (Dims{1, 13, 15, 4}));
    EXPECT_EQ(output_dims(with(1, ints_attribute("pads_begin", {1, 0}))), (Dims{1, 7, 7, 4}));
    EXPECT_EQ(output_dims(with(2, ints_attribute("pads_end", {0, 2}))), (Dims{1, 8, 5, 4}));
    EXPECT_EQ(output_dims(with(3, ints_attribute("dilations", {3, 2}))), (Dims{1, 12, 9, 4}));
    EXPECT_EQ(output_dims(with(ints_attribute("output_padding", {7, 1}))), (Dims{1, 15, 8, 4}));
    EXPECT_EQ(output_dims(with(int_attribute("groups", 2))), (Dims{1, 8, 7, 8}));
    EXPECT_EQ(output_dims(with(string_attribute("auto_pad", "SAME_UPPER"))), (Dims{1, 6, 5, 4}));

    Result<Explanation> padded = explain_node({.attributes = with(1, ints_attribute("pads_begin", {1, 3}))});
    ASSERT_TRUE(accepted(padded));
    EXPECT_EQ(padded->pads_begin, (Dims{1, 3}));
    EXPECT_EQ(padded->pads_end, (Dims{0, 0}));
    EXPECT_EQ(padded->outputs.front().layout, Layout::nxc);
    EXPECT_TRUE(padded->equation.starts_with("oneDNN Graph ConvTranspose-1, explicit pads: out = ")) << padded->equation;
}

TEST(OneDnn, EveryAutoPadAlsoInLowerCase)
{
    struct Row {
        const char* word;
        Dims y, begin, end;
    };
    // The stride is 2 and the kernel 3. Pads are 1 and 2 where they count.
    const Row rows[] = {{"None", {1, 10, 8, 4}, {1, 1}, {2, 2}},        {"SAME_UPPER", {1, 12, 10, 4}, {0, 0}, {1, 1}},
                        {"SAME_LOWER", {1, 12, 10, 4}, {1, 1}, {0, 0}}, {"VALID", {1, 13, 11, 4}, {0, 0}, {0, 0}},
                        {"none", {1, 10, 8, 4}, {1, 1}, {2, 2}},        {"same_upper", {1, 12, 10, 4}, {0, 0}, {1, 1}},
                        {"same_lower", {1, 12, 10, 4}, {1, 1}, {0, 0}}, {"valid", {1, 13, 11, 4}, {0, 0}, {0, 0}}};
    for (const Row& row : rows) {
        Result<Explanation> explained =
            explain_node({.attributes = {ints_attribute("strides", {2, 2}), ints_attribute("pads_begin", {1, 1}),
                                         ints_attribute("pads_end", {2, 2}), ints_attribute("dilations", {1, 1}),
                                         string_attribute("auto_pad", row.word)}});
        EXPECT_EQ(output_dims(explained), row.y) << row.word;
        if (explained) {
            EXPECT_EQ(explained->pads_begin, row.begin) << row.word;
            EXPECT_EQ(explained->pads_end, row.end) << row.word;
        }
    }
    for (const char* word : {"", "NONE", "NOTSET", "Same_Upper", "Valid"})
        EXPECT_TRUE(invalid(explain_node({.attributes = with(string_attribute("auto_pad", word))}),
                            "node 'n': ConvTranspose: auto_pad is '" + std::string(word) +
                                "', expected None, SAME_UPPER, SAME_LOWER or VALID"));
}

TEST(OneDnn, EveryDataAndFilterFormat)
{
    struct Row {
        const char *data, *filter;
        Dims x, w, y;
    };
    const Row rows[] = {
        {"NXC", "XIO", {1, 6, 5, 2}, {3, 4, 2, 7}, {1, 8, 8, 7}}, {"NXC", "OIX", {1, 6, 5, 2}, {7, 2, 3, 4}, {1, 8, 8, 7}},
        {"NXC", "IOX", {1, 6, 5, 2}, {2, 7, 3, 4}, {1, 8, 8, 7}}, {"NCX", "XIO", {1, 2, 6, 5}, {3, 4, 2, 7}, {1, 7, 8, 8}},
        {"NCX", "OIX", {1, 2, 6, 5}, {7, 2, 3, 4}, {1, 7, 8, 8}}, {"NCX", "IOX", {1, 2, 6, 5}, {2, 7, 3, 4}, {1, 7, 8, 8}}};
    for (const Row& row : rows) {
        std::vector<std::string> attributes = with(string_attribute("data_format", row.data));
        attributes.push_back(string_attribute("filter_format", row.filter));
        EXPECT_EQ(output_dims(explain_node({.attributes = attributes, .x = row.x, .w = row.w})), row.y)
            << row.data << " " << row.filter;
    }
    EXPECT_TRUE(invalid(explain_node({.attributes = with(string_attribute("data_format", "nxc"))}),
                        "ConvTranspose: data_format is 'nxc', expected NXC or NCX"));
    EXPECT_TRUE(invalid(explain_node({.attributes = with(string_attribute("filter_format", "OXI"))}),
                        "ConvTranspose: filter_format is 'OXI', expected XIO, OIX or IOX"));
}

TEST(OneDnn, TheListsAreRequired)
{
    const char* names[] = {"strides", "pads_begin", "pads_end", "dilations"};
    for (size_t i = 0; i < 4; ++i)
        for (const char* auto_pad : {"None", "SAME_UPPER"}) {
            std::vector<std::string> attributes = with(string_attribute("auto_pad", auto_pad));
            attributes.erase(attributes.begin() + std::ptrdiff_t(i));
            EXPECT_TRUE(invalid(explain_node({.attributes = attributes}),
                                "node 'n': ConvTranspose: " + std::string(names[i]) + " is required: 2 entries must be given"));
        }
}

TEST(OneDnn, OutputShapeIsAnError)
{
    for (const std::string& attribute : {ints_attribute("output_shape", {8, 7}), int_attribute("output_shape", 8)})
        EXPECT_TRUE(invalid(explain_node({.attributes = with(attribute)}),
                            "node 'n': ConvTranspose: attribute output_shape must not be given: oneDNN Graph's equation "
                            "mentions it, but its list of attributes does not have it"));
}

TEST(OneDnn, UnknownAndWrongAttributes)
{
    for (const std::string& attribute :
         {ints_attribute("pads", {0, 0, 0, 0}), int_attribute("group", 1), ints_attribute("kernel_shape", {3, 3})})
        EXPECT_TRUE(invalid(explain_node({.attributes = with(attribute)}), "ConvTranspose: unknown attribute "));
    EXPECT_TRUE(invalid(explain_node({.attributes = with(ints_attribute("pads", {0, 0, 0, 0}))}),
                        "unknown attribute 'pads'; expected one of strides, pads_begin, pads_end, dilations, auto_pad, "
                        "output_padding, groups, data_format, filter_format"));
    EXPECT_TRUE(invalid(explain_node({.attributes = with(ints_attribute("groups", {1}))}),
                        "attribute groups has type INTS, expected INT"));
    EXPECT_TRUE(invalid(explain_node({.attributes = with(int_attribute("data_format", 1))}),
                        "attribute data_format has type INT, expected STRING"));
    EXPECT_TRUE(
        invalid(explain_node({.attributes = with(ints_attribute("strides", {2, 2}))}), "attribute strides is given twice"));
    EXPECT_TRUE(invalid(explain_node({.attributes = with(int_attribute("groups", 3))}),
                        "node 'n': ConvTranspose: X.dims[3] = 2 must be a multiple of groups = 3"));
}

// oneDNN Graph has only one ConvTranspose, so that the import may name any version from 1 on.
TEST(OneDnn, EveryVersionOfTheImportMeansTheFirst)
{
    for (int64_t version : {int64_t{1}, int64_t{2}, int64_t{22}, int64_t{1} << 40}) {
        EXPECT_EQ(output_dims(explain_node({.version = version})), (Dims{1, 8, 7, 4}));
        // The types are those of its only version, too.
        EXPECT_EQ(output_dims(explain_node({.version = version, .dtype = DType::bfloat16})), (Dims{1, 8, 7, 4}));
    }
    for (int64_t version : {int64_t{0}, int64_t{-3}})
        EXPECT_TRUE(invalid(explain_node({.version = version}), "of domain 'onednn.graph', which the model imports in version " +
                                                                    std::to_string(version) + "; versions begin at 1"));
    EXPECT_TRUE(invalid(parse(ModelBuilder()
                                  .opset(22)
                                  .input("X", DType::float32, {1, 6, 5, 2})
                                  .node("ConvTranspose", {"X", "X"}, {"Y"}, required(), "n", domain)
                                  .build()),
                        "ConvTranspose is of domain 'onednn.graph', for which the model has no opset import"));
}

TEST(OneDnn, ItsRulesAreOneWhateverTheSessions)
{
    const Problem padded = {.attributes = with(string_attribute("auto_pad", "SAME_UPPER"))};
    EXPECT_EQ(output_dims(explain_node(padded, {.rules = Rules::onnxruntime})), output_dims(explain_node(padded)));
}

TEST(OneDnn, OtherOperatorsOfTheDomainAreNamed)
{
    Result<std::vector<NodeReport>> pool = explain_file(ModelBuilder()
                                                            .opset(1, domain)
                                                            .input("X", DType::float32, {1, 4, 1})
                                                            .node("AvgPool", {"X"}, {"Y"}, {}, "pool", domain)
                                                            .build());
    EXPECT_TRUE(unsupported(pool, "node 'pool': operator 'AvgPool' of domain 'onednn.graph', opset 1 is not supported; supported "
                                  "are "));
    EXPECT_TRUE(unsupported(pool, " of domain 'com.microsoft', ConvTranspose of domain 'onednn.graph', and BlockQuantizedMatMul, "
                                  "DotProductAttention of domain "
                                  "'vkonnx'"));
}

TEST(OneDnn, NumberOfInputs)
{
    auto with_inputs = [](const Names& inputs) {
        return explain_file(ModelBuilder()
                                .opset(1, domain)
                                .input("X", DType::float32, {1, 6, 5, 2})
                                .input("W", DType::float32, {3, 3, 2, 4})
                                .input("B", DType::float32, {4})
                                .node("ConvTranspose", inputs, {"Y"}, required(), "n", domain)
                                .build());
    };
    EXPECT_TRUE(accepted(with_inputs({"X", "W", "B"})));
    EXPECT_TRUE(accepted(with_inputs({"X", "W", ""})));
    EXPECT_TRUE(invalid(with_inputs({"X"}), "ConvTranspose: it has 1 inputs, expected 2 to 3"));
    EXPECT_TRUE(invalid(with_inputs({"", "W"}), "ConvTranspose: input 0 is required"));
}

// A value between nodes is only its dimensions. After an NXC node an ONNX node reads them as N, C, D1..Dn, and the other way
// round.
TEST(OneDnn, ValuesPassBetweenTheDomainsAsPlainDimensions)
{
    std::string file = ModelBuilder()
                           .opset(22)
                           .opset(1, domain)
                           .input("X", DType::float32, {1, 6, 5, 2})
                           .initializer(float_tensor("W", {1, 1, 2, 4}, std::vector<float>(8, 1)))
                           .initializer(float_tensor("V", {6, 3, 2, 2}, std::vector<float>(72, 1)))
                           .node("AveragePool", {"X"}, {"a"}, {ints_attribute("kernel_shape", {2, 1})})  // (1, 6, 4, 2)
                           .node("ConvTranspose", {"a", "W"}, {"b"}, required(), "", domain)             // (1, 6, 4, 4)
                           .node("Identity", {"b"}, {"c"})
                           .node("ConvTranspose", {"c", "V"}, {"d"})  // 6 channels: (1, 3, 5, 5)
                           .node("Shape", {"b"}, {"s"})
                           .node("Reshape", {"b", "s"}, {"e"})
                           .output("b", DType::float32, {1, 6, 4, 4})
                           .output("d", DType::float32, {1, 3, 5, 5})
                           .output("e", DType::float32, {1, 6, 4, 4})
                           .build();
    for (Layout layout : {Layout::ncx, Layout::nxc}) {
        // The layout of an input's description does not count in a model.
        Result<std::vector<NodeReport>> reports =
            explain_file(file, {{"X", {.dtype = DType::float32, .dims = {1, 6, 5, 2}, .layout = layout}}});
        ASSERT_TRUE(accepted(reports));
        const Dims expected[] = {{1, 6, 4, 2}, {1, 6, 4, 4}, {1, 6, 4, 4}, {1, 3, 5, 5}, {4}, {1, 6, 4, 4}};
        for (size_t i = 0; i < 6; ++i) {
            EXPECT_EQ((*reports)[i].explanation.outputs.front().dims, expected[i]) << i;
            // The report tells the layout in which the node itself reads the dimensions.
            EXPECT_EQ((*reports)[i].explanation.outputs.front().layout, i == 1 ? Layout::nxc : Layout::ncx) << i;
        }
    }
}

}  // namespace
}  // namespace vkonnx::onnx
