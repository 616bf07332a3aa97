/* This file tests devices, tensors, prepared operators and what runs them. */
#include "test.h"

#include <stdlib.h>

struct messages {
    int count;
    bool ended;
};

static void on_message(void* user, vkonnx_log_level level, const char* text)
{
    struct messages* messages = user;
    ++messages->count;
    messages->ended = level >= VKONNX_LOG_INFO && level <= VKONNX_LOG_ERROR && text[0] != '\0';
}

/* Tests the failures of opening and listing devices. */
void test_devices(void)
{
    vkonnx_device* device = NULL;
    const vkonnx_device_infos* infos = NULL;
    REFUSES_NULL(vkonnx_device_open(NULL, NULL), "result");
    REFUSES_NULL(vkonnx_device_list(NULL, NULL), "result");
    vkonnx_device_options options = {.struct_size = sizeof(options), .select = "no such device"};
    vkonnx_status* status = vkonnx_device_open(&options, &device);
    CHECK(vkonnx_status_code(status) == VKONNX_NO_DEVICE);
    CHECK(strstr(vkonnx_status_message(status), "no such device") != NULL);
    vkonnx_status_destroy(status);
    CHECK(device == NULL);
    options.select = NULL;
    options.max_cached_pipelines = -2;
    SAYS(vkonnx_device_open(&options, &device), VKONNX_INVALID_ARGUMENT,
         "vkonnx_device_options::max_cached_pipelines is -2, expected a number of pipelines below 2^32, 0 for 64 of them, or -1 "
         "for "
         "none");
    options.max_cached_pipelines = 0;
    options.tunings = "what is no line of tunings";
    status = vkonnx_device_open(&options, &device);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(status);
    options.struct_size = 0;
    status = vkonnx_device_list(&options, &infos);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(status);
    vkonnx_device_infos_destroy(NULL);
    vkonnx_device_destroy(NULL);
    CHECK(vkonnx_device_get_info(NULL) == NULL);
    CHECK(vkonnx_device_get_capabilities(NULL) == NULL);
}

/* A problem is a ConvTranspose of 2 x 2 ones with stride 2, which doubles pictures: x (1, 1, 2, 3), y (1, 1, 4, 6). */
struct problem {
    vkonnx_operator* op;
    vkonnx_tensor *x, *w, *y;
    vkonnx_tensor_desc x_desc, w_desc, y_desc;
};

static const int64_t x_dims[] = {1, 1, 2, 3}, w_dims[] = {1, 1, 2, 2}, y_dims[] = {1, 1, 4, 6};
static const float x_values[] = {1, 2, 3, 4, 5, 6}, w_values[] = {1, 1, 1, 1};

static struct problem make_problem(vkonnx_device* device)
{
    struct problem problem = {.x_desc = FLOATS(4, x_dims), .w_desc = FLOATS(4, w_dims), .y_desc = FLOATS(4, y_dims)};
    const int64_t twos[] = {2, 2};
    OK(vkonnx_operator_create("", "ConvTranspose", &problem.op));
    OK(vkonnx_operator_set_ints(problem.op, "strides", twos, 2));
    OK(vkonnx_tensor_create(device, &problem.x_desc, &problem.x));
    OK(vkonnx_tensor_create(device, &problem.w_desc, &problem.w));
    OK(vkonnx_tensor_create(device, &problem.y_desc, &problem.y));
    if (!problem.op || !problem.x || !problem.w || !problem.y)
        exit(1);
    OK(vkonnx_tensor_upload(problem.x, x_values, sizeof(x_values)));
    OK(vkonnx_tensor_upload(problem.w, w_values, sizeof(w_values)));
    return problem;
}

static void clear(struct problem* problem)
{
    const float wrong[24] = {-1};
    OK(vkonnx_tensor_upload(problem->y, wrong, sizeof(wrong)));
}

static void check_doubled(const struct problem* problem)
{
    float y[24] = {0};
    OK(vkonnx_tensor_download(problem->y, y, sizeof(y)));
    for (int i = 0; i < 24; ++i)
        CHECK(y[i] == x_values[i / 12 * 3 + i % 6 / 2]);
}

