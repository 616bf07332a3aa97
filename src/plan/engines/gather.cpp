// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/gather.h"

#include <algorithm>
#include <cmath>

#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "return_if_error.h"

namespace vkonnx::plan {
namespace {

class Planner {
public:
    Planner(const Gather& problem, const Capabilities& capabilities, const PrepareOptions& options)
        : problem_(problem), capabilities_(capabilities), options_(options),
          unit_(std::max(problem.outputs_at_once, elements_per_word(problem.compute_type))),
          work_limit_(work_limit(problem.compute_type, capabilities, options)),
          invocation_limit_(
              std::clamp<int64_t>(work_limit_ - unit_ * output_work, 1, invocation_limit(problem.compute_type, options)))
    {
    }

    Result<Plan> run()
    {
        plan_.max_submit_seconds = options_.max_dispatch_seconds;
        VKONNX_RETURN_IF_ERROR(cut_sum());
        const int64_t length = slice_length();
        if (length < std::min(unit_, problem_.outputs))
            return Status(Code::unsupported, std::string(problem_.op) + ": the device's max_storage_buffer_range = " +
                                                 std::to_string(capabilities_.max_storage_buffer_range) +
                                                 " is too small for any part of its tensors");
        const int64_t slices = divide_up(problem_.outputs, length);
        VKONNX_RETURN_IF_ERROR(check_dispatches(problem_.op, {slices, int64_t(sum_.size())}));
        for (int64_t first = 0; first < problem_.outputs; first += length)
            VKONNX_RETURN_IF_ERROR(add_slice({first, std::min(length, problem_.outputs - first)}));
        plan_.inputs = problem_.output_operand;
        plan_.tensor_bytes.resize(plan_.inputs + 1);
        for (const InputTensor& input : problem_.inputs)
            plan_.tensor_bytes[input.operand] = bytes_up_to(input.elements, width_of(input));
        plan_.tensor_bytes.back() = bytes_up_to(problem_.outputs, problem_.element_bytes);
        plan_.pipelines = {{.kernel = problem_.kernel,
                            .specialization = problem_.specialization,
                            .views = std::vector<View>(bound_inputs() + problem_.reads_table + 1, View::storage),
                            .uses_uniform = problem_.uses_uniform,
                            .push_bytes = uint32_t(sizeof(push::GatherPart) + problem_.push.size())}};
        // Steps are made only when all parts are known and their memory can be reserved: it is most of what planning takes.
        plan_.steps.reserve(parts_.size());
        for (const Part& part : parts_)
            plan_.steps.push_back(step_of(part));
        return std::move(plan_);
    }

private:
    // Finds the parts that every output needs, as loop iterations and time allow.
    Status cut_sum()
    {
        const int64_t taps = std::max<int64_t>(1, taps_of(problem_.taps, whole_window(problem_.taps)));
        const bool in_time = unit_ * taps <= invocation_limit_;
        if (!problem_.takes_boxes && taps > 1 && !in_time)
            return Status(Code::unsupported, std::string(problem_.op) + ": kernel " + std::string(kernel_name(problem_.kernel)) +
                                                 " would take longer over " + std::to_string(unit_ * taps) +
                                                 " taps than PrepareOptions::max_dispatch_seconds");
        std::vector<TapBox> boxes = {whole_window(problem_.taps)};
        if (problem_.takes_boxes)
            boxes = split_taps(problem_.taps, box_iterations(problem_.compute_type, capabilities_),
                               in_time ? INT64_MAX : std::max<int64_t>(1, invocation_limit_ / unit_));
        if (boxes.empty())
            return too_many_dispatches(problem_.op);
        int64_t channels_at_once = 1;
        if (boxes.size() == 1 && in_time)
            channels_at_once = std::min(problem_.channels_at_once, std::max<int64_t>(1, invocation_limit_ / (unit_ * taps)));
        const int64_t sweeps = divide_up(std::max<int64_t>(problem_.channels, 1), channels_at_once);
        VKONNX_RETURN_IF_ERROR(check_dispatches(problem_.op, {sweeps, int64_t(boxes.size())}));
        for (int64_t first = 0; first < std::max<int64_t>(problem_.channels, 1); first += channels_at_once)
            for (const TapBox& box : boxes)
                sum_.push_back({{}, {first, std::min(channels_at_once, problem_.channels - first)}, box, false, false});
        sum_.front().starts = true;
        sum_.back().finishes = true;
        return {};
    }

