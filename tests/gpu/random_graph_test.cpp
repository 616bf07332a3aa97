// This file runs small random graphs of all operators at hand as a session, bound to device tensors, and recorded into an
// application's command buffer. Each output must equal, bit by bit, what the nodes give one after the other with memory of their
// own, by the kernels that the session has picked or, reproducible, by any.
#include <algorithm>
#include <cstdlib>
#include <random>

#include "interop_host.h"
#include "kit/draw.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using Bytes = std::vector<std::byte>;
using onnx::HostTensor;

constexpr int not_given = -1;

struct DrawnValue {
    std::string name = {};
    HostTensor tensor = {};  // has elements of inputs and initializers; of others once computed
};

struct DrawnNode {
    std::optional<Operator> op;  // none: the output is the first input under other dimensions
    std::vector<int> inputs;
    int output = 0;
};

// This struct writes an operator's attributes into a node.
struct AttributeWriter {
    std::vector<std::string>& attributes;

    void operator()(std::string_view name, const std::vector<int64_t>& list) const
    {
        if (!list.empty())
            attributes.push_back(kit::ints_attribute(name, list));
    }
    void operator()(std::string_view name, const std::vector<float>& list) const
    {
        if (!list.empty())
            attributes.push_back(kit::floats_attribute(name, list));
    }
    void operator()(std::string_view name, const std::optional<int64_t>& number) const
    {
        if (number)
            attributes.push_back(kit::int_attribute(name, *number));
    }
    void operator()(std::string_view name, const std::optional<float>& number) const
    {
        if (number)
            attributes.push_back(kit::float_attribute(name, *number));
    }
    void operator()(std::string_view name, int64_t number) const { attributes.push_back(kit::int_attribute(name, number)); }
    template <class Value>
    void operator()(std::string_view name, const std::vector<Value>& list, Spellings<Value> words) const
    {
        std::vector<std::string> strings;
        for (const Value value : list)
            strings.emplace_back(word_of(words, value));
        if (!list.empty())
            attributes.push_back(kit::strings_attribute(name, strings));
    }
    template <class Value>
    void operator()(std::string_view name, Value value, Spellings<Value> words) const
    {
        attributes.push_back(kit::string_attribute(name, word_of(words, value)));
    }
};

class RandomGraph {
public:
    explicit RandomGraph(unsigned number) : seed(number), random_(number)
    {
        builder_.opset(newest_opset);
        for (size_t i = 1 + below(2); i > 0; --i)
            add_input();
        for (size_t i = 3 + below(12); i > 0; --i)
            add_any();
        std::vector<int> candidates(values.size());
        for (size_t i = 0; i < values.size(); ++i)
            candidates[i] = int(i);
        std::shuffle(candidates.begin(), candidates.end() - 1, random_);
        outputs = {int(values.size()) - 1};
        for (size_t i = below(4); i > 0 && i < candidates.size(); --i)
            if (values[size_t(candidates[i - 1])].tensor.desc.dtype == DType::float32)
                outputs.push_back(candidates[i - 1]);
        for (const int output : outputs)
            builder_.output(values[size_t(output)].name);
    }

    std::string file() const { return builder_.build(); }

    unsigned seed = 0;
    std::vector<DrawnValue> values;
    std::vector<DrawnNode> nodes;
    std::vector<int> inputs;
    std::vector<int> outputs;

private:
    size_t below(size_t end) { return size_t(random_() % end); }
    bool chance(size_t in) { return below(in) == 0; }
    const Dims& dims(int value) const { return values[size_t(value)].tensor.desc.dims; }
    int any_value() { return floats_[chance(2) ? floats_.size() - 1 : below(floats_.size())]; }

    Dims any_dims()
    {
        constexpr int64_t extents[] = {1, 2, 3, 5, 7, 8};
        Dims dims(3 + below(2));
        for (int64_t& extent : dims)
            extent = extents[below(std::size(extents))];
        return dims;
    }

