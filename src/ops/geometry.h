// SPDX-License-Identifier: Apache-2.0
// What an operator's attributes mean for given shapes: plain integers, every default filled in, every rule applied.
// After this no code sees an ONNX attribute.
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

// One spatial axis. All numbers are exact; in, out >= 0, kernel, stride, dilation >= 1, begin, end >= 0.
struct Axis {
    int64_t in = 1;
    int64_t out = 1;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t begin = 0;  // resolved padding; an output_padding is part of `out`
    int64_t end = 0;

    // K of SEMANTICS: the kernel with its holes.
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
    // A text for people. The first line has the document, the version and the rule. Then there is a line for each axis with its
    // numbers.
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
    std::string equation = {};  // as ConvTranspose's
};

// Elements from one to the next along both axes of a matrix; 0 where it is broadcast.
struct MatrixSteps {
    int64_t row = 0;
    int64_t column = 0;
};

// A product of matrices, one for each place of the axes in front of them: Y = alpha * A * B + beta * C.
struct MatMulGeometry {
    std::string_view op = {};
    std::vector<TensorDesc> inputs = {};  // as given
    TensorDesc output = {};
    int64_t m = 1;
    int64_t k = 1;
    int64_t n = 1;
    std::vector<int64_t> front = {};  // extents of the axes in front
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

// AveragePool, MaxPool.
struct PoolGeometry {
    DType dtype = DType::float32;
    int64_t batch = 1;
    int64_t channels = 1;
    Layout layout = Layout::ncx;
    std::vector<Axis> axes = {};
    std::string equation = {};  // as ConvTranspose's
};

struct AveragePoolGeometry : PoolGeometry {
    bool count_include_pad = false;
};

struct MaxPoolGeometry : PoolGeometry {
    bool column_major = false;  // how Indices count the elements of a channel
    int64_t outputs = 1;        // Y and Indices
};

struct ShapeGeometry {
    std::vector<int64_t> result = {};
    std::string equation = {};
};

// A kind's expression on what was made before.
struct ElementwiseLink {
    ElementwiseKind kind = {};
    std::array<double, 2> numbers = {};  // of the expression, or the first is the other operand
    std::optional<size_t> input = {};    // the other operand, where it is no number
    bool swapped = false;                // what was made before is the second operand
};

struct ElementwiseGeometry {
    ElementwiseKind kind = {};
    DType dtype = DType::float32;
    std::vector<int64_t> dims = {};  // of the output
    // The dimensions of each input that was given to prepare. Each has as many as the output, and each extent is the output's
    // or 1.
    std::vector<std::optional<std::vector<int64_t>>> inputs = {};
    Layout layout = Layout::ncx;         // of the output: NXC where an input says so
    DType exponent = DType::undefined;   // the type of Pow's second input
    bool variadic = false;               // any number of inputs: each is joined with what those before it gave
    std::array<double, 2> numbers = {};  // that stand in the kind's expression: alpha and beta
    std::string equation = {};
    size_t own_inputs = 0;                    // the first of the inputs; the others are those of `steps`, which are all given
    std::vector<ElementwiseLink> steps = {};  // behind the kind's own expression, in this order
};

// The operators of logic.hpp.
struct LogicGeometry {
    LogicKind kind = {};
    TensorDesc output = {};
    // The dimensions of each input, as those of ElementwiseGeometry, and its type.
    std::vector<std::optional<std::vector<int64_t>>> inputs = {};
    std::vector<DType> types = {};
    bool detects_negative = true;  // of IsInf
    bool detects_positive = true;
    bool shifts_right = false;  // of BitShift
    std::string equation = {};
};

// Where the coordinates of an input's axis end that an output's go beyond.
enum class Beyond : uint8_t {
    never,  // they do not
    other,  // the element is another source's, or the fill
    edge,   // it is the nearest one of the input
    reflect,
    wrap,
};

// How an output's axis goes along an input: coordinate o stands for o - begin, and each of these is `stride` elements from the
// one before, back where that is negative.
struct SourceAxis {
    int64_t stride = 0;
    int64_t begin = 0;
    int64_t extent = 1;  // coordinates that the input has

    friend bool operator==(const SourceAxis&, const SourceAxis&) = default;
};

struct Source {
    size_t input = 0;
    int64_t first = 0;  // element at coordinates 0
    std::vector<SourceAxis> axes = {};

    friend bool operator==(const Source&, const Source&) = default;
};

// An output whose elements are its sources'. Its elements are numbered row-major by `extents`, whose product is that of its
// dimensions. At each place at most one source has an element; where none has, the fill is.
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
    std::vector<Move> moves = {};  // an output each
    std::optional<size_t> fill_input = {};
    float fill = 0;
    std::string equation = {};
};

// Along an axis of the output: elements of data, and of indices, from one of its coordinates to the next.
struct GatherAxis {
    int64_t extent = 1;
    int64_t data = 0;
    int64_t indices = 0;

