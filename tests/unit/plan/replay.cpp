#include "replay.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "constant_of.h"
#include "plan/engines/gather.h"

namespace vkonnx::plan {
namespace {

using ops::Axis;

struct Meeting {
    int64_t tap = 0;
    int64_t position = 0;
};

// The meetings are listed by output position, with their taps in ascending order.
using Meetings = std::vector<std::vector<Meeting>>;

Meetings meetings_of(const Axis& axis, bool convolves)
{
    Meetings meetings{size_t(axis.out)};
    for (int64_t o = 0; o < axis.out; ++o)
        for (int64_t tap = 0; tap < axis.kernel; ++tap)
            for (int64_t position = 0; position < axis.in; ++position) {
                const int64_t moved = convolves ? position : o;  // moves by the stride
                const int64_t fixed = convolves ? o : position;
                if (moved * axis.stride + tap * axis.dilation == fixed + axis.begin)
                    meetings[size_t(o)].push_back({tap, position});
            }
    return meetings;
}

int64_t flat(const std::vector<int64_t>& index, const std::vector<int64_t>& dims)
{
    int64_t result = 0;
    for (size_t i = 0; i < dims.size(); ++i)
        result = result * dims[i] + index[i];
    return result;
}

// Steps to the next index in row-major order. Returns false behind the last one.
bool advance(std::vector<int64_t>& index, const std::vector<int64_t>& dims)
{
    for (size_t i = dims.size(); i-- > 0;) {
        if (++index[i] < dims[i])
            return true;
        index[i] = 0;
    }
    return false;
}

int64_t volume(const std::vector<int64_t>& dims)
{
    int64_t product = 1;
    for (const int64_t dim : dims)
        product *= dim;
    return product;
}

// Returns `middle` between two extents.
std::vector<int64_t> dims_of(int64_t first, const std::vector<int64_t>& middle, int64_t last)
{
    std::vector<int64_t> dims = {first};
    dims.insert(dims.end(), middle.begin(), middle.end());
    dims.push_back(last);
    return dims;
}

std::vector<int64_t> extents(const std::vector<Axis>& axes, int64_t Axis::*extent)
{
    std::vector<int64_t> result;
    for (const Axis& axis : axes)
        result.push_back(axis.*extent);
    return result;
}

void add_axes(Definition& definition, const std::vector<Meetings>& meetings)
{
    for (const Meetings& of_axis : meetings) {
        definition.taps.emplace_back();
        for (const std::vector<Meeting>& met : of_axis) {
            definition.taps.back().emplace_back();
            for (const Meeting& meeting : met)
                definition.taps.back().back().push_back(meeting.tap);
        }
    }
}

// Calls visit(taps, input positions) for every combination of meetings, the last axis fastest.
template <class Visit>
void each_combination(const std::vector<Meetings>& meetings, const std::vector<int64_t>& output, const Visit& visit)
{
    std::vector<int64_t> counts;
    for (size_t a = 0; a < meetings.size(); ++a)
        counts.push_back(int64_t(meetings[a][size_t(output[a])].size()));
    if (volume(counts) == 0)
        return;
    std::vector<int64_t> digits(counts.size(), 0);
    do {
        std::vector<int64_t> taps;
        std::vector<int64_t> positions;
        for (size_t a = 0; a < meetings.size(); ++a) {
            const Meeting& meeting = meetings[a][size_t(output[a])][size_t(digits[a])];
            taps.push_back(meeting.tap);
            positions.push_back(meeting.position);
        }
        visit(taps, positions);
    } while (advance(digits, counts));
}

Addend term_of(int64_t x, int64_t w, int64_t channel, const std::vector<int64_t>& taps)
{
    Addend term = {x, w, channel, {}};
    std::copy(taps.begin(), taps.end(), term.tap.begin());
    return term;
}

}  // namespace

Definition define(const ops::ConvTransposeGeometry& g)
{
    const bool last = g.layout == Layout::nxc;
    const int64_t columns = g.channels_out / g.group;
    const int64_t per_group = g.channels_in / g.group;
    const std::vector<int64_t> in = extents(g.axes, &Axis::in);
    const std::vector<int64_t> out = extents(g.axes, &Axis::out);
    const std::vector<int64_t> kernel = extents(g.axes, &Axis::kernel);
    std::vector<Meetings> meetings;
    for (const Axis& axis : g.axes)
        meetings.push_back(meetings_of(axis, true));

    const auto x_at = [&](int64_t n, int64_t c, const std::vector<int64_t>& position) {
        return last ? (n * volume(in) + flat(position, in)) * g.channels_in + c
                    : (n * g.channels_in + c) * volume(in) + flat(position, in);
    };
    const auto w_at = [&](int64_t c, int64_t column, const std::vector<int64_t>& tap) {
        switch (g.filter) {
        case onednn::FilterFormat::xio:
            return (flat(tap, kernel) * g.channels_in + c) * columns + column;
        case onednn::FilterFormat::oix:
            return (column * g.channels_in + c) * volume(kernel) + flat(tap, kernel);
        case onednn::FilterFormat::iox:
            break;
        }
        return (c * columns + column) * volume(kernel) + flat(tap, kernel);
    };

    Definition definition;
    definition.dtype = g.dtype;
    definition.convolves = true;
    const int64_t w_elements = g.channels_in * columns * volume(kernel);
    const int64_t outputs = g.batch * g.channels_out * volume(out);
    definition.elements = {g.batch * g.channels_in * volume(in), w_elements, g.bias ? g.channels_out : w_elements, outputs};
    definition.tensors = g.bias ? std::vector<uint8_t>{0, 1, 2, 3} : std::vector<uint8_t>{0, 1, 1, 2};
    add_axes(definition, meetings);

    std::vector<int64_t> y_dims = out;
    y_dims.insert(last ? y_dims.end() : y_dims.begin(), g.channels_out);
    y_dims.insert(y_dims.begin(), g.batch);
    std::vector<int64_t> index(y_dims.size(), 0);
    do {
        const auto first = index.begin() + (last ? 1 : 2);
        const std::vector<int64_t> position(first, first + ptrdiff_t(g.axes.size()));
        const int64_t m = last ? index.back() : index[1];
        std::vector<Addend> terms;
        for (int64_t c = 0; c < per_group; ++c)
            each_combination(meetings, position, [&](const std::vector<int64_t>& taps, const std::vector<int64_t>& from) {
                const int64_t channel = m / columns * per_group + c;
                terms.push_back(term_of(x_at(index[0], channel, from), w_at(channel, m % columns, taps), c, taps));
            });
        definition.terms.push_back(std::move(terms));
        definition.positions.push_back(position);
        if (g.bias)
            definition.bias.push_back(m);
    } while (advance(index, y_dims));
    return definition;
}

Definition define(const PoolProblem& problem, DType dtype)
{
    std::vector<Meetings> meetings;
    for (const Axis& axis : problem.axes)
        meetings.push_back(meetings_of(axis, false));
    const std::vector<int64_t> x_dims = dims_of(problem.outer, extents(problem.axes, &Axis::in), problem.inner);
    const std::vector<int64_t> y_dims = dims_of(problem.outer, extents(problem.axes, &Axis::out), problem.inner);

    Definition definition;
    definition.dtype = dtype;
    definition.elements = {volume(x_dims), volume(y_dims)};
    definition.tensors = {0, 1};
    add_axes(definition, meetings);
    std::vector<int64_t> index(y_dims.size(), 0);
    do {
        const std::vector<int64_t> position(index.begin() + 1, index.end() - 1);
        std::vector<Addend> terms;
        each_combination(meetings, position, [&](const std::vector<int64_t>& taps, const std::vector<int64_t>& from) {
            terms.push_back(term_of(flat(dims_of(index.front(), from, index.back()), x_dims), 0, 0, taps));
        });
        definition.terms.push_back(std::move(terms));
        definition.positions.push_back(position);
    } while (advance(index, y_dims));
    return definition;
}

namespace {

// A cell is what a place in memory holds of an output.
struct Cell {
    int64_t output = -1;
    size_t terms = 0;
    bool finished = false;
};

class Replay {
public:
    Replay(const Definition& definition, const Plan& plan, const Capabilities& capabilities, const PrepareOptions& options)
        : definition_(definition), plan_(plan), capabilities_(capabilities), options_(options),
          compute_type_(*compute_type_of("", definition.dtype, capabilities)), unit_(is_half(compute_type_) ? 2 : 1),
          width_(bits(definition.dtype) / 8), y_(definition.terms.size()), scratch_(plan.scratch_bytes / 4),
          started_(definition.terms.size(), false)
    {
    }

