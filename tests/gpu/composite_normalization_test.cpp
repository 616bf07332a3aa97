// This file tests composites that normalize, losses, products and activations on every device, against the reference.
#include <cmath>

#include "composite_problem.h"

namespace vkonnx::gpu_test {
namespace {

using kit::CompositeProblem;
using kit::RealTensor;
using I = int64_t;

TEST(ComposedNormalization, LpNormalizationDividesByTheNorm)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : float_types)
            for (const I p : {1, 2})
                expect_composite(device, {.op_type = "LpNormalization",
                                          .opset = p == 1 ? 1 : 22,
                                          .attributes = {{"p", p}},
                                          .inputs = {draw.tensor(dtype, {3, 9})}});
        for (const I axis : {0, 1, 2, -1, -3})
            expect_composite(device, {.op_type = "LpNormalization",
                                      .attributes = {{"axis", axis}},
                                      .inputs = {draw.tensor(DType::float32, {2, 3, 4})}});
        // The norm of zeros is 0, and so is the result.
        for (const I p : {1, 2})
            expect_composite(device, {.op_type = "LpNormalization",
                                      .attributes = {{"p", p}},
                                      .inputs = {reals(DType::float32, {2, 3}, {0, 0, 0, 1, 0, -3})}});
        for (const Dims& dims : {Dims{0, 3}, Dims{3, 0}})
            expect_composite(device, {.op_type = "LpNormalization", .inputs = {draw.tensor(DType::float32, dims)}});
    });
}

TEST(ComposedNormalization, MeanVarianceNormalizationHasMeanZero)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : float_types)
            expect_composite(device, {.op_type = "MeanVarianceNormalization",
                                      .opset = dtype == DType::bfloat16 ? 13 : 9,
                                      .inputs = {draw.tensor(dtype, {2, 3, 2, 3})}});
        for (const Dims& axes : {Dims{0}, Dims{1, 2}, Dims{-1}, Dims{0, 1, 2}, Dims{-1, 0}})
            expect_composite(device, {.op_type = "MeanVarianceNormalization",
                                      .attributes = {{"axes", axes}},
                                      .inputs = {draw.tensor(DType::float32, {3, 4, 2})}});
        // Equal elements have no deviation, and a large mean does not cancel what there is of it.
        expect_composite(device, {.op_type = "MeanVarianceNormalization",
                                  .attributes = {{"axes", Dims{1}}},
                                  .inputs = {reals(DType::float32, {2, 4}, {3, 3, 3, 3, 8000, 8000.5, 8001, 8001.5})}});
        expect_composite(device, {.op_type = "MeanVarianceNormalization", .inputs = {draw.tensor(DType::float32, {2, 0, 3, 3})}});
    });
}

CompositeProblem group_normalization(DType dtype, I opset, const Dims& dims, I groups, CompositeDraw& draw)
{
    const Dims factors = {opset < 21 ? groups : dims[1]};
    return {.op_type = "GroupNormalization",
            .opset = opset,
            .attributes = {{"num_groups", groups}},
            .inputs = {draw.tensor(dtype, dims), draw.tensor(dtype, factors), draw.tensor(dtype, factors)}};
}

TEST(ComposedNormalization, GroupNormalizationHasAScaleForEachGroupOrChannel)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const I opset : {18, 21}) {
            for (const DType dtype : float_types)
                expect_composite(device, group_normalization(dtype, opset, {2, 4, 3, 2}, 2, draw));
            for (const I groups : {1, 2, 3, 6})
                expect_composite(device, group_normalization(DType::float32, opset, {2, 6, 5}, groups, draw),
                                 groups == 3 ? 6 : 0);
            expect_composite(device, group_normalization(DType::float32, opset, {3, 6}, 2, draw));
            expect_composite(device, group_normalization(DType::float32, opset, {2, 2, 2, 1, 3}, 1, draw));
            expect_composite(device, group_normalization(DType::float32, opset, {0, 4, 3}, 2, draw));
            expect_composite(device, group_normalization(DType::float32, opset, {2, 4, 0}, 2, draw));
            expect_composite(device, group_normalization(DType::float32, opset, {2, 0, 3}, 2, draw));
            CompositeProblem problem = group_normalization(DType::float32, opset, {2, 4, 3}, 2, draw);
            problem.attributes["epsilon"] = 0.5f;
            if (opset == 21)
                problem.attributes["stash_type"] = I(1);
            expect_composite(device, problem);
        }
    });
}

