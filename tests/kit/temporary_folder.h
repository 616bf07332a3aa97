// A folder for the files of a test. Tests may run beside each other, and beside themselves on another driver.
#pragma once

#include <filesystem>
#include <string>

namespace vkonnx::kit {

// Makes an empty folder with a name that no other has, in the folder for temporary files (the environment's TMPDIR on Unix).
// Whatever lies in it goes with it.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    // The path of a file in it, which need not exist.
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace vkonnx::kit