    int add_value(TensorDesc desc, bool filled)
    {
        DrawnValue value = {.name = "v" + std::to_string(values.size())};
        if (filled) {
            std::vector<float> elements(size_t(*element_count(desc)));
            for (float& element : elements)
                element = float(int(below(17)) - 8) / 4;
            value.tensor = floats(desc.dims, elements);
        }
        value.tensor.desc = std::move(desc);
        values.push_back(std::move(value));
        floats_.push_back(int(values.size()) - 1);
        return floats_.back();
    }

    void add_input()
    {
        const Dims dims = any_dims();
        inputs.push_back(add_value({.dims = dims}, true));
        builder_.input(values.back().name, DType::float32, std::vector<kit::Dim>(dims.begin(), dims.end()));
    }

    int add_initializer(const Dims& dims)
    {
        const int value = add_value({.dims = dims}, true);
        floats_.pop_back();  // else most nodes would be of constants alone
        const HostTensor& tensor = values.back().tensor;
        builder_.initializer(kit::raw_tensor(values.back().name, tensor.desc, tensor.data));
        return value;
    }

    // Returns an initializer, or what an operator makes of one, which sessions compute once.
    int add_constant(const Dims& dims)
    {
        const int value = add_initializer(dims);
        if (!chance(4))
            return value;
        add(Elementwise{.kind = chance(2) ? ElementwiseKind::neg : ElementwiseKind::abs}, {value});
        floats_.pop_back();
        return int(values.size()) - 1;
    }

    int add_ints(const std::vector<int64_t>& list)
    {
        values.push_back({.name = "v" + std::to_string(values.size())});
        values.back().tensor = host(DType::int64, {int64_t(list.size())}, list);
        builder_.initializer(kit::int64_tensor(values.back().name, {int64_t(list.size())}, list));
        return int(values.size()) - 1;
    }

    std::vector<std::string> names(const std::vector<int>& list) const
    {
        std::vector<std::string> names;
        for (const int value : list)
            names.push_back(value == not_given ? "" : values[size_t(value)].name);
        return names;
    }

    void add(const Operator& op, const std::vector<int>& from)
    {
        std::vector<TensorDesc> descs;
        for (const int value : from)
            descs.push_back(value == not_given ? TensorDesc{.dtype = DType::undefined} : values[size_t(value)].tensor.desc);
        const auto made = infer(op, descs);
        ASSERT_TRUE(made) << made.message();
        if (*element_count(made->front()) > 4000)
            return;
        std::vector<std::string> attributes;
        fields(op, AttributeWriter{attributes});
        const int output = add_value(made->front(), false);
        builder_.node(vkonnx::name(op), names(from), {values.back().name}, attributes);
        nodes.push_back({op, from, output});
    }

    void add_view(const char* op, int from, const Dims& dims, const std::vector<int>& more = {},
                  const std::vector<std::string>& attributes = {})
    {
        std::vector<int> all = {from};
        all.insert(all.end(), more.begin(), more.end());
        const int output = add_value({.dims = dims}, false);
        builder_.node(op, names(all), {values.back().name}, attributes);
        nodes.push_back({{}, {from}, output});
    }

    void add_any_view()
    {
        const int from = any_value();
        Dims changed = dims(from);
        switch (below(5)) {
        case 0:
            return add_view("Identity", from, changed);
        case 1:
            return add_view("Dropout", from, changed);
        case 2: {
            int64_t rows = 1, columns = 1;
            for (size_t i = 0; i < changed.size(); ++i)
                (i < 1 ? rows : columns) *= changed[i];
            return add_view("Flatten", from, {rows, columns});
        }
        case 3:
            if (changed.size() > 5)
                return;
            changed.insert(changed.begin(), 1);
            return add_view("Unsqueeze", from, changed, {add_ints({0})});
        default: {
            // Exporters write it so: the same dimensions by way of Shape, and of a product that is 1.
            std::reverse(changed.begin(), changed.end());
            if (chance(2))
                return add_view("Reshape", from, changed, {add_ints(changed)});
            const int ones = add_ints(Dims(changed.size(), 1));
            const std::string shape = "s" + std::to_string(values.size()), product = "p" + std::to_string(values.size());
            builder_.node("Shape", {values[size_t(from)].name}, {shape})
                .node("Mul", {shape, values[size_t(ones)].name}, {product});
            const int output = add_value({.dims = dims(from)}, false);
            builder_.node("Reshape", {values[size_t(from)].name, product}, {values.back().name});
            nodes.push_back({{}, {from}, output});
        }
        }
    }

