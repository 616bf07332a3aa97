// SPDX-License-Identifier: Apache-2.0
// This file holds what the kernels of DotProductAttention are told, for C++ and GLSL.
#ifndef VKONNX_DOT_PRODUCT_ATTENTION_H
#define VKONNX_DOT_PRODUCT_ATTENTION_H

#include "shaders/library/blocks.h"

// A workgroup of dot_product_attention_tiles has a tile of queries, and goes over the keys a tile at a time. It stages so many
// elements of keys, or of values, at once.
#define ATTENTION_INVOCATIONS 128
#define ATTENTION_QUERIES 32
#define ATTENTION_KEYS 32
#define ATTENTION_STAGED 64

#ifdef __cplusplus
namespace vkonnx::push {
#endif

// This struct is the uniform block of both kernels. Steps are elements from one batch, head and row of a tensor to the next, 0 where
// bias is broadcast.
struct DotProductAttentionProblem {
    uint heads;
    uint heads_per_key_head;
    uint queries;
    uint keys;
    uint size;
    uint value_size;
    uint q_batch;
    uint q_head;
    uint q_row;
    uint k_batch;
    uint k_head;
    uint k_row;
    uint v_batch;
    uint v_head;
    uint v_row;
    uint y_batch;
    uint y_head;
    uint y_row;
    uint bias_batch;
    uint bias_head;
    uint bias_query;
    uint bias_key;
    uint scale;        // the bits of a float
    uint joins_heads;  // 1 where a row of Y has the elements of all heads
    uint tiles;        // that the queries of a head are
    uint padding_[3];
};

#ifdef __cplusplus
static_assert(sizeof(DotProductAttentionProblem) % 16 == 0);

}  // namespace vkonnx::push
#endif

#endif
