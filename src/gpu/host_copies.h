// SPDX-License-Identifier: Apache-2.0
// This file copies between the host and tensors, among the bindings of a recording. Copies go through one staging buffer, or
// through none where the host sees a tensor's memory and the order allows it.
#pragma once

#include "gpu/execution.h"

namespace vkonnx::gpu {

class HostCopies {
public:
    enum class Direction : uint8_t { upload, download };

    explicit HostCopies(Device& device) : device_(device) {}
    HostCopies(const HostCopies&) = delete;
    HostCopies& operator=(const HostCopies&) = delete;

    bool empty() const { return copies_.empty(); }
    // Adds a copy of the buffer's first bytes, behind the first `place` bindings and all copies that were added before. Returns
    // its number.
    size_t add(Direction direction, std::shared_ptr<Buffer> buffer, uint64_t bytes, size_t place);
    bool has(Direction direction, size_t number) const;

    // Finds the host's memory of each copy. It must be called when everything was added and nothing is in flight.
    Status lay_out(std::span<const Binding* const> bindings);
    // Returns the bindings in their order, with the copies among them for which there is something to do.
    std::vector<Piece> among(std::span<const Binding* const> bindings) const;

    // These are called once it is laid out. They allocate nothing.
    //
    // Makes visible to the device what the host wrote. To be called before each submit.
    Status flush();
    // Makes visible to the host what the device wrote.
    Status invalidate(size_t number);
    std::span<std::byte> bytes(size_t number) const;

private:
    struct HostCopy {
        Direction direction = Direction::upload;
        std::shared_ptr<Buffer> buffer;
        uint64_t bytes = 0;
        size_t place = 0;
        std::shared_ptr<Buffer> host;  // `buffer` itself where the host accesses it directly; null where there are no bytes
    };

    bool is_direct(size_t number, std::span<const Binding* const> bindings) const;

    Device& device_;
    std::vector<HostCopy> copies_;  // in ascending order of places
};

}  // namespace vkonnx::gpu
