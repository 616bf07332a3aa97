// This file tests vkonnx-test: what passes, what fails, what is skipped, and what it says of it.
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

#include "built_in.h"
#include "coverage.h"
#include "file.h"
#include "kit/onnx_builder.h"
#include "kit/vulkan_shim.h"
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
        .node("Multinomial", {"X"}, {"Y"})
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
    EXPECT_TRUE(has(finished, "Multinomial")) << finished.text;
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
          path("no_such_folder"), path("good/model.onnx"), "--cases " + path("no_such_folder"), "--one-per-cell " + good})
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
    // With VALID and ceil_mode the specification adds no window, but ONNX Runtime does.
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
    EXPECT_EQ(report["results"][1]["kernels"][0], "average_pool_rows_f32");
    EXPECT_NE(report["devices"][0]["name"], "");

    EXPECT_EQ(test("--report " + html + " " + path("good")).code, 0);
    EXPECT_TRUE(exists("report.html"));
    EXPECT_EQ(test("--report " + path("no_such_folder/report.html") + " " + path("good")).code, 2);
}

// ---------------------------------------------------------------------------------------------------------- built-in cases

nlohmann::json read_json(const std::string& path)
{
    const Result<std::vector<std::byte>> bytes = read_file(path);
    EXPECT_TRUE(bytes) << bytes.message();
    if (!bytes)
        return {};
    const char* text = reinterpret_cast<const char*>(bytes->data());
    return nlohmann::json::parse(text, text + bytes->size());
}

// Returns a cell of the report's table on one device.
nlohmann::json cell_of(const nlohmann::json& report, size_t device, const Cell& cell)
{
    for (const nlohmann::json& one : report.at("table"))
        if (one["device"] == device && one["operator"] == operator_text(cell.op) && one["version"] == cell.version &&
            one["type"] == name(cell.dtype))
            return one;
    ADD_FAILURE() << cell_name(cell) << " is not in the table";
    return {};
}

// Returns the text "3 of 1234 cells ran" for a number of devices.
std::string ran_text(size_t cells, size_t devices)
{
    size_t all = 0;
    for (const OperatorKind op : all_operators())
        all += cells_of(op).size();
    return std::to_string(cells) + " of " + std::to_string(all * devices) + " cells ran";
}

TEST_F(VkonnxTestTool, BuiltInCasesFillCells)
{
    const Cell some[] = {{kind_of(ConvTranspose()), 1, DType::float16},
                         {kind_of(AveragePool()), 19, DType::float64},
                         {kind_of(onednn::ConvTranspose()), 1, DType::bfloat16},
                         {kind_of(Shape()), 23, DType::float4e2m1},
                         {kind_of(MaxPool()), 12, DType::uint8},
                         {kind_of(Elementwise{.kind = ElementwiseKind::pow}), 15, DType::int64},
                         {kind_of(Split()), 18, DType::complex64}};
    std::string filter;
    for (const Cell& cell : some)
        filter += "*." + cell_name(cell) + "/*:";
    for (const char* flags : {"", "--isolate "}) {
        const Finished finished = shell(vkonnx_test_tool + " --all-devices --cases " + flags + "--gtest_filter='" + filter +
                                        "' --report " + path("report.json"));
        ASSERT_EQ(finished.code, 0) << finished.text;
        const nlohmann::json report = read_json(path("report.json"));
        const size_t devices = report["devices"].size();
        ASSERT_GT(devices, 0u);
        size_t passed = 0;
        for (size_t device = 0; device < devices; ++device) {
            for (const Cell& cell : some) {
                const nlohmann::json json = cell_of(report, device, cell);
                EXPECT_EQ(json["state"], "run") << json;
                const bool has_few = &cell - some >= 4;
                EXPECT_GE(json["passed"], has_few ? 1 : cell.op == kind_of(Shape()) ? 19 : 20) << json;
                EXPECT_EQ(json["failed"], 0) << json;
                EXPECT_EQ(json["skipped"], 0) << json;
                EXPECT_EQ(json["max_ulp_error"].is_null(), &cell - some >= 3) << json;
                passed += json["passed"].get<size_t>();
            }
            // A half is rounded only once, so that the error stays near half a unit.
            const nlohmann::json halves = cell_of(report, device, some[0]);
            EXPECT_GT(halves["max_ulp_error"], 0.25) << halves;
            EXPECT_LT(halves["max_ulp_error"], 0.6) << halves;
            // A cell that did not run says so and has no numbers.
            const nlohmann::json hole = cell_of(report, device, {kind_of(ConvTranspose()), 1, DType::float32});
            EXPECT_EQ(hole["state"], "not run");
            EXPECT_FALSE(hole.contains("passed") || hole.contains("failed") || hole.contains("max_ulp_error")) << hole;
            EXPECT_EQ(cell_of(report, device, {kind_of(ConvTranspose()), 1, DType::bfloat16})["state"], "not in this version");
        }
        EXPECT_EQ(finished.last_line(), std::to_string(passed) + " passed, 0 failed, 0 skipped");
        EXPECT_TRUE(has(finished, ran_text(std::size(some) * devices, devices))) << finished.text;
    }
}

