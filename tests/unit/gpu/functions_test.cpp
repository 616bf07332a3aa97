// src/gpu/functions.cpp asks every driver for the functions of Vulkan that are called without asking first whether they are
// there. So its list must be what the sources call, no more and no less.
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

// What the first group of the pattern matches.
std::set<std::string> found_in(const std::string& text, const std::regex& pattern)
{
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
        found.insert((*match)[1]);
    return found;
}

// Functions of extensions are looked at for null where they are called.
const std::regex called(R"(\bvk(?:_|\(\))?\.(vk[A-Z][A-Za-z0-9]*[a-z0-9])\b)");
const std::regex listed("\"(vk[A-Z][A-Za-z0-9]*[a-z0-9])\"");

TEST(Functions, WhatIsCalledIsAskedFor)
{
    std::set<std::string> calls = {"vkGetDeviceProcAddr"};  // by functions.cpp itself
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
