// This file tests Attention and RotaryEmbedding on every device, against the reference.
#include "composite_problem.h"

namespace vkonnx::gpu_test {
namespace {

using kit::CompositeProblem;
using kit::RealTensor;
using I = int64_t;

// These are the extents of an Attention.
struct AttentionSizes {
    I batches = 2;
    I q_heads = 2;
    I kv_heads = 2;
    I queries = 3;
    I keys = 4;
    I size = 4;
    I value_size = 4;
    bool is_joined = false;  // three dimensions
};

CompositeProblem attention(const AttentionSizes& sizes, DType dtype, CompositeDraw& draw)
{
    const auto tensor = [&](I heads, I places, I size) {
        return draw.tensor(dtype, sizes.is_joined ? Dims{sizes.batches, places, heads * size}
                                                  : Dims{sizes.batches, heads, places, size});
    };
    CompositeProblem problem = {.op_type = "Attention",
                                .inputs = {tensor(sizes.q_heads, sizes.queries, sizes.size),
                                           tensor(sizes.kv_heads, sizes.keys, sizes.size),
                                           tensor(sizes.kv_heads, sizes.keys, sizes.value_size)}};
    if (sizes.is_joined)
        problem.attributes = {{"q_num_heads", sizes.q_heads}, {"kv_num_heads", sizes.kv_heads}};
    return problem;
}

// Fills the inputs up to an optional one, which is put behind them.
void put(CompositeProblem& problem, size_t at, RealTensor tensor)
{
    problem.inputs.resize(std::max(problem.inputs.size(), at + 1), left_out());
    problem.inputs[at] = std::move(tensor);
}

void put_past(CompositeProblem& problem, const AttentionSizes& sizes, I length, DType dtype, CompositeDraw& draw)
{
    put(problem, 4, draw.tensor(dtype, {sizes.batches, sizes.kv_heads, length, sizes.size}));
    put(problem, 5, draw.tensor(dtype, {sizes.batches, sizes.kv_heads, length, sizes.value_size}));
}

// Draws a mask of numbers some of which are -Inf.
RealTensor added_mask(DType dtype, const Dims& dims, CompositeDraw& draw)
{
    RealTensor mask = draw.tensor(dtype, dims);
    for (double& element : mask.values)
        if (draw.flip(4))
            element = -HUGE_VAL;
    return mask;
}

TEST(AttentionOnDevice, HeadsShareKeys)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const bool is_joined : {false, true}) {
            for (const DType dtype : exponential_types)
                expect_composite(device, attention({.is_joined = is_joined}, dtype, draw));
            for (const auto& [q_heads, kv_heads] : {std::pair<I, I>(4, 2), {6, 2}, {3, 1}, {1, 1}})
                expect_composite(
                    device, attention({.q_heads = q_heads, .kv_heads = kv_heads, .is_joined = is_joined}, DType::float32, draw));
            expect_composite(device, attention({.size = 5, .value_size = 3, .is_joined = is_joined}, DType::float32, draw));
        }
    });
}

TEST(AttentionOnDevice, ScaleSoftcapAndOutputs)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const I mode : {0, 1, 2, 3})
            for (const DType dtype : {DType::float32, DType::float16}) {
                CompositeProblem problem = attention({.q_heads = 4, .is_joined = mode % 2 == 1}, dtype, draw);
                put(problem, 3, added_mask(dtype, {3, 4}, draw));
                problem.attributes["qk_matmul_output_mode"] = mode;
                problem.attributes["scale"] = 1.5f;
                problem.attributes["softcap"] = 0.75f;
                problem.attributes["softmax_precision"] = I(1);
                problem.outputs = 4;
                problem.unwanted = mode == 3 ? 6 : 0;
                expect_composite(device, problem);
            }
        CompositeProblem problem = attention({}, DType::float32, draw);
        problem.attributes["scale"] = 0.0f;
        expect_composite(device, problem);
    });
}

