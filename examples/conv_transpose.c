#include <vkonnx/vkonnx.h>

#include <stdio.h>
#include <stdlib.h>

static void must(vkonnx_status* status) /* NULL where all is well */
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", vkonnx_status_message(status));
    exit(1);
}

int main(void)
{
    const int64_t dims[] = {1, 1, 2, 2}, strides[] = {2, 2}; /* N, C, H, W */
    const vkonnx_tensor_desc desc = {sizeof(desc), VKONNX_FLOAT32, VKONNX_NCX, 4, dims};
    const vkonnx_tensor_desc* descs[] = {&desc, &desc}; /* of X and W */
    const float x_values[] = {1, 2, 3, 4}, w_values[] = {1, 1, 1, 1};
    float picture[16];

    vkonnx_device* gpu = NULL;
    must(vkonnx_device_open(NULL, &gpu)); /* the best device */

    vkonnx_operator* up = NULL; /* attributes by their ONNX names */
    must(vkonnx_operator_create("", "ConvTranspose", &up));
    must(vkonnx_operator_set_ints(up, "strides", strides, 2));
    vkonnx_op* op = NULL;
    must(vkonnx_device_prepare(gpu, up, descs, 2, NULL, &op));

    vkonnx_tensor *x = NULL, *w = NULL, *y = NULL;
    must(vkonnx_tensor_create(gpu, &desc, &x));
    must(vkonnx_tensor_create(gpu, &desc, &w));
    must(vkonnx_tensor_create(gpu, vkonnx_op_get_outputs(op)->descs[0], &y));
    must(vkonnx_tensor_upload(x, x_values, sizeof x_values));
    must(vkonnx_tensor_upload(w, w_values, sizeof w_values));

    const vkonnx_tensor *inputs[] = {x, w}, *outputs[] = {y};
    must(vkonnx_device_run_op(gpu, op, inputs, 2, outputs, 1)); /* binds, records, submits, waits */
    must(vkonnx_tensor_download(y, picture, sizeof picture));
    for (int i = 0; i < 16; ++i)
        printf("%g%c", picture[i], i % 4 == 3 ? '\n' : ' ');

    vkonnx_tensor_destroy(y); /* in any order */
    vkonnx_tensor_destroy(w);
    vkonnx_tensor_destroy(x);
    vkonnx_op_destroy(op);
    vkonnx_operator_destroy(up);
    vkonnx_device_destroy(gpu);
    return 0;
}
