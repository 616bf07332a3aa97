// Readable sources of the models that tests and the demo use, and their bytes as .onnx files.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <string>

namespace vkonnx::kit {

// X (1, 3, H, W) -> Y (1, 3, ceil(H/2), ceil(W/2)): every two by two pixels averaged. Halves a picture without aliasing.
std::string antialias_half();

// X (1, 3, H, W) -> Y (1, 3, 2H, 2W): bilinear interpolation as a transposed convolution, one group a colour.
std::string bilinear_double();

// X -> halved -> Y: both after each other. The halved picture is the second output, `halved`.
std::string half_then_double();

// antialias_half.onnx, bilinear_double.onnx and half_then_double.onnx in an existing directory.
Status write_models(const std::string& directory);

}  // namespace vkonnx::kit
