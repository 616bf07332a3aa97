// This header has references of quantized operators, which only model files have. They take integers and give integers, one
// product and one sum at a time.
#pragma once

#include <cstdint>
#include <vector>

namespace vkonnx::kit {

// Returns A * B, of rows x inner and inner x columns elements, from which their zero points are subtracted. There is one zero
// point for all, or one for each row of A and each column of B.
std::vector<int64_t> reference_integer_matmul(const std::vector<int64_t>& a, const std::vector<int64_t>& b, int64_t rows,
                                              int64_t inner, int64_t columns, const std::vector<int64_t>& a_zeros,
                                              const std::vector<int64_t>& b_zeros);

struct IntegerConvolution {
    int64_t batches = 1, groups = 1, channels = 1, outputs = 1;  // channels and outputs of one group
    int64_t height = 1, width = 1;                               // of x
    int64_t kernel_height = 1, kernel_width = 1;
    int64_t stride = 1, pad = 0;  // on both axes, at both ends
    int64_t x_zero = 0;
    std::vector<int64_t> w_zeros = {};  // one for all, or one for each output

    int64_t output_height() const { return (height + 2 * pad - kernel_height) / stride + 1; }
    int64_t output_width() const { return (width + 2 * pad - kernel_width) / stride + 1; }
};

// Returns the convolution of x (batches, groups * channels, height, width) with w (groups * outputs, channels, kernel_height,
// kernel_width). Padding adds nothing, as if x had its zero point there.
std::vector<int64_t> reference_integer_conv(const IntegerConvolution& problem, const std::vector<int64_t>& x,
                                            const std::vector<int64_t>& w);

// Returns number / scale, rounded to nearest even, plus the zero point, limited to [least, greatest].
int64_t reference_quantized(double number, double scale, int64_t zero, int64_t least, int64_t greatest);

}  // namespace vkonnx::kit