    // Returns how many outputs one dispatch may have, by the grid, the windows of output and scratch memory, and time.
    int64_t slice_length() const
    {
        const int64_t group = workgroup_size(capabilities_);
        const auto& most = capabilities_.max_group_count;
        const int64_t grid = std::min(index_limit, saturated_product({most[0], most[1], most[2], group * unit_}));
        const uint32_t width = is_half(problem_.compute_type) ? GATHER_SCRATCH_BYTES : problem_.element_bytes;
        const uint64_t range = capabilities_.max_storage_buffer_range;
        const bool whole = bytes_up_to(problem_.outputs, width) <= range;
        const uint64_t slack = whole ? 0 : capabilities_.storage_buffer_alignment + 4u;
        const int64_t window = range <= slack ? 0 : int64_t((range - slack) / width);
        int64_t terms = 0;
        for (const Part& part : sum_)
            terms = std::max(terms, part.channels.count * taps_of(problem_.taps, part.box));
        int64_t length = std::min({grid, window, std::max<int64_t>(unit_, work_limit_ / (terms + output_work))});
        for (const int64_t multiple : {unit_ * group, unit_})
            if (length >= multiple && length < problem_.outputs)
                return length - length % multiple;
        return std::min(length, problem_.outputs);
    }

    Status add_slice(const Range& outputs)
    {
        const size_t before = parts_.size();
        for (Part part : sum_) {
            part.outputs = outputs;
            VKONNX_RETURN_IF_ERROR(add_part(part, excess(part)));
        }
        // Unfinished sums of halves are floats in scratch memory, and become halves when all terms are in.
        const std::span<Part> parts = std::span(parts_).subspan(before);
        const bool through_scratch =
            is_half(problem_.compute_type) &&
            std::any_of(parts.begin(), parts.end(), [](const Part& part) { return !(part.starts && part.finishes); });
        if (!through_scratch)
            return {};
        for (Part& part : parts) {
            part.finishes = false;
            part.scratch_base = outputs.first;
        }
        plan_.scratch_bytes = std::max(plan_.scratch_bytes, uint64_t(outputs.count * GATHER_SCRATCH_BYTES));
        const Part finish = {outputs, {}, TapBox{.end = {0, 0, 0, 0, 0, 0}}, false, true, outputs.first};
        return add_part(finish, excess(finish));
    }

    size_t bound_inputs() const { return problem_.inputs_are_channels ? max_bound_inputs : problem_.inputs.size(); }

    // Returns the inputs that the part binds.
    std::span<const InputTensor> inputs_of(const Part& part) const
    {
        const std::span<const InputTensor> all = problem_.inputs;
        return problem_.inputs_are_channels ? all.subspan(size_t(part.channels.first), size_t(part.channels.count)) : all;
    }

    // Returns what the part reads of an input, at the most, as a multiple of what can be bound: 1 is just right.
    double excess(const Part& part) const
    {
        const std::span<const InputTensor> inputs = inputs_of(part);
        if (std::ranges::all_of(inputs, [&](const InputTensor& input) { return whole(input.elements, width_of(input)); }))
            return 0;
        const Reads reads = problem_.reads(part);
        double most = 0;
        for (size_t i = 0; i < inputs.size(); ++i) {
            const uint32_t width = width_of(inputs[i]);
            if (whole(inputs[i].elements, width))
                continue;
            const double bytes = double(reads[i].count) * width + capabilities_.storage_buffer_alignment + 4;
            most = std::max(most, bytes / double(capabilities_.max_storage_buffer_range));
        }
        return most;
    }

    // Returns the bytes up to an element, in whole words, because buffers end with a whole word.
    static uint64_t bytes_up_to(int64_t element, uint32_t width) { return (uint64_t(element) * width + 3) / 4 * 4; }

    bool whole(int64_t elements, uint32_t width) const
    {
        return bytes_up_to(elements, width) <= capabilities_.max_storage_buffer_range;
    }

    uint32_t width_of(const InputTensor& input) const
    {
        return input.element_bytes ? input.element_bytes : problem_.element_bytes;
    }

