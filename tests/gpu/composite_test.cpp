// This file tests composites that move, choose or change elements on every device, against the reference.
#include "composite_problem.h"

namespace vkonnx::gpu_test {
namespace {

using kit::CompositeProblem;
using kit::RealTensor;
using I = int64_t;

constexpr DType moved_types[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64, DType::int8,
                                 DType::int16,   DType::int32,   DType::int64,    DType::uint8,   DType::uint16,
                                 DType::uint32,  DType::uint64,  DType::boolean};

TEST(Composites, CastLikeTakesTheTypeOfItsSecondInput)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType from : {DType::float32, DType::float16, DType::int64, DType::boolean})
            for (const DType to : {DType::float64, DType::bfloat16, DType::int32, DType::boolean, DType::float32}) {
                const RealTensor x =
                    from == DType::boolean ? draw.tensor(from, {7}) : draw.integers(from, {7}, from == DType::int64 ? -9 : -3, 5);
                expect_composite(device, {.op_type = "CastLike", .opset = 19, .inputs = {x, draw.tensor(to, {0, 3})}});
            }
        expect_composite(device,
                         {.op_type = "CastLike",
                          .opset = 24,
                          .attributes = {{"saturate", I(0)}, {"round_mode", std::string("up")}},
                          .inputs = {reals(DType::float32, {}, {2.5}), draw.tensor(DType::int8, {1})}},
                         2);
    });
}

TEST(Composites, CastLikeRoundsToFloatsOfEightBitsAsItsAttributesSay)
{
    on_every_device([](const CaseDevice& device) {
        const auto cast = [&](DType dtype, const std::vector<std::string>& attributes) {
            const std::string file = kit::ModelBuilder()
                                         .opset(24)
                                         .input("x", DType::float32, {2})
                                         .input("like", dtype, {1})
                                         .node("CastLike", {"x", "like"}, {"y"}, attributes)
                                         .output("y")
                                         .build();
            const std::vector<onnx::HostTensor> y =
                run(device, file, {floats({2}, {5, 1e9f}), host(dtype, {1}, std::vector<uint8_t>{0})});
            return y.empty() ? std::vector<uint8_t>() : values_of<uint8_t>(y[0]);
        };
        using Bytes = std::vector<uint8_t>;
        EXPECT_EQ(cast(DType::float8e5m2, {}), (Bytes{0x45, 0x7b}));
        EXPECT_EQ(cast(DType::float8e5m2, {kit::int_attribute("saturate", 0)}), (Bytes{0x45, 0x7c}));
        EXPECT_EQ(cast(DType::float8e8m0, {}), (Bytes{130, 157}));
        EXPECT_EQ(cast(DType::float8e8m0, {kit::string_attribute("round_mode", "down")}), (Bytes{129, 156}));
    });
}

TEST(Composites, EyeLikeHasOnesOnADiagonal)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : moved_types) {
            expect_composite(device, {.op_type = "EyeLike", .inputs = {draw.tensor(dtype, {3, 4})}});
            expect_composite(device,
                             {.op_type = "EyeLike",
                              .opset = 9,
                              .attributes = {{"dtype", I(dtype)}, {"k", I(-1)}},
                              .inputs = {draw.tensor(DType::int32, {4, 3})}},
                             dtype == DType::int8 ? 1 : 0);
        }
        for (const I k : {I(1), I(3), I(4), I(-2), I(-3), INT64_MAX, INT64_MIN})
            expect_composite(device,
                             {.op_type = "EyeLike", .attributes = {{"k", k}}, .inputs = {draw.tensor(DType::float32, {3, 4})}});
        expect_composite(device, {.op_type = "EyeLike", .inputs = {draw.tensor(DType::float32, {0, 4})}});
        expect_composite(device, {.op_type = "EyeLike", .inputs = {draw.tensor(DType::float32, {4, 0})}});
    });
}

