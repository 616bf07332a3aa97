// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: ONNX model files for C: load, inspect, run. Library target vkonnx::onnx_c.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
//   vkonnx_model* model = NULL;
//   vkonnx_session* session = NULL;
//   vkonnx_status* status = vkonnx_model_load("model.onnx", NULL, &model);
//   if (!status) status = vkonnx_session_prepare(gpu, model, inputs, 1, NULL, &session);
//   if (!status) status = vkonnx_session_run(session, tensors, 1, &outputs);
//
// Contracts are those of onnx.hpp at the declaration of the same name, rules those of vkonnx.h.

#ifndef VKONNX_ONNX_H
#define VKONNX_ONNX_H

#include <vkonnx/vkonnx.h>

#if defined(VKONNX_SHARED) && defined(_WIN32) && defined(VKONNX_BUILDING_ONNX_C)
#define VKONNX_ONNX_C_API __declspec(dllexport)
#else
#define VKONNX_ONNX_C_API VKONNX_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------------------------- host tensors

// These are elements in host memory, as HostTensor has them.
typedef struct vkonnx_host_tensor {
    size_t struct_size;
    const vkonnx_tensor_desc* desc;
    const void* data;  // NULL where there are no bytes
    size_t bytes;
    const char* const* strings;  // the elements, for VKONNX_STRING
    const size_t* string_sizes;  // their bytes; passed in, NULL where each ends with its first zero
    size_t string_count;
} vkonnx_host_tensor;

typedef struct vkonnx_host_tensors {
    size_t struct_size;
    size_t count;
    const vkonnx_host_tensor* const* tensors;
} vkonnx_host_tensors;

VKONNX_ONNX_C_API void vkonnx_host_tensors_destroy(const vkonnx_host_tensors* tensors);

// The result is one tensor.
VKONNX_ONNX_C_API vkonnx_status* vkonnx_parse_tensor(const void* tensor_proto, size_t bytes, const vkonnx_host_tensors** result);

// ----------------------------------------------------------------------------------------------------------- models

typedef struct vkonnx_model vkonnx_model;

typedef struct vkonnx_value_info {
    size_t struct_size;
    const char* name;
    vkonnx_dtype dtype;
    bool has_shape;
    size_t rank;
    const int64_t* dims;  // -1 where the file gives a symbol or nothing
    // Its elements decide dimensions, the branch of an If or how often a Loop runs. A session must know them, by
    // vkonnx_named_desc's value. Without those that decide nothing but branches, both branches run.
    bool decides_dimensions;
} vkonnx_value_info;

typedef struct vkonnx_value_infos {
    size_t struct_size;
    size_t count;
    const vkonnx_value_info* const* values;
} vkonnx_value_infos;

typedef struct vkonnx_metadata_entry {
    size_t struct_size;
    const char* key;
    const char* value;
    size_t value_bytes;  // without the zero behind it
} vkonnx_metadata_entry;

typedef struct vkonnx_metadata {
    size_t struct_size;
    size_t count;
    const vkonnx_metadata_entry* const* entries;
} vkonnx_metadata;

typedef struct vkonnx_model_options {
    size_t struct_size;
    const char* external_data_folder;
} vkonnx_model_options;

// The options may be NULL.
VKONNX_ONNX_C_API vkonnx_status* vkonnx_model_load(const char* path, const vkonnx_model_options* options, vkonnx_model** result);
VKONNX_ONNX_C_API vkonnx_status* vkonnx_model_parse(const void* data, size_t bytes, const vkonnx_model_options* options,
                                                    vkonnx_model** result);
VKONNX_ONNX_C_API void vkonnx_model_destroy(vkonnx_model* model);
VKONNX_ONNX_C_API const vkonnx_value_infos* vkonnx_model_get_inputs(const vkonnx_model* model);
VKONNX_ONNX_C_API const vkonnx_value_infos* vkonnx_model_get_outputs(const vkonnx_model* model);
VKONNX_ONNX_C_API const vkonnx_metadata* vkonnx_model_get_metadata(const vkonnx_model* model);

// --------------------------------------------------------------------------------------------------------- sessions

typedef struct vkonnx_session vkonnx_session;

typedef struct vkonnx_named_desc {
    size_t struct_size;
    const char* name;
    const vkonnx_tensor_desc* desc;
    const void* value;  // NULL, or the elements, where they are known beforehand
    size_t value_bytes;
} vkonnx_named_desc;

// These are the bits of vkonnx_session_options.without_fusions.
typedef uint32_t vkonnx_fusion;
enum {
    VKONNX_FUSION_PADDING = 1,
    VKONNX_FUSION_PATTERN = 2,
    VKONNX_FUSION_WEIGHTS = 4,
    VKONNX_FUSION_ACTIVATION = 8,
    VKONNX_FUSION_CHAIN = 16,
    VKONNX_FUSION_PROLOGUE = 32,
    VKONNX_FUSION_CONSTANTS = 64
};

