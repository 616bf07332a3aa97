#include "cell.h"

#include <algorithm>

#include "kit/reference.h"

namespace vkonnx::tools {

std::string_view operator_text(OperatorKind op)
{
    switch (op) {
    case OperatorKind::conv_transpose:
        return "ConvTranspose";
    case OperatorKind::average_pool:
        return "AveragePool";
    case OperatorKind::onednn_conv_transpose:
        return "oneDNN ConvTranspose";
    case OperatorKind::shape:
        break;
    }
    return "Shape";
}

std::span<const int64_t> versions_of(OperatorKind op)
{
    static constexpr std::array<int64_t, 1> onednn_conv_transpose = {1};
    switch (op) {
    case OperatorKind::conv_transpose:
        return kit::conv_transpose_versions;
    case OperatorKind::average_pool:
        return kit::average_pool_versions;
    case OperatorKind::onednn_conv_transpose:
        return onednn_conv_transpose;
    case OperatorKind::shape:
        break;
    }
    return kit::shape_versions;
}

int64_t version_at(OperatorKind op, int64_t opset)
{
    int64_t found = 0;
    for (const int64_t version : versions_of(op))
        if (version <= opset)
            found = version;
    return found;
}

// The reference knows the documents' types and shares no code with the library, which must not decide what is expected of it.
bool has_type(const Cell& cell)
{
    const TensorDesc one{cell.dtype, {1, 1, 1}};
    const std::vector<TensorDesc> data = {one}, data_and_filter = {one, one};
    switch (cell.op) {
    case OperatorKind::conv_transpose:
        return kit::resolve(ConvTranspose{.opset = cell.version}, data_and_filter).ok();
    case OperatorKind::average_pool:
        return kit::resolve(AveragePool{.opset = cell.version, .kernel_shape = {1}}, data).ok();
    case OperatorKind::onednn_conv_transpose:
        return kit::resolve(onednn::ConvTranspose{.strides = {1}, .pads_begin = {0}, .pads_end = {0}, .dilations = {1}},
                            data_and_filter)
            .ok();
    case OperatorKind::shape:
        break;
    }
    return kit::resolve(Shape{.opset = cell.version}, data).ok();
}

static constexpr int last_type = int(DType::int2);

std::vector<DType> types_of(OperatorKind op)
{
    std::vector<DType> types;
    for (int number = 1; number <= last_type; ++number)
        if (has_type({op, versions_of(op).back(), DType(number)}))  // no version took one away
            types.push_back(DType(number));
    return types;
}

std::vector<Cell> cells_of(OperatorKind op)
{
    std::vector<Cell> cells;
    const std::vector<DType> types = types_of(op);
    for (const int64_t version : versions_of(op))
        for (const DType dtype : types)
            if (const Cell cell = {op, version, dtype}; has_type(cell))
                cells.push_back(cell);
    return cells;
}

std::optional<Cell> cell_of_node(std::string_view op_type, std::string_view domain, int64_t opset, DType dtype)
{
    OperatorKind op;
    if (domain == "onednn.graph" && op_type == "ConvTranspose")
        op = OperatorKind::onednn_conv_transpose;
    else if (const auto known = parse_operator(op_type); known && (domain.empty() || domain == "ai.onnx"))
        op = *known;
    else
        return std::nullopt;
    const int64_t version = version_at(op, opset);
    return version > 0 ? std::optional(Cell{op, version, dtype}) : std::nullopt;
}

std::string cell_name(const Cell& cell)
{
    std::string name(operator_text(cell.op));
    std::replace(name.begin(), name.end(), ' ', '_');
    return name + "_" + std::to_string(cell.version) + "/" + std::string(vkonnx::name(cell.dtype));
}

std::optional<OperatorKind> parse_operator(std::string_view text)
{
    for (const OperatorKind op : all_operators)
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
