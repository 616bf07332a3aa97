// This header reads and writes tensors in files: NumPy's .npy, a TensorProto's .pb, pictures as .png or .jpg. It also makes
// random tensors.
#pragma once

#include <vkonnx/onnx.hpp>

namespace vkonnx::tools {

// Reads a file by its extension. `wanted` is the model input that it is meant for: a picture takes its channels from it.
Result<onnx::HostTensor> read_tensor(const std::string& path, const onnx::ValueInfo& wanted);

// Writes a file by its extension, whole or not at all.
Status write_tensor(const std::string& path, const onnx::HostTensor& tensor);

// Returns an error for a path that write_tensor would refuse whatever the tensor is.
Status check_tensor_path(const std::string& path);

// Makes a tensor of numbers in [-1, 1) that every floating-point type holds exactly, of integers from 0 to 127, or of booleans of
// both kinds. The same seed gives the same tensor on every machine.
Result<onnx::HostTensor> random_tensor(const TensorDesc& desc, uint64_t seed);

// These read and write NumPy's format, little-endian, in C order. Versions 1 to 3 are read.
Result<onnx::HostTensor> parse_npy(std::span<const std::byte> file);
Result<std::vector<std::byte>> to_npy(const onnx::HostTensor& tensor);

// Returns a serialized TensorProto with raw_data.
Result<std::vector<std::byte>> to_tensor_proto(const onnx::HostTensor& tensor);

// A picture is a PNG or JPEG. It is read as float[1, channels, height, width], each value as stored, divided by 255. `channels`
// is 1, 3 or 4, or 0 for as many as the file has. Written back, values are clamped to 0..1 and rounded. A picture of more pixels
// than these is refused, because a file of a few kilobytes can claim any number.
inline constexpr int64_t most_pixels = int64_t{1} << 26;
enum class PictureFormat : uint8_t { png, jpeg };
Result<onnx::HostTensor> parse_picture(std::span<const std::byte> file, int64_t channels);
Result<std::vector<std::byte>> to_picture(const onnx::HostTensor& tensor, PictureFormat format);

}  // namespace vkonnx::tools
