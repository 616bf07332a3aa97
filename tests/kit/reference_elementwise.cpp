// This file computes the elementwise operators as their documents define them, an element at a time. Types are taken from the
// documents' tables, written out once more; broadcasting follows a multi-index through every input.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_functions.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Kind = ElementwiseKind;

// ---- what the documents say of types, versions and numbers of inputs

struct Signature {
    std::vector<int64_t> versions = {};
    int64_t bfloat16_since = 0;
    size_t least = 1;
    size_t most = 1;
};

Signature signature_of(Kind kind)
{
    constexpr size_t many = 254;
    switch (kind) {
    case Kind::identity:
        return {{1, 13, 14, 16, 19, 21, 23, 24, 25}};
    case Kind::relu:
        return {{6, 13, 14}, 13};
    case Kind::leaky_relu:
        return {{6, 16}, 16};
    case Kind::prelu:
        return {{7, 9, 16}, 16, 2, 2};
    case Kind::clip:
        return {{6, 11, 12, 13}, 13, 1, 3};
    case Kind::hard_sigmoid:
        return {{6, 22}, 22};
    case Kind::hard_swish:
        return {{14, 22}, 22};
    case Kind::elu:
    case Kind::selu:
        return {{6, 22}, 22};
    case Kind::sin:
    case Kind::cos:
    case Kind::tan:
    case Kind::asin:
    case Kind::acos:
    case Kind::atan:
        return {{7, 22}, 22};
    case Kind::sinh:
    case Kind::cosh:
    case Kind::asinh:
    case Kind::acosh:
    case Kind::atanh:
        return {{9, 22}, 22};
    case Kind::softplus:
    case Kind::softsign:
        return {{1, 22}, 22};
    case Kind::mish:
        return {{18, 22}, 22};
    case Kind::celu:
        return {{12, 28}, 28};
    case Kind::gelu:
        return {{20}, 20};
    case Kind::swish:
        return {{24}, 24};
    case Kind::pow:
        return {{7, 12, 13, 15}, 13, 2, 2};
    case Kind::sigmoid:
    case Kind::tanh:
    case Kind::exp:
    case Kind::log:
    case Kind::sqrt:
    case Kind::reciprocal:
    case Kind::neg:
    case Kind::abs:
    case Kind::floor:
    case Kind::ceil:
        return {{6, 13}, 13};
    case Kind::round:
        return {{11, 22}, 22};
    case Kind::thresholded_relu:
        return {{10, 22}, 22};
    case Kind::sign:
    case Kind::erf:
        return {{9, 13}, 13};
    case Kind::add:
    case Kind::sub:
    case Kind::mul:
    case Kind::div:
        return {{7, 13, 14}, 13, 2, 2};
    case Kind::mod:
        return {{10, 13, 28}, 13, 2, 2};
    case Kind::sum:
    case Kind::mean:
        return {{6, 8, 13}, 13, 1, many};
    case Kind::min:
    case Kind::max:
        return {{6, 8, 12, 13}, 13, 1, many};
    }
    return {};
}

enum class Class : uint8_t { real, bfloat16, wide_signed, narrow_signed, wide_unsigned, narrow_unsigned, other };

Class class_of(DType dtype)
{
    switch (dtype) {
    case DType::float32:
    case DType::float64:
    case DType::float16:
        return Class::real;
    case DType::bfloat16:
        return Class::bfloat16;
    case DType::int32:
    case DType::int64:
        return Class::wide_signed;
    case DType::int8:
    case DType::int16:
        return Class::narrow_signed;
    case DType::uint32:
    case DType::uint64:
        return Class::wide_unsigned;
    case DType::uint8:
    case DType::uint16:
        return Class::narrow_unsigned;
    default:
        return Class::other;
    }
}

// Returns the first version that takes a class of integers, or 0 if none does.
int64_t integers_since(Kind kind, Class of)
{
    const bool is_signed = of == Class::wide_signed || of == Class::narrow_signed;
    const bool is_wide = of == Class::wide_signed || of == Class::wide_unsigned;
    switch (kind) {
    case Kind::relu:
        return is_signed ? 14 : 0;
    case Kind::prelu:
        return is_wide ? 9 : 0;
    case Kind::pow:
        return is_wide && is_signed ? 12 : 0;
    case Kind::clip:
    case Kind::min:
    case Kind::max:
        return 12;
    case Kind::neg:
        return is_signed ? 6 : 0;
    case Kind::abs:
        return 6;
    case Kind::sign:
        return 9;
    case Kind::mod:
        return 10;
    case Kind::add:
    case Kind::sub:
    case Kind::mul:
    case Kind::div:
        return is_wide ? 7 : 14;
    default:
        return 0;
    }
}