    std::string run()
    {
        if (const Status status = plan::check(plan_, capabilities_); !status)
            return std::string(status.message());
        check(plan_.scratch_bytes % 4 == 0 && plan_.scratch_bytes <= capabilities_.max_storage_buffer_range, "scratch_bytes");
        check(plan_.max_submit_seconds == options_.max_dispatch_seconds, "max_submit_seconds");
        for (step_ = 0; step_ < plan_.steps.size() && wrong_.empty(); ++step_)
            run_step(plan_.steps[step_]);
        for (int64_t o = 0; o < definition_.outputs() && wrong_.empty(); ++o)
            check(y_[size_t(o)].output == o && y_[size_t(o)].finished, "output ", o, " isn't finished");
        return wrong_;
    }

private:
    template <class... Words>
    void check(bool right, const Words&... words)
    {
        if (right || !wrong_.empty())
            return;
        std::ostringstream text;
        text << "step " << step_ << " of " << plan_.steps.size() << ": ";
        (text << ... << words);
        wrong_ = text.str();
    }

    void run_step(const Step& step)
    {
        check(step.push.size() == sizeof(push::GatherPart), "its push constants have ", step.push.size(), " bytes");
        check(step.operands.size() == definition_.tensors.size(), "it binds ", step.operands.size(), " buffers");
        check(pipeline_of(plan_, step).uses_uniform, "it does not bind the uniform block");
        if (!wrong_.empty())
            return;
        part_ = part_of(step);
        general_ = kernel_name(pipeline_of(plan_, step).kernel).find("_nd_") != std::string_view::npos;
        check_groups(step);
        check_operands(step);
        const int64_t first = part_.first_output;
        const int64_t end = first + part_.output_count;
        check(part_.output_count > 0 && end <= definition_.outputs(), "it has outputs ", first, " to ", end);
        check(definition_.convolves || general_ || (part_.starts && part_.finishes), "average_pool_direct knows one part only");
        check(first % unit_ == 0 || writes_scratch(), "it begins amid a word, at output ", first);

        work_ = 0;
        int64_t longest = 0;
        for (int64_t o = first; o < end && wrong_.empty(); o += unit_) {
            int64_t iterations = unit_ == 1 ? 0 : 1;
            for (int64_t output = o; output < std::min(o + unit_, end) && wrong_.empty(); ++output) {
                const int64_t before = work_;
                add(step, output);
                longest = std::max(longest, work_ - before);
                iterations += iterations_of(output) + (unit_ == 1 ? 0 : 1);
            }
            if (unit_ == 2 && part_.finishes)
                write_word(step, o, std::min(o + unit_, end));
            check(iterations <= capabilities_.max_loop_iterations, "output ", o, " takes ", iterations, " iterations");
        }
        check_time(step, longest);
    }

