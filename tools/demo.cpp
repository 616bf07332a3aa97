// This is vkonnx-demo FOLDER. It halves a picture with FOLDER/antialias_half.onnx and doubles it again with
// FOLDER/bilinear_double.onnx, compares both with the reference, and writes the pictures into FOLDER.
#include <vkonnx/onnx.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "command_line.h"
#include "kit/operators.h"
#include "tensor_file.h"
#include "test_picture.h"

using namespace vkonnx;
using namespace vkonnx::tools;

namespace {

onnx::HostTensor to_tensor(const Picture& picture)
{
    onnx::HostTensor tensor;
    tensor.desc = TensorDesc{DType::float32, {1, 3, picture.height, picture.width}};
    tensor.data.resize(picture.planes.size() * sizeof(float));
    std::memcpy(tensor.data.data(), picture.planes.data(), tensor.data.size());
    return tensor;
}

Picture to_picture(const onnx::HostTensor& tensor)
{
    Picture picture(int(tensor.desc.dims[3]), int(tensor.desc.dims[2]));
    std::memcpy(picture.planes.data(), tensor.data.data(), tensor.data.size());
    return picture;
}

// Runs a model of one input and one output, and prints what each of its nodes did.
Result<Picture> run(const Device& device, const std::string& path, const Picture& picture)
{
    const Result<onnx::Model> model = onnx::Model::load(path);
    if (!model)
        return model.status();
    const onnx::HostTensor input = to_tensor(picture);
    Result<onnx::Session> session = onnx::Session::prepare(device, *model, std::vector{onnx::NamedDesc{"X", input.desc}});
    if (!session)
        return session.status();
    // The first run pays for cold memory, so the second is shown.
    Result<std::vector<onnx::HostTensor>> outputs = session->run({&input, 1});
    if (outputs)
        outputs = session->run({&input, 1});
    if (!outputs)
        return outputs.status();
    for (const onnx::NodeReport& node : session->nodes())
        std::printf("  %-7s %-13s %s -> %s  %s  %s\n", visible(node.name).c_str(), visible(node.op_type).c_str(),
                    to_string(input.desc).c_str(), to_string(outputs->front().desc).c_str(), node.explanation.kernel.c_str(),
                    milliseconds_text(node.seconds).c_str());
    return to_picture(outputs->front());
}

kit::RealTensor to_reference(const Picture& picture)
{
    return {{DType::float32, {1, 3, picture.height, picture.width}}, {picture.planes.begin(), picture.planes.end()}};
}

// Returns the greatest difference from the reference over the whole output.
template <class Attributes>
Result<double> difference(const Attributes& attributes, const std::vector<kit::RealTensor>& inputs, const Picture& output)
{
    const kit::RealTensor result = to_reference(output);
    const std::vector<int64_t> sample = kit::sample_of(result.desc, INT64_MAX);
    const Result<std::vector<kit::Answer>> expected = kit::reference(attributes, inputs, sample);
    if (!expected)
        return expected.status();
    double greatest = 0;
    for (size_t i = 0; i < sample.size(); ++i) {
        const double error = std::fabs(result.values[size_t(sample[i])] - (*expected)[i].value.hi);
        greatest = std::isnan(error) ? error : std::max(greatest, error);
    }
    return greatest;
}

// These attributes are those of the two models in tests/kit/models.h. They are repeated on purpose: so the demo also checks how
// the files are written and read.
Result<double> difference_of_half(const Picture& picture, const Picture& half)
{
    return difference(AveragePool{.kernel_shape = {2, 2}, .strides = {2, 2}, .ceil_mode = 1}, {to_reference(picture)}, half);
}

Result<double> difference_of_double(const Picture& half, const Picture& doubled)
{
    kit::RealTensor weights{{DType::float32, {3, 1, 4, 4}}, {}};
    for (int colour = 0; colour < 3; ++colour)
        for (const double row : {0.25, 0.75, 0.75, 0.25})
            for (const double column : {0.25, 0.75, 0.75, 0.25})
                weights.values.push_back(row * column);
    return difference(ConvTranspose{.strides = {2, 2}, .pads = {1, 1, 1, 1}, .group = 3}, {to_reference(half), weights}, doubled);
}

// Puts four pictures in two rows: above the input and what aliasing does to it, below the two outputs.
Picture side_by_side(const Picture& input, const Picture& aliased, const Picture& half, const Picture& doubled)
{
    const int gap = 16, line = 30, size = input.width;
    Picture sheet(2 * size + 3 * gap, 2 * (size + line) + 3 * gap, 0.09f);
    const auto place = [&](int column, int row, const Picture& picture, const char* title) {
        const int x = gap + column * (size + gap), y = gap + row * (size + line + gap);
        draw_text(sheet, x, y, title, {0.9f, 0.9f, 0.92f}, 2);
        draw_rectangle(sheet, x, y + line, size, size, {0.13f, 0.13f, 0.14f});
        draw_picture(sheet, x + (size - picture.width) / 2, y + line + (size - picture.height) / 2, picture);
    };
    place(0, 0, input, "INPUT");
    place(1, 0, aliased, "EVERY 2ND PIXEL, DOUBLED AGAIN");
    place(0, 1, half, "AVERAGEPOOL, K 2, STRIDE 2");
    place(1, 1, doubled, "DOUBLED BY CONVTRANSPOSE, K 4");
    return sheet;
}

struct Pictures {
    Picture input, half, doubled, aliased;
};

// In these pictures every value is at most 1, so that float's rounding of 4 products cannot come near this.
constexpr double allowed_difference = 1e-6;

int compare_and_write(const std::string& folder, const Pictures& pictures)
{
    double greatest = 0;
    for (const Result<double>& found :
         {difference_of_half(pictures.input, pictures.half), difference_of_double(pictures.half, pictures.doubled)}) {
        if (!found)
            return fail(exit_failed, found.message());
        greatest = std::isnan(*found) ? *found : std::max(greatest, *found);
    }
    std::printf("greatest difference from the reference: %.3g\n", greatest);

    const std::pair<const char*, Picture> files[] = {
        {"input.png", pictures.input},
        {"halved.png", pictures.half},
        {"doubled.png", pictures.doubled},
        {"side_by_side.png", side_by_side(pictures.input, pictures.aliased, pictures.half, pictures.doubled)}};
    for (const auto& [name, picture] : files) {
        const std::string path = folder + "/" + name;
        if (const Status status = write_tensor(path, to_tensor(picture)); !status)
            return fail(exit_failed, status.message());
        std::printf("%s  %d x %d\n", visible(path).c_str(), picture.width, picture.height);
    }
    return greatest <= allowed_difference ? exit_done : fail(exit_failed, "that is too much: the device computes wrong numbers");
}

int run_tool(int argc, char** argv)
{
    CLI::App app("Halves and doubles a picture that aliases, from two ONNX files.", "vkonnx-demo");
    std::string folder, select;
    app.add_option("FOLDER", folder, "Where vkonnx-models has put the models; the pictures land there too")
        ->required()
        ->check(CLI::ExistingDirectory);
    add_device_option(app, select);
    if (const std::optional<int> code = parse_command_line(app, argc, argv))
        return *code;

    const Result<Device> device = Device::open({.select = select, .cache_folder = default_cache_folder()});
    if (!device)
        return fail(exit_code_without_device(device.status()), device.message());
    std::printf("device: %s, %s, Vulkan %s\n", visible(device->info().name).c_str(), visible(device->info().driver).c_str(),
                version_text(device->info().api_version).c_str());

    const Picture input = test_picture(512);
    std::printf("halve and double again:\n");
    const Result<Picture> half = run(*device, folder + "/antialias_half.onnx", input);
    if (!half)
        return fail(exit_failed, half.message());
    const Result<Picture> doubled = run(*device, folder + "/bilinear_double.onnx", *half);
    if (!doubled)
        return fail(exit_failed, doubled.message());
    std::printf("for contrast, every second pixel doubled again:\n");
    const Result<Picture> aliased = run(*device, folder + "/bilinear_double.onnx", every_second_pixel(input));
    if (!aliased)
        return fail(exit_failed, aliased.message());
    return compare_and_write(folder, {input, *half, *doubled, *aliased});
}

}  // namespace

int main(int argc, char** argv)
{
    return tool_main(run_tool, argc, argv);
}
