// SPDX-License-Identifier: Apache-2.0
// An Intel GPU that isn't there: a library for LD_PRELOAD that answers what Mesa's Vulkan driver (ANV) asks of libdrm and of the
// kernel, so that it lists a device, makes a VkDevice and compiles. Nothing runs: a submission does nothing and counts as done at
// once.
//
//   cc -O1 -shared -fPIC -o libintel_stub.so intel_stub.c -idirafter FOLDER      FOLDER/drm/xe_drm.h: linux-libc-dev of Linux 6.8
//   or later INTEL_GPU_ID=9a49 LD_PRELOAD=./libintel_stub.so VK_ICD_FILENAMES=.../intel_icd.json PROGRAM
//
// INTEL_GPU_ID is a PCI device id of the table below (9a49, Tiger Lake, where it isn't set); another chip takes one more row.
// Chips from Tiger Lake on answer as the kernel's driver xe, older ones, which xe doesn't know, as i915. INTEL_STUB_TRACE=1
// writes each call to stderr.
//
// Buffers are stretches of one sparse memory file, which is also what opening the device's node gives: mapping it needs no help
// from here. They are not given back before the process ends.
#define _GNU_SOURCE
#include <drm/drm.h>
#include <drm/i915_drm.h>
#include <drm/xe_drm.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// What the compiler and the limits depend on and the driver's own table doesn't tell: of a full chip of that id. By "subslice" is
// meant what Intel calls so up to Ice Lake, a dual subslice from Tiger Lake on, and an Xe core from DG2 on.
struct chip {
    uint16_t id;
    bool xe;
    uint16_t slices, subslices, eus, threads;  // of the chip, a slice, a subslice, an EU
    uint16_t version, release, revision;       // of the graphics IP: asked from Xe2 on
    uint16_t vram;                             // GiB; 0: the system's memory
};
static const struct chip chips[] = {
    {0x1912, false, 1, 3, 8, 7, 9, 0, 6, 0},     // Skylake GT2, HD Graphics 530
    {0x5917, false, 1, 3, 8, 7, 9, 0, 2, 0},     // Kaby Lake GT2, UHD Graphics 620
    {0x3e92, false, 1, 3, 8, 7, 9, 0, 2, 0},     // Coffee Lake GT2, UHD Graphics 630
    {0x8a52, false, 1, 8, 8, 7, 11, 0, 7, 0},    // Ice Lake GT2, Iris Plus
    {0x9a49, true, 1, 6, 16, 7, 12, 0, 1, 0},    // Tiger Lake GT2, Iris Xe
    {0x46a6, true, 1, 6, 16, 7, 12, 0, 12, 0},   // Alder Lake P GT2, Iris Xe
    {0x56a0, true, 8, 4, 16, 8, 12, 55, 8, 16},  // DG2, Arc A770
    {0x7d55, true, 2, 4, 16, 8, 12, 71, 4, 0},   // Meteor Lake, Arc Graphics
    {0x64a0, true, 2, 4, 8, 8, 20, 4, 4, 0},     // Lunar Lake, Arc Graphics 140V
    {0xe20b, true, 5, 4, 8, 8, 20, 1, 4, 12},    // Battlemage, Arc B580
    {0xb080, true, 2, 6, 8, 10, 30, 0, 4, 0},    // Panther Lake, 12 Xe cores
};

static const struct chip* chip;
static bool trace;
static int memory_file = -1;
static _Atomic uint64_t next_page = 1;  // in steps of 64 KiB; a buffer's handle is its first step
static atomic_uint next_id = 1;         // of contexts, address spaces, queues, syncobjs
enum { page = 1 << 16, syncobj_limit = 1 << 16 };
static _Atomic uint64_t points[syncobj_limit];  // the value that a timeline has reached, by syncobj

__attribute__((constructor)) static void start(void)
{
    const char* wanted = getenv("INTEL_GPU_ID");
    unsigned id = wanted ? strtoul(wanted, NULL, 16) : 0x9a49;
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (chips[i].id == id)
            chip = &chips[i];
    if (!chip) {
        fprintf(stderr, "intel_stub: INTEL_GPU_ID=%s is none of", wanted);
        for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
            fprintf(stderr, " %x", chips[i].id);
        fprintf(stderr, "\n");
        exit(2);
    }
    trace = getenv("INTEL_STUB_TRACE") != NULL;
    memory_file = memfd_create("intel_stub", MFD_CLOEXEC);
    if (memory_file < 0 || ftruncate(memory_file, (off_t)1 << 42)) {
        perror("intel_stub: memory file");
        exit(2);
    }
}

