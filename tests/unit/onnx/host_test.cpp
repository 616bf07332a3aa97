// This file tests what only the host computes, and what nodes take from it: chains that compute shapes, as exporters write them.
#include <cmath>

#include "helpers.h"
#include "kit/elements.h"

namespace vkonnx::onnx {
namespace {

template <class T>
std::string tensor(const std::string& name, DType dtype, const Dims& dims, const std::vector<T>& values)
{
    return raw_tensor(name, {dtype, dims}, std::as_bytes(std::span(values)));
}

std::string bools(const std::string& name, const Dims& dims, const std::vector<uint8_t>& values)
{
    return tensor(name, DType::boolean, dims, values);
}

ModelBuilder with(const std::vector<std::string>& initializers, int64_t opset = 17)
{
    ModelBuilder builder;
    builder.opset(opset).input("X", DType::float32, {1, 2, 6});
    for (const std::string& one : initializers)
        builder.initializer(one);
    return builder;
}

// Returns an int64 value as the dimensions that ConstantOfShape makes of it.
Result<Dims> dims_from(ModelBuilder builder, const std::string& value)
{
    const auto nodes = explain_file(builder.node("ConstantOfShape", {value}, {"Y"}, {}, "made").output("Y").build());
    return nodes ? Result(nodes->back().explanation.outputs.front().dims) : nodes.status();
}

testing::AssertionResult gives(const Result<Dims>& got, const Dims& expected)
{
    if (!got)
        return testing::AssertionFailure() << got.message();
    if (*got != expected)
        return testing::AssertionFailure() << testing::PrintToString(*got) << ", expected " << testing::PrintToString(expected);
    return testing::AssertionSuccess();
}

// The shape is (dims of X)[0], 3, -1: PyTorch writes a view like this.
TEST(Host, AShapeIsComputedBeforeAnythingRuns)
{
    const auto nodes =
        explain_file(with({int64_tensor("zero", {}, {0}), int64_tensor("rest", {2}, {3, -1}), int64_tensor("axes", {1}, {0})})
                         .node("Shape", {"X"}, {"s"})
                         .node("Gather", {"s", "zero"}, {"batch"}, {}, "gather")
                         .node("Unsqueeze", {"batch", "axes"}, {"batch1"})
                         .node("Concat", {"batch1", "rest"}, {"shape"}, {int_attribute("axis", 0)}, "concat")
                         .node("Reshape", {"X", "shape"}, {"Y"}, {}, "reshape")
                         .output("Y")
                         .build());
    ASSERT_TRUE(accepted(nodes));
    EXPECT_EQ(nodes->at(1).explanation.kernel, "host");
    EXPECT_EQ(nodes->at(3).explanation.kernel, "host");
    EXPECT_EQ(nodes->back().explanation.outputs.front().dims, (Dims{1, 3, 4}));
}

// Exporters compute sizes through floats, or by what a comparison gives.
TEST(Host, CastsAreComputed)
{
    const auto cast = [](const char* from, const char* to, DType type) {
        return [=](ModelBuilder builder) { return builder.node("Cast", {from}, {to}, {int_attribute("to", int64_t(type))}); };
    };
    const auto through = [&](DType type) {
        ModelBuilder builder = with({}).node("Shape", {"X"}, {"s"});
        return dims_from(cast("f", "v", DType::int64)(cast("s", "f", type)(std::move(builder))), "v");
    };
    EXPECT_TRUE(gives(through(DType::float32), {1, 2, 6}));
    EXPECT_TRUE(gives(through(DType::int32), {1, 2, 6}));
    EXPECT_TRUE(gives(through(DType::boolean), {1, 1, 1}));
    ModelBuilder compared = with({int64_tensor("two", {}, {2}), tensor<float>("real", DType::float32, {1}, {3.9f})})
                                .node("Shape", {"X"}, {"s"})
                                .node("Equal", {"s", "two"}, {"e"});
    compared = cast("real", "whole", DType::int64)(cast("e", "n", DType::int64)(std::move(compared)));
    EXPECT_TRUE(gives(dims_from(compared.node("Add", {"n", "whole"}, {"v"}), "v"), {3, 4, 3}));
}

TEST(Host, GatherTakesAlongAnyAxis)
{
    const auto gather = [](const Dims& dims, const std::vector<int64_t>& data, const std::string& indices, int64_t axis) {
        return dims_from(with({int64_tensor("d", dims, data), indices, int64_tensor("flat", {1}, {-1})})
                             .node("Gather", {"d", "i"}, {"g"}, {int_attribute("axis", axis)}, "g")
                             .node("Reshape", {"g", "flat"}, {"v"}),
                         "v");
    };
    EXPECT_TRUE(gives(gather({3}, {5, 6, 7}, int64_tensor("i", {2}, {-1, 0}), 0), {7, 5}));
    EXPECT_TRUE(gives(gather({2, 3}, {1, 2, 3, 4, 5, 6}, int64_tensor("i", {2}, {2, 0}), 1), {3, 1, 6, 4}));
    EXPECT_TRUE(gives(gather({2, 3}, {1, 2, 3, 4, 5, 6}, tensor<int32_t>("i", DType::int32, {1, 1}, {1}), -2), {4, 5, 6}));
    EXPECT_TRUE(
        invalid(gather({3}, {5, 6, 7}, int64_tensor("i", {1}, {3}), 0), "node 'g': Gather: indices[0] = 3 must be in [-3, 2]"));
    EXPECT_TRUE(
        invalid(gather({3}, {5, 6, 7}, int64_tensor("i", {1}, {0}), 1), "Gather: axis = 1 must be in [-1, 0] for rank 1"));
}

TEST(Host, ElementsAndPointsAreGathered)
{
    const auto gather = [](const std::string& op, const std::string& indices) {
        return dims_from(with({int64_tensor("d", {2, 3}, {1, 2, 3, 4, 5, 6}), indices, int64_tensor("flat", {1}, {-1})})
                             .node(op, {"d", "i"}, {"g"}, {}, "g")
                             .node("Reshape", {"g", "flat"}, {"v"}),
                         "v");
    };
    EXPECT_TRUE(gives(gather("GatherElements", tensor<int32_t>("i", DType::int32, {1, 3}, {1, 0, -1})), {4, 2, 6}));
    EXPECT_TRUE(gives(gather("GatherElements", int64_tensor("i", {3, 2}, {0, 1, 1, -2, -1, 0})), {1, 5, 4, 2, 4, 2}));
    EXPECT_TRUE(gives(gather("GatherND", int64_tensor("i", {2, 1}, {-1, 0})), {4, 5, 6, 1, 2, 3}));
    EXPECT_TRUE(gives(gather("GatherND", int64_tensor("i", {2, 2}, {-1, 0, 0, -1})), {4, 3}));
    EXPECT_TRUE(
        invalid(gather("GatherND", int64_tensor("i", {1, 2}, {0, 3})), "node 'g': GatherND: indices[1] = 3 must be in [-3, 2]"));
}

TEST(Host, ModHasTheSignOfItsDivisor)
{
    const auto modulo = [](const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                           const std::vector<std::string>& attributes) {
        const auto dims = int64_t(a.size());
        return dims_from(
            with({int64_tensor("a", {dims}, a), int64_tensor("b", {dims}, b)}).node("Mod", {"a", "b"}, {"v"}, attributes), "v");
    };
    EXPECT_TRUE(gives(modulo({7, -7, 8, INT64_MIN}, {4, 4, 0, -1}, {}), {3, 1, 0, 0}));
}

TEST(Host, ElementsAndPointsAreScattered)
{
    const auto scatter = [](const std::string& op, const std::string& indices, const std::string& updates) {
        return dims_from(with({int64_tensor("d", {2, 3}, {1, 2, 3, 4, 5, 6}), indices, updates, int64_tensor("flat", {1}, {-1})})
                             .node(op, {"d", "i", "u"}, {"s"}, {}, "s")
                             .node("Reshape", {"s", "flat"}, {"v"}),
                         "v");
    };
    EXPECT_TRUE(
        gives(scatter("ScatterElements", tensor<int32_t>("i", DType::int32, {1, 2}, {1, -2}), int64_tensor("u", {1, 2}, {7, 8})),
              {1, 8, 3, 7, 5, 6}));
    EXPECT_TRUE(gives(scatter("ScatterND", int64_tensor("i", {2, 1}, {-1, -1}), int64_tensor("u", {2, 3}, {7, 8, 9, 7, 7, 7})),
                      {1, 2, 3, 7, 7, 7}))
        << "the last update is left";
    EXPECT_TRUE(gives(scatter("ScatterND", int64_tensor("i", {2, 2}, {-1, 0, 0, -1}), int64_tensor("u", {2}, {7, 8})),
                      {1, 2, 8, 7, 5, 6}));
    EXPECT_TRUE(invalid(scatter("ScatterND", int64_tensor("i", {1, 2}, {0, 3}), int64_tensor("u", {1}, {7})),
                        "node 's': ScatterND: indices[1] = 3 must be in [-3, 2]"));
}

TEST(Host, RangeCountsToItsLimit)
{
    const auto range = [](int64_t start, int64_t limit, int64_t delta) {
        return dims_from(with({int64_tensor("a", {}, {start}), int64_tensor("b", {}, {limit}), int64_tensor("c", {}, {delta})})
                             .node("Range", {"a", "b", "c"}, {"v"}, {}, "r"),
                         "v");
    };
    EXPECT_TRUE(gives(range(1, 8, 3), {1, 4, 7}));
    EXPECT_TRUE(gives(range(7, 1, -3), {7, 4}));
    EXPECT_TRUE(gives(range(7, 7, 1), {}));
    EXPECT_TRUE(gives(range(7, 1, 1), {}));
    EXPECT_TRUE(invalid(range(0, 1, 0), "node 'r': Range: delta = 0 must not be 0"));
    EXPECT_TRUE(unsupported(range(0, 1 << 30, 1), "above what is left of SessionOptions::max_folded_bytes, 16777216"));
    EXPECT_TRUE(unsupported(range(INT64_MIN, INT64_MAX, 1), "node 'r': Range: int64[9223372036854775807] has more than"));
}

TEST(Host, RangeOfFloatsIsCountedByItsDocument)
{
    const auto count = [](float start, float limit, float delta) {
        return dims_from(with({float_tensor("a", {}, {start}), float_tensor("b", {}, {limit}), float_tensor("c", {}, {delta})})
                             .node("Range", {"a", "b", "c"}, {"r"})
                             .node("Shape", {"r"}, {"v"}),
                         "v");
    };
    EXPECT_TRUE(gives(count(0, 1, 0.25f), {4}));
    EXPECT_TRUE(gives(count(0, 1.1f, 0.25f), {5}));
    EXPECT_TRUE(gives(count(1, 0, 0.25f), {0}));
    EXPECT_TRUE(gives(count(0, NAN, 0.25f), {0}));
}

// Halves from 2048 to 4096 are even numbers: 2049 and 2051 are rounded, once. Counted in halves, 2048 + 1 would stay 2048.
TEST(Host, RangeOfHalvesIsCountedInFloat)
{
    const auto halves = [](const char* name, const Dims& dims, const std::vector<uint16_t>& bits) {
        return tensor<uint16_t>(name, DType::float16, dims, bits);
    };
    const auto equal = [&](int64_t stash_type) {
        return dims_from(with({halves("start", {}, {0x6800}), halves("limit", {}, {0x6802}), halves("delta", {}, {0x3c00}),
                               halves("expected", {4}, {0x6800, 0x6800, 0x6802, 0x6802})},  // 2048, 2048, 2052, 2052
                              27)
                             .node("Range", {"start", "limit", "delta"}, {"r"}, {int_attribute("stash_type", stash_type)}, "r")
                             .node("Equal", {"r", "expected"}, {"e"})
                             .node("Cast", {"e"}, {"v"}, {int_attribute("to", int64_t(DType::int64))}),
                         "v");
    };
    EXPECT_TRUE(gives(equal(1), {1, 1, 0, 1}));  // the third number is 2050
    EXPECT_TRUE(unsupported(equal(10), "node 'r': Range: stash_type = 10, expected 1, which is float"));
}

// Exporters write Where(Equal(shape, -1), ones, shape) for Expand.
TEST(Host, EqualAndWhereChooseElements)
{
    EXPECT_TRUE(
        gives(dims_from(with({int64_tensor("s", {3}, {2, -1, 4}), int64_tensor("m", {}, {-1}), int64_tensor("o", {3}, {1, 1, 1})})
                            .node("Equal", {"s", "m"}, {"e"})
                            .node("Where", {"e", "o", "s"}, {"v"}),
                        "v"),
              {2, 1, 4}));
    EXPECT_TRUE(gives(dims_from(with({bools("c", {2, 1}, {1, 0}), int64_tensor("x", {2}, {1, 2}), int64_tensor("y", {1}, {9}),
                                      int64_tensor("flat", {1}, {-1})})
                                    .node("Where", {"c", "x", "y"}, {"w"})
                                    .node("Reshape", {"w", "flat"}, {"v"}),
                                "v"),
                      {1, 2, 9, 9}));
    const auto equal_floats = [](float a, float b) {  // zeros of both signs are equal, NaN is equal to nothing
        return dims_from(with({float_tensor("a", {1}, {a}), float_tensor("b", {1}, {b}), int64_tensor("y", {1}, {7}),
                               int64_tensor("n", {1}, {8})})
                             .node("Equal", {"a", "b"}, {"e"})
                             .node("Where", {"e", "y", "n"}, {"v"}),
                         "v");
    };
    EXPECT_TRUE(gives(equal_floats(0.0f, -0.0f), {7}));
    EXPECT_TRUE(gives(equal_floats(NAN, NAN), {8}));
    EXPECT_TRUE(invalid(
        dims_from(
            with({int64_tensor("s", {3}, {2, 3, 4}), int64_tensor("m", {2}, {1, 1})}).node("Equal", {"s", "m"}, {"v"}, {}, "e"),
            "v"),
        "node 'e': Equal: B has extent 2 on axis 0 of the output, where A has 3; extents must be equal, or 1"));
    EXPECT_TRUE(invalid(
        dims_from(with({int64_tensor("s", {1}, {2}), float_tensor("m", {1}, {1})}).node("Equal", {"s", "m"}, {"v"}, {}, "e"),
                  "v"),
        "Equal: B has type float, but must have A's type int64"));
}

TEST(Host, ExpandBroadcastsBothWays)
{
    EXPECT_TRUE(
        gives(dims_from(with({int64_tensor("x", {1}, {3}), int64_tensor("s", {1}, {4})}).node("Expand", {"x", "s"}, {"v"}), "v"),
              {3, 3, 3, 3}));
    EXPECT_TRUE(gives(
        dims_from(with({int64_tensor("x", {2}, {3, 5}), int64_tensor("s", {1}, {1})}).node("Expand", {"x", "s"}, {"v"}), "v"),
        {3, 5}));
}

// The elements may come with each run, as long as the shape is known.
TEST(Host, ExpandOfWhatIsKnownOnlyWhenRunningIsOfTheDevice)
{
    const auto reports =
        explain_file(with({int64_tensor("s", {3}, {5, 1, 6})}).node("Expand", {"X", "s"}, {"Y"}, {}, "e").output("Y").build());
    ASSERT_TRUE(accepted(reports));
    EXPECT_TRUE(reports->front().explanation.kernel.starts_with("move")) << reports->front().explanation.kernel;
    EXPECT_EQ(to_string(reports->front().explanation.outputs.front()), "float[5,2,6]");
}

// Coordinates come axis by axis: all of the first axis, then all of the second.
TEST(Host, NonZeroTellsWhereElementsAre)
{
    const auto found = [](const std::string& x) {
        return dims_from(
            with({x, int64_tensor("all", {1}, {-1})}).node("NonZero", {"x"}, {"n"}, {}, "n").node("Reshape", {"n", "all"}, {"v"}),
            "v");
    };
    EXPECT_TRUE(gives(found(int64_tensor("x", {2, 3}, {0, 5, 0, -1, 0, 256})), {0, 1, 1, 1, 0, 2}));
    EXPECT_TRUE(gives(found(float_tensor("x", {5}, {0, -0.0f, NAN, 1e-45f, 2})), {2, 3, 4}));
    EXPECT_TRUE(gives(found(bool_tensor("x", {1, 1, 4}, {true, false, false, true})), {0, 0, 0, 0, 0, 3}));
    EXPECT_TRUE(gives(
        found(raw_tensor("x", {DType::float16, {3}}, kit::encoded(DType::float16, std::vector<double>{-0.0, 1e-7, 1}))), {1, 2}));
    EXPECT_TRUE(gives(found(int64_tensor("x", {2}, {0, 0})), {}));
}

// Returns the elements of an output of Unique, by its place among the outputs.
Result<Dims> unique(const std::string& x, size_t output, const std::vector<std::string>& attributes = {})
{
    return dims_from(with({x, int64_tensor("all", {1}, {-1})})
                         .node("Unique", {"x"}, {"o0", "o1", "o2", "o3"}, attributes, "u")
                         .node("Cast", {"o" + std::to_string(output)}, {"whole"}, {int_attribute("to", 7)})
                         .node("Reshape", {"whole", "all"}, {"v"}),
                     "v");
}

TEST(Host, UniqueComparesElements)
{
    const std::string x = int64_tensor("x", {2, 3}, {4, 1, 4, 300, 1, 4});
    EXPECT_TRUE(gives(unique(x, 0), {1, 4, 300}));
    EXPECT_TRUE(gives(unique(x, 1), {1, 0, 3})) << "the first of each";
    EXPECT_TRUE(gives(unique(x, 2), {1, 0, 1, 2, 0, 1})) << "where each element is in Y";
    EXPECT_TRUE(gives(unique(x, 3), {2, 3, 1}));
    const std::vector<std::string> unsorted = {int_attribute("sorted", 0)};
    EXPECT_TRUE(gives(unique(x, 0, unsorted), {4, 1, 300}));
    EXPECT_TRUE(gives(unique(x, 2, unsorted), {0, 1, 0, 2, 1, 0}));
    // Signs, zeros of both signs, NaN and infinities are ordered as numbers are.
    EXPECT_TRUE(gives(unique(float_tensor("x", {7}, {NAN, 0, -1.5f, INFINITY, -0.0f, -INFINITY, -NAN}), 1), {5, 2, 1, 3, 0}));
    EXPECT_TRUE(gives(unique(tensor<int8_t>("x", DType::int8, {3}, {1, -128, 127}), 1), {1, 0, 2}));
    EXPECT_TRUE(gives(unique(tensor<uint8_t>("x", DType::uint8, {3}, {1, 128, 127}), 1), {0, 2, 1}));
    EXPECT_TRUE(gives(
        unique(raw_tensor("x", {DType::float16, {4}}, kit::encoded(DType::float16, std::vector<double>{2, -3, 65504, -3})), 3),
        {2, 1, 1}));
    EXPECT_TRUE(gives(unique(int64_tensor("x", {0}, {}), 0), {}));
}

TEST(Host, UniqueComparesWhatLiesAlongAnAxis)
{
    const std::string x = int64_tensor("x", {2, 3, 1}, {7, 2, 7, 5, 6, 5});
    EXPECT_TRUE(gives(unique(x, 0, {int_attribute("axis", 1)}), {2, 7, 6, 5}));
    EXPECT_TRUE(gives(unique(x, 2, {int_attribute("axis", -2)}), {1, 0, 1}));
    EXPECT_TRUE(gives(unique(x, 3, {int_attribute("axis", 0)}), {1, 1}));
    EXPECT_TRUE(gives(unique(int64_tensor("x", {2, 3}, {7, 2, 7, 5, 6, 4}), 1, {int_attribute("axis", 1)}), {1, 2, 0}))
        << "the second row tells them apart";
    EXPECT_TRUE(gives(unique(x, 0, {int_attribute("axis", 1), int_attribute("sorted", 0)}), {7, 2, 5, 6}));
    EXPECT_TRUE(invalid(unique(x, 0, {int_attribute("axis", 3)}), "node 'u': Unique: axis = 3 must be in [-3, 2] for rank 3"));
    EXPECT_TRUE(invalid(unique(x, 0, {int_attribute("sorted", 2)}), "node 'u': Unique: sorted = 2 must be 0 or 1"));
}

struct Suppression {
    Dims shape = {1, 4, 4};
    // The first two share 0.6 of what they cover, the third lies elsewhere, and the corners of the fourth are turned round.
    std::vector<float> boxes = {0, 0, 1, 1, 0, 0.25f, 1, 1.25f, 5, 5, 6, 6, 10, 10, 9, 9};
    std::vector<float> scores = {0.5f, 0.75f, 0.25f, 0.75f};
    std::vector<int64_t> most = {4};
    float threshold = 0.5f;
    std::optional<float> least = {};
    std::vector<std::string> attributes = {};
};

// Returns the numbers of the boxes that are taken, or all of the output.
Result<Dims> taken(const Suppression& given, bool whole = false)
{
    ModelBuilder model =
        with({float_tensor("boxes", given.shape, given.boxes),
              float_tensor("scores", {1, 1, int64_t(given.scores.size())}, given.scores),
              int64_tensor("most", {int64_t(given.most.size())}, given.most), float_tensor("threshold", {1}, {given.threshold}),
              float_tensor("least", {}, {given.least.value_or(0)}), int64_tensor("all", {1}, {-1}),
              int64_tensor("column", {1}, {whole ? 0 : 2})});
    std::vector<std::string> inputs = {"boxes", "scores", "most", "threshold"};
    if (given.least)
        inputs.push_back("least");
    model.node("NonMaxSuppression", inputs, {"found"}, given.attributes, "n");
    model.initializer(int64_tensor("end", {1}, {3})).initializer(int64_tensor("axis", {1}, {1}));
    return dims_from(model.node("Slice", {"found", "column", "end", "axis"}, {"part"}).node("Reshape", {"part", "all"}, {"v"}),
                     "v");
}

TEST(Host, NonMaxSuppressionTakesTheGreatestScoresFirst)
{
    EXPECT_TRUE(gives(taken({}), {1, 3, 2})) << "box 0 overlaps box 1, and of equal scores the first comes first";
    EXPECT_TRUE(gives(taken({}, true), {0, 0, 1, 0, 0, 3, 0, 0, 2})) << "batch, class and box";
    EXPECT_TRUE(gives(taken({.threshold = 0.625f}), {1, 3, 0, 2}));
    EXPECT_TRUE(gives(taken({.most = {2}}), {1, 3}));
    EXPECT_TRUE(gives(taken({.most = {0}}), {}));
    EXPECT_TRUE(gives(taken({.least = 0.25f}), {1, 3})) << "a score must be above";
    EXPECT_TRUE(gives(taken({.scores = {NAN, 0.75f, NAN, -INFINITY}}), {1, 3})) << "NaN is never taken";
    // The numbers are centres and extents now: box 1 lies within box 0.
    EXPECT_TRUE(gives(taken({.shape = {1, 2, 4},
                             .boxes = {5, 5, 4, 4, 5, 5, 3, 4},
                             .scores = {1, 2},
                             .attributes = {int_attribute("center_point_box", 1)}}),
                      {1}));
    // Boxes without an area overlap nothing.
    EXPECT_TRUE(gives(taken({.shape = {1, 2, 4}, .boxes = {0, 0, 0, 1, 0, 0, 0, 1}, .scores = {1, 2}, .threshold = 0}), {1, 0}));
}

TEST(Host, NonMaxSuppressionRefusesInOneSentence)
{
    EXPECT_TRUE(invalid(taken({.threshold = 1.5f}), "node 'n': NonMaxSuppression: iou_threshold = 1.500000 must be in [0, 1]"));
    EXPECT_TRUE(
        invalid(taken({.most = {1, 2}}), "NonMaxSuppression: max_output_boxes_per_class is int64[2], expected one int64"));
    EXPECT_TRUE(invalid(taken({.shape = {4, 4}}),
                        "NonMaxSuppression: boxes is float[4,4], expected float with the dimensions (batches, boxes, 4)"));
    EXPECT_TRUE(invalid(taken({.scores = {1, 2}}),
                        "NonMaxSuppression: scores is float[1,1,2], expected float with the dimensions (1, "
                        "classes, 4), as boxes has"));
    EXPECT_TRUE(invalid(taken({.attributes = {int_attribute("center_point_box", 2)}}),
                        "NonMaxSuppression: center_point_box = 2 must be 0 or 1"));
}

TEST(Host, SizeCountsWithoutElements)
{
    EXPECT_TRUE(gives(
        dims_from(with({int64_tensor("flat", {1}, {-1})}).node("Size", {"X"}, {"n"}).node("Reshape", {"n", "flat"}, {"v"}), "v"),
        {12}));
}

TEST(Host, ConstantOfShapeIsZeroOrItsValue)
{
    const auto nodes =
        explain_file(with({int64_tensor("s", {2}, {2, 3})})
                         .node("ConstantOfShape", {"s"}, {"Y"}, {tensor_attribute("value", int64_tensor("", {1}, {7}))})
                         .output("Y")
                         .build());
    ASSERT_TRUE(accepted(nodes));
    EXPECT_EQ(to_string(nodes->front().explanation.outputs.front()), "int64[2,3]");
    EXPECT_TRUE(
        invalid(dims_from(with({int64_tensor("s", {1}, {-2})}), "s"), "ConstantOfShape: input[0] = -2 must be at least 0"));
    EXPECT_TRUE(unsupported(dims_from(with({int64_tensor("s", {2}, {1 << 20, 1 << 20})}), "s"),
                            "ConstantOfShape: its output float[1048576,1048576] has 4398046511104 bytes, above what is left"));
}

TEST(Host, WhatIsKnownOnlyWhenRunningIsRefused)
{
    EXPECT_TRUE(unsupported(
        explain_file(with({}).node("ConstantOfShape", {"X"}, {"Y"}, {}, "e").output("Y").build()),
        "node 'e': ConstantOfShape: input 'X' is known only when running; supported are an initializer, a Constant, an input "
        "with NamedDesc::value, the result of a Shape, and what is computed from these"));
}

// Without a limit each node in a row of such nodes could have twice the rank of the one before.
TEST(Host, RanksStayBelowWhatIsSupported)
{
    const auto gather = [](size_t data, size_t indices) {
        ModelBuilder builder;
        builder.opset(13)
            .input("X", DType::float32, std::vector<kit::Dim>(data, 1))
            .input("i", DType::int64, std::vector<kit::Dim>(indices, 1))
            .node("Gather", {"X", "i"}, {"Y"}, {}, "g")
            .output("Y");
        return explain_file(builder.build());
    };
    EXPECT_TRUE(accepted(gather(40, 25)));
    EXPECT_TRUE(invalid(gather(40, 26), "node 'g': Gather: its output has rank 65, at most 64 is supported"));
}

// ---- inputs that are lists

ModelBuilder sliced()
{
    ModelBuilder builder;
    builder.opset(13)
        .input("X", DType::float32, {2, 6})
        .input("starts", DType::int64, {1})
        .input("ends", DType::int32, {1})
        .node("Slice", {"X", "starts", "ends"}, {"Y"}, {}, "s")
        .output("Y");
    return builder;
}

HostTensor integers(const std::vector<int64_t>& values)
{
    HostTensor tensor;
    tensor.desc = {DType::int64, {int64_t(values.size())}};
    const auto bytes = std::as_bytes(std::span(values));
    tensor.data.assign(bytes.begin(), bytes.end());
    return tensor;
}

HostTensor narrow(const std::vector<int32_t>& values)
{
    HostTensor tensor;
    tensor.desc = {DType::int32, {int64_t(values.size())}};
    const auto bytes = std::as_bytes(std::span(values));
    tensor.data.assign(bytes.begin(), bytes.end());
    return tensor;
}

// The members are set one by one, because GCC 12 sees uninitialized memory in nested braces.
NamedDesc known(const std::string& name, DType dtype, const HostTensor& value)
{
    NamedDesc named;
    named.name = name;
    named.desc.dtype = dtype;
    named.desc.dims = {1};
    named.value = value;
    return named;
}

TEST(Lists, InputsThatDecideDimensionsAreTold)
{
    const Result<Model> model = parse(sliced().build());
    ASSERT_TRUE(accepted(model));
    EXPECT_FALSE(model->inputs()[0].decides_dimensions);
    EXPECT_TRUE(model->inputs()[1].decides_dimensions);
    EXPECT_TRUE(model->inputs()[2].decides_dimensions);
    // An input decides dimensions through what computes the list, but not through a Shape.
    ModelBuilder builder;
    builder.opset(17)
        .input("X", DType::float32, {2, 6})
        .input("n", DType::int64, {1})
        .input("Z", DType::float32, {2, 6})
        .node("Shape", {"Z"}, {"z"})
        .node("Mul", {"n", "z"}, {"s"})
        .node("Reshape", {"X", "s"}, {"Y"})
        .output("Y");
    const Result<Model> chain = parse(builder.build());
    ASSERT_TRUE(accepted(chain));
    EXPECT_FALSE(chain->inputs()[0].decides_dimensions);
    EXPECT_TRUE(chain->inputs()[1].decides_dimensions);
    EXPECT_FALSE(chain->inputs()[2].decides_dimensions);
}

TEST(Lists, AreTakenFromInputsThatAreKnown)
{
    const auto with = [](const std::vector<NamedDesc>& inputs) { return explain_file(sliced().build(), inputs); };
    const auto taken = with({known("starts", DType::int64, integers({1})), known("ends", DType::int32, narrow({9}))});
    ASSERT_TRUE(accepted(taken));
    EXPECT_EQ(taken->front().explanation.outputs.front().dims, (Dims{1, 6}));
    EXPECT_EQ(taken->front().inputs, (Names{"X", "starts", "ends"}));
    EXPECT_TRUE(unsupported(with({}), "node 's': Slice: ends ('ends') is known only when running"));
    EXPECT_TRUE(invalid(with({known("starts", DType::int64, integers({1, 2}))}),
                        "input 'starts': its value is int64[2], but it is described as int64[1]"));
    HostTensor cut = integers({1});
    cut.data.pop_back();
    EXPECT_TRUE(invalid(with({known("starts", DType::int64, cut)}), "input 'starts': its value has 7 bytes, int64[1] needs 8"));
}

// The axis of CumSum is a number, which may also be a list of one.
TEST(Lists, NumbersAreTakenFromInputsThatAreKnown)
{
    const auto with_axis = [](const std::string& axis) {
        return explain_file(with({axis}, 14).node("CumSum", {"X", "axis"}, {"Y"}, {}, "c").output("Y").build());
    };
    const auto equation = [&](const std::string& axis) {
        const auto nodes = with_axis(axis);
        EXPECT_TRUE(accepted(nodes));
        return nodes ? nodes->front().explanation.equation : std::string();
    };
    EXPECT_EQ(equation(int64_tensor("axis", {}, {-1})), "ONNX CumSum-14: y = sum of x along axis 2 up to each element");
    EXPECT_EQ(equation(int64_tensor("axis", {1}, {1})), "ONNX CumSum-14: y = sum of x along axis 1 up to each element");
    EXPECT_TRUE(
        invalid(with_axis(int64_tensor("axis", {2}, {0, 1})), "node 'c': CumSum: axis ('axis') has 2 elements, expected one"));
    EXPECT_TRUE(invalid(with_axis(float_tensor("axis", {}, {1})),
                        "node 'c': CumSum: axis ('axis') is float[], expected int64 with one dimension"));
    EXPECT_TRUE(invalid(with_axis(int64_tensor("axis", {}, {3})), "node 'c': CumSum: axis = 3 must be in [-3, 2] for rank 3"));
}

// Strings have no bytes.
TEST(Lists, StringsAreKnownByTheirCount)
{
    ModelBuilder builder;
    builder.opset(19).input("A", DType::string, {1}).input("B", DType::string, {1}).node("Equal", {"A", "B"}, {"Y"}, {}, "e");
    builder.output("Y");
    HostTensor word;
    word.desc.dtype = DType::string;
    word.desc.dims = {1};
    word.strings = {"a"};
    const auto with = [&] {
        return explain_file(builder.build(), {known("A", DType::string, word), known("B", DType::string, word)});
    };
    EXPECT_TRUE(unsupported(with(), "node 'e': Equal: A has type string, which is not compared"));
    word.strings.push_back("b");
    EXPECT_TRUE(invalid(with(), "input 'A': its value has 2 strings, string[1] needs 1"));
}

TEST(Lists, HolesKeepTheirPlaces)
{
    const auto pads = explain_file(with({int64_tensor("pads", {2}, {1, 2}), int64_tensor("axes", {1}, {-1})}, 18)
                                       .node("Pad", {"X", "pads", "", "axes"}, {"Y"}, {}, "p")
                                       .output("Y")
                                       .build());
    ASSERT_TRUE(accepted(pads));
    EXPECT_EQ(pads->front().explanation.outputs.front().dims, (Dims{1, 2, 9}));
    const auto steps = explain_file(with({int64_tensor("a", {1}, {0}), int64_tensor("b", {1}, {1}), int64_tensor("c", {1}, {-1})})
                                        .node("Slice", {"X", "a", "b", "", "c"}, {"Y"}, {}, "s")
                                        .output("Y")
                                        .build());
    ASSERT_TRUE(accepted(steps));
    EXPECT_EQ(steps->front().explanation.outputs.front().dims, (Dims{0, 2, 6})) << "from 0 back to 1 there is nothing";
    EXPECT_TRUE(invalid(
        explain_file(with({float_tensor("pads", {2}, {1, 2})}).node("Pad", {"X", "pads"}, {"Y"}, {}, "p").output("Y").build()),
        "node 'p': Pad: pads ('pads') is float[2], expected int64 with one dimension"));
}

TEST(Lists, SplitHasAsManyOutputsAsTheNode)
{
    const auto nodes =
        explain_file(with({}, 13).node("Split", {"X"}, {"a", "", "c"}, {int_attribute("axis", 2)}, "s").output("c").build());
    ASSERT_TRUE(accepted(nodes));
    EXPECT_EQ(nodes->front().explanation.outputs.size(), 3u);
    EXPECT_EQ(nodes->front().explanation.outputs[2].dims, (Dims{1, 2, 2}));
}

// Scales, sizes and roi are inputs in ONNX, at other places in version 10, and each may be left out.
TEST(Host, ResizeTakesItsListsFromKnownInputs)
{
    const auto floats = [](const std::string& name, const std::vector<float>& values) {
        return tensor(name, DType::float32, {int64_t(values.size())}, values);
    };
    const auto dims = [](const Result<std::vector<NodeReport>>& nodes) {
        return nodes ? Result(nodes->back().explanation.outputs.front().dims) : nodes.status();
    };
    const auto resized = [&](const std::vector<std::string>& initializers, const std::vector<std::string>& inputs, int64_t opset,
                             const std::vector<std::string>& attributes = {}) {
        return dims(explain_file(with(initializers, opset).node("Resize", inputs, {"Y"}, attributes, "up").output("Y").build()));
    };
    EXPECT_TRUE(gives(resized({floats("s", {1, 2, 1.5f})}, {"X", "s"}, 10), {1, 4, 9}));
    EXPECT_TRUE(gives(resized({floats("s", {1, 2, 1.5f})}, {"X", "", "s"}, 19), {1, 4, 9}));
    EXPECT_TRUE(
        gives(resized({floats("none", {}), int64_tensor("n", {3}, {1, 3, 5})}, {"X", "none", "none", "n"}, 11), {1, 3, 5}));
    EXPECT_TRUE(gives(resized({int64_tensor("n", {1}, {5})}, {"X", "", "", "n"}, 18, {ints_attribute("axes", {-1})}), {1, 2, 5}));
    EXPECT_EQ(resized({int64_tensor("n", {3}, {1, 2, 2})}, {"X", "", "n"}, 19).message(),
              "node 'up': Resize: scales ('n') is int64[3], expected float with one dimension");
}

}  // namespace
}  // namespace vkonnx::onnx
