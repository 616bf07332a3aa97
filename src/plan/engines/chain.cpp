// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/chain.h"

#include <algorithm>

#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "plan/engines/prologue.h"
#include "return_if_error.h"
#include "shaders/engines/reduction/reduction.h"
#include "shaders/engines/reduction/reduction_chosen_constants.h"
#include "shaders/engines/reduction/reduction_constants.h"

namespace vkonnx::plan {

static_assert(int(Term::sum) == REDUCTION_SUM && int(Term::greatest) == REDUCTION_GREATEST &&
              int(Term::exponentials) == REDUCTION_EXPONENTIALS && int(Term::squares) == REDUCTION_SQUARES &&
              int(Term::prologue) == REDUCTION_PROLOGUE && int(Term::max) == REDUCTION_MAX && int(Term::min) == REDUCTION_MIN &&
              int(Term::product) == REDUCTION_PRODUCT && int(Term::magnitudes) == REDUCTION_MAGNITUDES &&
              int(Term::own_squares) == REDUCTION_OWN_SQUARES);
static_assert(int(Finish::as_it_is) == REDUCTION_AS_IT_IS && int(Finish::square_root) == REDUCTION_SQUARE_ROOT &&
              int(Finish::finite) == REDUCTION_FINITE && int(Finish::logarithm) == REDUCTION_LOGARITHM &&
              int(Finish::shifted_logarithm) == REDUCTION_SHIFTED_LOGARITHM);

Chain::Chain(std::string_view op, const Capabilities& capabilities, const PrepareOptions& options, uint32_t inputs,
             std::vector<uint64_t> tensor_bytes)
    : op_(op), capabilities_(capabilities), options_(options)
{
    plan_.inputs = inputs;
    plan_.tensor_bytes = std::move(tensor_bytes);
    plan_.max_submit_seconds = options.max_dispatch_seconds;
}

Memory Chain::room(uint64_t& total, int64_t elements, uint32_t element_bytes, bool as_texels) const
{
    const uint64_t alignment =
        std::max<uint64_t>({capabilities_.storage_buffer_alignment, as_texels ? capabilities_.texel_buffer_alignment : 0, 16});
    const uint64_t offset = (total + alignment - 1) / alignment * alignment;
    const uint64_t bytes = buffer_bytes(uint64_t(elements) * element_bytes);
    total = offset + bytes;
    return {.offset = offset, .bytes = bytes};
}

Memory Chain::scratch(int64_t elements, uint32_t element_bytes, bool as_texels)
{
    Memory memory = room(plan_.scratch_bytes, elements, element_bytes, as_texels);
    memory.place = Place::scratch;
    return memory;
}

Memory Chain::packed(int64_t elements, uint32_t element_bytes)
{
    Memory memory = room(plan_.packed_bytes, elements, element_bytes, true);
    memory.place = Place::packed;
    return memory;
}

uint32_t Chain::pipeline(const PipelineKey& key)
{
    const auto known = std::find(plan_.pipelines.begin(), plan_.pipelines.end(), key);
    if (known != plan_.pipelines.end())
        return uint32_t(known - plan_.pipelines.begin());
    plan_.pipelines.push_back(key);
    return uint32_t(plan_.pipelines.size() - 1);
}

Status Chain::add(const Gather& gather, std::span<const Memory> operands, Turn turn)
{
    Result<Plan> part = plan_gather(gather, capabilities_, options_);
    VKONNX_RETURN_IF_ERROR(part.status());
    return add(std::move(*part), operands, turn);
}

Status Chain::add(Plan&& part, std::span<const Memory> operands, Turn turn)
{
    if (int64_t(plan_.steps.size() + plan_.setup.size() + part.steps.size() + part.setup.size()) > max_dispatches)
        return too_many_dispatches(op_);
    const bool as_texels = std::ranges::any_of(part.pipelines, [](const PipelineKey& key) {
        return std::ranges::any_of(key.views, [](View view) { return view != View::storage; });
    });
    const Memory own_scratch = part.scratch_bytes ? scratch(int64_t(part.scratch_bytes), 1, as_texels) : Memory();
    const Memory own_packed = part.packed_bytes ? packed(int64_t(part.packed_bytes), 1) : Memory();
    const auto placed = [&](const Operand& operand) {
        Operand result = operand;
        if (operand.place == Place::table)
            return result;
        const Memory& memory = operand.place == Place::scratch  ? own_scratch
                               : operand.place == Place::packed ? own_packed
                                                                : operands[operand.tensor];
        result.place = memory.place;
        result.tensor = memory.tensor;
        if (memory.place != Place::tensor) {
            result.offset += memory.offset;
            result.bytes = operand.bytes ? operand.bytes : memory.bytes - operand.offset;
        }
        return result;
    };
    std::vector<uint32_t> numbers;
    for (const PipelineKey& key : part.pipelines)
        numbers.push_back(pipeline(key));
    const auto append = [&](std::vector<Step>& steps, std::vector<Step>& to) {
        for (Step& step : steps) {
            step.pipeline = numbers[step.pipeline];
            for (Operand& operand : step.operands)
                operand = placed(operand);
            to.push_back(std::move(step));
        }
    };
    append(part.setup, plan_.setup);
    append(part.steps, turn == Turn::once ? plan_.setup : plan_.steps);
    if (!part.uniform.empty())
        plan_.uniform = std::move(part.uniform);
    if (!part.table.empty())
        plan_.table = std::move(part.table);
    return {};
}

// ------------------------------------------------------------------------------------------------------ reductions

namespace {

// A pass makes at least `busy` results, to keep a device busy, and `neighbours` that are read side by side. But each result is
// left with at least `fewest` elements, because another pass takes about as long as reading some.
constexpr int64_t busy = 1 << 18;
constexpr int64_t neighbours = 32;
constexpr int64_t fewest = 32;
constexpr int64_t longest = 4 * fewest;  // shorter rows are not worth another pass

int64_t parts_of(const Rows& rows)
{
    if (rows.extent < longest)
        return 1;
    const int64_t wanted = std::max(divide_up(busy, std::max<int64_t>(1, saturated_product(rows.outer, rows.inner))),
                                    divide_up(neighbours, rows.inner));
    return std::clamp<int64_t>(wanted, 1, rows.extent / fewest);
}

// This struct tells whether a pass reads and writes elements of the tensor's type, or sums in the type that they are computed
// in.
struct Kinds {
    bool from_sums = false;
    bool to_sums = false;
    bool narrows = false;  // only the lower half of 64 bits is written
};

// This struct holds the modules of a term. Those of `plain` write the type that they read; those of `to_sums` read halves and
// write floats. Where `plain` has no module for a half, the one of `to_sums` is always taken.
struct Modules {
    std::span<const Variant> plain;
    std::span<const Variant> to_sums;
    bool chosen = false;  // a specialization constant tells the term (shaders/engines/reduction/reduction_chosen_constants.h)
};

// This array has an entry for each of the first Terms, in the order of its enumerators.
constexpr Modules modules_of_terms[] = {
    {modules::reduction_term0, modules::reduction_term0_sums1}, {modules::reduction_term1, modules::reduction_term1_sums1},
    {modules::reduction_term2, modules::reduction_term2_sums1}, {modules::reduction_term3, modules::reduction_term3_sums1},
    {modules::reduction_term4, modules::reduction_term4_sums1},
};
constexpr Modules chosen_modules = {modules::reduction_chosen1, modules::reduction_chosen1_sums1, true};
constexpr Modules logarithm_modules = {modules::reduction_logarithm1, modules::reduction_logarithm1_sums1, true};

bool is_logarithm(Finish finish)
{
    return finish == Finish::logarithm || finish == Finish::shifted_logarithm;
}

const Modules& modules_of(Term term, Finish finish)
{
    if (is_logarithm(finish))
        return logarithm_modules;
    const bool has_own = finish == Finish::as_it_is && size_t(term) < std::size(modules_of_terms);
    return has_own ? modules_of_terms[size_t(term)] : chosen_modules;
}

// Returns the operation that joins the partial results of a pass.
Term joining(Term term)
{
    switch (term) {
    case Term::greatest:
    case Term::max:
    case Term::min:
    case Term::product:
        return term;
    case Term::sum:
    case Term::exponentials:
    case Term::squares:
    case Term::prologue:
    case Term::magnitudes:
    case Term::own_squares:
        break;
    }
    return Term::sum;
}

bool takes_statistics(Term term)
{
    return term == Term::exponentials || term == Term::squares || term == Term::prologue;
}

// Returns the module of a pass that reads elements of this compute type, or sums of an earlier pass.
Kernel kernel_of(const Modules& of_term, ComputeType compute_type, bool to_sums)
{
    const auto& [plain, sums, chosen] = of_term;
    const std::optional<Kernel> kernel = to_sums && is_half(compute_type) ? std::nullopt : variant(plain, compute_type);
    return kernel ? *kernel : *variant(sums, compute_type);
}

class Passes {
public:
    Passes(Chain& chain, const Reduction& reduction) : chain_(chain), reduction_(reduction) {}