// Tells whether this version of Identity copies the type. Types of 4 bits and less, and strings, are not for kernels.
bool copies(DType dtype, int64_t version)
{
    switch (dtype) {
    case DType::bfloat16:
        return version >= 13;
    case DType::float8e4m3fn:
    case DType::float8e4m3fnuz:
    case DType::float8e5m2:
    case DType::float8e5m2fnuz:
        return version >= 19;
    case DType::float8e8m0:
        return version >= 24;
    default:
        return bits(dtype) >= 8 && bits(dtype) <= 64;
    }
}

bool takes(Kind kind, DType dtype, int64_t version, const Signature& signature)
{
    if (kind == Kind::identity)
        return copies(dtype, version);
    if (dtype == DType::float64 && is_function(kind))
        return false;
    if (dtype == DType::float16 && kind == Kind::celu)
        return version >= 28;
    const Class of = class_of(dtype);
    if (of == Class::real || of == Class::other)
        return of == Class::real;
    const int64_t since = of == Class::bfloat16 ? signature.bfloat16_since : integers_since(kind, of);
    return since != 0 && version >= since;
}

// Tells whether the type may be Pow's exponent from version 12 on. The documents have doubles, too, which are not supported.
bool may_be_exponent(DType dtype, int64_t version)
{
    return is_integer(dtype) || dtype == DType::float32 || dtype == DType::float16 || (dtype == DType::bfloat16 && version >= 15);
}

bool is_given(const std::optional<float>& value)
{
    return value.has_value();
}

bool is_given(const std::optional<int64_t>& value)
{
    return value.has_value();
}

bool is_given(GeluApproximation value)
{
    return value != GeluApproximation::none;
}

Status check(const Elementwise& op, std::span<const TensorDesc> inputs, int64_t version, const Signature& signature)
{
    Status status;
    fields(op, [&](std::string_view name, const auto& value, const auto&...) {
        if (is_given(value) && !has_attribute(op.kind, name, version))
            status = refusal("attribute " + std::string(name));
    });
    if (!status)
        return status;
    const int64_t fmod = op.fmod.value_or(0);
    if (fmod < 0 || fmod > 1)
        return refusal("fmod");
    const size_t most = op.kind == Kind::clip && version == 6 ? 1 : signature.most;
    if (inputs.size() < signature.least || inputs.size() > most)
        return refusal("number of inputs");
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].dtype == DType::undefined && op.kind == Kind::clip && i > 0)
            continue;
        const bool exponent = op.kind == Kind::pow && version >= 12 && i == 1;
        if (exponent ? !may_be_exponent(inputs[i].dtype, version)
                     : inputs[i].dtype != inputs[0].dtype || !takes(op.kind, inputs[i].dtype, version, signature))
            return refusal("type");
        if (op.kind == Kind::mod && !is_integer(inputs[i].dtype) && fmod != 1 && version < 28)
            return refusal("fmod of floats");
        if (Result<int64_t> count = element_count(inputs[i]); !count)
            return count.status();
        if (inputs[i].layout != Layout::ncx && inputs[i].layout != Layout::nxc)
            return refusal("layout");
    }
    return Status();
}

// Returns the extent of an axis, counted from the last one, or 1 where the rank ends.
int64_t extent_from_end(const std::vector<int64_t>& dims, size_t from_end)
{
    return from_end < dims.size() ? dims[dims.size() - 1 - from_end] : 1;
}

Result<std::vector<int64_t>> broadcast(std::span<const TensorDesc> inputs)
{
    size_t rank = 0;
    for (const TensorDesc& input : inputs)
        rank = std::max(rank, input.dims.size());
    std::vector<int64_t> dims;
    for (size_t from_end = rank; from_end-- > 0;) {
        int64_t extent = 1;
        for (const TensorDesc& input : inputs) {
            const int64_t own = extent_from_end(input.dims, from_end);
            if (own != 1 && extent != 1 && own != extent)
                return refusal("shapes do not broadcast");
            extent = own != 1 ? own : extent;
        }
        dims.push_back(extent);
    }
    return dims;
}

