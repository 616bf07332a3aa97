// This file tests the operators of com.microsoft that transformers are made of on every device, against the reference:
// GroupQueryAttention, Attention, QAttention, RotaryEmbedding and EmbedLayerNormalization.
#include "composite_problem.h"

namespace vkonnx::gpu_test {
namespace {

using kit::CompositeProblem;
using kit::RealTensor;
using I = int64_t;

RealTensor int32s(const Dims& dims, const std::vector<int64_t>& values)
{
    RealTensor made = int64s(dims, values);
    made.desc.dtype = DType::int32;
    return made;
}

// Fills the inputs up to an optional one, which is put behind them.
void put_input(CompositeProblem& problem, size_t at, RealTensor tensor)
{
    problem.inputs.resize(std::max(problem.inputs.size(), at + 1), left_out());
    problem.inputs[at] = std::move(tensor);
}

// These are the extents of a GroupQueryAttention. The first batch has `keys` keys but for `unused` ones, and each has one key
// less than the one before it.
struct GroupQuerySizes {
    I batches = 2;
    I heads = 4;
    I key_heads = 2;
    I queries = 1;
    I keys = 5;
    I past = 4;  // rows of the cache; 0: there is none
    I size = 8;
    bool is_packed = false;
    I unused = 0;
};

CompositeProblem group_query(const GroupQuerySizes& sizes, DType dtype, CompositeDraw& draw)
{
    const auto& [batches, heads, key_heads, queries, keys, past, size, is_packed, unused] = sizes;
    std::vector<int64_t> lengths;
    for (I batch = 0; batch < batches; ++batch)
        lengths.push_back(keys - 1 - batch - unused);
    CompositeProblem problem = {.op_type = "GroupQueryAttention",
                                .is_microsoft = true,
                                .attributes = {{"num_heads", heads}, {"kv_num_heads", key_heads}},
                                .inputs = {},
                                .outputs = 3};
    const I columns = is_packed ? (heads + 2 * key_heads) * size : heads * size;
    put_input(problem, 0, draw.tensor(dtype, {batches, queries, columns}));
    for (const size_t input : {1u, 2u})
        if (!is_packed)
            put_input(problem, input, draw.tensor(dtype, {batches, queries, key_heads * size}));
    for (const size_t input : {3u, 4u})
        if (past > 0)
            put_input(problem, input, draw.tensor(dtype, {batches, key_heads, past, size}));
    put_input(problem, 5, int32s({batches}, lengths));
    put_input(problem, 6, int32s({}, {keys}));
    return problem;
}

constexpr uint32_t total_is_known = 1 << 6;

// These are a prompt, with and without a cache that it fills, a batch of one that goes on, in a cache that grows or is larger,
// and with a mask as long as the cache, and sequences of different lengths.
constexpr GroupQuerySizes group_query_forms[] = {
    {.queries = 3, .keys = 3, .past = 0},
    {.queries = 3, .keys = 3, .past = 5},
    {.batches = 1, .queries = 2, .keys = 6, .past = 4},
    {.batches = 1, .queries = 1, .keys = 3, .past = 7},
    {.batches = 1, .queries = 2, .keys = 7, .past = 7, .unused = 3},
    {.queries = 1, .keys = 5, .past = 4},
    {.batches = 3, .queries = 1, .keys = 6, .past = 9},
    {.queries = 3, .keys = 7, .past = 6},
};

TEST(GroupQueryAttentionOnDevice, CachesGrowAndHeadsShareKeys)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (GroupQuerySizes sizes : group_query_forms)
            for (const DType dtype : exponential_types) {
                sizes.is_packed = dtype == DType::float16;
                expect_composite(device, group_query(sizes, dtype, draw), total_is_known);
                sizes.is_packed = !sizes.is_packed;
                sizes.key_heads = dtype == DType::float32 ? 4 : 1;
                CompositeProblem problem = group_query(sizes, dtype, draw);
                problem.attributes["scale"] = 0.75f;
                problem.unwanted = dtype == DType::float32 ? 2 : 0;
                expect_composite(device, problem, total_is_known);
            }
    });
}

