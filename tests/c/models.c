/* This file tests model files and sessions. It writes the files itself, field by field: see onnx.proto. */
#include "test.h"

#include <stdlib.h>

#include <vkonnx/onnx.h>

/* ---- small protobuf messages */

struct message {
    unsigned char bytes[1024];
    size_t size;
};

static void put_varint(struct message* m, uint64_t value)
{
    for (; value > 127; value >>= 7)
        m->bytes[m->size++] = (unsigned char)(value | 128);
    m->bytes[m->size++] = (unsigned char)value;
}

static void put_number(struct message* m, unsigned field, uint64_t value)
{
    put_varint(m, field << 3);
    put_varint(m, value);
}

static void put_bytes(struct message* m, unsigned field, const void* bytes, size_t size)
{
    put_varint(m, field << 3 | 2);
    put_varint(m, size);
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

static void put_text(struct message* m, unsigned field, const char* text)
{
    put_bytes(m, field, text, strlen(text));
}

static void put(struct message* m, unsigned field, const struct message* inner)
{
    put_bytes(m, field, inner->bytes, inner->size);
}

/* Returns a ValueInfoProto. An extent of 0 is written as a symbol. */
static struct message value_info(const char* name, vkonnx_dtype dtype, const int64_t* dims, size_t rank)
{
    struct message shape = {{0}, 0}, tensor = {{0}, 0}, type = {{0}, 0}, info = {{0}, 0};
    for (size_t i = 0; i < rank; ++i) {
        struct message dim = {{0}, 0};
        if (dims[i] > 0)
            put_number(&dim, 1, (uint64_t)dims[i]);
        else
            put_text(&dim, 2, "N");
        put(&shape, 1, &dim);
    }
    put_number(&tensor, 1, (uint64_t)dtype);
    put(&tensor, 2, &shape);
    put(&type, 1, &tensor);
    put_text(&info, 1, name);
    put(&info, 2, &type);
    return info;
}

/* Makes Y = Relu(AveragePool(X)) with windows of 1 x 2, X (1, 1, 2, N), and T = S by Identity, which are 2 strings. */
static struct message make_model(void)
{
    const int64_t x[] = {1, 1, 2, 0}, y[] = {1, 1, 2, 0}, s[] = {2};
    struct message window = {{0}, 0}, pool = {{0}, 0}, relu = {{0}, 0}, identity = {{0}, 0}, graph = {{0}, 0}, opset = {{0}, 0};
    put_text(&window, 1, "kernel_shape");
    put_number(&window, 8, 1);
    put_number(&window, 8, 2);
    put_number(&window, 20, 7);
    put_text(&pool, 1, "X");
    put_text(&pool, 2, "mean");
    put_text(&pool, 3, "the pool");
    put_text(&pool, 4, "AveragePool");
    put(&pool, 5, &window);
    put_text(&relu, 1, "mean");
    put_text(&relu, 2, "Y");
    put_text(&relu, 4, "Relu");
    put_text(&identity, 1, "S");
    put_text(&identity, 2, "T");
    put_text(&identity, 4, "Identity");
    put(&graph, 1, &pool);
    put(&graph, 1, &relu);
    put(&graph, 1, &identity);
    put_text(&graph, 2, "graph");
    const struct message infos[] = {value_info("X", VKONNX_FLOAT32, x, 4), value_info("S", VKONNX_STRING, s, 1),
                                    value_info("Y", VKONNX_FLOAT32, y, 4), value_info("T", VKONNX_STRING, s, 1)};
    put(&graph, 11, &infos[0]);
    put(&graph, 11, &infos[1]);
    put(&graph, 12, &infos[2]);
    put(&graph, 12, &infos[3]);
    put_text(&opset, 1, "");
    put_number(&opset, 2, 22);
    struct message model = {{0}, 0}, entry = {{0}, 0};
    put_number(&model, 1, 10);
    put(&model, 7, &graph);
    put(&model, 8, &opset);
    put_text(&entry, 1, "labels");
    put_text(&entry, 2, "cat\ndog");
    put(&model, 14, &entry);
    return model;
}

/* ---- tests */

static void test_parsing(void)
{
    struct message tensor = {{0}, 0};
    const float values[] = {1.5f, -2};
    put_number(&tensor, 1, 2);
    put_number(&tensor, 2, VKONNX_FLOAT32);
    put_text(&tensor, 8, "T");
    put_bytes(&tensor, 9, values, sizeof(values));
    const vkonnx_host_tensors* parsed = NULL;
    if (OK(vkonnx_parse_tensor(tensor.bytes, tensor.size, &parsed))) {
        const vkonnx_host_tensor* one = parsed->tensors[0];
        CHECK(parsed->count == 1 && one->desc->dtype == VKONNX_FLOAT32 && one->desc->rank == 1 && one->desc->dims[0] == 2);
        CHECK(one->bytes == sizeof(values) && memcmp(one->data, values, sizeof(values)) == 0 && one->string_count == 0);
        vkonnx_host_tensors_destroy(parsed);
    }
    vkonnx_host_tensors_destroy(NULL);
    REFUSES_NULL(vkonnx_parse_tensor(tensor.bytes, tensor.size, NULL), "result");
    vkonnx_status* status = vkonnx_parse_tensor(tensor.bytes, tensor.size - 1, &parsed);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(status);
    status = vkonnx_parse_tensor(NULL, 5, &parsed);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(status);

    vkonnx_model* model = NULL;
    REFUSES_NULL(vkonnx_model_load(NULL, NULL, &model), "path");
    SAYS(vkonnx_model_load("no such file.onnx", NULL, &model), VKONNX_IO, "cannot read 'no such file.onnx': no such file");
    REFUSES_NULL(vkonnx_model_parse("", 0, NULL, NULL), "result");
    status = vkonnx_model_parse("what is no model", 16, NULL, &model);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(status);
    CHECK(model == NULL);
}

static void test_reports(const vkonnx_model* model, const vkonnx_named_desc* const* inputs)
{
    vkonnx_capabilities* mobile = NULL;
    OK(vkonnx_capabilities_preset("mobile", &mobile));
    const vkonnx_graph_report* report = NULL;
    if (OK(vkonnx_model_explain(model, inputs, 2, mobile, NULL, &report))) {
        CHECK(report->node_count == 3 && report->value_count >= 3 && report->arena_count == 1);
        CHECK_TEXT(report->nodes[0]->name, "the pool");
        CHECK_TEXT(report->nodes[0]->op_type, "AveragePool");
        CHECK_TEXT(report->nodes[0]->domain, "ai.onnx");
        CHECK(report->nodes[0]->opset == 22 && report->nodes[0]->input_count == 1 && report->nodes[0]->output_count == 1);
        CHECK_TEXT(report->nodes[0]->inputs[0], "X");
        CHECK_TEXT(report->nodes[0]->outputs[0], "mean");
        CHECK(strncmp(report->nodes[0]->explanation->kernel, "average_pool_", 13) == 0);
        CHECK(report->nodes[0]->fused_into == -1 && report->nodes[0]->seconds == 0);
        CHECK_TEXT(report->nodes[2]->explanation->kernel, "view");
        size_t in_arena = 0;
        for (size_t i = 0; i < report->value_count; ++i) {
            const vkonnx_value_report* value = report->values[i];
            if (value->place == VKONNX_PLACE_ARENA && ++in_arena)
                CHECK(value->bytes == 24 && value->desc->dims[3] == 3 && value->first == 0 && value->last == 1);
        }
        CHECK(in_arena == 1 && report->arena_bytes == report->arenas[0] && report->unshared_bytes >= 24);
        vkonnx_graph_report_destroy(report);
    }
    vkonnx_graph_report_destroy(NULL);
    REFUSES_NULL(vkonnx_model_explain(NULL, inputs, 2, mobile, NULL, &report), "model");
    REFUSES_NULL(vkonnx_model_explain(model, inputs, 2, NULL, NULL, &report), "capabilities");
    REFUSES_NULL(vkonnx_model_explain(model, inputs, 2, mobile, NULL, NULL), "result");
    vkonnx_capabilities_destroy(mobile);
}

static void check_means(const float* y, const char* what)
{
    const float expected[] = {1.5f, 0, 2, 5, 0, 0.5f};
    const bool right = memcmp(y, expected, sizeof(expected)) == 0;
    if (!right)
        printf("%s\n", what);
    CHECK(right);
}

static void test_runs(vkonnx_device* device, vkonnx_session* session)
{
    const int64_t x_dims[] = {1, 1, 2, 4}, y_dims[] = {1, 1, 2, 3}, two = 2;
    const vkonnx_tensor_desc x_desc = FLOATS(4, x_dims), y_desc = FLOATS(4, y_dims);
    const vkonnx_tensor_desc s_desc = {sizeof(s_desc), VKONNX_STRING, VKONNX_NCX, 1, &two};
    const float x_values[] = {1, 2, -3, 7, 8, 2, -4, 5};
    const char* strings[] = {"a\0b", "\xce\xb1"};
    const size_t sizes[] = {3, 2};
    vkonnx_host_tensor x = {.struct_size = sizeof(x), .desc = &x_desc, .data = x_values, .bytes = sizeof(x_values)};
    vkonnx_host_tensor s = {
        .struct_size = sizeof(s), .desc = &s_desc, .strings = strings, .string_sizes = sizes, .string_count = 2};
    const vkonnx_host_tensor* inputs[] = {&x, &s};
    const vkonnx_host_tensors* outputs = NULL;
    CHECK(vkonnx_session_get_inputs(session)->count == 2 && vkonnx_session_get_outputs(session)->count == 2);
    CHECK(vkonnx_session_get_outputs(session)->descs[0]->dims[3] == 3);
    CHECK(!vkonnx_session_get_inputs(NULL) && !vkonnx_session_get_outputs(NULL));
    CHECK(!vkonnx_session_runs_in_stages(session) && !vkonnx_session_runs_in_stages(NULL));
    if (OK(vkonnx_session_run(session, inputs, 2, &outputs))) {
        CHECK(outputs->count == 2 && outputs->tensors[0]->desc->dims[3] == 3 && outputs->tensors[0]->bytes == 24);
        check_means(outputs->tensors[0]->data, "by vkonnx_session_run");
        const vkonnx_host_tensor* t = outputs->tensors[1];
        CHECK(t->desc->dtype == VKONNX_STRING && t->string_count == 2 && t->string_sizes[0] == 3 && t->string_sizes[1] == 2);
        CHECK(memcmp(t->strings[0], "a\0b", 4) == 0 && strcmp(t->strings[1], "\xce\xb1") == 0 && t->data == NULL);
        vkonnx_host_tensors_destroy(outputs);
    }
    s.string_sizes = NULL; /* each ends with its first zero */
    if (OK(vkonnx_session_run(session, inputs, 2, &outputs))) {
        CHECK(outputs->tensors[1]->string_sizes[0] == 1);
        vkonnx_host_tensors_destroy(outputs);
    }
    const vkonnx_graph_report* report = NULL;
    if (OK(vkonnx_session_report(session, &report))) {
        CHECK(report->node_count == 3);
        CHECK(strstr(report->nodes[0]->explanation->equation, "ONNX Runtime") != NULL); /* the rules that the options ask for */
        CHECK(report->nodes[0]->seconds > 0 || !vkonnx_device_get_capabilities(device)->timestamps);
        vkonnx_graph_report_destroy(report);
    }

    x.bytes = 31;
    SAYS(vkonnx_session_run(session, inputs, 2, &outputs), VKONNX_INVALID_ARGUMENT,
         "input 'X': it has 31 bytes, float[1,1,2,4] needs 32");
    x.bytes = 32;
    x.data = NULL;
    SAYS(vkonnx_session_run(session, inputs, 2, &outputs), VKONNX_INVALID_ARGUMENT,
         "vkonnx_session_run: inputs[0]: data is NULL, but bytes is 32");
    x.desc = NULL;
    SAYS(vkonnx_session_run(session, inputs, 2, &outputs), VKONNX_INVALID_ARGUMENT,
         "vkonnx_session_run: inputs[0]::desc is NULL");
    const vkonnx_host_tensor* hole[] = {NULL, &s};
    SAYS(vkonnx_session_run(session, hole, 2, &outputs), VKONNX_INVALID_ARGUMENT, "vkonnx_session_run: inputs[0] is NULL");
    SAYS(vkonnx_session_run(session, NULL, 0, &outputs), VKONNX_INVALID_ARGUMENT, "the model has 2 inputs, 0 are given");
    x = (vkonnx_host_tensor){.struct_size = sizeof(x), .desc = &x_desc, .data = x_values, .bytes = sizeof(x_values)};
    s.strings = NULL;
    SAYS(vkonnx_session_run(session, inputs, 2, &outputs), VKONNX_INVALID_ARGUMENT,
         "vkonnx_session_run: inputs[1]: strings is NULL, but string_count is 2");
    const char* holed[] = {"a", NULL};
    s.strings = holed;
    SAYS(vkonnx_session_run(session, inputs, 2, &outputs), VKONNX_INVALID_ARGUMENT,
         "vkonnx_session_run: inputs[1]: strings[1] is NULL");
    REFUSES_NULL(vkonnx_session_run(NULL, inputs, 2, &outputs), "session");
    REFUSES_NULL(vkonnx_session_run(session, inputs, 2, NULL), "result");
    REFUSES_NULL(vkonnx_session_report(NULL, &report), "session");

    /* Strings can't lie on a device, so that only the message is tested. */
    vkonnx_tensor *x_tensor = NULL, *y_tensor = NULL;
    OK(vkonnx_tensor_create(device, &x_desc, &x_tensor));
    OK(vkonnx_tensor_create(device, &y_desc, &y_tensor));
    const vkonnx_tensor *in[] = {x_tensor, NULL}, *out[] = {y_tensor, NULL};
    vkonnx_recording* recording = NULL;
    SAYS(vkonnx_session_bind(session, in, 2, out, 2, &recording), VKONNX_INVALID_ARGUMENT,
         "vkonnx_session_bind: outputs[1] is NULL");
    REFUSES_NULL(vkonnx_session_bind(NULL, in, 2, out, 2, &recording), "session");
    vkonnx_tensor_destroy(x_tensor);
    vkonnx_tensor_destroy(y_tensor);
}

/* Returns a model with Y = op(X). X is float, (2, x_width). */
static struct message model_of(const char* op, vkonnx_dtype dtype, int64_t x_width, const int64_t* y_dims, size_t y_rank)
{
    const int64_t dims[] = {2, x_width};
    const struct message x_info = value_info("X", VKONNX_FLOAT32, dims, 2), y_info = value_info("Y", dtype, y_dims, y_rank);
    struct message node = {{0}, 0}, graph = {{0}, 0}, opset = {{0}, 0}, file = {{0}, 0};
    put_text(&node, 1, "X");
    put_text(&node, 2, "Y");
    put_text(&node, 4, op);
    put(&graph, 1, &node);
    put_text(&graph, 2, "graph");
    put(&graph, 11, &x_info);
    put(&graph, 12, &y_info);
    put_number(&opset, 2, 22);
    put_number(&file, 1, 10);
    put(&file, 7, &graph);
    put(&file, 8, &opset);
    return file;
}

/* Tests the bound on what is computed before anything runs. That is 16 bytes here. */
static void test_folding(vkonnx_device* device)
{
    const int64_t two = 2;
    const struct message file = model_of("Shape", VKONNX_INT64, 3, &two, 1);
    vkonnx_model* model = NULL;
    vkonnx_session* session = NULL;
    if (!OK(vkonnx_model_parse(file.bytes, file.size, NULL, &model)))
        return;
    vkonnx_session_options options = {.struct_size = sizeof(options), .max_folded_bytes = 15};
    vkonnx_status* status = vkonnx_session_prepare(device, model, NULL, 0, &options, &session);
    CHECK(vkonnx_status_code(status) != VKONNX_OK && strstr(vkonnx_status_message(status), "max_folded_bytes = 15"));
    vkonnx_status_destroy(status);
    options.max_folded_bytes = 16;
    OK(vkonnx_session_prepare(device, model, NULL, 0, &options, &session));
    vkonnx_session_destroy(session);
    vkonnx_model_destroy(model);
}

/* Tests a session for inputs of another size, which shares what the first one has. */
static void test_for_inputs(vkonnx_device* device)
{
    const int64_t any[] = {2, -1}, three[] = {2, 3}, one[] = {2, 1};
    const struct message file = model_of("Relu", VKONNX_FLOAT32, -1, any, 2);
    vkonnx_model* model = NULL;
    vkonnx_session *session = NULL, *other = NULL;
    const vkonnx_tensor_desc wide = FLOATS(2, three), narrow = FLOATS(2, one);
    vkonnx_named_desc x = {sizeof(x), "X", &wide, NULL, 0};
    const vkonnx_named_desc* inputs[] = {&x};
    vkonnx_session_options options = {.struct_size = sizeof(options), .max_plans = 1};
    if (!OK(vkonnx_model_parse(file.bytes, file.size, NULL, &model)) ||
        !OK(vkonnx_session_prepare(device, model, inputs, 1, &options, &session)))
        return;
    vkonnx_model_destroy(model);
    REFUSES_NULL(vkonnx_session_for_inputs(NULL, inputs, 1, &other), "session");
    REFUSES_NULL(vkonnx_session_for_inputs(session, inputs, 1, NULL), "result");
    SAYS(vkonnx_session_for_inputs(session, NULL, 0, &other), VKONNX_INVALID_ARGUMENT,
         "input 'X': it needs a description, since the model declares only float[2,?]");
    x.desc = &narrow;
    if (OK(vkonnx_session_for_inputs(session, inputs, 1, &other))) {
        CHECK(vkonnx_session_get_outputs(other)->descs[0]->dims[1] == 1);
        CHECK(vkonnx_session_get_outputs(session)->descs[0]->dims[1] == 3);
    }
    vkonnx_session_destroy(session);
    const float values[] = {-1, 2}, expected[] = {0, 2};
    const vkonnx_host_tensor in = {.struct_size = sizeof(in), .desc = &narrow, .data = values, .bytes = sizeof(values)};
    const vkonnx_host_tensor* given[] = {&in};
    const vkonnx_host_tensors* outputs = NULL;
    if (OK(vkonnx_session_run(other, given, 1, &outputs)))
        CHECK(outputs->tensors[0]->bytes == 8 && memcmp(outputs->tensors[0]->data, expected, 8) == 0);
    vkonnx_host_tensors_destroy(outputs);
    vkonnx_session_destroy(other);
}

/* Tests a session without strings, which runs on tensors of the device. */
static void test_bind(vkonnx_device* device)
{
    const int64_t dims[] = {2, 3};
    const struct message file = model_of("Relu", VKONNX_FLOAT32, 3, dims, 2);
    vkonnx_model* model = NULL;
    vkonnx_session* session = NULL;
    if (!OK(vkonnx_model_parse(file.bytes, file.size, NULL, &model)) ||
        !OK(vkonnx_session_prepare(device, model, NULL, 0, NULL, &session))) /* the file gives all sizes */
        return;
    vkonnx_model_destroy(model);
    const vkonnx_tensor_desc desc = FLOATS(2, dims);
    vkonnx_tensor *x = NULL, *y = NULL;
    OK(vkonnx_tensor_create(device, &desc, &x));
    OK(vkonnx_tensor_create(device, &desc, &y));
    const float values[] = {-1, 2, -3, 4, -5, 6}, expected[] = {0, 2, 0, 4, 0, 6};
    OK(vkonnx_tensor_upload(x, values, sizeof(values)));
    const vkonnx_tensor *in[] = {x}, *out[] = {y};
    vkonnx_recording* recording = NULL;
    if (OK(vkonnx_session_bind(session, in, 1, out, 1, &recording))) {
        vkonnx_session_destroy(session);
        OK(vkonnx_recording_run(recording));
        float got[6] = {0};
        OK(vkonnx_tensor_download(y, got, sizeof(got)));
        CHECK(memcmp(got, expected, sizeof(got)) == 0);
    }
    vkonnx_recording_destroy(recording);
    vkonnx_tensor_destroy(x);
    vkonnx_tensor_destroy(y);
}

/* Returns a model whose output is W. Its two floats lie behind the first float of the file "c_test_weights". */
static struct message model_with_external_weights(void)
{
    const char* const entries[][2] = {{"location", "c_test_weights"}, {"offset", "4"}, {"length", "8"}};
    const int64_t two = 2;
    const struct message info = value_info("W", VKONNX_FLOAT32, &two, 1);
    struct message tensor = {{0}, 0}, graph = {{0}, 0}, opset = {{0}, 0}, file = {{0}, 0};
    put_number(&tensor, 1, 2);
    put_number(&tensor, 2, VKONNX_FLOAT32);
    put_text(&tensor, 8, "W");
    for (size_t i = 0; i < COUNT(entries); ++i) {
        struct message entry = {{0}, 0};
        put_text(&entry, 1, entries[i][0]);
        put_text(&entry, 2, entries[i][1]);
        put(&tensor, 13, &entry);
    }
    put_number(&tensor, 14, 1);
    put(&graph, 5, &tensor);
    put(&graph, 12, &info);
    put_number(&opset, 2, 22);
    put(&file, 7, &graph);
    put(&file, 8, &opset);
    return file;
}

static void test_external_weights(vkonnx_device* device)
{
    const float values[] = {7, 1.5f, -2};
    const struct message file = model_with_external_weights();
    vkonnx_model* model = NULL;
    SAYS(vkonnx_model_parse(file.bytes, file.size, NULL, &model), VKONNX_INVALID_ARGUMENT,
         "initializer 0: tensor 'W': its data lies in the file 'c_test_weights', but a model that is parsed from memory has no "
         "folder with such files unless ModelOptions::external_data_folder names one");
    vkonnx_model_options options = {sizeof(options), "."};
    SAYS(vkonnx_model_parse(file.bytes, file.size, &options, &model), VKONNX_IO,
         "initializer 0: tensor 'W': cannot read 'c_test_weights': no such file");
    options.struct_size = 0;
    vkonnx_status* status = vkonnx_model_load("no such file.onnx", &options, &model);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT &&
          strncmp(vkonnx_status_message(status), "vkonnx_model_options::struct_size is 0", 38) == 0);
    vkonnx_status_destroy(status);
    options.struct_size = sizeof(options);

    FILE* weights = fopen("c_test_weights", "wb");
    FILE* saved = fopen("c_test_model.onnx", "wb");
    CHECK(weights && fwrite(values, 1, sizeof(values), weights) == sizeof(values) && fclose(weights) == 0);
    CHECK(saved && fwrite(file.bytes, 1, file.size, saved) == file.size && fclose(saved) == 0);
    for (int loads = 0; loads < 2; ++loads) {
        if (!OK(loads ? vkonnx_model_load("c_test_model.onnx", NULL, &model)
                      : vkonnx_model_parse(file.bytes, file.size, &options, &model)))
            continue;
        vkonnx_session* session = NULL;
        const vkonnx_host_tensors* outputs = NULL;
        OK(vkonnx_session_prepare(device, model, NULL, 0, NULL, &session));
        if (OK(vkonnx_session_run(session, NULL, 0, &outputs)))
            CHECK(outputs->tensors[0]->bytes == 8 && memcmp(outputs->tensors[0]->data, values + 1, 8) == 0);
        vkonnx_host_tensors_destroy(outputs);
        vkonnx_session_destroy(session);
        vkonnx_model_destroy(model);
    }
    CHECK(remove("c_test_weights") == 0 && remove("c_test_model.onnx") == 0);
}

