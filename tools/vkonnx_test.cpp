// vkonnx-test: runs ONNX backend test folders on Vulkan devices, one GoogleTest test per folder, data set and device.
#include <vkonnx/onnx.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "isolate.h"
#include "report.h"

using namespace vkonnx;
using namespace vkonnx::tools;

namespace {

struct Arguments {
    std::string program;
    std::vector<std::string> folders;
    std::string device;
    bool all_devices = false;
    CaseOptions options;
    bool validate = false;
    bool isolate = false;
    double timeout_seconds = 60;
    std::string report;
};

// Warnings and errors of the library and, with --validate, of the validation layer.
class Messages {
public:
    void add(std::string_view message)
    {
        const std::lock_guard lock(mutex_);
        text_ += (text_.empty() ? "" : "\n") + std::string(message);
    }
    std::string take()
    {
        const std::lock_guard lock(mutex_);
        return std::exchange(text_, {});
    }

private:
    std::mutex mutex_;
    std::string text_;
};

// A device that cases run on: opened by the first, kept for the others, opened again when it was lost.
class Target {
public:
    Target(DeviceInfo info, const Arguments& arguments) : info_(std::move(info)), arguments_(arguments) {}

    const DeviceInfo& info() const { return info_; }

    CaseResult run(const TestCase& test)
    {
        if (!device_) {
            Result<Device> opened = Device::open(options());
            if (!opened)
                return {.outcome = Outcome::failed, .message = "the device can't be opened: " + std::string(opened.message())};
            device_ = std::move(*opened);
        }
        CaseResult result = run_case(*device_, test, arguments_.options);
        if (result.outcome == Outcome::failed)
            device_.reset();  // it may be lost
        const std::string messages = messages_.take();
        if (arguments_.validate && !messages.empty()) {
            result.outcome = Outcome::failed;
            result.message += (result.message.empty() ? "" : "; ") + messages;
        }
        return result;
    }

private:
    DeviceOptions options()
    {
        return {
            .select = std::to_string(info_.index), .validation = arguments_.validate, .log = [this](LogLevel level, auto text) {
                if (level != LogLevel::info)
                    messages_.add(text);
            }};
    }