    friend bool operator==(const GatherAxis&, const GatherAxis&) = default;
};

// An axis of data along which indices tell coordinates.
struct IndexedAxis {
    int64_t extent = 1;
    int64_t stride = 1;  // in elements of data
};

// Gather, GatherElements and GatherND. An element of the output lies in data where its own coordinates and those of its index
// together tell. The numbers of an index lie side by side, one for each of `indexed`.
struct GatherGeometry {
    std::string_view op = {};
    TensorDesc data = {};
    TensorDesc indices = {};
    TensorDesc output = {};
    std::vector<GatherAxis> axes = {};  // outermost first, of Gather and GatherND three; their product is the output's elements
    std::vector<IndexedAxis> indexed = {};
    std::string equation = {};
};

struct CastGeometry {
    DType from = DType::float32;
    TensorDesc output = {};
    std::string equation = {};
};

// GlobalAveragePool, GlobalMaxPool, and the operators that reduce along axes.
struct ReductionGeometry {
    std::string_view op = {};
    TensorDesc input = {};
    std::vector<bool> reduced = {};  // of the input's dimensions
    int64_t channels = 1;            // of a pool
    ReductionKind kind = ReductionKind::sum;
    bool skips_nans = false;  // of max
    TensorDesc output = {};
    std::string equation = {};
};

// How an output coordinate becomes one of the input: Resize's transformations, with what depends on the axis alone worked out.
struct ResizeAxis {
    int64_t in = 1;
    int64_t out = 1;
    float scale = 1;
    float length = 1;  // what align_corners takes for the output's extent
    float roi_start = 0;
    float roi_end = 1;
    bool changes = false;  // else every coordinate is itself

    friend bool operator==(const ResizeAxis&, const ResizeAxis&) = default;
};

// The nearest element where an attribute does not say which: version 10's.
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

// An element that an output reads, and what it is multiplied by.
struct ResizeTap {
    int64_t position = 0;
    float weight = 1;
};

// Along an axis that changes, of one output coordinate, in ascending order. The return value: the result is extrapolation_value,
// whatever the taps.
bool find_taps(const ResizeGeometry& geometry, const ResizeAxis& axis, int64_t coordinate, std::vector<ResizeTap>& taps);

// How many taps a coordinate has at the most.
int64_t most_taps(const ResizeGeometry& geometry, const ResizeAxis& axis);

// Softmax of the rows of X (outer, extent, inner): a row is all elements along `extent`.
struct SoftmaxGeometry {
    TensorDesc output = {};  // and X
    int64_t outer = 1;
    int64_t extent = 1;
    int64_t inner = 1;
    std::string equation = {};
};

// X and Y (rows, extent), row-major: a mean and a deviation for each row.
struct LayerNormalizationGeometry {
    TensorDesc output = {};   // and X
    TensorDesc moments = {};  // Mean and InvStdDev
    int64_t rows = 1;
    int64_t extent = 1;
    int64_t scales = 1;  // elements of Scale: `extent`, or 1
    bool has_b = false;
    int64_t offsets = 0;  // elements of B, likewise
    double epsilon = 0;
    int64_t outputs = 1;  // that are wanted
    std::string equation = {};
};

// InstanceNormalization, BatchNormalization.
struct NormalizationGeometry {
    // Whose mean and variance are taken.
    enum class Statistics : uint8_t { given, of_channel, of_instance };

    std::string_view op = {};
    TensorDesc output = {};  // and X
    int64_t batch = 1;
    int64_t channels = 1;
    int64_t positions = 1;  // elements of a channel of an instance
    bool channels_last = false;
    Statistics statistics = Statistics::given;
    DType scale_type = DType::float32;       // B's, too
    DType statistics_type = DType::float32;  // of mean and var
    double epsilon = 0;
    float momentum = 0;
    int64_t outputs = 1;  // Y, running_mean and running_var
    std::string equation = {};
};

