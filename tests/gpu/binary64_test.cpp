// This file compares shaders/library/binary64.glsl with the host's doubles, bit for bit, on every device present.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "binary64_test.spv.h"
#include "kit/draw.h"
#include "small_problem.h"
#include "test_module.h"

namespace vkonnx::gpu_test {
namespace {

using Bits = uint64_t;

constexpr Bits sign_bit = Bits(1) << 63;
constexpr Bits one_mantissa = (Bits(1) << 52) - 1;  // all ones
constexpr Bits infinity = Bits(0x7ff) << 52;
constexpr Bits quiet_nan = Bits(0xfff) << 51;

struct Pair {
    Bits a = 0;
    Bits b = 0;
};

struct Results {
    Bits sum = 0;
    Bits product = 0;
    Bits quotient = 0;
    Bits number = 0;  // the low word of a
    Bits root = 0;    // the root of a; the next ones are of a, too
    Bits negative = 0;
    Bits magnitude = 0;
    Bits order = 0;  // the first word is a < b, the second b < a
    Bits nearest = 0;
    Bits floor = 0;
    Bits ceil = 0;
};

Results on_host(const Pair& pair)
{
    const double a = std::bit_cast<double>(pair.a);
    const double b = std::bit_cast<double>(pair.b);
    return {std::bit_cast<Bits>(a + b),
            std::bit_cast<Bits>(a * b),
            std::bit_cast<Bits>(a / b),
            std::bit_cast<Bits>(double(uint32_t(pair.a))),
            std::bit_cast<Bits>(std::sqrt(a)),
            pair.a ^ sign_bit,
            pair.a & ~sign_bit,
            Bits(a < b) | Bits(b < a) << 32,
            std::bit_cast<Bits>(std::nearbyint(a)),
            std::bit_cast<Bits>(std::floor(a)),
            std::bit_cast<Bits>(std::ceil(a))};
}

// Tells whether the results are the same. Any NaN equals any other, but a device's must be quiet.
bool same(Bits device, Bits host)
{
    return (host & ~sign_bit) > infinity ? (device & quiet_nan) == quiet_nan : device == host;
}

// This class runs the module on one device, with room for a chunk of pairs.
class Calculator {
public:
    static constexpr uint32_t chunk = 1 << 17;

    explicit Calculator(const PresentDevice& present)
        : module_(present, binary64_test, chunk * sizeof(Pair), chunk * sizeof(Results), chunk / 64)
    {
    }

    std::span<Pair> pairs() const { return module_.input<Pair>(); }
    std::span<const Results> results() const { return module_.output<Results>(); }
    void run() { module_.run(); }

private:
    TestModule module_;
};

std::string written(const Pair& pair, const char* operation, Bits device, Bits host)
{
    char text[200];
    std::snprintf(text, sizeof text,
                  "%016" PRIx64 " %s %016" PRIx64 " is %016" PRIx64 " on the device, %016" PRIx64 " on the host\n", pair.a,
                  operation, pair.b, device, host);
    return text;
}

struct Operation {
    const char* name = "";
    Bits Results::*result = nullptr;
};

const Operation operations[] = {
    {"+", &Results::sum},
    {"*", &Results::product},
    {"/", &Results::quotient},
    {"(first one's root)", &Results::root},
    {"(nearest integer of the first)", &Results::nearest},
    {"(floor of the first)", &Results::floor},
    {"(ceil of the first)", &Results::ceil},
};

// Returns what the device got wrong for a pair, or nothing.
std::string difference(const Pair& pair, const Results& device, const Results& host)
{
    std::string text;
    for (const Operation& operation : operations)
        if (const Bits is = device.*operation.result, should = host.*operation.result; !same(is, should))
            text += written(pair, operation.name, is, should);
    if (device.negative != host.negative || device.magnitude != host.magnitude)
        text += written(pair, "(first one's sign)", device.negative, host.negative);
    if (device.order != host.order)
        text += written(pair, "<", device.order, host.order);
    if (device.number != host.number)
        text += written({pair.a & UINT32_MAX, 0}, "from_uint", device.number, host.number);
    return text;
}

// This class draws pairs of the kinds that break such routines.
class Pairs {
public:
    explicit Pairs(Bits seed) : state_(seed) {}

