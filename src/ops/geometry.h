// SPDX-License-Identifier: Apache-2.0
// This file has geometries: what an operator's attributes mean for given shapes, as plain integers, with every default filled in
// and every rule applied. Behind them no code sees an ONNX attribute.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vkonnx::ops {

// An Axis is one spatial axis. All numbers are exact: in, out, begin and end are >= 0, and kernel, stride and dilation are >= 1.
struct Axis {
    int64_t in = 1;
    int64_t out = 1;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t begin = 0;  // resolved padding; an output_padding is part of `out`
    int64_t end = 0;

    // Returns the extent of the kernel with its holes, which is K in docs/SEMANTICS.md.
    int64_t dilated_kernel() const { return (kernel - 1) * dilation + 1; }

    friend bool operator==(const Axis&, const Axis&) = default;
};

struct ConvTransposeGeometry {
    DType dtype = DType::float32;
    int64_t batch = 1;
    int64_t channels_in = 1;   // C
    int64_t channels_out = 1;  // M
    int64_t group = 1;
    bool bias = false;
    Layout layout = Layout::ncx;  // of X and Y
    onednn::FilterFormat filter = onednn::FilterFormat::iox;
    std::vector<Axis> axes = {};  // outermost first, 1 to 6
    // This is a text for people. Its first line has the document, the version and the rule. Then each axis has a line.
    std::string equation = {};
};

struct ConvGeometry {
    DType dtype = DType::float32;
    int64_t batch = 1;
    int64_t channels_in = 1;   // C
    int64_t channels_out = 1;  // M
    int64_t group = 1;
    bool bias = false;
    Layout layout = Layout::ncx;  // of X and Y
    std::vector<Axis> axes = {};
    std::string equation = {};  // as in ConvTransposeGeometry
};

// These are the elements from one row, or one column, of a matrix to the next, or 0 along an axis where it is broadcast.
struct MatrixSteps {
    int64_t row = 0;
    int64_t column = 0;
};

// Y = alpha * A * B + beta * C is a product of matrices, one for each place of the axes in front of the last two.
struct MatMulGeometry {
    std::string_view op = {};
    std::vector<TensorDesc> inputs = {};  // as given
    TensorDesc output = {};
    int64_t m = 1;
    int64_t k = 1;
    int64_t n = 1;
    std::vector<int64_t> front = {};  // extents of the axes in front of the last two
    std::vector<int64_t> a_front =
        {};  // elements of A, and of B, from one to the next along each of them; 0 where it is broadcast
    std::vector<int64_t> b_front = {};
    MatrixSteps a = {};
    MatrixSteps b = {};
    std::optional<MatrixSteps> c = {};
    double alpha = 1;
    double beta = 1;
    std::string equation = {};
};

// This struct holds what AveragePool and MaxPool have in common.
struct PoolGeometry {
    DType dtype = DType::float32;
    int64_t batch = 1;
    int64_t channels = 1;
    Layout layout = Layout::ncx;
    std::vector<Axis> axes = {};
    std::string equation = {};  // as in ConvTransposeGeometry
};

struct AveragePoolGeometry : PoolGeometry {
    bool count_include_pad = false;
};

struct MaxPoolGeometry : PoolGeometry {
    bool column_major = false;  // how Indices count the elements of a channel
    int64_t outputs = 1;        // 1: Y; 2: Y and Indices
};

struct ShapeGeometry {
    std::vector<int64_t> result = {};
    std::string equation = {};
};

// A link applies a kind's expression to the result so far.
struct ElementwiseLink {
    ElementwiseKind kind = {};
    std::array<double, 2> numbers = {};  // in the expression; or the first one is the other operand
    std::optional<size_t> input = {};    // the other operand, where it is an input
    bool swapped = false;                // whether the result so far is the second operand
};

struct ElementwiseGeometry {
    ElementwiseKind kind = {};
    DType dtype = DType::float32;
    std::vector<int64_t> dims = {};  // of the output
    // These are the dimensions of each input given to prepare, with the output's rank. Each extent is the output's or 1.
    std::vector<std::optional<std::vector<int64_t>>> inputs = {};
    Layout layout = Layout::ncx;         // of the output: NXC where an input says so
    DType exponent = DType::undefined;   // the type of Pow's second input
    bool variadic = false;               // any number of inputs: each is joined with what those before it gave
    std::array<double, 2> numbers = {};  // that stand in the kind's expression: alpha and beta
    std::string equation = {};
    size_t own_inputs = 0;                    // how many inputs are the operator's own; those of `steps`, all given, follow
    std::vector<ElementwiseLink> steps = {};  // applied behind the kind's own expression, in this order
};