TEST(AttentionOnDevice, MasksOfEveryShape)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const Dims& dims : {Dims{}, Dims{4}, Dims{3, 4}, Dims{1, 4}, Dims{2, 3, 4}, Dims{2, 1, 3, 4}, Dims{1, 2, 1, 4},
                                 Dims{2, 2, 3, 4}, Dims{3, 2}, Dims{2, 2, 3, 1}, Dims{3, 0}})
            for (const DType dtype : {DType::boolean, DType::float32}) {
                CompositeProblem problem = attention({}, DType::float32, draw);
                put(problem, 3, dtype == DType::boolean ? draw.tensor(dtype, dims) : added_mask(dtype, dims, draw));
                expect_composite(device, problem, dims.size() == 2 ? 8 : 0);
            }
        // A query without keys has the result 0.
        for (const bool is_boolean : {false, true}) {
            CompositeProblem problem = attention({}, DType::float32, draw);
            problem.outputs = 4;
            problem.attributes["qk_matmul_output_mode"] = I(3);
            const RealTensor none =
                is_boolean ? RealTensor{.desc = {.dtype = DType::boolean}, .words = {0}} : reals(DType::float32, {}, {-HUGE_VAL});
            put(problem, 3, none);
            expect_composite(device, problem);
        }
        for (const DType dtype : {DType::float16, DType::float64, DType::int8}) {
            CompositeProblem problem = attention({}, DType::float32, draw);
            put(problem, 3, dtype == DType::int8 ? draw.integers(dtype, {3, 4}, -2, 3) : added_mask(dtype, {3, 4}, draw));
            expect_composite(device, problem);
        }
    });
}

TEST(AttentionOnDevice, KeysOfThePast)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const I causal : {0, 1})
            for (const I length : {0, 1, 5})
                for (const DType dtype : {DType::float32, DType::float16}) {
                    const AttentionSizes sizes = {.q_heads = 4, .keys = 3, .value_size = 5, .is_joined = length == 1};
                    CompositeProblem problem = attention(sizes, dtype, draw);
                    put_past(problem, sizes, length, dtype, draw);
                    if (length == 5)
                        put(problem, 3, added_mask(dtype, {3, 8}, draw));
                    problem.attributes["is_causal"] = causal;
                    problem.outputs = 3;
                    problem.unwanted = causal == 1 && length == 1 ? 2 : 0;
                    expect_composite(device, problem);
                }
    });
}

TEST(AttentionOnDevice, QueriesSeeNoKeyBehindThem)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const auto& [queries, keys] : {std::pair<I, I>(3, 3), {4, 2}, {2, 4}, {1, 1}}) {
            CompositeProblem problem = attention({.queries = queries, .keys = keys}, DType::float32, draw);
            problem.attributes["is_causal"] = I(1);
            expect_composite(device, problem);
            put(problem, 3, draw.tensor(DType::boolean, {queries, keys}));
            expect_composite(device, problem);
        }
    });
}

TEST(AttentionOnDevice, KeysThatArePaddingAndWindows)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const I causal : {0, 1})
            for (const auto& [left, right] : {std::pair<I, I>(-1, -1), {0, 0}, {2, -1}, {-1, 1}, {1, INT64_MAX}, {INT64_MAX, 0}})
                for (const int more : {0, 1, 2}) {  // nothing, lengths, a past
                    const AttentionSizes sizes = {.keys = 5};
                    CompositeProblem problem = attention(sizes, DType::float32, draw);
                    problem.opset = left == -1 && right == -1 ? 24 : 25;
                    problem.attributes["is_causal"] = causal;
                    if (problem.opset == 25) {
                        problem.attributes["left_window_size"] = left;
                        problem.attributes["right_window_size"] = right;
                    }
                    if (more == 1)
                        put(problem, 6, int64s({2}, {5, causal == 1 ? 2 : 0}));  // fewer keys than queries
                    if (more == 2)
                        put_past(problem, sizes, 2, DType::float32, draw);
                    expect_composite(device, problem, more == 1 && left == 2 ? 64 : 0);
                }
    });
}

// These are the forms in which MultiHeadAttention takes queries, keys and values.
enum class HeadForm { apart, by_head, pair, all_in_one };

