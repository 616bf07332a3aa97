/* This program tests the C ABI as a program in C meets it, on every device present. It calls every function of the three
   headers. */
#include "test.h"

#include <stdlib.h>

struct counts counts;

void expect(bool condition, const char* what, const char* file, int line)
{
    if (condition) {
        ++counts.passed;
        return;
    }
    ++counts.failed;
    printf("%s:%d: FAILED: %s\n", file, line, what);
}

bool expect_ok(vkonnx_status* status, const char* what, const char* file, int line)
{
    const bool ok = status == NULL;
    if (!ok)
        printf("%s\n", vkonnx_status_message(status));
    expect(ok, what, file, line);
    vkonnx_status_destroy(status);
    return ok;
}

void expect_said(vkonnx_status* status, vkonnx_code code, const char* sentence, const char* file, int line)
{
    const bool right = vkonnx_status_code(status) == code && strcmp(vkonnx_status_message(status), sentence) == 0;
    if (!right)
        printf("it says (%s): %s\nexpected (%s): ", vkonnx_code_name(vkonnx_status_code(status)), vkonnx_status_message(status),
               vkonnx_code_name(code));
    expect(right, sentence, file, line);
    vkonnx_status_destroy(status);
}

void expect_null(vkonnx_status* status, const char* argument, const char* what, const char* file, int line)
{
    char sentence[200];
    const int length = (int)strcspn(what, "(");
    snprintf(sentence, sizeof(sentence), "%.*s: %s is NULL", length, what, argument);
    expect_said(status, VKONNX_INVALID_ARGUMENT, sentence, file, line);
}

void expect_text(const char* text, const char* expected, const char* what, const char* file, int line)
{
    const bool right = text != NULL && strcmp(text, expected) == 0;
    if (!right)
        printf("it is \"%s\", expected \"%s\"\n", text ? text : "(NULL)", expected);
    expect(right, what, file, line);
}

int main(void)
{
    test_words();
    test_operators();
    test_devices();
    test_vulkan();
    const vkonnx_device_infos* infos = NULL;
    if (!OK(vkonnx_device_list(NULL, &infos)))
        return 1;
    size_t opened = 0;
    for (size_t i = 0; i < infos->count; ++i) {
        if (infos->devices[i]->rejected[0] != '\0') {
            printf("%s: skipped, %s\n", infos->devices[i]->name, infos->devices[i]->rejected);
            continue;
        }
        char index[20];
        snprintf(index, sizeof(index), "%u", (unsigned)infos->devices[i]->index);
        const vkonnx_device_options options = {.struct_size = sizeof(options), .select = index};
        vkonnx_device* device = NULL;
        if (!OK(vkonnx_device_open(&options, &device)))
            continue;
        CHECK_TEXT(vkonnx_device_get_info(device)->name, infos->devices[i]->name);
        test_device(device);
        test_models(device);
        vkonnx_device_destroy(device);
        printf("%s: done\n", infos->devices[i]->name);
        ++opened;
    }
    CHECK(opened > 0);
    vkonnx_device_infos_destroy(infos);
    printf("vkonnx %s in C: %d checks passed, %d failed, on %zu devices\n", vkonnx_version(), counts.passed, counts.failed,
           opened);
    return counts.failed == 0 ? 0 : 1;
}
