// This file tests malformed files. A sentence must say what is wrong and where, and no file may take more memory than it is
// worth.
#include <filesystem>
#include <fstream>

#include "helpers.h"
#include "kit/temporary_folder.h"

namespace vkonnx::onnx {
namespace {

std::string valid_model()
{
    return ModelBuilder().opset(17).input("X", DType::float32, {2}).node("Identity", {"X"}, {"Y"}).output("Y").build();
}

std::string in_graph(const std::string& graph)
{
    return Proto().bytes(7, graph).str();
}

TEST(Parse, AcceptsAModelAndListsItsInputsAndOutputs)
{
    Result<Model> model = parse(ModelBuilder()
                                    .opset(17)
                                    .input("X", DType::float16, {1, "H", -1})
                                    .graph_field(11, kit::value_info_without_shape("Z", DType::string))
                                    .node("Identity", {"X"}, {"Y"})
                                    .output("Y", DType::float16, {})
                                    .build());
    ASSERT_TRUE(accepted(model));
    ASSERT_EQ(model->inputs().size(), 2U);
    EXPECT_EQ(model->inputs()[0].name, "X");
    EXPECT_EQ(model->inputs()[0].dtype, DType::float16);
    EXPECT_TRUE(model->inputs()[0].has_shape);
    EXPECT_EQ(model->inputs()[0].dims, (Dims{1, -1, -1}));
    EXPECT_EQ(model->inputs()[1].name, "Z");
    EXPECT_EQ(model->inputs()[1].dtype, DType::string);
    EXPECT_FALSE(model->inputs()[1].has_shape);
    ASSERT_EQ(model->outputs().size(), 1U);
    EXPECT_EQ(model->outputs()[0].name, "Y");
    EXPECT_TRUE(model->outputs()[0].has_shape);
    EXPECT_TRUE(model->outputs()[0].dims.empty());
}

TEST(Parse, GivesWhatTheFileSaysOfItself)
{
    const auto entry = [](std::string_view key, std::string_view value) {
        return Proto().bytes(1, key).bytes(2, value).integer(3, 4).str();
    };
    Result<Model> model = parse(ModelBuilder()
                                    .opset(17)
                                    .input("X", DType::float32, {2})
                                    .node("Identity", {"X"}, {"Y"})
                                    .output("Y")
                                    .model_field(14, entry("character", std::string_view("a\n\0b", 4)))
                                    .model_field(14, entry("", ""))
                                    .model_field(14, entry("character", "again"))
                                    .build());
    ASSERT_TRUE(accepted(model));
    ASSERT_EQ(model->metadata().size(), 3U);
    EXPECT_EQ(model->metadata()[0].key, "character");
    EXPECT_EQ(model->metadata()[0].value, std::string("a\n\0b", 4));
    EXPECT_EQ(model->metadata()[1].key, "");
    EXPECT_EQ(model->metadata()[1].value, "");
    EXPECT_EQ(model->metadata()[2].value, "again");
    EXPECT_TRUE(parse(valid_model())->metadata().empty());
    EXPECT_TRUE(invalid(parse(valid_model() + Proto().bytes(14, "\x0a\x05Q").str()),
                        "a length of 5 bytes where 1 are left (metadata_props[0], byte "));
}

TEST(Parse, EmptyFile)
{
    EXPECT_TRUE(invalid(parse(""), "not a valid ONNX model: it has no graph"));
}

TEST(Parse, SaysWhereInTheFile)
{
    // The file is: field 7 of the model { field 1 of the graph { field 4 of the node with 5 bytes, of which one is there } }.
    std::string node = "\x22\x05Q";
    EXPECT_EQ(parse(in_graph(Proto().bytes(1, node).str())).message(),
              "not a valid ONNX model: a length of 5 bytes where 1 are left (graph.node[0], byte 4)");
}

TEST(Parse, TruncatedVarint)
{
    EXPECT_TRUE(invalid(parse("\x08\x80"), "the data ends inside a field (byte 0)"));
}

TEST(Parse, VarintOfElevenBytes)
{
    EXPECT_TRUE(invalid(parse("\x08" + std::string(10, '\x80') + "\x01"), "a number longer than 10 bytes"));
}

TEST(Parse, LengthPastTheEnd)
{
    EXPECT_TRUE(invalid(parse("\x3a\x7f"), "a length of 127 bytes where 0 are left"));
    EXPECT_TRUE(invalid(parse("\x12\x7f"), "a length of 127 bytes"));  // in a field that is skipped
}

TEST(Parse, LengthBeyond32Bits)
{
    // 2^32 + 2 would be taken for 2 if it were cut to 32 bits.
    EXPECT_TRUE(invalid(parse("\x12\x82\x80\x80\x80\x10zz"), "a length of 4294967298 bytes"));
}

TEST(Parse, FieldNumberBeyond32Bits)
{
    EXPECT_TRUE(invalid(parse(std::string("\x88\x80\x80\x80\x10\x00", 6)), "a field number above 2^29 - 1"));
}

TEST(Parse, FieldNumberZero)
{
    EXPECT_TRUE(invalid(parse(std::string("\0\0", 2)), "a field number that protobuf does not allow"));
}

TEST(Parse, GroupsAndUnknownWireTypes)
{
    for (const char* file : {"\x0b", "\x0c", "\x0e", "\x0f"})
        EXPECT_TRUE(invalid(parse(file), "a wire type that protobuf does not have"));
}

TEST(Parse, WrongWireType)
{
    EXPECT_TRUE(invalid(parse("\x38\x01"), "field number 7 has wire type 0, expected 2"));
    EXPECT_TRUE(invalid(parse(in_graph(Proto().bytes(5, Proto().bytes(2, "x").str()).str())),
                        "field number 2 has wire type 2, expected 0 (graph.initializer[0]"));
}

TEST(Parse, FieldGivenTwice)
{
    EXPECT_TRUE(invalid(parse(valid_model() + valid_model()), "the field graph is given twice"));
    std::string tensor = raw_tensor("T", {.dims = {0}}, {});
    EXPECT_TRUE(invalid(parse(ModelBuilder().initializer(tensor + Proto().bytes(9, "").str()).build()),
                        "the field raw_data is given twice (graph.initializer[0]"));
}

TEST(Parse, PackedNumbersOfBrokenLength)
{
    std::string tensor = Proto().bytes(4, "12345").str();
    EXPECT_TRUE(invalid(parse(ModelBuilder().initializer(tensor).build()), "no multiple of a number's size"));
}

TEST(Parse, UnknownFieldsAreSkipped)
{
    std::string extra = Proto().integer(99, 1).bytes(98, "x").real(97, 1.0F).real(96, 1.0).str();
    EXPECT_TRUE(accepted(parse(extra + valid_model() + extra)));
}

TEST(Parse, DeepNestingInFieldsNobodyReads)
{
    std::string graph;
    for (int depth = 0; depth < 5000; ++depth)
        graph = Proto().bytes(1, Proto().bytes(5, Proto().bytes(1, "bodies").bytes(11, graph).str()).bytes(4, "No").str()).str();
    std::string outermost = Proto().bytes(1, "bodies").bytes(11, graph).integer(20, 10).str();
    EXPECT_TRUE(unsupported(explain_file(ModelBuilder().opset(17).node("No", {}, {"Y"}, {outermost}).build()),
                            "operator 'No' of domain 'ai.onnx', opset 17 (with a subgraph in attribute 'bodies')"));
}

TEST(Parse, DeepSubgraphs)
{
    std::string graph;
    for (int depth = 0; depth < 5000; ++depth)
        graph = Proto().bytes(1, Proto().bytes(5, Proto().bytes(1, "body").bytes(6, graph).str()).bytes(4, "No").str()).str();
    EXPECT_TRUE(
        invalid(parse(in_graph(graph)), "subgraphs lie in one another more than 32 deep (graph.node[0].attribute[0].g.node[0]"));
    EXPECT_TRUE(
        invalid(parse(in_graph(Proto().bytes(1, Proto().bytes(5, Proto().bytes(1, "body").bytes(6, "\x0a").str()).str()).str())),
                "the data ends inside a field (graph.node[0].attribute[0].g, byte "));
}

TEST(Parse, NodeWithoutOpType)
{
    EXPECT_TRUE(invalid(parse(in_graph(Proto().bytes(1, "").str())), "a node without op_type (graph.node[0]"));
}

TEST(Parse, Attributes)
{
    auto with = [](const std::string& attribute) {
        return parse(
            ModelBuilder().opset(17).input("X", DType::float32, {2}).node("Identity", {"X"}, {"Y"}, {attribute}).build());
    };
    EXPECT_TRUE(invalid(with(Proto().integer(3, 1).str()), "an attribute without a name (graph.node[0].attribute[0]"));
    EXPECT_TRUE(invalid(with(Proto().bytes(1, "a").str()), "attribute 'a' has neither a type nor a value"));
    EXPECT_TRUE(invalid(with(Proto().bytes(1, "a").integer(20, 77).str()), "attribute 'a' has type 77, which is none of ONNX's"));
    EXPECT_TRUE(invalid(with(Proto().bytes(1, "a").integer(20, -1).str()), "attribute 'a' has type -1"));
    EXPECT_TRUE(invalid(with(Proto().bytes(1, "a").integer(20, 4).str()), "attribute 'a' of type TENSOR has no value"));
    EXPECT_TRUE(invalid(with(Proto().bytes(1, "a").integer(3, 1).integer(20, 7).str()),
                        "attribute 'a' of type INTS has a value of type INT"));
    EXPECT_TRUE(invalid(with(Proto().bytes(1, "a").integer(3, 1).real(2, 1.0F).str()),
                        "attribute 'a' of type FLOAT has a value of type INT"));
}

TEST(Parse, DimensionsOfInputs)
{
    auto with = [](int64_t extent) { return parse(ModelBuilder().input("X", DType::float32, {extent}).build()); };
    EXPECT_TRUE(accepted(with(0)));
    EXPECT_TRUE(accepted(with(INT64_MAX)));
    EXPECT_TRUE(invalid(with(-2), "a dimension of -2 (graph.input[0].type.tensor_type.shape.dim[0]"));
    std::vector<kit::Dim> many(65, kit::Dim(1));
    EXPECT_TRUE(invalid(parse(ModelBuilder().input("X", DType::float32, many).build()), "input 'X': rank 65 is above 64"));
}

TEST(Parse, TypesOfInputs)
{
    EXPECT_TRUE(
        invalid(parse(ModelBuilder().input("X", DType(27), {}).build()), "input 'X': elem_type 27 is none of ONNX's types"));
    std::string sequence = Proto().bytes(1, "X").bytes(2, Proto().bytes(4, "").str()).str();
    EXPECT_TRUE(unsupported(parse(ModelBuilder().graph_field(11, sequence).build()), "input 'X': it is no dense tensor"));
}

TEST(Parse, NamesInSentencesAreShortAndPrintable)
{
    std::string name = "a\n" + std::string(200, 'b');
    Result<Model> model = parse(ModelBuilder().node("Identity", {name}, {"Y"}).opset(17).build());
    EXPECT_TRUE(invalid(model, "'a\\x0a" + std::string(78, 'b') + "...'"));
    EXPECT_LT(model.message().size(), 250U);
}

class Load : public testing::Test {
protected:
    std::string path(const std::string& name) const { return folder_ / name; }

    const kit::TemporaryFolder folder_;
};

TEST_F(Load, ReadsAFile)
{
    std::string bytes = valid_model();
    std::ofstream(path("model"), std::ios::binary) << bytes;
    Result<Model> model = Model::load(path("model"));
    ASSERT_TRUE(accepted(model));
    EXPECT_EQ(model->inputs()[0].name, "X");
}

TEST_F(Load, NamesWhatItCannotRead)
{
    EXPECT_TRUE(refused(Model::load(path("missing")), Code::io, "missing': no such file"));
    EXPECT_TRUE(refused(Model::load(path("")), Code::io, "it is not a regular file"));
}

TEST_F(Load, RefusesMoreThanProtobufAllowsWithoutReadingIt)
{
    std::ofstream(path("huge"), std::ios::binary) << "x";
    std::filesystem::resize_file(path("huge"), uint64_t{1} << 31);  // a sparse file
    EXPECT_TRUE(invalid(Model::load(path("huge")), "it has 2147483648 bytes, a protobuf message at most 2147483647"));
}

}  // namespace
}  // namespace vkonnx::onnx