    void add_unary()
    {
        constexpr ElementwiseKind kinds[] = {ElementwiseKind::relu, ElementwiseKind::leaky_relu,   ElementwiseKind::neg,
                                             ElementwiseKind::abs,  ElementwiseKind::hard_sigmoid, ElementwiseKind::hard_swish};
        add(Elementwise{.kind = kinds[below(std::size(kinds))]}, {any_value()});
    }

    void add_clip()
    {
        const int from = any_value();
        const int least = chance(2) ? not_given : add_initializer({});
        add(Elementwise{.kind = ElementwiseKind::clip}, {from, least, add_initializer({})});
    }

    // Returns a second operand that the first may be broadcast with, or the first itself.
    int partner_of(int first)
    {
        if (chance(4))
            return first;
        for (const int value : floats_)
            if (value != first && dims(value) == dims(first) && chance(2))
                return value;
        Dims partner = dims(first);
        for (int64_t& extent : partner)
            if (chance(2))
                extent = 1;
        partner.erase(partner.begin(), partner.begin() + ptrdiff_t(below(partner.size() + 1)));
        return add_constant(partner);
    }

    void add_pair()
    {
        constexpr ElementwiseKind kinds[] = {ElementwiseKind::add, ElementwiseKind::sub, ElementwiseKind::mul};
        const int first = any_value();
        const int second = partner_of(first);
        const bool swapped = chance(2);
        add(Elementwise{.kind = kinds[below(std::size(kinds))]}, {swapped ? second : first, swapped ? first : second});
    }

    void add_many()
    {
        constexpr ElementwiseKind kinds[] = {ElementwiseKind::sum, ElementwiseKind::min, ElementwiseKind::max};
        std::vector<int> all = {any_value()};
        for (size_t i = below(6); i > 0; --i)
            all.push_back(partner_of(all.front()));
        add(Elementwise{.kind = kinds[below(std::size(kinds))]}, all);
    }

    void add_pool()
    {
        const int from = any_value();
        if (dims(from).size() < 3)
            return;
        AveragePool pool;
        for (size_t i = 2; i < dims(from).size(); ++i)
            pool.kernel_shape.push_back(1 + int64_t(below(2)));
        pool.auto_pad = chance(2) ? AutoPad::same_upper : AutoPad::same_lower;
        add(pool, {from});
    }

    void add_transposed()
    {
        const int from = any_value();
        if (dims(from).size() < 3 || dims(from).size() > 5)
            return;
        Dims filter = {dims(from)[1], 1 + int64_t(below(3))};
        ConvTranspose op;
        for (size_t i = 2; i < dims(from).size(); ++i) {
            filter.push_back(1 + int64_t(below(3)));
            op.strides.push_back(1 + int64_t(below(2)));
        }
        std::vector<int> all = {from, add_constant(filter)};
        if (chance(2))
            all.push_back(add_constant({filter[1]}));
        add(op, all);
    }

    void add_any()
    {
        switch (below(8)) {
        case 0:
        case 1:
            return add_any_view();
        case 2:
            return add_unary();
        case 3:
            return add_clip();
        case 4:
            return add_pair();
        case 5:
            return add_many();
        case 6:
            return add_pool();
        default:
            return add_transposed();
        }
    }

    std::mt19937 random_;
    kit::ModelBuilder builder_;
    std::vector<int> floats_;
};

// Returns the name for PrepareOptions::kernel of the kernel that computes a value by the report; "" where any may.
std::string kernel_of(const onnx::GraphReport& report, const std::string& value, const std::vector<KernelInfo>& kernels)
{
    std::string name;
    for (const onnx::NodeReport& node : report.nodes)
        for (const KernelInfo& kernel : kernels)
            if (node.outputs.front() == value && node.explanation.kernel.starts_with(kernel.name) &&
                kernel.name.size() > name.size())
                name = kernel.name;
    return name;
}

