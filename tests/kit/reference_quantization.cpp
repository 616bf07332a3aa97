#include <algorithm>
#include <cmath>

#include "kit/quantization.h"

namespace vkonnx::kit {
namespace {

int64_t zero_of(const std::vector<int64_t>& zeros, int64_t index)
{
    if (zeros.empty())
        return 0;
    return zeros.size() == 1 ? zeros[0] : zeros[size_t(index)];
}

}  // namespace

std::vector<int64_t> reference_integer_matmul(const std::vector<int64_t>& a, const std::vector<int64_t>& b, int64_t rows,
                                              int64_t inner, int64_t columns, const std::vector<int64_t>& a_zeros,
                                              const std::vector<int64_t>& b_zeros)
{
    std::vector<int64_t> y;
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) {
            int64_t sum = 0;
            for (int64_t i = 0; i < inner; ++i)
                sum += (a[size_t(row * inner + i)] - zero_of(a_zeros, row)) *
                       (b[size_t(i * columns + column)] - zero_of(b_zeros, column));
            y.push_back(sum);
        }
    return y;
}

std::vector<int64_t> reference_integer_conv(const IntegerConvolution& problem, const std::vector<int64_t>& x,
                                            const std::vector<int64_t>& w)
{
    const IntegerConvolution& p = problem;
    std::vector<int64_t> y;
    for (int64_t batch = 0; batch < p.batches; ++batch)
        for (int64_t output = 0; output < p.groups * p.outputs; ++output)
            for (int64_t row = 0; row < p.output_height(); ++row)
                for (int64_t column = 0; column < p.output_width(); ++column) {
                    int64_t sum = 0;
                    for (int64_t channel = 0; channel < p.channels; ++channel)
                        for (int64_t i = 0; i < p.kernel_height; ++i)
                            for (int64_t j = 0; j < p.kernel_width; ++j) {
                                const int64_t h = row * p.stride + i - p.pad, v = column * p.stride + j - p.pad;
                                if (h < 0 || v < 0 || h >= p.height || v >= p.width)
                                    continue;
                                const int64_t in = output / p.outputs * p.channels + channel;
                                const int64_t plane = batch * p.groups * p.channels + in;
                                const int64_t tap = (output * p.channels + channel) * p.kernel_height + i;
                                sum += (x[size_t((plane * p.height + h) * p.width + v)] - p.x_zero) *
                                       (w[size_t(tap * p.kernel_width + j)] - zero_of(p.w_zeros, output));
                            }
                    y.push_back(sum);
                }
    return y;
}

int64_t reference_quantized(double number, double scale, int64_t zero, int64_t least, int64_t greatest)
{
    return std::clamp(int64_t(std::nearbyint(number / scale)) + zero, least, greatest);
}

}  // namespace vkonnx::kit
