// This file tests vkonnx cache, and what vkonnx devices keeps in the cache for the next run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "process.h"

namespace vkonnx::tools {
namespace {

class CacheTool : public ToolTest {
protected:
    Finished vkonnx(const std::string& arguments) const
    {
        return shell("VKONNX_CACHE_DIR='" + path("kept") + "' " VKONNX_TOOL " " + arguments);
    }
    size_t files() const
    {
        const auto entries = std::filesystem::directory_iterator(path("kept"));
        return size_t(
            std::count_if(begin(entries), end(entries), [](const auto& one) { return one.path().extension() == ".cache"; }));
    }
};

bool holds(const std::string& text, const std::string& words)
{
    return text.find(words) != std::string::npos;
}

TEST_F(CacheTool, IsKeptShownAndCleared)
{
    EXPECT_EQ(vkonnx("cache").last_line(), path("kept") + ": 0 files, 0 bytes");
    const Finished first = vkonnx("devices --cache");
    ASSERT_EQ(first.code, 0) << first.text;
    EXPECT_TRUE(holds(first.text, ".cache: there is no file; written, ")) << first.text;
    const size_t kept = files();
    EXPECT_GE(kept, 1u);
    const Finished second = vkonnx("devices --cache");
    EXPECT_TRUE(holds(second.text, ".cache: ")) << second.text;
    EXPECT_FALSE(holds(second.text, "there is no file")) << second.text;
    EXPECT_FALSE(holds(second.text, "written")) << second.text;
    EXPECT_FALSE(holds(vkonnx("devices").text, ".cache"));

    EXPECT_TRUE(vkonnx("cache").last_line().starts_with(path("kept") + ": " + std::to_string(kept) + " files, "));
    write("kept/mine.txt", "not the cache's");
    const Finished cleared = vkonnx("cache clear");
    EXPECT_EQ(cleared.code, 0) << cleared.text;
    EXPECT_TRUE(cleared.last_line().ends_with(" bytes, deleted")) << cleared.text;
    EXPECT_EQ(files(), 0u);
    EXPECT_TRUE(std::filesystem::exists(path("kept/mine.txt"))) << "somebody else's file stays";
}

TEST_F(CacheTool, IsOffWhereTheVariableIsEmpty)
{
    const Finished shown = shell("VKONNX_CACHE_DIR= " VKONNX_TOOL " cache");
    EXPECT_EQ(shown.code, 0);
    EXPECT_EQ(shown.last_line(), "nothing is kept: VKONNX_CACHE_DIR is empty, or there is no folder for caches");
    const Finished devices = shell("HOME='" + path("home") + "' VKONNX_CACHE_DIR= " VKONNX_TOOL " devices --cache");
    EXPECT_TRUE(holds(devices.text, "off (VKONNX_CACHE_DIR)")) << devices.text;
    EXPECT_FALSE(std::filesystem::exists(path("home")));
}

}  // namespace
}  // namespace vkonnx::tools
