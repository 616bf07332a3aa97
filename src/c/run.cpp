// SPDX-License-Identifier: Apache-2.0
// This file has prepared operators, and what runs them.
#include "c/handles.h"

#include "return_if_error.h"

using namespace vkonnx;
using namespace vkonnx::c;

vkonnx_op::vkonnx_op(Op given) : op(std::move(given))
{
    fill(inputs, op.inputs(), memory);
    fill(outputs, op.outputs(), memory);
    fill(explanation, op.explanation(), memory);
}

vkonnx_status* vkonnx_device_prepare(const vkonnx_device* device, const vkonnx_operator* op,
                                     const vkonnx_tensor_desc* const* inputs, size_t input_count,
                                     const vkonnx_prepare_options* options, vkonnx_op** result)
{
    const char* function = __func__;
    return call(function, {{"device", device}, {"op", op}, {"result", result}}, [&]() -> Status {
        const Result<std::vector<TensorDesc>> descs = inputs_of(function, inputs, input_count);
        const Result<PrepareOptions> wanted = options_of(options);
        if (!descs || !wanted)
            return descs ? wanted.status() : descs.status();
        return hand_out(device->device.prepare(op->op, *descs, *wanted), result);
    });
}

void vkonnx_op_destroy(vkonnx_op* op)
{
    delete op;
}

const vkonnx_tensor_descs* vkonnx_op_get_inputs(const vkonnx_op* op)
{
    return op ? &op->inputs : nullptr;
}

const vkonnx_tensor_descs* vkonnx_op_get_outputs(const vkonnx_op* op)
{
    return op ? &op->outputs : nullptr;
}

const vkonnx_explanation* vkonnx_op_get_explanation(const vkonnx_op* op)
{
    return op ? &op->explanation : nullptr;
}

namespace {

Result<Binding> bind(const char* function, const vkonnx_device& device, const vkonnx_op& op, const vkonnx_tensor* const* inputs,
                     size_t input_count, const vkonnx_tensor* const* outputs, size_t output_count, const vkonnx_tensor* scratch)
{
    const Result<std::vector<Tensor>> in = tensors_of(function, "inputs", inputs, input_count);
    const Result<std::vector<Tensor>> out = tensors_of(function, "outputs", outputs, output_count);
    if (!in || !out)
        return in ? out.status() : in.status();
    return device.device.bind(op.op, *in, *out, scratch ? scratch->tensor : Tensor());
}

}  // namespace

vkonnx_status* vkonnx_device_bind(const vkonnx_device* device, const vkonnx_op* op, const vkonnx_tensor* const* inputs,
                                  size_t input_count, const vkonnx_tensor* const* outputs, size_t output_count,
                                  const vkonnx_tensor* scratch, vkonnx_binding** result)
{
    const char* function = __func__;
    return call(function, {{"device", device}, {"op", op}, {"result", result}}, [&] {
        return hand_out(bind(function, *device, *op, inputs, input_count, outputs, output_count, scratch), result);
    });
}

void vkonnx_binding_destroy(vkonnx_binding* binding)
{
    delete binding;
}

vkonnx_status* vkonnx_device_run(const vkonnx_device* device, const vkonnx_binding* binding)
{
    return call(__func__, {{"device", device}, {"binding", binding}}, [&] { return device->device.run(binding->binding); });
}

vkonnx_status* vkonnx_device_submit(const vkonnx_device* device, const vkonnx_binding* binding, vkonnx_job** result)
{
    return call(__func__, {{"device", device}, {"binding", binding}, {"result", result}},
                [&] { return hand_out(device->device.submit(binding->binding), result); });
}

vkonnx_status* vkonnx_device_run_op(const vkonnx_device* device, const vkonnx_op* op, const vkonnx_tensor* const* inputs,
                                    size_t input_count, const vkonnx_tensor* const* outputs, size_t output_count)
{
    const char* function = __func__;
    return call(function, {{"device", device}, {"op", op}}, [&]() -> Status {
        const Result<Binding> binding = bind(function, *device, *op, inputs, input_count, outputs, output_count, nullptr);
        return binding ? device->device.run(*binding) : binding.status();
    });
}

// ---- weights and staging

namespace {

// Returns what a caller's function said, and destroys its status.
Status taken(vkonnx_status* status)
{
    Status own = status ? Status(Code(status->code), status->message) : Status();
    vkonnx_status_destroy(status);
    return own;
}

}  // namespace

