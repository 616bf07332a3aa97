// This file tests composites that put windows back or move their taps on every device, against the reference.
#include "composite_problem.h"

namespace vkonnx::gpu_test {
namespace {

using kit::CompositeProblem;
using kit::RealTensor;
using I = int64_t;
using Ints = std::vector<int64_t>;

constexpr DType integer_types[] = {DType::int8,   DType::int16,  DType::int32,  DType::int64,  DType::uint8,
                                   DType::uint16, DType::uint32, DType::uint64, DType::boolean};

// The inputs image_shape and block_shape decide dimensions. The tests therefore put both into the file.
constexpr uint32_t shapes_are_known = 6;

TEST(Windows, Col2ImAddsUpWhatOverlaps)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        const auto problem = [](const RealTensor& x, const Ints& image, const Ints& block) {
            return CompositeProblem{.op_type = "Col2Im",
                                    .inputs = {x, int64s({I(image.size())}, image), int64s({I(block.size())}, block)}};
        };
        for (const DType dtype : float_types)
            expect_composite(device, problem(draw.tensor(dtype, {2, 18, 6}), {4, 5}, {3, 3}), shapes_are_known);
        for (const DType dtype : integer_types)
            expect_composite(device, problem(draw.tensor(dtype, {1, 8, 6}), {3, 4}, {2, 2}), shapes_are_known);
        CompositeProblem all = problem(draw.tensor(DType::float32, {1, 12, 15}), {9, 6}, {2, 3});
        all.attributes = {{"strides", Ints{2, 1}}, {"dilations", Ints{3, 2}}, {"pads", Ints{1, 0, 2, 1}}};
        expect_composite(device, all, shapes_are_known);
        CompositeProblem apart =
            problem(draw.tensor(DType::float32, {2, 4, 3}), {11}, {2});  // windows that leave gaps and a rest
        apart.attributes = {{"strides", Ints{4}}};
        expect_composite(device, apart, shapes_are_known);
        expect_composite(device, problem(draw.tensor(DType::float32, {1, 16, 4}), {2, 3, 3}, {2, 2, 2}), shapes_are_known);
        expect_composite(device, problem(draw.tensor(DType::float32, {0, 4, 4}), {3, 3}, {2, 2}), shapes_are_known);
    });
}

TEST(Windows, MaxUnpoolPutsMaximaBack)
{
    constexpr uint32_t shape_is_known = 4;
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        // The indices differ, as those of windows that do not overlap do.
        const auto problem = [&](DType dtype, const Dims& dims, const Ints& kernel, const Ints& strides, I covered) {
            const RealTensor x = draw.tensor(dtype, dims);
            const auto count = I(x.values.size());
            RealTensor indices = int64s(dims, {});
            for (I i = 0; i < count; ++i)
                indices.words.push_back(uint64_t(covered / count * i + draw.below(covered / count)));
            return CompositeProblem{
                .op_type = "MaxUnpool", .attributes = {{"kernel_shape", kernel}, {"strides", strides}}, .inputs = {x, indices}};
        };
        for (const DType dtype : float_types)
            expect_composite(device, problem(dtype, {2, 3, 2, 3}, {2, 2}, {2, 2}, 2 * 3 * 4 * 6));
        CompositeProblem old = problem(DType::float32, {1, 2, 4}, {3}, {2}, 1 * 2 * 9);
        old.opset = 9;
        expect_composite(device, old);
        CompositeProblem padded = problem(DType::float32, {1, 2, 3, 3}, {3, 2}, {2, 2}, 1 * 2 * 5 * 5);
        padded.attributes["pads"] = Ints{1, 0, 1, 1};
        expect_composite(device, padded);
        CompositeProblem larger = problem(DType::float32, {1, 2, 2, 2}, {2, 2}, {2, 2}, 1 * 2 * 4 * 4);
        larger.attributes["pads"] = Ints{1, 1, 1, 1};  // of no account
        larger.inputs.push_back(int64s({4}, {1, 2, 5, 7}));
        expect_composite(device, larger, shape_is_known);
        CompositeProblem touching = problem(DType::float32, {1, 1, 2, 2, 2}, {1, 1, 1}, {1, 1, 1}, 8);
        touching.attributes.erase("strides");
        expect_composite(device, touching);
    });
}

// An index outside writes nothing.
TEST(Windows, MaxUnpoolLeavesOutWhatIsOutside)
{
    on_every_device([](const CaseDevice& device) {
        const std::string file = kit::ModelBuilder()
                                     .opset(22)
                                     .input("X", DType::float32, {1, 1, 2})
                                     .input("I", DType::int64, {1, 1, 2})
                                     .node("MaxUnpool", {"X", "I"}, {"Y"}, {kit::ints_attribute("kernel_shape", {3})})
                                     .output("Y")
                                     .build();
        const std::vector<onnx::HostTensor> y =
            run(device, file, {floats({1, 1, 2}, {7, 8}), host(DType::int64, {1, 1, 2}, std::vector<int64_t>{4, 2})});
        ASSERT_EQ(y.size(), 1u);
        expect_floats(y[0], {1, 1, 4}, {0, 0, 8, 0});
    });
}