    DeviceInfo info_;
    const Arguments& arguments_;
    Messages messages_;
    std::optional<Device> device_;
};

// ------------------------------------------------------------------------------------------------------------ devices

Result<std::vector<DeviceInfo>> chosen_devices(const Arguments& arguments)
{
    if (!arguments.all_devices) {
        const Result<Device> device =
            Device::open({.select = arguments.device, .validation = arguments.validate, .self_test = false});
        return device ? Result<std::vector<DeviceInfo>>({device->info()}) : device.status();
    }
    Result<std::vector<DeviceInfo>> devices = Device::list({.validation = arguments.validate});
    if (!devices)
        return devices;
    for (const DeviceInfo& device : *devices)
        if (!device.rejected.empty())
            std::printf("not used: %s: %s\n", device.name.c_str(), device.rejected.c_str());
    std::erase_if(*devices, [](const DeviceInfo& device) { return !device.rejected.empty(); });
    if (devices->empty())
        return Status(Code::no_device, "there is no Vulkan device that vkonnx can use");
    return devices;
}

// The same from a child process, since an isolating parent must not touch a driver.
Result<std::vector<DeviceInfo>> chosen_devices_isolated(const Arguments& arguments)
{
    const Result<std::string> text = run_isolated(
        [&] {
            nlohmann::json json;
            const Result<std::vector<DeviceInfo>> devices = chosen_devices(arguments);
            json["code"] = static_cast<int>(devices.code());
            json["message"] = devices.message();
            json["devices"] = nlohmann::json::array();
            if (devices)
                for (const DeviceInfo& device : *devices)
                    json["devices"].push_back(
                        {device.index, device.name, device.kind, device.driver, device.api_version, device.uuid});
            return json.dump();
        },
        arguments.timeout_seconds);
    if (!text)
        return Status(Code::no_device, "the devices can't be listed: " + std::string(text.message()));
    const nlohmann::json json = nlohmann::json::parse(*text);
    if (json["code"] != static_cast<int>(Code::ok))
        return Status(json["code"].get<Code>(), json["message"]);
    std::vector<DeviceInfo> devices;
    for (const nlohmann::json& d : json["devices"])
        devices.push_back({.index = d[0], .name = d[1], .kind = d[2], .driver = d[3], .api_version = d[4], .uuid = d[5]});
    return devices;
}

// -------------------------------------------------------------------------------------------------------------- cases

Result<std::vector<TestCase>> all_cases(const std::vector<std::string>& folders)
{
    std::vector<TestCase> cases;
    std::set<std::filesystem::path> seen;
    std::map<std::string, size_t> uses;
    for (const std::string& folder : folders) {
        const Result<std::vector<TestCase>> found = find_cases(folder);
        if (!found)
            return found.status();
        for (const TestCase& test : *found) {
            std::error_code error;
            const auto identity = test.data_set.empty() ? test.folder : test.data_set;
            if (!seen.insert(std::filesystem::weakly_canonical(identity, error)).second)
                continue;  // named twice
            cases.push_back(test);
            ++uses[test.name];
        }
    }
    for (TestCase& test : cases)
        if (uses[test.name] > 1) {
            std::error_code error;
            test.name = std::filesystem::weakly_canonical(test.folder, error).parent_path().filename().string() + "/" + test.name;
        }
    return cases;
}

// "0_llvmpipe": unique, and without the characters that --gtest_filter gives a meaning.
std::string suite_name(const DeviceInfo& device)
{
    std::string name = std::to_string(device.index) + "_";
    for (const char c : device.name) {
        if (c == ' ' || c == '(')
            break;
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    }
    return name;
}

std::string quoted(const std::string& text)
{
    const bool plain = !text.empty() && text.find_first_of(" \t\n\"'\\$&|;<>()*?[]#~`!{}") == std::string::npos;
    if (plain)
        return text;
    std::string inside;
    for (const char c : text)
        inside += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return "'" + inside + "'";
}

std::string repeat_command(const Arguments& arguments, const DeviceInfo& device, const TestCase& test)
{
    std::string command;
    for (const char* variable : {"VK_ICD_FILENAMES", "VK_DRIVER_FILES"})  // the device's index depends on them
        if (const char* value = std::getenv(variable))
            command += std::string(variable) + "=" + quoted(value) + " ";
    command += quoted(arguments.program) + " --device " + std::to_string(device.index);
    const Tolerance defaults;
    char number[32];
    if (arguments.options.tolerance.relative != defaults.relative) {
        std::snprintf(number, sizeof number, " --rtol %.9g", arguments.options.tolerance.relative);
        command += number;
    }
    if (arguments.options.tolerance.absolute != defaults.absolute) {
        std::snprintf(number, sizeof number, " --atol %.9g", arguments.options.tolerance.absolute);
        command += number;
    }
    if (arguments.options.rules == Rules::onnxruntime)
        command += " --rules onnxruntime";
    if (arguments.validate)
        command += " --validate";
    if (arguments.isolate)
        command += " --isolate";
    if (const size_t slash = test.name.rfind('/'); slash != std::string::npos && !test.data_set.empty())
        command += " --gtest_filter=" + quoted("*" + test.name.substr(slash));
    return command + " " + quoted(test.folder.string());
}

CaseResult run_in_child(Target& target, const TestCase& test, double timeout_seconds)
{
    const Result<std::string> text = run_isolated([&] { return to_json(target.run(test)).dump(); }, timeout_seconds);
    const Result<CaseResult> result = text ? case_result_from_json(*text) : text.status();
    return result ? *result : CaseResult{.outcome = Outcome::failed, .message = std::string(result.message())};
}

class CaseTest : public testing::Test {
public:
    CaseTest(Target& target, size_t device, const TestCase& test, const Arguments& arguments, Report& report)
        : target_(target), device_(device), test_(test), arguments_(arguments), report_(report)
    {
    }

    void TestBody() override
    {
        const CaseResult result =
            arguments_.isolate ? run_in_child(target_, test_, arguments_.timeout_seconds) : target_.run(test_);
        report_.entries.push_back({test_, device_, result, repeat_command(arguments_, target_.info(), test_)});
        const auto [absolute, relative, ulp] = errors_text(result.errors);
        RecordProperty("max_absolute_error", absolute);
        RecordProperty("max_relative_error", relative);
        RecordProperty("max_ulp_error", ulp);
        if (result.outcome == Outcome::skipped)
            GTEST_SKIP() << result.message;
        if (result.outcome == Outcome::failed)
            ADD_FAILURE() << result.message;
    }

private:
    Target& target_;
    size_t device_;
    const TestCase& test_;
    const Arguments& arguments_;
    Report& report_;
};

// One line per case instead of GoogleTest's three.
class CasePrinter : public testing::EmptyTestEventListener {
public:
    CasePrinter(const Report& report, size_t name_width) : report_(report), name_width_(static_cast<int>(name_width)) {}

