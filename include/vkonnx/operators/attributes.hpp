// SPDX-License-Identifier: Apache-2.0
// What the structs of the operators share: words of attributes, choices that several operators have, and how attributes are
// visited.
#ifndef VKONNX_OPERATORS_ATTRIBUTES_HPP
#define VKONNX_OPERATORS_ATTRIBUTES_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace vkonnx {

// How a document spells a value.
template <class Value>
struct Spelling {
    Value value;
    std::string_view word;
};

template <class Value>
using Spellings = std::span<const Spelling<Value>>;

// "" for a number that is no value.
template <class Value>
constexpr std::string_view word_of(Spellings<Value> spellings, std::type_identity_t<Value> value) noexcept
{
    for (const Spelling<Value>& one : spellings)
        if (one.value == value)
            return one.word;
    return {};
}

// Empty for a text that is no word.
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

// Which answer ConvTranspose, AveragePool and MaxPool give where ONNX Runtime differs from their documents: `specification` the
// documents', `onnxruntime` the one of ONNX Runtime in these points and no others:
// - ConvTranspose with an auto_pad beside pads, which the documents forbid, and newer releases of ONNX Runtime, too: auto_pad
//   counts, and with VALID the pads.
// - ConvTranspose with SAME_UPPER or SAME_LOWER is no longer than its taps reach.
// - ConvTranspose of version 1 has the later versions' limit of output_padding, and their halves of the pads that follow from
//   output_shape.
// - AveragePool and MaxPool with VALID heed ceil_mode.
//
// Elsewhere both rules give the documents' answer, also where ONNX Runtime 1.32 gives another on a CPU:
// - It finds the pads of SAME_UPPER and SAME_LOWER of a dilated pool from the kernel without its dilations.
// - Its Resize with align_corners and scales takes the output's extent for the length, not the product of extent and scale.
// - Its Slice with a negative step takes an end of 2^31 - 1 or 2^63 - 1 for one before the first element.
// - The greatest of nothing but -Inf is the lowest finite number by its GlobalMaxPool, and by its MaxPool along one axis or three
//   without Indices.
enum class Rules : uint8_t { specification, onnxruntime };

inline constexpr Spelling<Rules> rules_words[] = {{Rules::specification, "specification"}, {Rules::onnxruntime, "onnxruntime"}};

// Where the channels of a tensor with spatial axes lie. The words are oneDNN Graph's.
enum class Layout : uint8_t {
    ncx,  // (N, C, D1, ..., Dn): ONNX's own
    nxc,  // (N, D1, ..., Dn, C): channels last
};

inline constexpr Spelling<Layout> layout_words[] = {{Layout::nxc, "NXC"}, {Layout::ncx, "NCX"}};

inline constexpr int64_t newest_opset = 28;

// Spatial axes that ConvTranspose, AveragePool and MaxPool accept: 1 to 6.
inline constexpr size_t max_spatial_axes = 6;

// fields(op, visit) calls visit(name, member) for each attribute, in the order of the struct, with the document's name: members
// are std::vector<int64_t>, std::vector<float>, std::optional<int64_t>, std::optional<float> and int64_t. One that is a word
// comes as visit(name, member, words), with the Spellings of its enum. Whatever reads, prints or compares attributes is such a
// visitor, so that each is named only here.
template <class T, class Of>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Of>;

}  // namespace vkonnx

#endif