static uint32_t new_buffer(uint64_t size)
{
    return (uint32_t)atomic_fetch_add(&next_page, (size + page - 1) / page);
}
static uint64_t buffer_offset(uint32_t handle)
{
    return (uint64_t)handle * page;
}

static void reach(uint32_t syncobj, uint64_t point)
{
    if (syncobj < syncobj_limit && points[syncobj] < point)
        points[syncobj] = point;
}

// Answers that the caller first asks the size of.
static int give(const void* answer, size_t size, void* where, uint64_t room)
{
    if (room < size)
        return -EINVAL;
    memcpy(where, answer, size);
    return 0;
}

static uint64_t ones(unsigned count)
{
    return count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

// ---- xe ----

static int xe_query(struct drm_xe_device_query* query)
{
    uint64_t answer[256] = {0};
    size_t size = 0;
    switch (query->query) {
    case DRM_XE_DEVICE_QUERY_ENGINES: {
        struct drm_xe_query_engines* engines = (void*)answer;
        static const uint16_t classes[] = {DRM_XE_ENGINE_CLASS_RENDER, DRM_XE_ENGINE_CLASS_COPY, DRM_XE_ENGINE_CLASS_COMPUTE};
        engines->num_engines = chip->release || chip->version > 12 ? 3 : 2;  // no compute engines before DG2
        for (unsigned i = 0; i < engines->num_engines; i++)
            engines->engines[i].instance.engine_class = classes[i];
        size = sizeof *engines + engines->num_engines * sizeof engines->engines[0];
        break;
    }
    case DRM_XE_DEVICE_QUERY_MEM_REGIONS: {
        struct drm_xe_query_mem_regions* regions = (void*)answer;
        regions->num_mem_regions = chip->vram ? 2 : 1;
        regions->mem_regions[0] = (struct drm_xe_mem_region){
            .mem_class = DRM_XE_MEM_REGION_CLASS_SYSMEM, .min_page_size = 4096, .total_size = 16ull << 30};
        regions->mem_regions[1] = (struct drm_xe_mem_region){.mem_class = DRM_XE_MEM_REGION_CLASS_VRAM,
                                                             .instance = 1,
                                                             .min_page_size = page,
                                                             .total_size = (uint64_t)chip->vram << 30,
                                                             .cpu_visible_size = (uint64_t)chip->vram << 30};
        size = sizeof *regions + regions->num_mem_regions * sizeof regions->mem_regions[0];
        break;
    }
    case DRM_XE_DEVICE_QUERY_CONFIG: {
        struct drm_xe_query_config* config = (void*)answer;
        config->num_params = DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY + 1;
        config->info[DRM_XE_QUERY_CONFIG_REV_AND_DEVICE_ID] = chip->id | (uint64_t)chip->revision << 16;
        config->info[DRM_XE_QUERY_CONFIG_FLAGS] = chip->vram ? DRM_XE_QUERY_CONFIG_FLAG_HAS_VRAM : 0;
        config->info[DRM_XE_QUERY_CONFIG_MIN_ALIGNMENT] = chip->vram ? page : 4096;
        config->info[DRM_XE_QUERY_CONFIG_VA_BITS] = 48;
        config->info[DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY] = 1;
        size = sizeof *config + config->num_params * sizeof config->info[0];
        break;
    }
    case DRM_XE_DEVICE_QUERY_GT_LIST: {
        struct drm_xe_query_gt_list* list = (void*)answer;
        list->num_gt = 1;
        list->gt_list[0] = (struct drm_xe_gt){.type = DRM_XE_QUERY_GT_TYPE_MAIN,
                                              .reference_clock = 19200000,
                                              .near_mem_regions = chip->vram ? 2 : 1,
                                              .ip_ver_major = chip->version,
                                              .ip_ver_minor = chip->release,
                                              .ip_ver_rev = chip->revision};
        size = sizeof *list + sizeof list->gt_list[0];
        break;
    }
    case DRM_XE_DEVICE_QUERY_HWCONFIG: {  // the firmware's table: of a key, a length and as many values each
        const uint32_t table[] = {1, 1, chip->slices, 2,  1, chip->slices * chip->subslices,
                                  3, 1, chip->eus,    15, 1, chip->threads};
        memcpy(answer, table, size = sizeof table);
        break;
    }
    case DRM_XE_DEVICE_QUERY_GT_TOPOLOGY: {
        const struct {
            uint16_t type;
            uint64_t mask;
        } masks[] = {{DRM_XE_TOPO_DSS_GEOMETRY, ones(chip->slices * chip->subslices)},
                     {DRM_XE_TOPO_DSS_COMPUTE, ones(chip->slices * chip->subslices)},
                     {DRM_XE_TOPO_L3_BANK, ones(chip->slices * 4)},
                     {chip->version >= 20 ? DRM_XE_TOPO_SIMD16_EU_PER_DSS : DRM_XE_TOPO_EU_PER_DSS, ones(chip->eus)}};
        for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
            struct drm_xe_query_topology_mask* mask = (void*)((char*)answer + size);
            mask->type = masks[i].type;
            mask->num_bytes = sizeof masks[i].mask;
            memcpy(mask->mask, &masks[i].mask, sizeof masks[i].mask);
            size += sizeof *mask + sizeof masks[i].mask;
        }
        break;
    }
    default:
        return -EINVAL;  // no counters, no protected content, no clock
    }
    if (!query->size) {
        query->size = size;
        return 0;
    }
    return give(answer, size, (void*)(uintptr_t)query->data, query->size);
}

