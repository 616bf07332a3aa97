#include "tensor_file.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <random>

#include "file.h"

namespace vkonnx::tools {

static_assert(std::endian::native == std::endian::little, "elements are copied as they lie in memory");

using onnx::HostTensor;

static Status invalid(std::string message)
{
    return Status(Code::invalid_argument, std::move(message));
}

static std::string extension_of(const std::string& path)
{
    std::string extension = std::filesystem::path(path).extension().string();
    for (char& c : extension)
        c = char(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

static bool is_picture(const std::string& extension)
{
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

Status check_tensor_path(const std::string& path)
{
    const std::string extension = extension_of(path);
    if (extension != ".npy" && extension != ".pb" && !is_picture(extension))
        return invalid(path + ": the extension must be .npy, .pb, .png, .jpg or .jpeg");
    return {};
}

// ------------------------------------------------------------------------------------------------------------ npy

static constexpr std::pair<DType, std::string_view> npy_types[] = {
    {DType::float32, "f4"}, {DType::float64, "f8"}, {DType::float16, "f2"},   {DType::uint8, "u1"},      {DType::int8, "i1"},
    {DType::uint16, "u2"},  {DType::int16, "i2"},   {DType::uint32, "u4"},    {DType::int32, "i4"},      {DType::uint64, "u8"},
    {DType::int64, "i8"},   {DType::boolean, "b1"}, {DType::complex64, "c8"}, {DType::complex128, "c16"}};

static constexpr std::string_view npy_magic = "\x93NUMPY";

// Reads the header's Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class NpyHeader {
public:
    explicit NpyHeader(std::string_view text) : text_(text) {}

    Result<TensorDesc> read()
    {
        bool seen_type = false, seen_order = false, seen_shape = false;
        TensorDesc desc;
        if (!take('{'))
            return broken();
        while (!take('}')) {
            const std::optional<std::string_view> key = quoted();
            if (!key || !take(':'))
                return broken();
            if (*key == "descr") {
                const std::optional<std::string_view> type = quoted();
                if (!type)
                    return invalid("the .npy file holds records; only plain elements are supported");
                if (Status status = read_type(*type, desc.dtype); !status)
                    return status;
                seen_type = true;
            } else if (*key == "fortran_order") {
                if (word("True"))
                    return invalid("the .npy file is in Fortran order; save numpy.ascontiguousarray(...) instead");
                if (!word("False"))
                    return broken();
                seen_order = true;
            } else if (*key == "shape") {
                if (!read_shape(desc.dims))
                    return broken();
                seen_shape = true;
            } else {
                return broken();
            }
            take(',');
        }
        if (!seen_type || !seen_order || !seen_shape)
            return broken();
        return desc;
    }

private:
    static Status broken() { return invalid("the .npy file's header can't be understood"); }

    static Status read_type(std::string_view code, DType& dtype)
    {
        for (const auto& [known, suffix] : npy_types)
            if (code.size() == suffix.size() + 1 && code.substr(1) == suffix) {
                if (code[0] == '>' && bits(known) > 8)
                    return invalid("the .npy file is big-endian; save it as little-endian");
                dtype = known;
                return {};
            }
        return invalid("the .npy file's element type '" + std::string(code) + "' has no ONNX type");
    }

    bool read_shape(std::vector<int64_t>& dims)
    {
        if (!take('('))
            return false;
        while (!take(')')) {
            int64_t dim = 0;
            const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), dim);
            if (error != std::errc())
                return false;
            at_ = size_t(end - text_.data());
            dims.push_back(dim);
            if (dims.size() > 64)  // ONNX's models have fewer axes
                return false;
            take(',');
        }
        return true;
    }

    void skip_space()
    {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
            ++at_;
    }
    bool take(char c)
    {
        skip_space();
        const bool here = at_ < text_.size() && text_[at_] == c;
        if (here)
            ++at_;
        skip_space();
        return here;
    }
    bool word(std::string_view expected)
    {
        const bool here = text_.substr(at_, expected.size()) == expected;
        if (here)
            at_ += expected.size();
        return here;
    }
    std::optional<std::string_view> quoted()
    {
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
            return std::nullopt;
        const size_t end = text_.find(text_[at_], at_ + 1);
        if (end == std::string_view::npos)
            return std::nullopt;
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return inside;
    }

    std::string_view text_;
    size_t at_ = 0;
};

Result<HostTensor> parse_npy(std::span<const std::byte> file)
{
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    if (text.substr(0, npy_magic.size()) != npy_magic || text.size() < 10)
        return invalid("not a .npy file");
    const auto byte_at = [&](size_t i) { return size_t(file[i]); };
    const size_t major = byte_at(6);
    if (major < 1 || major > 3)
        return invalid("the .npy file's format version " + std::to_string(major) + " is not 1, 2 or 3");
    const size_t begin = major == 1 ? 10 : 12;
    if (text.size() < begin)
        return invalid("the .npy file ends within its header");
    size_t length = byte_at(8) | byte_at(9) << 8;
    if (major > 1)
        length |= byte_at(10) << 16 | byte_at(11) << 24;
    if (length > text.size() - begin)
        return invalid("the .npy file ends within its header");

    Result<TensorDesc> desc = NpyHeader(text.substr(begin, length)).read();
    if (!desc)
        return desc.status();
    const Result<uint64_t> size = byte_size(*desc);
    if (!size)
        return size.status();
    const std::span<const std::byte> data = file.subspan(begin + length);
    if (data.size() != *size)
        return invalid("the .npy file has " + std::to_string(data.size()) + " bytes of elements where " + to_string(*desc) +
                       " takes " + std::to_string(*size));
    return HostTensor{.desc = std::move(*desc), .data = {data.begin(), data.end()}};
}

Result<std::vector<std::byte>> to_npy(const HostTensor& tensor)
{
    const auto* type =
        std::find_if(std::begin(npy_types), std::end(npy_types), [&](const auto& row) { return row.first == tensor.desc.dtype; });
    if (type == std::end(npy_types))
        return invalid("NumPy has no type for " + std::string(name(tensor.desc.dtype)) + "; write a .pb");
    std::string header = "{'descr': '";
    header += bits(tensor.desc.dtype) > 8 ? '<' : '|';
    header += type->second;
    header += "', 'fortran_order': False, 'shape': (";
    for (const int64_t dim : tensor.desc.dims)
        header += std::to_string(dim) + ", ";
    header += "), }";
    // NumPy wants the elements aligned to 64 bytes and the header closed by a line end.
    header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 10, ' ');
    header.back() = '\n';

