#include <vkonnx/vkonnx.hpp>

#include "guard.h"
#include "ops/geometry.h"

namespace vkonnx {

namespace {

template <class Attributes>
Result<std::vector<TensorDesc>> infer_any(const Attributes& attributes, std::span<const TensorDesc> inputs)
{
    return guarded([&]() -> Result<std::vector<TensorDesc>> {
        if (Status status = check_span("infer", "inputs", inputs); !status)
            return status;
        const auto geometry = ops::resolve(attributes, inputs);
        if (!geometry)
            return geometry.status();
        return std::vector<TensorDesc>{ops::output_of(*geometry)};
    });
}

}  // namespace

Result<std::vector<TensorDesc>> infer(const ConvTranspose& attributes, std::span<const TensorDesc> inputs)
{
    return infer_any(attributes, inputs);
}

Result<std::vector<TensorDesc>> infer(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs)
{
    return infer_any(attributes, inputs);
}

Result<std::vector<TensorDesc>> infer(const AveragePool& attributes, std::span<const TensorDesc> inputs)
{
    return infer_any(attributes, inputs);
}

Result<std::vector<TensorDesc>> infer(const Shape& attributes, std::span<const TensorDesc> inputs)
{
    return infer_any(attributes, inputs);
}

}  // namespace vkonnx
