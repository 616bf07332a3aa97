// SPDX-License-Identifier: Apache-2.0
// Constant inputs in the form that a kernel wants: packed memory, filled once by a plan's setup steps.
#pragma once

#include <mutex>
#include <vector>

#include "gpu/memory.h"
#include "plan/plan.h"

namespace vkonnx::gpu {

// Programs that ask for the same share the memory, while one of them lives.
class Packing {
public:
    explicit Packing(Device& device) : device_(device) {}
    Packing(const Packing&) = delete;
    Packing& operator=(const Packing&) = delete;

    // The memory that the last tensor of the plan stands for, a setup (see plan.h): its inputs are given, and must not change
    // while the memory lives. Submits once and waits where nobody holds it yet. Any thread; one packs at a time.
    Result<std::shared_ptr<Buffer>> get(const plan::Plan& setup, std::vector<std::shared_ptr<Buffer>> inputs,
                                        const std::string& label);

private:
    // What was packed, from which buffers. They are known by their owners, so that a new buffer never passes for one that is
    // gone.
    struct Entry {
        plan::Plan setup;
        std::vector<std::weak_ptr<Buffer>> inputs;
        std::weak_ptr<Buffer> packed;

        bool is_of(const plan::Plan& wanted, const std::vector<std::shared_ptr<Buffer>>& from) const;
    };

    Device& device_;
    std::mutex mutex_;
    std::vector<Entry> entries_;
};

}  // namespace vkonnx::gpu
