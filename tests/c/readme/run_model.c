/* run_model MODEL prints what the function of README.md, in readme.c, gives for a picture of 2 x 2 in three colours. */
#include <vkonnx/onnx.h>

#include <stdio.h>

vkonnx_status* run(const char* path, const vkonnx_host_tensor* x, const vkonnx_host_tensors** outputs);

int main(int argc, char** argv)
{
    const int64_t dims[] = {1, 3, 2, 2};
    const float elements[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const vkonnx_tensor_desc desc = {sizeof(desc), VKONNX_FLOAT32, VKONNX_NCX, 4, dims};
    const vkonnx_host_tensor x = {.struct_size = sizeof x, .desc = &desc, .data = elements, .bytes = sizeof elements};
    const vkonnx_host_tensors* outputs = NULL;
    vkonnx_status* status = run(argc > 1 ? argv[1] : "", &x, &outputs);
    if (status) {
        printf("%s\n", vkonnx_status_message(status));
        vkonnx_status_destroy(status);
        return 1;
    }
    const float* means = outputs->tensors[0]->data;
    for (size_t i = 0; i < outputs->tensors[0]->bytes / sizeof(float); ++i)
        printf("%g\n", means[i]);
    vkonnx_host_tensors_destroy(outputs);
    return 0;
}
