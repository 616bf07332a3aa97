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

// One piece of a sentence: a text or a number.
struct Word {
    std::string text;

    Word(std::string_view words) : text(words) {}
    Word(const char* words) : text(words) {}
    Word(const std::string& words) : text(words) {}
    Word(int64_t number) : text(std::to_string(number)) {}
};

std::string join(std::initializer_list<Word> words);

// The document that a node follows. Every refusal starts with the operator's name.
struct Document {
    std::string_view op = {};
    int64_t version = 0;
    int64_t opset = 0;

    Status refuse(std::initializer_list<Word> words, Code code = Code::invalid_argument) const;
    // "ONNX AveragePool-19", with the other rule set where it is followed.
    std::string title(Rules rules = Rules::specification) const;
};

// The newest of `versions` (ascending, from 1) that is not newer than the opset.
Result<Document> document_of(std::string_view op, std::span<const int64_t> versions, int64_t opset);

// An attribute that the document's version lacks must not be given.
Status check_since(const Document& document, std::string_view attribute, bool given, int64_t since);

// An optional attribute that is 0 or 1.
Status check_flag(const Document& document, std::string_view attribute, std::optional<int64_t> value);

Status check_input_count(const Document& document, size_t count, size_t least, size_t most);

struct TypeSince {
    DType dtype;
    int64_t version;
};

// The type must be in the table and not newer than the document.
Status check_type(const Document& document, std::string_view input, DType dtype, std::span<const TypeSince> table);

// The types of ConvTranspose and AveragePool, in all their versions.
std::span<const TypeSince> float_types();

// No negative dimension. `check_tensor` also wants a number of elements that 64 bits can count.
Status check_dims(const Document& document, std::string_view input, const TensorDesc& desc);
Status check_tensor(const Document& document, std::string_view name, const TensorDesc& desc);

// Rank of (N, C, D1..Dn) for 1 <= n <= max_spatial_axes.
Status check_spatial_rank(const Document& document, const TensorDesc& x);

// A list attribute, empty or of `count` entries of at least `least`.
Status check_list(const Document& document, std::string_view attribute, std::span<const int64_t> list, size_t count,
                  int64_t least);

// The attributes that windows have in common.
struct Window {
    AutoPad auto_pad;
    std::span<const int64_t> kernel;  // n, already checked
    std::span<const int64_t> strides;
    std::span<const int64_t> dilations;
    std::span<const int64_t> pads;
};

// "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"
std::string_view name(AutoPad auto_pad);
inline bool is_same(AutoPad auto_pad)
{
    return auto_pad == AutoPad::same_upper || auto_pad == AutoPad::same_lower;
}

// Checks them and lays them out an axis each, with the explicit pads and no `out` yet.
Result<std::vector<Axis>> axes_of(const Document& document, const TensorDesc& x, const Window& window);

// `pads` and another auto_pad than NOTSET exclude each other.
Status check_pads_alone(const Document& document, const Window& window);

// Axis::dilated_kernel, which may not fit before an axis was checked.
Exact dilated_kernel(const Axis& axis);

// Splits a total padding, which counts as 0 when it is negative.
enum class Extra : uint8_t { begin, end };
void split_pads(Axis& axis, int64_t total, Extra extra);

// Refusals of the axis with this index; sizes are listed as they are known so far.
Status refuse_overflow(const Document& document, const Axis& axis, size_t index);
Status refuse_empty(const Document& document, const Axis& axis, size_t index);

// {N, channels, out of every axis}
TensorDesc output_desc(DType dtype, int64_t batch, int64_t channels, std::span<const Axis> axes);

}  // namespace vkonnx::ops
