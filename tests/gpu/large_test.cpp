// This file tests tensors of 300 MiB on devices that bind at most 128 MiB at once, as lavapipe does: whether results are right,
// and in how much memory.
#include <gtest/gtest.h>

#include "case_devices.h"

namespace vkonnx::gpu_test {
namespace {

constexpr uint64_t bindable = uint64_t(128) << 20;
constexpr int64_t height = 1600;
constexpr int64_t width = 1536;

// Returns small integers, so that sums are exact.
float element(int64_t index)
{
    return float((uint64_t(index) * 0x9e3779b97f4a7c15u) >> 61) - 3;
}

std::vector<float> elements(int64_t count)
{
    std::vector<float> values(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
        values[size_t(i)] = element(i);
    return values;
}

// Runs the operator with inputs of `element`. Its output goes to `y`.
template <class Attributes>
void run(const PresentDevice& present, const Attributes& attributes, const std::vector<TensorDesc>& inputs, std::vector<float>& y)
{
    Capabilities limit = present.capabilities;
    limit.max_storage_buffer_range = bindable;
    const Result<Device> device =
        Device::open({.select = std::to_string(present.index), .capabilities = limit, .timeout_seconds = patience});
    ASSERT_TRUE(device) << device.message();
    const Result<Op> op = device->prepare(attributes, inputs);
    ASSERT_TRUE(op) << op.message();
    std::vector<Tensor> tensors;
    for (const TensorDesc& desc : inputs) {
        const Result<Tensor> tensor = device->tensor(desc, elements(*element_count(desc)));
        ASSERT_TRUE(tensor) << tensor.message();
        tensors.push_back(*tensor);
    }
    const Result<Tensor> to = device->tensor(op->outputs()[0]);
    ASSERT_TRUE(to) << to.message();
    const Result<Binding> binding = device->bind(*op, tensors, std::vector<Tensor>{*to});
    ASSERT_TRUE(binding) << binding.message();
    const Status ran = device->run(*binding);
    ASSERT_TRUE(ran) << ran.message();
    y.resize(size_t(*element_count(op->outputs()[0])));
    ASSERT_TRUE(to->download(y));
    EXPECT_GT(op->explanation().grids.size(), 2u) << "nothing had to be cut";
    std::printf("%s: %s, %zu dispatches, %.0f MiB of device memory at the peak\n", present.label.c_str(),
                to_string(inputs[0]).c_str(), op->explanation().grids.size(),
                double(device->memory().peak_allocated) / (1 << 20));
}

class Large : public testing::Test {
protected:
    void SetUp() override
    {
        std::string problem;
        for (const PresentDevice& present : present_devices(problem)) {
            // A software driver that binds it all would only be slow.
            if (!present.capabilities.is_cpu || present.capabilities.max_storage_buffer_range <= bindable)
                devices_.push_back(present);
        }
        if (devices_.empty())
            GTEST_SKIP() << "no device here binds at most 128 MiB, and none is a GPU " << problem;
    }
    std::vector<PresentDevice> devices_;
};

// Expects Y[m, 2i + a, 2j + b] = sum over c of X[c, i, j] * W[c, m, a, b].
void expect_doubled(const std::vector<float>& y, int64_t channels_in, int64_t channels_out)
{
    ASSERT_EQ(y.size(), size_t(channels_out * 4 * height * width));
    for (size_t flat = 0; flat < y.size(); flat += 997) {
        const int64_t column = int64_t(flat) % (2 * width);
        const int64_t row = int64_t(flat) / (2 * width) % (2 * height);
        const int64_t m = int64_t(flat) / (4 * height * width);
        float sum = 0;
        for (int64_t c = 0; c < channels_in; ++c)
            sum += element((c * height + row / 2) * width + column / 2) *
                   element(((c * channels_out + m) * 2 + row % 2) * 2 + column % 2);
        ASSERT_EQ(y[flat], sum) << flat;
    }
}

TEST_F(Large, ConvTransposeWritesThreeHundredMebibytes)
{
    for (const PresentDevice& present : devices_) {
        std::vector<float> y;
        ASSERT_NO_FATAL_FAILURE(run(present, ConvTranspose{.strides = {2, 2}},
                                    {{DType::float32, {1, 2, height, width}}, {DType::float32, {2, 8, 2, 2}}}, y));
        expect_doubled(y, 2, 8);
    }
}

TEST_F(Large, ConvTransposeReadsThreeHundredMebibytes)
{
    for (const PresentDevice& present : devices_) {
        std::vector<float> y;
        ASSERT_NO_FATAL_FAILURE(run(present, ConvTranspose{.strides = {2, 2}},
                                    {{DType::float32, {1, 32, height, width}}, {DType::float32, {32, 1, 2, 2}}}, y));
        expect_doubled(y, 32, 1);
    }
}

// The windows are of 2 x 2 with stride 2, with channels first and last.
TEST_F(Large, AveragePoolReadsThreeHundredMebibytes)
{
    for (const PresentDevice& present : devices_) {
        for (const Layout layout : {Layout::ncx, Layout::nxc}) {
            const bool last = layout == Layout::nxc;
            std::vector<float> y;
            const std::vector<int64_t> dims =
                last ? std::vector<int64_t>{1, height, width, 32} : std::vector<int64_t>{1, 32, height, width};
            ASSERT_NO_FATAL_FAILURE(run(present, AveragePool{.kernel_shape = {2, 2}, .strides = {2, 2}},
                                        {TensorDesc{DType::float32, dims, layout}}, y));
            const auto at = [&](int64_t channel, int64_t row, int64_t column, int64_t rows, int64_t columns) {
                return last ? (row * columns + column) * 32 + channel : (channel * rows + row) * columns + column;
            };
            for (int64_t i = 0; i < int64_t(y.size()); i += 997) {
                const int64_t channel = i % 32;
                const int64_t row = i / 32 % (height / 2);
                const int64_t column = i / 32 / (height / 2) % (width / 2);
                float sum = 0;
                for (const int64_t tap : {0, 1, 2, 3})
                    sum += element(at(channel, 2 * row + tap / 2, 2 * column + tap % 2, height, width));
                ASSERT_EQ(y[size_t(at(channel, row, column, height / 2, width / 2))], sum / 4) << i;
            }
        }
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
