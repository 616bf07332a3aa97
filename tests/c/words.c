/* This file tests statuses, descriptions and presets, which need no handle. */
#include "test.h"

static void test_statuses(void)
{
    CHECK(vkonnx_status_code(NULL) == VKONNX_OK);
    CHECK_TEXT(vkonnx_status_message(NULL), "");
    vkonnx_status_destroy(NULL);
    CHECK(vkonnx_status_create(VKONNX_OK, "of no account") == NULL);
    SAYS(vkonnx_status_create(VKONNX_IO, "the disk is gone"), VKONNX_IO, "the disk is gone");
    SAYS(vkonnx_status_create(VKONNX_UNSUPPORTED, NULL), VKONNX_UNSUPPORTED, "");
    CHECK_TEXT(vkonnx_code_name(VKONNX_OK), "ok");
    CHECK_TEXT(vkonnx_code_name(VKONNX_DEVICE_LOST), "device_lost");
    CHECK_TEXT(vkonnx_code_name(VKONNX_DRIVER_ERROR), "driver_error");
    CHECK_TEXT(vkonnx_code_name(11), "");
    CHECK_TEXT(vkonnx_code_name(-1), "");
    unsigned major = 99, minor = 99, patch = 99;
    CHECK(sscanf(vkonnx_version(), "%u.%u.%u", &major, &minor, &patch) == 3 && major < 99);
    CHECK(vkonnx_newest_opset() == 28);
}

static void test_descriptions(void)
{
    CHECK_TEXT(vkonnx_dtype_name(VKONNX_FLOAT32), "float");
    CHECK_TEXT(vkonnx_dtype_name(VKONNX_INT2), "int2");
    CHECK_TEXT(vkonnx_dtype_name(27), "");
    CHECK_TEXT(vkonnx_dtype_name(-1), "");
    CHECK(vkonnx_dtype_bits(VKONNX_FLOAT64) == 64);
    CHECK(vkonnx_dtype_bits(VKONNX_INT4) == 4);
    CHECK(vkonnx_dtype_bits(VKONNX_STRING) == 0);
    CHECK(vkonnx_dtype_bits(99) == 0);
    CHECK_TEXT(vkonnx_layout_name(VKONNX_NCX), "NCX");
    CHECK_TEXT(vkonnx_layout_name(VKONNX_NXC), "NXC");
    CHECK_TEXT(vkonnx_layout_name(2), "");

    const int64_t dims[] = {1, 3, 5};
    vkonnx_tensor_desc desc = {sizeof(desc), VKONNX_FLOAT16, VKONNX_NXC, 3, dims};
    int64_t count = 0;
    uint64_t bytes = 0;
    char* text = NULL;
    OK(vkonnx_element_count(&desc, &count));
    CHECK(count == 15);
    OK(vkonnx_byte_size(&desc, &bytes));
    CHECK(bytes == 30);
    if (OK(vkonnx_tensor_desc_to_string(&desc, &text)))
        CHECK_TEXT(text, "float16[1,3,5] NXC");
    vkonnx_string_destroy(text);
    vkonnx_string_destroy(NULL);

    REFUSES_NULL(vkonnx_element_count(NULL, &count), "desc");
    REFUSES_NULL(vkonnx_element_count(&desc, NULL), "count");
    REFUSES_NULL(vkonnx_byte_size(NULL, &bytes), "desc");
    REFUSES_NULL(vkonnx_tensor_desc_to_string(&desc, NULL), "text");
    desc.dtype = VKONNX_STRING;
    vkonnx_status* status = vkonnx_byte_size(&desc, &bytes);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT && strstr(vkonnx_status_message(status), "string"));
    vkonnx_status_destroy(status);
    desc.dtype = 27;
    SAYS(vkonnx_element_count(&desc, &count), VKONNX_INVALID_ARGUMENT, "desc: dtype 27 is none of ONNX's, which are 0 to 26");
    desc.dtype = VKONNX_FLOAT32;
    desc.layout = 2;
    SAYS(vkonnx_element_count(&desc, &count), VKONNX_INVALID_ARGUMENT, "desc: layout 2 is neither VKONNX_NCX nor VKONNX_NXC");
    desc.layout = VKONNX_NCX;
    desc.dims = NULL;
    SAYS(vkonnx_element_count(&desc, &count), VKONNX_INVALID_ARGUMENT, "desc: dims is NULL, but rank is 3");
    CHECK(count == 15 && bytes == 30); /* results stay unchanged */
}

