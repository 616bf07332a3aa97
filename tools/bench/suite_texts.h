// This header has the files of tests/cases/suite, tests/cases/quick and tests/cases/networks as text, embedded when the tool is
// built.
#pragma once

#include <span>
#include <string_view>

namespace vkonnx::bench {

struct SuiteText {
    std::string_view suite = {};  // the folder
    std::string_view op = {};     // the file's stem
    std::string_view text = {};
};

// The texts stand suite by suite, and the operators in the order in which they are timed.
extern const std::span<const SuiteText> suite_texts;

}  // namespace vkonnx::bench