TEST(GroupQueryAttentionOnDevice, PairsAreTurnedByTheirPlaces)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(2);
        for (const GroupQuerySizes& sizes : group_query_forms)
            for (const I pairs : {4, 3})
                for (const bool has_places : {false, true})
                    for (const DType dtype : {DType::float32, DType::float16}) {
                        CompositeProblem problem = group_query(sizes, dtype, draw);
                        problem.attributes["do_rotary"] = I(1);
                        problem.attributes["rotary_interleaved"] = I(pairs == 3);
                        put_input(problem, 7, draw.tensor(dtype, {12, pairs}));
                        put_input(problem, 8, draw.tensor(dtype, {12, pairs}));
                        if (has_places)
                            put_input(problem, 9, draw.integers(DType::int64, {sizes.batches, sizes.queries}, 0, 9));
                        expect_composite(device, problem, total_is_known | (has_places ? 0 : 3 << 7));
                    }
    });
}

TEST(GroupQueryAttentionOnDevice, MasksSinksAndScores)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(3);
        for (const GroupQuerySizes& sizes : group_query_forms)
            for (const int form : {0, 1, 2, 3, 4, 5}) {
                CompositeProblem problem = group_query(sizes, DType::float32, draw);
                problem.outputs = 4;
                problem.attributes["qk_output"] = I(1 + form % 2);
                if (form == 0 || form == 5)
                    problem.attributes["local_window_size"] = I(2);
                if (form == 1)
                    problem.attributes["causal"] = I(0);
                if (form == 2)
                    problem.attributes["smooth_softmax"] = I(1);
                if (form == 3 || form == 5)
                    put_input(problem, 11, draw.tensor(DType::float32, {sizes.heads}));
                if (form == 4)
                    problem.attributes["softcap"] = 0.5f;
                if (form >= 4)
                    put_input(problem, 10,
                              draw.tensor(DType::float32, {form == 4 ? 1 : sizes.batches, form == 4 ? sizes.heads : 1,
                                                           sizes.queries, sizes.keys}));
                expect_composite(device, problem, total_is_known);
            }
    });
}

TEST(GroupQueryAttentionOnDevice, HeadsAreNormalizedBeforeTheyAreTurned)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(4);
        for (const bool rotates : {false, true})
            for (const GroupQuerySizes& sizes : {group_query_forms[0], group_query_forms[5]}) {
                CompositeProblem problem = group_query(sizes, DType::float32, draw);
                if (rotates) {
                    problem.attributes["do_rotary"] = I(1);
                    put_input(problem, 7, draw.tensor(DType::float32, {12, 4}));
                    put_input(problem, 8, draw.tensor(DType::float32, {12, 4}));
                    problem.attributes["qk_norm_epsilon"] = 0.125f;
                }
                put_input(problem, 14, draw.tensor(DType::float32, {8}));
                put_input(problem, 15, draw.tensor(DType::float32, {8}));
                expect_composite(device, problem, total_is_known);
            }
    });
}

TEST(GroupQueryAttentionOnDevice, NoBatchesAndNoQueries)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(5);
        for (const GroupQuerySizes& sizes :
             {GroupQuerySizes{.batches = 0}, GroupQuerySizes{.batches = 0, .queries = 3, .keys = 3, .past = 0},
              GroupQuerySizes{.batches = 1, .queries = 0, .keys = 4}, GroupQuerySizes{.queries = 0, .keys = 0, .past = 0}}) {
            CompositeProblem problem = group_query(sizes, DType::float32, draw);
            expect_composite(device, problem, total_is_known);
            problem.attributes["do_rotary"] = I(1);
            put_input(problem, 7, draw.tensor(DType::float32, {12, 4}));
            put_input(problem, 8, draw.tensor(DType::float32, {12, 4}));
            put_input(problem, 9, draw.integers(DType::int64, {sizes.batches, sizes.queries}, 0, 9));
            expect_composite(device, problem, total_is_known);
        }
    });
}

