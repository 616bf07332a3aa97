// This file tests models with an Einsum on every device, against a reference of higher precision.
#include <algorithm>
#include <random>

#include "kit/compare.h"
#include "kit/einsum.h"
#include "kit/elements.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using kit::EinsumAnswers;
using kit::Fill;
using kit::ModelBuilder;
using kit::RealTensor;
using onnx::HostTensor;

struct EinsumProblem {
    std::string equation = {};
    std::vector<Dims> inputs = {};
};

std::string text_of(const EinsumProblem& problem)
{
    std::string text = problem.equation;
    for (const Dims& dims : problem.inputs)
        text += " " + testing::PrintToString(dims);
    return text;
}

RealTensor drawn(DType dtype, const Dims& dims, Fill fill, std::mt19937& random)
{
    RealTensor tensor;
    tensor.desc = {.dtype = dtype, .dims = dims};
    for (int64_t i = *element_count(tensor.desc); i > 0; --i)
        if (kit::is_integer(dtype))
            tensor.words.push_back(
                kit::normalized(dtype, fill == Fill::integers ? random() % 9 - 4 : uint64_t(random()) << 32 | random()));
        else
            tensor.values.push_back(fill == Fill::integers ? double(random() % 9) - 4 : double(random() % 256) / 128 - 1);
    return tensor;
}

// Returns a model of the inputs. Those whose bit in `constants` is set are in the file.
std::string file_of(const std::string& equation, const std::vector<RealTensor>& inputs, uint32_t constants)
{
    ModelBuilder model;
    std::vector<std::string> names;
    model.opset(17);
    for (size_t i = 0; i < inputs.size(); ++i) {
        const TensorDesc& desc = inputs[i].desc;
        names.push_back("x" + std::to_string(i));
        if ((constants >> i & 1) != 0)
            model.initializer(kit::raw_tensor(names[i], desc, kit::encoded(inputs[i])));
        else
            model.input(names[i], desc.dtype, {desc.dims.begin(), desc.dims.end()});
    }
    return model.node("Einsum", names, {"Y"}, {kit::string_attribute("equation", equation)}).output("Y").build();
}

