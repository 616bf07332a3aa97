#include "expect.h"

namespace vkonnx::ops {

namespace {

Dims shape_of(const Shape& attributes, Dims dims)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, std::move(dims)}};
    const auto geometry = resolve(attributes, inputs);
    EXPECT_TRUE(geometry.ok()) << geometry.message();
    if (!geometry)
        return {-1};
    const auto outputs = infer(attributes, inputs);
    EXPECT_TRUE(outputs.ok());
    EXPECT_EQ(*outputs, (std::vector<TensorDesc>{{DType::int64, {int64_t(geometry->result.size())}}}));
    return geometry->result;
}

constexpr std::array<int64_t, 8> shape_opsets = {1, 13, 15, 19, 21, 23, 24, 25};

// Returns the first version of Shape that accepts the type, or 0 where none does.
int64_t first_version(DType dtype)
{
    switch (dtype) {
    case DType::undefined:
        return 0;
    case DType::bfloat16:
        return 13;
    case DType::float8e4m3fn:
    case DType::float8e4m3fnuz:
    case DType::float8e5m2:
    case DType::float8e5m2fnuz:
        return 19;
    case DType::uint4:
    case DType::int4:
        return 21;
    case DType::float4e2m1:
        return 23;
    case DType::float8e8m0:
        return 24;
    case DType::uint2:
    case DType::int2:
        return 25;
    default:
        return int(dtype) <= 15 ? 1 : 0;
    }
}

}  // namespace

TEST(ShapeOps, AllDimensions)
{
    for (const int64_t opset : shape_opsets) {
        EXPECT_EQ(shape_of({.opset = opset}, {3, 4, 5}), (Dims{3, 4, 5}));
        EXPECT_EQ(shape_of({.opset = opset}, {0}), (Dims{0}));
        EXPECT_EQ(shape_of({.opset = opset}, {}), (Dims{}));
    }
    EXPECT_EQ(shape_of({}, Dims(40, 7)), Dims(40, 7));          // any rank
    EXPECT_EQ(shape_of({}, {huge, huge}), (Dims{huge, huge}));  // the elements are never counted
}

TEST(ShapeOps, StartAndEnd)
{
    struct Row {
        std::optional<int64_t> start, end;
        Dims result;
    };
    const int64_t least = std::numeric_limits<int64_t>::min();
    const Row table[] = {
        {0, {}, {3, 4, 5}},
        {1, {}, {4, 5}},
        {2, 3, {5}},
        {3, {}, {}},
        {4, {}, {}},
        {-1, {}, {5}},
        {-3, {}, {3, 4, 5}},
        {-4, {}, {3, 4, 5}},
        {{}, 1, {3}},
        {{}, -1, {3, 4}},
        {{}, 3, {3, 4, 5}},
        {{}, 60, {3, 4, 5}},
        {{}, 0, {}},
        {0, -3, {}},
        {0, -4, {}},
        {0, -60, {}},
        {1, -1, {4}},
        {-2, -1, {4}},
        {2, 1, {}},
        {-1, -2, {}},
        {1, 1, {}},
        {-60, 60, {3, 4, 5}},
        {least, huge, {3, 4, 5}},
        {huge, least, {}},
        {least, -2, {3}},
    };
    for (const int64_t opset : {15, 19, 21, 23, 24, 25})
        for (const Row& row : table)
            EXPECT_EQ(shape_of({.opset = opset, .start = row.start, .end = row.end}, {3, 4, 5}), row.result)
                << row.start.value_or(777) << " to " << row.end.value_or(777);
}

TEST(ShapeOps, ScalarHasNoDimensions)
{
    for (const std::optional<int64_t> start : {std::optional<int64_t>(), std::optional<int64_t>(0), std::optional<int64_t>(-1)})
        for (const std::optional<int64_t> end : {std::optional<int64_t>(), std::optional<int64_t>(1), std::optional<int64_t>(-1)})
            EXPECT_EQ(shape_of({.start = start, .end = end}, {}), Dims());
}

TEST(ShapeOps, StartAndEndExistFromVersion15)
{
    const std::vector<TensorDesc> inputs = {{DType::float32, {3}}};
    expect_refused(Refusal<Shape>{{.opset = 14, .start = 0},
                                  inputs,
                                  "Shape: start must not be given: it exists from version 15, and opset 14 means version 13"});
    expect_refused(Refusal<Shape>{{.opset = 12, .end = 1},
                                  inputs,
                                  "Shape: end must not be given: it exists from version 15, and opset 12 means version 1"});
}

TEST(ShapeOps, TypesOfEveryVersion)
{
    for (const int64_t opset : shape_opsets)
        for (int number = 0; number <= 30; ++number) {
            const auto dtype = DType(number);
            const int64_t first = first_version(dtype);
            const std::vector<TensorDesc> inputs = {{dtype, {2, 3}}};
            if (first != 0 && first <= opset) {
                const auto geometry = resolve(Shape{.opset = opset}, inputs);
                ASSERT_TRUE(geometry.ok()) << geometry.message();
                EXPECT_EQ(geometry->result, (Dims{2, 3}));
                continue;
            }
            const std::string word(name(dtype));
            expect_refused(Refusal<Shape>{
                {.opset = opset},
                inputs,
                first == 0 ? number == 0 ? "Shape: data is not given (DType::undefined), but it is no optional input"
                                         : "Shape: data has type " + word + ", which no version of the operator accepts"
                           : "Shape: data has type " + word + ", which exists from version " + std::to_string(first) +
                                 ", and opset " + std::to_string(opset) + " means version " + std::to_string(opset)});
        }
}

TEST(ShapeOps, VersionFollowsFromTheOpset)
{
    const std::vector<std::pair<int64_t, int>> table = {{1, 1},   {12, 1},  {13, 13}, {14, 13}, {15, 15},
                                                        {18, 15}, {19, 19}, {20, 19}, {21, 21}, {22, 21},
                                                        {23, 23}, {24, 24}, {25, 25}, {26, 25}, {huge, 25}};
    const std::vector<TensorDesc> inputs = {{DType::float32, {3, 4}}};
    for (const auto& [opset, version] : table) {
        const auto geometry = resolve(Shape{.opset = opset}, inputs);
        ASSERT_TRUE(geometry.ok()) << geometry.message();
        EXPECT_EQ(geometry->equation, "ONNX Shape-" + std::to_string(version) + ": dimensions 0 up to, not including, 2 of 2");
    }
    expect_refused(Refusal<Shape>{{.opset = 0}, inputs, "Shape: opset = 0 must be at least 1"});
}

TEST(ShapeOps, InputsAreChecked)
{
    const TensorDesc x = {DType::float32, {3}};
    expect_refused(Refusal<Shape>{{}, {}, "Shape: expects 1 input, but 0 are given"});
    expect_refused(Refusal<Shape>{{}, {x, x}, "Shape: expects 1 input, but 2 are given"});
    expect_refused(Refusal<Shape>{{}, {{DType::float32, {3, -1}}}, "Shape: data.dims[1] = -1 must be at least 0"});
}

}  // namespace vkonnx::ops