// ---- arithmetic of one type, each step rounded to what is computed in

// This class has the arithmetic of floating-point types. Halves are computed in float.
class Floats {
public:
    using Value = double;

    explicit Floats(DType dtype) : double_(dtype == DType::float64), dtype_(dtype) {}

    double number(double value) const { return rounded(DoubleDouble(value)); }
    double least_number() const { return -greatest_number(); }
    double greatest_number() const
    {
        const FloatFormat format = format_of(dtype_);
        return std::ldexp(2 - std::ldexp(1.0, -format.fraction_bits), format.bias());
    }
    double plus(double a, double b) const { return rounded(DoubleDouble::two_sum(a, b)); }
    double minus(double a, double b) const { return rounded(DoubleDouble::two_sum(a, -b)); }
    double times(double a, double b) const { return rounded(DoubleDouble::two_product(a, b)); }
    double over(double a, double b) const { return rounded(DoubleDouble(a) / DoubleDouble(b)); }
    double modulo(double a, double b, bool is_fmod) const
    {
        const double rest = std::fmod(a, b);
        if (is_fmod || std::isnan(rest) || std::signbit(rest) == std::signbit(b))
            return rest;
        return rest == 0 ? -rest : plus(rest, b);
    }
    double negated(double a) const { return -a; }
    double absolute(double a) const { return std::fabs(a); }
    bool less(double a, double b) const { return a < b; }
    bool is_nan(double a) const { return std::isnan(a); }
    // The root of a float is taken in double, which has more than twice its bits, and so is as if rounded once.
    double root(double a) const { return number(std::sqrt(a)); }
    double function(const Elementwise& op, double a) const { return function_of(op, a); }  // not rounded
    double floor(double a) const { return std::floor(a); }
    double nearest(double a) const { return std::nearbyint(a); }  // ties go to the even one

private:
    // Rounds to odd in double first, so that the second rounding, to float, is right.
    double rounded(const DoubleDouble& exact) const
    {
        if (double_)
            return exact.hi;
        double value = exact.hi;
        if (std::isfinite(value) && exact.lo != 0 && (std::bit_cast<uint64_t>(value) & 1) == 0)
            value = std::nextafter(value, exact.lo > 0 ? HUGE_VAL : -HUGE_VAL);
        return double(float(value));
    }

    bool double_;
    DType dtype_;
};

// This class has the arithmetic of integers, which are words.
class Integers {
public:
    using Value = uint64_t;

    explicit Integers(DType dtype) : dtype_(dtype) {}

    uint64_t number(double value) const { return normalized(dtype_, value < 0 ? uint64_t(int64_t(value)) : uint64_t(value)); }
    uint64_t least_number() const { return is_signed(dtype_) ? normalized(dtype_, uint64_t{1} << (bits(dtype_) - 1)) : 0; }
    uint64_t greatest_number() const
    {
        const uint64_t all = normalized(dtype_, ~uint64_t{0});
        return is_signed(dtype_) ? normalized(dtype_, ~least_number()) : all;
    }
    uint64_t plus(uint64_t a, uint64_t b) const { return normalized(dtype_, a + b); }
    uint64_t minus(uint64_t a, uint64_t b) const { return normalized(dtype_, a - b); }
    uint64_t times(uint64_t a, uint64_t b) const { return normalized(dtype_, a * b); }
    uint64_t over(uint64_t a, uint64_t b) const
    {
        if (b == 0)
            return 0;
        if (!is_signed(dtype_))
            return a / b;
        return int64_t(b) == -1 ? negated(a) : normalized(dtype_, uint64_t(int64_t(a) / int64_t(b)));
    }
    // Returns the remainder with the sign of a (`as_c`), or else of b.
    uint64_t modulo(uint64_t a, uint64_t b, bool as_c) const
    {
        if (b == 0)
            return 0;
        if (!is_signed(dtype_))
            return a % b;
        if (int64_t(b) == -1)
            return 0;
        const int64_t rest = int64_t(a) % int64_t(b);
        const bool differs = rest != 0 && (rest < 0) != (int64_t(b) < 0);
        return normalized(dtype_, uint64_t(differs && !as_c ? rest + int64_t(b) : rest));
    }
    uint64_t negated(uint64_t a) const { return normalized(dtype_, 0 - a); }
    uint64_t absolute(uint64_t a) const { return less(a, 0) ? negated(a) : a; }
    bool less(uint64_t a, uint64_t b) const { return is_signed(dtype_) ? int64_t(a) < int64_t(b) : a < b; }
    bool is_nan(uint64_t) const { return false; }
    uint64_t root(uint64_t a) const { return a; }  // integers have no root and no function
    uint64_t function(const Elementwise&, uint64_t a) const { return a; }
    uint64_t floor(uint64_t a) const { return a; }
    uint64_t nearest(uint64_t a) const { return a; }

private:
    DType dtype_;
};