CompositeProblem skip_normalization(bool is_simplified, DType dtype, const Dims& dims, CompositeDraw& draw)
{
    const Dims last = {dims.back()};
    CompositeProblem problem = {.op_type = is_simplified ? "SkipSimplifiedLayerNormalization" : "SkipLayerNormalization",
                                .is_microsoft = true,
                                .inputs = {draw.tensor(dtype, dims), draw.tensor(dtype, dims), draw.tensor(dtype, last)}};
    if (!is_simplified)
        problem.inputs.push_back(draw.flip() ? draw.tensor(dtype, last) : left_out());
    if (draw.flip())
        problem.inputs.push_back(draw.tensor(dtype, last));
    return problem;
}

TEST(ComposedNormalization, RMSNormalizationDividesByTheRootOfTheMeanSquare)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const char* name : {"RMSNormalization", "SimplifiedLayerNormalization"}) {
            const auto problem = [&](DType dtype, const Dims& dims, const Dims& scale) {
                return CompositeProblem{.op_type = name, .inputs = {draw.tensor(dtype, dims), draw.tensor(dtype, scale)}};
            };
            for (const DType dtype : float_types)
                expect_composite(device, problem(dtype, {3, 8}, {8}));
            for (const I axis : {0, 1, 2, -1, -2, -3}) {
                CompositeProblem one = problem(DType::float32, {2, 3, 4}, {4});
                one.attributes = {{"axis", axis}, {"epsilon", 0.25f}, {"stash_type", I(1)}};
                expect_composite(device, one, axis == 0 ? 2 : 0);
            }
            for (const Dims& scale : {Dims{}, Dims{1}, Dims{3, 1}, Dims{1, 3, 4}, Dims{2, 3, 4}})
                expect_composite(device, problem(DType::float32, {2, 3, 4}, scale));
            expect_composite(device, problem(DType::float32, {0, 4}, {4}));
            expect_composite(device, problem(DType::float32, {3, 0}, {0}));
            // The type of the output is that of the scale.
            CompositeProblem mixed = problem(DType::float16, {3, 8}, {8});
            mixed.inputs[1] = draw.tensor(DType::float32, {8});
            expect_composite(device, mixed);
        }
        // What the root is divided by is a float whatever X is.
        for (const DType dtype : {DType::float32, DType::float16, DType::float64})
            expect_composite(device, {.op_type = "SimplifiedLayerNormalization",
                                      .inputs = {draw.tensor(dtype, {2, 3, 4}), draw.tensor(dtype, {4})},
                                      .outputs = 2});
        CompositeProblem doubles = skip_normalization(true, DType::float64, {4, 8}, draw);
        doubles.outputs = 3;
        doubles.unwanted = 2;
        doubles.attributes["epsilon"] = 1e-3f;
        expect_composite(device, doubles);
    });
}

TEST(ComposedNormalization, SkipLayerNormalizationAddsBeforeIt)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const bool is_simplified : {false, true}) {
            for (const DType dtype : exponential_types)
                for (int i = 0; i < 4; ++i) {
                    CompositeProblem problem = skip_normalization(is_simplified, dtype, {2, 3, 8}, draw);
                    problem.attributes["epsilon"] = 1e-3f;
                    expect_composite(device, problem, i == 3 ? 4 : 0);
                }
            CompositeProblem problem = skip_normalization(is_simplified, DType::float16, {4, 8}, draw);
            problem.outputs = 4;
            problem.unwanted = is_simplified ? 2 : 0;
            problem.attributes["epsilon"] = 1e-3f;
            expect_composite(device, problem);
            problem.unwanted = 6;
            expect_composite(device, problem);
            // The skip is broadcast.
            problem = skip_normalization(is_simplified, DType::float32, {2, 3, 4}, draw);
            problem.inputs[1] = draw.tensor(DType::float32, {3, 4});
            expect_composite(device, problem);
            expect_composite(device, skip_normalization(is_simplified, DType::float32, {0, 3, 4}, draw));
        }
    });
}

CompositeProblem loss(bool is_entropy, DType dtype, DType target, const Dims& dims, CompositeDraw& draw)
{
    Dims places = dims;
    places.erase(places.begin() + 1);
    return {.op_type = is_entropy ? "SoftmaxCrossEntropyLoss" : "NegativeLogLikelihoodLoss",
            .opset = 13,
            .inputs = {draw.tensor(dtype, dims), draw.integers(target, places, 0, std::max<I>(dims[1], 1))}};
}

