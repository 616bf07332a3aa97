// This file tests every type in every encoding that onnx.proto gives it, and what must be refused.
#include <cstring>
#include <limits>

#include "helpers.h"

namespace vkonnx::onnx {
namespace {

enum Field : uint32_t { float_data = 4, int32_data = 5, string_data = 6, int64_data = 7, double_data = 10, uint64_data = 11 };

Result<HostTensor> parse_proto(const Proto& tensor)
{
    return parse_tensor(as_bytes(tensor.str()));
}

Proto tensor_of(DType dtype, const Dims& dims)
{
    return Proto().integers(1, dims).integer(2, int64_t(dtype)).bytes(8, "T");
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values)
{
    std::span<const std::byte> bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

template <class T>
void expect_holds(const Result<HostTensor>& tensor, DType dtype, const Dims& dims, const std::vector<T>& values)
{
    ASSERT_TRUE(accepted(tensor));
    EXPECT_EQ(tensor->desc, (TensorDesc{.dtype = dtype, .dims = dims}));
    EXPECT_EQ(tensor->data, bytes_of(values));
    EXPECT_TRUE(tensor->strings.empty());
}

constexpr DType all_but_string[] = {
    DType::float32,      DType::uint8,          DType::int8,       DType::uint16,         DType::int16,
    DType::int32,        DType::int64,          DType::boolean,    DType::float16,        DType::float64,
    DType::uint32,       DType::uint64,         DType::complex64,  DType::complex128,     DType::bfloat16,
    DType::float8e4m3fn, DType::float8e4m3fnuz, DType::float8e5m2, DType::float8e5m2fnuz, DType::uint4,
    DType::int4,         DType::float4e2m1,     DType::float8e8m0, DType::uint2,          DType::int2};

TEST(TensorRaw, EveryType)
{
    for (DType dtype : all_but_string) {
        SCOPED_TRACE(name(dtype));
        TensorDesc desc{.dtype = dtype, .dims = {3, 1}};
        std::vector<uint8_t> bytes((bits(dtype) * 3 + 7) / 8);
        for (size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = uint8_t(17 * i + 1);
        expect_holds(parse_tensor(as_bytes(raw_tensor("T", desc, std::as_bytes(std::span(bytes))))), dtype, {3, 1}, bytes);

        bytes.push_back(0);
        EXPECT_TRUE(invalid(parse_tensor(as_bytes(raw_tensor("T", desc, std::as_bytes(std::span(bytes))))),
                            "tensor 'T': raw_data has " + std::to_string(bytes.size()) + " bytes, " + to_string(desc) +
                                " needs " + std::to_string(bytes.size() - 1)));
        bytes.resize(bytes.size() - 2);
        EXPECT_TRUE(invalid(parse_tensor(as_bytes(raw_tensor("T", desc, std::as_bytes(std::span(bytes))))),
                            "raw_data has " + std::to_string(bytes.size()) + " bytes"));
    }
}

TEST(TensorRaw, ScalarsAndEmptyTensors)
{
    float value = 2.5F;
    expect_holds(parse_tensor(as_bytes(float_tensor("T", {}, {value}))), DType::float32, {}, std::vector<float>{value});
    expect_holds(parse_tensor(as_bytes(float_tensor("T", {4, 0, 3}, {}))), DType::float32, {4, 0, 3}, std::vector<float>{});
    EXPECT_TRUE(invalid(parse_tensor(as_bytes(float_tensor("T", {0}, {value}))), "raw_data has 4 bytes, float[0] needs 0"));
}

TEST(TensorTyped, FloatData)
{
    std::vector<float> values = {1.5F, -0.0F, std::numeric_limits<float>::infinity(), 1e-45F};
    expect_holds(parse_proto(tensor_of(DType::float32, {2, 2}).reals(float_data, values)), DType::float32, {2, 2}, values);
    expect_holds(parse_proto(tensor_of(DType::complex64, {2}).reals(float_data, values)), DType::complex64, {2}, values);
}

TEST(TensorTyped, DoubleData)
{
    std::vector<double> values = {0.1, -2.0};
    expect_holds(parse_proto(tensor_of(DType::float64, {2}).reals(double_data, values)), DType::float64, {2}, values);
    expect_holds(parse_proto(tensor_of(DType::complex128, {1}).reals(double_data, values)), DType::complex128, {1}, values);
}

TEST(TensorTyped, Int64Data)
{
    std::vector<int64_t> values = {INT64_MIN, -1, 0, INT64_MAX};
    expect_holds(parse_proto(tensor_of(DType::int64, {4}).integers(int64_data, values)), DType::int64, {4}, values);
}

TEST(TensorTyped, Uint64Data)
{
    std::vector<int64_t> bits64 = {-1, 0, INT64_MIN};
    expect_holds(parse_proto(tensor_of(DType::uint64, {3}).integers(uint64_data, bits64)), DType::uint64, {3},
                 std::vector<uint64_t>{UINT64_MAX, 0, uint64_t{1} << 63});
    expect_holds(parse_proto(tensor_of(DType::uint32, {2}).integers(uint64_data, {7, UINT32_MAX})), DType::uint32, {2},
                 std::vector<uint32_t>{7, UINT32_MAX});
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::uint32, {1}).integers(uint64_data, {int64_t{1} << 32})),
                        "uint64_data holds 4294967296, which does not fit in uint32"));
}

