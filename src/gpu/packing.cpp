// SPDX-License-Identifier: Apache-2.0
#include "gpu/packing.h"
#include "return_if_error.h"

#include <algorithm>

namespace vkonnx::gpu {

bool Packing::Entry::is_of(const plan::Plan& wanted, std::span<const std::shared_ptr<const void>> from) const
{
    const auto same = [](const std::weak_ptr<const void>& a, const std::shared_ptr<const void>& b) {
        return !a.owner_before(b) && !b.owner_before(a);
    };
    return std::equal(origins.begin(), origins.end(), from.begin(), from.end(), same) && setup == wanted;
}

// Returns the packed memory if somebody holds it. The caller must hold the lock.
std::shared_ptr<Buffer> Packing::find(const plan::Plan& setup, std::span<const std::shared_ptr<const void>> origins,
                                      const Staging& staging)
{
    std::erase_if(entries_, [](const Entry& entry) { return entry.packed.expired(); });
    for (const Entry& entry : entries_)
        if (entry.is_of(setup, origins))
            if (std::shared_ptr<Buffer> packed = entry.packed.lock())
                if (entry.filled.is_of(staging) || entry.filled.finish())
                    return packed;
    return nullptr;
}

Result<std::shared_ptr<Buffer>> Packing::get(const plan::Plan& setup, std::span<const std::shared_ptr<const void>> origins,
                                             const std::function<Result<Buffers>()>& inputs, const std::string& label,
                                             Staging& staging)
{
    {
        const std::lock_guard lock(mutex_);
        if (std::shared_ptr<Buffer> packed = find(setup, origins, staging))
            return packed;
    }
    // Drivers may compile for long, so others can pack meanwhile.
    Result<std::shared_ptr<const Program>> program =
        Program::create(device_, setup, label + " setup", nullptr, staging.uploader());
    VKONNX_RETURN_IF_ERROR(program.status());
    const std::lock_guard lock(mutex_);
    if (std::shared_ptr<Buffer> packed = find(setup, origins, staging))
        return packed;
    Result<Buffers> tensors = inputs();
    VKONNX_RETURN_IF_ERROR(tensors.status());
    Result<std::shared_ptr<Buffer>> packed =
        Buffer::create(device_, setup.tensor_bytes.back(), BufferUse::storage, label + " packed");
    if (!packed)
        return packed;
    entries_.push_back({setup, {origins.begin(), origins.end()}, {}, {}});
    tensors->push_back(*packed);
    VKONNX_RETURN_IF_ERROR(staging.run(std::move(*program), std::move(*tensors)));
    entries_.back().filled = staging.ticket();
    entries_.back().packed = *packed;  // until this line, and so after an error, the entry counts as expired
    return packed;
}

}  // namespace vkonnx::gpu
