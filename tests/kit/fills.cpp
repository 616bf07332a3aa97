// This file makes deterministic elements for cases. The generator is written out here, because the standard's distributions
// differ by library.
#include "kit/cases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kit/elements.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

// Turns a case's line into a seed by the hash FNV-1a.
uint64_t seed_of(const std::string& text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char letter : text)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    return hash;
}

// This generator of random numbers is SplitMix64.
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

    int64_t below(int64_t limit) { return int64_t(next() % uint64_t(limit)); }

private:
    uint64_t state_;
};

// Draws a number from a few units of the smallest denormal up to the smallest normal numbers, on both sides of zero.
double denormal(DType dtype, Generator& random)
{
    const FloatFormat format = format_of(dtype);
    const int64_t normal = int64_t{1} << format.fraction_bits;
    const int64_t units = random.below(2) == 0 ? random.below(8) : random.below(2 * normal);
    return std::ldexp(double(random.below(2) == 0 ? units : -units), format.min_exponent() - format.fraction_bits);
}

double element(Fill fill, DType dtype, size_t operand, Generator& random)
{
    const bool is_weight = operand == 1;
    switch (fill) {
    case Fill::reals: {
        // The unit is that of the last place of numbers from 1 to 2, so that all of [-1, 1) is exact.
        const int bits = format_of(dtype).fraction_bits;
        const int64_t one = int64_t{1} << bits;
        return std::ldexp(double(random.below(2 * one) - one), -bits);
    }
    case Fill::positive:
        return double(1 + random.below(4));
    case Fill::negative_zero:
        return is_weight ? double(1 + random.below(4)) : -0.0;
    case Fill::specials: {
        constexpr double inf = std::numeric_limits<double>::infinity();
        const int64_t draw = random.below(operand == 2 ? 1000 : 40);  // a special in B would hide a whole channel
        if (draw < 3)
            return draw == 0 ? inf : draw == 1 ? -inf : std::numeric_limits<double>::quiet_NaN();
        return double(1 + random.below(4));
    }
    case Fill::large:
        return is_weight ? double(1 - 2 * random.below(2)) : std::ldexp(double(4 + random.below(4)), 13);
    case Fill::denormals:
        return is_weight ? double(1 - 2 * random.below(2)) : denormal(dtype, random);
    default:
        return double(random.below(9) - 4);
    }
}

// Draws the bits of an integer or of an element that is only moved. They are a small number with `small`, except with
// Fill::reals.
uint64_t word(Fill fill, DType dtype, bool small, Generator& random)
{
    if (small && fill != Fill::reals)
        return normalized(dtype, uint64_t(random.below(9) - (is_signed(dtype) ? 4 : 0)));
    const uint64_t sign = uint64_t{1} << (std::clamp(bits(dtype), 1u, 64u) - 1);  // a string has no word, and a complex128 two
    const uint64_t edges[] = {0, 1, ~uint64_t{0}, sign, sign - 1, sign + 1};
    const int64_t edge = random.below(12);
    return normalized(dtype, edge < 6 ? edges[edge] : random.next());
}

// Draws a coordinate of an axis of this extent, from either end. With Fill::reals some lie beyond the axis.
uint64_t coordinate(Fill fill, DType dtype, int64_t extent, Generator& random)
{
    if (extent == 0 || (fill == Fill::reals && random.below(8) == 0))
        return word(Fill::reals, dtype, false, random);
    if (fill == Fill::reals && random.below(8) == 0)
        return normalized(dtype, uint64_t(random.below(2) == 0 ? extent : -extent - 1));
    return normalized(dtype, uint64_t(random.below(2 * extent) - extent));
}

// Returns how long the axis of data is that element number `i` of indices is a coordinate of; 0 where data has no such axis.
int64_t indexed_extent(const Case& problem, size_t i)
{
    const std::vector<int64_t>& data = problem.inputs[0].dims;
    const auto rank = int64_t(data.size());
    int64_t axis = 0;
    std::visit(
        [&]<class Op>(const Op& op) {
            if constexpr (std::same_as<Op, Gather> || std::same_as<Op, GatherElements> || std::same_as<Op, ScatterElements>) {
                axis = op.axis.value_or(0);
                axis += axis < 0 ? rank : 0;
            } else if constexpr (std::same_as<Op, GatherND> || std::same_as<Op, ScatterND>) {
                const std::vector<int64_t>& indices = problem.inputs[1].dims;
                axis = indices.empty() ? 0 : int64_t(i) % indices.back();
                if constexpr (std::same_as<Op, GatherND>)
                    axis += op.batch_dims.value_or(0);
            }
        },
        problem.attributes);
    return axis < 0 || axis >= rank ? 0 : data[size_t(axis)];
}

// Tells whether the second input holds coordinates of the first.
bool has_indices(const Operator& op)
{
    return std::holds_alternative<Gather>(op) || std::holds_alternative<GatherElements>(op) ||
           std::holds_alternative<GatherND>(op) || std::holds_alternative<ScatterElements>(op) ||
           std::holds_alternative<ScatterND>(op);
}

// Tells whether the operator compares elements: whether it is of logic.hpp, or ArgMax, ArgMin or TopK.
bool compares(const Operator& op)
{
    return std::visit([]<class Op>(const Op&) { return LogicOperator<Op> || ArgExtreme<Op> || std::same_as<Op, TopK>; }, op);
}

