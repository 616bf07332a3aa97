// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: ONNX operators as Vulkan compute shaders, for C and for every language that calls C. Library target vkonnx::c.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
//   vkonnx_device* gpu = NULL;
//   vkonnx_status* status = vkonnx_device_open(NULL, &gpu);
//   if (status) { fprintf(stderr, "%s\n", vkonnx_status_message(status)); vkonnx_status_destroy(status); }
//
// What functions do, cost and refuse, their units, threads and lifetimes stand once, in the headers of C++ at the declaration of
// the same name; this header says what C adds. C has all that C++ has. Operators and their attributes go by names in place of
// structs, and of several overloads there is one: bindings that are recorded together are a vkonnx_recording.
//
// Errors: a function that can fail returns NULL where it did what it should, else a vkonnx_status with a code and one sentence,
// to be destroyed. It leaves its results as they were then. No exception leaves a function, nor does it print or exit.
//
// Handles are made by functions with a result behind all other arguments, and belong to the caller until its destroy, which
// takes NULL. What is still in use keeps what it needs alive: the order of destruction does not matter. Where a handle or result
// must be given, NULL is refused by a sentence; functions that can't fail give NULL, 0 or false for it. A handle that was
// destroyed must not be used again.
//
// Structs begin with struct_size. In those that are passed in the caller sets it to sizeof; members that an older program's
// struct does not have count as 0, and what this library does not know of a newer one must be 0. Where a struct may be NULL,
// that is one with all members 0; 0 always is the default. Structs that are given out belong to the library, which sets
// struct_size: a program reads no member beyond it. Members are only ever added, at the end. Arrays are arrays of pointers.
//
// What is given out as a pointer to const lives as long as the handle or struct that it was asked of. Texts are UTF-8, end with
// a zero and are copied where they are passed in.
//
// Threads: as in vkonnx.hpp; a vkonnx_operator belongs to one thread at a time while its attributes are set.
//
// Binary compatibility: the soname's number is that of this interface, not of the release. It changes when a function, a member
// or a number goes or changes its meaning, and then only; additions don't change it.

#ifndef VKONNX_VKONNX_H
#define VKONNX_VKONNX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if (defined(VKONNX_SHARED) || defined(VKONNX_BUILDING_C_BUNDLE)) && defined(_WIN32)
#ifdef VKONNX_BUILDING_C
#define VKONNX_C_API __declspec(dllexport)
#else
#define VKONNX_C_API __declspec(dllimport)
#endif
#elif (defined(VKONNX_SHARED) || defined(VKONNX_BUILDING_C_BUNDLE)) && defined(__GNUC__)
#define VKONNX_C_API __attribute__((visibility("default")))
#else
#define VKONNX_C_API
#endif

struct VkAllocationCallbacks;  // of Vulkan's own headers, which are not needed here

