// This file tests a host that is out of memory: operator new fails inside one library call, at each of its allocations in turn.
// The calls reach no driver, because not every driver survives it.
#include <vkonnx/onnx.h>
#include <vkonnx/onnx.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "count_allocations.h"
#include "interop_host.h"
#include "kit/onnx_builder.h"
#include "kit/temporary_folder.h"

namespace vkonnx::gpu_test {
namespace {

const TensorDesc long_desc = {DType::float32, std::vector<int64_t>(12, 1), Layout::nxc};
const TensorDesc wrong_desc = {DType::float32, {1, 1, 1, 1, 1, 1, 1, 1, 1, -5}};

// Calls a function while its n-th allocation fails, for every n: once only, and with all that follow. Gives `look` every outcome
// and whether memory stayed away to the end. Returns how often an allocation was made to fail.
template <class Call, class Look>
size_t at_each_allocation(Call call, Look look)
{
    size_t tried = 0;
    for (const size_t count : {size_t(1), SIZE_MAX})
        for (size_t first = 0; first < 100000; ++first) {
            std::optional<decltype(call())> outcome;
            size_t failed = 0;
            {
                const FailAllocations fail(first, count);
                outcome.emplace(call());
                failed = fail.failed();
            }
            if (failed == 0)
                break;
            ++tried;
            look(*outcome, count != 1);
        }
    return tried;
}

// Tests calls that give a Status or a Result. They must report out of memory, by a literal; or, where memory came back while a
// sentence was being made, what the call says with memory enough.
template <class Call>
void expect_said(const char* name, Call call)
{
    SCOPED_TRACE(name);
    const Code whole = call().code();
    const size_t tried = at_each_allocation(call, [&](const auto& outcome, bool to_the_end) {
        if (outcome.code() == Code::out_of_memory || to_the_end || whole == Code::ok) {
            EXPECT_EQ(outcome.code(), Code::out_of_memory) << outcome.message();
            EXPECT_EQ(outcome.message(), "the host is out of memory");
        } else {
            EXPECT_EQ(outcome.code(), whole) << outcome.message();
        }
    });
    EXPECT_GE(tried, 2u) << "nothing was allocated";
}

TEST(HostMemory, FunctionsOfDescriptionsSaySo)
{
    const std::vector<TensorDesc> x = {{DType::float32, {1, 3, 8, 8}}};
    const std::vector<TensorDesc> wrong = {wrong_desc};
    const Capabilities capabilities;
    const Operator transposed = ConvTranspose{.strides = {2, 2}};  // an Operator: a call copies a struct before it begins
    const std::vector<TensorDesc> xw = {{DType::float32, {1, 3, 8, 8}}, {DType::float32, {3, 4, 2, 2}}};
    const Operator one = onednn::ConvTranspose{.strides = {1, 1},
                                               .pads_begin = {0, 0},
                                               .pads_end = {0, 0},
                                               .dilations = {1, 1},
                                               .data_format = Layout::ncx,
                                               .filter_format = onednn::FilterFormat::iox};
    const Operator pool = AveragePool{.kernel_shape = {2, 2}};
    expect_said("element_count", [&] { return element_count(wrong_desc); });
    expect_said("element_count", [&] {
        static const TensorDesc huge = {DType::float32, std::vector<int64_t>(4, INT64_MAX)};
        return element_count(huge);
    });
    expect_said("byte_size", [&] { return byte_size(wrong_desc); });
    expect_said("byte_size", [&] {
        static const TensorDesc words = {DType::string, std::vector<int64_t>(10, 3)};
        return byte_size(words);
    });
    expect_said("infer", [&] { return infer(transposed, xw); });
    expect_said("infer", [&] { return infer(one, xw); });
    expect_said("infer", [&] { return infer(pool, x); });
    expect_said("infer", [&] { return infer(pool, wrong); });
    expect_said("infer", [&] { return infer(Shape{}, x); });
    expect_said("explain", [&] { return explain(transposed, xw, capabilities); });
    expect_said("explain", [&] { return explain(one, xw, capabilities); });
    expect_said("explain", [&] { return explain(pool, x, capabilities); });
    expect_said("explain", [&] { return explain(Shape{}, x, capabilities); });
    expect_said("kernels", [&] { return kernels(transposed, xw, capabilities); });
    expect_said("kernels", [&] { return kernels(pool, x, capabilities); });
    const Operator leaky = Elementwise{.kind = ElementwiseKind::leaky_relu};
    expect_said("signature", [&] { return signature(transposed); });
    expect_said("signature", [&] { return signature(leaky); });
    expect_said("Schema::version_at", [&] { return schema(leaky)->version_at(0); });
    const std::vector<TensorDesc> shape = {{DType::int64, {3}}};
    const std::vector<std::byte> numbers(24);
    const std::vector<std::span<const std::byte>> known = {numbers};
    const Operator slice = Slice{.starts = {-1}, .ends = {-4}, .steps = {-1}};
    expect_said("evaluate", [&] { return evaluate(slice, shape, known); });
    expect_said("preset", [&] { return Capabilities::preset("a capability preset that nobody knows"); });
}

TEST(HostMemory, FunctionsOfModelFilesSaySo)
{
    const std::string tensor = kit::float_tensor("X", {1, 2}, {1, 2});
    const std::string file = kit::ModelBuilder()
                                 .opset(13)
                                 .input("X", DType::float32, {1, 1, 2, "W"})
                                 .node("AveragePool", {"X"}, {"Y"}, {kit::ints_attribute("kernel_shape", {2, 2})}, "pool")
                                 .output("Y")
                                 .build();
    const kit::TemporaryFolder folder;
    const std::string path = folder / "model.onnx";
    std::ofstream(path, std::ios::binary) << file;
    const auto model = onnx::Model::parse(kit::as_bytes(file));
    ASSERT_TRUE(model) << model.message();
    const std::vector<onnx::NamedDesc> inputs = {{"X", {DType::float32, {1, 1, 2, 6}}}};
    const Capabilities capabilities;
    expect_said("parse_tensor", [&] { return onnx::parse_tensor(kit::as_bytes(tensor)); });
    expect_said("Model::parse", [&] { return onnx::Model::parse(kit::as_bytes(file)); });
    expect_said("Model::load", [&] { return onnx::Model::load(path); });
    expect_said("onnx::explain", [&] { return onnx::explain(*model, inputs, capabilities); });
    expect_said("onnx::explain", [&] { return onnx::explain(onnx::Model(), inputs, capabilities); });
}

TEST(HostMemory, WeightsInOtherFilesSaySo)
{
    const kit::TemporaryFolder folder;
    const onnx::ModelOptions options = {.external_data_folder = folder.path().string()};
    const int64_t sizes[] = {2, 6};
    const std::string file =
        kit::ModelBuilder()
            .opset(13)
            .input("X", DType::float32, {12})
            .initializer(kit::external_tensor("S", {DType::int64, {2}}, {{"location", "sizes that a model has of its own.bin"}}))
            .node("Reshape", {"X", "S"}, {"Y"})
            .output("Y")
            .build();
    const std::string path = folder / "model.onnx";
    const Capabilities capabilities;
    std::ofstream(path, std::ios::binary) << file;
    expect_said("no weights", [&] { return onnx::Model::load(path); });
    expect_said("no folder", [&] { return onnx::Model::parse(kit::as_bytes(file)); });
    std::ofstream(folder / "sizes that a model has of its own.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(sizes), sizeof sizes);
    expect_said("Model::load", [&] { return onnx::Model::load(path); });
    expect_said("Model::parse", [&] { return onnx::Model::parse(kit::as_bytes(file), options); });
    const auto model = onnx::Model::parse(kit::as_bytes(file), options);
    ASSERT_TRUE(model) << model.message();
    expect_said("onnx::explain", [&] { return onnx::explain(*model, {}, capabilities); });
}

// Tests a call of C with a result. The result is there or NULL, as the status says, and a failed call leaves nothing.
template <class T, class Call, class Destroy>
void expect_said_in_c(const char* name, Call call, Destroy destroy)
{
    SCOPED_TRACE(name);
    struct Outcome {
        vkonnx_status* status;
        std::unique_ptr<T, Destroy> result;
    };
    const auto run = [&] {
        T* result = nullptr;
        vkonnx_status* status = call(&result);
        return Outcome{status, {result, destroy}};
    };
    const size_t tried = at_each_allocation(run, [&](const Outcome& outcome, bool) {
        EXPECT_EQ(vkonnx_status_code(outcome.status), VKONNX_OUT_OF_MEMORY);
        EXPECT_STREQ(vkonnx_status_message(outcome.status), "the host is out of memory");
        EXPECT_EQ(outcome.result, nullptr);
        vkonnx_status_destroy(outcome.status);
    });
    EXPECT_GE(tried, 2u) << "nothing was allocated";
    const Outcome whole = run();
    EXPECT_EQ(whole.status, nullptr) << vkonnx_status_message(whole.status);
    EXPECT_NE(whole.result, nullptr);
}

TEST(HostMemory, FunctionsOfCSaySo)
{
    const int64_t dims[] = {1, 3, 8, 8}, window[] = {2, 2};
    const vkonnx_tensor_desc x = {sizeof(x), VKONNX_FLOAT32, VKONNX_NCX, 4, dims};
    const vkonnx_tensor_desc* const inputs[] = {&x};
    vkonnx_operator* pool = nullptr;
    ASSERT_EQ(vkonnx_operator_create("", "AveragePool", &pool), nullptr);
    ASSERT_EQ(vkonnx_operator_set_ints(pool, "kernel_shape", window, 2), nullptr);
    vkonnx_capabilities* minimum = nullptr;
    ASSERT_EQ(vkonnx_capabilities_preset("minimum", &minimum), nullptr);
    expect_said_in_c<vkonnx_operator>(
        "vkonnx_operator_create", [](auto** result) { return vkonnx_operator_create("", "ConvTranspose", result); },
        vkonnx_operator_destroy);
    expect_said_in_c<vkonnx_capabilities>(
        "vkonnx_capabilities_lowered_to", [&](auto** result) { return vkonnx_capabilities_lowered_to(minimum, minimum, result); },
        vkonnx_capabilities_destroy);
    expect_said_in_c<const vkonnx_tensor_descs>(
        "vkonnx_infer", [&](auto** result) { return vkonnx_infer(pool, inputs, 1, result); }, vkonnx_tensor_descs_destroy);
    expect_said_in_c<const vkonnx_explanation>(
        "vkonnx_explain", [&](auto** result) { return vkonnx_explain(pool, inputs, 1, minimum, nullptr, result); },
        vkonnx_explanation_destroy);
    expect_said_in_c<const vkonnx_kernel_infos>(
        "vkonnx_kernels", [&](auto** result) { return vkonnx_kernels(pool, inputs, 1, minimum, nullptr, result); },
        vkonnx_kernel_infos_destroy);

    const std::string tensor = kit::float_tensor("X", {1, 2}, {1, 2});
    const std::string file = kit::ModelBuilder()
                                 .opset(13)
                                 .input("X", DType::float32, {1, 3, 8, "W"})
                                 .node("AveragePool", {"X"}, {"Y"}, {kit::ints_attribute("kernel_shape", {2, 2})}, "pool")
                                 .output("Y")
                                 .build();
    vkonnx_model* model = nullptr;
    ASSERT_EQ(vkonnx_model_parse(file.data(), file.size(), nullptr, &model), nullptr);
    const vkonnx_named_desc named = {sizeof(named), "X", &x, nullptr, 0};
    const vkonnx_named_desc* const descs[] = {&named};
    expect_said_in_c<const vkonnx_host_tensors>(
        "vkonnx_parse_tensor", [&](auto** result) { return vkonnx_parse_tensor(tensor.data(), tensor.size(), result); },
        vkonnx_host_tensors_destroy);
    expect_said_in_c<vkonnx_model>(
        "vkonnx_model_parse", [&](auto** result) { return vkonnx_model_parse(file.data(), file.size(), nullptr, result); },
        vkonnx_model_destroy);
    expect_said_in_c<const vkonnx_graph_report>(
        "vkonnx_model_explain", [&](auto** result) { return vkonnx_model_explain(model, descs, 1, minimum, nullptr, result); },
        vkonnx_graph_report_destroy);
    vkonnx_model_destroy(model);
    vkonnx_capabilities_destroy(minimum);
    vkonnx_operator_destroy(pool);
}

TEST(HostMemory, RefusalsOfHandlesSaySo)
{
    Tensor tensor;
    Recording recording;
    const Device device;
    const std::vector<Binding> bindings(2);
    const TensorDesc desc = {DType::float32, {1}};
    expect_said("Tensor::upload", [&] { return tensor.upload(std::span<const std::byte>()); });
    expect_said("Tensor::view", [&] { return tensor.view({}); });
    expect_said("Tensor::part", [&] { return tensor.part(0, desc); });
    expect_said("Job::wait", [] { return Job().wait(1); });
    expect_said("Recording::add", [&] { return recording.add(bindings[0]); });
    expect_said("Recording::add_upload", [&] { return recording.add_upload(tensor); });
    expect_said("Recording::add_download", [&] { return recording.add_download(tensor); });
    expect_said("Recording::upload_bytes", [&] { return recording.upload_bytes(0); });
    expect_said("Recording::download_bytes", [&] { return recording.download_bytes(0); });
    expect_said("Recording::submit", [&] { return recording.submit(); });
    expect_said("Device::tensor", [&] { return device.tensor(desc); });
    expect_said("Device::run", [&] { return device.run(bindings[0]); });
    expect_said("Device::tunings", [&] { return device.tunings(); });
    expect_said("vulkan::wrap", [&] { return vulkan::wrap(device, {}, desc); });
    expect_said("Session::run", [] { return onnx::Session().run({}); });
    expect_said("Session::run_views", [] { return onnx::Session().run_views({}); });
    expect_said("Session::run_into", [] { return onnx::Session().run_into({}, {}); });
    expect_said("Session::bind", [] { return onnx::Session().bind({}, {}); });
}

// These functions of a device stay on the host.
TEST(HostMemory, HandlesStayUsable)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const auto device = Device::open({.select = std::to_string(present.index), .self_test = false});
        ASSERT_TRUE(device) << device.message();
        SmallRun small(*device);
        const auto binding = device->bind(small.op, {&small.x, 1}, {&small.y, 1});
        ASSERT_TRUE(binding) << binding.message();
        const std::vector<Tensor> wrong = {small.y};
        const auto scalar = device->tensor({DType::float32, {}});
        ASSERT_TRUE(scalar) << scalar.message();
        expect_said("Tensor::view", [&] { return small.x.view({}); });
        expect_said("Tensor::view", [&] { return scalar->view({}); });
        expect_said("Tensor::upload", [&] { return small.x.upload(std::span<const std::byte>()); });
        expect_said("Device::tensor", [&] { return device->tensor(wrong_desc); });
        expect_said("Device::bind", [&] { return device->bind(small.op, wrong, wrong); });
        expect_said("Device::recording", [&] { return device->recording(); });
        ASSERT_TRUE(device->run(*binding));
        EXPECT_EQ(small.result(), small.problem.y);
    }
}

// A report is made when it is first asked for: by the C++ function, which can't say what is missing, and the C one, which can.
TEST(HostMemory, ReportsOfSessionsAreMadeLater)
{
    const std::string file = kit::ModelBuilder()
                                 .opset(13)
                                 .input("X", DType::float32, {1, 3, 8, 8})
                                 .node("AveragePool", {"X"}, {"Y"}, {kit::ints_attribute("kernel_shape", {2, 2})}, "pool")
                                 .output("Y")
                                 .build();
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        const std::string index = std::to_string(present.index);
        const auto device = Device::open({.select = index, .self_test = false});
        const auto model = onnx::Model::parse(std::as_bytes(std::span(file)));
        ASSERT_TRUE(device && model) << device.message() << model.message();
        const auto session = onnx::Session::prepare(*device, *model, {});
        ASSERT_TRUE(session) << session.message();
        size_t failed = 0;
        for (bool whole = false; !whole;) {
            const FailAllocations fail(failed, 1);
            const onnx::GraphReport& report = session->report();
            whole = fail.failed() == 0;
            EXPECT_EQ(report.nodes.size(), whole ? 1u : 0u);
            EXPECT_EQ(report.values.size(), whole ? 2u : 0u);
            failed += fail.failed();
        }
        EXPECT_GE(failed, 2u);
        EXPECT_EQ(session->nodes().size(), 1u);

        vkonnx_device_options options = {};
        options.struct_size = sizeof(options);
        options.select = index.c_str();
        vkonnx_device* opened = nullptr;
        ASSERT_EQ(vkonnx_device_open(&options, &opened), nullptr);
        vkonnx_model* parsed = nullptr;
        ASSERT_EQ(vkonnx_model_parse(file.data(), file.size(), nullptr, &parsed), nullptr);
        vkonnx_session* prepared = nullptr;
        ASSERT_EQ(vkonnx_session_prepare(opened, parsed, nullptr, 0, nullptr, &prepared), nullptr);
        const vkonnx_graph_report* report = nullptr;
        vkonnx_status* status = nullptr;
        {
            const FailAllocations fail(0, 1);
            status = vkonnx_session_report(prepared, &report);
        }
        EXPECT_EQ(vkonnx_status_code(status), VKONNX_OUT_OF_MEMORY);
        EXPECT_EQ(report, nullptr);
        vkonnx_status_destroy(status);
        ASSERT_EQ(vkonnx_session_report(prepared, &report), nullptr);
        EXPECT_EQ(report->node_count, 1u);
        vkonnx_graph_report_destroy(report);
        vkonnx_session_destroy(prepared);
        vkonnx_model_destroy(parsed);
        vkonnx_device_destroy(opened);
    }
}

