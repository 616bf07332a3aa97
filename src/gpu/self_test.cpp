#include "gpu/self_test.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/execution.h"

namespace vkonnx::gpu {
namespace {

constexpr uint32_t workgroup_size = 32;
constexpr uint32_t count = 200;  // not a multiple of the workgroup: the bounds guard is part of the test
constexpr uint32_t results = 3;  // per pair of operands, as self_test.comp writes them

// Sums and products that lie exactly between two floats, both ways, and pseudo-random ones.
std::vector<float> operands()
{
    std::vector<float> pairs = {
        16777216, 1,    16777218, 1,    16777216, 3,     16777220, -1,      // sums: ties to even, up and down
        4097,     4097, 4097,     4099, 4097,     -4099, 8193,     4098.5,  // products
        1.5,      -1.5, 0,        5,    1,        1,     0.1f,     0.2f,
    };
    uint32_t state = 12345;
    const auto next = [&] {
        state = state * 1664525 + 1013904223;
        return state >> 8;
    };
    while (pairs.size() < 2 * count) {
        // A full mantissa, an exponent near that of 1, either sign.
        const uint32_t mantissa = next() & 0x7fffff;
        const uint32_t exponent = 127 - 6 + next() % 13;
        pairs.push_back(std::bit_cast<float>((next() & 1) << 31 | exponent << 23 | mantissa));
    }
    return pairs;
}

enum class Verdict : uint8_t { nearest, one_off, wrong };

// Sum and product of two floats are exact in double (their exponents are near), so the conversion is the only rounding.
Verdict judge(double exact, uint32_t bits)
{
    const uint32_t expected = std::bit_cast<uint32_t>(static_cast<float>(exact));
    if (bits == expected)
        return Verdict::nearest;
    const float got = std::bit_cast<float>(bits);
    // Vulkan allows either of the two floats around the exact value.
    const bool adjacent = (bits == expected + 1 || bits + 1 == expected) &&
                          static_cast<double>(static_cast<float>(exact)) != exact &&
                          (got < exact) != (std::bit_cast<float>(expected) < exact);
    return adjacent ? Verdict::one_off : Verdict::wrong;
}

Result<std::vector<uint32_t>> compute(Device& device, const std::vector<float>& pairs)
{
    plan::Plan plan;
    plan::Step step;
    step.kernel = Kernel::self_test_f32;
    step.specialization = {workgroup_size};
    step.operands = {0, 1};
    step.push.resize(sizeof(count));
    std::memcpy(step.push.data(), &count, sizeof(count));
    step.groups = {(count + workgroup_size - 1) / workgroup_size, 1, 1};
    plan.steps.push_back(step);
    std::vector<uint32_t> output(count * results, 0xffffffff);
    const auto input = Buffer::create(device, pairs.size() * sizeof(float), BufferUse::storage, "self-test input");
    if (!input)
        return input.status();
    const auto written = Buffer::create(device, output.size() * sizeof(uint32_t), BufferUse::storage, "self-test output");
    if (!written)
        return written.status();
    if (Status status = (*input)->write(std::as_bytes(std::span(pairs))); !status)
        return status;
    if (Status status = (*written)->write(std::as_bytes(std::span(output))); !status)
        return status;
    const auto program = Program::create(device, std::move(plan), "self-test");
    if (!program)
        return program.status();
    const auto binding = Binding::create(*program, {*input, *written}, 1);
    if (!binding)
        return binding.status();
    auto execution = Execution::create(device);
    if (!execution)
        return execution.status();
    const Binding* bindings[] = {binding->get()};
    if (Status status = (*execution)->record(bindings, false); !status)
        return status;
    if (Status status = (*execution)->run(); !status)
        return status;
    if (Status status = (*written)->read(std::as_writable_bytes(std::span(output))); !status)
        return status;
    return output;
}

}  // namespace

Result<Findings> self_test(Device& device)
{
    const std::vector<float> pairs = operands();
    const Result<std::vector<uint32_t>> output = compute(device, pairs);
    if (!output)
        return output.status();
    Findings findings = {.rounds_to_nearest = true};
    for (uint32_t i = 0; i < count; ++i) {
        const float a = pairs[2 * i], b = pairs[2 * i + 1];
        const uint32_t* got = output->data() + results * i;
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
    return findings;
}

}  // namespace vkonnx::gpu
