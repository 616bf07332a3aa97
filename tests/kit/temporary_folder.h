// This header makes a folder for the files of a test. Tests may run beside each other, and beside themselves on another driver.
#pragma once

#include <filesystem>
#include <string>

namespace vkonnx::kit {

// This class makes an empty folder with a name that no other has, in the folder for temporary files (the environment's TMPDIR on
// Unix). Its end removes the folder with all that lies in it.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    // Returns the path of a file in the folder. The file need not exist.
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace vkonnx::kit
