// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/einsum.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/composer.h"
#include "graph/composites/einsum_equation.h"
#include "graph/reals.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

// A Term is a value with a label for each of its axes, none twice.
struct Term {
    size_t value = 0;
    Labels labels = {};
    bool is_known = false;
};

bool has(const Labels& labels, int label)
{
    return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// Returns the labels for which `keep` is true, in their order.
template <class Keep>
Labels those(const Labels& labels, Keep keep)
{
    Labels kept;
    std::copy_if(labels.begin(), labels.end(), std::back_inserter(kept), keep);
    return kept;
}

Labels joined(Labels first, const Labels& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

class Builder {
public:
    Builder(const Equation& equation, std::span<const EinsumInput> inputs, DType dtype)
        : equation_(equation), inputs_(inputs), dtype_(dtype)
    {
        output_ = those(equation.output, [&](int label) { return extent(label) != 1; });
    }

    EinsumCalls run()
    {
        next_ = inputs_.size();
        Term all = input(0);
        for (size_t i = 1; i < inputs_.size(); ++i)
            all = product(all, input(i), i);
        all = ordered(all, output_);
        const DType wanted = inputs_[0].desc.dtype;
        if (wanted != dtype_)
            all.value = add(Cast{.to = int64_t(wanted)}, {operand(all)});
        made_.output = {all.value, dims_of(equation_.output)};
        return std::move(made_);
    }

    // Tells how many of the operators compute, while others only move elements.
    size_t computing() const { return computing_; }

private:
    // This struct says in which order of labels a product of matrices reads its factors. Its result has the batches, then the
    // rows of the left factor, then the columns of the right one.
    struct Arrangement {
        bool is_swapped = false;  // the second term is the left factor
        Labels batches = {};      // each is an axis of both factors, or of the left one alone
        Labels rows = {};
        Labels columns = {};
        Labels sums = {};
        bool right_is_turned = false;  // it has its columns in front of its sums, as Gemm's transB says
    };

    int64_t extent(int label) const { return equation_.extents.at(label); }

    std::vector<int64_t> dims_of(const Labels& labels) const
    {
        std::vector<int64_t> dims;
        for (const int label : labels)
            dims.push_back(extent(label));
        return dims;
    }

    int64_t count(const Labels& labels) const { return extent_of(dims_of(labels), 0, labels.size()); }

    EinsumOperand operand(const Term& term) const { return {term.value, dims_of(term.labels)}; }

    size_t add(Operator op, std::vector<EinsumOperand> operands)
    {
        made_.calls.push_back({.op = std::move(op), .inputs = std::move(operands)});
        return next_++;
    }

    // Tells whether the output has the label, or an input from this one on but `except`.
    bool is_needed(int label, size_t from, std::optional<size_t> except = {}) const
    {
        bool needed = has(output_, label);
        for (size_t i = from; i < inputs_.size(); ++i)
            needed |= i != except && has(equation_.inputs[i], label) && !is_one(i, label);
        return needed;
    }

    // Tells whether all axes of the input with this label have the extent 1.
    bool is_one(size_t input, int label) const
    {
        const Labels& labels = equation_.inputs[input];
        const auto axis = size_t(std::find(labels.begin(), labels.end(), label) - labels.begin());
        return inputs_[input].desc.dims[axis] == 1;
    }

    // Returns an input with a label for each axis that is left of it.
    Term input(size_t index)
    {
        const auto& [desc, is_known] = inputs_[index];
        Term term = {.value = index, .is_known = is_known};
        if (dtype_ != desc.dtype)
            term.value = add(Cast{.to = int64_t(dtype_)}, {{index, desc.dims}});
        term.labels = those(equation_.inputs[index], [&](int label) { return !is_one(index, label); });
        term = diagonal(std::move(term));
        return sum(std::move(term), [&](int label) { return is_needed(label, 0, index); });
    }

    // Takes the diagonal of axes that have the same label. Side by side they are one axis, on which the diagonal's elements are
    // as far from each other as one step on all axes goes: of n x n elements each (n + 1)th.
    Term diagonal(Term term)
    {
        for (size_t at = 0; at < term.labels.size(); ++at) {
            const int label = term.labels[at];
            const auto times = std::count(term.labels.begin(), term.labels.end(), label);
            if (times == 1)
                continue;
            const Labels front(term.labels.begin(), term.labels.begin() + ptrdiff_t(at));
            const Labels rest =
                those({term.labels.begin() + ptrdiff_t(at), term.labels.end()}, [&](int one) { return one != label; });
            const Labels square(size_t(times), label);
            const bool is_empty = count(term.labels) == 0;  // then there is nothing to move
            if (!is_empty) {
                term = ordered(std::move(term), joined(joined(front, square), rest));
                EinsumOperand merged = {term.value, dims_of(front)};
                merged.dims.push_back(count(square));
                for (const int one : rest)
                    merged.dims.push_back(extent(one));
                const int64_t step = (count(square) - 1) / (extent(label) - 1);
                const Slice slice = {.starts = {0}, .ends = {count(square)}, .axes = {int64_t(at)}, .steps = {step}};
                term.value = add(slice, {merged});
            }
            term.labels = joined(joined(front, {label}), rest);
        }
        return term;
    }

    // Sums over the labels that are not needed.
    template <class Needed>
    Term sum(Term term, Needed needed)
    {
        ReduceSum op = {.keepdims = 0};
        for (size_t axis = 0; axis < term.labels.size(); ++axis)
            if (!needed(term.labels[axis]))
                op.axes.push_back(int64_t(axis));
        if (op.axes.empty())
            return term;
        const EinsumOperand summed = operand(term);
        ++computing_;
        return {add(std::move(op), {summed}), those(term.labels, needed)};
    }

    // Moves the axes into this order.
    Term ordered(Term term, const Labels& labels)
    {
        if (term.labels == labels)
            return term;
        std::vector<bool> taken(labels.size());
        Transpose op;
        for (const int label : labels) {
            size_t axis = 0;
            while (term.labels[axis] != label || taken[axis])
                ++axis;
            taken[axis] = true;
            op.perm.push_back(int64_t(axis));
        }
        const EinsumOperand moved = operand(term);
        return {add(std::move(op), {moved}), labels, term.is_known};
    }

    // Joins the term of all inputs before `index` with that of this one.
    Term product(const Term& a, const Term& b, size_t index)
    {
        const Labels sums = those(a.labels, [&](int label) { return has(b.labels, label) && !is_needed(label, index + 1); });
        const Labels* last = index + 1 == inputs_.size() ? &output_ : nullptr;
        ++computing_;
        return sums.empty() ? product_of_elements(a, b, last) : product_of_matrices(a, b, sums, last);
    }

    // Returns how many elements move where a term is brought into this order.
    double cost(const Term& term, const Labels& labels) const
    {
        return term.labels == labels || term.is_known ? 0 : double(count(labels));
    }

    Term product_of_elements(const Term& a, const Term& b, const Labels* last)
    {
        const auto missing = [](const Term& term, const Labels& in) {
            return those(term.labels, [&](int label) { return !has(in, label); });
        };
        std::vector<Labels> orders = {joined(a.labels, missing(b, a.labels)), joined(b.labels, missing(a, b.labels))};
        if (last)
            orders.insert(orders.begin(), *last);
        const auto own = [](const Term& term, const Labels& order) {
            return those(order, [&](int label) { return has(term.labels, label); });
        };
        const auto moved = [&](const Labels& order) {
            return cost(a, own(a, order)) + cost(b, own(b, order)) + (last ? cost({.labels = order}, *last) : 0);
        };
        const Labels order = *std::min_element(orders.begin(), orders.end(),
                                               [&](const Labels& x, const Labels& y) { return moved(x) < moved(y); });
        std::vector<EinsumOperand> factors;
        for (const Term& term : {a, b}) {
            const Term one = ordered(term, own(term, order));
            factors.push_back({one.value, spread(one.labels, order)});
        }
        return {add(Elementwise{.kind = ElementwiseKind::mul}, std::move(factors)), order};
    }

    // Returns a term's dimensions among the axes of `order`, which are 1 where it has none.
    std::vector<int64_t> spread(const Labels& labels, const Labels& order) const
    {
        std::vector<int64_t> dims;
        for (const int label : order)
            dims.push_back(has(labels, label) ? extent(label) : 1);
        return dims;
    }

    static Labels left_order(const Arrangement& one) { return joined(joined(one.batches, one.rows), one.sums); }
    static Labels right_order(const Arrangement& one, const Term& right)
    {
        const Labels batches = those(one.batches, [&](int label) { return has(right.labels, label); });
        return joined(batches, one.right_is_turned ? joined(one.columns, one.sums) : joined(one.sums, one.columns));
    }
    static Labels result_order(const Arrangement& one) { return joined(joined(one.batches, one.rows), one.columns); }

    // Returns how many elements an arrangement moves. One whose product is a matrix times a column counts as half an element
    // more, because kernels are faster at a row times a matrix.
    double cost(const Arrangement& one, const Term& left, const Term& right, const Labels* last) const
    {
        const double is_column = one.columns.empty() && !one.rows.empty() ? 0.5 : 0;
        return cost(left, left_order(one)) + cost(right, right_order(one, right)) +
               (last ? cost({.labels = result_order(one)}, *last) : 0) + is_column;
    }

    // Lists arrangements of these factors. Labels of a group are tried in the order of a factor and in that of the output.
    std::vector<Arrangement> arrangements(const Term& left, const Term& right, const Labels& sums, const Labels* last) const
    {
        const auto is_sum = [&](int label) { return has(sums, label); };
        const auto is_batch = [&](int label) { return has(left.labels, label) && has(right.labels, label) && !is_sum(label); };
        const auto is_row = [&](int label) { return !has(right.labels, label); };
        const auto is_column = [&](int label) { return !has(left.labels, label); };
        const Labels output = last ? *last : joined(left.labels, those(right.labels, is_column));
        const auto orders = [](std::initializer_list<const Labels*> sources, auto belongs) {
            std::vector<Labels> found;
            for (const Labels* source : sources)
                if (Labels order = those(*source, belongs); std::find(found.begin(), found.end(), order) == found.end())
                    found.push_back(std::move(order));
            return found;
        };
        std::vector<Arrangement> list;
        for (const Labels& batches : orders({&left.labels, &right.labels, &output}, is_batch))
            for (const Labels& rows : orders({&left.labels, &output}, is_row))
                for (const Labels& columns : orders({&right.labels, &output}, is_column))
                    for (const Labels& ordered_sums : orders({&left.labels, &right.labels}, is_sum))
                        list.push_back({.batches = batches, .rows = rows, .columns = columns, .sums = ordered_sums});
        const size_t plain = list.size();
        for (size_t i = 0; i < plain; ++i) {
            Arrangement other = list[i];
            if (other.batches.empty() && !other.columns.empty()) {
                other.right_is_turned = true;
                list.push_back(other);
            }
            if (!other.batches.empty() && !other.rows.empty() && other.columns.empty()) {
                // The right factor is a column for each batch, so that rows of the left one may lie between batches.
                other.batches = those(left.labels, [&](int label) { return !is_sum(label); });
                other.rows.clear();
                list.push_back(other);
            }
        }
        return list;
    }

    // Takes the arrangement of which the fewest elements move, the first of equals.
    Arrangement best_of(const Term& a, const Term& b, const Labels& sums, const Labels* last) const
    {
        std::optional<Arrangement> best;
        double least = 0;
        for (const bool is_swapped : {false, true}) {
            const Term& left = is_swapped ? b : a;
            const Term& right = is_swapped ? a : b;
            for (Arrangement& one : arrangements(left, right, sums, last)) {
                const double moved = cost(one, left, right, last);
                if (best && moved >= least)
                    continue;
                least = moved;
                one.is_swapped = is_swapped;
                best = std::move(one);
            }
        }
        return *best;
    }

    Term product_of_matrices(const Term& a, const Term& b, const Labels& sums, const Labels* last)
    {
        const Arrangement best = best_of(a, b, sums, last);
        const Term& second = best.is_swapped ? a : b;
        const Term left = ordered(best.is_swapped ? b : a, left_order(best));
        const Term right = ordered(second, right_order(best, second));
        const int64_t k = count(best.sums), n = count(best.columns);
        EinsumOperand x = {left.value, dims_of(best.batches)};
        EinsumOperand y = {right.value, spread(right.labels, best.batches)};
        x.dims.insert(x.dims.end(), {count(best.rows), k});
        y.dims.insert(y.dims.end(), {best.right_is_turned ? n : k, best.right_is_turned ? k : n});
        Operator op = MatMul();
        if (best.right_is_turned)
            op = Gemm{.transB = 1};
        return {add(std::move(op), {x, y}), result_order(best)};
    }

    const Equation& equation_;
    std::span<const EinsumInput> inputs_;
    const DType dtype_;  // that is computed in
    Labels output_;      // the output's labels, without those of extent 1
    size_t next_ = 0;    // the number of the next value
    size_t computing_ = 0;
    EinsumCalls made_;
};

// Returns the type that the products and sums of an integer type are computed in.
DType widened(DType dtype)
{
    if (dtype == DType::int8 || dtype == DType::int16)
        return DType::int32;
    if (dtype == DType::uint8 || dtype == DType::uint16)
        return DType::uint32;
    return dtype;
}

Status check_types(std::string_view equation, std::span<const EinsumInput> inputs)
{
    constexpr DType types[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int8,   DType::int16,
                               DType::int32,   DType::int64,   DType::uint8,   DType::uint16,   DType::uint32, DType::uint64};
    const DType first = inputs[0].desc.dtype;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const bool is_known = std::find(std::begin(types), std::end(types), inputs[i].desc.dtype) != std::end(types);
        if (is_known && inputs[i].desc.dtype == first)
            continue;
        return Status(Code::invalid_argument, about(equation) + "has input " + std::to_string(i) + " of type " +
                                                  std::string(name(inputs[i].desc.dtype)) + ", expected " +
                                                  (is_known ? std::string(name(first)) + ", which input 0 is"
                                                            : "float, double, float16, bfloat16 or an integer of 8 to 64 bits"));
    }
    return {};
}

}  // namespace

