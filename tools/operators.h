// This header tells what the library computes: the schema of each operator, as text and as JSON.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace vkonnx::tools {

// Returns the schemas of the operators with these names, or all schemas if there are no names. A name that no operator has is
// refused with Code::invalid_argument.
Result<std::vector<const Schema*>> schemas_of(const std::vector<std::string>& names);

// Returns the versions in the first line, then a line for each input, with its types, for each output and for each attribute.
std::string text_of(const Schema& schema);

// Returns an object with the members of Schema under their own names. `until` is null where it is Schema::newest.
nlohmann::json json_of(const Schema& schema);

}  // namespace vkonnx::tools
