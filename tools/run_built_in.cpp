#include <chrono>
#include <cmath>
#include <cstring>

#include "built_in.h"
#include "kit/compare.h"
#include "kit/elements.h"

namespace vkonnx::tools {
namespace {

using kit::Answer;
using kit::Case;
using kit::Fill;

using Bytes = std::vector<std::byte>;

constexpr int64_t most_compared = 100'000;  // outputs of a fill; the reference takes its time

CaseResult failed(std::string message)
{
    return {.outcome = Outcome::failed, .message = std::move(message)};
}

// Returns bytes with all bits set, so that an element that no kernel wrote is a NaN in every floating-point type.
Bytes poison(const TensorDesc& desc)
{
    return Bytes(size_t(*byte_size(desc)), std::byte{0xff});
}

// Runs the op into poisoned memory and returns the bytes of the outputs. Inputs that nothing reads may be left off.
Result<std::vector<Bytes>> outputs_of(const Device& device, const Op& op, std::span<const kit::RealTensor> inputs)
{
    std::vector<Tensor> operands;
    for (const kit::RealTensor& input : inputs) {
        if (input.desc.dtype == DType::undefined)  // not given
            continue;
        const Result<Tensor> tensor = device.tensor(input.desc, kit::encoded(input));
        if (!tensor)
            return tensor.status();
        operands.push_back(*tensor);
    }
    std::vector<Tensor> outputs;
    for (const TensorDesc& desc : op.outputs()) {
        const Result<Tensor> output = device.tensor(desc, poison(desc));
        if (!output)
            return output.status();
        outputs.push_back(*output);
    }
    const Result<Binding> binding = device.bind(op, operands, outputs);
    if (!binding)
        return binding.status();
    if (Status status = device.run(*binding); !status)
        return status;
    std::vector<Bytes> all;
    for (const Tensor& output : outputs) {
        all.push_back(poison(output.desc()));
        if (Status status = output.download(all.back()); !status)
            return status;
    }
    return all;
}

Errors errors_of(const Answer& expected, DType dtype, double got)
{
    const double ulp = kit::ulp_error(expected, dtype, got);
    if (ulp == 0 || std::isinf(ulp))  // also for Inf and NaN, expected or not
        return {ulp, ulp, ulp};
    const double exact = double(expected.value), difference = std::fabs(got - exact);
    return {difference, exact != 0 ? difference / std::fabs(exact) : 0, ulp};
}

// Puts "2 of 9 elements differ:\n  [0] is ...\n  [1] is ...\n" into one line.
std::string one_line(std::string text)
{
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    for (size_t at; (at = text.find("\n  ")) != std::string::npos;)
        text.replace(at, 3, text[at - 1] == ':' ? " " : "; ");
    return text;
}

bool is_real(DType dtype)
{
    return dtype == DType::float32 || dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float64;
}

// Tells whether an element has an error in units of the last place: it is compared as a number, and has one right value. A
// denormal that was flushed is off by any number of units, and right.
bool is_measured(const Answer& answer, DType dtype, Fill fill, const kit::FloatRules& rules)
{
    return !answer.word && !answer.ranges && is_real(dtype) && (fill != Fill::denormals || rules.keeps_denormals);
}

void check_output(const kit::FloatRules& rules, const TensorDesc& desc, std::span<const int64_t> sample,
                  std::span<const Answer> expected, const Bytes& bytes, Fill fill, CaseResult& result)
{
    const std::string mismatch = kit::mismatches(desc, sample, expected, bytes, fill, rules);
    if (!mismatch.empty()) {
        result.outcome = Outcome::failed;
        result.message = one_line(mismatch) + "; filled with " + std::string(kit::name(fill));
    }
    if (expected.empty() || !is_measured(expected[0], desc.dtype, fill, rules))
        return;
    const std::vector<double> got = kit::decoded(desc.dtype, bytes);
    for (size_t i = 0; i < sample.size(); ++i)
        if (is_measured(expected[i], desc.dtype, fill, rules))
            widen(result.errors, errors_of(expected[i], desc.dtype, got[size_t(sample[i])]));
}

void run_fill(const Device& device, const Case& problem, const Op& op, Fill fill, CaseResult& result)
{
    const std::vector<kit::RealTensor> inputs = kit::fill_inputs(problem, fill);
    const Result<std::vector<Bytes>> bytes = outputs_of(device, op, inputs);
    if (!bytes) {
        result.outcome = Outcome::failed;
        result.message = bytes.message();
        return;
    }
    const kit::FloatRules rules = kit::FloatRules::of(device.capabilities(), op.explanation().kernel);
    for (size_t output = 0; output < bytes->size() && result.outcome == Outcome::passed; ++output) {
        const TensorDesc& desc = op.outputs()[output];
        const std::vector<int64_t> sample = kit::sample_of(desc, most_compared);
        const Result<std::vector<Answer>> expected = kit::reference(problem, inputs, sample, output);
        if (!expected) {
            result.outcome = Outcome::failed;
            result.message = expected.message();
            return;
        }
        check_output(rules, desc, sample, *expected, (*bytes)[output], fill, result);
    }
}

std::string list_text(std::span<const int64_t> values)
{
    std::string text;
    for (const int64_t value : values)
        text += (text.empty() ? "" : ",") + std::to_string(value);
    return "[" + text + "]";
}

// Checks both what the host says and what it writes to the device.
void run_shape(const Device& device, const Case& problem, const Op& op, CaseResult& result)
{
    const auto expected = kit::reference(std::get<Shape>(problem.attributes), problem.inputs[0]);
    const Result<std::vector<Bytes>> outputs = expected ? outputs_of(device, op, {}) : expected.status();
    if (!outputs) {
        result.outcome = Outcome::failed;
        result.message = outputs.message();
        return;
    }
    const Bytes& bytes = outputs->front();
    std::vector<int64_t> written(bytes.size() / sizeof(int64_t));
    std::memcpy(written.data(), bytes.data(), bytes.size());
    const std::vector<int64_t> host(op.host_result().begin(), op.host_result().end());
    const std::pair<const char*, const std::vector<int64_t>*> results[] = {{"the host's result", &host},
                                                                           {"the device's tensor", &written}};
    for (const auto& [what, got] : results)
        if (*got != *expected) {
            result.outcome = Outcome::failed;
            result.message = std::string(what) + " is " + list_text(*got) + ", expected " + list_text(*expected);
        }
}

CaseResult run_all_fills(const Device& device, const Case& problem)
{
    const Result<kit::Resolution> expected = kit::resolve(problem);
    if (!expected)
        return failed(std::string(expected.message()));
    const Result<Op> op = device.prepare(problem.attributes, problem.inputs);
    if (!op)
        return {.outcome = op.code() == Code::unsupported ? Outcome::skipped : Outcome::failed,
                .message = std::string(op.message())};
    const std::vector<TensorDesc> outputs = kit::outputs_of(*expected);
    if (op->outputs().size() != outputs.size())
        return failed("has " + std::to_string(op->outputs().size()) + " outputs, expected " + std::to_string(outputs.size()));
    for (size_t i = 0; i < outputs.size(); ++i)
        if (op->outputs()[i] != outputs[i])
            return failed("is " + to_string(op->outputs()[i]) + ", expected " + to_string(outputs[i]));
    CaseResult result = {.kernels = {op->explanation().kernel}};
    if (std::holds_alternative<Shape>(problem.attributes)) {
        run_shape(device, problem, *op, result);
        return result;
    }
    for (const Fill fill : kit::fills_of(problem))
        if (result.outcome == Outcome::passed)
            run_fill(device, problem, *op, fill, result);
    return result;
}

}  // namespace

CaseResult run_built_in(const Device& device, const kit::Case& problem)
{
    const auto begin = std::chrono::steady_clock::now();
    CaseResult result = run_all_fills(device, problem);
    if (result.outcome == Outcome::failed)
        result.message += "; case: " + kit::to_string(problem);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

}  // namespace vkonnx::tools
