// This file tests vkonnx-test --isolate on a driver that dies: see dying_driver.cpp.
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "file.h"
#include "process.h"

namespace vkonnx::tools {
namespace {

// Returns the library of the first driver that the loader would use, or "" where there is none.
std::string real_driver()
{
    namespace fs = std::filesystem;
    std::vector<fs::path> manifests;
    for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
        if (const char* list = std::getenv(variable); list && *list && manifests.empty())
            manifests.push_back(std::string(list).substr(0, std::string(list).find(':')));
    std::error_code error;
    for (fs::directory_iterator entry("/usr/share/vulkan/icd.d", error), end; !error && entry != end; entry.increment(error))
        if (entry->path().filename().string().starts_with("lvp_"))
            manifests.push_back(entry->path());
    for (const fs::path& manifest : manifests) {
        const Result<std::vector<std::byte>> bytes = read_file(manifest.string());
        if (!bytes)
            continue;
        const auto* text = reinterpret_cast<const char*>(bytes->data());
        const auto json = nlohmann::json::parse(text, text + bytes->size(), nullptr, false);
        if (json.is_discarded())
            continue;
        const std::string library = json["ICD"]["library_path"];
        // A path is relative to the manifest, and the system searches for a bare name.
        return library.find('/') == std::string::npos ? library : (manifest.parent_path() / library).string();
    }
    return "";
}

class IsolateTool : public ToolTest {
protected:
    void SetUp() override
    {
        driver_ = real_driver();
        if (driver_.empty())
            GTEST_SKIP() << "there is no driver to wrap";
        for (const char* name : {"first", "second", "third"})
            write_pool_case(std::string("cases/") + name);
    }

    // `way` tells what the first submit of all does.
    Finished test(const std::string& way, const std::string& flags) const
    {
        if (!way.empty())
            write("die", way);
        return shell("env -u VK_DRIVER_FILES VK_ICD_FILENAMES=" VKONNX_DYING_DRIVER " VKONNX_REAL_DRIVER=" + driver_ +
                     " VKONNX_DIE=" + path("die") + " " VKONNX_TEST_TOOL " --all-devices " + flags + " " + path("cases"));
    }

    std::string driver_;
};

TEST_F(IsolateTool, DriverThatLivesPasses)
{
    for (const char* flags : {"", "--isolate"}) {
        const Finished finished = test("", flags);
        EXPECT_EQ(finished.code, 0) << finished.text;
        EXPECT_EQ(finished.last_line(), "3 passed, 0 failed, 0 skipped");
    }
}

TEST_F(IsolateTool, WithoutItADyingDriverEndsTheRun)
{
    const Finished finished = test("abort", "");
    EXPECT_EQ(finished.code, 134) << finished.text;  // 128 + SIGABRT
    EXPECT_EQ(finished.text.find(" passed, "), std::string::npos) << finished.text;
}

TEST_F(IsolateTool, SurvivesADriverThatDies)
{
    const Finished finished = test("abort", "--isolate");
    EXPECT_EQ(finished.code, 1);
    EXPECT_EQ(finished.last_line(), "2 passed, 1 failed, 0 skipped") << finished.text;
    EXPECT_NE(finished.text.find("its process was killed by signal 6"), std::string::npos) << finished.text;
    EXPECT_FALSE(exists("die")) << "the driver has died of it";
}

// Built-in cases share a process until it dies, and only the case that killed it may fail.
TEST_F(IsolateTool, ABuiltInCaseDiesAlone)
{
    const std::string flags = "--isolate --cases --gtest_filter='*.AveragePool_7/float/*' --report " + path("report.json");
    const Finished healthy = test("", flags);
    ASSERT_EQ(healthy.code, 0) << healthy.text;
    const std::string others = std::to_string(std::stoi(healthy.last_line()) - 1);
    const Finished finished = test("abort", flags);
    EXPECT_EQ(finished.code, 1);
    EXPECT_EQ(finished.last_line(), others + " passed, 1 failed, 0 skipped") << finished.text;
    EXPECT_NE(finished.text.find("its process was killed by signal 6"), std::string::npos) << finished.text;
    EXPECT_NE(finished.text.find("1 FAILED, " + others + " ("), std::string::npos) << "it counts in its cell\n" << finished.text;
    const size_t at = finished.text.find("repeat: ");
    ASSERT_NE(at, std::string::npos) << finished.text;
    const std::string command = finished.text.substr(at + 8, finished.text.find('\n', at) - at - 8);
    EXPECT_NE(command.find(" --cases --gtest_filter="), std::string::npos) << command;
    const Finished again = shell("VKONNX_REAL_DRIVER=" + driver_ + " " + command);
    EXPECT_EQ(again.last_line(), "1 passed, 0 failed, 0 skipped") << again.text;
}

TEST_F(IsolateTool, WithoutTheSelfTestADriverThatDoesNothingFailsByValues)
{
    const std::string flags = "--cases --gtest_filter='*.AveragePool_7/float/*'";
    const Finished tested = test("idle", flags);
    EXPECT_EQ(tested.code, 1);
    EXPECT_NE(tested.text.find("the device can't be opened: "), std::string::npos) << tested.text;
    const Finished untested = test("idle", "--no-self-test " + flags);
    EXPECT_EQ(untested.code, 1);
    EXPECT_EQ(untested.text.find("can't be opened"), std::string::npos) << untested.text;
    EXPECT_NE(untested.text.find("  AveragePool_7/float/"), std::string::npos) << untested.text;
    EXPECT_NE(untested.text.find(" is -nan, expected "), std::string::npos) << untested.text;
    EXPECT_NE(untested.text.find(" --no-self-test --cases "), std::string::npos) << "it is repeated so\n" << untested.text;
}

TEST_F(IsolateTool, EndsADriverThatHangs)
{
    const Finished finished = test("hang", "--isolate --timeout 20");
    EXPECT_EQ(finished.code, 1);
    EXPECT_EQ(finished.last_line(), "2 passed, 1 failed, 0 skipped") << finished.text;
    EXPECT_NE(finished.text.find("took longer than 20 seconds"), std::string::npos) << finished.text;
}

}  // namespace
}  // namespace vkonnx::tools
