// vkonnx devices | run | explain: exit codes, files, words.
#include <cstring>

#include <nlohmann/json.hpp>

#include "kit/onnx_builder.h"
#include "models/models.h"
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
    EXPECT_EQ(shell(vkonnx_tool + " run --help").code, 0);
    EXPECT_EQ(shell(vkonnx_tool + " --version").text, std::string(version()) + "\n");
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
    }
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

TEST_F(VkonnxTool, RunsOnPictures)
{
    const std::string model = write("m.onnx", kit::antialias_half());
    std::vector<float> values;
    for (int i = 0; i < 3 * 16; ++i)
        values.push_back(static_cast<float>(i % 2 ? 51 : 153) / 255);  // in pairs 102 on average
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
    // float[1,1,2] is no picture, which only shows once the model has run.
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
    EXPECT_EQ(rows[1].find("average_pool_direct_f32"), rows[0].find("kernel"));
    EXPECT_EQ(rows[3].find("all"), rows[0].find("node"));
}

TEST_F(VkonnxTool, RulesReachTheOperators)
{
    // VALID with ceil_mode: the specification adds no window, ONNX Runtime does.
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
}

TEST_F(VkonnxTool, ExplainNeedsNoDevice)
{
    const std::string explain = no_driver + vkonnx_tool + " explain " + write("m.onnx", kit::half_then_double());
    const Finished finished = shell(explain + " --input X=1x3x33x32 --capabilities minimum");
    ASSERT_EQ(finished.code, 0) << finished.text;
    for (const char* word : {"capabilities of minimum", "half  AveragePool", "double  ConvTranspose", "float[1,3,17,16]",
                             "float[1,3,34,32]", "begin 0x0, end 0x0", "begin 1x1, end 1x1", "equation",
                             "average_pool_direct_f32", "conv_transpose_direct_f32", "specialization", "grid", "why"})
        EXPECT_NE(finished.text.find(word), std::string::npos) << word << " is not in\n" << finished.text;
    EXPECT_EQ(shell(explain + " --input X=1x3x33x32").code, 3) << "a present device was asked for";
    EXPECT_EQ(shell(explain + " --capabilities minimum").code, 2) << "H and W are open";
    EXPECT_EQ(shell(explain + " --input X=1x4x33x32 --capabilities minimum").code, 1) << "the model says 3 colours";
}

}  // namespace
}  // namespace vkonnx::tools
