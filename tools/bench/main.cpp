// This is vkonnx-bench. It times ONNX operators on a Vulkan device, and compares what it timed.
#include "console.h"
#include "options.h"
#include "run.h"

namespace vkonnx::bench {

static int run_tool(int argc, char** argv)
{
    Options options;
    if (auto code = parse_options(argc, argv, options))
        return *code;
    if (options.compiled)
        return show_compiled(options);
    return options.compare.empty() ? run(options) : compare_files(options);
}

}  // namespace vkonnx::bench

int main(int argc, char** argv)
{
    return vkonnx::tools::tool_main(vkonnx::bench::run_tool, argc, argv);
}