static void test_tensors(vkonnx_device* device, struct problem* problem)
{
    CHECK(vkonnx_tensor_get_desc(problem->x)->rank == 4 && vkonnx_tensor_get_desc(problem->x)->dims[3] == 3);
    CHECK(vkonnx_tensor_get_desc(NULL) == NULL);
    vkonnx_tensor *flat = NULL, *part = NULL, *none = NULL;
    const int64_t six = 6, two = 2;
    if (OK(vkonnx_tensor_view(problem->x, &six, 1, &flat))) {
        float values[6] = {0};
        OK(vkonnx_tensor_download(flat, values, sizeof(values)));
        CHECK(memcmp(values, x_values, sizeof(values)) == 0);
        CHECK(vkonnx_tensor_shares_memory(flat, problem->x));
        CHECK(!vkonnx_tensor_shares_memory(flat, problem->w));
        CHECK(!vkonnx_tensor_shares_memory(NULL, problem->w));
    }
    const vkonnx_tensor_desc pair = FLOATS(1, &two);
    if (OK(vkonnx_tensor_part(problem->x, 0, &pair, &part))) {
        float values[2] = {0};
        OK(vkonnx_tensor_download(part, values, sizeof(values)));
        CHECK(values[0] == 1 && values[1] == 2);
    }
    SAYS(vkonnx_tensor_view(problem->x, &two, 1, &none), VKONNX_INVALID_ARGUMENT,
         "view: float[2] has 2 elements, but float[1,1,2,3] has 6");
    vkonnx_status* status = vkonnx_tensor_upload(problem->x, x_values, 5);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT && strstr(vkonnx_status_message(status), "24"));
    vkonnx_status_destroy(status);
    status = vkonnx_tensor_download(problem->x, NULL, sizeof(x_values));
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(status);
    REFUSES_NULL(vkonnx_tensor_create(NULL, &pair, &none), "device");
    REFUSES_NULL(vkonnx_tensor_create(device, NULL, &none), "desc");
    REFUSES_NULL(vkonnx_tensor_create(device, &pair, NULL), "result");
    REFUSES_NULL(vkonnx_tensor_upload(NULL, x_values, sizeof(x_values)), "tensor");
    REFUSES_NULL(vkonnx_tensor_download(NULL, NULL, 0), "tensor");
    REFUSES_NULL(vkonnx_tensor_view(NULL, &six, 1, &none), "tensor");
    REFUSES_NULL(vkonnx_tensor_part(problem->x, 0, NULL, &none), "desc");
    CHECK(none == NULL);
    vkonnx_tensor_destroy(flat);
    vkonnx_tensor_destroy(part);
    vkonnx_tensor_destroy(NULL);
}

/* Tests a recording that uploads the inputs and downloads the outputs by one submit with the run. */
static void test_copies(vkonnx_device* device, struct problem* problem, const vkonnx_binding* binding)
{
    vkonnx_recording* recording = NULL;
    size_t up = 99, down = 99, size = 0;
    void* to = NULL;
    const void* from = NULL;
    if (!OK(vkonnx_recording_create(device, &recording)))
        return;
    OK(vkonnx_recording_add_upload(recording, problem->x, &up));
    OK(vkonnx_recording_add(recording, binding));
    OK(vkonnx_recording_add_download(recording, problem->y, &down));
    CHECK(up == 0 && down == 1);
    for (int round = 1; round < 3; ++round) {
        if (!OK(vkonnx_recording_upload_bytes(recording, up, &to, &size)))
            break;
        CHECK(size == sizeof(x_values));
        for (int i = 0; i < 6; ++i)
            ((float*)to)[i] = (float)round * x_values[i];
        OK(vkonnx_recording_run(recording));
        if (!OK(vkonnx_recording_download_bytes(recording, down, &from, NULL)))
            break;
        for (int i = 0; i < 24; ++i)
            CHECK(((const float*)from)[i] == (float)round * x_values[i / 12 * 3 + i % 6 / 2]);
    }
    OK(vkonnx_recording_download_bytes(recording, down, &from, &size));
    CHECK(size == 24 * sizeof(float));
    SAYS(vkonnx_recording_upload_bytes(recording, down, &to, &size), VKONNX_INVALID_ARGUMENT,
         "Recording::upload_bytes: no upload has the number 1");
    REFUSES_NULL(vkonnx_recording_add_upload(recording, NULL, &up), "to");
    REFUSES_NULL(vkonnx_recording_add_download(recording, NULL, &down), "from");
    REFUSES_NULL(vkonnx_recording_add_download(recording, problem->y, NULL), "number");
    REFUSES_NULL(vkonnx_recording_upload_bytes(NULL, up, &to, &size), "recording");
    REFUSES_NULL(vkonnx_recording_download_bytes(recording, down, NULL, &size), "data");
    vkonnx_recording_destroy(recording);
    OK(vkonnx_tensor_upload(problem->x, x_values, sizeof(x_values)));
}