vkonnx_status* vkonnx_weights_create(const vkonnx_device* device, const vkonnx_tensor_desc* desc,
                                     vkonnx_status* (*fill)(void* user, vkonnx_tensor* to), void* user, vkonnx_weights** result)
{
    const char* function = __func__;
    return call(function, {{"device", device}, {"desc", desc}, {"result", result}}, [&]() -> Status {
        const Result<TensorDesc> own = desc_of(std::string(function) + ": desc", desc);
        VKONNX_RETURN_IF_ERROR(own.status());
        if (!fill)
            return Status(Code::invalid_argument, std::string(function) + ": fill is NULL");
        const auto fill_tensor = [fill, user](Tensor& to) {
            vkonnx_tensor tensor(to);
            return taken(fill(user, &tensor));
        };
        return hand_out(Weights::create(device->device, *own, fill_tensor), result);
    });
}

void vkonnx_weights_destroy(vkonnx_weights* weights)
{
    delete weights;
}

vkonnx_status* vkonnx_staging_create(const vkonnx_device* device, vkonnx_staging** result)
{
    return call(__func__, {{"device", device}, {"result", result}},
                [&] { return hand_out(Staging::create(device->device), result); });
}

vkonnx_status* vkonnx_staging_finish(const vkonnx_staging* staging)
{
    return call(__func__, {{"staging", staging}}, [&] { return staging->staging.finish(); });
}

void vkonnx_staging_destroy(vkonnx_staging* staging)
{
    delete staging;
}

// ---- jobs

vkonnx_status* vkonnx_job_wait(vkonnx_job* job, double timeout_seconds)
{
    return call(__func__, {{"job", job}}, [&] { return job->job.wait(timeout_seconds); });
}

bool vkonnx_job_done(vkonnx_job* job)
{
    return job && job->job.done();
}

double vkonnx_job_gpu_seconds(const vkonnx_job* job)
{
    return job ? job->job.gpu_seconds().value_or(-1) : -1;
}

void vkonnx_job_destroy(vkonnx_job* job)
{
    delete job;
}

// ---- recordings

vkonnx_status* vkonnx_recording_create(const vkonnx_device* device, vkonnx_recording** result)
{
    return call(__func__, {{"device", device}, {"result", result}}, [&] { return hand_out(device->device.recording(), result); });
}

void vkonnx_recording_destroy(vkonnx_recording* recording)
{
    delete recording;
}

vkonnx_status* vkonnx_recording_add(vkonnx_recording* recording, const vkonnx_binding* binding)
{
    return call(__func__, {{"recording", recording}, {"binding", binding}},
                [&] { return recording->recording.add(binding->binding); });
}

namespace {

Status hand_out_number(const Result<size_t>& made, size_t* number)
{
    if (made)
        *number = *made;
    return made.status();
}

template <class Byte, class Pointer>
Status hand_out_bytes(const Result<std::span<Byte>>& given, Pointer* data, size_t* bytes)
{
    if (!given)
        return given.status();
    *data = given->data();
    if (bytes)
        *bytes = given->size();
    return {};
}

}  // namespace

vkonnx_status* vkonnx_recording_add_upload(vkonnx_recording* recording, const vkonnx_tensor* to, size_t* number)
{
    return call(__func__, {{"recording", recording}, {"to", to}, {"number", number}},
                [&] { return hand_out_number(recording->recording.add_upload(to->tensor), number); });
}

vkonnx_status* vkonnx_recording_add_download(vkonnx_recording* recording, const vkonnx_tensor* from, size_t* number)
{
    return call(__func__, {{"recording", recording}, {"from", from}, {"number", number}},
                [&] { return hand_out_number(recording->recording.add_download(from->tensor), number); });
}

vkonnx_status* vkonnx_recording_upload_bytes(vkonnx_recording* recording, size_t number, void** data, size_t* bytes)
{
    return call(__func__, {{"recording", recording}, {"data", data}},
                [&] { return hand_out_bytes(recording->recording.upload_bytes(number), data, bytes); });
}

vkonnx_status* vkonnx_recording_download_bytes(vkonnx_recording* recording, size_t number, const void** data, size_t* bytes)
{
    return call(__func__, {{"recording", recording}, {"data", data}},
                [&] { return hand_out_bytes(recording->recording.download_bytes(number), data, bytes); });
}

vkonnx_status* vkonnx_recording_run(vkonnx_recording* recording)
{
    return call(__func__, {{"recording", recording}}, [&] { return recording->recording.run(); });
}

vkonnx_status* vkonnx_recording_submit(vkonnx_recording* recording, vkonnx_job** result)
{
    return call(__func__, {{"recording", recording}, {"result", result}},
                [&] { return hand_out(recording->recording.submit(), result); });
}

const double* vkonnx_recording_seconds(const vkonnx_recording* recording, size_t* count)
{
    const std::span<const double> seconds = recording ? recording->recording.seconds() : std::span<const double>();
    if (count)
        *count = seconds.size();
    return seconds.data();
}
