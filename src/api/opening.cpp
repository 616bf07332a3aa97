// SPDX-License-Identifier: Apache-2.0
#include "api/opening.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "api/timing.h"
#include "gpu/persistent_cache.h"
#include "gpu/transfer.h"
#include "plan/core/probe.h"
#include "return_if_error.h"

namespace vkonnx::api {
namespace {

struct Findings {
    bool rounds_to_nearest = false;
    // This tells where doubles are not those of IEEE 754, on a device that offers them. It is empty when all are right.
    std::string wrong_doubles = {};
    // This tells likewise where cooperative matrices are wrong.
    std::string wrong_matrices = {};
    // This becomes Capabilities::work_per_second: a power of two, so that plans stay the same between runs, and rather too low.
    double work_per_second = 0;
};

constexpr uint32_t count = 200;  // not a multiple of the workgroup, so that the check of bounds is tested, too

// These are for the measurement of the work rate.
constexpr uint32_t work_pairs = 4096;
constexpr uint32_t rows = 48;
constexpr uint32_t taps = 2;             // in a row: as few as in a pooling window or under a strided filter
constexpr uint32_t first_groups = 8;     // some tenths of a millisecond on a software driver
constexpr double long_enough = 0.25e-3;  // in seconds: several times what a submit and a wait take by themselves
constexpr int work_runs = 5;
constexpr uint32_t growth = 4;
constexpr uint32_t most_groups = 65535;  // every device allows so many groups; two hundred million taps take a while everywhere

class Random {
public:
    // Returns 24 bits.
    uint32_t next()
    {
        state_ = state_ * 1664525 + 1013904223;
        return state_ >> 8;
    }

private:
    uint32_t state_ = 12345;
};

// Returns pairs whose sums and products lie exactly between two floats, with ties both up and down, and pseudo-random pairs.
std::vector<float> floats()
{
    std::vector<float> pairs = {
        16777216, 1,    16777218, 1,    16777216, 3,     16777220, -1,      // sums: ties to even, up and down
        4097,     4097, 4097,     4099, 4097,     -4099, 8193,     4098.5,  // products
        1.5,      -1.5, 0,        5,    1,        1,     0.1f,     0.2f,
    };
    Random random;
    while (pairs.size() < 2 * count) {
        // Such a float has a full mantissa, an exponent near that of 1, and either sign.
        const uint32_t mantissa = random.next() & 0x7fffff;
        const uint32_t exponent = 127 - 6 + random.next() % 13;
        pairs.push_back(std::bit_cast<float>((random.next() & 1) << 31 | exponent << 23 | mantissa));
    }
    return pairs;
}

// Returns such pairs of doubles, and pairs with exponents that floats do not have.
std::vector<double> doubles()
{
    std::vector<double> pairs = {
        0x1p53,     1,          0x1p53 + 2, 1,          0x1p53,      3,          0x1p53 + 4, -1,          // sums
        0x1p27 + 1, 0x1p26 + 1, 0x1p27 + 1, 0x1p26 + 3, -0x1p27 - 1, 0x1p26 + 3, 0x1p27 + 1, 0x1p27 + 1,  // products
        0x1p1000,   0x1p-1000,  1e-300,     -1e290,     0x1.8p-600,  0x1.8p-400, 1e300,      1.7e308,
        1.5,        -1.5,       0,          5,          1,           1,          0.1,        0.2,
    };
    Random random;
    while (pairs.size() < 2 * count) {
        const uint64_t mantissa = uint64_t(random.next()) << 28 | uint64_t(random.next()) << 4 | (random.next() & 15);
        const uint64_t exponent = 1023 - 6 + random.next() % 13;
        pairs.push_back(std::bit_cast<double>(uint64_t(random.next() & 1) << 63 | exponent << 52 | mantissa));
    }
    return pairs;
}

enum class Verdict : uint8_t { nearest, one_off, wrong };

// Sum and product of two floats are exact in double (their exponents are near), so the conversion is the only rounding.
Verdict judge(double exact, uint32_t bits)
{
    const uint32_t expected = std::bit_cast<uint32_t>(float(exact));
    if (bits == expected)
        return Verdict::nearest;
    const float got = std::bit_cast<float>(bits);
    // Vulkan allows either of the two floats around the exact value.
    const bool adjacent = (bits == expected + 1 || bits + 1 == expected) && double(float(exact)) != exact &&
                          (got < exact) != (std::bit_cast<float>(expected) < exact);
    return adjacent ? Verdict::one_off : Verdict::wrong;
}

// A Probe holds the test's buffers, and its pipeline, which stays from one run to the next.
class Probe {
public:
    Probe(gpu::Device& device, bool with_doubles) : device_(device), with_doubles_(with_doubles) {}