static void test_runs(vkonnx_device* device, struct problem* problem)
{
    const vkonnx_tensor_desc* descs[] = {&problem->x_desc, &problem->w_desc};
    const vkonnx_tensor* inputs[] = {problem->x, problem->w};
    const vkonnx_tensor* outputs[] = {problem->y};
    vkonnx_op* op = NULL;
    if (!OK(vkonnx_device_prepare(device, problem->op, descs, 2, NULL, &op)))
        return;
    CHECK(vkonnx_op_get_inputs(op)->count == 2 && vkonnx_op_get_inputs(op)->descs[1]->dims[2] == 2);
    CHECK(vkonnx_op_get_outputs(op)->count == 1 && vkonnx_op_get_outputs(op)->descs[0]->dims[3] == 6);
    CHECK(strncmp(vkonnx_op_get_explanation(op)->kernel, "conv_transpose_", 15) == 0);
    CHECK(!vkonnx_op_get_inputs(NULL) && !vkonnx_op_get_outputs(NULL) && !vkonnx_op_get_explanation(NULL));

    clear(problem);
    OK(vkonnx_device_run_op(device, op, inputs, 2, outputs, 1));
    check_doubled(problem);

    vkonnx_binding *binding = NULL, *none = NULL;
    if (!OK(vkonnx_device_bind(device, op, inputs, 2, outputs, 1, NULL, &binding)))
        return;
    clear(problem);
    OK(vkonnx_device_run(device, binding));
    check_doubled(problem);

    vkonnx_job* job = NULL;
    clear(problem);
    if (OK(vkonnx_device_submit(device, binding, &job))) {
        OK(vkonnx_job_wait(job, 60));
        CHECK(vkonnx_job_done(job));
        CHECK(vkonnx_job_gpu_seconds(job) >= 0 || !vkonnx_device_get_capabilities(device)->timestamps);
        check_doubled(problem);
    }
    vkonnx_job_destroy(job);
    vkonnx_job_destroy(NULL);
    CHECK(!vkonnx_job_done(NULL) && vkonnx_job_gpu_seconds(NULL) < 0);

    vkonnx_recording* recording = NULL;
    if (OK(vkonnx_recording_create(device, &recording))) {
        OK(vkonnx_recording_add(recording, binding));
        OK(vkonnx_recording_add(recording, binding));
        clear(problem);
        OK(vkonnx_recording_run(recording));
        check_doubled(problem);
        size_t count = 99;
        const double* seconds = vkonnx_recording_seconds(recording, &count);
        CHECK(count == (vkonnx_device_get_capabilities(device)->timestamps ? 2u : 0u));
        CHECK(count == 0 || seconds[0] >= 0);
        clear(problem);
        if (OK(vkonnx_recording_submit(recording, &job))) {
            OK(vkonnx_job_wait(job, 60));
            check_doubled(problem);
            vkonnx_job_destroy(job);
        }
    }
    test_copies(device, problem, binding);
    size_t nothing = 99;
    CHECK(vkonnx_recording_seconds(NULL, &nothing) == NULL && nothing == 0);

    const vkonnx_tensor* holes[] = {problem->x, NULL};
    SAYS(vkonnx_device_bind(device, op, holes, 2, outputs, 1, NULL, &none), VKONNX_INVALID_ARGUMENT,
         "vkonnx_device_bind: inputs[1] is NULL");
    SAYS(vkonnx_device_run_op(device, op, inputs, 2, NULL, 1), VKONNX_INVALID_ARGUMENT,
         "vkonnx_device_run_op: outputs is NULL, but counts 1 elements");
    vkonnx_status* status = vkonnx_device_run_op(device, op, inputs, 2, inputs, 1);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(status);
    REFUSES_NULL(vkonnx_device_prepare(NULL, problem->op, descs, 2, NULL, &op), "device");
    REFUSES_NULL(vkonnx_device_prepare(device, NULL, descs, 2, NULL, &op), "op");
    REFUSES_NULL(vkonnx_device_bind(device, NULL, inputs, 2, outputs, 1, NULL, &none), "op");
    REFUSES_NULL(vkonnx_device_run_op(device, NULL, inputs, 2, outputs, 1), "op");
    REFUSES_NULL(vkonnx_device_run(device, NULL), "binding");
    REFUSES_NULL(vkonnx_device_submit(device, binding, NULL), "result");
    REFUSES_NULL(vkonnx_job_wait(NULL, 0), "job");
    REFUSES_NULL(vkonnx_recording_create(NULL, &recording), "device");
    REFUSES_NULL(vkonnx_recording_add(recording, NULL), "binding");
    REFUSES_NULL(vkonnx_recording_run(NULL), "recording");
    REFUSES_NULL(vkonnx_recording_submit(recording, NULL), "result");
    CHECK(none == NULL);

    /* Handles are destroyed in no order, since an object that is in use keeps alive what it needs. */
    vkonnx_op_destroy(op);
    vkonnx_op_destroy(NULL);
    vkonnx_binding_destroy(binding);
    vkonnx_binding_destroy(NULL);
    clear(problem);
    OK(vkonnx_recording_run(recording));
    check_doubled(problem);
    vkonnx_recording_destroy(recording);
    vkonnx_recording_destroy(NULL);
}

