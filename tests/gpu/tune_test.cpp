// This file tests PrepareOptions::tune: the fastest kernel by the clock, found once.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

PrepareOptions by_the_clock()
{
    return {.tune = true};
}

// Two kernels are estimated to take about as long.
const AveragePool halving = {.kernel_shape = {2, 2}, .strides = {2, 2}};
const TensorDesc batch = {DType::float32, {2, 8, 16, 16}};

struct Timed {
    std::string kernel;
    double milliseconds = 0;
};

// Reads "timed (PrepareOptions::tune): average_pool_rows 0.012 ms, average_pool_direct 0.02 ms". Returns nothing where nothing
// was timed.
std::vector<Timed> timed_in(const std::string& why)
{
    std::vector<Timed> all;
    if (why.rfind("timed (PrepareOptions::tune): ", 0) != 0)
        return all;
    const std::regex one("([a-z_]+) ([0-9.e+-]+) ms");
    for (std::sregex_iterator at(why.begin(), why.end(), one), end; at != end; ++at)
        all.push_back({(*at)[1], std::stod((*at)[2])});
    return all;
}

class Tune : public testing::TestWithParam<PresentDevice> {
protected:
    Device opened(DeviceOptions options = {})
    {
        options.select = std::to_string(GetParam().index);
        options.self_test = false;  // estimates by a rate that is measured may be far apart, so that nothing is timed
        if (shim_.error().empty())
            options.get_instance_proc_addr = shim_.get_instance_proc_addr();
        Result<Device> device = Device::open(options);
        EXPECT_TRUE(device) << device.message();
        return device ? *device : Device();
    }

    // This tells how long each run takes by the device's clock, from the first one on.
    std::function<uint64_t()> next_ticks_ = [] { return uint64_t(1'000'000); };
    kit::VulkanShim shim_{{.after_timestamps = [this](std::span<uint64_t> ticks) {
        ticks[0] = 0;
        for (size_t i = 1; i < ticks.size(); ++i)
            ticks[i] = ticks[i - 1] + next_ticks_();
    }}};
};

// By the device's clock each run takes a little less time than the one before, or a little more: the kernel that is timed last is
// the fastest, or the first one.
TEST_P(Tune, TakesTheFastestByTheClock)
{
    for (const bool ever_faster : {true, false}) {
        uint64_t ticks = 1'000'000;
        next_ticks_ = [&] { return ever_faster ? ticks -= 10'000 : ticks += 10'000; };
        const Device device = opened();
        if (!device.capabilities().timestamps)
            GTEST_SKIP() << "it is timed by the host's clock";
        const Result<Op> op = device.prepare(halving, {batch}, by_the_clock());
        ASSERT_TRUE(op) << op.message();
        const std::vector<Timed> timed = timed_in(op->explanation().why);
        ASSERT_GE(timed.size(), 2u) << op->explanation().why;
        const Timed& best = ever_faster ? timed.back() : timed.front();
        EXPECT_EQ(op->explanation().kernel.rfind(best.kernel, 0), 0u)
            << op->explanation().kernel << ": " << op->explanation().why;
        for (const Timed& one : timed)
            EXPECT_TRUE(&one == &best || one.milliseconds > best.milliseconds) << op->explanation().why;
    }
}

TEST_P(Tune, TimesAProblemOnce)
{
    const Device device = opened();
    ASSERT_TRUE(device.prepare(halving, {batch}, by_the_clock()));
    shim_.reset_calls();
    const Result<Op> again = device.prepare(halving, {batch}, by_the_clock());
    ASSERT_TRUE(again) << again.message();
    EXPECT_EQ(shim_.calls("vkQueueSubmit"), 0u);
    EXPECT_EQ(again->explanation().why, "the fastest when it was timed (DeviceOptions::tunings)");
    const Result<Op> other = device.prepare(halving, {TensorDesc{DType::float32, {2, 8, 16, 18}}}, by_the_clock());
    ASSERT_TRUE(other) << other.message();
    EXPECT_GT(shim_.calls("vkQueueSubmit"), 0u);
}

TEST_P(Tune, ServesTheNextDeviceAsText)
{
    std::string text;
    {
        const Device device = opened();
        ASSERT_TRUE(device.prepare(halving, {batch}, by_the_clock()));
        ASSERT_TRUE(device.prepare(halving, {TensorDesc{DType::bfloat16, {2, 8, 16, 16}}}, by_the_clock()));
        const Result<std::string> tunings = device.tunings();
        ASSERT_TRUE(tunings) << tunings.message();
        text = *tunings;
    }
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
    const std::string problem = "\tAveragePool auto_pad=0 kernel_shape=[2,2] strides=[2,2] dilations=[] pads=[] ceil_mode=none "
                                "count_include_pad=none opset=28 rules=0 [float:[2,8,16,16]:ncx]\t";
    ASSERT_TRUE(holds(text, problem)) << text;

    // Whatever stands there is taken, and of two lines the later one.
    const std::string behind = text.substr(text.find(problem));
    const std::string chosen = "average_pool_nd" + behind.substr(0, behind.find('\n'));
    const Device device = opened({.tunings = "# vkonnx\n\n" + text + chosen});
    shim_.reset_calls();
    const Result<Op> op = device.prepare(halving, {batch}, by_the_clock());
    ASSERT_TRUE(op) << op.message();
    EXPECT_EQ(op->explanation().kernel.rfind("average_pool_nd_", 0), 0u) << op->explanation().kernel;
    EXPECT_EQ(shim_.calls("vkQueueSubmit"), 0u);
    // It is not taken where nobody asks.
    const Result<Op> estimated = device.prepare(halving, {batch});
    ASSERT_TRUE(estimated) << estimated.message();
    EXPECT_TRUE(holds(estimated->explanation().why, "estimated at"));
}

