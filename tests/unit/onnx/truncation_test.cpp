// This file parses every prefix of real files: no crash, no read past the end (a sanitizer sees it), and an error or a smaller
// valid model.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "helpers.h"
#include "kit/draw.h"
#include "kit/models.h"

namespace vkonnx::onnx {
namespace {

namespace fs = std::filesystem;

// Returns the folder of Debian's libonnx-testdata, or of another copy of ONNX's backend tests.
fs::path testdata()
{
    const char* folder = std::getenv("VKONNX_ONNX_TESTDATA");
    return folder ? folder : "/usr/share/libonnx-testdata/data";
}

std::string read_file(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Copies the bytes into memory of exactly their size, so that a sanitizer sees every step beyond.
std::vector<std::byte> exact(std::string_view bytes)
{
    return {as_bytes(bytes).begin(), as_bytes(bytes).end()};
}

// Does with a file what an application does: parses it, looks at it and explains it.
bool digest(std::span<const std::byte> bytes)
{
    Result<Model> model = Model::parse(bytes);
    if (!model) {
        EXPECT_FALSE(model.message().empty());
        return false;
    }
    std::vector<NamedDesc> inputs;
    for (const ValueInfo& info : model->inputs()) {
        NamedDesc input{.name = info.name, .desc = {.dtype = info.dtype, .dims = info.dims}};
        std::replace(input.desc.dims.begin(), input.desc.dims.end(), int64_t{-1}, int64_t{3});
        inputs.push_back(std::move(input));
    }
    return explain(*model, inputs, *Capabilities::preset("minimum")).ok();
}

// Returns where the fields of the top level end. Only there can a prefix be a whole message.
std::vector<size_t> field_ends(std::string_view file)
{
    std::vector<size_t> ends = {0};
    for (size_t at = 0; at < file.size();) {
        auto varint = [&] {
            uint64_t value = 0;
            for (int shift = 0; at < file.size(); shift += 7) {
                auto byte = static_cast<unsigned char>(file[at++]);
                value |= uint64_t{byte & 0x7fU} << shift;
                if (byte < 0x80)
                    break;
            }
            return value;
        };
        uint64_t key = varint();
        uint64_t rest = varint();
        at += (key & 7) == 2 ? rest : 0;
        ends.push_back(at);
    }
    return ends;
}

void try_every_prefix(const std::string& file)
{
    std::vector<size_t> ends = field_ends(file);
    for (size_t length = 0; length < file.size(); ++length) {
        bool valid = digest(exact(std::string_view(file).substr(0, length)));
        if (std::find(ends.begin(), ends.end(), length) == ends.end()) {
            EXPECT_FALSE(valid) << "accepted the first " << length << " of " << file.size() << " bytes";
        }
    }
}

std::string everything()
{
    const std::string then_branch = ModelBuilder()
                                        .initializer(bool_tensor("no", {1}, {0}))
                                        .node("If", {"no"}, {"Z"},
                                              {graph_attribute("then_branch", ModelBuilder().output("U").graph()),
                                               graph_attribute("else_branch", ModelBuilder().output("C").graph())})
                                        .output("Z", DType::float32, {1})
                                        .graph();
    const std::string else_branch = ModelBuilder().node("Relu", {"C"}, {"R"}).output("R").graph();
    const std::string spot = sparse_tensor(float_tensor("", {1}, {3}), int64_tensor("", {1}, {0}), {1});
    const FunctionBuilder scaled = FunctionBuilder("scaled", {"a", "o"}, {"b"})
                                       .opset(13)
                                       .opset(1, "local")
                                       .node("LeakyRelu", {"a"}, {"h"}, {referring_attribute("alpha", "alpha", 1)}, "leaky")
                                       .node("If", {"yes"}, {"b"},
                                             {graph_attribute("then_branch", ModelBuilder().output("h").graph()),
                                              graph_attribute("else_branch", ModelBuilder().output("a").graph())})
                                       .node("Constant", {}, {"yes"}, {tensor_attribute("value", bool_tensor("", {}, {1}))})
                                       .attribute("alpha")
                                       .with_default(int_attribute("unused", 1));
    std::string typed = Proto().integers(1, {2}).integer(2, 7).integers(7, {4, -1}).bytes(8, "typed").str();
    return ModelBuilder()
        .opset(13)
        .opset(1, "com.example")
        .input("X", DType::float32, {1, 2, "H", "W"})
        .input("Names", DType::string, {2})
        .initializer(typed)
        .initializer(float_tensor("W", {2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
        .node("AveragePool", {"X"}, {"P"}, {ints_attribute("kernel_shape", {2, 2}), string_attribute("auto_pad", "SAME_UPPER")},
              "pool")
        .node("ConvTranspose", {"P", "W", ""}, {"C"}, {ints_attribute("strides", {2, 2})}, "up")
        .node("Constant", {}, {"K"}, {tensor_attribute("value", int64_tensor("k", {1}, {0}))})
        .node("Unsqueeze", {"C", "K"}, {"U"})
        .node("Reshape", {"U", "typed"}, {"Y"}, {}, "flat")
        .initializer(bool_tensor("yes", {}, {1}))
        .node("If", {"yes"}, {"B"}, {graph_attribute("else_branch", else_branch), graph_attribute("then_branch", then_branch)})
        .node("Shape", {"Names"}, {"S"})
        .opset(1, "local")
        .sparse_initializer(sparse_tensor(float_tensor("dots", {2}, {1, 2}), int64_tensor("", {2, 1}, {0, 3}), {5}))
        .node("Constant", {}, {"dot"}, {sparse_attribute("sparse_value", spot)})
        .node("Mul", {"dots", "dot"}, {"D"})
        .node("scaled", {"D"}, {"E"}, {float_attribute("alpha", 2)}, "call", "local")
        .function(scaled)
        .output("E")
        .output("Y", DType::float32, {4, "n"})
        .output("S", DType::int64, {1})
        .output("B")
        .build();
}

TEST(Truncation, EveryPrefixOfBuiltModels)
{
    for (const std::string& file : {everything(), kit::antialias_half(), kit::bilinear_double(), kit::half_then_double()}) {
        ASSERT_TRUE(digest(exact(file)));
        try_every_prefix(file);
    }
}

TEST(Truncation, EveryPrefixOfTensors)
{
    for (const std::string& file :
         {float_tensor("T", {2, 2}, {1, 2, 3, 4}), Proto().integers(1, {3}).integer(2, 3).integers(5, {1, 2, 3}).str(),
          Proto().integers(1, {2}).integer(2, 8).bytes(6, "ab").bytes(6, "c").str()}) {
        ASSERT_TRUE(accepted(parse_tensor(as_bytes(file))));
        for (size_t length = 0; length < file.size(); ++length)
            EXPECT_FALSE(parse_tensor(exact(std::string_view(file).substr(0, length))).ok()) << length;
    }
}

TEST(Truncation, EveryPrefixOfOfficialModels)
{
    if (!fs::exists(testdata() / "node"))
        GTEST_SKIP() << "no " << testdata() / "node"
                     << "; set VKONNX_ONNX_TESTDATA to the folder with ONNX's backend tests";
    size_t files = 0;
    for (const fs::directory_entry& folder : fs::directory_iterator(testdata() / "node")) {
        std::string name = folder.path().filename().string();
        bool chosen = false;
        for (const char* stem :
             {"test_convtranspose", "test_averagepool_2d", "test_shape", "test_reshape", "test_squeeze", "test_flatten"})
            chosen |= name.rfind(stem, 0) == 0;
        if (!chosen)
            continue;
        try_every_prefix(read_file(folder.path() / "model.onnx"));
        ++files;
    }
    EXPECT_GT(files, 20U);
}

TEST(Truncation, OfficialModelsAndTensorsLoad)
{
    if (!fs::exists(testdata() / "node"))
        GTEST_SKIP() << "no " << testdata() / "node"
                     << "; set VKONNX_ONNX_TESTDATA to the folder with ONNX's backend tests";
    size_t models = 0;
    size_t tensors = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(testdata() / "node")) {
        if (entry.path().filename() == "model.onnx") {
            Result<Model> model = Model::load(entry.path().string());
            // Of this version only sequences and optionals as inputs are not supported.
            EXPECT_TRUE(model.ok() || model.code() == Code::unsupported) << entry.path() << ": " << model.message();
            models += model.ok();
        } else if (entry.path().extension() == ".pb") {
            std::string bytes = read_file(entry.path());
            tensors += parse_tensor(as_bytes(bytes)).ok();
        }
    }
    EXPECT_GT(models, 800U);
    EXPECT_GT(tensors, 2000U);
}

TEST(Truncation, RandomDamage)
{
    const uint32_t first = kit::test_seed(20261121);
    const std::string file = everything();
    for (int round = 0; round < kit::test_problems(20'000); ++round) {
        std::mt19937 random(first + uint32_t(round));  // each round has its own seed, so that it can be repeated alone
        std::string damaged = file;
        for (uint32_t changes = 1 + random() % 4; changes > 0; --changes)
            damaged[random() % damaged.size()] = char(random());
        (void)digest(exact(damaged));
    }
}

}  // namespace
}  // namespace vkonnx::onnx