/* Tests a constant W, an epilogue, a named kernel and scratch memory: y = min(2x, 7) for x up to 6. */
static void test_prepare_options(vkonnx_device* device, struct problem* problem)
{
    const float twos[] = {2, 2, 2, 2};
    OK(vkonnx_tensor_upload(problem->w, twos, sizeof(twos)));
    vkonnx_operator* clip = NULL;
    OK(vkonnx_operator_create("", "Clip", &clip));
    OK(vkonnx_operator_set_float(clip, "max", 7));
    const vkonnx_constant_input constant = {.struct_size = sizeof(constant), .input = 1, .tensor = problem->w};
    const vkonnx_constant_input* constants[] = {&constant};
    vkonnx_prepare_options options = {.struct_size = sizeof(options),
                                      .kernel = "conv_transpose_direct",
                                      .max_dispatch_seconds = 0.25,
                                      .constants = constants,
                                      .constant_count = 1,
                                      .epilogue = clip};
    const vkonnx_tensor_desc* descs[] = {&problem->x_desc, &problem->w_desc};
    const vkonnx_tensor *inputs[] = {problem->x}, *outputs[] = {problem->y};
    vkonnx_op* op = NULL;
    if (OK(vkonnx_device_prepare(device, problem->op, descs, 2, &options, &op))) {
        CHECK_TEXT(vkonnx_op_get_explanation(op)->kernel, "conv_transpose_direct_f32");
        OK(vkonnx_device_run_op(device, op, inputs, 1, outputs, 1));
        float y[24] = {0};
        OK(vkonnx_tensor_download(problem->y, y, sizeof(y)));
        for (int i = 0; i < 24; ++i) {
            const float twice = 2 * x_values[i / 12 * 3 + i % 6 / 2];
            CHECK(y[i] == (twice < 7 ? twice : 7));
        }
    }
    vkonnx_op_destroy(op);
    op = NULL;
    const vkonnx_constant_input* hole[] = {NULL};
    options.constants = hole;
    SAYS(vkonnx_device_prepare(device, problem->op, descs, 2, &options, &op), VKONNX_INVALID_ARGUMENT,
         "vkonnx_prepare_options::constants[0] is NULL");
    options.constant_count = 0;
    options.kernel = "conv_transpose_by_hand";
    vkonnx_status* status = vkonnx_device_prepare(device, problem->op, descs, 2, &options, &op);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT &&
          strstr(vkonnx_status_message(status), "conv_transpose_direct"));
    vkonnx_status_destroy(status);
    options.kernel = NULL;
    options.max_dispatch_seconds = -1;
    status = vkonnx_device_prepare(device, problem->op, descs, 2, &options, &op);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(status);
    CHECK(op == NULL);
    vkonnx_operator_destroy(clip);
}