template <class Arithmetic>
typename Arithmetic::Value lesser(const Arithmetic& with, typename Arithmetic::Value a, typename Arithmetic::Value b)
{
    if (with.is_nan(a) || with.is_nan(b))
        return with.is_nan(a) ? a : b;
    return with.less(b, a) ? b : a;
}

template <class Arithmetic>
typename Arithmetic::Value greater(const Arithmetic& with, typename Arithmetic::Value a, typename Arithmetic::Value b)
{
    if (with.is_nan(a) || with.is_nan(b))
        return with.is_nan(a) ? a : b;
    return with.less(a, b) ? b : a;
}

template <class Arithmetic>
typename Arithmetic::Value clipped(const Arithmetic& with, typename Arithmetic::Value a, typename Arithmetic::Value low,
                                   typename Arithmetic::Value high)
{
    const auto raised = with.less(a, low) ? low : a;
    return with.less(high, raised) ? high : raised;
}

// Computes an operator from one element of each input. Some inputs may not be given.
template <class Arithmetic>
typename Arithmetic::Value computed(const Arithmetic& with, const Elementwise& op,
                                    const std::vector<std::optional<typename Arithmetic::Value>>& in)
{
    const auto zero = with.number(0);
    const auto a = *in[0];
    const auto hard_sigmoid = [&](double alpha, double beta) {
        return clipped(with, with.plus(with.times(with.number(alpha), a), with.number(beta)), zero, with.number(1));
    };
    switch (op.kind) {
    case Kind::identity:
        return a;
    case Kind::relu:
        return with.less(a, zero) ? zero : a;
    case Kind::leaky_relu:
        return with.less(a, zero) ? with.times(with.number(op.alpha.value_or(0.01f)), a) : a;
    case Kind::prelu:
        return with.less(a, zero) ? with.times(*in[1], a) : a;
    case Kind::clip: {
        const auto low = op.min ? with.number(*op.min) : with.least_number();
        const auto high = op.max ? with.number(*op.max) : with.greatest_number();
        return clipped(with, a, in.size() > 1 ? in[1].value_or(low) : low, in.size() > 2 ? in[2].value_or(high) : high);
    }
    case Kind::hard_sigmoid:
        return hard_sigmoid(op.alpha.value_or(0.2f), op.beta.value_or(0.5f));
    case Kind::hard_swish:
        return with.times(a, hard_sigmoid(1.0f / 6.0f, 0.5));
    case Kind::neg:
        return with.negated(a);
    case Kind::abs:
        return with.absolute(a);
    case Kind::add:
        return with.plus(a, *in[1]);
    case Kind::sub:
        return with.minus(a, *in[1]);
    case Kind::mul:
        return with.times(a, *in[1]);
    case Kind::div:
        return with.over(a, *in[1]);
    case Kind::mod:
        return with.modulo(a, *in[1], op.fmod.value_or(0) == 1);
    case Kind::pow:
        break;
    case Kind::sigmoid:
    case Kind::tanh:
    case Kind::exp:
    case Kind::log:
    case Kind::erf:
    case Kind::sin:
    case Kind::cos:
    case Kind::tan:
    case Kind::asin:
    case Kind::acos:
    case Kind::atan:
    case Kind::sinh:
    case Kind::cosh:
    case Kind::asinh:
    case Kind::acosh:
    case Kind::atanh:
    case Kind::softplus:
    case Kind::softsign:
    case Kind::mish:
    case Kind::selu:
    case Kind::celu:
    case Kind::gelu:
    case Kind::swish:
        return with.function(op, a);
    case Kind::sign:
        return with.less(a, zero) ? with.negated(with.number(1)) : with.less(zero, a) ? with.number(1) : a;
    case Kind::thresholded_relu:
        return with.less(with.number(op.alpha.value_or(1)), a) ? a : zero;
    case Kind::floor:
        return with.floor(a);
    case Kind::ceil:
        return with.negated(with.floor(with.negated(a)));
    case Kind::round:
        return with.nearest(a);
    case Kind::elu:
        return with.less(a, zero) ? with.times(with.number(op.alpha.value_or(1)), with.function(op, a)) : a;
    case Kind::sqrt:
        return with.root(a);
    case Kind::reciprocal:
        return with.over(with.number(1), a);
    case Kind::sum:
    case Kind::mean:
    case Kind::min:
    case Kind::max: {
        auto result = a;
        for (size_t i = 1; i < in.size(); ++i)
            result = op.kind == Kind::min   ? lesser(with, result, *in[i])
                     : op.kind == Kind::max ? greater(with, result, *in[i])
                                            : with.plus(result, *in[i]);
        return op.kind == Kind::mean ? with.over(result, with.number(double(in.size()))) : result;
    }
    }
    return zero;
}