    // Adds a part, and cuts it until what it reads can be bound. `now` is its excess().
    Status add_part(const Part& part, double now)
    {
        if (int64_t(parts_.size()) >= max_dispatches)
            return too_many_dispatches(problem_.op);
        if (now <= 1) {
            parts_.push_back(part);
            return {};
        }
        Part a = part;
        Part b = part;
        const bool outputs_can = halve_outputs(a, b);
        const double a_excess = outputs_can ? excess(a) : 0;
        const double b_excess = outputs_can ? excess(b) : 0;
        if (outputs_can && std::max(a_excess, b_excess) <= 0.75 * now)
            return add_both(a, a_excess, b, b_excess);
        Part c = part;
        Part d = part;
        if (halve_sum(c, d)) {
            c.finishes = false;
            d.starts = false;
            return add_both(c, excess(c), d, excess(d));
        }
        if (outputs_can)
            return add_both(a, a_excess, b, b_excess);
        return Status(Code::unsupported, std::string(problem_.op) + ": the device's max_storage_buffer_range = " +
                                             std::to_string(capabilities_.max_storage_buffer_range) +
                                             " is too small for what kernel " + std::string(kernel_name(problem_.kernel)) +
                                             " reads for a single output");
    }

    Status add_both(const Part& a, double a_excess, const Part& b, double b_excess)
    {
        VKONNX_RETURN_IF_ERROR(add_part(a, a_excess));
        return add_part(b, b_excess);
    }

    // Cuts the outputs in two. Two halves that share a word come apart only in scratch memory, where each is a float of its own:
    // one step must write the whole word.
    bool halve_outputs(Part& a, Part& b) const
    {
        const int64_t count = a.outputs.count;
        const int64_t half = std::max(count / 2 / unit_ * unit_, std::min(unit_, count - 1));
        const bool parts_word = half < unit_;
        if (half == 0 || (parts_word && (!is_half(problem_.compute_type) || !problem_.goes_on || a.adds_nothing())))
            return false;
        b.outputs = {a.outputs.first + half, count - half};
        a.outputs.count = half;
        if (parts_word)
            a.finishes = b.finishes = false;
        return true;
    }

    // Cuts the sum in two, in the order of its terms: by channels first, and by taps only within one channel.
    bool halve_sum(Part& a, Part& b) const
    {
        if (!problem_.goes_on)
            return false;
        if (a.channels.count > 1) {
            const int64_t half = a.channels.count / 2;
            b.channels = {a.channels.first + half, a.channels.count - half};
            a.channels.count = half;
            return true;
        }
        for (size_t axis = 0; problem_.takes_boxes && axis < problem_.taps.size(); ++axis) {
            const uint32_t begin = a.box.begin[axis];
            const uint32_t taps = a.box.end[axis] - begin;
            if (taps > 1) {
                a.box.end[axis] = b.box.begin[axis] = begin + taps / 2;
                return true;
            }
        }
        return false;
    }

    struct Window {
        Operand operand;
        int64_t base = 0;  // the first element of the window
    };

    Window window_of(uint8_t tensor, int64_t elements, uint32_t width, const Range& used) const
    {
        if (whole(elements, width))
            return {{.tensor = tensor}, 0};
        const uint64_t alignment = std::max<uint64_t>({capabilities_.storage_buffer_alignment, uint64_t(width), 4});
        const uint64_t offset = uint64_t(used.first) * width / alignment * alignment;
        const uint64_t end = bytes_up_to(std::max(used.end(), used.first + 1), width);
        return {{.tensor = tensor, .offset = offset, .bytes = end - offset}, int64_t(offset / width)};
    }