struct source {
    int calls;
    vkonnx_code fails; /* VKONNX_OK: it does not fail */
};

static vkonnx_status* fill_with_ones(void* user, vkonnx_tensor* to)
{
    struct source* source = user;
    ++source->calls;
    CHECK(vkonnx_tensor_get_desc(to)->dims[3] == 2);
    if (source->fails != VKONNX_OK)
        return vkonnx_status_create(source->fails, "the source is dry");
    return vkonnx_tensor_upload(to, w_values, sizeof(w_values));
}

/* A kernel that is not the fastest, but takes less than twice the time, is taken where its pipelines are there already. */
static void test_built(void)
{
    vkonnx_operator* pool = NULL;
    vkonnx_capabilities* desktop = NULL;
    OK(vkonnx_operator_create("", "AveragePool", &pool));
    OK(vkonnx_capabilities_preset("desktop", &desktop));
    const int64_t window[] = {3, 3}, dims[] = {1, 4, 7, 9};
    const vkonnx_tensor_desc x = FLOATS(4, dims);
    const vkonnx_tensor_desc* inputs[] = {&x};
    OK(vkonnx_operator_set_ints(pool, "kernel_shape", window, 2));
    const vkonnx_explanation *free = NULL, *other = NULL, *again = NULL;
    const vkonnx_kernel_infos* kernels = NULL;
    if (!OK(vkonnx_explain(pool, inputs, 1, desktop, NULL, &free)) ||
        !OK(vkonnx_kernels(pool, inputs, 1, desktop, NULL, &kernels)))
        exit(1);
    vkonnx_prepare_options options = {.struct_size = sizeof(options)};
    for (size_t i = 0; i < kernels->count; ++i) {
        const vkonnx_kernel_info* kernel = kernels->kernels[i];
        if (!kernel->unfit[0] && !kernel->last_resort && kernel->seconds > free->seconds && kernel->seconds < 2 * free->seconds)
            options.kernel = kernel->name;
    }
    CHECK(options.kernel != NULL);
    if (OK(vkonnx_explain(pool, inputs, 1, desktop, &options, &other))) {
        CHECK(strcmp(other->kernel, free->kernel) != 0);
        options.kernel = NULL;
        options.built = other->pipelines;
        options.built_count = other->pipeline_count;
        if (OK(vkonnx_explain(pool, inputs, 1, desktop, &options, &again)))
            CHECK_TEXT(again->kernel, other->kernel);
        vkonnx_explanation_destroy(again);
    }
    const vkonnx_pipeline* hole[] = {NULL};
    options.built = hole;
    options.built_count = 1;
    SAYS(vkonnx_explain(pool, inputs, 1, desktop, &options, &again), VKONNX_INVALID_ARGUMENT,
         "vkonnx_prepare_options::built[0] is NULL");
    vkonnx_explanation_destroy(other);
    vkonnx_explanation_destroy(free);
    vkonnx_kernel_infos_destroy(kernels);
    vkonnx_capabilities_destroy(desktop);
    vkonnx_operator_destroy(pool);
}

