// SPDX-License-Identifier: Apache-2.0
#include "gpu/specialize.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "gpu/float_controls.h"

namespace vkonnx::gpu {
namespace {

using namespace spirv_words;

enum : uint32_t {
    op_type_bool = 20,
    op_type_int = 21,
    op_constant_true = 41,
    op_constant_false = 42,
    op_constant = 43,
    op_constant_composite = 44,
    op_spec_constant_true = 48,
    op_spec_constant_false = 49,
    op_spec_constant = 50,
    op_spec_constant_composite = 51,
    op_spec_constant_op = 52,
    decoration_spec_id = 1,
    op_i_add = 128,
    op_i_sub = 130,
    op_i_mul = 132,
    op_u_div = 134,
    op_u_mod = 137,
    op_logical_equal = 164,
    op_logical_not_equal = 165,
    op_logical_or = 166,
    op_logical_and = 167,
    op_logical_not = 168,
    op_select = 169,
    op_i_equal = 170,
    op_i_not_equal = 171,
    op_u_greater_than = 172,
    op_u_greater_than_equal = 174,
    op_u_less_than = 176,
    op_u_less_than_equal = 178,
    op_shift_right_logical = 194,
    op_shift_left_logical = 196,
    op_bitwise_or = 197,
    op_bitwise_xor = 198,
    op_bitwise_and = 199,
};

// Returns nothing where the operation is none of these, or has no result.
std::optional<uint32_t> result_of(uint32_t op, uint32_t a, uint32_t b)
{
    switch (op) {
    case op_i_add:
        return a + b;
    case op_i_sub:
        return a - b;
    case op_i_mul:
        return a * b;
    case op_u_div:
        return b == 0 ? std::nullopt : std::optional(a / b);
    case op_u_mod:
        return b == 0 ? std::nullopt : std::optional(a % b);
    case op_logical_equal:
    case op_i_equal:
        return a == b;
    case op_logical_not_equal:
    case op_i_not_equal:
        return a != b;
    case op_u_greater_than:
        return a > b;
    case op_u_greater_than_equal:
        return a >= b;
    case op_u_less_than:
        return a < b;
    case op_u_less_than_equal:
        return a <= b;
    case op_shift_right_logical:
        return b > 31 ? std::nullopt : std::optional(a >> b);
    case op_shift_left_logical:
        return b > 31 ? std::nullopt : std::optional(a << b);
    case op_logical_or:
    case op_bitwise_or:
        return a | b;
    case op_bitwise_xor:
        return a ^ b;
    case op_logical_and:
    case op_bitwise_and:
        return a & b;
    default:
        return std::nullopt;
    }
}

class Specializer {
public:
    Specializer(std::span<const uint32_t> code, std::span<const uint32_t> values) : code_(code), values_(values) {}

    std::vector<uint32_t> run()
    {
        made_.assign(code_.begin(), code_.begin() + header_words);
        for (size_t at = header_words; at < code_.size(); at += code_[at] >> 16)
            add(code_.subspan(at, code_[at] >> 16));
        return std::move(made_);
    }

private:
    using Words = std::span<const uint32_t>;

    void copy(Words words) { made_.insert(made_.end(), words.begin(), words.end()); }

    void add(Words words)
    {
        const uint32_t op = words[0] & 0xffff;
        switch (op) {
        case op_decorate:
            if (words.size() == 4 && words[2] == decoration_spec_id && words[3] < values_.size())
                given_[words[1]] = values_[words[3]];
            else
                copy(words);
            break;
        case op_type_bool:
            bool_type_ = words[1];
            copy(words);
            break;
        case op_type_int:
            if (words[2] == 32)
                int_types_.push_back(words[1]);
            copy(words);
            break;
        case op_constant_true:
        case op_constant_false:
            add_bool(words[1], words[2], op == op_constant_true);
            break;
        case op_spec_constant_true:
        case op_spec_constant_false:
            if (const auto given = given_.find(words[2]); given != given_.end())
                add_bool(words[1], words[2], given->second != 0);
            else
                leave(words);
            break;
        case op_constant:
            if (is_int(words[1]))
                add_int(words[1], words[2], words[3]);
            else
                copy(words);
            break;
        case op_spec_constant:
            if (const auto given = given_.find(words[2]); given == given_.end())
                leave(words);
            else if (is_int(words[1]))
                add_int(words[1], words[2], given->second);
            else
                copy_as(op_constant, words);
            break;
        case op_spec_constant_composite:
            if (std::any_of(words.begin() + 3, words.end(), [&](uint32_t id) { return left_.contains(id); }))
                leave(words);
            else
                copy_as(op_constant_composite, words);
            break;
        case op_spec_constant_op:
            add_operation(words);
            break;
        default:
            copy(words);
            break;
        }
    }

    void leave(Words words)
    {
        left_.insert(words[2]);
        copy(words);
    }

    void copy_as(uint32_t op, Words words)
    {
        copy(words);
        made_[made_.size() - words.size()] = instruction(op, uint32_t(words.size()));
    }

    void add_bool(uint32_t type, uint32_t id, bool value)
    {
        known_[id] = value;
        const uint32_t words[] = {instruction(value ? op_constant_true : op_constant_false, 3), type, id};
        copy(words);
    }

    void add_int(uint32_t type, uint32_t id, uint32_t value)
    {
        known_[id] = value;
        const uint32_t words[] = {instruction(op_constant, 4), type, id, value};
        copy(words);
    }

    // The words are: type, id, operation and operands.
    void add_operation(Words words)
    {
        const std::optional<uint32_t> value = computed(words[3], words.subspan(4));
        if (value && words[1] == bool_type_)
            add_bool(words[1], words[2], *value != 0);
        else if (value && is_int(words[1]))
            add_int(words[1], words[2], *value);
        else
            leave(words);
    }

    std::optional<uint32_t> computed(uint32_t op, Words operands) const
    {
        const auto known = [&](size_t i) -> std::optional<uint32_t> {
            const auto found = i < operands.size() ? known_.find(operands[i]) : known_.end();
            return found == known_.end() ? std::nullopt : std::optional(found->second);
        };
        const std::optional<uint32_t> first = known(0);
        if (!first)
            return std::nullopt;
        if (op == op_logical_not)
            return *first == 0;
        if (op == op_select)
            return known(*first != 0 ? 1 : 2);
        const std::optional<uint32_t> second = known(1);
        return second && operands.size() == 2 ? result_of(op, *first, *second) : std::nullopt;
    }

    bool is_int(uint32_t type) const { return std::find(int_types_.begin(), int_types_.end(), type) != int_types_.end(); }

    const Words code_;
    const Words values_;
    std::vector<uint32_t> made_;
    std::unordered_map<uint32_t, uint32_t> given_;  // values given to specialization constants, by id
    std::unordered_map<uint32_t, uint32_t> known_;  // known integers and truth values, by id
    std::unordered_set<uint32_t> left_;             // constants that the driver specializes, and what is computed of them
    std::vector<uint32_t> int_types_;
    uint32_t bool_type_ = 0;
};

}  // namespace

std::vector<uint32_t> specialized(std::span<const uint32_t> code, std::span<const uint32_t> values)
{
    if (!places_in(code).known)
        return {code.begin(), code.end()};
    return Specializer(code, values).run();
}

}  // namespace vkonnx::gpu