typedef struct vkonnx_session_options {
    size_t struct_size;
    vkonnx_rules rules;
    const vkonnx_prepare_options* prepare;  // may be NULL
    uint32_t prepare_threads;               // 0: 1
    uint64_t max_folded_bytes;              // 0: 16 MiB
    uint32_t without_fusions;               // bits of vkonnx_fusion
    uint64_t max_plans;                     // 0: 4
    uint64_t max_loop_iterations;           // 0: 4096
} vkonnx_session_options;

typedef int32_t vkonnx_value_place;
enum {
    VKONNX_PLACE_NONE = 0,
    VKONNX_PLACE_INPUT = 1,
    VKONNX_PLACE_OUTPUT = 2,
    VKONNX_PLACE_CONSTANT = 3,
    VKONNX_PLACE_ARENA = 4
};

typedef struct vkonnx_node_report {
    size_t struct_size;
    const char* name;
    const char* op_type;
    const char* domain;
    int64_t opset;
    const char* const* inputs;
    size_t input_count;
    const char* const* outputs;
    size_t output_count;
    const vkonnx_explanation* explanation;
    int64_t fused_into;  // -1: not fused
    double seconds;
} vkonnx_node_report;

typedef struct vkonnx_value_report {
    size_t struct_size;
    const char* name;
    const vkonnx_tensor_desc* desc;
    vkonnx_value_place place;
    uint64_t bytes;
    size_t arena;
    uint64_t offset;
    size_t first;
    size_t last;
} vkonnx_value_report;

typedef struct vkonnx_graph_report {
    size_t struct_size;
    const vkonnx_node_report* const* nodes;
    size_t node_count;
    const vkonnx_value_report* const* values;
    size_t value_count;
    const uint64_t* arenas;
    size_t arena_count;
    uint64_t arena_bytes;
    uint64_t unshared_bytes;
    uint64_t constant_bytes;
    uint64_t packed_bytes;
    uint64_t scratch_bytes;
} vkonnx_graph_report;

VKONNX_ONNX_C_API vkonnx_status* vkonnx_model_explain(const vkonnx_model* model, const vkonnx_named_desc* const* inputs,
                                                      size_t input_count, const vkonnx_capabilities* capabilities,
                                                      const vkonnx_session_options* options, const vkonnx_graph_report** result);
VKONNX_ONNX_C_API void vkonnx_graph_report_destroy(const vkonnx_graph_report* report);

VKONNX_ONNX_C_API vkonnx_status* vkonnx_session_prepare(const vkonnx_device* device, const vkonnx_model* model,
                                                        const vkonnx_named_desc* const* inputs, size_t input_count,
                                                        const vkonnx_session_options* options, vkonnx_session** result);
VKONNX_ONNX_C_API vkonnx_status* vkonnx_session_for_inputs(const vkonnx_session* session, const vkonnx_named_desc* const* inputs,
                                                           size_t input_count, vkonnx_session** result);
VKONNX_ONNX_C_API void vkonnx_session_destroy(vkonnx_session* session);
// The inputs' elements are read where they lie.
VKONNX_ONNX_C_API vkonnx_status* vkonnx_session_run(vkonnx_session* session, const vkonnx_host_tensor* const* inputs,
                                                    size_t input_count, const vkonnx_host_tensors** result);
// An input that no operator reads may be NULL.
VKONNX_ONNX_C_API vkonnx_status* vkonnx_session_bind(const vkonnx_session* session, const vkonnx_tensor* const* inputs,
                                                     size_t input_count, const vkonnx_tensor* const* outputs, size_t output_count,
                                                     vkonnx_recording** result);
// Tells whether elements that a run computes decide sizes in the model: see Session::runs_in_stages of onnx.hpp. Then
// vkonnx_session_bind is refused, and vkonnx_session_get_outputs gives the dimensions that the file declares, -1 where it gives
// none. Returns false for NULL.
VKONNX_ONNX_C_API bool vkonnx_session_runs_in_stages(const vkonnx_session* session);
VKONNX_ONNX_C_API const vkonnx_tensor_descs* vkonnx_session_get_inputs(const vkonnx_session* session);
VKONNX_ONNX_C_API const vkonnx_tensor_descs* vkonnx_session_get_outputs(const vkonnx_session* session);
// Makes the report of the session, which tells the seconds of each node in the last run.
VKONNX_ONNX_C_API vkonnx_status* vkonnx_session_report(const vkonnx_session* session, const vkonnx_graph_report** result);

#ifdef __cplusplus
}
#endif

#endif