TEST(Composites, ShrinkMovesNumbersTowardsZero)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : float_types) {
            expect_composite(device, {.op_type = "Shrink", .opset = 9, .inputs = {draw.tensor(dtype, {40})}});
            expect_composite(device, {.op_type = "Shrink",
                                      .attributes = {{"lambd", 0.25f}, {"bias", 0.125f}},
                                      .inputs = {draw.tensor(dtype, {5, 8})}});
            // Numbers at the edges are zeros, and where both conditions hold the first one counts.
            expect_composite(device, {.op_type = "Shrink",
                                      .attributes = {{"bias", 4.0f}},
                                      .inputs = {reals(dtype, {5}, {-0.5, 0.5, -0.75, 0.75, 0})}});
            expect_composite(device, {.op_type = "Shrink",
                                      .attributes = {{"lambd", -2.0f}, {"bias", 8.0f}},
                                      .inputs = {reals(dtype, {5}, {-3, -1, 0, 1, 3})}});
        }
        for (const DType dtype : {DType::int8, DType::int32, DType::int64, DType::uint8, DType::uint16})
            expect_composite(device, {.op_type = "Shrink",
                                      .attributes = {{"lambd", 2.5f}, {"bias", 1.5f}},
                                      .inputs = {draw.integers(dtype, {20}, kit::is_signed(dtype) ? -9 : 0, 10)}});
        expect_composite(device, {.op_type = "Shrink", .inputs = {draw.tensor(DType::float32, {0})}});
        expect_composite(device, {.op_type = "Shrink", .inputs = {reals(DType::float32, {}, {3})}}, 1);
    });
}

CompositeProblem one_hot(DType index_type, DType depth_type, DType dtype, const Dims& dims, CompositeDraw& draw, I depth = 5)
{
    const I least = kit::is_integer(index_type) && !kit::is_signed(index_type) ? 0 : -depth - 2;
    return {.op_type = "OneHot",
            .opset = 11,
            .inputs = {draw.integers(index_type, dims, least, depth + 3), draw.integers(depth_type, {1}, depth, depth + 1),
                       draw.tensor(dtype, {2})}};
}

TEST(Composites, OneHotComparesIndicesWithPlaces)
{
    constexpr uint32_t depth_is_known = 2;
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType index :
             {DType::int64, DType::int32, DType::int8, DType::uint8, DType::uint64, DType::float32, DType::float64})
            expect_composite(device, one_hot(index, DType::int64, DType::float32, {3, 4}, draw), depth_is_known);
        for (const DType depth : {DType::int32, DType::uint8, DType::float32, DType::float16, DType::float64})
            expect_composite(device, one_hot(DType::int64, depth, DType::float32, {9}, draw), depth_is_known);
        for (const DType dtype : moved_types)
            expect_composite(device, one_hot(DType::int64, DType::int64, dtype, {3, 4}, draw), depth_is_known);
        for (const I axis : {0, 1, 2, -1, -2, -3}) {
            CompositeProblem problem = one_hot(DType::int64, DType::int64, DType::float32, {3, 4}, draw);
            problem.attributes["axis"] = axis;
            expect_composite(device, problem, depth_is_known);
            problem.opset = 9;
            expect_composite(device, problem, depth_is_known);
        }
        for (const uint32_t constants : {3u, 6u, 7u})
            expect_composite(device, one_hot(DType::int64, DType::int64, DType::float32, {7}, draw), constants);
        expect_composite(device, one_hot(DType::int64, DType::int64, DType::float32, {}, draw), depth_is_known);
        expect_composite(device, one_hot(DType::int64, DType::int64, DType::float32, {0, 2}, draw), depth_is_known);
        expect_composite(device, one_hot(DType::int64, DType::int64, DType::float32, {3}, draw, 0), depth_is_known);
        // What is behind the point is lost, of indices as of the depth.
        expect_composite(device,
                         {.op_type = "OneHot",
                          .inputs = {reals(DType::float32, {4}, {0.75, 2.5, -0.5, -1.5}), reals(DType::float32, {}, {3.75}),
                                     draw.tensor(DType::float32, {2})}},
                         depth_is_known);
    });
}

// The condition is in the file. It may be shorter than the axis, and without an axis the input is one row.
TEST(Composites, CompressKeepsWhatTheConditionSays)
{
    on_every_device([](const CaseDevice& device) {
        const auto compressed = [&](const std::vector<uint8_t>& condition, std::optional<I> axis) {
            const std::vector<std::string> attributes =
                axis ? std::vector{kit::int_attribute("axis", *axis)} : std::vector<std::string>();
            const std::string file = kit::ModelBuilder()
                                         .opset(11)
                                         .input("X", DType::float32, {3, 2})
                                         .initializer(kit::bool_tensor("c", {I(condition.size())}, condition))
                                         .node("Compress", {"X", "c"}, {"Y"}, attributes)
                                         .output("Y")
                                         .build();
            return run(device, file, {floats({3, 2}, {1, 2, 3, 4, 5, 6})}).at(0);
        };
        expect_floats(compressed({false, true, true}, 0), {2, 2}, {3, 4, 5, 6});
        expect_floats(compressed({false, true}, -1), {3, 1}, {2, 4, 6});
        expect_floats(compressed({true}, 0), {1, 2}, {1, 2});
        expect_floats(compressed({false, true, false, false, true}, {}), {2}, {2, 5});
        expect_floats(compressed({false, false}, 1), {3, 0}, {});
    });
}