CompositeProblem multi_head(HeadForm form, DType dtype, CompositeDraw& draw)
{
    constexpr I batches = 2, heads = 2, queries = 3, keys = 4, size = 4, value_size = 6;
    CompositeProblem problem = {
        .op_type = "MultiHeadAttention", .is_microsoft = true, .attributes = {{"num_heads", heads}}, .inputs = {}};
    if (form == HeadForm::all_in_one) {
        problem.inputs = {draw.tensor(dtype, {batches, queries, heads, 3, size})};
        return problem;
    }
    problem.inputs.push_back(draw.tensor(dtype, {batches, queries, heads * size}));
    if (form == HeadForm::pair) {
        problem.inputs.push_back(draw.tensor(dtype, {batches, keys, heads, 2, size}));
    } else if (form == HeadForm::by_head) {
        problem.inputs.push_back(draw.tensor(dtype, {batches, heads, keys, size}));
        problem.inputs.push_back(draw.tensor(dtype, {batches, heads, keys, value_size}));
    } else {
        problem.inputs.push_back(draw.tensor(dtype, {batches, keys, heads * size}));
        problem.inputs.push_back(draw.tensor(dtype, {batches, keys, heads * value_size}));
    }
    return problem;
}

constexpr HeadForm head_forms[] = {HeadForm::apart, HeadForm::by_head, HeadForm::pair, HeadForm::all_in_one};

TEST(MultiHeadAttentionOnDevice, TakesEveryFormWithItsBias)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const HeadForm form : head_forms)
            for (const bool has_bias : {false, true})
                for (const DType dtype : {DType::float32, DType::float16}) {
                    CompositeProblem problem = multi_head(form, dtype, draw);
                    const I values = form == HeadForm::apart || form == HeadForm::by_head ? 12 : 8;
                    if (has_bias)
                        put(problem, 3, draw.tensor(dtype, {16 + values}));
                    problem.outputs = form == HeadForm::by_head ? 1 : 3;
                    expect_composite(device, problem, has_bias ? 8 : 0);
                }
        CompositeProblem problem = multi_head(HeadForm::apart, DType::float32, draw);
        problem.attributes["scale"] = 1.5f;
        expect_composite(device, problem);
    });
}

TEST(MultiHeadAttentionOnDevice, MasksAndBiasesOfScores)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(2);
        const auto seen = [&](const Dims& dims) {  // the first key of each query is seen
            RealTensor mask = draw.integers(DType::int32, dims, 0, 2);
            for (size_t i = 0; i < mask.words.size(); i += size_t(dims.back()))
                mask.words[i] = 1;
            return mask;
        };
        for (const I causal : {0, 1})
            for (const bool has_past : {false, true}) {
                const I keys = has_past ? 6 : 4;
                for (const int mask : {0, 1, 2, 3})
                    for (const Dims& added : {Dims{}, Dims{1, 1, 3, keys}, Dims{2, 2, 3, keys}}) {
                        CompositeProblem problem = multi_head(HeadForm::apart, DType::float32, draw);
                        problem.attributes["unidirectional"] = causal;
                        if (mask == 1)
                            put(problem, 4, {.desc = {.dtype = DType::int32, .dims = {2}}, .words = {1, 3}});
                        if (mask == 2)
                            put(problem, 4, seen({2, keys}));
                        if (mask == 3)
                            put(problem, 4, seen({2, 3, keys}));
                        if (!added.empty())
                            put(problem, 5, draw.tensor(DType::float32, added));
                        if (has_past) {
                            put(problem, 6, draw.tensor(DType::float32, {2, 2, 2, 4}));
                            put(problem, 7, draw.tensor(DType::float32, {2, 2, 2, 6}));
                            problem.outputs = 3;
                        }
                        expect_composite(device, problem);
                    }
            }
    });
}

TEST(AttentionOnDevice, NoKeysAndOtherEmptyTensors)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const AttentionSizes& sizes : {AttentionSizes{.batches = 0}, AttentionSizes{.queries = 0}, AttentionSizes{.keys = 0},
                                            AttentionSizes{.value_size = 0}}) {
            CompositeProblem problem = attention(sizes, DType::float32, draw);
            expect_composite(device, problem);
            problem.attributes["is_causal"] = I(1);
            expect_composite(device, problem);
            put(problem, 3, draw.tensor(DType::boolean, {sizes.queries, sizes.keys}));
            expect_composite(device, problem);
        }
    });
}