// Draws a word for an operator that compares: about a third of them are equal, and shifts are mostly by less than a word has
// bits. Fill::reals draws any byte but 0 for a bool that is true.
uint64_t compared_word(const Operator& op, Fill fill, DType dtype, size_t operand, Generator& random)
{
    if (dtype == DType::boolean)
        return random.below(2) == 0 ? 0 : fill == Fill::reals ? uint64_t(1 + random.below(255)) : 1;
    if (std::holds_alternative<BitShift>(op) && operand == 1 && random.below(4) != 0)
        return normalized(dtype, uint64_t(random.below(int64_t(bits(dtype)) + 2)));
    if (fill == Fill::reals)
        return word(fill, dtype, false, random);
    return normalized(dtype, uint64_t(random.below(3) - (is_signed(dtype) ? 1 : 0)));
}

// Draws a number for Cast: of any size, with many or few bits, halfway between numbers of other types, or at the ends of their
// ranges.
double number(DType dtype, Generator& random)
{
    const double sign = random.below(2) == 0 ? 1 : -1;
    switch (random.below(8)) {
    case 0: {
        constexpr double inf = std::numeric_limits<double>::infinity();
        constexpr double ends[] = {inf, std::numeric_limits<double>::quiet_NaN(), 0, 65504, 65520, 0x1p31, 0x1p63, 0x1p64};
        return sign * ends[random.below(8)];
    }
    case 1:
        return sign * double(random.below(70000)) / 2;
    case 2:
        return denormal(dtype, random);
    default: {
        const double significand =
            double(int64_t{1} << 52 | (random.below(int64_t{1} << 52) >> random.below(53) << random.below(30)));
        return rounded(dtype, sign * std::ldexp(significand, int(random.below(100)) - 82));
    }
    }
}

// Draws a number for an operator that compares: about a third of them are equal, zeros of both signs among them.
double compared_number(Fill fill, DType dtype, Generator& random)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr double specials[] = {0, -0.0, 0, -0.0, 1, inf, -inf, std::numeric_limits<double>::quiet_NaN()};
    constexpr double few[] = {-1, 0, -0.0, 1};
    if (fill == Fill::denormals)
        return denormal(dtype, random);
    if (fill == Fill::specials || (fill == Fill::reals && random.below(8) == 0))
        return specials[random.below(8)];
    return fill == Fill::reals && random.below(2) == 0 ? rounded(dtype, number(dtype, random)) : few[random.below(4)];
}

}  // namespace

std::vector<Fill> fills_of(const Case& problem)
{
    if (problem.fill == Fill::any)
        return {Fill::integers, Fill::reals};
    return {problem.fill};
}

constexpr size_t variance = 4;  // the number of BatchNormalization's input

namespace {

bool is_recurrent(const Operator& op)
{
    return std::visit([]<class Op>(const Op&) { return Recurrent<Op>; }, op);
}

// Returns a factor that makes W and R of recurrent operators so small that the rounding of a state does not grow from step to
// step.
double factor_of(const Case& problem, size_t input)
{
    if (!is_recurrent(problem.attributes) || (input != 1 && input != 2) || problem.inputs[input].dims.empty())
        return 1;
    const double terms = std::max<double>(1, double(problem.inputs[input].dims.back()));
    return std::exp2(-std::ceil(std::log2(terms)));
}

// Draws the length of a sequence of a recurrent operator: from 0 to the number of X's steps.
uint64_t length(const Case& problem, Generator& random)
{
    int64_t steps = 0;
    const std::vector<int64_t>& x = problem.inputs[0].dims;
    std::visit(
        [&]<class Op>(const Op& op) {
            if constexpr (Recurrent<Op>)
                if (x.size() == 3)
                    steps = x[op.layout.value_or(0) == 1 ? 1 : 0];
        },
        problem.attributes);
    return uint64_t(random.below(std::max<int64_t>(steps, 0) + 1));
}

}  // namespace

std::vector<RealTensor> fill_inputs(const Case& problem, Fill fill)
{
    Generator random(seed_of(to_string(problem) + ' ' + std::string(name(fill))));
    const bool compared = compares(problem.attributes);
    std::vector<RealTensor> inputs;
    for (const TensorDesc& desc : problem.inputs) {
        RealTensor tensor = {desc, {}};
        const Result<int64_t> count = element_count(desc);
        const bool copied = moves_elements(problem.attributes);
        const bool cast = std::holds_alternative<Cast>(problem.attributes);
        if (copied || !is_real(desc.dtype)) {
            tensor.words.resize(count ? size_t(*count) : 0);
            const bool recurrent = is_recurrent(problem.attributes);
            const bool indexed = has_indices(problem.attributes) && inputs.size() == 1;
            for (size_t i = 0; i < tensor.words.size(); ++i)
                tensor.words[i] = compared && (!copied || inputs.empty())
                                      ? compared_word(problem.attributes, fill, desc.dtype, inputs.size(), random)
                                  : recurrent ? length(problem, random)
                                  : indexed   ? coordinate(fill, desc.dtype, indexed_extent(problem, i), random)
                                              : word(fill, desc.dtype, !copied, random) &
                                                  (!copied && desc.dtype == DType::boolean ? 1 : ~uint64_t{0});
            inputs.push_back(std::move(tensor));
            continue;
        }
        tensor.values.resize(count ? size_t(*count) : 0);
        for (double& value : tensor.values)
            value = compared                      ? compared_number(fill, desc.dtype, random)
                    : cast && fill == Fill::reals ? rounded(desc.dtype, number(desc.dtype, random))
                                                  : element(fill, desc.dtype, inputs.size(), random);
        for (double& value : tensor.values)
            value *= factor_of(problem, inputs.size());
        if (std::holds_alternative<BatchNormalization>(problem.attributes) && inputs.size() == variance)
            for (double& value : tensor.values)
                value = std::fabs(value);
        inputs.push_back(std::move(tensor));
    }
    return inputs;
}

}  // namespace vkonnx::kit
