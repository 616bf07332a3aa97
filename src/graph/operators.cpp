// SPDX-License-Identifier: Apache-2.0
#include "graph/operators.h"

#include <algorithm>

#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// ---- schemas of operators without a kernel. Types are left out: no element is looked at, or the operator's function checks it.

using Option = Schema::Option;

constexpr Schema::Input single(std::string_view name)
{
    return {.name = name};
}

// Returns an input whose elements must be known. Versions before `since` have an attribute in its place.
constexpr Schema::Input list(std::string_view name, int64_t since, Option option = Option::single)
{
    return {.name = name, .option = option, .member = name, .since = since};
}

constexpr Schema::Output output[] = {{"output"}};

constexpr int64_t constant_versions[] = {1, 9, 11, 12, 13, 19, 21, 23, 24, 25};
constexpr Schema constant_schema = {.name = "Constant", .versions = constant_versions, .outputs = output};

constexpr int64_t identity_versions[] = {1, 13, 14, 16, 19, 21, 23, 24, 25};
constexpr Schema::Input identity_inputs[] = {single("input")};
constexpr Schema identity_schema = {
    .name = "Identity", .versions = identity_versions, .inputs = identity_inputs, .outputs = output};

constexpr int64_t dropout_versions[] = {1, 6, 7, 10, 12, 13, 22};
constexpr Schema::Input dropout_inputs[] = {
    single("data"), {.name = "ratio", .option = Option::optional, .since = 12}, list("training_mode", 12, Option::optional)};
constexpr Schema::Output dropout_outputs[] = {{"output"}, {"mask", Option::optional}};
constexpr Schema dropout_schema = {
    .name = "Dropout", .versions = dropout_versions, .inputs = dropout_inputs, .outputs = dropout_outputs};

constexpr int64_t flatten_versions[] = {1, 9, 11, 13, 21, 23, 24, 25};
constexpr Schema flatten_schema = {.name = "Flatten", .versions = flatten_versions, .inputs = identity_inputs, .outputs = output};

constexpr int64_t reshape_versions[] = {1, 5, 13, 14, 19, 21, 23, 24, 25};
constexpr Schema::Input reshape_inputs[] = {single("data"), list("shape", 5)};
constexpr Schema reshape_schema = {.name = "Reshape", .versions = reshape_versions, .inputs = reshape_inputs, .outputs = output};

constexpr int64_t squeeze_versions[] = {1, 11, 13, 21, 23, 24, 25};  // Unsqueeze's, too
constexpr Schema::Input squeeze_inputs[] = {single("data"), list("axes", 13, Option::optional)};
constexpr Schema squeeze_schema = {.name = "Squeeze", .versions = squeeze_versions, .inputs = squeeze_inputs, .outputs = output};
constexpr Schema::Input unsqueeze_inputs[] = {single("data"), list("axes", 13)};
constexpr Schema unsqueeze_schema = {
    .name = "Unsqueeze", .versions = squeeze_versions, .inputs = unsqueeze_inputs, .outputs = output};

constexpr int64_t constant_of_shape_versions[] = {9, 20, 21, 23, 24, 25};
constexpr Schema constant_of_shape_schema = {
    .name = "ConstantOfShape", .versions = constant_of_shape_versions, .inputs = identity_inputs, .outputs = output};

constexpr int64_t range_versions[] = {11, 27};
constexpr Schema::Input range_inputs[] = {single("start"), single("limit"), single("delta")};
constexpr Schema range_schema = {.name = "Range", .versions = range_versions, .inputs = range_inputs, .outputs = output};

constexpr int64_t non_zero_versions[] = {9, 13};
constexpr Schema::Input non_zero_inputs[] = {single("X")};
constexpr Schema non_zero_schema = {
    .name = "NonZero", .versions = non_zero_versions, .inputs = non_zero_inputs, .outputs = output};

constexpr int64_t non_max_suppression_versions[] = {10, 11};
constexpr Schema::Input non_max_suppression_inputs[] = {single("boxes"),
                                                        single("scores"),
                                                        {.name = "max_output_boxes_per_class", .option = Option::optional},
                                                        {.name = "iou_threshold", .option = Option::optional},
                                                        {.name = "score_threshold", .option = Option::optional}};
