/* This file tests operators by name, their attributes, and what is known of them without a device. */
#include "test.h"

#include <stdlib.h>

static vkonnx_operator* create(const char* domain, const char* name)
{
    vkonnx_operator* op = NULL;
    OK(vkonnx_operator_create(domain, name, &op));
    if (!op)
        exit(1);
    return op;
}

static const vkonnx_attribute* attribute_of(const vkonnx_operator* op, const char* name)
{
    const vkonnx_attribute* attribute = NULL;
    for (size_t i = 0; (attribute = vkonnx_operator_attribute_at(op, i)) != NULL; ++i)
        if (strcmp(attribute->name, name) == 0)
            return attribute;
    return NULL;
}

/* Tests that every operator of the list can be made, and that each attribute can be set to the value that it shows. */
static void test_list(void)
{
    size_t count = 0;
    const vkonnx_operator_name* name = NULL;
    for (; (name = vkonnx_operator_name_at(count)) != NULL; ++count) {
        vkonnx_operator* op = create(name->domain, name->name);
        const vkonnx_attribute* attribute = NULL;
        for (size_t i = 0; (attribute = vkonnx_operator_attribute_at(op, i)) != NULL; ++i) {
            const vkonnx_attribute shown = *attribute;
            CHECK(shown.struct_size == sizeof(vkonnx_attribute));
            switch (shown.type) {
            case VKONNX_ATTRIBUTE_INT:
                OK(vkonnx_operator_set_int(op, shown.name, 3));
                CHECK(attribute_of(op, shown.name)->given && attribute_of(op, shown.name)->i == 3);
                break;
            case VKONNX_ATTRIBUTE_FLOAT:
                OK(vkonnx_operator_set_float(op, shown.name, 0.25f));
                CHECK(attribute_of(op, shown.name)->given && attribute_of(op, shown.name)->f == 0.25f);
                break;
            case VKONNX_ATTRIBUTE_INTS: {
                const int64_t values[] = {4, 5, 6};
                CHECK(!shown.given);
                OK(vkonnx_operator_set_ints(op, shown.name, values, 3));
                const vkonnx_attribute* set = attribute_of(op, shown.name);
                CHECK(set->given && set->int_count == 3 && memcmp(set->ints, values, sizeof(values)) == 0);
                break;
            }
            case VKONNX_ATTRIBUTE_FLOATS: {
                const float values[] = {0.5f, -2};
                CHECK(!shown.given);
                OK(vkonnx_operator_set_floats(op, shown.name, values, 2));
                const vkonnx_attribute* set = attribute_of(op, shown.name);
                CHECK(set->given && set->float_count == 2 && memcmp(set->floats, values, sizeof(values)) == 0);
                break;
            }
            case VKONNX_ATTRIBUTE_STRINGS: {
                CHECK(!shown.given && shown.word_count >= 2);
                OK(vkonnx_operator_set_strings(op, shown.name, shown.words, 2));
                const vkonnx_attribute* set = attribute_of(op, shown.name);
                CHECK(set->given && set->string_count == 2);
                CHECK_TEXT(set->strings[0], shown.words[0]);
                CHECK_TEXT(set->strings[1], shown.words[1]);
                break;
            }
            default:
                CHECK(shown.type == VKONNX_ATTRIBUTE_STRING && shown.given && shown.word_count >= 2);
                for (size_t word = 0; word < shown.word_count; ++word) {
                    OK(vkonnx_operator_set_string(op, shown.name, shown.words[word]));
                    CHECK_TEXT(attribute_of(op, shown.name)->s, shown.words[word]);
                }
            }
        }
        const vkonnx_signature* takes = vkonnx_operator_get_signature(op);
        CHECK(takes->input_count >= 1 && takes->least_inputs >= 1 && takes->most_inputs >= takes->least_inputs);
        vkonnx_operator_destroy(op);
    }
    CHECK(count == VKONNX_OPERATOR_COUNT);
    CHECK_TEXT(vkonnx_operator_name_at(0)->name, "Abs");
    CHECK_TEXT(vkonnx_operator_name_at(count - 1)->domain, "vkonnx");
    CHECK(vkonnx_operator_name_at((size_t)-1) == NULL);
}

