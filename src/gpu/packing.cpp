// SPDX-License-Identifier: Apache-2.0
#include "gpu/packing.h"

#include <algorithm>

#include "gpu/execution.h"

namespace vkonnx::gpu {
namespace {

Status run(Device& device, std::shared_ptr<const Program> program, Packing::Buffers tensors)
{
    const Result<std::unique_ptr<Binding>> binding = Binding::create(std::move(program), std::move(tensors));
    if (!binding)
        return binding.status();
    const Result<std::unique_ptr<Execution>> execution = Execution::create(device);
    if (!execution)
        return execution.status();
    const Binding* bindings[] = {binding->get()};
    if (Status status = (*execution)->record(bindings, false); !status)
        return status;
    return (*execution)->run();
}

}  // namespace

bool Packing::Entry::is_of(const plan::Plan& wanted, std::span<const std::shared_ptr<const void>> from) const
{
    const auto same = [](const std::weak_ptr<const void>& a, const std::shared_ptr<const void>& b) {
        return !a.owner_before(b) && !b.owner_before(a);
    };
    return std::equal(origins.begin(), origins.end(), from.begin(), from.end(), same) && setup == wanted;
}

// The caller holds the lock.
std::shared_ptr<Buffer> Packing::find(const plan::Plan& setup, std::span<const std::shared_ptr<const void>> origins)
{
    std::erase_if(entries_, [](const Entry& entry) { return entry.packed.expired(); });
    for (const Entry& entry : entries_)
        if (entry.is_of(setup, origins))
            if (std::shared_ptr<Buffer> packed = entry.packed.lock())
                return packed;
    return nullptr;
}

Result<std::shared_ptr<Buffer>> Packing::get(const plan::Plan& setup, std::span<const std::shared_ptr<const void>> origins,
                                             const std::function<Result<Buffers>()>& inputs, const std::string& label)
{
    {
        const std::lock_guard lock(mutex_);
        if (std::shared_ptr<Buffer> packed = find(setup, origins))
            return packed;
    }
    // drivers compile for long: others pack meanwhile
    Result<std::shared_ptr<const Program>> program = Program::create(device_, setup, label + " setup");
    if (!program)
        return program.status();
    const std::lock_guard lock(mutex_);
    if (std::shared_ptr<Buffer> packed = find(setup, origins))
        return packed;
    Result<Buffers> tensors = inputs();
    if (!tensors)
        return tensors.status();
    Result<std::shared_ptr<Buffer>> packed =
        Buffer::create(device_, setup.tensor_bytes.back(), BufferUse::storage, label + " packed");
    if (!packed)
        return packed;
    entries_.push_back({setup, {origins.begin(), origins.end()}, {}});
    tensors->push_back(*packed);
    if (Status status = run(device_, std::move(*program), std::move(*tensors)); !status)
        return status;
    entries_.back().packed = *packed;  // until then, and so after an error, an entry that has expired
    return packed;
}

}  // namespace vkonnx::gpu
