// SPDX-License-Identifier: Apache-2.0
#include "gpu/fuse_products.h"

#include <cstring>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "gpu/float_controls.h"

namespace vkonnx::gpu {
namespace {

using namespace spirv_words;
using Words = std::span<const uint32_t>;

enum : uint32_t {
    op_ext_inst_import = 11,
    op_ext_inst = 12,
    op_type_vector = 23,
    op_function = 54,
    op_composite_construct = 80,
    op_f_add = 129,
    op_f_mul = 133,
    op_vector_times_scalar = 142,
    decoration_no_contraction = 42,
    glsl_fma = 50,
    place_of_bound = 3,  // the place, in the header, of the bound that all ids are below
};

constexpr std::string_view glsl = "GLSL.std.450";

struct Product {
    uint32_t first = 0;
    uint32_t second = 0;
    bool by_scalar = false;  // whether `second` is a scalar that multiplies a vector
};

class Fuser {
public:
    explicit Fuser(Words code) : code_(code), bound_(code[place_of_bound])
    {
        bool in_functions = false;
        for_each_instruction([&](uint32_t op, Words words) {
            in_functions = in_functions || op == op_function;
            read(op, words);
            // Results and literals are counted, too. A literal that equals an id can only keep a product from being fused.
            for (size_t i = 1; in_functions && i < words.size(); ++i)
                ++words_[words[i]];
        });
    }

    std::vector<uint32_t> run()
    {
        made_.assign(code_.begin(), code_.begin() + header_words);
        const size_t behind_extensions = places_in(code_).behind_extensions;
        const bool imports = import_ == 0;
        if (imports)
            import_ = bound_++;
        size_t at = header_words;
        for_each_instruction([&](uint32_t op, Words words) {
            if (op == op_f_add)
                add_sum(words);
            else
                copy(words);
            at += words.size();
            if (imports && at == behind_extensions)
                add_import();
        });
        if (fused_ == 0)
            return {code_.begin(), code_.end()};
        made_[place_of_bound] = bound_;
        return std::move(made_);
    }

private:
    template <class Visit>
    void for_each_instruction(const Visit& visit) const
    {
        for (size_t at = header_words; at < code_.size(); at += code_[at] >> 16)
            visit(code_[at] & 0xffff, code_.subspan(at, code_[at] >> 16));
    }

    void read(uint32_t op, Words words)
    {
        switch (op) {
        case op_ext_inst_import:
            if (std::strncmp(reinterpret_cast<const char*>(&words[2]), glsl.data(), (words.size() - 2) * 4) == 0)
                import_ = words[1];
            break;
        case op_type_vector:
            components_[words[1]] = words[3];
            break;
        case op_decorate:
            if (words[2] == decoration_no_contraction)
                apart_.insert(words[1]);
            break;
        case op_f_mul:
        case op_vector_times_scalar:
            products_[words[2]] = {words[3], words[4], op == op_vector_times_scalar};
            break;
        default:
            break;
        }
    }

    void copy(Words words) { made_.insert(made_.end(), words.begin(), words.end()); }

    void add_import()
    {
        std::vector<uint32_t> words(2 + glsl.size() / 4 + 1, 0);
        words[0] = instruction(op_ext_inst_import, uint32_t(words.size()));
        words[1] = import_;
        std::memcpy(&words[2], glsl.data(), glsl.size());
        copy(words);
    }

    const Product* fusible(uint32_t id) const
    {
        const auto found = products_.find(id);
        const bool is_read_once = found != products_.end() && words_.at(id) == 2;  // one word makes it, and one reads it here
        return is_read_once && !apart_.contains(id) ? &found->second : nullptr;
    }

    // The words are: type, id and two terms.
    void add_sum(Words words)
    {
        const uint32_t type = words[1], id = words[2];
        const Product* product = nullptr;
        uint32_t other = 0;
        if (!apart_.contains(id))
            for (const auto& [term, rest] : {std::pair(words[3], words[4]), std::pair(words[4], words[3])})
                if (product = fusible(term); product) {
                    other = rest;
                    break;
                }
        if (!product) {
            copy(words);
            return;
        }
        uint32_t second = product->second;
        if (product->by_scalar) {
            const uint32_t count = components_.at(type);
            second = bound_++;
            made_.insert(made_.end(), {instruction(op_composite_construct, 3 + count), type, second});
            made_.insert(made_.end(), count, product->second);
        }
        ++fused_;
        const uint32_t fused[] = {instruction(op_ext_inst, 8), type, id, import_, glsl_fma, product->first, second, other};
        copy(fused);
    }

    const Words code_;
    uint32_t bound_;
    uint32_t import_ = 0;
    size_t fused_ = 0;
    std::vector<uint32_t> made_;
    std::unordered_map<uint32_t, uint32_t> components_;  // components of vector types, by id
    std::unordered_map<uint32_t, Product> products_;     // by id
    std::unordered_map<uint32_t, uint32_t> words_;       // how many words of the functions have this value
    std::unordered_set<uint32_t> apart_;                 // ids that are decorated NoContraction
};

}  // namespace

std::vector<uint32_t> with_fused_products(std::span<const uint32_t> code)
{
    if (!places_in(code).known)
        return {code.begin(), code.end()};
    return Fuser(code).run();
}

}  // namespace vkonnx::gpu
