// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/order.h"

namespace vkonnx::plan {
namespace {

uint32_t infinity_of(DType dtype)
{
    switch (dtype) {
    case DType::float16:
        return 0x7c00'0000;
    case DType::float32:
    case DType::bfloat16:
        return 0x7f80'0000;
    case DType::float64:
        return 0x7ff0'0000;
    default:
        return 0;
    }
}

}  // namespace

Order order_of(DType dtype)
{
    const bool is_signed = dtype == DType::int8 || dtype == DType::int16 || dtype == DType::int32 || dtype == DType::int64;
    return {.bits = bits(dtype), .infinity = infinity_of(dtype), .is_signed = is_signed};
}

}  // namespace vkonnx::plan