// This is the geometry of the operators of logic.hpp.
struct LogicGeometry {
    LogicKind kind = {};
    TensorDesc output = {};
    // The inputs have dimensions as in ElementwiseGeometry, and a type each.
    std::vector<std::optional<std::vector<int64_t>>> inputs = {};
    std::vector<DType> types = {};
    bool detects_negative = true;  // only for IsInf, like the next one
    bool detects_positive = true;
    bool shifts_right = false;  // only for BitShift
    std::string equation = {};
};

// Beyond tells what an output takes at coordinates that lie beyond the ends of an input's axis.
enum class Beyond : uint8_t {
    never,  // there are no such coordinates
    other,  // the element of another source, or the fill
    edge,   // the nearest element of the input
    reflect,
    wrap,
};

// A SourceAxis tells how an output's axis goes along an input: output coordinate o stands for the input's coordinate o - begin.
// Neighbours are `stride` elements of the input apart, backwards where it is negative.
struct SourceAxis {
    int64_t stride = 0;
    int64_t begin = 0;
    int64_t extent = 1;  // coordinates that the input has

    friend bool operator==(const SourceAxis&, const SourceAxis&) = default;
};

struct Source {
    size_t input = 0;
    int64_t first = 0;  // the element at coordinates 0
    std::vector<SourceAxis> axes = {};

    friend bool operator==(const Source&, const Source&) = default;
};

// A Move is an output that is copied from its sources. Its elements are numbered row-major by `extents`, whose product is that of
// its dimensions. At each place at most one source has an element; where none has, the fill stands.
struct Move {
    TensorDesc output = {};
    std::vector<int64_t> extents = {};
    std::vector<Source> sources = {};
};

struct MoveGeometry {
    std::string_view op = {};
    DType dtype = DType::float32;
    Beyond beyond = Beyond::never;
    std::vector<TensorDesc> inputs = {};
    std::vector<Move> moves = {};  // one for each output
    std::optional<size_t> fill_input = {};
    float fill = 0;
    std::string equation = {};
};

// A GatherAxis is an axis of the output. `data` and `indices` count the elements of data, and of indices, from one of its
// coordinates to the next.
struct GatherAxis {
    int64_t extent = 1;
    int64_t data = 0;
    int64_t indices = 0;

    friend bool operator==(const GatherAxis&, const GatherAxis&) = default;
};

// An IndexedAxis is an axis of data along which indices give coordinates.
struct IndexedAxis {
    int64_t extent = 1;
    int64_t stride = 1;  // in elements of data
};

// This is the geometry of Gather, GatherElements and GatherND. Where an element of the output lies in data follows from its own
// coordinates together with those of its index. The numbers of an index lie side by side, one for each of `indexed`.
struct GatherGeometry {
    std::string_view op = {};
    TensorDesc data = {};
    TensorDesc indices = {};
    TensorDesc output = {};
    std::vector<GatherAxis> axes = {};  // outermost first (Gather and GatherND have three); their product is the output's size
    std::vector<IndexedAxis> indexed = {};
    std::string equation = {};
};

// A ScatterAxis is one or several neighbouring axes of data, in slices. Coordinates from `limit` on have no updates.
struct ScatterAxis {
    int64_t extent = 1;
    int64_t limit = 1;
    int64_t update = 0;  // updates from one coordinate to the next

    friend bool operator==(const ScatterAxis&, const ScatterAxis&) = default;
};

// An UpdateAxis is an axis of the updates, and tells how many slices of data lie from one coordinate to the next.
struct UpdateAxis {
    int64_t extent = 1;
    int64_t slices = 0;

    friend bool operator==(const UpdateAxis&, const UpdateAxis&) = default;
};