/* Tests weights that the library asks for while it prepares, and a staging that gathers what is sent. */
static void test_weights(vkonnx_device* device, struct problem* problem)
{
    struct source source = {0, VKONNX_OK};
    vkonnx_weights *weights = NULL, *none = NULL;
    vkonnx_staging* staging = NULL;
    if (!OK(vkonnx_weights_create(device, &problem->w_desc, fill_with_ones, &source, &weights)) ||
        !OK(vkonnx_staging_create(device, &staging)))
        return;
    const vkonnx_constant_input constant = {.struct_size = sizeof(constant), .input = 1, .weights = weights};
    const vkonnx_constant_input* constants[] = {&constant};
    vkonnx_prepare_options options = {.struct_size = sizeof(options),
                                      .kernel = "conv_transpose_direct",
                                      .constants = constants,
                                      .constant_count = 1,
                                      .staging = staging};
    const vkonnx_tensor_desc* descs[] = {&problem->x_desc, &problem->w_desc};
    const vkonnx_tensor *inputs[] = {problem->x}, *outputs[] = {problem->y};
    vkonnx_op* op = NULL;
    CHECK(source.calls == 0);
    if (OK(vkonnx_device_prepare(device, problem->op, descs, 2, &options, &op))) {
        CHECK(source.calls == 1);
        OK(vkonnx_staging_finish(staging));
        clear(problem);
        OK(vkonnx_device_run_op(device, op, inputs, 1, outputs, 1));
        check_doubled(problem);
    }

    vkonnx_op_destroy(op);
    op = NULL;

    source.fails = VKONNX_IO;
    SAYS(vkonnx_device_prepare(device, problem->op, descs, 2, &options, &op), VKONNX_IO, "the source is dry");
    CHECK(op == NULL && source.calls == 2);
    REFUSES_NULL(vkonnx_weights_create(NULL, &problem->w_desc, fill_with_ones, &source, &none), "device");
    REFUSES_NULL(vkonnx_weights_create(device, NULL, fill_with_ones, &source, &none), "desc");
    REFUSES_NULL(vkonnx_weights_create(device, &problem->w_desc, NULL, &source, &none), "fill");
    REFUSES_NULL(vkonnx_weights_create(device, &problem->w_desc, fill_with_ones, &source, NULL), "result");
    REFUSES_NULL(vkonnx_staging_create(NULL, &staging), "device");
    REFUSES_NULL(vkonnx_staging_finish(NULL), "staging");
    CHECK(none == NULL);
    vkonnx_staging_destroy(staging);
    vkonnx_staging_destroy(NULL);
    vkonnx_weights_destroy(weights);
    vkonnx_weights_destroy(NULL);
}

static void test_told(vkonnx_device* device)
{
    const vkonnx_device_info* info = vkonnx_device_get_info(device);
    CHECK(info->name[0] && info->driver[0] && strlen(info->uuid) == 32 && info->vendor_id > 0 && info->api_version[0] >= 1 &&
          !info->rejected[0]);
    CHECK(info->capabilities == vkonnx_device_get_capabilities(device) && info->capabilities->work_per_second > 0);

    vkonnx_memory_use memory = {.struct_size = sizeof(memory)};
    OK(vkonnx_device_memory(device, &memory));
    CHECK(memory.used > 0 && memory.allocated >= memory.used && memory.peak_used >= memory.used && memory.limit == 0);
    memory = (vkonnx_memory_use){.struct_size = offsetof(vkonnx_memory_use, peak_used), .peak_used = 7};
    OK(vkonnx_device_memory(device, &memory)); /* an older program's struct is not written beyond its end */
    CHECK(memory.used > 0 && memory.peak_used == 7 && memory.struct_size == offsetof(vkonnx_memory_use, peak_used));
    memory.struct_size = 0;
    vkonnx_status* status = vkonnx_device_memory(device, &memory);
    CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT);
    vkonnx_status_destroy(status);
    REFUSES_NULL(vkonnx_device_memory(device, NULL), "result");

    vkonnx_peaks peaks = {.struct_size = sizeof(peaks)};
    OK(vkonnx_device_measure_peaks(device, &peaks));
    CHECK(peaks.flops_f32 > 1e6 && peaks.copy_bytes_per_second > 1e6);
    REFUSES_NULL(vkonnx_device_measure_peaks(NULL, &peaks), "device");

    char* tunings = NULL;
    if (OK(vkonnx_device_tunings(device, &tunings)))
        CHECK_TEXT(tunings, "");
    vkonnx_string_destroy(tunings);
    REFUSES_NULL(vkonnx_device_tunings(device, NULL), "text");
}

/* This struct holds a cache of one entry in memory. */
struct kept {
    char name[64];
    unsigned char bytes[1 << 20];
    size_t size;
    int stores;
};

static size_t load_kept(void* user, const char* name, void* bytes, size_t size)
{
    const struct kept* kept = user;
    if (strcmp(kept->name, name) != 0)
        return 0;
    if (bytes && size == kept->size)
        memcpy(bytes, kept->bytes, size);
    return kept->size;
}

