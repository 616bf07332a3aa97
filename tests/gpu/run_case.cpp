#include "run_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kit/compare.h"
#include "kit/elements.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Answer;
using kit::Case;
using kit::Fill;
using kit::RealTensor;

using Bytes = std::vector<std::byte>;

// All bits set, a NaN in every type: what an element holds that no kernel wrote.
Bytes poison(const TensorDesc& desc)
{
    return Bytes(static_cast<size_t>(*byte_size(desc)), std::byte{0xff});
}

Result<Op> prepare(const Device& device, const Case& problem, const PrepareOptions& options)
{
    return device.prepare(problem.attributes, problem.inputs, options);
}

Result<Op> prepare(const Device& device, const Case& problem, const std::string& kernel)
{
    return prepare(device, problem, PrepareOptions{.kernel = kernel});
}

// The tensors of one run: the output, poisoned, and a Binding with them.
struct Bound {
    Tensor y;
    Binding binding;
};

Result<Bound> bound(const Device& device, const Op& op, const std::vector<RealTensor>& inputs)
{
    std::vector<Tensor> operands;
    for (const RealTensor& input : inputs) {
        const Result<Tensor> tensor = device.tensor(input.desc, kit::encoded(input));
        if (!tensor)
            return tensor.status();
        operands.push_back(*tensor);
    }
    const Result<Tensor> y = device.tensor(op.outputs()[0], poison(op.outputs()[0]));
    if (!y)
        return y.status();
    const Result<Binding> binding = device.bind(op, operands, std::vector<Tensor>{*y});
    if (!binding)
        return binding.status();
    return Bound{*y, *binding};
}

// A case of special values is worth nothing when all of its answers are special, or none.
void expect_a_mixture(const std::vector<Answer>& answers)
{
    const auto special = [](const Answer& answer) { return !std::isfinite(answer.value.hi); };
    EXPECT_TRUE(std::any_of(answers.begin(), answers.end(), special));
    EXPECT_FALSE(std::all_of(answers.begin(), answers.end(), special));
}

void expect_right_shape(const Device& device, const Case& problem, const TensorDesc& output)
{
    const auto expected = kit::reference(std::get<Shape>(problem.attributes), problem.inputs[0]);
    ASSERT_TRUE(expected) << expected.message();
    const Result<Op> op = prepare(device, problem, "");
    ASSERT_TRUE(op) << op.message();
    EXPECT_EQ(std::vector<int64_t>(op->host_result().begin(), op->host_result().end()), *expected);
    const Result<Tensor> y = device.tensor(output);
    ASSERT_TRUE(y) << y.message();
    const Result<Binding> binding = device.bind(*op, {}, std::vector<Tensor>{*y});
    ASSERT_TRUE(binding) << binding.message();
    const Status ran = device.run(*binding);
    ASSERT_TRUE(ran) << ran.message();
    std::vector<int64_t> got(expected->size(), -1);
    const Status read = y->download(got);
    ASSERT_TRUE(read) << read.message();
    EXPECT_EQ(got, *expected);
}

// An op for each different kernel. One asked for by name may be refused only as beyond the device, and only when the library
// does not pick it either.
void prepare_all(const Device& device, const Case& problem, std::map<std::string, Op>& ops)
{
    const std::string stem = std::holds_alternative<AveragePool>(problem.attributes) ? "average_pool" : "conv_transpose";
    const Result<Op> picked = prepare(device, problem, "");
    ASSERT_TRUE(picked) << picked.message();
    ops.emplace(picked->explanation().kernel, *picked);
    for (const std::string& kernel : {stem + "_direct", stem + "_nd"}) {
        const Result<Op> op = prepare(device, problem, kernel);
        const bool is_picked = picked->explanation().kernel.find(kernel) == 0;
        if (!op && !is_picked && op.code() == Code::unsupported)
            continue;
        ASSERT_TRUE(op) << kernel << ": " << op.message();
        const std::string& runs = op->explanation().kernel;
        ASSERT_TRUE(runs == "host" || runs.find(kernel) == 0) << "asked for " << kernel << ", got " << runs;
        ops.emplace(runs, *op);
    }
}