    Step step_of(const Part& part) const
    {
        const Reads reads = problem_.reads(part);
        const std::span<const InputTensor> inputs = inputs_of(part);
        std::vector<Window> windows(bound_inputs() + 1);
        for (size_t i = 0; i < inputs.size(); ++i)
            windows[i] = window_of(inputs[i].operand, inputs[i].elements, width_of(inputs[i]), reads[i]);
        windows.back() = window_of(problem_.output_operand, problem_.outputs, problem_.element_bytes, part.outputs);
        if (part.scratch_base >= 0)
            (part.finishes ? windows.front() : windows.back()) = {{.place = Place::scratch}, part.scratch_base};
        // Bindings of inputs that are not read still need a buffer: the first input stands in.
        for (size_t i = std::max<size_t>(1, inputs.size()); i + 1 < windows.size(); ++i)
            windows[i] = windows.front();
        const bool from_output = !part.starts && !(part.finishes && part.scratch_base >= 0);
        windows.back().operand.access = from_output ? Access::read_write : Access::write;

        push::GatherPart push = {};
        push.first_output = uint32_t(part.outputs.first);
        push.output_count = uint32_t(part.outputs.count);
        push.first_channel = uint32_t(problem_.first_channel + part.channels.first);
        push.channel_count = uint32_t(part.channels.count);
        uint32_t* const bases[] = {&push.x_base, &push.w_base, &push.b_base, &push.p_base};
        for (size_t i = 0; i + 1 < windows.size(); ++i)
            *bases[i] = uint32_t(windows[i].base);
        push.y_base = uint32_t(windows.back().base);
        push.starts = part.starts;
        push.finishes = part.finishes;
        const size_t missing = MAX_AXES - problem_.taps.size();  // axes that the rank lacks stand in front
        for (size_t a = 0; a < MAX_AXES; ++a) {
            push.tap_begin[a] = a < missing ? 0 : part.box.begin[a - missing];
            push.tap_end[a] = a < missing ? 1 : part.box.end[a - missing];
        }

        Step step;
        step.operands.reserve(windows.size() + 1);
        for (const Window& window : windows)
            step.operands.push_back(window.operand);
        if (problem_.reads_table)
            step.operands.insert(step.operands.end() - 1, Operand{.place = Place::table});
        step.push = bytes_of(push);
        step.push.insert(step.push.end(), problem_.push.begin(), problem_.push.end());
        step.groups = groups_of(divide_up(part.outputs.count, unit_), capabilities_);
        const double terms = double(part.channels.count * taps_of(problem_.taps, part.box) + output_work);
        step.seconds = terms * cost_of(problem_.compute_type) *
                       std::max(double(part.outputs.count) / capabilities_.work_per_second,
                                double(std::min(unit_, part.outputs.count)) / invocation_work_per_second);
        return step;
    }

    const Gather& problem_;
    const Capabilities& capabilities_;
    const PrepareOptions& options_;
    const int64_t unit_;              // outputs of an invocation
    const int64_t work_limit_;        // multiply-adds of a dispatch
    const int64_t invocation_limit_;  // multiply-adds of the sums in one of its invocations
    std::vector<Part> sum_;           // the parts that add up to an output, the same for every slice
    std::vector<Part> parts_;         // the parts of all slices, one dispatch each
    Plan plan_;
};

}  // namespace

Bounds bounds_of(const Range& flat, std::span<const int64_t> dims)
{
    Bounds bounds = {};
    visit_bounds(flat, dims, [&](size_t i, const Range& coordinates) { bounds[i] = coordinates; });
    return bounds;
}

int64_t loop_limit(int64_t outputs, const Capabilities& capabilities)
{
    const int64_t limit = capabilities.max_loop_iterations;
    return outputs == 1 ? limit : (limit - outputs - 1) / outputs;  // a loop goes over the outputs
}

int64_t loop_limit(ComputeType compute_type, const Capabilities& capabilities)
{
    return loop_limit(elements_per_word(compute_type), capabilities);
}

int64_t work_limit(ComputeType compute_type, const Capabilities& capabilities, const PrepareOptions& options)
{
    const double work = capabilities.work_per_second * options.max_dispatch_seconds / cost_of(compute_type);
    return int64_t(std::clamp(work, 1.0, 0x1p62));
}

int64_t invocation_limit(ComputeType compute_type, const PrepareOptions& options)
{
    return int64_t(std::clamp(invocation_work_per_second * options.max_dispatch_seconds / cost_of(compute_type), 1.0, 0x1p62));
}

int64_t box_iterations(ComputeType compute_type, const Capabilities& capabilities)
{
    return loop_limit(compute_type, capabilities) - GATHER_ND_ITERATIONS - 2;
}

std::string unfit_for_boxes(std::span<const TapAxis> taps, ComputeType compute_type, const Capabilities& capabilities)
{
    if (can_split_taps(taps, box_iterations(compute_type, capabilities)))
        return "";
    return "the device's " + std::to_string(capabilities.max_loop_iterations) + " loop iterations are too few for its window";
}

Result<Plan> plan_gather(const Gather& problem, const Capabilities& capabilities, const PrepareOptions& options)
{
    return Planner(problem, capabilities, options).run();
}

}  // namespace vkonnx::plan
