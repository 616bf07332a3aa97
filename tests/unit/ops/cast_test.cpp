#include "expect.h"

namespace vkonnx::ops {

namespace {

Cast to(DType dtype)
{
    return {.to = int64_t(dtype)};
}

std::vector<TensorDesc> matrix_of(DType dtype)
{
    return {{dtype, {2, 3}}};
}

}  // namespace

TEST(CastOps, TheOutputHasTheTypeAskedForAndAllElseOfTheInput)
{
    const std::vector<TensorDesc> input = {{DType::float32, {2, 0, 3}, Layout::nxc}};
    const auto geometry = resolve(to(DType::int8), input);
    ASSERT_TRUE(geometry) << geometry.message();
    EXPECT_EQ(geometry->from, DType::float32);
    EXPECT_EQ(output_of(*geometry), (TensorDesc{DType::int8, {2, 0, 3}, Layout::nxc}));
    EXPECT_EQ(geometry->equation, "ONNX Cast-28: float to int8");
    EXPECT_EQ(resolve(Cast{.opset = 8, .to = 6}, matrix_of(DType::float16))->equation, "ONNX Cast-6: float16 to int32");
}

TEST(CastOps, EveryVersionTakesItsTypes)
{
    for (const int64_t opset : {6, 9, 13, 19, 21, 23, 24, 25, 28})
        for (int number = 0; number <= int(DType::int2); ++number) {
            const DType dtype = DType(number);
            const bool is_float8 = dtype >= DType::float8e4m3fn && dtype <= DType::float8e5m2fnuz;
            const bool known =
                (number >= 1 && number <= 13 && dtype != DType::string) || (dtype == DType::bfloat16 && opset >= 13) ||
                (is_float8 && opset >= 19) || (dtype == DType::float8e8m0 && opset >= 24) ||
                ((dtype == DType::uint4 || dtype == DType::int4) && opset >= 21) || (dtype == DType::float4e2m1 && opset >= 23) ||
                ((dtype == DType::uint2 || dtype == DType::int2) && opset >= 25);
            EXPECT_EQ(resolve(Cast{.opset = opset, .to = 1}, matrix_of(dtype)).ok(), known) << opset << " " << name(dtype);
            EXPECT_EQ(resolve(Cast{.opset = opset, .to = number}, matrix_of(DType::float32)).ok(), known)
                << opset << " " << name(dtype);
        }
}

TEST(CastOps, Refusals)
{
    const std::vector<Refusal<Cast>> rows = {
        {{}, matrix_of(DType::float32), "Cast: to = 0 must be the number of a type, 1 to 26"},
        {{.to = 27}, matrix_of(DType::float32), "Cast: to = 27 must be the number of a type, 1 to 26"},
        {{.to = 14}, matrix_of(DType::float32), "Cast: output has type complex64, which no version of the operator accepts"},
        {{.opset = 12, .to = 16},
         matrix_of(DType::float32),
         "Cast: output has type bfloat16, which exists from version 13, and opset 12 means version 9"},
        {{.opset = 18, .to = 17},
         matrix_of(DType::float32),
         "Cast: output has type float8e4m3fn, which exists from version 19, and opset 18 means version 13"},
        {{.opset = 18, .to = 1, .saturate = 0},
         matrix_of(DType::float32),
         "Cast: saturate must not be given: it exists from version 19, and opset 18 means version 13"},
        {{.to = 1, .saturate = 2}, matrix_of(DType::float32), "Cast: saturate = 2 must be 0 or 1"},
        {{.opset = 23, .to = 1, .round_mode = RoundMode::down},
         matrix_of(DType::float32),
         "Cast: round_mode must not be given: it exists from version 24, and opset 23 means version 23"},
        {{.to = 1, .round_mode = RoundMode(3)}, matrix_of(DType::float32), "Cast: round_mode = 3 must be one of RoundMode"},
        {{.opset = 0, .to = 1}, matrix_of(DType::float32), "Cast: opset = 0 must be at least 1"},
        {to(DType::int8), {}, "Cast: expects 1 input, but 0 are given"},
        {to(DType::int8), matrix_of(DType::undefined),
         "Cast: input is not given (DType::undefined), but it is no optional input"},
        {to(DType::int8), {{DType::float32, {2, -1}}}, "Cast: input.dims[1] = -1 must be at least 0"},
    };
    for (const Refusal<Cast>& refusal : rows)
        expect_refused(refusal);
    std::vector<Refusal<Cast>> unsupported = {
        {{.opset = 5, .to = 1},
         matrix_of(DType::float32),
         "Cast: opset = 5 must be at least 6: version 1, where `to` is a word, is not supported"},
        {{.to = 8},
         matrix_of(DType::float32),
         "Cast: output has type string, which is not supported: bool, floats of 4 to 64 bits and integers of 2 to 64 bits are"},
        {{.to = 1},
         matrix_of(DType::string),
         "Cast: input has type string, which is not supported: bool, floats of 4 to 64 bits and integers of 2 to 64 bits are"},
    };
    for (Refusal<Cast>& refusal : unsupported) {
        refusal.code = Code::unsupported;
        expect_refused(refusal);
    }
}

}  // namespace vkonnx::ops
