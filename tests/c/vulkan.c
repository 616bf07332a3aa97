/* This file tests vkonnx inside a Vulkan program. A small engine lends its device, its buffer and its command buffer. */
#include "test.h"

#include <dlfcn.h>
#include <stdlib.h>

#define VK_NO_PROTOTYPES
#include <vkonnx/vulkan.h>

#define INSTANCE_FUNCTIONS(X)                                                                                                    \
    X(vkDestroyInstance)                                                                                                         \
    X(vkEnumeratePhysicalDevices)                                                                                                \
    X(vkGetPhysicalDeviceMemoryProperties)                                                                                       \
    X(vkCreateDevice)                                                                                                            \
    X(vkGetDeviceProcAddr)

#define DEVICE_FUNCTIONS(X)                                                                                                      \
    X(vkDestroyDevice)                                                                                                           \
    X(vkGetDeviceQueue)                                                                                                          \
    X(vkDeviceWaitIdle)                                                                                                          \
    X(vkQueueSubmit)                                                                                                             \
    X(vkCreateCommandPool)                                                                                                       \
    X(vkDestroyCommandPool)                                                                                                      \
    X(vkAllocateCommandBuffers)                                                                                                  \
    X(vkBeginCommandBuffer)                                                                                                      \
    X(vkEndCommandBuffer)                                                                                                        \
    X(vkCreateBuffer)                                                                                                            \
    X(vkDestroyBuffer)                                                                                                           \
    X(vkGetBufferMemoryRequirements)                                                                                             \
    X(vkAllocateMemory)                                                                                                          \
    X(vkFreeMemory)                                                                                                              \
    X(vkBindBufferMemory)                                                                                                        \
    X(vkCreateFence)                                                                                                             \
    X(vkDestroyFence)                                                                                                            \
    X(vkGetFenceStatus)                                                                                                          \
    X(vkCreateSemaphore)                                                                                                         \
    X(vkDestroySemaphore)

#define X(name) static PFN_##name name;
INSTANCE_FUNCTIONS(X)
DEVICE_FUNCTIONS(X)
#undef X

static PFN_vkGetInstanceProcAddr get_instance_proc_addr;
static const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;

struct engine {
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    VkCommandPool pool;
    VkBuffer buffer; /* 4 KiB */
    VkDeviceMemory memory;
    VkFence fence;
    VkSemaphore semaphore;
};

static void must(VkResult result, const char* call)
{
    if (result == VK_SUCCESS)
        return;
    printf("FAILED: %s gave %d\n", call, (int)result);
    exit(1);
}

/* Returns the loader's function. The pointer comes from dlsym, and C has no cast for it. */
static PFN_vkGetInstanceProcAddr system_loader(void)
{
    void* library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    void* symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    PFN_vkGetInstanceProcAddr function = NULL;
    if (symbol)
        memcpy(&function, &symbol, sizeof(function));
    return function;
}

static VkInstance create_instance(void)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance = VK_NULL_HANDLE;
    must(((PFN_vkCreateInstance)get_instance_proc_addr(NULL, "vkCreateInstance"))(&info, NULL, &instance), "vkCreateInstance");
#define X(name) name = (PFN_##name)get_instance_proc_addr(instance, #name);
    INSTANCE_FUNCTIONS(X)
#undef X
    return instance;
}

/* Creates a device with everything optional that vkonnx can use. */
static void create_device(struct engine* engine, const vkonnx_vulkan_requirements* needs, VkPhysicalDeviceFeatures2* features)
{
    const char* extensions[32] = {NULL};
    uint32_t count = 0;
    for (size_t i = 0; i < needs->extension_count; ++i)
        extensions[count++] = needs->extensions[i];
    for (size_t i = 0; i < needs->optional_extension_count && count < 32; ++i)
        extensions[count++] = needs->optional_extensions[i];
    engine->queue_family = needs->queue_families[0];
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = engine->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = count,
                                     .ppEnabledExtensionNames = extensions};
    must(vkCreateDevice(engine->physical_device, &info, NULL, &engine->device), "vkCreateDevice");
#define X(name) name = (PFN_##name)vkGetDeviceProcAddr(engine->device, #name);
    DEVICE_FUNCTIONS(X)
