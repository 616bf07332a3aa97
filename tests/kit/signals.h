// This header has the reference of the discrete Fourier transform.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace vkonnx::kit {

// Returns sum over n of x[n] e^(-2 pi i k n / length) for each k, or e^(+..) / length for the inverse. What lacks of x is 0, and
// what is beyond the length is left out.
std::vector<std::complex<double>> reference_dft(const std::vector<std::complex<double>>& x, int64_t length, bool inverse);

}  // namespace vkonnx::kit
