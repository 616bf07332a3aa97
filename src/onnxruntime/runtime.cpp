// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/runtime.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace vkonnx::onnxruntime {

namespace {

// Returns 32 for "1.32.0": the versions of the interface are the second numbers of the releases.
uint32_t version_of(std::string_view release)
{
    const size_t dot = release.find('.');
    uint32_t version = 0;
    if (dot != std::string_view::npos)
        std::from_chars(release.data() + dot + 1, release.data() + release.size(), version);
    return version;
}

OrtErrorCode code_of(Code code)
{
    switch (code) {
    case Code::ok:
        return ORT_OK;
    case Code::invalid_argument:
        return ORT_INVALID_ARGUMENT;
    case Code::unsupported:
        return ORT_NOT_IMPLEMENTED;
    case Code::io:
        return ORT_NO_SUCHFILE;
    case Code::out_of_memory:
    case Code::no_loader:
    case Code::no_driver:
    case Code::no_device:
    case Code::device_lost:
    case Code::timeout:
    case Code::driver_error:
        return ORT_EP_FAIL;
    }
    return ORT_EP_FAIL;
}

}  // namespace

std::optional<Runtime> Runtime::of(const OrtApiBase& base, const OrtLogger* logger, OrtStatus*& refusal)
{
    Runtime runtime;
    const std::string release = base.GetVersionString();
    runtime.version_ = version_of(release);
    if (runtime.version_ >= least_version)
        runtime.api_ = base.GetApi(std::min<uint32_t>(runtime.version_, ORT_API_VERSION));
    if (!runtime.api_) {
        // Any version of the interface can make an error.
        const OrtApi* any = base.GetApi(1);
        const std::string sentence = "vkonnx: this is ONNX Runtime " + release + ", and the plug-in needs 1." +
                                     std::to_string(least_version) + " or newer";
        refusal = any ? any->CreateStatus(ORT_NOT_IMPLEMENTED, sentence.c_str()) : nullptr;
        return std::nullopt;
    }
    runtime.ep_ = runtime.api_->GetEpApi();
    runtime.logger_ = logger;
    return runtime;
}

Status Runtime::take(OrtStatus* status) const
{
    if (!status)
        return {};
    const std::string message = api_->GetErrorMessage(status);
    api_->ReleaseStatus(status);
    return Status(Code::driver_error, "ONNX Runtime: " + message);
}

void Runtime::log(OrtLoggingLevel level, const std::string& text) const noexcept
{
    if (!logger_)
        return;
    OrtStatus* const status =
        api_->Logger_LogMessage(logger_, level, ("vkonnx: " + text).c_str(), ORT_TSTR("vkonnx"), 0, "vkonnx");
    if (status)
        api_->ReleaseStatus(status);  // what can't be logged can't be told either
}

OrtStatus* Runtime::status_of(const Status& status) const noexcept
{
    if (status)
        return nullptr;
    try {
        return api_->CreateStatus(code_of(status.code()), ("vkonnx: " + std::string(status.message())).c_str());
    } catch (...) {
        return api_->CreateStatus(ORT_EP_FAIL, "vkonnx: the host is out of memory");
    }
}

}  // namespace vkonnx::onnxruntime