constexpr Schema non_max_suppression_schema = {.name = "NonMaxSuppression",
                                               .versions = non_max_suppression_versions,
                                               .inputs = non_max_suppression_inputs,
                                               .outputs = output};

constexpr int64_t unique_versions[] = {11};
constexpr Schema::Output unique_outputs[] = {
    {"Y"}, {"indices", Option::optional}, {"inverse_indices", Option::optional}, {"counts", Option::optional}};
constexpr Schema unique_schema = {
    .name = "Unique", .versions = unique_versions, .inputs = non_zero_inputs, .outputs = unique_outputs};

constexpr int64_t size_versions[] = {1, 13, 19, 21, 23, 24, 25};
constexpr Schema::Input size_inputs[] = {single("data")};
constexpr Schema size_schema = {.name = "Size", .versions = size_versions, .inputs = size_inputs, .outputs = output};

constexpr int64_t if_versions[] = {1, 11, 13, 16, 19, 21, 23, 24, 25};
constexpr Schema::Input if_inputs[] = {list("cond", 1)};
constexpr Schema::Output if_outputs[] = {{"outputs", Option::variadic}};
constexpr Schema if_schema = {.name = "If", .versions = if_versions, .inputs = if_inputs, .outputs = if_outputs};

constexpr Schema::Input loop_inputs[] = {
    list("M", 1, Option::optional), list("cond", 1, Option::optional), {.name = "v_initial", .option = Option::variadic}};
constexpr Schema::Output loop_outputs[] = {{"v_final_and_scan_outputs", Option::variadic}};
constexpr Schema loop_schema = {.name = "Loop", .versions = if_versions, .inputs = loop_inputs, .outputs = loop_outputs};

constexpr int64_t scan_versions[] = {9, 11, 16, 19, 21, 23, 24, 25};
constexpr Schema::Input scan_inputs[] = {{.name = "initial_state_and_scan_inputs", .option = Option::variadic}};
constexpr Schema::Output scan_outputs[] = {{"final_state_and_scan_outputs", Option::variadic}};
constexpr Schema scan_schema = {.name = "Scan",
                                .versions = scan_versions,
                                .older = "older versions are not supported",
                                .inputs = scan_inputs,
                                .outputs = scan_outputs};

// ---- the table

template <class Alternative, class Struct>
Operation make()
{
    return Alternative(Struct());
}

template <class Struct>
OperatorInfo view(const Schema& schema)
{
    return {Kind::view, make<View, Struct>, &schema};
}

template <class Struct>
OperatorInfo host(const Schema& schema)
{
    return {Kind::host, make<HostOperator, Struct>, &schema};
}

template <ElementwiseKind kind>
Operation make_elementwise()
{
    return Operator(Elementwise{.kind = kind});
}

// Adds a row for each kind but Identity, which a graph knows as a view.
template <size_t... kind>
void add_elementwise(std::vector<OperatorInfo>& table, std::index_sequence<kind...>)
{
    const OperatorInfo all[] = {
        {Kind::kernel, make_elementwise<ElementwiseKind(kind)>, schema(Elementwise{.kind = ElementwiseKind(kind)})}...};
    for (const OperatorInfo& info : all)
        if (info.schema->name != identity_schema.name)
            table.push_back(info);
}

// Adds rows for every alternative of Operator.
template <class... Struct>
void add_operators(std::vector<OperatorInfo>& table, std::type_identity<std::variant<Struct...>>)
{
    (
        [&] {
            if constexpr (std::same_as<Struct, Elementwise>)
                add_elementwise(table, std::make_index_sequence<std::size(elementwise_words)>());
            else
                table.push_back(
                    {std::same_as<Struct, Shape> ? Kind::host : Kind::kernel, make<Operator, Struct>, schema(Struct())});
        }(),
        ...);
}

template <class... Struct>
void add_composites(std::vector<OperatorInfo>& table, std::type_identity<std::variant<Struct...>>)
{
    (table.push_back({Kind::kernel, make<Composite, Struct>, &Struct::schema}), ...);
}

