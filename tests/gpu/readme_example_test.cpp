// The README's first C++ example, word for word between the markers, compiled and run.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#define main readme_example

// clang-format off
// README example begins
#include <vkonnx/vkonnx.hpp>

#include <cstdio>
#include <vector>

using namespace vkonnx;

int failed(const Status& status)
{
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
}

int main()
{
    const TensorDesc x_desc = {DType::float32, {1, 1, 2, 2}};  // N, C, H, W
    const TensorDesc w_desc = {DType::float32, {1, 1, 2, 2}};

    Result<Device> gpu = Device::open();  // the best device; Device::list() shows all
    if (!gpu)
        return failed(gpu.status());

    // Checks attributes and shapes, picks a kernel, builds its pipeline or finds it in the cache.
    Result<Op> op = gpu->prepare(ConvTranspose{.strides = {2, 2}}, {x_desc, w_desc});
    if (!op)
        return failed(op.status());

    Result<Tensor> x = gpu->tensor(x_desc, std::vector<float>{1, 2, 3, 4});
    Result<Tensor> w = gpu->tensor(w_desc, std::vector<float>{1, 1, 1, 1});
    Result<Tensor> y = gpu->tensor(op->outputs()[0]);
    if (!x || !w || !y)
        return failed(!x ? x.status() : !w ? w.status() : y.status());

    if (Status status = gpu->run(*op, {*x, *w}, {*y}); !status)  // binds, records, submits, waits
        return failed(status);

    std::vector<float> picture(16);
    if (Status status = y->download(picture); !status)
        return failed(status);
    for (size_t i = 0; i < picture.size(); ++i)
        std::printf("%g%c", picture[i], i % 4 == 3 ? '\n' : ' ');
    return 0;
}
// README example ends
// clang-format on

#undef main

namespace vkonnx::gpu_test {
namespace {

std::string file_text(const std::string& name)
{
    std::ifstream file(std::string(VKONNX_SOURCE_DIR) + "/" + name);
    EXPECT_TRUE(file) << name;
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// What stands between the first line `begin` and the next line `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end)
{
    const size_t first = text.find("\n" + begin + "\n");
    if (first == std::string::npos)
        return "no line '" + begin + "'";
    const size_t from = first + begin.size() + 2;
    const size_t to = text.find("\n" + end + "\n", from);
    return to == std::string::npos ? "no line '" + end + "'" : text.substr(from, to - from);
}

TEST(Readme, ItsExampleIsTheOneCompiledHere)
{
    const std::string here =
        between(file_text("tests/gpu/readme_example_test.cpp"), "// README example begins", "// README example ends");
    EXPECT_EQ(between(file_text("README.md"), "```cpp", "```"), here);
}

TEST(Readme, ItsExampleDoublesAPicture)
{
    testing::internal::CaptureStdout();
    const int code = readme_example();
    const std::string printed = testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0);
    EXPECT_EQ(printed, "1 1 2 2\n1 1 2 2\n3 3 4 4\n3 3 4 4\n");
}

}  // namespace
}  // namespace vkonnx::gpu_test
