/* core.cpp in C: infer, explain, list the devices. */
#include <vkonnx/vkonnx.h>

#include <stdio.h>

static void check(vkonnx_status* status)
{
    if (status)
        fprintf(stderr, "%s\n", vkonnx_status_message(status));
    vkonnx_status_destroy(status);
}

int main(void)
{
    const int64_t strides[] = {2, 2}, dims[] = {1, 1, 2, 2};
    const vkonnx_tensor_desc desc = {sizeof(desc), VKONNX_FLOAT32, VKONNX_NCX, 4, dims};
    const vkonnx_tensor_desc* inputs[] = {&desc, &desc};
    vkonnx_operator* op = NULL;
    vkonnx_capabilities* minimum = NULL;
    const vkonnx_explanation* explanation = NULL;
    const vkonnx_device_infos* devices = NULL;
    char* output = NULL;
    check(vkonnx_operator_create("", "ConvTranspose", &op));
    check(vkonnx_operator_set_ints(op, "strides", strides, 2));
    check(vkonnx_capabilities_preset("minimum", &minimum));
    check(vkonnx_explain(op, inputs, 2, minimum, NULL, &explanation));
    check(vkonnx_device_list(NULL, &devices));
    if (!explanation || !devices)
        return 1;
    check(vkonnx_tensor_desc_to_string(explanation->outputs->descs[0], &output));
    printf("vkonnx %s: %s by %s, %zu devices\n", vkonnx_version(), output, explanation->kernel, devices->count);
    vkonnx_string_destroy(output);
    vkonnx_device_infos_destroy(devices);
    vkonnx_explanation_destroy(explanation);
    vkonnx_capabilities_destroy(minimum);
    vkonnx_operator_destroy(op);
    return 0;
}