TEST(TensorTyped, Int32DataOf32And16Bits)
{
    expect_holds(parse_proto(tensor_of(DType::int32, {2}).integers(int32_data, {INT32_MIN, INT32_MAX})), DType::int32, {2},
                 std::vector<int32_t>{INT32_MIN, INT32_MAX});
    // Some writers cut negative numbers to 32 bits before they write them.
    expect_holds(parse_proto(tensor_of(DType::int32, {1}).integers(int32_data, {UINT32_MAX})), DType::int32, {1},
                 std::vector<int32_t>{-1});
    expect_holds(parse_proto(tensor_of(DType::int16, {2}).integers(int32_data, {-32768, 32767})), DType::int16, {2},
                 std::vector<int16_t>{-32768, 32767});
    for (DType dtype : {DType::uint16, DType::float16, DType::bfloat16})
        expect_holds(parse_proto(tensor_of(dtype, {2}).integers(int32_data, {0x3c00, 0xffff})), dtype, {2},
                     std::vector<uint16_t>{0x3c00, 0xffff});
}

TEST(TensorTyped, Int32DataOf8BitsAndLess)
{
    expect_holds(parse_proto(tensor_of(DType::int8, {2}).integers(int32_data, {-128, 127})), DType::int8, {2},
                 std::vector<int8_t>{-128, 127});
    expect_holds(parse_proto(tensor_of(DType::boolean, {2}).integers(int32_data, {1, 0})), DType::boolean, {2},
                 std::vector<uint8_t>{1, 0});
    for (DType dtype :
         {DType::uint8, DType::float8e4m3fn, DType::float8e4m3fnuz, DType::float8e5m2, DType::float8e5m2fnuz, DType::float8e8m0})
        expect_holds(parse_proto(tensor_of(dtype, {2}).integers(int32_data, {0x80, 0xff})), dtype, {2},
                     std::vector<uint8_t>{0x80, 0xff});
    for (DType dtype : {DType::uint4, DType::int4, DType::float4e2m1})  // two elements an entry
        expect_holds(parse_proto(tensor_of(dtype, {3}).integers(int32_data, {0x21, 0x0f})), dtype, {3},
                     std::vector<uint8_t>{0x21, 0x0f});
    for (DType dtype : {DType::uint2, DType::int2})  // four elements an entry
        expect_holds(parse_proto(tensor_of(dtype, {5}).integers(int32_data, {0xe4, 0x03})), dtype, {5},
                     std::vector<uint8_t>{0xe4, 0x03});
}

TEST(TensorTyped, Int32DataOutOfRange)
{
    struct Row {
        DType dtype;
        int64_t value;
    };
    for (const Row& row : {Row{DType::int8, 128},
                           {DType::int8, -129},
                           {DType::uint8, 256},
                           {DType::uint8, -1},
                           {DType::int16, 32768},
                           {DType::uint16, 65536},
                           {DType::float16, -1},
                           {DType::boolean, 2},
                           {DType::bfloat16, 65536},
                           {DType::float8e5m2, 256},
                           {DType::int4, 256}}) {
        Dims dims = {bits(row.dtype) < 8 ? 8 / bits(row.dtype) : 1};
        EXPECT_TRUE(invalid(parse_proto(tensor_of(row.dtype, dims).integers(int32_data, {row.value})),
                            "tensor 'T': int32_data holds " + std::to_string(row.value) + ", which does not fit in " +
                                std::string(name(row.dtype))));
    }
}

TEST(TensorTyped, StringData)
{
    Result<HostTensor> tensor =
        parse_proto(tensor_of(DType::string, {2}).bytes(string_data, "").bytes(string_data, std::string("a\0b", 3)));
    ASSERT_TRUE(accepted(tensor));
    EXPECT_EQ(tensor->strings, (Names{"", std::string("a\0b", 3)}));
    EXPECT_TRUE(tensor->data.empty());
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::string, {1}).bytes(9, "abc")), "strings cannot be in raw_data"));
}

