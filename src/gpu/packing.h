// SPDX-License-Identifier: Apache-2.0
// Constant inputs in the form that a kernel wants: packed memory, filled once by a plan's setup steps.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "gpu/staging.h"
#include "plan/plan.h"

namespace vkonnx::gpu {

// Programs that ask for the same share the memory, while one of them lives.
class Packing {
public:
    explicit Packing(Device& device) : device_(device) {}
    Packing(const Packing&) = delete;
    Packing& operator=(const Packing&) = delete;

    using Buffers = std::vector<std::shared_ptr<Buffer>>;

    // The memory that the last tensor of the plan stands for, a setup (see plan.h); filled once the staging is finished.
    // `origins` are what its inputs are known by, one each: who asks with the same ones wants the same elements, which must not
    // change while the memory lives. `inputs` gives the inputs themselves, and is called only where nobody holds that memory
    // yet. It must not pack. Any thread; one packs at a time.
    Result<std::shared_ptr<Buffer>> get(const plan::Plan& setup, std::span<const std::shared_ptr<const void>> origins,
                                        const std::function<Result<Buffers>()>& inputs, const std::string& label,
                                        Staging& staging);

private:
    // What was packed, and of what. Origins are known by their owners, so that a new one never passes for one that is gone.
    struct Entry {
        plan::Plan setup;
        std::vector<std::weak_ptr<const void>> origins;
        std::weak_ptr<Buffer> packed;
        Staging::Ticket filled;

        bool is_of(const plan::Plan& wanted, std::span<const std::shared_ptr<const void>> from) const;
    };

    std::shared_ptr<Buffer> find(const plan::Plan& setup, std::span<const std::shared_ptr<const void>> origins,
                                 const Staging& staging);

    Device& device_;
    std::mutex mutex_;
    std::vector<Entry> entries_;
};

}  // namespace vkonnx::gpu