/* Checks the names of all attributes, in their order, with a space behind each. */
static void check_attributes(const char* domain, const char* name, const char* expected)
{
    vkonnx_operator* op = create(domain, name);
    char names[256] = "";
    const vkonnx_attribute* attribute = NULL;
    for (size_t i = 0; (attribute = vkonnx_operator_attribute_at(op, i)) != NULL; ++i) {
        strncat(names, attribute->name, sizeof(names) - strlen(names) - 1);
        strncat(names, " ", sizeof(names) - strlen(names) - 1);
    }
    CHECK_TEXT(names, expected);
    vkonnx_operator_destroy(op);
}

static void test_names_of_attributes(void)
{
    check_attributes("", "Abs", "");
    check_attributes("", "Cast", "to saturate round_mode ");
    check_attributes("", "ConvTranspose", "auto_pad kernel_shape strides dilations pads output_padding output_shape group ");
    check_attributes("onednn.graph", "ConvTranspose",
                     "strides pads_begin pads_end dilations auto_pad output_padding groups data_format filter_format ");
    check_attributes("", "LSTM", "direction activations activation_alpha activation_beta clip hidden_size input_forget layout ");
    check_attributes("", "ReduceSum", "axes keepdims noop_with_empty_axes ");
}

static void test_outputs(void)
{
    vkonnx_operator* op = create("", "Split");
    const int64_t dims[] = {6, 3};
    const vkonnx_tensor_desc desc = FLOATS(2, dims);
    const vkonnx_tensor_desc* inputs[] = {&desc};
    const vkonnx_tensor_descs* outputs = NULL;
    OK(vkonnx_operator_set_opset(op, 13));
    SAYS(vkonnx_infer(op, inputs, 1, &outputs), VKONNX_INVALID_ARGUMENT,
         "Split: outputs = 0 must be at least 1 when split is not given");
    OK(vkonnx_operator_set_outputs(op, 3));
    OK(vkonnx_infer(op, inputs, 1, &outputs));
    CHECK(outputs->count == 3 && outputs->descs[2]->dims[0] == 2);
    vkonnx_tensor_descs_destroy(outputs);
    vkonnx_operator_destroy(op);
}

