#include "json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace vkonnx::tools {
namespace {

TEST(Json, AnyBytesHaveAText)
{
    const nlohmann::json json = {{"name", "a\xff\x1b"}};
    EXPECT_EQ(json_text(json), "{\"name\":\"a\ufffd\\u001b\"}");
    EXPECT_EQ(json_text(json, 2), "{\n  \"name\": \"a\ufffd\\u001b\"\n}");
}

}  // namespace
}  // namespace vkonnx::tools
