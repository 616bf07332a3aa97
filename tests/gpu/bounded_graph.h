// This header builds a graph operator by operator, with what each of them computes: the exact elements, in double, by the
// reference of tests/kit, and along with each element a bound on the error that a device may make of it, whether operators are
// fused or not. The bound follows from the magnitudes of the terms. Elements on whose way something may overflow have no bound.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "kit/elements.h"
#include "kit/operators.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {

using Numbers = std::vector<double>;

// ---- values and their errors

// This says how much the results of operations of a type may be off, and which numbers are drawn.
struct Type {
    DType dtype = {};
    double computed = 0;  // relative error of an operation that rounds in any direction, which is a float's for halves
    double stored = 0;    // relative error of a result in memory
    double least = 0;     // a denormal result may lose so much, too
    double greatest = 0;
    double greatest_sum = 0;     // greatest number of the type that it is computed in
    int smallest = 0, most = 0;  // powers of two between which values are drawn
};

inline Type type_of(DType dtype)
{
    constexpr double floats = std::numeric_limits<float>::max(), doubles = std::numeric_limits<double>::max();
    switch (dtype) {
    case DType::float16:
        return {dtype, 0x1p-23, 0x1p-11, 0x1p-25, 65504, floats, -10, 12};
    case DType::bfloat16:
        return {dtype, 0x1p-23, 0x1p-8, 0x1p-126, floats, floats, -90, 90};
    case DType::float32:
        return {dtype, 0x1p-23, 0x1p-23, 0x1p-126, floats, floats, -90, 90};
    case DType::float64:
        return {dtype, 0x1p-52, 0x1p-52, 0x1p-1022, doubles, doubles, -90, 90};
    default:  // int32: exact
        return {dtype, 0, 0, 0, 0x1p30, 0x1p30, 0, 0};
    }
}

// A value is a constant, or a value of the graph: its elements, computed in double, and by how much a device's may differ,
// whether the operators that make them are fused or not. The error is infinite where something on the way may overflow, and for
// all that is computed from it.
struct Value {
    std::string name = {};
    Dims dims = {};
    Numbers exact = {};
    Numbers error = {};
    // Each element is a sum of terms. These are the sums of their magnitudes, by which weights are rounded: see Fusion::weights.
    Numbers terms = {};
    bool takes_constants = false;  // its operator has weights, into which constants behind it are folded
};

struct Reference {
    Dims dims = {};
    Numbers values = {};
    Numbers magnitudes = {};
    double taps = 0;  // the most taps of an element
};

inline kit::RealTensor real(const Dims& dims, const Numbers& values)
{
    kit::RealTensor tensor = {.desc = {DType::float64, dims}, .values = values};
    return tensor;
}

template <class Named>
Reference reference_of(const Named& op, const std::vector<kit::RealTensor>& inputs)
{
    std::vector<TensorDesc> descs;
    for (const kit::RealTensor& input : inputs)
        descs.push_back(input.desc);
    const Result<kit::Resolution> resolution = kit::resolve(op, descs);
    if (!resolution)
        throw std::runtime_error(std::string(Named::name) + ": " + std::string(resolution.message()));
    const std::vector<int64_t> all = kit::sample_of(resolution->output, std::numeric_limits<int64_t>::max());
    const Result<std::vector<kit::Answer>> answers = kit::reference(op, inputs, all);
    if (!answers)
        throw std::runtime_error(std::string(Named::name) + ": " + std::string(answers.message()));
    Reference made = {.dims = resolution->output.dims};
    for (const kit::Answer& answer : *answers) {
        made.values.push_back(answer.word ? std::bit_cast<double>(*answer.word) : answer.value.hi);
        made.magnitudes.push_back(answer.magnitude);
        made.taps = std::max(made.taps, double(answer.taps));
    }
    return made;
}

struct NamedElementwise : Elementwise {
    static constexpr std::string_view name = "an elementwise operator";
};

inline Reference elementwise(ElementwiseKind kind, const std::vector<kit::RealTensor>& inputs)
{
    NamedElementwise op;
    op.kind = kind;
    return reference_of(op, inputs);
}

inline Numbers magnitudes(Numbers numbers)
{
    for (double& number : numbers)
        number = std::abs(number);
    return numbers;
}

inline Numbers sum(Numbers a, const Numbers& b, double factor = 1)
{
    for (size_t i = 0; i < a.size(); ++i)
        a[i] += factor * b[i];
    return a;
}

