// This file tests the exit codes, files and texts of vkonnx devices, vkonnx run and vkonnx explain.
#include <cstdlib>
#include <cstring>
#include <regex>
#include <sstream>

#include <nlohmann/json.hpp>

#include "kit/models.h"
#include "kit/onnx_builder.h"
#include "kit/radv.h"
#include "process.h"
#include "tensor_file.h"

namespace vkonnx::tools {
namespace {

class VkonnxTool : public ToolTest {};

std::vector<float> floats_of(const std::string& path)
{
    const Result<onnx::HostTensor> tensor = read_tensor(path, {.name = "", .dtype = DType::float32});
    if (!tensor)
        return {};
    std::vector<float> values(tensor->data.size() / sizeof(float));
    std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
    return values;
}

std::string write_floats(const std::string& path, std::vector<int64_t> dims, const std::vector<float>& values)
{
    onnx::HostTensor tensor;
    tensor.desc = TensorDesc{DType::float32, std::move(dims)};
    const auto bytes = std::as_bytes(std::span(values));
    tensor.data.assign(bytes.begin(), bytes.end());
    const Status written = write_tensor(path, tensor);
    EXPECT_TRUE(written) << written.message();
    return path;
}

TEST_F(VkonnxTool, UsageIsTwo)
{
    const std::string model = write("m.onnx", pool_model());
    const std::string run = vkonnx_tool + " run " + model;
    for (const std::string& command :
         {vkonnx_tool, vkonnx_tool + " frobnicate", vkonnx_tool + " run", vkonnx_tool + " run /no/such.onnx", run + " --input X",
          run + " --input Z=random:1x1x4", run + " --input X=random:1xx4", run + " --input X=random",
          run + " --input X=/no/such.npy", run + " --input X=random:1x1x4 --input X=random:1x1x4", run,
          run + " --input X=random:1x1x4 --output Z=z.npy", run + " --input X=random:1x1x4 --output Y=y.txt",
          run + " --input X=random:1x1x4 --output Y=/no/such/folder/y.npy", run + " --input X=random:1x1x4 --rules nobodys",
          vkonnx_tool + " explain " + model + " --capabilities nothing"}) {
        const Finished finished = shell(command);
        EXPECT_EQ(finished.code, 2) << command << "\n" << finished.text;
        EXPECT_NE(finished.text, "") << command;
    }
    EXPECT_EQ(shell(vkonnx_tool + " --help").code, 0);
    for (const char* command : {" run", " explain"}) {
        const Finished help = shell(vkonnx_tool + command + " --help");
        EXPECT_EQ(help.code, 0);
        EXPECT_NE(help.text.find("--rules specification|onnxruntime\n"), std::string::npos) << help.text;
    }
}

TEST_F(VkonnxTool, VersionTellsWhichOptionalKernelsAreIn)
{
    const std::string matrices = VKONNX_BUILDS_MATRICES ? "built in" : "not built in, glslang was older than 13";
    EXPECT_EQ(shell(vkonnx_tool + " --version").text, std::string(version()) + "\ncooperative matrices: " + matrices + "\n");
}

TEST_F(VkonnxTool, NoDeviceIsThree)
{
    const std::string run = vkonnx_tool + " run " + write("m.onnx", pool_model()) + " --input X=random:1x1x4";
    EXPECT_EQ(shell(no_driver + vkonnx_tool + " devices").code, 3);
    EXPECT_EQ(shell(no_driver + run).code, 3);
    EXPECT_EQ(shell(run + " --device no-device-has-this-name").code, 3);
    EXPECT_EQ(shell("VKONNX_DEVICE=no-device-has-this-name " + run).code, 3);
    EXPECT_EQ(shell("VKONNX_DEVICE=no-device-has-this-name " + run + " --device 0").code, 0) << "the flag wins";
}

TEST_F(VkonnxTool, CompiledNeedsADriverThatTells)
{
    const std::string explain = vkonnx_tool + " explain " + write("m.onnx", pool_model()) + " --input X=1x1x4";
    EXPECT_EQ(shell(explain + " --compiled --capabilities desktop").code, 2);
    const auto devices = Device::list();
    if (!devices || devices->empty())
        GTEST_SKIP() << "no device";
    for (const DeviceInfo& device : *devices) {
        if (device.kind != DeviceKind::cpu)
            continue;
        const Finished finished = shell(explain + " --compiled --device " + std::to_string(device.index));
        EXPECT_EQ(finished.code, 3) << finished.text;
        EXPECT_EQ(finished.text, "the driver of '" + device.name +
                                     "' does not tell what its compiler makes of kernels: it has no "
                                     "VK_KHR_pipeline_executable_properties\n");
    }
}

TEST_F(VkonnxTool, CompiledTellsRegistersOnAPretendedGpu)
{
    const std::string model = write("m.onnx", pool_model());
    const std::string on_radv =
        "env -u VK_DRIVER_FILES RADV_FORCE_FAMILY=navi21 VK_ICD_FILENAMES=" + kit::radv_manifest() + " " + vkonnx_tool;
    if (kit::radv_manifest().empty() || shell(on_radv + " devices").text.find("NAVI21") == std::string::npos)
        GTEST_SKIP() << "no RADV that RADV_FORCE_FAMILY makes a device of";
    const Finished finished = shell(on_radv + " explain " + model + " --input X=1x1x4 --compiled");
    EXPECT_EQ(finished.code, 0) << finished.text;
    std::istringstream lines(finished.text);
    std::string line, kernel, vgprs;
    std::getline(lines, line);
    EXPECT_EQ(line.rfind("as compiled by radv ", 0), 0u) << line;
    std::getline(lines, line);
    EXPECT_EQ(line.rfind("  kernel ", 0), 0u) << line;
    std::getline(lines, line);
    std::istringstream(line) >> kernel >> vgprs;
    EXPECT_EQ(kernel.rfind("average_pool_", 0), 0u) << kernel;
    EXPECT_GT(std::atoi(vgprs.c_str()), 0) << line;
    EXPECT_NE(line.find("workgroup_size "), std::string::npos) << line;
}

TEST_F(VkonnxTool, WrongModelIsOne)
{
    const Finished broken = shell(vkonnx_tool + " run " + write("broken.onnx", "not a model"));
    EXPECT_EQ(broken.code, 1) << broken.text;
    const std::string model = kit::ModelBuilder()
                                  .opset(17)
                                  .input("X", DType::float32, {2})
                                  .node("Frobnicate", {"X"}, {"Y"})
                                  .output("Y", DType::float32, {2})
                                  .build();
    const Finished unsupported = shell(vkonnx_tool + " run " + write("m.onnx", model) + " --input X=random");
    EXPECT_EQ(unsupported.code, 1);
    EXPECT_NE(unsupported.text.find("Frobnicate"), std::string::npos) << unsupported.text;
}

TEST_F(VkonnxTool, DevicesAreListed)
{
    const Finished text = shell(vkonnx_tool + " devices");
    EXPECT_EQ(text.code, 0) << text.text;
    const Finished finished = shell(vkonnx_tool + " devices --json");
    ASSERT_EQ(finished.code, 0) << finished.text;
    const nlohmann::json devices = nlohmann::json::parse(finished.text);
    ASSERT_GE(devices.size(), 1u);
    for (const nlohmann::json& device : devices) {
        EXPECT_NE(text.text.find(device["name"]), std::string::npos);
        EXPECT_EQ(device["uuid"].get<std::string>().size(), 32u);
        EXPECT_GE(device["capabilities"]["max_invocations"], 128);
        EXPECT_TRUE(device["capabilities"]["float64"].is_boolean());
        EXPECT_GT(device["capabilities"]["work_per_second"], 0);
        // Only the self-test finds this out. It runs because listing a device opens it.
        const bool software = device["rejected"] == "" && device["capabilities"]["is_cpu"] == true;
        EXPECT_TRUE(!software || device["capabilities"]["rounds_to_nearest"] == true);
    }
    for (const char* word : {"float16 ", "float64 ", "rounding ", "multiply-adds a second"})
        EXPECT_NE(text.text.find(word), std::string::npos) << word << " is not in\n" << text.text;
}

TEST_F(VkonnxTool, RunsOnArraysAndTensorProtos)
{
    const std::string model = write("m.onnx", pool_model());
    for (const char* extension : {".npy", ".pb"}) {
        const std::string x = write_floats(path(std::string("x") + extension), {1, 1, 6}, {1, 2, 3, 5, 7, 7});
        const std::string y = path(std::string("y") + extension);
        const Finished finished = shell(vkonnx_tool + " run " + model + " --input X=" + x + " --output Y=" + y);
        ASSERT_EQ(finished.code, 0) << finished.text;
        EXPECT_EQ(floats_of(y), (std::vector<float>{1.5f, 4, 7}));
        for (const char* word : {"device ", "pool", "AveragePool", "average_pool_direct_f32", "float[1,1,3]", "min 1.5  max 7"})
            EXPECT_NE(finished.text.find(word), std::string::npos) << word << " is not in\n" << finished.text;
    }
}

// 1.5, 2.5, -8 and 8 are averaged in pairs. That is exact in each type, and no two types have the same bits.
TEST_F(VkonnxTool, RunsInEveryFloatType)
{
    struct Row {
        DType dtype;
        const char* extension;
        std::string x, y;  // little-endian
    };
    const auto words = [](const auto& values) {
        const auto bytes = std::as_bytes(std::span(values));
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    using Halves = std::vector<uint16_t>;
    const std::string half_x = words(Halves{0x3e00, 0x4100, 0xc800, 0x4800});
    const std::string half_y = words(Halves{0x4000, 0x0000});
    const Row rows[] = {
        {DType::float32, ".npy", words(std::vector<float>{1.5f, 2.5f, -8, 8}), words(std::vector<float>{2, 0})},
        {DType::float64, ".npy", words(std::vector<double>{1.5, 2.5, -8, 8}), words(std::vector<double>{2, 0})},
        {DType::float64, ".pb", words(std::vector<double>{1.5, 2.5, -8, 8}), words(std::vector<double>{2, 0})},
        {DType::float16, ".npy", half_x, half_y},
        {DType::float16, ".pb", half_x, half_y},
        {DType::bfloat16, ".pb", words(Halves{0x3fc0, 0x4020, 0xc100, 0x4100}), words(Halves{0x4000, 0x0000})},
    };
    for (const Row& row : rows) {
        const std::string type(name(row.dtype));
        SCOPED_TRACE(type + row.extension);
        const std::string model =
            write("m.onnx", kit::ModelBuilder()
                                .opset(22)
                                .input("X", row.dtype, {1, 1, "n"})
                                .node("AveragePool", {"X"}, {"Y"},
                                      {kit::ints_attribute("kernel_shape", {2}), kit::ints_attribute("strides", {2})})
                                .output("Y", row.dtype, {1, 1, "m"})
                                .build());
        onnx::HostTensor x;
        x.desc = {row.dtype, {1, 1, 4}};
        const auto bytes = std::as_bytes(std::span(row.x));
        x.data.assign(bytes.begin(), bytes.end());
        const std::string in = path(std::string("x") + row.extension);
        const std::string out = path(std::string("y") + row.extension);
        ASSERT_TRUE(write_tensor(in, x).ok());
        const Finished finished = shell(vkonnx_tool + " run " + model + " --input X=" + in + " --output Y=" + out);
        ASSERT_EQ(finished.code, 0) << finished.text;
        EXPECT_NE(finished.text.find("output Y  " + type + "[1,1,2]  min 0  max 2  mean 1"), std::string::npos) << finished.text;
        const Result<onnx::HostTensor> y = read_tensor(out, {.name = "", .dtype = row.dtype});
        ASSERT_TRUE(y) << y.message();
        EXPECT_EQ(y->desc, (TensorDesc{row.dtype, {1, 1, 2}}));
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(y->data.data()), y->data.size()), row.y);
        EXPECT_EQ(shell(vkonnx_tool + " run " + model + " --input X=random:1x1x6").code, 0);
    }
}

// NumPy has no type bfloat16. The message says what to write instead.
TEST_F(VkonnxTool, BfloatOutputsAreTensorProtos)
{
    const std::string model = write("m.onnx", kit::ModelBuilder()
                                                  .opset(22)
                                                  .input("X", DType::bfloat16, {1, 1, 4})
                                                  .node("AveragePool", {"X"}, {"Y"}, {kit::ints_attribute("kernel_shape", {2})})
                                                  .output("Y", DType::bfloat16, {1, 1, 3})
                                                  .build());
    const Finished finished = shell(vkonnx_tool + " run " + model + " --input X=random --output Y=" + path("y.npy"));
    EXPECT_EQ(finished.code, 1);
    EXPECT_NE(finished.text.find("NumPy has no type for bfloat16; write a .pb"), std::string::npos) << finished.text;
}

TEST_F(VkonnxTool, RunsOnPictures)
{
    const std::string model = write("m.onnx", kit::antialias_half());
    std::vector<float> values;
    for (int i = 0; i < 3 * 16; ++i)
        values.push_back(float(i % 2 ? 51 : 153) / 255);  // the average of a pair is 102
    const std::string x = write_floats(path("x.png"), {1, 3, 4, 4}, values);
    const Finished finished = shell(vkonnx_tool + " run " + model + " --input X=" + x + " --output Y=" + path("y.png"));
    ASSERT_EQ(finished.code, 0) << finished.text;
    EXPECT_EQ(floats_of(path("y.png")), std::vector<float>(12, 102.0f / 255));
}

TEST_F(VkonnxTool, RandomInputsRepeat)
{
    const std::string run = vkonnx_tool + " run " + write("m.onnx", pool_model()) + " --input X=random:1x1x64 ";
    ASSERT_EQ(shell(run + "--output Y=" + path("a.npy")).code, 0);
    ASSERT_EQ(shell(run + "--output Y=" + path("b.npy")).code, 0);
    ASSERT_EQ(shell(run + "--seed 2 --output Y=" + path("c.npy")).code, 0);
    EXPECT_EQ(floats_of(path("a.npy")).size(), 32u);
    EXPECT_EQ(floats_of(path("a.npy")), floats_of(path("b.npy")));
    EXPECT_NE(floats_of(path("a.npy")), floats_of(path("c.npy")));
}

TEST_F(VkonnxTool, FailedOutputLeavesNoFile)
{
    // float[1,1,2] is no picture, but that is known only when the model has run.
    const std::string run = vkonnx_tool + " run " + write("m.onnx", pool_model()) + " --input X=random:1x1x4";
    const Finished finished = shell(run + " --output Y=" + path("y.png"));
    EXPECT_EQ(finished.code, 1);
    EXPECT_NE(finished.text.find("y.png: a picture is float[1,channels,height,width]"), std::string::npos) << finished.text;
    EXPECT_EQ(entries(), 1u) << "only the model";
}

TEST_F(VkonnxTool, ProfileIsATable)
{
    const Finished finished =
        shell(vkonnx_tool + " run " + write("m.onnx", kit::half_then_double()) + " --input X=random:1x3x32x32 --profile");
    ASSERT_EQ(finished.code, 0) << finished.text;
    std::vector<std::string> rows;
    for (size_t at = finished.text.find("  node "), end; at < finished.text.size(); at = end + 1) {
        end = std::min(finished.text.find('\n', at), finished.text.size());
        rows.push_back(finished.text.substr(at, end - at));
    }
    ASSERT_EQ(rows.size(), 4u) << finished.text;
    EXPECT_EQ(rows[1].find("AveragePool"), rows[0].find("operator"));
    EXPECT_EQ(rows[2].find("ConvTranspose"), rows[0].find("operator"));
    EXPECT_EQ(rows[1].find("average_pool_rows_f32"), rows[0].find("kernel"));
    EXPECT_EQ(rows[3].find("all"), rows[0].find("node"));
}

// The value between two nodes lies in the arena. Nodes that only rename memory, or that nobody reads, are removed before anything
// runs.
TEST_F(VkonnxTool, TellsOfTheGraphAsRewrittenAndItsMemory)
{
    const std::string file = kit::ModelBuilder()
                                 .opset(17)
                                 .input("X", DType::float32, {1, 2, 64})
                                 .node("AveragePool", {"X"}, {"a"}, {kit::ints_attribute("kernel_shape", {1})}, "first")
                                 .node("Identity", {"a"}, {"b"}, {}, "renamed")
                                 .node("Neg", {"b"}, {"lost"}, {}, "unread")
                                 .node("AveragePool", {"b"}, {"Y"}, {kit::ints_attribute("kernel_shape", {1})}, "second")
                                 .output("Y")
                                 .build();
    const std::string model = write("m.onnx", file);
    const Finished explained = shell(no_driver + vkonnx_tool + " explain " + model + " --capabilities minimum");
    EXPECT_EQ(explained.code, 0);
    const Finished profiled = shell(vkonnx_tool + " run " + model + " --input X=random --profile --prepare-threads 2");
    EXPECT_EQ(profiled.code, 0);
    for (const char* line : {"graph as read: 4 nodes", "graph as rewritten: 2 nodes", "no output of the graph depends on it"})
        EXPECT_NE(explained.text.find(line), std::string::npos) << line << " is not in\n" << explained.text;
    for (const std::string& text : {explained.text, profiled.text})
        EXPECT_NE(text.find("arena 512 bytes at its peak, 512 if no values shared memory; constants 0, packed 0, scratch 0"),
                  std::string::npos)
            << text;
    // X, in the memory where it is read, and a are held: 1024 bytes. The device's self-test held more before.
    std::smatch held;
    ASSERT_TRUE(std::regex_search(
        profiled.text, held,
        std::regex("the device held ([0-9]+) bytes at most, staging ([0-9]+); values that live at once have 1024 at most")))
        << profiled.text;
    EXPECT_GE(std::stoull(held[1]), 1024u);
    EXPECT_EQ(std::stoull(held[2]), 0u) << "the host sees all memory, and nothing is packed";
}

TEST_F(VkonnxTool, RulesReachTheOperators)
{
    // With VALID and ceil_mode the specification adds no window, but ONNX Runtime does.
    const std::string model = kit::ModelBuilder()
                                  .opset(17)
                                  .input("X", DType::float32, {1, 1, 3})
                                  .node("AveragePool", {"X"}, {"Y"},
                                        {kit::ints_attribute("kernel_shape", {2}), kit::ints_attribute("strides", {2}),
                                         kit::int_attribute("ceil_mode", 1), kit::string_attribute("auto_pad", "VALID")})
                                  .output("Y", DType::float32, {1, 1, "m"})
                                  .build();
    const std::string run = vkonnx_tool + " run " + write("m.onnx", model) + " --input X=random";
    EXPECT_NE(shell(run).text.find("output Y  float[1,1,1]"), std::string::npos);
    EXPECT_NE(shell(run + " --rules onnxruntime").text.find("output Y  float[1,1,2]"), std::string::npos);

    const std::string explain = no_driver + vkonnx_tool + " explain " + path("m.onnx") + " --capabilities minimum";
    const Finished own = shell(explain + " --rules specification");
    EXPECT_NE(own.text.find("float[1,1,1]"), std::string::npos) << own.text;
    EXPECT_NE(own.text.find("ONNX AveragePool-11, VALID, ceil_mode: out = floor("), std::string::npos) << own.text;
    EXPECT_NE(own.text.find("pads 0 and 0: 1 = floor((3 + 0 - 2) / 2) + 1"), std::string::npos) << own.text;
    const Finished runtime = shell(explain + " --rules onnxruntime");
    EXPECT_NE(runtime.text.find("float[1,1,2]"), std::string::npos) << runtime.text;
    EXPECT_NE(runtime.text.find("ONNX AveragePool-11 (ONNX Runtime's rules), VALID, ceil_mode: out = ceil("), std::string::npos)
        << runtime.text;
    EXPECT_NE(runtime.text.find("pads 0 and 0: 2 = ceil((3 + 0 - 2) / 2) + 1"), std::string::npos) << runtime.text;
    EXPECT_EQ(shell(explain + " --rules nobodys").code, 2);
}

TEST_F(VkonnxTool, ReproducibleReachesThePlan)
{
    const std::string model = write("m.onnx", pool_model());
    EXPECT_EQ(shell(vkonnx_tool + " run " + model + " --input X=random:1x1x4 --reproducible").code, 0);
    const std::string explain = no_driver + vkonnx_tool + " explain " + model + " --input X=1x1x4 --reproducible --capabilities ";
    EXPECT_EQ(shell(explain + "desktop").code, 0);
    const Finished refused = shell(explain + "minimum");  // a device that promises no rounding
    EXPECT_EQ(refused.code, 1) << refused.text;
    EXPECT_NE(refused.text.find("reproducible"), std::string::npos) << refused.text;
}

TEST_F(VkonnxTool, FusionsCanBeSwitchedOff)
{
    kit::ModelBuilder builder;
    builder.opset(17).input("X", DType::float32, {1, 1, 4}).initializer(kit::float_tensor("W", {1, 1, 1}, {2}));
    builder.node("Conv", {"X", "W"}, {"V"}, {}, "conv").node("Relu", {"V"}, {"Y"}, {}, "act").output("Y");
    const std::string explain =
        no_driver + vkonnx_tool + " explain " + write("m.onnx", builder.build()) + " --capabilities desktop";
    EXPECT_NE(shell(explain).text.find("it is the epilogue of node 'conv'"), std::string::npos);
    EXPECT_NE(shell(explain + " --without-fusion weights").text.find("it is the epilogue of node 'conv'"), std::string::npos);
    const Finished off = shell(explain + " --without-fusion weights --without-fusion activation");
    EXPECT_EQ(off.code, 0);
    EXPECT_EQ(off.text.find("it is the epilogue"), std::string::npos) << off.text;
    EXPECT_EQ(shell(explain + " --without-fusion all").code, 2);
}

// A user who moves a model over asks first: what are the pads, and why has my output this size?
TEST_F(VkonnxTool, ExplainAnswersForOneDnn)
{
    const std::string model =
        kit::ModelBuilder()
            .opset(1, "onednn.graph")
            .input("X", DType::float32, {1, 3, 5, 2})
            .input("W", DType::float32, {3, 4, 2, 7})
            .node("ConvTranspose", {"X", "W"}, {"Y"},
                  {kit::ints_attribute("strides", {2, 1}), kit::ints_attribute("pads_begin", {9, 9}),
                   kit::ints_attribute("pads_end", {9, 9}), kit::ints_attribute("dilations", {1, 1}),
                   kit::ints_attribute("output_padding", {1, 0}), kit::string_attribute("auto_pad", "SAME_UPPER")},
                  "up", "onednn.graph")
            .output("Y", DType::float32, {1, 7, 5, 7})
            .build();
    const Finished finished = shell(no_driver + vkonnx_tool + " explain " + write("m.onnx", model) + " --capabilities minimum");
    ASSERT_EQ(finished.code, 0) << finished.text;
    for (const char* line : {"up  onednn.graph::ConvTranspose, opset 1\n", "  output          float[1,7,5,7] NXC\n",
                             "  equation        oneDNN Graph ConvTranspose-1, SAME_UPPER: out = stride*(in - 1) + output_padding "
                             "+ dilated kernel - pads, total padding = max(dilated kernel - stride, 0), split with the extra at "
                             "the end\n",
                             "  axis 0          pads 0 and 1: 7 = 2*(3 - 1) + 1 + 3 - 1, 1 = max(3 - 2, 0)\n",
                             "  axis 1          pads 1 and 2: 5 = 1*(5 - 1) + 0 + 4 - 3, 3 = max(4 - 1, 0)\n"})
        EXPECT_NE(finished.text.find(line), std::string::npos) << line << " is not in\n" << finished.text;
    const Finished run = shell(vkonnx_tool + " run " + path("m.onnx") + " --input X=random --input W=random");
    EXPECT_EQ(run.code, 0) << run.text;
    EXPECT_NE(run.text.find("output Y  float[1,7,5,7]  min"), std::string::npos) << run.text;
}

// Large problems are cut. Their dispatches are counted, and equal grids are told once.
TEST_F(VkonnxTool, ExplainCountsDispatches)
{
    const std::string explain = no_driver + vkonnx_tool + " explain " + write("m.onnx", pool_model()) + " --input X=";
    const Finished one = shell(explain + "1x1x64 --capabilities minimum");
    EXPECT_NE(one.text.find("  dispatches      1\n"), std::string::npos) << one.text;
    EXPECT_NE(one.text.find("  scratch         0 bytes\n"), std::string::npos) << one.text;
    const Finished many = shell(explain + "1x1x1000000000 --capabilities minimum");
    ASSERT_EQ(many.code, 0) << many.text;
    EXPECT_EQ(many.text.find("  dispatches      1\n"), std::string::npos) << many.text;
    EXPECT_NE(many.text.find(" times"), std::string::npos) << many.text;
}

TEST_F(VkonnxTool, ExplainNeedsNoDevice)
{
    const std::string explain = no_driver + vkonnx_tool + " explain " + write("m.onnx", kit::half_then_double());
    const Finished finished = shell(explain + " --input X=1x3x33x32 --capabilities minimum");
    ASSERT_EQ(finished.code, 0) << finished.text;
    for (const char* word : {"capabilities of minimum",
                             "half  AveragePool",
                             "double  ConvTranspose",
                             "float[1,3,17,16]",
                             "float[1,3,34,32]",
                             "pads 0 and 0: 17 = ceil((33 + 0 - 2) / 2) + 1",
                             "pads 1 and 1: 34 = 2*(17 - 1) + 0 + 4 - 2",
                             "equation",
                             "ONNX AveragePool-11",
                             "ONNX ConvTranspose-11",
                             "average_pool_direct_f32",
                             "modules",
                             "conv_transpose_depthwise_kernel4_stride2_outputs16_f32",
                             "specialization",
                             "dispatches",
                             "grid",
                             "scratch",
                             "why",
                             "graph as read: 2 nodes",
                             "graph as rewritten: 2 nodes",
                             "arena 0 bytes at its peak, 0 if no values shared memory; constants 192, packed 0, scratch 0"})
        EXPECT_NE(finished.text.find(word), std::string::npos) << word << " is not in\n" << finished.text;
    EXPECT_EQ(shell(explain + " --input X=1x3x33x32").code, 3) << "a present device was asked for";
    EXPECT_EQ(shell(explain + " --capabilities minimum").code, 2) << "H and W are open";
    EXPECT_EQ(shell(explain + " --input X=1x4x33x32 --capabilities minimum").code, 1) << "the model says 3 colours";
}

// The number of an input may decide the branch of an If. It comes from a file.
TEST_F(VkonnxTool, AFileDecidesTheBranchOfAnIf)
{
    const std::string model = kit::ModelBuilder()
                                  .opset(17)
                                  .input("X", DType::float32, {1, 1, 4})
                                  .input("rate", DType::int64, {})
                                  .initializer(kit::int64_tensor("slow", {}, {8000}))
                                  .node("Equal", {"rate", "slow"}, {"is_slow"})
                                  .node("If", {"is_slow"}, {"Y"},
                                        {kit::graph_attribute("then_branch", kit::ModelBuilder().output("X").graph()),
                                         kit::graph_attribute("else_branch", kit::ModelBuilder()
                                                                                 .node("Concat", {"X", "X"}, {"Z"},
                                                                                       {kit::int_attribute("axis", 2)}, "twice")
                                                                                 .output("Z")
                                                                                 .graph())},
                                        "if")
                                  .output("Y")
                                  .build();
    const std::string file = write("m.onnx", model), slow = write("slow.pb", kit::int64_tensor("rate", {}, {8000})),
                      fast = write("fast.pb", kit::int64_tensor("rate", {}, {16000}));
    for (const auto& [rate, size] : {std::pair(slow, 4), std::pair(fast, 8)}) {
        const Finished run = shell(vkonnx_tool + " run " + file + " --input X=random --input rate=" + rate);
        EXPECT_EQ(run.code, 0) << run.text;
        EXPECT_NE(run.text.find("output Y  float[1,1," + std::to_string(size) + "]"), std::string::npos) << run.text;
        const Finished explained =
            shell(no_driver + vkonnx_tool + " explain " + file + " --capabilities minimum --input rate=" + rate);
        EXPECT_EQ(explained.code, 0) << explained.text;
        EXPECT_NE(explained.text.find(size == 4 ? "the nodes of then_branch take its place" : "float[1,1,8]"), std::string::npos)
            << explained.text;
    }
    // Without the number a run chooses.
    const Finished chosen = shell(vkonnx_tool + " run " + file + " --input X=random --input rate=random");
    EXPECT_EQ(chosen.code, 0) << chosen.text;
    EXPECT_TRUE(chosen.text.find("output Y  float[1,1,4]") != std::string::npos ||
                chosen.text.find("output Y  float[1,1,8]") != std::string::npos)
        << chosen.text;
    const Finished later = shell(vkonnx_tool + " explain " + file + " --capabilities minimum");
    EXPECT_EQ(later.code, 0) << later.text;
    EXPECT_NE(later.text.find("it is planned when a run has computed the elements of 'is_slow'"), std::string::npos)
        << later.text;
    EXPECT_EQ(shell(vkonnx_tool + " explain " + file + " --capabilities minimum --input rate=/no/such.npy").code, 2);
    EXPECT_EQ(shell(vkonnx_tool + " explain " + file + " --capabilities minimum --input X=" + fast).code, 2);
}

}  // namespace
}  // namespace vkonnx::tools
