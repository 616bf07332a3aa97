// SPDX-License-Identifier: Apache-2.0
// This file implements PrepareOptions::tune: it finds the fastest kernel for a problem by timing, and keeps it as text.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace vkonnx::api {

struct DeviceState;

// Tunings are kernels by problem and device. As text, each is a line of three fields with tabs between them: kernel, problem,
// device. All functions but `parse` may be called from many threads at once.
class Tunings {
public:
    // Adds the lines of a text, the later of two for the same problem. Empty lines and those that begin with '#' are skipped.
    Status parse(std::string_view text);
    void add(const std::string& problem, const std::string& device, const std::string& kernel);
    std::optional<std::string> find(const std::string& problem, const std::string& device) const;
    std::string text() const;

private:
    mutable std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, std::string> kernels_;  // by problem and device
};

// A Tuner holds what one Device knows, and the lock under which it times, so that no measurement disturbs another.
struct Tuner {
    Tunings tunings;
    std::mutex timing;
};

struct Tuned {
    std::string kernel = {};  // "": there is nothing to choose from, or nothing could be timed, and estimates decide
    std::string why = {};
};

// Adds the tunings that earlier processes found on this device and kept in its cache.
void take_kept_tunings(DeviceState& state);

// Returns the kernel for the problem, as it was found before, or else timed now. Errors are those of the device while it was
// timed, except for memory that is lacking. A problem that can't be planned is left to planning.
Result<Tuned> tuned(const Device& device, const Operator& op, std::span<const TensorDesc> inputs, const PrepareOptions& options);

}  // namespace vkonnx::api
