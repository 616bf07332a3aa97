// SPDX-License-Identifier: Apache-2.0
#include "graph/memo.h"

#include <utility>

namespace vkonnx::graph {

const Memo::Contents* Memo::find(const Key& key)
{
    const auto found = entries_.find(key);
    if (found == entries_.end())
        return nullptr;
    found->second.used = true;
    return &found->second.made;
}

const Memo::Contents& Memo::keep(Key key, Contents made)
{
    Entry& entry = entries_[std::move(key)];
    entry = {.made = std::move(made)};
    return entry.made;
}

void Memo::sweep()
{
    for (auto entry = entries_.begin(); entry != entries_.end();)
        entry = std::exchange(entry->second.used, false) ? std::next(entry) : entries_.erase(entry);
}

std::string bytes_of(const TensorDesc& desc)
{
    const uint64_t head[] = {uint64_t(desc.dtype), desc.dims.size()};
    return bytes_of(std::span(head)) + bytes_of(std::span(desc.dims));
}

}  // namespace vkonnx::graph
