#include "inputs.h"

#include <algorithm>
#include <cstring>

#include "cli.h"
#include "tensor_file.h"

namespace vkonnx::tools {

Result<Assignments> assignments(std::span<const std::string> arguments, std::span<const onnx::ValueInfo> values,
                                std::string_view what)
{
    Assignments found;
    for (const std::string& argument : arguments) {
        Result<std::pair<std::string, std::string>> pair = parse_assignment(argument);
        if (!pair)
            return pair.status();
        const auto same_name = [&](const auto& other) { return other.first == pair->first; };
        if (std::any_of(found.begin(), found.end(), same_name))
            return Status(Code::invalid_argument, std::string(what) + " \"" + pair->first + "\" is given twice");
        if (std::none_of(values.begin(), values.end(), [&](const onnx::ValueInfo& v) { return v.name == pair->first; })) {
            std::string names;
            for (const onnx::ValueInfo& value : values)
                names += (names.empty() ? "\"" : ", \"") + value.name + "\"";
            return Status(Code::invalid_argument, "the model has no " + std::string(what) + " \"" + pair->first + "\"; it has " +
                                                      (names.empty() ? "none" : names));
        }
        found.push_back(std::move(*pair));
    }
    return found;
}

const std::string* find(const Assignments& assignments, const std::string& name)
{
    for (const auto& [key, value] : assignments)
        if (key == name)
            return &value;
    return nullptr;
}

bool has_full_shape(const onnx::ValueInfo& value)
{
    return value.has_shape && std::all_of(value.dims.begin(), value.dims.end(), [](int64_t dim) { return dim >= 0; });
}

static std::string declared_text(const onnx::ValueInfo& value)
{
    std::string text(name(value.dtype));
    text += '[';
    for (size_t i = 0; i < value.dims.size(); ++i)
        text += (i ? "," : "") + (value.dims[i] < 0 ? std::string("?") : std::to_string(value.dims[i]));
    return value.has_shape ? text + "]" : text + "[...]";
}

Status missing_input(const onnx::ValueInfo& value, std::string_view how)
{
    return Status(Code::invalid_argument, "input \"" + value.name + "\", " + declared_text(value) + ", is missing: --input " +
                                              value.name + "=" + std::string(how));
}

// This limits all random inputs together, because a model or a flag may ask for any number of bytes.
static constexpr uint64_t most_random_bytes = uint64_t{1} << 32;

bool is_random(const std::string* value)
{
    return value && (*value == "random" || value->starts_with("random:"));
}

static Result<TensorDesc> random_desc(const onnx::ValueInfo& input, const std::string& value)
{
    if (value != "random") {
        Result<std::vector<int64_t>> dims = parse_dims(std::string_view(value).substr(std::strlen("random:")));
        return dims ? Result<TensorDesc>({input.dtype, *dims}) : dims.status();
    }
    if (!has_full_shape(input))
        return Status(Code::invalid_argument, "the model leaves the shape of input \"" + input.name + "\" open; give it as " +
                                                  input.name + "=random:1x3x64x64");
    return TensorDesc{input.dtype, input.dims};
}

Result<std::vector<onnx::HostTensor>> read_inputs(const onnx::Model& model, const Assignments& given)
{
    std::vector<onnx::HostTensor> inputs;
    uint64_t random_bytes = 0;
    for (const onnx::ValueInfo& info : model.inputs()) {
        const std::string* value = find(given, info.name);
        if (!is_random(value)) {
            Result<onnx::HostTensor> tensor =
                value ? read_tensor(*value, info) : Result<onnx::HostTensor>(missing_input(info, "FILE, or random:1x3x64x64"));
            if (!tensor)
                return tensor.status();
            inputs.push_back(std::move(*tensor));
            continue;
        }
        const Result<TensorDesc> desc = random_desc(info, *value);
        const Result<uint64_t> size = desc ? byte_size(*desc) : desc.status();
        if (!size)
            return size.status();
        if (*size > most_random_bytes - random_bytes)
            return Status(Code::unsupported,
                          "input \"" + info.name + "\", " + to_string(*desc) + ", is " + std::to_string(*size) +
                              " bytes of random numbers; all inputs together may have " + std::to_string(most_random_bytes));
        random_bytes += *size;
        inputs.push_back({.desc = *desc});
    }
    return inputs;
}

Status fill_random(const onnx::Model& model, const Assignments& given, uint64_t seed, std::vector<onnx::HostTensor>& inputs)
{
    for (size_t i = 0; i < inputs.size(); ++i)
        if (is_random(find(given, model.inputs()[i].name))) {
            Result<onnx::HostTensor> filled = random_tensor(inputs[i].desc, seed + i);
            if (!filled)
                return filled.status();
            inputs[i] = std::move(*filled);
        }
    return {};
}

}  // namespace vkonnx::tools
