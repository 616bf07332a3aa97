// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule.h"
#include "return_if_error.h"

#include <algorithm>
#include <set>
#include <utility>

namespace vkonnx::graph {
namespace {

using onnx::ValuePlace;

// Every device can allocate this much at once: it is Vulkan's least maxMemoryAllocationSize.
constexpr uint64_t most_arena_bytes = uint64_t(1) << 30;

class Scheduler {
public:
    Scheduler(const Graph& graph, Rewritten rewritten, Explanations explanations, const Capabilities& capabilities)
        : graph_(graph), explanations_(explanations), capabilities_(capabilities)
    {
        schedule_.graph = std::move(rewritten);
    }

    Result<Schedule> run()
    {
        add_up();
        find_homes();
        find_uses();
        VKONNX_RETURN_IF_ERROR(measure());
        lay_out_arena();
        for (const int32_t input : graph_.inputs)
            schedule_.inputs.push_back(value(input).desc);
        for (const int32_t output : graph_.outputs)
            schedule_.outputs.push_back(value(output).desc);
        return std::move(schedule_);
    }

private:
    void add_up();
    void find_homes();
    void find_uses();
    Status measure();
    void lay_out_arena();
    void find_room(std::span<const Lifetime> lifetimes, Layout& layout, uint64_t alignment);
    int32_t block_to_take(size_t call, const std::vector<bool>& taken) const;
    std::string name_of(size_t block) const;

    const PlacedValue& value(int32_t index) const { return schedule_.graph.values[size_t(index)]; }
    const std::vector<Block>& blocks() const { return schedule_.graph.blocks; }
    const std::vector<Call>& calls() const { return schedule_.graph.calls; }
    std::vector<Home>& homes() { return schedule_.homes; }
    const std::vector<Home>& homes() const { return schedule_.homes; }

