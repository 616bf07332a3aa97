#include "verify.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include "kit/elements.h"

namespace vkonnx::bench {
namespace {

// The reference takes some ten nanoseconds for each tap.
constexpr double most_taps = 4e6;
constexpr int64_t most_outputs = 4096;
constexpr int64_t least_outputs = 16;

std::string mismatch_text(int64_t index, double got, const kit::Answer& expected, DType dtype)
{
    char text[160];
    std::snprintf(text, sizeof text, "output element %lld is %.9g, not %.9g: off by %.3g units in the last place",
                  static_cast<long long>(index), got, double(expected.value), kit::ulp_error(expected, dtype, got));
    return text;
}

}  // namespace

std::vector<int64_t> seeded_sample(int64_t count, int64_t most, uint64_t seed)
{
    std::vector<int64_t> sample;
    if (count <= most) {
        for (int64_t i = 0; i < count; ++i)
            sample.push_back(i);
        return sample;
    }
    // The standard fixes the numbers of this generator, but not those of its distributions.
    std::mt19937_64 random(seed);
    sample = {0, count - 1};
    while (int64_t(sample.size()) < most)
        sample.push_back(int64_t(random() % uint64_t(count)));
    std::sort(sample.begin(), sample.end());
    sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
    return sample;
}

Result<Verification> verify(const kit::Case& problem, std::span<const kit::RealTensor> inputs, DType dtype,
                            std::span<const std::byte> output, double taps_per_output, const kit::FloatRules& rules,
                            uint64_t seed)
{
    const int64_t most = std::clamp(int64_t(most_taps / taps_per_output), least_outputs, most_outputs);
    const int64_t outputs = int64_t(output.size()) * 8 / bits(dtype);
    const std::vector<int64_t> sample = seeded_sample(outputs, most, seed);
    const Result<std::vector<kit::Answer>> answers = kit::reference(problem, inputs, sample);
    if (!answers)
        return answers.status();
    Verification verification = {int64_t(sample.size()), {}};
    if (answers->front().word) {  // elements that are compared by their bits
        verification.mismatch = kit::mismatches({dtype, {outputs}}, sample, *answers, output, kit::Fill::reals, rules);
        std::replace(verification.mismatch.begin(), verification.mismatch.end(), '\n', ' ');
        return verification;
    }
    const std::vector<double> numbers = kit::decoded(dtype, output);
    for (size_t i = 0; i < sample.size() && verification.mismatch.empty(); ++i) {
        const double got = numbers[size_t(sample[i])];
        if (!kit::fits((*answers)[i], dtype, got, kit::Fill::reals, rules))
            verification.mismatch = mismatch_text(sample[i], got, (*answers)[i], dtype);
    }
    return verification;
}

}  // namespace vkonnx::bench