/* Tests the sizes of structs, by which older and newer programs are told apart. */
static void test_struct_sizes(void)
{
    const int64_t dims[] = {7};
    struct {
        vkonnx_tensor_desc known;
        int64_t of_a_newer_version;
    } newer = {{sizeof(newer), VKONNX_FLOAT32, VKONNX_NCX, 1, dims}, 0};
    int64_t count = 0;
    OK(vkonnx_element_count(&newer.known, &count));
    CHECK(count == 7);
    newer.of_a_newer_version = 1;
    char sentence[200];
    snprintf(sentence, sizeof(sentence),
             "vkonnx_tensor_desc has members behind its first %zu bytes that are not 0, and this version of the library does not "
             "know them",
             sizeof(vkonnx_tensor_desc));
    SAYS(vkonnx_element_count(&newer.known, &count), VKONNX_UNSUPPORTED, sentence);

    /* An older description ends before rank and dims, and is taken for a scalar. */
    vkonnx_tensor_desc older = {offsetof(vkonnx_tensor_desc, rank), VKONNX_FLOAT32, VKONNX_NCX, 1, dims};
    OK(vkonnx_element_count(&older, &count));
    CHECK(count == 1);

    const size_t wrong[] = {0, sizeof(size_t), 5000, (size_t)-1};
    for (size_t i = 0; i < COUNT(wrong); ++i) {
        older.struct_size = wrong[i];
        snprintf(sentence, sizeof(sentence),
                 "vkonnx_tensor_desc::struct_size is %zu, expected sizeof(vkonnx_tensor_desc), %zu here", wrong[i],
                 sizeof(vkonnx_tensor_desc));
        SAYS(vkonnx_element_count(&older, &count), VKONNX_INVALID_ARGUMENT, sentence);
    }
}

static void test_presets(void)
{
    size_t presets = 0;
    bool has_mobile = false;
    for (const char* name = NULL; (name = vkonnx_capabilities_preset_name(presets)) != NULL; ++presets)
        has_mobile = has_mobile || strcmp(name, "mobile") == 0;
    CHECK(presets == 42);
    CHECK(has_mobile);
    CHECK(vkonnx_capabilities_preset_name((size_t)-1) == NULL);

    vkonnx_capabilities *desktop = NULL, *minimum = NULL, *least = NULL;
    OK(vkonnx_capabilities_preset("desktop", &desktop));
    OK(vkonnx_capabilities_preset("minimum", &minimum));
    if (!desktop || !minimum)
        return;
    CHECK(desktop->struct_size == sizeof(vkonnx_capabilities));
    CHECK_TEXT(desktop->name, "desktop");
    CHECK(minimum->max_storage_buffers == 4 && minimum->max_invocations == 128 && minimum->max_workgroup_size[2] == 64);
    CHECK(minimum->max_group_count[0] == 65535 && minimum->max_loop_iterations == UINT32_MAX && !minimum->float16);
    CHECK(desktop->max_invocations > minimum->max_invocations);
    minimum->max_invocations = 64; /* the caller may change it */
    if (OK(vkonnx_capabilities_lowered_to(desktop, minimum, &least))) {
        CHECK_TEXT(least->name, "desktop");
        CHECK(least->max_invocations == 64 && least->max_shared_bytes == minimum->max_shared_bytes);
    }
    vkonnx_capabilities_destroy(least);
    vkonnx_capabilities_destroy(minimum);
    vkonnx_capabilities_destroy(NULL);
    least = NULL;
    REFUSES_NULL(vkonnx_capabilities_preset(NULL, &least), "name");
    REFUSES_NULL(vkonnx_capabilities_preset("desktop", NULL), "result");
    REFUSES_NULL(vkonnx_capabilities_lowered_to(desktop, NULL, &least), "limit");
    SAYS(vkonnx_capabilities_preset("toaster", &least), VKONNX_INVALID_ARGUMENT,
         "no capability preset is called 'toaster'; there are minimum, lavapipe, swiftshader, desktop, mobile, and chips, such "
         "as amd-navi21");
    CHECK(least == NULL);
    vkonnx_capabilities_destroy(desktop);
}

void test_words(void)
{
    test_statuses();
    test_descriptions();
    test_struct_sizes();
    test_presets();
}
