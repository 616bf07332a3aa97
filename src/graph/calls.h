// SPDX-License-Identifier: Apache-2.0
// The calls of a rewritten graph while some of them take over what others compute.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/rewrite.h"

namespace vkonnx::graph {

class Calls {
public:
    Calls(const Graph& graph, Rewritten& rewritten, Memo& memo);

    Memo& memo() { return memo_; }

    size_t size() const { return rewritten_.calls.size(); }
    bool is_gone(size_t call) const { return gone_[call]; }
    Call& operator[](size_t call) { return rewritten_.calls[call]; }
    const Call& operator[](size_t call) const { return rewritten_.calls[call]; }

    const TensorDesc& desc(int32_t value) const { return rewritten_.values[size_t(value)].desc; }
    // Whose memory the value is, below blocks().
    size_t block(int32_t value) const { return size_t(rewritten_.values[size_t(value)].block); }
    size_t blocks() const { return rewritten_.blocks.size(); }

    // Where the elements are known before anything runs; null elsewhere.
    const std::shared_ptr<const Content>& content(int32_t value) const;

    // The elements of a tensor of floats of any kind, where they are known.
    Result<std::optional<std::vector<double>>> reals(int32_t value) const;
    // The one element of such a tensor, of any rank.
    Result<std::optional<double>> real(int32_t value) const;

    // An elementwise operator with Clip's inputs as attributes; nothing where they can't be: not known, or no floats.
    Result<std::optional<Elementwise>> with_bounds(const Call& call) const;

    // The call that computes the value, where only one input of a call reads it and it is no output of the graph.
    std::optional<size_t> writer(int32_t value) const;
    // The same, where the value has the dimensions that the call gave it.
    std::optional<size_t> writer_as_is(int32_t value) const;

    // A value with such elements. Those of a tensor are known again by the next rewrite, where they are the same.
    int32_t add_constant(HostTensor tensor);
    int32_t add_constant(std::shared_ptr<const Content> content);
    // The same memory under other dimensions.
    int32_t add_view(int32_t value, std::vector<int64_t> dims);

    void set_inputs(size_t call, std::vector<int32_t> inputs);
    // Call `into` computes the outputs of call `reader`, which is gone. `why` is a literal, as Fate has it.
    void take_outputs(size_t into, size_t reader, std::string_view why);
    // Nothing needs the outputs of the call any more, since call `into` does without them.
    void remove(size_t call, size_t into, std::string_view why);

    // Takes out the calls that are gone. The last that is called.
    void finish();

    // `visit` of each call that is not gone by then, up to the first error, which then names the node.
    template <class Visit>
    Status visit_each(Visit visit) const
    {
        for (size_t i = 0; i < size(); ++i)
            if (!is_gone(i))
                if (Status status = visit(i); !status)
                    return in(i, status);
        return {};
    }

    Status in(size_t call, const Status& status) const { return in_node(graph_.nodes[(*this)[call].node], status); }

private:
    const Graph& graph_;
    Rewritten& rewritten_;
    Memo& memo_;
    std::vector<bool> gone_;
    std::vector<size_t> uses_;     // of each block, by inputs of calls and outputs of the graph
    std::vector<size_t> writers_;  // of each block; SIZE_MAX: none
};

}  // namespace vkonnx::graph