// Two runs into poisoned memory: the first is compared with the reference, the second with the first, bit by bit.
void expect_right_runs(const Device& device, const Op& op, const std::vector<RealTensor>& inputs,
                       const std::vector<int64_t>& sample, const std::vector<Answer>& answers, Fill fill)
{
    const Result<Bound> tensors = bound(device, op, inputs);
    ASSERT_TRUE(tensors) << tensors.message();
    Tensor y = tensors->y;
    const TensorDesc& output = op.outputs()[0];
    Bytes first = poison(output);
    Bytes second = first;
    for (Bytes* got : {&first, &second}) {
        const Status poisoned = y.upload(poison(output));
        ASSERT_TRUE(poisoned) << poisoned.message();
        const Status ran = device.run(tensors->binding);
        ASSERT_TRUE(ran) << ran.message();
        const Status read = y.download(*got);
        ASSERT_TRUE(read) << read.message();
    }
    const kit::FloatRules rules = kit::FloatRules::of(device.capabilities(), op.explanation().kernel);
    EXPECT_EQ(kit::mismatches(output, sample, answers, kit::decoded(output.dtype, first), fill, rules), "");
    EXPECT_TRUE(first == second) << "a second run gave other bits";
}

void expect_right_kernels(const Device& device, const Case& problem, const TensorDesc& output, const std::vector<Fill>& fills)
{
    std::map<std::string, Op> ops;
    ASSERT_NO_FATAL_FAILURE(prepare_all(device, problem, ops));
    for (const Fill fill : fills) {
        const std::vector<RealTensor> inputs = fill_inputs(problem, fill);
        const std::vector<int64_t> sample = kit::sample_of(output, 8'000'000);
        const Result<std::vector<Answer>> answers = kit::reference(problem, inputs, sample);
        ASSERT_TRUE(answers) << answers.message();
        if (fill == Fill::specials)
            expect_a_mixture(*answers);
        for (const auto& [kernel, op] : ops) {
            SCOPED_TRACE("kernel " + kernel + ", fill " + std::string(name(fill)));
            ASSERT_NO_FATAL_FAILURE(expect_right_runs(device, op, inputs, sample, *answers, fill));
        }
    }
}

}  // namespace

void expect_right(CaseDevice& on, const Case& problem, const std::vector<Fill>& fills)
{
    const Result<kit::Resolution> expected = resolve(problem);
    ASSERT_TRUE(expected) << expected.message();
    const auto inferred = infer(problem.attributes, problem.inputs);
    ASSERT_TRUE(inferred) << inferred.message();
    ASSERT_EQ(inferred->size(), 1u);
    ASSERT_EQ(to_string(inferred->at(0)), to_string(expected->output));

    if (std::holds_alternative<Shape>(problem.attributes))
        expect_right_shape(on.device(), problem, expected->output);
    else
        expect_right_kernels(on.device(), problem, expected->output, fills);
    EXPECT_EQ(on.shim().guard_report(), "");
    EXPECT_EQ(on.take_messages(), "");
}

Result<Bytes> computed(const Device& device, const Case& problem, const std::vector<RealTensor>& inputs,
                       const PrepareOptions& options)
{
    const Result<Op> op = prepare(device, problem, options);
    if (!op)
        return op.status();
    const Result<Bound> tensors = bound(device, *op, inputs);
    if (!tensors)
        return tensors.status();
    if (Status ran = device.run(tensors->binding); !ran)
        return ran;
    Bytes bytes = poison(op->outputs()[0]);
    if (Status read = tensors->y.download(bytes); !read)
        return read;
    return bytes;
}

}  // namespace vkonnx::gpu_test