// ---- graphs

// This class is a graph whose methods add operators and return their results. A derived class says which ones, and draws their
// numbers.
class BoundedGraph {
public:
    std::string file() const { return builder_.build(); }
    DType dtype() const { return type_.dtype; }
    // Returns the value that the graph gives.
    const Value& output() const { return last_; }

    std::vector<onnx::HostTensor> inputs = {};
    std::string text = {};  // the operators

protected:
    using Kind = ElementwiseKind;
    using HostTensor = onnx::HostTensor;

    bool is_integer() const { return type_.dtype == DType::int32; }

    // ---- numbers

    // This is the magnitude of the largest element that has a bound on its error.
    double size_of(const Value& value) const
    {
        double size = 0;
        for (size_t i = 0; i < value.exact.size(); ++i)
            if (std::isfinite(value.error[i]))
                size = std::max(size, std::abs(value.exact[i]));
        return size > 0 ? size : 1;
    }

    // Rounds to the type. A denormal float becomes 0, because a device may read it so.
    double rounded(double number) const
    {
        if (is_integer())
            return std::trunc(number);
        return type_.dtype != DType::float16 && std::abs(number) < 0x1p-126 ? 0 : kit::rounded(type_.dtype, number);
    }

    std::vector<std::byte> encoded(const Numbers& numbers) const
    {
        if (!is_integer())
            return kit::encoded(type_.dtype, numbers);
        const std::vector<int32_t> whole(numbers.begin(), numbers.end());
        const std::span<const std::byte> bytes = std::as_bytes(std::span(whole));
        return {bytes.begin(), bytes.end()};
    }

    Value made(std::string name, const Dims& dims, Numbers numbers)
    {
        for (double& number : numbers)
            number = rounded(number);
        Value value = {.name = std::move(name), .dims = dims, .exact = std::move(numbers)};
        value.error.assign(value.exact.size(), 0);
        value.terms = magnitudes(value.exact);
        return value;
    }

    // ---- constants and inputs

    Value constant(const Dims& dims, const Numbers& numbers)
    {
        Value value = made("c" + std::to_string(constants_++), dims, numbers);
        builder_.initializer(kit::raw_tensor(value.name, {type_.dtype, dims}, encoded(value.exact)));
        return value;
    }

    Value scalar(double number) { return constant({}, Numbers{number}); }

    std::string list(const std::vector<int64_t>& numbers)
    {
        const std::string name = "l" + std::to_string(constants_++);
        builder_.initializer(kit::int64_tensor(name, {int64_t(numbers.size())}, numbers));
        return name;
    }

    Value given(const Dims& dims, const Numbers& numbers)
    {
        Value value = made("x" + std::to_string(inputs.size()), dims, numbers);
        builder_.input(value.name, type_.dtype, std::vector<kit::Dim>(dims.begin(), dims.end()));
        HostTensor tensor;
        tensor.desc = {.dtype = type_.dtype, .dims = dims};
        tensor.data = encoded(value.exact);
        inputs.push_back(std::move(tensor));
        return value;
    }

    // ---- operators

    void node(const std::string& op, const std::vector<std::string>& from, const std::string& to,
              const std::vector<std::string>& attributes = {})
    {
        builder_.node(op, from, {to}, attributes);
        text += " " + op;
    }

    std::string next_name() { return "v" + std::to_string(values_++); }

    // Rounds a result, which has this error already, to the type. Where it or a sum of its terms may overflow, there is no bound.
    Value stored(Reference reference, Numbers error, Numbers terms, bool takes_constants = false)
    {
        Value value = {.name = next_name(), .dims = std::move(reference.dims), .exact = std::move(reference.values)};
        for (size_t i = 0; i < error.size(); ++i) {
            const double most = std::abs(value.exact[i]) + error[i];
            const bool fits = most <= type_.greatest / 2 && terms[i] <= type_.greatest_sum / 2;
            error[i] = fits ? error[i] + type_.stored * most + type_.least : HUGE_VAL;
        }
        value.terms = takes_constants ? std::move(terms) : magnitudes(value.exact);
        value.error = std::move(error);
        value.takes_constants = takes_constants;
        return value;
    }

    kit::RealTensor exact(const Value& value) const { return real(value.dims, value.exact); }
    kit::RealTensor magnitude(const Value& value) const { return real(value.dims, magnitudes(value.exact)); }

