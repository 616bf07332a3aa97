// SPDX-License-Identifier: Apache-2.0
// This file tells what becomes of a list of specialization constants, in C++ and GLSL. The kernels of a family have one list, a
// header X_constants.h beside them, which has a row for each constant:
//
//   SIZE(id, name, dimension)  the workgroup's x, y or z, a row each; without one it is 1. See flat_invocation in common.glsl
//   CONSTANT(id, name, value)  any other; GLSL demands a value, which counts only where a plan sets none
//
// Rows stand in the order of their ids, which are dense from 0. GLSL calls a constant spec_NAME, since names may be its keywords.
// C++ gets a struct whose members a plan sets by name, and the variant table the names that Explanation::specialization prints.
//
// No list has LEFT_TO_DRIVERS, which is true. Plans have no value for it, so that it isn't put into modules (gpu/specialize.h).
// All drivers but SwiftShader know it when they compile. For SwiftShader it keeps apart what compiles quickly only in pieces.
#ifndef VKONNX_CONSTANTS_H
#define VKONNX_CONSTANTS_H

#define LEFT_TO_DRIVERS 100

#ifdef __cplusplus
#include <cstdint>
#include <vector>

#define SPECIALIZATION_MEMBER(id, name, ...) uint32_t name;
#define SPECIALIZATION_VALUE(id, name, ...) name,

// Members have no values of their own, so that the compiler warns of one that a plan forgets.
#define SPECIALIZATION(Struct, LIST)                                                                                             \
    namespace vkonnx::specialization {                                                                                           \
    struct Struct {                                                                                                              \
        LIST(SPECIALIZATION_MEMBER, SPECIALIZATION_MEMBER)                                                                       \
        std::vector<uint32_t> values() const /* by id, for plan::Step */                                                         \
        {                                                                                                                        \
            return {LIST(SPECIALIZATION_VALUE, SPECIALIZATION_VALUE)};                                                           \
        }                                                                                                                        \
    };                                                                                                                           \
    }
#else
#define SPECIALIZATION_SIZE(id, name, dimension) layout(local_size_##dimension##_id = id) in;
#define SPECIALIZATION_CONSTANT(id, name, value) layout(constant_id = id) const uint spec_##name = value;
#define SPECIALIZATION(Struct, LIST) LIST(SPECIALIZATION_SIZE, SPECIALIZATION_CONSTANT)
#endif

#endif