// Returns where in an input the element lies that belongs to an output's flat index.
size_t place_of(const std::vector<int64_t>& dims, const std::vector<int64_t>& output, int64_t flat)
{
    int64_t place = 0;
    int64_t step = 1;
    for (size_t from_end = 0; from_end < output.size(); ++from_end) {
        const int64_t extent = extent_from_end(output, from_end);
        const int64_t own = extent_from_end(dims, from_end);
        place += own == 1 ? 0 : flat % extent * step;
        step *= own;
        flat /= extent;
    }
    return size_t(place);
}

// Returns the elements that belong to an output's index, one of each input. Clip's bounds are scalars, whatever their rank.
template <class Element>
std::vector<std::optional<Element>> elements_at(std::vector<Element> RealTensor::*list, std::span<const RealTensor> inputs,
                                                const TensorDesc& output, int64_t flat)
{
    std::vector<std::optional<Element>> elements;
    for (const RealTensor& input : inputs) {
        const std::vector<Element>& all = input.*list;
        if (input.desc.dtype == DType::undefined)
            elements.push_back(std::nullopt);
        else
            elements.push_back(all[all.size() == 1 ? 0 : place_of(input.desc.dims, output.dims, flat)]);
    }
    return elements;
}

Element element_of(const RealTensor& input, const TensorDesc& output, int64_t flat)
{
    const size_t place = place_of(input.desc.dims, output.dims, flat);
    if (is_integer(input.desc.dtype))
        return {.dtype = input.desc.dtype, .word = input.words[place]};
    return {.dtype = input.desc.dtype, .value = input.values[place]};
}

// ---- several operators in a row

bool has_operand(Kind kind)
{
    return kind == Kind::prelu || kind == Kind::add || kind == Kind::sub || kind == Kind::mul || kind == Kind::div ||
           kind == Kind::min || kind == Kind::max || kind == Kind::pow;
}

bool takes_input(const ElementwiseStep& step)
{
    return has_operand(step.kind) && !step.number;
}

Elementwise first_of(const Elementwise& chain)
{
    Elementwise first = chain;
    first.steps.clear();
    return first;
}

Elementwise alone(const ElementwiseStep& step)
{
    Elementwise op;
    op.kind = step.kind;
    op.alpha = step.alpha;
    op.beta = step.beta;
    op.min = step.min;
    op.max = step.max;
    op.gamma = step.gamma;
    op.approximate = step.approximate;
    return op;
}

// Returns how many of a chain's inputs belong to the first operator.
size_t own_inputs(const Elementwise& chain, size_t inputs)
{
    const auto operands = size_t(std::count_if(chain.steps.begin(), chain.steps.end(), takes_input));
    return inputs < operands ? 0 : inputs - operands;
}

// Tells whether the number is exactly an element of this integer type.
bool is_number_of(DType dtype, double number)
{
    if (number != std::trunc(number) || std::fabs(number) > 0x1p64)
        return false;
    if (is_signed(dtype))
        return number >= -0x1p63 && number < 0x1p63 && int64_t(normalized(dtype, uint64_t(int64_t(number)))) == int64_t(number);
    return number >= 0 && number < 0x1p64 && normalized(dtype, uint64_t(number)) == uint64_t(number);
}

