// vkonnx-models DIRECTORY writes the models of models.h as .onnx files.
#include <cstdio>

#include "console.h"
#include "kit/models.h"

static int write(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: vkonnx-models DIRECTORY\n");
        return 2;
    }
    vkonnx::Status written = vkonnx::kit::write_models(argv[1]);
    if (!written)
        std::fprintf(stderr, "vkonnx-models: %s\n", vkonnx::tools::visible(written.message()).c_str());
    return written ? 0 : 1;
}

int main(int argc, char** argv)
{
    return vkonnx::tools::tool_main(write, argc, argv);
}
