// This header reads the inputs and outputs that a command line gives to a model.
#pragma once

#include <vkonnx/onnx.hpp>

namespace vkonnx::tools {

using Assignments = std::vector<std::pair<std::string, std::string>>;

// Splits NAME=VALUE arguments. Each name must be one of `values` and come once.
Result<Assignments> assignments(std::span<const std::string> arguments, std::span<const onnx::ValueInfo> values,
                                std::string_view what);

// Returns nullptr where the name has no value.
const std::string* find(const Assignments& assignments, const std::string& name);

// Tells whether an input's value is "random" or "random:1x3x64x64".
bool is_random(const std::string* value);

bool has_full_shape(const onnx::ValueInfo& value);

Status missing_input(const onnx::ValueInfo& value, std::string_view how);

// Returns what is given for each of the model's inputs: FILE, random or random:1x3x64x64. Of random inputs it returns the
// description alone.
Result<std::vector<onnx::HostTensor>> read_inputs(const onnx::Model& model, const Assignments& given);

// Fills in the random numbers. It is called once a device has taken the model, so that its claims about sizes are known to be
// sensible.
Status fill_random(const onnx::Model& model, const Assignments& given, uint64_t seed, std::vector<onnx::HostTensor>& inputs);

}  // namespace vkonnx::tools
