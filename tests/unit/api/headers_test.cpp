// This file tests what stands at the top of each public header and of each source.
#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kit/source_path.h"

namespace vkonnx {
namespace {

TEST(Headers, NameTheirLicenceAndVersion)
{
    size_t headers = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kit::source_path("include/vkonnx"))) {
        if (!entry.is_regular_file())
            continue;  // parts of operators.hpp
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

TEST(Headers, EverySourceNamesItsLicence)
{
    namespace fs = std::filesystem;
    size_t sources = 0;
    for (const char* folder : {"include", "src", "shaders"})
        for (const auto& entry : fs::recursive_directory_iterator(kit::source_path(folder))) {
            const std::string extension = entry.path().extension().string();
            if (!entry.is_regular_file() || extension.empty() || extension == ".txt" || extension == ".cmake" ||
                extension == ".map")
                continue;
            std::ifstream file(entry.path());
            std::string first;
            std::getline(file, first);
            EXPECT_EQ(first, "// SPDX-License-Identifier: Apache-2.0") << entry.path();
            ++sources;
        }
    EXPECT_GE(sources, 100u);
}

}  // namespace
}  // namespace vkonnx
