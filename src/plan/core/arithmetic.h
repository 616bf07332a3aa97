// SPDX-License-Identifier: Apache-2.0
// This file has arithmetic on whole numbers that are not negative.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace vkonnx::plan {

inline int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

// The saturated functions return INT64_MAX where the result would be greater.
inline int64_t saturated_sum(int64_t a, int64_t b)
{
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    return a > most - b ? most : a + b;
}

inline int64_t saturated_product(int64_t a, int64_t b)
{
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    return b != 0 && a > most / b ? most : a * b;
}

inline int64_t saturated_product(std::initializer_list<int64_t> factors)
{
    int64_t product = 1;
    for (const int64_t factor : factors)
        product = saturated_product(product, factor);
    return product;
}

}  // namespace vkonnx::plan
