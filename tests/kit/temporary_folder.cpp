#include "kit/temporary_folder.h"

#include <random>

namespace vkonnx::kit {

TemporaryFolder::TemporaryFolder()
{
    std::random_device random;
    do
        path_ = std::filesystem::temp_directory_path() / ("vkonnx_" + std::to_string(random()));
    while (!std::filesystem::create_directory(path_));  // false where it is there already
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace vkonnx::kit
