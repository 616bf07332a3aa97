// SPDX-License-Identifier: Apache-2.0
// This file reads the provider's options, which stand among the options of a session as ep.vkonnxexecutionprovider.NAME.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vkonnx/onnx.hpp>

namespace vkonnx::onnxruntime {

inline constexpr const char* provider_name = "VkonnxExecutionProvider";
// ONNX Runtime puts this in front of the options that are given to a provider.
inline constexpr std::string_view option_prefix = "ep.vkonnxexecutionprovider.";

struct CapabilityOptions {
    // Groups with fewer nodes that the device computes are left to others: going to the device and back has its cost.
    uint64_t least_nodes = 1;
    // The provider then also takes nodes that no operator on the device reads or writes, such as those that only compute
    // shapes. It also takes nodes whose dimensions depend on elements that nobody knows before a run. A group that reads such
    // elements is prepared anew for others.
    bool take_all = false;
};

struct ProviderOptions {
    DeviceOptions device = {};
    onnx::SessionOptions session = {};
    CapabilityOptions capability = {};
};

using OptionPairs = std::vector<std::pair<std::string, std::string>>;

// Reads the pairs that have the prefix; the others are not the provider's. An unknown name and a value that can't be read are
// errors that name both.
Result<ProviderOptions> read_options(const OptionPairs& pairs);

// Returns a text that is equal for options that can share one open device.
std::string device_key(const DeviceOptions& options);

}  // namespace vkonnx::onnxruntime
