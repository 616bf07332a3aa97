// SPDX-License-Identifier: Apache-2.0
#include "graph/budget.h"

#include <algorithm>

namespace vkonnx::graph {

void set_scratch_budgets(Rewritten& rewritten)
{
    std::vector<Call>& calls = rewritten.calls;
    const std::vector<Use> uses = uses_of(rewritten);
    std::vector<uint64_t> live(calls.size());
    for (size_t b = 0; b < uses.size(); ++b) {
        const Block& block = rewritten.blocks[b];
        const Result<uint64_t> bytes = byte_size(block.desc);
        if (bytes && !block.content && uses[b].first != SIZE_MAX)
            for (size_t i = uses[b].first; i <= uses[b].last; ++i)
                live[i] += std::min(*bytes, UINT64_MAX - live[i]);
    }
    const uint64_t most = live.empty() ? 0 : *std::max_element(live.begin(), live.end());
    // An eighth of the peak is added, because some scratch memory is needed also where the most values live.
    for (size_t i = 0; i < calls.size(); ++i)
        calls[i].scratch_budget = most - live[i] + most / 8;
}

}  // namespace vkonnx::graph