Status check(const ElementwiseStep& step, DType dtype)
{
    const Signature signature = signature_of(step.kind);
    if (signature.versions.empty() || step.kind == Kind::identity || step.kind == Kind::sum || step.kind == Kind::mean ||
        step.kind == Kind::mod)
        return refusal("a step's kind");
    const bool integer = is_integer(dtype);
    if (!takes(step.kind, dtype, signature.versions.back(), signature) || (step.kind == Kind::pow && integer))
        return refusal("a step's type");
    if (!has_operand(step.kind) && (step.number || step.swapped))
        return refusal("an operand of a step that has none");
    const Elementwise op = alone(step);
    Status status;
    fields(op, [&](std::string_view name, const auto& value, const auto&...) {
        const bool bound = step.kind == Kind::clip && name.starts_with('m');
        if (is_given(value) && !bound && !has_attribute(step.kind, name, signature.versions.back()))
            status = refusal("a step's attribute " + std::string(name));
        if constexpr (std::is_same_v<decltype(value), const std::optional<float>&>)
            if (value && integer && !is_number_of(dtype, double(*value)))
                status = refusal("a number that is none of the type's");
    });
    if (step.number && integer && !is_number_of(dtype, *step.number))
        return refusal("an operand that is none of the type's");
    return status;
}

Result<Resolution> resolve_chain(const Elementwise& chain, std::span<const TensorDesc> inputs)
{
    const size_t own = own_inputs(chain, inputs.size());
    if (chain.steps.size() > 6 || inputs.size() > 3 || own == 0)
        return refusal("number of steps or inputs");
    Result<Resolution> resolution = resolve(first_of(chain), inputs.first(own));
    if (!resolution)
        return resolution;
    TensorDesc& output = resolution->output;
    for (const ElementwiseStep& step : chain.steps)
        if (Status status = check(step, inputs[0].dtype); !status)
            return status;
    for (const TensorDesc& input : inputs.subspan(own)) {
        if (input.dtype != inputs[0].dtype || (input.layout != Layout::ncx && input.layout != Layout::nxc))
            return refusal("a step's input");
        if (Result<int64_t> count = element_count(input); !count)
            return count.status();
        const std::vector<TensorDesc> both = {output, input};
        Result<std::vector<int64_t>> dims = broadcast(both);
        if (!dims)
            return dims.status();
        output.dims = std::move(*dims);
        output.layout = input.layout == Layout::nxc ? Layout::nxc : output.layout;
    }
    if (Result<int64_t> count = element_count(output); !count)
        return count.status();
    return resolution;
}

// Tells whether devices that divide exactly round the kind to nearest.
bool is_native(Kind kind)
{
    return kind == Kind::div || kind == Kind::mean || kind == Kind::sqrt || kind == Kind::reciprocal;
}

// This class holds a value, and the range in which a device's value is after several steps, each of which may be off by as much
// as it may alone.
class Spread {
public:
    // `exact` says that the device divides exactly.
    Spread(DType dtype, bool exact)
        : with_(dtype), exact_(exact), carrier_(dtype == DType::float64 ? DType::float64 : DType::float32)
    {
    }

    void begin(Kind kind, double value)
    {
        value_ = value;
        range_ = Range::of(value);
        widen(kind);
    }

    void step(const ElementwiseStep& step, double other)
    {
        const Elementwise op = alone(step);
        const auto f = [&](double a) { return of(op, step.swapped ? other : a, step.swapped ? a : other); };
        const bool was_point = is_point();
        const bool around_zero = !was_point && range_.low() <= 0 && range_.high() >= 0;
        const bool jumps = step.kind == Kind::reciprocal || step.kind == Kind::pow || (step.kind == Kind::div && step.swapped);
        std::vector<double> places;
        if (!was_point)
            places = {range_.low(), range_.high()};
        for (const double bend : bends_of(op))
            if (range_.low() < bend && bend < range_.high())
                places.push_back(bend);
        value_ = f(value_);
        const bool unknown = range_.is_anything() || (around_zero && jumps) || has_pole(step.kind);
        Range next = unknown ? Range::anything() : Range::of(value_);
        if (has_extremes(step.kind)) {
            next.include(-1);
            next.include(1);
        }
        for (const double place : places)
            next.include(f(place));
        // With numbers and NaN both, it is not known where between the ends one turns into the other.
        range_ = next.has_numbers() && next.has_nan() ? Range::anything() : next;
        widen(step.kind, !was_point && step.kind == Kind::hard_swish ? 1 : 0);  // whose rounded product goes up and down
    }

