// This file tests sparse tensors, which become dense: their elements, as the dimensions of what ConstantOfShape makes, and what
// is refused.
#include <fstream>

#include "helpers.h"
#include "kit/temporary_folder.h"

namespace vkonnx::onnx {
namespace {

// Returns the sparse tensor S.
std::string sparse(const std::vector<int64_t>& values, const Dims& indices_dims, const std::vector<int64_t>& indices,
                   const Dims& dims)
{
    return sparse_tensor(int64_tensor("S", {int64_t(values.size())}, values), int64_tensor("", indices_dims, indices), dims);
}

ModelBuilder with_sparse(const std::string& tensor)
{
    return ModelBuilder().opset(17).sparse_initializer(tensor);
}

Dims made_of(ModelBuilder model)
{
    const auto nodes = explain_file(model.node("ConstantOfShape", {"S"}, {"Y"}).output("Y").build());
    EXPECT_TRUE(accepted(nodes));
    return nodes ? nodes->back().explanation.outputs.front().dims : Dims{-1};
}

TEST(Sparse, ValuesLieAtTheirPositions)
{
    EXPECT_EQ(made_of(with_sparse(sparse({5, 7}, {2}, {1, 3}, {4}))), (Dims{0, 5, 0, 7}));
    EXPECT_EQ(made_of(with_sparse(sparse({5, 7}, {2, 1}, {0, 4}, {5}))), (Dims{5, 0, 0, 0, 7}));
    EXPECT_EQ(made_of(with_sparse(sparse({}, {0}, {}, {3}))), (Dims{0, 0, 0}));
    EXPECT_EQ(made_of(with_sparse(sparse({1, 2, 3}, {3}, {0, 1, 2}, {3}))), (Dims{1, 2, 3}));
}

TEST(Sparse, IndicesCountElementsOrAreCoordinates)
{
    for (const auto& [dims, indices] : {std::pair(Dims{2}, std::vector<int64_t>{1, 5}), {Dims{2, 2}, {0, 1, 1, 2}}}) {
        ModelBuilder model = with_sparse(sparse_tensor(int64_tensor("A", {2}, {5, 7}), int64_tensor("", dims, indices), {2, 3}));
        model.initializer(int64_tensor("six", {1}, {6})).node("Reshape", {"A", "six"}, {"S"});
        EXPECT_EQ(made_of(model), (Dims{0, 5, 0, 0, 0, 7}));
    }
}

TEST(Sparse, TypedFieldsAreRead)
{
    const std::string values = Proto().integers(1, {2}).integer(2, 7).integers(7, {5, 7}).bytes(8, "S").str();
    const std::string indices = Proto().integers(1, {2}).integer(2, 7).integers(7, {0, 2}).str();
    EXPECT_EQ(made_of(with_sparse(sparse_tensor(values, indices, {3}))), (Dims{5, 0, 7}));
}

TEST(Sparse, ValuesAndIndicesMayLieInAFile)
{
    const kit::TemporaryFolder folder;
    const std::vector<int64_t> numbers = {5, 7, 1, 3};
    std::ofstream(folder / "data", std::ios::binary).write(reinterpret_cast<const char*>(numbers.data()), 32);
    const TensorDesc two = {.dtype = DType::int64, .dims = {2}};
    const std::string tensor = sparse_tensor(external_tensor("S", two, {{"location", "data"}}),
                                             external_tensor("", two, {{"location", "data"}, {"offset", "16"}}), {4});
    ModelBuilder model = with_sparse(tensor);
    const std::string file = model.node("ConstantOfShape", {"S"}, {"Y"}).output("Y").build();
    const Result<Model> parsed = Model::parse(as_bytes(file), {.external_data_folder = folder.path().string()});
    ASSERT_TRUE(accepted(parsed));
    const Result<GraphReport> report = explain(*parsed, {}, *Capabilities::preset("minimum"));
    ASSERT_TRUE(accepted(report));
    EXPECT_EQ(report->nodes.back().explanation.outputs.front().dims, (Dims{0, 5, 0, 7}));
    EXPECT_TRUE(invalid(parse(file),
                        "sparse initializer 0: sparse tensor 'S': values: tensor 'S': its data lies in the file 'data', but"));
}

TEST(Sparse, ABranchMayHaveThem)
{
    const std::string tensor = sparse_tensor(int64_tensor("T", {1}, {-9}), int64_tensor("", {1}, {2}), {3});
    const std::string branch = ModelBuilder().sparse_initializer(tensor).node("Neg", {"T"}, {"Z"}).output("Z").graph();
    ModelBuilder model =
        ModelBuilder().opset(17).initializer(bool_tensor("c", {}, {1})).initializer(int64_tensor("x", {2}, {-1, -2}));
    // T is also the name of a later node's output, which the branch does not read.
    model.node("If", {"c"}, {"S"},
               {graph_attribute("then_branch", branch), graph_attribute("else_branch", ModelBuilder().output("x").graph())});
    EXPECT_EQ(made_of(model.node("Neg", {"S"}, {"T"})), (Dims{0, 0, 9}));
}

TEST(Sparse, AConstantMayBeOne)
{
    const auto constant = [](int64_t opset, const std::string& tensor) {
        return ModelBuilder().opset(opset).node("Constant", {}, {"S"}, {sparse_attribute("sparse_value", tensor)}, "c");
    };
    const std::string tensor = sparse({5, 7}, {2}, {1, 3}, {4});
    EXPECT_EQ(made_of(constant(11, tensor)), (Dims{0, 5, 0, 7}));
    EXPECT_EQ(made_of(constant(13, tensor)), (Dims{0, 5, 0, 7}));
    const auto explained = [&](int64_t opset, const std::string& of) {
        return explain_file(constant(opset, of).output("S").build());
    };
    EXPECT_TRUE(invalid(explained(10, tensor), "sparse_value exists from version 11"));
    EXPECT_TRUE(invalid(explained(13, sparse({5}, {1}, {4}, {4})), "node 'c': Constant: sparse tensor 'S': indices[0] = 4"));
    EXPECT_TRUE(
        invalid(explained(13, ""), "node 'c': Constant: sparse tensor: values: tensor: data_type 0 is none of ONNX's types"));
    EXPECT_TRUE(invalid(parse(ModelBuilder()
                                  .opset(13)
                                  .node("Constant", {}, {"S"}, {Proto().bytes(1, "sparse_value").integer(20, 11).str()})
                                  .build()),
                        "attribute 'sparse_value' of type SPARSE_TENSOR has no value"));
}

TEST(Sparse, NamesAreThoseOfInitializers)
{
    const std::string tensor = sparse({5}, {1}, {1}, {4});
    EXPECT_TRUE(invalid(parse(with_sparse(tensor).sparse_initializer(tensor).build()),
                        "sparse initializer 1: two initializers have the name 'S'"));
    EXPECT_TRUE(invalid(parse(with_sparse(tensor).initializer(int64_tensor("S", {1}, {1})).build()),
                        "two initializers have the name 'S'"));
    EXPECT_TRUE(invalid(parse(with_sparse("").build()),
                        "a sparse initializer without a name, which is that of its values (graph, byte "));
    EXPECT_TRUE(invalid(parse(with_sparse(tensor).input("S", DType::int64, {3}).build()),
                        "initializer 'S': dims[0] = 4, but the model declares int64[3]"));
    EXPECT_EQ(made_of(with_sparse(tensor).input("S", DType::int64, {4})), (Dims{0, 5, 0, 0}));
}

TEST(Sparse, IndicesAreChecked)
{
    const auto refused_with = [](const std::string& tensor, const std::string& sentence) {
        return invalid(parse(with_sparse(tensor).build()), "sparse initializer 0: sparse tensor 'S': " + sentence);
    };
    EXPECT_TRUE(refused_with(sparse({1, 2}, {2}, {1, 6}, {2, 3}), "indices[1] = 6 must not be negative, and below 6"));
    EXPECT_TRUE(refused_with(sparse({1, 2}, {2}, {-1, 2}, {2, 3}), "indices[0] = -1 must not be negative, and below 6"));
    EXPECT_TRUE(refused_with(sparse({1, 2}, {2, 2}, {0, 0, 0, 3}, {2, 3}), "indices[1,1] = 3 must not be negative, and below 3"));
    EXPECT_TRUE(refused_with(sparse({1, 2}, {2, 2}, {0, 0, 2, 0}, {2, 3}), "indices[1,0] = 2 must not be negative, and below 2"));
    EXPECT_TRUE(
        refused_with(sparse({1, 2}, {2, 2}, {0, -1, 1, 0}, {2, 3}), "indices[0,1] = -1 must not be negative, and below 3"));
    EXPECT_TRUE(refused_with(sparse({1}, {1}, {0}, {2, 0}), "indices[0] = 0 must not be negative, and below 0"));
    EXPECT_TRUE(
        refused_with(sparse({1, 2}, {2}, {4, 1}, {2, 3}),
                     "indices[1] is element 1, which does not come behind element 4; indices must ascend, each given once"));
    EXPECT_TRUE(
        refused_with(sparse({1, 2}, {2}, {4, 4}, {2, 3}), "indices[1] is element 4, which does not come behind element 4"));
    EXPECT_TRUE(refused_with(sparse({1, 2}, {2, 2}, {1, 0, 0, 2}, {2, 3}),
                             "indices[1] is element 2, which does not come behind element 3"));
    EXPECT_TRUE(
        refused_with(sparse({1, 2}, {3}, {0, 1, 2}, {2, 3}), "its indices are int64[3], expected int64[2] or int64[2,2]"));
    EXPECT_TRUE(
        refused_with(sparse({1, 2}, {2, 1}, {0, 1}, {2, 3}), "its indices are int64[2,1], expected int64[2] or int64[2,2]"));
    EXPECT_TRUE(
        refused_with(sparse({1, 2}, {1, 2}, {0, 1}, {2, 3}), "its indices are int64[1,2], expected int64[2] or int64[2,2]"));
    EXPECT_TRUE(refused_with(sparse({1, 2}, {2, 2, 1}, {0, 1, 1, 1}, {2, 3}), "its indices are int64[2,2,1], expected"));
    const std::string floats = sparse_tensor(int64_tensor("S", {1}, {1}), float_tensor("", {1}, {1}), {3});
    EXPECT_TRUE(refused_with(floats, "its indices are float[1], expected int64[1] or int64[1,1]"));
}

TEST(Sparse, ValuesAndDimensionsAreChecked)
{
    const auto refused_with = [](const std::string& values, const Dims& dims, const std::string& sentence) {
        return invalid(parse(with_sparse(sparse_tensor(values, int64_tensor("", {1}, {0}), dims)).build()),
                       "sparse initializer 0: sparse tensor 'S': " + sentence);
    };
    EXPECT_TRUE(refused_with(int64_tensor("S", {1, 1}, {1}), {3}, "its values are int64[1,1], expected one dimension"));
    EXPECT_TRUE(refused_with(int64_tensor("S", {}, {1}), {3}, "its values are int64[], expected one dimension"));
    EXPECT_TRUE(refused_with(int64_tensor("S", {2}, {1}), {3}, "values: tensor 'S': raw_data has 8 bytes, int64[2] needs 16"));
    const std::string one = int64_tensor("S", {1}, {1});
    EXPECT_TRUE(refused_with(one, {3, -1}, "dims[1] = -1 must not be negative"));
    EXPECT_TRUE(refused_with(one, Dims(65, 1), "rank 65 is above 64"));
    EXPECT_TRUE(refused_with(one, Dims(3, 1 << 30), "int64[1073741824,1073741824,1073741824] has more than 2^63 - 1 elements"));
    // A dense tensor may have 2^31 - 1 bytes.
    const auto of = [](const std::string& values, const Dims& dims) {
        return parse(with_sparse(sparse_tensor(values, int64_tensor("", {1}, {0}), dims)).build());
    };
    EXPECT_TRUE(accepted(of(one, {(1 << 28) - 1})));
    EXPECT_TRUE(unsupported(of(one, {1 << 28}), "sparse initializer 0: sparse tensor 'S': as the dense tensor int64[268435456] "
                                                "it has more than 2147483647 bytes, which is the limit of this library"));
    EXPECT_TRUE(unsupported(of(one, {int64_t(1) << 60}), "it has more than 2147483647 bytes"));
    const std::string text = Proto().integers(1, {1}).integer(2, 8).bytes(6, "a").bytes(8, "S").str();
    EXPECT_TRUE(unsupported(of(text, {1 << 30}), "it has more than 2147483647 bytes")) << "an empty string takes memory, too";
}

}  // namespace
}  // namespace vkonnx::onnx
