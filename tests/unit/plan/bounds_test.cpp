// This file tests by name what no description, capability or option may do: crash, or take unbounded time and memory.
// extreme_test.cpp draws them at random.
#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "heap.h"

namespace vkonnx {
namespace {

constexpr int64_t giga = int64_t(1) << 30;
constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<TensorDesc> pool_inputs = {{DType::float32, {1, 3, 32}}};
const AveragePool pool = {.kernel_shape = {2}};
const std::vector<TensorDesc> conv_inputs = {{DType::float32, {1, 2, 5}}, {DType::float32, {2, 4, 3}}};

// The pads crop the output to one element, to which no product is added.
TEST(Bounds, AnEmptyTensorsOtherExtentsAreNumberedToo)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 0, giga, giga, giga}},
                                            {DType::float32, {0, 1, giga, giga, giga}}};
    const ConvTranspose conv = {.pads = std::vector<int64_t>(6, giga - 1)};
    ASSERT_TRUE(infer(conv, inputs));
    EXPECT_EQ(infer(conv, inputs)->at(0).dims, (std::vector<int64_t>{1, 1, 1, 1, 1}));
    for (const std::string_view preset : Capabilities::preset_names()) {
        const auto explained = explain(conv, inputs, *Capabilities::preset(preset));
        EXPECT_EQ(explained.code(), Code::unsupported) << preset;
        EXPECT_EQ(explained.message(),
                  "ConvTranspose: input X float[1,0,1073741824,1073741824,1073741824] has no elements, but its "
                  "other extents make more than the 2147483647 that kernels can number")
            << preset;
    }
    const std::vector<TensorDesc> padding = {{DType::float32, {1, 1, 0, giga, giga}}};  // windows of nothing but pads
    const AveragePool window = {.kernel_shape = {1, 1, 1}, .strides = {1, giga, giga}, .pads = {1, 0, 0, 0, 0, 0}};
    EXPECT_EQ(explain(window, padding, Capabilities()).message(),
              "AveragePool: input X float[1,1,0,1073741824,1073741824] has no elements, but its other extents make more than the "
              "2147483647 that kernels can number");
    const std::vector<TensorDesc> small = {{DType::float32, {1, 0, giga}}, {DType::float32, {0, 1, 1000}}};
    const auto explained = explain(ConvTranspose{.pads = {giga - 1, 999}}, small, Capabilities());
    ASSERT_TRUE(explained) << explained.message();
    EXPECT_EQ(explained->grids, (std::vector<std::array<uint32_t, 3>>{{1, 1, 1}})) << "zeros, or the bias";
}

struct Row {
    std::function<void(Capabilities&)> lower;
    std::string_view refused;  // "" where nothing is; else it follows "AveragePool: Capabilities::"
    Code code = Code::unsupported;
};

void expect(const Row& row, const Result<Explanation>& explained, std::string_view op)
{
    if (row.refused.empty()) {
        EXPECT_TRUE(explained) << explained.message();
        return;
    }
    EXPECT_EQ(explained.code(), row.code);
    EXPECT_EQ(explained.message(), std::string(op) + ": Capabilities::" + std::string(row.refused));
}