static void store_kept(void* user, const char* name, const void* bytes, size_t size)
{
    struct kept* kept = user;
    if (strlen(name) >= sizeof(kept->name) || size > sizeof(kept->bytes))
        return;
    strcpy(kept->name, name);
    memcpy(kept->bytes, bytes, size);
    kept->size = size;
    ++kept->stores;
}

/* Tests that the next device reads what one device has stored in the cache. */
static void test_cache(const char* index)
{
    static struct kept kept;
    memset(&kept, 0, sizeof(kept));
    vkonnx_device_options options = {
        .struct_size = sizeof(options), .select = index, .load_cache = load_kept, .store_cache = store_kept, .cache_user = &kept};
    for (int turn = 0; turn < 2; ++turn) {
        vkonnx_device* device = NULL;
        const vkonnx_cache_use* use = NULL;
        if (!OK(vkonnx_device_open(&options, &device)))
            return;
        OK(vkonnx_device_save_cache(device));
        CHECK(kept.stores == 1);
        if (OK(vkonnx_device_cache_use(device, &use))) {
            CHECK(strcmp(use->place, kept.name) == 0);
            CHECK(strcmp(use->missed, turn == 0 ? "nothing was kept" : "") == 0);
            CHECK(strcmp(use->unwritten, "") == 0);
            CHECK(use->read_bytes == (turn == 0 ? 0 : kept.size));
            CHECK(use->written_bytes == (turn == 0 ? kept.size : 0));
            CHECK(use->writes == (turn == 0 ? 1u : 0u));
            vkonnx_cache_use_destroy(use);
        }
        vkonnx_device_destroy(device);
    }
    vkonnx_device* device = NULL;
    options.cache_folder = "x";
    SAYS(vkonnx_device_open(&options, &device), VKONNX_INVALID_ARGUMENT,
         "DeviceOptions::cache_folder and load_cache are both given, but only one can be used");
    char* folder = NULL;
    if (OK(vkonnx_default_cache_folder(&folder)))
        vkonnx_string_destroy(folder);
    const vkonnx_cache_use* use = NULL;
    REFUSES_NULL(vkonnx_device_cache_use(NULL, &use), "device");
    REFUSES_NULL(vkonnx_device_save_cache(NULL), "device");
    REFUSES_NULL(vkonnx_default_cache_folder(NULL), "text");
    vkonnx_cache_use_destroy(NULL);
}

/* Tests lowered capabilities, a bound on memory, a listener and tuning, whose result is given to the next device. */
static void test_options(const char* index, const struct problem* problem)
{
    vkonnx_capabilities* minimum = NULL;
    OK(vkonnx_capabilities_preset("minimum", &minimum));
    struct messages messages = {0, true};
    vkonnx_device_options options = {.struct_size = sizeof(options),
                                     .select = index,
                                     .capabilities = minimum,
                                     .timeout_seconds = 300,
                                     .max_memory = 1 << 20,
                                     .max_cached_pipelines = -1,
                                     .log = on_message,
                                     .log_user = &messages,
                                     .work_per_second = 12345678};
    vkonnx_device* device = NULL;
    if (!OK(vkonnx_device_open(&options, &device)))
        return;
    vkonnx_capabilities_destroy(minimum);
    CHECK(vkonnx_device_get_capabilities(device)->work_per_second == 12345678);
    CHECK(vkonnx_device_get_capabilities(device)->max_invocations <= 128);
    CHECK(messages.ended);
    const int64_t million[] = {1, 1, 1000, 1000};
    const vkonnx_tensor_desc large = FLOATS(4, million);
    vkonnx_tensor* tensor = NULL;
    vkonnx_status* status = vkonnx_tensor_create(device, &large, &tensor);
    CHECK(vkonnx_status_code(status) == VKONNX_OUT_OF_MEMORY && tensor == NULL);
    vkonnx_status_destroy(status);

    /* Tensors of another device must be refused. */
    const vkonnx_tensor_desc* descs[] = {&problem->x_desc, &problem->w_desc};
    const vkonnx_tensor *inputs[] = {problem->x, problem->w}, *outputs[] = {problem->y};
    vkonnx_op* op = NULL;
    if (OK(vkonnx_device_prepare(device, problem->op, descs, 2, NULL, &op))) {
        status = vkonnx_device_run_op(device, op, inputs, 2, outputs, 1);
        CHECK(vkonnx_status_code(status) == VKONNX_INVALID_ARGUMENT && strstr(vkonnx_status_message(status), "another device"));
        vkonnx_status_destroy(status);
    }
    /* The problem is large enough that it is worth a run to time more than one kernel. */
    const int64_t pictures[] = {1, 16, 32, 32}, filters[] = {16, 16, 2, 2};
    const vkonnx_tensor_desc x = FLOATS(4, pictures), w = FLOATS(4, filters);
    const vkonnx_tensor_desc* to_tune[] = {&x, &w};
    const vkonnx_prepare_options tune = {.struct_size = sizeof(tune), .tune = true};
    vkonnx_op* tuned = NULL;
    OK(vkonnx_device_prepare(device, problem->op, to_tune, 2, &tune, &tuned));
    vkonnx_op_destroy(tuned);
    char* tunings = NULL;
    if (OK(vkonnx_device_tunings(device, &tunings)))
        CHECK(strncmp(tunings, "conv_transpose_", 15) == 0);
    vkonnx_string_destroy(tunings);
    vkonnx_device_destroy(device); /* the op works on without this handle */
    CHECK(vkonnx_op_get_outputs(op)->count == 1);
    vkonnx_op_destroy(op);
}

