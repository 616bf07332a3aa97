#include <algorithm>

#include "expect.h"

namespace vkonnx::ops {

namespace {

using onednn::FilterFormat;

TensorDesc f(std::vector<int64_t> dims)
{
    return {DType::float32, std::move(dims)};
}

// Returns the attributes that the document requires, for n axes without stride, pads or dilation.
onednn::ConvTranspose plain(size_t n)
{
    const std::vector<int64_t> ones(n, 1);
    const std::vector<int64_t> zeros(n, 0);
    return {.strides = ones, .pads_begin = zeros, .pads_end = zeros, .dilations = ones};
}

// Returns X (1, in, 1) with one channel, and W with a kernel in the format XIO.
std::vector<TensorDesc> channels_last_line(int64_t in, int64_t kernel)
{
    return {f({1, in, 1}), f({kernel, 1, 1})};
}

// A line is a problem of one axis, with the named attributes.
struct Line {
    int64_t stride = 1;
    int64_t begin = 0;
    int64_t end = 0;
    int64_t dilation = 1;
    AutoPad auto_pad = AutoPad::notset;
    int64_t output_padding = 0;
};

onednn::ConvTranspose attributes_of(const Line& line)
{
    onednn::ConvTranspose attributes = {.strides = {line.stride},
                                        .pads_begin = {line.begin},
                                        .pads_end = {line.end},
                                        .dilations = {line.dilation},
                                        .auto_pad = line.auto_pad};
    if (line.output_padding != 0)
        attributes.output_padding = {line.output_padding};
    return attributes;
}

Sizes line_sizes(const Line& axis, int64_t in, int64_t kernel)
{
    const auto geometry = resolve(attributes_of(axis), channels_last_line(in, kernel));
    return geometry ? sizes_of(geometry->axes[0]) : Sizes();
}

std::string line_equation(const Line& axis)
{
    const auto geometry = resolve(attributes_of(axis), channels_last_line(3, 3));
    return geometry ? geometry->equation : std::string(geometry.message());
}

// A row has N 2, C 6 and 5 x 7 positions, OC 12 in 3 groups and a kernel of 3 x 2, in one of the formats.
struct FormatRow {
    Layout data;
    FilterFormat filter;
    std::vector<int64_t> x, w, y;
};

const FormatRow format_rows[] = {
    {Layout::nxc, FilterFormat::xio, {2, 5, 7, 6}, {3, 2, 6, 4}, {2, 7, 8, 12}},
    {Layout::nxc, FilterFormat::oix, {2, 5, 7, 6}, {4, 6, 3, 2}, {2, 7, 8, 12}},
    {Layout::nxc, FilterFormat::iox, {2, 5, 7, 6}, {6, 4, 3, 2}, {2, 7, 8, 12}},
    {Layout::ncx, FilterFormat::xio, {2, 6, 5, 7}, {3, 2, 6, 4}, {2, 12, 7, 8}},
    {Layout::ncx, FilterFormat::oix, {2, 6, 5, 7}, {4, 6, 3, 2}, {2, 12, 7, 8}},
    {Layout::ncx, FilterFormat::iox, {2, 6, 5, 7}, {6, 4, 3, 2}, {2, 12, 7, 8}},
};

}  // namespace

TEST(OneDnnConvTransposeOps, EveryDataAndFilterFormat)
{
    for (const FormatRow& row : format_rows) {
        onednn::ConvTranspose attributes = plain(2);
        attributes.groups = 3;
        attributes.data_format = row.data;
        attributes.filter_format = row.filter;
        // The layout of the descriptions does not count.
        for (const Layout own : {Layout::ncx, Layout::nxc}) {
            const std::vector<TensorDesc> inputs = {
                {DType::float16, row.x, own}, {DType::float16, row.w, own}, {DType::float16, {12}, own}};
            const auto geometry = resolve(attributes, inputs);
            ASSERT_TRUE(geometry.ok()) << geometry.message();
            EXPECT_EQ(geometry->dtype, DType::float16);
            EXPECT_EQ(geometry->batch, 2);
            EXPECT_EQ(geometry->channels_in, 6);
            EXPECT_EQ(geometry->channels_out, 12);
            EXPECT_EQ(geometry->group, 3);
            EXPECT_TRUE(geometry->bias);
            EXPECT_EQ(geometry->layout, row.data);
            EXPECT_EQ(geometry->filter, row.filter);
            const std::vector<Axis> expected = {{.in = 5, .out = 7, .kernel = 3}, {.in = 7, .out = 8, .kernel = 2}};
            EXPECT_EQ(geometry->axes, expected);
            const TensorDesc y = {DType::float16, row.y, row.data};
            EXPECT_EQ(output_of(*geometry), y);
            EXPECT_EQ(*infer(attributes, inputs), std::vector<TensorDesc>{y});
            const auto without_bias = resolve(attributes, std::span(inputs).first(2));
            ASSERT_TRUE(without_bias.ok()) << without_bias.message();
            EXPECT_FALSE(without_bias->bias);
        }
    }
}

TEST(OneDnnConvTransposeOps, DefaultsAreNxcAndXio)
{
    const auto geometry = resolve(plain(1), std::vector<TensorDesc>{f({2, 5, 3}), f({4, 3, 7})});
    ASSERT_TRUE(geometry.ok()) << geometry.message();
    EXPECT_EQ(geometry->channels_in, 3);
    EXPECT_EQ(geometry->channels_out, 7);
    EXPECT_EQ(output_of(*geometry), (TensorDesc{DType::float32, {2, 8, 7}, Layout::nxc}));
}

TEST(OneDnnConvTransposeOps, EveryAttributeReachesItsAxis)
{
    const onednn::ConvTranspose attributes = {
        .strides = {2, 5}, .pads_begin = {1, 2}, .pads_end = {3, 0}, .dilations = {3, 4}, .output_padding = {2, 9}};
    const auto geometry = resolve(attributes, std::vector<TensorDesc>{f({1, 4, 6, 1}), f({3, 2, 1, 1})});
    ASSERT_TRUE(geometry.ok()) << geometry.message();
    const std::vector<Axis> expected = {
        {.in = 4, .out = 6 + 2 + 7 - 4, .kernel = 3, .stride = 2, .dilation = 3, .begin = 1, .end = 3},
        {.in = 6, .out = 25 + 9 + 5 - 2, .kernel = 2, .stride = 5, .dilation = 4, .begin = 2, .end = 0}};
    EXPECT_EQ(geometry->axes, expected);
}

TEST(OneDnnConvTransposeOps, Types)
{
    for (int number = 0; number <= 27; ++number) {
        const auto dtype = DType(number);
        const bool accepted =
            dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16 || dtype == DType::bfloat16;
        const std::vector<TensorDesc> inputs = {{dtype, {1, 3, 1}}, {dtype, {3, 1, 1}}};
        if (accepted) {
            const auto geometry = resolve(plain(1), inputs);
            ASSERT_TRUE(geometry.ok()) << geometry.message();
            EXPECT_EQ(output_of(*geometry), (TensorDesc{dtype, {1, 5, 1}, Layout::nxc}));
            continue;
        }
        const std::string sentence =
            dtype == DType::undefined
                ? "ConvTranspose: X is not given (DType::undefined), but it is no optional input"
                : "ConvTranspose: X has type " + std::string(name(dtype)) + ", which no version of the operator accepts";
        expect_refused(Refusal<onednn::ConvTranspose>{plain(1), inputs, sentence});
    }
}

// The size is natural - begin - end. Nothing is absorbed, and nothing clamps it to in * stride.
TEST(OneDnnConvTransposeOps, ExplicitPads)
{
    EXPECT_EQ(line_sizes({.stride = 2, .dilation = 2}, 3, 3), (Sizes{9, 0, 0}));
    EXPECT_EQ(line_sizes({.stride = 2, .begin = 1, .end = 3, .dilation = 2}, 3, 3), (Sizes{5, 1, 3}));
    EXPECT_EQ(line_sizes({.stride = 2, .begin = 1, .end = 3, .dilation = 2, .output_padding = 1}, 3, 3), (Sizes{6, 1, 3}));
}

TEST(OneDnnConvTransposeOps, OutputPaddingHasNoUpperLimit)
{
    EXPECT_EQ(line_sizes({.output_padding = 1}, 3, 3), (Sizes{6, 0, 0}));
    EXPECT_EQ(line_sizes({.stride = 2, .output_padding = 1000}, 3, 3), (Sizes{1007, 0, 0}));
}

TEST(OneDnnConvTransposeOps, ValidOverridesThePads)
{
    EXPECT_EQ(line_sizes({.stride = 2, .begin = 5, .end = 7, .auto_pad = AutoPad::valid, .output_padding = 1}, 3, 3),
              (Sizes{8, 0, 0}));
}

// The page's worked example comes first: in 3, k 3, s 2 and adj 1 give 7. ONNX's SAME would give 6.
TEST(OneDnnConvTransposeOps, SamePadding)
{
    const auto both = [](Line axis, int64_t in, int64_t kernel, const Sizes& upper, const Sizes& lower) {
        // SAME overrides pads_begin and pads_end.
        for (const auto& [begin, end] : {std::pair(0, 0), std::pair(4, 9)}) {
            axis.begin = begin;
            axis.end = end;
            axis.auto_pad = AutoPad::same_upper;
            EXPECT_EQ(line_sizes(axis, in, kernel), upper);
            axis.auto_pad = AutoPad::same_lower;
            EXPECT_EQ(line_sizes(axis, in, kernel), lower);
        }
    };
    both({.stride = 2, .output_padding = 1}, 3, 3, {7, 0, 1}, {7, 1, 0});    // natural 8, total 1
    both({.stride = 2}, 3, 3, {6, 0, 1}, {6, 1, 0});                         // natural 7, total 1
    both({.stride = 2}, 3, 5, {6, 1, 2}, {6, 2, 1});                         // natural 9, total 3
    both({.stride = 2}, 3, 4, {6, 1, 1}, {6, 1, 1});                         // natural 8, total 2
    both({.stride = 2, .dilation = 2}, 3, 3, {6, 1, 2}, {6, 2, 1});          // K 5: natural 9, total 3
    both({.stride = 3}, 3, 1, {7, 0, 0}, {7, 0, 0});                         // K < s: no padding, out stays natural
    both({.stride = 5, .output_padding = 1}, 3, 2, {13, 0, 0}, {13, 0, 0});  // natural 13, K - s = -3
}

TEST(OneDnnConvTransposeOps, TheListsAreRequired)
{
    const std::vector<TensorDesc> plane = {f({1, 5, 5, 1}), f({3, 2, 1, 1})};
    struct Row {
        std::string name;
        std::vector<int64_t> onednn::ConvTranspose::*list;
    };
    const Row rows[] = {{"strides", &onednn::ConvTranspose::strides},
                        {"pads_begin", &onednn::ConvTranspose::pads_begin},
                        {"pads_end", &onednn::ConvTranspose::pads_end},
                        {"dilations", &onednn::ConvTranspose::dilations}};
    for (const Row& row : rows)
        for (const AutoPad auto_pad : all_auto_pads) {
            onednn::ConvTranspose attributes = plain(2);
            attributes.auto_pad = auto_pad;
            ASSERT_TRUE(resolve(attributes, plane).ok());
            (attributes.*row.list).clear();
            expect_refused(Refusal<onednn::ConvTranspose>{
                attributes, plane, "ConvTranspose: " + row.name + " is required: 2 entries must be given"});
            (attributes.*row.list) = {1, 1, 1};
            expect_refused(Refusal<onednn::ConvTranspose>{attributes, plane,
                                                          "ConvTranspose: " + row.name + " has 3 entries, but 2 must be given"});
            (attributes.*row.list) = {1, -1};
            const std::string least = row.name == "strides" || row.name == "dilations" ? "1" : "0";
            expect_refused(Refusal<onednn::ConvTranspose>{attributes, plane,
                                                          "ConvTranspose: " + row.name + "[1] = -1 must be at least " + least});
        }
    onednn::ConvTranspose attributes = plain(2);
    attributes.output_padding = {0};
    expect_refused(
        Refusal<onednn::ConvTranspose>{attributes, plane, "ConvTranspose: output_padding has 1 entry, but 2 must be given"});
    attributes.output_padding = {-3, 0};
    expect_refused(Refusal<onednn::ConvTranspose>{attributes, plane, "ConvTranspose: output_padding[0] = -3 must be at least 0"});
}

TEST(OneDnnConvTransposeOps, WordsAreChecked)
{
    onednn::ConvTranspose attributes = plain(1);
    attributes.auto_pad = AutoPad(4);
    expect_refused(Refusal<onednn::ConvTranspose>{
        attributes, channels_last_line(3, 3), "ConvTranspose: auto_pad = 4 must be one of None, SAME_UPPER, SAME_LOWER, VALID"});
    attributes = plain(1);
    attributes.data_format = Layout(2);
    expect_refused(Refusal<onednn::ConvTranspose>{attributes, channels_last_line(3, 3),
                                                  "ConvTranspose: data_format = 2 must be NCX or NXC"});
    attributes = plain(1);
    attributes.filter_format = FilterFormat(3);
    expect_refused(Refusal<onednn::ConvTranspose>{attributes, channels_last_line(3, 3),
                                                  "ConvTranspose: filter_format = 3 must be one of XIO, OIX, IOX"});
}

TEST(OneDnnConvTransposeOps, InputsAreChecked)
{
    const TensorDesc x = f({1, 5, 4});
    const TensorDesc w = f({2, 4, 3});
    const auto with_groups = [](int64_t groups) {
        onednn::ConvTranspose attributes = plain(1);
        attributes.groups = groups;
        return attributes;
    };
    const onednn::ConvTranspose one = plain(1);
    const Refusal<onednn::ConvTranspose> table[] = {
        {one, {}, "ConvTranspose: expects 2 or 3 inputs, but 0 are given"},
        {one, {x}, "ConvTranspose: expects 2 or 3 inputs, but 1 is given"},
        {one, {x, w, w, w}, "ConvTranspose: expects 2 or 3 inputs, but 4 are given"},
        {one, {f({}), w}, "ConvTranspose: X has rank 0, but 3 to 8 is expected: N, C and 1 to 6 spatial axes"},
        {one, {f({1, 4}), f({4, 3})}, "ConvTranspose: X has rank 2, but 3 to 8 is expected: N, C and 1 to 6 spatial axes"},
        {one,
         {f({1, 1, 1, 1, 1, 1, 1, 1, 4}), w},
         "ConvTranspose: X has rank 9, but 3 to 8 is expected: N, C and 1 to 6 spatial axes",
         Code::unsupported},
        {one, {x, f({2, 4, 3, 1})}, "ConvTranspose: W has rank 4, but must have X's rank 3"},
        {one, {f({1, -5, 4}), w}, "ConvTranspose: X.dims[1] = -5 must be at least 0"},
        {one, {x, f({2, -4, 3})}, "ConvTranspose: W.dims[1] = -4 must be at least 0"},
        {one, {x, w, f({-1})}, "ConvTranspose: B.dims[0] = -1 must be at least 0"},
        {one, {x, w, f({1, 3})}, "ConvTranspose: B has rank 2, but must have 1"},
        {one, {x, {DType::float16, {2, 4, 3}}}, "ConvTranspose: W has type float16, but must have X's type float"},
        {one, {x, w, {DType::float64, {3}}}, "ConvTranspose: B has type double, but must have X's type float"},
        {with_groups(0), {x, w}, "ConvTranspose: groups = 0 must be at least 1"},
        {with_groups(-2), {x, w}, "ConvTranspose: groups = -2 must be at least 1"},
        {with_groups(3), {x, w}, "ConvTranspose: X.dims[2] = 4 must be a multiple of groups = 3"},
    };
    for (const Refusal<onednn::ConvTranspose>& refusal : table)
        expect_refused(refusal);
}

// The sentence must blame the dimension at which the format has the wrong extent.
TEST(OneDnnConvTransposeOps, MismatchesNameTheDimensionOfTheFormat)
{
    struct Row {
        Layout data;
        FilterFormat filter;
        std::string x_channels, w_in, w_out, w_kernel;
    };
    const Row rows[] = {
        {Layout::nxc, FilterFormat::xio, "X.dims[3]", "W.dims[2]", "W.dims[3]", "W.dims[1]"},
        {Layout::nxc, FilterFormat::oix, "X.dims[3]", "W.dims[1]", "W.dims[0]", "W.dims[3]"},
        {Layout::nxc, FilterFormat::iox, "X.dims[3]", "W.dims[0]", "W.dims[1]", "W.dims[3]"},
        {Layout::ncx, FilterFormat::xio, "X.dims[1]", "W.dims[2]", "W.dims[3]", "W.dims[1]"},
        {Layout::ncx, FilterFormat::oix, "X.dims[1]", "W.dims[1]", "W.dims[0]", "W.dims[3]"},
        {Layout::ncx, FilterFormat::iox, "X.dims[1]", "W.dims[0]", "W.dims[1]", "W.dims[3]"},
    };
    for (const Row& row : rows) {
        onednn::ConvTranspose attributes = plain(2);
        attributes.groups = 2;
        attributes.data_format = row.data;
        attributes.filter_format = row.filter;
        const auto x = [&](int64_t channels) {
            return row.data == Layout::nxc ? f({1, 5, 6, channels}) : f({1, channels, 5, 6});
        };
        const auto w = [&](int64_t in, int64_t out, int64_t last) {
            return row.filter == FilterFormat::xio   ? f({3, last, in, out})
                   : row.filter == FilterFormat::oix ? f({out, in, 3, last})
                                                     : f({in, out, 3, last});
        };
        const auto refused = [&](std::vector<TensorDesc> inputs, const std::string& sentence) {
            expect_refused(Refusal<onednn::ConvTranspose>{attributes, std::move(inputs), "ConvTranspose: " + sentence});
        };
        refused({x(5), w(5, 7, 2)}, row.x_channels + " = 5 must be a multiple of groups = 2");
        refused({x(4), w(3, 7, 2)}, row.w_in + " = 3 must equal " + row.x_channels + " = 4");
        refused({x(4), w(4, 7, 2), f({7})}, "B.dims[0] = 7 must equal OC = " + row.w_out + " * groups = 14");
        refused({x(4), w(4, 7, 0)}, row.w_kernel + " = 0 must be at least 1");
    }
}

TEST(OneDnnConvTransposeOps, AnEmptyOutputExtentIsRefused)
{
    expect_refused(Refusal<onednn::ConvTranspose>{
        attributes_of({.begin = 2, .end = 3}), channels_last_line(3, 3),
        "ConvTranspose: output extent of spatial axis 0 = 0 must be at least 1 (in 3, kernel 3, stride 1, "
        "dilation 1, pads 2 and 3)"});
    EXPECT_EQ(line_sizes({.begin = 2, .end = 2}, 3, 3), (Sizes{1, 2, 2}));
}

TEST(OneDnnConvTransposeOps, EmptyInputExtent)
{
    EXPECT_EQ(line_sizes({}, 0, 3), (Sizes{2, 0, 0}));
    EXPECT_EQ(line_sizes({.stride = 2, .output_padding = 4}, 0, 3), (Sizes{5, 0, 0}));
    EXPECT_EQ(line_sizes({}, 0, 1), Sizes());
    EXPECT_EQ(line_sizes({.stride = 2, .auto_pad = AutoPad::same_upper}, 0, 3), Sizes());  // natural 1, total 1
}

TEST(OneDnnConvTransposeOps, EmptyTensorsAreStillChecked)
{
    const std::vector<std::vector<TensorDesc>> empties = {
        {f({0, 3, 2}), f({3, 2, 1})}, {f({1, 3, 2}), f({3, 2, 0})}, {f({1, 3, 0}), f({3, 0, 1})}};
    const std::vector<std::vector<int64_t>> outputs = {{0, 5, 1}, {1, 5, 0}, {1, 5, 1}};
    for (size_t i = 0; i < empties.size(); ++i) {
        const auto geometry = resolve(plain(1), empties[i]);
        ASSERT_TRUE(geometry.ok()) << geometry.message();
        EXPECT_EQ(output_of(*geometry).dims, outputs[i]);
        onednn::ConvTranspose attributes = plain(1);
        attributes.strides = {0};
        expect_refused(
            Refusal<onednn::ConvTranspose>{attributes, empties[i], "ConvTranspose: strides[0] = 0 must be at least 1"});
    }
}

TEST(OneDnnConvTransposeOps, OneToSixAxes)
{
    for (size_t n = 1; n <= max_spatial_axes; ++n) {
        onednn::ConvTranspose attributes = plain(n);
        TensorDesc x = f({1});
        TensorDesc w = f({});
        std::vector<int64_t> expected = {1};
        for (size_t i = 0; i < n; ++i) {
            const auto k = int64_t(i + 1);
            x.dims.push_back(2);
            w.dims.push_back(k);
            attributes.strides[i] = k;
            expected.push_back(2 * k);
        }
        x.dims.push_back(5);
        w.dims.insert(w.dims.end(), {5, 3});
        expected.push_back(3);
        const auto geometry = resolve(attributes, std::vector<TensorDesc>{x, w});
        ASSERT_TRUE(geometry.ok()) << geometry.message();
        EXPECT_EQ(output_of(*geometry), (TensorDesc{DType::float32, expected, Layout::nxc}));
    }
}

TEST(OneDnnConvTransposeOps, OverflowIsASentence)
{
    const int64_t half = huge / 2 + 1;  // 2^62
    const auto refused = [](const Line& axis, int64_t in, int64_t kernel, int64_t begin, int64_t end) {
        const std::string sentence = "ConvTranspose: spatial axis 0 with in " + std::to_string(in) + ", kernel " +
                                     std::to_string(kernel) + ", stride " + std::to_string(axis.stride) + ", dilation " +
                                     std::to_string(axis.dilation) + ", pads " + std::to_string(begin) + " and " +
                                     std::to_string(end) + " leads to an integer beyond 64 bits";
        expect_refused(
            Refusal<onednn::ConvTranspose>{attributes_of(axis), channels_last_line(in, kernel), sentence, Code::unsupported});
    };
    refused({.stride = half}, 3, 1, 0, 0);
    refused({.dilation = half}, 3, 3, 0, 0);
    refused({.dilation = half, .auto_pad = AutoPad::same_upper}, 3, 3, 0, 0);
    refused({.stride = half, .auto_pad = AutoPad::same_lower}, 3, 1, 0, 0);
    refused({.output_padding = huge}, 3, 3, 0, 0);
    refused({.begin = huge, .end = huge}, 3, 3, huge, huge);
    refused({}, huge, 2, 0, 0);

    // The extremes that fit give exact answers.
    EXPECT_EQ(line_sizes({.stride = huge}, 1, 1), (Sizes{1, 0, 0}));
    EXPECT_EQ(line_sizes({.dilation = huge}, 3, 1), (Sizes{3, 0, 0}));
    EXPECT_EQ(line_sizes({.stride = huge, .auto_pad = AutoPad::same_upper}, 1, 1), (Sizes{1, 0, 0}));
    EXPECT_EQ(line_sizes({.dilation = huge - 1, .auto_pad = AutoPad::same_upper}, 1, 2), (Sizes{1, half - 1, half - 1}));
    EXPECT_EQ(line_sizes({.output_padding = huge - 3}, 1, 3), (Sizes{huge, 0, 0}));
    EXPECT_EQ(line_sizes({}, huge - 1, 2), (Sizes{huge, 0, 0}));

    onednn::ConvTranspose grouped = plain(1);
    grouped.groups = 4;
    expect_refused(
        Refusal<onednn::ConvTranspose>{grouped,
                                       {f({1, 3, 0}), f({3, 0, half})},
                                       "ConvTranspose: W.dims[2] = 4611686018427387904 times groups = 4 is beyond 64 bits",
                                       Code::unsupported});
    expect_refused(
        Refusal<onednn::ConvTranspose>{plain(1),
                                       {f({half, 3, 2}), f({3, 2, 1})},
                                       "ConvTranspose: X = float[4611686018427387904,3,2] has more than 2^63 - 1 elements",
                                       Code::unsupported});
    expect_refused(
        Refusal<onednn::ConvTranspose>{attributes_of({.output_padding = half}),
                                       {f({2, 1, 1}), f({1, 1, 1})},
                                       "ConvTranspose: Y = float[2,4611686018427387905,1] NXC has more than 2^63 - 1 elements",
                                       Code::unsupported});
}

TEST(OneDnnConvTransposeOps, EquationsNameDocumentVersionAndRule)
{
    const std::string natural = "stride*(in - 1) + output_padding + dilated kernel";
    const std::string total = " - pads, total padding = max(dilated kernel - stride, 0), split with the extra at the ";
    // The input's extent is 3, and so is the kernel.
    EXPECT_EQ(line_equation({.stride = 2, .begin = 1, .end = 2, .dilation = 3, .output_padding = 4}),
              "oneDNN Graph ConvTranspose-1, explicit pads: out = " + natural + " - pads\naxis 0: 12 = 2*(3 - 1) + 4 + 7 - 3");
    EXPECT_EQ(line_equation({.begin = 9, .auto_pad = AutoPad::valid}),
              "oneDNN Graph ConvTranspose-1, VALID: out = " + natural + "\naxis 0: 5 = 1*(3 - 1) + 0 + 3");
    EXPECT_EQ(line_equation({.stride = 2, .auto_pad = AutoPad::same_upper, .output_padding = 1}),
              "oneDNN Graph ConvTranspose-1, SAME_UPPER: out = " + natural + total +
                  "end\naxis 0: 7 = 2*(3 - 1) + 1 + 3 - 1, 1 = max(3 - 2, 0)");
    EXPECT_EQ(line_equation({.auto_pad = AutoPad::same_lower}),
              "oneDNN Graph ConvTranspose-1, SAME_LOWER: out = " + natural + total +
                  "beginning\naxis 0: 3 = 1*(3 - 1) + 0 + 3 - 2, 2 = max(3 - 1, 0)");
}

// The size is found without a formula: the taps are scattered, their reach is measured, and the padding is dealt out one by one.
TEST(OneDnnConvTransposeOps, SizeIsTheReachOfTheTaps)
{
    for (int64_t in = 1; in <= 4; ++in)
        for (int64_t kernel = 1; kernel <= 5; ++kernel)
            for (int64_t stride = 1; stride <= 4; ++stride)
                for (int64_t dilation = 1; dilation <= 3; ++dilation)
                    for (int64_t adj = 0; adj <= 5; ++adj)
                        for (const AutoPad auto_pad : all_auto_pads) {
                            int64_t reach = 0;
                            for (int64_t q = 0; q < in; ++q)
                                for (int64_t t = 0; t < kernel; ++t)
                                    reach = std::max(reach, q * stride + t * dilation + 1);
                            int64_t begin = auto_pad == AutoPad::notset ? 1 : 0;
                            int64_t end = auto_pad == AutoPad::notset ? 2 : 0;
                            if (auto_pad == AutoPad::same_upper || auto_pad == AutoPad::same_lower) {
                                // There is one padding position for each position that the kernel reaches beyond a stride.
                                bool front = auto_pad == AutoPad::same_lower;
                                for (int64_t at = stride; at <= (kernel - 1) * dilation; ++at, front = !front)
                                    ++(front ? begin : end);
                            }
                            const int64_t out = reach + adj - begin - end;
                            const Sizes expected = out < 1 ? Sizes() : Sizes{out, begin, end};
                            ASSERT_EQ(line_sizes({.stride = stride,
                                                  .begin = 1,
                                                  .end = 2,
                                                  .dilation = dilation,
                                                  .auto_pad = auto_pad,
                                                  .output_padding = adj},
                                                 in, kernel),
                                      expected)
                                << in << " " << kernel << " " << stride << " " << dilation << " " << adj;
                        }
}

}  // namespace vkonnx::ops