    Status fill(std::span<const std::byte> float_pairs, std::span<const std::byte> double_pairs)
    {
        for (const std::span<const std::byte> bytes : {float_pairs, double_pairs, std::as_bytes(std::span(output_))}) {
            auto buffer = gpu::Buffer::create(device_, bytes.size(), gpu::BufferUse::storage, "self-test");
            VKONNX_RETURN_IF_ERROR(buffer.status());
            VKONNX_RETURN_IF_ERROR(gpu::upload(*buffer, bytes));
            operands_.push_back(std::move(*buffer));
        }
        return {};
    }

    // Times runs by the host's clock, because Capabilities::work_per_second counts whole runs, submits included.
    Result<double> best_seconds(const push::SelfTest& push, uint32_t groups, int runs)
    {
        auto program = gpu::Program::create(device_, plan::plan_self_test(with_doubles_, push, groups), "self-test");
        VKONNX_RETURN_IF_ERROR(program.status());
        program_ = std::move(*program);
        return seconds_of(program_, operands_, runs, Clock::host);
    }

    Status read_output() { return gpu::download(operands_.back(), std::as_writable_bytes(std::span(output_))); }
    std::span<const uint32_t> words(uint32_t pair) const
    {
        return std::span(output_).subspan(pair * SELF_TEST_WORDS, SELF_TEST_WORDS);
    }

private:
    gpu::Device& device_;
    bool with_doubles_;
    std::vector<uint32_t> output_ = std::vector<uint32_t>(count * SELF_TEST_WORDS, UINT32_MAX);
    Buffers operands_;
    std::shared_ptr<const gpu::Program> program_;
};

Status judge_floats(const gpu::Device& device, const Probe& probe, const std::vector<float>& pairs, Findings& findings)
{
    findings.rounds_to_nearest = true;
    for (uint32_t i = 0; i < count; ++i) {
        const float a = pairs[2 * i], b = pairs[2 * i + 1];
        const std::span<const uint32_t> got = probe.words(i);
        const Verdict sum = judge(double(a) + double(b), got[0]);
        const Verdict product = judge(double(a) * double(b), got[1]);
        const uint32_t pattern = (std::bit_cast<uint32_t>(a) ^ i * 2654435761u) + (i / 7) % 5;
        if (sum == Verdict::wrong || product == Verdict::wrong || got[2] != pattern)
            return Status(Code::driver_error, "the device '" + device.physical().info.name +
                                                  "' computes wrong: its self-test fails at item " + std::to_string(i) + " (" +
                                                  (got[2] != pattern       ? "integers"
                                                   : sum == Verdict::wrong ? "a sum of floats"
                                                                           : "a product of floats") +
                                                  ")");
        if (sum != Verdict::nearest || product != Verdict::nearest)
            findings.rounds_to_nearest = false;
    }
    return {};
}

// Returns the bits of a half that is a whole number below 2048.
uint16_t half_of(uint32_t whole)
{
    const uint32_t bits = std::bit_cast<uint32_t>(float(whole));
    return uint16_t(whole == 0 ? 0 : (bits - (112u << 23)) >> 13);
}

// Compares doubles with the host's own.
void judge_doubles(const Probe& probe, const std::vector<double>& pairs, Findings& findings)
{
    for (uint32_t i = 0; findings.wrong_doubles.empty() && i < count; ++i) {
        const double a = pairs[2 * i], b = pairs[2 * i + 1];
        const double expected[] = {a + b, a * b, a / double(i % 97 + 1)};
        constexpr const char* names[] = {"sum", "product", "quotient"};
        const std::span<const uint32_t> got = probe.words(i).subspan(3);
        for (size_t r = 0; r < std::size(expected); ++r)
            if ((uint64_t(got[2 * r + 1]) << 32 | got[2 * r]) != std::bit_cast<uint64_t>(expected[r]))
                findings.wrong_doubles = "a " + std::string(names[r]) + " of doubles is wrong at item " + std::to_string(i);
    }
}

Status test(gpu::Device& device, bool with_doubles, Findings& findings)
{
    const std::vector<float> pairs = floats();
    const std::vector<double> double_pairs = doubles();
    Probe probe(device, with_doubles);
    VKONNX_RETURN_IF_ERROR(probe.fill(std::as_bytes(std::span(pairs)), std::as_bytes(std::span(double_pairs))));
    const uint32_t groups = (count + plan::self_test_workgroup - 1) / plan::self_test_workgroup;
    if (const auto ran = probe.best_seconds({.count = count, .rows = 0, .taps = 0}, groups, 1); !ran)
        return ran.status();
    VKONNX_RETURN_IF_ERROR(probe.read_output());
    VKONNX_RETURN_IF_ERROR(judge_floats(device, probe, pairs, findings));
    if (with_doubles)
        judge_doubles(probe, double_pairs, findings);
    return {};
}

// Returns the greatest power of two that is not above the rate, but at least 2^20.
double rounded_work_rate(double taps_per_second)
{
    return std::exp2(std::max(20.0, std::floor(std::log2(taps_per_second))));
}

Status measure(gpu::Device& device, bool with_doubles, Findings& findings)
{
    const std::vector<float> ones(2 * work_pairs, 1);
    Probe probe(device, with_doubles);
    VKONNX_RETURN_IF_ERROR(probe.fill(std::as_bytes(std::span(ones)), std::as_bytes(std::span(ones).first(4))));
    // A device that runs all groups at once takes as long for many as for few, so there are more until they take a while.
    for (uint32_t groups = first_groups;; groups *= growth) {
        const auto seconds = probe.best_seconds({.count = work_pairs, .rows = rows, .taps = taps}, groups, work_runs);
        VKONNX_RETURN_IF_ERROR(seconds.status());
        if (*seconds >= long_enough || groups * growth > most_groups) {
            const double done = double(groups) * plan::self_test_workgroup * rows * taps;
            findings.work_per_second = rounded_work_rate(done / std::max(*seconds, 1e-6));
            return {};
        }
    }
}

// Tests matrices of whole numbers and of halves below the least normal one, so that every sum is exact in whatever order.
Status test_matrices(gpu::Device& device, Findings& findings)
{
    const auto [rows, columns, depth] = device.capabilities().cooperative_matrix;
    const auto number = [](uint32_t i) { return int(i * 7 % 31) - 15; };
    const auto left_scale = [](uint32_t row) { return row % 2 == 0 ? 1.f : 0x1p-24f; };
    std::vector<uint16_t> factors;
    for (uint32_t i = 0; i < rows * depth; ++i) {
        const int whole = number(i);
        const uint16_t magnitude = i % rows % 2 == 0 ? half_of(uint32_t(std::abs(whole))) : uint16_t(std::abs(whole));
        factors.push_back(uint16_t((whole < 0 ? 0x8000 : 0) | magnitude));
    }
    for (uint32_t i = 0; i < columns * depth; ++i) {
        const int whole = number(i + 5);
        factors.push_back(uint16_t((whole < 0 ? 0x8000 : 0) | half_of(uint32_t(std::abs(whole)))));
    }
    Buffers operands;
    std::vector<float> sums(size_t(rows) * columns, NAN);
    for (const std::span<const std::byte> bytes : {std::as_bytes(std::span(factors)), std::as_bytes(std::span(sums))}) {
        auto buffer = gpu::Buffer::create(device, bytes.size(), gpu::BufferUse::storage, "self-test");
        VKONNX_RETURN_IF_ERROR(buffer.status());
        VKONNX_RETURN_IF_ERROR(gpu::upload(*buffer, bytes));
        operands.push_back(std::move(*buffer));
    }
    auto program = gpu::Program::create(device, plan::plan_matrix_self_test(device.capabilities()), "self-test");
    VKONNX_RETURN_IF_ERROR(program.status());
    if (const auto ran = seconds_of(*program, operands, 1, Clock::host); !ran)
        return ran.status();
    VKONNX_RETURN_IF_ERROR(gpu::download(operands.back(), std::as_writable_bytes(std::span(sums))));
    for (uint32_t column = 0; column < columns; ++column)
        for (uint32_t row = 0; row < rows; ++row) {
            int sum = 0;
            for (uint32_t k = 0; k < depth; ++k)
                sum += number(k * rows + row) * number(column * depth + k + 5);
            if (sums[column * rows + row] != 2 * float(sum) * left_scale(row))
                findings.wrong_matrices = "row " + std::to_string(row) + ", column " + std::to_string(column) + " is wrong";
        }
    return {};
}

Result<Findings> self_test(gpu::Device& device)
{
    Findings findings;
    bool with_doubles = device.capabilities().float64;
    Status tested = test(device, with_doubles, findings);
    if (tested.code() == Code::driver_error && with_doubles) {
        // Perhaps only doubles fail: a driver that can't compile them is no better than one that computes them wrong.
        findings.wrong_doubles = tested.message();
        with_doubles = false;
        tested = test(device, with_doubles, findings);
    }
    if (!tested)
        return tested;
    VKONNX_RETURN_IF_ERROR(measure(device, with_doubles, findings));
    if (device.capabilities().cooperative_matrices && !spirv(Kernel::self_test_matrices_f16).empty())
        if (Status status = test_matrices(device, findings); !status) {
            if (status.code() != Code::driver_error)
                return status;
            findings.wrong_matrices = status.message();
        }
    return findings;
}

// Returns the name by which the cache keeps the findings. They hold for the modules of the self-test as a driver gets them, so
// the name tells their words, which of them run, and the float controls that are declared in them: an adopted device may have
// fewer of these.
std::string name_of_findings(const gpu::Device& device)
{
    const Capabilities& capabilities = device.capabilities();
    const gpu::FloatControls& controls = device.physical().float_controls;
    gpu::Hash hash;
    for (const Kernel kernel : {Kernel::self_test_f32, Kernel::self_test_f64, Kernel::self_test_matrices_f16})
        hash.add(std::as_bytes(spirv(kernel)));
    return "self-test " + std::to_string(hash.value()) + (capabilities.float64 ? " float64" : "") +
           (capabilities.cooperative_matrices ? " matrices" : "") + (controls.preserves32 ? " preserves32" : "") +
           (controls.preserves64 ? " preserves64" : "") + (controls.to_nearest32 ? " to_nearest32" : "") +
           (controls.to_nearest64 ? " to_nearest64" : "");
}

// Writes four lines: 1 or 0 for rounding to nearest, the exponent of the rate, and what is wrong with doubles and with matrices.
std::string text_of(Findings findings)
{
    for (std::string* text : {&findings.wrong_doubles, &findings.wrong_matrices})
        std::replace(text->begin(), text->end(), '\n', ' ');
    return std::to_string(int(findings.rounds_to_nearest)) + "\n" + std::to_string(std::ilogb(findings.work_per_second)) + "\n" +
           findings.wrong_doubles + "\n" + findings.wrong_matrices + "\n";
}

std::optional<Findings> findings_of(std::string_view text)
{
    std::array<std::string, 4> lines;
    for (std::string& line : lines) {
        const size_t end = text.find('\n');
        if (end == text.npos)
            return std::nullopt;
        line = text.substr(0, end);
        text.remove_prefix(end + 1);
    }
    int exponent = 0;
    const char* const end = lines[1].data() + lines[1].size();
    const auto read = std::from_chars(lines[1].data(), end, exponent);
    if ((lines[0] != "0" && lines[0] != "1") || read.ec != std::errc() || read.ptr != end || exponent < 20 || exponent > 100)
        return std::nullopt;
    return Findings{.rounds_to_nearest = lines[0] == "1",
                    .wrong_doubles = lines[2],
                    .wrong_matrices = lines[3],
                    .work_per_second = std::exp2(exponent)};
}

Result<Findings> kept_or_new_findings(gpu::Device& device)
{
    const std::string name = name_of_findings(device);
    if (const std::optional<std::string> text = device.cache().text(name))
        if (std::optional<Findings> findings = findings_of(*text))
            return std::move(*findings);
    Result<Findings> findings = self_test(device);
    if (findings)
        device.cache().keep_text(name, text_of(*findings));
    return findings;
}

}  // namespace

Status settle_capabilities(gpu::Device& device, const DeviceOptions& options)
{
    Capabilities capabilities = device.capabilities();
    if (options.self_test) {
        const Result<Findings> findings = kept_or_new_findings(device);
        VKONNX_RETURN_IF_ERROR(findings.status());
        capabilities.rounds_to_nearest = findings->rounds_to_nearest;
        if (!findings->wrong_doubles.empty()) {
            capabilities.float64 = false;
            device.instance().log(LogLevel::warning,
                                  "vkonnx: doubles of the device '" + device.physical().info.name +
                                      "' are not used, because its self-test fails: " + findings->wrong_doubles);
        }
        if (!findings->wrong_matrices.empty()) {
            capabilities.cooperative_matrices = false;
            device.instance().log(LogLevel::warning,
                                  "vkonnx: cooperative matrices of the device '" + device.physical().info.name +
                                      "' are not used, because its self-test fails: " + findings->wrong_matrices);
        }
        capabilities.work_per_second = findings->work_per_second;
    }
    if (options.work_per_second != 0)
        capabilities.work_per_second = options.work_per_second;
    capabilities.cooperative_matrices =
        capabilities.cooperative_matrices && options.self_test;  // only the self-test tells of wrong matrices
    device.set_capabilities(options.capabilities ? capabilities.lowered_to(*options.capabilities) : capabilities);
    return {};
}

}  // namespace vkonnx::api