    void OnTestEnd(const testing::TestInfo& info) override
    {
        const ReportEntry& entry = report_.entries.back();
        const CaseResult& result = entry.result;
        const char* word = result.outcome == Outcome::passed ? "ok  " : result.outcome == Outcome::failed ? "FAIL" : "skip";
        const auto [absolute, relative, ulp] = errors_text(result.errors);
        std::printf("%s  %s  %-*s", word, info.test_suite_name(), name_width_, entry.test.name.c_str());
        if (result.outcome == Outcome::skipped)
            std::printf("  %s\n", result.message.c_str());
        else
            std::printf("  max error: absolute %-7s relative %-7s ulp %s\n", absolute.c_str(), relative.c_str(), ulp.c_str());
        if (result.outcome == Outcome::failed)
            std::printf("      %s\n      repeat: %s\n", result.message.c_str(), entry.repeat.c_str());
        std::fflush(stdout);
    }

private:
    const Report& report_;
    int name_width_;
};

// ------------------------------------------------------------------------------------------------------- command line

std::optional<int> read_command_line(Arguments& arguments, int argc, char** argv)
{
    // GoogleTest takes its flags first; CLI11 has the rest.
    std::vector<char*> own = {argv[0]}, google = {argv[0]};
    for (int i = 1; i < argc; ++i)
        (std::string_view(argv[i]).starts_with("--gtest_") ? google : own).push_back(argv[i]);
    int google_count = static_cast<int>(google.size());
    google.push_back(nullptr);
    testing::InitGoogleTest(&google_count, google.data());
    if (google_count > 1)
        return fail(exit_usage, std::string(google[1]) + " is no flag of GoogleTest");

    CLI::App app("Runs ONNX backend test folders on Vulkan devices.", "vkonnx-test");
    app.footer("GoogleTest's flags work too, for example --gtest_filter='*ceil*' and --gtest_list_tests.\n"
               "Exit codes: 0 all passed, 1 a case failed, 2 usage, 3 no device, or nothing ran or all was skipped.");
    app.add_option("DIR", arguments.folders, "A folder with model.onnx and test_data_set_*, or a folder of such")->required();
    CLI::Option* device = add_device_option(app, arguments.device);
    app.add_flag("--all-devices", arguments.all_devices, "Every device that can be used, one after the other")->excludes(device);
    app.add_option("--rtol", arguments.options.tolerance.relative, "Relative tolerance")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    app.add_option("--atol", arguments.options.tolerance.absolute, "Absolute tolerance")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    add_rules_option(app, arguments.options.rules);
    app.add_flag("--validate", arguments.validate, "Enables the Khronos validation layer; any message fails the case");
    CLI::Option* isolate =
        app.add_flag("--isolate", arguments.isolate, "Each case in a child process, so that a crash or a hang fails it alone");
    app.add_option("--timeout", arguments.timeout_seconds, "Seconds for an isolated case")
        ->capture_default_str()
        ->check(CLI::PositiveNumber)
        ->needs(isolate);
    app.add_option("--report", arguments.report, "Writes a report")->type_name("FILE.html|FILE.json");
    if (const std::optional<int> code = parse_command_line(app, static_cast<int>(own.size()), own.data()))
        return code;
    if (arguments.isolate && !can_isolate())
        return fail(exit_usage, "--isolate is not supported on this platform");
    if (!arguments.report.empty())
        if (const Status usable = check_report_path(arguments.report); !usable)
            return fail(exit_usage, usable.message());
    return std::nullopt;
}

std::string command_text(int argc, char** argv)
{
    std::string text;
    for (int i = 0; i < argc; ++i)
        text += (i ? " " : "") + quoted(argv[i]);
    return text;
}

std::string now_text()
{
    char text[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", std::gmtime(&now));
    return text;
}

int finish(const Report& report, const std::string& path)
{
    const Counts counts = count(report);
    if (!path.empty()) {
        if (const Status written = write_report(path, report); !written)
            return fail(exit_failed, written.message());
        std::printf("report: %s\n", path.c_str());
    }
    std::printf("%s\n", counts_text(counts).c_str());
    return counts.failed ? exit_failed : counts.passed ? exit_done : exit_nothing;
}

int run_tool(int argc, char** argv)
{
    Arguments arguments;
    arguments.program = argv[0];
    Report report;
    report.command = command_text(argc, argv);
    report.date = now_text();
    if (const std::optional<int> code = read_command_line(arguments, argc, argv))
        return *code;

    const Result<std::vector<TestCase>> cases = all_cases(arguments.folders);
    if (!cases)
        return fail(exit_usage, cases.message());
    const Result<std::vector<DeviceInfo>> devices =
        arguments.isolate ? chosen_devices_isolated(arguments) : chosen_devices(arguments);
    if (!devices)
        return fail(exit_code_without_device(devices.status()), devices.message());

    report.options = arguments.options;
    report.validated = arguments.validate;
    report.isolated = arguments.isolate;
    report.devices = *devices;
    std::vector<std::unique_ptr<Target>> targets;
    size_t name_width = 0;
    for (const DeviceInfo& device : *devices) {
        Target& target = *targets.emplace_back(std::make_unique<Target>(device, arguments));
        const size_t index = targets.size() - 1;
        for (const TestCase& test : *cases) {
            name_width = std::max(name_width, test.name.size());
            testing::RegisterTest(
                suite_name(device).c_str(), test.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                [&, index]() -> testing::Test* { return new CaseTest(target, index, test, arguments, report); });
        }
    }
    if (GTEST_FLAG_GET(list_tests))
        return RUN_ALL_TESTS();

    for (const DeviceInfo& device : *devices)
        std::printf("device %s: %s, %s\n", suite_name(device).c_str(), device.name.c_str(), device.driver.c_str());
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new CasePrinter(report, name_width));
    const int failed = RUN_ALL_TESTS();
    const int code = finish(report, arguments.report);
    return code == exit_done && failed ? exit_failed : code;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return run_tool(argc, argv);
    } catch (const std::exception& error) {
        return fail(exit_failed, error.what());
    }
}