static void xe_signal(uint64_t syncs, uint32_t count)
{
    const struct drm_xe_sync* sync = (const void*)(uintptr_t)syncs;
    for (uint32_t i = 0; i < count; i++) {
        if (!(sync[i].flags & DRM_XE_SYNC_FLAG_SIGNAL))
            continue;
        if (sync[i].type == DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ)
            reach(sync[i].handle, sync[i].timeline_value);
    }
}

static int xe_call(unsigned number, void* argument)
{
    switch (number) {
    case DRM_XE_DEVICE_QUERY:
        return xe_query(argument);
    case DRM_XE_GEM_CREATE: {
        struct drm_xe_gem_create* create = argument;
        create->handle = new_buffer(create->size);
        return 0;
    }
    case DRM_XE_GEM_MMAP_OFFSET: {
        struct drm_xe_gem_mmap_offset* map = argument;
        map->offset = buffer_offset(map->handle);
        return 0;
    }
    case DRM_XE_VM_CREATE:
        ((struct drm_xe_vm_create*)argument)->vm_id = next_id++;
        return 0;
    case DRM_XE_EXEC_QUEUE_CREATE:
        ((struct drm_xe_exec_queue_create*)argument)->exec_queue_id = next_id++;
        return 0;
    case DRM_XE_EXEC_QUEUE_GET_PROPERTY:
        ((struct drm_xe_exec_queue_get_property*)argument)->value = 0;
        return 0;  // not banned
    case DRM_XE_VM_BIND:
        xe_signal(((struct drm_xe_vm_bind*)argument)->syncs, ((struct drm_xe_vm_bind*)argument)->num_syncs);
        return 0;
    case DRM_XE_EXEC:
        xe_signal(((struct drm_xe_exec*)argument)->syncs, ((struct drm_xe_exec*)argument)->num_syncs);
        return 0;
    case DRM_XE_VM_DESTROY:
    case DRM_XE_EXEC_QUEUE_DESTROY:
    case DRM_XE_WAIT_USER_FENCE:
        return 0;
    default:
        return -EINVAL;
    }
}

// ---- i915 ----