void expect_einsum(const CaseDevice& device, const EinsumProblem& problem, DType dtype, Fill fill, uint32_t seed,
                   uint32_t constants = 0)
{
    SCOPED_TRACE(text_of(problem) + " " + std::string(name(dtype)) + ", seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<RealTensor> inputs;
    std::vector<HostTensor> given;
    for (const Dims& dims : problem.inputs) {
        inputs.push_back(drawn(dtype, dims, fill, random));
        if ((constants >> (inputs.size() - 1) & 1) == 0)
            given.push_back(host(dtype, dims, kit::encoded(inputs.back())));
    }
    const EinsumAnswers expected = kit::reference_einsum(problem.equation, inputs);
    const std::vector<HostTensor> got = run(device, file_of(problem.equation, inputs, constants), given);
    ASSERT_EQ(got.size(), 1u);
    ASSERT_EQ(got[0].desc, expected.output) << to_string(got[0].desc);
    // A sum that is multiplied may be a zero of another sign than the sum of the products.
    kit::FloatRules rules = kit::FloatRules::of(device.device().capabilities());
    rules.signed_zero_inf_nan = false;
    const std::vector<int64_t> all = kit::sample_of(expected.output, 1 << 20);
    EXPECT_EQ(kit::mismatches(expected.output, all, expected.elements, got[0].data, fill, rules), "");
}

// Each is computed in another way.
const EinsumProblem problems[] = {
    {"i->i", {{5}}},
    {"->", {{}}},
    {",->", {{}, {}}},
    {"ij->ji", {{3, 5}}},
    {"ij->j", {{3, 5}}},
    {"ij->", {{3, 5}}},
    {"ii->i", {{4, 4}}},
    {"ii", {{4, 4}}},
    {"iij->ji", {{3, 3, 2}}},
    {"iji->ij", {{3, 2, 3}}},
    {"iiji->ij", {{3, 3, 2, 3}}},
    {"iijj->ji", {{3, 3, 2, 2}}},
    {"...ii->...i", {{2, 3, 4, 4}}},
    {"i,i->i", {{6}, {6}}},
    {"i,i->", {{6}, {6}}},
    {"i,j->ij", {{3}, {4}}},
    {"i,j->ji", {{3}, {4}}},
    {"ij,ji->ij", {{3, 4}, {4, 3}}},
    {"ij,jk->ik", {{3, 4}, {4, 5}}},
    {"ij,jk->ki", {{3, 4}, {4, 5}}},
    {"ij,kj->ik", {{3, 4}, {5, 4}}},
    {"ji,jk->ik", {{4, 3}, {4, 5}}},
    {"ij,j->i", {{3, 4}, {4}}},
    {"ij,jk", {{3, 4}, {4, 5}}},
    {"bA,Bb", {{3, 4}, {5, 3}}},  // in implicit mode upper case comes first
    {"aA,A->a", {{3, 4}, {4}}},
    {"bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}}},
    {"bhid,bhjd->bhij", {{2, 3, 5, 4}, {2, 3, 6, 4}}},
    {"bhij,bhjd->bhid", {{2, 3, 5, 6}, {2, 3, 6, 4}}},
    {"btgi,gih->btgh", {{2, 3, 4, 5}, {4, 5, 6}}},
    {"btgi,gih->btgh", {{1, 1, 4, 5}, {4, 5, 6}}},
    {"nbtgi,gih->nbtgh", {{1, 2, 3, 4, 5}, {4, 5, 6}}},
    {"btgi,gi->btg", {{2, 3, 4, 5}, {4, 5}}},  // rows lie between batches
    {"bijk,bkj->bi", {{2, 3, 4, 5}, {2, 5, 4}}},
    {"ij,ik->jk", {{3, 1}, {3, 4}}},
    {"ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 5}}},
    {"i,i,i->i", {{7}, {7}, {7}}},
    {"ij,ik,il->jkl", {{3, 2}, {3, 4}, {3, 5}}},
    {"ij,jk,ki->", {{2, 3}, {3, 4}, {4, 2}}},
    {"ijk,l->jl", {{2, 3, 4}, {5}}},  // sums over labels that only one input has
    {"ij,kl->", {{2, 3}, {4, 5}}},
    {"...ij,...jk->...ik", {{2, 1, 3, 4}, {1, 5, 4, 2}}},
    {"...i,i->...", {{2, 3, 4}, {4}}},
    {"i...,j...->ij...", {{2, 3, 1}, {4, 1, 5}}},
    {"...,...", {{2, 3}, {1, 3}}},
    {" i j , j k -> i k ", {{3, 4}, {4, 5}}},
    {"ij,jk->ik", {{0, 4}, {4, 5}}},
    {"ij,jk->ik", {{3, 0}, {0, 5}}},  // sums of nothing
    {"ii,j->ij", {{0, 0}, {5}}},
    {"iij->j", {{3, 3, 0}}},
    {"bij,bjk->bik", {{1, 1, 1}, {1, 1, 1}}},
    {"ab,cd,ef,gh->hgfedcba", {{2, 1}, {2, 2}, {1, 2}, {2, 2}}},
};

TEST(Einsum, EveryEquationInFloat)
{
    on_every_device([](const CaseDevice& device) {
        for (const EinsumProblem& problem : problems)
            expect_einsum(device, problem, DType::float32, Fill::integers, 1);
    });
}

TEST(Einsum, EveryTypeInEveryWay)
{
    const EinsumProblem some[] = {
        {"ij,jk->ki", {{7, 9}, {9, 5}}},
        {"ij,kj->ik", {{7, 9}, {5, 9}}},
        {"bij,bjk->bik", {{2, 7, 9}, {2, 9, 5}}},
        {"iij->j", {{5, 5, 3}}},
        {"iji->ij", {{5, 3, 5}}},
        {"i,j->ji", {{7}, {9}}},
        {"ij,jk,kl->il", {{3, 8}, {8, 9}, {9, 4}}},
    };
    const DType types[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int8,   DType::int16,
                           DType::int32,   DType::int64,   DType::uint8,   DType::uint16,   DType::uint32, DType::uint64};
    on_every_device([&](const CaseDevice& device) {
        for (const EinsumProblem& problem : some)
            for (const DType dtype : types)
                for (const Fill fill : {Fill::integers, Fill::reals})
                    expect_einsum(device, problem, dtype, fill, 2);
    });
}

// Sums between operators are beyond float16, where the result is not: they are kept as floats.
TEST(Einsum, HalvesAreRoundedOnce)
{
    on_every_device([](const CaseDevice& device) {
        const auto halves = [](const Dims& dims, const std::vector<double>& values) {
            return host(DType::float16, dims, kit::encoded(DType::float16, values));
        };
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("A", DType::float16, {2, 2})
                                     .input("B", DType::float16, {2})
                                     .input("C", DType::float16, {1})
                                     .node("Einsum", {"A", "B", "C"}, {"Y"}, {kit::string_attribute("equation", "ij,j,k->ik")})
                                     .output("Y")
                                     .build();
        const auto y = run(device, file, {halves({2, 2}, {1024, 1024, 1, 2}), halves({2}, {64, 64}), halves({1}, {1.0 / 64})});
        ASSERT_EQ(y.size(), 1u);
        EXPECT_EQ(kit::decoded(DType::float16, y[0].data), (std::vector<double>{2048, 3}));
    });
}

// An input that is in the file may be moved before anything runs.
TEST(Einsum, InputsMayBeConstant)
{
    on_every_device([](const CaseDevice& device) {
        for (const uint32_t constants : {1u, 2u, 3u}) {
            expect_einsum(device, {"bhid,bhjd->bhij", {{2, 3, 5, 4}, {2, 3, 6, 4}}}, DType::float32, Fill::reals, 3, constants);
            expect_einsum(device, {"btgi,ghi->btgh", {{2, 3, 4, 5}, {4, 6, 5}}}, DType::float32, Fill::reals, 3, constants);
            expect_einsum(device, {"ii,ij->j", {{4, 4}, {4, 3}}}, DType::float16, Fill::reals, 3, constants);
        }
        expect_einsum(device, {"iij->ji", {{3, 3, 2}}}, DType::float32, Fill::integers, 3, 1);
    });
}

// What follows is fused with the last operator, and operators of one Einsum with each other.
TEST(Einsum, IsFusedWithItsNeighbours)
{
    on_every_device([](const CaseDevice& device) {
        const std::string file = ModelBuilder()
                                     .opset(17)
                                     .input("X", DType::float32, {"n", 3})
                                     .initializer(kit::float_tensor("W", {2, 3}, {1, 2, 3, -4, 5, -6}))
                                     .initializer(kit::float_tensor("b", {2}, {1, -1}))
                                     .node("Einsum", {"X", "W"}, {"H"}, {kit::string_attribute("equation", "ni,oi->no")})
                                     .node("Add", {"H", "b"}, {"S"})
                                     .node("Relu", {"S"}, {"R"})
                                     .node("Einsum", {"R", "R", "R"}, {"Y"}, {kit::string_attribute("equation", "no,no,no->no")})
                                     .node("Neg", {"Y"}, {"Z"})
                                     .output("Z")
                                     .build();
        Result<onnx::Session> session = prepare(device, file, {{.name = "X", .desc = {.dims = {2, 3}}}});
        ASSERT_TRUE(session) << session.message();
        for (const int64_t rows : {2, 1, 2}) {
            const std::vector<float> all = {1, 0, 1, 0, 1, 0};
            const auto z = session->run(std::vector{floats({rows, 3}, {all.begin(), all.begin() + rows * 3})});
            ASSERT_TRUE(z) << z.message();
            const std::vector<float> expected = {-125, 0, -27, -64};
            expect_floats(z->at(0), {rows, 2}, {expected.begin(), expected.begin() + rows * 2});
        }
        std::vector<std::string> kernels;
        for (const onnx::NodeReport& node : session->report().nodes)
            kernels.push_back(node.explanation.kernel);
        ASSERT_EQ(kernels.size(), 5u);
        EXPECT_EQ(kernels[1], "fused");
        EXPECT_EQ(kernels[2], "fused");
        EXPECT_EQ(kernels[3], "fused");
        EXPECT_NE(kernels[4], "fused");
    });
}

// A drawn equation has up to 4 inputs, and up to 4 letters in each.
EinsumProblem random_problem(std::mt19937& random)
{
    const auto below = [&](size_t end) { return size_t(random() % end); };
    std::string letters = "aBcDeF";
    std::shuffle(letters.begin(), letters.end(), random);
    constexpr int64_t extents_drawn[] = {1, 1, 2, 3, 4, 5, 7};
    int64_t extents[128] = {};
    for (const char letter : letters)
        extents[size_t(letter)] = below(40) == 0 ? 0 : extents_drawn[below(std::size(extents_drawn))];
    const Dims dots(below(3), 1 + int64_t(below(3)));
    EinsumProblem problem;
    std::string used;
    bool has_dots = false;
    for (size_t i = 1 + below(2) + below(2) + below(8) / 7; i > 0; --i) {
        Dims dims;
        std::string term;
        for (size_t k = below(5); k > 0; --k) {
            const char letter = letters[below(letters.size())];
            if (term.find(letter) != std::string::npos && below(3) != 0)
                continue;
            term += letter;
            dims.push_back(extents[size_t(letter)]);
            if (used.find(letter) == std::string::npos)
                used += letter;
        }
        if (!dots.empty() && below(4) != 0) {
            const size_t at = below(term.size() + 1);
            term.insert(at, "...");
            for (const int64_t extent : dots)
                dims.insert(dims.begin() + ptrdiff_t(at), below(4) == 0 ? 1 : extent);
            has_dots = true;
        }
        problem.equation += (problem.inputs.empty() ? "" : ",") + term;
        problem.inputs.push_back(std::move(dims));
    }
    if (below(5) == 0)
        return problem;
    std::shuffle(used.begin(), used.end(), random);
    std::string output = used.substr(0, below(used.size() + 1));
    if (has_dots)
        output.insert(below(output.size() + 1), "...");
    problem.equation += "->" + output;
    return problem;
}

TEST(Einsum, RandomEquations)
{
    constexpr DType types[] = {DType::float32, DType::float32, DType::float16, DType::float64, DType::int32, DType::uint8};
    on_every_device([&](const CaseDevice& device) {
        for (uint32_t seed = 1; seed <= 150; ++seed) {
            std::mt19937 random(seed);
            const EinsumProblem problem = random_problem(random);
            const DType dtype = types[random() % std::size(types)];
            expect_einsum(device, problem, dtype, random() % 2 == 0 ? Fill::integers : Fill::reals, seed,
                          random() % 4 == 0 ? uint32_t(random() % 3) : 0);
        }
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
