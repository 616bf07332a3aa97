// This file tests handles that are empty, moved from or of another device, and null where something must be. Every public
// function that takes one must refuse it in a sentence or give an empty value, and no function is forgotten here.
#include <vkonnx/onnx.hpp>

#include <fstream>
#include <map>
#include <set>

#include "interop_host.h"
#include "kit/onnx_builder.h"
#include "kit/source_path.h"

namespace vkonnx::gpu_test {
namespace {

// This struct holds one handle of each class, all of one device.
struct Hands {
    Device device = {};
    Tensor x = {};
    Tensor y = {};
    Weights weights = {};
    Staging staging = {};
    Op op = {};
    PlannedPipeline pipeline = {};
    Binding binding = {};
    Recording recording = {};
    Recording copies = {};  // with an upload and a download
    Job job = {};
    onnx::Model model = {};
    onnx::Session session = {};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkBuffer buffer = VK_NULL_HANDLE;
};

const SmallProblem problem;

onnx::HostTensor input_on_host()
{
    const auto bytes = std::as_bytes(std::span(problem.x));
    onnx::HostTensor tensor;
    tensor.desc = problem.input;
    tensor.data.assign(bytes.begin(), bytes.end());
    return tensor;
}

Status upload_x(Tensor& to)
{
    return to.upload(problem.x);
}

std::string model_file()
{
    return kit::ModelBuilder()
        .opset(13)
        .input("X", DType::float32, {1, 1, 2, 6})
        .node("AveragePool", {"X"}, {"Y"},
              {kit::ints_attribute("kernel_shape", problem.attributes.kernel_shape),
               kit::ints_attribute("strides", problem.attributes.strides)})
        .output("Y")
        .build();
}

template <class T>
T taken(Result<T> result)
{
    EXPECT_TRUE(result) << result.message();
    return result ? *result : T();
}

Hands on(const Device& device)
{
    Hands hands;
    const SmallRun small(device);
    hands.device = device;
    hands.x = small.x;
    hands.y = small.y;
    hands.weights = taken(Weights::create(device, problem.input, upload_x));
    hands.staging = taken(Staging::create(device));
    hands.op = small.op;
    hands.pipeline = hands.op.explanation().pipelines.at(0);
    hands.binding = taken(device.bind(hands.op, {&hands.x, 1}, {&hands.y, 1}));
    hands.recording = taken(device.recording());
    EXPECT_TRUE(hands.recording.add(hands.binding));
    hands.copies = taken(device.recording());
    EXPECT_TRUE(hands.copies.add_upload(hands.x) && hands.copies.add(hands.binding) && hands.copies.add_download(hands.y));
    hands.job = taken(device.submit(hands.binding));
    EXPECT_TRUE(hands.job.wait(60));
    hands.model = taken(onnx::Model::parse(kit::as_bytes(model_file())));
    hands.session = taken(onnx::Session::prepare(device, hands.model, {}));
    return hands;
}

// Returns what a function said or gave, in words.
std::string said(const Status& status)
{
    if (status)
        return "ok";
    return (status.code() == Code::invalid_argument ? "" : "another code: ") + std::string(status.message());
}

template <class T>
std::string said(const Result<T>& result)
{
    return said(result ? Status() : result.status());
}

std::string said(Result<Job> job)
{
    return job ? said(job->wait(60)) : said(job.status());
}

std::string text_of_values(const Tensor& tensor)
{
    std::vector<float> values(3);
    const Status read = tensor.download(values);
    return read ? testing::PrintToString(values) : said(read);
}

std::string count(size_t elements)
{
    return std::to_string(elements) + " elements";
}

const char* name_of(bool yes)
{
    return yes ? "yes" : "no";
}

// A row is one call. The object, or the first argument of a function without one, is from `self`, all other handles are from
// `given`.
struct Row {
    std::string function;
    std::string (*call)(Hands& self, Hands& given);
    std::string empty;                // what is said where `self` is empty
    std::string argument_empty = "";  // the same where `given` is empty; "" where there is no other handle
    std::string argument_foreign = "";
};

const std::vector<Row>& rows()
{
    static const std::vector<Row> all = {
        {"Tensor::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.x)); }, "no"},
        {"Weights::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.weights)); }, "no"},
        {"Staging::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.staging)); }, "no"},
        {"Op::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.op)); }, "no"},
        {"Binding::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.binding)); }, "no"},
        {"Job::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.job)); }, "no"},
        {"Recording::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.recording)); }, "no"},
        {"Device::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.device)); }, "no"},
        {"Model::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.model)); }, "no"},
        {"Session::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.session)); }, "no"},
        {"Tensor::desc", [](Hands& self, Hands&) { return to_string(self.x.desc()); }, "undefined[]"},
        {"Weights::desc", [](Hands& self, Hands&) { return to_string(self.weights.desc()); }, "undefined[]"},
        {"Weights::create", [](Hands& self, Hands&) { return said(Weights::create(self.device, problem.input, upload_x)); },
         "Weights::create: the Device is an empty handle"},
        {"Staging::create", [](Hands& self, Hands&) { return said(Staging::create(self.device)); },
         "Staging::create: the Device is an empty handle"},
        {"Staging::finish", [](Hands& self, Hands&) { return said(self.staging.finish()); },
         "Staging::finish: the Staging is an empty handle"},
        {"Tensor::upload", [](Hands& self, Hands&) { return said(self.x.upload(problem.x)); },
         "Tensor::upload: the Tensor is an empty handle"},
        {"Tensor::download", [](Hands& self, Hands&) { return text_of_values(self.y); },
         "Tensor::download: the Tensor is an empty handle"},
        {"Tensor::download", [](Hands& self, Hands&) { return said(self.y.download()); },
         "Tensor::download: the Tensor is an empty handle"},
        {"Tensor::view", [](Hands& self, Hands&) { return said(self.x.view({12})); },
         "Tensor::view: the Tensor is an empty handle"},
        {"Tensor::part",
         [](Hands& self, Hands&) {
             return said(self.x.part(0, {DType::uint8, {5}}));
         },
         "Tensor::part: the Tensor is an empty handle"},
        {"Tensor::shares_memory", [](Hands& self, Hands& given) -> std::string { return name_of(self.x.shares_memory(given.x)); },
         "no", "no", "no"},
        {"Op::inputs", [](Hands& self, Hands&) { return count(self.op.inputs().size()); }, "0 elements"},
        {"Op::outputs", [](Hands& self, Hands&) { return count(self.op.outputs().size()); }, "0 elements"},
        {"Op::explanation", [](Hands& self, Hands&) { return self.op.explanation().kernel + self.op.explanation().why; }, ""},
        {"Op::host_result", [](Hands& self, Hands&) { return count(self.op.host_result().size()); }, "0 elements"},
        {"PlannedPipeline::bool", [](Hands& self, Hands&) -> std::string { return name_of(bool(self.pipeline)); }, "no"},
        {"PlannedPipeline::kernel", [](Hands& self, Hands&) { return std::string(self.pipeline.kernel()); }, ""},
        {"PlannedPipeline::specialization", [](Hands& self, Hands&) { return count(self.pipeline.specialization().size()); },
         "0 elements"},
        {"PlannedPipeline::operator==",
         [](Hands& self, Hands&) -> std::string { return name_of(self.pipeline == PlannedPipeline()); }, "yes"},
        {"Job::wait", [](Hands& self, Hands&) { return said(self.job.wait(60)); }, "Job::wait: the Job is an empty handle"},
        {"Job::done", [](Hands& self, Hands&) -> std::string { return name_of(self.job.done()); }, "yes"},
        {"Job::gpu_seconds", [](Hands& self, Hands&) -> std::string { return name_of(!!self.job.gpu_seconds()); }, "no"},
        {"Recording::add", [](Hands& self, Hands& given) { return said(self.recording.add(given.binding)); },
         "Recording::add: the Recording is an empty handle", "Recording::add: the Binding is an empty handle",
         "Recording::add: the Binding belongs to another device"},
        {"Recording::add_upload", [](Hands& self, Hands& given) { return said(self.copies.add_upload(given.x)); },
         "Recording::add_upload: the Recording is an empty handle", "Recording::add_upload: the Tensor is an empty handle",
         "Recording::add_upload: the Tensor belongs to another device"},
        {"Recording::add_download", [](Hands& self, Hands& given) { return said(self.copies.add_download(given.y)); },
         "Recording::add_download: the Recording is an empty handle", "Recording::add_download: the Tensor is an empty handle",
         "Recording::add_download: the Tensor belongs to another device"},
        {"Recording::upload_bytes", [](Hands& self, Hands&) { return said(self.copies.upload_bytes(0)); },
         "Recording::upload_bytes: the Recording is an empty handle"},
        {"Recording::download_bytes", [](Hands& self, Hands&) { return said(self.copies.download_bytes(1)); },
         "Recording::download_bytes: the Recording is an empty handle"},
        {"Recording::run", [](Hands& self, Hands&) { return said(self.recording.run()); },
         "Recording::run: the Recording is an empty handle"},
        {"Recording::submit", [](Hands& self, Hands&) { return said(self.recording.submit()); },
         "Recording::submit: the Recording is an empty handle"},
        {"Recording::seconds", [](Hands& self, Hands&) -> std::string { return name_of(!self.recording.seconds().empty()); },
         "no"},
        {"Device::info", [](Hands& self, Hands&) { return self.device.info().name + self.device.info().uuid; }, ""},
        {"Device::capabilities",
         [](Hands& self, Hands&) -> std::string { return name_of(self.device.capabilities() == Capabilities()); }, "yes"},
        {"Device::memory", [](Hands& self, Hands&) { return std::to_string(self.device.memory().peak_allocated); }, "0"},
        {"Device::tensor", [](Hands& self, Hands&) { return said(self.device.tensor(problem.input)); },
         "Device::tensor: the Device is an empty handle"},
        {"Device::tensor", [](Hands& self, Hands&) { return said(self.device.tensor(problem.input, problem.x)); },
         "Device::tensor: the Device is an empty handle"},
        {"Device::prepare", [](Hands& self, Hands&) { return said(self.device.prepare(problem.attributes, {problem.input})); },
         "Device::prepare: the Device is an empty handle"},
        {"Device::prepare", [](Hands& self, Hands&) { return said(self.device.prepare(ConvTranspose{}, {})); },
         "Device::prepare: the Device is an empty handle"},
        {"Device::prepare", [](Hands& self, Hands&) { return said(self.device.prepare(onednn::ConvTranspose{}, {})); },
         "Device::prepare: the Device is an empty handle"},
        {"Device::prepare", [](Hands& self, Hands&) { return said(self.device.prepare(Shape{}, {problem.input})); },
         "Device::prepare: the Device is an empty handle"},
        {"Device::prepare",
         [](Hands& self, Hands& given) {
             return said(self.device.prepare(problem.attributes, {problem.input},
                                             {.constants = {{.input = 0, .weights = given.weights}}}));
         },
         "Device::prepare: the Device is an empty handle",
         "AveragePool: PrepareOptions::constants[0].tensor is an empty handle, but " + to_string(problem.input) + " is expected",
         "AveragePool: PrepareOptions::constants[0].weights belongs to another device"},
        {"Device::prepare",  // an empty staging means none
         [](Hands& self, Hands& given) {
             return said(self.device.prepare(problem.attributes, {problem.input}, {.staging = given.staging}));
         },
         "Device::prepare: the Device is an empty handle", "ok", "Device::prepare: the Staging belongs to another device"},
        {"Device::bind",
         [](Hands& self, Hands& given) {
             return said(self.device.bind(given.op, {&self.x, 1}, {&self.y, 1}));
         },
         "Device::bind: the Device is an empty handle", "Device::bind: the Op is an empty handle",
         "Device::bind: the Op belongs to another device"},
        {"Device::bind",
         [](Hands& self, Hands& given) {
             return said(self.device.bind(self.op, {&given.x, 1}, {&self.y, 1}));
         },
         "Device::bind: the Device is an empty handle",
         "AveragePool: input[0] is an empty handle, but float[1,1,2,6] is expected",
         "AveragePool: input[0] belongs to another device"},
        {"Device::bind",
         [](Hands& self, Hands& given) {
             return said(self.device.bind(self.op, {&self.x, 1}, {&given.y, 1}));
         },
         "Device::bind: the Device is an empty handle",
         "AveragePool: output[0] is an empty handle, but float[1,1,1,3] is expected",
         "AveragePool: output[0] belongs to another device"},
        {"Device::bind",  // an empty scratch means none
         [](Hands& self, Hands& given) {
             return said(self.device.bind(self.op, {&self.x, 1}, {&self.y, 1}, given.x));
         },
         "Device::bind: the Device is an empty handle", "ok", "AveragePool: scratch belongs to another device"},
        {"Device::bind",  // an input that is never read
         [](Hands& self, Hands& given) {
             const auto shape = self.device.prepare(Shape{}, {problem.input});
             const auto dims = self.device.tensor({DType::int64, {4}});
             return shape && dims ? said(self.device.bind(*shape, {&given.x, 1}, {&*dims, 1})) : said(dims);
         },
         "Device::tensor: the Device is an empty handle", "Shape: input[0] is an empty handle, but float[1,1,2,6] is expected",
         "Shape: input[0] belongs to another device"},
        {"Device::recording", [](Hands& self, Hands&) { return said(self.device.recording()); },
         "Device::recording: the Device is an empty handle"},
        {"Device::compile", [](Hands& self, Hands& given) { return said(self.device.compile(given.pipeline)); },
         "Device::compile: the Device is an empty handle", "Device::compile: the PlannedPipeline is an empty handle"},
        {"Device::save_cache",
         [](Hands& self, Hands&) {
             self.device.save_cache();
             return std::string("nothing");
         },
         "nothing"},
        {"Device::cache_use", [](Hands& self, Hands&) { return self.device.cache_use().place; }, ""},
        {"Device::tunings", [](Hands& self, Hands&) { return said(self.device.tunings()); },
         "Device::tunings: the Device is an empty handle"},
        {"Device::measure_peaks", [](Hands& self, Hands&) { return said(self.device.measure_peaks()); },
         "Device::measure_peaks: the Device is an empty handle"},
        {"Device::run", [](Hands& self, Hands& given) { return said(self.device.run(given.binding)); },
         "Device::run: the Device is an empty handle", "Device::run: the Binding is an empty handle",
         "Device::run: the Binding belongs to another device"},
        {"Device::run", [](Hands& self, Hands& given) { return said(self.device.run(given.op, {self.x}, {self.y})); },
         "Device::run: the Device is an empty handle", "Device::run: the Op is an empty handle",
         "Device::run: the Op belongs to another device"},
        {"Device::submit", [](Hands& self, Hands& given) { return said(self.device.submit(given.binding)); },
         "Device::submit: the Device is an empty handle", "Device::submit: the Binding is an empty handle",
         "Device::submit: the Binding belongs to another device"},
        {"vulkan::wrap",
         [](Hands& self, Hands&) {
             return said(vulkan::wrap(self.device, {.buffer = self.buffer, .size = 64, .usage = every_usage}, problem.input));
         },
         "vulkan::wrap: the Device is an empty handle"},
        {"vulkan::record", [](Hands& self, Hands& given) { return said(vulkan::record(given.commands, self.binding)); },
         "vulkan::record: bindings[0] is an empty handle"},
        {"vulkan::record",
         [](Hands& self, Hands& given) {
             const VkCommandBuffer commands = self.commands ? self.commands : given.commands;
             return said(vulkan::record(commands, std::vector<Binding>{self.binding, given.binding}));
         },
         "vulkan::record: bindings[0] is an empty handle", "vulkan::record: bindings[1] is an empty handle",
         "vulkan::record: bindings[1] belongs to another device"},
        {"vulkan::record",
         [](Hands& self, Hands& given) {
             return said(vulkan::record(self.commands ? self.commands : given.commands, self.recording));
         },
         "vulkan::record: the Recording is an empty handle"},
        {"vulkan::submit", [](Hands& self, Hands& given) { return said(vulkan::submit(self.device, given.binding, {})); },
         "vulkan::submit: the Device is an empty handle", "vulkan::submit: the Binding is an empty handle",
         "vulkan::submit: the Binding belongs to another device"},
        {"vulkan::submit", [](Hands& self, Hands&) { return said(vulkan::submit(self.recording, {})); },
         "vulkan::submit: the Recording is an empty handle"},
        {"Model::inputs", [](Hands& self, Hands&) { return count(self.model.inputs().size()); }, "0 elements"},
        {"Model::metadata", [](Hands& self, Hands&) { return count(self.model.metadata().size()); }, "0 elements"},
        {"Model::outputs", [](Hands& self, Hands&) { return count(self.model.outputs().size()); }, "0 elements"},
        {"onnx::explain", [](Hands& self, Hands&) { return said(onnx::explain(self.model, {}, Capabilities())); },
         "onnx::explain: the Model is an empty handle"},
        {"Session::prepare", [](Hands& self, Hands& given) { return said(onnx::Session::prepare(self.device, given.model, {})); },
         "Session::prepare: the Device is an empty handle", "Session::prepare: the Model is an empty handle", "ok"},
        {"Session::for_inputs", [](Hands& self, Hands&) { return said(self.session.for_inputs({})); },
         "Session::for_inputs: the Session is an empty handle"},
        {"Session::run",
         [](Hands& self, Hands&) {
             const auto outputs = self.session.run(std::vector<onnx::HostTensor>{input_on_host()});
             return outputs ? testing::PrintToString(outputs->at(0).data) : said(outputs);
         },
         "Session::run: the Session is an empty handle"},
        {"Session::run_views",
         [](Hands& self, Hands&) {
             const onnx::HostTensor x = input_on_host();
             const onnx::HostView view = {.desc = x.desc, .data = x.data};
             const auto outputs = self.session.run_views({&view, 1});
             return outputs ? testing::PrintToString(outputs->at(0).data) : said(outputs);
         },
         "Session::run_views: the Session is an empty handle"},
        {"Session::run_into",
         [](Hands& self, Hands&) {
             const onnx::HostTensor x = input_on_host();
             const onnx::HostView view = {.desc = x.desc, .data = x.data};
             std::vector<std::byte> output;
             const Status status = self.session.run_into({&view, 1}, [&](size_t, const TensorDesc& desc) {
                 output.resize(size_t(*byte_size(desc)));
                 return Result(std::span(output));
             });
             return status ? testing::PrintToString(output) : said(status);
         },
         "Session::run_into: the Session is an empty handle"},
        {"Session::bind",
         [](Hands& self, Hands& given) {
             return said(self.session.bind({&given.x, 1}, {&self.y, 1}));
         },
         "Session::bind: the Session is an empty handle", "Session::bind: input 'X' is an empty handle",
         "node 'Y': AveragePool: input[0] belongs to another device"},
        {"Session::bind",
         [](Hands& self, Hands& given) {
             return said(self.session.bind({&self.x, 1}, {&given.y, 1}));
         },
         "Session::bind: the Session is an empty handle", "Session::bind: output 'Y' is an empty handle",
         "node 'Y': AveragePool: output[0] belongs to another device"},
        {"Session::runs_in_stages", [](Hands& self, Hands&) { return count(self.session.runs_in_stages()); }, "0 elements"},
        {"Session::inputs", [](Hands& self, Hands&) { return count(self.session.inputs().size()); }, "0 elements"},
        {"Session::outputs", [](Hands& self, Hands&) { return count(self.session.outputs().size()); }, "0 elements"},
        {"Session::report", [](Hands& self, Hands&) { return count(self.session.report().nodes.size()); }, "0 elements"},
        {"Session::nodes", [](Hands& self, Hands&) { return count(self.session.nodes().size()); }, "0 elements"},
    };
    return all;
}

// These public functions take no handle.
const std::set<std::string> without_handles = {"version",
                                               "default_cache_folder",
                                               "name",
                                               "bits",
                                               "element_count",
                                               "byte_size",
                                               "to_string",
                                               "schema",
                                               "Schema::version_at",
                                               "signature",
                                               "evaluate",
                                               "infer",
                                               "explain",
                                               "kernels",
                                               "Capabilities::preset",
                                               "Capabilities::preset_names",
                                               "Capabilities::lowered_to",
                                               "Device::list",
                                               "Device::open",
                                               "vulkan::requirements",
                                               "Requirements::add_to",
                                               "vulkan::adopt",
                                               "onnx::name",
                                               "onnx::parse_tensor",
                                               "Model::load",
                                               "Model::parse"};

struct Declaration {
    std::string function;
    bool says_why = false;  // returns a Status or a Result
    bool is_noexcept = false;
};

bool cut_front(std::string& text, std::string_view beginning)
{
    if (!text.starts_with(beginning))
        return false;
    text.erase(0, beginning.size());
    return true;
}

// Returns the exported functions of a public header, by the lines that declare them: in a class all that are indented by four
// spaces, in structs and in the namespace those that are marked.
std::vector<Declaration> declarations(const std::string& header, const std::string& prefix)
{
    std::ifstream file(kit::source_path("include/vkonnx/" + header));
    std::vector<Declaration> found;
    std::string holder;
    bool is_class = false;
    for (std::string line; std::getline(file, line);) {
        line = line.substr(0, line.find("//"));
        const bool opens_class = line.starts_with("class VKONNX_");
        if (opens_class || line.starts_with("struct ")) {
            const size_t end = line.find(" {");
            if (end == std::string::npos)
                continue;
            holder = line.substr(0, end);
            holder = holder.substr(holder.rfind(' ') + 1) + "::";
            is_class = opens_class;
            continue;
        }
        if (line.starts_with("};"))
            holder.clear();
        const bool indented = cut_front(line, "    ");
        const bool marked = cut_front(line, "VKONNX_API ") || cut_front(line, "VKONNX_ONNX_API ");
        cut_front(line, "static ");
        const bool declares = marked || (is_class && !holder.empty() && indented && !line.starts_with(' '));
        const auto begins = [&](const char* word) { return line.starts_with(word); };
        const size_t bracket = line.find('(');
        if (!declares || bracket == std::string::npos || begins("template") || begins("requires") || begins("const {"))
            continue;
        const size_t name = line.find_last_of(" &*", bracket) + 1;
        Declaration one;
        one.function = (holder.empty() ? prefix : holder) + line.substr(name, bracket - name);
        one.says_why = begins("Status ") || begins("Result<");
        for (std::string more; line.find_first_of(";{") == std::string::npos && std::getline(file, more);)
            line += more;
        one.is_noexcept = line.find(" noexcept") != std::string::npos;
        found.push_back(std::move(one));
    }
    return found;
}

std::vector<Declaration> public_functions()
{
    std::vector<Declaration> all;
    const std::vector<std::pair<const char*, const char*>> headers = {
        {"vkonnx.hpp", ""},  {"tensor_desc.hpp", ""}, {"schema.hpp", ""},         {"capabilities.hpp", ""},
        {"prepare.hpp", ""}, {"device.hpp", ""},      {"vulkan.hpp", "vulkan::"}, {"onnx.hpp", "onnx::"}};
    for (const auto& [header, prefix] : headers) {
        const std::vector<Declaration> some = declarations(header, prefix);
        EXPECT_FALSE(some.empty()) << header;
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

TEST(Misuse, KnowsEveryPublicFunction)
{
    std::set<std::string> declared, known = without_handles;
    for (const Declaration& one : public_functions())
        declared.insert(one.function);
    for (const Row& row : rows())
        known.insert(row.function);
    EXPECT_EQ(declared, known);
}

TEST(Misuse, WhatCanNotSayWhyItFailsIsNoexcept)
{
    for (const Declaration& one : public_functions())
        EXPECT_TRUE(one.says_why || one.is_noexcept) << one.function;
}

// This struct holds the hands of two devices that are one physical device: adopted, for vulkan.hpp, and opened.
struct Pair {
    Host host;
    Hands own;
    Hands foreign;

    explicit Pair(const PresentDevice& present) : host(present)
    {
        own = on(taken(vulkan::adopt(host.description(), {.self_test = false})));
        own.buffer = host.engine.create_buffer(64, every_usage, false).handle;
        own.commands = host.engine.begin_commands();
        foreign = on(taken(Device::open({.select = std::to_string(present.index), .self_test = false})));
    }
    ~Pair() { host.engine.end_commands(own.commands); }
};

template <class Body>
void on_every_pair(Body body)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Pair pair(present);
        if (!testing::Test::HasFailure())
            body(pair);
    }
}

TEST(Misuse, EmptyHandles)
{
    on_every_pair([](Pair& pair) {
        Hands empty;
        for (const Row& row : rows()) {
            EXPECT_EQ(row.call(empty, pair.own), row.empty) << row.function;
            EXPECT_EQ(row.call(empty, empty), row.function == "vulkan::record" ? "record: the command buffer is null" : row.empty)
                << row.function;
            if (!row.argument_empty.empty()) {
                EXPECT_EQ(row.call(pair.own, empty), row.argument_empty) << row.function;
            }
        }
        EXPECT_EQ(Tensor().desc().dtype, DType::undefined);
        EXPECT_TRUE(vulkan::record(pair.own.commands, std::span<const Binding>())) << "nothing to do is no failure";
    });
}

TEST(Misuse, MovedFromHandles)
{
    on_every_pair([](Pair& pair) {
        for (const Row& row : rows()) {
            Hands left = pair.own;
            left.commands = VK_NULL_HANDLE;
            const Hands moved_to = std::move(left);
            EXPECT_EQ(row.call(left, pair.own), row.empty) << row.function;
            if (!row.argument_empty.empty()) {
                EXPECT_EQ(row.call(pair.own, left), row.argument_empty) << row.function;
            }
        }
    });
}

TEST(Misuse, HandlesOfAnotherDevice)
{
    on_every_pair([](Pair& pair) {
        for (const Row& row : rows())
            if (!row.argument_foreign.empty()) {
                EXPECT_EQ(row.call(pair.own, pair.foreign), row.argument_foreign) << row.function;
            }
        EXPECT_EQ(pair.own.recording.run().message(), "") << "what was refused was not added";
        EXPECT_EQ(text_of_values(pair.own.y), testing::PrintToString(problem.y));
    });
}

TEST(Misuse, EverythingOutlivesTheLastDeviceHandle)
{
    on_every_pair([](Pair& pair) {
        Hands& hands = pair.own;
        std::map<const Row*, std::string> before;
        for (const Row& row : rows())
            if (!row.function.starts_with("Device::") && row.empty.find("the Device is") == std::string::npos)
                before[&row] = row.call(hands, hands);
        hands.device = {};
        for (const auto& [row, words] : before) {
            EXPECT_EQ(words.find("empty handle"), std::string::npos) << row->function;
            EXPECT_EQ(row->call(hands, hands), words) << row->function;
        }
        const std::vector<float> doubled = {2, 6, -16, 4, 0, 8, 10, 14, 4, 8, 8, 16};
        ASSERT_TRUE(hands.x.upload(doubled));
        ASSERT_TRUE(hands.recording.run());
        EXPECT_EQ(text_of_values(hands.y), testing::PrintToString(std::vector<float>{8, 0, 8}));
        const auto view = hands.y.view({3});
        ASSERT_TRUE(view) << view.message();
        hands.y = {};
        EXPECT_EQ(text_of_values(*view), testing::PrintToString(std::vector<float>{8, 0, 8}));
    });
}

// Returns a span that counts elements but has no memory.
template <class T>
std::span<T> nothing(size_t elements)
{
    return std::span<T>(static_cast<T*>(nullptr), elements);
}

TEST(Misuse, NullSpans)
{
    EXPECT_EQ(said(infer(Shape{}, nothing<const TensorDesc>(2))), "infer: inputs is null, but counts 2 elements");
    EXPECT_EQ(said(explain(Shape{}, nothing<const TensorDesc>(2), Capabilities())),
              "explain: inputs is null, but counts 2 elements");
    EXPECT_EQ(said(kernels(Shape{}, nothing<const TensorDesc>(2), Capabilities())),
              "kernels: inputs is null, but counts 2 elements");
    EXPECT_EQ(said(onnx::parse_tensor(nothing<const std::byte>(9))),
              "onnx::parse_tensor: tensor_proto is null, but counts 9 elements");
    EXPECT_EQ(said(onnx::Model::parse(nothing<const std::byte>(9))), "Model::parse: bytes is null, but counts 9 elements");
    on_every_pair([](Pair& pair) {
        Hands& hands = pair.own;
        EXPECT_EQ(said(hands.x.upload(nothing<const std::byte>(48))), "Tensor::upload: bytes is null, but counts 48 elements");
        EXPECT_EQ(said(hands.x.download(nothing<std::byte>(48))), "Tensor::download: bytes is null, but counts 48 elements");
        EXPECT_EQ(said(hands.device.prepare(Shape{}, nothing<const TensorDesc>(1))),
                  "Device::prepare: inputs is null, but counts 1 elements");
        EXPECT_EQ(said(hands.device.bind(hands.op, nothing<const Tensor>(1), {&hands.y, 1})),
                  "AveragePool: inputs is null, but counts 1 elements");
        EXPECT_EQ(said(hands.device.bind(hands.op, {&hands.x, 1}, nothing<const Tensor>(1))),
                  "AveragePool: outputs is null, but counts 1 elements");
        EXPECT_EQ(said(vulkan::record(hands.commands, nothing<const Binding>(3))),
                  "vulkan::record: bindings is null, but counts 3 elements");
        EXPECT_EQ(said(vulkan::submit(hands.recording, {.wait = nothing<const vulkan::SemaphorePoint>(1)})),
                  "SubmitOptions: wait is null, but counts 1 elements");
        EXPECT_EQ(said(vulkan::submit(hands.device, hands.binding, {.signal = nothing<const vulkan::SemaphorePoint>(1)})),
                  "SubmitOptions: signal is null, but counts 1 elements");
        EXPECT_EQ(said(onnx::explain(hands.model, nothing<const onnx::NamedDesc>(1), Capabilities())),
                  "onnx::explain: inputs is null, but counts 1 elements");
        EXPECT_EQ(said(onnx::Session::prepare(hands.device, hands.model, nothing<const onnx::NamedDesc>(1))),
                  "Session::prepare: inputs is null, but counts 1 elements");
        EXPECT_EQ(said(hands.session.for_inputs(nothing<const onnx::NamedDesc>(1))),
                  "Session::for_inputs: inputs is null, but counts 1 elements");
        EXPECT_EQ(said(hands.session.run(nothing<const onnx::HostTensor>(1))),
                  "Session::run: inputs is null, but counts 1 elements");
        EXPECT_EQ(said(hands.session.run_views(nothing<const onnx::HostView>(1))),
                  "Session::run_views: inputs is null, but counts 1 elements");
        const onnx::HostTensor x = input_on_host();
        const onnx::HostView view = {.desc = x.desc, .data = std::span(static_cast<const std::byte*>(nullptr), x.data.size())};
        EXPECT_EQ(said(hands.session.run_views({&view, 1})),
                  "input 'X': its data is null, but counts " + std::to_string(x.data.size()) + " bytes");
        const auto no_memory = [](size_t, const TensorDesc& desc) {
            return Result(nothing<std::byte>(size_t(*byte_size(desc))));
        };
        EXPECT_EQ(said(hands.session.run_into(nothing<const onnx::HostView>(1), no_memory)),
                  "Session::run_into: inputs is null, but counts 1 elements");
        const onnx::HostView whole = {.desc = x.desc, .data = x.data};
        const uint64_t output_bytes = *byte_size(hands.session.outputs()[0]);
        EXPECT_EQ(said(hands.session.run_into({&whole, 1}, no_memory)),
                  "output 'Y': its memory is null, but counts " + std::to_string(output_bytes) + " bytes");
        EXPECT_EQ(said(hands.session.bind(nothing<const Tensor>(1), {&hands.y, 1})),
                  "Session::bind: inputs is null, but counts 1 elements");
        EXPECT_EQ(said(hands.session.bind({&hands.x, 1}, nothing<const Tensor>(1))),
                  "Session::bind: outputs is null, but counts 1 elements");
        EXPECT_TRUE(hands.recording.run()) << "what was refused left nothing behind";
    });
}

TEST(Misuse, NullNamesOfAnAdoptedDevice)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Host host(present);
        vulkan::AdoptedDevice description = host.description();
        const std::vector<const char*> names = {"VK_KHR_one", "VK_KHR_two", nullptr};
        description.device_extensions = names;
        EXPECT_EQ(said(vulkan::adopt(description)), "AdoptedDevice::device_extensions[2] is null");
        description.device_extensions = nothing<const char* const>(2);
        EXPECT_EQ(said(vulkan::adopt(description)), "AdoptedDevice: device_extensions is null, but counts 2 elements");
        description = host.description();
        description.instance_extensions = std::span(names).last(1);
        EXPECT_EQ(said(vulkan::adopt(description, {.debug_names = true})), "AdoptedDevice::instance_extensions[0] is null");
    }
}

TEST(Misuse, NullAllocationCallbacks)
{
    const auto refused = [](void (*spoil)(VkAllocationCallbacks&)) {
        VkAllocationCallbacks callbacks = {};
        callbacks.pfnAllocation = [](void*, size_t, size_t, VkSystemAllocationScope) -> void* { return nullptr; };
        callbacks.pfnReallocation = [](void*, void*, size_t, size_t, VkSystemAllocationScope) -> void* { return nullptr; };
        callbacks.pfnFree = [](void*, void*) {};
        spoil(callbacks);
        const DeviceOptions options = {.allocation_callbacks = &callbacks};
        const std::string why = said(Device::open(options));
        EXPECT_EQ(said(Device::list(options)), why);
        return why;
    };
    EXPECT_EQ(refused([](VkAllocationCallbacks& c) { c.pfnAllocation = nullptr; }),
              "DeviceOptions::allocation_callbacks: pfnAllocation is null");
    EXPECT_EQ(refused([](VkAllocationCallbacks& c) { c.pfnReallocation = nullptr; }),
              "DeviceOptions::allocation_callbacks: pfnReallocation is null");
    EXPECT_EQ(refused([](VkAllocationCallbacks& c) { c.pfnFree = nullptr; }),
              "DeviceOptions::allocation_callbacks: pfnFree is null");
    EXPECT_EQ(refused([](VkAllocationCallbacks& c) {
                  c.pfnInternalFree = [](void*, size_t, VkInternalAllocationType, VkSystemAllocationScope) {};
              }),
              "DeviceOptions::allocation_callbacks: one of pfnInternalAllocation and pfnInternalFree is null, but not the other");
}

}  // namespace
}  // namespace vkonnx::gpu_test