    void check_groups(const Step& step)
    {
        int64_t invocations = constant_of(pipeline_of(plan_, step), "workgroup_size");
        for (size_t d = 0; d < 3; ++d) {
            check(step.groups[d] >= 1 && step.groups[d] <= capabilities_.max_group_count[d], "groups[", d,
                  "] = ", step.groups[d]);
            invocations *= step.groups[d];
        }
        check(invocations * unit_ >= part_.output_count, "groups don't cover its outputs");
    }

    // Sums of halves are written to scratch memory where other parts go on from them.
    bool writes_scratch() const { return unit_ == 2 && !part_.finishes; }
    bool reads_scratch() const { return unit_ == 2 && part_.finishes && !part_.starts; }

    void check_operands(const Step& step)
    {
        const uint32_t bases[] = {part_.x_base, part_.w_base, part_.b_base};
        const size_t last = step.operands.size() - 1;
        for (size_t i = 0; i <= last; ++i) {
            const Operand& operand = step.operands[i];
            const uint64_t base = i == last ? part_.y_base : bases[i];
            const bool in_scratch = (i == 0 && reads_scratch()) || (i == last && writes_scratch());
            check(operand.place == (in_scratch ? Place::scratch : Place::tensor), "operand ", i, " is in the wrong place");
            check(in_scratch || operand.tensor == definition_.tensors[i], "operand ", i, " is tensor ", +operand.tensor);
            check(operand.access == (i != last                         ? Access::read
                                     : part_.starts || reads_scratch() ? Access::write
                                                                       : Access::read_write),
                  "operand ", i, " is accessed in another way than declared");
            if (in_scratch) {
                check(operand.offset == 0 && operand.bytes == 0, "scratch memory is bound in part");
                continue;
            }
            const uint64_t size = (uint64_t(definition_.elements[i]) * width_ + 3) / 4 * 4;
            const uint64_t bytes = operand.bytes == 0 ? size - operand.offset : operand.bytes;
            check(operand.offset == 0 || operand.offset < size, "operand ", i, " begins behind its tensor");
            check(operand.offset % capabilities_.storage_buffer_alignment == 0 && operand.offset % 4 == 0, "operand ", i,
                  " has offset ", operand.offset);
            check(bytes <= capabilities_.max_storage_buffer_range, "operand ", i, " has ", bytes, " bytes");
            check(bytes <= size - operand.offset, "operand ", i, " ends behind its tensor");
            check(base * width_ == operand.offset, "operand ", i, " has base ", base, " at offset ", operand.offset);
        }
    }

