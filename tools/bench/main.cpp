// vkonnx-bench: times ONNX operators on a Vulkan device, and compares what it timed.
#include "options.h"
#include "run.h"

int main(int argc, char** argv)
{
    vkonnx::bench::Options options;
    if (auto code = vkonnx::bench::parse_options(argc, argv, options))
        return *code;
    return options.compare.empty() ? vkonnx::bench::run(options) : vkonnx::bench::compare_files(options);
}
