#include "run_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "kit/compare.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Answer;
using kit::Case;
using kit::Fill;
using kit::HostTensor;

std::vector<float> floats(const std::vector<double>& values)
{
    return std::vector<float>(values.begin(), values.end());
}

// All bits set, a NaN: what an element holds that no kernel wrote.
std::vector<float> poison(const TensorDesc& desc)
{
    return std::vector<float>(static_cast<size_t>(*element_count(desc)), std::bit_cast<float>(UINT32_MAX));
}

Result<Op> prepare(const Device& device, const Case& problem, const std::string& kernel)
{
    return std::visit([&](const auto& attributes) { return device.prepare(attributes, problem.inputs, {.kernel = kernel}); },
                      problem.attributes);
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
    const std::string stem(operator_of(problem));
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
void expect_right_runs(const Device& device, const Op& op, const std::vector<HostTensor>& inputs,
                       const std::vector<int64_t>& sample, const std::vector<Answer>& answers, Fill fill)
{
    std::vector<Tensor> operands;
    for (const HostTensor& input : inputs) {
        const Result<Tensor> tensor = device.tensor(input.desc, floats(input.values));
        ASSERT_TRUE(tensor) << tensor.message();
        operands.push_back(*tensor);
    }
    const TensorDesc& output = op.outputs()[0];
    Result<Tensor> y = device.tensor(output);
    ASSERT_TRUE(y) << y.message();
    const Result<Binding> binding = device.bind(op, operands, std::vector<Tensor>{*y});
    ASSERT_TRUE(binding) << binding.message();

    std::vector<float> first = poison(output);
    std::vector<float> second = first;
    for (std::vector<float>* got : {&first, &second}) {
        const Status poisoned = y->upload(poison(output));
        ASSERT_TRUE(poisoned) << poisoned.message();
        const Status ran = device.run(*binding);
        ASSERT_TRUE(ran) << ran.message();
        const Status read = y->download(*got);
        ASSERT_TRUE(read) << read.message();
    }
    const kit::FloatRules rules = kit::FloatRules::of(device.capabilities());
    EXPECT_EQ(kit::mismatches(output, sample, answers, first, fill, rules), "");
    EXPECT_TRUE(first.empty() || std::memcmp(first.data(), second.data(), first.size() * sizeof(float)) == 0)
        << "a second run gave other bits";
}

void expect_right_kernels(const Device& device, const Case& problem, const TensorDesc& output, const std::vector<Fill>& fills)
{
    std::map<std::string, Op> ops;
    ASSERT_NO_FATAL_FAILURE(prepare_all(device, problem, ops));
    for (const Fill fill : fills) {
        const std::vector<HostTensor> inputs = fill_inputs(problem, fill);
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
    const auto inferred =
        std::visit([&](const auto& attributes) { return infer(attributes, problem.inputs); }, problem.attributes);
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

}  // namespace vkonnx::gpu_test