static void test_attributes(void)
{
    vkonnx_operator* op = create("ai.onnx", "ConvTranspose");
    const vkonnx_signature* takes = vkonnx_operator_get_signature(op);
    CHECK(takes->input_count == 3 && takes->least_inputs == 2 && takes->most_inputs == 3);
    CHECK_TEXT(takes->inputs[2], "B");
    CHECK(attribute_of(op, "group")->given && attribute_of(op, "group")->i == 1);
    CHECK_TEXT(attribute_of(op, "auto_pad")->s, "NOTSET");
    const int64_t twos[] = {2, 2};

    SAYS(vkonnx_operator_set_int(op, "strides", 2), VKONNX_INVALID_ARGUMENT,
         "ConvTranspose: attribute strides has type an integer, expected a list of integers");
    SAYS(vkonnx_operator_set_ints(op, "group", twos, 2), VKONNX_INVALID_ARGUMENT,
         "ConvTranspose: attribute group has type a list of integers, expected an integer");
    SAYS(vkonnx_operator_set_float(op, "group", 2), VKONNX_INVALID_ARGUMENT,
         "ConvTranspose: attribute group has type a float, expected an integer");
    const float halves[] = {0.5f, 0.5f};
    SAYS(vkonnx_operator_set_floats(op, "strides", halves, 2), VKONNX_INVALID_ARGUMENT,
         "ConvTranspose: attribute strides has type a list of floats, expected a list of integers");
    const char* const words[] = {"Tanh", "tanh"};
    SAYS(vkonnx_operator_set_strings(op, "strides", words, 2), VKONNX_INVALID_ARGUMENT,
         "ConvTranspose: attribute strides has type a list of strings, expected a list of integers");
    SAYS(vkonnx_operator_set_string(op, "group", "2"), VKONNX_INVALID_ARGUMENT,
         "ConvTranspose: attribute group has type a string, expected an integer");
    SAYS(vkonnx_operator_set_string(op, "auto_pad", "SAME"), VKONNX_INVALID_ARGUMENT,
         "ConvTranspose: attribute auto_pad is 'SAME', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    SAYS(vkonnx_operator_set_int(op, "groups", 2), VKONNX_INVALID_ARGUMENT,
         "ConvTranspose: unknown attribute 'groups'; expected one of auto_pad, kernel_shape, strides, dilations, pads, "
         "output_padding, output_shape, group");
    CHECK(attribute_of(op, "group")->i == 1); /* unchanged */
    CHECK_TEXT(attribute_of(op, "auto_pad")->s, "NOTSET");
    REFUSES_NULL(vkonnx_operator_set_int(NULL, "group", 2), "op");
    REFUSES_NULL(vkonnx_operator_set_int(op, NULL, 2), "attribute");
    REFUSES_NULL(vkonnx_operator_set_ints(op, "strides", NULL, 2), "values");
    REFUSES_NULL(vkonnx_operator_set_float(NULL, "alpha", 2), "op");
    REFUSES_NULL(vkonnx_operator_set_floats(op, "strides", NULL, 2), "values");
    REFUSES_NULL(vkonnx_operator_set_strings(op, "strides", NULL, 2), "values");
    REFUSES_NULL(vkonnx_operator_set_string(op, "auto_pad", NULL), "value");
    REFUSES_NULL(vkonnx_operator_set_opset(NULL, 11), "op");
    REFUSES_NULL(vkonnx_operator_set_rules(NULL, VKONNX_RULES_SPECIFICATION), "op");
    REFUSES_NULL(vkonnx_operator_set_outputs(NULL, 2), "op");
    SAYS(vkonnx_operator_set_outputs(op, 2), VKONNX_INVALID_ARGUMENT, "ConvTranspose of domain '' has no outputs to choose");
    SAYS(vkonnx_operator_set_rules(op, 2), VKONNX_INVALID_ARGUMENT,
         "vkonnx_operator_set_rules: rules 2 is neither VKONNX_RULES_SPECIFICATION nor VKONNX_RULES_ONNXRUNTIME");
    OK(vkonnx_operator_set_rules(op, VKONNX_RULES_ONNXRUNTIME));
    OK(vkonnx_operator_set_ints(op, "strides", twos, 2));
    OK(vkonnx_operator_set_ints(op, "strides", NULL, 0)); /* an empty list: the attribute is not given */
    CHECK(!attribute_of(op, "strides")->given);
    CHECK(vkonnx_operator_attribute_at(op, 8) == NULL);
    CHECK(vkonnx_operator_attribute_at(NULL, 0) == NULL);
    CHECK(vkonnx_operator_get_signature(NULL) == NULL);
    vkonnx_operator_destroy(op);
    vkonnx_operator_destroy(NULL);

    vkonnx_operator* onednn = create("onednn.graph", "ConvTranspose");
    SAYS(vkonnx_operator_set_opset(onednn, 11), VKONNX_INVALID_ARGUMENT, "ConvTranspose of domain 'onednn.graph' has no opset");
    SAYS(vkonnx_operator_set_rules(onednn, VKONNX_RULES_ONNXRUNTIME), VKONNX_INVALID_ARGUMENT,
         "ConvTranspose of domain 'onednn.graph' has no rules");
    CHECK_TEXT(attribute_of(onednn, "auto_pad")->s, "None");
    vkonnx_operator_destroy(onednn);

    vkonnx_operator* relu = create(NULL, "Relu");
    SAYS(vkonnx_operator_set_float(relu, "alpha", 1), VKONNX_INVALID_ARGUMENT, "Relu: unknown attribute 'alpha'; expected none");
    vkonnx_operator_destroy(relu);

    vkonnx_operator* none = NULL;
    REFUSES_NULL(vkonnx_operator_create("", NULL, &none), "name");
    REFUSES_NULL(vkonnx_operator_create("", "Relu", NULL), "result");
    SAYS(vkonnx_operator_create("onednn.graph", "AveragePool", &none), VKONNX_UNSUPPORTED,
         "operator 'AveragePool' of domain 'onednn.graph': there is none of that name; expected one of ConvTranspose");
    SAYS(vkonnx_operator_create("com.example", "Relu", &none), VKONNX_UNSUPPORTED,
         "operator 'Relu' of domain 'com.example': there is no such domain; expected '', 'onednn.graph' or 'vkonnx'");
    CHECK(none == NULL);
}

