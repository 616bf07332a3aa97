// vkonnx-test: what passes, what fails, what is skipped, and what it says of it.
#include <limits>

#include <nlohmann/json.hpp>

#include "file.h"
#include "kit/onnx_builder.h"
#include "process.h"

namespace vkonnx::tools {
namespace {

class VkonnxTestTool : public ToolTest {
protected:
    Finished test(const std::string& arguments) const { return shell(vkonnx_test_tool + " --device 0 " + arguments); }
};

std::string unsupported_model()
{
    return kit::ModelBuilder()
        .opset(17)
        .input("X", DType::float32, {1, 1, 4})
        .node("Relu", {"X"}, {"Y"})
        .output("Y", DType::float32, {1, 1, 4})
        .build();
}

bool has(const Finished& finished, std::string_view word)
{
    return finished.text.find(word) != std::string::npos;
}

TEST_F(VkonnxTestTool, PassesAndFailsByTheNumbers)
{
    const Finished good = test(write_pool_case("good"));
    EXPECT_EQ(good.code, 0) << good.text;
    EXPECT_EQ(good.last_line(), "1 passed, 0 failed, 0 skipped");
    EXPECT_TRUE(has(good, "max error: absolute 0")) << good.text;

    const Finished bad = test(write_pool_case("bad", {1.5f, 4.75f}));
    EXPECT_EQ(bad.code, 1);
    EXPECT_EQ(bad.last_line(), "0 passed, 1 failed, 0 skipped");
    EXPECT_TRUE(has(bad, "output \"Y\" 1 of 2 elements differ, first [0,0,1] is 4.5, expected 4.75")) << bad.text;
    EXPECT_TRUE(has(bad, "absolute 0.25")) << bad.text;

    EXPECT_EQ(test(folder_.string()).last_line(), "1 passed, 1 failed, 0 skipped") << "a folder of cases";
    EXPECT_EQ(test(path("good") + " " + path("bad") + " " + path("good") + "/.").last_line(), "1 passed, 1 failed, 0 skipped")
        << "two folders, one named twice";
}

TEST_F(VkonnxTestTool, ToleranceIsTheCallers)
{
    const std::string near = write_pool_case("near", {1.5f, 4.5f * (1 + 0.9e-3f)}), far = write_pool_case("far", {1.5f, 4.52f});
    EXPECT_EQ(test(near).code, 0);
    EXPECT_EQ(test("--rtol 1e-4 " + near).code, 1);
    EXPECT_EQ(test(far).code, 1);
    EXPECT_EQ(test("--rtol 0.01 " + far).code, 0);
    EXPECT_EQ(test("--atol 0.1 " + far).code, 0);
}

TEST_F(VkonnxTestTool, TypeAndShapeAreExactAndNaNEqualsNaN)
{
    const TensorDesc x{DType::float32, {1, 1, 4}}, y{DType::float32, {1, 1, 2}};
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(test(write_case("nan", pool_model(), x, {nan, 1, 2, 2}, y, {nan, 2})).code, 0);
    EXPECT_EQ(test(write_case("no_nan", pool_model(), x, {nan, 1, 2, 2}, y, {1, 2})).code, 1);
    const Finished shape = test(write_case("shape", pool_model(), x, {1, 2, 3, 6}, {DType::float32, {2}}, {1.5f, 4.5f}));
    EXPECT_EQ(shape.code, 1);
    EXPECT_TRUE(has(shape, "is float[1,1,2], expected float[2]")) << shape.text;
    const Finished type = test(write_case("type", pool_model(), x, {1, 2, 3, 6}, {DType::int32, {1, 1, 2}}, {1.5f, 4.5f}));
    EXPECT_EQ(type.code, 1);
    EXPECT_TRUE(has(type, "is float[1,1,2], expected int32[1,1,2]")) << type.text;
}

TEST_F(VkonnxTestTool, NothingRanIsThree)
{
    const TensorDesc desc{DType::float32, {1, 1, 4}};
    const std::string skipped = write_case("skipped", unsupported_model(), desc, {1, 2, 3, 4}, desc, {1, 2, 3, 4});
    const Finished finished = test(skipped);
    EXPECT_EQ(finished.code, 3);
    EXPECT_EQ(finished.last_line(), "0 passed, 0 failed, 1 skipped");
    EXPECT_TRUE(has(finished, "Relu")) << finished.text;
    EXPECT_EQ(test(skipped + " " + write_pool_case("good")).code, 0) << "one ran";

    std::filesystem::create_directories(folder_ / "empty");
    EXPECT_EQ(test(path("empty")).code, 3);
    EXPECT_EQ(test("--gtest_filter=nothing " + path("good")).code, 3);
    write("no_data/model.onnx", pool_model());
    EXPECT_EQ(test(path("no_data")).last_line(), "0 passed, 0 failed, 1 skipped");
    EXPECT_EQ(shell(no_driver + vkonnx_test_tool + " " + path("good")).code, 3);
    EXPECT_EQ(shell(no_driver + vkonnx_test_tool + " --all-devices " + path("good")).code, 3);
    EXPECT_EQ(shell(no_driver + vkonnx_test_tool + " --isolate --all-devices " + path("good")).code, 3);
    EXPECT_EQ(shell(vkonnx_test_tool + " --device no-device-has-this-name " + path("good")).code, 3);
}

TEST_F(VkonnxTestTool, UsageIsTwo)
{
    const std::string good = write_pool_case("good");
    for (const std::string& arguments :
         {std::string(), "--frobnicate " + good, "--rtol x " + good, "--rtol -1 " + good, "--gtest_frobnicate=1 " + good,
          "--all-devices " + good, "--timeout 3 " + good, "--report report.txt " + good, "--rules nobodys " + good,
          path("no_such_folder"), path("good/model.onnx")})
        EXPECT_EQ(test(arguments).code, 2) << arguments;
    EXPECT_EQ(test("--help").code, 0);
}

TEST_F(VkonnxTestTool, BrokenFoldersFail)
{
    write_pool_case("no_output");
    std::filesystem::remove(folder_ / "no_output/test_data_set_0/output_0.pb");
    write_pool_case("extra_input");
    std::filesystem::copy(folder_ / "extra_input/test_data_set_0/input_0.pb", folder_ / "extra_input/test_data_set_0/input_1.pb");
    write_pool_case("broken_model");
    write("broken_model/model.onnx", "no model");
    write_pool_case("broken_tensor");
    write("broken_tensor/test_data_set_0/input_0.pb", "no tensor");
    for (const char* name : {"no_output", "extra_input", "broken_model", "broken_tensor"})
        EXPECT_EQ(test(path(name)).last_line(), "0 passed, 1 failed, 0 skipped") << name;
}

TEST_F(VkonnxTestTool, EveryDataSetIsATest)
{
    write_pool_case("case");
    std::filesystem::copy(folder_ / "case/test_data_set_0", folder_ / "case/test_data_set_1");
    const Finished listed = test("--gtest_list_tests " + path("case"));
    EXPECT_EQ(listed.code, 0);
    EXPECT_TRUE(has(listed, "case/0") && has(listed, "case/1")) << listed.text;
    EXPECT_EQ(test(path("case")).last_line(), "2 passed, 0 failed, 0 skipped");
    EXPECT_EQ(test("--gtest_filter='*case/1' " + path("case")).last_line(), "1 passed, 0 failed, 0 skipped");
    EXPECT_EQ(test("--gtest_repeat=2 " + path("case")).last_line(), "4 passed, 0 failed, 0 skipped");
}

TEST_F(VkonnxTestTool, EqualNamesAreToldApart)
{
    write_pool_case("a/same");
    write_pool_case("b/same", {0, 0});
    const Finished finished = test(path("a") + " " + path("b"));
    EXPECT_EQ(finished.last_line(), "1 passed, 1 failed, 0 skipped");
    EXPECT_TRUE(has(finished, "a/same") && has(finished, "b/same")) << finished.text;
}

TEST_F(VkonnxTestTool, RepeatCommandRepeatsTheFailure)
{
    write_pool_case("it's bad", {1.5f, 4.6f});
    std::filesystem::copy(folder_ / "it's bad/test_data_set_0", folder_ / "it's bad/test_data_set_1");
    write_pool_case("good");
    const Finished finished = test("--rtol 1e-5 " + folder_.string());
    EXPECT_EQ(finished.last_line(), "1 passed, 2 failed, 0 skipped");
    const std::string word = "repeat: ";
    const size_t at = finished.text.find(word);
    ASSERT_NE(at, std::string::npos) << finished.text;
    const std::string command = finished.text.substr(at + word.size(), finished.text.find('\n', at) - at - word.size());
    const Finished again = shell(command);
    EXPECT_EQ(again.code, 1) << command;
    EXPECT_EQ(again.last_line(), "0 passed, 1 failed, 0 skipped") << command << "\n" << again.text;
}

TEST_F(VkonnxTestTool, AllDevicesRunEveryCase)
{
    const Finished devices = shell(VKONNX_TOOL " devices --json");
    ASSERT_EQ(devices.code, 0);
    size_t usable = 0;
    for (const nlohmann::json& device : nlohmann::json::parse(devices.text))
        usable += device["rejected"] == "";
    write_pool_case("one");
    write_pool_case("two");
    for (const char* flags : {"", "--isolate "}) {
        const Finished finished = shell(vkonnx_test_tool + " --all-devices " + flags + folder_.string());
        EXPECT_EQ(finished.code, 0) << finished.text;
        EXPECT_EQ(finished.last_line(), std::to_string(2 * usable) + " passed, 0 failed, 0 skipped");
    }
}

TEST_F(VkonnxTestTool, VariableChoosesTheDeviceUntilAFlagDoes)
{
    const std::string good = write_pool_case("good"), variable = "VKONNX_DEVICE=no-device-has-this-name ";
    EXPECT_EQ(shell(variable + vkonnx_test_tool + " " + good).code, 3);
    EXPECT_EQ(shell(variable + vkonnx_test_tool + " --device 0 " + good).code, 0);
    EXPECT_EQ(shell(variable + vkonnx_test_tool + " --all-devices " + good).code, 0);
}

TEST_F(VkonnxTestTool, RulesReachTheOperators)
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
    const TensorDesc x{DType::float32, {1, 1, 3}}, y{DType::float32, {1, 1, 2}};
    const std::string folder = write_case("case", model, x, {1, 3, 8}, y, {2, 8});
    EXPECT_EQ(test(folder).code, 1);
    EXPECT_EQ(test("--rules onnxruntime " + folder).code, 0);
}

TEST_F(VkonnxTestTool, ReportsAreWritten)
{
    write_pool_case("good");
    write_pool_case("bad", {0, 0});
    const std::string json = path("report.json"), html = path("report.html");
    EXPECT_EQ(test("--report " + json + " " + folder_.string()).last_line(), "1 passed, 1 failed, 0 skipped");
    const Result<std::vector<std::byte>> bytes = read_file(json);
    ASSERT_TRUE(bytes) << bytes.message();
    const auto report = nlohmann::json::parse(reinterpret_cast<const char*>(bytes->data()),
                                              reinterpret_cast<const char*>(bytes->data()) + bytes->size());
    ASSERT_EQ(report["results"].size(), 2u);
    EXPECT_EQ(report["results"][0]["case"], "bad");
    EXPECT_EQ(report["results"][0]["outcome"], "failed");
    EXPECT_EQ(report["results"][1]["kernels"][0], "average_pool_direct_f32");
    EXPECT_NE(report["devices"][0]["name"], "");

    EXPECT_EQ(test("--report " + html + " " + path("good")).code, 0);
    EXPECT_TRUE(exists("report.html"));
    EXPECT_EQ(test("--report " + path("no_such_folder/report.html") + " " + path("good")).code, 2);
}

TEST_F(VkonnxTestTool, ValidationMessageFailsTheCase)
{
    const std::string good = write_pool_case("good");
    const Finished silent = test("--validate " + good);
    if (silent.code == 3 && has(silent, "VK_LAYER_KHRONOS_validation"))
        GTEST_SKIP() << "the validation layer is not installed";
    EXPECT_EQ(silent.code, 0) << silent.text;
    // The positive control: asked for its advice on performance too, the layer has something to say of so small a program.
    const Finished advised = shell(
        "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT " VKONNX_TEST_TOOL " --device 0 --validate " + good);
    EXPECT_EQ(advised.code, 1) << advised.text;
    EXPECT_TRUE(has(advised, "BestPractices")) << advised.text;
}

}  // namespace
}  // namespace vkonnx::tools