// Draws weights from 1/4 to 1, so that no sum of them cancels.
RealTensor weights_of(DType dtype, I classes, CompositeDraw& draw)
{
    RealTensor weights = draw.integers(dtype, {classes}, 1, 5);
    for (double& weight : weights.values)
        weight /= 4;
    return weights;
}

TEST(ComposedLosses, EveryReductionWithAndWithoutWeights)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const bool is_entropy : {false, true})
            for (const char* reduction : {"none", "sum", "mean"})
                for (const bool has_weights : {false, true})
                    for (const int ignored : {0, 1, 2}) {  // nothing, a class, and what is no class
                        const DType dtype = is_entropy ? draw.any(exponential_types) : draw.any(float_types);
                        CompositeProblem problem =
                            loss(is_entropy, dtype, draw.any({DType::int32, DType::int64}), {4, 3, 2}, draw);
                        problem.attributes["reduction"] = std::string(reduction);
                        if (has_weights)
                            problem.inputs.push_back(weights_of(problem.inputs[0].desc.dtype, 3, draw));
                        if (ignored > 0)
                            problem.attributes["ignore_index"] = I(ignored == 1 ? 1 : -100);
                        if (ignored == 2)
                            problem.inputs[1].words[0] = problem.inputs[1].words[5] = uint64_t(-100);
                        problem.outputs = is_entropy && draw.flip() ? 2 : 1;
                        expect_composite(device, problem, ignored == 1 && has_weights ? 4 : 0);
                    }
    });
}

TEST(ComposedLosses, EdgesOfClassesAndExtents)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const bool is_entropy : {false, true}) {
            for (const I opset : {12, 13, 22}) {
                CompositeProblem problem = loss(is_entropy, DType::float32, DType::int64, {3, 5}, draw);
                problem.opset = opset;
                expect_composite(device, problem);
            }
            // A class beyond the range has no logarithm and no weight.
            CompositeProblem problem = loss(is_entropy, DType::float32, DType::int64, {4, 3}, draw);
            problem.inputs[1].words = {0, 3, 2, 1000};
            problem.attributes["reduction"] = std::string("sum");
            expect_composite(device, problem);
            problem.inputs.push_back(weights_of(DType::float32, 3, draw));
            problem.attributes["reduction"] = std::string("none");
            expect_composite(device, problem);
            // What is ignored need not be an int32, nor a double.
            problem = loss(is_entropy, DType::float32, DType::int32, {4, 3}, draw);
            problem.inputs[1].words = {0, 0, 2, 1};
            problem.attributes["ignore_index"] = I(1) << 32;
            expect_composite(device, problem);
            for (const I ignored : {INT64_MAX, INT64_MIN, (I(1) << 53) + 1}) {
                problem = loss(is_entropy, DType::float32, DType::int64, {4, 3}, draw);
                problem.inputs[1].words[2] = uint64_t(ignored);
                problem.attributes["ignore_index"] = ignored;
                expect_composite(device, problem);
            }
            problem = loss(is_entropy, DType::float32, DType::int64, {0, 3, 2}, draw);
            problem.attributes["reduction"] = std::string("none");
            expect_composite(device, problem);
            problem.attributes["reduction"] = std::string("sum");
            expect_composite(device, problem);
        }
    });
}

TEST(ComposedProducts, FusedMatMulTransposes)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        const auto problem = [&](DType dtype, const Dims& a, const Dims& b, const std::vector<std::string>& flags, float alpha) {
            CompositeProblem made = {
                .op_type = "FusedMatMul", .is_microsoft = true, .inputs = {draw.tensor(dtype, a), draw.tensor(dtype, b)}};
            for (const std::string& flag : flags)
                made.attributes[flag] = I(1);
            if (alpha != 1)
                made.attributes["alpha"] = alpha;
            return made;
        };
        for (const DType dtype : float_types)
            for (const float alpha : {1.0f, 0.375f})
                expect_composite(device, problem(dtype, {3, 5}, {4, 5}, {"transB"}, alpha));
        expect_composite(device, problem(DType::float32, {5, 3}, {5, 4}, {"transA"}, 1));
        expect_composite(device, problem(DType::float32, {2, 5, 3}, {2, 4, 5}, {"transA", "transB"}, -2), 2);
        expect_composite(device, problem(DType::float32, {3, 2, 5}, {2, 5, 4}, {"transBatchA"}, 1));
        expect_composite(device, problem(DType::float32, {2, 3, 5}, {5, 2, 4}, {"transBatchB"}, 1));
        expect_composite(device,
                         problem(DType::float32, {5, 2, 2, 3}, {5, 2, 2, 4}, {"transBatchA", "transA", "transBatchB"}, 1));
        expect_composite(device, problem(DType::float32, {3, 2, 5}, {4, 2, 5}, {"transBatchA", "transBatchB", "transB"}, 0.5f));
        expect_composite(device, problem(DType::float32, {5}, {4, 5}, {"transB"}, 2));
        expect_composite(device, problem(DType::float32, {5, 3}, {5}, {"transA", "transB"}, 2));
        expect_composite(device, problem(DType::float32, {0, 3}, {4, 0}, {"transA", "transB"}, 2));
        // The product of halves is beyond float16, and alpha brings it back.
        expect_composite(device, {.op_type = "FusedMatMul",
                                  .is_microsoft = true,
                                  .attributes = {{"alpha", 0.0625f}},
                                  .inputs = {reals(DType::float16, {1, 1}, {512}), reals(DType::float16, {1, 1}, {256})}});
    });
}

