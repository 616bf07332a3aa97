#include "expect.h"

namespace vkonnx::ops {

namespace {

template <class Attributes>
ReductionGeometry resolved(const Attributes& attributes, const TensorDesc& input)
{
    const auto geometry = resolve(attributes, std::vector{input});
    EXPECT_TRUE(geometry) << geometry.message();
    return geometry ? *geometry : ReductionGeometry();
}

template <class Attributes>
Attributes along(Dims axes, int64_t opset = newest_opset)
{
    Attributes attributes;
    attributes.axes = std::move(axes);
    attributes.opset = opset;
    return attributes;
}

template <class Attributes>
Dims dims_of(const Attributes& attributes, Dims dims)
{
    return resolved(attributes, f32(std::move(dims))).output.dims;
}

}  // namespace

TEST(ReductionOps, AxesBecomeOneOrAreLeftOut)
{
    EXPECT_EQ(dims_of(ReduceSum{}, {3, 5, 7}), (Dims{1, 1, 1}));
    EXPECT_EQ(dims_of(ReduceSum{.keepdims = 0}, {3, 5, 7}), (Dims{}));
    EXPECT_EQ(dims_of(ReduceMean{.axes = {1}}, {3, 5, 7}), (Dims{3, 1, 7}));
    EXPECT_EQ(dims_of(ReduceMean{.axes = {1}, .keepdims = 0}, {3, 5, 7}), (Dims{3, 7}));
    EXPECT_EQ(dims_of(ReduceMean{.axes = {-1, 0}, .keepdims = 1}, {3, 5, 7}), (Dims{1, 5, 1}));
    EXPECT_EQ(dims_of(ReduceSum{.axes = {2, -1, 2}, .keepdims = 0}, {3, 5, 7}), (Dims{3, 5})) << "named thrice";
    EXPECT_EQ(dims_of(ReduceSum{.noop_with_empty_axes = 1}, {3, 5}), (Dims{3, 5}));
    EXPECT_EQ(dims_of(ReduceSum{.keepdims = 0, .noop_with_empty_axes = 1}, {3, 5}), (Dims{3, 5}));
    EXPECT_EQ(dims_of(ReduceSum{.axes = {0}, .noop_with_empty_axes = 1}, {3, 5}), (Dims{1, 5}));
    EXPECT_EQ(dims_of(ReduceSum{.noop_with_empty_axes = 0}, {3, 5}), (Dims{1, 1}));
    EXPECT_EQ(dims_of(ReduceSum{}, {}), (Dims{}));
    EXPECT_EQ(dims_of(ReduceSum{.axes = {1}}, {3, 0, 7}), (Dims{3, 1, 7}));
}

TEST(ReductionOps, GlobalAveragePoolReducesSpatialAxes)
{
    EXPECT_EQ(dims_of(GlobalAveragePool{}, {2, 3, 5, 7}), (Dims{2, 3, 1, 1}));
    EXPECT_EQ(dims_of(GlobalAveragePool{}, {2, 3, 5, 7, 1, 2, 3, 4, 5}), (Dims{2, 3, 1, 1, 1, 1, 1, 1, 1}));
    TensorDesc last = f32({2, 5, 7, 3});
    last.layout = Layout::nxc;
    const ReductionGeometry geometry = resolved(GlobalAveragePool{}, last);
    EXPECT_EQ(geometry.output, (TensorDesc{DType::float32, {2, 1, 1, 3}, Layout::nxc}));
    EXPECT_EQ(geometry.equation, "ONNX GlobalAveragePool-22: Y = mean of X along axes 1, 2");
}

TEST(ReductionOps, GlobalMaxPoolTakesTheGreatest)
{
    const ReductionGeometry geometry = resolved(GlobalMaxPool{}, {DType::float16, {2, 5, 7, 3}, Layout::nxc});
    EXPECT_EQ(geometry.kind, ReductionKind::max);
    EXPECT_TRUE(geometry.skips_nans);
    EXPECT_EQ(geometry.output, (TensorDesc{DType::float16, {2, 1, 1, 3}, Layout::nxc}));
    EXPECT_EQ(geometry.equation, "ONNX GlobalMaxPool-22: Y = greatest of X along axes 1, 2");
    refused(GlobalMaxPool{}, {{DType::int8, {2, 3, 4}}},
            "GlobalMaxPool: X has type int8, which no version of the operator accepts");
    refused(GlobalMaxPool{.opset = 21}, {{DType::bfloat16, {2, 3, 4}}},
            "GlobalMaxPool: X has type bfloat16, which exists from version 22, and opset 21 means version 1");
    refused(GlobalMaxPool{}, {f32({2, 3})}, "GlobalMaxPool: X has rank 2, but at least 3 is expected: N, C and spatial axes");
}

// The documents allow negative axes from version 11 on, but every version takes them.
TEST(ReductionOps, TakesNegativeAxesInEveryVersion)
{
    for (const int64_t opset : {1, 7, 10, 11, 13, 18, 28}) {
        EXPECT_EQ(resolved(along<ReduceMean>({-1}, opset), f32({3, 5})).output.dims, (Dims{3, 1}));
        EXPECT_EQ(resolved(along<ReduceSum>({-2}, opset), f32({3, 5})).output.dims, (Dims{1, 5}));
        EXPECT_EQ(resolved(along<ReduceMax>({-2, -1}, opset), f32({3, 5})).output.dims, (Dims{1, 1}));
    }
}

TEST(ReductionOps, TellsWhatIsReduced)
{
    const auto equation_of = [](const auto& op) { return resolved(op, f32({3, 5, 7})).equation; };
    EXPECT_EQ(equation_of(ReduceMax{.axes = {1}}), "ONNX ReduceMax-20: reduced = greatest of data along axes 1");
    EXPECT_EQ(equation_of(ReduceMin{.opset = 12}), "ONNX ReduceMin-12: reduced = least of data along axes 0, 1, 2");
    EXPECT_EQ(equation_of(ReduceProd{}), "ONNX ReduceProd-18: reduced = product of data along axes 0, 1, 2");
    EXPECT_EQ(equation_of(ReduceL1{.axes = {1}}), "ONNX ReduceL1-18: reduced = sum of |data| along axes 1");
    EXPECT_EQ(equation_of(ReduceL2{.axes = {1}}), "ONNX ReduceL2-18: reduced = square root of the sum of data^2 along axes 1");
    EXPECT_EQ(equation_of(ReduceSumSquare{.axes = {1}}), "ONNX ReduceSumSquare-18: reduced = sum of data^2 along axes 1");
    EXPECT_EQ(equation_of(ReduceLogSum{.axes = {1}}),
              "ONNX ReduceLogSum-28: reduced = logarithm of the sum of data along axes 1");
    EXPECT_EQ(equation_of(ReduceLogSumExp{.opset = 27, .noop_with_empty_axes = 1}),
              "ONNX ReduceLogSumExp-18: reduced = logarithm of the sum of e^data along no axis");
    EXPECT_EQ(resolved(ReduceMean{.opset = 13, .axes = {2, 0}}, f32({3, 5, 7})).equation,
              "ONNX ReduceMean-13: reduced = mean of data along axes 0, 2");
    EXPECT_EQ(resolved(ReduceSum{.noop_with_empty_axes = 1}, f32({3})).equation,
              "ONNX ReduceSum-13: reduced = sum of data along no axis");
}

TEST(ArgExtremeOps, TheAxisBecomesOneOrIsLeftOut)
{
    const auto resolved = [](const auto& op, TensorDesc data) {
        const auto geometry = resolve(op, std::vector{std::move(data)});
        EXPECT_TRUE(geometry) << geometry.message();
        return geometry ? *geometry : ArgExtremeGeometry();
    };
    const auto output = [&](const auto& op, Dims dims) { return resolved(op, f32(std::move(dims))).output; };
    EXPECT_EQ(output(ArgMax{}, {3, 5, 7}), (TensorDesc{DType::int64, {1, 5, 7}}));
    EXPECT_EQ(output(ArgMin{.axis = -2, .keepdims = 0}, {3, 5, 7}), (TensorDesc{DType::int64, {3, 7}}));
    EXPECT_EQ(output(ArgMax{.axis = 2, .keepdims = 1}, {3, 5, 7}), (TensorDesc{DType::int64, {3, 5, 1}}));
    EXPECT_EQ(output(ArgMax{.keepdims = 0}, {3}), (TensorDesc{DType::int64, {}}));
    EXPECT_EQ(output(ArgMax{}, {3, 0}), (TensorDesc{DType::int64, {1, 0}}));
    EXPECT_EQ(output(ArgMax{.axis = 1}, {0, 0}), (TensorDesc{DType::int64, {0, 1}})) << "of nothing, but there is no output";
    for (const int64_t opset : {1, 10, 11, 12, 13})
        EXPECT_EQ(output(ArgMax{.opset = opset, .axis = -1}, {3, 5}).dims, (Dims{3, 1})) << "negative in every version";
    const ArgExtremeGeometry geometry =
        resolved(ArgMin{.axis = 1, .select_last_index = 1}, {DType::uint16, {3, 5, 7, 2}, Layout::nxc});
    EXPECT_EQ(geometry.output, (TensorDesc{DType::int64, {3, 1, 7, 2}, Layout::nxc}));
    EXPECT_EQ(geometry.outer, 3);
    EXPECT_EQ(geometry.extent, 5);
    EXPECT_EQ(geometry.inner, 14);
    EXPECT_TRUE(geometry.least && geometry.last);
    EXPECT_EQ(geometry.equation, "ONNX ArgMin-13: reduced = where along axis 1 the last of the least elements of data is");
    EXPECT_EQ(resolved(ArgMax{.opset = 11}, f32({3})).equation,
              "ONNX ArgMax-11: reduced = where along axis 0 the first of the greatest elements of data is");
}

TEST(ArgExtremeOps, RefusesInOneSentence)
{
    const std::vector<TensorDesc> data = {f32({3, 5})};
    refused(ArgMax{.axis = 2}, data, "ArgMax: axis = 2 must be in [-2, 1] for rank 2");
    refused(ArgMin{.axis = -3}, data, "ArgMin: axis = -3 must be in [-2, 1] for rank 2");
    refused(ArgMax{}, {f32({})}, "ArgMax: axis = 0 names an axis, but the input has none");
    refused(ArgMax{.keepdims = 2}, data, "ArgMax: keepdims = 2 must be 0 or 1");
    refused(ArgMin{.select_last_index = -1}, data, "ArgMin: select_last_index = -1 must be 0 or 1");
    refused(ArgMax{.opset = 11, .select_last_index = 0}, data,
            "ArgMax: select_last_index must not be given: it exists from version 12, and opset 11 means version 11");
    refused(ArgMin{}, {data[0], data[0]}, "ArgMin: expects 1 input, but 2 are given");
    refused(ArgMax{}, {{DType::boolean, {3}}}, "ArgMax: data has type bool, which no version of the operator accepts");
    refused(ArgMax{.opset = 12}, {{DType::bfloat16, {3}}},
            "ArgMax: data has type bfloat16, which exists from version 13, and opset 12 means version 12");
    refused(ArgMax{}, {f32({3, -1})}, "ArgMax: data.dims[1] = -1 must be at least 0");
    refused(ArgMin{}, {{DType::float32, {3}, Layout(7)}}, "ArgMin: data.layout = 7 must be NCX or NXC");
    refused(ArgMax{.axis = 1}, {f32({3, 0})}, "ArgMax: data.dims[1] = 0 must be at least 1: of no elements none is the greatest");
    refused(ArgMin{.keepdims = 0}, {f32({0})}, "ArgMin: data.dims[0] = 0 must be at least 1: of no elements none is the least");
    refused(ArgMax{}, {f32({0, huge, 2})}, "ArgMax: reduced = int64[1,9223372036854775807,2] has more than 2^63 - 1 elements",
            Code::unsupported);
}

TEST(TopKOps, BothOutputsHaveKElementsAlongTheAxis)
{
    const auto resolved = [](const TopK& op, TensorDesc x) {
        const Result<TopKGeometry> geometry = resolve(op, std::vector{std::move(x)});
        EXPECT_TRUE(geometry) << geometry.status().message();
        return geometry ? *geometry : TopKGeometry();
    };
    const TopKGeometry geometry = resolved({.k = 2, .axis = -3, .largest = 0}, {DType::float16, {3, 5, 7, 2}, Layout::nxc});
    const std::vector<TensorDesc> outputs = {{DType::float16, {3, 2, 7, 2}, Layout::nxc},
                                             {DType::int64, {3, 2, 7, 2}, Layout::nxc}};
    EXPECT_EQ(outputs_of(geometry), outputs);
    EXPECT_EQ(geometry.outer, 3);
    EXPECT_EQ(geometry.extent, 5);
    EXPECT_EQ(geometry.inner, 14);
    EXPECT_EQ(geometry.kept, 2);
    EXPECT_TRUE(geometry.least);
    EXPECT_EQ(geometry.equation, "ONNX TopK-24: Values = the 2 least elements of X along axis 1, Indices = where they are");
    const TopKGeometry values = resolved({.opset = 9, .k = 0, .outputs = 1}, f32({3, 4}));
    EXPECT_EQ(outputs_of(values), std::vector{f32({3, 0})});
    EXPECT_EQ(values.equation, "ONNX TopK-1: Values = the 0 greatest elements of X along axis 1");
}

TEST(TopKOps, RefusesInOneSentence)
{
    const std::vector<TensorDesc> x = {f32({3, 5})};
    refused(TopK{}, x, "TopK: k is required");
    refused(TopK{.k = 6}, x, "TopK: k = 6 must be from 0 to 5, the extent of axis 1 of X");
    refused(TopK{.k = -1, .axis = 0}, x, "TopK: k = -1 must be from 0 to 3, the extent of axis 0 of X");
    refused(TopK{.k = 1, .axis = 2}, x, "TopK: axis = 2 must be in [-2, 1] for rank 2");
    refused(TopK{.k = 1}, {f32({})}, "TopK: axis = -1 names an axis, but the input has none");
    refused(TopK{.k = 1, .largest = 2}, x, "TopK: largest = 2 must be 0 or 1");
    refused(TopK{.k = 1, .sorted = -1}, x, "TopK: sorted = -1 must be 0 or 1");
    refused(TopK{.k = 1, .outputs = 3}, x, "TopK: outputs = 3 must be 1 or 2");
    refused(TopK{.k = 1, .outputs = 0}, x, "TopK: outputs = 0 must be 1 or 2");
    refused(TopK{.opset = 10, .k = 1, .largest = 0}, x,
            "TopK: largest must not be given: it exists from version 11, and opset 10 means version 10");
    refused(TopK{.k = 1}, {x[0], x[0]}, "TopK: expects 1 input, but 2 are given");
    refused(TopK{.k = 1}, {{DType::boolean, {3}}}, "TopK: X has type bool, which no version of the operator accepts");
    refused(TopK{.opset = 10, .k = 1}, {{DType::int32, {3}}},
            "TopK: X has type int32, which exists from version 11, and opset 10 means version 10");
    refused(TopK{.k = 1}, {f32({3, -1})}, "TopK: X.dims[1] = -1 must be at least 0");
    refused(TopK{.k = 1}, {{DType::float32, {3}, Layout(7)}}, "TopK: X.layout = 7 must be NCX or NXC");
}

TEST(CumSumOps, HasTheDimensionsOfItsInput)
{
    const auto resolved = [](const CumSum& op, TensorDesc x) {
        const auto geometry = resolve(op, std::vector{std::move(x)});
        EXPECT_TRUE(geometry) << geometry.message();
        return geometry ? *geometry : CumSumGeometry();
    };
    const TensorDesc last = {DType::uint64, {2, 3, 5, 7}, Layout::nxc};
    const CumSumGeometry geometry = resolved({.axis = -3, .exclusive = 1, .reverse = 1}, last);
    EXPECT_EQ(geometry.output, last);
    EXPECT_EQ(geometry.outer, 2);
    EXPECT_EQ(geometry.extent, 3);
    EXPECT_EQ(geometry.inner, 35);
    EXPECT_TRUE(geometry.exclusive && geometry.reverse);
    EXPECT_EQ(geometry.equation, "ONNX CumSum-14: y = sum of x along axis 1 from the back up to each element, without it");
    EXPECT_EQ(resolved({.opset = 13, .axis = 0}, f32({3})).equation,
              "ONNX CumSum-11: y = sum of x along axis 0 up to each element");
    EXPECT_EQ(resolved({.axis = 1}, f32({3, 0})).output, f32({3, 0}));
    for (const DType dtype : {DType::float32, DType::float64, DType::int32, DType::int64, DType::uint32, DType::uint64})
        EXPECT_EQ(resolved({.opset = 11, .axis = 0}, {dtype, {3}}).output.dtype, dtype);
    for (const DType dtype : {DType::float16, DType::bfloat16})
        EXPECT_EQ(resolved({.opset = 14, .axis = 0}, {dtype, {3}}).output.dtype, dtype);
}

TEST(CumSumOps, RefusesInOneSentence)
{
    const std::vector<TensorDesc> x = {f32({3, 5})};
    refused(CumSum{}, x, "CumSum: axis is required");
    refused(CumSum{.axis = 2}, x, "CumSum: axis = 2 must be in [-2, 1] for rank 2");
    refused(CumSum{.axis = 0}, {f32({})}, "CumSum: axis = 0 names an axis, but the input has none");
    refused(CumSum{.axis = 0, .exclusive = 2}, x, "CumSum: exclusive = 2 must be 0 or 1");
    refused(CumSum{.axis = 0, .reverse = -1}, x, "CumSum: reverse = -1 must be 0 or 1");
    refused(CumSum{.axis = 0}, {x[0], x[0]}, "CumSum: expects 1 input, but 2 are given");
    refused(CumSum{.axis = 0}, {{DType::int8, {3}}}, "CumSum: x has type int8, which no version of the operator accepts");
    refused(CumSum{.opset = 13, .axis = 0}, {{DType::float16, {3}}},
            "CumSum: x has type float16, which exists from version 14, and opset 13 means version 11");
    refused(CumSum{.axis = 0}, {f32({-1})}, "CumSum: x.dims[0] = -1 must be at least 0");
    refused(CumSum{.axis = 0}, {{DType::float32, {3}, Layout(7)}}, "CumSum: x.layout = 7 must be NCX or NXC");
}

TEST(ReductionOps, RefusesWrongAxes)
{
    const std::vector<TensorDesc> data = {f32({3, 5})};
    const std::vector<TensorDesc> scalar = {f32({})};
    refused(along<ReduceSum>({0, 2}), data, "ReduceSum: axes[1] = 2 must be from -2 to 1: data has rank 2");
    refused(along<ReduceMean>({-3}, 10), data, "ReduceMean: axes[0] = -3 must be from -2 to 1: data has rank 2");
    refused(along<ReduceSum>({0}), scalar, "ReduceSum: axes[0] = 0 must not be given: data is a scalar");
}

TEST(ReductionOps, RefusesWrongFlagsAndVersions)
{
    const std::vector<TensorDesc> data = {f32({3, 5})};
    refused(ReduceSum{.keepdims = 2}, data, "ReduceSum: keepdims = 2 must be 0 or 1");
    refused(ReduceSum{.noop_with_empty_axes = -1}, data, "ReduceSum: noop_with_empty_axes = -1 must be 0 or 1");
    refused(ReduceSum{.opset = 12, .noop_with_empty_axes = 0}, data,
            "ReduceSum: noop_with_empty_axes must not be given: it exists from version 13, and opset 12 "
            "means version 11");
    refused(ReduceMean{.opset = 17, .noop_with_empty_axes = 0}, data,
            "ReduceMean: noop_with_empty_axes must not be given: it exists from version 18, and opset 17 "
            "means version 13");
    refused(ReduceMean{.opset = 0}, data, "ReduceMean: opset = 0 must be at least 1");
    refused(GlobalAveragePool{.opset = 0}, data, "GlobalAveragePool: opset = 0 must be at least 1");
}

TEST(ReductionOps, RefusesWrongInputs)
{
    const TensorDesc data = f32({3, 5});
    refused(ReduceSum{}, {data, data}, "ReduceSum: expects 1 input, but 2 are given");
    refused(GlobalAveragePool{}, {}, "GlobalAveragePool: expects 1 input, but 0 are given");
    refused(ReduceSum{}, {{DType::int8, {3}}}, "ReduceSum: data has type int8, which no version of the operator accepts");
    refused(ReduceMean{.opset = 12}, {{DType::bfloat16, {3}}},
            "ReduceMean: data has type bfloat16, which exists from version 13, and opset 12 means version 11");
    refused(GlobalAveragePool{}, {{DType::int32, {2, 3, 4}}},
            "GlobalAveragePool: X has type int32, which no version of the operator accepts");
    refused(GlobalAveragePool{.opset = 21}, {{DType::bfloat16, {2, 3, 4}}},
            "GlobalAveragePool: X has type bfloat16, which exists from version 22, and opset 21 means "
            "version 1");
    for (const DType dtype : {DType::int8, DType::uint8})
        refused(ReduceMax{.opset = 11}, {{dtype, {3}}},
                "ReduceMax: data has type " + std::string(name(dtype)) +
                    ", which exists from version 12, and opset 11 means version 11");
    refused(ReduceMin{.opset = 19}, {{DType::boolean, {3}}},
            "ReduceMin: data has type bool, which exists from version 20, and opset 19 means version 18");
    refused(ReduceProd{}, {{DType::boolean, {3}}}, "ReduceProd: data has type bool, which no version of the operator accepts");
    refused(ReduceL1{}, {{DType::int8, {3}}}, "ReduceL1: data has type int8, which no version of the operator accepts");
    refused(ReduceSumSquare{}, {{DType::uint8, {3}}},
            "ReduceSumSquare: data has type uint8, which no version of the operator accepts");
    refused(ReduceL2{}, {{DType::int16, {3}}}, "ReduceL2: data has type int16, which no version of the operator accepts");
    refused(ReduceLogSum{}, {{DType::float64, {3}}},
            "ReduceLogSum: data has type double, in which there is no such function: float32, float16 and bfloat16 have it",
            Code::unsupported);
    const std::string lacks = ", of which roots and logarithms are not computed: float32, float16 and bfloat16 have them";
    refused(ReduceL2{.opset = 7}, {{DType::int32, {3}}}, "ReduceL2: data has type int32" + lacks, Code::unsupported);
    refused(ReduceLogSum{}, {{DType::uint64, {3}}}, "ReduceLogSum: data has type uint64" + lacks, Code::unsupported);
    refused(ReduceLogSumExp{}, {{DType::int64, {3}}}, "ReduceLogSumExp: data has type int64" + lacks, Code::unsupported);
    refused(GlobalAveragePool{}, {f32({2, 3})},
            "GlobalAveragePool: X has rank 2, but at least 3 is expected: N, C and spatial axes");
    refused(ReduceSum{}, {f32({3, -1})}, "ReduceSum: data.dims[1] = -1 must be at least 0");
    refused(ReduceSum{}, {{DType::float32, {3}, Layout(7)}}, "ReduceSum: data.layout = 7 must be NCX or NXC");
    refused(along<ReduceSum>({0}), {f32({0, huge, 2})},
            "ReduceSum: reduced = float[1,9223372036854775807,2] has more than 2^63 - 1 elements", Code::unsupported);
}

TEST(ReductionOps, TakesTheTypesOfItsVersions)
{
    for (const DType dtype :
         {DType::float32, DType::float64, DType::float16, DType::int32, DType::int64, DType::uint32, DType::uint64})
        for (const int64_t opset : {1, 11, 13, 18}) {
            EXPECT_TRUE(resolve(ReduceMean{.opset = opset}, std::vector<TensorDesc>{{dtype, {3}}}));
            EXPECT_TRUE(resolve(ReduceSum{.opset = opset}, std::vector<TensorDesc>{{dtype, {3}}}));
            EXPECT_TRUE(resolve(ReduceMax{.opset = opset}, std::vector<TensorDesc>{{dtype, {3}}}));
        }
    for (const DType dtype : {DType::int8, DType::uint8})
        EXPECT_TRUE(resolve(ReduceMin{.opset = 12}, std::vector<TensorDesc>{{dtype, {3}}}));
    EXPECT_TRUE(resolve(ReduceMax{.opset = 20}, std::vector<TensorDesc>{{DType::boolean, {3}}}));
    EXPECT_TRUE(resolve(ReduceSum{.opset = 13}, std::vector<TensorDesc>{{DType::bfloat16, {3}}}));
    EXPECT_TRUE(resolve(GlobalAveragePool{.opset = 22}, std::vector<TensorDesc>{{DType::bfloat16, {3, 3, 3}}}));
}

}  // namespace vkonnx::ops
