// This is vkonnx-test. It runs ONNX backend test folders and the built-in case list on Vulkan devices, with one GoogleTest test
// for each folder, data set or problem, and device.
#include <vkonnx/onnx.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "built_in.h"
#include "command_line.h"
#include "coverage.h"
#include "isolate.h"
#include "json.h"

using namespace vkonnx;
using namespace vkonnx::tools;

namespace {

struct Arguments {
    std::string program;
    std::vector<std::string> folders;
    bool cases = false;
    bool one_per_cell = false;
    std::string device;
    bool all_devices = false;
    CaseOptions options;
    bool validate = false;
    bool self_test = true;
    bool isolate = false;
    double timeout_seconds = 60;
    std::string report;
};

// This class collects warnings and errors of the library and, with --validate, of the validation layer.
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

// A target is a device that cases run on. The first case opens it, the others use it, and it is opened again after it was lost.
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
        CaseResult result = test.problem ? run_built_in(*device_, *test.problem) : run_case(*device_, test, arguments_.options);
        if (result.outcome == Outcome::failed && arguments_.self_test)
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
        return {.select = std::to_string(info_.index),
                .validation = arguments_.validate,
                .self_test = arguments_.self_test,
                .log = [this](LogLevel level, auto text) {
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
            std::printf("not used: %s: %s\n", visible(device.name).c_str(), visible(device.rejected).c_str());
    std::erase_if(*devices, [](const DeviceInfo& device) { return !device.rejected.empty(); });
    if (devices->empty())
        return Status(Code::no_device, "there is no Vulkan device that vkonnx can use");
    return devices;
}

// Does the same in a child process, because the parent of isolated cases must not touch a driver.
Result<std::vector<DeviceInfo>> chosen_devices_isolated(const Arguments& arguments)
{
    const Result<std::string> text = run_isolated(
        [&] {
            nlohmann::json json;
            const Result<std::vector<DeviceInfo>> devices = chosen_devices(arguments);
            json["code"] = int(devices.code());
            json["message"] = devices.message();
            json["devices"] = nlohmann::json::array();
            if (devices)
                for (const DeviceInfo& device : *devices)
                    json["devices"].push_back(
                        {device.index, device.name, device.kind, device.driver, device.api_version, device.uuid});
            return json_text(json);
        },
        arguments.timeout_seconds);
    if (!text)
        return Status(Code::no_device, "the devices can't be listed: " + std::string(text.message()));
    const nlohmann::json json = nlohmann::json::parse(*text);
    if (json["code"] != int(Code::ok))
        return Status(json["code"].get<Code>(), json["message"]);
    std::vector<DeviceInfo> devices;
    for (const nlohmann::json& d : json["devices"])
        devices.push_back({.index = d[0], .name = d[1], .kind = d[2], .driver = d[3], .api_version = d[4], .uuid = d[5]});
    return devices;
}

// -------------------------------------------------------------------------------------------------------------- cases

Result<std::vector<TestCase>> all_cases(const Arguments& arguments)
{
    Result<std::vector<TestCase>> cases = find_all_cases(arguments.folders);
    if (!cases || !arguments.cases)
        return cases;
    Result<std::vector<TestCase>> built_in = built_in_cases(arguments.options.rules, arguments.one_per_cell);
    if (!built_in)
        return built_in;
    cases->insert(cases->end(), built_in->begin(), built_in->end());
    return cases;
}

// Returns a word for a shell: as it is, in quotes, or as $'\x1b' where it holds what a terminal must not see.
std::string quoted(const std::string& text)
{
    if (visible(text) != text) {
        std::string inside;
        for (const char c : text) {
            const std::string shown = visible(std::string(1, c));
            inside += c == '\'' || c == '\\' ? std::string("\\") + c : shown;
        }
        return "$'" + inside + "'";
    }
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
    if (!test.problem && arguments.options.tolerance.relative != defaults.relative) {
        std::snprintf(number, sizeof number, " --rtol %.9g", arguments.options.tolerance.relative);
        command += number;
    }
    if (!test.problem && arguments.options.tolerance.absolute != defaults.absolute) {
        std::snprintf(number, sizeof number, " --atol %.9g", arguments.options.tolerance.absolute);
        command += number;
    }
    if (arguments.options.rules == Rules::onnxruntime)
        command += " --rules onnxruntime";
    if (arguments.validate)
        command += " --validate";
    if (!arguments.self_test)
        command += " --no-self-test";
    if (arguments.isolate)
        command += " --isolate";
    if (test.problem)
        return command + " --cases" + (arguments.one_per_cell ? " --one-per-cell" : "") +
               " --gtest_filter=" + quoted("*." + test.name);
    if (const size_t slash = test.name.rfind('/'); slash != std::string::npos && !test.data_set.empty())
        command += " --gtest_filter=" + quoted("*" + test.name.substr(slash));
    return command + " " + quoted(test.folder.string());
}

// Runs the cases of a device, with --isolate in child processes. A folder has a process of its own. Built-in problems are many
// and small, so those of a cell share a process as long as it lives.
class Runner {
public:
    Runner(const DeviceInfo& info, const Arguments& arguments, const std::vector<TestCase>& tests)
        : target_(info, arguments), arguments_(arguments)
    {
        for (const TestCase& test : tests)
            tests_.emplace(test.name, &test);
    }

    const DeviceInfo& device() const { return target_.info(); }

    // Returns the result of a case, which must be the test that GoogleTest runs now.
    CaseResult run(const TestCase& test)
    {
        if (!arguments_.isolate)
            return target_.run(test);
        if (!results_.count(&test))
            run_isolated(test.cell ? cases_of_cell(*test.cell) : std::vector<const TestCase*>{&test});
        return results_.extract(&test).mapped();
    }

private:
    void run_isolated(const std::vector<const TestCase*>& tests)
    {
        const auto work = [&](size_t i) { return json_text(to_json(target_.run(*tests[i]))); };
        const std::vector<Result<std::string>> texts = run_all_isolated(tests.size(), work, arguments_.timeout_seconds);
        for (size_t i = 0; i < tests.size(); ++i) {
            const Result<CaseResult> result = texts[i] ? case_result_from_json(*texts[i]) : texts[i].status();
            const CaseResult none = {.outcome = Outcome::failed, .message = std::string(result.message())};
            results_.insert_or_assign(tests[i], result ? *result : none);
        }
    }

    // Returns the cases of a cell that the filter lets through.
    std::vector<const TestCase*> cases_of_cell(const Cell& cell) const
    {
        std::vector<const TestCase*> found;
        const testing::TestSuite& suite = *testing::UnitTest::GetInstance()->current_test_suite();
        for (int i = 0; i < suite.total_test_count(); ++i)
            if (const testing::TestInfo& info = *suite.GetTestInfo(i); info.should_run())
                if (const TestCase* test = tests_.at(info.name()); test->cell == cell)
                    found.push_back(test);
        return found;
    }

    Target target_;
    const Arguments& arguments_;
    std::map<std::string, const TestCase*> tests_;   // by name
    std::map<const TestCase*, CaseResult> results_;  // of cases whose turn is still to come
};

class CaseTest : public testing::Test {
public:
    CaseTest(Runner& runner, size_t device, const TestCase& test, const Arguments& arguments, Report& report)
        : runner_(runner), device_(device), test_(test), arguments_(arguments), report_(report)
    {
    }

    void TestBody() override
    {
        const CaseResult result = runner_.run(test_);
        report_.entries.push_back({test_, device_, result, repeat_command(arguments_, runner_.device(), test_)});
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
    Runner& runner_;
    size_t device_;
    const TestCase& test_;
    const Arguments& arguments_;
    Report& report_;
};

// Prints one line for each case instead of GoogleTest's three, and one for all built-in cases of a cell that passed.
class CasePrinter : public testing::EmptyTestEventListener {
public:
    CasePrinter(const Report& report, size_t name_width) : report_(report), name_width_(int(name_width)) {}

    void OnTestEnd(const testing::TestInfo& info) override
    {
        const ReportEntry& entry = report_.entries.back();
        if (entry.test.cell != cell_)
            print_cell(info.test_suite_name());
        cell_ = entry.test.cell;
        if (cell_ && entry.result.outcome == Outcome::passed) {
            ++passed_;
            widen(errors_, entry.result.errors);
        } else {
            print_case(info.test_suite_name(), entry);
        }
    }

    void OnTestSuiteEnd(const testing::TestSuite& suite) override { print_cell(suite.name()); }

private:
    void print_case(const char* device, const ReportEntry& entry) const
    {
        const CaseResult& result = entry.result;
        if (result.outcome == Outcome::skipped) {
            std::printf("skip  %s  %-*s  %s\n", device, name_width_, entry.test.name.c_str(),
                        visible_lines(result.message).c_str());
        } else {
            print_errors(result.outcome == Outcome::failed ? "FAIL" : "ok  ", device, entry.test.name, result.errors);
            std::printf("\n");
        }
        if (result.outcome == Outcome::failed)
            std::printf("      %s\n      repeat: %s\n", visible_lines(result.message).c_str(), entry.repeat.c_str());
        std::fflush(stdout);
    }

    void print_cell(const char* device)
    {
        if (cell_ && passed_ > 0) {
            print_errors("ok  ", device, cell_name(*cell_), errors_);
            std::printf("  %zu %s\n", passed_, passed_ == 1 ? "case" : "cases");
            std::fflush(stdout);
        }
        cell_.reset();
        passed_ = 0;
        errors_.reset();
    }

    void print_errors(const char* word, const char* device, const std::string& name, const std::optional<Errors>& errors) const
    {
        const auto [absolute, relative, ulp] = errors_text(errors);
        std::printf("%s  %s  %-*s  max error: absolute %-7s relative %-7s ulp %s", word, device, name_width_, name.c_str(),
                    absolute.c_str(), relative.c_str(), ulp.c_str());
    }

    const Report& report_;
    int name_width_;
    std::optional<Cell> cell_;  // of the built-in cases that passed since the last line
    size_t passed_ = 0;
    std::optional<Errors> errors_;
};

// ------------------------------------------------------------------------------------------------------- command line

std::optional<int> read_command_line(Arguments& arguments, int argc, char** argv)
{
    // GoogleTest takes its flags first, and CLI11 takes the rest.
    std::vector<char*> own = {argv[0]}, google = {argv[0]};
    for (int i = 1; i < argc; ++i)
        (std::string_view(argv[i]).starts_with("--gtest_") ? google : own).push_back(argv[i]);
    int google_count = int(google.size());
    google.push_back(nullptr);
    testing::InitGoogleTest(&google_count, google.data());
    if (google_count > 1)
        return fail(exit_usage, std::string(google[1]) + " is no flag of GoogleTest");

    CLI::App app("Runs ONNX backend test folders and built-in cases on Vulkan devices.", "vkonnx-test");
    app.footer("GoogleTest's flags work too, for example --gtest_filter='*ceil*' and --gtest_list_tests.\n"
               "Exit codes: 0 all passed, 1 a case failed, 2 usage, 3 no device, or nothing ran or all was skipped.");
    app.add_option("DIR", arguments.folders, "A folder with model.onnx and test_data_set_*, or a folder of such");
    CLI::Option* cases =
        app.add_flag("--cases", arguments.cases,
                     "The built-in cases: at least one for every version and type of every operator that devices run");
    app.add_flag("--one-per-cell", arguments.one_per_cell, "Only one of the built-in cases for every version and type")
        ->needs(cases);
    CLI::Option* device = add_device_option(app, arguments.device);
    app.add_flag("--all-devices", arguments.all_devices, "Every device that can be used, one after the other")->excludes(device);
    app.add_option("--rtol", arguments.options.tolerance.relative,
                   "Relative tolerance of folders; built-in cases have bounds of their own")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber)
        ->check(finite_number());
    app.add_option("--atol", arguments.options.tolerance.absolute, "Absolute tolerance of folders")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber)
        ->check(finite_number());
    add_rules_option(app, arguments.options.rules);
    app.add_flag("--validate", arguments.validate, "Enables the Khronos validation layer; any message fails the case");
    app.add_flag("!--no-self-test", arguments.self_test,
                 "Also opens devices that compute nothing, on which every case with an output fails");
    CLI::Option* isolate =
        app.add_flag("--isolate", arguments.isolate, "Each case in a child process, so that a crash or a hang fails it alone");
    app.add_option("--timeout", arguments.timeout_seconds, "Seconds for an isolated case")
        ->capture_default_str()
        ->check(CLI::PositiveNumber)
        ->check(finite_number())
        ->needs(isolate);
    app.add_option("--report", arguments.report, "Writes a report")->type_name("FILE.html|FILE.json");
    if (const std::optional<int> code = parse_command_line(app, int(own.size()), own.data()))
        return code;
    if (arguments.folders.empty() && !arguments.cases)
        return fail(exit_usage, "give DIR, --cases or both");
    if (arguments.isolate && !can_isolate())
        return fail(exit_usage, "--isolate is not supported on this platform");
    if (!arguments.report.empty())
        if (const Status status = check_report_path(arguments.report); !status)
            return fail(exit_usage, status.message());
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

int finish(const Report& report, const Arguments& arguments)
{
    const Counts counts = count(report);
    if (arguments.cases)
        std::printf("\n%s", coverage_text(report).c_str());
    if (const std::string& path = arguments.report; !path.empty()) {
        if (const Status status = write_report(path, report); !status)
            return fail(exit_failed, status.message());
        std::printf("report: %s\n", visible(path).c_str());
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

    const Result<std::vector<TestCase>> cases = all_cases(arguments);
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
    std::vector<std::unique_ptr<Runner>> runners;
    size_t name_width = 0;
    for (const DeviceInfo& device : *devices) {
        Runner& runner = *runners.emplace_back(std::make_unique<Runner>(device, arguments, *cases));
        const size_t index = runners.size() - 1;
        for (const TestCase& test : *cases) {
            name_width = std::max(name_width, test.cell ? cell_name(*test.cell).size() : test.name.size());
            testing::RegisterTest(
                device_label(device).c_str(), test.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                [&, index]() -> testing::Test* { return new CaseTest(runner, index, test, arguments, report); });
        }
    }
    if (GTEST_FLAG_GET(list_tests))
        return RUN_ALL_TESTS();

    for (const DeviceInfo& device : *devices)
        std::printf("device %s: %s, %s\n", device_label(device).c_str(), visible(device.name).c_str(),
                    visible(device.driver).c_str());
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new CasePrinter(report, name_width));
    const int failed = RUN_ALL_TESTS();
    const int code = finish(report, arguments);
    return code == exit_done && failed ? exit_failed : code;
}

}  // namespace

int main(int argc, char** argv)
{
    return tool_main(run_tool, argc, argv);
}