    // Adds a convolution or a product of matrices, with constant weights and perhaps a constant bias.
    template <class Named>
    Value product(const Named& op, const Value& x, const std::vector<Value>& constants,
                  const std::vector<std::string>& attributes)
    {
        std::vector<kit::RealTensor> all = {exact(x)};
        std::vector<std::string> names = {x.name};
        for (const Value& each : constants) {
            all.push_back(exact(each));
            names.push_back(each.name);
        }
        Reference reference = reference_of(op, all);
        const double u = (reference.taps + 6) * type_.computed;
        Numbers terms = reference.magnitudes;
        Numbers error = reference_of(op, {real(x.dims, x.error), magnitude(constants[0])}).values;
        error = sum(sum(error, error, u), terms, u);
        Value value = stored(std::move(reference), std::move(error), std::move(terms), true);
        node(std::string(Named::name), names, value.name, attributes);
        return value;
    }

    // Adds an Add, Sub, Mul or Div with a constant that is broadcast to x. In weights it rounds these once more, and the bias.
    Value arithmetic(Kind kind, const Value& x, const Value& number, bool in_front = false)
    {
        const kit::RealTensor ones = real(x.dims, Numbers(x.exact.size(), 1)), other = magnitude(number);
        const bool scales = kind == Kind::mul || kind == Kind::div;
        const Numbers size = elementwise(scales ? kind : Kind::mul, {ones, other}).values;
        Reference reference =
            elementwise(kind, in_front ? std::vector{exact(number), exact(x)} : std::vector{exact(x), exact(number)});
        Numbers error = x.error, terms = x.terms;
        for (size_t i = 0; i < error.size(); ++i) {
            error[i] = (scales ? size[i] : 1) * error[i];
            terms[i] = scales ? size[i] * terms[i] : terms[i] + size[i];
            error[i] +=
                8 * type_.computed * std::abs(reference.values[i]) + (x.takes_constants ? 3 * type_.stored * terms[i] : 0);
        }
        Value value = stored(std::move(reference), std::move(error), std::move(terms), x.takes_constants);
        node(std::string(vkonnx::name(kind)), in_front ? std::vector{number.name, x.name} : std::vector{x.name, number.name},
             value.name);
        return value;
    }

    // Adds a BatchNormalization, which is in the weights of the operator before it, or is computed in float.
    Value normalization(const Value& x, const Value& scale, const Value& shift, const Value& mean, const Value& var)
    {
        const BatchNormalization op;
        const auto of = [&](const Value& each) { return real(each.dims, magnitudes(each.exact)); };
        const kit::RealTensor none = real(mean.dims, Numbers(mean.exact.size(), 0));
        kit::RealTensor minus_mean = of(mean);
        for (double& number : minus_mean.values)
            number = -number;
        const auto scaled = [&](const Numbers& numbers) {
            return reference_of(op, {real(x.dims, numbers), of(scale), none, none, exact(var)}).values;
        };
        const auto added_up = [&](const Numbers& numbers) {
            return reference_of(op, {real(x.dims, numbers), of(scale), of(shift), minus_mean, exact(var)}).values;
        };
        Reference reference = reference_of(op, {exact(x), exact(scale), exact(shift), exact(mean), exact(var)});
        const Numbers local = added_up(magnitudes(x.exact));
        Numbers error = sum(scaled(x.error), local, 24 * type_.computed);
        Numbers terms;
        if (x.takes_constants) {
            terms = added_up(x.terms);
            error = sum(error, terms, 3 * type_.stored);
        } else {
            // Constants behind it are rounded with its own scale and B.
            terms = sum(magnitudes(reference.values), reference_of(op, {exact(x), none, of(shift), none, exact(var)}).values, 2);
            for (size_t i = 0; i < terms.size(); ++i)
                error[i] = local[i] <= type_.greatest_sum / 2 ? error[i] : HUGE_VAL;
        }
        Value value = stored(std::move(reference), std::move(error), std::move(terms), true);
        node("BatchNormalization", {x.name, scale.name, shift.name, mean.name, var.name}, value.name);
        return value;
    }

    // Adds an operator of one input whose results differ by at most `slope` times as much as the inputs. It may round numbers
    // that are larger than its result by `beside`.
    Value activation(Kind kind, const Value& x, double slope = 1, double beside = 0)
    {
        return changed(elementwise(kind, {exact(x)}), std::string(vkonnx::name(kind)), {x}, slope, beside);
    }