TEST_F(VkonnxTestTool, OnePerCellRunsOneCaseOfACell)
{
    const Finished finished =
        shell(vkonnx_test_tool + " --cases --one-per-cell --gtest_filter='*.AveragePool_19/*' --report " + path("report.json"));
    ASSERT_EQ(finished.code, 0) << finished.text;
    EXPECT_EQ(finished.last_line(), "3 passed, 0 failed, 0 skipped");  // one of each type
    EXPECT_EQ(cell_of(read_json(path("report.json")), 0, {kind_of(AveragePool()), 19, DType::float64})["passed"], 1);
}

TEST_F(VkonnxTestTool, FoldersCountInTheTable)
{
    write_pool_case("good");
    write_pool_case("bad", {0, 0});
    const TensorDesc desc{DType::float32, {1, 1, 4}};
    write_case("skipped", unsupported_model(), desc, {1, 2, 3, 4}, desc, {1, 2, 3, 4});
    const Finished finished = test("--cases --gtest_filter='-*/*/*' --report " + path("report.json") + " " + folder_.string());
    EXPECT_EQ(finished.last_line(), "1 passed, 1 failed, 1 skipped") << finished.text;
    EXPECT_TRUE(has(finished, "1 FAILED, 1 (")) << finished.text;
    EXPECT_TRUE(has(finished, ran_text(1, 1) + "; in no cell: 0 passed, 0 failed, 1 skipped")) << finished.text;
    const nlohmann::json report = read_json(path("report.json"));
    const nlohmann::json result = report["results"][1];
    ASSERT_EQ(result["case"], "good");
    ASSERT_EQ(result["cells"].size(), 1u);
    const nlohmann::json cell = cell_of(report, 0, {kind_of(AveragePool()), result["cells"][0]["version"], DType::float32});
    EXPECT_EQ(cell["passed"], 1) << cell;
    EXPECT_EQ(cell["failed"], 1) << cell;
    EXPECT_EQ(test(folder_.string()).text.find("cells ran"), std::string::npos) << "the table is for --cases";
}

TEST_F(VkonnxTestTool, TypeOfAShapeIsThatOfTheModelsInput)
{
    const std::string model = kit::ModelBuilder()
                                  .opset(16)
                                  .input("X", DType::float32, {1, 1, 4})
                                  .node("Shape", {"X"}, {"Y"})
                                  .output("Y", DType::int64, {3})
                                  .build();
    const std::string folder = write_case("shape", model, {DType::float32, {1, 1, 4}}, {1, 2, 3, 4}, {}, {});
    const std::vector<int64_t> shape = {1, 1, 4};
    write("shape/test_data_set_0/output_0.pb", kit::raw_tensor("Y", {DType::int64, {3}}, std::as_bytes(std::span(shape))));
    EXPECT_EQ(test("--report " + path("report.json") + " " + folder).code, 0);
    EXPECT_EQ(cell_of(read_json(path("report.json")), 0, {kind_of(Shape()), 15, DType::float32})["passed"], 1);
}

TEST_F(VkonnxTestTool, RulesReachBuiltInCases)
{
    const std::string report = path("report.json");
    for (const auto& [flags, rules] : {std::pair("", ""), std::pair("--rules onnxruntime ", " rules=onnxruntime")}) {
        const Finished finished = test(std::string("--cases --report ") + report + " --gtest_filter='*/valid_ceil_1d' " + flags);
        ASSERT_EQ(finished.code, 0) << finished.text;
        const std::string problem = read_json(report)["results"][0]["problem"];
        EXPECT_EQ(problem.find("rules=onnxruntime") != std::string::npos, *rules != '\0') << problem;
    }
}

class LyingDriver : public testing::Test {
protected:
    void SetUp() override
    {
        const Result<std::vector<DeviceInfo>> devices = Device::list();
        if (devices)
            for (const DeviceInfo& device : *devices)
                if (device.rejected.empty())
                    selects_.push_back(std::to_string(device.index));
        if (selects_.empty())
            GTEST_SKIP() << "no device";
    }

