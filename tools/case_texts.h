// This header has the files of tests/cases as text, embedded when the tool is built, so that it needs no source tree.
#pragma once

#include <span>
#include <string_view>

namespace vkonnx::tools {

struct CaseText {
    std::string_view op;  // the file's stem, as kit::operator_of has it
    std::string_view text;
};

extern const std::span<const CaseText> case_texts;

}  // namespace vkonnx::tools