TEST(ComposedActivations, GelusAndTheirBias)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : exponential_types)
            for (const char* name : {"BiasGelu", "FastGelu", "Gelu", "QuickGelu"}) {
                CompositeProblem problem = {
                    .op_type = name, .is_microsoft = true, .inputs = {draw.integers(dtype, {3, 4}, -6, 7)}};
                if (problem.op_type != "Gelu" && problem.op_type != "QuickGelu")
                    problem.inputs.push_back(draw.tensor(dtype, {4}));
                expect_composite(device, problem, 2);
                problem.inputs[0] = draw.tensor(dtype, {0, 4});
                expect_composite(device, problem);
            }
        expect_composite(device, {.op_type = "FastGelu", .is_microsoft = true, .inputs = {draw.tensor(DType::float16, {9})}});
        expect_composite(device, {.op_type = "QuickGelu",
                                  .is_microsoft = true,
                                  .attributes = {{"alpha", -0.5f}},
                                  .inputs = {draw.tensor(DType::float32, {9})}});
    });
}

CompositeProblem random_normalization(CompositeDraw& draw)
{
    const DType dtype = draw.flip(20) ? DType::float64 : draw.any(exponential_types);
    switch (draw.below(6)) {
    case 0: {
        const Dims dims = draw.dims(1 + size_t(draw.below(4)));
        return {.op_type = "LpNormalization",
                .opset = 22,
                .attributes = {{"axis", draw.below(2 * I(dims.size())) - I(dims.size())}, {"p", 1 + draw.below(2)}},
                .inputs = {draw.tensor(dtype, dims)}};
    }
    case 1: {
        const I groups = 1 + draw.below(3);
        Dims dims = draw.dims(2 + size_t(draw.below(3)));
        dims[1] = groups * (1 + draw.below(3));
        CompositeProblem problem = group_normalization(dtype, draw.any({I(18), I(21)}), dims, groups, draw);
        problem.attributes["epsilon"] = 0.125f;
        return problem;
    }
    case 2: {
        const Dims dims = draw.dims(1 + size_t(draw.below(3)), 6);
        const I axis = draw.below(I(dims.size()));
        const Dims scale(dims.begin() + axis, dims.end());
        return {.op_type = "RMSNormalization",
                .attributes = {{"axis", draw.flip() ? axis : axis - I(dims.size())}, {"epsilon", 0.125f}},
                .inputs = {draw.tensor(dtype, dims), draw.tensor(dtype, scale)}};
    }
    case 3: {
        CompositeProblem problem = skip_normalization(draw.flip(), dtype, {1 + draw.below(3), 1 + draw.below(9)}, draw);
        problem.attributes["epsilon"] = 0.125f;
        return problem;
    }
    case 4: {
        const Dims dims = draw.dims(3);
        return {.op_type = "MeanVarianceNormalization",
                .attributes = {{"axes", Dims{draw.below(3)}}},
                .inputs = {draw.tensor(dtype, dims)}};
    }
    default: {
        Dims dims = draw.dims(2 + size_t(draw.below(3)));
        dims[1] = 1 + draw.below(5);
        CompositeProblem problem =
            loss(dtype != DType::float64 && draw.flip(), dtype, draw.any({DType::int32, DType::int64}), dims, draw);
        problem.attributes["reduction"] = std::string(draw.any({"none", "sum"}));
        if (draw.flip())
            problem.attributes["ignore_index"] = draw.below(4);
        if (draw.flip())
            problem.inputs.push_back(draw.tensor(dtype, {dims[1]}));
        return problem;
    }
    }
}