Result<EinsumCalls> einsum_calls(std::string_view equation, std::span<const EinsumInput> inputs)
{
    std::vector<TensorDesc> descs;
    for (const EinsumInput& input : inputs)
        descs.push_back(input.desc);
    const Result<Equation> read = read_equation(equation, descs);
    VKONNX_RETURN_IF_ERROR(read.status());
    VKONNX_RETURN_IF_ERROR(check_types(equation, inputs));
    const DType dtype = descs[0].dtype;
    Builder builder(*read, inputs, dtype);
    EinsumCalls calls = builder.run();
    DType wide = builder.computing() > 0 ? widened(dtype) : dtype;
    if (is_half(dtype) && builder.computing() > 1)
        wide = DType::float32;
    return wide == dtype ? std::move(calls) : Builder(*read, inputs, wide).run();
}

namespace {
constexpr int64_t einsum_versions[] = {12};
constexpr Schema::Input einsum_inputs[] = {{.name = "Inputs", .option = Schema::Option::variadic}};
constexpr Schema::Output einsum_outputs[] = {{"Output"}};
}  // namespace

constinit const Schema Einsum::schema = {
    .name = "Einsum", .versions = einsum_versions, .inputs = einsum_inputs, .outputs = einsum_outputs};

void Einsum::compose(Composer& composer) const
{
    if (!composer.check(equation.has_value(), "attribute equation is required"))
        return;
    std::vector<EinsumInput> inputs;
    std::vector<Operand> values;
    for (size_t i = 0; i < composer.inputs(); ++i) {
        values.push_back(composer.input(i));
        inputs.push_back({values.back().desc, composer.is_known(i)});
    }
    const Result<EinsumCalls> made = einsum_calls(*equation, inputs);
    if (!made)
        return composer.fail(made.status());
    const auto view = [&](const EinsumOperand& operand) { return Composer::view(values[operand.value], operand.dims); };
    for (const EinsumCall& call : made->calls) {
        std::vector<Operand> operands;
        for (const EinsumOperand& operand : call.inputs)
            operands.push_back(view(operand));
        values.push_back(composer.add(call.op, std::move(operands)));
    }
    composer.set_output(0, view(made->output));
}

}  // namespace vkonnx::graph
