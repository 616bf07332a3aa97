#include "json.h"

#include <nlohmann/json.hpp>

namespace vkonnx::tools {

std::string json_text(const nlohmann::json& json, int indent)
{
    return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace vkonnx::tools
