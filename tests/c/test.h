/* This header holds what the tests in C share: checks that count, and print where they fail. */
#ifndef TEST_H
#define TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <vkonnx/vkonnx.h>

struct counts {
    int passed;
    int failed;
};
extern struct counts counts;

/* Each function takes the status and destroys it. */
void expect(bool condition, const char* what, const char* file, int line);
bool expect_ok(vkonnx_status* status, const char* what, const char* file, int line);
void expect_said(vkonnx_status* status, vkonnx_code code, const char* sentence, const char* file, int line);
/* Expects the message "FUNCTION: argument is NULL" of the function whose call is `what`. */
void expect_null(vkonnx_status* status, const char* argument, const char* what, const char* file, int line);

#define CHECK(condition) expect(condition, #condition, __FILE__, __LINE__)
#define OK(call) expect_ok(call, #call, __FILE__, __LINE__)
#define SAYS(call, code, sentence) expect_said(call, code, sentence, __FILE__, __LINE__)
#define REFUSES_NULL(call, argument) expect_null(call, argument, #call, __FILE__, __LINE__)
#define CHECK_TEXT(text, expected) expect_text(text, expected, #text, __FILE__, __LINE__)
void expect_text(const char* text, const char* expected, const char* what, const char* file, int line);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The macro describes a tensor of floats in the layout NCX. */
#define FLOATS(rank, dims)                                                                                                       \
    {                                                                                                                            \
        sizeof(vkonnx_tensor_desc), VKONNX_FLOAT32, VKONNX_NCX, (rank), (dims)                                                   \
    }

void test_words(void);
void test_operators(void);
void test_device(vkonnx_device* device);
void test_devices(void);
void test_models(vkonnx_device* device);
void test_vulkan(void);

#endif
