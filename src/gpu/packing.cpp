// SPDX-License-Identifier: Apache-2.0
#include "gpu/packing.h"

#include <algorithm>

#include "gpu/execution.h"

namespace vkonnx::gpu {
namespace {

Status run(Device& device, const plan::Plan& setup, std::vector<std::shared_ptr<Buffer>> tensors, const std::string& label)
{
    Result<std::shared_ptr<const Program>> program = Program::create(device, setup, label);
    if (!program)
        return program.status();
    const Result<std::unique_ptr<Binding>> binding = Binding::create(std::move(*program), std::move(tensors));
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

bool Packing::Entry::is_of(const plan::Plan& wanted, const std::vector<std::shared_ptr<Buffer>>& from) const
{
    const auto same = [](const std::weak_ptr<Buffer>& a, const std::shared_ptr<Buffer>& b) {
        return !a.owner_before(b) && !b.owner_before(a);
    };
    return setup == wanted && std::equal(inputs.begin(), inputs.end(), from.begin(), from.end(), same);
}

Result<std::shared_ptr<Buffer>> Packing::get(const plan::Plan& setup, std::vector<std::shared_ptr<Buffer>> inputs,
                                             const std::string& label)
{
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [](const Entry& entry) { return entry.packed.expired(); });
    for (const Entry& entry : entries_)
        if (entry.is_of(setup, inputs))
            if (std::shared_ptr<Buffer> packed = entry.packed.lock())
                return packed;

    Result<std::shared_ptr<Buffer>> packed =
        Buffer::create(device_, setup.tensor_bytes.back(), BufferUse::storage, label + " packed");
    if (!packed)
        return packed;
    entries_.push_back({setup, {inputs.begin(), inputs.end()}, {}});
    inputs.push_back(*packed);
    if (Status status = run(device_, setup, std::move(inputs), label + " setup"); !status)
        return status;
    entries_.back().packed = *packed;  // until then, and so after an error, an entry that has expired
    return packed;
}

}  // namespace vkonnx::gpu