TEST_P(Tune, TakesNoWordOfOtherDevicesNorForKernelsThatDoNotFit)
{
    std::string text;
    {
        const Device device = opened();
        ASSERT_TRUE(device.prepare(halving, {batch}, by_the_clock()));
        text = *device.tunings();
    }
    const std::string problem = text.substr(text.find('\t'));
    for (const std::string& lines : {"average_pool_separable" + problem, "average_pool_nobodys" + problem,
                                     "average_pool_nd" + problem.substr(0, problem.find('\t', 1)) + "\tanother GPU\n"}) {
        const Device device = opened({.tunings = lines});
        const Result<Op> op = device.prepare(halving, {batch}, by_the_clock());
        ASSERT_TRUE(op) << lines << op.message();
        EXPECT_GE(timed_in(op->explanation().why).size(), 2u) << lines << op->explanation().why;
    }
}

TEST_P(Tune, RefusesLinesThatAreNone)
{
    for (const char* line : {"average_pool_rows", "average_pool_rows\tAveragePool", "\tAveragePool\tGPU",
                             "average_pool_rows\t\tGPU", "average_pool_rows\tAveragePool\t"}) {
        const Result<Device> device =
            Device::open({.select = std::to_string(GetParam().index), .tunings = std::string("# fine\n") + line + "\n"});
        ASSERT_FALSE(device) << line;
        EXPECT_EQ(device.code(), Code::invalid_argument);
        EXPECT_TRUE(holds(device.message(), "DeviceOptions::tunings: line 2, '")) << line;
        EXPECT_TRUE(holds(device.message(), "must be a kernel, a problem and a device with tabs between them")) << line;
    }
}

TEST_P(Tune, LeavesToEstimatesWhatItHasNoMemoryToTime)
{
    const Device device = opened({.max_memory = 1 << 20});
    const TensorDesc large = {DType::float32, {1, 16, 256, 256}};
    const Result<Op> op = device.prepare(halving, {large}, by_the_clock());
    ASSERT_TRUE(op) << op.message();
    EXPECT_TRUE(holds(op->explanation().why, "estimated at"));
    EXPECT_EQ(*device.tunings(), "");
}

TEST_P(Tune, CountsForNothingBesideAKernel)
{
    const Device device = opened();
    shim_.reset_calls();
    const Result<Op> op = device.prepare(halving, {batch}, {.kernel = "average_pool_nd", .tune = true});
    ASSERT_TRUE(op) << op.message();
    EXPECT_EQ(op->explanation().why, "forced by PrepareOptions::kernel");
    EXPECT_EQ(shim_.calls("vkQueueSubmit"), 0u);
}

// Weights and bias are constant, and an activation follows: what is timed must be what will run.
TEST_P(Tune, TimesWithConstantsAndEpilogue)
{
    const Device device = opened();
    const TensorDesc x = {DType::float16, {1, 8, 9, 9}}, w = {DType::float16, {8, 4, 3, 3}};
    const Result<Tensor> weights = device.tensor(w, std::vector<uint16_t>(8 * 4 * 3 * 3, 0x3c00));
    ASSERT_TRUE(weights) << weights.message();
    PrepareOptions options = {.tune = true, .constants = {{1, *weights}}, .epilogue = Elementwise{.kind = ElementwiseKind::relu}};
    const ConvTranspose doubling = {.strides = {2, 2}};
    const Result<Op> op = device.prepare(doubling, {x, w}, options);
    ASSERT_TRUE(op) << op.message();
    const Result<std::string> text = device.tunings();
    ASSERT_GE(timed_in(op->explanation().why).size(), 2u) << op->explanation().why;
    EXPECT_TRUE(holds(*text, " constant [1] epilogue Relu "));
    const Result<Tensor> in = device.tensor(x, std::vector<uint16_t>(8 * 9 * 9, 0xbc00));  // -1
    const Result<Tensor> out = device.tensor(op->outputs()[0]);
    ASSERT_TRUE(in && out);
    ASSERT_TRUE(device.run(*op, {*in}, {*out}));
    std::vector<uint16_t> got(size_t(*element_count(out->desc())), 1);
    ASSERT_TRUE(out->download(got));
    EXPECT_EQ(got, std::vector<uint16_t>(got.size(), 0));
}

TEST_P(Tune, TellsItInASessionsReport)
{
    const Device device = opened();
    kit::ModelBuilder builder;
    builder.opset(newest_opset)
        .input("X", batch.dtype, {2, 8, 16, 16})
        .node("AveragePool", {"X"}, {"Y"}, {kit::ints_attribute("kernel_shape", {2, 2}), kit::ints_attribute("strides", {2, 2})})
        .output("Y");
    const std::string file = builder.build();
    const Result<onnx::Model> model = onnx::Model::parse(std::as_bytes(std::span(file)));
    ASSERT_TRUE(model) << model.message();
    const Result<onnx::Session> session = onnx::Session::prepare(device, *model, {}, {.prepare = by_the_clock()});
    ASSERT_TRUE(session) << session.message();
    EXPECT_GE(timed_in(session->report().nodes[0].explanation.why).size(), 2u) << session->report().nodes[0].explanation.why;
}

INSTANTIATE_TEST_SUITE_P(Tune, Tune, testing::ValuesIn(every_device()),
                         [](const testing::TestParamInfo<PresentDevice>& info) { return info.param.label; });

}  // namespace
}  // namespace vkonnx::gpu_test