    // Checks that the bound part of operand `i` holds the element. Halves come by words.
    void check_bound(const Step& step, size_t i, int64_t element)
    {
        const Operand& operand = step.operands[i];
        const uint64_t at = uint64_t(element) * width_;
        check(element >= 0 && element < definition_.elements[i], "operand ", i, " has no element ", element);
        check(at >= operand.offset &&
                  (operand.bytes == 0 || at / 4 * 4 + std::max<uint64_t>(width_, 4) <= operand.offset + operand.bytes),
              "operand ", i, " is bound without element ", element);
    }

    Cell& scratch_cell(int64_t output, uint32_t base)
    {
        const int64_t place = output - base;
        const bool inside = place >= 0 && place < int64_t(scratch_.size());
        check(inside, "output ", output, " is beyond scratch memory, which begins with output ", base);
        return inside ? scratch_[size_t(place)] : nowhere_;
    }

    bool adds(const Addend& term) const
    {
        if (definition_.convolves &&
            (term.channel < part_.first_channel || term.channel >= part_.first_channel + part_.channel_count))
            return false;
        for (size_t a = 0; general_ && a < definition_.rank(); ++a) {
            const size_t place = MAX_AXES - definition_.rank() + a;
            if (term.tap[a] < part_.tap_begin[place] || term.tap[a] >= part_.tap_end[place])
                return false;
        }
        return true;
    }