static int i915_parameter(const struct drm_i915_getparam* get)
{
    switch (get->param) {
    case I915_PARAM_CHIPSET_ID:
        *get->value = chip->id;
        return 0;
    case I915_PARAM_REVISION:
        *get->value = chip->revision;
        return 0;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
        *get->value = 12000000;
        return 0;
    case I915_PARAM_SLICE_MASK:
        *get->value = (int)ones(chip->slices);
        return 0;
    case I915_PARAM_SUBSLICE_MASK:
        *get->value = (int)ones(chip->subslices);
        return 0;
    case I915_PARAM_SUBSLICE_TOTAL:
        *get->value = chip->slices * chip->subslices;
        return 0;
    case I915_PARAM_EU_TOTAL:
        *get->value = chip->slices * chip->subslices * chip->eus;
        return 0;
    case I915_PARAM_HAS_ALIASING_PPGTT:
        *get->value = 3;
        return 0;
    case I915_PARAM_MMAP_VERSION:
        *get->value = 1;
        return 0;
    case I915_PARAM_MMAP_GTT_VERSION:
        *get->value = 4;
        return 0;  // buffers are mapped by DRM_I915_GEM_MMAP_OFFSET
    case I915_PARAM_HAS_WAIT_TIMEOUT:
    case I915_PARAM_HAS_EXECBUF2:
    case I915_PARAM_HAS_LLC:
    case I915_PARAM_HAS_EXEC_SOFTPIN:
    case I915_PARAM_HAS_EXEC_ASYNC:
    case I915_PARAM_HAS_EXEC_FENCE:
    case I915_PARAM_HAS_EXEC_FENCE_ARRAY:
    case I915_PARAM_HAS_EXEC_CAPTURE:
    case I915_PARAM_HAS_EXEC_TIMELINE_FENCES:
    case I915_PARAM_HAS_CONTEXT_ISOLATION:
        *get->value = 1;
        return 0;
    default:
        return -EINVAL;
    }
}

static int i915_query(const struct drm_i915_query* query)
{
    struct drm_i915_query_item* items = (void*)(uintptr_t)query->items_ptr;
    for (uint32_t i = 0; i < query->num_items; i++) {
        uint64_t answer[256] = {0};
        size_t size = 0;
        switch (items[i].query_id) {
        case DRM_I915_QUERY_TOPOLOGY_INFO: {
            struct drm_i915_query_topology_info* topology = (void*)answer;
            topology->max_slices = chip->slices;  // at most 8 of each: a byte for the slices, one a slice, one a subslice
            topology->max_subslices = chip->subslices;
            topology->max_eus_per_subslice = chip->eus;
            topology->subslice_offset = topology->subslice_stride = topology->eu_stride = 1;
            topology->eu_offset = 1 + chip->slices;
            size = sizeof *topology + topology->eu_offset + chip->slices * chip->subslices;
            memset(topology->data, (int)ones(chip->eus), size - sizeof *topology);
            memset(topology->data, (int)ones(chip->subslices), topology->eu_offset);
            topology->data[0] = (uint8_t)ones(chip->slices);
            break;
        }
        case DRM_I915_QUERY_ENGINE_INFO: {
            struct drm_i915_query_engine_info* engines = (void*)answer;
            engines->num_engines = 2;
            engines->engines[0].engine.engine_class = I915_ENGINE_CLASS_RENDER;
            engines->engines[1].engine.engine_class = I915_ENGINE_CLASS_COPY;
            size = sizeof *engines + 2 * sizeof engines->engines[0];
            break;
        }
        case DRM_I915_QUERY_MEMORY_REGIONS: {
            struct drm_i915_query_memory_regions* regions = (void*)answer;
            regions->num_regions = 1;
            regions->regions[0].region.memory_class = I915_MEMORY_CLASS_SYSTEM;
            regions->regions[0].probed_size = regions->regions[0].unallocated_size = 16ull << 30;
            size = sizeof *regions + sizeof regions->regions[0];
            break;
        }
        default:
            items[i].length = -EINVAL;
            continue;
        }
        int failure = items[i].length ? give(answer, size, (void*)(uintptr_t)items[i].data_ptr, items[i].length) : 0;
        items[i].length = failure ? failure : (int)size;
    }
    return 0;
}

static void i915_signal(const struct drm_i915_gem_execbuffer2* batch)
{
    if (!(batch->flags & I915_EXEC_USE_EXTENSIONS))
        return;  // a plain fence array has no points
    for (const struct i915_user_extension* e = (const void*)(uintptr_t)batch->cliprects_ptr; e;
         e = (const void*)(uintptr_t)e->next_extension) {
        const struct drm_i915_gem_execbuffer_ext_timeline_fences* timelines = (const void*)e;
        if (e->name != DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES)
            continue;
        const struct drm_i915_gem_exec_fence* fence = (const void*)(uintptr_t)timelines->handles_ptr;
        const uint64_t* point = (const void*)(uintptr_t)timelines->values_ptr;
        for (uint64_t i = 0; i < timelines->fence_count; i++)
            if (fence[i].flags & I915_EXEC_FENCE_SIGNAL)
                reach(fence[i].handle, point[i]);
    }
}

