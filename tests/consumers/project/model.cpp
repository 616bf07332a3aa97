// model FILE.onnx: what each node of a model comes to.
#include <vkonnx/onnx.hpp>

#include <cstdio>

using namespace vkonnx;

int main(int argc, char** argv)
{
    const auto model = onnx::Model::load(argc > 1 ? argv[1] : "");
    if (!model) {
        std::fprintf(stderr, "%s\n", std::string(model.message()).c_str());
        return 1;
    }
    std::vector<onnx::NamedDesc> inputs;
    for (const onnx::ValueInfo& input : model->inputs())
        inputs.push_back({input.name, {input.dtype, {1, 3, 8, 8}}});
    const auto graph = onnx::explain(*model, inputs, Capabilities{});
    if (!graph) {
        std::fprintf(stderr, "%s\n", std::string(graph.message()).c_str());
        return 1;
    }
    for (const onnx::NodeReport& node : graph->nodes)
        std::printf("%s: %s by %s\n", node.op_type.c_str(), to_string(node.explanation.outputs[0]).c_str(),
                    node.explanation.kernel.c_str());
    return 0;
}