    const Graph& graph_;
    const Explanations explanations_;
    const Capabilities& capabilities_;
    Schedule schedule_;
};

void Scheduler::add_up()
{
    // Calls that want the same form of the same constants share it.
    std::set<std::pair<std::vector<int32_t>, uint64_t>> packed;
    onnx::GraphReport& totals = schedule_.totals;
    for (size_t i = 0; i < calls().size(); ++i) {
        const Explanation& one = *explanations_[i];
        totals.scratch_bytes = std::max(totals.scratch_bytes, one.scratch_bytes);
        if (one.packed_bytes == 0)
            continue;
        std::vector<int32_t> constants;
        for (const size_t input : constants_of(schedule_.graph, calls()[i]))
            constants.push_back(value(calls()[i].inputs[input]).block);
        if (packed.emplace(std::move(constants), one.packed_bytes).second)
            totals.packed_bytes += one.packed_bytes;
    }
}

// Finds all homes but for the arena. A block that a call writes lies in the first output that shows it, or else in an arena.
void Scheduler::find_homes()
{
    homes().resize(blocks().size());
    for (size_t i = 0; i < blocks().size(); ++i) {
        if (blocks()[i].input >= 0)
            homes()[i] = {.place = ValuePlace::input, .index = size_t(blocks()[i].input)};
        else
            homes()[i].place = blocks()[i].content ? ValuePlace::constant : ValuePlace::arena;
    }
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
        Home& home = homes()[size_t(value(graph_.outputs[i]).block)];
        if (home.place == ValuePlace::arena)
            home = {.place = ValuePlace::output, .index = i};
    }
}

// Finds when each block is used. A block that nothing on the device uses lies nowhere.
void Scheduler::find_uses()
{
    const std::vector<Use> uses = uses_of(schedule_.graph);
    for (size_t i = 0; i < uses.size(); ++i) {
        Home& home = homes()[i];
        home.first = uses[i].first;
        home.last = uses[i].last;
        if (home.first == SIZE_MAX)
            home.place = ValuePlace::none;
    }
}

Status Scheduler::measure()
{
    for (size_t i = 0; i < blocks().size(); ++i) {
        Home& home = homes()[i];
        if (home.place == ValuePlace::none)
            continue;
        const Result<uint64_t> bytes = byte_size(blocks()[i].desc);
        if (!bytes && home.place == ValuePlace::arena)
            return in_node(graph_.nodes[calls()[home.first].node], bytes.status());
        if (!bytes)
            return Status(bytes.code(), "value " + quote(name_of(i)) + ": " + std::string(bytes.message()));
        home.bytes = *bytes;
        if (home.place == ValuePlace::constant)
            schedule_.totals.constant_bytes += home.bytes;
    }
    return {};
}

// Lays out the arenas, with the scratch memory of each call, which lives as long as the call does.
void Scheduler::lay_out_arena()
{
    std::vector<Lifetime> lifetimes;
    std::vector<Spot*> spots;  // in the order of the lifetimes: where to write their places
    const uint64_t alignment = std::max({4u, capabilities_.storage_buffer_alignment, capabilities_.texel_buffer_alignment});
    uint64_t scratch_bytes = 0;
    schedule_.scratch.resize(calls().size());
    std::vector<ptrdiff_t> lifetime_of(blocks().size(), -1);
    std::vector<bool> taken(blocks().size());
    for (size_t i = 0; i < calls().size(); ++i) {
        for (const int32_t output : calls()[i].outputs) {
            if (output == no_value)
                continue;
            const auto block = size_t(value(output).block);
            if (homes()[block].place != ValuePlace::arena)
                continue;
            Lifetime lifetime = {homes()[block].bytes, i, homes()[block].last};
            const bool is_first = output == calls()[i].outputs.front();  // Explanation::in_place is about this one
            if (const int32_t under = is_first ? block_to_take(i, taken) : -1; under >= 0) {
                lifetime.takes = lifetime_of[size_t(under)];
                taken[size_t(under)] = true;
            }
            lifetime_of[block] = ptrdiff_t(lifetimes.size());
            lifetimes.push_back(lifetime);
            spots.push_back(&homes()[block].spot);
        }
        if (const uint64_t bytes = explanations_[i]->scratch_bytes; bytes != 0) {
            lifetimes.push_back({bytes, i, i});
            spots.push_back(&schedule_.scratch[i]);
            scratch_bytes += (bytes + alignment - 1) / alignment * alignment;
        }
    }
    Layout layout = lay_out(lifetimes, alignment, most_arena_bytes);
    find_room(lifetimes, layout, alignment);
    for (size_t i = 0; i < spots.size(); ++i)
        *spots[i] = layout.spots[i];
    schedule_.totals.arenas = std::move(layout.arenas);
    schedule_.totals.arena_bytes = layout.bytes;
    schedule_.totals.unshared_bytes = layout.unshared_bytes - scratch_bytes;
}

// Finds room in the arenas for inputs and outputs, the largest first. The arenas grow for them by at most a quarter of what they
// would take elsewhere, because callers who give their own tensors to Session::bind gain nothing from it.
void Scheduler::find_room(std::span<const Lifetime> lifetimes, Layout& layout, uint64_t alignment)
{
    std::vector<Home*> places;
    for (Home& home : homes())
        if (home.place == ValuePlace::input || home.place == ValuePlace::output)
            places.push_back(&home);
    std::sort(places.begin(), places.end(),
              [](const Home* a, const Home* b) { return std::pair(b->bytes, a) < std::pair(a->bytes, b); });
    std::vector<Lifetime> more;
    for (const Home* home : places)
        more.push_back(home->place == ValuePlace::input ? Lifetime{home->bytes, 0, home->last}
                                                        : Lifetime{home->bytes, home->first, calls().size() - 1});
    const std::vector<std::optional<Spot>> spots = fitted(more, lifetimes, layout, alignment);
    uint64_t elsewhere = 0;
    for (size_t i = 0; i < places.size(); ++i) {
        places[i]->room = spots[i];
        elsewhere += spots[i] ? 0 : places[i]->bytes;
    }
    if (elsewhere == 0)
        return;
    std::vector<Lifetime> all(lifetimes.begin(), lifetimes.end());
    all.insert(all.end(), more.begin(), more.end());
    Layout wider = lay_out(all, alignment, most_arena_bytes);
    if (wider.bytes > layout.bytes + elsewhere / 4)
        return;
    for (size_t i = 0; i < places.size(); ++i)
        places[i]->room = wider.spots[lifetimes.size() + i];
    wider.unshared_bytes = layout.unshared_bytes;
    layout = std::move(wider);
}

// Returns a block of an arena that the call reads last, and may write over in place, or -1. None of the call's inputs may read
// the block otherwise.
int32_t Scheduler::block_to_take(size_t call, const std::vector<bool>& taken) const
{
    const std::vector<int32_t>& inputs = calls()[call].inputs;
    const std::vector<size_t>& in_place = explanations_[call]->in_place;
    const auto may = [&](size_t input) { return std::find(in_place.begin(), in_place.end(), input) != in_place.end(); };
    for (const size_t candidate : in_place) {
        const int32_t block = value(inputs[candidate]).block;
        const Home& home = homes()[size_t(block)];
        bool fits = home.place == ValuePlace::arena && home.last == call && !taken[size_t(block)];
        for (size_t i = 0; i < inputs.size(); ++i)
            fits &= inputs[i] == no_value || value(inputs[i]).block != block || may(i);
        if (fits)
            return block;
    }
    return -1;
}

std::string Scheduler::name_of(size_t block) const
{
    for (size_t i = 0; i < graph_.values.size(); ++i)
        if (value(int32_t(i)).block == int32_t(block))
            return std::string(graph_.values[i].name);
    return {};
}

}  // namespace

