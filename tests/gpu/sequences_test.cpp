// This file tests composites that go along a sequence on every device, against the reference.
#include "composite_problem.h"

namespace vkonnx::gpu_test {
namespace {

using kit::CompositeProblem;
using kit::RealTensor;
using I = int64_t;

TEST(Sequences, CumProdOfEveryTypeAndDirection)
{
    constexpr uint32_t axis_is_known = 2;
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        const auto problem = [](const RealTensor& x, I axis, I exclusive, I reverse) {
            return CompositeProblem{.op_type = "CumProd",
                                    .opset = 26,
                                    .attributes = {{"exclusive", exclusive}, {"reverse", reverse}},
                                    .inputs = {x, int64s({}, {axis})}};
        };
        for (const I exclusive : {0, 1})
            for (const I reverse : {0, 1})
                for (const I axis : {0, 1, -1})
                    expect_composite(device, problem(draw.tensor(DType::float32, {3, 6, 5}), axis, exclusive, reverse),
                                     axis_is_known);
        for (const DType dtype : float_types)
            expect_composite(device, problem(draw.tensor(dtype, {2, 9}), 1, 0, 0), axis_is_known);
        for (const DType dtype : {DType::int32, DType::int64, DType::uint32, DType::uint64})
            expect_composite(device, problem(draw.tensor(dtype, {2, 17}), 1, 1, 0), axis_is_known);
        for (const Dims& dims : {Dims{1}, Dims{0}, Dims{3, 0}})
            expect_composite(device, problem(draw.tensor(DType::float32, dims), 0, 1, 0), axis_is_known);
    });
}

TEST(Sequences, TensorScatterWritesFromAPlaceOfEachBatch)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        const auto problem = [&](DType dtype, const Dims& past, const Dims& update, const char* mode) {
            return CompositeProblem{.op_type = "TensorScatter",
                                    .opset = 24,
                                    .attributes = {{"mode", std::string(mode)}},
                                    .inputs = {draw.tensor(dtype, past), draw.tensor(dtype, update)}};
        };
        for (const DType dtype :
             {DType::float32, DType::float16, DType::bfloat16, DType::float64, DType::int8, DType::uint8, DType::int16,
              DType::uint16, DType::int32, DType::uint32, DType::int64, DType::uint64, DType::boolean}) {
            CompositeProblem first = problem(dtype, {2, 3, 5, 4}, {2, 3, 2, 4}, "linear");
            expect_composite(device, first);
            first.inputs.push_back(int64s({2}, {3, 1}));
            expect_composite(device, first);
        }
        for (const char* mode : {"linear", "circular"})
            for (const I axis : {1, 2, 3, -1, -3}) {
                Dims dims = {3, 4, 4, 4}, update = dims;
                update[size_t(axis < 0 ? axis + 4 : axis)] = 3;
                CompositeProblem one = problem(DType::float32, dims, update, mode);
                one.attributes["axis"] = axis;
                one.inputs.push_back(int64s({3}, {1, 0, mode == std::string("linear") ? 1 : 14}));
                expect_composite(device, one);
                expect_composite(device, one, 4);  // the places are known before anything runs
            }
        expect_composite(device, problem(DType::float32, {2, 3, 4}, {2, 0, 4}, "linear"));
        expect_composite(device, problem(DType::float32, {0, 3, 4}, {0, 1, 4}, "circular"));
    });
}

// A place that is known only when running may be wrong. What would lie outside of a batch's places is left out.
TEST(Sequences, TensorScatterLeavesOtherBatchesAlone)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const I place : {I(2), I(-1), I(4), I(-8), INT64_MAX - 1, INT64_MIN})
            expect_composite(device, {.op_type = "TensorScatter",
                                      .opset = 24,
                                      .inputs = {draw.tensor(DType::float32, {3, 3, 2}), draw.tensor(DType::float32, {3, 2, 2}),
                                                 int64s({3}, {0, place, 1})}});
    });
}

TEST(Sequences, CausalConvWithStateGoesOnFromTheLastRun)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : exponential_types)
            for (const char* activation : {"none", "silu", "swish"})
                for (const I length : {1, 2, 7}) {
                    CompositeProblem problem = {.op_type = "CausalConvWithState",
                                                .opset = 27,
                                                .attributes = {{"activation", std::string(activation)}},
                                                .inputs = {draw.tensor(dtype, {2, 3, length}), draw.tensor(dtype, {3, 1, 4}),
                                                           draw.tensor(dtype, {3}), draw.tensor(dtype, {2, 3, 3})},
                                                .outputs = 2};
                    expect_composite(device, problem);
                    problem.inputs[2] = left_out();
                    expect_composite(device, problem);
                    problem.inputs.pop_back();
                    expect_composite(device, problem);
                    problem.unwanted = 2;
                    expect_composite(device, problem);
                }
        CompositeProblem alone = {.op_type = "CausalConvWithState",
                                  .opset = 27,
                                  .inputs = {draw.tensor(DType::float32, {2, 3, 5}), draw.tensor(DType::float32, {3, 1, 1})},
                                  .outputs = 2};
        expect_composite(device, alone);  // a kernel of one element keeps no state
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
