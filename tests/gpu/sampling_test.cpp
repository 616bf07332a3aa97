// This file tests composites that sample or pool on every device, against the reference.
#include "composite_problem.h"

namespace vkonnx::gpu_test {
namespace {

using kit::CompositeProblem;
using kit::RealTensor;
using I = int64_t;
using Ints = std::vector<int64_t>;

TEST(Sampling, GridSampleInEveryModeAndPadding)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const char* mode : {"linear", "nearest", "cubic"})
            for (const char* padding : {"zeros", "border", "reflection"})
                for (const I aligned : {0, 1})
                    expect_composite(device, {.op_type = "GridSample",
                                              .attributes = {{"mode", std::string(mode)},
                                                             {"padding_mode", std::string(padding)},
                                                             {"align_corners", aligned}},
                                              .inputs = {draw.tensor(DType::float32, {2, 3, 4, 5}),
                                                         draw.places(DType::float32, {2, 3, 4, 2})}});
    });
}

TEST(Sampling, GridSampleOfEveryRankTypeAndVersion)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        const auto problem = [&](I opset, const char* mode, const RealTensor& x, const RealTensor& grid) {
            return CompositeProblem{.op_type = "GridSample",
                                    .opset = opset,
                                    .attributes = {{"mode", std::string(mode)}, {"padding_mode", std::string("reflection")}},
                                    .inputs = {x, grid}};
        };
        const auto grid = [&](const Dims& dims) { return draw.places(DType::float32, dims); };
        for (const char* mode : {"linear", "nearest"}) {
            expect_composite(device, problem(20, mode, draw.tensor(DType::float32, {1, 1, 7}), grid({1, 9, 1})));
            expect_composite(device, problem(22, mode, draw.tensor(DType::float32, {2, 2, 3, 4, 5}), grid({2, 2, 3, 2, 3})));
            for (const DType dtype : {DType::float16, DType::bfloat16, DType::float64})
                expect_composite(device, problem(22, mode, draw.tensor(dtype, {1, 3, 4, 4}), draw.places(dtype, {1, 3, 3, 2})));
        }
        for (const char* mode : {"bilinear", "nearest", "bicubic"})
            expect_composite(device, problem(16, mode, draw.tensor(DType::float32, {1, 2, 4, 3}), grid({1, 5, 1, 2})));
        for (const DType dtype : {DType::int32, DType::uint8, DType::int64, DType::boolean})
            expect_composite(device, problem(20, "nearest", draw.tensor(dtype, {1, 2, 4, 3}), grid({1, 5, 2, 2})));
        expect_composite(device, problem(20, "cubic", draw.tensor(DType::float32, {1, 2, 1, 3}), grid({1, 5, 2, 2})));
        for (const Dims& x : {Dims{0, 2, 4, 3}, Dims{1, 0, 4, 3}, Dims{1, 2, 4, 0}})
            expect_composite(device, problem(20, "nearest", draw.tensor(DType::float32, x), grid({x[0], 0, 2, 2})));
    });
}

// What lies outside is nothing, even where the element at the edge is infinite.
TEST(Sampling, GridSampleTakesNothingFromOutside)
{
    on_every_device([](const CaseDevice& device) {
        const std::string file = kit::ModelBuilder()
                                     .opset(20)
                                     .input("X", DType::float32, {1, 1, 2})
                                     .input("grid", DType::float32, {1, 3, 1})
                                     .node("GridSample", {"X", "grid"}, {"Y"})
                                     .output("Y")
                                     .build();
        const std::vector<onnx::HostTensor> y =
            run(device, file, {floats({1, 1, 2}, {INFINITY, 3}), floats({1, 3, 1}, {-8, 8, 0.5f})});
        ASSERT_EQ(y.size(), 1u);
        expect_floats(y[0], {1, 1, 3}, {0, 0, 3});
    });
}

TEST(Sampling, AffineGridHasItsPlacesAtCentersOrAtEnds)
{
    constexpr uint32_t size_is_known = 2;
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const I aligned : {0, 1}) {
            for (const DType dtype : float_types)
                expect_composite(device,
                                 {.op_type = "AffineGrid",
                                  .attributes = {{"align_corners", aligned}},
                                  .inputs = {draw.tensor(dtype, {2, 2, 3}), int64s({4}, {2, 3, 4, 5})}},
                                 size_is_known);
            expect_composite(device,
                             {.op_type = "AffineGrid",
                              .attributes = {{"align_corners", aligned}},
                              .inputs = {draw.tensor(DType::float32, {1, 3, 4}), int64s({5}, {1, 1, 2, 1, 3})}},
                             size_is_known);
        }
        expect_composite(device,
                         {.op_type = "AffineGrid", .inputs = {draw.tensor(DType::float32, {2, 2, 3}), int64s({4}, {2, 3, 0, 5})}},
                         size_is_known);
    });
}

TEST(Sampling, LpPoolOfEveryPowerAndPadding)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const I p : {1, 2, 3})
            expect_composite(device, {.op_type = "LpPool",
                                      .attributes = {{"kernel_shape", Ints{2, 3}}, {"p", p}, {"strides", Ints{2, 1}}},
                                      .inputs = {draw.tensor(DType::float32, {2, 3, 5, 6})}});
        for (const DType dtype : float_types)
            expect_composite(device, {.op_type = "LpPool",
                                      .opset = 18,
                                      .attributes = {{"kernel_shape", Ints{3}}, {"pads", Ints{1, 2}}, {"dilations", Ints{2}}},
                                      .inputs = {draw.tensor(dtype, {1, 2, 9})}});
        for (const char* pad : {"SAME_UPPER", "SAME_LOWER", "VALID"})
            expect_composite(
                device, {.op_type = "LpPool",
                         .opset = 11,
                         .attributes = {{"kernel_shape", Ints{2, 3}}, {"strides", Ints{1, 2}}, {"auto_pad", std::string(pad)}},
                         .inputs = {draw.tensor(DType::float32, {1, 2, 5, 6})}});
        for (const Ints& pads : {Ints{0, 0, 0, 0}, Ints{1, 0, 1, 2}, Ints{0, 2, 0, 2}})  // windows that end behind the input
            expect_composite(
                device,
                {.op_type = "LpPool",
                 .attributes = {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 4}}, {"pads", pads}, {"ceil_mode", I(1)}},
                 .inputs = {draw.tensor(DType::float32, {1, 2, 6, 7})}});
        expect_composite(device, {.op_type = "LpPool",
                                  .opset = 7,
                                  .attributes = {{"kernel_shape", Ints{2, 2, 2}}},
                                  .inputs = {draw.tensor(DType::float32, {1, 2, 3, 3, 3})}});
    });
}

TEST(Sampling, GlobalLpPoolTakesAllSpatialAxes)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const I p : {1, 2, 3})
            expect_composite(
                device,
                {.op_type = "GlobalLpPool", .attributes = {{"p", p}}, .inputs = {draw.tensor(DType::float32, {2, 3, 5, 6})}});
        for (const DType dtype : float_types)
            expect_composite(device, {.op_type = "GlobalLpPool", .opset = 7, .inputs = {draw.tensor(dtype, {2, 3, 7})}});
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