void test_models(vkonnx_device* device)
{
    test_parsing();
    const struct message file = make_model();
    vkonnx_model* model = NULL;
    if (!OK(vkonnx_model_parse(file.bytes, file.size, NULL, &model)))
        return;
    const vkonnx_value_infos* infos = vkonnx_model_get_inputs(model);
    CHECK(infos->count == 2 && infos->values[0]->has_shape && infos->values[0]->rank == 4 && infos->values[0]->dims[3] == -1);
    CHECK_TEXT(infos->values[1]->name, "S");
    CHECK(infos->values[1]->dtype == VKONNX_STRING);
    CHECK_TEXT(vkonnx_model_get_outputs(model)->values[0]->name, "Y");
    const vkonnx_metadata* metadata = vkonnx_model_get_metadata(model);
    CHECK(metadata->count == 1 && metadata->entries[0]->value_bytes == 7);
    CHECK_TEXT(metadata->entries[0]->key, "labels");
    CHECK_TEXT(metadata->entries[0]->value, "cat\ndog");
    CHECK(!vkonnx_model_get_inputs(NULL) && !vkonnx_model_get_outputs(NULL) && !vkonnx_model_get_metadata(NULL));

    const int64_t x_dims[] = {1, 1, 2, 4};
    const vkonnx_tensor_desc x_desc = FLOATS(4, x_dims);
    const int64_t two = 2;
    const vkonnx_tensor_desc s_desc = {sizeof(s_desc), VKONNX_STRING, VKONNX_NCX, 1, &two};
    vkonnx_named_desc x = {sizeof(x), "X", &x_desc, NULL, 0};
    const vkonnx_named_desc s = {sizeof(s), "S", &s_desc, NULL, 0};
    const vkonnx_named_desc* inputs[] = {&x, &s};
    test_reports(model, inputs);

    const vkonnx_prepare_options prepare = {.struct_size = sizeof(prepare), .kernel = NULL};
    vkonnx_session_options options = {.struct_size = sizeof(options),
                                      .rules = VKONNX_RULES_ONNXRUNTIME,
                                      .prepare = &prepare,
                                      .prepare_threads = 2,
                                      .max_folded_bytes = 1 << 20};
    vkonnx_session* session = NULL;
    REFUSES_NULL(vkonnx_session_prepare(NULL, model, inputs, 2, &options, &session), "device");
    REFUSES_NULL(vkonnx_session_prepare(device, NULL, inputs, 2, &options, &session), "model");
    options.rules = 7;
    SAYS(vkonnx_session_prepare(device, model, inputs, 2, &options, &session), VKONNX_INVALID_ARGUMENT,
         "vkonnx_session_options: rules 7 is neither VKONNX_RULES_SPECIFICATION nor VKONNX_RULES_ONNXRUNTIME");
    options.rules = VKONNX_RULES_ONNXRUNTIME;
    options.without_fusions = 128;
    SAYS(vkonnx_session_prepare(device, model, inputs, 2, &options, &session), VKONNX_INVALID_ARGUMENT,
         "SessionOptions::without_fusions = 128 must be bits of Fusion, of which all together are 127");
    options.without_fusions =
        VKONNX_FUSION_PADDING | VKONNX_FUSION_PATTERN | VKONNX_FUSION_WEIGHTS | VKONNX_FUSION_ACTIVATION | VKONNX_FUSION_CHAIN;
    x.desc = NULL;
    SAYS(vkonnx_session_prepare(device, model, inputs, 2, &options, &session), VKONNX_INVALID_ARGUMENT,
         "vkonnx_session_prepare: inputs[0]::desc is NULL");
    x.desc = &x_desc;
    x.name = "Z";
    SAYS(vkonnx_session_prepare(device, model, inputs, 2, &options, &session), VKONNX_INVALID_ARGUMENT,
         "input 'X': it needs a description, since the model declares only float[1,1,2,?]");
    x.name = "X";
    const float value[] = {1, 2, 3, 4, 5, 6, 7, 8};
    x.value_bytes = sizeof(value);
    SAYS(vkonnx_session_prepare(device, model, inputs, 2, &options, &session), VKONNX_INVALID_ARGUMENT,
         "vkonnx_session_prepare: inputs[0]: value is NULL, but value_bytes is 32");
    x.value = value;
    x.value_bytes = 31;
    SAYS(vkonnx_session_prepare(device, model, inputs, 2, &options, &session), VKONNX_INVALID_ARGUMENT,
         "input 'X': its value has 31 bytes, float[1,1,2,4] needs 32");
    x.value_bytes = sizeof(value);
    CHECK(session == NULL);
    OK(vkonnx_session_prepare(device, model, inputs, 2, &options, &session));
    vkonnx_session_destroy(session);
    session = NULL;
    x.value = NULL;
    x.value_bytes = 0;
    CHECK(!vkonnx_model_get_inputs(model)->values[0]->decides_dimensions);
    if (OK(vkonnx_session_prepare(device, model, inputs, 2, &options, &session)))
        test_runs(device, session);
    vkonnx_session_destroy(session);
    vkonnx_session_destroy(NULL);
    vkonnx_model_destroy(model);
    vkonnx_model_destroy(NULL);
    test_folding(device);
    test_for_inputs(device);
    test_bind(device);
    test_external_weights(device);
}
