#include "process.h"

#include <cstdio>
#include <cstdlib>

#include <sys/wait.h>

#include "file.h"
#include "kit/onnx_builder.h"

namespace vkonnx::tools {
namespace fs = std::filesystem;

std::string Finished::last_line() const
{
    const size_t end = text.find_last_not_of('\n');
    if (end == std::string::npos)
        return "";
    const size_t begin = text.rfind('\n', end);
    return text.substr(begin + 1, end - begin);  // npos + 1 is 0
}

Finished shell(const std::string& command)
{
    Finished finished;
    setenv("VKONNX_CACHE_DIR", "", 1);  // the cache is off, so that no earlier run decides what a test sees
    // The command runs in a shell of its own, so that a killed process has an exit code too.
    FILE* pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
    if (!pipe)
        return finished;
    char chunk[4096];
    while (const size_t count = fread(chunk, 1, sizeof chunk, pipe))
        finished.text.append(chunk, count);
    const int status = pclose(pipe);
    finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return finished;
}

size_t ToolTest::entries() const
{
    return size_t(std::distance(fs::directory_iterator(folder_), {}));
}

std::string ToolTest::write(const std::string& name, const std::string& content) const
{
    fs::create_directories((folder_ / name).parent_path());
    const Status written = write_file(path(name), std::string_view(content));
    EXPECT_TRUE(written) << written.message();
    return path(name);
}

std::string ToolTest::write_case(const std::string& name, const std::string& model, const TensorDesc& x_desc,
                                 const std::vector<float>& x, const TensorDesc& y_desc, const std::vector<float>& y) const
{
    write(name + "/model.onnx", model);
    write(name + "/test_data_set_0/input_0.pb", kit::raw_tensor("X", x_desc, std::as_bytes(std::span(x))));
    write(name + "/test_data_set_0/output_0.pb", kit::raw_tensor("Y", y_desc, std::as_bytes(std::span(y))));
    return path(name);
}

std::string ToolTest::write_pool_case(const std::string& name, const std::vector<float>& y) const
{
    return write_case(name, pool_model(), {DType::float32, {1, 1, 4}}, {1, 2, 3, 6}, {DType::float32, {1, 1, 2}}, y);
}

std::string pool_model()
{
    return kit::ModelBuilder()
        .opset(17)
        .input("X", DType::float32, {1, 1, "n"})
        .node("AveragePool", {"X"}, {"Y"}, {kit::ints_attribute("kernel_shape", {2}), kit::ints_attribute("strides", {2})},
              "pool")
        .output("Y", DType::float32, {1, 1, "m"})
        .build();
}

}  // namespace vkonnx::tools
