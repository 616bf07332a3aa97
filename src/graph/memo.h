// SPDX-License-Identifier: Apache-2.0
// A memo keeps what rewriting made of constants from one rewrite of a graph to the next: for inputs of other sizes most of it is
// the same. Besides the work this saves identities, so that a content which was uploaded or packed is recognized.
#pragma once

#include <map>
#include <tuple>

#include "graph/graph.h"

namespace vkonnx::graph {

class Memo {
public:
    using Contents = std::vector<std::shared_ptr<const Content>>;

    struct Key {
        Contents from = {};    // what it is made of; some may be null
        std::string how = {};  // how it is made, and all else that the result depends on

        friend bool operator<(const Key& a, const Key& b) { return std::tie(a.from, a.how) < std::tie(b.from, b.how); }
    };

    // Returns what was kept for this key, or null.
    const Contents* find(const Key& key);
    const Contents& keep(Key key, Contents made);
    // Forgets what was neither found nor kept since the last sweep. A rewrite ends with it, so that sizes which come and go leave
    // nothing behind.
    void sweep();

private:
    struct Entry {
        Contents made = {};
        bool used = true;
    };
    std::map<Key, Entry> entries_;
};

// Returns bytes for Key::how, which differ for different descriptions or numbers.
std::string bytes_of(const TensorDesc& desc);
std::string bytes_of(const Operator& op);
template <class Number, size_t Extent>
std::string bytes_of(std::span<Number, Extent> numbers)
{
    return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

}  // namespace vkonnx::graph
