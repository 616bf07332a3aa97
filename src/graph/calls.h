// SPDX-License-Identifier: Apache-2.0
// This file holds the calls of a rewritten graph while some of them take over what others compute.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/rewrite.h"

namespace vkonnx::graph {

class Calls {
public:
    // The object refers to what it is given, which must live longer. `options` are those by which the calls will be prepared.
    Calls(const Graph& graph, Rewritten& rewritten, Memo& memo, const Capabilities& capabilities, const PrepareOptions& options);

    Memo& memo() { return memo_; }

    size_t size() const { return rewritten_.calls.size(); }
    bool is_gone(size_t call) const { return gone_[call]; }
    Call& operator[](size_t call) { return rewritten_.calls[call]; }
    const Call& operator[](size_t call) const { return rewritten_.calls[call]; }

    const TensorDesc& desc(int32_t value) const { return rewritten_.values[size_t(value)].desc; }
    // Returns the index of the block whose memory the value is. It is below blocks().
    size_t block(int32_t value) const { return size_t(rewritten_.values[size_t(value)].block); }
    size_t blocks() const { return rewritten_.blocks.size(); }

    // Returns the elements where they are known before anything runs, else null.
    const std::shared_ptr<const Content>& content(int32_t value) const;

    // Returns the elements of a tensor of any float type, where they are known.
    Result<std::optional<std::vector<double>>> reals(int32_t value) const;
    // Returns the one element of such a tensor, whatever its rank.
    Result<std::optional<double>> real(int32_t value) const;

    // Returns an elementwise operator with Clip's inputs as attributes, or nothing where a bound is unknown or no exact float.
    Result<std::optional<Elementwise>> with_bounds(const Call& call) const;

    // Returns how long the device is estimated to take for an operator, or nothing where it can't run it.
    std::optional<double> seconds_of(const Operator& op, std::span<const TensorDesc> inputs) const;

    // Returns the call that computes the value, where its block has so many uses. Uses are inputs of calls and outputs of the
    // graph.
    std::optional<size_t> writer(int32_t value, size_t uses = 1) const;
    // Does the same, but only where the value has the dimensions that the call gave it.
    std::optional<size_t> writer_as_is(int32_t value, size_t uses = 1) const;

    // Adds a value with these elements. The next rewrite recognizes those of a tensor, where they are the same.
    int32_t add_constant(HostTensor tensor);
    int32_t add_constant(std::shared_ptr<const Content> content);
    // Adds a value that is the same memory under other dimensions.
    int32_t add_view(int32_t value, std::vector<int64_t> dims);

    void set_inputs(size_t call, std::vector<int32_t> inputs);
    // Makes call `into` compute the outputs of call `reader`, which is removed. `why` is a literal, because Fate keeps no copy.
    void take_outputs(size_t into, size_t reader, std::string_view why);
    // Removes a call whose outputs nothing needs any more, because call `into` does without them.
    void remove(size_t call, size_t into, std::string_view why);

    // Takes out the calls that are gone. This must be the last function that is called.
    void finish();

    // Calls `visit` for each call that is not gone by then. It stops at the first error, to which it adds the node's name.
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
    const Capabilities& capabilities_;
    const PrepareOptions& options_;
    std::vector<bool> gone_;
    std::vector<size_t> uses_;     // how many inputs of calls and outputs of the graph use each block
    std::vector<size_t> writers_;  // the call that writes each block; SIZE_MAX: none
};

}  // namespace vkonnx::graph