    bool is_point() const { return range_.is_point(); }
    double value() const { return value_; }
    const Range& range() const { return range_; }

private:
    double of(const Elementwise& op, double a, double b) const
    {
        if (op.kind == Kind::pow)
            return power_of({.dtype = carrier_, .value = a}, {.dtype = carrier_, .value = b}).value.hi;
        return has_operand(op.kind) ? computed(with_, op, {a, b}) : computed(with_, op, {a});
    }

    // Returns the places where a kind's slope may change its sign: 0, and the minimum of a kind that falls before it rises.
    static std::vector<double> bends_of(const Elementwise& op)
    {
        std::vector<double> bends = {0.0};
        if (op.kind == Kind::hard_swish)
            bends.push_back(-1.5);
        if (op.kind == Kind::mish)
            bends.push_back(-1.1924312);
        if (op.kind == Kind::gelu)
            bends.push_back(op.approximate == GeluApproximation::tanh ? -0.7524614 : -0.7517916);
        if (op.kind == Kind::swish)
            bends.push_back(-1.2784645 / op.alpha.value_or(1));
        return bends;
    }

    // Tells whether the range has a number first + n * pi, for a whole n.
    bool has_multiple(double first) const
    {
        const auto before = [&](double place) { return std::floor((place - first) / std::numbers::pi); };
        return !is_point() && before(range_.low()) != before(range_.high());
    }

    bool has_pole(Kind kind) const { return kind == Kind::tan && has_multiple(std::numbers::pi / 2); }

    bool has_extremes(Kind kind) const
    {
        return (kind == Kind::sin && has_multiple(std::numbers::pi / 2)) || (kind == Kind::cos && has_multiple(0));
    }

    // Widens the range by what the step may be off. Denormals may be flushed.
    void widen(Kind kind, double more = 0)
    {
        const bool native = is_native(kind);
        const double ulps = (native && exact_ ? 0 : ulps_of(kind)) + more;
        const double normal = carrier_ == DType::float64 ? 0x1p-1022 : 0x1p-126;
        const auto end = [&](double place, double sign) {
            if (ulps > 0 && std::isfinite(place))
                place += sign * ulps * ulp_at(carrier_, rounded(carrier_, place));
            if (place != 0 && std::fabs(place) < normal)
                place = sign * std::max(0.0, sign * place);
            return rounded(carrier_, place);
        };
        value_ = rounded(carrier_, value_);
        if (!range_.has_numbers() || range_.is_anything())
            return;
        Range wider = Range::of(end(range_.low(), -1));
        wider.include(end(range_.high(), 1));
        range_ = wider;
    }

    Floats with_;
    bool exact_;
    DType carrier_;
    double value_ = 0;
    Range range_ = {};
};

}  // namespace

bool has_attribute(Kind kind, std::string_view name, int64_t version)
{
    if (kind == Kind::clip)
        return (name == "min" || name == "max") && version == 6;
    switch (kind) {
    case Kind::leaky_relu:
    case Kind::elu:
    case Kind::thresholded_relu:
    case Kind::celu:
    case Kind::swish:
        return name == "alpha";
    case Kind::hard_sigmoid:
        return name == "alpha" || name == "beta";
    case Kind::selu:
        return name == "alpha" || name == "gamma";
    case Kind::gelu:
        return name == "approximate";
    case Kind::mod:
        return name == "fmod";
    default:
        return false;
    }
}

std::span<const int64_t> versions_of(Kind kind)
{
    static const auto all = [] {
        std::vector<std::vector<int64_t>> versions;
        for (const Spelling<Kind>& each : elementwise_words) {
            versions.resize(std::max(versions.size(), size_t(each.value) + 1));
            versions[size_t(each.value)] = signature_of(each.value).versions;
        }
        return versions;
    }();
    return size_t(kind) < all.size() ? std::span<const int64_t>(all[size_t(kind)]) : std::span<const int64_t>();
}