// Computes each node by itself, with tensors of its own.
void compute(const Device& device, const onnx::GraphReport& report, bool reproducible, RandomGraph& graph)
{
    for (const DrawnNode& node : graph.nodes) {
        DrawnValue& output = graph.values[size_t(node.output)];
        if (!node.op) {
            output.tensor.data = graph.values[size_t(node.inputs[0])].tensor.data;
            continue;
        }
        std::vector<TensorDesc> descs;
        std::vector<Tensor> tensors;
        for (const int input : node.inputs) {
            descs.push_back({.dtype = DType::undefined});
            if (input == not_given)
                continue;
            const HostTensor& tensor = graph.values[size_t(input)].tensor;
            descs.back() = tensor.desc;
            const auto made = device.tensor(tensor.desc, tensor.data);
            ASSERT_TRUE(made) << made.message();
            tensors.push_back(*made);
        }
        const auto all = kernels(*node.op, descs, device.capabilities());
        ASSERT_TRUE(all) << all.message();
        const auto op = device.prepare(
            *node.op, descs, {.kernel = reproducible ? "" : kernel_of(report, output.name, *all), .reproducible = reproducible});
        ASSERT_TRUE(op) << op.message();
        const auto y = device.tensor(output.tensor.desc);
        ASSERT_TRUE(y) << y.message();
        const auto binding = device.bind(*op, tensors, {&*y, 1});
        ASSERT_TRUE(binding) << binding.message();
        ASSERT_TRUE(device.run(*binding));
        output.tensor.data.resize(size_t(*byte_size(output.tensor.desc)));
        ASSERT_TRUE(y->download(output.tensor.data));
    }
}

void expect_equal(const RandomGraph& graph, size_t output, const Bytes& got, const char* way)
{
    const DrawnValue& expected = graph.values[size_t(graph.outputs[output])];
    EXPECT_TRUE(got == expected.tensor.data)
        << way << ": output '" << expected.name << "', " << to_string(expected.tensor.desc) << ", differs";
}

struct Operands {
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
};

void make_operands(const Device& device, const RandomGraph& graph, Operands& operands)
{
    for (const int input : graph.inputs) {
        const HostTensor& tensor = graph.values[size_t(input)].tensor;
        const auto made = device.tensor(tensor.desc, tensor.data);
        ASSERT_TRUE(made) << made.message();
        operands.inputs.push_back(*made);
    }
    for (const int output : graph.outputs) {
        const TensorDesc& desc = graph.values[size_t(output)].tensor.desc;
        const auto made = device.tensor(desc, Bytes(size_t(*byte_size(desc)), std::byte{0xff}));
        ASSERT_TRUE(made) << made.message();
        operands.outputs.push_back(*made);
    }
}

void expect_outputs(const RandomGraph& graph, const Operands& operands, const char* way)
{
    for (size_t i = 0; i < operands.outputs.size(); ++i) {
        Bytes got(size_t(*byte_size(operands.outputs[i].desc())));
        ASSERT_TRUE(operands.outputs[i].download(std::span<std::byte>(got)));
        expect_equal(graph, i, got, way);
    }
}

bool is_reproducible(const RandomGraph& graph)
{
    return graph.seed % 2 == 1;
}

// Returns options without the fusions that round elsewhere than the nodes do: random_fusion_test.cpp has those.
onnx::SessionOptions options_of(const RandomGraph& graph, uint32_t threads)
{
    onnx::SessionOptions options;
    options.prepare.reproducible = is_reproducible(graph);
    options.prepare_threads = threads;
    options.without_fusions = uint32_t(onnx::Fusion::pattern) | uint32_t(onnx::Fusion::weights) | uint32_t(onnx::Fusion::chain);
    return options;
}

