// This is the first level: vkonnx brings its own device, and the application sees nothing of Vulkan.
#include <vkonnx/vkonnx.hpp>

#include <cstdio>

using namespace vkonnx;

namespace {

// Returns the sentence that says what went wrong, or an empty one when the values are right.
std::string halve(const Device& gpu)
{
    const TensorDesc picture = {DType::float32, {1, 1, 4, 6}};
    Result<Op> op = gpu.prepare(AveragePool{.kernel_shape = {2, 2}, .strides = {2, 2}}, {picture});
    if (!op)
        return std::string(op.message());
    std::vector<float> values(24);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = float(i * i % 17);
    Result<Tensor> x = gpu.tensor(picture, values);
    Result<Tensor> y = gpu.tensor(op->outputs()[0]);
    if (!x || !y)
        return std::string(x ? y.message() : x.message());
    if (Status status = gpu.run(*op, {*x}, {*y}); !status)
        return std::string(status.message());
    std::vector<float> half(6);
    if (Status status = y->download(half); !status)
        return std::string(status.message());
    for (size_t row = 0; row < 2; ++row)
        for (size_t column = 0; column < 3; ++column) {
            const float* corner = &values[row * 12 + column * 2];
            const float expected = (corner[0] + corner[1] + corner[6] + corner[7]) / 4;
            if (half[row * 3 + column] != expected)
                return "the mean at " + std::to_string(row) + ", " + std::to_string(column) + " is " +
                       std::to_string(half[row * 3 + column]) + " and should be " + std::to_string(expected);
        }
    return {};
}

}  // namespace

int main()
{
    const Result<std::vector<DeviceInfo>> devices = Device::list();
    if (!devices) {
        std::printf("FAILED: %s\n", std::string(devices.message()).c_str());
        return 1;
    }
    int halved = 0;
    for (const DeviceInfo& info : *devices) {
        if (!info.rejected.empty()) {
            std::printf("%s: skipped, %s\n", info.name.c_str(), info.rejected.c_str());
            continue;
        }
        Result<Device> gpu = Device::open({.select = std::to_string(info.index)});
        const std::string problem = gpu ? halve(*gpu) : std::string(gpu.message());
        if (!problem.empty()) {
            std::printf("FAILED: %s: %s\n", info.name.c_str(), problem.c_str());
            return 1;
        }
        std::printf("%s: a device of its own halved a picture of 4 x 6, 6 values right\n", info.name.c_str());
        ++halved;
    }
    return halved ? 0 : 1;
}