/* Tests what is told of a 3 x 3 window over 7 x 9 with strides of 2, without a device. */
static void test_pure_functions(void)
{
    vkonnx_operator* pool = create("", "AveragePool");
    const int64_t window[] = {3, 3}, strides[] = {2, 2}, x_dims[] = {1, 4, 7, 9};
    const vkonnx_tensor_desc x = FLOATS(4, x_dims);
    const vkonnx_tensor_desc* inputs[] = {&x};
    OK(vkonnx_operator_set_ints(pool, "kernel_shape", window, 2));
    OK(vkonnx_operator_set_ints(pool, "strides", strides, 2));

    const vkonnx_tensor_descs* outputs = NULL;
    if (OK(vkonnx_infer(pool, inputs, 1, &outputs))) {
        CHECK(outputs->struct_size == sizeof(vkonnx_tensor_descs) && outputs->count == 1 && outputs->descs[0]->rank == 4);
        CHECK(outputs->descs[0]->dims[1] == 4 && outputs->descs[0]->dims[2] == 3 && outputs->descs[0]->dims[3] == 4);
        vkonnx_tensor_descs_destroy(outputs);
    }
    vkonnx_tensor_descs_destroy(NULL);

    vkonnx_capabilities* desktop = NULL;
    OK(vkonnx_capabilities_preset("desktop", &desktop));
    const vkonnx_prepare_options by_name = {.struct_size = sizeof(by_name), .kernel = "average_pool_nd"};
    const vkonnx_explanation* explanation = NULL;
    if (OK(vkonnx_explain(pool, inputs, 1, desktop, &by_name, &explanation))) {
        CHECK_TEXT(explanation->kernel, "average_pool_nd_f32");
        CHECK(explanation->pad_count == 2 && explanation->pads_begin[0] == 0 && explanation->pads_end[1] == 0);
        CHECK(strncmp(explanation->equation, "ONNX AveragePool-22, explicit pads: ", 36) == 0);
        CHECK(explanation->outputs->count == 1 && explanation->outputs->descs[0]->dims[3] == 4);
        CHECK(explanation->pipeline_count == 1 && explanation->grid_count == 1 && explanation->grids[0] >= 1);
        CHECK_TEXT(explanation->pipelines[0]->kernel, "average_pool_nd_f32");
        CHECK(explanation->pipelines[0]->specialization_count == explanation->specialization_count);
        CHECK(explanation->specialization_count > 0 && explanation->specialization[0]->name[0] != '\0');
        CHECK(explanation->seconds > 0 && explanation->why[0] != '\0' && explanation->host_result_count == 0);
        vkonnx_explanation_destroy(explanation);
    }
    vkonnx_explanation_destroy(NULL);
    OK(vkonnx_operator_set_rules(pool, VKONNX_RULES_ONNXRUNTIME));
    if (OK(vkonnx_explain(pool, inputs, 1, desktop, NULL, &explanation))) {
        CHECK(strstr(explanation->equation, "ONNX Runtime") != NULL);
        vkonnx_explanation_destroy(explanation);
    }
    OK(vkonnx_operator_set_rules(pool, VKONNX_RULES_SPECIFICATION));
    desktop->rounds_to_nearest = false;
    const vkonnx_prepare_options reproducible = {.struct_size = sizeof(reproducible), .reproducible = true};
    vkonnx_status* roundings = vkonnx_explain(pool, inputs, 1, desktop, &reproducible, &explanation);
    CHECK(strstr(vkonnx_status_message(roundings), "reproducible needs a device that rounds") != NULL);
    vkonnx_status_destroy(roundings);

    const vkonnx_kernel_infos* kernels = NULL;
    if (OK(vkonnx_kernels(pool, inputs, 1, desktop, NULL, &kernels))) {
        bool has_direct = false, has_unfit = false;
        for (size_t i = 0; i < kernels->count; ++i) {
            has_direct = has_direct || strcmp(kernels->kernels[i]->name, "average_pool_direct") == 0;
            has_unfit = has_unfit || kernels->kernels[i]->unfit[0] != '\0';
        }
        CHECK(kernels->count >= 5 && has_direct && has_unfit);
        vkonnx_kernel_infos_destroy(kernels);
    }
    vkonnx_kernel_infos_destroy(NULL);

    const vkonnx_tensor_desc* holes[] = {NULL};
    REFUSES_NULL(vkonnx_infer(NULL, inputs, 1, &outputs), "op");
    SAYS(vkonnx_infer(pool, NULL, 1, &outputs), VKONNX_INVALID_ARGUMENT, "vkonnx_infer: inputs is NULL, but counts 1 elements");
    vkonnx_status* hole = vkonnx_infer(pool, holes, 1, &outputs);
    CHECK(vkonnx_status_code(hole) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(hole);
    REFUSES_NULL(vkonnx_explain(pool, inputs, 1, NULL, NULL, &explanation), "capabilities");
    REFUSES_NULL(vkonnx_explain(pool, inputs, 1, desktop, NULL, NULL), "result");
    REFUSES_NULL(vkonnx_kernels(pool, inputs, 1, NULL, NULL, &kernels), "capabilities");
    const vkonnx_prepare_options no_epilogue = {.struct_size = sizeof(no_epilogue), .epilogue = pool};
    SAYS(vkonnx_explain(pool, inputs, 1, desktop, &no_epilogue, &explanation), VKONNX_INVALID_ARGUMENT,
         "vkonnx_prepare_options::epilogue is a AveragePool, expected an elementwise operator");
    const vkonnx_prepare_options no_prologue = {.struct_size = sizeof(no_prologue), .prologue = pool};
    SAYS(vkonnx_explain(pool, inputs, 1, desktop, &no_prologue, &explanation), VKONNX_INVALID_ARGUMENT,
         "vkonnx_prepare_options::prologue is a AveragePool, expected an elementwise operator without steps");
    OK(vkonnx_operator_set_opset(pool, 1));
    OK(vkonnx_operator_set_int(pool, "ceil_mode", 1));
    vkonnx_status* versions = vkonnx_infer(pool, inputs, 1, &outputs);
    CHECK(vkonnx_status_code(versions) == VKONNX_INVALID_ARGUMENT && strstr(vkonnx_status_message(versions), "ceil_mode"));
    vkonnx_status_destroy(versions);
    vkonnx_capabilities_destroy(desktop);
    vkonnx_operator_destroy(pool);

    /* The kernel works in bands where it is asked to take less scratch memory. */
    vkonnx_operator* conv = create("", "Conv");
    const int64_t image[] = {1, 8, 64, 64}, filter[] = {8, 8, 3, 3};
    const vkonnx_tensor_desc conv_x = FLOATS(4, image), conv_w = FLOATS(4, filter);
    const vkonnx_tensor_desc* conv_inputs[] = {&conv_x, &conv_w};
    vkonnx_capabilities* lavapipe = NULL;
    OK(vkonnx_capabilities_preset("lavapipe", &lavapipe));
    const vkonnx_prepare_options plain = {.struct_size = sizeof(plain), .kernel = "conv_gemm"};
    const vkonnx_prepare_options budget = {.struct_size = sizeof(budget), .kernel = "conv_gemm", .scratch_budget = 1};
    const vkonnx_explanation *whole = NULL, *bands = NULL;
    if (OK(vkonnx_explain(conv, conv_inputs, 2, lavapipe, &plain, &whole)) &&
        OK(vkonnx_explain(conv, conv_inputs, 2, lavapipe, &budget, &bands)))
        CHECK(bands->scratch_bytes > 0 && bands->scratch_bytes < whole->scratch_bytes);
    vkonnx_explanation_destroy(whole);
    vkonnx_explanation_destroy(bands);
    vkonnx_capabilities_destroy(lavapipe);
    vkonnx_operator_destroy(conv);

    /* The first bound of Clip is left out. */
    vkonnx_operator* clip = create("", "Clip");
    const vkonnx_tensor_desc scalar = FLOATS(0, NULL);
    const vkonnx_tensor_desc* bounds[] = {&x, NULL, &scalar};
    if (OK(vkonnx_infer(clip, bounds, 3, &outputs))) {
        CHECK(outputs->count == 1 && outputs->descs[0]->rank == 4 &&
              memcmp(outputs->descs[0]->dims, x_dims, sizeof(x_dims)) == 0);
        vkonnx_tensor_descs_destroy(outputs);
    }
    vkonnx_operator_destroy(clip);
}

/* Tests a chain: Relu, then 1 - x, then Clip to at least -2. */
static void test_steps(void)
{
    vkonnx_operator *relu = create("", "Relu"), *sub = create("", "Sub"), *clip = create("", "Clip"),
                    *pool = create("", "AveragePool");
    OK(vkonnx_operator_set_float(clip, "min", -2));
    const vkonnx_step minus = {.struct_size = sizeof(minus), .op = sub, .has_number = true, .number = 1, .swapped = true};
    const vkonnx_step bound = {.struct_size = sizeof(bound), .op = clip};
    OK(vkonnx_operator_add_step(relu, &minus));
    OK(vkonnx_operator_add_step(relu, &bound));

    const int64_t dims[] = {4};
    const vkonnx_tensor_desc x = FLOATS(1, dims);
    const vkonnx_tensor_desc* inputs[] = {&x, &x};
    vkonnx_capabilities* desktop = NULL;
    OK(vkonnx_capabilities_preset("desktop", &desktop));
    const vkonnx_explanation* explanation = NULL;
    if (OK(vkonnx_explain(relu, inputs, 1, desktop, NULL, &explanation)))
        CHECK(strstr(explanation->equation, "Sub") && strstr(explanation->equation, "Clip"));
    vkonnx_explanation_destroy(explanation);

    /* Where a step's other operand is no number, it is an input. */
    const vkonnx_step by_input = {.struct_size = sizeof(by_input), .op = sub};
    OK(vkonnx_operator_add_step(relu, &by_input));
    const vkonnx_tensor_descs* outputs = NULL;
    vkonnx_status* status = vkonnx_infer(relu, inputs, 1, &outputs);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(status);
    if (OK(vkonnx_infer(relu, inputs, 2, &outputs)))
        vkonnx_tensor_descs_destroy(outputs);

    const vkonnx_step of_pool = {.struct_size = sizeof(of_pool), .op = pool},
                      of_chain = {.struct_size = sizeof(of_chain), .op = relu}, none = {.struct_size = sizeof(none)};
    SAYS(vkonnx_operator_add_step(clip, &of_pool), VKONNX_INVALID_ARGUMENT,
         "AveragePool of domain '' has no steps: it is no elementwise operator");
    SAYS(vkonnx_operator_add_step(pool, &bound), VKONNX_INVALID_ARGUMENT,
         "AveragePool of domain '' has no steps: it is no elementwise operator");
    SAYS(vkonnx_operator_add_step(clip, &of_chain), VKONNX_INVALID_ARGUMENT,
         "vkonnx_operator_add_step: step->op has steps of its own");
    REFUSES_NULL(vkonnx_operator_add_step(NULL, &bound), "op");
    REFUSES_NULL(vkonnx_operator_add_step(clip, NULL), "step");
    REFUSES_NULL(vkonnx_operator_add_step(clip, &none), "step->op");
    vkonnx_capabilities_destroy(desktop);
    vkonnx_operator_destroy(relu);
    vkonnx_operator_destroy(sub);
    vkonnx_operator_destroy(clip);
    vkonnx_operator_destroy(pool);
}

/* Tests the host's sums of integers and its parts of a list. */
static void test_evaluate(void)
{
    vkonnx_operator *add = create("", "Add"), *split = create("", "Split"), *relu = create("", "Relu");
    const int64_t three = 3, a[] = {1, -2, 30}, b[] = {4, 5, 6}, lengths[] = {1, 2};
    const vkonnx_tensor_desc x = {sizeof(x), VKONNX_INT64, VKONNX_NCX, 1, &three}, reals = FLOATS(1, &three);
    const vkonnx_tensor_desc *two_inputs[] = {&x, &x}, *real_input[] = {&reals};
    const void* data[] = {a, b};
    const size_t sizes[] = {sizeof(a), sizeof(b)};
    int64_t sum[3] = {0}, first[1] = {0}, rest[2] = {0};
    void *sums[] = {sum}, *parts[] = {first, rest};
    const size_t sum_sizes[] = {sizeof(sum)}, part_sizes[] = {sizeof(first), sizeof(rest)}, short_sizes[] = {16};
    OK(vkonnx_evaluate(add, two_inputs, 2, data, sizes, sums, sum_sizes, 1));
    CHECK(sum[0] == 5 && sum[1] == 3 && sum[2] == 36);
    OK(vkonnx_operator_set_ints(split, "split", lengths, 2));
    OK(vkonnx_evaluate(split, two_inputs, 1, data, sizes, parts, part_sizes, 2));
    CHECK(first[0] == 1 && rest[0] == -2 && rest[1] == 30);

    SAYS(vkonnx_evaluate(add, two_inputs, 2, data, sizes, parts, part_sizes, 2), VKONNX_INVALID_ARGUMENT,
         "vkonnx_evaluate: result_count is 2, expected 1");
    SAYS(vkonnx_evaluate(add, two_inputs, 2, data, sizes, sums, short_sizes, 1), VKONNX_INVALID_ARGUMENT,
         "vkonnx_evaluate: result_sizes[0] is 16, expected 24");
    void* nowhere[] = {NULL};
    SAYS(vkonnx_evaluate(add, two_inputs, 2, data, sizes, nowhere, sum_sizes, 1), VKONNX_INVALID_ARGUMENT,
         "vkonnx_evaluate: result_sizes[0] is 0, expected 24");
    const size_t real_sizes[] = {3 * sizeof(float)};
    vkonnx_status* status = vkonnx_evaluate(relu, real_input, 1, data, real_sizes, sums, sum_sizes, 1);
    CHECK(vkonnx_status_code(status) == VKONNX_UNSUPPORTED);
    vkonnx_status_destroy(status);
    REFUSES_NULL(vkonnx_evaluate(NULL, two_inputs, 2, data, sizes, sums, sum_sizes, 1), "op");
    REFUSES_NULL(vkonnx_evaluate(add, two_inputs, 2, NULL, sizes, sums, sum_sizes, 1), "data");
    REFUSES_NULL(vkonnx_evaluate(add, two_inputs, 2, data, sizes, NULL, sum_sizes, 1), "results");
    vkonnx_operator_destroy(add);
    vkonnx_operator_destroy(split);
    vkonnx_operator_destroy(relu);
}

void test_operators(void)
{
    test_steps();
    test_evaluate();
    test_list();
    test_names_of_attributes();
    test_outputs();
    test_attributes();
    test_pure_functions();
}
