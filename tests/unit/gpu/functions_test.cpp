// src/gpu/functions.cpp checks that every driver has the functions of Vulkan that the library calls without looking for null. So
// its list must be what the sources call, no more and no less.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "kit/source_path.h"

namespace vkonnx {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path)
{
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// Returns all matches of the first group of the pattern.
std::set<std::string> found_in(const std::string& text, const std::regex& pattern)
{
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
        found.insert((*match)[1]);
    return found;
}

// The sources look for null where they call functions of extensions, so that these are not in the list.
const std::regex called(R"(\bvk(?:_|\(\))?\.(vk[A-Z][A-Za-z0-9]*[a-z0-9])\b)");
const std::regex listed("\"(vk[A-Z][A-Za-z0-9]*[a-z0-9])\"");

TEST(Functions, WhatIsCalledIsAskedFor)
{
    std::set<std::string> calls = {"vkGetDeviceProcAddr"};  // functions.cpp itself calls it
    for (const char* layer : {"src/gpu", "src/api"})
        for (const fs::directory_entry& entry : fs::directory_iterator(kit::source_path(layer)))
            calls.merge(found_in(read(entry.path()), called));
    EXPECT_GT(calls.size(), 50u);
    EXPECT_EQ(found_in(read(kit::source_path("src/gpu/functions.cpp")), listed), calls);
}

TEST(Functions, NoticesACall)
{
    EXPECT_EQ(found_in("a = device.vk().vkCmdDispatch(b, vk_.vkFreeMemory); vk.vkGetFenceStatus; vk.vkSetDebugUtilsObjectNameEXT",
                       called),
              (std::set<std::string>{"vkCmdDispatch", "vkFreeMemory", "vkGetFenceStatus"}));
    EXPECT_EQ(found_in("{\"vkCmdDispatch\", x}, \"vkCmdEndDebugUtilsLabelEXT\"", listed),
              (std::set<std::string>{"vkCmdDispatch"}));
}

}  // namespace
}  // namespace vkonnx
