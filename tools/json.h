// This header writes JSON as text.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace vkonnx::tools {

// Returns the JSON in one line, or indented by `indent`. It never fails: names of devices and paths may hold any bytes, and what
// is no UTF-8 among them becomes U+FFFD.
std::string json_text(const nlohmann::json& json, int indent = -1);

}  // namespace vkonnx::tools
