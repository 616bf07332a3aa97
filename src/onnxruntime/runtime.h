// SPDX-License-Identifier: Apache-2.0
// This file holds the functions of ONNX Runtime that the plug-in calls, and turns errors of one side into errors of the other.
//
// Nearly every function of ONNX Runtime's C interface returns an error. In this folder, and nowhere else in the library, an error
// therefore travels as an exception, a Failure. None leaves the plug-in: each function that ONNX Runtime calls is an `answer`.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <onnxruntime_c_api.h>

#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vkonnx::onnxruntime {

struct Failure {
    Status status;
};

// Throws the status where it is an error.
inline void check(Status status)
{
    if (!status)
        throw Failure{std::move(status)};
}

template <class T>
T value_of(Result<T> result)
{
    check(result.status());
    return std::move(*result);
}

// This class is what ONNX Runtime gave the plug-in when it was registered. It outlives everything that the plug-in makes.
class Runtime {
public:
    // The version of the interface that this plug-in needs at least: that of ONNX Runtime 1.23.
    static constexpr uint32_t least_version = 23;

    // Returns nothing where the runtime is too old. `refusal` then tells so.
    static std::optional<Runtime> of(const OrtApiBase& base, const OrtLogger* logger, OrtStatus*& refusal);

    const OrtApi& api() const { return *api_; }
    const OrtEpApi& ep() const { return *ep_; }

    // Two faults of older releases. 1.23 gives groups in two branches of an If one name, refuses the second, and does not tell of
    // which node a graph is. Those before 1.27 do not give a group the values that only a graph within one of its nodes reads.
    bool names_nested_groups() const { return version_ >= 24; }
    bool gives_captured_values() const { return version_ >= 27; }

    // Takes what a function of ONNX Runtime returned, and releases it.
    Status take(OrtStatus* status) const;
    // Throws it where it is an error.
    void check(OrtStatus* status) const { onnxruntime::check(take(status)); }

    // Calls one of the pairs of functions that ONNX Runtime has for a list: one tells its length, the other fills it.
    template <class Item, class Count, class Fill, class Owner>
    std::vector<Item> list_of(const Owner* owner, Count count, Fill fill) const
    {
        size_t size = 0;
        check(count(owner, &size));
        std::vector<Item> items(size);
        if (size > 0)
            check(fill(owner, items.data(), size));
        return items;
    }

    // Writes one line to ONNX Runtime's log.
    void log(OrtLoggingLevel level, const std::string& text) const noexcept;

    OrtStatus* status_of(const Status& status) const noexcept;

    // Runs the work, and returns null or the error that ended it.
    template <class Work>
    OrtStatus* answer(Work work) const noexcept
    {
        try {
            work();
            return nullptr;
        } catch (const Failure& failure) {
            return status_of(failure.status);
        } catch (const std::bad_alloc&) {
            return status_of(Status::from_literal(Code::out_of_memory, "the host is out of memory"));
        } catch (...) {
            return status_of(Status::from_literal(Code::driver_error, "an exception was thrown where none is expected"));
        }
    }

private:
    const OrtApi* api_ = nullptr;
    const OrtEpApi* ep_ = nullptr;
    const OrtLogger* logger_ = nullptr;
    uint32_t version_ = 0;  // 32 for ONNX Runtime 1.32, whatever the plug-in was built for
};

}  // namespace vkonnx::onnxruntime
