// SPDX-License-Identifier: Apache-2.0
// This file has what operators share to read attributes: the document that a node follows, exact integers, sentences and checks.
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

// An Exact is a 64-bit integer that remembers whether all results on the way to it fitted. If not, `value` means nothing.
struct Exact {
    int64_t value = 0;
    bool fits = true;

    Exact(int64_t number) : value(number) {}
    Exact(int64_t number, bool exact) : value(number), fits(exact) {}

    friend Exact operator+(Exact a, Exact b);
    friend Exact operator-(Exact a, Exact b);
    friend Exact operator*(Exact a, Exact b);
};

// The divisions need a >= 0 and b >= 1.
Exact floor_divide(Exact a, int64_t b);
Exact ceil_divide(Exact a, int64_t b);

Exact lesser(Exact a, Exact b);

// A Word is one piece of a sentence: a text or a number. It refers to a text where it is, but keeps a temporary one.
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

// A Vocabulary holds the words that one family of documents has for things that every family has.
struct Vocabulary {
    std::string_view family = "ONNX";
    Spellings<AutoPad> auto_pads = auto_pad_words;
    std::string_view group = "group";
    std::string_view channels_out = "M";
};

// A Document is the version of an operator that a node follows. Every refusal starts with the operator's name.
struct Document {
    std::string_view op = {};
    int64_t version = 0;
    int64_t opset = 0;
    Vocabulary vocabulary = {};

    Status refuse(std::initializer_list<Word> words, Code code = Code::invalid_argument) const;
    // Returns "ONNX AveragePool-19", and names ONNX Runtime's rules where those are followed.
    std::string title(Rules rules = Rules::specification) const;
};

// Checks an optional attribute that must be 0 or 1.
Status check_flag(const Document& document, std::string_view attribute, std::optional<int64_t> value);

// Checks the number of inputs. More than `most` are refused with the code `beyond`.
Status check_input_count(const Document& document, size_t count, size_t least, size_t most, Code beyond = Code::invalid_argument);

// Checks that the type is one of `types`, and not newer than the document.
Status check_type(const Document& document, std::string_view input, DType dtype, std::span<const Schema::Type> types);

// check_dims refuses negative dimensions. check_tensor also refuses more elements than 64 bits can count.
Status check_dims(const Document& document, std::string_view input, const TensorDesc& desc);
Status check_tensor(const Document& document, std::string_view name, const TensorDesc& desc);

// Places tells which dimensions of a tensor are its channels and its spatial axes. The batch is the first one in every layout.
struct Places {
    size_t channels = 1;
    size_t spatial = 2;  // the first of the n spatial axes
};
Places places_of(Layout layout, size_t rank);

// Returns the product of extents. Where a tensor without elements has others whose product overflows, it is taken modulo 2^64.
int64_t product_of(std::span<const int64_t> extents);

// check_spatial_rank demands N, C and 1 to max_spatial_axes spatial axes. check_layout demands a layout that exists.
Status check_spatial_rank(const Document& document, const TensorDesc& x);
Status check_layout(const Document& document, std::string_view name, Layout layout);

// A List is a list attribute: `count` entries of at least `least`, or none where it is optional and left out.
enum class Presence : uint8_t { optional, required };
struct List {
    std::string_view name;
    std::span<const int64_t> entries;
    size_t count;
    int64_t least;
    Presence presence = Presence::optional;
};
Status check_lists(const Document& document, std::initializer_list<List> lists);

// Returns an entry of a checked list, or `otherwise` where the list is left out.
inline int64_t entry(std::span<const int64_t> list, size_t index, int64_t otherwise)
{
    return list.empty() ? otherwise : list[index];
}

// Returns the document's word for the value, or "" for a number that stands for none.
inline std::string_view name(const Document& document, AutoPad auto_pad)
{
    return word_of(document.vocabulary.auto_pads, auto_pad);
}
inline bool is_same(AutoPad auto_pad)
{
    return auto_pad == AutoPad::same_upper || auto_pad == AutoPad::same_lower;
}
Status check_auto_pad(const Document& document, AutoPad auto_pad);

// Refuses `pads` together with an auto_pad other than NOTSET.
Status check_pads_alone(const Document& document, AutoPad auto_pad, std::span<const int64_t> pads);

// Returns the same as Axis::dilated_kernel, but notices an overflow, which is possible before an axis was checked.
Exact dilated_kernel(const Axis& axis);

// split_pads splits a total padding, which counts as 0 when it is negative. Extra tells which side gets one more if it is odd.
enum class Extra : uint8_t { begin, end };
void split_pads(Axis& axis, int64_t total, Extra extra);

// These refuse the axis with this index. Their texts list the sizes as far as they are known.
Status refuse_overflow(const Document& document, const Axis& axis, size_t index);
Status refuse_empty(const Document& document, const Axis& axis, size_t index);

// Terms are the terms of the equations, in words or as one axis's numbers, so that the same template writes both.
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

// Returns "\naxis 0: " for index 0.
std::string axis_line(size_t index);

// Returns the output's description: N, channels and every axis's `out`, in the layout's order.
TensorDesc output_desc(DType dtype, int64_t batch, int64_t channels, std::span<const Axis> axes, Layout layout);

}  // namespace vkonnx::ops
