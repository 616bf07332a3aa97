// SPDX-License-Identifier: Apache-2.0
// This file has the discrete Fourier transform and that of a sliding window. Both multiply by a matrix of sines and cosines,
// because a product of matrices takes one dispatch, and signals of models are short.
//
//   DFT    X (.., n, re and im) * matrix (n * parts, bins * 2)
//   STFT   Conv with a window of frame_length, whose output channels are the parts of the bins
#include <cmath>
#include <numbers>

#include "graph/composer.h"

namespace vkonnx::graph {
namespace {

using Option = Schema::Option;

constexpr int64_t dft_versions[] = {17, 20};
constexpr Schema::Input dft_inputs[] = {{.name = "input"},
                                        {.name = "dft_length", .option = Option::optional, .member = "dft_length"},
                                        {.name = "axis", .option = Option::optional, .member = "axis", .since = 20}};
constexpr Schema::Output fourier_outputs[] = {{"output"}};
constexpr int64_t stft_versions[] = {17};
constexpr Schema::Input stft_inputs[] = {{.name = "signal"},
                                         {.name = "frame_step", .member = "frame_step"},
                                         {.name = "window", .option = Option::optional},
                                         {.name = "frame_length", .option = Option::optional, .member = "frame_length"}};

// This struct says what one element of the matrix multiplies, and what it adds to: part 0 is real, part 1 imaginary.
struct Entry {
    int64_t place = 0;
    int64_t part = 0;
    int64_t bin = 0;
    int64_t bin_part = 0;
};

// Returns the factor of e^(-2 pi i place bin / length), or of e^(+..) for the inverse, without its 1 / length.
//
//   (a + b i) (cos + i sin) = (a cos - b sin) + (a sin + b cos) i
double factor_of(const Entry& entry, int64_t length, bool inverse)
{
    const double turns = double(entry.place * entry.bin % length) / double(length);
    const double angle = (inverse ? 2 : -2) * std::numbers::pi * turns;
    if (entry.part == entry.bin_part)
        return std::cos(angle);
    return entry.part == 1 ? -std::sin(angle) : std::sin(angle);
}

bool check_length(Composer& composer, int64_t length, const char* name)
{
    return composer.check(length > 0, std::string(name) + " = " + std::to_string(length) + " must be above 0");
}

}  // namespace

constinit const Schema DFT::schema = {.name = "DFT", .versions = dft_versions, .inputs = dft_inputs, .outputs = fourier_outputs};
constinit const Schema STFT::schema = {
    .name = "STFT", .versions = stft_versions, .inputs = stft_inputs, .outputs = fourier_outputs};

void DFT::compose(Composer& composer) const
{
    const Operand input = composer.input(0);
    const std::vector<int64_t>& dims = input.desc.dims;
    const bool is_inverse = composer.flag(inverse, "inverse"), is_onesided = composer.flag(onesided, "onesided");
    if (!composer.check(dims.size() >= 2 && (dims.back() == 1 || dims.back() == 2),
                        "input is " + to_string(input.desc) + ", expected two dimensions or more, the last of 1 or 2"))
        return;
    const int64_t from_attribute = axis.value_or(1);
    const int64_t wanted = composer.version() < 20 ? from_attribute : composer.has(2) ? composer.known_integer(2, "axis") : -2;
    const size_t at = composer.axis(wanted, dims.size());
    if (!composer.check(at + 1 < dims.size(), "axis = " + std::to_string(wanted) + " must not be the last one"))
        return;
    const int64_t parts = dims.back(), extent = dims[at];
    if (!composer.check(!is_onesided || is_inverse == (parts == 2),
                        "onesided = 1 takes a real input, or with inverse = 1 a complex one, but input is " +
                            to_string(input.desc)))
        return;
    const bool to_real = is_onesided && is_inverse;
    const int64_t length = composer.has(1) ? composer.known_integer(1, "dft_length") : to_real ? 2 * (extent - 1) : extent;
    if (!check_length(composer, length, "dft_length"))
        return;
    const int64_t half = length / 2 + 1;
    const int64_t places = std::min(extent, to_real ? half : length), bins = is_onesided && !is_inverse ? half : length;
    const int64_t bin_parts = to_real ? 1 : 2;

    // The axis comes in front of the parts. Places behind the length are left out; those that lack are zeros and add nothing.
    std::vector<int64_t> order;
    for (size_t i = 0; i + 1 < dims.size(); ++i)
        if (i != at)
            order.push_back(int64_t(i));
    order.push_back(int64_t(at));
    order.push_back(int64_t(dims.size() - 1));
    const bool is_ordered = at + 2 == dims.size();
    const DType wide = computed_in(input.desc.dtype);
    Operand x = composer.cast(input, wide);
    if (places < extent)
        x = composer.add(Slice{.starts = {0}, .ends = {places}, .axes = {int64_t(at)}}, {x});
    if (!is_ordered)
        x = composer.add(Transpose{.perm = order}, {x});
    const int64_t rows = extent_of(dims, 0, at) * extent_of(dims, at + 1, dims.size() - 1);
    const TensorDesc matrix = {.dtype = wide, .dims = {places * parts, bins * bin_parts}};
    const Operand factors = composer.constant(matrix, [&](int64_t i) {
        const int64_t row = i / matrix.dims[1], column = i % matrix.dims[1];
        const Entry entry = {row / parts, row % parts, column / bin_parts, column % bin_parts};
        // Each bin of a one-sided spectrum stands for two, but the first and the middle one stand for themselves.
        const bool is_twice = to_real && entry.place > 0 && 2 * entry.place != length;
        return factor_of(entry, length, is_inverse) * (is_inverse ? 1 / double(length) : 1) * (is_twice ? 2 : 1);
    });
    Operand y = composer.add(MatMul(), {Composer::view(x, {rows, places * parts}), factors});

    std::vector<int64_t> moved, made(dims);
    for (size_t i = 0; i + 2 < order.size(); ++i)
        moved.push_back(dims[size_t(order[i])]);
    moved.insert(moved.end(), {bins, bin_parts});
    made[at] = bins;
    made.back() = bin_parts;
    y = Composer::view(y, moved);
    if (!is_ordered) {
        std::vector<int64_t> back(order.size());
        for (size_t i = 0; i < order.size(); ++i)
            back[size_t(order[i])] = int64_t(i);
        y = composer.add(Transpose{.perm = std::move(back)}, {y});
    }
    composer.set_output(0, composer.cast(Composer::view(y, made), input.desc.dtype));
}

void STFT::compose(Composer& composer) const
{
    Operand signal = composer.input(0);
    if (signal.desc.dims.size() == 2)  // a real signal, as ONNX Runtime takes it
        signal = Composer::view(signal, {signal.desc.dims[0], signal.desc.dims[1], 1});
    const std::vector<int64_t>& dims = signal.desc.dims;
    const bool is_onesided = composer.flag(onesided, "onesided", true);
    if (!composer.check(dims.size() == 3 && (dims[2] == 1 || dims[2] == 2),
                        "signal is " + to_string(signal.desc) + ", expected two dimensions, or three, the last of 1 or 2"))
        return;
    const int64_t parts = dims[2];
    if (!composer.check(!is_onesided || parts == 1, "onesided = 1 takes a real signal, but it is " + to_string(signal.desc)))
        return;
    const int64_t step = composer.known_integer(1, "frame_step");
    const int64_t from_window = composer.has(2) && composer.dims(2).size() == 1 ? composer.dims(2)[0] : dims[1];
    const int64_t length = composer.has(3) ? composer.known_integer(3, "frame_length") : from_window;
    if (!check_length(composer, step, "frame_step") || !check_length(composer, length, "frame_length") ||
        !composer.check(length <= dims[1], "frame_length = " + std::to_string(length) + " is above the signal's length, " +
                                               std::to_string(dims[1])) ||
        !composer.check(!composer.has(2) || composer.dims(2) == std::vector<int64_t>{length},
                        "window is " + to_string(composer.has(2) ? composer.input(2).desc : TensorDesc()) + ", expected " +
                            std::to_string(length) + " elements, as frame_length is"))
        return;
    const int64_t bins = is_onesided ? length / 2 + 1 : length;
    const DType wide = computed_in(signal.desc.dtype);
    const bool is_known = composer.is_known(2);
    const std::vector<double> window = is_known ? composer.numbers(2, "window") : std::vector<double>();
    Operand weights = composer.constant({.dtype = wide, .dims = {2 * bins, parts, length}}, [&](int64_t i) {
        const int64_t place = i % length, part = i / length % parts, output = i / length / parts;
        const double factor = factor_of({place, part, output / 2, output % 2}, length, false);
        return is_known ? factor * window[size_t(place)] : factor;
    });
    if (composer.has(2) && !is_known)
        weights =
            composer.add(ElementwiseKind::mul, {weights, Composer::view(composer.cast(composer.input(2), wide), {1, 1, length})});
    Operand x = composer.cast(signal, wide);
    x = parts == 1 ? Composer::view(x, {dims[0], 1, dims[1]}) : composer.add(Transpose{.perm = {0, 2, 1}}, {x});
    const Operand y = composer.add(Transpose{.perm = {0, 2, 1}}, {composer.add(Conv{.strides = {step}}, {x, weights})});
    composer.set_output(0,
                        composer.cast(Composer::view(y, {dims[0], (dims[1] - length) / step + 1, bins, 2}), signal.desc.dtype));
}

}  // namespace vkonnx::graph
