// SPDX-License-Identifier: Apache-2.0
// This file holds constant inputs in the form that a kernel wants: packed memory, filled once by a plan's setup steps.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "gpu/staging.h"
#include "plan/core/plan.h"

namespace vkonnx::gpu {

// Programs that ask for the same packed memory share it, while one of them lives.
class Packing {
public:
    explicit Packing(Device& device) : device_(device) {}
    Packing(const Packing&) = delete;
    Packing& operator=(const Packing&) = delete;

    using Buffers = std::vector<std::shared_ptr<Buffer>>;

    // Returns the memory that the last tensor of the plan, a setup (see plan.h), stands for. It is filled once the staging is
    // finished. `origins` identify the inputs, one each: whoever asks with the same ones wants the same elements, which must not
    // change while the memory lives. `inputs` gives the inputs themselves; it is called only where nobody holds that memory yet,
    // and must not pack. Any thread may call this; one packs at a time.
    Result<std::shared_ptr<Buffer>> get(const plan::Plan& setup, std::span<const std::shared_ptr<const void>> origins,
                                        const std::function<Result<Buffers>()>& inputs, const std::string& label,
                                        Staging& staging);

private:
    // An Entry tells what was packed, and of what. Origins are told apart by owner, so a new one never passes for a former one.
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
