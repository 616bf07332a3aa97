// This header has readable sources of the models that tests and the demo use, and writes them as .onnx files.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <string>

namespace vkonnx::kit {

// X (1, 3, H, W) -> Y (1, 3, ceil(H/2), ceil(W/2)): this model averages every two by two pixels. It halves a picture without
// aliasing.
std::string antialias_half();

// X (1, 3, H, W) -> Y (1, 3, 2H, 2W): this model is a bilinear interpolation as a transposed convolution with one group for each
// colour.
std::string bilinear_double();

// X -> halved -> Y: this model runs both in a row. The halved picture is the second output, `halved`.
std::string half_then_double();

// Writes antialias_half.onnx, bilinear_double.onnx and half_then_double.onnx into an existing directory.
Status write_models(const std::string& directory);

}  // namespace vkonnx::kit