CompositeProblem projected(DType dtype, const std::vector<int64_t>& sizes, CompositeDraw& draw)
{
    constexpr I batches = 2, places = 3, columns = 5;
    const I all = sizes[0] + sizes[1] + sizes[2];
    return {.op_type = "Attention",
            .is_microsoft = true,
            .attributes = {{"num_heads", I(2)}},
            .inputs = {draw.tensor(dtype, {batches, places, columns}), draw.tensor(dtype, {columns, all}),
                       draw.tensor(dtype, {all})}};
}

TEST(ProjectedAttentionOnDevice, ProjectsAndKeepsThePast)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : exponential_types)
            for (const bool has_bias : {false, true})
                for (const bool has_past : {false, true})
                    for (const I causal : {0, 1}) {
                        CompositeProblem problem = projected(dtype, {8, 8, 8}, draw);
                        if (!has_bias)
                            problem.inputs.pop_back();
                        if (has_past)
                            put_input(problem, 4, draw.tensor(dtype, {2, 2, 2, 4, 4}));
                        problem.attributes["unidirectional"] = causal;
                        if (has_bias)
                            problem.attributes["scale"] = 0.375f;
                        problem.outputs = 2;
                        expect_composite(device, problem, has_past ? 2 : 0);
                    }
        CompositeProblem problem = projected(DType::float32, {8, 8, 12}, draw);
        problem.attributes["qkv_hidden_sizes"] = std::vector<int64_t>{8, 8, 12};
        expect_composite(device, problem);
    });
}

TEST(ProjectedAttentionOnDevice, MasksOfEveryForm)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(2);
        for (const int form : {0, 1, 2, 3, 4})
            for (const bool has_past : {false, true}) {
                const I keys = has_past ? 7 : 3;
                CompositeProblem problem = projected(DType::float32, {8, 8, 8}, draw);
                RealTensor pairs = draw.integers(DType::int32, {2, 3, keys}, 0, 2),
                           some = draw.integers(DType::int32, {2, keys}, 0, 2);
                for (RealTensor* mask : {&pairs, &some})  // the first key of each query is seen
                    for (size_t i = 0; i < mask->words.size(); i += size_t(keys))
                        mask->words[i] = 1;
                const RealTensor masks[] = {int32s({2}, {2, 3}), int32s({4}, {2, 3, 1, 0}), some, pairs};
                if (form < 4)
                    put_input(problem, 3, masks[form]);
                else
                    put_input(problem, 5, draw.tensor(DType::float32, {1, 2, 3, keys}));
                if (has_past)
                    put_input(problem, 4, draw.tensor(DType::float32, {2, 2, 2, 4, 4}));
                expect_composite(device, problem);
            }
    });
}

// Scales are whole numbers of 64ths, so that the projection is exact.
CompositeProblem quantized(DType x, DType w, DType real, bool is_by_column, CompositeDraw& draw)
{
    constexpr I columns = 24;
    const auto integers = [&](DType dtype, const Dims& dims) {
        return dtype == DType::int8 ? draw.integers(dtype, dims, -9, 10) : draw.integers(dtype, dims, 0, 19);
    };
    const auto scale = [&](const Dims& dims) {
        RealTensor made = draw.integers(real, dims, 1, 5);
        for (double& value : made.values)
            value /= 64;
        return made;
    };
    const Dims of_weights = is_by_column ? Dims{columns} : Dims{};
    CompositeProblem problem = {
        .op_type = "QAttention",
        .is_microsoft = true,
        .attributes = {{"num_heads", I(2)}},
        .inputs = {integers(x, {2, 3, 5}), integers(w, {5, columns}), draw.tensor(real, {columns}), scale({}), scale(of_weights)},
        .outputs = 2};
    if (is_by_column) {
        put_input(problem, 6, integers(x, {}));
        put_input(problem, 7, integers(w, of_weights));
    }
    return problem;
}

