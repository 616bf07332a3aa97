// What is fused computes what the operators by themselves compute: random convolutions and products, with what may follow them,
// with and without each Fusion.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "kit/elements.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using onnx::HostTensor;

constexpr uint32_t all_fusions = 63;
constexpr unsigned graphs = 24;

// A writer, "Conv" for one, and up to four operators behind it that may go into it.
class FusedGraph {
public:
    explicit FusedGraph(unsigned seed) : random_(seed)
    {
        // doubles in integer words take a software driver seconds to compile
        constexpr DType types[] = {DType::float32, DType::float16, DType::bfloat16};
        dtype = below(10) == 0 ? DType::float64 : types[below(3)];
        builder_.opset(22);
        switch (below(5)) {
        case 0:
        case 1:
            add_filter();
            break;
        case 2:
        case 3:
            add_product();
            break;
        default:
            add_nothing();
        }
        for (size_t i = 1 + below(4); i > 0; --i)
            add_follower();
        builder_.output(last_);
    }

    std::string file() const { return builder_.build(); }

    DType dtype = {};
    HostTensor input = {};
    std::string text = {};  // the operators

private:
    size_t below(size_t end) { return size_t(random_() % end); }

    HostTensor tensor(const Dims& dims, double least, double most, bool nan = false)
    {
        HostTensor made;
        made.desc = {.dtype = dtype, .dims = dims};
        std::uniform_real_distribution<double> between(least, most);
        std::vector<double> numbers(size_t(*element_count(made.desc)));
        for (double& number : numbers)
            number = nan ? NAN : between(random_);
        made.data = kit::encoded(dtype, numbers);
        return made;
    }

    std::string constant(const Dims& dims, double least, double most, bool nan = false)
    {
        const std::string name = "c" + std::to_string(constants_++);
        const HostTensor made = tensor(dims, least, most, nan);
        builder_.initializer(kit::raw_tensor(name, made.desc, made.data));
        return name;
    }

    void add(const std::string& op, std::vector<std::string> inputs, const std::vector<std::string>& attributes = {})
    {
        const std::string output = "v" + std::to_string(values_++);
        builder_.node(op, inputs, {output}, attributes);
        last_ = output;
        text += " " + op;
    }

    void set_input(const Dims& dims)
    {
        input = tensor(dims, -1, 1);
        builder_.input("X", dtype, std::vector<kit::Dim>(dims.begin(), dims.end()));
        last_ = "X";
    }

    void add_filter()
    {
        const size_t axes = 1 + below(3);
        const int64_t group = 1 + int64_t(below(3));
        const int64_t in = group * (1 + int64_t(below(3)));
        const int64_t out = group * (1 + int64_t(below(3)));
        const bool transpose = below(2) == 0;
        channels_ = out;
        rank_ = 2 + axes;
        axis_ = 1;
        Dims x = {1 + int64_t(below(2)), in};
        Dims w = transpose ? Dims{in, out / group} : Dims{out, in / group};
        for (size_t a = 0; a < axes; ++a) {
            x.push_back(4 + int64_t(below(3)));
            w.push_back(1 + int64_t(below(3)));
        }
        set_input(x);
        const bool front_is_padded = below(2) == 0;
        if (front_is_padded)
            add_front(in);
        if (!transpose && below(3) == 0) {
            const std::string pads = "pads";
            std::vector<int64_t> list(2 * rank_);
            for (size_t a = 2; a < rank_; ++a)
                list[a] = list[rank_ + a] = int64_t(below(3));
            builder_.initializer(kit::int64_tensor(pads, {int64_t(list.size())}, list));
            add("Pad", {last_, pads});
        }
        if (!front_is_padded)
            add_front(in);
        std::vector<std::string> inputs = {last_, constant(w, -1, 1)};
        if (below(2) == 0)
            inputs.push_back(constant({out}, -1, 1));
        add(transpose ? "ConvTranspose" : "Conv", inputs, {kit::int_attribute("group", group)});
    }

    // What may be a prologue, of so many channels.
    void add_front(int64_t channels)
    {
        if (below(2) == 0)
            add("BatchNormalization", {last_, constant({channels}, 0.5, 2), constant({channels}, -1, 1),
                                       constant({channels}, -1, 1), constant({channels}, 0.5, 2)});
        Dims slopes(rank_ - 1, 1);
        slopes[0] = below(2) == 0 ? 1 : channels;
        switch (below(4)) {
        case 0:
            add("Relu", {last_});
            return;
        case 1:
            add("PRelu", {last_, constant(slopes, -1, 1)});
            return;
        case 2:
            add("LeakyRelu", {last_});
            return;
        default:
            return;
        }
    }

    void add_product()
    {
        const int64_t depth = 1 + int64_t(below(5));
        channels_ = 1 + int64_t(below(5));
        const bool gemm = below(2) == 0;
        const bool transposed = gemm && below(2) == 0;
        Dims x = {3, depth};
        if (!gemm && below(2) == 0)
            x.insert(x.begin(), 2);
        rank_ = x.size();
        axis_ = rank_ - 1;
        set_input(x);
        std::vector<std::string> inputs = {last_, constant(transposed ? Dims{channels_, depth} : Dims{depth, channels_}, -1, 1)};
        const float beta = float(2 * below(3));  // with 0, C is not read, whatever it is
        if (gemm && below(2) == 0)
            inputs.push_back(constant(below(2) == 0 ? Dims{channels_} : Dims{1, 1}, -1, 1, beta == 0));
        if (gemm)
            add("Gemm", inputs,
                {kit::int_attribute("transB", transposed), kit::float_attribute("alpha", 0.5f),
                 kit::float_attribute("beta", beta)});
        else
            add("MatMul", inputs);
    }

