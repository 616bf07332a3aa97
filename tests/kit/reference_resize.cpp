// This file computes Resize as its documents define it: for each output coordinate of an axis all positions of the input are
// tried, and their weights summed. Coordinates and weights are floats, which decide ties: in the order of the documents'
// formulas, as ONNX Runtime has it.
#include <algorithm>
#include <cmath>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Mode = CoordinateTransformationMode;

bool takes(const Resize& op, DType dtype, int64_t version)
{
    if (dtype == DType::bfloat16 && version < 13)
        return false;
    if (is_real(dtype))
        return true;
    const bool few = dtype == DType::uint8 || dtype == DType::int8 || dtype == DType::int32;
    if (op.mode != ResizeMode::nearest)
        return few && op.mode == ResizeMode::linear && op.antialias.value_or(0) == 0;
    return is_integer(dtype) || dtype == DType::boolean || dtype == DType::complex64;
}

Status check_versions(const Resize& op, int64_t version)
{
    const bool of_11 = op.coordinate_transformation_mode != Mode::half_pixel ||
                       op.nearest_mode != NearestMode::round_prefer_floor || op.mode == ResizeMode::cubic || !op.sizes.empty() ||
                       !op.roi.empty() || op.cubic_coeff_a || op.exclude_outside || op.extrapolation_value;
    const bool of_18 = !op.axes.empty() || op.antialias || op.keep_aspect_ratio_policy != KeepAspectRatioPolicy::stretch;
    if (version == 0 || (of_11 && version < 11) || (of_18 && version < 18))
        return refusal("version");
    if (op.coordinate_transformation_mode == Mode::half_pixel_symmetric && version < 19)
        return refusal("half_pixel_symmetric");
    if (op.coordinate_transformation_mode == Mode::tf_half_pixel_for_nn && version != 11)
        return refusal("tf_half_pixel_for_nn");
    for (const auto& flag : {op.exclude_outside, op.antialias})
        if (flag && *flag != 0 && *flag != 1)
            return refusal("a flag");
    return Status();
}

// ---- sizes

struct Scaled {
    int64_t in = 0;
    int64_t out = 0;
    float scale = 1;
    float length = 0;
    float start = 0;
    float end = 1;
};

Result<std::vector<Scaled>> scaled_axes(const Resize& op, const TensorDesc& x)
{
    std::vector<Scaled> axes;
    for (const int64_t extent : x.dims)
        axes.push_back({.in = extent, .out = extent, .length = float(extent)});
    std::vector<size_t> listed;
    for (size_t a = 0; a < axes.size() && op.axes.empty(); ++a)
        listed.push_back(a);
    for (const int64_t axis : op.axes) {
        const int64_t place = axis < 0 ? axis + int64_t(axes.size()) : axis;
        if (place < 0 || place >= int64_t(axes.size()) || std::count(listed.begin(), listed.end(), size_t(place)) > 0)
            return refusal("axes");
        listed.push_back(size_t(place));
    }
    const bool crops = op.coordinate_transformation_mode == Mode::tf_crop_and_resize;
    const bool by_size = !op.sizes.empty();
    if (by_size == !op.scales.empty() || (by_size ? op.sizes.size() : op.scales.size()) != listed.size())
        return refusal("sizes and scales");
    if (crops && !op.roi.empty() && op.roi.size() != 2 * listed.size())
        return refusal("roi");
    for (size_t i = 0; i < listed.size(); ++i) {
        Scaled& axis = axes[listed[i]];
        if (crops && !op.roi.empty()) {
            axis.start = op.roi[i];
            axis.end = op.roi[listed.size() + i];
            if (!std::isfinite(axis.start) || !std::isfinite(axis.end))
                return refusal("roi");
        }
        if (by_size) {
            if (axis.in == 0 ? op.sizes[i] != 0 : op.sizes[i] < 1)
                return refusal("sizes");
            axis.out = op.sizes[i];
            axis.scale = axis.in == 0 ? 1 : float(axis.out) / float(axis.in);
            axis.length = float(axis.out);
        } else {
            if (!(op.scales[i] > 0) || !std::isfinite(op.scales[i]))
                return refusal("scales");
            axis.scale = op.scales[i];
            axis.length = axis.scale * float(axis.in);
            if (axis.length >= 0x1p63f)
                return refusal("scales");
            axis.out = int64_t(std::floor(axis.length));
        }
    }
    if (by_size && op.keep_aspect_ratio_policy != KeepAspectRatioPolicy::stretch) {
        std::vector<float> scales;
        for (const size_t a : listed)
            scales.push_back(axes[a].scale);
        std::sort(scales.begin(), scales.end());
        const float scale = op.keep_aspect_ratio_policy == KeepAspectRatioPolicy::not_larger ? scales.front() : scales.back();
        for (const size_t a : listed) {
            axes[a].scale = scale;
            axes[a].length = std::floor(scale * float(axes[a].in) + 0.5f);
            if (axes[a].length >= 0x1p63f)
                return refusal("policy");
            axes[a].out = int64_t(axes[a].length);
        }
    }
    return axes;
}

