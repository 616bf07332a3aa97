// Random problems, small and often at the edge of what is allowed: a tenth or more of them is refused.
#pragma once

#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "kit/cases.h"

namespace vkonnx::kit {

// Takes its seed from the environment variable VKONNX_TEST_SEED, or draws one.
class Draw {
public:
    Draw();

    // "VKONNX_TEST_SEED=...": what repeats this draw.
    std::string repeat() const { return "VKONNX_TEST_SEED=" + std::to_string(seed_); }

    int64_t between(int64_t least, int64_t most);
    bool one_in(int64_t n) { return between(1, n) == 1; }
    // A list attribute; rarely of a wrong length or with a -1.
    std::vector<int64_t> list(size_t entries, int64_t least, int64_t most);
    // Or none.
    std::vector<int64_t> maybe(size_t entries, int64_t least, int64_t most);

    template <class Value>
    Value of(std::initializer_list<Value> values)
    {
        return values.begin()[between(0, static_cast<int64_t>(values.size()) - 1)];
    }

private:
    uint32_t seed_ = 0;
    std::mt19937 engine_;
};

Case draw_conv_transpose(Draw& draw);
Case draw_average_pool(Draw& draw);
Case draw_shape(Draw& draw);

}  // namespace vkonnx::kit
