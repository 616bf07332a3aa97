#include <algorithm>
#include <numbers>

#include "kit/signals.h"

namespace vkonnx::kit {

std::vector<std::complex<double>> reference_dft(const std::vector<std::complex<double>>& x, int64_t length, bool inverse)
{
    std::vector<std::complex<double>> y;
    for (int64_t k = 0; k < length; ++k) {
        std::complex<double> sum = 0;
        for (int64_t n = 0; n < std::min(length, int64_t(x.size())); ++n)
            sum += x[size_t(n)] * std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * double(k) * double(n) / double(length));
        y.push_back(inverse ? sum / double(length) : sum);
    }
    return y;
}

}  // namespace vkonnx::kit