// This is the geometry of ScatterElements and ScatterND. Data and updates consist of slices: elements that lie side by side, and
// go to the same index. An update is a slice of updates, and has the number of its index. The numbers of an index lie side by
// side, one for each of `indexed`.
//
// Where an update goes follows from its coordinates together with those of its index:
//   slice of data = sum of coordinate * update_axes[].slices + sum of index * indexed[].stride
// The other way around, the updates that may be for a slice lie on a line:
//   sum of coordinate of the slice * axes[].update + i * step, for i in [0, count)
struct ScatterGeometry {
    std::string_view op = {};
    TensorDesc data = {};  // the output is like it
    TensorDesc indices = {};
    TensorDesc updates = {};
    ScatterReduction reduction = ScatterReduction::none;  // of bools max in place of add, and min in place of mul
    int64_t slice = 1;                                    // elements
    std::vector<UpdateAxis> update_axes = {};             // outermost first
    std::vector<IndexedAxis> indexed = {};                // strides are slices
    std::vector<ScatterAxis> axes = {};                   // outermost first
    int64_t count = 0;
    int64_t step = 1;
    std::string equation = {};

    int64_t update_count() const { return *element_count(indices) / int64_t(indexed.size()); }
};

struct CastGeometry {
    DType from = DType::float32;
    TensorDesc output = {};
    bool saturate = true;  // this and the next are of floats of 8 bits, and as they are here for all other types
    RoundMode round_mode = RoundMode::up;
    std::string equation = {};
};

// This is the geometry of GlobalAveragePool, GlobalMaxPool, and the operators that reduce along axes.
struct ReductionGeometry {
    std::string_view op = {};
    TensorDesc input = {};
    std::vector<bool> reduced = {};  // for each dimension of the input
    int64_t channels = 1;            // only for a pool
    ReductionKind kind = ReductionKind::sum;
    bool skips_nans = false;  // only for a maximum
    TensorDesc output = {};
    std::string equation = {};
};

// This geometry of ArgMax and ArgMin takes X as (outer, extent, inner). A row is all elements along `extent`.
struct ArgExtremeGeometry {
    std::string_view op = {};
    TensorDesc input = {};
    TensorDesc output = {};
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;
    bool least = false;  // whether the least element is looked for, or the greatest
    bool last = false;   // which of equal elements counts: the last or the first
    std::string equation = {};
};

// This geometry of CumSum takes X and Y as (outer, extent, inner). A row is all elements along `extent`.
struct CumSumGeometry {
    TensorDesc output = {};  // Y, and X alike
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;
    bool exclusive = false;
    bool reverse = false;
    std::string equation = {};
};

// A ResizeAxis tells how an output coordinate becomes one of the input, with all worked out that depends on the axis alone.
struct ResizeAxis {
    int64_t in = 1;
    int64_t out = 1;
    float scale = 1;
    float length = 1;  // the output's extent, as align_corners takes it
    float roi_start = 0;
    float roi_end = 1;
    bool changes = false;  // false: every coordinate stays as it is

    friend bool operator==(const ResizeAxis&, const ResizeAxis&) = default;
};

// Nearest tells how a coordinate is rounded to an element. by_scale is the rule of version 10, which has no attribute for it.
enum class Nearest : uint8_t { round_prefer_floor, round_prefer_ceil, floor, ceil, by_scale };

struct ResizeGeometry {
    DType dtype = DType::float32;
    Layout layout = Layout::ncx;
    ResizeMode mode = ResizeMode::nearest;
    CoordinateTransformationMode transformation = CoordinateTransformationMode::half_pixel;
    Nearest nearest = Nearest::round_prefer_floor;
    bool antialias = false;
    bool exclude_outside = false;
    bool extrapolates = false;
    float extrapolation_value = 0;
    float cubic_coeff_a = -0.75f;
    std::vector<ResizeAxis> axes = {};
    std::string equation = {};
};

// A tap is an element that an output reads, with the weight that it is multiplied by.
struct ResizeTap {
    int64_t position = 0;
    float weight = 1;
};

// Finds the taps of one output coordinate along an axis that changes, in ascending order. Returns whether the result is
// extrapolation_value, whatever the taps are.
bool find_taps(const ResizeGeometry& geometry, const ResizeAxis& axis, int64_t coordinate, std::vector<ResizeTap>& taps);