// Lists all operators that a graph may hold, sorted by domain and name.
const std::vector<OperatorInfo>& operators()
{
    static const std::vector<OperatorInfo> sorted = [] {
        std::vector<OperatorInfo> table = {
            {Kind::host, make<Constant, Constant>, &constant_schema},
            {Kind::view, make<If, If>, &if_schema},
            {Kind::view, make<Loop, Loop>, &loop_schema},
            {Kind::view, make<Scan, Scan>, &scan_schema},
            view<Identity>(identity_schema),
            view<Dropout>(dropout_schema),
            view<Flatten>(flatten_schema),
            view<Reshape>(reshape_schema),
            view<Squeeze>(squeeze_schema),
            view<Unsqueeze>(unsqueeze_schema),
            host<ConstantOfShape>(constant_of_shape_schema),
            host<Range>(range_schema),
            host<Size>(size_schema),
            host<NonZero>(non_zero_schema),
            host<NonMaxSuppression>(non_max_suppression_schema),
            host<Unique>(unique_schema),
        };
        add_operators(table, std::type_identity<Operator::variant>());
        add_composites(table, std::type_identity<Composite>());
        const auto key = [](const OperatorInfo& info) { return std::pair(info.schema->domain, info.schema->name); };
        std::ranges::sort(table, {}, key);
        return table;
    }();
    return sorted;
}

// Returns "AveragePool, ..., Unsqueeze of domain 'ai.onnx'".
std::string supported_in(std::string_view domain)
{
    std::string list;
    std::string_view last;
    for (const OperatorInfo& info : operators())
        if (info.schema->domain == domain && info.schema->name != last) {
            list.append(list.empty() ? "" : ", ").append(info.schema->name);
            last = info.schema->name;
        }
    return list + " of domain '" + std::string(domain.empty() ? onnx_domain : domain) + "'";
}

// Returns "2", "2 to 3" or "1 or more".
std::string range(size_t least, size_t most, bool variadic)
{
    if (variadic)
        return std::to_string(least) + " or more";
    return std::to_string(least) + (most > least ? " to " + std::to_string(most) : "");
}

Status invalid(const Schema& schema, const std::string& what)
{
    return Status(Code::invalid_argument, std::string(schema.name) + ": " + what);
}

// This struct holds how many inputs or outputs a schema demands and allows.
struct Counts {
    size_t least = 0;
    size_t most = 0;
    bool variadic = false;
};

template <class Parameters, class Get>
Counts counts_of(const Parameters& parameters, const Get& get)
{
    Counts counts = {.most = parameters.size()};
    for (size_t i = 0; i < parameters.size(); ++i) {
        const Option option = get(parameters[i]);
        // A Loop's first inputs are optional, so that its variadic ones may be missing, too.
        const bool may_miss = option == Option::variadic && counts.least < i;
        if (option != Option::optional && !may_miss)
            counts.least = i + 1;
        counts.variadic = counts.variadic || option == Option::variadic;
    }
    return counts;
}

Status check_inputs(const OperatorInfo& info, int64_t opset, const std::vector<bool>& given)
{
    const std::vector<const Schema::Input*> inputs = info.inputs_at(opset);
    const Counts counts = counts_of(inputs, [](const Schema::Input* input) { return input->option; });
    if (given.size() < counts.least || (given.size() > counts.most && !counts.variadic))
        return invalid(*info.schema, "it has " + std::to_string(given.size()) + " inputs, expected " +
                                         range(counts.least, counts.most, counts.variadic) + " at opset " +
                                         std::to_string(opset));
    for (size_t i = 0; i < given.size(); ++i)
        if (!given[i] && inputs[std::min(i, inputs.size() - 1)]->option != Option::optional)
            return invalid(*info.schema, "input " + std::to_string(i) + " is required");
    return {};
}

Status check_outputs(const OperatorInfo& info, const std::vector<bool>& made)
{
    const Counts counts = counts_of(info.schema->outputs, [](const Schema::Output& one) { return one.option; });
    const bool needs_first = counts.least > 0;
    const bool has_any = std::count(made.begin(), made.end(), true) > 0;
    if (has_any && (made[0] || !needs_first) && (made.size() <= counts.most || counts.variadic))
        return {};
    if (!needs_first)
        return invalid(*info.schema, "it has " + std::to_string(made.size()) + " outputs, expected " +
                                         range(1, counts.most, counts.variadic) + ", any of them with a name");
    return invalid(*info.schema, "it has " + std::to_string(made.size()) + " outputs, expected " +
                                     (counts.most == 1 && !counts.variadic
                                          ? "one with a name"
                                          : range(1, counts.most, counts.variadic) + ", the first of them with a name"));
}