TEST(ComposedNormalization, RandomProblems)
{
    on_every_device([](const CaseDevice& device) {
        for (uint32_t seed = 1; seed <= 100; ++seed) {
            CompositeDraw draw(seed);
            expect_composite(device, random_normalization(draw));
        }
    });
}

// Scales are powers of two, so that a device can't be off in the weights.
TEST(ComposedProducts, MatMulNBitsUnpacksItsWeights)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        const auto scales = [&](DType dtype, const Dims& dims) {
            RealTensor made = draw.integers(dtype, dims, -6, 0);
            for (double& value : made.values)
                value = std::exp2(value);
            return made;
        };
        const auto problem = [&](DType dtype, int64_t bits, int64_t columns, int64_t size) {
            const int64_t blocks = (columns + size - 1) / size;
            return CompositeProblem{.op_type = "MatMulNBits",
                                    .is_microsoft = true,
                                    .attributes = {{"K", columns}, {"N", int64_t(5)}, {"bits", bits}, {"block_size", size}},
                                    .inputs = {draw.tensor(dtype, {2, 3, columns}),
                                               draw.tensor(DType::uint8, {5, blocks, size * bits / 8}),
                                               scales(dtype, {5, blocks})}};
        };
        constexpr uint32_t weights_are_known = 14;
        for (const DType dtype : exponential_types)
            expect_composite(device, problem(dtype, 4, 64, 32), weights_are_known);
        for (const int64_t bits : {2, 4, 8}) {  // the last block of a row has elements that do not count
            CompositeProblem one = problem(DType::float32, bits, 40, 16);
            expect_composite(device, one);
            one.inputs.push_back(draw.tensor(DType::uint8, {5 * ((3 * bits + 7) / 8)}));
            expect_composite(device, one, weights_are_known);
            one.inputs[3] = draw.integers(DType::float32, {5, 3}, 0, 16);
            one.inputs.push_back(left_out());
            one.inputs.push_back(draw.tensor(DType::float32, {5}));
            expect_composite(device, one);
            one.inputs[4] = draw.integers(DType::int32, {40}, 0, 3);  // each column has the scale of any block
            expect_composite(device, one, weights_are_known);
            one.inputs[3] = left_out();
            expect_composite(device, one);
        }
        for (const int64_t rows : {16, 17}) {  // the most that are multiplied by the integers as they lie, and more
            CompositeProblem many = problem(DType::float32, 4, 64, 32);
            many.inputs[0] = draw.tensor(DType::float32, {rows, 64});
            expect_composite(device, many, weights_are_known);
        }
    });
}

TEST(ComposedProducts, GatherBlockQuantizedMultipliesTheRowsThatItTakes)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        const auto problem = [&](DType dtype, int64_t bits, int64_t columns, int64_t size, bool has_zeros) {
            const int64_t blocks = (columns + size - 1) / size;
            CompositeProblem made = {.op_type = "GatherBlockQuantized",
                                     .is_microsoft = true,
                                     .attributes = {{"bits", bits}, {"block_size", size}},
                                     .inputs = {draw.tensor(DType::uint8, {5, columns * bits / 8}),
                                                draw.integers(DType::int64, {2, 3}, -6, 6), draw.tensor(dtype, {5, blocks})}};
            if (has_zeros)
                made.inputs.push_back(draw.tensor(DType::uint8, {5, (blocks * bits + 7) / 8}));
            return made;
        };
        constexpr uint32_t table_is_known = 13;
        for (const bool has_zeros : {false, true}) {
            for (const DType dtype : exponential_types)
                expect_composite(device, problem(dtype, 4, 64, 32, has_zeros), table_is_known);
            for (const int64_t bits : {2, 4, 8}) {
                expect_composite(device, problem(DType::float32, bits, 48, 16, has_zeros), table_is_known);
                expect_composite(device, problem(DType::float32, bits, 40, 16, has_zeros));
            }
        }
        CompositeProblem one = problem(DType::float32, 4, 64, 128, false);
        one.attributes = {};
        one.inputs[1] = draw.integers(DType::int32, {}, 0, 5);
        expect_composite(device, one);
        // The table has three axes, and the last one has the blocks.
        one.inputs[0] = draw.tensor(DType::uint8, {4, 2, 16});
        one.inputs[1] = draw.integers(DType::int64, {3}, -4, 4);
        one.inputs[2] = draw.tensor(DType::float32, {4, 2, 2});
        one.attributes = {{"block_size", int64_t(16)}, {"quantize_axis", int64_t(-1)}};
        expect_composite(device, one);
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
