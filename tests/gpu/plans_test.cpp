// This file tests one model for inputs of several sizes: the plan for each, and what plans share.
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using onnx::HostTensor;
using onnx::NamedDesc;
using onnx::Session;

NamedDesc sized(int64_t width)
{
    return {"X", {DType::float32, {1, 1, width}}, {}};
}

// Y[i] = 10 * (X[i] + 10 * X[i - 1]) + 3: ConvTranspose of the filter {1, 10}, which is normalized.
std::string filter_of_any_width()
{
    return kit::ModelBuilder()
        .opset(22)
        .input("X", DType::float32, {1, 1, "width"})
        .initializer(kit::float_tensor("W", {1, 1, 2}, {1, 10}))
        .initializer(kit::float_tensor("scale", {1}, {10}))
        .initializer(kit::float_tensor("B", {1}, {3}))
        .initializer(kit::float_tensor("mean", {1}, {0}))
        .initializer(kit::float_tensor("var", {1}, {1}))
        .node("ConvTranspose", {"X", "W"}, {"H"})
        .node("BatchNormalization", {"H", "scale", "B", "mean", "var"}, {"Y"}, {kit::float_attribute("epsilon", 0)})
        .output("Y")
        .build();
}

std::vector<float> filtered(const std::vector<float>& x)
{
    std::vector<float> y(x.size() + 1);
    for (size_t i = 0; i < y.size(); ++i)
        y[i] = 10 * ((i < x.size() ? x[i] : 0) + (i > 0 ? 10 * x[i - 1] : 0)) + 3;
    return y;
}

std::vector<float> counted(int64_t width)
{
    std::vector<float> x;
    for (int64_t i = 0; i < width; ++i)
        x.push_back(float(i % 7 + 1));
    return x;
}

void expect_filtered(Session session, int64_t width)
{
    const std::vector<float> x = counted(width);
    const auto y = session.run(std::vector<HostTensor>{floats({1, 1, width}, x)});
    ASSERT_TRUE(y) << y.message();
    expect_floats(y->at(0), {1, 1, width + 1}, filtered(x));
}

// Returns options with a kernel that packs, which is one of the tests' own.
onnx::SessionOptions packing_options(uint64_t most_plans = 4)
{
    onnx::SessionOptions options;
    options.prepare.kernel = "conv_transpose_columns";
    options.max_plans = most_plans;
    return options;
}

TEST(Plans, RunServesInputsOfOtherSizes)
{
    on_every_device([](CaseDevice& on) {
        const auto session = prepare(on, filter_of_any_width(), {sized(3)});
        ASSERT_TRUE(session) << session.message();
        for (const int64_t width : {5, 3, 8, 5})
            expect_filtered(*session, width);
        EXPECT_EQ(to_string(session->outputs()[0]), "float[1,1,4]") << "of the session's own plan";
        const auto wider = session->for_inputs(std::vector{sized(6)});
        ASSERT_TRUE(wider) << wider.message();
        EXPECT_EQ(to_string(wider->inputs()[0]), "float[1,1,6]");
        EXPECT_EQ(to_string(wider->outputs()[0]), "float[1,1,7]");
        const auto x = on.device().tensor(wider->inputs()[0], counted(6));
        const auto y = on.device().tensor(wider->outputs()[0]);
        ASSERT_TRUE(x && y);
        auto bound = wider->bind({&*x, 1}, {&*y, 1});
        ASSERT_TRUE(bound) << bound.message();
        ASSERT_TRUE(bound->run());
        std::vector<float> values(7);
        ASSERT_TRUE(y->download(values));
        EXPECT_EQ(values, filtered(counted(6)));
    });
}

