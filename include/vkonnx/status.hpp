// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: errors. A function that can fail returns a Status or a Result.
#ifndef VKONNX_STATUS_HPP
#define VKONNX_STATUS_HPP

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace vkonnx {

enum class Code : uint8_t {
    ok,
    invalid_argument,  // an attribute, shape, type or file content that the operator's document forbids
    unsupported,       // legal, but beyond this library or this device
    out_of_memory,     // host or device
    no_loader,         // no Vulkan loader on this machine
    no_driver,         // a loader, but no driver that it accepts
    no_device,         // no device that fits the selection
    device_lost,       // the device is gone, or was given up; every later call on it says so
    timeout,           // the device did not answer in DeviceOptions::timeout_seconds
    io,                // a file could not be read or written
    driver_error,      // any other failure of a Vulkan call
};

class [[nodiscard]] Status {
public:
    Status() = default;
    Status(Code code, std::string message) noexcept : code_(code), text_(std::move(message)) {}
    // The sentence must outlive everything (a literal): for failures that must not allocate.
    static Status from_literal(Code code, const char* sentence) noexcept
    {
        Status status;
        status.code_ = code;
        status.literal_ = sentence;
        return status;
    }

    bool ok() const noexcept { return code_ == Code::ok; }
    explicit operator bool() const noexcept { return ok(); }
    Code code() const noexcept { return code_; }
    std::string_view message() const noexcept { return literal_ ? std::string_view(literal_) : std::string_view(text_); }

private:
    Code code_ = Code::ok;
    const char* literal_ = nullptr;
    std::string text_;
};

// A Result is a value, or the Status that says why there is none. Reading the value of a failed Result is a programmer's error.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }

    bool ok() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return ok(); }
    const Status& status() const noexcept { return status_; }
    Code code() const noexcept { return status_.code(); }
    std::string_view message() const noexcept { return status_.message(); }

    T& operator*() { return assert(value_), *value_; }
    const T& operator*() const { return assert(value_), *value_; }
    T* operator->() { return assert(value_), &*value_; }
    const T* operator->() const { return assert(value_), &*value_; }

private:
    Status status_;
    std::optional<T> value_;
};

}  // namespace vkonnx

#endif
