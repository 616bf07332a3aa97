// SPDX-License-Identifier: Apache-2.0
// The early return of functions that give a Status or a Result: an error of the expression, a Status, is the function's own.
#pragma once

#define VKONNX_RETURN_IF_ERROR(...)                                                                                              \
    do {                                                                                                                         \
        if (::vkonnx::Status status_ = (__VA_ARGS__); !status_)                                                                  \
            return status_;                                                                                                      \
    } while (false)
