// SPDX-License-Identifier: Apache-2.0
// This file has the operators that make windows and weights of known numbers alone.
#include <cmath>
#include <numbers>

#include "graph/composer.h"
#include "graph/reals.h"

namespace vkonnx::graph {
namespace {

constexpr int64_t window_versions[] = {17};
constexpr Schema::Input window_inputs[] = {{.name = "size", .member = "size"}};
constexpr Schema::Output window_outputs[] = {{"output"}};
constexpr Schema::Input mel_inputs[] = {{.name = "num_mel_bins", .member = "num_mel_bins"},
                                        {.name = "dft_length", .member = "dft_length"},
                                        {.name = "sample_rate", .member = "sample_rate"},
                                        {.name = "lower_edge_hertz", .member = "lower_edge_hertz"},
                                        {.name = "upper_edge_hertz", .member = "upper_edge_hertz"}};

constexpr Schema window_schema(std::string_view name)
{
    return {.name = name, .versions = window_versions, .inputs = window_inputs, .outputs = window_outputs};
}

// Returns the type of the output, or undefined where it is not supported.
DType window_type(Composer& composer, const std::optional<int64_t>& datatype)
{
    const DType dtype = type_of(datatype.value_or(int64_t(DType::float32)));
    return composer.check(is_real(dtype) || is_integer(dtype),
                          "output_datatype = " + std::to_string(datatype.value_or(1)) + " is no type of numbers of 8 to 64 bits")
               ? dtype
               : DType::undefined;
}

// Adds a window of terms a0 - a1 cos(angle) + a2 cos(2 angle), where the angle goes once around in `size` steps, or, unless the
// window is periodic, in size - 1.
void compose_window(Composer& composer, const WindowAttributes& op, double a0, double a1, double a2)
{
    const DType dtype = window_type(composer, op.output_datatype);
    const int64_t size = composer.known_integer(0, "size");
    const bool is_periodic = composer.flag(op.periodic, "periodic", true);
    if (!composer.check(size >= 0, "size = " + std::to_string(size) + " must not be negative"))
        return;
    const auto steps = double(std::max(is_periodic ? size : size - 1, int64_t(1)));
    composer.set_output(0, composer.constant({.dtype = dtype, .dims = {size}}, [=](int64_t i) {
        const double angle = 2 * std::numbers::pi * double(i) / steps;
        return a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle);
    }));
}

}  // namespace

constinit const Schema HannWindow::schema = window_schema("HannWindow");
constinit const Schema HammingWindow::schema = window_schema("HammingWindow");
constinit const Schema BlackmanWindow::schema = window_schema("BlackmanWindow");
constinit const Schema MelWeightMatrix::schema = {
    .name = "MelWeightMatrix", .versions = window_versions, .inputs = mel_inputs, .outputs = window_outputs};

void HannWindow::compose(Composer& composer) const
{
    compose_window(composer, *this, 0.5, 0.5, 0);
}

void HammingWindow::compose(Composer& composer) const
{
    compose_window(composer, *this, 25.0 / 46, 21.0 / 46, 0);
}

void BlackmanWindow::compose(Composer& composer) const
{
    compose_window(composer, *this, 0.42, 0.5, 0.08);
}

// Each column is a triangle over three edges, which are equally far from each other in mel(f) = 2595 log10(1 + f / 700). As in
// ONNX's reference and in ONNX Runtime, their distance is the range, divided by the number of edges.
void MelWeightMatrix::compose(Composer& composer) const
{
    const DType dtype = window_type(composer, output_datatype);
    const int64_t bands = composer.known_integer(0, "num_mel_bins"), length = composer.known_integer(1, "dft_length"),
                  rate = composer.known_integer(2, "sample_rate");
    const std::vector<double> lower = composer.numbers(3, "lower_edge_hertz"), upper = composer.numbers(4, "upper_edge_hertz");
    if (!composer.check(lower.size() == 1 && upper.size() == 1, "the edges have not one element each") ||
        !composer.check(bands > 0 && length > 0 && rate > 0, "num_mel_bins, dft_length and sample_rate must be above 0"))
        return;
    const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    const double first = mel(lower[0]), step = (mel(upper[0]) - first) / double(bands + 2);
    const int64_t bins = length / 2 + 1;
    const auto hertz_of = [=](int64_t edge) { return 700 * (std::pow(10, (double(edge) * step + first) / 2595) - 1); };
    const auto bin_of = [=](int64_t edge) { return std::floor(double(length + 1) * hertz_of(edge) / double(rate)); };
    for (const int64_t edge : {int64_t(0), bands + 1})  // the others lie between these
        if (!composer.check(bin_of(edge) >= 0 && bin_of(edge) < double(bins),
                            "an edge of " + std::to_string(hertz_of(edge)) +
                                " hertz is beyond the spectrum of half the sample rate, " + std::to_string(rate)))
            return;
    composer.set_output(0, composer.constant({.dtype = dtype, .dims = {bins, bands}}, [=](int64_t i) {
        const int64_t bin = i / bands, band = i % bands;
        const auto left = int64_t(bin_of(band)), middle = int64_t(bin_of(band + 1)), right = int64_t(bin_of(band + 2));
        if (bin >= middle && bin < right)
            return double(right - bin) / double(right - middle);
        if (left == middle)
            return bin == middle ? 1.0 : 0.0;
        return bin >= left && bin <= middle ? double(bin - left) / double(middle - left) : 0.0;
    }));
}

}  // namespace vkonnx::graph