// Returns the greatest number of taps that a coordinate can have.
int64_t most_taps(const ResizeGeometry& geometry, const ResizeAxis& axis);

// This is the geometry of Softmax and LogSoftmax of the rows of X (outer, extent, inner). A row is all elements along `extent`.
struct SoftmaxGeometry {
    std::string_view op = {};  // the operator's name
    bool logarithm = false;    // LogSoftmax
    TensorDesc output = {};    // Y, and X alike
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;
    std::string equation = {};
};

// In this geometry X and Y are (rows, extent), row-major. Each row has a mean and a deviation.
struct LayerNormalizationGeometry {
    TensorDesc output = {};   // Y, and X alike
    TensorDesc moments = {};  // Mean and InvStdDev
    int64_t rows = 1;
    int64_t extent = 1;
    int64_t scales = 1;  // elements of Scale: `extent`, or 1
    bool has_b = false;
    int64_t offsets = 0;  // elements of B: `extent`, or 1
    double epsilon = 0;
    int64_t outputs = 1;  // how many outputs are wanted
    std::string equation = {};
};

// These are the elements from one batch, head and row of a tensor to the next. A row is a query's, a key's or a value's elements.
struct HeadSteps {
    int64_t batch = 0;
    int64_t head = 0;
    int64_t row = 0;
};

struct DotProductAttentionGeometry {
    std::vector<TensorDesc> inputs = {};  // Q, K, V, and bias where it is given
    TensorDesc output = {};
    int64_t batch = 1;
    int64_t heads = 1;      // of Q and Y
    int64_t key_heads = 1;  // of K and V; `heads` is a multiple of it
    int64_t queries = 1;
    int64_t keys = 1;
    int64_t size = 1;
    int64_t value_size = 1;
    HeadSteps q = {};
    HeadSteps k = {};
    HeadSteps v = {};
    HeadSteps y = {};
    bool has_bias = false;
    HeadSteps bias = {};   // of (batch, head, query, key); a step is 0 along an axis where it is broadcast
    int64_t bias_key = 0;  // from key to key, likewise
    double scale = 1;
    std::string equation = {};
};

// A is (rows, inner), W (columns, inner) and Y (rows, columns), row-major.
struct BlockQuantizedMatMulGeometry {
    std::vector<TensorDesc> inputs = {};  // A, B, scales, and zero_points where they are given
    TensorDesc output = {};
    int64_t rows = 1;
    int64_t inner = 1;
    int64_t columns = 1;
    int64_t bits = 4;        // of an integer
    int64_t block_size = 1;  // integers
    int64_t blocks = 1;      // of a row of W
    std::string equation = {};

    bool has_zeros() const { return inputs.size() > 3; }
    int64_t bytes_of_row() const { return blocks * (block_size * bits / 8); }  // of B
    int64_t bytes_of_zeros() const { return (blocks * bits + 7) / 8; }         // of a row of zero_points
};

// X is (outer, extent, inner), and both outputs are (outer, kept, inner).
struct TopKGeometry {
    TensorDesc input = {};
    TensorDesc output = {};  // Values
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;
    int64_t kept = 1;
    bool least = false;   // the least elements are wanted, else the greatest
    int64_t outputs = 2;  // 1 without Indices
    std::string equation = {};
};

// This is the geometry of InstanceNormalization and BatchNormalization.
struct NormalizationGeometry {
    // Statistics tells whether mean and variance are given, or else over what they are taken.
    enum class Statistics : uint8_t { given, of_channel, of_instance };

    std::string_view op = {};
    TensorDesc output = {};  // Y, and X alike
    int64_t batch = 1;
    int64_t channels = 1;
    int64_t positions = 1;  // elements of a channel of an instance
    bool channels_last = false;
    Statistics statistics = Statistics::given;
    DType scale_type = DType::float32;       // also of B
    DType statistics_type = DType::float32;  // of mean and var
    double epsilon = 0;
    float momentum = 0;
    int64_t outputs = 1;  // up to three: Y, running_mean and running_var
    std::string equation = {};
};

