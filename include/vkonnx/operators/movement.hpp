// SPDX-License-Identifier: Apache-2.0
// Transpose, Slice, Pad, Concat, Split, DepthToSpace, SpaceToDepth, Expand, Tile, Gather, GatherElements and GatherND, which only
// move elements.
#ifndef VKONNX_OPERATORS_MOVEMENT_HPP
#define VKONNX_OPERATORS_MOVEMENT_HPP

#include <vkonnx/operators/attributes.hpp>

namespace vkonnx {

// Permutes the axes of a tensor: axis i of the output is axis perm[i] of the input. Versions are 1, 13, 21, 23, 24 and 25.
//
// This operator and all others of this header only move elements. They take every type of their documents that has 8, 16, 32 or
// 64 bits, and keep every bit.
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

// Takes a part of the input. On its axes[i] the output has the elements starts[i], starts[i] + steps[i], and so on, before
// ends[i]. Versions are 1, 10, 11 and 13.
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

// Adds elements at the ends of axes, or takes elements away where a pad is negative.
// - Input data is a tensor of any rank.
// - Input constant_value is one element of data's type. It exists from version 11 on, and may be left out.
// Versions are 2, 11, 13, 18, 19, 21, 23, 24 and 25.
//
// Negative pads take elements away first, as in ONNX Runtime. What is left is then reflected, repeated or wrapped around. The
// mode reflect adds no more elements at an end than lie before the element there.
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

// Joins tensors along one axis, one behind the other. There are 1 to 254 inputs of one type, which have the same extents on all
// other axes. Versions are 4, 11 and 13.
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

// Divides a tensor along one axis into 1 to 254 outputs. Versions are 2, 11, 13 and 18.
//
// Where `split` is given, it tells the length of each part. Else there are `num_outputs` parts, or before version 18 `outputs`
// parts, all equally long. Before version 18 their number must divide the axis. From version 18 on the last parts are shorter
// where it does not.
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

// This tells how DepthToSpace and SpaceToDepth order the channels of a block: by the place in the block first (DCR), or last
// (CRD).
enum class DepthToSpaceMode : uint8_t { dcr, crd };

inline constexpr Spelling<DepthToSpaceMode> depth_to_space_mode_words[] = {{DepthToSpaceMode::dcr, "DCR"},
                                                                           {DepthToSpaceMode::crd, "CRD"}};

// Moves channels into the two spatial axes.
// - The input has the dimensions (N, C, H, W).
// - The output has the dimensions (N, C / blocksize^2, H * blocksize, W * blocksize).
// Versions are 1, 11, 13 and 28.
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

// Moves blocks of the two spatial axes into the channels, as the opposite of DepthToSpace.
// - The input has the dimensions (N, C, H, W). blocksize divides H and W.
// - The output has the dimensions (N, C * blocksize^2, H / blocksize, W / blocksize).
// Versions are 1, 13 and 28.
struct SpaceToDepth {
    static constexpr std::string_view name = "SpaceToDepth";
    int64_t opset = newest_opset;
    std::optional<int64_t> blocksize = {};          // required
    DepthToSpaceMode mode = DepthToSpaceMode::dcr;  // from version 28
};

template <MaybeConst<SpaceToDepth> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("blocksize", op.blocksize);
    visit("mode", op.mode, Spellings<DepthToSpaceMode>(depth_to_space_mode_words));
}

// Repeats the input along the axes where it has one element, to the dimensions that it and `shape` are broadcast to. Where one of
// the two has fewer dimensions, it counts as having 1s in front. The output has the layout NCX. Versions are 8 and 13.
//
//   input (3, 1), shape (2, 1, 4)  ->  output (2, 3, 4)
struct Expand {
    static constexpr std::string_view name = "Expand";
    int64_t opset = newest_opset;
    std::vector<int64_t> shape = {};  // none below 0; a 1 leaves the input's dimension as it is
};

template <MaybeConst<Expand> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("shape", op.shape);
}

// Lays copies of the input side by side: repeats[i] of them along axis i. Versions are 6 and 13.
struct Tile {
    static constexpr std::string_view name = "Tile";
    int64_t opset = newest_opset;
    std::vector<int64_t> repeats = {};  // one for each axis of the input, none below 0
};

template <MaybeConst<Tile> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("repeats", op.repeats);
}

// Takes parts of the input along one axis, as many and in such an order as indices say.
// - Input data is a tensor with at least one axis.
// - Input indices is int32 or int64, of any rank. A negative index counts from behind the last, in every version.
// - The output has data's dimensions, with those of indices in place of the axis, and the layout NCX.
// Versions are 1, 11 and 13.
//
// The document leaves open what an index beyond the axis gives. On a device, the elements that it asks for are zeros, as in ONNX
// Runtime on CUDA, and no other memory is read. vkonnx::evaluate, which knows the indices before anything runs, refuses it.
struct Gather {
    static constexpr std::string_view name = "Gather";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};  // 0; a negative one counts from behind the last, in every version
};

template <MaybeConst<Gather> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
}

// Takes an element of the input for each index, at the coordinates of the index, but for those along one axis, where it is the
// index.
// - Input data is a tensor with at least one axis.
// - Input indices is int32 or int64, and has as many axes as data. Those other than `axis` are no longer than data's. A negative
//   index counts from behind the last.
// - The output has the dimensions of indices and the layout NCX.
// Versions are 11 and 13. An index beyond the axis gives zeros, or is refused, as by Gather.
struct GatherElements {
    static constexpr std::string_view name = "GatherElements";
    int64_t opset = newest_opset;
    std::optional<int64_t> axis = {};  // 0; a negative one counts from behind the last
};

template <MaybeConst<GatherElements> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("axis", op.axis);
}

// Takes parts of the input at coordinates that indices tell, along several axes at once.
// - Input data is a tensor with at least one axis.
// - Input indices is int64, with at least one axis. What lies along its last axis is one index, a coordinate of data for each of
//   the axes behind the first `batch_dims`, as far as there are coordinates. A negative one counts from behind the last.
// - The first `batch_dims` axes of data and of indices are equal, and an index takes parts of data that lie at its own
//   coordinates there.
// - The output has the dimensions of indices without the last, then those of data that an index has no coordinates for, and the
//   layout NCX.
// Versions are 11, 12 and 13. An index with a coordinate beyond its axis gives zeros, or is refused, as by Gather.
struct GatherND {
    static constexpr std::string_view name = "GatherND";
    int64_t opset = newest_opset;
    std::optional<int64_t> batch_dims = {};  // from version 12; 0; less than the axes of data and of indices
};

template <MaybeConst<GatherND> Op, class Visitor>
void fields(Op& op, Visitor&& visit)
{
    visit("batch_dims", op.batch_dims);
}

}  // namespace vkonnx

#endif
