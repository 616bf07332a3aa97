// This header calls the tools as a user does, and makes folders for them.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "kit/temporary_folder.h"

namespace vkonnx::tools {

inline const std::string vkonnx_tool = VKONNX_TOOL;
inline const std::string vkonnx_test_tool = VKONNX_TEST_TOOL;
inline const std::string no_driver = "env -u VK_DRIVER_FILES VK_ICD_FILENAMES=/no/such/driver.json ";

struct Finished {
    int code = -1;          // the exit code; 128 and the signal's number when the shell saw it killed
    std::string text = {};  // standard output and error
    std::string last_line() const;
};

// Runs a shell command to its end.
Finished shell(const std::string& command);

// Each test has a folder of its own, which is removed afterwards.
class ToolTest : public testing::Test {
protected:
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
    size_t entries() const;
    // Writes `content` to a file and returns its path. Makes the folder where there is none.
    std::string write(const std::string& name, const std::string& content) const;
    // Writes a case folder with model.onnx and test_data_set_0, and returns its path. X and Y are float.
    std::string write_case(const std::string& name, const std::string& model, const TensorDesc& x_desc,
                           const std::vector<float>& x, const TensorDesc& y_desc, const std::vector<float>& y) const;
    // Writes a case that passes: [1, 2, 3, 6] averaged in pairs is [1.5, 4.5]. With another `y` it fails.
    std::string write_pool_case(const std::string& name, const std::vector<float>& y = {1.5f, 4.5f}) const;

    const kit::TemporaryFolder temporary_;
    const std::filesystem::path& folder_ = temporary_.path();
};

// Returns a model that averages X (1, 1, n) in pairs to Y.
std::string pool_model();

}  // namespace vkonnx::tools