    Status run(Memory from, const Memory& to)
    {
        std::vector<Pass> passes = reduction_.passes;
        if (reduction_.narrow)
            passes.push_back({.rows = {.outer = passes.back().outputs()}});
        for (size_t i = 0; i < passes.size(); ++i) {
            const bool last = i + 1 == passes.size();
            const Kinds kinds = {i > 0 || reduction_.from_sums, !last || reduction_.to_sums, last && reduction_.narrow};
            const Memory next = last ? to : chain_.scratch(passes[i].outputs(), sum_bytes(reduction_.compute_type));
            VKONNX_RETURN_IF_ERROR(add(passes[i], kinds, i == 0, last, from, next));
            from = next;
        }
        return {};
    }

private:
    Status add(const Pass& pass, const Kinds& kinds, bool first, bool last, const Memory& from, const Memory& to)
    {
        const Term term = first ? reduction_.term : joining(reduction_.term);
        const Finish finish = last ? reduction_.finish : Finish::as_it_is;
        const Modules& kernels = modules_of(term, finish);
        const bool of_statistics = takes_statistics(term) || is_logarithm(finish);
        const auto& prologue = chain_.options().prologue;
        // The numbers of a statistic, or of a prologue's row. With 0 there are none, but the kernel still binds a buffer for
        // them.
        const int64_t numbers = term == Term::prologue ? prologue_numbers(prologue) : finish == Finish::logarithm ? 0 : 1;
        const bool plain = kinds.from_sums && kinds.to_sums;  // it reads and writes sums only
        const ComputeType compute_type = plain ? sum_number(reduction_.compute_type) : reduction_.compute_type;
        const ComputeType output = kinds.to_sums ? sum_number(compute_type) : compute_type;
        const int64_t elements = pass.rows.outer * pass.rows.extent * pass.rows.inner;
        const uint32_t from_bytes = kinds.from_sums ? sum_bytes(compute_type) : reduction_.element_bytes;
        Gather gather = {.op = chain_.op(),
                         .compute_type = output,
                         .element_bytes = kinds.to_sums ? sum_bytes(compute_type) : reduction_.element_bytes,
                         .outputs = pass.outputs(),
                         .output_operand = uint8_t(of_statistics ? 2 : 1),
                         .inputs = {{0, elements, from_bytes}},
                         .taps = {taps_of(pass)},
                         .kernel = kinds.narrows ? *variant(modules::reduction_term0_narrow1, compute_type)
                                                 : kernel_of(kernels, compute_type, kinds.to_sums),
                         .uses_uniform = false,
                         .goes_on = !kinds.narrows,
                         .takes_boxes = !kinds.narrows};
        const int64_t statistics = reduction_.statistic_count;
        if (numbers == 0)
            gather.inputs.push_back({1, elements, from_bytes});
        else if (of_statistics)
            gather.inputs.push_back(
                {1, statistics * numbers, term == Term::prologue ? reduction_.element_bytes : sum_bytes(compute_type)});
        gather.reads = [pass, of_statistics, statistics, numbers](const Part& part) -> Reads {
            if (part.adds_nothing())
                return {};
            const int64_t width = pass.parts * pass.rows.inner;
            const Range rows = statistics_of(part.outputs, width, pass.rows.inner, statistics);
            return {read_by(pass, part.outputs, part.box),
                    of_statistics ? Range{rows.first * numbers, rows.count * numbers} : Range{}};
        };
        const bool divides = last && reduction_.count;
        const uint32_t workgroup = workgroup_size(chain_.capabilities());
        const bool from_floats = kinds.from_sums && is_half(compute_type);
        const bool exactly = chain_.options().reproducible;
        if (kernels.chosen)
            gather.specialization = specialization::ReductionChosen{.workgroup_size = workgroup,
                                                                    .from_sums = from_floats,
                                                                    .exact_root = exactly,
                                                                    .term = uint32_t(term),
                                                                    .finish = uint32_t(finish)}
                                        .values();
        else
            gather.specialization = specialization::Reduction{.workgroup_size = workgroup,
                                                              .from_sums = from_floats,
                                                              .exact_division = exactly,
                                                              .narrow = first && reduction_.narrow,
                                                              .prologue = term == Term::prologue ? constant_of(prologue) : 0}
                                        .values();
        const push::ReductionPass push = {.row = uint32_t(pass.rows.extent * pass.rows.inner),
                                          .width = uint32_t(pass.parts * pass.rows.inner),
                                          .inner = uint32_t(pass.rows.inner),
                                          .statistics = uint32_t(statistics),
                                          .count = uint32_t(divides ? *reduction_.count : pass.rows.extent),
                                          .divides = divides};
        gather.push = bytes_of(push);
        std::vector<Memory> operands = {from};
        if (of_statistics)
            operands.push_back(numbers == 0 ? from : reduction_.statistics);
        operands.push_back(to);
        return chain_.add(gather, operands);
    }