// ---- weights

float coordinate_of(Mode mode, const Scaled& axis, int64_t coordinate)
{
    const float o = float(coordinate);
    const float in = float(axis.in);
    const float out = float(axis.out);
    switch (mode) {
    case Mode::asymmetric:
        return o / axis.scale;
    case Mode::tf_half_pixel_for_nn:
        return (o + 0.5f) / axis.scale;
    case Mode::align_corners:
        return axis.length == 1 ? 0 : o * (in - 1) / (axis.length - 1);
    case Mode::tf_crop_and_resize:
        if (axis.out == 1)
            return float(double(axis.start + axis.end) * 0.5 * double(in - 1));
        return axis.start * (in - 1) + o * (axis.end - axis.start) * (in - 1) / (out - 1);
    case Mode::half_pixel_symmetric: {
        const float offset = in / 2 * (1 - out / (axis.scale * in));
        return float(double(offset) + (double(o) + 0.5) / double(axis.scale) - 0.5);
    }
    case Mode::pytorch_half_pixel:
        if (axis.out == 1)
            return 0;
        break;
    case Mode::half_pixel:
        break;
    }
    return (o + 0.5f) / axis.scale - 0.5f;
}

struct Weighted {
    int64_t position = 0;
    float weight = 1;
};

// These are, for each output coordinate, the positions that it reads. None means the extrapolation value.
using Weights = std::vector<std::vector<Weighted>>;

int64_t nearest(const Resize& op, int64_t version, float scale, float x)
{
    if (version < 11)
        return int64_t(scale < 1 ? std::ceil(x) : std::floor(x));
    const float below = std::floor(x);
    const float rest = x - below;
    const bool tie = std::fabs(rest - 0.5f) < 1e-6;
    switch (op.nearest_mode) {
    case NearestMode::floor:
        return int64_t(below);
    case NearestMode::ceil:
        return int64_t(std::ceil(x));
    case NearestMode::round_prefer_floor:
        return int64_t(below) + (rest > 0.5f && !tie);
    case NearestMode::round_prefer_ceil:
        return int64_t(below) + (rest >= 0.5f || tie);
    }
    return 0;
}

float cubic(float a, float distance)
{
    const float s = std::fabs(distance);
    if (s <= 1)
        return ((a + 2) * s - (a + 3)) * s * s + 1;
    return s < 2 ? ((a * s - 5 * a) * s + 8 * a) * s - 4 * a : 0;
}

