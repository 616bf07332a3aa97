/* model FILE.onnx: what each node of a model comes to. */
#include <vkonnx/onnx.h>

#include <stdio.h>

int main(int argc, char** argv)
{
    const int64_t dims[] = {1, 3, 8, 8};
    const vkonnx_tensor_desc desc = {sizeof(desc), VKONNX_FLOAT32, VKONNX_NCX, 4, dims};
    vkonnx_named_desc input = {sizeof(input), NULL, &desc, NULL, 0};
    const vkonnx_named_desc* inputs[] = {&input};
    vkonnx_model* model = NULL;
    vkonnx_capabilities* minimum = NULL;
    const vkonnx_graph_report* report = NULL;
    vkonnx_status* status = vkonnx_model_load(argc > 1 ? argv[1] : "", NULL, &model);
    if (!status)
        status = vkonnx_capabilities_preset("minimum", &minimum);
    if (!status) {
        input.name = vkonnx_model_get_inputs(model)->values[0]->name;
        status = vkonnx_model_explain(model, inputs, 1, minimum, NULL, &report);
    }
    if (status) {
        fprintf(stderr, "%s\n", vkonnx_status_message(status));
        return 1;
    }
    for (size_t i = 0; i < report->node_count; ++i) {
        const vkonnx_node_report* node = report->nodes[i];
        char* output = NULL;
        vkonnx_status_destroy(vkonnx_tensor_desc_to_string(node->explanation->outputs->descs[0], &output));
        printf("%s: %s by %s\n", node->op_type, output ? output : "", node->explanation->kernel);
        vkonnx_string_destroy(output);
    }
    vkonnx_graph_report_destroy(report);
    vkonnx_capabilities_destroy(minimum);
    vkonnx_model_destroy(model);
    return 0;
}
