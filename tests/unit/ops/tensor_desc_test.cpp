#include "expect.h"
#include "ops/attributes.h"

namespace vkonnx {

namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();
constexpr int64_t least = std::numeric_limits<int64_t>::min();

}  // namespace

TEST(TensorDesc, NamesAndBitsAreThoseOfOnnx)
{
    struct Row {
        int number;
        std::string_view name;
        uint32_t bits;
    };
    const Row table[] = {
        {0, "undefined", 0},       {1, "float", 32},        {2, "uint8", 8},           {3, "int8", 8},
        {4, "uint16", 16},         {5, "int16", 16},        {6, "int32", 32},          {7, "int64", 64},
        {8, "string", 0},          {9, "bool", 8},          {10, "float16", 16},       {11, "double", 64},
        {12, "uint32", 32},        {13, "uint64", 64},      {14, "complex64", 64},     {15, "complex128", 128},
        {16, "bfloat16", 16},      {17, "float8e4m3fn", 8}, {18, "float8e4m3fnuz", 8}, {19, "float8e5m2", 8},
        {20, "float8e5m2fnuz", 8}, {21, "uint4", 4},        {22, "int4", 4},           {23, "float4e2m1", 4},
        {24, "float8e8m0", 8},     {25, "uint2", 2},        {26, "int2", 2},           {27, "undefined", 0},
        {255, "undefined", 0},
    };
    for (const Row& row : table) {
        EXPECT_EQ(name(DType(row.number)), row.name);
        EXPECT_EQ(bits(DType(row.number)), row.bits) << row.name;
    }
}

TEST(TensorDesc, Text)
{
    EXPECT_EQ(to_string({DType::float32, {1, 3, 64, 64}}), "float[1,3,64,64]");
    EXPECT_EQ(to_string({DType::bfloat16, {-1}}), "bfloat16[-1]");
    EXPECT_EQ(to_string({DType::float64, {}}), "double[]");
}

TEST(TensorDesc, ElementCount)
{
    EXPECT_EQ(*element_count({DType::float32, {}}), 1);
    EXPECT_EQ(*element_count({DType::string, {2, 3, 5}}), 30);
    EXPECT_EQ(*element_count({DType::float32, {2, 0, 5}}), 0);
    EXPECT_EQ(*element_count({DType::float32, {most, most, 0}}), 0);
    EXPECT_EQ(*element_count({DType::float32, {most}}), most);
    EXPECT_EQ(*element_count({DType::float32, {int64_t{1} << 31, int64_t{1} << 31}}), int64_t{1} << 62);

    const auto negative = element_count({DType::float32, {0, 2, -3}});
    ASSERT_FALSE(negative.ok());
    EXPECT_EQ(negative.message(), "float[0,2,-3]: dims[2] = -3 must be at least 0");
    EXPECT_EQ(negative.code(), Code::invalid_argument);
    for (const std::vector<int64_t>& dims :
         {std::vector<int64_t>{int64_t{1} << 32, int64_t{1} << 31}, std::vector<int64_t>{int64_t{1} << 32, int64_t{1} << 32},
          std::vector<int64_t>{int64_t{1} << 62, 4, 1}, std::vector<int64_t>{most, most}}) {
        const auto count = element_count({DType::float32, dims});
        ASSERT_FALSE(count.ok());
        EXPECT_EQ(count.message(), to_string({DType::float32, dims}) + " has more than 2^63 - 1 elements");
        EXPECT_EQ(count.code(), Code::unsupported);
    }
}

TEST(TensorDesc, ByteSize)
{
    EXPECT_EQ(*byte_size({DType::float32, {2, 3}}), 24u);
    EXPECT_EQ(*byte_size({DType::complex128, {3}}), 48u);
    EXPECT_EQ(*byte_size({DType::float16, {}}), 2u);
    EXPECT_EQ(*byte_size({DType::float32, {0}}), 0u);
    EXPECT_EQ(*byte_size({DType::int4, {4}}), 2u);
    EXPECT_EQ(*byte_size({DType::int4, {5}}), 3u);
    EXPECT_EQ(*byte_size({DType::uint2, {4}}), 1u);
    EXPECT_EQ(*byte_size({DType::uint2, {5}}), 2u);
    EXPECT_EQ(*byte_size({DType::uint4, {most}}), uint64_t{1} << 62);
    EXPECT_EQ(*byte_size({DType::float16, {most}}), 2 * uint64_t(most));

    const auto text = byte_size({DType::string, {3}});
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.message(), "string[3]: elements of type string have no fixed size");
    EXPECT_FALSE(byte_size({DType::undefined, {3}}).ok());
    EXPECT_EQ(byte_size({DType::float32, {-1}}).message(), "float[-1]: dims[0] = -1 must be at least 0");
    const auto large = byte_size({DType::float32, {most}});
    ASSERT_FALSE(large.ok());
    EXPECT_EQ(large.message(), "float[9223372036854775807] has more than 2^64 - 1 bytes");
    EXPECT_EQ(large.code(), Code::unsupported);
}

// The results are compared with 128-bit arithmetic, over the values where something turns.
TEST(Exact, AgreesWithWiderArithmetic)
{
    __extension__ using Wide = __int128;
    std::vector<int64_t> values;
    for (const int64_t centre : {int64_t{0}, int64_t{1} << 31, -(int64_t{1} << 31), int64_t{1} << 32, int64_t{3037000499},
                                 -int64_t{3037000499}, int64_t{1} << 62, -(int64_t{1} << 62), most / 3, least / 3})
        for (int64_t step = -2; step <= 2; ++step)
            values.push_back(centre + step);
    for (int64_t step = 0; step <= 2; ++step) {
        values.push_back(most - step);
        values.push_back(least + step);
    }
    const auto agrees = [](ops::Exact exact, Wide wide) {
        const bool fits = wide >= least && wide <= most;
        return exact.fits == fits && (!fits || exact.value == int64_t(wide));
    };
    for (const int64_t a : values)
        for (const int64_t b : values) {
            EXPECT_TRUE(agrees(ops::Exact(a) + b, Wide(a) + b)) << a << " + " << b;
            EXPECT_TRUE(agrees(ops::Exact(a) - b, Wide(a) - b)) << a << " - " << b;
            EXPECT_TRUE(agrees(ops::Exact(a) * b, Wide(a) * b)) << a << " * " << b;
        }
}

TEST(Exact, AMisfitStaysOne)
{
    const ops::Exact misfit = ops::Exact(most) + 1;
    for (const ops::Exact result : {misfit - 1, ops::Exact(1) + misfit, misfit * 0, ops::Exact(5) - misfit,
                                    ops::floor_divide(misfit, 2), ops::ceil_divide(misfit, 2), ops::lesser(misfit, 1)})
        EXPECT_FALSE(result.fits);
    EXPECT_EQ(ops::ceil_divide(most, most - 1).value, 2);
    EXPECT_EQ(ops::floor_divide(most, most - 1).value, 1);
    EXPECT_EQ(ops::ceil_divide(0, 5).value, 0);
}

}  // namespace vkonnx