// Returns every position that the filter may reach. Beyond an end of the input, the end stands for it.
std::vector<Weighted> filtered(const Resize& op, const Scaled& axis, float x, float stretch)
{
    const float reach = (op.mode == ResizeMode::cubic ? 2 : 1) / stretch;
    const float a = op.cubic_coeff_a.value_or(-0.75f);
    std::vector<Weighted> all;
    float sum = 0;
    for (float position = std::floor(x - reach) - 1; position <= x + reach + 1; ++position) {
        const float distance = (position - x) * stretch;
        const float weight = op.mode == ResizeMode::cubic ? cubic(a, distance) : 1 - std::fabs(distance);
        const bool outside = position < 0 || position > float(axis.in - 1);
        if (weight == 0 || std::fabs(position - x) > reach || (op.mode == ResizeMode::linear && weight < 0) ||
            (outside && op.exclude_outside.value_or(0) == 1))
            continue;
        sum += weight;
        const int64_t at = int64_t(std::clamp(position, 0.0f, float(axis.in - 1)));
        if (!all.empty() && all.back().position == at)
            all.back().weight += weight;
        else
            all.push_back({at, weight});
    }
    for (Weighted& each : all)
        each.weight /= sum;
    return all;
}

// Returns the four positions around x, for a filter that is not stretched. Weights are normalized only where positions outside
// are excluded.
std::vector<Weighted> four(const Resize& op, const Scaled& axis, float x)
{
    const float below = std::floor(x);
    const float rest = x - below;
    const float a = op.cubic_coeff_a.value_or(-0.75f);
    const float distances[] = {rest + 1, rest, 1 - rest, 2 - rest};
    const bool excludes = op.exclude_outside.value_or(0) == 1;
    std::vector<Weighted> all;
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
        const float position = below + float(i - 1);
        // At distance 1 both halves of the filter meet. The outer half is meant for the outer two positions.
        const float s = distances[i];
        const float weight = i == 0 || i == 3 ? ((a * s - 5 * a) * s + 8 * a) * s - 4 * a : cubic(a, s);
        if (excludes && (position < 0 || position > float(axis.in - 1)))
            continue;
        sum += weight;
        all.push_back({int64_t(std::clamp(position, 0.0f, float(axis.in - 1))), weight});
    }
    for (Weighted& each : all)
        each.weight = excludes ? each.weight / sum : each.weight;
    return all;
}

std::vector<Weighted> two(const Scaled& axis, float x)
{
    x = std::clamp(x, 0.0f, float(axis.in - 1));
    const float below = std::floor(x);
    if (int64_t(below) == axis.in - 1)
        return {{axis.in - 1, 0.5f}, {axis.in - 1, 0.5f}};
    return {{int64_t(below), below + 1 - x}, {int64_t(below) + 1, x - below}};
}

Weights weights_along(const Resize& op, int64_t version, const Scaled& axis)
{
    const Mode mode = version < 11 ? Mode::asymmetric : op.coordinate_transformation_mode;
    const bool crops = mode == Mode::tf_crop_and_resize;
    const bool moves = axis.in != axis.out || axis.scale != 1 || (crops && (axis.start != 0 || axis.end != 1));
    Weights weights;
    for (int64_t o = 0; o < axis.out; ++o) {
        if (!moves) {
            weights.push_back({{o}});
            continue;
        }
        const float x = coordinate_of(mode, axis, o);
        if (crops && (x < 0 || x > float(axis.in - 1)))
            weights.push_back({});
        else if (op.mode == ResizeMode::nearest)
            weights.push_back({{std::clamp<int64_t>(nearest(op, version, axis.scale, x), 0, axis.in - 1)}});
        else if (op.antialias.value_or(0) == 1 && axis.scale < 1)
            weights.push_back(filtered(op, axis, x, axis.scale));
        else
            weights.push_back(op.mode == ResizeMode::linear ? two(axis, x) : four(op, axis, x));
    }
    return weights;
}

// ---- sums

struct Term {
    int64_t at = 0;
    double weight = 1;
};