#undef X
    vkGetDeviceQueue(engine->device, engine->queue_family, 0, &engine->queue);
}

static void create_objects(struct engine* engine)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = engine->queue_family};
    must(vkCreateCommandPool(engine->device, &pool, NULL, &engine->pool), "vkCreateCommandPool");
    const VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096, .usage = usage};
    must(vkCreateBuffer(engine->device, &buffer, NULL, &engine->buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    VkPhysicalDeviceMemoryProperties types;
    vkGetBufferMemoryRequirements(engine->device, engine->buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(engine->physical_device, &types);
    uint32_t type = 0;
    while (type + 1 < types.memoryTypeCount && !(needs.memoryTypeBits >> type & 1))
        ++type;
    const VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    must(vkAllocateMemory(engine->device, &memory, NULL, &engine->memory), "vkAllocateMemory");
    must(vkBindBufferMemory(engine->device, engine->buffer, engine->memory, 0), "vkBindBufferMemory");
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    must(vkCreateFence(engine->device, &fence, NULL, &engine->fence), "vkCreateFence");
    must(vkCreateSemaphore(engine->device, &semaphore, NULL, &engine->semaphore), "vkCreateSemaphore");
}

static void destroy(struct engine* engine)
{
    vkDeviceWaitIdle(engine->device);
    vkDestroySemaphore(engine->device, engine->semaphore, NULL);
    vkDestroyFence(engine->device, engine->fence, NULL);
    vkDestroyBuffer(engine->device, engine->buffer, NULL);
    vkFreeMemory(engine->device, engine->memory, NULL);
    vkDestroyCommandPool(engine->device, engine->pool, NULL);
    vkDestroyDevice(engine->device, NULL);
}

static void submit(struct engine* engine, VkCommandBuffer commands)
{
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    must(vkQueueSubmit(engine->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkDeviceWaitIdle(engine->device), "vkDeviceWaitIdle");
}

static VkCommandBuffer begin(struct engine* engine)
{
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = engine->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    must(vkAllocateCommandBuffers(engine->device, &allocate, &commands), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
    return commands;
}

struct lock {
    int depth;
    int times;
};

static void lock_queue(void* user)
{
    struct lock* lock = user;
    CHECK(++lock->depth == 1);
    ++lock->times;
}

static void unlock_queue(void* user)
{
    CHECK(--((struct lock*)user)->depth == 0);
}

/* Negates (1, ..., 8), wrapped at byte 1024, and writes at byte 2048 of the engine's buffer, in each way that there is. */
static void test_work(struct engine* engine, vkonnx_device* device)
{
    const int64_t eight = 8;
    const vkonnx_tensor_desc desc = FLOATS(1, &eight);
    const vkonnx_tensor_desc* descs[] = {&desc};
    vkonnx_vulkan_buffer slice = {
        .struct_size = sizeof(slice), .buffer = engine->buffer, .offset = 1024, .size = 32, .usage = usage};
    vkonnx_tensor *x = NULL, *y = NULL, *none = NULL;
    OK(vkonnx_vulkan_wrap(device, &slice, &desc, &x));
    slice.offset = 2048;
    OK(vkonnx_vulkan_wrap(device, &slice, &desc, &y));
    slice.offset = 2050;
    vkonnx_status* status = vkonnx_vulkan_wrap(device, &slice, &desc, &none);
    CHECK(vkonnx_status_code(status) == VKONNX_UNSUPPORTED && strstr(vkonnx_status_message(status), "2050"));
    vkonnx_status_destroy(status);
    REFUSES_NULL(vkonnx_vulkan_wrap(device, NULL, &desc, &none), "slice");

    vkonnx_operator* negate = NULL;
    vkonnx_op* op = NULL;
    vkonnx_binding* binding = NULL;
    vkonnx_recording* recording = NULL;
    const vkonnx_tensor *inputs[] = {x}, *outputs[] = {y};
    OK(vkonnx_operator_create("", "Neg", &negate));
    OK(vkonnx_device_prepare(device, negate, descs, 1, NULL, &op));
    OK(vkonnx_device_bind(device, op, inputs, 1, outputs, 1, NULL, &binding));
    OK(vkonnx_recording_create(device, &recording));
    OK(vkonnx_recording_add(recording, binding));
    if (!binding || !recording)
        exit(1);

    const vkonnx_vulkan_record_flags both = VKONNX_VULKAN_BARRIER_BEFORE | VKONNX_VULKAN_BARRIER_AFTER;
    VkCommandBuffer commands[] = {begin(engine), begin(engine)};
    OK(vkonnx_vulkan_record_binding(commands[0], binding, both));
    OK(vkonnx_vulkan_record_recording(commands[1], recording, both));
    REFUSES_NULL(vkonnx_vulkan_record_binding(NULL, binding, 0), "commands");
    REFUSES_NULL(vkonnx_vulkan_record_recording(commands[1], NULL, 0), "recording");
    SAYS(vkonnx_vulkan_record_binding(commands[0], binding, 4), VKONNX_INVALID_ARGUMENT,
         "vkonnx_vulkan_record_binding: flags 4, expected a sum of VKONNX_VULKAN_BARRIER_BEFORE and VKONNX_VULKAN_BARRIER_AFTER");
    must(vkEndCommandBuffer(commands[0]), "vkEndCommandBuffer");
    must(vkEndCommandBuffer(commands[1]), "vkEndCommandBuffer");

    for (int way = 0; way < 4; ++way) {
        float values[8], got[8] = {0};
        for (int i = 0; i < 8; ++i)
            values[i] = (float)(i + 1 + 10 * way);
        OK(vkonnx_tensor_upload(x, values, sizeof(values)));
        OK(vkonnx_tensor_upload(y, got, sizeof(got)));
        vkonnx_job* job = NULL;
        if (way < 2) {
            submit(engine, commands[way]);
        } else if (way == 2) { /* signals a semaphore and a fence */
            const vkonnx_vulkan_semaphore point = {sizeof(point), engine->semaphore, 0};
            const vkonnx_vulkan_semaphore* points[] = {&point};
            const vkonnx_vulkan_submit_options options = {
                .struct_size = sizeof(options), .signal = points, .signal_count = 1, .fence = engine->fence};
            OK(vkonnx_vulkan_submit_binding(device, binding, &options, &job));
        } else { /* waits for the semaphore that the way before has signalled */
            const vkonnx_vulkan_semaphore point = {sizeof(point), engine->semaphore, 0};
            const vkonnx_vulkan_semaphore* points[] = {&point};
            const vkonnx_vulkan_submit_options options = {.struct_size = sizeof(options), .wait = points, .wait_count = 1};
            OK(vkonnx_vulkan_submit_recording(recording, &options, &job));
        }
        if (way >= 2)
            OK(vkonnx_job_wait(job, 60));
        if (way == 2) {
            vkDeviceWaitIdle(engine->device);
            CHECK(vkGetFenceStatus(engine->device, engine->fence) == VK_SUCCESS);
        }
        vkonnx_job_destroy(job);
        OK(vkonnx_tensor_download(y, got, sizeof(got)));
        for (int i = 0; i < 8; ++i)
            CHECK(got[i] == -values[i]);
    }
    const vkonnx_vulkan_semaphore* hole[] = {NULL};
    const vkonnx_vulkan_submit_options holed = {.struct_size = sizeof(holed), .wait = hole, .wait_count = 1};
    vkonnx_job* no_job = NULL;
    SAYS(vkonnx_vulkan_submit_binding(device, binding, &holed, &no_job), VKONNX_INVALID_ARGUMENT,
         "vkonnx_vulkan_submit_options::wait[0] is NULL");
    REFUSES_NULL(vkonnx_vulkan_submit_binding(device, NULL, NULL, &no_job), "binding");
    REFUSES_NULL(vkonnx_vulkan_submit_recording(NULL, NULL, &no_job), "recording");
    CHECK(none == NULL && no_job == NULL);

    vkonnx_recording_destroy(recording);
    vkonnx_binding_destroy(binding);
    vkonnx_op_destroy(op);
    vkonnx_operator_destroy(negate);
    vkonnx_tensor_destroy(x);
    vkonnx_tensor_destroy(y);
}

static void test_adopted(VkInstance instance, VkPhysicalDevice physical_device)
{
    struct engine engine = {.physical_device = physical_device};
    vkonnx_vulkan_requirements* needs = NULL;
    if (!OK(vkonnx_vulkan_get_requirements(get_instance_proc_addr, instance, physical_device, 0, &needs)))
        return;
    CHECK(needs->api_version == VK_API_VERSION_1_1 && needs->queue_family_count >= 1);
    VkPhysicalDeviceShaderFloat16Int8Features halves = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &halves};
    needs->optional_features.shaderFloat64 = VK_FALSE; /* the program may leave it out */
    OK(vkonnx_vulkan_add_features(needs, &features));
    CHECK(!features.features.shaderFloat64 &&
          features.features.robustBufferAccess == needs->optional_features.robustBufferAccess);
    REFUSES_NULL(vkonnx_vulkan_add_features(needs, NULL), "enabled");
    create_device(&engine, needs, &features);
    create_objects(&engine);

    struct lock lock = {0, 0};
    const char* hole[] = {NULL};
    vkonnx_vulkan_device adopted = {.struct_size = sizeof(adopted),
                                    .get_instance_proc_addr = get_instance_proc_addr,
                                    .instance = instance,
                                    .physical_device = physical_device,
                                    .device = engine.device,
                                    .queue = engine.queue,
                                    .queue_family = engine.queue_family,
                                    .device_extensions = hole,
                                    .device_extension_count = 1,
                                    .features_chain = &features,
                                    .lock_queue = lock_queue,
                                    .unlock_queue = unlock_queue,
                                    .queue_user = &lock};
    vkonnx_device* device = NULL;
    SAYS(vkonnx_vulkan_adopt(&adopted, NULL, &device), VKONNX_INVALID_ARGUMENT,
         "vkonnx_vulkan_device::device_extensions[0] is NULL");
    REFUSES_NULL(vkonnx_vulkan_adopt(NULL, NULL, &device), "adopted");
    REFUSES_NULL(vkonnx_vulkan_adopt(&adopted, NULL, NULL), "result");
    adopted.device_extensions = needs->optional_extensions;
    adopted.device_extension_count = needs->optional_extension_count;
    if (OK(vkonnx_vulkan_adopt(&adopted, NULL, &device))) {
        CHECK(!vkonnx_device_get_capabilities(device)->float64);
        CHECK(vkonnx_device_get_capabilities(device)->float16 == (halves.shaderFloat16 == VK_TRUE)); /* lavapipe has it */
        test_work(&engine, device);
        CHECK(lock.times > 0 && lock.depth == 0);
    }
    vkonnx_device_destroy(device);
    vkonnx_vulkan_requirements_destroy(needs);
    destroy(&engine);
}

void test_vulkan(void)
{
    vkonnx_vulkan_requirements* any = NULL;
    OK(vkonnx_vulkan_get_requirements(NULL, NULL, NULL, 0, &any));
    CHECK(any->struct_size == sizeof(*any) && any->buffer_usage == VK_BUFFER_USAGE_STORAGE_BUFFER_BIT &&
          any->offset_alignment == 256);
    CHECK(any->queue_flags == VK_QUEUE_COMPUTE_BIT && any->optional_instance_extension_count == 1);
    vkonnx_vulkan_requirements_destroy(any);
    vkonnx_vulkan_requirements_destroy(NULL);
    REFUSES_NULL(vkonnx_vulkan_get_requirements(NULL, NULL, NULL, 0, NULL), "result");

    get_instance_proc_addr = system_loader();
    CHECK(get_instance_proc_addr != NULL);
    if (!get_instance_proc_addr)
        return;
    const VkInstance instance = create_instance();
    VkPhysicalDevice devices[8];
    uint32_t count = COUNT(devices);
    vkEnumeratePhysicalDevices(instance, &count, devices);
    CHECK(count > 0);
    for (uint32_t i = 0; i < count; ++i)
        test_adopted(instance, devices[i]);
    vkDestroyInstance(instance, NULL);

    /* Here the library opens a device of its own with the loader that it is given. */
    const vkonnx_device_options options = {
        .struct_size = sizeof(options), .get_instance_proc_addr = (void (*)(void))get_instance_proc_addr, .no_self_test = true};
    vkonnx_device* device = NULL;
    if (OK(vkonnx_device_open(&options, &device)))
        CHECK(!vkonnx_device_get_capabilities(device)->rounds_to_nearest); /* only the self-test finds this out */
    vkonnx_device_destroy(device);
}
