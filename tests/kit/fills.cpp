// Deterministic elements for cases: the generator is written out here, since the standard's distributions differ by library.
#include "kit/cases.h"

#include <cmath>
#include <limits>

namespace vkonnx::kit {
namespace {

// FNV-1a, to turn a case's line into a seed.
uint64_t seed_of(const std::string& text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char letter : text)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    return hash;
}

// SplitMix64.
class Generator {
public:
    explicit Generator(uint64_t seed) : state_(seed) {}

    uint64_t next()
    {
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    int64_t below(int64_t limit) { return static_cast<int64_t>(next() % static_cast<uint64_t>(limit)); }

private:
    uint64_t state_;
};

double element(Fill fill, size_t operand, Generator& random)
{
    switch (fill) {
    case Fill::reals:
        return std::ldexp(static_cast<double>(random.below(1 << 24) - (1 << 23)), -23);
    case Fill::negative_zero:
        return operand == 1 ? static_cast<double>(1 + random.below(4)) : -0.0;
    case Fill::specials: {
        constexpr double inf = std::numeric_limits<double>::infinity();
        const int64_t draw = random.below(operand == 2 ? 1000 : 40);  // a special in B would hide a whole channel
        if (draw < 3)
            return draw == 0 ? inf : draw == 1 ? -inf : std::numeric_limits<double>::quiet_NaN();
        return static_cast<double>(1 + random.below(4));
    }
    default:
        return static_cast<double>(random.below(9) - 4);
    }
}

}  // namespace

std::vector<Fill> fills_of(const Case& problem)
{
    if (problem.fill == Fill::any)
        return {Fill::integers, Fill::reals};
    return {problem.fill};
}

std::vector<HostTensor> fill_inputs(const Case& problem, Fill fill)
{
    Generator random(seed_of(to_string(problem) + ' ' + std::string(name(fill))));
    std::vector<HostTensor> inputs;
    for (const TensorDesc& desc : problem.inputs) {
        HostTensor tensor = {desc, {}};
        const Result<int64_t> count = element_count(desc);
        tensor.values.resize(count ? static_cast<size_t>(*count) : 0);
        for (double& value : tensor.values)
            value = element(fill, inputs.size(), random);
        inputs.push_back(std::move(tensor));
    }
    return inputs;
}

}  // namespace vkonnx::kit
