// This file compares shaders/library/functions.glsl, those beside it and binary32.glsl with long double and the host's own
// arithmetic, on every device present: the error of each function over floats of one binade and over random others, and the same
// bits everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "functions_test.spv.h"
#include "glsl_on_host.h"
#include "kit/draw.h"
#include "small_problem.h"
#include "test_module.h"

namespace vkonnx::gpu_test {
namespace {

struct Arguments {
    uint32_t x = 0;
    uint32_t y = 0;
};

struct Results {
    uint32_t exponential = 0;
    uint32_t exponential_minus_one = 0;  // of -|x|
    uint32_t logistic = 0;
    uint32_t hyperbolic_tangent = 0;
    uint32_t power = 0;
    uint32_t quotient = 0;
    uint32_t root = 0;
    uint32_t logarithm = 0;
    uint32_t error_function = 0;
    uint32_t nearest = 0;
    uint32_t floor = 0;
    uint32_t ceil = 0;
    uint32_t sine = 0;
    uint32_t cosine = 0;
    uint32_t tangent = 0;
    uint32_t arc_sine = 0;
    uint32_t arc_cosine = 0;
    uint32_t arc_tangent = 0;
    uint32_t hyperbolic_sine = 0;
    uint32_t hyperbolic_cosine = 0;
    uint32_t inverse_hyperbolic_sine = 0;
    uint32_t inverse_hyperbolic_cosine = 0;
    uint32_t inverse_hyperbolic_tangent = 0;
    uint32_t soft_plus = 0;
    uint32_t soft_sign = 0;
    uint32_t mish = 0;
    uint32_t gelu = 0;
    uint32_t gelu_by_tangent = 0;
    uint32_t swish = 0;
    uint32_t expm1 = 0;  // of any x
};

float number(uint32_t bits)
{
    return std::bit_cast<float>(bits);
}

uint32_t bits_of(float number)
{
    return std::bit_cast<uint32_t>(number);
}

// Computes the shaders' text on the host.
Results on_host(const Arguments& arguments)
{
    const float x = number(arguments.x), y = number(arguments.y);
    return {bits_of(glsl::exponential(x)),
            bits_of(glsl::exponential_minus_one(-std::fabs(x))),
            bits_of(glsl::logistic(x)),
            bits_of(glsl::hyperbolic_tangent(x)),
            bits_of(glsl::power(x, y)),
            bits_of(glsl::binary32_divide(x, y)),
            bits_of(glsl::binary32_square_root(x)),
            bits_of(glsl::natural_logarithm(x)),
            bits_of(glsl::error_function(x)),
            bits_of(glsl::binary32_whole(x, true, false)),
            bits_of(glsl::binary32_whole(x, false, true)),
            bits_of(glsl::binary32_whole(x, false, false)),
            bits_of(glsl::sine(x)),
            bits_of(glsl::cosine(x)),
            bits_of(glsl::tangent(x)),
            bits_of(glsl::arc_sine(x)),
            bits_of(glsl::arc_cosine(x)),
            bits_of(glsl::arc_tangent(x)),
            bits_of(glsl::hyperbolic_sine(x)),
            bits_of(glsl::hyperbolic_cosine(x)),
            bits_of(glsl::inverse_hyperbolic_sine(x)),
            bits_of(glsl::inverse_hyperbolic_cosine(x)),
            bits_of(glsl::inverse_hyperbolic_tangent(x)),
            bits_of(glsl::soft_plus(x)),
            bits_of(glsl::soft_sign(x)),
            bits_of(glsl::mish(x)),
            bits_of(glsl::gelu(x)),
            bits_of(glsl::gelu_by_tangent(x)),
            bits_of(glsl::swish(x, y)),
            bits_of(glsl::exponential_minus_one(x))};
}

#ifdef __GNUC__
[[gnu::noinline]]  // so that it is computed at the call
#endif
std::vector<Results>
all_on_host(const std::vector<Arguments>& arguments)
{
    std::vector<Results> results(arguments.size());
    std::transform(arguments.begin(), arguments.end(), results.begin(), on_host);
    return results;
}

struct Function {
    const char* name = "";
    uint32_t Results::*result = nullptr;
    double bound = 0;  // in units in the last place
    long double (*exact)(long double x, long double y) = nullptr;
};

long double exact_logistic(long double x)
{
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

long double exact_mish(long double x)
{
    const long double e = std::exp(std::min(x, 50.0L));
    const long double n = e * (e + 2);
    return std::isnan(x) ? x : x * (n / (n + 2));
}

// Gelu's document in ONNX has this formula for approximate = "tanh".
long double exact_gelu_by_tangent(long double x)
{
    return x * exact_logistic(2 * std::sqrt(2 / std::numbers::pi_v<long double>) * (x + 0.044715L * x * x * x));
}

// These are the bounds of functions.glsl and its neighbours. A rounded quotient or root is within half a unit, an integer is
// exact, and the host has the same bits (below).
const Function functions[] = {
    {"exponential", &Results::exponential, 1, [](long double x, long double) { return std::exp(x); }},
    {"exponential_minus_one", &Results::exponential_minus_one, 1,
     [](long double x, long double) { return std::expm1(-std::fabs(x)); }},
    {"logistic", &Results::logistic, 1, [](long double x, long double) { return exact_logistic(x); }},
    {"hyperbolic_tangent", &Results::hyperbolic_tangent, 1, [](long double x, long double) { return std::tanh(x); }},
    {"power", &Results::power, 1, [](long double x, long double y) { return std::pow(x, y); }},
    {"binary32_divide", &Results::quotient, 0.5, [](long double x, long double y) { return x / y; }},
    {"binary32_square_root", &Results::root, 0.5, [](long double x, long double) { return std::sqrt(x); }},
    {"natural_logarithm", &Results::logarithm, 1, [](long double x, long double) { return std::log(x); }},
    {"error_function", &Results::error_function, 1, [](long double x, long double) { return std::erf(x); }},
    {"binary32_whole, nearest", &Results::nearest, 0, [](long double x, long double) { return std::nearbyint(x); }},
    {"binary32_whole, below", &Results::floor, 0, [](long double x, long double) { return std::floor(x); }},
    {"binary32_whole, above", &Results::ceil, 0, [](long double x, long double) { return std::ceil(x); }},
    {"sine", &Results::sine, 1, [](long double x, long double) { return std::sin(x); }},
    {"cosine", &Results::cosine, 1, [](long double x, long double) { return std::cos(x); }},
    {"tangent", &Results::tangent, 1, [](long double x, long double) { return std::tan(x); }},
    {"arc_sine", &Results::arc_sine, 1, [](long double x, long double) { return std::asin(x); }},
    {"arc_cosine", &Results::arc_cosine, 1, [](long double x, long double) { return std::acos(x); }},
    {"arc_tangent", &Results::arc_tangent, 1, [](long double x, long double) { return std::atan(x); }},
    {"hyperbolic_sine", &Results::hyperbolic_sine, 1, [](long double x, long double) { return std::sinh(x); }},
    {"hyperbolic_cosine", &Results::hyperbolic_cosine, 1, [](long double x, long double) { return std::cosh(x); }},
    {"inverse_hyperbolic_sine", &Results::inverse_hyperbolic_sine, 1, [](long double x, long double) { return std::asinh(x); }},
    {"inverse_hyperbolic_cosine", &Results::inverse_hyperbolic_cosine, 1,
     [](long double x, long double) { return std::acosh(x); }},
    {"inverse_hyperbolic_tangent", &Results::inverse_hyperbolic_tangent, 1,
     [](long double x, long double) { return std::atanh(x); }},
    {"soft_plus", &Results::soft_plus, 1,
     [](long double x, long double) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }},
    {"soft_sign", &Results::soft_sign, 1, [](long double x, long double) { return x / (1 + std::fabs(x)); }},
    {"mish", &Results::mish, 1, [](long double x, long double) { return exact_mish(x); }},
    {"gelu", &Results::gelu, 6,
     [](long double x, long double) { return x * std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2; }},
    {"gelu_by_tangent", &Results::gelu_by_tangent, 2, [](long double x, long double) { return exact_gelu_by_tangent(x); }},
    {"swish", &Results::swish, 2, [](long double x, long double y) { return x * exact_logistic(y * x); }},
    {"exponential_minus_one of any", &Results::expm1, 2, [](long double x, long double) { return std::expm1(x); }},
};

// Returns the error in units of the binade that the exact result is in. It is infinite where the kind or the sign of a result is
// wrong.
double error(uint32_t bits, long double exact)
{
    constexpr double wrong = std::numeric_limits<double>::infinity();
    const float result = number(bits);
    if (std::isnan(exact) || std::isnan(result))
        return std::isnan(exact) && std::isnan(result) ? 0 : wrong;
    if (std::signbit(result) != std::signbit(exact))
        return wrong;
    const long double limit = std::ldexp(1.0L, 128);  // infinity counts as the float that would come next
    const long double rounded = std::isinf(result) ? std::copysign(limit, exact) : (long double)(result);
    const long double bounded = std::clamp(exact, -limit, limit);
    int exponent = 0;
    std::frexp(bounded, &exponent);
    return double(std::ldexp(std::fabs(rounded - bounded), -std::clamp(exponent - 24, -149, 104)));
}

// This struct holds one device and its worst errors.
struct Device {
    std::string label;
    std::unique_ptr<TestModule> module;
    double worst[std::size(functions)] = {};
    Arguments worst_at[std::size(functions)] = {};
};

constexpr size_t chunk = 1 << 18;

std::vector<Device> all_devices()
{
    std::vector<Device> devices;
    for (const PresentDevice& present : every_device())
        devices.push_back({present.label, std::make_unique<TestModule>(present, functions_test, chunk * sizeof(Arguments),
                                                                       chunk * sizeof(Results), chunk / 64)});
    return devices;
}

// Tells whether the results are the same. A NaN's payload never counts.
bool same(uint32_t a, uint32_t b)
{
    return a == b || (std::isnan(number(a)) && std::isnan(number(b)));
}

// Measures the errors of at most a chunk on each device, and compares results with the host's own evaluation of the same text.
void measure(std::vector<Device>& devices, const std::vector<Arguments>& arguments)
{
    const std::vector<Results> host = all_on_host(arguments);
    for (Device& device : devices) {
        std::copy(arguments.begin(), arguments.end(), device.module->input<Arguments>().begin());
        device.module->run();
    }
    size_t different = 0;
    for (size_t f = 0; f < std::size(functions); ++f) {
        const Function& function = functions[f];
        for (size_t i = 0; i < arguments.size(); ++i) {
            const Arguments& at = arguments[i];
            const long double exact = function.exact(number(at.x), number(at.y));
            for (Device& device : devices) {
                const uint32_t result = device.module->output<Results>()[i].*function.result;
                if (const double e = error(result, exact); e > device.worst[f]) {
                    device.worst[f] = e;
                    device.worst_at[f] = at;
                }
                if (!same(result, host[i].*function.result) && ++different < 10)
                    ADD_FAILURE() << device.label << ": " << function.name << " of " << number(at.x) << ", " << number(at.y)
                                  << " is " << number(result) << ", on the host " << number(host[i].*function.result);
            }
        }
    }
    EXPECT_EQ(different, 0u);
}

void expect_bounds(const std::vector<Device>& devices)
{
    for (const Device& device : devices) {
        for (size_t f = 0; f < std::size(functions); ++f) {
            const Arguments& at = device.worst_at[f];
            std::printf("%s: %s within %.4f ULP, the most for %a, %a\n", device.label.c_str(), functions[f].name, device.worst[f],
                        double(number(at.x)), double(number(at.y)));
            EXPECT_LE(device.worst[f], functions[f].bound) << functions[f].name;
        }
    }
}

// Draws arguments of all kinds: any bits, numbers where a function is neither 0 nor 1 nor infinite, powers that are finite, bases
// near 1.
Arguments drawn(kit::Draw& draw)
{
    const uint32_t bits = uint32_t(draw.between(0, UINT32_MAX));
    const uint32_t others = uint32_t(draw.between(0, UINT32_MAX));
    const double part = double(draw.between(-(int64_t(1) << 40), int64_t(1) << 40)) * 0x1p-40;
    switch (bits % 4) {
    case 0:
        return {bits, others};
    case 1:
        return {bits_of(float(part * 110)), others};
    default: {
        const float base = number(bits % 4 == 2 ? bits & 0x7fffffff : 0x3f800000 + uint32_t(int32_t(bits) >> (8 + others % 16)));
        return {bits_of(base), bits_of(float(151 * part / std::log2(double(base))))};
    }
    }
}

TEST(Functions, AreWithinTheirBoundsAndHaveTheBitsOfTheHost)
{
    kit::Draw draw(kit::test_seed(15));
    std::printf("%s\n", draw.repeat().c_str());
    SCOPED_TRACE("repeat with " + draw.repeat());
    std::vector<Device> devices = all_devices();
    std::vector<Arguments> arguments(chunk);
    const uint32_t apart = kit::full_run() ? 1 : 8;  // all floats of a binade take minutes
    for (uint32_t done = 0; done < (1 << 23) / apart && !HasFailure(); done += chunk) {
        for (uint32_t i = 0; i < chunk; ++i) {
            const Arguments random = drawn(draw);
            arguments[i] = {bits_of(1) + (done + i) * apart, random.y};
        }
        measure(devices, arguments);
    }
    for (uint32_t done = 0; done < (1 << 22) / apart && !HasFailure(); done += chunk) {
        std::generate(arguments.begin(), arguments.end(), [&] { return drawn(draw); });
        measure(devices, arguments);
    }
    expect_bounds(devices);
}

// Returns all pairs of the numbers that C names in its special cases of pow and that IEEE 754 names in its division.
std::vector<Arguments> special_pairs()
{
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float magnitudes[] = {0,
                                1e-45f,
                                1e-40f,
                                0x1p-126f,
                                0x1p-25f,
                                0.5f,
                                0.75f,
                                1,
                                1.5f,
                                2,
                                3,
                                4,
                                9,
                                0x1.fffffep0f,
                                17,
                                18.5f,
                                88.5f,
                                89,
                                104,
                                0x1p23f,
                                0x1.000002p23f,
                                0x1p24f,
                                0x1.8p25f,
                                0x1p34f,
                                0x1p64f,
                                0x1.fffffep127f,
                                infinity,
                                std::numeric_limits<float>::quiet_NaN()};
    std::vector<float> numbers;
    for (const float magnitude : magnitudes)
        numbers.insert(numbers.end(), {magnitude, -magnitude});
    std::vector<Arguments> arguments;
    for (const float x : numbers)
        for (const float y : numbers)
            arguments.push_back({bits_of(x), bits_of(y)});
    return arguments;
}

TEST(Functions, KnowTheSpecialCases)
{
    std::vector<Device> devices = all_devices();
    measure(devices, special_pairs());
    expect_bounds(devices);
}

#ifdef __SSE2__

// While an object of this class lives, arithmetic reads denormals as zeros, and makes zeros of them, as many GPUs do.
class WithoutDenormals {
public:
    WithoutDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
    ~WithoutDenormals() { _mm_setcsr(before_); }
    WithoutDenormals(const WithoutDenormals&) = delete;
    WithoutDenormals& operator=(const WithoutDenormals&) = delete;

private:
    unsigned before_;
};

TEST(Functions, AreTheSameWhereDenormalsAreTakenForZeros)
{
    kit::Draw draw(kit::test_seed(17));
    std::vector<Arguments> arguments = special_pairs();
    for (int i = 0; i < 1 << 16; ++i)
        arguments.push_back(drawn(draw));
    const std::vector<Results> kept = all_on_host(arguments);
    std::vector<Results> flushed;
    {
        const WithoutDenormals without;
        flushed = all_on_host(arguments);
    }
    for (const Function& function : functions) {
        size_t different = 0;
        for (size_t i = 0; i < arguments.size(); ++i)
            if (!same(kept[i].*function.result, flushed[i].*function.result) && ++different < 10)
                ADD_FAILURE() << function.name << " of " << number(arguments[i].x) << ", " << number(arguments[i].y) << " is "
                              << number(flushed[i].*function.result) << ", with denormals " << number(kept[i].*function.result);
    }
}

#endif

// Powers of integers that are floats must be exact, and so must roots.
TEST(Functions, PowersThatAreFloatsAreExact)
{
    std::vector<Arguments> arguments;
    std::vector<float> exact;
    for (int base = -300; base <= 300; ++base) {
        for (int exponent = 0; exponent <= 24; ++exponent) {
            const long double power = std::pow((long double)(base), exponent);
            if (power != float(power))
                continue;
            arguments.push_back({bits_of(float(base)), bits_of(float(exponent))});
            exact.push_back(float(power));
            if (base > 0 && exponent > 0 && (exponent & (exponent - 1)) == 0) {
                arguments.push_back({bits_of(float(power)), bits_of(1 / float(exponent))});
                exact.push_back(float(base));
            }
        }
    }
    ASSERT_LE(arguments.size(), chunk);
    for (Device& device : all_devices()) {
        SCOPED_TRACE(device.label);
        std::copy(arguments.begin(), arguments.end(), device.module->input<Arguments>().begin());
        device.module->run();
        for (size_t i = 0; i < arguments.size(); ++i)
            EXPECT_EQ(number(device.module->output<Results>()[i].power), exact[i])
                << number(arguments[i].x) << " to the power of " << number(arguments[i].y);
    }
}

// The host's division and root are those of IEEE 754. Devices fail most easily among denormals and next to ties.
TEST(Functions, QuotientsAndRootsEqualTheHosts)
{
    kit::Draw draw(kit::test_seed(16));
    std::printf("%s\n", draw.repeat().c_str());
    SCOPED_TRACE("repeat with " + draw.repeat());
    std::vector<Device> devices = all_devices();
    std::vector<Arguments> arguments(chunk);
    for (int round = 0; round < 8 && !HasFailure(); ++round) {
        for (Arguments& at : arguments) {
            at = {uint32_t(draw.between(0, UINT32_MAX)), uint32_t(draw.between(0, UINT32_MAX))};
            if (round % 2)  // a quotient at the end of the range: a denormal x, or a result that is one
                at = {at.x & (at.y & 1 ? 0x807fffff : 0x83ffffff), (at.y & 0x83ffffff) | 0x3e000000};
        }
        for (Device& device : devices) {
            SCOPED_TRACE(device.label);
            std::copy(arguments.begin(), arguments.end(), device.module->input<Arguments>().begin());
            device.module->run();
            size_t wrong = 0;
            for (size_t i = 0; i < chunk; ++i) {
                const float x = number(arguments[i].x), y = number(arguments[i].y);
                const Results& results = device.module->output<Results>()[i];
                wrong += !same(results.quotient, bits_of(x / y)) || !same(results.root, bits_of(std::sqrt(x)));
            }
            EXPECT_EQ(wrong, 0u);
        }
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
