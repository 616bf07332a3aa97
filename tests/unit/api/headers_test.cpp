// What stands at the top of each public header.
#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace vkonnx {
namespace {

TEST(Headers, NameTheirLicenceAndVersion)
{
    size_t headers = 0;
    for (const auto& entry : std::filesystem::directory_iterator(VKONNX_SOURCE_DIR "/include/vkonnx")) {
        SCOPED_TRACE(entry.path().filename());
        std::ifstream file(entry.path());
        std::string licence, empty, title;
        std::getline(std::getline(std::getline(file, licence), empty), title);
        EXPECT_EQ(licence, "// SPDX-License-Identifier: Apache-2.0");
        EXPECT_EQ(title.substr(0, title.find(':')), "// vkonnx " + std::string(version()));
        ++headers;
    }
    EXPECT_GE(headers, 4u);
}

}  // namespace
}  // namespace vkonnx