TEST(HostMemory, ToStringGivesTheTypeAlone)
{
    const std::string whole = "float[1,1,1,1,1,1,1,1,1,1,1,1] NXC";
    EXPECT_EQ(to_string(long_desc), whole);
    const size_t tried =
        at_each_allocation([] { return to_string(long_desc); }, [](const std::string& text, bool) { EXPECT_EQ(text, "float"); });
    EXPECT_GE(tried, 2u);
    for (int number = 0; number < 27; ++number) {
        const TensorDesc desc = {DType(number), std::vector<int64_t>(12, 1)};
        at_each_allocation([&] { return to_string(desc); },
                           [&](const std::string& text, bool) { EXPECT_EQ(text, name(desc.dtype)); });
    }
}

TEST(HostMemory, LoweredCapabilitiesLoseTheirName)
{
    Capabilities full = *Capabilities::preset("desktop");
    full.name = "a device with a name that no small string holds";
    const Capabilities limit = *Capabilities::preset("mobile");
    Capabilities expected = full.lowered_to(limit);
    EXPECT_EQ(expected.name, full.name);
    expected.name.clear();
    const size_t tried = at_each_allocation([&] { return full.lowered_to(limit); },
                                            [&](const Capabilities& lowered, bool) { EXPECT_EQ(lowered, expected); });
    EXPECT_EQ(tried, 2u);
}

TEST(HostMemory, RequirementsLoseTheirLists)
{
    const size_t tried = at_each_allocation([] { return vulkan::requirements(); },
                                            [](const vulkan::Requirements& needs, bool) {
                                                EXPECT_TRUE(needs.optional_instance_extensions.empty());
                                                EXPECT_TRUE(needs.optional_features.robustBufferAccess);
                                                EXPECT_EQ(needs.offset_alignment, 256u);
                                            });
    EXPECT_EQ(tried, 2u);
    EXPECT_EQ(vulkan::requirements().optional_instance_extensions.size(), 1u);
}

}  // namespace
}  // namespace vkonnx::gpu_test
