// SPDX-License-Identifier: Apache-2.0
// Resize.
#ifndef VKONNX_OPERATORS_RESIZE_HPP
#define VKONNX_OPERATORS_RESIZE_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

enum class ResizeMode : uint8_t { nearest, linear, cubic };

inline constexpr Spelling<ResizeMode> resize_mode_words[] = {
    {ResizeMode::nearest, "nearest"}, {ResizeMode::linear, "linear"}, {ResizeMode::cubic, "cubic"}};

enum class CoordinateTransformationMode : uint8_t {
    half_pixel,
    half_pixel_symmetric,  // from version 19
    pytorch_half_pixel,
    align_corners,
    asymmetric,
    tf_crop_and_resize,
    tf_half_pixel_for_nn,  // in version 11 only
};

inline constexpr Spelling<CoordinateTransformationMode> coordinate_transformation_mode_words[] = {
    {CoordinateTransformationMode::half_pixel, "half_pixel"},
    {CoordinateTransformationMode::half_pixel_symmetric, "half_pixel_symmetric"},
    {CoordinateTransformationMode::pytorch_half_pixel, "pytorch_half_pixel"},
    {CoordinateTransformationMode::align_corners, "align_corners"},
    {CoordinateTransformationMode::asymmetric, "asymmetric"},
    {CoordinateTransformationMode::tf_crop_and_resize, "tf_crop_and_resize"},
    {CoordinateTransformationMode::tf_half_pixel_for_nn, "tf_half_pixel_for_nn"}};

enum class NearestMode : uint8_t { round_prefer_floor, round_prefer_ceil, floor, ceil };

inline constexpr Spelling<NearestMode> nearest_mode_words[] = {{NearestMode::round_prefer_floor, "round_prefer_floor"},
                                                               {NearestMode::round_prefer_ceil, "round_prefer_ceil"},
                                                               {NearestMode::floor, "floor"},
                                                               {NearestMode::ceil, "ceil"}};

enum class KeepAspectRatioPolicy : uint8_t { stretch, not_larger, not_smaller };

inline constexpr Spelling<KeepAspectRatioPolicy> keep_aspect_ratio_policy_words[] = {
    {KeepAspectRatioPolicy::stretch, "stretch"},
    {KeepAspectRatioPolicy::not_larger, "not_larger"},
    {KeepAspectRatioPolicy::not_smaller, "not_smaller"}};

// Resize computes Y at other extents than X, by interpolation between the elements of X.
//
//   input    X, of any rank but 0
//   output   Y, of X's rank, type and layout
//
// Versions 10, 11, 13, 18, 19. In version 10 coordinates are asymmetric, and the nearest element is the one below; where an axis
// shrinks, it is the one above.
//
// `roi`, `scales` and `sizes` are inputs in the documents. Exactly one of scales and sizes is given. Both have an entry for each
// of `axes`, or for each axis of X; roi has two.
//
//   mode      types                                axes that may change   what it does
//   nearest   any of 8, 16, 32 or 64 bits          all                    copies elements bit for bit
//   linear    float16, bfloat16, float, double     6
//   linear    uint8, int8, int32                   3                      rounds toward zero; takes no antialias
//   cubic     float16, bfloat16, float, double     6
//
// Coordinates and weights are floats. They are computed in the order of ONNX Runtime's operations on a CPU, because this order
// decides ties. ONNX Runtime also decides what the documents leave open:
// - Beyond the ends of X, its first and last elements are repeated.
// - Scales are floats, and so are quotients of sizes and extents. With scales, an extent is the floor of extent times scale,
//   whatever roi is.
// - An axis whose scale is 1 is left as it is, unless tf_crop_and_resize crops it.
// - Where tf_crop_and_resize looks beyond the first or last element of an axis, the result is extrapolation_value.
// - Both modes that round treat a coordinate as halfway if it is at most a millionth away from halfway.
// In two points ONNX Runtime differs from the documents' own tests, and here the tests count. With align_corners and scales, the
// length is the product of extent and scale. An antialiasing filter that reaches beyond the ends keeps all of its weights.
struct Resize {
    static constexpr std::string_view name = "Resize";
    int64_t opset = newest_opset;
    ResizeMode mode = ResizeMode::nearest;
    CoordinateTransformationMode coordinate_transformation_mode = CoordinateTransformationMode::half_pixel;  // from version 11
    NearestMode nearest_mode = NearestMode::round_prefer_floor;                                              // from version 11
    std::vector<int64_t> axes = {};                 // from version 18; negative ones count from the back
    std::vector<int64_t> sizes = {};                // from version 11
    std::vector<float> scales = {};                 // above 0
    std::vector<float> roi = {};                    // from version 11, of tf_crop_and_resize: all starts (0), then all ends (1)
    std::optional<float> cubic_coeff_a = {};        // -0.75, from version 11
    std::optional<int64_t> exclude_outside = {};    // 0 or 1, from version 11
    std::optional<float> extrapolation_value = {};  // 0, from version 11
    std::optional<int64_t> antialias = {};          // 0 or 1, from version 18
    KeepAspectRatioPolicy keep_aspect_ratio_policy = KeepAspectRatioPolicy::stretch;  // of sizes, from version 18
};

template <MaybeConst<Resize> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("mode", op.mode, Spellings<ResizeMode>(resize_mode_words));
    visit("coordinate_transformation_mode", op.coordinate_transformation_mode,
          Spellings<CoordinateTransformationMode>(coordinate_transformation_mode_words));
    visit("nearest_mode", op.nearest_mode, Spellings<NearestMode>(nearest_mode_words));
    visit("axes", op.axes);
    visit("sizes", op.sizes);
    visit("scales", op.scales);
    visit("roi", op.roi);
    visit("cubic_coeff_a", op.cubic_coeff_a);
    visit("exclude_outside", op.exclude_outside);
    visit("extrapolation_value", op.extrapolation_value);
    visit("antialias", op.antialias);
    visit("keep_aspect_ratio_policy", op.keep_aspect_ratio_policy,
          Spellings<KeepAspectRatioPolicy>(keep_aspect_ratio_policy_words));
}

}  // namespace vkonnx

#endif