// In this geometry X is (outer, channels, inner). The sum of squares of an element is over its own channel, `before` channels
// before it and `behind` ones behind it, as far as there are any.
struct LrnGeometry {
    TensorDesc output = {};  // Y, and X alike
    int64_t outer = 1;
    int64_t channels = 1;
    int64_t inner = 1;
    int64_t before = 0;
    int64_t behind = 0;
    float factor = 0;  // alpha / size
    float beta = 0;
    float bias = 0;
    std::string equation = {};
};

enum class RecurrentKind : uint8_t { rnn, gru, lstm };

// A RecurrentFunction is an activation with its parameters.
struct RecurrentFunction {
    RecurrentActivation activation = RecurrentActivation::tanh;
    float alpha = 0;
    float beta = 0;
};

// This is the geometry of RNN, GRU and LSTM.
struct RecurrentGeometry {
    RecurrentKind kind = RecurrentKind::rnn;
    int64_t gates = 1;
    bool linear_before_reset = false;
    bool input_forget = false;
    bool rounds_h = false;  // LSTM::rounds_h
    std::string_view op = {};
    std::vector<TensorDesc> inputs = {};  // as given
    RecurrentDirection direction = RecurrentDirection::forward;
    int64_t directions = 1;
    bool batch_first = false;  // of X, Y and the states
    int64_t steps = 1;
    int64_t batch = 1;
    int64_t input_size = 1;
    int64_t hidden = 1;
    std::vector<RecurrentFunction> functions = {};  // f, g and h as far as there are, for each direction
    std::optional<float> clip = {};
    TensorDesc y = {};
    TensorDesc state = {};  // Y_h and Y_c
    int64_t outputs = 1;    // how many outputs are wanted
    std::string equation = {};
};

// An epilogue (PrepareOptions::epilogue) is applied to each element before it is stored.
struct Epilogue {
    ElementwiseKind kind = ElementwiseKind::identity;
    std::array<double, 2> numbers = {};  // as in ElementwiseGeometry
    std::optional<double> factor = {};   // of a Mul behind `kind`
    std::optional<double> addend = {};   // of an Add behind that
    std::string equation = {};
};