    std::string front(npy_magic);
    front += {'\1', '\0', char(header.size() & 255), char(header.size() >> 8)};
    front += header;
    const std::span<const std::byte> bytes = std::as_bytes(std::span(front));
    std::vector<std::byte> file(bytes.begin(), bytes.end());
    file.insert(file.end(), tensor.data.begin(), tensor.data.end());
    return file;
}

// ----------------------------------------------------------------------------------------------------- TensorProto

static void put_varint(std::vector<std::byte>& out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        out.push_back(std::byte(value | 0x80));
    out.push_back(std::byte(value));
}

Result<std::vector<std::byte>> to_tensor_proto(const HostTensor& tensor)
{
    if (tensor.desc.dtype == DType::string)
        return Status(Code::unsupported, "a tensor of strings can't be written");
    std::vector<std::byte> out;
    for (const int64_t dim : tensor.desc.dims) {
        out.push_back(std::byte{1 << 3});  // dims, field 1
        put_varint(out, uint64_t(dim));
    }
    out.push_back(std::byte{2 << 3});  // data_type, field 2
    put_varint(out, uint64_t(tensor.desc.dtype));
    out.push_back(std::byte{9 << 3 | 2});  // raw_data, field 9
    put_varint(out, tensor.data.size());
    out.insert(out.end(), tensor.data.begin(), tensor.data.end());
    return out;
}

// ---------------------------------------------------------------------------------------------------------- random

// Converts multiples of 1/128 in [-1, 1). They have 7 bits of significand, which bfloat16, the coarsest type, holds exactly.
static uint16_t exact_half(float value, int exponent_bias, int mantissa_bits)
{
    const auto word = std::bit_cast<uint32_t>(value);
    if (value == 0)
        return 0;
    const uint32_t exponent = (word >> 23 & 255) + uint32_t(exponent_bias) - 127;
    const uint32_t mantissa = (word & 0x7FFFFF) >> (23 - mantissa_bits);
    return uint16_t((word >> 31) << 15 | exponent << mantissa_bits | mantissa);
}