TEST(Composites, TriluKeepsATriangle)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : moved_types)
            expect_composite(device, {.op_type = "Trilu", .inputs = {draw.tensor(dtype, {2, 3, 4})}});
        for (const I upper : {0, 1})
            for (const I k : {I(0), I(1), I(-1), I(2), I(-3), I(4), I(-4), INT64_MAX, INT64_MIN})
                expect_composite(device,
                                 {.op_type = "Trilu",
                                  .opset = 14,
                                  .attributes = {{"upper", upper}},
                                  .inputs = {draw.tensor(DType::float32, {4, 3}), int64s({}, {k})}},
                                 k == 1 ? 2 : 0);
        for (const Dims& dims : {Dims{0, 3}, Dims{3, 0}, Dims{0, 2, 2}, Dims{1, 1}})
            expect_composite(device, {.op_type = "Trilu", .inputs = {draw.tensor(DType::float32, dims), int64s({1}, {-1})}});
    });
}

TEST(Composites, ReverseSequenceTurnsEachSequence)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const I time : {0, 1}) {
            const auto problem = [&](DType dtype, const Dims& dims, const std::vector<I>& lengths) {
                return CompositeProblem{.op_type = "ReverseSequence",
                                        .opset = 10,
                                        .attributes = {{"time_axis", time}, {"batch_axis", 1 - time}},
                                        .inputs = {draw.tensor(dtype, dims), int64s({I(lengths.size())}, lengths)}};
            };
            for (const DType dtype : moved_types)
                expect_composite(device, problem(dtype, {4, 4}, {1, 3, 4, 2}));
            expect_composite(device, problem(DType::float32, {3, 3, 2, 2}, {3, 2, 1}));
            expect_composite(device, problem(DType::float32, {3, 3, 2}, {3, 0, 1}), 2);
            // Lengths beyond the axis count as the axis, and those below 0 as 0.
            expect_composite(device, problem(DType::float32, {4, 4}, {5, INT64_MAX, -1, INT64_MIN}));
            expect_composite(device, problem(DType::float32, {0, 0}, {}));
            expect_composite(device, problem(DType::float32, time == 0 ? Dims{0, 2, 3} : Dims{2, 0, 3}, {1, 0}));
            expect_composite(device, problem(DType::float32, {2, 2, 0}, {1, 2}));
        }
        expect_composite(device,
                         {.op_type = "ReverseSequence", .inputs = {draw.tensor(DType::float32, {5, 2}), int64s({2}, {4, 5})}});
    });
}

TEST(Composites, ScatterReplacesElements)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : {DType::float32, DType::float16, DType::float64, DType::int8, DType::int64})
            expect_composite(device,
                             {.op_type = "Scatter",
                              .opset = 9,
                              .inputs = {draw.tensor(dtype, {4, 3}), int64s({2, 2}, {3, 0, 1, 2}), draw.tensor(dtype, {2, 2})}});
        for (const I axis : {1, -1, -2})
            expect_composite(device, {.op_type = "Scatter",
                                      .opset = 10,
                                      .attributes = {{"axis", axis}},
                                      .inputs = {draw.tensor(DType::float32, {3, 3}), int64s({2, 2}, {2, 0, 1, 2}),
                                                 draw.tensor(DType::float32, {2, 2})}});
    });
}

TEST(Composites, UpsampleIsResizeOfItsTime)
{
    const struct {
        Dims dims;
        std::vector<float> scales;
    } cases[] = {
        {{5}, {2}},
        {{5}, {2.5}},
        {{4, 3}, {1, 3}},
        {{1, 1, 2, 3}, {1, 1, 2, 3}},
        {{1, 2, 3, 3}, {1, 1, 1.5, 2}},
        {{1, 1, 4, 6}, {1, 1, 0.5, 1.5}},
        {{1, 1, 2, 2, 2}, {1, 1, 2, 1, 2}},
        {{2, 3}, {2, 2}},
        {{0, 3}, {2, 2}},
    };
    on_every_device([&](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const auto& [dims, scales] : cases)
            for (const char* mode : {"nearest", "linear"})
                for (const I opset : {7, 9}) {
                    CompositeProblem problem = {.op_type = "Upsample",
                                                .opset = opset,
                                                .attributes = {{"mode", std::string(mode)}},
                                                .inputs = {draw.tensor(DType::float32, dims)}};
                    if (opset < 9)
                        problem.attributes["scales"] = scales;
                    else
                        problem.inputs.push_back(reals(DType::float32, {I(scales.size())}, {scales.begin(), scales.end()}));
                    expect_composite(device, problem, 2);
                }
        for (const DType dtype : {DType::float16, DType::float64, DType::int8, DType::int64, DType::uint8})
            expect_composite(device, {.op_type = "Upsample",
                                      .opset = 7,
                                      .attributes = {{"scales", std::vector<float>{2, 2}}},
                                      .inputs = {draw.tensor(dtype, {2, 3})}});
    });
}

