#include "tensor_file.h"

#include <climits>
#include <cstring>

#include <stb_image.h>
#include <stb_image_write.h>

#include "stb_bounds.h"

namespace vkonnx::tools {

static Status beyond_most_pixels(int64_t width, int64_t height)
{
    return Status(Code::unsupported, "a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                                         " pixels is beyond " + std::to_string(most_pixels) + " pixels");
}

// Returns width and height from a PNG's header. Where they exceed stb's own limit, stb only says that the type is unknown.
static std::optional<std::pair<int64_t, int64_t>> png_sides(std::span<const std::byte> file)
{
    constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
    if (file.size() < 24 || std::memcmp(file.data(), signature.data(), signature.size()) != 0)
        return std::nullopt;
    const auto side_at = [&](size_t at) {
        int64_t side = 0;
        for (const std::byte byte : file.subspan(at, 4))
            side = side << 8 | int64_t(byte);
        return side;
    };
    return std::pair(side_at(16), side_at(20));
}

Result<onnx::HostTensor> parse_picture(std::span<const std::byte> file, int64_t channels)
{
    if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
        return Status(Code::invalid_argument, "a picture has 1, 3 or 4 channels, not " + std::to_string(channels));
    if (file.size() > INT_MAX)
        return Status(Code::unsupported, "a picture file of " + std::to_string(file.size()) + " bytes is beyond 2 GiB");
    if (const auto sides = png_sides(file); sides && sides->second > 0 && sides->first > most_pixels / sides->second)
        return beyond_most_pixels(sides->first, sides->second);
    const auto* bytes = reinterpret_cast<const stbi_uc*>(file.data());
    const int size = int(file.size());
    int width = 0, height = 0, stored = 0;
    constexpr size_t small_block = size_t{16} << 20;
    stb_bound_blocks(small_block + 2 * file.size());
    if (!stbi_info_from_memory(bytes, size, &width, &height, &stored))
        return Status(Code::invalid_argument, std::string("not a picture that can be read: ") + stbi_failure_reason());
    const int64_t pixel_count = int64_t{width} * height;
    if (pixel_count > most_pixels)
        return beyond_most_pixels(width, height);
    // A pixel takes at most 4 channels of 16 bits, and as much again where stb doubles a buffer. Edges are rounded up.
    stb_bound_blocks(small_block + 2 * file.size() + 16 * size_t(pixel_count));
    if (channels == 0)
        channels = stored == 2 ? 4 : stored;  // grey with alpha has no 2-channel form here
    const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
        stbi_load_from_memory(bytes, size, &width, &height, &stored, int(channels)), stbi_image_free);
    if (!pixels)
        return Status(Code::invalid_argument, std::string("not a picture that can be read: ") + stbi_failure_reason());

    const auto plane = size_t(pixel_count);
    const auto planes = size_t(channels);
    onnx::HostTensor tensor{.desc = {DType::float32, {1, channels, height, width}}};
    tensor.data.resize(planes * plane * sizeof(float));
    for (size_t c = 0; c < planes; ++c)
        for (size_t i = 0; i < plane; ++i) {
            const float value = float(pixels.get()[i * planes + c]) / 255.0f;
            std::memcpy(tensor.data.data() + (c * plane + i) * sizeof value, &value, sizeof value);
        }
    return tensor;
}

static uint8_t to_byte(float value)
{
    if (!(value > 0))  // NaN too
        return 0;
    return value >= 1 ? uint8_t{255} : uint8_t(value * 255.0f + 0.5f);
}

Result<std::vector<std::byte>> to_picture(const onnx::HostTensor& tensor, PictureFormat format)
{
    const std::vector<int64_t>& dims = tensor.desc.dims;
    if (tensor.desc.dtype != DType::float32 || dims.size() != 4 || dims[0] != 1 || (dims[1] != 1 && dims[1] != 3 && dims[1] != 4))
        return Status(Code::invalid_argument,
                      "a picture is float[1,channels,height,width] with 1, 3 or 4 channels, not " + to_string(tensor.desc));
    if (format == PictureFormat::jpeg && dims[1] == 4)
        return Status(Code::invalid_argument, "a JPEG has no fourth channel; write a .png");
    if (dims[2] < 1 || dims[3] < 1 || dims[2] > 65535 || dims[3] > 65535)
        return Status(Code::invalid_argument, "a picture's sides are 1 to 65535 pixels, not those of " + to_string(tensor.desc));

    if (dims[2] * dims[3] > most_pixels)  // stb counts bytes in int
        return beyond_most_pixels(dims[3], dims[2]);

    const auto channels = size_t(dims[1]);
    const auto plane = size_t(dims[2] * dims[3]);
    std::vector<uint8_t> pixels(channels * plane);
    for (size_t c = 0; c < channels; ++c)
        for (size_t i = 0; i < plane; ++i) {
            float value;
            std::memcpy(&value, tensor.data.data() + (c * plane + i) * sizeof value, sizeof value);
            pixels[i * channels + c] = to_byte(value);
        }

    std::vector<std::byte> file;
    const auto append = [](void* context, void* data, int size) {
        const auto* begin = static_cast<const std::byte*>(data);
        static_cast<std::vector<std::byte>*>(context)->insert(static_cast<std::vector<std::byte>*>(context)->end(), begin,
                                                              begin + size);
    };
    const int width = int(dims[3]), height = int(dims[2]), depth = int(channels);
    const int written = format == PictureFormat::png
                            ? stbi_write_png_to_func(append, &file, width, height, depth, pixels.data(), width * depth)
                            : stbi_write_jpg_to_func(append, &file, width, height, depth, pixels.data(), 95);
    if (!written)
        return Status(Code::out_of_memory, "the picture could not be encoded");
    return file;
}

}  // namespace vkonnx::tools
