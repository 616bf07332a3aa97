// SPDX-License-Identifier: Apache-2.0
#include "tensor.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "return_if_error.h"
#include "wire.h"

namespace vkonnx::onnx {

namespace {

static_assert(std::endian::native == std::endian::little, "HostTensor and raw_data are little-endian");

struct FieldInfo {
    const char* name;
    uint32_t number;
};

// The fields are in the order of TypedField.
constexpr std::array<FieldInfo, typed_field_count> typed_fields = {
    {{"float_data", 4}, {"int32_data", 5}, {"string_data", 6}, {"int64_data", 7}, {"double_data", 10}, {"uint64_data", 11}}};

const FieldInfo& info(TypedField field)
{
    return typed_fields[size_t(field)];
}

// Returns the field in which onnx.proto puts a type's elements if not in raw_data. Everything of up to 32 bits that has no field
// of its own lies as its bit pattern in int32_data.
TypedField field_of(DType dtype)
{
    switch (dtype) {
    case DType::float32:
    case DType::complex64:
        return TypedField::float_data;
    case DType::float64:
    case DType::complex128:
        return TypedField::double_data;
    case DType::int64:
        return TypedField::int64_data;
    case DType::uint32:
    case DType::uint64:
        return TypedField::uint64_data;
    case DType::string:
        return TypedField::string_data;
    default:
        return TypedField::int32_data;
    }
}

std::string label(const TensorProto& tensor)
{
    return tensor.name.empty() ? "tensor" : "tensor " + quote(tensor.name);
}

Status refuse(const TensorProto& tensor, const std::string& what, Code code = Code::invalid_argument)
{
    return Status(code, label(tensor) + ": " + what);
}

// Returns how many entries the typed field needs: complex numbers take two, types below 8 bits share a byte in the packed order
// of raw_data.
Result<uint64_t> entries_needed(const TensorDesc& desc)
{
    Result<int64_t> count = element_count(desc);
    VKONNX_RETURN_IF_ERROR(count.status());
    if (desc.dtype == DType::complex64 || desc.dtype == DType::complex128)
        return 2 * uint64_t(*count);
    if (desc.dtype != DType::string && bits(desc.dtype) < 8)
        return byte_size(desc);
    return uint64_t(*count);
}

Status check_raw(const TensorProto& tensor, const TensorDesc& desc)
{
    if (desc.dtype == DType::string)
        return refuse(tensor, "strings cannot be in raw_data");
    Result<uint64_t> size = byte_size(desc);
    if (!size)
        return refuse(tensor, std::string(size.message()));
    if (tensor.raw_data.size() != *size)
        return refuse(tensor, "raw_data has " + std::to_string(tensor.raw_data.size()) + " bytes, " + to_string(desc) +
                                  " needs " + std::to_string(*size));
    return {};
}

Status check_typed(const TensorProto& tensor, const TensorDesc& desc)
{
    TypedField field = field_of(desc.dtype);
    for (size_t i = 0; i < typed_field_count; ++i)
        if (tensor.elements[i] > 0 && i != size_t(field))
            return refuse(tensor, std::string(typed_fields[i].name) + " is set, but elements of type " +
                                      std::string(name(desc.dtype)) + " belong in " + info(field).name);
    Result<uint64_t> needed = entries_needed(desc);
    if (!needed)
        return refuse(tensor, std::string(needed.message()));
    uint64_t given = tensor.elements[size_t(field)];
    if (given != *needed)
        return refuse(tensor, std::string(info(field).name) + " has " + std::to_string(given) + " entries, " + to_string(desc) +
                                  " needs " + std::to_string(*needed));
    return {};
}

// Returns the decimal number that the text is, where it can be a file's offset; nothing more may stand there.
std::optional<uint64_t> number_in(std::string_view text)
{
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && number <= uint64_t(INT64_MAX) ? std::optional(number) : std::nullopt;
}

// Checks the keys: they are those of onnx.proto, and those that begin with "prepacked", which ONNX Runtime writes for itself.
// Others are refused, as there. The checksum is not looked at, as there, because it is of no use against whoever wrote the model.
// A key that comes twice is refused: readers of ONNX differ in which of its values they take.
Status check_keys(const TensorProto& tensor)
{
    constexpr std::string_view known[] = {"location", "offset", "length", "checksum"};
    std::array<bool, std::size(known)> seen = {};
    for (const StringStringEntryProto& entry : tensor.external_data) {
        const size_t key = size_t(std::find(std::begin(known), std::end(known), entry.key) - std::begin(known));
        if (key == std::size(known)) {
            if (!entry.key.starts_with("prepacked"))
                return refuse(tensor, "external_data has the key " + quote(entry.key) +
                                          ", expected location, offset, length or checksum");
            continue;
        }
        if (seen[key])
            return refuse(tensor, "external_data has the key " + quote(entry.key) + " twice");
        seen[key] = true;
    }
    if (!seen[0])
        return refuse(tensor, "its data lies in another file, but external_data has no location");
    return {};
}

Status check_place(const TensorProto& tensor, const TensorDesc& desc)
{
    if (desc.dtype == DType::string)
        return refuse(tensor, "strings cannot lie in another file");
    VKONNX_RETURN_IF_ERROR(check_keys(tensor));
    return external_data(tensor, desc).status();
}

template <class T>
class Sink {
public:
    explicit Sink(HostTensor& tensor) : to_(tensor.data.data()) {}
    void operator()(T value)
    {
        std::memcpy(to_, &value, sizeof value);
        to_ += sizeof value;
    }

private:
    std::byte* to_;
};

struct Range {
    int64_t least = 0;
    int64_t most = 0;
};

Range range_of(DType dtype)
{
    switch (dtype) {
    case DType::boolean:
        return {0, 1};
    case DType::int8:
        return {INT8_MIN, INT8_MAX};
    case DType::int16:
        return {INT16_MIN, INT16_MAX};
    case DType::int32:
        return {INT32_MIN, INT32_MAX};
    default:  // unsigned types and bit patterns; a byte for the packed types
        return {0, bits(dtype) == 32 ? UINT32_MAX : bits(dtype) == 16 ? UINT16_MAX : UINT8_MAX};
    }
}

// Reads entries of int32_data, or uint32 entries of uint64_data, and cuts them to `T` once they are known to fit.
template <class T>
void read_small(Message& message, HostTensor& tensor, Sink<T>& sink, const char* field)
{
    Range range = range_of(tensor.desc.dtype);
    message.integers([&](int64_t value) {
        if (tensor.desc.dtype != DType::uint32)
            value = int32_t(value);  // an int32 field's value, whatever the varint's length
        if (value < range.least || value > range.most)
            throw ParseError(std::string(field) + " holds " + std::to_string(value) + ", which does not fit in " +
                             std::string(name(tensor.desc.dtype)));
        sink(T(value));
    });
}

template <class T, class Read>
void read_field(const TensorProto& tensor, HostTensor& host, Read read)
{
    Trail trail(tensor.message);
    Message message(trail, tensor.message);
    Sink<T> sink(host);
    uint32_t wanted = info(field_of(host.desc.dtype)).number;
    while (message.next()) {
        if (message.tag() == wanted)
            read(message, sink);
        else
            message.skip();
    }
}

template <class T>
void read_small_field(const TensorProto& tensor, HostTensor& host)
{
    read_field<T>(tensor, host, [&](Message& message, Sink<T>& sink) {
        read_small(message, host, sink, info(field_of(host.desc.dtype)).name);
    });
}

void read_typed(const TensorProto& tensor, HostTensor& host)
{
    switch (field_of(host.desc.dtype)) {
    case TypedField::float_data:
        return read_field<float>(tensor, host, [](Message& message, Sink<float>& sink) { message.fixed<float>(sink); });
    case TypedField::double_data:
        return read_field<double>(tensor, host, [](Message& message, Sink<double>& sink) { message.fixed<double>(sink); });
    case TypedField::string_data:
        return read_field<char>(tensor, host, [&](Message& message, Sink<char>&) { host.strings.emplace_back(message.bytes()); });
    case TypedField::int64_data:
        return read_field<int64_t>(tensor, host, [](Message& message, Sink<int64_t>& sink) { message.integers(sink); });
    case TypedField::uint64_data:
        if (host.desc.dtype == DType::uint32)
            return read_small_field<uint32_t>(tensor, host);
        return read_field<int64_t>(tensor, host, [](Message& message, Sink<int64_t>& sink) { message.integers(sink); });
    case TypedField::int32_data:
        if (bits(host.desc.dtype) == 32)
            return read_small_field<int32_t>(tensor, host);
        if (bits(host.desc.dtype) == 16)
            return read_small_field<uint16_t>(tensor, host);
        return read_small_field<uint8_t>(tensor, host);
    }
}

}  // namespace

DType dtype_from(int64_t data_type)
{
    return data_type >= 1 && data_type <= int64_t(DType::int2) ? DType(data_type) : DType::undefined;
}

Result<TensorDesc> check(const TensorProto& tensor)
{
    TensorDesc desc{.dtype = dtype_from(tensor.data_type), .dims = tensor.dims};
    if (desc.dtype == DType::undefined)
        return refuse(tensor, "data_type " + std::to_string(tensor.data_type) + " is none of ONNX's types");
    if (desc.dims.size() > max_rank)
        return refuse(tensor, "rank " + std::to_string(desc.dims.size()) + " is above " + std::to_string(max_rank));
    for (size_t i = 0; i < desc.dims.size(); ++i)
        if (desc.dims[i] < 0)
            return refuse(tensor, "dims[" + std::to_string(i) + "] = " + std::to_string(desc.dims[i]) + " must not be negative");
    if (tensor.has_segment)
        return refuse(tensor, "it is split into segments, which is not supported", Code::unsupported);
    if (tensor.data_location != 0 && tensor.data_location != 1)
        return refuse(tensor, "data_location " + std::to_string(tensor.data_location) + " is none of ONNX's");
    bool has_typed = false;
    for (uint64_t count : tensor.elements)
        has_typed |= count > 0;
    if (tensor.has_raw_data && has_typed)
        return refuse(tensor, "it has raw_data and typed data too, so that its content is ambiguous");
    // ONNX's own checker refuses this, too, while ONNX Runtime reads the file.
    if (is_external(tensor) && (tensor.has_raw_data || has_typed))
        return refuse(tensor, "its data lies in another file and in the model too, so that its content is ambiguous");
    VKONNX_RETURN_IF_ERROR(is_external(tensor)   ? check_place(tensor, desc)
                           : tensor.has_raw_data ? check_raw(tensor, desc)
                                                 : check_typed(tensor, desc));
    return desc;
}

bool is_external(const TensorProto& tensor)
{
    return tensor.data_location == 1;
}

Result<ExternalData> external_data(const TensorProto& tensor, const TensorDesc& desc)
{
    const Result<uint64_t> bytes = byte_size(desc);
    if (!bytes)
        return refuse(tensor, std::string(bytes.message()));
    ExternalData data = {.bytes = *bytes};
    for (const auto& [key, value] : tensor.external_data) {
        if (key == "location") {
            data.location = value;
            if (const std::string wrong = wrong_location(value); !wrong.empty())
                return refuse(tensor, "the location " + quote(value) + " of its external data " + wrong);
        }
        if (key != "offset" && key != "length")
            continue;
        const std::optional<uint64_t> number = number_in(value);
        if (!number)
            return refuse(tensor, "the " + std::string(key) + " of its external data is " + quote(value) +
                                      ", expected a decimal number up to " + std::to_string(INT64_MAX));
        if (key == "offset")
            data.offset = *number;
        else if (*number != *bytes)
            return refuse(tensor, "the length of its external data is " + std::to_string(*number) + ", " + to_string(desc) +
                                      " needs " + std::to_string(*bytes) + " bytes");
    }
    if (data.bytes > uint64_t(INT64_MAX) - data.offset)
        return refuse(tensor, "its external data would end behind byte " + std::to_string(INT64_MAX) + ": it has " +
                                  std::to_string(data.bytes) + " bytes from byte " + std::to_string(data.offset) + " on");
    return data;
}

Result<HostTensor> read(const TensorProto& tensor)
{
    Result<TensorDesc> desc = check(tensor);
    VKONNX_RETURN_IF_ERROR(desc.status());
    if (is_external(tensor))
        return refuse(tensor, "its data lies in another file, which only a model's tensors may", Code::unsupported);
    HostTensor host{.desc = std::move(*desc)};
    if (tensor.has_raw_data) {
        std::span<const std::byte> raw = raw_bytes(tensor);
        host.data.assign(raw.begin(), raw.end());
        return host;
    }
    if (host.desc.dtype != DType::string) {
        Result<uint64_t> size = byte_size(host.desc);
        if (!size)
            return refuse(tensor, std::string(size.message()));
        host.data.resize(*size);  // no more than a constant times the entries, which `check` has counted in the file
    }
    try {
        read_typed(tensor, host);
    } catch (const ParseError& error) {
        return refuse(tensor, error.what());
    } catch (const protozero::exception& error) {
        return refuse(tensor, error.what());
    }
    return host;
}

std::span<const std::byte> raw_bytes(const TensorProto& tensor)
{
    return std::as_bytes(std::span(tensor.raw_data.data(), tensor.raw_data.size()));
}

Status in_tensor(const TensorProto& tensor, const Status& status)
{
    if (status.code() == Code::out_of_memory)
        return status;
    return refuse(tensor, std::string(status.message()), status.code());
}

}  // namespace vkonnx::onnx