TEST(Bounds, CapabilitiesWithWhichNothingRunsAreRefused)
{
    constexpr Code bad = Code::invalid_argument;
    const Row rows[] = {
        {[](Capabilities& c) { c.max_invocations = 0; }, "max_invocations = 0 must be at least 1"},
        {[](Capabilities& c) { c.max_invocations = 1; }, ""},
        {[](Capabilities& c) { c.max_workgroup_size[0] = 0; }, "max_workgroup_size[0] = 0 must be at least 1"},
        {[](Capabilities& c) { c.max_workgroup_size[1] = 0; }, "max_workgroup_size[1] = 0 must be at least 1"},
        {[](Capabilities& c) { c.max_workgroup_size[2] = 0; }, "max_workgroup_size[2] = 0 must be at least 1"},
        {[](Capabilities& c) {
             c.max_workgroup_size = {1, 1, 1};
         },
         ""},
        {[](Capabilities& c) { c.max_group_count[0] = 0; }, "max_group_count[0] = 0 must be at least 1"},
        {[](Capabilities& c) { c.max_group_count[1] = 0; }, "max_group_count[1] = 0 must be at least 1"},
        {[](Capabilities& c) { c.max_group_count[2] = 0; }, "max_group_count[2] = 0 must be at least 1"},
        {[](Capabilities& c) {
             c.max_group_count = {1, 1, 1};
         },
         ""},
        {[](Capabilities& c) { c.max_push_constant_bytes = 0; }, "max_push_constant_bytes = 0 must be at least 92"},
        {[](Capabilities& c) { c.max_push_constant_bytes = 91; }, "max_push_constant_bytes = 91 must be at least 92"},
        {[](Capabilities& c) { c.max_push_constant_bytes = 92; }, ""},
        {[](Capabilities& c) { c.storage_buffer_alignment = 0; }, "storage_buffer_alignment = 0 must be a power of two", bad},
        {[](Capabilities& c) { c.storage_buffer_alignment = 48; }, "storage_buffer_alignment = 48 must be a power of two", bad},
        {[](Capabilities& c) { c.storage_buffer_alignment = 1; }, ""},
        {[](Capabilities& c) { c.storage_buffer_alignment = 1u << 31; }, ""},
        {[](Capabilities& c) { c.max_shared_bytes = 0; }, ""},  // no kernel takes any shared memory
        {[](Capabilities& c) { c.subgroup_size = 0; }, ""},
        {[](Capabilities& c) { c.work_per_second = 0; }, "work_per_second = 0.000000 must be greater than 0 and finite", bad},
        {[](Capabilities& c) { c.work_per_second = -2; }, "work_per_second = -2.000000 must be greater than 0 and finite", bad},
        {[](Capabilities& c) { c.work_per_second = NAN; }, "work_per_second = nan must be greater than 0 and finite", bad},
        {[](Capabilities& c) { c.work_per_second = infinity; }, "work_per_second = inf must be greater than 0 and finite", bad},
        {[](Capabilities& c) { c.work_per_second = 1e300; }, ""},
        {[](Capabilities& c) { c.work_per_second = 1e-300; }, ""},  // 93 dispatches of one output
    };
    for (const Row& row : rows) {
        Capabilities capabilities;
        row.lower(capabilities);
        expect(row, explain(pool, pool_inputs, capabilities), "AveragePool");
        expect(row, explain(ConvTranspose{}, conv_inputs, capabilities), "ConvTranspose");
        EXPECT_TRUE(explain(Shape{}, pool_inputs, capabilities)) << "needs no device";
    }
}

TEST(Bounds, CapabilitiesLoweredToNothingAreRefused)
{
    const Capabilities desktop = *Capabilities::preset("desktop");
    Capabilities limit = desktop;
    limit.max_invocations = 0;
    expect({{}, "max_invocations = 0 must be at least 1"}, explain(pool, pool_inputs, desktop.lowered_to(limit)), "AveragePool");
    limit = desktop;
    limit.work_per_second = NAN;
    EXPECT_EQ(desktop.lowered_to(limit).work_per_second, desktop.work_per_second) << "no number lowers nothing";
    EXPECT_TRUE(std::isnan(limit.lowered_to(desktop).work_per_second));
    expect({{}, "work_per_second = nan must be greater than 0 and finite", Code::invalid_argument},
           explain(pool, pool_inputs, limit.lowered_to(desktop)), "AveragePool");
}

TEST(Bounds, EachOperatorNeedsItsStorageBuffers)
{
    Capabilities few;
    few.max_storage_buffers = 4;
    EXPECT_TRUE(explain(ConvTranspose{}, conv_inputs, few));
    few.max_storage_buffers = 3;
    expect({{}, "max_storage_buffers = 3 must be at least 4"}, explain(ConvTranspose{}, conv_inputs, few), "ConvTranspose");
    few.max_storage_buffers = 2;
    EXPECT_TRUE(explain(pool, pool_inputs, few));
    few.max_storage_buffers = 0;
    expect({{}, "max_storage_buffers = 0 must be at least 2"}, explain(pool, pool_inputs, few), "AveragePool");
}

TEST(Bounds, EachOperatorNeedsItsUniformBlock)
{
    Capabilities small;
    small.max_uniform_buffer_range = 256;
    EXPECT_TRUE(explain(ConvTranspose{}, conv_inputs, small));
    small.max_uniform_buffer_range = 255;
    expect({{}, "max_uniform_buffer_range = 255 must be at least 256"}, explain(ConvTranspose{}, conv_inputs, small),
           "ConvTranspose");
    small.max_uniform_buffer_range = 208;
    EXPECT_TRUE(explain(pool, pool_inputs, small));
    small.max_uniform_buffer_range = 207;
    expect({{}, "max_uniform_buffer_range = 207 must be at least 208"}, explain(pool, pool_inputs, small), "AveragePool");
}

// Cutting keeps to these limits, and refuses by itself what they let no part of through.
TEST(Bounds, LimitsOfNothingLetNoPartThrough)
{
    Capabilities none;
    none.max_storage_buffer_range = 0;
    EXPECT_EQ(explain(pool, pool_inputs, none).message(),
              "AveragePool: the device's max_storage_buffer_range = 0 is too small for any part of its tensors");
    none = {};
    none.max_loop_iterations = 0;
    EXPECT_EQ(explain(pool, pool_inputs, none).message(),
              "AveragePool: no kernel fits, because the device's 0 loop iterations are too few for its window");
    EXPECT_EQ(explain(ConvTranspose{}, conv_inputs, none).message(),
              "ConvTranspose: no kernel fits, because the device's 0 loop iterations are too few for its window");
}

