// This file tests the vkonnx_shaders rows of shaders/CMakeLists.txt. An operator must need no module that VKONNX_OPERATORS or
// VKONNX_TYPES could take from it.
#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "kernel_operators.h"
#include "kit/cases.h"

namespace vkonnx {
namespace {

// Tells whether a list such as "Conv;ConvTranspose" has the word.
bool lists(const std::string& words, std::string_view word)
{
    return (";" + words + ";").find(";" + std::string(word) + ";") != std::string::npos;
}

// Returns the words of VKONNX_TYPES that an operator of this type may need: the type's own, that of 64 bits in which ReduceMean
// adds integers of 32, and for booleans that of bytes.
std::string words_of(DType dtype)
{
    switch (dtype) {
    case DType::float32:
        return "f32";
    case DType::float16:
        return "f16";
    case DType::bfloat16:
        return "bf16";
    case DType::float64:
        return "f64";
    case DType::int8:
        return "i8";
    case DType::int16:
        return "i16";
    case DType::int32:
        return "i32;i64";
    case DType::int64:
        return "i64";
    case DType::uint8:
    case DType::boolean:
        return "u8";
    case DType::uint16:
        return "u16";
    case DType::uint32:
        return "u32;u64";
    case DType::uint64:
        return "u64";
    default:
        return "";
    }
}

TEST(KernelOperators, AreThoseThatNeedAKernel)
{
    std::map<std::string, std::pair<std::string, std::string>> needs;  // by kernel: its operators, its type
    for (const auto& row : kernel_operators)
        needs[row.kernel] = {row.operators, row.type};
    const auto cases = kit::load_all_cases();
    ASSERT_TRUE(cases) << cases.message();
    std::set<std::pair<std::string, std::string>> planned;  // a row's operators, and each that was seen to need it
    for (const kit::Case& problem : *cases) {
        for (const std::string_view preset : {"minimum", "lavapipe", "desktop"}) {
            const Capabilities capabilities = *Capabilities::preset(preset);
            const auto all = kernels(problem.attributes, problem.inputs, capabilities);
            if (!all)
                continue;
            for (const KernelInfo& kernel : *all) {
                if (!kernel.unfit.empty())
                    continue;
                PrepareOptions options;
                options.kernel = kernel.name;
                const auto explanation = explain(problem.attributes, problem.inputs, capabilities, options);
                ASSERT_TRUE(explanation) << explanation.message();
                for (const PlannedPipeline& pipeline : explanation->pipelines) {
                    const auto& [operators, type] = needs.at(std::string(pipeline.kernel()));
                    planned.insert({operators, std::string(name(problem.attributes))});
                    EXPECT_TRUE(lists(operators, name(problem.attributes)))
                        << pipeline.kernel() << " of " << name(problem.attributes);
                    if (type.empty() || type == "f32")
                        continue;
                    if (name(problem.attributes) == "Identity") {
                        EXPECT_EQ(type[0], 'u') << "it copies words of as many bits";
                        continue;
                    }
                    const bool is_given =
                        std::any_of(problem.inputs.begin(), problem.inputs.end(),
                                    [&, word = type](const TensorDesc& input) { return lists(words_of(input.dtype), word); });
                    EXPECT_TRUE(is_given) << pipeline.kernel() << " of " << kit::to_string(problem);
                }
            }
        }
    }
    for (const auto& row : kernel_operators) {
        std::istringstream words(row.operators);
        for (std::string word; std::getline(words, word, ';');)
            EXPECT_TRUE(planned.count({row.operators, word})) << word << " does not need the shaders of " << row.operators;
    }
}

}  // namespace
}  // namespace vkonnx