// A rewrite makes W and B of the file's, and the next one must know them again.
TEST(Plans, ShareWhatIsUploadedAndPacked)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        DeviceOptions options = through(shim, present);
        options.self_test = false;
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        const auto model = onnx::Model::parse(kit::as_bytes(filter_of_any_width()));
        ASSERT_TRUE(model) << model.message();
        shim.reset_calls();
        const auto session = Session::prepare(*device, *model, std::vector{sized(3)}, packing_options());
        ASSERT_TRUE(session) << session.message();
        EXPECT_EQ(session->report().packed_bytes, 8u);
        const uint64_t packed = shim.calls("vkQueueSubmit");
        EXPECT_GE(packed, 1u);
        shim.reset_calls();
        const auto other = session->for_inputs(std::vector{sized(5)});
        ASSERT_TRUE(other) << other.message();
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 0u) << "the packed filter is there";
        expect_filtered(*session, 3);
        expect_filtered(*other, 5);
    }
}

// There are two filters of 10 MiB and one of 20 MiB behind them. It must be packed first, so that it is there in both forms while
// the others are in none.
TEST(Plans, PackTheLargestWeightsFirst)
{
    kit::ModelBuilder model;
    model.opset(22).input("X", DType::float32, {1, 128, 4});
    std::string last = "X";
    const auto add = [&](const std::string& next, int64_t channels, int64_t in) {
        const size_t count = size_t(channels * in);
        model.initializer(kit::float_tensor("W" + next, {channels, in, 1}, std::vector<float>(count, 1.0f / float(in))));
        model.node("Conv", {last, "W" + next}, {next});
        last = next;
    };
    add("a", 20480, 128);
    add("b", 128, 20480);
    add("Y", 40960, 128);
    const auto parsed = onnx::Model::parse(kit::as_bytes(model.output("Y").build()));
    ASSERT_TRUE(parsed) << parsed.message();
    constexpr uint64_t small = 20480 * 128 * 4, large = 2 * small;
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index), .self_test = false});
        ASSERT_TRUE(device) << device.message();
        const uint64_t before = device->memory().allocated;
        const auto session = Session::prepare(*device, *parsed, {}, {.prepare_threads = 1});
        ASSERT_TRUE(session) << session.message();
        EXPECT_GE(session->report().packed_bytes, 2 * small + large);
        const MemoryUse memory = device->memory();
        EXPECT_EQ(memory.peak_staging, large) << "what was copied goes before the next is";
        EXPECT_LT(memory.peak_allocated - before, 2 * large + small + small / 2) << "of one more where it comes last";
    }
}

// A filter of 24 MiB on a device that binds 16 MiB is read as it lies, and so is there in one form. It must come behind one of 12
// MiB, which is there in two while it is packed.
TEST(Plans, UploadWhatNoKernelPacksLast)
{
    constexpr uint64_t packed = 24576 * 128 * 4, as_it_lies = 256 * 24576 * 4;
    kit::ModelBuilder model;
    model.opset(22).input("X", DType::float32, {1, 128, 4});
    model.initializer(kit::float_tensor("V", {24576, 128, 1}, std::vector<float>(24576 * 128, 1.0f / 128)));
    model.initializer(kit::float_tensor("W", {256, 24576, 1}, std::vector<float>(256 * 24576, 1.0f / 24576)));
    model.node("Conv", {"X", "V"}, {"v"}).node("Conv", {"v", "W"}, {"Y"});
    const auto parsed = onnx::Model::parse(kit::as_bytes(model.output("Y").build()));
    ASSERT_TRUE(parsed) << parsed.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Capabilities capabilities = present.capabilities;
        capabilities.max_storage_buffer_range = 1 << 24;
        const auto device =
            Device::open({.select = std::to_string(present.index), .capabilities = capabilities, .self_test = false});
        ASSERT_TRUE(device) << device.message();
        const uint64_t before = device->memory().allocated;
        auto session = Session::prepare(*device, *parsed, {}, {.prepare_threads = 1});
        ASSERT_TRUE(session) << session.message();
        EXPECT_GE(session->report().packed_bytes, packed);
        EXPECT_LT(session->report().packed_bytes, packed + packed / 8);
        EXPECT_LT(device->memory().peak_allocated - before, as_it_lies + packed + packed / 2)
            << "of half as much more in that order";
        const auto y = session->run(std::vector<HostTensor>{floats({1, 128, 4}, std::vector<float>(512, 3))});
        ASSERT_TRUE(y) << y.message();
        expect_floats(y->at(0), {1, 256, 4}, std::vector<float>(256 * 4, 3));
    }
}

