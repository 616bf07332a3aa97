// SPDX-License-Identifier: Apache-2.0
// This file lists the data types that kernels tell apart at run time, for C++ and GLSL: a row TYPE(number, NAME, name) for each.
// `number` is the value of vkonnx::DType for `name`, and of DTYPE_NAME in GLSL.
#ifndef VKONNX_DATA_TYPES_H
#define VKONNX_DATA_TYPES_H

#define DATA_TYPES(TYPE)                                                                                                         \
    TYPE(1, FLOAT32, float32)                                                                                                    \
    TYPE(2, UINT8, uint8)                                                                                                        \
    TYPE(3, INT8, int8)                                                                                                          \
    TYPE(4, UINT16, uint16)                                                                                                      \
    TYPE(5, INT16, int16)                                                                                                        \
    TYPE(6, INT32, int32)                                                                                                        \
    TYPE(7, INT64, int64)                                                                                                        \
    TYPE(9, BOOLEAN, boolean)                                                                                                    \
    TYPE(10, FLOAT16, float16)                                                                                                   \
    TYPE(11, FLOAT64, float64)                                                                                                   \
    TYPE(12, UINT32, uint32)                                                                                                     \
    TYPE(13, UINT64, uint64)                                                                                                     \
    TYPE(16, BFLOAT16, bfloat16)                                                                                                 \
    TYPE(17, FLOAT8E4M3FN, float8e4m3fn)                                                                                         \
    TYPE(18, FLOAT8E4M3FNUZ, float8e4m3fnuz)                                                                                     \
    TYPE(19, FLOAT8E5M2, float8e5m2)                                                                                             \
    TYPE(20, FLOAT8E5M2FNUZ, float8e5m2fnuz)                                                                                     \
    TYPE(21, UINT4, uint4)                                                                                                       \
    TYPE(22, INT4, int4)                                                                                                         \
    TYPE(23, FLOAT4E2M1, float4e2m1)                                                                                             \
    TYPE(24, FLOAT8E8M0, float8e8m0)                                                                                             \
    TYPE(25, UINT2, uint2)                                                                                                       \
    TYPE(26, INT2, int2)

#ifndef __cplusplus
#define DATA_TYPE_CONSTANT(number, NAME, name) const uint DTYPE_##NAME = uint(number);
DATA_TYPES(DATA_TYPE_CONSTANT)
#endif

#endif