    // Adds an operator of several inputs, which differs in each of them by at most `slope` times as much.
    Value changed(Reference reference, const std::string& op, const std::vector<Value>& from, double slope = 1, double beside = 0)
    {
        Numbers error(reference.values.size()), terms(error.size(), 0);
        std::vector<std::string> names;
        for (const Value& each : from) {
            names.push_back(each.name);
            const kit::RealTensor zeros = real(reference.dims, Numbers(error.size(), 0));
            error = sum(error, elementwise(Kind::add, {zeros, real(each.dims, each.error)}).values, slope);
            terms = sum(terms, elementwise(Kind::add, {zeros, magnitude(each)}).values);
        }
        for (size_t i = 0; i < error.size(); ++i)
            error[i] += type_.computed * 8 * (op == "Sum" ? terms[i] : std::abs(reference.values[i]) + beside);
        Value value = stored(std::move(reference), std::move(error), std::move(terms));
        node(op, names, value.name);
        return value;
    }

    Value clipped(const Value& x, const Value& least, const Value& most)
    {
        const auto clip = [&](double number) { return std::min(std::max(number, least.exact[0]), most.exact[0]); };
        Reference reference = {.dims = x.dims};
        Numbers error = x.error;
        for (size_t i = 0; i < error.size(); ++i) {
            const double made = clip(x.exact[i]);
            reference.values.push_back(made);
            // Beyond a bound there is no difference.
            if (std::isfinite(error[i]))
                error[i] = std::max(clip(x.exact[i] + error[i]) - made, made - clip(x.exact[i] - error[i]));
        }
        Value value = stored(std::move(reference), std::move(error), Numbers(x.exact.size(), 0));
        node("Clip", {x.name, least.name, most.name}, value.name);
        return value;
    }

    Value multiplied(const Value& a, const Value& b)
    {
        const kit::RealTensor a_error = real(a.dims, a.error), b_error = real(b.dims, b.error);
        Reference reference = elementwise(Kind::mul, {exact(a), exact(b)});
        Numbers error =
            sum(elementwise(Kind::mul, {magnitude(a), b_error}).values, elementwise(Kind::mul, {a_error, magnitude(b)}).values);
        error =
            sum(sum(error, elementwise(Kind::mul, {a_error, b_error}).values), magnitudes(reference.values), 8 * type_.computed);
        Numbers terms = magnitudes(reference.values);
        Value value = stored(std::move(reference), std::move(error), std::move(terms));
        node("Mul", {a.name, b.name}, value.name);
        return value;
    }

    Value viewed(const Value& x, const Dims& dims, const std::string& op, const std::vector<std::string>& more,
                 const std::vector<std::string>& attributes = {})
    {
        Value value = x;
        value.name = next_name();
        value.dims = dims;
        std::vector<std::string> names = {x.name};
        names.insert(names.end(), more.begin(), more.end());
        node(op, names, value.name, attributes);
        return value;
    }

    Type type_ = {};
    kit::ModelBuilder builder_;
    Value last_;  // what the next operator reads

private:
    size_t constants_ = 0;
    size_t values_ = 0;
};

inline constexpr uint32_t all_fusions = 63;

// Returns the elements of the graph's output on the device, without these fusions, and how many nodes run for it.
inline Numbers output_of(const CaseDevice& device, const BoundedGraph& graph, uint32_t without, size_t& dispatches)
{
    onnx::SessionOptions options;
    options.without_fusions = without;
    Result<onnx::Session> session = prepare(device, graph.file(), {}, options);
    EXPECT_TRUE(session) << session.message();
    const auto outputs = session ? session->run(graph.inputs) : Result<std::vector<onnx::HostTensor>>(session.status());
    EXPECT_TRUE(outputs) << outputs.message();
    if (!outputs)
        return {};
    const auto nodes = session->nodes();
    dispatches = size_t(std::count_if(nodes.begin(), nodes.end(), [](const onnx::NodeReport& node) { return node.runs(); }));
    EXPECT_EQ(outputs->front().desc.dims, graph.output().dims);
    if (graph.dtype() != DType::int32)
        return kit::decoded(graph.dtype(), outputs->front().data);
    const std::vector<int32_t> whole = values_of<int32_t>(outputs->front());
    return Numbers(whole.begin(), whole.end());
}

}  // namespace vkonnx::gpu_test
