// SPDX-License-Identifier: Apache-2.0
#include "graph/memo.h"

#include <utility>

namespace vkonnx::graph {
namespace {

template <class Number>
requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
void append(std::string& bytes, const Number& number)
{
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Elements that are lists or optional are appended by the functions above and below.
template <class Element>
void append(std::string& bytes, const std::vector<Element>& list);

void append(std::string& bytes, const std::string& text)
{
    append(bytes, text.size());
    bytes += text;
}

template <class Value>
void append(std::string& bytes, const std::optional<Value>& value)
{
    append(bytes, value.has_value());
    if (value)
        append(bytes, *value);
}

template <class Element>
void append(std::string& bytes, const std::vector<Element>& list)
{
    append(bytes, list.size());
    for (const Element& element : list)
        append(bytes, element);
}

}  // namespace

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

std::string bytes_of(const Operator& op)
{
    std::string bytes;
    append(bytes, std::string(domain(op)));
    append(bytes, std::string(name(op)));
    const auto append_to = [&](std::string_view, const auto& value, const auto&...) { append(bytes, value); };
    fields(op, append_to);
    for (const int64_t* number : {opset_of(op), outputs_of(op)})
        append(bytes, number ? *number : 0);
    const Rules* rules = rules_of(op);
    append(bytes, rules ? *rules : Rules());
    return bytes;
}

}  // namespace vkonnx::graph
