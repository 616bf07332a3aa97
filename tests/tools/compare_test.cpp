#include "compare.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

namespace vkonnx::tools {
namespace {

using onnx::HostTensor;

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

template <class T>
HostTensor tensor_of(DType dtype, std::vector<int64_t> dims, const std::vector<T>& values)
{
    HostTensor tensor{.desc = {dtype, std::move(dims)}};
    tensor.data.resize(values.size() * sizeof(T));
    std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
    return tensor;
}

Comparison floats(const std::vector<float>& actual, const std::vector<float>& expected, const Tolerance& tolerance = {})
{
    const std::vector<int64_t> dims = {int64_t(actual.size())};
    return compare(tensor_of(DType::float32, dims, actual), tensor_of(DType::float32, dims, expected), tolerance);
}

TEST(Compare, EqualHasNoError)
{
    const Comparison same = floats({1, -0.0f, nan_value, infinity, -infinity}, {1, 0.0f, nan_value, infinity, -infinity});
    EXPECT_EQ(same.mismatch, "");
    EXPECT_EQ(same.errors->absolute, 0);
    EXPECT_EQ(same.errors->relative, 0);
    EXPECT_EQ(same.errors->ulp, 0);
}

TEST(Compare, MeasuresThreeErrors)
{
    const Comparison near = floats({1.5f, 2 + 0x1p-21f}, {1.5f, 2});
    EXPECT_EQ(near.mismatch, "");
    EXPECT_EQ(near.errors->absolute, 0x1p-21);
    EXPECT_EQ(near.errors->relative, 0x1p-22);
    EXPECT_EQ(near.errors->ulp, 2);
    // The smallest denormals of both signs are two steps apart, across zero.
    const float least = std::numeric_limits<float>::denorm_min();
    EXPECT_EQ(floats({least}, {-least}).errors->ulp, 2);
}

TEST(Compare, ToleranceOfTheGreatestIsForAllElements)
{
    const Tolerance hundredth = {.relative = 0, .absolute = 0, .of_greatest = 0.01};
    EXPECT_EQ(floats({-100, 0.9f}, {-100, 0}, hundredth).mismatch, "");
    EXPECT_EQ(floats({-100, 1.1f}, {-100, 0}, hundredth).mismatch, "1 of 2 elements differ, first [1] is 1.10000002, expected 0");
    // The tolerance is of the greatest expected element that is finite. What was computed does not count.
    EXPECT_NE(floats({-1000, 1.1f}, {-100, 0}, hundredth).mismatch, "");
    EXPECT_NE(floats({infinity, 1}, {infinity, 0}, hundredth).mismatch, "");
}

TEST(Compare, ToleranceIsAbsolutePlusRelative)
{
    EXPECT_EQ(floats({1000.9f}, {1000}).mismatch, "");
    EXPECT_EQ(floats({1001.1f}, {1000}).mismatch, "1 of 1 elements differ, first [0] is 1001.09998, expected 1000");
    EXPECT_EQ(floats({0.9e-7f}, {0}).mismatch, "");
    EXPECT_NE(floats({1.1e-7f}, {0}).mismatch, "");
    EXPECT_EQ(floats({2}, {1}, {.relative = 0, .absolute = 1}).mismatch, "");
    EXPECT_NE(floats({1 + 0x1p-23f}, {1}, {.relative = 0, .absolute = 0}).mismatch, "");
}

TEST(Compare, NaNAndInfinityOnlyEqualThemselves)
{
    const Tolerance loose{.relative = 1e30, .absolute = 1e30};
    EXPECT_NE(floats({nan_value}, {1}, loose).mismatch, "");
    EXPECT_NE(floats({1}, {nan_value}, loose).mismatch, "");
    EXPECT_NE(floats({infinity}, {-infinity}, loose).mismatch, "");
    EXPECT_NE(floats({1}, {infinity}, loose).mismatch, "");
    EXPECT_TRUE(std::isinf(floats({nan_value}, {1}).errors->ulp));
}

TEST(Compare, NamesTheFirstElementThatDiffers)
{
    const auto expected = tensor_of<float>(DType::float32, {2, 3}, {0, 1, 2, 3, 4, 5});
    const auto actual = tensor_of<float>(DType::float32, {2, 3}, {0, 1, 2, 3, 9, 9});
    EXPECT_EQ(compare(actual, expected, {}).mismatch, "2 of 6 elements differ, first [1,1] is 9, expected 4");
}

TEST(Compare, TypeAndShapeAreExact)
{
    const auto vector = tensor_of<float>(DType::float32, {2}, {1, 2});
    EXPECT_EQ(compare(vector, tensor_of<float>(DType::float32, {1, 2}, {1, 2}), {}).mismatch, "is float[2], expected float[1,2]");
    EXPECT_EQ(compare(vector, tensor_of<int32_t>(DType::int32, {2}, {1, 2}), {}).mismatch, "is float[2], expected int32[2]");
    EXPECT_FALSE(compare(vector, tensor_of<int32_t>(DType::int32, {2}, {1, 2}), {}).errors) << "nothing was measured";
}

TEST(Compare, IntegersAreExact)
{
    const auto a = tensor_of<int64_t>(DType::int64, {2}, {1'000'000'000'000, -2});
    const auto b = tensor_of<int64_t>(DType::int64, {2}, {1'000'000'000'000, -1});
    EXPECT_EQ(compare(a, a, {}).mismatch, "");
    EXPECT_EQ(compare(a, b, {}).mismatch, "1 of 2 elements differ, first [1] is -2, expected -1");
    const auto c = tensor_of<int8_t>(DType::int8, {1}, {-3}), d = tensor_of<int8_t>(DType::int8, {1}, {3});
    EXPECT_EQ(compare(c, d, {}).mismatch, "1 of 1 elements differ, first [0] is -3, expected 3");
}

TEST(Compare, StringsAreExact)
{
    HostTensor a;
    a.desc = TensorDesc{DType::string, {1}};
    a.strings = {"a"};
    HostTensor b = a;
    EXPECT_EQ(compare(a, b, {}).mismatch, "");
    b.strings = {"b"};
    EXPECT_EQ(compare(a, b, {}).mismatch, "the strings differ");
}

TEST(Compare, ReadsHalvesAndDoubles)
{
    // The numbers are 1.0 and the next one: 0x3C00 and 0x3C01 in float16, 0x3F80 and 0x3F81 in bfloat16.
    const auto half =
        compare(tensor_of<uint16_t>(DType::float16, {1}, {0x3C01}), tensor_of<uint16_t>(DType::float16, {1}, {0x3C00}), {});
    EXPECT_EQ(half.mismatch, "");
    EXPECT_EQ(half.errors->absolute, 0x1p-10);
    EXPECT_EQ(half.errors->ulp, 1);
    const auto brain =
        compare(tensor_of<uint16_t>(DType::bfloat16, {1}, {0x3F81}), tensor_of<uint16_t>(DType::bfloat16, {1}, {0x3F80}), {});
    EXPECT_EQ(brain.mismatch, "1 of 1 elements differ, first [0] is 1.0078125, expected 1");
    EXPECT_EQ(brain.errors->absolute, 0x1p-7);
    // These are infinity, NaN and the smallest denormal of float16.
    const auto special = compare(tensor_of<uint16_t>(DType::float16, {3}, {0x7C00, 0x7E00, 0x0001}),
                                 tensor_of<uint16_t>(DType::float16, {3}, {0x7C00, 0x7D00, 0x0000}), {});
    EXPECT_EQ(special.mismatch, "");
    EXPECT_EQ(special.errors->absolute, 0x1p-24);
    const auto doubles =
        compare(tensor_of<double>(DType::float64, {1}, {1 + 0x1p-52}), tensor_of<double>(DType::float64, {1}, {1}), {});
    EXPECT_EQ(doubles.errors->ulp, 1);
    EXPECT_EQ(doubles.errors->absolute, 0x1p-52);
}

TEST(Compare, HalvesAreNumbers)
{
    EXPECT_EQ(half_value(DType::float16, 0x3E00), 1.5);
    EXPECT_EQ(half_value(DType::float16, 0xC800), -8);
    EXPECT_EQ(half_value(DType::float16, 0x7BFF), 65504);
    EXPECT_EQ(half_value(DType::float16, 0x0001), 0x1p-24);
    EXPECT_EQ(half_value(DType::float16, 0xFC00), -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(half_value(DType::float16, 0x7E00)));
    EXPECT_TRUE(std::signbit(half_value(DType::float16, 0x8000)));
    EXPECT_EQ(half_value(DType::bfloat16, 0x3FC0), 1.5);
    EXPECT_EQ(half_value(DType::bfloat16, 0xC100), -8);
    EXPECT_EQ(half_value(DType::bfloat16, 0x0001), 0x1p-133);
    EXPECT_EQ(half_value(DType::bfloat16, 0x7F80), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(half_value(DType::bfloat16, 0x7FC0)));
}

TEST(Compare, ComplexNumbersNameTheElement)
{
    const auto a = tensor_of<float>(DType::complex64, {2}, {1, 2, 3, 4}),
               b = tensor_of<float>(DType::complex64, {2}, {1, 2, 3, 5});
    EXPECT_EQ(compare(a, b, {}).mismatch, "1 of 4 elements differ, first [1] is 4, expected 5");
}

}  // namespace
}  // namespace vkonnx::tools