    // Runs one case on a device that is opened through the shim, and returns the cell that it belongs to.
    static nlohmann::json cell_through(const kit::ShimOptions& shim_options, const std::string& select, OperatorKind op,
                                       const std::string& text, std::string& message)
    {
        kit::VulkanShim shim(shim_options);
        EXPECT_EQ(shim.error(), "");
        const Result<kit::Case> problem = kit::parse_case(op == kind_of(AveragePool()) ? "average_pool" : "conv_transpose", text);
        // The self-test is left out, since it would not open a device that swallows dispatches.
        const Result<Device> device =
            Device::open({.select = select, .get_instance_proc_addr = shim.get_instance_proc_addr(), .self_test = false});
        if (!device || !problem) {
            ADD_FAILURE() << device.message() << problem.message();
            return {};
        }
        const Cell cell = {op, 22, problem->inputs[0].dtype};
        const CaseResult result = run_built_in(*device, *problem);
        message = result.message;
        Report report;
        report.devices = {device->info()};
        report.entries = {{{.name = "one", .cell = cell, .problem = *problem}, 0, result}};
        return cell_of(nlohmann::json::parse(report_json(report)), 0, cell);
    }

    std::vector<std::string> selects_;  // one selects each device
};

TEST_F(LyingDriver, FailsTheCell)
{
    // The lie flips the sign of the last element of the output.
    const auto flip = [](std::span<std::byte> bytes) {
        if (bytes.size() == 2 * 14 * sizeof(float))
            bytes.back() ^= std::byte{0x80};
    };
    const std::pair<const char*, kit::ShimOptions> lies[] = {{"28 of 28", {.swallow_dispatches = true}},
                                                             {"1 of 28", {.after_wait = flip}}};
    const std::string text = "one x=1x2x16 kernel_shape=3 fill=positive";
    for (const std::string& select : selects_) {
        std::string message;
        for (const auto& [wrong, shim_options] : lies) {
            const nlohmann::json cell = cell_through(shim_options, select, kind_of(AveragePool()), text, message);
            EXPECT_EQ(cell["state"], "run") << cell;
            EXPECT_EQ(cell["passed"], 0) << cell;
            EXPECT_EQ(cell["failed"], 1) << cell;
            EXPECT_NE(message.find(std::string(wrong) + " elements of float[1,2,14] differ: ["), std::string::npos) << message;
            EXPECT_NE(message.find("; filled with positive; case: " + text), std::string::npos) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        }
        const nlohmann::json honest = cell_through({}, select, kind_of(AveragePool()), text, message);
        EXPECT_EQ(honest["passed"], 1) << message;
        EXPECT_EQ(honest["failed"], 0) << message;
    }
}

TEST_F(LyingDriver, FailsEveryType)
{
    for (const std::string& select : selects_)
        for (const char* type : {"float", "float16", "bfloat16", "double"}) {
            std::string message;
            const std::string text = std::string("one x=1x2x5 w=2x3x3 b type=") + type;
            const nlohmann::json lie =
                cell_through({.swallow_dispatches = true}, select, kind_of(ConvTranspose()), text, message);
            EXPECT_EQ(lie["failed"], 1) << lie;
            const nlohmann::json honest = cell_through({}, select, kind_of(ConvTranspose()), text, message);
            EXPECT_EQ(honest["passed"], 1) << message;
        }
}

// A problem that the library refuses because of the device neither fails nor passes.
TEST_F(LyingDriver, RefusalIsSkipped)
{
    const Result<kit::Case> problem = kit::parse_case("average_pool", "one x=1x2x16 kernel_shape=3");
    ASSERT_TRUE(problem) << problem.message();
    Capabilities least = *Capabilities::preset("minimum");
    least.max_storage_buffer_range = 4;  // one element, but a window reads several side by side
    const Result<Device> device = Device::open({.capabilities = least});
    ASSERT_TRUE(device) << device.message();
    const CaseResult result = run_built_in(*device, *problem);
    EXPECT_EQ(result.outcome, Outcome::skipped) << result.message;
    EXPECT_NE(result.message.find("max_storage_buffer_range"), std::string::npos) << result.message;
}

TEST_F(VkonnxTestTool, ValidationMessageFailsTheCase)
{
    const std::string good = write_pool_case("good");
    const Finished silent = test("--validate " + good);
    if (silent.code == 3 && has(silent, "VK_LAYER_KHRONOS_validation"))
        GTEST_SKIP() << "the validation layer is not installed";
    EXPECT_EQ(silent.code, 0) << silent.text;
    // This is the positive control: asked for advice on performance too, the layer has something to say of so small a program.
    const Finished advised = shell(
        "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT " VKONNX_TEST_TOOL " --device 0 --validate " + good);
    EXPECT_EQ(advised.code, 1) << advised.text;
    EXPECT_TRUE(has(advised, "BestPractices")) << advised.text;
}

}  // namespace
}  // namespace vkonnx::tools