// Six filters of 256 KiB are on the device in their packed form alone. One submit uploads them all.
TEST(Plans, HoldWeightsInOneFormOnly)
{
    constexpr uint64_t filter = 256 * 256 * 4;
    kit::ModelBuilder model;
    model.opset(22).input("X", DType::float32, {1, 256, "width"});
    std::string last = "X";
    for (const char* next : {"a", "b", "c", "d", "e", "Y"}) {
        const std::string weights = std::string("W") + next;
        model.initializer(kit::float_tensor(weights, {256, 256, 1}, std::vector<float>(256 * 256, 1.0f / 256)));
        model.node("ConvTranspose", {last, weights}, {next});
        last = next;
    }
    const auto parsed = onnx::Model::parse(kit::as_bytes(model.output("Y").build()));
    ASSERT_TRUE(parsed) << parsed.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.guards = false});
        DeviceOptions options = through(shim, present);
        options.self_test = false;
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        const uint64_t before = device->memory().used;
        const auto described = [](int64_t width) { return std::vector<NamedDesc>{{"X", {DType::float32, {1, 256, width}}, {}}}; };
        auto session = Session::prepare(*device, *parsed, described(3), packing_options());
        ASSERT_TRUE(session) << session.message();
        EXPECT_EQ(session->report().packed_bytes, 6 * filter);
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u);
        EXPECT_EQ(device->memory().peak_staging, 6 * filter);
        EXPECT_EQ(device->memory().staging, 0u);
        constexpr uint64_t small = filter / 2;  // for values and uniform blocks
        EXPECT_LT(device->memory().peak_used - before, 6 * filter + small);
        auto other = session->for_inputs(described(5));
        ASSERT_TRUE(other) << other.message();
        EXPECT_LT(device->memory().peak_used - before, 6 * filter + small);
        EXPECT_EQ(shim.calls("vkQueueSubmit"), 1u) << "nothing is uploaded again";
        const auto y = other->run(std::vector<HostTensor>{floats({1, 256, 5}, std::vector<float>(1280, 3))});
        ASSERT_TRUE(y) << y.message();
        expect_floats(y->at(0), {1, 256, 5}, std::vector<float>(1280, 3));
    }
}

TEST(Plans, AreKeptForThoseThatWereLastAskedFor)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        const auto model = onnx::Model::parse(kit::as_bytes(filter_of_any_width()));
        ASSERT_TRUE(model) << model.message();
        auto session = Session::prepare(*device, *model, std::vector{sized(3)}, {.max_plans = 2});
        ASSERT_TRUE(session) << session.message();
        // Descriptor pools tell what is bound, and so what is prepared.
        const auto pools_of = [&](int64_t width) {
            shim.reset_calls();
            expect_filtered(*session, width);
            return shim.calls("vkCreateDescriptorPool");
        };
        EXPECT_GT(pools_of(4), 0u);
        EXPECT_EQ(pools_of(4), 0u);
        EXPECT_GT(pools_of(5), 0u);
        EXPECT_EQ(pools_of(4), 0u);
        EXPECT_GT(pools_of(6), 0u) << "now 5 is what was not asked for the longest";
        EXPECT_EQ(pools_of(4), 0u);
        EXPECT_GT(pools_of(5), 0u);
        EXPECT_GT(pools_of(3), 0u) << "the session's own, first run here";
        EXPECT_EQ(pools_of(3), 0u) << "which it holds";
    }
}