Result<Resolution> resolve(const Elementwise& attributes, std::span<const TensorDesc> inputs)
{
    if (!attributes.steps.empty())
        return resolve_chain(attributes, inputs);
    const Signature signature = signature_of(attributes.kind);
    if (signature.versions.empty())
        return refusal("kind");
    if (attributes.opset < signature.versions.front())
        return refusal("opset");
    int64_t version = 0;
    for (const int64_t each : signature.versions)
        version = each <= attributes.opset ? each : version;
    if (Status status = check(attributes, inputs, version, signature); !status)
        return status;
    Result<std::vector<int64_t>> dims = attributes.kind == Kind::clip ? Result(inputs[0].dims) : broadcast(inputs);
    if (!dims)
        return dims.status();
    for (const TensorDesc& input : inputs) {
        if (attributes.kind == Kind::prelu && *dims != inputs[0].dims)
            return refusal("slope does not broadcast to X");
        if (attributes.kind == Kind::clip && &input != &inputs[0] && input.dtype != DType::undefined &&
            *element_count(input) != 1)
            return refusal("a bound that is no scalar");
        const bool may_broadcast = version >= 7;
        if (!may_broadcast && attributes.kind != Kind::clip && input.dims != inputs[0].dims)
            return refusal("version 6 does not broadcast");
    }
    Resolution resolution = {.output = {inputs[0].dtype, *dims}};
    for (const TensorDesc& input : inputs)
        if (input.layout == Layout::nxc)
            resolution.output.layout = Layout::nxc;
    if (Result<int64_t> count = element_count(resolution.output); !count)
        return count.status();
    return resolution;
}

namespace {

// Returns the answer of one operator with these inputs.
Answer answer_of(const Elementwise& op, std::span<const RealTensor> inputs, const TensorDesc& output, int64_t flat, bool by_words)
{
    const DType dtype = inputs[0].desc.dtype;
    if (op.kind == Kind::pow)
        return power_of(element_of(inputs[0], output, flat), element_of(inputs[1], output, flat));
    Answer answer;
    if (by_words) {
        answer.word = computed(Integers(dtype), op, elements_at(&RealTensor::words, inputs, output, flat));
        return answer;
    }
    answer.value = computed(Floats(dtype), op, elements_at(&RealTensor::values, inputs, output, flat));
    answer.ulps = ulps_of(op.kind);
    answer.native = is_native(op.kind);
    return answer;
}

// Returns the answer of several operators in a row for integers.
Answer chained_word(const Elementwise& chain, std::span<const RealTensor> inputs, const TensorDesc& output, int64_t flat)
{
    const Integers with(output.dtype);
    size_t next = own_inputs(chain, inputs.size());
    Answer answer = answer_of(first_of(chain), inputs.first(next), output, flat, true);
    for (const ElementwiseStep& step : chain.steps) {
        const uint64_t other =
            takes_input(step) ? element_of(inputs[next++], output, flat).word : with.number(step.number.value_or(0));
        if (has_operand(step.kind))
            answer.word = computed(with, alone(step), {step.swapped ? other : *answer.word, step.swapped ? *answer.word : other});
        else
            answer.word = computed(with, alone(step), {*answer.word});
    }
    return answer;
}

// Returns the answer of several operators in a row for floating-point numbers.
Answer chained_value(const Elementwise& chain, std::span<const RealTensor> inputs, const TensorDesc& output, int64_t flat)
{
    const Floats with(output.dtype);
    const size_t own = own_inputs(chain, inputs.size());
    const Answer first = answer_of(first_of(chain), inputs.first(own), output, flat, false);
    Answer answer;
    std::vector<Spread> spreads = {Spread(output.dtype, true), Spread(output.dtype, false)};
    for (Spread& spread : spreads) {
        size_t next = own;
        spread.begin(chain.kind, first.value.hi);
        for (const ElementwiseStep& step : chain.steps)
            spread.step(step, takes_input(step) ? element_of(inputs[next++], output, flat).value
                                                : with.number(step.number.value_or(0)));
    }
    answer.value = spreads[0].value();
    if (!spreads[0].is_point() || !spreads[1].is_point())
        answer.ranges = {spreads[0].range(), spreads[1].range()};
    return answer;
}

}  // namespace

Result<std::vector<Answer>> reference(const Elementwise& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    std::vector<TensorDesc> descs;
    for (const RealTensor& input : inputs)
        descs.push_back(input.desc);
    const Result<Resolution> resolution = resolve(attributes, descs);
    if (!resolution)
        return resolution.status();
    const TensorDesc& output = resolution->output;
    const bool integer = is_integer(output.dtype);
    std::vector<Answer> answers;
    for (const int64_t flat : sample) {
        if (attributes.steps.empty())
            answers.push_back(answer_of(attributes, inputs, output, flat, integer || attributes.kind == Kind::identity));
        else
            answers.push_back(integer ? chained_word(attributes, inputs, output, flat)
                                      : chained_value(attributes, inputs, output, flat));
    }
    return answers;
}

}  // namespace vkonnx::kit