TEST(TensorTyped, UnpackedAndMixedEncodingsOfRepeatedNumbers)
{
    expect_holds(
        parse_proto(tensor_of(DType::int64, {4}).integer(int64_data, 1).integers(int64_data, {2, 3}).integer(int64_data, 4)),
        DType::int64, {4}, std::vector<int64_t>{1, 2, 3, 4});
    expect_holds(parse_proto(tensor_of(DType::float32, {3}).real(float_data, 1.0F).reals(float_data, std::vector<float>{2, 3})),
                 DType::float32, {3}, std::vector<float>{1, 2, 3});
    expect_holds(parse_proto(tensor_of(DType::float64, {2}).real(double_data, 1.0).real(double_data, 2.0)), DType::float64, {2},
                 std::vector<double>{1, 2});
    expect_holds(parse_proto(Proto().integer(1, 2).integer(1, 1).integer(2, 7).integers(int64_data, {5, 6})), DType::int64,
                 {2, 1}, std::vector<int64_t>{5, 6});
}

TEST(TensorTyped, FieldsInAnyOrder)
{
    expect_holds(parse_proto(Proto().integers(int32_data, {5, 6}).integer(2, 3).integers(1, {2})), DType::int8, {2},
                 std::vector<int8_t>{5, 6});
}

TEST(TensorTyped, WrongNumberOfEntries)
{
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::float32, {2, 2}).reals(float_data, std::vector<float>{1, 2, 3})),
                        "tensor 'T': float_data has 3 entries, float[2,2] needs 4"));
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::complex64, {2}).reals(float_data, std::vector<float>{1, 2})),
                        "float_data has 2 entries, complex64[2] needs 4"));
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::uint4, {4}).integers(int32_data, {1, 2, 3, 4})),
                        "int32_data has 4 entries, uint4[4] needs 2"));
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::string, {2}).bytes(string_data, "a")), "string_data has 1 entries"));
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::float32, {})), "float_data has 0 entries"));  // a scalar without a value
    EXPECT_TRUE(accepted(parse_proto(tensor_of(DType::float32, {0}))));
}

TEST(TensorTyped, WrongField)
{
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::float32, {2}).integers(int32_data, {1, 2})),
                        "int32_data is set, but elements of type float belong in float_data"));
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::int32, {2}).integers(int64_data, {1, 2})), "belong in int32_data"));
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::uint32, {1}).integers(int32_data, {1})), "belong in uint64_data"));
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::float64, {1}).real(float_data, 1.0F)), "belong in double_data"));
}

TEST(Tensor, RawAndTypedDataBothSet)
{
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::float32, {1}).bytes(9, "abcd").real(float_data, 1.0F)),
                        "tensor 'T': it has raw_data and typed data too, so that its content is ambiguous"));
}

TEST(Tensor, Dimensions)
{
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::float32, {2, -3})), "tensor 'T': dims[1] = -3 must not be negative"));
    int64_t big = int64_t{1} << 62;
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::float32, {big, big})), "tensor 'T': "));
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::float64, {big}).bytes(9, "12345678")), "tensor 'T': "));
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::float32, {big}).real(float_data, 1.0F)), "float_data has 1 entries"));
    EXPECT_TRUE(invalid(parse_proto(tensor_of(DType::float32, Dims(65, 1)).real(float_data, 1.0F)), "rank 65 is above 64"));
    EXPECT_TRUE(accepted(parse_proto(tensor_of(DType::float32, Dims(64, 1)).real(float_data, 1.0F))));
}

TEST(Tensor, TypesThatDoNotExist)
{
    for (int64_t number : {int64_t{0}, int64_t{27}, int64_t{-1}, int64_t{257}, int64_t{1} << 40})
        EXPECT_TRUE(invalid(parse_proto(Proto().integer(2, number).integers(1, {0})),
                            "data_type " + std::to_string(number) + " is none of ONNX's types"));
}

TEST(Tensor, ExternalDataAndSegmentsAreRefusedByName)
{
    EXPECT_TRUE(unsupported(parse_tensor(as_bytes(external_tensor("T", {DType::float32, {1}}, {{"location", "weights"}}))),
                            "tensor 'T': its data lies in another file, which only a model's tensors may"));
    EXPECT_TRUE(accepted(parse_proto(tensor_of(DType::float32, {1}).integer(14, 0).real(float_data, 1.0F))));
    EXPECT_TRUE(unsupported(parse_proto(tensor_of(DType::float32, {1}).bytes(3, "").real(float_data, 1.0F)),
                            "it is split into segments, which is not supported"));
}

TEST(Tensor, Malformed)
{
    EXPECT_TRUE(
        invalid(parse_tensor(as_bytes("\x4a\x05zz")), "not a valid ONNX tensor: a length of 5 bytes where 2 are left (byte 0)"));
    EXPECT_TRUE(invalid(parse_tensor({}), "data_type 0"));
}

}  // namespace
}  // namespace vkonnx::onnx
