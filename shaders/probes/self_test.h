// SPDX-License-Identifier: Apache-2.0
// This file holds what self_test.comp shares with those who run it.
#ifndef VKONNX_SELF_TEST_H
#define VKONNX_SELF_TEST_H

#ifdef __cplusplus
#include <cstdint>
namespace vkonnx::push {
using uint = uint32_t;
#endif

struct SelfTest {
    uint count;  // the number of pairs
    uint rows;   // rows of an invocation, where the rate is asked for; 0: the test
    uint taps;   // taps of a row
};

#define SELF_TEST_WORDS 9u  // words of a pair's results: 3 of floats, 6 of doubles

#ifdef __cplusplus
}  // namespace vkonnx::push
#endif

#endif
