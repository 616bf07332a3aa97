// SPDX-License-Identifier: Apache-2.0
// This macro returns early from a function that gives a Status or a Result, when the expression, a Status, is an error.
#pragma once

#define VKONNX_RETURN_IF_ERROR(...)                                                                                              \
    do {                                                                                                                         \
        if (::vkonnx::Status status_ = (__VA_ARGS__); !status_)                                                                  \
            return status_;                                                                                                      \
    } while (false)
