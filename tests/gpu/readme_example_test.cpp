// This file compiles and runs the first C++ examples of README.md and docs/cpp.md, word for word between the markers.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <vkonnx/onnx.hpp>

#include "kit/models.h"
#include "kit/source_path.h"
#include "kit/temporary_folder.h"

#define main page_example

// clang-format off
// docs/cpp.md example begins
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
// docs/cpp.md example ends

#undef main

namespace readme {
// README.md example begins
#include <vkonnx/onnx.hpp>

using namespace vkonnx;

Result<std::vector<onnx::HostTensor>> run(const std::string& path, const onnx::HostTensor& x)
{
    Result<Device> gpu = Device::open();  // the best device
    if (!gpu)
        return gpu.status();
    Result<onnx::Model> model = onnx::Model::load(path);
    if (!model)
        return model.status();
    const std::vector<onnx::NamedDesc> inputs = {{"X", x.desc}};
    Result<onnx::Session> session = onnx::Session::prepare(*gpu, *model, inputs);
    if (!session)
        return session.status();
    return session->run({&x, 1});
}
// README.md example ends
}  // namespace readme
// clang-format on

namespace vkonnx::gpu_test {
namespace {

std::string file_text(const std::string& name)
{
    std::ifstream file(kit::source_path(name));
    EXPECT_TRUE(file) << name;
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Returns what stands between the first line `begin` and the next line `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end)
{
    const size_t first = text.find("\n" + begin + "\n");
    if (first == std::string::npos)
        return "no line '" + begin + "'";
    const size_t from = first + begin.size() + 2;
    const size_t to = text.find("\n" + end + "\n", from);
    return to == std::string::npos ? "no line '" + end + "'" : text.substr(from, to - from);
}

// Expects that the first C++ example of the page stands between the markers.
void expect_example_of(const std::string& page)
{
    const std::string marker = "// " + page + " example ";
    const std::string here = between(file_text("tests/gpu/readme_example_test.cpp"), marker + "begins", marker + "ends");
    EXPECT_EQ(between(file_text(page), "```cpp", "```"), here);
}

TEST(Readme, ItsExampleIsTheOneCompiledHere)
{
    expect_example_of("README.md");
}

TEST(Readme, ItsExampleRunsAModel)
{
    const kit::TemporaryFolder folder;
    const std::string path = folder / "model.onnx";
    std::ofstream(path, std::ios::binary) << kit::antialias_half();
    onnx::HostTensor x = {.desc = {DType::float32, {1, 3, 2, 2}}};
    const std::vector<float> elements = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const auto bytes = std::as_bytes(std::span(elements));
    x.data.assign(bytes.begin(), bytes.end());
    const Result<std::vector<onnx::HostTensor>> y = readme::run(path, x);
    ASSERT_TRUE(y) << y.message();
    ASSERT_EQ(y->size(), 1u);
    EXPECT_EQ(y->front().desc, (TensorDesc{DType::float32, {1, 3, 1, 1}}));
    std::vector<float> means(3);
    ASSERT_EQ(y->front().data.size(), sizeof(float) * means.size());
    std::memcpy(means.data(), y->front().data.data(), y->front().data.size());
    EXPECT_EQ(means, (std::vector<float>{2.5f, 6.5f, 10.5f}));
}

TEST(CppPage, ItsExampleIsTheOneCompiledHere)
{
    expect_example_of("docs/cpp.md");
}

TEST(CppPage, ItsExampleDoublesAPicture)
{
    testing::internal::CaptureStdout();
    const int code = page_example();
    const std::string printed = testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0);
    EXPECT_EQ(printed, "1 1 2 2\n1 1 2 2\n3 3 4 4\n3 3 4 4\n");
}

}  // namespace
}  // namespace vkonnx::gpu_test