// Returns the products of all axes' weights, the last axis fastest. No terms mean the extrapolation value.
std::vector<Term> terms_of(const std::vector<Weights>& weights, const std::vector<Scaled>& axes, int64_t flat)
{
    std::vector<int64_t> index(axes.size());
    for (size_t a = axes.size(); a-- > 0;) {
        index[a] = flat % axes[a].out;
        flat /= axes[a].out;
    }
    std::vector<Term> terms = {{}};
    for (size_t a = 0; a < axes.size(); ++a) {
        std::vector<Term> more;
        for (const Term& term : terms)
            for (const Weighted& each : weights[a][size_t(index[a])])
                more.push_back({term.at * axes[a].in + each.position, term.weight * double(each.weight)});
        terms = std::move(more);
    }
    return terms;
}

uint64_t extrapolated_word(DType dtype, float value)
{
    if (is_integer(dtype))
        return normalized(dtype, uint64_t(int64_t(value)));
    if (dtype == DType::boolean)
        return value != 0;
    const bool complex = dtype == DType::complex64;
    const std::vector<std::byte> bytes = encoded(complex ? DType::float32 : dtype, std::vector<double>{value});
    return words_of(complex ? DType::float32 : dtype, bytes)[0];
}

Answer summed(const RealTensor& x, const std::vector<Term>& terms)
{
    Answer answer;
    answer.rounds_terms = true;
    DoubleDouble sum;
    for (const Term& term : terms) {
        const double value = x.values.empty() ? (is_signed(x.desc.dtype) ? double(int64_t(x.words[size_t(term.at)]))
                                                                         : double(x.words[size_t(term.at)]))
                                              : x.values[size_t(term.at)];
        sum = sum + DoubleDouble::two_product(term.weight, value);
        answer.magnitude += std::fabs(term.weight * value);
        ++answer.taps;
    }
    answer.value = sum;
    if (x.values.empty()) {
        // A device computes it in float, and may round it to either side where it is near a whole number.
        const double bound = double(answer.taps + 6) * 0x1p-23 * answer.magnitude;
        answer.slack = uint64_t(bound) + (std::fabs(sum.hi - std::round(sum.hi)) <= bound);
        answer.word = normalized(x.desc.dtype, uint64_t(int64_t(sum.hi)));
    }
    return answer;
}

}  // namespace

Result<Resolution> resolve(const Resize& attributes, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<Resize>, attributes.opset);
    if (Status status = check_versions(attributes, version); !status)
        return status;
    if (inputs.size() != 1 || inputs[0].dims.empty() || !takes(attributes, inputs[0].dtype, version))
        return refusal("X");
    if (Result<int64_t> count = element_count(inputs[0]); !count)
        return count.status();
    const Result<std::vector<Scaled>> axes = scaled_axes(attributes, inputs[0]);
    if (!axes)
        return axes.status();
    Resolution resolution = {.output = {inputs[0].dtype, {}, inputs[0].layout}};
    for (const Scaled& axis : *axes)
        resolution.output.dims.push_back(axis.out);
    if (Result<int64_t> count = element_count(resolution.output); !count)
        return count.status();
    return resolution;
}

Result<std::vector<Answer>> reference(const Resize& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    if (inputs.size() != 1)
        return refusal("Resize has 1 input");
    const RealTensor& x = inputs[0];
    const Result<Resolution> resolution = resolve(attributes, {&x.desc, 1});
    if (!resolution)
        return resolution.status();
    const std::vector<Scaled> axes = *scaled_axes(attributes, x.desc);
    std::vector<Weights> weights;
    for (const Scaled& axis : axes)
        weights.push_back(weights_along(attributes, version_of(versions<Resize>, attributes.opset), axis));
    const float outside = attributes.extrapolation_value.value_or(0);
    std::vector<Answer> answers;
    for (const int64_t flat : sample) {
        const std::vector<Term> terms = terms_of(weights, axes, flat);
        Answer& answer = answers.emplace_back();
        if (terms.empty()) {
            answer.value = outside;
            if (x.values.empty())
                answer.word = extrapolated_word(x.desc.dtype, outside);
        } else if (attributes.mode == ResizeMode::nearest) {
            answer.word = x.words[size_t(terms[0].at)];
        } else {
            answer = summed(x, terms);
        }
    }
    return answers;
}

}  // namespace vkonnx::kit
