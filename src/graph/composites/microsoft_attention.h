// SPDX-License-Identifier: Apache-2.0
// This header has the composites of the domain com.microsoft that transformers are made of: attention, the rotation of its
// inputs and the embedding in front of it.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>
#include <vector>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

// Attention of the domain com.microsoft: a bias of the projection is added to queries, keys and values.
struct MultiHeadAttention {
    std::optional<float> mask_filter_value = {};  // -10000, which is added to the scores of padding
    std::optional<int64_t> num_heads = {};        // required
    std::optional<float> scale = {};              // 1 / sqrt(head_size)
    std::optional<int64_t> unidirectional = {};   // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("mask_filter_value", mask_filter_value);
        visit("num_heads", num_heads);
        visit("scale", scale);
        visit("unidirectional", unidirectional);
    }
};

// This struct has the attributes of the operators that project their input to queries, keys and values and attend to these.
struct ProjectingAttention {
    std::optional<int64_t> do_rotary = {};                  // 0, the only one that is supported
    std::optional<float> mask_filter_value = {};            // -10000, which is added to the scores of padding
    std::optional<int64_t> num_heads = {};                  // required
    std::optional<int64_t> past_present_share_buffer = {};  // 0, the only one that is supported
    std::optional<float> scale = {};                        // 1 / sqrt(head_size)
    std::optional<int64_t> unidirectional = {};             // 0

    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("do_rotary", do_rotary);
        visit("mask_filter_value", mask_filter_value);
        visit("num_heads", num_heads);
        visit("past_present_share_buffer", past_present_share_buffer);
        visit("scale", scale);
        visit("unidirectional", unidirectional);
    }
};

// Projects floats.
struct MicrosoftAttention : ProjectingAttention {
    std::vector<int64_t> qkv_hidden_sizes = {};        // a third of the weights' columns each
    std::optional<int64_t> rotary_embedding_dim = {};  // of no account without do_rotary

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        ProjectingAttention::fields(visit);
        visit("qkv_hidden_sizes", qkv_hidden_sizes);
        visit("rotary_embedding_dim", rotary_embedding_dim);
    }
};

// Projects integers of 8 bits.
struct QAttention : ProjectingAttention {
    static const Schema schema;
    void compose(Composer& composer) const;
};

// Attends to a cache of keys and values, to which it adds new ones. A head of keys serves several heads of queries.
struct GroupQueryAttention {
    std::optional<int64_t> causal = {};                // 1
    std::optional<int64_t> do_rotary = {};             // 0
    std::optional<std::string> k_quant_type = {};      // NONE, the only one that is supported
    std::optional<int64_t> kv_cache_bit_width = {};    // of no account without quantized caches
    std::optional<int64_t> kv_num_heads = {};          // required
    std::optional<int64_t> local_window_size = {};     // -1: unbounded
    std::optional<int64_t> num_heads = {};             // required
    std::optional<float> qk_norm_epsilon = {};         // 1e-6
    std::optional<int64_t> qk_output = {};             // 0: none, 1: the masked scores, 2: the weights
    std::optional<int64_t> rotary_interleaved = {};    // 0
    std::optional<float> scale = {};                   // 1 / sqrt(head_size)
    std::optional<int64_t> sliding_window_cache = {};  // 0, the only one that is supported
    std::optional<int64_t> smooth_softmax = {};        // 0
    std::optional<float> softcap = {};                 // 0: none
    std::optional<std::string> v_quant_type = {};      // NONE, the only one that is supported

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("causal", causal);
        visit("do_rotary", do_rotary);
        visit("k_quant_type", k_quant_type);
        visit("kv_cache_bit_width", kv_cache_bit_width);
        visit("kv_num_heads", kv_num_heads);
        visit("local_window_size", local_window_size);
        visit("num_heads", num_heads);
        visit("qk_norm_epsilon", qk_norm_epsilon);
        visit("qk_output", qk_output);
        visit("rotary_interleaved", rotary_interleaved);
        visit("scale", scale);
        visit("sliding_window_cache", sliding_window_cache);
        visit("smooth_softmax", smooth_softmax);
        visit("softcap", softcap);
        visit("v_quant_type", v_quant_type);
    }
};

// Turns the pairs of queries or keys by angles that their places have in a table.
struct MicrosoftRotaryEmbedding {
    std::optional<int64_t> interleaved = {};           // 0
    std::optional<int64_t> is_packed_batching = {};    // 0, the only one that is supported
    std::optional<int64_t> num_heads = {};             // 0: as many as heads of the table's size
    std::optional<int64_t> rotary_embedding_dim = {};  // 0: all of a head
    std::optional<float> scale = {};                   // of no account, as in ONNX Runtime

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("interleaved", interleaved);
        visit("is_packed_batching", is_packed_batching);
        visit("num_heads", num_heads);
        visit("rotary_embedding_dim", rotary_embedding_dim);
        visit("scale", scale);
    }
};

// Adds the rows of words, places and segments, and normalizes the sum.
struct EmbedLayerNormalization {
    std::optional<float> epsilon = {};            // 1e-12
    std::optional<int64_t> mask_index_type = {};  // 1; 0: mask_index is 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("epsilon", epsilon);
        visit("mask_index_type", mask_index_type);
    }
};

}  // namespace vkonnx::graph