    // What follows are elementwise operators only.
    void add_nothing()
    {
        rank_ = 3;
        axis_ = 1;
        channels_ = 1 + int64_t(below(4));
        set_input({2, channels_, 5});
    }

    // Of a channel each, or one for all.
    Dims broadcast()
    {
        Dims dims(rank_ - axis_, 1);
        dims[0] = below(3) == 0 ? 1 : channels_;
        return dims;
    }

    void add_follower()
    {
        constexpr const char* arithmetic[] = {"Add", "Sub", "Mul", "Div"};
        constexpr const char* activations[] = {"Relu", "LeakyRelu", "HardSigmoid", "HardSwish", "Neg", "Abs"};
        switch (below(axis_ == 1 ? 6 : 5)) {
        case 0:
        case 1: {
            const size_t op = below(4);
            const std::string other = constant(broadcast(), 0.5, 2);
            op != 3 && below(3) == 0 ? add(arithmetic[op], {other, last_}) : add(arithmetic[op], {last_, other});
            return;
        }
        case 2:
            add(activations[below(std::size(activations))], {last_});
            return;
        case 3:
            add_spelled();
            return;
        case 4: {  // with itself
            const std::string x = last_;
            add(activations[below(std::size(activations))], {x});
            add(below(2) == 0 ? "Add" : "Sub", {x, last_});
            return;
        }
        default:
            add("BatchNormalization", {last_, constant({channels_}, 0.5, 2), constant({channels_}, -1, 1),
                                       constant({channels_}, -1, 1), constant({channels_}, 0.5, 2)});
        }
    }

    void add_spelled()
    {
        const std::string x = last_;
        add("Add", {x, constant({}, 3, 3)});
        add("Clip", {last_, constant({}, 0, 0), constant({}, 6, 6)});
        add("Mul", {x, last_});
        add("Div", {last_, constant({}, 6, 6)});
    }

    std::mt19937 random_;
    kit::ModelBuilder builder_;
    std::string last_;
    size_t constants_ = 0;
    size_t values_ = 0;
    int64_t channels_ = 1;
    size_t rank_ = 2;
    size_t axis_ = 1;  // of the channels
};

// Of a unit in the last place of the greatest: a value is rounded some ten times on either way, and grows by factors of 2 to 4 in
// between.
double tolerance(DType dtype)
{
    switch (dtype) {
    case DType::float16:
        return 40 * 0x1p-11;
    case DType::bfloat16:
        return 40 * 0x1p-8;
    case DType::float64:
        return 100 * 0x1p-53;
    default:
        return 100 * 0x1p-24;
    }
}

std::vector<double> output_of(const CaseDevice& device, const FusedGraph& graph, uint32_t without, size_t& dispatches)
{
    onnx::SessionOptions options;
    options.without_fusions = without;
    Result<onnx::Session> session = prepare(device, graph.file(), {}, options);
    EXPECT_TRUE(session) << session.message();
    const auto outputs = session ? session->run({&graph.input, 1}) : Result<std::vector<HostTensor>>(session.status());
    EXPECT_TRUE(outputs) << outputs.message();
    if (!outputs)
        return {};
    const auto nodes = session->nodes();
    dispatches = size_t(std::count_if(nodes.begin(), nodes.end(), [](const onnx::NodeReport& node) { return node.runs(); }));
    return kit::decoded(graph.dtype, outputs->front().data);
}

TEST(RandomFusion, ComputesWhatTheOperatorsCompute)
{
    const char* const given = std::getenv("VKONNX_TEST_SEED");
    const unsigned first = given ? unsigned(std::strtoul(given, nullptr, 10)) : std::random_device()();
    std::printf("VKONNX_TEST_SEED=%u\n", first);
    on_every_device([&](const CaseDevice& device) {
        size_t fewer = 0;
        for (unsigned seed = first; seed < first + graphs; ++seed) {
            const FusedGraph graph(seed);
            SCOPED_TRACE("seed " + std::to_string(seed) + ":" + graph.text + " of " + std::string(name(graph.dtype)));
            size_t alone = 0;
            const std::vector<double> expected = output_of(device, graph, all_fusions, alone);
            const uint32_t one = uint32_t(onnx::fusion_words[seed % std::size(onnx::fusion_words)].value);
            for (const uint32_t without : {0u, all_fusions & ~one}) {
                size_t dispatches = 0;
                const std::vector<double> got = output_of(device, graph, without, dispatches);
                ASSERT_EQ(got.size(), expected.size());
                double greatest = 0;
                for (const double value : expected)
                    greatest = std::max(greatest, std::abs(value));
                for (size_t i = 0; i < got.size(); ++i)
                    ASSERT_NEAR(got[i], expected[i], greatest * tolerance(graph.dtype)) << i << ", without " << without;
                fewer += without == 0 && dispatches < alone;
            }
        }
        EXPECT_GE(fewer, graphs / 2) << "graphs of which something was fused";
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