constexpr uint32_t weights_are_known = 1 << 1 | 1 << 4 | 1 << 7;

TEST(QuantizedAttentionOnDevice, ProjectsIntegersOfEveryType)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType x : {DType::uint8, DType::int8})
            for (const DType w : {DType::uint8, DType::int8})
                for (const bool is_by_column : {false, true}) {
                    const DType real = x == w ? DType::float32 : DType::float16;
                    CompositeProblem problem = quantized(x, w, real, is_by_column, draw);
                    if (x == DType::int8) {
                        put_input(problem, 8, draw.tensor(real, {2, 2, 2, 4, 4}));
                        problem.attributes["unidirectional"] = I(1);
                    } else {
                        put_input(problem, 5, int32s({2}, {2, 3}));
                        problem.attributes["scale"] = 0.375f;
                    }
                    expect_composite(device, problem, is_by_column ? weights_are_known : 0);
                }
    });
}

TEST(RotaryEmbeddingOfMicrosoft, PairsAreTurned)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        const auto problem = [&](DType dtype, const Dims& dims, I pairs, const Dims& places) {
            return CompositeProblem{.op_type = "RotaryEmbedding",
                                    .is_microsoft = true,
                                    .inputs = {draw.tensor(dtype, dims), draw.integers(DType::int64, places, 0, 5),
                                               draw.tensor(dtype, {9, pairs}), draw.tensor(dtype, {9, pairs})}};
        };
        for (const DType dtype : exponential_types)
            expect_composite(device, problem(dtype, {2, 3, 18}, 3, {2, 3}));
        for (const I interleaved : {0, 1})
            for (const Dims& places : {Dims{1}, Dims{2, 3}})
                for (const Dims& dims : {Dims{2, 3, 24}, Dims{2, 4, 3, 6}})
                    for (const I turned : {0, 4}) {
                        CompositeProblem one = problem(DType::float32, dims, turned == 0 ? 3 : 2, places);
                        one.attributes["interleaved"] = interleaved;
                        if (turned != 0) {
                            one.attributes["rotary_embedding_dim"] = turned;
                            one.attributes["num_heads"] = I(4);
                        }
                        expect_composite(device, one, places.size() == 1 ? 12 : 0);
                    }
        expect_composite(device, problem(DType::float32, {2, 0, 6}, 3, {1}));
    });
}

TEST(EmbedLayerNormalizationOnDevice, RowsOfThreeTablesAreNormalized)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : exponential_types)
            for (const bool has_segments : {false, true})
                for (const Dims& positions : {Dims{}, Dims{1, 4}, Dims{2, 4}}) {
                    CompositeProblem problem = {
                        .op_type = "EmbedLayerNormalization", .is_microsoft = true, .inputs = {}, .outputs = 3};
                    put_input(problem, 0, draw.integers(DType::int32, {2, 4}, 0, 6));
                    put_input(problem, 2, draw.tensor(dtype, {6, 5}));
                    put_input(problem, 3, draw.tensor(dtype, {7, 5}));
                    if (has_segments) {
                        put_input(problem, 1, draw.integers(DType::int32, {2, 4}, 0, 2));
                        put_input(problem, 4, draw.tensor(dtype, {2, 5}));
                        problem.attributes["epsilon"] = 0.25f;
                    }
                    put_input(problem, 5, draw.tensor(dtype, {5}));
                    put_input(problem, 6, draw.tensor(dtype, {5}));
                    if (has_segments)
                        put_input(problem, 7, draw.integers(DType::int32, {2, 4}, 0, 2));
                    if (!positions.empty())
                        put_input(problem, 8, draw.integers(DType::int32, positions, 0, 7));
                    expect_composite(device, problem, has_segments ? 4 : 0);
                }
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
