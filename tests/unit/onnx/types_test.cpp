// This file tests the types of every operator in every version in model files: as inputs, initializers, constants and
// declarations.
#include "helpers.h"

namespace vkonnx::onnx {
namespace {

// A row holds the number and word that onnx.proto has for a type, and the version of Shape that first takes it.
struct TypeRow {
    int64_t number;
    const char* word;
    int64_t shape_since;
};

constexpr TypeRow type_rows[] = {{1, "float", 1},          {2, "uint8", 1},
                                 {3, "int8", 1},           {4, "uint16", 1},
                                 {5, "int16", 1},          {6, "int32", 1},
                                 {7, "int64", 1},          {8, "string", 1},
                                 {9, "bool", 1},           {10, "float16", 1},
                                 {11, "double", 1},        {12, "uint32", 1},
                                 {13, "uint64", 1},        {14, "complex64", 1},
                                 {15, "complex128", 1},    {16, "bfloat16", 13},
                                 {17, "float8e4m3fn", 19}, {18, "float8e4m3fnuz", 19},
                                 {19, "float8e5m2", 19},   {20, "float8e5m2fnuz", 19},
                                 {21, "uint4", 21},        {22, "int4", 21},
                                 {23, "float4e2m1", 23},   {24, "float8e8m0", 24},
                                 {25, "uint2", 25},        {26, "int2", 25}};

constexpr int64_t shape_versions[] = {1, 13, 15, 19, 21, 23, 24, 25};

DType dtype_of(const TypeRow& row)
{
    return DType(row.number);
}

// Returns a TensorProto T (2, 3) whose elements are in the field that onnx.proto wants for the type.
std::string typed_tensor(const TypeRow& row)
{
    Proto tensor = Proto().integers(1, {2, 3}).integer(2, row.number).bytes(8, "T");
    switch (dtype_of(row)) {
    case DType::float32:
        return tensor.reals(4, std::vector<float>(6, 1)).str();
    case DType::complex64:
        return tensor.reals(4, std::vector<float>(12, 1)).str();
    case DType::float64:
        return tensor.reals(10, std::vector<double>(6, 1)).str();
    case DType::complex128:
        return tensor.reals(10, std::vector<double>(12, 1)).str();
    case DType::string:
        for (const char* element : {"a", "", "c", "d", "e", "f"})
            tensor.bytes(6, element);
        return tensor.str();
    case DType::int64:
        return tensor.integers(7, Dims(6, 1)).str();
    case DType::uint32:
    case DType::uint64:
        return tensor.integers(11, Dims(6, 1)).str();
    default:  // an entry a byte for the packed types
        return tensor.integers(5, Dims(bits(dtype_of(row)) < 8 ? (6 * bits(dtype_of(row)) + 7) / 8 : 6, 1)).str();
    }
}

std::string raw_tensor_of(const TypeRow& row)
{
    std::vector<std::byte> data((6 * bits(dtype_of(row)) + 7) / 8);
    return raw_tensor("T", {.dtype = dtype_of(row), .dims = {2, 3}}, data);
}

// This enumeration tells where the tensor comes from that Shape looks at.
enum class Source : uint8_t { input, given_input, raw_initializer, typed_initializer, constant, declared_value };
constexpr Source sources[] = {Source::input,    Source::given_input,   Source::raw_initializer, Source::typed_initializer,
                              Source::constant, Source::declared_value};

// Returns what is told of Shape from T to S, and of a node that needs S beforehand: X (6) takes the dimensions that S says.
Result<std::vector<NodeReport>> shape_of(const TypeRow& row, Source source, int64_t opset)
{
    ModelBuilder model = ModelBuilder().opset(opset).input("X", DType::float32, {6});
    std::vector<NamedDesc> descs;
    std::string read = "T";
    switch (source) {
    case Source::input:
        model.input("T", dtype_of(row), {2, 3});
        break;
    case Source::given_input:  // the file leaves the type open, the caller has it
        model.graph_field(11, Proto().bytes(1, "T").str());
        descs = {{"T", {.dtype = dtype_of(row), .dims = {2, 3}}}};
        break;
    case Source::raw_initializer:
        model.initializer(raw_tensor_of(row));
        break;
    case Source::typed_initializer:
        model.initializer(typed_tensor(row));
        break;
    case Source::constant:
        model.node("Constant", {}, {"T"}, {tensor_attribute("value", typed_tensor(row))});
        break;
    case Source::declared_value:  // between two nodes, with a declaration of its own
        model.input("T", dtype_of(row), {2, 3})
            .node("Identity", {"T"}, {"U"})
            .graph_field(13, kit::value_info("U", dtype_of(row), {2, 3}));
        read = "U";
        break;
    }
    model.node("Shape", {read}, {"S"}, {}, "s");
    if (opset >= 5)
        model.node("Reshape", {"X", "S"}, {"Y"}).output("Y", DType::float32, {2, 3});
    return explain_file(model.output("S", DType::int64, {2}).build(), descs);
}

TEST(ShapeTypes, EveryTypeInEveryVersionFromEverySource)
{
    int accepted_count = 0;
    int refused_count = 0;
    for (const TypeRow& row : type_rows)
        for (int64_t opset : shape_versions)
            for (Source source : sources) {
                if (source == Source::raw_initializer && dtype_of(row) == DType::string)
                    continue;  // raw_data cannot hold strings
                SCOPED_TRACE(std::string(row.word) + " in " + std::to_string(opset) + ", source " + std::to_string(int(source)));
                Result<std::vector<NodeReport>> reports = shape_of(row, source, opset);
                if (opset < row.shape_since) {
                    ++refused_count;
                    EXPECT_TRUE(invalid(reports, "node 's': Shape: data has type " + std::string(row.word) +
                                                     ", which exists from version " + std::to_string(row.shape_since) +
                                                     ", and opset " + std::to_string(opset) + " means version " +
                                                     std::to_string(opset)));
                    continue;
                }
                ++accepted_count;
                ASSERT_TRUE(accepted(reports));
                // The node behind Shape saw its values.
                const NodeReport& last = reports->back();
                EXPECT_EQ(last.explanation.outputs.front().dims, (opset >= 5 ? Dims{2, 3} : Dims{2}));
            }
    // 15 types are in all 8 versions, bfloat16 in 7, 4 types in 5, 2 in 4, 1 in 3, 1 in 2 and 2 in 1. Each comes from each
    // source.
    const int pairs = 15 * 8 + 7 + 4 * 5 + 2 * 4 + 3 + 2 + 2 * 1;
    EXPECT_EQ(accepted_count, 6 * pairs - 8);
    EXPECT_EQ(refused_count, 6 * (26 * 8 - pairs));
}

TEST(ShapeTypes, OpsetsBetweenVersions)
{
    struct Row {
        int64_t opset, version;
    };
    for (const Row& row : {Row{12, 1}, Row{14, 13}, Row{18, 15}, Row{20, 19}, Row{22, 21}, Row{99, 25}})
        for (const TypeRow& type : type_rows) {
            Result<std::vector<NodeReport>> reports = shape_of(type, Source::input, row.opset);
            EXPECT_EQ(reports.ok(), type.shape_since <= row.version) << type.word << " in " << row.opset;
        }
}

// Older protobuf enums end at bfloat16, and newer ones may go on. Only the number counts.
TEST(ShapeTypes, NumbersThatAreNoType)
{
    for (int64_t number : {int64_t{27}, int64_t{100}, int64_t{257}, int64_t{-1}, int64_t{1} << 40}) {
        std::string type = Proto().bytes(1, Proto().integer(1, number).str()).str();
        auto model = [] { return ModelBuilder().opset(25); };
        EXPECT_TRUE(invalid(
            parse(model().graph_field(11, Proto().bytes(1, "T").bytes(2, type).str()).node("Shape", {"T"}, {"S"}).build()),
            "input 'T': elem_type " + std::to_string(number) + " is none of ONNX's types"));
        EXPECT_TRUE(invalid(parse(model().initializer(Proto().integer(2, number).bytes(8, "T").bytes(9, "").str()).build()),
                            "data_type " + std::to_string(number) + " is none of ONNX's types"));
        // What a file says about values between nodes binds nothing.
        EXPECT_TRUE(accepted(explain_file(model()
                                              .input("T", DType::float32, {2})
                                              .node("Identity", {"T"}, {"U"})
                                              .graph_field(13, Proto().bytes(1, "U").bytes(2, type).str())
                                              .node("Shape", {"U"}, {"S"})
                                              .build())));
    }
}

bool is_float(DType dtype)
{
    return dtype == DType::float32 || dtype == DType::float16 || dtype == DType::float64 || dtype == DType::bfloat16;
}

// Returns the suffix of a kernel's name, such as "f16". Without arithmetic in doubles these are computed in integer words.
std::string suffix(DType dtype)
{
    switch (dtype) {
    case DType::float16:
        return "f16";
    case DType::bfloat16:
        return "bf16";
    case DType::float64:
        return "f64_soft";
    default:
        return "f32";
    }
}

TEST(FloatTypes, EveryTypeInEveryVersion)
{
    for (const TypeRow& row : type_rows) {
        DType dtype = dtype_of(row);
        auto check = [&](const std::string& op, int64_t opset, const Result<std::vector<NodeReport>>& reports) {
            SCOPED_TRACE(op + " of " + row.word + " in " + std::to_string(opset));
            if (!is_float(dtype))
                EXPECT_TRUE(invalid(reports, "node 'n': " + op + ": X has type " + row.word + ", which no version"));
            else if (dtype == DType::bfloat16 && opset < 22)
                EXPECT_TRUE(invalid(reports, "node 'n': " + op +
                                                 ": X has type bfloat16, which exists from version 22, and opset " +
                                                 std::to_string(opset) + " means version "));
            else if (accepted(reports)) {
                EXPECT_EQ(reports->front().explanation.outputs.front().dtype, dtype);
                EXPECT_TRUE(reports->front().explanation.kernel.ends_with("_" + suffix(dtype)))
                    << reports->front().explanation.kernel;
            } else {
                ADD_FAILURE() << reports.message();
            }
        };
        for (int64_t opset : {1, 7, 10, 11, 19, 21, 22, 25})
            check("AveragePool", opset,
                  explain_file(ModelBuilder()
                                   .opset(opset)
                                   .input("X", dtype, {1, 2, 5})
                                   .node("AveragePool", {"X"}, {"Y"}, {ints_attribute("kernel_shape", {2})}, "n")
                                   .output("Y", dtype, {1, 2, 4})
                                   .build()));
        for (int64_t opset : {1, 11, 21, 22, 25})
            check("ConvTranspose", opset,
                  explain_file(ModelBuilder()
                                   .opset(opset)
                                   .input("X", dtype, {1, 2, 5})
                                   .input("W", dtype, {2, 3, 2})
                                   .input("B", dtype, {3})
                                   .node("ConvTranspose", {"X", "W", "B"}, {"Y"}, {}, "n")
                                   .output("Y", dtype, {1, 3, 6})
                                   .build()));
    }
}

TEST(FloatTypes, InitializersInRawAndTypedFields)
{
    struct Row {
        DType dtype;
        std::string typed;
    };
    auto head = [](DType dtype) { return Proto().integers(1, {1, 1, 2}).integer(2, int64_t(dtype)).bytes(8, "W"); };
    const Row rows[] = {{DType::float32, head(DType::float32).reals(4, std::vector<float>{1, 2}).str()},
                        {DType::float64, head(DType::float64).reals(10, std::vector<double>{1, 2}).str()},
                        {DType::float16, head(DType::float16).integers(5, {0x3c00, 0x4000}).str()},
                        {DType::bfloat16, head(DType::bfloat16).integers(5, {0x3f80, 0x4000}).str()}};
    for (const Row& row : rows) {
        std::vector<std::byte> zeros(2 * bits(row.dtype) / 8);
        const std::string raw = raw_tensor("W", {.dtype = row.dtype, .dims = {1, 1, 2}}, zeros);
        for (const std::string& w : {row.typed, raw}) {
            Result<std::vector<NodeReport>> reports = explain_file(ModelBuilder()
                                                                       .opset(22)
                                                                       .input("X", row.dtype, {1, 1, 3})
                                                                       .initializer(w)
                                                                       .node("ConvTranspose", {"X", "W"}, {"Y"})
                                                                       .output("Y", row.dtype, {1, 1, 4})
                                                                       .build());
            ASSERT_TRUE(accepted(reports)) << name(row.dtype);
            EXPECT_EQ(reports->front().explanation.outputs.front(), (TensorDesc{row.dtype, {1, 1, 4}}));
        }
    }
}

TEST(Types, BitCastTakesTypesOfAsManyBits)
{
    const auto of = [](int64_t to) {
        return explain_file(ModelBuilder()
                                .opset(26)
                                .input("X", DType::float32, {2})
                                .node("BitCast", {"X"}, {"Y"}, {kit::int_attribute("to", to)})
                                .output("Y")
                                .build());
    };
    EXPECT_TRUE(of(int64_t(DType::uint32)));
    const std::string expected = ", expected the number of a type of 32 bits, as input float[2] has them";
    for (const int64_t to : {int64_t(DType::int64), int64_t(DType::string), int64_t(0), int64_t(257), int64_t(-1)})
        EXPECT_TRUE(invalid(of(to), "BitCast: to = " + std::to_string(to) + expected));
}

}  // namespace
}  // namespace vkonnx::onnx