// Plans of other sizes are dropped where memory is short, and prepared anew.
TEST(Plans, GoWhereMemoryIsShort)
{
    kit::ModelBuilder model;
    model.opset(17)
        .input("X", DType::float32, {1, 1, "width"})
        .node("AveragePool", {"X"}, {"H"}, {kit::ints_attribute("kernel_shape", {1})})
        .node("AveragePool", {"H"}, {"Y"}, {kit::ints_attribute("kernel_shape", {1})})
        .output("Y");
    const auto parsed = onnx::Model::parse(kit::as_bytes(model.build()));
    ASSERT_TRUE(parsed) << parsed.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        // A plan takes three tensors of 4 MB and more.
        const auto device = Device::open({.select = std::to_string(present.index), .self_test = false, .max_memory = 32'000'000});
        ASSERT_TRUE(device) << device.message();
        auto session = Session::prepare(*device, *parsed, std::vector{sized(4)});
        ASSERT_TRUE(session) << session.message();
        for (const int64_t width : {1'000'000, 1'000'001, 1'000'002, 1'000'000}) {
            const std::vector<float> x = counted(width);
            const auto y = session->run(std::vector<HostTensor>{floats({1, 1, width}, x)});
            ASSERT_TRUE(y) << width << ": " << y.message();
            EXPECT_EQ(values_of<float>(y->at(0)), x);
        }
        const auto too_wide = session->for_inputs(std::vector{sized(10'000'000)});
        EXPECT_EQ(too_wide.code(), Code::out_of_memory);
        const auto y = session->run(std::vector<HostTensor>{floats({1, 1, 4}, {1, 2, 3, 4})});
        ASSERT_TRUE(y) << y.message();
        expect_floats(y->at(0), {1, 1, 4}, {1, 2, 3, 4});
    }
}

// Returns a model of operators whose modules have ways of their own for rows that are whole vectors.
std::string many_kernels()
{
    kit::ModelBuilder model;
    std::vector<float> weights(8 * 3 * 3 * 3, 0.5f);
    model.opset(17)
        .input("X", DType::float32, {1, 3, 8, "width"})
        .initializer(kit::float_tensor("W", {8, 3, 3, 3}, weights))
        .initializer(kit::float_tensor("D", {8, 1, 3, 3}, std::vector<float>(72, 0.25f)))
        .initializer(kit::float_tensor("S", {8, 1, 3, 3}, std::vector<float>(72, 0.25f)))
        .initializer(kit::float_tensor("U", {8, 1, 2, 2}, std::vector<float>(32, 0.5f)))
        .node("Conv", {"X", "W"}, {"a"}, {kit::ints_attribute("pads", {1, 1, 1, 1})})
        .node("Relu", {"a"}, {"b"})
        .node("Conv", {"b", "D"}, {"c"}, {kit::ints_attribute("pads", {1, 1, 1, 1}), kit::int_attribute("group", 8)})
        .node("Conv", {"c", "S"}, {"d"},
              {kit::ints_attribute("pads", {1, 1, 1, 1}), kit::ints_attribute("strides", {1, 2}), kit::int_attribute("group", 8)})
        .node("AveragePool", {"d"}, {"e"}, {kit::ints_attribute("kernel_shape", {3, 2}), kit::ints_attribute("strides", {3, 2})})
        .node("ConvTranspose", {"e", "U"}, {"f"}, {kit::ints_attribute("strides", {2, 2}), kit::int_attribute("group", 8)})
        .node("MaxPool", {"f"}, {"g"}, {kit::ints_attribute("kernel_shape", {2, 2})})
        .node("Softmax", {"g"}, {"h"}, {kit::int_attribute("axis", 1)})
        .node("GlobalAveragePool", {"h"}, {"Y"})
        .output("Y")
        .output("e")
        .output("c");
    return model.build();
}

