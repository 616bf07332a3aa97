// The files of tests/cases as text, embedded when the tool is built: it needs no source tree.
#pragma once

namespace vkonnx::tools {

extern const char* const conv_transpose_cases;
extern const char* const average_pool_cases;
extern const char* const onednn_conv_transpose_cases;
extern const char* const shape_cases;

}  // namespace vkonnx::tools
