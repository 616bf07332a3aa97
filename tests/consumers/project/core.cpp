// What every consumer does: infer, explain, list the devices.
#include <vkonnx/vkonnx.hpp>

#include <cstdio>

using namespace vkonnx;

int main()
{
    const ConvTranspose attributes = {.strides = {2, 2}};
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 1, 2, 2}}, {DType::float32, {1, 1, 2, 2}}};
    const auto outputs = infer(attributes, inputs);
    const auto explanation = explain(attributes, inputs, Capabilities{});
    const auto devices = Device::list();
    if (!outputs || !explanation || !devices) {
        const Status& status = !outputs ? outputs.status() : !explanation ? explanation.status() : devices.status();
        std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
        return 1;
    }
    std::printf("vkonnx %s: %s by %s, %zu devices\n", std::string(version()).c_str(), to_string((*outputs)[0]).c_str(),
                explanation->kernel.c_str(), devices->size());
    return 0;
}
