// SPDX-License-Identifier: Apache-2.0
// Transpose, Slice, Pad, Concat, Split and DepthToSpace, which only move elements.
#ifndef VKONNX_OPERATORS_MOVEMENT_HPP
#define VKONNX_OPERATORS_MOVEMENT_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Input data; output transposed: axis i of it is axis perm[i] of data. Versions 1, 13, 21, 23, 24, 25.
//
// This operator and the next five only move elements, of any type of their documents that has 8, 16, 32 or 64 bits, bit for bit.
struct Transpose {
    static constexpr std::string_view name = "Transpose";
    int64_t opset = newest_opset;
    std::vector<int64_t> perm = {};  // every axis once; in reverse order when not given
};

template <MaybeConst<Transpose> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("perm", op.perm);
}

// Input data; output: from its axes[i] the elements starts[i], starts[i] + steps[i], ..., before ends[i]. Versions 1, 10, 11, 13.
struct Slice {
    static constexpr std::string_view name = "Slice";
    int64_t opset = newest_opset;
    std::vector<int64_t> starts = {};  // required; negative ones, and those of ends, count from behind the last, and are clamped
    std::vector<int64_t> ends = {};    // required
    std::vector<int64_t> axes = {};    // the first ones when not given; negative ones count from behind the last
    std::vector<int64_t> steps = {};   // from version 10; not 0
};

template <MaybeConst<Slice> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("starts", op.starts);
    visit("ends", op.ends);
    visit("axes", op.axes);
    visit("steps", op.steps);
}

enum class PadMode : uint8_t { constant, reflect, edge, wrap };

inline constexpr Spelling<PadMode> pad_mode_words[] = {
    {PadMode::constant, "constant"}, {PadMode::reflect, "reflect"}, {PadMode::edge, "edge"}, {PadMode::wrap, "wrap"}};

// Inputs data and, from version 11, optionally constant_value, one element of data's type; output: data with elements added at
// the ends of its axes, or taken away where a pad is negative. Versions 2, 11, 13, 18, 19, 21, 23, 24, 25.
//
// As ONNX Runtime does it, negative pads take away first: what is reflected, repeated or wrapped around is what they left.
// `reflect` adds no more at an end than what lies before the element there.
struct Pad {
    static constexpr std::string_view name = "Pad";
    int64_t opset = newest_opset;
    PadMode mode = PadMode::constant;  // wrap from version 19
    std::vector<int64_t> pads = {};    // required: all begins, then all ends, of the axes
    std::vector<int64_t> axes = {};    // from version 18, each once; all when not given
    std::optional<float> value = {};   // version 2: what constant_value is later
};

template <MaybeConst<Pad> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("mode", op.mode, Spellings<PadMode>(pad_mode_words));
    visit("pads", op.pads);
    visit("axes", op.axes);
    visit("value", op.value);
}

// Inputs: 1 to 254 tensors of one type, with the same extents on all axes but one; output: one behind the other along that axis.
// Versions 4, 11, 13.
struct Concat {
    static constexpr std::string_view name = "Concat";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};  // required; a negative one counts from behind the last, in every version
};

template <MaybeConst<Concat> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
}

// Input: a tensor; outputs: its parts along the axis, 1 to 254 of them. Versions 2, 11, 13, 18.
//
// Parts are as long as `split` says. Else there are `num_outputs`, or before version 18 `outputs`, which must divide the axis
// before version 18; from it on the last parts are shorter where they do not.
struct Split {
    static constexpr std::string_view name = "Split";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};  // 0; a negative one counts from behind the last
    std::vector<int64_t> split = {};
    std::optional<int64_t> num_outputs = {};  // from version 18, where exactly one of it and split is given
    int64_t outputs = 0;                      // 0: as the attributes say
};

template <MaybeConst<Split> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
    visit("split", op.split);
    visit("num_outputs", op.num_outputs);
}

enum class DepthToSpaceMode : uint8_t { dcr, crd };

inline constexpr Spelling<DepthToSpaceMode> depth_to_space_mode_words[] = {{DepthToSpaceMode::dcr, "DCR"},
                                                                           {DepthToSpaceMode::crd, "CRD"}};

// Input (N, C, H, W); output (N, C / blocksize^2, H * blocksize, W * blocksize). Versions 1, 11, 13, 28.
struct DepthToSpace {
    static constexpr std::string_view name = "DepthToSpace";
    int64_t opset = newest_opset;
    std::optional<int64_t> blocksize = {};          // required
    DepthToSpaceMode mode = DepthToSpaceMode::dcr;  // from version 11
};

template <MaybeConst<DepthToSpace> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("blocksize", op.blocksize);
    visit("mode", op.mode, Spellings<DepthToSpaceMode>(depth_to_space_mode_words));
}

}  // namespace vkonnx

#endif
