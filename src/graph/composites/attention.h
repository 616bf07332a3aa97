// SPDX-License-Identifier: Apache-2.0
// This header has attention and the rotation of its inputs.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

struct Attention {
    std::optional<int64_t> is_causal = {};              // 0
    std::optional<int64_t> q_num_heads = {};            // required with three dimensions
    std::optional<int64_t> kv_num_heads = {};           // likewise
    std::optional<int64_t> qk_matmul_output_mode = {};  // 0
    std::optional<float> scale = {};                    // 1 / sqrt(head_size)
    std::optional<float> softcap = {};                  // 0: none
    std::optional<int64_t> softmax_precision = {};      // a DType's number; the softmax is computed in float all the same
    std::optional<int64_t> left_window_size = {};       // -1: unbounded
    std::optional<int64_t> right_window_size = {};      // likewise

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("is_causal", is_causal);
        visit("q_num_heads", q_num_heads);
        visit("kv_num_heads", kv_num_heads);
        visit("qk_matmul_output_mode", qk_matmul_output_mode);
        visit("scale", scale);
        visit("softcap", softcap);
        visit("softmax_precision", softmax_precision);
        visit("left_window_size", left_window_size, Versions{25});
        visit("right_window_size", right_window_size, Versions{25});
    }
};

struct RotaryEmbedding {
    std::optional<int64_t> interleaved = {};           // 0
    std::optional<int64_t> num_heads = {};             // required with three dimensions
    std::optional<int64_t> rotary_embedding_dim = {};  // 0: all of a head

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("interleaved", interleaved);
        visit("num_heads", num_heads);
        visit("rotary_embedding_dim", rotary_embedding_dim);
    }
};

}  // namespace vkonnx::graph
