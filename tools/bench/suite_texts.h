// The files of tests/cases/suite and tests/cases/quick as text, embedded when the tool is built.
#pragma once

namespace vkonnx::bench {

extern const char* const suite_conv_transpose;
extern const char* const suite_average_pool;
extern const char* const quick_conv_transpose;
extern const char* const quick_average_pool;

}  // namespace vkonnx::bench