static int i915_call(unsigned number, void* argument)
{
    switch (number) {
    case DRM_I915_GETPARAM:
        return i915_parameter(argument);
    case DRM_I915_QUERY:
        return i915_query(argument);
    case DRM_I915_GEM_CREATE:
    case DRM_I915_GEM_CREATE_EXT: {  // has the same first fields
        struct drm_i915_gem_create* create = argument;
        create->handle = new_buffer(create->size);
        return 0;
    }
    case DRM_I915_GEM_USERPTR: {
        struct drm_i915_gem_userptr* pointer = argument;
        if (!pointer->user_size)
            return -EINVAL;  // the driver's way to ask whether there is such a call
        pointer->handle = new_buffer(pointer->user_size);
        return 0;
    }
    case DRM_I915_GEM_MMAP_GTT: {  // and DRM_I915_GEM_MMAP_OFFSET
        struct drm_i915_gem_mmap_offset* map = argument;
        map->offset = buffer_offset(map->handle);
        return 0;
    }
    case DRM_I915_GEM_GET_APERTURE: {
        struct drm_i915_gem_get_aperture* aperture = argument;
        aperture->aper_size = aperture->aper_available_size = (uint64_t)1 << 48;
        return 0;
    }
    case DRM_I915_GEM_CONTEXT_CREATE:
        ((struct drm_i915_gem_context_create*)argument)->ctx_id = next_id++;
        return 0;
    case DRM_I915_GEM_CONTEXT_GETPARAM: {
        struct drm_i915_gem_context_param* parameter = argument;
        parameter->value =
            parameter->param == I915_CONTEXT_PARAM_GTT_SIZE ? (uint64_t)1 << 48 : parameter->param == I915_CONTEXT_PARAM_VM;
        return 0;
    }
    case DRM_I915_GEM_VM_CREATE:
        ((struct drm_i915_gem_vm_control*)argument)->vm_id = next_id++;
        return 0;
    case DRM_I915_GEM_EXECBUFFER2:
        i915_signal(argument);
        return 0;
    case DRM_I915_GET_RESET_STATS: {
        struct drm_i915_reset_stats* reset = argument;
        reset->reset_count = reset->batch_active = reset->batch_pending = 0;
        return 0;
    }
    case DRM_I915_GEM_BUSY:
        ((struct drm_i915_gem_busy*)argument)->busy = 0;
        return 0;
    case DRM_I915_GEM_WAIT:
    case DRM_I915_GEM_SET_CACHING:
    case DRM_I915_GEM_SET_DOMAIN:
    case DRM_I915_GEM_SET_TILING:
    case DRM_I915_GEM_GET_TILING:
    case DRM_I915_GEM_MADVISE:
    case DRM_I915_GEM_CONTEXT_SETPARAM:
    case DRM_I915_GEM_CONTEXT_DESTROY:
    case DRM_I915_GEM_VM_DESTROY:
        return 0;
    default:
        return -EINVAL;
    }
}

// ---- what every driver of the kernel has ----

static int common_call(unsigned number, void* argument)
{
    switch (number) {
    case _IOC_NR(DRM_IOCTL_VERSION): {
        struct drm_version* version = argument;
        const char* name = chip->xe ? "xe" : "i915";
        if (version->name && version->name_len)
            strncpy(version->name, name, version->name_len);
        version->name_len = strlen(name);
        version->date_len = version->desc_len = 0;
        version->version_major = 1;
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_GET_CAP): {
        struct drm_get_cap* cap = argument;
        cap->value = cap->capability == DRM_CAP_SYNCOBJ || cap->capability == DRM_CAP_SYNCOBJ_TIMELINE;
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
        ((struct drm_prime_handle*)argument)->fd = eventfd(0, EFD_CLOEXEC);  // something to close
        return 0;
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE):
        ((struct drm_syncobj_create*)argument)->handle = next_id++;
        return 0;
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD):
        ((struct drm_syncobj_handle*)argument)->fd = eventfd(0, EFD_CLOEXEC);
        return 0;
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE):
        ((struct drm_syncobj_handle*)argument)->handle = next_id++;
        return 0;
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TRANSFER): {
        struct drm_syncobj_transfer* transfer = argument;
        reach(transfer->dst_handle, transfer->dst_point);
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY): {
        struct drm_syncobj_timeline_array* array = argument;
        const uint32_t* handles = (const void*)(uintptr_t)array->handles;
        uint64_t* values = (void*)(uintptr_t)array->points;
        for (uint32_t i = 0; i < array->count_handles; i++)
            if (number != _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY))
                reach(handles[i], values[i]);
            else
                values[i] = handles[i] < syncobj_limit ? points[handles[i]] : 0;
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):  // all is done as soon as it is asked for
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
        return 0;
    default:
        return -EINVAL;
    }
}