Result<ConvTransposeGeometry> resolve(const ConvTranspose& attributes, std::span<const TensorDesc> inputs);
Result<ConvTransposeGeometry> resolve(const onednn::ConvTranspose& attributes, std::span<const TensorDesc> inputs);
Result<ConvGeometry> resolve(const Conv& attributes, std::span<const TensorDesc> inputs);
Result<AveragePoolGeometry> resolve(const AveragePool& attributes, std::span<const TensorDesc> inputs);
Result<MaxPoolGeometry> resolve(const MaxPool& attributes, std::span<const TensorDesc> inputs);
Result<ShapeGeometry> resolve(const Shape& attributes, std::span<const TensorDesc> inputs);
Result<ElementwiseGeometry> resolve(const Elementwise& attributes, std::span<const TensorDesc> inputs);
Result<MatMulGeometry> resolve(const Gemm& attributes, std::span<const TensorDesc> inputs);
Result<MatMulGeometry> resolve(const MatMul& attributes, std::span<const TensorDesc> inputs);
Result<MoveGeometry> resolve(const Transpose& attributes, std::span<const TensorDesc> inputs);
Result<MoveGeometry> resolve(const Slice& attributes, std::span<const TensorDesc> inputs);
Result<MoveGeometry> resolve(const Pad& attributes, std::span<const TensorDesc> inputs);
Result<MoveGeometry> resolve(const Concat& attributes, std::span<const TensorDesc> inputs);
Result<MoveGeometry> resolve(const Split& attributes, std::span<const TensorDesc> inputs);
Result<MoveGeometry> resolve(const DepthToSpace& attributes, std::span<const TensorDesc> inputs);
Result<MoveGeometry> resolve(const SpaceToDepth& attributes, std::span<const TensorDesc> inputs);
Result<MoveGeometry> resolve(const Expand& attributes, std::span<const TensorDesc> inputs);
Result<MoveGeometry> resolve(const Tile& attributes, std::span<const TensorDesc> inputs);
Result<GatherGeometry> resolve(const Gather& attributes, std::span<const TensorDesc> inputs);
Result<GatherGeometry> resolve(const GatherElements& attributes, std::span<const TensorDesc> inputs);
Result<GatherGeometry> resolve(const GatherND& attributes, std::span<const TensorDesc> inputs);
Result<ScatterGeometry> resolve(const ScatterElements& attributes, std::span<const TensorDesc> inputs);
Result<ScatterGeometry> resolve(const ScatterND& attributes, std::span<const TensorDesc> inputs);
Result<CastGeometry> resolve(const Cast& attributes, std::span<const TensorDesc> inputs);
Result<ResizeGeometry> resolve(const Resize& attributes, std::span<const TensorDesc> inputs);
Result<ReductionGeometry> resolve(const GlobalAveragePool& attributes, std::span<const TensorDesc> inputs);
Result<ReductionGeometry> resolve(const GlobalMaxPool& attributes, std::span<const TensorDesc> inputs);
template <ReductionKind kind>
Result<ReductionGeometry> resolve(const Reduce<kind>& attributes, std::span<const TensorDesc> inputs);
Result<ArgExtremeGeometry> resolve(const ArgMax& attributes, std::span<const TensorDesc> inputs);
Result<ArgExtremeGeometry> resolve(const ArgMin& attributes, std::span<const TensorDesc> inputs);
Result<CumSumGeometry> resolve(const CumSum& attributes, std::span<const TensorDesc> inputs);
template <LogicKind kind>
Result<LogicGeometry> resolve(const Logic<kind>& attributes, std::span<const TensorDesc> inputs);
Result<SoftmaxGeometry> resolve(const Softmax& attributes, std::span<const TensorDesc> inputs);
Result<SoftmaxGeometry> resolve(const LogSoftmax& attributes, std::span<const TensorDesc> inputs);
Result<NormalizationGeometry> resolve(const InstanceNormalization& attributes, std::span<const TensorDesc> inputs);
Result<NormalizationGeometry> resolve(const BatchNormalization& attributes, std::span<const TensorDesc> inputs);
Result<LrnGeometry> resolve(const LRN& attributes, std::span<const TensorDesc> inputs);
Result<LayerNormalizationGeometry> resolve(const LayerNormalization& attributes, std::span<const TensorDesc> inputs);
Result<DotProductAttentionGeometry> resolve(const DotProductAttention& attributes, std::span<const TensorDesc> inputs);
Result<BlockQuantizedMatMulGeometry> resolve(const BlockQuantizedMatMul& attributes, std::span<const TensorDesc> inputs);
Result<TopKGeometry> resolve(const TopK& attributes, std::span<const TensorDesc> inputs);
Result<RecurrentGeometry> resolve(const RNN& attributes, std::span<const TensorDesc> inputs);
Result<RecurrentGeometry> resolve(const GRU& attributes, std::span<const TensorDesc> inputs);
Result<RecurrentGeometry> resolve(const LSTM& attributes, std::span<const TensorDesc> inputs);

// Returns what the documents say of the operator. The file of its `resolve` defines it; else the library does not link.
const Schema& schema_of(const ConvTranspose&);
const Schema& schema_of(const onednn::ConvTranspose&);
const Schema& schema_of(const Conv&);
const Schema& schema_of(const AveragePool&);
const Schema& schema_of(const MaxPool&);
const Schema& schema_of(const Shape&);
const Schema& schema_of(const Elementwise&);  // the kind must be a valid one
const Schema& schema_of(const Gemm&);
const Schema& schema_of(const MatMul&);
const Schema& schema_of(const Transpose&);
const Schema& schema_of(const Slice&);
const Schema& schema_of(const Pad&);
const Schema& schema_of(const Concat&);
const Schema& schema_of(const Split&);
const Schema& schema_of(const DepthToSpace&);
const Schema& schema_of(const SpaceToDepth&);
const Schema& schema_of(const Expand&);
const Schema& schema_of(const Tile&);
const Schema& schema_of(const Gather&);
const Schema& schema_of(const GatherElements&);
const Schema& schema_of(const GatherND&);
const Schema& schema_of(const ScatterElements&);
const Schema& schema_of(const ScatterND&);
const Schema& schema_of(const Cast&);
const Schema& schema_of(const Resize&);
const Schema& schema_of(const GlobalAveragePool&);
const Schema& schema_of(const GlobalMaxPool&);
const Schema& schema_of(ReductionKind kind);
template <ReductionKind kind>
const Schema& schema_of(const Reduce<kind>&)
{
    return schema_of(kind);
}
const Schema& schema_of(const ArgMax&);
const Schema& schema_of(const ArgMin&);
const Schema& schema_of(const CumSum&);
const Schema& schema_of(LogicKind kind);
template <LogicKind kind>
const Schema& schema_of(const Logic<kind>&)
{
    return schema_of(kind);
}
const Schema& schema_of(const Softmax&);
const Schema& schema_of(const LogSoftmax&);
const Schema& schema_of(const InstanceNormalization&);
const Schema& schema_of(const BatchNormalization&);
const Schema& schema_of(const LRN&);
const Schema& schema_of(const LayerNormalization&);
const Schema& schema_of(const DotProductAttention&);
const Schema& schema_of(const BlockQuantizedMatMul&);
const Schema& schema_of(const TopK&);
const Schema& schema_of(const RNN&);
const Schema& schema_of(const GRU&);
const Schema& schema_of(const LSTM&);