    Pair next()
    {
        Pair pair = of_kind(below(10));
        if (below(2))
            std::swap(pair.a, pair.b);
        return {pair.a ^ bits() << 63, pair.b ^ bits() << 63};
    }

private:
    // This generator of random numbers is SplitMix64.
    Bits bits()
    {
        Bits z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    int below(int n) { return int((bits() >> 32) * uint64_t(n) >> 32); }
    int between(int least, int most) { return least + below(most - least + 1); }

    // Draws `length` bits, of which the first and the last are 1.
    Bits odd(int length) { return (bits() >> (64 - length)) | Bits(1) << (length - 1) | 1; }

    // Returns integer * 2^exponent for an integer below 2^53. What the format can't hold is cut off, or becomes the largest
    // number.
    static Bits scaled(Bits integer, int exponent)
    {
        const int leading = int(std::bit_width(integer)) - 1;
        int biased = exponent + leading + 1023;
        if (biased > 2046)
            return infinity - 1;
        if (biased > 0)
            return Bits(biased) << 52 | ((integer << (52 - leading)) & one_mantissa);
        const int shift = exponent + 1074;
        return shift >= 0 ? integer << shift : shift > -64 ? integer >> -shift : 0;
    }

    Bits mantissa()
    {
        const Bits random = bits() & one_mantissa;
        switch (below(8)) {
        case 0:
            return 0;
        case 1:
            return 1;
        case 2:
            return one_mantissa;
        case 3:
            return Bits(1) << below(52);
        case 4:
            return one_mantissa ^ Bits(1) << below(52);
        case 5:
            return (Bits(1) << 51) + Bits(between(-2, 2));  // about half a unit
        case 6:
            return random & ~((Bits(1) << between(1, 51)) - 1);  // zeros at the end
        default:
            return random;
        }
    }

    Bits edge()
    {
        constexpr int exponents[] = {0, 1, 2, 1022, 1023, 1024, 2045, 2046, 2047};
        return Bits(exponents[below(int(std::size(exponents)))]) << 52 | mantissa();
    }

    Bits with_exponent(int biased) { return Bits(std::clamp(biased, 0, 2046)) << 52 | mantissa(); }

    Bits denormal() { return (bits() & one_mantissa) >> below(52); }

    Bits special()
    {
        const Bits nan = infinity | (bits() & one_mantissa) | 1;
        const Bits values[] = {0, 1, one_mantissa + 1, Bits(1023) << 52, infinity - 1, infinity, infinity | 1, nan};
        return values[below(int(std::size(values)))];
    }

    Pair of_kind(int kind)
    {
        const int exponent = between(1, 2046);
        switch (kind) {
        case 0:
            return {bits(), bits()};
        case 1:
            return {edge(), edge()};
        case 2:
            return {edge(), bits()};
        case 3: {  // a sum that cancels: neighbours, or numbers with one exponent, or with the next
            const Bits a = with_exponent(exponent);
            if (below(2))
                return {a, (a ^ sign_bit) + Bits(between(-3, 3))};
            return {a, with_exponent(exponent + between(-1, 1)) | sign_bit};
        }
        case 4: {  // sums of numbers less than a significand apart
            return {with_exponent(exponent), with_exponent(exponent - between(0, 66))};
        }
        case 5: {  // products and quotients at both ends of the range
            const int result = below(2) ? between(-56, 4) : between(2043, 2049);
            const int other = below(2) ? result + 1023 - exponent : exponent + 1023 - result;
            return {with_exponent(exponent), with_exponent(other)};
        }
        case 6: {  // sums that are ties, or next to one
            const int length = between(1, 40), behind = below(14);
            const Bits half = (odd(length) << behind) + Bits(between(-1, 1));
            return {with_exponent(exponent), scaled(half, exponent - 1023 - 53 - behind)};
        }
        case 7: {  // products that are ties: odd numbers of 54 bits, or denormals and half
            const int length = between(1, 53);
            const int scale = below(2) ? between(-600, 600) : -1074;
            return {scaled(odd(length), scale + below(2)), scaled(odd(54 - length), -below(55))};
        }
        case 8: {  // quotients that are exact, and ties among denormals
            const int length = between(1, 52);
            const Bits divisor = odd(53 - length);
            const int scale = between(0, 971);
            const int denormal = below(2) ? -1074 : -1020;
            return {scaled(odd(length) * divisor, scale + denormal), scaled(divisor, scale + between(0, 2))};
        }
        default:
            return {below(2) ? denormal() : special(), below(2) ? special() : with_exponent(exponent)};
        }
    }

    Bits state_ = 0;
};

// A hard case has a name, the operation, its operands and the result by IEEE 754.
struct Hard {
    const char* name = "";
    Bits Results::*what = nullptr;
    Pair pair = {};
    Bits result = 0;
};

constexpr Bits Results::*sum = &Results::sum;
constexpr Bits Results::*product = &Results::product;
constexpr Bits Results::*quotient = &Results::quotient;
constexpr Bits Results::*number = &Results::number;
constexpr Bits Results::*root = &Results::root;

constexpr Hard hard_pairs[] = {
    {"1 + 2^-53 is a tie, even below", sum, {0x3ff0000000000000, 0x3ca0000000000000}, 0x3ff0000000000000},
    {"1 + 2^-52 + 2^-53 is a tie, even above", sum, {0x3ff0000000000001, 0x3ca0000000000000}, 0x3ff0000000000002},
    {"1 + 2^-53 and a bit more", sum, {0x3ff0000000000000, 0x3ca0000000000001}, 0x3ff0000000000001},
    {"1 + nearly 2^-53", sum, {0x3ff0000000000000, 0x3c9fffffffffffff}, 0x3ff0000000000000},
    {"1 - 2^-54 is a tie", sum, {0x3ff0000000000000, 0xbc90000000000000}, 0x3ff0000000000000},
    {"1 - 2^-54 and a bit more", sum, {0x3ff0000000000000, 0xbc90000000000001}, 0x3fefffffffffffff},
    {"1 - the least denormal", sum, {0x3ff0000000000000, 0x8000000000000001}, 0x3ff0000000000000},
    {"a sum carries through all of the significand", sum, {0x3fffffffffffffff, 0x3ca0000000000000}, 0x4000000000000000},
    {"numbers that differ in the low word alone", sum, {0x3ff0000000000000, 0xbff0000000000001}, 0xbcb0000000000000},
    {"all bits but the last cancel", sum, {0x3ff0000000000000, 0xbfefffffffffffff}, 0x3ca0000000000000},
    {"all bits cancel, to a denormal", sum, {0x0010000000000001, 0x8010000000000000}, 0x0000000000000001},
    {"the least normal - the least denormal", sum, {0x0010000000000000, 0x8000000000000001}, 0x000fffffffffffff},
    {"denormals add up to a normal", sum, {0x000fffffffffffff, 0x0000000000000001}, 0x0010000000000000},
    {"the largest + half a unit overflows", sum, {0x7fefffffffffffff, 0x7c90000000000000}, 0x7ff0000000000000},
    {"the largest + less than half a unit", sum, {0x7fefffffffffffff, 0x7c8fffffffffffff}, 0x7fefffffffffffff},
    {"-the largest, doubled", sum, {0xffefffffffffffff, 0xffefffffffffffff}, 0xfff0000000000000},
    {"x - x is +0", sum, {0xc008000000000000, 0x4008000000000000}, 0x0000000000000000},
    {"-0 + -0", sum, {0x8000000000000000, 0x8000000000000000}, 0x8000000000000000},
    {"-0 + 0", sum, {0x8000000000000000, 0x0000000000000000}, 0x0000000000000000},
    {"infinity + -infinity", sum, {0x7ff0000000000000, 0xfff0000000000000}, quiet_nan},
    {"-infinity + -infinity", sum, {0xfff0000000000000, 0xfff0000000000000}, 0xfff0000000000000},
    {"-infinity + the largest", sum, {0xfff0000000000000, 0x7fefffffffffffff}, 0xfff0000000000000},
    {"1 + a signaling NaN in the low word", sum, {0x3ff0000000000000, 0x7ff0000000000001}, quiet_nan},

    {"(1 + 2^-27)(1 + 2^-26) is a tie, even below", product, {0x3ff0000002000000, 0x3ff0000004000000}, 0x3ff0000006000000},
    {"(1 + 2^-52) 1.5 is a tie, even above", product, {0x3ff0000000000001, 0x3ff8000000000000}, 0x3ff8000000000002},
    {"(2 - 2^-52)^2", product, {0x3fffffffffffffff, 0x3fffffffffffffff}, 0x400ffffffffffffe},
    {"(1 + 2^-52)^2: the last bit of the product decides nothing",
     product,
     {0x3ff0000000000001, 0x3ff0000000000001},
     0x3ff0000000000002},
    {"half of the least denormal is a tie", product, {0x0000000000000001, 0x3fe0000000000000}, 0x0000000000000000},
    {"half of 3 least denormals is a tie", product, {0x0000000000000003, 0x3fe0000000000000}, 0x0000000000000002},
    {"a little more than half of the least denormal", product, {0x8000000000000001, 0x3fe0000000000001}, 0x8000000000000001},
    {"a denormal product rounded up to the least normal", product, {0x000fffffffffffff, 0x3ff0000000000001}, 0x0010000000000000},
    {"a normal product that is denormal before it is rounded",
     product,
     {0x001fffffffffffff, 0x3fe0000000000000},
     0x0010000000000000},
    {"the least denormal * 2^1022", product, {0x0000000000000001, 0x7fd0000000000000}, 0x3cb0000000000000},
    {"the least denormal squared", product, {0x0000000000000001, 0x8000000000000001}, 0x8000000000000000},
    {"2^-538 2^-537 is half of the least denormal", product, {0x1e50000000000000, 0x1e60000000000000}, 0x0000000000000000},
    {"2^512 squared", product, {0x5ff0000000000000, 0xdff0000000000000}, 0xfff0000000000000},
    {"the largest * (1 + 2^-52)", product, {0x7fefffffffffffff, 0x3ff0000000000001}, 0x7ff0000000000000},
    {"the largest * 1", product, {0x7fefffffffffffff, 0xbff0000000000000}, 0xffefffffffffffff},
    {"-0 * 5", product, {0x8000000000000000, 0x4014000000000000}, 0x8000000000000000},
    {"-0 * the largest", product, {0x8000000000000000, 0x7fefffffffffffff}, 0x8000000000000000},
    {"-0 * infinity", product, {0x8000000000000000, 0x7ff0000000000000}, quiet_nan},
    {"the least denormal * -infinity", product, {0x0000000000000001, 0xfff0000000000000}, 0xfff0000000000000},
    {"0 * NaN", product, {0x0000000000000000, 0x7ff0000000000001}, quiet_nan},

    {"1 / 3", quotient, {0x3ff0000000000000, 0x4008000000000000}, 0x3fd5555555555555},
    {"2 / 3", quotient, {0x4000000000000000, 0x4008000000000000}, 0x3fe5555555555555},
    {"1 / (2 - 2^-52) is a little more than half a unit above 1/2",
     quotient,
     {0x3ff0000000000000, 0x3fffffffffffffff},
     0x3fe0000000000001},
    {"(2 - 2^-52) / (1 + 2^-52)", quotient, {0x3fffffffffffffff, 0x3ff0000000000001}, 0x3ffffffffffffffd},
    {"(1 + 2^-52) / (2 - 2^-52)", quotient, {0x3ff0000000000001, 0x3fffffffffffffff}, 0x3fe0000000000002},
    {"(1 - 2^-53) / (1 - 2^-52)", quotient, {0x3fefffffffffffff, 0x3feffffffffffffe}, 0x3ff0000000000001},
    {"x / x", quotient, {0x8000000000000007, 0x0000000000000007}, 0xbff0000000000000},
    {"half of the least denormal", quotient, {0x0000000000000001, 0x4000000000000000}, 0x0000000000000000},
    {"half of 3 least denormals", quotient, {0x0000000000000003, 0x4000000000000000}, 0x0000000000000002},
    {"a third of 2 least denormals", quotient, {0x0000000000000002, 0xc008000000000000}, 0x8000000000000001},
    {"the least normal / (1 + 2^-52)", quotient, {0x0010000000000000, 0x3ff0000000000001}, 0x000fffffffffffff},
    {"the largest / the least denormal", quotient, {0x7fefffffffffffff, 0x8000000000000001}, 0xfff0000000000000},
    {"the least denormal / the largest", quotient, {0x0000000000000001, 0xffefffffffffffff}, 0x8000000000000000},
    {"the largest / (1 - 2^-53)", quotient, {0x7fefffffffffffff, 0x3fefffffffffffff}, 0x7ff0000000000000},
    {"1 / -0", quotient, {0x3ff0000000000000, 0x8000000000000000}, 0xfff0000000000000},
    {"-0 / 5", quotient, {0x8000000000000000, 0x4014000000000000}, 0x8000000000000000},
    {"0 / 0", quotient, {0x0000000000000000, 0x8000000000000000}, quiet_nan},
    {"infinity / infinity", quotient, {0x7ff0000000000000, 0x7ff0000000000000}, quiet_nan},
    {"infinity / 0", quotient, {0x7ff0000000000000, 0x8000000000000000}, 0xfff0000000000000},
    {"5 / -infinity", quotient, {0x4014000000000000, 0xfff0000000000000}, 0x8000000000000000},
    {"0 / NaN", quotient, {0x0000000000000000, 0x7ff0000000000001}, quiet_nan},

    {"the root of 2", root, {0x4000000000000000, 0}, 0x3ff6a09e667f3bcd},
    {"the root of 9", root, {0x4022000000000000, 0}, 0x4008000000000000},
    {"the root of 1 - 2^-53 is a little less than a tie", root, {0x3fefffffffffffff, 0}, 0x3fefffffffffffff},
    {"the root of the least denormal", root, {0x0000000000000001, 0}, 0x1e60000000000000},
    {"the root of the largest", root, {0x7fefffffffffffff, 0}, 0x5fefffffffffffff},
    {"the root of -0", root, {0x8000000000000000, 0}, 0x8000000000000000},
    {"the root of infinity", root, {0x7ff0000000000000, 0}, 0x7ff0000000000000},
    {"the root of the least negative", root, {0x8000000000000001, 0}, quiet_nan},

    {"0", number, {0x0000000000000000, 0}, 0x0000000000000000},
    {"1", number, {0x0000000000000001, 0}, 0x3ff0000000000000},
    {"3", number, {0x0000000000000003, 0}, 0x4008000000000000},
    {"2^31", number, {0x0000000080000000, 0}, 0x41e0000000000000},
    {"2^32 - 1", number, {0x00000000ffffffff, 0}, 0x41efffffffe00000},
};

TEST(Binary64, KnowsHardPairs)
{
    for (const PresentDevice& present : every_device()) {
        Calculator calculator(present);
        static_assert(std::size(hard_pairs) <= Calculator::chunk);
        for (size_t i = 0; i < std::size(hard_pairs); ++i)
            calculator.pairs()[i] = hard_pairs[i].pair;
        calculator.run();
        for (size_t i = 0; i < std::size(hard_pairs); ++i) {
            const Hard& hard = hard_pairs[i];
            SCOPED_TRACE(present.label + ": " + hard.name);
            const Results device = calculator.results()[i];
            const Results host = on_host(hard.pair);
            EXPECT_TRUE(same(device.*hard.what, hard.result)) << difference(hard.pair, device, host);
            EXPECT_TRUE(same(host.*hard.what, hard.result)) << "on the host: " << host.*hard.what;
            EXPECT_EQ(difference(hard.pair, device, host), "");
        }
    }
}

TEST(Binary64, ConvertsIntegersAroundEveryPowerOfTwo)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Calculator calculator(present);
        for (uint32_t i = 0; i < 3 * 32; ++i)
            calculator.pairs()[i] = {(uint32_t(1) << i / 3) + i % 3 - 1, 0};
        calculator.run();
        for (uint32_t i = 0; i < 3 * 32; ++i)
            EXPECT_EQ(calculator.results()[i].number, on_host(calculator.pairs()[i]).number) << calculator.pairs()[i].a;
    }
}

TEST(Binary64, EqualsTheHostOnMillionsOfPairs)
{
    kit::Draw draw(kit::test_seed(14));
    std::printf("%s\n", draw.repeat().c_str());
    SCOPED_TRACE("repeat with " + draw.repeat());
    const Bits seed = Bits(draw.between(0, INT32_MAX));
    const uint32_t count = kit::full_run() ? 10'000'000 : 2'000'000;
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Calculator calculator(present);
        Pairs pairs(seed);
        std::vector<Pair> chunk(Calculator::chunk);
        for (uint32_t done = 0; done < count && !HasFailure(); done += Calculator::chunk) {
            for (Pair& pair : chunk)
                pair = pairs.next();
            std::copy(chunk.begin(), chunk.end(), calculator.pairs().begin());
            calculator.run();
            std::string wrong;
            for (uint32_t i = 0; i < Calculator::chunk && wrong.size() < 1000; ++i)
                wrong += difference(chunk[i], calculator.results()[i], on_host(chunk[i]));
            EXPECT_EQ(wrong, "");
        }
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
