// This file tests the kernels of AveragePool with values that no sum gets rid of, however they add.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "case_devices.h"

namespace vkonnx::gpu_test {
namespace {

constexpr int64_t image_height = 20;
constexpr int64_t image_width = 24;
constexpr float infinity = std::numeric_limits<float>::infinity();

// Tells whether the window of the output at [row, column] holds the element at [y, x].
bool holds(const AveragePool& pool, int64_t row, int64_t column, int64_t y, int64_t x)
{
    row -= pool.pads[0];
    column -= pool.pads[1];
    return y >= row && y < row + pool.kernel_shape[0] && x >= column && x < column + pool.kernel_shape[1];
}

// The input has one infinity, one -infinity and one NaN, so that windows have none, one, two or all of them.
void expect_each_in_its_windows(const Device& device, const std::string& kernel, const AveragePool& pool, const TensorDesc& desc)
{
    std::vector<float> x(size_t(image_height * image_width), 1);
    x[9 * image_width + 7] = infinity;
    x[6 * image_width + 15] = -infinity;
    x[14 * image_width + 11] = std::nanf("");
    const Result<Op> op = device.prepare(pool, {desc}, PrepareOptions{.kernel = kernel});
    ASSERT_TRUE(op) << op.message();
    const Result<Tensor> from = device.tensor(desc, x);
    const Result<Tensor> to = device.tensor(op->outputs()[0]);
    ASSERT_TRUE(from && to);
    const Status ran = device.run(*op, {*from}, {*to});
    ASSERT_TRUE(ran) << ran.message();
    const int64_t rows = op->outputs()[0].dims[2];
    const int64_t columns = op->outputs()[0].dims[3];
    std::vector<float> y(size_t(rows * columns));
    ASSERT_TRUE(to->download(y));
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
            const bool plus = holds(pool, row, column, 9, 7);
            const bool minus = holds(pool, row, column, 6, 15);
            const bool nan = holds(pool, row, column, 14, 11) || (plus && minus);
            const float got = y[size_t(row * columns + column)];
            if (nan)
                ASSERT_TRUE(std::isnan(got)) << row << ", " << column << " is " << got;
            else
                ASSERT_EQ(got, plus ? infinity : minus ? -infinity : 1) << row << ", " << column;
        }
    }
}

TEST(AveragePoolKernels, InfinitiesReachNoWindowButTheirOwn)
{
    const TensorDesc desc = {DType::float32, {1, 1, image_height, image_width}};
    std::string problem;
    for (const PresentDevice& present : present_devices(problem)) {
        const Result<Device>& device = shared_device(present.index);
        ASSERT_TRUE(device) << device.message();
        int separable = 0;
        int sliding = 0;
        int moving = 0;
        const AveragePool pools[] = {
            {.kernel_shape = {3, 3}, .pads = {2, 2, 2, 2}},   {.kernel_shape = {9, 9}, .pads = {2, 2, 2, 2}},
            {.kernel_shape = {17, 17}, .pads = {2, 2, 2, 2}}, {.kernel_shape = {1, 3}, .pads = {0, 2, 0, 2}},
            {.kernel_shape = {1, 9}, .pads = {0, 2, 0, 2}},   {.kernel_shape = {1, 17}, .pads = {0, 2, 0, 2}}};
        for (const AveragePool& pool : pools) {
            const auto listed = kernels(pool, std::vector{desc}, device->capabilities());
            ASSERT_TRUE(listed) << listed.message();
            for (const KernelInfo& kernel : *listed) {
                SCOPED_TRACE(present.label + ": " + kernel.name + ", window " + std::to_string(pool.kernel_shape[0]) + " x " +
                             std::to_string(pool.kernel_shape[1]));
                if (!kernel.unfit.empty())
                    continue;
                separable += kernel.name == "average_pool_separable";
                sliding += kernel.name == "average_pool_sliding";
                moving += kernel.name == "average_pool_moving";
                ASSERT_NO_FATAL_FAILURE(expect_each_in_its_windows(*device, kernel.name, pool, desc));
            }
        }
        EXPECT_EQ(separable, 2);
        EXPECT_EQ(sliding, 1);
        EXPECT_EQ(moving, 3);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