// Resolves the epilogue behind operator `op`, which has this output. Without one the result is an identity. Refusals name
// PrepareOptions::epilogue.
Result<Epilogue> resolve_epilogue(std::string_view op, const std::optional<Elementwise>& attributes, const TensorDesc& output);

// Returns how many numbers a channel has in the input that holds the prologue's numbers.
int64_t numbers_of(const Prologue& prologue);
// Returns the place of that input, which is behind all inputs that the operator has by itself.
size_t place_of_numbers(const Operator& op);
// Returns a formula of the prologue, for people.
std::string equation_of(const Prologue& prologue);
// Checks a prologue of this operator and its numbers. Returns the inputs without these numbers, which is what `resolve` takes.
Result<std::span<const TensorDesc>> own_inputs(const Operator& op, const std::optional<Prologue>& prologue,
                                               std::span<const TensorDesc> inputs);

// Returns the operator's output for a resolved geometry, the first one of several.
TensorDesc output_of(const ConvTransposeGeometry& geometry);
TensorDesc output_of(const ConvGeometry& geometry);
TensorDesc output_of(const PoolGeometry& geometry);
TensorDesc output_of(const ShapeGeometry& geometry);
TensorDesc output_of(const ElementwiseGeometry& geometry);
TensorDesc output_of(const MatMulGeometry& geometry);
TensorDesc output_of(const MoveGeometry& geometry);
TensorDesc output_of(const GatherGeometry& geometry);
TensorDesc output_of(const ScatterGeometry& geometry);
TensorDesc output_of(const CastGeometry& geometry);
TensorDesc output_of(const ResizeGeometry& geometry);
TensorDesc output_of(const ReductionGeometry& geometry);
TensorDesc output_of(const ArgExtremeGeometry& geometry);
TensorDesc output_of(const CumSumGeometry& geometry);
TensorDesc output_of(const LogicGeometry& geometry);
TensorDesc output_of(const SoftmaxGeometry& geometry);
TensorDesc output_of(const NormalizationGeometry& geometry);
TensorDesc output_of(const LrnGeometry& geometry);
TensorDesc output_of(const LayerNormalizationGeometry& geometry);
TensorDesc output_of(const DotProductAttentionGeometry& geometry);
TensorDesc output_of(const BlockQuantizedMatMulGeometry& geometry);
TensorDesc output_of(const TopKGeometry& geometry);
TensorDesc output_of(const RecurrentGeometry& geometry);

// Returns the descriptions of all outputs of the operator for a resolved geometry.
template <class Geometry>
std::vector<TensorDesc> outputs_of(const Geometry& geometry)
{
    return {output_of(geometry)};
}
std::vector<TensorDesc> outputs_of(const MaxPoolGeometry& geometry);
std::vector<TensorDesc> outputs_of(const MoveGeometry& geometry);
std::vector<TensorDesc> outputs_of(const NormalizationGeometry& geometry);
std::vector<TensorDesc> outputs_of(const LayerNormalizationGeometry& geometry);
std::vector<TensorDesc> outputs_of(const TopKGeometry& geometry);
std::vector<TensorDesc> outputs_of(const RecurrentGeometry& geometry);

}  // namespace vkonnx::ops
