// SPDX-License-Identifier: Apache-2.0
// What rewriting made of constants, kept from one rewrite of a graph to the next: for inputs of other sizes most of it is the
// same. Besides the work this saves identities: who has uploaded or packed a content knows it again.
#pragma once

#include <map>
#include <tuple>

#include "graph/graph.h"

namespace vkonnx::graph {

class Memo {
public:
    using Contents = std::vector<std::shared_ptr<const Content>>;

    struct Key {
        Contents from = {};    // null ones, too
        std::string how = {};  // the way, and all else that the result depends on

        friend bool operator<(const Key& a, const Key& b) { return std::tie(a.from, a.how) < std::tie(b.from, b.how); }
    };

    // What was kept for this key; null where nothing was.
    const Contents* find(const Key& key);
    const Contents& keep(Key key, Contents made);
    // Forgets what was neither found nor kept since the last time. A rewrite ends with it, so that sizes which come and go leave
    // nothing behind.
    void sweep();

private:
    struct Entry {
        Contents made = {};
        bool used = true;
    };
    std::map<Key, Entry> entries_;
};

// Bytes for Key::how, different for different descriptions or numbers.
std::string bytes_of(const TensorDesc& desc);
template <class Number, size_t Extent>
std::string bytes_of(std::span<Number, Extent> numbers)
{
    return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

}  // namespace vkonnx::graph
