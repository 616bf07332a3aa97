// SPDX-License-Identifier: Apache-2.0
// What the operators share when they read attributes: the version a node follows, exact integers, sentences and checks.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/geometry.h"

namespace vkonnx::ops {

// A 64-bit integer that remembers whether a result on its way did not fit; such a number has no meaning but `fits`.
struct Exact {
    int64_t value = 0;
    bool fits = true;

    Exact(int64_t number) : value(number) {}
    Exact(int64_t number, bool exact) : value(number), fits(exact) {}

    friend Exact operator+(Exact a, Exact b);
    friend Exact operator-(Exact a, Exact b);
    friend Exact operator*(Exact a, Exact b);
};

// For a >= 0 and b >= 1.
Exact floor_divide(Exact a, int64_t b);
Exact ceil_divide(Exact a, int64_t b);

Exact lesser(Exact a, Exact b);

// One piece of a sentence: a text or a number. It looks at texts where they are; temporary ones it keeps.
class Word {
public:
    Word(std::string_view words) : view_(words) {}
    Word(const char* words) : view_(words) {}
    Word(const std::string& words) : view_(words) {}
    Word(std::string&& words) : own_(std::move(words)), owns_(true) {}
    Word(int64_t number) : own_(std::to_string(number)), owns_(true) {}

    std::string_view text() const { return owns_ ? std::string_view(own_) : view_; }

private:
    std::string own_ = {};
    std::string_view view_ = {};
    bool owns_ = false;
};

std::string join(std::initializer_list<Word> words);

// What a family of documents calls the things that all of them have.
struct Vocabulary {
    std::string_view family = "ONNX";
    Spellings<AutoPad> auto_pads = auto_pad_words;
    std::string_view group = "group";
    std::string_view channels_out = "M";
};

// The document that a node follows. Every refusal starts with the operator's name.
struct Document {
    std::string_view op = {};
    int64_t version = 0;
    int64_t opset = 0;
    Vocabulary vocabulary = {};

    Status refuse(std::initializer_list<Word> words, Code code = Code::invalid_argument) const;
    // "ONNX AveragePool-19", with the other rule set where it is followed.
    std::string title(Rules rules = Rules::specification) const;
};

// An optional attribute that is 0 or 1.
Status check_flag(const Document& document, std::string_view attribute, std::optional<int64_t> value);

// More than `most` inputs are refused with the code `beyond`.
Status check_input_count(const Document& document, size_t count, size_t least, size_t most, Code beyond = Code::invalid_argument);

// The type must be one of them, and not newer than the document.
Status check_type(const Document& document, std::string_view input, DType dtype, std::span<const Schema::Type> types);

// No negative dimension. `check_tensor` also wants a number of elements that 64 bits can count.
Status check_dims(const Document& document, std::string_view input, const TensorDesc& desc);
Status check_tensor(const Document& document, std::string_view name, const TensorDesc& desc);

// Which dimensions of a tensor are its channels and its spatial axes; the batch is the first one in every layout.
struct Places {
    size_t channels = 1;
    size_t spatial = 2;  // the first of n
};
Places places_of(Layout layout, size_t rank);

// The product of extents, modulo 2^64 where a tensor without elements has such.
int64_t product_of(std::span<const int64_t> extents);

// X of N, C and 1 to max_spatial_axes spatial axes, in a layout that there is.
Status check_spatial_rank(const Document& document, const TensorDesc& x);
Status check_layout(const Document& document, std::string_view name, Layout layout);

// A list attribute: `count` entries of at least `least`, or none where it is optional and left out.
enum class Presence : uint8_t { optional, required };
struct List {
    std::string_view name;
    std::span<const int64_t> entries;
    size_t count;
    int64_t least;
    Presence presence = Presence::optional;
};
Status check_lists(const Document& document, std::initializer_list<List> lists);

// An entry of a checked list, or what it is where the list is left out.
inline int64_t entry(std::span<const int64_t> list, size_t index, int64_t otherwise)
{
    return list.empty() ? otherwise : list[index];
}

// The document's word; "" for a number that is none.
inline std::string_view name(const Document& document, AutoPad auto_pad)
{
    return word_of(document.vocabulary.auto_pads, auto_pad);
}
inline bool is_same(AutoPad auto_pad)
{
    return auto_pad == AutoPad::same_upper || auto_pad == AutoPad::same_lower;
}
Status check_auto_pad(const Document& document, AutoPad auto_pad);

// `pads` and another auto_pad than NOTSET exclude each other.
Status check_pads_alone(const Document& document, AutoPad auto_pad, std::span<const int64_t> pads);

// Axis::dilated_kernel, which may not fit before an axis was checked.
Exact dilated_kernel(const Axis& axis);

// Splits a total padding, which counts as 0 when it is negative.
enum class Extra : uint8_t { begin, end };
void split_pads(Axis& axis, int64_t total, Extra extra);

// Refusals of the axis with this index; sizes are listed as they are known so far.
Status refuse_overflow(const Document& document, const Axis& axis, size_t index);
Status refuse_empty(const Document& document, const Axis& axis, size_t index);

// The terms of the equations, in words or as one axis's numbers: the same template writes both.
struct Terms {
    Word out = "out";
    Word in = "in";
    Word stride = "stride";
    Word dilated_kernel = "dilated kernel";
    Word pads = "pads";
    Word total = "total padding";
    Word output_padding = "output_padding";
};
Terms terms_of(const Axis& axis, int64_t output_padding = 0);

// "\naxis 0: "
std::string axis_line(size_t index);

// N, channels and every axis's `out`, in the layout's order.
TensorDesc output_desc(DType dtype, int64_t batch, int64_t channels, std::span<const Axis> axes, Layout layout);

}  // namespace vkonnx::ops