TEST(AttentionOnDevice, RandomProblems)
{
    on_every_device([](const CaseDevice& device) {
        for (uint32_t seed = 1; seed <= 60; ++seed) {
            CompositeDraw draw(seed);
            const I kv_heads = 1 + draw.below(2);
            const AttentionSizes sizes = {.batches = 1 + draw.below(2),
                                          .q_heads = kv_heads * (1 + draw.below(2)),
                                          .kv_heads = kv_heads,
                                          .queries = 1 + draw.below(5),
                                          .keys = 1 + draw.below(5),
                                          .size = 1 + draw.below(8),
                                          .value_size = 1 + draw.below(8),
                                          .is_joined = draw.flip()};
            const DType dtype = draw.any(exponential_types);
            CompositeProblem problem = attention(sizes, dtype, draw);
            problem.opset = 23 + draw.below(3);
            I keys = sizes.keys;
            if (draw.flip(3)) {
                const I past = draw.below(4);
                put_past(problem, sizes, past, dtype, draw);
                keys += past;
                problem.outputs = draw.flip() ? 3 : 1;
            } else if (problem.opset >= 24 && draw.flip()) {
                put(problem, 6, draw.integers(DType::int64, {sizes.batches}, 0, keys + 1));
            }
            if (draw.flip()) {
                const Dims all = {sizes.batches, sizes.q_heads, sizes.queries, draw.flip(4) ? draw.below(keys) : keys};
                Dims dims(all.begin() + draw.below(4), all.end());
                for (size_t axis = 0; axis + 1 < dims.size(); ++axis)
                    if (draw.flip(4))
                        dims[axis] = 1;
                put(problem, 3, draw.flip() ? draw.tensor(DType::boolean, dims) : added_mask(dtype, dims, draw));
            }
            problem.attributes["is_causal"] = draw.below(2);
            if (draw.flip(4))
                problem.attributes["softcap"] = 0.5f;
            if (problem.opset == 25 && draw.flip())
                problem.attributes[draw.flip() ? "left_window_size" : "right_window_size"] = draw.below(4);
            expect_composite(device, problem);
        }
    });
}

CompositeProblem rotary(DType dtype, const Dims& dims, I heads, I turned, bool has_places, CompositeDraw& draw)
{
    const bool is_joined = dims.size() == 3;
    const I batches = dims[0], places = is_joined ? dims[1] : dims[2], size = is_joined ? dims[2] / heads : dims[3];
    const I pairs = (turned == 0 ? size : turned) / 2, rows = 7;
    const Dims cache = has_places ? Dims{rows, pairs} : Dims{batches, places, pairs};
    CompositeProblem problem = {.op_type = "RotaryEmbedding",
                                .inputs = {draw.tensor(dtype, dims), draw.tensor(dtype, cache), draw.tensor(dtype, cache)}};
    if (has_places)
        problem.inputs.push_back(draw.integers(DType::int64, {batches, places}, 0, rows));
    if (is_joined)
        problem.attributes["num_heads"] = heads;
    if (turned != 0)
        problem.attributes["rotary_embedding_dim"] = turned;
    return problem;
}

TEST(RotaryEmbeddingOnDevice, PairsAreTurned)
{
    on_every_device([](const CaseDevice& device) {
        CompositeDraw draw(1);
        for (const DType dtype : float_types)
            expect_composite(device, rotary(dtype, {2, 3, 4, 6}, 0, 0, true, draw));
        for (const I interleaved : {0, 1})
            for (const I turned : {0, 2, 4, 6})
                for (const bool has_places : {false, true})
                    for (const Dims& dims : {Dims{2, 3, 2, 6}, Dims{2, 2, 18}}) {
                        CompositeProblem problem = rotary(DType::float32, dims, 3, turned, has_places, draw);
                        problem.attributes["interleaved"] = interleaved;
                        expect_composite(device, problem, turned == 4 ? 6 : 0);
                    }
        expect_composite(device, rotary(DType::float32, {0, 3, 2, 6}, 0, 0, true, draw));
        expect_composite(device, rotary(DType::float32, {1, 0, 12}, 3, 2, false, draw));
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
