/* SPDX-License-Identifier: Apache-2.0
 * Runs a model by ONNX Runtime with vkonnx as its execution provider, on inputs of zeros, and prints the outputs' shapes.
 *
 *   run_in_onnxruntime PLUGIN MODEL      PLUGIN is the path of libvkonnx_onnxruntime.so
 *
 * Inputs must be of floats. Dimensions that the model leaves open are 1. VKONNX_ONNXRUNTIME_SOFTWARE=1 also takes drivers that
 * compute on a CPU. It is built with ONNX Runtime's C headers and library, 1.23 or newer, and needs nothing of vkonnx but the
 * plug-in. */
#include <onnxruntime_c_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_values = 16, most_dims = 8 };

static const OrtApi* api;

/* Ends the program where ONNX Runtime returned an error. */
static void check(OrtStatus* status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", api->GetErrorMessage(status));
    api->ReleaseStatus(status);
    exit(1);
}

/* Returns the provider's first device. */
static const OrtEpDevice* find_device(OrtEnv* env)
{
    const OrtEpDevice* const* devices = NULL;
    size_t count = 0;
    check(api->GetEpDevices(env, &devices, &count));
    for (size_t i = 0; i < count; ++i)
        if (strcmp(api->EpDevice_EpName(devices[i]), "VkonnxExecutionProvider") == 0)
            return devices[i];
    fprintf(stderr, "there is no Vulkan device\n");
    exit(1);
}

/* Returns the number of elements, and the dimensions in `dims`. Open ones, below 0, become 1. */
static size_t shape_of(const OrtTensorTypeAndShapeInfo* info, int64_t* dims, size_t* rank)
{
    size_t elements = 1;
    check(api->GetDimensionsCount(info, rank));
    if (*rank > most_dims) {
        fprintf(stderr, "a tensor has %zu dimensions, at most %d are supported\n", *rank, most_dims);
        exit(1);
    }
    check(api->GetDimensions(info, dims, *rank));
    for (size_t i = 0; i < *rank; ++i) {
        if (dims[i] < 0)
            dims[i] = 1;
        elements *= (size_t)dims[i];
    }
    return elements;
}

static OrtValue* zeros(const OrtSession* session, size_t input, OrtAllocator* allocator)
{
    OrtTypeInfo* type = NULL;
    const OrtTensorTypeAndShapeInfo* info = NULL;
    int64_t dims[most_dims] = {0};
    size_t rank = 0;
    OrtValue* value = NULL;
    void* elements = NULL;
    check(api->SessionGetInputTypeInfo(session, input, &type));
    check(api->CastTypeInfoToTensorInfo(type, &info));
    const size_t count = shape_of(info, dims, &rank);
    check(api->CreateTensorAsOrtValue(allocator, dims, rank, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    check(api->GetTensorMutableData(value, &elements));
    memset(elements, 0, count * sizeof(float));
    api->ReleaseTypeInfo(type);
    return value;
}

static void print_output(const char* name, const OrtValue* value)
{
    OrtTensorTypeAndShapeInfo* info = NULL;
    int64_t dims[most_dims] = {0};
    size_t rank = 0;
    check(api->GetTensorTypeAndShape(value, &info));
    shape_of(info, dims, &rank);
    printf("%s:", name);
    for (size_t i = 0; i < rank; ++i)
        printf("%s%lld", i == 0 ? " " : "x", (long long)dims[i]);
    printf("\n");
    api->ReleaseTensorTypeAndShapeInfo(info);
}

int main(int argc, char** argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: run_in_onnxruntime PLUGIN MODEL\n");
        return 2;
    }
    api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
    if (!api) {
        fprintf(stderr, "ONNX Runtime %s is too old\n", OrtGetApiBase()->GetVersionString());
        return 1;
    }
    OrtEnv* env = NULL;
    OrtSessionOptions* options = NULL;
    OrtSession* session = NULL;
    OrtAllocator* allocator = NULL;
    check(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "example", &env));
    check(api->RegisterExecutionProviderLibrary(env, "vkonnx", argv[1]));
    const OrtEpDevice* device = find_device(env);
    check(api->CreateSessionOptions(&options));
    check(api->SessionOptionsAppendExecutionProvider_V2(options, env, &device, 1, NULL, NULL, 0));
    check(api->CreateSession(env, argv[2], options, &session));
    check(api->GetAllocatorWithDefaultOptions(&allocator));
    printf("%s\n", api->GetKeyValue(api->EpDevice_EpMetadata(device), "vulkan_device"));

    const char *input_names[most_values], *output_names[most_values];
    OrtValue *inputs[most_values], *outputs[most_values] = {NULL};
    size_t input_count = 0, output_count = 0;
    check(api->SessionGetInputCount(session, &input_count));
    check(api->SessionGetOutputCount(session, &output_count));
    if (input_count > most_values || output_count > most_values) {
        fprintf(stderr, "the model has more than %d inputs or outputs\n", most_values);
        return 1;
    }
    for (size_t i = 0; i < input_count; ++i) {
        check(api->SessionGetInputName(session, i, allocator, (char**)&input_names[i]));
        inputs[i] = zeros(session, i, allocator);
    }
    for (size_t i = 0; i < output_count; ++i)
        check(api->SessionGetOutputName(session, i, allocator, (char**)&output_names[i]));
    check(api->Run(session, NULL, input_names, (const OrtValue* const*)inputs, input_count, output_names, output_count, outputs));

    for (size_t i = 0; i < output_count; ++i) {
        print_output(output_names[i], outputs[i]);
        api->ReleaseValue(outputs[i]);
        check(api->AllocatorFree(allocator, (void*)output_names[i]));
    }
    for (size_t i = 0; i < input_count; ++i) {
        api->ReleaseValue(inputs[i]);
        check(api->AllocatorFree(allocator, (void*)input_names[i]));
    }
    api->ReleaseSession(session);
    api->ReleaseSessionOptions(options);
    check(api->UnregisterExecutionProviderLibrary(env, "vkonnx"));
    api->ReleaseEnv(env);
    return 0;
}