std::vector<TensorDesc> descs_of(const Rewritten& graph, const Call& call)
{
    std::vector<TensorDesc> descs;
    for (const int32_t input : call.inputs)
        descs.push_back(input == no_value ? TensorDesc{.dtype = DType::undefined} : graph.values[size_t(input)].desc);
    return descs;
}

std::vector<size_t> constants_of(const Rewritten& graph, const Call& call)
{
    std::vector<size_t> constants;
    for (size_t i = 0; i < call.inputs.size(); ++i)
        if (call.inputs[i] != no_value && graph.blocks[size_t(graph.values[size_t(call.inputs[i])].block)].content)
            constants.push_back(i);
    return constants;
}

PrepareOptions options_of(const Call& call, PrepareOptions options)
{
    options.epilogue = call.epilogue;
    options.prologue = call.prologue;
    options.scratch_budget = std::min(options.scratch_budget, call.scratch_budget);
    if (!call.built.empty())
        options.built = call.built;
    return options;
}

std::vector<const Explanation*> pointers_to(const std::vector<Explanation>& explanations)
{
    std::vector<const Explanation*> pointers;
    for (const Explanation& one : explanations)
        pointers.push_back(&one);
    return pointers;
}

Result<std::vector<Explanation>> explain_calls(const Graph& graph, const Rewritten& rewritten, const Capabilities& capabilities,
                                               const PrepareOptions& options)
{
    std::vector<Explanation> explanations;
    for (const Call& call : rewritten.calls) {
        PrepareOptions own = options_of(call, options);
        for (const size_t input : constants_of(rewritten, call))
            own.constants.push_back({.input = input});
        Result<Explanation> planned = vkonnx::explain(call.op, descs_of(rewritten, call), capabilities, own);
        if (!planned)
            return in_node(graph.nodes[call.node], planned.status());
        explanations.push_back(std::move(*planned));
    }
    return explanations;
}

Result<Schedule> make_schedule(const Graph& graph, Rewritten rewritten, Explanations explanations,
                               const Capabilities& capabilities)
{
    return Scheduler(graph, std::move(rewritten), explanations, capabilities).run();
}

}  // namespace vkonnx::graph
