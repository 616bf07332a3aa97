// This file tests ONNX's ConvTranspose and AveragePool with channels last: dimensions are read, returned and named where they
// lie.
#include "expect.h"

namespace vkonnx::ops {

namespace {

TensorDesc nxc(std::vector<int64_t> dims)
{
    return {DType::float32, std::move(dims), Layout::nxc};
}

TensorDesc ncx(std::vector<int64_t> dims)
{
    return {DType::float32, std::move(dims)};
}

constexpr auto odd_layout = Layout(2);

}  // namespace

TEST(LayoutOps, ConvTransposeFollowsX)
{
    const ConvTranspose attributes = {.strides = {2, 3}, .pads = {1, 0, 0, 2}, .group = 3};
    const TensorDesc w = ncx({6, 4, 3, 2});
    const auto first = resolve(attributes, std::vector<TensorDesc>{ncx({2, 6, 5, 7}), w, ncx({12})});
    ASSERT_TRUE(first.ok()) << first.message();
    EXPECT_EQ(first->layout, Layout::ncx);
    // W and B are read the same way whatever their descriptions say.
    for (const Layout other : {Layout::ncx, Layout::nxc, odd_layout}) {
        const std::vector<TensorDesc> inputs = {
            nxc({2, 5, 7, 6}), {DType::float32, w.dims, other}, {DType::float32, {12}, other}};
        const auto last = resolve(attributes, inputs);
        ASSERT_TRUE(last.ok()) << last.message();
        EXPECT_EQ(last->layout, Layout::nxc);
        EXPECT_EQ(last->filter, onednn::FilterFormat::iox);
        EXPECT_EQ(last->batch, 2);
        EXPECT_EQ(last->channels_in, 6);
        EXPECT_EQ(last->channels_out, 12);
        EXPECT_EQ(last->axes, first->axes);
        EXPECT_EQ(last->equation, first->equation);
        EXPECT_EQ(output_of(*last), nxc({2, 10, 18, 12}));
        EXPECT_EQ(*infer(attributes, inputs), std::vector<TensorDesc>{nxc({2, 10, 18, 12})});
    }
    EXPECT_EQ(output_of(*first), ncx({2, 12, 10, 18}));
}

// `output_shape` is an attribute, not a tensor, so that N and M stand in front of it in either layout.
TEST(LayoutOps, OutputShapeDoesNotFollowX)
{
    const std::vector<TensorDesc> inputs = {nxc({2, 3, 4, 1}), ncx({1, 5, 3, 3})};
    for (const std::vector<int64_t>& output_shape : {std::vector<int64_t>{7, 6}, std::vector<int64_t>{2, 5, 7, 6}}) {
        const auto geometry = resolve(ConvTranspose{.strides = {2, 1}, .output_shape = output_shape}, inputs);
        ASSERT_TRUE(geometry.ok()) << geometry.message();
        EXPECT_EQ(output_of(*geometry), nxc({2, 7, 6, 5}));
    }
    expect_refused(
        Refusal<ConvTranspose>{{.output_shape = {2, 7, 6, 5}}, inputs, "ConvTranspose: output_shape[1] = 7 must equal M = 5"});
}

TEST(LayoutOps, ConvTransposeBlamesTheRightDimension)
{
    using Refused = Refusal<ConvTranspose>;
    const Refused table[] = {
        {{}, {nxc({1, 5, 4}), ncx({3, 3, 2})}, "ConvTranspose: W.dims[0] = 3 must equal X.dims[2] = 4"},
        {{.group = 3}, {nxc({1, 5, 4}), ncx({4, 3, 2})}, "ConvTranspose: X.dims[2] = 4 must be a multiple of group = 3"},
        {{.group = 3}, {nxc({1, 5, 6, 4}), ncx({4, 3, 2, 2})}, "ConvTranspose: X.dims[3] = 4 must be a multiple of group = 3"},
        {{}, {{DType::float32, {1, 5, 4}, odd_layout}, ncx({4, 3, 2})}, "ConvTranspose: X.layout = 2 must be NCX or NXC"},
        {{}, {nxc({5, 4}), ncx({4, 3})}, "ConvTranspose: X has rank 2, but 3 to 8 is expected: N, C and 1 to 6 spatial axes"},
    };
    for (const Refused& refusal : table)
        expect_refused(refusal);
}

TEST(LayoutOps, AveragePoolFollowsX)
{
    const AveragePool attributes = {.kernel_shape = {3, 2}, .strides = {2, 1}, .pads = {1, 0, 0, 1}};
    const auto first = resolve(attributes, std::vector<TensorDesc>{ncx({2, 6, 5, 7})});
    const auto last = resolve(attributes, std::vector<TensorDesc>{nxc({2, 5, 7, 6})});
    ASSERT_TRUE(first.ok()) << first.message();
    ASSERT_TRUE(last.ok()) << last.message();
    EXPECT_EQ(first->layout, Layout::ncx);
    EXPECT_EQ(last->layout, Layout::nxc);
    EXPECT_EQ(last->batch, 2);
    EXPECT_EQ(last->channels, 6);
    EXPECT_EQ(last->axes, first->axes);
    EXPECT_EQ(output_of(*first), ncx({2, 6, 2, 7}));
    EXPECT_EQ(output_of(*last), nxc({2, 2, 7, 6}));
    EXPECT_EQ(*infer(attributes, std::vector<TensorDesc>{nxc({2, 5, 7, 6})}), std::vector<TensorDesc>{nxc({2, 2, 7, 6})});
}

TEST(LayoutOps, AveragePoolChecksItsLayout)
{
    expect_refused(Refusal<AveragePool>{
        {.kernel_shape = {2}}, {{DType::float32, {1, 5, 4}, odd_layout}}, "AveragePool: X.layout = 2 must be NCX or NXC"});
    const int64_t half = huge / 2 + 1;  // 2^62
    expect_refused(Refusal<AveragePool>{{.kernel_shape = {1}},
                                        {nxc({2, half, 2})},
                                        "AveragePool: X = float[2,4611686018427387904,2] NXC has more than 2^63 - 1 elements",
                                        Code::unsupported});
}

TEST(LayoutOps, OneToSixAxes)
{
    for (size_t n = 1; n <= max_spatial_axes; ++n) {
        std::vector<int64_t> dims = {3};
        std::vector<int64_t> kernel;
        std::vector<int64_t> pooled = {3};
        for (size_t i = 0; i < n; ++i) {
            dims.push_back(7);
            kernel.push_back(int64_t(i + 1));
            pooled.push_back(7 - int64_t(i));
        }
        dims.push_back(2);
        pooled.push_back(2);
        EXPECT_EQ(*infer(AveragePool{.kernel_shape = kernel}, std::vector<TensorDesc>{nxc(dims)}),
                  std::vector<TensorDesc>{nxc(pooled)});
        TensorDesc w = ncx({2, 5});
        w.dims.insert(w.dims.end(), kernel.begin(), kernel.end());
        std::vector<int64_t> spread = {3};
        for (size_t i = 0; i < n; ++i)
            spread.push_back(7 + int64_t(i));
        spread.push_back(5);
        EXPECT_EQ(*infer(ConvTranspose{}, std::vector<TensorDesc>{nxc(dims), w}), std::vector<TensorDesc>{nxc(spread)});
    }
}

// Shape reads the dimensions in the order in which they lie.
TEST(LayoutOps, ShapeDoesNotCare)
{
    const auto geometry = resolve(Shape{}, std::vector<TensorDesc>{nxc({2, 5, 7, 6})});
    ASSERT_TRUE(geometry.ok()) << geometry.message();
    EXPECT_EQ(geometry->result, (std::vector<int64_t>{2, 5, 7, 6}));
}

TEST(LayoutOps, Names)
{
    EXPECT_EQ(name(Layout::ncx), "NCX");
    EXPECT_EQ(name(Layout::nxc), "NXC");
    EXPECT_EQ(to_string(nxc({1, 2, 3})), "float[1,2,3] NXC");
    EXPECT_EQ(to_string(ncx({1, 2, 3})), "float[1,2,3]");
}

}  // namespace vkonnx::ops
