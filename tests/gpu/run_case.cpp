#include "run_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kit/compare.h"
#include "kit/elements.h"
#include "kit/prologue.h"

namespace vkonnx::gpu_test {
namespace {

using kit::Answer;
using kit::Case;
using kit::Fill;
using kit::RealTensor;

using Bytes = std::vector<std::byte>;

// Returns elements of which all bits are set, a NaN in every floating-point type. They show where no kernel wrote.
Bytes poison(const TensorDesc& desc)
{
    return Bytes(size_t(*byte_size(desc)), std::byte{0xff});
}

Result<Op> prepare(const Device& device, const Case& problem, const PrepareOptions& options)
{
    return device.prepare(problem.attributes, problem.inputs, options);
}

constexpr size_t weights = 1;  // the place of W among the inputs

// This struct holds the outputs of one run and a Binding with them.
struct Bound {
    Op op;
    std::vector<Tensor> outputs;
    Binding binding;
};

Result<Bound> bound(const Device& device, const Case& problem, const std::vector<RealTensor>& inputs, PrepareOptions options,
                    bool constant_weights = false)
{
    std::vector<Tensor> operands;
    for (const RealTensor& input : inputs) {
        if (input.desc.dtype == DType::undefined)  // not given
            continue;
        const Result<Tensor> tensor = device.tensor(input.desc, kit::encoded(input));
        if (!tensor)
            return tensor.status();
        operands.push_back(*tensor);
    }
    if (constant_weights) {
        options.constants = {{.input = weights, .tensor = operands[weights]}};
        operands.erase(operands.begin() + weights);
    }
    const Result<Op> op = prepare(device, problem, options);
    if (!op)
        return op.status();
    std::vector<Tensor> outputs;
    for (const TensorDesc& desc : op->outputs()) {
        const Result<Tensor> output = device.tensor(desc, poison(desc));
        if (!output)
            return output.status();
        outputs.push_back(*output);
    }
    const Result<Binding> binding = device.bind(*op, operands, outputs);
    if (!binding)
        return binding.status();
    return Bound{*op, outputs, *binding};
}

// A case of special values must have some answers that are special, and some that are not. Those that are words, as floats of 8
// bits are, tell nothing of that.
void expect_a_mixture(const std::vector<Answer>& answers)
{
    if (!answers.empty() && answers.front().word)
        return;
    const auto special = [](const Answer& answer) { return !std::isfinite(answer.value.hi); };
    EXPECT_TRUE(std::any_of(answers.begin(), answers.end(), special));
    EXPECT_FALSE(std::all_of(answers.begin(), answers.end(), special));
}

void expect_right_shape(const Device& device, const Case& problem, const TensorDesc& output)
{
    const auto expected = kit::reference(std::get<Shape>(problem.attributes), problem.inputs[0]);
    ASSERT_TRUE(expected) << expected.message();
    const Result<Op> op = prepare(device, problem, PrepareOptions{});
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

// This is a kernel of the operator's list that fits, perhaps only with weights that do not change.
struct Runnable {
    std::string kernel = {};
    bool constant_weights = false;
};

// Finds all of them. Of those that fit without being named, the library must pick the one of the least estimate, and a last
// resort only where there is no other. The name is "" where nothing is dispatched.
void find_kernels(const Device& device, const Case& problem, const PrepareOptions& options, std::vector<Runnable>& runnable)
{
    const auto listed = kernels(problem.attributes, problem.inputs, device.capabilities(), options);
    ASSERT_TRUE(listed) << listed.message();
    const bool has_weights = problem.inputs.size() > weights && problem.inputs[weights].dtype != DType::undefined;
    PrepareOptions constant = options;
    constant.constants = {{.input = has_weights ? weights : 0}};
    const auto with_constants = kernels(problem.attributes, problem.inputs, device.capabilities(), constant);
    ASSERT_TRUE(with_constants) << with_constants.message();
    ASSERT_EQ(listed->size(), with_constants->size());
    const KernelInfo* best = nullptr;
    for (size_t i = 0; i < listed->size(); ++i) {
        const KernelInfo& kernel = listed->at(i);
        if (kernel.unfit.empty() || (has_weights && with_constants->at(i).unfit.empty()))
            runnable.push_back({kernel.name, !kernel.unfit.empty()});
        if (kernel.unfit.empty() && !kernel.only_by_name &&
            (!best || (!kernel.last_resort && (best->last_resort || kernel.seconds < best->seconds))))
            best = &kernel;
    }
    const auto picked = explain(problem.attributes, problem.inputs, device.capabilities(), options);
    ASSERT_TRUE(picked) << picked.message();
    ASSERT_EQ(listed->empty(), picked->kernel == "host");
    ASSERT_TRUE(listed->empty() || best) << "nothing fits";
    ASSERT_TRUE(!best || picked->kernel.find(best->name) == 0) << "picked " << picked->kernel << ", not " << best->name;
    if (listed->empty())
        runnable.push_back({});
}

// Returns how the names of the kernel's modules begin: as its own, except for those of the engine that several operators share.
std::string module_of(const std::string& kernel)
{
    for (const auto& [name, module] :
         {std::pair("conv_transpose_phases", "implicit_gemm_rows"),
          std::pair("conv_transpose_phases_shared", "implicit_gemm_shared_"),
          std::pair("conv_transpose_matrices", "implicit_gemm_matrices_"), std::pair("conv_gemm", "implicit_gemm_rows"),
          std::pair("conv_gemm_shared", "implicit_gemm_shared_"), std::pair("conv_matrices_unpacked", "implicit_gemm_matrices_"),
          std::pair("conv_transpose_matrices_unpacked", "implicit_gemm_matrices_"),
          std::pair("matmul_matrices_unpacked", "implicit_gemm_matrices_"), std::pair("conv_matrices", "implicit_gemm_matrices_"),
          std::pair("conv_points", "implicit_gemm_points_"), std::pair("conv_vector", "matmul_vector_"),
          std::pair("elementwise_quads", "elementwise_"), std::pair("matmul_gemm", "implicit_gemm_rows"),
          std::pair("matmul_gemm_shared", "implicit_gemm_shared_"), std::pair("matmul_matrices", "implicit_gemm_matrices_"),
          std::pair("recurrent_sequence", "recurrent_f32"), std::pair("recurrent_sequence_parts", "recurrent_f32"),
          std::pair("recurrent_steps", "recurrent_f32"), std::pair("recurrent_steps_parts", "recurrent_f32")})
        if (kernel == name)
            return module;
    return kernel;
}

// This struct says what an output's elements should be.
struct Expected {
    TensorDesc desc = {};
    std::vector<int64_t> sample = {};
    std::vector<Answer> answers = {};
};

// Runs twice into poisoned memory. The first run is compared with the reference, the second with the first, bit by bit.
void expect_right_runs(const Device& device, const Case& problem, const Runnable& runnable, PrepareOptions options,
                       const std::vector<RealTensor>& inputs, const std::vector<Expected>& expected, Fill fill)
{
    options.kernel = runnable.kernel;
    const Result<Bound> tensors = bound(device, problem, inputs, options, runnable.constant_weights);
    ASSERT_TRUE(tensors) << tensors.message();
    const Op& op = tensors->op;
    const std::string& runs = op.explanation().kernel;
    const std::string module = module_of(runnable.kernel);
    const auto is_as_asked = [&](const PlannedPipeline& pipeline) { return pipeline.kernel().starts_with(module); };
    const std::vector<PlannedPipeline>& pipelines = op.explanation().pipelines;
    ASSERT_TRUE(runs == "host" ||
                (runs.starts_with(runnable.kernel + "_") && std::any_of(pipelines.begin(), pipelines.end(), is_as_asked)))
        << "asked for " << runnable.kernel << ", got " << runs;
    ASSERT_EQ(op.outputs().size(), expected.size());
    std::vector<Bytes> first, second;
    for (std::vector<Bytes>* got : {&first, &second}) {
        for (Tensor output : tensors->outputs) {
            const Status poisoned = output.upload(poison(output.desc()));
            ASSERT_TRUE(poisoned) << poisoned.message();
        }
        const Status ran = device.run(tensors->binding);
        ASSERT_TRUE(ran) << ran.message();
        for (const Tensor& output : tensors->outputs) {
            got->push_back(poison(output.desc()));
            const Status read = output.download(got->back());
            ASSERT_TRUE(read) << read.message();
        }
    }
    const kit::FloatRules rules = kit::FloatRules::of(device.capabilities(), op.explanation().kernel);
    for (size_t o = 0; o < expected.size(); ++o)
        EXPECT_EQ(kit::mismatches(expected[o].desc, expected[o].sample, expected[o].answers, first[o], fill, rules), "")
            << "output " << o;
    EXPECT_TRUE(first == second) << "a second run gave other bits";
}

// Returns what an epilogue makes of answers to all elements, which are exact.
Result<std::vector<Answer>> followed(const Elementwise& epilogue, const TensorDesc& output, const std::vector<Answer>& answers,
                                     const std::vector<int64_t>& sample)
{
    RealTensor sums = {.desc = output};
    for (const Answer& answer : answers) {
        EXPECT_FALSE(std::isfinite(answer.magnitude) && answer.magnitude > 0x1p24) << "a sum that may be rounded";
        sums.values.push_back(answer.value.hi);
    }
    const Following behind = following(epilogue, std::move(sums));
    return kit::reference(behind.op, behind.inputs, sample);
}

void expect_right_kernels(const Device& device, const Case& problem, const std::vector<TensorDesc>& outputs,
                          const std::vector<Fill>& fills, const PrepareOptions& options)
{
    const Case given = options.prologue ? with_prologue(problem, *options.prologue) : problem;
    std::vector<Runnable> found;
    ASSERT_NO_FATAL_FAILURE(find_kernels(device, given, options, found));
    for (const Fill fill : fills) {
        std::vector<RealTensor> inputs = fill_inputs(problem, fill);
        std::vector<RealTensor> given_inputs = inputs;
        if (options.prologue) {
            const RealTensor numbers = kit::prologue_numbers(problem, *options.prologue);
            given_inputs = kit::with_numbers(inputs, numbers);
            inputs[0] = kit::after_prologue(problem, *options.prologue, std::move(inputs[0]), numbers);
        }
        std::vector<Expected> expected;
        for (const TensorDesc& output : outputs) {
            const std::vector<int64_t> sample = kit::sample_of(output, 8'000'000);
            Result<std::vector<Answer>> answers = kit::reference(problem, inputs, sample, expected.size());
            ASSERT_TRUE(answers) << answers.message();
            const bool has_specials = !kit::is_integer(output.dtype) && output.dtype != DType::boolean;
            if (fill == Fill::specials && !options.epilogue && !options.prologue && has_specials)
                expect_a_mixture(*answers);
            if (options.epilogue)
                answers = followed(*options.epilogue, output, *answers, sample);
            ASSERT_TRUE(answers) << answers.message();
            expected.push_back({output, sample, std::move(*answers)});
        }
        for (const Runnable& runnable : found) {
            SCOPED_TRACE("kernel " + runnable.kernel + ", fill " + std::string(name(fill)));
            ASSERT_NO_FATAL_FAILURE(expect_right_runs(device, given, runnable, options, given_inputs, expected, fill));
        }
    }
}

}  // namespace

Following following(const Elementwise& epilogue, RealTensor x)
{
    const DType dtype = x.desc.dtype;
    Following result = {.op = epilogue, .inputs = {std::move(x)}};
    result.op.min = result.op.max = std::nullopt;
    if (epilogue.kind == ElementwiseKind::clip)
        for (const std::optional<float>& bound : {epilogue.min, epilogue.max})
            result.inputs.push_back(bound ? RealTensor{.desc = {dtype, {}}, .values = {*bound}}
                                          : RealTensor{.desc = {.dtype = DType::undefined}});
    while (result.inputs.back().desc.dtype == DType::undefined)
        result.inputs.pop_back();
    return result;
}

Case with_prologue(const Case& problem, const Prologue& prologue)
{
    Case given = problem;
    std::vector<RealTensor> inputs;
    for (const TensorDesc& desc : problem.inputs)
        inputs.push_back({.desc = desc});
    given.inputs.clear();
    for (const RealTensor& input : kit::with_numbers(std::move(inputs), kit::prologue_numbers(problem, prologue)))
        given.inputs.push_back(input.desc);
    return given;
}

void expect_right(CaseDevice& on, const Case& problem, const std::vector<Fill>& fills, const std::optional<Elementwise>& epilogue,
                  const std::optional<Prologue>& prologue)
{
    const Result<kit::Resolution> expected = resolve(problem);
    ASSERT_TRUE(expected) << expected.message();
    const auto inferred = infer(problem.attributes, problem.inputs);
    ASSERT_TRUE(inferred) << inferred.message();
    const std::vector<TensorDesc> outputs = outputs_of(*expected);
    ASSERT_EQ(inferred->size(), outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i)
        ASSERT_EQ(to_string(inferred->at(i)), to_string(outputs[i]));

    if (std::holds_alternative<Shape>(problem.attributes))
        expect_right_shape(on.device(), problem, expected->output);
    else
        expect_right_kernels(on.device(), problem, outputs, fills, {.epilogue = epilogue, .prologue = prologue});
    EXPECT_EQ(on.shim().guard_report(), "");
    EXPECT_EQ(on.take_messages(), "");
}

bool same_plan(const Explanation& one, const Explanation& other)
{
    return one.kernel == other.kernel && one.specialization == other.specialization && one.grids == other.grids &&
           one.scratch_bytes == other.scratch_bytes && one.pipelines == other.pipelines;
}

Result<std::vector<Bytes>> computed_outputs(const Device& device, const Case& problem, const std::vector<RealTensor>& inputs,
                                            const PrepareOptions& options)
{
    const Result<Bound> tensors = bound(device, problem, inputs, options);
    if (!tensors)
        return tensors.status();
    if (Status status = device.run(tensors->binding); !status)
        return status;
    std::vector<Bytes> all;
    for (const Tensor& output : tensors->outputs) {
        all.push_back(poison(output.desc()));
        if (Status status = output.download(all.back()); !status)
            return status;
    }
    return all;
}

Result<Bytes> computed(const Device& device, const Case& problem, const std::vector<RealTensor>& inputs,
                       const PrepareOptions& options)
{
    Result<std::vector<Bytes>> all = computed_outputs(device, problem, inputs, options);
    return all ? Result<Bytes>(std::move(all->front())) : all.status();
}

}  // namespace vkonnx::gpu_test