// vkonnx::evaluate computes these elementwise operators, of integers alone.
constexpr ElementwiseKind integer_kinds[] = {
    ElementwiseKind::relu, ElementwiseKind::neg, ElementwiseKind::abs, ElementwiseKind::add, ElementwiseKind::sub,
    ElementwiseKind::mul,  ElementwiseKind::div, ElementwiseKind::mod, ElementwiseKind::min, ElementwiseKind::max};

template <class Op>
inline constexpr bool is_logic = false;
template <LogicKind kind>
inline constexpr bool is_logic<Logic<kind>> = true;

template <class One, class... Others>
inline constexpr bool is_any = (std::same_as<One, Others> || ...);

}  // namespace

int64_t OperatorInfo::version_at(int64_t opset) const
{
    const Result<int64_t> version = schema->version_at(opset);
    return version ? *version : opset;
}

std::vector<const Schema::Input*> OperatorInfo::inputs_at(int64_t opset) const
{
    std::vector<const Schema::Input*> inputs;
    const Result<int64_t> version = schema->version_at(opset);
    for (const Schema::Input& input : schema->inputs)
        if (version && input.is_at(*version))
            inputs.push_back(&input);
    return inputs;
}

bool OperatorInfo::is_list(size_t input, int64_t opset) const
{
    const std::vector<const Schema::Input*> inputs = inputs_at(opset);
    return input < inputs.size() && !inputs[input]->member.empty();
}

const OperatorInfo* find_operator(std::string_view domain, std::string_view name, int64_t opset)
{
    const OperatorInfo* found = nullptr;
    for (const OperatorInfo& info : operators()) {
        if (info.schema->name != name || (info.schema->domain.empty() ? onnx_domain : info.schema->domain) != domain)
            continue;
        const int64_t first = info.schema->versions.front(), best = found ? found->schema->versions.front() : 0;
        const bool is_nearer = first <= opset ? first > best || best > opset : first < best;
        if (!found || is_nearer)
            found = &info;
    }
    return found;
}

bool may_be_known(const Operation& operation)
{
    const Operator* op = std::get_if<Operator>(&operation);
    if (!op)
        return !std::holds_alternative<Composite>(operation);
    return std::visit(
        [](const auto& one) {
            using Op = std::remove_cvref_t<decltype(one)>;
            if constexpr (std::same_as<Op, Elementwise>)
                return std::ranges::find(integer_kinds, one.kind) != std::end(integer_kinds);
            return is_logic<Op> ||
                   is_any<Op, ReduceSum, ReduceProd, ReduceMax, ReduceMin, Cast, Transpose, Slice, Pad, Concat, Split,
                          DepthToSpace, SpaceToDepth, Expand, Tile, Gather, GatherElements, GatherND, ScatterElements, ScatterND>;
        },
        *op);
}

bool looks_for_elements(const Operation& operation)
{
    const HostOperator* op = std::get_if<HostOperator>(&operation);
    return op && (std::holds_alternative<NonZero>(*op) || std::holds_alternative<NonMaxSuppression>(*op) ||
                  std::holds_alternative<Unique>(*op));
}

std::vector<int32_t> subgraphs_of(const Operation& operation)
{
    if (const If* branches = std::get_if<If>(&operation))
        return {branches->then_branch, branches->else_branch};
    if (const Loop* loop = std::get_if<Loop>(&operation))
        return {loop->body};
    if (const Scan* scan = std::get_if<Scan>(&operation))
        return {scan->body};
    return {};
}

std::string supported_operators()
{
    return supported_in("") + ", " + supported_in(microsoft_domain) + ", " + supported_in(onednn::ConvTranspose::domain) +
           ", and " + supported_in(DotProductAttention::domain);
}

Status check_arity(const OperatorInfo& info, int64_t opset, const std::vector<bool>& given, const std::vector<bool>& made)
{
    VKONNX_RETURN_IF_ERROR(info.schema->version_at(opset).status());
    VKONNX_RETURN_IF_ERROR(check_inputs(info, opset, given));
    return check_outputs(info, made);
}

}  // namespace vkonnx::graph
