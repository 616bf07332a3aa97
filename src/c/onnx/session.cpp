// SPDX-License-Identifier: Apache-2.0
// This file has sessions.
#include "c/onnx/handles.h"
#include "return_if_error.h"

using namespace vkonnx;
using namespace vkonnx::c;

vkonnx_session::vkonnx_session(onnx::Session given) : session(std::move(given))
{
    fill(inputs, session.inputs(), memory);
    fill(outputs, session.outputs(), memory);
}

vkonnx_status* vkonnx_session_prepare(const vkonnx_device* device, const vkonnx_model* model,
                                      const vkonnx_named_desc* const* inputs, size_t input_count,
                                      const vkonnx_session_options* options, vkonnx_session** result)
{
    const char* function = __func__;
    return call(function, {{"device", device}, {"model", model}, {"result", result}}, [&]() -> Status {
        const auto descs = named_descs_of(function, inputs, input_count);
        const Result<onnx::SessionOptions> wanted = options_of(options);
        if (!descs || !wanted)
            return descs ? wanted.status() : descs.status();
        return hand_out(onnx::Session::prepare(device->device, model->model, *descs, *wanted), result);
    });
}

vkonnx_status* vkonnx_session_for_inputs(const vkonnx_session* session, const vkonnx_named_desc* const* inputs,
                                         size_t input_count, vkonnx_session** result)
{
    const char* function = __func__;
    return call(function, {{"session", session}, {"result", result}}, [&]() -> Status {
        const auto descs = named_descs_of(function, inputs, input_count);
        return descs ? hand_out(session->session.for_inputs(*descs), result) : descs.status();
    });
}

void vkonnx_session_destroy(vkonnx_session* session)
{
    delete session;
}

namespace {

Status read_strings(const std::string& what, const vkonnx_host_tensor& given, std::vector<std::string>& strings)
{
    if (!given.strings && given.string_count > 0)
        return Status(Code::invalid_argument,
                      what + ": strings is NULL, but string_count is " + std::to_string(given.string_count));
    for (size_t i = 0; i < given.string_count; ++i) {
        const char* text = given.strings[i];
        if (!text)
            return Status(Code::invalid_argument, what + ": strings[" + std::to_string(i) + "] is NULL");
        strings.emplace_back(text, given.string_sizes ? given.string_sizes[i] : std::strlen(text));
    }
    return {};
}

}  // namespace

vkonnx_status* vkonnx_session_run(vkonnx_session* session, const vkonnx_host_tensor* const* inputs, size_t input_count,
                                  const vkonnx_host_tensors** result)
{
    const char* function = __func__;
    return call(function, {{"session", session}, {"result", result}}, [&]() -> Status {
        std::vector<std::vector<std::string>> strings(inputs ? input_count : 0);
        size_t next = 0;
        const auto views = read_list(
            std::string(function) + ": inputs", inputs, input_count,
            [&](const std::string& what, const vkonnx_host_tensor* one) -> Result<onnx::HostView> {
                if (!one)
                    return Status(Code::invalid_argument, what + " is NULL");
                const Result<vkonnx_host_tensor> given = read("vkonnx_host_tensor", one);
                VKONNX_RETURN_IF_ERROR(given.status());
                Result<TensorDesc> desc = desc_of(what + "::desc", given->desc);
                VKONNX_RETURN_IF_ERROR(desc.status());
                if (!given->data && given->bytes > 0)
                    return Status(Code::invalid_argument, what + ": data is NULL, but bytes is " + std::to_string(given->bytes));
                std::vector<std::string>& own = strings[next++];
                VKONNX_RETURN_IF_ERROR(read_strings(what, *given, own));
                return onnx::HostView{.desc = std::move(*desc),
                                      .data = std::span(static_cast<const std::byte*>(given->data), given->bytes),
                                      .strings = own};
            });
        return views ? hand_out_tensors(session->session.run_views(*views), result) : views.status();
    });
}

vkonnx_status* vkonnx_session_bind(const vkonnx_session* session, const vkonnx_tensor* const* inputs, size_t input_count,
                                   const vkonnx_tensor* const* outputs, size_t output_count, vkonnx_recording** result)
{
    const char* function = __func__;
    return call(function, {{"session", session}, {"result", result}}, [&]() -> Status {
        const Result<std::vector<Tensor>> in = tensors_of(function, "inputs", inputs, input_count, true);
        const Result<std::vector<Tensor>> out = tensors_of(function, "outputs", outputs, output_count);
        if (!in || !out)
            return in ? out.status() : in.status();
        return hand_out(session->session.bind(*in, *out), result);
    });
}

bool vkonnx_session_runs_in_stages(const vkonnx_session* session)
{
    return session && session->session.runs_in_stages();
}

const vkonnx_tensor_descs* vkonnx_session_get_inputs(const vkonnx_session* session)
{
    return session ? &session->inputs : nullptr;
}

const vkonnx_tensor_descs* vkonnx_session_get_outputs(const vkonnx_session* session)
{
    return session ? &session->outputs : nullptr;
}

vkonnx_status* vkonnx_session_report(const vkonnx_session* session, const vkonnx_graph_report** result)
{
    return call(__func__, {{"session", session}, {"result", result}}, [&]() -> Status {
        const onnx::GraphReport& report = session->session.report();
        if (report.values.empty() && !session->session.outputs().empty())  // each of which is a value
            return Status::from_literal(Code::out_of_memory, "the host is out of memory");
        return hand_out_report(report, result);
    });
}
