#include <vkonnx/onnx.h>

vkonnx_status* run(const char* path, const vkonnx_host_tensor* x, const vkonnx_host_tensors** outputs)
{
    const vkonnx_named_desc named = {.struct_size = sizeof named, .name = "X", .desc = x->desc};
    const vkonnx_named_desc* inputs[] = {&named};
    vkonnx_device* gpu = NULL;
    vkonnx_model* model = NULL;
    vkonnx_session* session = NULL;
    vkonnx_status* status = vkonnx_device_open(NULL, &gpu); /* the best device */
    if (!status)
        status = vkonnx_model_load(path, NULL, &model);
    if (!status)
        status = vkonnx_session_prepare(gpu, model, inputs, 1, NULL, &session);
    if (!status)
        status = vkonnx_session_run(session, &x, 1, outputs);
    vkonnx_session_destroy(session); /* destroying NULL does nothing */
    vkonnx_model_destroy(model);
    vkonnx_device_destroy(gpu);
    return status;
}
