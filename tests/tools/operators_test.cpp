#include "operators.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "process.h"

namespace vkonnx::tools {
namespace {

const Schema& schema_named(const std::string& name)
{
    return *schemas_of({name})->front();
}

TEST(Operators, AreAllThereAndFoundByName)
{
    const auto all = schemas_of({});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->size(), std::variant_size_v<Operator::variant> - 1 + std::size(elementwise_words));
    const auto both = schemas_of({"ConvTranspose"});
    ASSERT_TRUE(both);
    ASSERT_EQ(both->size(), 2u);
    EXPECT_EQ(both->front()->domain, "");
    EXPECT_EQ(both->back()->domain, "onednn.graph");
    EXPECT_EQ(schemas_of({"Relu", "NoSuch"}).message(), "vkonnx computes no operator 'NoSuch'");
}

TEST(Operators, TextTellsSinceWhen)
{
    const std::string types =
        "float, double, float16, bfloat16 from 16, uint32 from 9, uint64 from 9, int32 from 9, int64 from 9\n";
    EXPECT_EQ(text_of(schema_named("PRelu")),
              "PRelu, versions 7, 9, 16\n   input X: " + types + "   input slope: " + types + "   output Y\n");
    const std::string clip = text_of(schema_named("Clip"));
    EXPECT_NE(clip.find("   input min (optional) from 11: float"), std::string::npos) << clip;
    EXPECT_NE(clip.find("   attribute max until 6\n"), std::string::npos) << clip;
}

TEST(Operators, JsonHasTheMembersOfSchema)
{
    const nlohmann::json json = json_of(schema_named("LRN"));
    EXPECT_EQ(json["domain"], "");
    EXPECT_EQ(json["versions"], nlohmann::json({1, 13}));
    EXPECT_EQ(json["inputs"][0]["name"], "X");
    EXPECT_EQ(json["inputs"][0]["option"], "single");
    EXPECT_EQ(json["inputs"][0]["types"][2], nlohmann::json({{"type", "bfloat16"}, {"since", 13}}));
    EXPECT_TRUE(json["inputs"][0]["until"].is_null());
    EXPECT_EQ(json["attributes"].size(), 4u);
    EXPECT_EQ(json_of(schema_named("Clip"))["attributes"][0]["until"], 6);
}

TEST(Operators, ToolPrintsThemWithoutADevice)
{
    const Finished one = shell(no_driver + vkonnx_tool + " operators Softmax");
    EXPECT_EQ(one.code, 0);
    EXPECT_EQ(one.text, text_of(schema_named("Softmax")));
    const Finished none = shell(vkonnx_tool + " operators Softmaxx");
    EXPECT_EQ(none.code, 2);
    EXPECT_NE(none.text.find("vkonnx computes no operator 'Softmaxx'"), std::string::npos) << none.text;
    const Finished json = shell(no_driver + vkonnx_tool + " operators --json");
    EXPECT_EQ(nlohmann::json::parse(json.text).size(), schemas_of({})->size());
}

}  // namespace
}  // namespace vkonnx::tools
