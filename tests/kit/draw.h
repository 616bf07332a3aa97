// This header draws random problems, small and often at the edge of what is allowed: about a tenth of them is refused.
//
// They cover both dialects, every elementwise operator, all versions, types, layouts and filter formats, 1 to 6 axes that merge
// or don't, windows over everything, strides and dilations with common factors, pads beyond the kernel, groups, and empty
// tensors. An output has at most 20,000 elements, and the reference needs some milliseconds.
#pragma once

#include <functional>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "kit/cases.h"

namespace vkonnx::kit {

// A test draws the same each time that it runs: the seed and the number of problems stand at the call. The environment variables
// VKONNX_TEST_SEED and VKONNX_TEST_PROBLEMS replace them, for a hunt or to repeat a failure that it found.
uint32_t test_seed(uint32_t usual);
// In a full run, a test draws ten times as many problems.
int test_problems(int usual);
// Tells whether VKONNX_TEST_FULL=1, by which `tools/test.sh --full` asks for all that there is instead of a covering sample.
bool full_run();

class Draw {
public:
    explicit Draw(uint32_t seed);

    // Returns the setting that repeats this draw: "VKONNX_TEST_SEED=...".
    std::string repeat() const { return "VKONNX_TEST_SEED=" + std::to_string(seed_); }

    int64_t between(int64_t least, int64_t most);
    bool one_in(int64_t n) { return between(1, n) == 1; }

    template <class Value>
    Value of(std::initializer_list<Value> values)
    {
        return values.begin()[between(0, int64_t(values.size()) - 1)];
    }

private:
    uint32_t seed_ = 0;
    std::mt19937 engine_;
};

// Draws the extents of a small tensor of up to 7 axes, long ones where there are few.
std::vector<int64_t> draw_broadcast_extents(Draw& draw);
// Draws extents that broadcast to the given ones: some axes have length 1, and some in front are left out.
std::vector<int64_t> draw_narrowed(Draw& draw, std::vector<int64_t> extents);

// Draws problems of the newest version, with all inputs of this type, until one is valid and its output has elements.
Case draw_with_output(Draw& draw, DType dtype, const std::function<Case(Draw&)>& drawer);

}  // namespace vkonnx::kit
