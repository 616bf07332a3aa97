// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: descriptions of tensors, by the type of their elements and their dimensions.
#ifndef VKONNX_TENSOR_DESC_HPP
#define VKONNX_TENSOR_DESC_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <vkonnx/export.hpp>
#include <vkonnx/operators/attributes.hpp>
#include <vkonnx/status.hpp>

namespace vkonnx {

// The numbers are those of ONNX's TensorProto.DataType.
enum class DType : uint8_t {
    undefined = 0,
    float32 = 1,
    uint8 = 2,
    int8 = 3,
    uint16 = 4,
    int16 = 5,
    int32 = 6,
    int64 = 7,
    string = 8,
    boolean = 9,
    float16 = 10,
    float64 = 11,
    uint32 = 12,
    uint64 = 13,
    complex64 = 14,
    complex128 = 15,
    bfloat16 = 16,
    float8e4m3fn = 17,
    float8e4m3fnuz = 18,
    float8e5m2 = 19,
    float8e5m2fnuz = 20,
    uint4 = 21,
    int4 = 22,
    float4e2m1 = 23,
    float8e8m0 = 24,
    uint2 = 25,
    int2 = 26,
};

// Returns ONNX's own word: "float" is float32 and "double" is float64. It is "undefined" for a number that is no type.
VKONNX_API std::string_view name(DType dtype) noexcept;

// Returns the bits of one element, 0 for string and undefined. Types below 8 bits are packed, lowest bits first, as ONNX packs
// them.
VKONNX_API uint32_t bits(DType dtype) noexcept;

// Returns "NCX" or "NXC", or "" for a number that is neither.
VKONNX_API std::string_view name(Layout layout) noexcept;

// A TensorDesc is a type and dimensions, outermost first as they lie in memory, with elements contiguous in row-major order. A
// scalar has no dimensions.
struct TensorDesc {
    DType dtype = DType::float32;
    std::vector<int64_t> dims = {};
    // The layout tells what the dimensions mean to ConvTranspose and AveragePool, whose output lies as their input X does.
    Layout layout = Layout::ncx;

    friend bool operator==(const TensorDesc&, const TensorDesc&) = default;
};

// Returns the number of elements, or an error for a negative dimension or a product beyond 2^63 - 1.
VKONNX_API Result<int64_t> element_count(const TensorDesc& desc);

// Returns the bytes of all elements, or an error as above, and for types without a fixed size.
VKONNX_API Result<uint64_t> byte_size(const TensorDesc& desc);

// Returns "float[1,3,64,64]" or "float[1,64,64,3] NXC", for example. With the host out of memory it returns the type alone,
// "float".
VKONNX_API std::string to_string(const TensorDesc& desc) noexcept;

}  // namespace vkonnx

#endif