/* Tests the compiler's statistics of a pipeline, where the driver has any. */
static void test_compile(const char* index, const struct problem* problem)
{
    const vkonnx_device_options options = {.struct_size = sizeof(options), .select = index, .compiler_statistics = true};
    vkonnx_device* device = NULL;
    vkonnx_status* status = vkonnx_device_open(&options, &device);
    const vkonnx_compiled_programs* programs = NULL;
    const vkonnx_tensor_desc* descs[] = {&problem->x_desc, &problem->w_desc};
    const vkonnx_explanation* explanation = NULL;
    vkonnx_capabilities* minimum = NULL;
    OK(vkonnx_capabilities_preset("minimum", &minimum));
    OK(vkonnx_explain(problem->op, descs, 2, minimum, NULL, &explanation));
    if (status) {
        CHECK(vkonnx_status_code(status) == VKONNX_UNSUPPORTED);
        REFUSES_NULL(vkonnx_device_compile(device, explanation, 0, &programs), "device");
    } else {
        if (OK(vkonnx_device_compile(device, explanation, 0, &programs))) {
            CHECK(programs->count >= 1 && programs->programs[0]->struct_size == sizeof(vkonnx_compiled_program));
            for (size_t i = 0; i < programs->programs[0]->statistic_count; ++i)
                CHECK(programs->programs[0]->statistics[i]->name[0] != '\0');
            for (size_t i = 0; i < programs->programs[0]->text_count; ++i)
                CHECK(programs->programs[0]->texts[i]->name[0] != '\0');
        }
        vkonnx_compiled_programs_destroy(programs);
        char sentence[100];
        snprintf(sentence, sizeof(sentence), "vkonnx_device_compile: pipeline %zu, but the explanation has %zu",
                 explanation->pipeline_count, explanation->pipeline_count);
        SAYS(vkonnx_device_compile(device, explanation, explanation->pipeline_count, &programs), VKONNX_INVALID_ARGUMENT,
             sentence);
    }
    vkonnx_compiled_programs_destroy(NULL);
    vkonnx_explanation_destroy(explanation);
    vkonnx_capabilities_destroy(minimum);
    vkonnx_status_destroy(status);
    vkonnx_device_destroy(device);
}

void test_device(vkonnx_device* device)
{
    char index[20];
    snprintf(index, sizeof(index), "%u", (unsigned)vkonnx_device_get_info(device)->index);
    struct problem problem = make_problem(device);
    test_tensors(device, &problem);
    test_runs(device, &problem);
    test_weights(device, &problem);
    test_built();
    test_prepare_options(device, &problem);
    test_told(device);
    test_cache(index);
    test_options(index, &problem);
    test_compile(index, &problem);
    vkonnx_operator_destroy(problem.op);
    vkonnx_tensor_destroy(problem.x);
    vkonnx_tensor_destroy(problem.w);
    vkonnx_tensor_destroy(problem.y);
}
