// SPDX-License-Identifier: Apache-2.0
// This file gathers from many operators what preparing sends to the device: copies and setup steps, done by few submits.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/execution.h"

namespace vkonnx::gpu {

class Staging : public std::enable_shared_from_this<Staging> {
    struct Load {
        std::atomic<bool> done = false;
    };

public:
    // A Ticket stands for all that was added before it was taken. It keeps none of that alive.
    class Ticket {
    public:
        Ticket() = default;  // stands for nothing
        // Makes sure that the work is done: whoever asks first does it. It is an error where all who wanted the work have gone.
        Status finish() const;
        bool is_of(const Staging& staging) const { return staging_.lock().get() == &staging; }

    private:
        friend class Staging;
        std::weak_ptr<Staging> staging_;
        std::shared_ptr<const Load> load_;
    };

    explicit Staging(Device& device) : device_(device) {}
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    // Any thread may call these functions. make_room must be called before `bytes` of memory are taken: if they and the memory
    // given are too much together, it does what was added.
    Status make_room(uint64_t bytes);
    // Returns mapped memory, which must be written before anything that reads it is added.
    Result<std::shared_ptr<Buffer>> memory(uint64_t bytes, const std::string& name);
    // Uploads bytes. Where the host sees the buffer, it writes them itself.
    Status upload(const std::shared_ptr<Buffer>& to, std::span<const std::byte> bytes);
    // Returns `upload` in the form that a Program takes. It may be called for as long as this lives.
    Upload uploader();
    void copy(std::shared_ptr<const Buffer> from, std::shared_ptr<const Buffer> to, uint64_t bytes);
    // Adds a program. Programs run in the order in which they were added, behind all copies.
    Status run(std::shared_ptr<const Program> program, std::vector<std::shared_ptr<Buffer>> tensors);
    Ticket ticket();
    // Submits what was added and waits. After an error the work stays for the next try.
    Status finish();

private:
    Status finish(const Load& load);
    // The caller of each of these must hold the lock.
    bool is_empty() const { return copies_.empty() && bindings_.empty(); }
    Status make_room_locked(uint64_t bytes);
    Status finish_all();

    Device& device_;
    std::mutex mutex_;
    std::shared_ptr<Load> load_ = std::make_shared<Load>();  // stands for all members below
    std::vector<Copy> copies_;
    std::vector<std::unique_ptr<Binding>> bindings_;
    uint64_t bytes_ = 0;  // bytes of the memory that was given
};

}  // namespace vkonnx::gpu