    Chain& chain_;
    const Reduction& reduction_;
};

}  // namespace

std::vector<Pass> passes_of(std::span<const Rows> groups)
{
    std::vector<Pass> passes;
    for (size_t g = groups.size(); g-- > 0;) {
        Rows rows = groups[g];
        if (rows.extent == 1 && !(g == 0 && passes.empty()))  // at least one pass is made
            continue;
        for (;;) {
            passes.push_back({rows, parts_of(rows)});
            if (passes.back().parts == 1)
                break;
            rows.extent = passes.back().parts;
        }
    }
    return passes;
}

Range read_by(const Pass& pass, const Range& outputs, const TapBox& box)
{
    const int64_t width = pass.parts * pass.rows.inner;
    const int64_t row = pass.rows.extent * pass.rows.inner;
    const int64_t first = outputs.first / width;
    const int64_t last = (outputs.end() - 1) / width;
    if (first < last)
        return {first * row, (last + 1 - first) * row};
    const int64_t begin = outputs.first % width + int64_t(box.begin[0]) * width;
    const int64_t end = std::min((outputs.end() - 1) % width + (int64_t(box.end[0]) - 1) * width + 1, row);
    return begin < end ? Range{first * row + begin, end - begin} : Range{};
}

TapAxis taps_of(const Pass& pass)
{
    const int64_t terms = divide_up(pass.rows.extent, pass.parts);
    return {std::max<int64_t>(1, terms), 1, terms};
}

uint32_t sum_bytes(ComputeType compute_type)
{
    switch (compute_type) {
    case ComputeType::f64:
    case ComputeType::f64_soft:
    case ComputeType::i64:
    case ComputeType::u64:
        return 8;
    case ComputeType::i8:
    case ComputeType::u8:
        return 1;
    default:
        return 4;
    }
}

ComputeType sum_number(ComputeType compute_type)
{
    return is_half(compute_type) ? ComputeType::f32 : compute_type;
}

std::string unfit_for_passes(std::span<const Pass> passes, ComputeType compute_type, const Capabilities& capabilities)
{
    for (const Pass& pass : passes) {
        const TapAxis axis = taps_of(pass);
        if (std::string wrong = unfit_for_boxes({&axis, 1}, compute_type, capabilities); !wrong.empty())
            return wrong;
    }
    return "";
}

Status add_reduction(Chain& chain, const Reduction& reduction, const Memory& from, const Memory& to)
{
    return Passes(chain, reduction).run(from, to);
}

Range statistics_of(const Range& flat, int64_t row, int64_t inner, int64_t count)
{
    const auto number_of = [&](int64_t element) { return element / row * inner + element % inner; };
    const int64_t last_element = flat.end() - 1;
    int64_t first = number_of(flat.first);
    int64_t last = number_of(last_element);
    // Where the numbers are no run of neighbours, the range takes all numbers of the rows that the elements are in.
    const bool steps =
        flat.first / row == last_element / row ? last - first == (inner == 1 ? 0 : flat.count - 1) : row == inner || inner == 1;
    if (!steps) {
        first = flat.first / row * inner;
        last = (last_element / row + 1) * inner - 1;
    }
    if (first / count != last / count)
        return {0, count};
    return {first % count, last - first + 1};
}

}  // namespace vkonnx::plan