std::vector<NamedDesc> pictures(int64_t width)
{
    return {{"X", {DType::float32, {1, 3, 8, width}}, {}}};
}

HostTensor picture(int64_t width)
{
    std::vector<float> values;
    for (int64_t i = 0; i < 24 * width; ++i)
        values.push_back(float(i * 7 % 23) - 11);
    return floats({1, 3, 8, width}, values);
}

Result<Device> open_as_no_cpu(kit::VulkanShim& shim, const PresentDevice& present)
{
    DeviceOptions options = through(shim, present);
    options.capabilities = present.capabilities;
    options.capabilities->is_cpu = false;
    return Device::open(options);
}

// A product of few rows is quickest by a kernel of its own. For some more rows it is kept all the same, because it is built.
TEST(Plans, OfOtherSizesStayWithKernelsThatAreBuilt)
{
    const auto rows_of = [](int64_t rows) { return std::vector<NamedDesc>{{"X", {DType::float32, {rows, 24}}, {}}}; };
    kit::ModelBuilder builder;
    std::vector<float> weights;
    for (int i = 0; i < 24 * 40; ++i)
        weights.push_back(float(i * 7 % 23) - 11);
    builder.opset(17)
        .input("X", DType::float32, {"rows", 24})
        .initializer(kit::float_tensor("W", {24, 40}, weights))
        .node("MatMul", {"X", "W"}, {"Y"})
        .output("Y");
    const auto model = onnx::Model::parse(kit::as_bytes(builder.build()));
    ASSERT_TRUE(model) << model.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = open_as_no_cpu(shim, present);
        ASSERT_TRUE(device) << device.message();
        const auto kernel = [&](int64_t rows) {
            const auto report = onnx::explain(*model, rows_of(rows), device->capabilities());
            EXPECT_TRUE(report) << report.message();
            return report->nodes[0].explanation.kernel;
        };
        int64_t rows = 2;
        while (rows < 4096 && kernel(rows) == kernel(1))
            ++rows;
        ASSERT_NE(kernel(rows), kernel(1));
        auto session = Session::prepare(*device, *model, rows_of(1));
        ASSERT_TRUE(session) << session.message();
        const auto run = [&](int64_t count) {
            std::vector<float> x, expected(size_t(40 * count));
            for (int64_t i = 0; i < 24 * count; ++i)
                x.push_back(float(i * 5 % 17) - 8);
            for (size_t i = 0; i < expected.size(); ++i)
                for (size_t k = 0; k < 24; ++k)
                    expected[i] += x[i / 40 * 24 + k] * weights[k * 40 + i % 40];
            const auto y = session->run(std::vector<HostTensor>{floats({count, 24}, x)});
            ASSERT_TRUE(y) << y.message();
            EXPECT_EQ(values_of<float>(y->at(0)), expected);
        };
        shim.reset_calls();
        run(rows);
        EXPECT_EQ(shim.calls("vkCreateComputePipelines"), 0u) << rows;
        run(64 * rows);
        EXPECT_GT(shim.calls("vkCreateComputePipelines"), 0u) << "which is more than twice as quick by others";
    }
}

