// SPDX-License-Identifier: Apache-2.0
// This header has what the structs of the operators share: the words that attributes are written as, the choices that several
// operators have, and the way attributes are visited.
#ifndef VKONNX_OPERATORS_ATTRIBUTES_HPP
#define VKONNX_OPERATORS_ATTRIBUTES_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace vkonnx {

// A Spelling is a value of an attribute, and the word that ONNX's operator document has for it.
template <class Value>
struct Spelling {
    Value value;
    std::string_view word;
};

template <class Value>
using Spellings = std::span<const Spelling<Value>>;

// Returns the word of a value, or "" for a number that is no value.
template <class Value>
constexpr std::string_view word_of(Spellings<Value> spellings, std::type_identity_t<Value> value) noexcept
{
    for (const Spelling<Value>& one : spellings)
        if (one.value == value)
            return one.word;
    return {};
}

// Returns the value of a word, or nothing for a text that is no word.
template <class Value>
constexpr std::optional<Value> value_of(Spellings<Value> spellings, std::string_view word) noexcept
{
    for (const Spelling<Value>& one : spellings)
        if (one.word == word)
            return one.value;
    return {};
}

enum class AutoPad : uint8_t { notset, same_upper, same_lower, valid };

inline constexpr Spelling<AutoPad> auto_pad_words[] = {{AutoPad::notset, "NOTSET"},
                                                       {AutoPad::same_upper, "SAME_UPPER"},
                                                       {AutoPad::same_lower, "SAME_LOWER"},
                                                       {AutoPad::valid, "VALID"}};

// ONNX Runtime differs from the documents of ConvTranspose, AveragePool and MaxPool in some points. With `specification` these
// operators give the documents' answer. With `onnxruntime` they give the answer of ONNX Runtime in these points and no others:
// - ConvTranspose may have an auto_pad beside pads. Then auto_pad counts, but with VALID the pads do. The documents forbid this,
//   and so do newer releases of ONNX Runtime.
// - The output of ConvTranspose with SAME_UPPER or SAME_LOWER does not go beyond the last tap.
// - ConvTranspose of version 1 limits output_padding as later versions do, and splits the pads that follow from output_shape as
//   they do.
// - AveragePool and MaxPool with VALID obey ceil_mode.
//
// Everywhere else both rules give the documents' answer. On a CPU, ONNX Runtime 1.32 gives another one in these points:
// - It computes the pads of SAME_UPPER and SAME_LOWER of a dilated pool from the kernel without its dilations.
// - Its Resize with align_corners and scales uses the output's extent as the length, not the product of extent and scale.
// - Its Slice with a negative step takes an end of 2^31 - 1 or 2^63 - 1 to mean the place before the first element.
// - Where all elements are -Inf, its GlobalMaxPool returns the lowest finite number. So does its MaxPool without Indices,
//   along one axis or three.
enum class Rules : uint8_t { specification, onnxruntime };

inline constexpr Spelling<Rules> rules_words[] = {{Rules::specification, "specification"}, {Rules::onnxruntime, "onnxruntime"}};

// A layout tells where the channels of a tensor with spatial axes lie. The words are oneDNN Graph's.
enum class Layout : uint8_t {
    ncx,  // (N, C, D1, ..., Dn): ONNX's own
    nxc,  // (N, D1, ..., Dn, C): channels last
};

inline constexpr Spelling<Layout> layout_words[] = {{Layout::nxc, "NXC"}, {Layout::ncx, "NCX"}};

inline constexpr int64_t newest_opset = 28;

// ConvTranspose, AveragePool and MaxPool accept tensors of 1 to 6 spatial axes.
inline constexpr size_t max_spatial_axes = 6;

// fields(op, visit) calls visit(name, member) for each attribute, in the order of the struct, with the document's name. A member
// is a std::vector<int64_t>, std::vector<float>, std::optional<int64_t>, std::optional<float> or int64_t. For an attribute that
// is a word it calls visit(name, member, words), with the Spellings of the member's enum; for a list of words the member is a
// std::vector of the enum. All code that reads, prints or compares
// attributes is such a visitor, so that each attribute is named only in its struct's `fields`.
template <class T, class Of>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Of>;

// This is the index of T among the alternatives of a std::variant, or their count if it is none of them.
template <class T, class Variant>
inline constexpr size_t index_in = 0;

template <class T, class... Alternatives>
inline constexpr size_t index_in<T, std::variant<Alternatives...>> = [] {
    constexpr bool is_it[] = {std::same_as<T, Alternatives>...};
    size_t index = 0;
    while (index < sizeof...(Alternatives) && !is_it[index])
        ++index;
    return index;
}();

template <class T, class Variant>
concept AlternativeOf = index_in<T, Variant> < std::variant_size_v<Variant>;

}  // namespace vkonnx

#endif
