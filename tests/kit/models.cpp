#include "kit/models.h"

#include <fstream>

#include "kit/onnx_builder.h"

namespace vkonnx::kit {

namespace {

constexpr int64_t opset = 17;
constexpr int64_t colours = 3;

ModelBuilder& add_half(ModelBuilder& model, const std::string& from, const std::string& to)
{
    // ceil_mode keeps the last row and column of odd extents.
    return model.node("AveragePool", {from}, {to},
                      {ints_attribute("kernel_shape", {2, 2}), ints_attribute("strides", {2, 2}), int_attribute("ceil_mode", 1)},
                      "half");
}

// Between two pixels a bilinear interpolation by two takes 3/4 of the nearer and 1/4 of the farther: with stride 2 every
// output position meets the first and third or the second and fourth of the four weights.
std::string bilinear_weights()
{
    constexpr float line[4] = {0.25F, 0.75F, 0.75F, 0.25F};
    std::vector<float> weights;
    for (int64_t colour = 0; colour < colours; ++colour)
        for (float row : line)
            for (float column : line)
                weights.push_back(row * column);
    return float_tensor("W", {colours, 1, 4, 4}, weights);
}

ModelBuilder& add_double(ModelBuilder& model, const std::string& from, const std::string& to)
{
    return model.initializer(bilinear_weights())
        .node("ConvTranspose", {from, "W"}, {to},
              {ints_attribute("kernel_shape", {4, 4}), ints_attribute("strides", {2, 2}), ints_attribute("pads", {1, 1, 1, 1}),
               int_attribute("group", colours)},
              "double");
}

ModelBuilder from_picture()
{
    return ModelBuilder().opset(opset).input("X", DType::float32, {1, colours, "H", "W"});
}

}  // namespace

std::string antialias_half()
{
    ModelBuilder model = from_picture();
    return add_half(model, "X", "Y").output("Y", DType::float32, {1, colours, "halved H", "halved W"}).build();
}

std::string bilinear_double()
{
    ModelBuilder model = from_picture();
    return add_double(model, "X", "Y").output("Y", DType::float32, {1, colours, "doubled H", "doubled W"}).build();
}

std::string half_then_double()
{
    ModelBuilder model = from_picture();
    add_half(model, "X", "halved");
    return add_double(model, "halved", "Y")
        .output("Y", DType::float32, {1, colours, "doubled H", "doubled W"})
        .output("halved", DType::float32, {1, colours, "halved H", "halved W"})
        .build();
}

Status write_models(const std::string& directory)
{
    const std::pair<const char*, std::string> files[] = {
        {"antialias_half", antialias_half()}, {"bilinear_double", bilinear_double()}, {"half_then_double", half_then_double()}};
    for (const auto& [name, bytes] : files) {
        std::string path = directory + "/" + name + ".onnx";
        std::ofstream file(path, std::ios::binary);
        file.write(bytes.data(), std::streamsize(bytes.size()));
        file.close();
        if (!file)
            return Status(Code::io, "cannot write " + path);
    }
    return {};
}

}  // namespace vkonnx::kit
