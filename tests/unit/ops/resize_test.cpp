#include <cmath>

#include "expect.h"

namespace vkonnx::ops {

namespace {

using Mode = CoordinateTransformationMode;

std::vector<TensorDesc> x_of(Dims dims, DType dtype = DType::float32)
{
    return {{dtype, std::move(dims)}};
}

Dims sizes_of(const Resize& attributes, Dims dims)
{
    const auto geometry = resolve(attributes, x_of(std::move(dims)));
    EXPECT_TRUE(geometry) << geometry.message();
    return geometry ? output_of(*geometry).dims : Dims();
}

// Returns the position of each output's nearest element along one axis, or -1 where it is outside.
Dims nearest_of(Resize attributes, int64_t in)
{
    const auto geometry = resolve(attributes, x_of({in}));
    EXPECT_TRUE(geometry) << geometry.message();
    Dims positions;
    std::vector<ResizeTap> taps;
    for (int64_t o = 0; geometry && o < geometry->axes[0].out; ++o) {
        const bool outside = find_taps(*geometry, geometry->axes[0], o, taps);
        EXPECT_EQ(taps.size(), 1u);
        positions.push_back(outside ? -1 : taps[0].position);
    }
    return positions;
}

struct Row {
    Dims positions;
    std::vector<float> weights;
};

Row taps_at(const Resize& attributes, int64_t in, int64_t coordinate)
{
    const auto geometry = resolve(attributes, x_of({in}));
    EXPECT_TRUE(geometry) << geometry.message();
    Row row;
    std::vector<ResizeTap> taps;
    find_taps(*geometry, geometry->axes[0], coordinate, taps);
    EXPECT_LE(int64_t(taps.size()), most_taps(*geometry, geometry->axes[0]));
    for (const ResizeTap& tap : taps) {
        row.positions.push_back(tap.position);
        row.weights.push_back(tap.weight);
    }
    return row;
}

void expect_weights(const Row& row, const Dims& positions, const std::vector<float>& weights)
{
    EXPECT_EQ(row.positions, positions);
    ASSERT_EQ(row.weights.size(), weights.size());
    for (size_t i = 0; i < weights.size(); ++i)
        EXPECT_NEAR(row.weights[i], weights[i], 1e-6) << i;
}

}  // namespace

TEST(ResizeOps, Sizes)
{
    EXPECT_EQ(sizes_of({.scales = {1, 1, 0.6f, 2.5f}}, {2, 3, 4, 5}), (Dims{2, 3, 2, 12}));
    EXPECT_EQ(sizes_of({.sizes = {2, 3, 7, 1}}, {2, 3, 4, 5}), (Dims{2, 3, 7, 1}));
    EXPECT_EQ(sizes_of({.scales = {0.25f}}, {3}), (Dims{0}));
    EXPECT_EQ(sizes_of({.sizes = {0, 5}}, {0, 3}), (Dims{0, 5}));
    EXPECT_EQ(sizes_of({.axes = {-1, 0}, .sizes = {7, 6}}, {3, 4, 5}), (Dims{6, 4, 7}));
    EXPECT_EQ(sizes_of({.axes = {1}, .scales = {2}}, {3, 4, 5}), (Dims{3, 8, 5}));
    const auto policy = [](KeepAspectRatioPolicy policy) {
        return Resize{.axes = {1, 2}, .sizes = {7, 9}, .keep_aspect_ratio_policy = policy};
    };
    EXPECT_EQ(sizes_of(policy(KeepAspectRatioPolicy::stretch), {5, 4, 6}), (Dims{5, 7, 9}));
    EXPECT_EQ(sizes_of(policy(KeepAspectRatioPolicy::not_larger), {5, 4, 6}), (Dims{5, 6, 9}));    // by 1.5
    EXPECT_EQ(sizes_of(policy(KeepAspectRatioPolicy::not_smaller), {5, 4, 6}), (Dims{5, 7, 11}));  // by 1.75: 10.5, up
}

// The elements are those that ONNX Runtime 1.32 takes.
TEST(ResizeOps, NearestElements)
{
    EXPECT_EQ(nearest_of({.scales = {2}}, 3), (Dims{0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(nearest_of({.scales = {0.5f}}, 8), (Dims{0, 2, 4, 6})) << "0.5 is halfway";
    EXPECT_EQ(nearest_of({.nearest_mode = NearestMode::round_prefer_ceil, .scales = {0.5f}}, 8), (Dims{1, 3, 5, 7}));
    EXPECT_EQ(nearest_of({.nearest_mode = NearestMode::ceil, .scales = {1.5f}}, 4), (Dims{0, 1, 2, 2, 3, 3}));
    EXPECT_EQ(nearest_of({.nearest_mode = NearestMode::floor, .scales = {1.5f}}, 4), (Dims{0, 0, 1, 1, 2, 3}));
    EXPECT_EQ(nearest_of({.opset = 10, .scales = {0.6f}}, 4), (Dims{0, 2})) << "version 10: the element above";
    EXPECT_EQ(nearest_of({.opset = 10, .scales = {1.5f}}, 4), (Dims{0, 0, 1, 2, 2, 3})) << "version 10: the element below";
    EXPECT_EQ(nearest_of({.coordinate_transformation_mode = Mode::align_corners, .sizes = {3}}, 7), (Dims{0, 3, 6}));
    EXPECT_EQ(nearest_of({.coordinate_transformation_mode = Mode::pytorch_half_pixel, .sizes = {1}}, 7), (Dims{0}));
    EXPECT_EQ(nearest_of({.coordinate_transformation_mode = Mode::half_pixel, .sizes = {1}}, 7), (Dims{3}));
    EXPECT_EQ(nearest_of({.coordinate_transformation_mode = Mode::tf_crop_and_resize, .sizes = {4}, .roi = {-0.5f, 1}}, 7),
              (Dims{-1, 0, 3, 6}));
    // The coordinates 7.5000005 and 14.499999 count as halfway.
    EXPECT_EQ(nearest_of({.coordinate_transformation_mode = Mode::half_pixel_symmetric, .scales = {0.1f}}, 36)[0], 7);
    EXPECT_EQ(nearest_of({.nearest_mode = NearestMode::round_prefer_ceil, .scales = {0.3f}}, 26)[4], 15);
}

TEST(ResizeOps, LinearTaps)
{
    const Resize doubled = {.mode = ResizeMode::linear, .scales = {2}};
    expect_weights(taps_at(doubled, 4, 0), {0, 1}, {1, 0});
    expect_weights(taps_at(doubled, 4, 1), {0, 1}, {0.75f, 0.25f});
    expect_weights(taps_at(doubled, 4, 7), {3, 3}, {0.5f, 0.5f});
    const Resize aligned = {.mode = ResizeMode::linear, .coordinate_transformation_mode = Mode::align_corners, .scales = {0.6f}};
    expect_weights(taps_at(aligned, 4, 1), {2, 3}, {0.857143f, 0.142857f});  // 3 / 1.4, as the documents' own test has it
}

TEST(ResizeOps, CubicTaps)
{
    Resize cubic = {.mode = ResizeMode::cubic, .scales = {2}};
    expect_weights(taps_at(cubic, 8, 5), {1, 2, 3, 4}, {-0.10546875f, 0.87890625f, 0.26171875f, -0.03515625f});
    expect_weights(taps_at(cubic, 8, 0), {0, 0, 0, 1}, {-0.03515625f, 0.26171875f, 0.87890625f, -0.10546875f});
    cubic.cubic_coeff_a = -0.5f;
    expect_weights(taps_at(cubic, 8, 5), {1, 2, 3, 4}, {-0.0703125f, 0.8671875f, 0.2265625f, -0.0234375f});
    cubic.exclude_outside = 1;
    expect_weights(taps_at(cubic, 8, 0), {0, 1}, {0.8671875f / 0.796875f, -0.0703125f / 0.796875f});
}

TEST(ResizeOps, AntialiasingFilters)
{
    Resize filter = {.mode = ResizeMode::linear, .scales = {0.5f}, .antialias = 1};
    expect_weights(taps_at(filter, 8, 1), {1, 2, 3, 4}, {0.125f, 0.375f, 0.375f, 0.125f});
    expect_weights(taps_at(filter, 8, 0), {0, 1, 2}, {0.5f, 0.375f, 0.125f});
    filter.exclude_outside = 1;
    expect_weights(taps_at(filter, 8, 0), {0, 1, 2}, {0.375f / 0.875f, 0.375f / 0.875f, 0.125f / 0.875f});
    filter.scales = {2};  // nothing to filter
    expect_weights(taps_at(filter, 8, 1), {0, 1}, {0.75f, 0.25f});
}

TEST(ResizeOps, AxesThatStay)
{
    const auto changes = [](const Resize& attributes) {
        const auto geometry = resolve(attributes, x_of({4}));
        return geometry && geometry->axes[0].changes;
    };
    EXPECT_FALSE(changes({.scales = {1}}));
    EXPECT_FALSE(changes({.sizes = {4}}));
    EXPECT_TRUE(changes({.scales = {1.1f}})) << "its extent stays, but not its elements";
    EXPECT_FALSE(changes({.coordinate_transformation_mode = Mode::tf_crop_and_resize, .sizes = {4}}));
    EXPECT_TRUE(changes({.coordinate_transformation_mode = Mode::tf_crop_and_resize, .sizes = {4}, .roi = {0, 0.5f}}));
    EXPECT_FALSE(changes({.sizes = {4}, .roi = {0, 0.5f}})) << "roi is of tf_crop_and_resize";
}

TEST(ResizeOps, Equations)
{
    const auto geometry = resolve(Resize{.mode = ResizeMode::cubic, .scales = {1, 2.5f}, .antialias = 1}, x_of({3, 4}));
    ASSERT_TRUE(geometry);
    EXPECT_EQ(geometry->equation,
              "ONNX Resize-19, cubic, half_pixel, antialias: x = (o + 0.5) / scale - 0.5\naxis 0: 3 to 3\naxis 1: 4 to 10, scale "
              "2.5");
}

TEST(ResizeOps, Refusals)
{
    const std::vector<TensorDesc> x = x_of({2, 3});
    const std::vector<Refusal<Resize>> rows = {
        {{.opset = 9, .scales = {1, 2}}, x, "Resize: opset = 9 must be at least 10, the version in which the operator came"},
        {{.scales = {1, 2}}, {}, "Resize: expects 1 input, but 0 are given"},
        {{.scales = {}}, x, "Resize: exactly one of sizes and scales must be given, not none"},
        {{.sizes = {2, 3}, .scales = {1, 1}}, x, "Resize: exactly one of sizes and scales must be given, not both"},
        {{.sizes = {2}}, x, "Resize: sizes has 1 entries, expected 2, for each axis of X"},
        {{.axes = {0}, .scales = {1, 2}}, x, "Resize: scales has 2 entries, expected 1, for each of axes"},
        {{.coordinate_transformation_mode = Mode::tf_crop_and_resize, .sizes = {2, 3}, .roi = {0, 1}},
         x,
         "Resize: roi has 2 entries, expected 4, for each axis of X a start and an end"},
        {{.coordinate_transformation_mode = Mode::tf_crop_and_resize, .sizes = {2, 3}, .roi = {0, 0, NAN, 1}},
         x,
         "Resize: roi[2] = nan must be finite"},
        {{.sizes = {2, 0}}, x, "Resize: sizes[1] = 0 must be at least 1"},
        {{.sizes = {2, 3}}, x_of({2, 0}), "Resize: sizes[1] = 3 must be 0, as X's extent is"},
        {{.scales = {1, 0}}, x, "Resize: scales[1] = 0 must be greater than 0 and finite"},
        {{.scales = {1, INFINITY}}, x, "Resize: scales[1] = inf must be greater than 0 and finite"},
        {{.scales = {1, 1e30f}}, x, "Resize: scales[1] = 1.00000002e+30 makes more than 2^63 - 1 of 3"},
        {{.axes = {2}, .scales = {1}}, x, "Resize: axes[0] = 2 must be in [-2, 1]"},
        {{.axes = {1, -1}, .scales = {1, 1}}, x, "Resize: axes[1] = -1 names axis 1 a second time"},
        {{.opset = 17, .axes = {1}, .scales = {1}},
         x,
         "Resize: axes must not be given: it exists from version 18, and opset 17 means version 13"},
        {{.opset = 10, .sizes = {1, 1}},
         x,
         "Resize: sizes must not be given: it exists from version 11, and opset 10 means version 10"},
        {{.opset = 10, .nearest_mode = NearestMode::ceil, .scales = {1, 1}},
         x,
         "Resize: nearest_mode must not be given: it exists from version 11, and opset 10 means version 10"},
        {{.opset = 10, .mode = ResizeMode::cubic, .scales = {1, 1}},
         x,
         "Resize: mode = cubic exists from version 11, and opset 10 means version 10"},
        {{.opset = 18, .coordinate_transformation_mode = Mode::half_pixel_symmetric, .scales = {1, 1}},
         x,
         "Resize: coordinate_transformation_mode = half_pixel_symmetric exists from version 19, and opset 18 means version 18"},
        {{.opset = 13, .coordinate_transformation_mode = Mode::tf_half_pixel_for_nn, .scales = {1, 1}},
         x,
         "Resize: coordinate_transformation_mode = tf_half_pixel_for_nn exists in version 11 only, and opset 13 means version "
         "13"},
        {{.mode = ResizeMode(9), .scales = {1, 1}}, x, "Resize: mode = 9 must be one of its words"},
        {{.scales = {1, 1}, .exclude_outside = 2}, x, "Resize: exclude_outside = 2 must be 0 or 1"},
        {{.scales = {1, 1}, .antialias = -1}, x, "Resize: antialias = -1 must be 0 or 1"},
        {{.scales = {1}}, x_of({}), "Resize: X has rank 0, which must be at least 1"},
        {{.scales = {1}}, x_of({-1}), "Resize: X.dims[0] = -1 must be at least 0"},
        {{.opset = 12, .scales = {1}},
         x_of({2}, DType::bfloat16),
         "Resize: X has type bfloat16, which exists from version 13, and opset 12 means version 11"},
        {{.scales = {1}},
         x_of({2}, DType::float8e5m2),
         "Resize: X has type float8e5m2, which no version of the operator accepts"},
    };
    for (const Refusal<Resize>& refusal : rows)
        expect_refused(refusal);
    std::vector<Refusal<Resize>> unsupported = {
        {{.scales = {1}}, x_of({2}, DType::string), "Resize: X has type string, which is not supported"},
        {{.scales = {1}}, x_of({2}, DType::complex128), "Resize: X has type complex128, which is not supported"},
        {{.mode = ResizeMode::linear, .scales = {1}},
         x_of({2}, DType::int64),
         "Resize: X has type int64, which mode linear does not support: float16, bfloat16, float, double, uint8, int8 and int32 "
         "are"},
        {{.mode = ResizeMode::cubic, .scales = {1}},
         x_of({2}, DType::uint8),
         "Resize: X has type uint8, which mode cubic does not support: float16, bfloat16, float and double are"},
        {{.mode = ResizeMode::linear, .scales = {1}, .antialias = 1},
         x_of({2}, DType::int8),
         "Resize: X has type int8, which mode linear with antialias does not support: float16, bfloat16, float and double are"},
    };
    for (Refusal<Resize>& refusal : unsupported) {
        refusal.code = Code::unsupported;
        expect_refused(refusal);
    }
}

}  // namespace vkonnx::ops