template <class T, class Make>
static void fill(HostTensor& tensor, Make make)
{
    for (size_t at = 0; at + sizeof(T) <= tensor.data.size(); at += sizeof(T)) {
        const T value = make();
        std::memcpy(tensor.data.data() + at, &value, sizeof(T));
    }
}

Result<HostTensor> random_tensor(const TensorDesc& desc, uint64_t seed)
{
    const Result<uint64_t> size = byte_size(desc);
    if (!size)
        return size.status();
    HostTensor tensor{.desc = desc};
    tensor.data.resize(*size);

    // Standard distributions differ between standard libraries; the generator's bits do not.
    std::mt19937_64 generator(seed);
    const auto integer = [&] { return generator() >> 57; };  // 0 to 127
    const auto number = [&] { return float(generator() >> 56) / 128.0f - 1.0f; };

    switch (desc.dtype) {
    case DType::float32:
        fill<float>(tensor, number);
        return tensor;
    case DType::float64:
        fill<double>(tensor, number);
        return tensor;
    case DType::float16:
        fill<uint16_t>(tensor, [&] { return exact_half(number(), 15, 10); });
        return tensor;
    case DType::bfloat16:
        fill<uint16_t>(tensor, [&] { return exact_half(number(), 127, 7); });
        return tensor;
    case DType::boolean:
        fill<uint8_t>(tensor, [&] { return uint8_t(integer() & 1); });
        return tensor;
    case DType::uint8:
    case DType::int8:
        fill<uint8_t>(tensor, [&] { return uint8_t(integer()); });
        return tensor;
    case DType::uint16:
    case DType::int16:
        fill<uint16_t>(tensor, [&] { return uint16_t(integer()); });
        return tensor;
    case DType::uint32:
    case DType::int32:
        fill<uint32_t>(tensor, [&] { return uint32_t(integer()); });
        return tensor;
    case DType::uint64:
    case DType::int64:
        fill<uint64_t>(tensor, integer);
        return tensor;
    default:
        return Status(Code::unsupported, "random values of type " + std::string(name(desc.dtype)) + " are not offered");
    }
}

// ----------------------------------------------------------------------------------------------------------- files

static Result<int64_t> picture_channels(const onnx::ValueInfo& wanted)
{
    if (wanted.dtype != DType::float32)
        return invalid("a picture becomes a float tensor, but input \"" + wanted.name + "\" is " +
                       std::string(name(wanted.dtype)));
    if (!wanted.has_shape)
        return int64_t{0};
    if (wanted.dims.size() != 4)
        return invalid("a picture becomes 1 x channels x height x width, but input \"" + wanted.name + "\" has rank " +
                       std::to_string(wanted.dims.size()));
    return std::max<int64_t>(wanted.dims[1], 0);
}

static Result<HostTensor> parse_by_extension(const std::string& path, std::span<const std::byte> content,
                                             const onnx::ValueInfo& wanted)
{
    const std::string extension = extension_of(path);
    if (extension == ".npy")
        return parse_npy(content);
    if (extension == ".pb")
        return onnx::parse_tensor(content);
    const Result<int64_t> channels = picture_channels(wanted);
    return channels ? parse_picture(content, *channels) : channels.status();
}

Result<HostTensor> read_tensor(const std::string& path, const onnx::ValueInfo& wanted)
{
    if (Status status = check_tensor_path(path); !status)
        return status;
    constexpr uint64_t most_npy_bytes = uint64_t{1} << 33;  // beyond the largest tensor of floats that the library takes
    const auto content = extension_of(path) == ".npy" ? read_file(path, most_npy_bytes) : read_file(path);
    if (!content)
        return content.status();
    Result<HostTensor> tensor = parse_by_extension(path, *content, wanted);
    if (!tensor)
        return Status(tensor.code(), path + ": " + std::string(tensor.message()));
    return tensor;
}

Status write_tensor(const std::string& path, const HostTensor& tensor)
{
    if (Status status = check_tensor_path(path); !status)
        return status;
    const std::string extension = extension_of(path);
    const Result<std::vector<std::byte>> content =
        extension == ".npy"  ? to_npy(tensor)
        : extension == ".pb" ? to_tensor_proto(tensor)
                             : to_picture(tensor, extension == ".png" ? PictureFormat::png : PictureFormat::jpeg);
    if (!content)
        return Status(content.code(), path + ": " + std::string(content.message()));
    return write_file(path, *content);
}

}  // namespace vkonnx::tools