    void add(const Step& step, int64_t output)
    {
        const std::vector<Addend>& terms = definition_.terms[size_t(output)];
        Cell sum = {output, 0, false};
        if (part_.starts) {
            check(!started_[size_t(output)], "output ", output, " is started again");
            started_[size_t(output)] = true;
        } else {
            sum = reads_scratch()    ? scratch_cell(output, part_.x_base)
                  : writes_scratch() ? scratch_cell(output, part_.y_base)
                                     : y_[size_t(output)];
            check(sum.output == output && !sum.finished, "output ", output, " goes on from a sum of ", sum.output);
        }
        for (size_t i = 0; i < terms.size(); ++i) {
            if (!adds(terms[i]))
                continue;
            check(i == sum.terms, "output ", output, " adds term ", i, " when it has ", sum.terms);
            ++sum.terms;
            ++work_;
            check_bound(step, 0, terms[i].x);
            if (definition_.convolves)
                check_bound(step, 1, terms[i].w);
        }
        if (part_.finishes) {
            check(sum.terms == terms.size(), "output ", output, " is finished with ", sum.terms, " of ", terms.size(), " terms");
            if (!definition_.bias.empty())
                check_bound(step, 2, definition_.bias[size_t(output)]);
            sum.finished = true;
        }
        if (writes_scratch()) {
            scratch_cell(output, part_.y_base) = sum;
        } else {
            check(!y_[size_t(output)].finished, "output ", output, " is written again");
            check_bound(step, step.operands.size() - 1, output);
            y_[size_t(output)] = sum;
        }
    }

    // Checks a finished word of the halves [first, end). Its other half must belong to no output.
    void write_word(const Step& step, int64_t first, int64_t end)
    {
        check(end - first == 2 || end == definition_.outputs(), "half a word is written at output ", first);
        check((first - part_.y_base) % 2 == 0, "words of Y are bound amid a word");
        check_bound(step, step.operands.size() - 1, first);
    }

    // Returns how often the shader loops, with the check that ends a loop. Loops whose count is known when a pipeline is made,
    // such as those over axes, are not counted, because compilers unroll them.
    int64_t iterations_of(int64_t output) const
    {
        std::vector<int64_t> counts;
        for (size_t a = 0; a < definition_.rank(); ++a) {
            const size_t place = MAX_AXES - definition_.rank() + a;
            const std::vector<int64_t>& taps = definition_.taps[a][size_t(definition_.positions[size_t(output)][a])];
            counts.push_back(std::count_if(taps.begin(), taps.end(), [&](int64_t tap) {
                return !general_ || (tap >= part_.tap_begin[place] && tap < part_.tap_end[place]);
            }));
        }
        int64_t taps = 0;
        if (general_) {
            const int64_t row = counts.back();
            counts.pop_back();
            if (row == 0)
                return 0;
            taps = 1 + volume(counts) * (1 + (1 + row));
        } else {
            for (size_t a = counts.size(); a-- > 0;)
                taps = 1 + counts[a] * (1 + taps);
        }
        return definition_.convolves ? 1 + part_.channel_count * (1 + taps) : taps;
    }

    // `longest` is the number of terms that one output got.
    void check_time(const Step& step, int64_t longest)
    {
        const double work = double(work_) * cost_of(compute_type_);
        check(work <= step.seconds * capabilities_.work_per_second * (1 + 1e-9), "it does more than its estimate says");
        const bool smallest = part_.output_count <= unit_ && longest <= 1;
        check(smallest || work_ <= work_limit(compute_type_, capabilities_, options_), "it does ", work_, " multiply-adds");
        check(smallest || step.seconds <= options_.max_dispatch_seconds * (1 + 1e-9), "it takes ", step.seconds, " s");
    }

    const Definition& definition_;
    const Plan& plan_;
    const Capabilities& capabilities_;
    const PrepareOptions& options_;
    const ComputeType compute_type_;
    const int64_t unit_;  // outputs of an invocation
    const uint64_t width_;
    std::vector<Cell> y_;
    std::vector<Cell> scratch_;
    Cell nowhere_;
    std::vector<bool> started_;
    size_t step_ = 0;
    push::GatherPart part_ = {};
    bool general_ = false;  // an nd kernel
    int64_t work_ = 0;
    std::string wrong_;
};

}  // namespace

push::GatherPart part_of(const Step& step)
{
    push::GatherPart part = {};
    std::memcpy(&part, step.push.data(), std::min(step.push.size(), sizeof(part)));
    return part;
}

std::string replay(const Definition& definition, const Plan& plan, const Capabilities& capabilities,
                   const PrepareOptions& options)
{
    return Replay(definition, plan, capabilities, options).run();
}

}  // namespace vkonnx::plan
