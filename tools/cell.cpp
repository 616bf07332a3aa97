#include "cell.h"

#include <algorithm>
#include <set>

#include "operators.h"

namespace vkonnx::tools {
namespace {

constexpr int last_type = int(DType::int2);

// Returns the operator with default attributes.
Operator plain(OperatorKind kind)
{
    return *std::ranges::find(every_operator(), kind, kind_of);
}

// ------------------------------------------------------------------------------------------------------------ specimens

// This visitor fills in the attributes that an operator requires, and returns the dimensions of the inputs.
struct Specimen {
    using Inputs = std::vector<std::vector<int64_t>>;

    // These operators require no attribute. Each required input has one element.
    Inputs operator()(auto& op) const
    {
        Inputs inputs(signature(op)->least_inputs, channel);
        inputs.front() = x;
        return inputs;
    }
    Inputs operator()(ConvTranspose&) const { return {x, x}; }
    Inputs operator()(Conv&) const { return {x, x}; }
    Inputs operator()(onednn::ConvTranspose& op) const
    {
        op.strides = op.dilations = {1};
        op.pads_begin = op.pads_end = {0};
        return {x, x};
    }
    Inputs operator()(AveragePool& op) const
    {
        op.kernel_shape = {1};
        return {x};
    }
    Inputs operator()(MaxPool& op) const
    {
        op.kernel_shape = {1};
        return {x};
    }
    Inputs operator()(Elementwise& op) const
    {
        if (op.kind == ElementwiseKind::mod)
            op.fmod = 1;  // which floats demand
        const std::vector<TensorDesc> one = {{DType::float32, x}};
        return kit::resolve(op, one) ? Inputs{x} : Inputs{x, x};
    }
    Inputs operator()(Slice& op) const
    {
        op.starts = {0};
        op.ends = {1};
        return {x};
    }
    Inputs operator()(Pad& op) const
    {
        op.pads = {0, 0, 1, 0, 0, 1};
        return {x};
    }
    Inputs operator()(Concat& op) const
    {
        op.axis = 0;
        return {x, x};
    }
    Inputs operator()(CumSum& op) const
    {
        op.axis = 0;
        return {x};
    }
    Inputs operator()(TopK& op) const
    {
        op.k = 1;
        return {x};
    }
    Inputs operator()(Split& op) const
    {
        op.split = {1};
        return {x};
    }
    Inputs operator()(DepthToSpace& op) const
    {
        op.blocksize = 1;
        return {{1, 1, 1, 1}};
    }
    Inputs operator()(SpaceToDepth& op) const
    {
        op.blocksize = 1;
        return {{1, 1, 1, 1}};
    }
    Inputs operator()(Tile& op) const
    {
        op.repeats = {1, 1, 1};
        return {x};
    }
    Inputs operator()(GatherElements&) const { return {x, x}; }
    Inputs operator()(ScatterElements&) const { return {x, x, x}; }
    Inputs operator()(ScatterND&) const { return {x, matrix, x}; }
    Inputs operator()(Cast& op) const
    {
        op.to = int64_t(DType::float32);
        return {x};
    }
    Inputs operator()(Resize& op) const
    {
        op.scales = {1, 1, 2};
        return {x};
    }
    Inputs operator()(Gemm&) const { return {matrix, matrix, matrix}; }
    Inputs operator()(MatMul&) const { return {matrix, matrix}; }
    Inputs operator()(DotProductAttention&) const { return {four, four, four}; }
    Inputs operator()(BlockQuantizedMatMul& op) const
    {
        op.block_size = 16;
        return {matrix, {1, 1, 8}, matrix};
    }
    template <kit::Recurrent Op>
    Inputs operator()(Op&) const
    {
        const int64_t gates = std::same_as<Op, RNN> ? 1 : std::same_as<Op, GRU> ? 3 : 4;
        return {x, {1, gates, 1}, {1, gates, 1}};
    }
    Inputs operator()(BitShift& op) const
    {
        op.direction = ShiftDirection::left;
        return {x, x};
    }
    Inputs operator()(LRN& op) const
    {
        op.size = 1;
        return {x};
    }