// X (outer, channels, inner): an element's sum of squares is that of `before` channels before its own, that and `behind` ones, as
// far as there are.
struct LrnGeometry {
    TensorDesc output = {};  // and X
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

// An activation with the values that stand in it.
struct RecurrentFunction {
    RecurrentActivation activation = RecurrentActivation::tanh;
    float alpha = 0;
    float beta = 0;
};

// RNN, GRU and LSTM.
struct RecurrentGeometry {
    RecurrentKind kind = RecurrentKind::rnn;
    int64_t gates = 1;
    bool linear_before_reset = false;
    bool input_forget = false;
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
    int64_t outputs = 1;    // that are wanted
    std::string equation = {};
};

// PrepareOptions::epilogue: what becomes of each element before it is stored. An identity: nothing.
struct Epilogue {
    ElementwiseKind kind = ElementwiseKind::identity;
    std::array<double, 2> numbers = {};  // as ElementwiseGeometry's
    std::optional<double> factor = {};   // of the Mul behind it
    std::optional<double> addend = {};   // of the Add behind that
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
Result<CastGeometry> resolve(const Cast& attributes, std::span<const TensorDesc> inputs);
Result<ResizeGeometry> resolve(const Resize& attributes, std::span<const TensorDesc> inputs);
Result<ReductionGeometry> resolve(const GlobalAveragePool& attributes, std::span<const TensorDesc> inputs);
Result<ReductionGeometry> resolve(const GlobalMaxPool& attributes, std::span<const TensorDesc> inputs);
template <ReductionKind kind>
Result<ReductionGeometry> resolve(const Reduce<kind>& attributes, std::span<const TensorDesc> inputs);
template <LogicKind kind>
Result<LogicGeometry> resolve(const Logic<kind>& attributes, std::span<const TensorDesc> inputs);
Result<SoftmaxGeometry> resolve(const Softmax& attributes, std::span<const TensorDesc> inputs);
Result<NormalizationGeometry> resolve(const InstanceNormalization& attributes, std::span<const TensorDesc> inputs);
Result<NormalizationGeometry> resolve(const BatchNormalization& attributes, std::span<const TensorDesc> inputs);
Result<LrnGeometry> resolve(const LRN& attributes, std::span<const TensorDesc> inputs);
Result<LayerNormalizationGeometry> resolve(const LayerNormalization& attributes, std::span<const TensorDesc> inputs);
Result<RecurrentGeometry> resolve(const RNN& attributes, std::span<const TensorDesc> inputs);
Result<RecurrentGeometry> resolve(const GRU& attributes, std::span<const TensorDesc> inputs);
Result<RecurrentGeometry> resolve(const LSTM& attributes, std::span<const TensorDesc> inputs);

// What the documents say of the operator, in the file of its `resolve`. Without one the library does not link.
const Schema& schema_of(const ConvTranspose&);
const Schema& schema_of(const onednn::ConvTranspose&);
const Schema& schema_of(const Conv&);
const Schema& schema_of(const AveragePool&);
const Schema& schema_of(const MaxPool&);
const Schema& schema_of(const Shape&);
const Schema& schema_of(const Elementwise&);  // whose kind is one
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
const Schema& schema_of(LogicKind kind);
template <LogicKind kind>
const Schema& schema_of(const Logic<kind>&)
{
    return schema_of(kind);
}
const Schema& schema_of(const Softmax&);
const Schema& schema_of(const InstanceNormalization&);
const Schema& schema_of(const BatchNormalization&);
const Schema& schema_of(const LRN&);
const Schema& schema_of(const LayerNormalization&);
const Schema& schema_of(const RNN&);
const Schema& schema_of(const GRU&);
const Schema& schema_of(const LSTM&);

// Resolves the epilogue behind operator `op`, which has this output. Without one the result is an identity. Refusals name
// PrepareOptions::epilogue.
Result<Epilogue> resolve_epilogue(std::string_view op, const std::optional<Elementwise>& attributes, const TensorDesc& output);

// How many numbers a channel has in the input that holds the prologue's numbers.
int64_t numbers_of(const Prologue& prologue);
// The place of that input, behind all inputs that the operator has by itself.
size_t place_of_numbers(const Operator& op);
// A formula of the prologue, for people.
std::string equation_of(const Prologue& prologue);
// The inputs without those numbers, which are checked, or what is wrong with a prologue of this operator: what `resolve` takes.
Result<std::span<const TensorDesc>> own_inputs(const Operator& op, const std::optional<Prologue>& prologue,
                                               std::span<const TensorDesc> inputs);

// The operator's output for a resolved geometry, the first of several.
TensorDesc output_of(const ConvTransposeGeometry& geometry);
TensorDesc output_of(const ConvGeometry& geometry);
TensorDesc output_of(const PoolGeometry& geometry);
TensorDesc output_of(const ShapeGeometry& geometry);
TensorDesc output_of(const ElementwiseGeometry& geometry);
TensorDesc output_of(const MatMulGeometry& geometry);
TensorDesc output_of(const MoveGeometry& geometry);
TensorDesc output_of(const GatherGeometry& geometry);
TensorDesc output_of(const CastGeometry& geometry);
TensorDesc output_of(const ResizeGeometry& geometry);
TensorDesc output_of(const ReductionGeometry& geometry);
TensorDesc output_of(const LogicGeometry& geometry);
TensorDesc output_of(const SoftmaxGeometry& geometry);
TensorDesc output_of(const NormalizationGeometry& geometry);
TensorDesc output_of(const LrnGeometry& geometry);
TensorDesc output_of(const LayerNormalizationGeometry& geometry);
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
std::vector<TensorDesc> outputs_of(const RecurrentGeometry& geometry);

}  // namespace vkonnx::ops
