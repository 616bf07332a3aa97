// This file tests on every device that operators before opset 7 broadcast as their attributes say: with B under the dimensions
// that NumPy's rules need, the operators of opset 7 give the same bits.
#include <random>

#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using onnx::HostTensor;

struct OldProblem {
    std::string op = {};
    int64_t opset = 6;
    Dims a = {}, b = {};
    Dims spread = {};  // B's dimensions for opset 7
    std::vector<std::string> attributes = {};
    DType made = DType::float32;
};

std::vector<HostTensor> answers_of(const CaseDevice& device, const OldProblem& problem, bool is_old,
                                   const std::vector<HostTensor>& inputs)
{
    kit::ModelBuilder model;
    model.opset(is_old ? problem.opset : 7);
    std::vector<HostTensor> given = inputs;
    if (!is_old)
        given[1].desc.dims = problem.spread;
    for (size_t i = 0; i < given.size(); ++i)
        model.input(i == 0 ? "A" : "B", given[i].desc.dtype, {given[i].desc.dims.begin(), given[i].desc.dims.end()});
    const std::vector<std::string> attributes = is_old ? problem.attributes : std::vector<std::string>();
    return run(device, model.node(problem.op, {"A", "B"}, {"C"}, attributes).output("C").build(), given);
}

TEST(OldBroadcasting, IsThatOfNumPyUnderOtherDimensions)
{
    const std::string repeats = kit::int_attribute("broadcast", 1), first = kit::int_attribute("axis", 0),
                      second = kit::int_attribute("axis", 1);
    std::vector<OldProblem> problems;
    const auto add = [&](const std::string& op, int64_t opset, DType made) {
        problems.push_back({op, opset, {2, 3, 4}, {2, 3, 4}, {2, 3, 4}, {}, made});
        problems.push_back({op, opset, {2, 3, 4}, {4}, {4}, {repeats}, made});
        problems.push_back({op, opset, {2, 3, 4}, {3}, {3, 1}, {repeats, second}, made});
        problems.push_back({op, opset, {2, 3, 3}, {2, 3}, {2, 3, 1}, {repeats, first}, made});
        problems.push_back({op, opset, {2, 3}, {1}, {}, {repeats, first}, made});
    };
    for (const char* op : {"Add", "Sub", "Mul", "Div"})
        for (const int64_t opset : {1, 6})
            add(op, opset, DType::float32);
    add("Pow", 6, DType::float32);
    for (const char* op : {"Equal", "Greater", "Less", "And", "Or", "Xor"})
        add(op, 6, DType::boolean);
    problems.push_back({"PRelu", 6, {2, 3, 4}, {3}, {3, 1}});
    problems.push_back({"PRelu", 1, {2, 3}, {1}, {1}});
    on_every_device([&](const CaseDevice& device) {
        std::mt19937 random(1);
        for (const OldProblem& problem : problems) {
            SCOPED_TRACE(problem.op + " of opset " + std::to_string(problem.opset) + ", B " + testing::PrintToString(problem.b));
            const bool joins = problem.op == "And" || problem.op == "Or" || problem.op == "Xor";
            std::vector<HostTensor> inputs;
            for (const Dims& dims : {problem.a, problem.b}) {
                std::vector<float> values;
                std::vector<uint8_t> flags;
                for (int64_t i = 0; i < *element_count({.dtype = DType::float32, .dims = dims}); ++i) {
                    values.push_back(problem.op == "PRelu" ? float(random() % 9) - 4 : float(random() % 5 + 1) / 2);
                    flags.push_back(uint8_t(random() % 2));
                }
                if (problem.op == "Equal")
                    inputs.push_back(host(DType::int32, dims, std::vector<int32_t>(values.begin(), values.end())));
                else
                    inputs.push_back(joins ? host(DType::boolean, dims, flags) : floats(dims, values));
            }
            const std::vector<HostTensor> got = answers_of(device, problem, true, inputs);
            const std::vector<HostTensor> expected = answers_of(device, problem, false, inputs);
            ASSERT_TRUE(got.size() == 1 && expected.size() == 1);
            EXPECT_EQ(got[0].desc, (TensorDesc{.dtype = problem.made, .dims = problem.a}));
            EXPECT_EQ(got[0].data, expected[0].data);
        }
    });
}

TEST(OldBroadcasting, AddsBAlongTheAxisThatIsGiven)
{
    const std::string file =
        kit::ModelBuilder()
            .opset(6)
            .input("A", DType::float32, {2, 3})
            .input("B", DType::float32, {2})
            .node("Add", {"A", "B"}, {"C"}, {kit::int_attribute("broadcast", 1), kit::int_attribute("axis", 0)})
            .output("C")
            .build();
    on_every_device([&](const CaseDevice& device) {
        const std::vector<HostTensor> got = run(device, file, {floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({2}, {10, 20})});
        ASSERT_EQ(got.size(), 1u);
        expect_floats(got[0], {2, 3}, {11, 12, 13, 24, 25, 26});
    });
}

TEST(OldBroadcasting, GemmRepeatsC)
{
    const auto product = [](const CaseDevice& device, const Dims& c, const std::vector<float>& values, int64_t broadcast) {
        const std::string file = kit::ModelBuilder()
                                     .opset(6)
                                     .input("A", DType::float32, {2, 2})
                                     .input("B", DType::float32, {2, 2})
                                     .input("C", DType::float32, {c.begin(), c.end()})
                                     .node("Gemm", {"A", "B", "C"}, {"Y"},
                                           {kit::float_attribute("beta", 2), kit::int_attribute("transB", 1),
                                            kit::int_attribute("broadcast", broadcast)})
                                     .output("Y")
                                     .build();
        return run(device, file, {floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {5, 6, 7, 8}), floats(c, values)}).at(0);
    };
    on_every_device([&](const CaseDevice& device) {
        expect_floats(product(device, {2}, {10, 20}, 1), {2, 2}, {37, 63, 59, 93});
        expect_floats(product(device, {2, 2}, {10, 20, 30, 40}, 0), {2, 2}, {37, 63, 99, 133});
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