// Only software drivers' compilers are told extents: on others a new width costs no pipeline, whatever it is divisible by, while
// the same kernels are picked.
TEST(Plans, OfOtherSizesCreateNoPipelineOnDevicesThatAreNoCpus)
{
    const std::vector<int64_t> widths = {72, 66, 65, 71};
    const auto model = onnx::Model::parse(kit::as_bytes(many_kernels()));
    ASSERT_TRUE(model) << model.message();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = open_as_no_cpu(shim, present);
        ASSERT_TRUE(device) << device.message();
        ASSERT_FALSE(device->capabilities().is_cpu);
        auto session = Session::prepare(*device, *model, pictures(64));
        ASSERT_TRUE(session) << session.message();
        shim.reset_calls();
        std::vector<std::vector<HostTensor>> served;
        for (const int64_t width : widths) {
            const auto got = session->run(std::vector<HostTensor>{picture(width)});
            ASSERT_TRUE(got) << got.message();
            served.push_back(*got);
        }
        EXPECT_EQ(shim.calls("vkCreateComputePipelines"), 0u);
        // What the compiler was told of extents changes no bit of sums that are exact.
        const auto explained = Device::open({.select = std::to_string(present.index)});
        ASSERT_TRUE(explained) << explained.message();
        for (size_t i = 0; i < widths.size(); ++i) {
            auto own = Session::prepare(*explained, *model, pictures(widths[i]));
            ASSERT_TRUE(own) << own.message();
            const auto expected = own->run(std::vector<HostTensor>{picture(widths[i])});
            ASSERT_TRUE(expected) << expected.message();
            for (const size_t output : {1, 2})
                EXPECT_EQ(values_of<float>(served[i][output]), values_of<float>(expected->at(output)))
                    << widths[i] << ", output " << output;
            for (size_t c = 0; c < 8; ++c)
                EXPECT_NEAR(values_of<float>(served[i][0])[c], values_of<float>(expected->at(0))[c], 1e-5) << widths[i];
        }
    }
}

TEST(Plans, FollowTheElementsThatDecideDimensions)
{
    const std::string file = kit::ModelBuilder()
                                 .opset(17)
                                 .input("X", DType::float32, {2, 3})
                                 .input("shape", DType::int64, {"rank"})
                                 .node("Relu", {"X"}, {"H"})
                                 .node("Reshape", {"H", "shape"}, {"Y"})
                                 .output("Y")
                                 .build();
    on_every_device([&](CaseDevice& on) {
        const auto shape = [](const Dims& dims) { return host(DType::int64, {int64_t(dims.size())}, dims); };
        const auto known = [&](const Dims& dims) { return std::vector<NamedDesc>{{"shape", shape(dims).desc, shape(dims)}}; };
        auto session = prepare(on, file, known({3, 2}));
        ASSERT_TRUE(session) << session.message();
        const HostTensor x = floats({2, 3}, {-1, 2, 3, 4, 5, -6});
        for (const Dims& dims : {Dims{3, 2}, Dims{6}, Dims{1, 6, 1}, Dims{6}}) {
            const auto y = session->run(std::vector<HostTensor>{x, shape(dims)});
            ASSERT_TRUE(y) << y.message();
            expect_floats(y->at(0), dims, {0, 2, 3, 4, 5, 0});
        }
        EXPECT_EQ(session->for_inputs(known({4})).message(),
                  "node 'Y': Reshape: shape [4] has 4 elements, the input [2,3] has 6");
    });
}

TEST(Plans, AreRefusedInOneSentence)
{
    on_every_device([](CaseDevice& on) {
        const auto session = prepare(on, filter_of_any_width(), {sized(3)});
        ASSERT_TRUE(session) << session.message();
        const auto refusal = [&](std::vector<NamedDesc> inputs) { return std::string(session->for_inputs(inputs).message()); };
        EXPECT_EQ(refusal({}), "input 'X': it needs a description, since the model declares only float[1,1,?]");
        EXPECT_EQ(refusal({sized(3), sized(3)}), "input 'X' is described twice");
        EXPECT_EQ(refusal({sized(3), {"Z", {DType::float32, {1}}, {}}}), "the model has no input 'Z' that a caller fills");
        EXPECT_EQ(refusal({{"X", {DType::float32, {1, 2, 3}}, {}}}),
                  "input 'X': dims[1] = 2, but the model declares float[1,1,?]");
        EXPECT_EQ(Session().for_inputs({}).message(), "Session::for_inputs: the Session is an empty handle");
        EXPECT_EQ(prepare(on, filter_of_any_width(), {sized(3)}, {.max_plans = 0}).message(),
                  "SessionOptions::max_plans = 0 must be at least 1");
        expect_filtered(*session, 3);
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
