// SPDX-License-Identifier: Apache-2.0
// This file measures the GPU time of consecutive pieces of work in one command buffer.
#pragma once

#include "gpu/commands.h"

namespace vkonnx::gpu {

// Returns the seconds between two timestamps of which only the low `valid_bits` count. The counter may have wrapped once.
double seconds_between(uint64_t begin, uint64_t end, uint32_t valid_bits, double seconds_per_tick);

class Timestamps {
public:
    // Makes timestamps for so many pieces, or null where the queue has none.
    static Result<std::unique_ptr<Timestamps>> create(Device& device, uint32_t pieces);
    ~Timestamps();
    Timestamps(const Timestamps&) = delete;
    Timestamps& operator=(const Timestamps&) = delete;

    // These are called while recording: begin before the first piece, and piece_done after each.
    void begin(const Commands& commands);
    void piece_done(const Commands& commands);
    // Reads, after the wait, the seconds from the end of the piece before to the end of each piece. It allocates nothing.
    Status read(std::span<double> seconds);

private:
    explicit Timestamps(Device& device) : device_(device) {}
    void write(const Commands& commands);

    Device& device_;
    VkQueryPool pool_ = VK_NULL_HANDLE;
    uint32_t next_ = 0;
    std::vector<uint64_t> ticks_;
};

}  // namespace vkonnx::gpu
