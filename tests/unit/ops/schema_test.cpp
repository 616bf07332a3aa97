// This file tests what schemas promise: they name the attributes of the structs, and their parts fit together.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ops/schema.h"

namespace vkonnx {
namespace {

std::vector<std::string_view> fields_of(const Operator& op)
{
    std::vector<std::string_view> names;
    fields(op, [&](std::string_view name, const auto&, const auto&...) { names.push_back(name); });
    return names;
}

std::vector<std::string_view> attributes_of(const Schema& schema)
{
    std::vector<std::string_view> names;
    for (const Schema::Attribute& attribute : schema.attributes)
        names.push_back(attribute.name);
    return names;
}

}  // namespace

TEST(Schema, NamesTheOperator)
{
    for (const Operator& op : every_operator()) {
        EXPECT_EQ(schema(op)->name, name(op));
        EXPECT_EQ(schema(op)->domain, domain(op));
    }
    EXPECT_EQ(schema(Elementwise{.kind = ElementwiseKind(200)}), nullptr);
}

// Elementwise's kinds have some of the struct's attributes each. All other operators have those of the struct, in its order.
TEST(Schema, HasTheAttributesOfTheStruct)
{
    for (const Operator& op : every_operator()) {
        const std::vector<std::string_view> of_struct = fields_of(op);
        const std::vector<std::string_view> of_schema = attributes_of(*schema(op));
        if (!std::holds_alternative<Elementwise>(op)) {
            EXPECT_EQ(of_schema, of_struct) << name(op);
            continue;
        }
        for (const std::string_view attribute : of_schema)
            EXPECT_EQ(std::ranges::count(of_struct, attribute), 1) << name(op) << ": " << attribute;
    }
}

TEST(Schema, InputsThatAreMembersAreAttributes)
{
    size_t members = 0;
    for (const Operator& op : every_operator())
        for (const Schema::Input& input : schema(op)->inputs) {
            if (input.member.empty())
                continue;
            ++members;
            EXPECT_EQ(std::ranges::count(attributes_of(*schema(op)), input.member), 1) << name(op) << ": " << input.member;
        }
    // Such members are those of Slice, Pad, Split, Resize, Expand, Tile, CumSum and TopK, and of all that reduce along axes.
    EXPECT_EQ(members, 15 + std::size(reduction_words));
}

// An input is there once in each version, required inputs stand before optional ones, and a type is listed once.
TEST(Schema, IsInOrder)
{
    for (const Operator& op : every_operator()) {
        SCOPED_TRACE(name(op));
        const Schema& known = *schema(op);
        ASSERT_FALSE(known.versions.empty());
        EXPECT_TRUE(std::ranges::is_sorted(known.versions));
        EXPECT_LE(known.versions.back(), newest_opset);
        EXPECT_TRUE(known.older.empty() || known.versions.front() > 1);
        EXPECT_FALSE(known.outputs.empty());
        for (const int64_t version : known.versions) {
            std::set<std::string_view> names;
            bool optional = false;
            for (const Schema::Input* input : ops::inputs_at(known, version)) {
                EXPECT_TRUE(names.insert(input->name).second) << input->name;
                EXPECT_TRUE(input->option == Schema::Option::optional || !optional) << input->name;
                optional |= input->option == Schema::Option::optional;
                std::set<DType> types;
                for (const Schema::Type& type : input->types)
                    EXPECT_TRUE(types.insert(type.dtype).second) << input->name << ": " << name(type.dtype);
                EXPECT_FALSE(types.empty()) << input->name;
            }
            EXPECT_FALSE(names.empty());
        }
    }
}

TEST(Schema, VersionsFollowFromOpsets)
{
    const Schema& pool = *schema(AveragePool());
    EXPECT_EQ(*pool.version_at(1), 1);
    EXPECT_EQ(*pool.version_at(9), 7);
    EXPECT_EQ(*pool.version_at(10), 10);
    EXPECT_EQ(*pool.version_at(newest_opset), 22);
    EXPECT_EQ(pool.version_at(0).message(), "AveragePool: opset = 0 must be at least 1");
    EXPECT_EQ(schema(Resize())->version_at(9).message(),
              "Resize: opset = 9 must be at least 10, the version in which the operator came");
    EXPECT_EQ(schema(Resize())->version_at(9).code(), Code::invalid_argument);
    EXPECT_EQ(schema(Pad())->version_at(1).message(), "Pad: opset = 1 must be at least 2: older versions are not supported");
    EXPECT_EQ(schema(Pad())->version_at(1).code(), Code::unsupported);
}

// A required input must be given, and only an optional one may be left out.
TEST(Schema, ChecksInputs)
{
    const TensorDesc f = {DType::float32, {1}};
    const TensorDesc hole = {DType::undefined};
    const auto said = [](const Operator& op, std::vector<TensorDesc> inputs) { return std::string(infer(op, inputs).message()); };
    EXPECT_EQ(said(Gemm{.opset = 9}, {f, f}), "Gemm: expects 3 inputs, but 2 are given");
    EXPECT_EQ(said(Gemm{}, {f}), "Gemm: expects 2 or 3 inputs, but 1 is given");
    EXPECT_EQ(said(Gemm{}, {f, f, hole}), "Gemm: C is not given (DType::undefined), but it is no optional input");
    EXPECT_EQ(said(Conv{}, {{DType::float32, {1, 1, 3}}, {DType::float32, {1, 1, 3}}, hole}),
              "Conv: B is not given (DType::undefined), but it is no optional input");
    EXPECT_EQ(said(Pad{.opset = 10, .pads = {0, 0}}, {f, f}), "Pad: expects 1 input, but 2 are given");
    EXPECT_EQ(said(Concat{.axis = 0}, std::vector(255, f)), "Concat: expects 1 to 254 inputs, but 255 are given");
    EXPECT_EQ(infer(Concat{.axis = 0}, std::vector(255, f)).code(), Code::unsupported);
    EXPECT_EQ(said(MaxPool{.opset = 7, .kernel_shape = {1}, .outputs = 2}, {{DType::float32, {1, 1, 3}}}),
              "MaxPool: output Indices must not be given: it exists from version 8, and opset 7 means version 1");
}

}  // namespace vkonnx