#ifdef __cplusplus
extern "C" {
#endif

// Returns "MAJOR.MINOR.PATCH", of the library that is there.
VKONNX_C_API const char* vkonnx_version(void);

// ----------------------------------------------------------------------------------------------------------- status

typedef int32_t vkonnx_code;
enum {
    VKONNX_OK = 0,
    VKONNX_INVALID_ARGUMENT = 1,
    VKONNX_UNSUPPORTED = 2,
    VKONNX_OUT_OF_MEMORY = 3,
    VKONNX_NO_LOADER = 4,
    VKONNX_NO_DRIVER = 5,
    VKONNX_NO_DEVICE = 6,
    VKONNX_DEVICE_LOST = 7,
    VKONNX_TIMEOUT = 8,
    VKONNX_IO = 9,
    VKONNX_DRIVER_ERROR = 10
};

typedef struct vkonnx_status vkonnx_status;

// vkonnx_status_code and vkonnx_status_message take NULL for success: they return VKONNX_OK and "".
VKONNX_C_API vkonnx_code vkonnx_status_code(const vkonnx_status* status);
VKONNX_C_API const char* vkonnx_status_message(const vkonnx_status* status);
VKONNX_C_API void vkonnx_status_destroy(vkonnx_status* status);
// The caller's own functions that the library calls return a status made here. It is NULL for VKONNX_OK.
VKONNX_C_API vkonnx_status* vkonnx_status_create(vkonnx_code code, const char* message);

// Returns "invalid_argument", for example, and "" for a number that is no code.
VKONNX_C_API const char* vkonnx_code_name(vkonnx_code code);

// Destroys what functions give as char*: a text of its own.
VKONNX_C_API void vkonnx_string_destroy(char* text);

// ---------------------------------------------------------------------------------------------- tensor descriptions

typedef int32_t vkonnx_dtype;  // the numbers of ONNX's TensorProto.DataType
enum {
    VKONNX_UNDEFINED = 0,
    VKONNX_FLOAT32 = 1,
    VKONNX_UINT8 = 2,
    VKONNX_INT8 = 3,
    VKONNX_UINT16 = 4,
    VKONNX_INT16 = 5,
    VKONNX_INT32 = 6,
    VKONNX_INT64 = 7,
    VKONNX_STRING = 8,
    VKONNX_BOOLEAN = 9,
    VKONNX_FLOAT16 = 10,
    VKONNX_FLOAT64 = 11,
    VKONNX_UINT32 = 12,
    VKONNX_UINT64 = 13,
    VKONNX_COMPLEX64 = 14,
    VKONNX_COMPLEX128 = 15,
    VKONNX_BFLOAT16 = 16,
    VKONNX_FLOAT8E4M3FN = 17,
    VKONNX_FLOAT8E4M3FNUZ = 18,
    VKONNX_FLOAT8E5M2 = 19,
    VKONNX_FLOAT8E5M2FNUZ = 20,
    VKONNX_UINT4 = 21,
    VKONNX_INT4 = 22,
    VKONNX_FLOAT4E2M1 = 23,
    VKONNX_FLOAT8E8M0 = 24,
    VKONNX_UINT2 = 25,
    VKONNX_INT2 = 26
};

typedef int32_t vkonnx_layout;
enum { VKONNX_NCX = 0, VKONNX_NXC = 1 };

typedef struct vkonnx_tensor_desc {
    size_t struct_size;
    vkonnx_dtype dtype;
    vkonnx_layout layout;
    size_t rank;
    const int64_t* dims;  // rank of them
} vkonnx_tensor_desc;

// These are several descriptions, given out.
typedef struct vkonnx_tensor_descs {
    size_t struct_size;
    size_t count;
    const vkonnx_tensor_desc* const* descs;
} vkonnx_tensor_descs;

VKONNX_C_API void vkonnx_tensor_descs_destroy(const vkonnx_tensor_descs* descs);

// These return "float" or "bfloat16", for example, and its bits; "" and 0 for numbers that are no type.
VKONNX_C_API const char* vkonnx_dtype_name(vkonnx_dtype dtype);
VKONNX_C_API uint32_t vkonnx_dtype_bits(vkonnx_dtype dtype);
VKONNX_C_API const char* vkonnx_layout_name(vkonnx_layout layout);

VKONNX_C_API vkonnx_status* vkonnx_element_count(const vkonnx_tensor_desc* desc, int64_t* count);
VKONNX_C_API vkonnx_status* vkonnx_byte_size(const vkonnx_tensor_desc* desc, uint64_t* bytes);
// The text is "float[1,3,64,64]", for example.
VKONNX_C_API vkonnx_status* vkonnx_tensor_desc_to_string(const vkonnx_tensor_desc* desc, char** text);

// -------------------------------------------------------------------------------------------------------- operators

// This handle is an operator with its attributes, by the names that its document gives them: see operators.hpp.
typedef struct vkonnx_operator vkonnx_operator;

typedef struct vkonnx_operator_name {
    size_t struct_size;
    const char* domain;  // "" is ONNX's own; "onednn.graph"
    const char* name;
} vkonnx_operator_name;

// Returns operators in alphabetical order of domain and name; NULL from the first index on that has none. The result lives for
// ever.
VKONNX_C_API const vkonnx_operator_name* vkonnx_operator_name_at(size_t index);

// Returns the newest opset, which operators have until another is set.
VKONNX_C_API int64_t vkonnx_newest_opset(void);

// Makes an operator with its default attributes. The domain is "", NULL or "ai.onnx" for ONNX's own operators.
VKONNX_C_API vkonnx_status* vkonnx_operator_create(const char* domain, const char* name, vkonnx_operator** result);
VKONNX_C_API void vkonnx_operator_destroy(vkonnx_operator* op);

// Refused: names that the operator does not have, and those of another type. Whether the operator's version has the attribute
// and takes the value, is told where it is used.
VKONNX_C_API vkonnx_status* vkonnx_operator_set_int(vkonnx_operator* op, const char* attribute, int64_t value);
VKONNX_C_API vkonnx_status* vkonnx_operator_set_ints(vkonnx_operator* op, const char* attribute, const int64_t* values,
                                                     size_t count);
VKONNX_C_API vkonnx_status* vkonnx_operator_set_float(vkonnx_operator* op, const char* attribute, float value);
VKONNX_C_API vkonnx_status* vkonnx_operator_set_floats(vkonnx_operator* op, const char* attribute, const float* values,
                                                       size_t count);
VKONNX_C_API vkonnx_status* vkonnx_operator_set_string(vkonnx_operator* op, const char* attribute, const char* value);
VKONNX_C_API vkonnx_status* vkonnx_operator_set_strings(vkonnx_operator* op, const char* attribute, const char* const* values,
                                                        size_t count);

// These set what is no attribute. oneDNN Graph's operators have neither of these two, and refuse both.
VKONNX_C_API vkonnx_status* vkonnx_operator_set_opset(vkonnx_operator* op, int64_t opset);
typedef int32_t vkonnx_rules;
enum { VKONNX_RULES_SPECIFICATION = 0, VKONNX_RULES_ONNXRUNTIME = 1 };
VKONNX_C_API vkonnx_status* vkonnx_operator_set_rules(vkonnx_operator* op, vkonnx_rules rules);
// Sets how many outputs are wanted, of an operator that has several (Split); others refuse it.
VKONNX_C_API vkonnx_status* vkonnx_operator_set_outputs(vkonnx_operator* op, int64_t outputs);

typedef int32_t vkonnx_attribute_type;  // the numbers of ONNX's AttributeProto.AttributeType
enum {
    VKONNX_ATTRIBUTE_FLOAT = 1,
    VKONNX_ATTRIBUTE_INT = 2,
    VKONNX_ATTRIBUTE_STRING = 3,
    VKONNX_ATTRIBUTE_FLOATS = 6,
    VKONNX_ATTRIBUTE_INTS = 7,
    VKONNX_ATTRIBUTE_STRINGS = 8
};

typedef struct vkonnx_attribute {
    size_t struct_size;
    const char* name;
    vkonnx_attribute_type type;
    bool given;  // or has a default; an empty list is none
    float f;     // the value, in the member for its type
    int64_t i;
    const char* s;
    const int64_t* ints;
    size_t int_count;
    const char* const* words;  // what a string may be, alone or in a list
    size_t word_count;
    const float* floats;
    size_t float_count;
    const char* const* strings;
    size_t string_count;
} vkonnx_attribute;

// Returns an attribute, in the order of operators.hpp, or NULL for an index that has none. The pointer is valid until an
// attribute of the operator is set or the operator is destroyed.
VKONNX_C_API const vkonnx_attribute* vkonnx_operator_attribute_at(const vkonnx_operator* op, size_t index);

typedef struct vkonnx_signature {
    size_t struct_size;
    const char* const* inputs;  // the document's names; behind the last of several alike ("data_0") more may follow
    size_t input_count;         // of names
    size_t least_inputs;
    size_t most_inputs;
} vkonnx_signature;
VKONNX_C_API const vkonnx_signature* vkonnx_operator_get_signature(const vkonnx_operator* op);

// A step is an ElementwiseStep: the operator's kind and attributes are the step's.
typedef struct vkonnx_step {
    size_t struct_size;
    const vkonnx_operator* op;
    bool has_number;  // the other operand is `number`, not an input
    double number;
    bool swapped;
} vkonnx_step;
// Adds a step to Elementwise::steps, one behind the other. Only elementwise operators take and are steps.
VKONNX_C_API vkonnx_status* vkonnx_operator_add_step(vkonnx_operator* op, const vkonnx_step* step);

// An input that is left out is NULL.
VKONNX_C_API vkonnx_status* vkonnx_infer(const vkonnx_operator* op, const vkonnx_tensor_desc* const* inputs, size_t input_count,
                                         const vkonnx_tensor_descs** result);

// `data` and `data_sizes` have an entry for each input, NULL and 0 for one that is not given. Results are copied to where the
// caller has as many bytes as the outputs that vkonnx_infer describes.
VKONNX_C_API vkonnx_status* vkonnx_evaluate(const vkonnx_operator* op, const vkonnx_tensor_desc* const* inputs,
                                            size_t input_count, const void* const* data, const size_t* data_sizes,
                                            void* const* results, const size_t* result_sizes, size_t result_count);

// ----------------------------------------------------------------------------------------------------- capabilities

// This struct is given out to be read, or to be changed: passed in again, all members count, 0 too.
typedef struct vkonnx_capabilities {
    size_t struct_size;
    const char* name;
    bool is_cpu;
    bool subgroup_shuffles;
    bool timestamps;
    bool float16;
    bool float64;
    bool rounds_to_nearest;
    bool keeps_signed_zero_inf_nan;
    bool cooperative_matrices;
    bool storage16;
    uint64_t max_storage_buffer_range;
    uint32_t storage_buffer_alignment;
    uint32_t max_texel_buffer_elements;
    uint32_t texel_buffer_alignment;
    uint32_t max_uniform_buffer_range;
    uint32_t max_storage_buffers;
    uint32_t max_push_constant_bytes;
    uint32_t max_invocations;
    uint32_t max_workgroup_size[3];
    uint32_t max_group_count[3];
    uint32_t max_shared_bytes;
    uint32_t max_loop_iterations;
    uint32_t subgroup_size;
    uint32_t cooperative_matrix[3];
    uint32_t invocation_registers;
    double work_per_second;
} vkonnx_capabilities;

// Returns the names of presets; NULL from the first index on that has none.
VKONNX_C_API const char* vkonnx_capabilities_preset_name(size_t index);
// The results of these two are the caller's to change and destroy.
VKONNX_C_API vkonnx_status* vkonnx_capabilities_preset(const char* name, vkonnx_capabilities** result);
VKONNX_C_API vkonnx_status* vkonnx_capabilities_lowered_to(const vkonnx_capabilities* capabilities,
                                                           const vkonnx_capabilities* limit, vkonnx_capabilities** result);
VKONNX_C_API void vkonnx_capabilities_destroy(vkonnx_capabilities* capabilities);

// -------------------------------------------------------------------------------------------------------- preparing

typedef struct vkonnx_device vkonnx_device;
typedef struct vkonnx_tensor vkonnx_tensor;
typedef struct vkonnx_op vkonnx_op;
typedef struct vkonnx_binding vkonnx_binding;
typedef struct vkonnx_recording vkonnx_recording;
typedef struct vkonnx_job vkonnx_job;
typedef struct vkonnx_weights vkonnx_weights;
typedef struct vkonnx_staging vkonnx_staging;

typedef struct vkonnx_constant_input {
    size_t struct_size;
    size_t input;
    const vkonnx_tensor* tensor;  // NULL: only explained
    const vkonnx_weights* weights;
} vkonnx_constant_input;

typedef struct vkonnx_specialization {
    size_t struct_size;
    const char* name;
    uint32_t value;
} vkonnx_specialization;

typedef struct vkonnx_pipeline {
    size_t struct_size;
    const char* kernel;
    const vkonnx_specialization* const* specialization;
    size_t specialization_count;
} vkonnx_pipeline;

typedef struct vkonnx_prepare_options {
    size_t struct_size;
    const char* kernel;  // NULL or "": whichever is best
    bool reproducible;
    bool tune;
    double max_dispatch_seconds;  // 0: 0.5
    const vkonnx_constant_input* const* constants;
    size_t constant_count;
    const vkonnx_operator* epilogue;  // NULL: none
    const vkonnx_operator* prologue;  // Identity, Relu or PRelu; NULL: none, or Identity where it is scaled
    bool prologue_scaled;
    uint64_t scratch_budget;              // 0: UINT64_MAX
    const vkonnx_pipeline* const* built;  // of explanations
    size_t built_count;
    const vkonnx_staging* staging;
} vkonnx_prepare_options;

typedef struct vkonnx_explanation {
    size_t struct_size;
    const vkonnx_tensor_descs* outputs;
    const int64_t* pads_begin;
    const int64_t* pads_end;
    size_t pad_count;  // of each of the two
    const char* equation;
    const char* kernel;
    const vkonnx_specialization* const* specialization;
    size_t specialization_count;
    const vkonnx_pipeline* const* pipelines;
    size_t pipeline_count;
    const uint32_t* grids;  // three numbers a dispatch
    size_t grid_count;      // of dispatches
    double seconds;
    uint64_t scratch_bytes;
    uint64_t packed_bytes;
    const char* why;
    const size_t* in_place;
    size_t in_place_count;
    const int64_t* host_result;
    size_t host_result_count;
} vkonnx_explanation;

VKONNX_C_API vkonnx_status* vkonnx_explain(const vkonnx_operator* op, const vkonnx_tensor_desc* const* inputs, size_t input_count,
                                           const vkonnx_capabilities* capabilities, const vkonnx_prepare_options* options,
                                           const vkonnx_explanation** result);
// Destroys only what vkonnx_explain gave; others belong to their handles.
VKONNX_C_API void vkonnx_explanation_destroy(const vkonnx_explanation* explanation);

typedef struct vkonnx_kernel_info {
    size_t struct_size;
    const char* name;
    const char* unfit;  // "" where it fits
    double seconds;
    bool keeps_order;
    bool only_by_name;
    bool last_resort;
} vkonnx_kernel_info;

typedef struct vkonnx_kernel_infos {
    size_t struct_size;
    size_t count;
    const vkonnx_kernel_info* const* kernels;
} vkonnx_kernel_infos;

VKONNX_C_API vkonnx_status* vkonnx_kernels(const vkonnx_operator* op, const vkonnx_tensor_desc* const* inputs, size_t input_count,
                                           const vkonnx_capabilities* capabilities, const vkonnx_prepare_options* options,
                                           const vkonnx_kernel_infos** result);
VKONNX_C_API void vkonnx_kernel_infos_destroy(const vkonnx_kernel_infos* infos);

// ---------------------------------------------------------------------------------------------------------- devices

typedef int32_t vkonnx_device_kind;
enum {
    VKONNX_KIND_OTHER = 0,
    VKONNX_KIND_INTEGRATED_GPU = 1,
    VKONNX_KIND_DISCRETE_GPU = 2,
    VKONNX_KIND_VIRTUAL_GPU = 3,
    VKONNX_KIND_CPU = 4
};

typedef struct vkonnx_device_info {
    size_t struct_size;
    uint32_t index;
    vkonnx_device_kind kind;
    const char* name;
    const char* driver;
    uint32_t api_version[3];
    const char* uuid;
    const char* rejected;  // "" where it can be opened
    const vkonnx_capabilities* capabilities;
    uint32_t vendor_id;  // PCI's, or Vulkan's own for vendors without one: see VkPhysicalDeviceProperties
    uint32_t device_id;  // of the kind of device, in the vendor's own numbers
} vkonnx_device_info;

typedef struct vkonnx_device_infos {
    size_t struct_size;
    size_t count;
    const vkonnx_device_info* const* devices;
} vkonnx_device_infos;

typedef int32_t vkonnx_log_level;
enum { VKONNX_LOG_INFO = 0, VKONNX_LOG_WARNING = 1, VKONNX_LOG_ERROR = 2 };

typedef struct vkonnx_device_options {
    size_t struct_size;
    const char* select;  // NULL or "": the best
    void (*get_instance_proc_addr)(void);
    const vkonnx_capabilities* capabilities;  // NULL: nothing is lowered
    bool validation;
    bool debug_names;
    bool no_self_test;
    bool compiler_statistics;
    double timeout_seconds;  // 0: 60
    uint64_t max_memory;
    const struct VkAllocationCallbacks* allocation_callbacks;
    const char* tunings;
    int64_t max_cached_pipelines;  // 0: 64; -1: none are kept
    void (*log)(void* log_user, vkonnx_log_level level, const char* text);
    void* log_user;
    const char* cache_folder;  // NULL or "": nothing is kept
    // load_cache tells how many bytes store_cache was last given under this name, 0 for none; where there are `size` of them and
    // `bytes` is not NULL, it copies them there.
    size_t (*load_cache)(void* cache_user, const char* name, void* bytes, size_t size);
    void (*store_cache)(void* cache_user, const char* name, const void* bytes, size_t size);
    void* cache_user;
    double work_per_second;  // 0: measured
} vkonnx_device_options;

VKONNX_C_API vkonnx_status* vkonnx_device_list(const vkonnx_device_options* options, const vkonnx_device_infos** result);
VKONNX_C_API void vkonnx_device_infos_destroy(const vkonnx_device_infos* infos);

VKONNX_C_API vkonnx_status* vkonnx_device_open(const vkonnx_device_options* options, vkonnx_device** result);
VKONNX_C_API void vkonnx_device_destroy(vkonnx_device* device);
VKONNX_C_API const vkonnx_device_info* vkonnx_device_get_info(const vkonnx_device* device);
// Returns the capabilities that vkonnx_device_get_info returns, too, lowered by what the self-test found.
VKONNX_C_API const vkonnx_capabilities* vkonnx_device_get_capabilities(const vkonnx_device* device);

// The library fills this struct. The caller sets struct_size first. Members that this library does not know stay as they are.
typedef struct vkonnx_memory_use {
    size_t struct_size;
    uint64_t used;
    uint64_t allocated;
    uint64_t peak_used;
    uint64_t peak_allocated;
    uint64_t limit;
    uint64_t staging;
    uint64_t peak_staging;
} vkonnx_memory_use;
VKONNX_C_API vkonnx_status* vkonnx_device_memory(const vkonnx_device* device, vkonnx_memory_use* result);

typedef struct vkonnx_peaks {
    size_t struct_size;
    double flops_f32;
    double flops_f16;
    double copy_bytes_per_second;
} vkonnx_peaks;
VKONNX_C_API vkonnx_status* vkonnx_device_measure_peaks(const vkonnx_device* device, vkonnx_peaks* result);

VKONNX_C_API vkonnx_status* vkonnx_device_tunings(const vkonnx_device* device, char** text);

typedef struct vkonnx_cache_use {
    size_t struct_size;
    const char* place;
    const char* missed;
    const char* unwritten;
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint32_t read_pipelines;
    uint32_t found;
    uint32_t confirmed;
    uint32_t compiled;
    uint32_t kept;
    uint32_t writes;
} vkonnx_cache_use;
VKONNX_C_API vkonnx_status* vkonnx_device_cache_use(const vkonnx_device* device, const vkonnx_cache_use** result);
VKONNX_C_API void vkonnx_cache_use_destroy(const vkonnx_cache_use* use);
VKONNX_C_API vkonnx_status* vkonnx_device_save_cache(const vkonnx_device* device);
VKONNX_C_API vkonnx_status* vkonnx_default_cache_folder(char** text);

typedef struct vkonnx_statistic {
    size_t struct_size;
    const char* name;
    double value;
} vkonnx_statistic;

typedef struct vkonnx_program_text {
    size_t struct_size;
    const char* name;
    const char* text;
} vkonnx_program_text;

typedef struct vkonnx_compiled_program {
    size_t struct_size;
    uint32_t subgroup_size;
    const vkonnx_statistic* const* statistics;
    size_t statistic_count;
    const vkonnx_program_text* const* texts;
    size_t text_count;
} vkonnx_compiled_program;

typedef struct vkonnx_compiled_programs {
    size_t struct_size;
    size_t count;
    const vkonnx_compiled_program* const* programs;
} vkonnx_compiled_programs;

// Tells what the driver's compiler makes of the pipeline with that index in explanation->pipelines.
VKONNX_C_API vkonnx_status* vkonnx_device_compile(const vkonnx_device* device, const vkonnx_explanation* explanation,
                                                  size_t pipeline, const vkonnx_compiled_programs** result);
VKONNX_C_API void vkonnx_compiled_programs_destroy(const vkonnx_compiled_programs* programs);

// ---------------------------------------------------------------------------------------------------------- tensors

VKONNX_C_API vkonnx_status* vkonnx_tensor_create(const vkonnx_device* device, const vkonnx_tensor_desc* desc,
                                                 vkonnx_tensor** result);
VKONNX_C_API void vkonnx_tensor_destroy(vkonnx_tensor* tensor);
VKONNX_C_API const vkonnx_tensor_desc* vkonnx_tensor_get_desc(const vkonnx_tensor* tensor);
// These copy the whole tensor: `bytes` is its byte size. NULL is taken where that is 0.
VKONNX_C_API vkonnx_status* vkonnx_tensor_upload(vkonnx_tensor* tensor, const void* data, size_t bytes);
VKONNX_C_API vkonnx_status* vkonnx_tensor_download(const vkonnx_tensor* tensor, void* data, size_t bytes);
VKONNX_C_API vkonnx_status* vkonnx_tensor_view(const vkonnx_tensor* tensor, const int64_t* dims, size_t rank,
                                               vkonnx_tensor** result);
VKONNX_C_API vkonnx_status* vkonnx_tensor_part(const vkonnx_tensor* tensor, uint64_t offset, const vkonnx_tensor_desc* desc,
                                               vkonnx_tensor** result);
VKONNX_C_API bool vkonnx_tensor_shares_memory(const vkonnx_tensor* tensor, const vkonnx_tensor* other);

// ---------------------------------------------------------------------------------------------------------- running

VKONNX_C_API vkonnx_status* vkonnx_device_prepare(const vkonnx_device* device, const vkonnx_operator* op,
                                                  const vkonnx_tensor_desc* const* inputs, size_t input_count,
                                                  const vkonnx_prepare_options* options, vkonnx_op** result);
VKONNX_C_API void vkonnx_op_destroy(vkonnx_op* op);
// Returns the inputs without those that were left out.
VKONNX_C_API const vkonnx_tensor_descs* vkonnx_op_get_inputs(const vkonnx_op* op);
VKONNX_C_API const vkonnx_tensor_descs* vkonnx_op_get_outputs(const vkonnx_op* op);
VKONNX_C_API const vkonnx_explanation* vkonnx_op_get_explanation(const vkonnx_op* op);

// `fill` gets `user`, which it may use until the handle is destroyed, and a tensor that is not to be destroyed; what it returns
// is.
VKONNX_C_API vkonnx_status* vkonnx_weights_create(const vkonnx_device* device, const vkonnx_tensor_desc* desc,
                                                  vkonnx_status* (*fill)(void* user, vkonnx_tensor* to), void* user,
                                                  vkonnx_weights** result);
VKONNX_C_API void vkonnx_weights_destroy(vkonnx_weights* weights);

VKONNX_C_API vkonnx_status* vkonnx_staging_create(const vkonnx_device* device, vkonnx_staging** result);
VKONNX_C_API vkonnx_status* vkonnx_staging_finish(const vkonnx_staging* staging);
VKONNX_C_API void vkonnx_staging_destroy(vkonnx_staging* staging);

// `scratch` may be NULL.
VKONNX_C_API vkonnx_status* vkonnx_device_bind(const vkonnx_device* device, const vkonnx_op* op,
                                               const vkonnx_tensor* const* inputs, size_t input_count,
                                               const vkonnx_tensor* const* outputs, size_t output_count,
                                               const vkonnx_tensor* scratch, vkonnx_binding** result);
VKONNX_C_API void vkonnx_binding_destroy(vkonnx_binding* binding);

VKONNX_C_API vkonnx_status* vkonnx_device_run(const vkonnx_device* device, const vkonnx_binding* binding);
VKONNX_C_API vkonnx_status* vkonnx_device_submit(const vkonnx_device* device, const vkonnx_binding* binding, vkonnx_job** result);
// Does vkonnx_device_bind and vkonnx_device_run in one.
VKONNX_C_API vkonnx_status* vkonnx_device_run_op(const vkonnx_device* device, const vkonnx_op* op,
                                                 const vkonnx_tensor* const* inputs, size_t input_count,
                                                 const vkonnx_tensor* const* outputs, size_t output_count);

// VKONNX_TIMEOUT says that it is still at work.
VKONNX_C_API vkonnx_status* vkonnx_job_wait(vkonnx_job* job, double timeout_seconds);
VKONNX_C_API bool vkonnx_job_done(vkonnx_job* job);
// Returns a negative number where they are not known.
VKONNX_C_API double vkonnx_job_gpu_seconds(const vkonnx_job* job);
// Destroys the handle, and stops nothing.
VKONNX_C_API void vkonnx_job_destroy(vkonnx_job* job);

VKONNX_C_API vkonnx_status* vkonnx_recording_create(const vkonnx_device* device, vkonnx_recording** result);
VKONNX_C_API void vkonnx_recording_destroy(vkonnx_recording* recording);
VKONNX_C_API vkonnx_status* vkonnx_recording_add(vkonnx_recording* recording, const vkonnx_binding* binding);
// The copy's number goes to `number`.
VKONNX_C_API vkonnx_status* vkonnx_recording_add_upload(vkonnx_recording* recording, const vkonnx_tensor* to, size_t* number);
VKONNX_C_API vkonnx_status* vkonnx_recording_add_download(vkonnx_recording* recording, const vkonnx_tensor* from, size_t* number);
// The memory of the copy with that number goes to `data`, and its size to `bytes`, which may be NULL.
VKONNX_C_API vkonnx_status* vkonnx_recording_upload_bytes(vkonnx_recording* recording, size_t number, void** data, size_t* bytes);
VKONNX_C_API vkonnx_status* vkonnx_recording_download_bytes(vkonnx_recording* recording, size_t number, const void** data,
                                                            size_t* bytes);
VKONNX_C_API vkonnx_status* vkonnx_recording_run(vkonnx_recording* recording);
VKONNX_C_API vkonnx_status* vkonnx_recording_submit(vkonnx_recording* recording, vkonnx_job** result);
// Their number goes to `count`. The result lives until the next run, submit or destroy.
VKONNX_C_API const double* vkonnx_recording_seconds(const vkonnx_recording* recording, size_t* count);

#ifdef __cplusplus
}
#endif

#endif