TEST(Windows, DeformConvOfEveryTypeAndAttribute)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        const auto problem = [&](DType dtype, const Dims& x, const Dims& w, const Dims& offset) {
            return CompositeProblem{.op_type = "DeformConv",
                                    .inputs = {draw.tensor(dtype, x), draw.tensor(dtype, w), draw.places(dtype, offset)}};
        };
        for (const DType dtype : float_types)
            expect_composite(device, problem(dtype, {2, 3, 4, 5}, {4, 3, 2, 2}, {2, 8, 3, 4}));
        CompositeProblem with = problem(DType::float32, {2, 4, 5, 6}, {6, 2, 3, 2}, {2, 24, 3, 6});
        with.opset = 19;
        with.attributes = {{"group", I(2)},           {"offset_group", I(2)},
                           {"strides", Ints{2, 1}},   {"pads", Ints{1, 0, 1, 2}},
                           {"dilations", Ints{1, 2}}, {"kernel_shape", Ints{3, 2}}};
        with.inputs.push_back(draw.tensor(DType::float32, {6}));
        with.inputs.push_back(draw.tensor(DType::float32, {2, 12, 3, 6}));
        expect_composite(device, with);
        with.inputs[3] = left_out();
        expect_composite(device, with);
        with.inputs.pop_back();
        with.inputs[3] = draw.tensor(DType::float32, {6});
        expect_composite(device, with);
        expect_composite(device, problem(DType::float32, {1, 2, 7}, {1, 2, 3}, {1, 3, 5}));
        expect_composite(device, problem(DType::float32, {1, 2, 3, 3, 3}, {2, 2, 2, 2, 2}, {1, 24, 2, 2, 2}));
        CompositeProblem nothing = problem(DType::float32, {1, 2, 0}, {3, 2, 1}, {1, 1, 2});  // pads alone are sampled
        nothing.attributes = {{"pads", Ints{1, 1}}};
        nothing.inputs.push_back(draw.tensor(DType::float32, {3}));
        expect_composite(device, nothing);
        expect_composite(device, problem(DType::float32, {0, 2, 3}, {3, 2, 1}, {0, 1, 3}));
    });
}

// Numbers of regions are multiples of 1/4, of which some lie outside of X and some are inside out.
TEST(Windows, RoiAlignInEveryModeAndVersion)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        const auto problem = [&](DType dtype, const char* mode, I ratio, I height, I width) {
            RealTensor rois = draw.integers(dtype, {5, 4}, -8, 60);
            for (double& value : rois.values)
                value /= 4;
            return CompositeProblem{.op_type = "RoiAlign",
                                    .opset = 22,
                                    .attributes = {{"mode", std::string(mode)},
                                                   {"sampling_ratio", ratio},
                                                   {"output_height", height},
                                                   {"output_width", width}},
                                    .inputs = {draw.tensor(dtype, {2, 3, 6, 9}), rois, int64s({5}, {1, 0, 1, 0, 0})}};
        };
        expect_composite(device, problem(DType::float32, "avg", 2, 2, 4));
        expect_composite(device, problem(DType::float16, "max", 2, 4, 1));
        expect_composite(device, problem(DType::bfloat16, "avg", 0, 2, 1));
        expect_composite(device, problem(DType::float64, "max", 1, 2, 2));
        for (const char* coordinates : {"half_pixel", "output_half_pixel"})
            for (const I ratio : {0, 3}) {
                CompositeProblem one = problem(DType::float32, "avg", ratio, 3, 2);
                one.opset = 16;
                one.attributes["coordinate_transformation_mode"] = std::string(coordinates);
                one.attributes["spatial_scale"] = 0.5f;
                expect_composite(device, one);
            }
        CompositeProblem old = problem(DType::float32, "avg", 0, 1, 3);
        old.opset = 10;
        expect_composite(device, old);
        CompositeProblem plain = {.op_type = "RoiAlign", .inputs = {old.inputs[0], old.inputs[1], int64s({5}, {0, 1, 2, -1, 1})}};
        expect_composite(device, plain);  // two regions have no image
        plain.attributes["sampling_ratio"] = I(2);
        expect_composite(device, plain);
        CompositeProblem none = plain;
        none.inputs = {draw.tensor(DType::float32, {1, 2, 3, 3}), draw.tensor(DType::float32, {0, 4}), int64s({0}, {})};
        expect_composite(device, none);
        none.inputs = {draw.tensor(DType::float32, {1, 2, 0, 3}), draw.tensor(DType::float32, {1, 4}), int64s({1}, {0})};
        expect_composite(device, none);
    });
}

// Where X is large, regions are taken some at a time.
TEST(Windows, RoiAlignOfManyRegions)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        RealTensor rois = draw.integers(DType::float32, {80, 4}, 0, 250);
        for (size_t i = 0; i < 80; ++i)
            for (const size_t end : {2, 3})
                rois.values[4 * i + end] = rois.values[4 * i + end - 2] + double(end);
        expect_composite(
            device, {.op_type = "RoiAlign",
                     .inputs = {draw.tensor(DType::float32, {1, 1, 256, 256}), rois, int64s({80}, std::vector<int64_t>(80))}});
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
