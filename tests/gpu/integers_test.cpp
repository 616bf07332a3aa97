// This file compares shaders/library/integers.glsl with C++, bit for bit, on every device present: all pairs of 8 bits, and for
// other types edges with edges and random numbers of every length.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <limits>
#include <type_traits>

#include "integers_test_i16.spv.h"
#include "integers_test_i32.spv.h"
#include "integers_test_i64.spv.h"
#include "integers_test_i8.spv.h"
#include "integers_test_u16.spv.h"
#include "integers_test_u32.spv.h"
#include "integers_test_u64.spv.h"
#include "integers_test_u8.spv.h"
#include "kit/draw.h"
#include "small_problem.h"
#include "test_module.h"

namespace vkonnx::gpu_test {
namespace {

constexpr size_t operations = 9;
constexpr const char* names[operations] = {"+", "-", "*", "/", "<", "==", "negated", "absolute", "power"};
constexpr size_t count = 1 << 17;  // pairs in each run

// Computes a power by the definition where that is quick, else from the exponent's first bit to its last. The shader goes from
// the last to the first.
template <class Integer>
Integer power(Integer base, Integer exponent)
{
    if (exponent < 0 || (std::is_signed_v<Integer> && base == Integer(-1)))
        return base == 1 ? 1 : base == Integer(-1) && std::is_signed_v<Integer> ? Integer(exponent % 2 ? -1 : 1) : 0;
    uint64_t result = 1;
    if (exponent <= 64) {
        for (Integer i = 0; i < exponent; ++i)
            result *= uint64_t(base);
        return Integer(result);
    }
    for (int bit = 63; bit >= 0; --bit) {
        result *= result;
        if (uint64_t(exponent) >> bit & 1)
            result *= uint64_t(base);
    }
    return Integer(result);
}

template <class Integer>
Integer quotient(Integer a, Integer b)
{
    constexpr Integer least = std::numeric_limits<Integer>::min();
    if (b == 0)
        return 0;
    if (std::is_signed_v<Integer> && a == least && b == Integer(-1))
        return least;
    return Integer(a / b);
}

// Computes modulo 2^64 and then in the type, because unsigned arithmetic wraps.
template <class Integer>
Integer on_host(size_t operation, Integer a, Integer b)
{
    switch (operation) {
    case 0:
        return Integer(uint64_t(a) + uint64_t(b));
    case 1:
        return Integer(uint64_t(a) - uint64_t(b));
    case 2:
        return Integer(uint64_t(a) * uint64_t(b));
    case 3:
        return quotient(a, b);
    case 4:
        return Integer(a < b);
    case 5:
        return Integer(a == b);
    case 6:
        return Integer(0 - uint64_t(a));
    case 7:
        return a < 0 ? Integer(0 - uint64_t(a)) : a;
    default:
        return power(a, b);
    }
}

// Draws a number around zero, around powers of two, at both ends, or of random length.
template <class Integer>
Integer drawn(kit::Draw& draw)
{
    constexpr int bits = int(8 * sizeof(Integer));
    const uint64_t random = uint64_t(draw.between(0, UINT32_MAX)) << 32 | uint64_t(draw.between(0, UINT32_MAX));
    switch (draw.between(0, 5)) {
    case 0:
        return Integer(draw.between(-3, 3));
    case 1:
        return Integer((uint64_t(1) << draw.between(0, bits - 1)) + uint64_t(draw.between(-1, 1)));
    case 2:
        return Integer(uint64_t(std::numeric_limits<Integer>::min()) + uint64_t(draw.between(-2, 2)));
    case 3:
        return Integer(0 - (random >> draw.between(64 - bits, 63)));
    default:
        return Integer(random >> draw.between(64 - bits, 63));
    }
}

template <class Integer>
void expect_equal(const TestModule& module, const std::vector<Integer>& pairs)
{
    const std::span<const Integer> results = module.output<Integer>();
    size_t wrong = 0;
    for (size_t operation = 0; operation < operations; ++operation) {
        for (size_t i = 0; i < count; ++i) {
            const Integer a = pairs[i], b = pairs[count + i];
            const Integer host = on_host(operation, a, b), device = results[operation * count + i];
            if (device != host && ++wrong <= 20)
                ADD_FAILURE() << +a << " " << names[operation] << " " << +b << " is " << +device << ", not " << +host;
        }
    }
    EXPECT_EQ(wrong, 0u);
}

template <class Integer>
void test_type(std::span<const uint32_t> code)
{
    kit::Draw draw(kit::test_seed(22));
    std::printf("%s\n", draw.repeat().c_str());
    SCOPED_TRACE("repeat with " + draw.repeat());
    constexpr size_t words = count * sizeof(Integer) / std::max<size_t>(sizeof(Integer), 4);
    std::vector<Integer> pairs(2 * count);
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        TestModule module(present, code, 2 * count * sizeof(Integer), operations * count * sizeof(Integer), words / 64);
        for (int round = 0; round < (sizeof(Integer) == 1 ? 1 : 4); ++round) {
            for (size_t i = 0; i < count; ++i) {
                pairs[i] = sizeof(Integer) == 1 ? Integer(i) : drawn<Integer>(draw);
                pairs[count + i] = sizeof(Integer) == 1 ? Integer(i >> 8) : drawn<Integer>(draw);
            }
            std::copy(pairs.begin(), pairs.end(), module.input<Integer>().begin());
            module.run();
            expect_equal(module, pairs);
        }
    }
}

TEST(Integers, Int8EqualsTheHostOnAllPairs)
{
    test_type<int8_t>(integers_test_i8);
}
TEST(Integers, Uint8EqualsTheHostOnAllPairs)
{
    test_type<uint8_t>(integers_test_u8);
}
TEST(Integers, Int16EqualsTheHost)
{
    test_type<int16_t>(integers_test_i16);
}
TEST(Integers, Uint16EqualsTheHost)
{
    test_type<uint16_t>(integers_test_u16);
}
TEST(Integers, Int32EqualsTheHost)
{
    test_type<int32_t>(integers_test_i32);
}
TEST(Integers, Uint32EqualsTheHost)
{
    test_type<uint32_t>(integers_test_u32);
}
TEST(Integers, Int64EqualsTheHost)
{
    test_type<int64_t>(integers_test_i64);
}
TEST(Integers, Uint64EqualsTheHost)
{
    test_type<uint64_t>(integers_test_u64);
}

}  // namespace
}  // namespace vkonnx::gpu_test