TEST(Bounds, AnyTimeOfADispatchIsPlannedOrRefused)
{
    const auto explained = [](double seconds) {
        return explain(pool, pool_inputs, Capabilities(), {.max_dispatch_seconds = seconds});
    };
    for (const double seconds : {0.0, -0.0, -1e300, -infinity, double(NAN)})
        EXPECT_EQ(explained(seconds).message(),
                  "AveragePool: PrepareOptions::max_dispatch_seconds = " + std::to_string(seconds) + " must be greater than 0");
    for (const double seconds : {1e-9, 1e-300, std::numeric_limits<double>::denorm_min()}) {
        ASSERT_TRUE(explained(seconds)) << explained(seconds).message();
        EXPECT_EQ(explained(seconds)->grids.size(), 93u * 2) << "each output, and each of its taps";
    }
    for (const double seconds : {1.0, 1e300, infinity}) {
        ASSERT_TRUE(explained(seconds)) << explained(seconds).message();
        EXPECT_EQ(explained(seconds)->grids.size(), 1u);
    }
}

constexpr size_t most_heap = 64'000'000;

// The problems are cut into as many dispatches as there may be, and into some more.
TEST(Bounds, TheLongestPlansAreSmall)
{
    const auto explained = [](int64_t outputs, size_t& heap) {
        const std::vector<TensorDesc> inputs = {{DType::float32, {1, 1, outputs}}};
        const HeapUse use;
        auto result = explain(AveragePool{.kernel_shape = {1}}, inputs, Capabilities(), {.max_dispatch_seconds = 1e-9});
        heap = use.peak_bytes();
        return result;
    };
    size_t heap = 0;
    const auto longest = explained(1 << 16, heap);
    ASSERT_TRUE(longest) << longest.message();
    EXPECT_EQ(longest->grids.size(), 65536u);
    EXPECT_LT(heap, most_heap);
    EXPECT_EQ(explained((1 << 16) + 1, heap).message(),
              "AveragePool: the device's limits and max_dispatch_seconds would cut this "
              "problem into 65537 dispatches, more than 65536");
    EXPECT_LT(heap, 100'000u);
    EXPECT_EQ(explained(1'000'000, heap).message(),
              "AveragePool: the device's limits and max_dispatch_seconds would cut this problem "
              "into 1000000 dispatches, more than 65536");
    EXPECT_LT(heap, 100'000u);
}

// Windows of a buffer range are found by halving, which must count the dispatches as it goes.
TEST(Bounds, HalvingEndsWithTheDispatches)
{
    Capabilities tiny;
    tiny.storage_buffer_alignment = 4;
    tiny.max_storage_buffer_range = 64;
    const std::vector<TensorDesc> inputs = {{DType::float32, {1, 4096, 64}, Layout::nxc}, {DType::float32, {64, 64, 16}}};
    const onednn::ConvTranspose conv = {
        .strides = {1}, .pads_begin = {0}, .pads_end = {0}, .dilations = {1}, .filter_format = onednn::FilterFormat::iox};
    const HeapUse use;
    EXPECT_EQ(explain(conv, inputs, tiny).message(),
              "ConvTranspose: the device's limits and max_dispatch_seconds would cut this problem into more than 65536 "
              "dispatches");
    EXPECT_LT(use.peak_bytes(), most_heap);
}

// Sentences must tell of all dimensions of a tensor only where there are few.
TEST(Bounds, RanksOfAMillionAreCheap)
{
    constexpr size_t rank = 1'000'000;
    const TensorDesc deep = {DType::float32, std::vector<int64_t>(rank, giga)};
    for (const auto& inputs : {std::vector<TensorDesc>{conv_inputs[0], deep}, std::vector<TensorDesc>{deep, deep},
                               std::vector<TensorDesc>{conv_inputs[0], conv_inputs[1], deep}}) {
        const HeapUse use;
        const auto explained = explain(ConvTranspose{}, inputs, Capabilities());
        EXPECT_EQ(explained.code(), inputs[0].dims.size() == rank ? Code::unsupported : Code::invalid_argument);
        EXPECT_NE(explained.message().find("has rank 1000000"), std::string_view::npos);
        EXPECT_LT(use.peak_bytes(), 10'000u);
    }
    const std::vector<TensorDesc> inputs = {deep};
    const HeapUse use;
    const auto explained = explain(Shape{}, inputs, Capabilities());
    ASSERT_TRUE(explained) << explained.message();
    EXPECT_EQ(explained->outputs, (std::vector<TensorDesc>{{DType::int64, {int64_t(rank)}}}));
    EXPECT_LT(use.peak_bytes(), 4 * rank * sizeof(int64_t));
}

}  // namespace
}  // namespace vkonnx
