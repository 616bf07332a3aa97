// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "graph/reals.h"

namespace vkonnx::graph {
namespace {

size_t width_of(DType dtype)
{
    return bits(dtype) / 8;
}

bool is_signed(DType dtype)
{
    return dtype == DType::int8 || dtype == DType::int16 || dtype == DType::int32 || dtype == DType::int64;
}

bool is_unsigned(DType dtype)
{
    return dtype == DType::uint8 || dtype == DType::uint16 || dtype == DType::uint32 || dtype == DType::uint64;
}

std::vector<double> integers_as_reals(const HostTensor& tensor)
{
    const size_t width = width_of(tensor.desc.dtype);
    std::vector<double> values;
    for (size_t at = 0; at + width <= tensor.data.size(); at += width) {
        uint64_t word = 0;
        std::memcpy(&word, tensor.data.data() + at, width);
        const size_t above = 64 - 8 * width;  // the bits above the element's, which its sign fills
        values.push_back(is_signed(tensor.desc.dtype) ? double(int64_t(word << above) >> above) : double(word));
    }
    return values;
}

}  // namespace

Composer::Composer(std::string_view op_type, int64_t version, std::vector<Input> inputs, std::vector<bool> outputs,
                   uint64_t most_bytes, const Capabilities& capabilities)
    : op_type_(op_type), version_(version), inputs_(std::move(inputs)), wanted_(std::move(outputs)), bytes_left_(most_bytes),
      capabilities_(capabilities), values_(inputs_.size()), outputs_(wanted_.size())
{
}

std::optional<HostTensor> Composer::known(size_t input, std::string_view what, bool is_right, std::string_view expected)
{
    const Input& one = inputs_[input];
    const std::string label = std::string(what) + " (" + quote(one.name) + ")";
    if (!one.content) {
        if (status_)
            unknown_ = input;
        fail(Status(Code::unsupported, label + std::string(known_only_when_running)));
    } else if (check(is_right, label + " is " + to_string(one.desc) + ", expected " + std::string(expected))) {
        Result<HostTensor> tensor = one.content->read();
        if (tensor)
            return std::move(*tensor);
        fail(tensor.status());
    }
    return {};
}

std::vector<double> Composer::numbers(size_t input, std::string_view what)
{
    const DType dtype = inputs_[input].desc.dtype;
    const std::optional<HostTensor> tensor = known(input, what, is_real(dtype) || is_integer(dtype), "numbers");
    if (!tensor)
        return {};
    return is_real(dtype) ? reals_of(*tensor) : integers_as_reals(*tensor);
}

std::vector<bool> Composer::flags(size_t input, std::string_view what)
{
    const TensorDesc& desc = inputs_[input].desc;
    const bool is_list = desc.dtype == DType::boolean && desc.dims.size() == 1;
    const std::optional<HostTensor> tensor = known(input, what, is_list, "bool with one dimension");
    std::vector<bool> values;
    if (tensor)
        for (const std::byte byte : tensor->data)
            values.push_back(byte != std::byte(0));
    return values;
}

int64_t Composer::known_integer(size_t input, std::string_view what)
{
    const std::vector<double> values = numbers(input, what);
    if (!status_)
        return 0;
    const bool is_one = values.size() == 1;
    const bool is_integer = is_one && std::abs(values[0]) < 0x1p31 && std::trunc(values[0]) == values[0];
    check(is_one, std::string(what) + " has " + std::to_string(values.size()) + " elements, expected one");
    check(!is_one || is_integer,
          std::string(what) + " = " + std::to_string(is_one ? values[0] : 0) + ", expected a whole number of 32 bits");
    return is_integer ? int64_t(values[0]) : 0;
}

Operand Composer::add(Operator op, std::vector<Operand> inputs)
{
    return add_all(std::move(op), inputs).front();
}

std::vector<Operand> Composer::add_all(Operator op, const std::vector<Operand>& inputs)
{
    if (!status_)
        return {Operand()};
    std::vector<TensorDesc> descs;
    for (const Operand& input : inputs)
        descs.push_back(input.desc);
    Result<std::vector<TensorDesc>> made = infer(op, descs);
    if (!made) {
        fail(made.status());
        return {Operand()};
    }
    Call call = {.op = std::move(op), .inputs = inputs};
    std::vector<Operand> outputs;
    for (TensorDesc& desc : *made) {
        desc.layout = vkonnx::Layout::ncx;
        call.outputs.push_back(values_);
        outputs.push_back({values_++, std::move(desc)});
    }
    calls_.push_back(std::move(call));
    return outputs;
}

Operand Composer::cast(const Operand& operand, DType dtype)
{
    return operand.desc.dtype == dtype ? operand : add(Cast{.to = int64_t(dtype)}, {operand});
}

Operand Composer::constant(const TensorDesc& desc, const std::function<double(int64_t)>& element)
{
    if (!check(is_real(desc.dtype) || is_integer(desc.dtype) || desc.dtype == DType::boolean,
               "it needs a constant of type " + std::string(name(desc.dtype)) +
                   ", expected floats, booleans or integers of 8 to 64 bits") ||
        !status_)
        return {};
    const Result<uint64_t> bytes = byte_size(desc);
    if (!bytes || *bytes > bytes_left_) {
        fail(Status(Code::unsupported, bytes ? "it needs the constant " + to_string(desc) + " of " + std::to_string(*bytes) +
                                                   " bytes, above what is left of SessionOptions::max_folded_bytes, " +
                                                   std::to_string(bytes_left_)
                                             : std::string(bytes.message())));
        return {};
    }
    bytes_left_ -= *bytes;
    const size_t width = width_of(desc.dtype);
    const auto count = int64_t(*bytes / width);
    HostTensor tensor = {.desc = desc};
    if (is_real(desc.dtype)) {
        std::vector<double> values;
        for (int64_t i = 0; i < count; ++i)
            values.push_back(element(i));
        tensor = rounded(desc, values);
    } else {
        tensor.data.resize(*bytes);
        for (int64_t i = 0; i < count; ++i) {
            const auto word = int64_t(element(i));
            std::memcpy(tensor.data.data() + size_t(i) * width, &word, width);
        }
    }
    constants_.push_back({values_, std::move(tensor)});
    return {values_++, desc};
}

Operand Composer::retyped(size_t input, DType dtype)
{
    Result<HostTensor> tensor = status_ ? inputs_[input].content->read() : Result<HostTensor>(status_);
    if (!tensor) {
        fail(tensor.status());
        return {};
    }
    const TensorDesc desc = {.dtype = dtype, .dims = inputs_[input].desc.dims};
    tensor->desc = desc;
    constants_.push_back({values_, std::move(*tensor)});
    return {values_++, desc};
}

Operand Composer::integer(DType dtype, int64_t value)
{
    Operand made = constant(dtype, 0);
    if (status_)
        std::memcpy(constants_.back().tensor.data.data(), &value, width_of(dtype));
    return made;
}

void Composer::set_output(size_t index, Operand operand)
{
    if (index < outputs_.size())
        outputs_[index] = std::move(operand);
}

size_t Composer::axis(int64_t axis, size_t rank, std::string_view name)
{
    const auto axes = int64_t(rank);
    if (axis < -axes || axis >= axes) {
        fail(std::string(name) + " = " + std::to_string(axis) +
             (rank == 0 ? ", but its input has no axis"
                        : " must be from " + std::to_string(-axes) + " to " + std::to_string(axes - 1)));
        return 0;
    }
    return size_t(axis < 0 ? axis + axes : axis);
}

bool Composer::check_floats(size_t input, std::string_view name)
{
    const TensorDesc& desc = inputs_[input].desc;
    return check(is_real(desc.dtype),
                 std::string(name) + " is " + to_string(desc) + ", expected float, double, float16 or bfloat16");
}

bool Composer::check_broadcast(size_t input, std::string_view name, const TensorDesc& to)
{
    const TensorDesc& desc = inputs_[input].desc;
    return check(is_broadcast(desc.dims, to.dims), std::string(name) + " is " + to_string(desc) +
                                                       ", expected dimensions that are broadcast to those of " + to_string(to));
}

bool Composer::check_dims(size_t input, std::string_view name, const std::vector<int64_t>& dims)
{
    if (!has(input))
        return status_.ok();
    const TensorDesc& desc = inputs_[input].desc;
    return check(desc.dims == dims,
                 std::string(name) + " is " + to_string(desc) + ", expected " + to_string({.dtype = desc.dtype, .dims = dims}));
}

bool Composer::check_list(std::string_view name, const std::vector<int64_t>& list, size_t count, int64_t least)
{
    check(list.size() == count,
          std::string(name) + " has " + std::to_string(list.size()) + " entries, expected " + std::to_string(count));
    for (size_t i = 0; i < list.size() && status_; ++i)
        check(list[i] >= least && list[i] < int64_t(1) << 31, std::string(name) + "[" + std::to_string(i) +
                                                                  "] = " + std::to_string(list[i]) + " must be from " +
                                                                  std::to_string(least) + " to 2147483647");
    return status_.ok();
}

void Composer::fail(Status status)
{
    if (!status_ || status)
        return;
    status_ = status.code() == Code::out_of_memory
                  ? std::move(status)
                  : Status(status.code(), std::string(op_type_) + ": " + std::string(status.message()));
}

DType computed_in(DType dtype)
{
    return is_half(dtype) ? DType::float32 : dtype;
}

DType type_of(int64_t number)
{
    return number >= 0 && number < 256 ? DType(number) : DType::undefined;
}

bool is_integer(DType dtype)
{
    return is_signed(dtype) || is_unsigned(dtype);
}

bool is_broadcast(const std::vector<int64_t>& dims, const std::vector<int64_t>& to)
{
    const size_t rank = dims.size();
    for (size_t i = 0; i < rank && rank <= to.size(); ++i)
        if (dims[i] != 1 && dims[i] != to[to.size() - rank + i])
            return false;
    return rank <= to.size();
}

int64_t extent_of(const std::vector<int64_t>& dims, size_t first, size_t last)
{
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    int64_t elements = 1;
    for (size_t i = first; i < last; ++i)
        if (dims[i] == 0)
            return 0;
    for (size_t i = first; i < last; ++i)
        elements = elements > most / dims[i] ? most : elements * dims[i];
    return elements;
}

}  // namespace vkonnx::graph
