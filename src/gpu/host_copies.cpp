// SPDX-License-Identifier: Apache-2.0
#include "gpu/host_copies.h"
#include "return_if_error.h"

#include <algorithm>

namespace vkonnx::gpu {

size_t HostCopies::add(Direction direction, std::shared_ptr<Buffer> buffer, uint64_t bytes, size_t place)
{
    copies_.push_back({.direction = direction, .buffer = std::move(buffer), .bytes = bytes, .place = place, .host = nullptr});
    return copies_.size() - 1;
}

bool HostCopies::has(Direction direction, size_t number) const
{
    return number < copies_.size() && copies_[number].direction == direction;
}

// Tells whether the host may itself write the buffer before everything else, or read it behind everything else.
bool HostCopies::is_direct(size_t number, std::span<const Binding* const> bindings) const
{
    const HostCopy& copy = copies_[number];
    const Slice& slice = copy.buffer->slice();
    const auto shares = [&](const HostCopy& other) { return other.bytes != 0 && other.buffer->slice().overlaps(slice); };
    const auto copies = std::span(copies_);
    if (copy.direction == Direction::upload) {
        const auto before = copies.first(number);
        const auto bindings_before = bindings.first(copy.place);
        return copy.buffer->mapped() && std::none_of(before.begin(), before.end(), shares) &&
               std::none_of(bindings_before.begin(), bindings_before.end(),
                            [&](const Binding* binding) { return binding->uses(slice); });
    }
    const auto behind = copies.subspan(number + 1);
    const auto bindings_behind = bindings.subspan(copy.place);
    return copy.buffer->read_directly() &&
           std::none_of(behind.begin(), behind.end(),
                        [&](const HostCopy& other) { return other.direction == Direction::upload && shares(other); }) &&
           std::none_of(bindings_behind.begin(), bindings_behind.end(),
                        [&](const Binding* binding) { return binding->writes(slice); });
}

Status HostCopies::lay_out(std::span<const Binding* const> bindings)
{
    // No two copies share an atom, which is flushed or invalidated as a whole, or a cache line.
    const uint64_t atom = device_.physical().non_coherent_atom;
    const uint64_t step = (63 + atom) / atom * atom;
    const auto room_of = [&](const HostCopy& copy) { return (copy.bytes + step - 1) / step * step; };
    uint64_t total = 0;
    for (size_t i = 0; i < copies_.size(); ++i) {
        HostCopy& copy = copies_[i];
        copy.host = copy.bytes != 0 && is_direct(i, bindings) ? copy.buffer : nullptr;
        if (!copy.host)
            total += room_of(copy);
    }
    if (total == 0)
        return {};
    Result<std::shared_ptr<Buffer>> staging = Buffer::create(device_, total, BufferUse::staging, "staging of a Recording");
    VKONNX_RETURN_IF_ERROR(staging.status());
    uint64_t offset = 0;
    for (HostCopy& copy : copies_) {
        if (copy.bytes == 0 || copy.host)
            continue;
        const uint64_t room = room_of(copy);
        copy.host = Buffer::part(*staging, offset, room);
        offset += room;
    }
    return {};
}

std::vector<Piece> HostCopies::among(std::span<const Binding* const> bindings) const
{
    std::vector<Piece> pieces;
    size_t next = 0;
    for (const HostCopy& copy : copies_) {
        while (next < copy.place)
            pieces.emplace_back(bindings[next++]);
        if (copy.host == copy.buffer || !copy.host)
            continue;
        const bool up = copy.direction == Direction::upload;
        pieces.emplace_back(Copy{up ? copy.host : copy.buffer, up ? copy.buffer : copy.host, copy.bytes});
    }
    pieces.insert(pieces.end(), bindings.begin() + ptrdiff_t(next), bindings.end());
    return pieces;
}

Status HostCopies::flush()
{
    for (const HostCopy& copy : copies_)
        if (copy.direction == Direction::upload && copy.host)
            VKONNX_RETURN_IF_ERROR(copy.host->flush(copy.bytes));
    return {};
}

Status HostCopies::invalidate(size_t number)
{
    const HostCopy& copy = copies_[number];
    return copy.host ? copy.host->invalidate(copy.bytes) : Status();
}

std::span<std::byte> HostCopies::bytes(size_t number) const
{
    const HostCopy& copy = copies_[number];
    return copy.host ? std::span(copy.host->mapped(), size_t(copy.bytes)) : std::span<std::byte>();
}

}  // namespace vkonnx::gpu