// ---- in place of the C library's and libdrm's ----

int ioctl(int file, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void* argument = va_arg(list, void*);
    va_end(list);
    unsigned number = _IOC_NR(request);  // not the whole request: its size grows with the kernel's headers
    int result;
    if (_IOC_TYPE(request) == DRM_IOCTL_BASE) {
        bool of_driver = number >= DRM_COMMAND_BASE && number < DRM_COMMAND_END;
        result = !of_driver ? common_call(number, argument)
                 : chip->xe ? xe_call(number - DRM_COMMAND_BASE, argument)
                            : i915_call(number - DRM_COMMAND_BASE, argument);
        if (trace)
            fprintf(stderr, "intel_stub: %s %#x: %d\n", of_driver ? "driver" : "common",
                    of_driver ? number - DRM_COMMAND_BASE : number, result);
    } else if (_IOC_TYPE(request) == DMA_BUF_BASE && number == 2) {  // DMA_BUF_IOCTL_EXPORT_SYNC_FILE: flags, and a file
        ((int32_t*)argument)[1] = eventfd(0, EFD_CLOEXEC);
        return 0;
    } else if (_IOC_TYPE(request) == DMA_BUF_BASE && number == 3) {  // DMA_BUF_IOCTL_IMPORT_SYNC_FILE
        return 0;
    } else {
        return (int)syscall(SYS_ioctl, file, request, argument);
    }
    if (result < 0) {
        errno = -result;
        return -1;
    }
    return result;
}

static char node[] = "/dev/dri/renderD128";  // need not exist

static int open_file(const char* path, int flags, mode_t mode)
{
    if (!strcmp(path, node))
        return fcntl(memory_file, F_DUPFD_CLOEXEC, 3);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_file(path, flags, mode);
}
int open(const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_file(path, flags, mode);
}

// As xf86drm.h declares them: one block of memory, which libdrm's drmFreeDevice frees.
struct pci_place {
    uint16_t domain;
    uint8_t bus, device, function;
};
struct pci_ids {
    uint16_t vendor, device, subvendor, subdevice;
    uint8_t revision;
};
struct device {
    char** nodes;              // primary, control, render
    int available_nodes, bus;  // a bit for each node; 0 for PCI
    struct pci_place* place;
    struct pci_ids* ids;
    char* names[3];
    struct pci_place place_;
    struct pci_ids ids_;
    char none[4];
};

int drmGetDevice2(int file, uint32_t flags, struct device** out)
{
    (void)file, (void)flags;
    struct device* device = calloc(1, sizeof *device);
    if (!device)
        return -ENOMEM;
    device->nodes = device->names;
    device->names[0] = device->names[1] = device->none;
    device->names[2] = node;
    device->available_nodes = 1 << 2;
    device->place = &device->place_;
    device->place_ = (struct pci_place){0, chip->vram ? 3 : 0, chip->vram ? 0 : 2, 0};
    device->ids = &device->ids_;
    device->ids_ = (struct pci_ids){0x8086, chip->id, 0x8086, chip->id, (uint8_t)chip->revision};
    *out = device;
    return 0;
}
int drmGetDevice(int file, struct device** out)
{
    return drmGetDevice2(file, 0, out);
}
int drmGetDevices2(uint32_t flags, struct device** out, int room)
{
    return out && room > 0 ? drmGetDevice2(-1, flags, out) ? -ENOMEM : 1 : 1;
}
int drmGetDevices(struct device** out, int room)
{
    return drmGetDevices2(0, out, room);
}