    std::vector<int64_t> four = {1, 1, 1, 1}, x = {1, 1, 1}, matrix = {1, 1}, channel = {1};
};

}  // namespace

kit::Case specimen_of(const Cell& cell)
{
    kit::Case specimen = {.name = "specimen", .attributes = plain(cell.op)};
    const Specimen::Inputs inputs = std::visit(Specimen(), specimen.attributes);
    for (size_t i = 0; i < inputs.size(); ++i)
        specimen.inputs.push_back({i == 0 ? cell.dtype : kit::usual_type(specimen.attributes, i, cell.dtype), inputs[i]});
    if (int64_t* opset = opset_of(specimen.attributes))
        *opset = cell.version;
    return specimen;
}

// ------------------------------------------------------------------------------------------------------------ operators

OperatorKind kind_of(const Operator& op)
{
    const auto* elementwise = std::get_if<Elementwise>(&op);
    return {uint8_t(op.index()), elementwise ? elementwise->kind : ElementwiseKind::identity};
}

const std::vector<OperatorKind>& all_operators()
{
    static const std::vector<OperatorKind> all = [] {
        std::vector<OperatorKind> kinds;
        std::ranges::transform(every_operator(), std::back_inserter(kinds), kind_of);
        return kinds;
    }();
    return all;
}

std::string operator_text(OperatorKind op)
{
    const Operator named = plain(op);
    return (domain(named) == onednn::ConvTranspose::domain ? "oneDNN " : "") + std::string(name(named));
}

std::span<const int64_t> versions_of(OperatorKind op)
{
    return kit::versions_of(plain(op));
}

int64_t version_at(OperatorKind op, int64_t opset)
{
    int64_t found = 0;
    for (const int64_t version : versions_of(op))
        if (version <= opset)
            found = version;
    return found;
}

// ---------------------------------------------------------------------------------------------------------------- cells

std::vector<Cell> cells_of(OperatorKind op)
{
    std::vector<Cell> cells;
    for (const int64_t version : versions_of(op))
        for (int number = 1; number <= last_type; ++number)
            // The reference decides, not the library, because it shares no code with what is tested.
            if (const Cell cell = {op, version, DType(number)}; kit::resolve(specimen_of(cell)))
                cells.push_back(cell);
    return cells;
}

bool has_type(const Cell& cell)
{
    static const std::set<Cell> all = [] {
        std::set<Cell> cells;
        for (const OperatorKind op : all_operators())
            for (const Cell& each : cells_of(op))
                cells.insert(each);
        return cells;
    }();
    return all.count(cell) != 0;
}

std::vector<DType> types_of(OperatorKind op)
{
    std::vector<DType> types;
    for (int number = 1; number <= last_type; ++number)
        if (has_type({op, versions_of(op).back(), DType(number)}))  // no version has dropped a type
            types.push_back(DType(number));
    return types;
}

std::optional<Cell> cell_of_node(std::string_view op_type, std::string_view domain, int64_t opset, DType dtype)
{
    for (const OperatorKind op : all_operators()) {
        const Operator known = plain(op);
        const std::string_view own = vkonnx::domain(known);
        const bool is_domain = domain == own || (own.empty() && domain == "ai.onnx");
        if (!is_domain || name(known) != op_type)
            continue;
        const int64_t version = version_at(op, opset);
        return version > 0 ? std::optional(Cell{op, version, dtype}) : std::nullopt;
    }
    return std::nullopt;
}

std::string cell_name(const Cell& cell)
{
    std::string name = operator_text(cell.op);
    std::replace(name.begin(), name.end(), ' ', '_');
    return name + "_" + std::to_string(cell.version) + "/" + std::string(vkonnx::name(cell.dtype));
}

std::optional<OperatorKind> parse_operator(std::string_view text)
{
    for (const OperatorKind op : all_operators())
        if (operator_text(op) == text)
            return op;
    return std::nullopt;
}

std::optional<DType> parse_type(std::string_view text)
{
    for (int number = 1; number <= last_type; ++number)
        if (vkonnx::name(DType(number)) == text)
            return DType(number);
    return std::nullopt;
}

}  // namespace vkonnx::tools