TEST(Composites, HardmaxFindsTheFirstGreatest)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : float_types)
            for (const I opset : {1, 11, 13})
                expect_composite(device,
                                 {.op_type = "Hardmax", .opset = opset, .inputs = {draw.integers(dtype, {3, 4, 2}, -3, 4)}});
        for (const I opset : {11, 13})
            for (const I axis : {0, 1, 2, -1, -3})
                expect_composite(device, {.op_type = "Hardmax",
                                          .opset = opset,
                                          .attributes = {{"axis", axis}},
                                          .inputs = {draw.integers(DType::float32, {2, 3, 4}, -3, 4)}});
        // Behind the last axis each element is a row of its own.
        expect_composite(
            device,
            {.op_type = "Hardmax", .opset = 11, .attributes = {{"axis", I(2)}}, .inputs = {draw.tensor(DType::float32, {2, 3})}});
        expect_composite(device, {.op_type = "Hardmax", .inputs = {draw.tensor(DType::float32, {0, 3})}});
        expect_composite(device, {.op_type = "Hardmax", .opset = 11, .inputs = {draw.tensor(DType::float32, {3, 0})}});
    });
}

// Draws a problem of one of the operators above.
CompositeProblem random_movement(CompositeDraw& draw, uint32_t& constants)
{
    const DType dtype = draw.any(moved_types);
    const auto axis_of = [&](I rank) { return draw.below(2 * rank) - rank; };
    switch (draw.below(6)) {
    case 0: {
        CompositeProblem problem = one_hot(draw.any({DType::int64, DType::int32, DType::uint16, DType::float32}), DType::int64,
                                           dtype, draw.dims(size_t(draw.below(4))), draw, 1 + draw.below(6));
        problem.attributes["axis"] = axis_of(I(problem.dims(0).size()) + 1);
        problem.opset = draw.flip() ? 9 : 11;
        constants = 2;
        return problem;
    }
    case 1: {
        CompositeProblem problem = {.op_type = "Trilu", .inputs = {draw.tensor(dtype, draw.dims(2 + size_t(draw.below(3))))}};
        if (draw.flip())
            problem.attributes["upper"] = draw.below(2);
        if (!draw.flip(3))
            problem.inputs.push_back(int64s({}, {draw.below(11) - 5}));
        constants = draw.flip() ? 2 : 0;
        return problem;
    }
    case 2: {
        const I time = draw.below(2);
        RealTensor x = draw.tensor(dtype, draw.dims(2 + size_t(draw.below(3))));
        const I batches = x.desc.dims[size_t(1 - time)], times = x.desc.dims[size_t(time)];
        RealTensor lengths = draw.integers(DType::int64, {batches}, 0, times + 1);
        return {.op_type = "ReverseSequence",
                .attributes = {{"time_axis", time}, {"batch_axis", 1 - time}},
                .inputs = {std::move(x), std::move(lengths)}};
    }
    case 3: {
        const size_t rank = 1 + size_t(draw.below(3));
        const I opset = draw.any({I(11), I(13)});
        return {.op_type = "Hardmax",
                .opset = opset,
                .attributes = {{"axis", axis_of(I(rank))}},
                .inputs = {draw.integers(draw.any(float_types), draw.dims(rank), -3, 4)}};
    }
    case 4:
        return {.op_type = "Shrink",
                .attributes = {{"lambd", float(draw.below(8)) / 8}, {"bias", float(draw.below(8)) / 4 - 1}},
                .inputs = {draw.tensor(draw.any(float_types), draw.dims(2))}};
    default:
        return {.op_type = "EyeLike",
                .attributes = {{"dtype", I(dtype)}, {"k", draw.below(9) - 4}},
                .inputs = {draw.tensor(DType::float32, draw.dims(2))}};
    }
}

TEST(Composites, RandomMovements)
{
    on_every_device([](const CaseDevice& device) {
        for (uint32_t seed = 1; seed <= 120; ++seed) {
            CompositeDraw draw(seed);
            uint32_t constants = 0;
            const CompositeProblem problem = random_movement(draw, constants);
            expect_composite(device, problem, constants);
        }
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