void expect_session(const Device& device, const onnx::Model& model, RandomGraph& graph, uint32_t threads)
{
    const onnx::SessionOptions options = options_of(graph, threads);
    auto session = onnx::Session::prepare(device, model, {}, options);
    ASSERT_TRUE(session) << session.message();
    ASSERT_NO_FATAL_FAILURE(compute(device, session->report(), options.prepare.reproducible, graph));
    std::vector<HostTensor> given;
    for (const int input : graph.inputs)
        given.push_back(graph.values[size_t(input)].tensor);
    for (const char* way : {"first run", "second run"}) {
        const auto got = session->run(given);
        ASSERT_TRUE(got) << got.message();
        for (size_t i = 0; i < got->size(); ++i)
            expect_equal(graph, i, (*got)[i].data, way);
    }
    Operands operands;
    ASSERT_NO_FATAL_FAILURE(make_operands(device, graph, operands));
    auto bound = session->bind(operands.inputs, operands.outputs);
    ASSERT_TRUE(bound) << bound.message();
    session = onnx::Session();
    ASSERT_TRUE(bound->run());
    expect_outputs(graph, operands, "bound");
    auto job = bound->submit();
    ASSERT_TRUE(job) << job.message();
    ASSERT_TRUE(job->wait(60));
    expect_outputs(graph, operands, "submitted");
}

void expect_recorded(Host& host, const Device& device, const onnx::Model& model, RandomGraph& graph)
{
    const onnx::SessionOptions options = options_of(graph, 1);
    const auto session = onnx::Session::prepare(device, model, {}, options);
    ASSERT_TRUE(session) << session.message();
    ASSERT_NO_FATAL_FAILURE(compute(device, session->report(), options.prepare.reproducible, graph));
    Operands operands;
    ASSERT_NO_FATAL_FAILURE(make_operands(device, graph, operands));
    const auto bound = session->bind(operands.inputs, operands.outputs);
    ASSERT_TRUE(bound) << bound.message();
    const VkCommandBuffer commands = host.engine.begin_commands();
    const Status recorded = vulkan::record(commands, *bound, vulkan::RecordFlags::outer_barriers);
    ASSERT_TRUE(recorded) << recorded.message();
    host.engine.end_commands(commands);
    host.engine.submit(commands);
    expect_outputs(graph, operands, "recorded");
}

// One out of five graphs is recorded, too. That is done later, because there is one shim at a time.
void try_sessions(const PresentDevice& present, unsigned first_seed, int rounds, std::vector<RandomGraph>& to_record)
{
    auto opened = CaseDevice::shared(present.index);
    ASSERT_TRUE(opened) << opened.message();
    for (int round = 0; round < rounds; ++round) {
        const unsigned seed = first_seed + unsigned(round);
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraph graph(seed);
        const auto model = onnx::Model::parse(kit::as_bytes(graph.file()));
        ASSERT_TRUE(model) << model.message();
        ASSERT_NO_FATAL_FAILURE(expect_session((*opened)->device(), *model, graph, 1 + seed % 3));
        ASSERT_FALSE(testing::Test::HasFailure());
        if (round % 5 == 0)
            to_record.push_back(std::move(graph));
    }
    EXPECT_EQ((*opened)->shim().guard_report(), "");
    EXPECT_EQ((*opened)->take_messages(), "");
}

void try_recording(const PresentDevice& present, std::vector<RandomGraph>& graphs)
{
    Host host(present);
    {
        const auto adopted = vulkan::adopt(host.description());
        ASSERT_TRUE(adopted) << adopted.message();
        for (RandomGraph& graph : graphs) {
            SCOPED_TRACE("seed " + std::to_string(graph.seed));
            const auto model = onnx::Model::parse(kit::as_bytes(graph.file()));
            ASSERT_TRUE(model) << model.message();
            ASSERT_NO_FATAL_FAILURE(expect_recorded(host, *adopted, *model, graph));
            ASSERT_FALSE(testing::Test::HasFailure());
        }
    }
    EXPECT_EQ(host.shim.guard_report(), "");
}

TEST(RandomGraphs, SameBitsAsNodeByNode)
{
    const uint32_t seed = kit::test_seed(1);
    const int count = kit::test_problems(20);
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        std::vector<RandomGraph> graphs;
        ASSERT_NO_FATAL_FAILURE(try_sessions(present, seed, count, graphs));
        ASSERT_NO_FATAL_FAILURE(try_recording(present, graphs));
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
