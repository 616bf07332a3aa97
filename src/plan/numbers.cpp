// SPDX-License-Identifier: Apache-2.0
#include "plan/numbers.h"

namespace vkonnx::plan {

Result<Number> number_of(std::string_view op, DType dtype, const Capabilities& capabilities)
{
    switch (dtype) {
    case DType::float32:
        return Number::f32;
    case DType::float16:
        return Number::f16;
    case DType::bfloat16:
        return Number::bf16;
    case DType::float64:
        return capabilities.float64 ? Number::f64 : Number::f64_soft;
    default:
        return Status(Code::unsupported, std::string(op) + ": there is no kernel for " + std::string(name(dtype)));
    }
}

std::string_view name(Number number)
{
    constexpr std::string_view names[] = {"f32", "f16", "bf16", "f64", "f64_soft"};
    return names[size_t(number)];
}

std::optional<Kernel> variant(std::span<const Variant> variants, Number number)
{
    for (const Variant& variant : variants)
        if (variant.number == number)
            return variant.kernel;
    return {};
}

std::string number_note(Number number)
{
    return number == Number::f64_soft ? "; doubles in integer words, since the device computes none (Capabilities::float64)" : "";
}

double cost_of(Number number)
{
    return number == Number::f64_soft ? 64 : 1;
}

}  // namespace vkonnx::plan
