#include "plan/passes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace vkonnx::plan {
namespace {

constexpr int64_t saturated = std::numeric_limits<int64_t>::max();

int64_t multiply(int64_t a, int64_t b)
{
    return b != 0 && a > saturated / b ? saturated : a * b;
}

// The axis when only `taps` of the taps that an output meets are visited.
TapAxis narrowed(const TapAxis& axis, int64_t taps)
{
    return {std::min(axis.kernel, multiply(taps, axis.step)), axis.step, std::min(axis.most, taps)};
}

}  // namespace

int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

uint32_t workgroup_size(const Capabilities& capabilities)
{
    return std::max(1u, std::min({64u, capabilities.max_invocations, capabilities.max_workgroup_size[0]}));
}

int64_t saturated_sum(int64_t a, int64_t b)
{
    return a > saturated - b ? saturated : a + b;
}

int64_t saturated_product(std::initializer_list<int64_t> factors)
{
    int64_t product = 1;
    for (const int64_t factor : factors)
        product = multiply(product, factor);
    return product;
}

std::array<uint32_t, 3> groups_of(int64_t invocations, const Capabilities& capabilities)
{
    const auto& most = capabilities.max_group_count;
    const int64_t groups = divide_up(invocations, workgroup_size(capabilities));
    const int64_t x = std::min<int64_t>(groups, most[0]);
    const int64_t y = std::min<int64_t>(divide_up(groups, x), most[1]);
    const int64_t z = std::min<int64_t>(divide_up(groups, x * y), most[2]);
    return {uint32_t(x), uint32_t(y), uint32_t(z)};
}

TapBox whole_window(std::span<const TapAxis> axes)
{
    TapBox box;
    for (size_t a = 0; a < axes.size(); ++a)
        box.end[a] = uint32_t(axes[a].kernel);
    return box;
}

int64_t nested_iterations(std::span<const TapAxis> axes)
{
    int64_t inner = 0;
    for (size_t a = axes.size(); a-- > 0;)
        inner = saturated_sum(1, multiply(axes[a].most, saturated_sum(1, inner)));
    return inner;
}

int64_t row_iterations(std::span<const TapAxis> axes)
{
    int64_t rows = 1;
    for (const TapAxis& axis : axes.first(axes.size() - 1))
        rows = multiply(rows, axis.most);
    return saturated_sum(1, multiply(rows, saturated_sum(int64_t(axes.size()) + 1, axes.back().most)));
}

std::vector<TapBox> split_taps(std::span<const TapAxis> axes, int64_t budget, int64_t most_taps)
{
    // Single taps on the axes before `cut`, `taps` taps on that axis, the axes behind it whole: with the fewest single axes
    // that fit, boxes in row-major order visit the taps in the order of the sum.
    std::vector<TapAxis> box(axes.begin(), axes.end());
    auto fits = [&](size_t cut, int64_t taps) {
        box[cut] = narrowed(axes[cut], taps);
        int64_t visited = 1;
        for (const TapAxis& axis : box)
            visited = multiply(visited, axis.most);
        return row_iterations(box) <= budget && visited <= most_taps;
    };
    size_t cut = 0;
    while (!fits(cut, 1)) {
        if (++cut == axes.size())
            return {};
    }
    int64_t taps = 1;
    for (int64_t step = int64_t(1) << 31; step > 0; step /= 2)
        if (taps + step <= axes[cut].most && fits(cut, taps + step))
            taps += step;

    std::vector<int64_t> lengths(axes.size());
    int64_t boxes = 1;
    for (size_t a = 0; a < axes.size(); ++a) {
        int64_t visited = a < cut ? 1 : a == cut ? taps : axes[a].most;
        // an axis whose outputs all get along with the visited taps needs no cut, however long its kernel
        lengths[a] = visited >= axes[a].most ? axes[a].kernel : std::min(axes[a].kernel, multiply(visited, axes[a].step));
        boxes = multiply(boxes, divide_up(axes[a].kernel, lengths[a]));
    }
    if (boxes > max_dispatches)
        return {};

    std::vector<TapBox> result(size_t(boxes), TapBox{});
    for (int64_t i = 0; i < boxes; ++i) {
        int64_t digits = i;
        for (size_t a = axes.size(); a-- > 0;) {
            int64_t count = divide_up(axes[a].kernel, lengths[a]);
            int64_t begin = digits % count * lengths[a];
            digits /= count;
            result[size_t(i)].begin[a] = uint32_t(begin);
            result[size_t(i)].end[a] = uint32_t(std::min(begin + lengths[a], axes[a].kernel));
        }
    }
    return result;
}

Result<size_t> choose_kernel(std::string_view op, std::span<const Candidate> candidates, std::string_view forced)
{
    std::string fitting;
    for (const Candidate& candidate : candidates)
        if (candidate.unfit.empty())
            fitting.append(fitting.empty() ? "" : ", ").append(candidate.name);

    for (size_t i = 0; i < candidates.size(); ++i) {
        if (!forced.empty() && candidates[i].name != forced)
            continue;
        if (candidates[i].unfit.empty())
            return i;
        if (!forced.empty())
            return Status(Code::unsupported, std::string(op) + ": kernel \"" + std::string(forced) + "\" does not fit, because " +
                                                 candidates[i].unfit +
                                                 "; those that fit: " + (fitting.empty() ? "none" : fitting));
    }
    if (!forced.empty())
        return Status(Code::invalid_argument, std::string(op) + ": there is no kernel \"" + std::string(forced) +
                                                  "\"; those that fit: " + (fitting.empty() ? "none" : fitting));
    return Status(Code::unsupported, std::string(op) + ": no kernel fits, because " + candidates.back().unfit);
}

Candidate nd_candidate(std::string_view kernel, std::span<const TapBox> boxes, const Capabilities& capabilities)
{
    Candidate nd{kernel};
    if (boxes.empty())
        nd.unfit =
            "the device's " + std::to_string(capabilities.max_loop_iterations) + " loop iterations are too few for its window";
    return nd;
}

std::string why(std::span<const Candidate> candidates, size_t chosen, std::string_view forced)
{
    if (!forced.empty())
        return "forced by PrepareOptions::kernel";
    return chosen == 0 ? "the first choice for this problem"
                       : std::string(candidates[chosen - 1].name) + " does not fit: " + candidates[chosen - 1].unfit;
}

Status check_capabilities(std::string_view op, const Capabilities& capabilities, const Needs& needs)
{
    const auto refuse = [&](Code code, std::string_view field, const std::string& value, const std::string& expected) {
        return Status(code, std::string(op) + ": Capabilities::" + std::string(field) + " = " + value + " must be " + expected);
    };
    struct Limit {
        std::string_view field;
        uint32_t value;
        uint32_t least;
    };
    const auto& size = capabilities.max_workgroup_size;
    const auto& count = capabilities.max_group_count;
    const Limit limits[] = {{"max_invocations", capabilities.max_invocations, 1},
                            {"max_workgroup_size[0]", size[0], 1},
                            {"max_workgroup_size[1]", size[1], 1},
                            {"max_workgroup_size[2]", size[2], 1},
                            {"max_group_count[0]", count[0], 1},
                            {"max_group_count[1]", count[1], 1},
                            {"max_group_count[2]", count[2], 1},
                            {"max_storage_buffers", capabilities.max_storage_buffers, needs.storage_buffers},
                            {"max_push_constant_bytes", capabilities.max_push_constant_bytes, needs.push_constant_bytes},
                            {"max_uniform_buffer_range", capabilities.max_uniform_buffer_range, needs.uniform_bytes}};
    for (const Limit& limit : limits)
        if (limit.value < limit.least)
            return refuse(Code::unsupported, limit.field, std::to_string(limit.value), "at least " + std::to_string(limit.least));
    for (const auto& [field, alignment] : {std::pair("storage_buffer_alignment", capabilities.storage_buffer_alignment),
                                           std::pair("texel_buffer_alignment", capabilities.texel_buffer_alignment)})
        if (!std::has_single_bit(alignment))
            return refuse(Code::invalid_argument, field, std::to_string(alignment), "a power of two");
    const double work = capabilities.work_per_second;
    if (!(work > 0) || !std::isfinite(work))
        return refuse(Code::invalid_argument, "work_per_second", std::to_string(work), "greater than 0 and finite");
    return {};
}

Status check_dispatches(std::string_view op, std::initializer_list<int64_t> factors)
{
    const int64_t dispatches = saturated_product(factors);
    if (dispatches > max_dispatches)
        return Status(Code::unsupported,
                      std::string(op) + ": the device's limits and max_dispatch_seconds would cut this problem into " +
                          std::to_string(dispatches) + " dispatches, more than " + std::to_string(max_dispatches));
    return {};
}

Status too_many_dispatches(std::string_view op)
{
    return Status(Code::unsupported, std::string(op) +
                                         ": the device's limits and max_dispatch_seconds would cut this problem into more than " +
                                         std::to_string(max_dispatches) + " dispatches");
}

Status check_addressable(std::string_view op, std::string_view tensor, const TensorDesc& desc)
{
    Result<int64_t> elements = element_count(desc);
    if (!elements)
        return elements.status();
    if (*elements >= index_limit)
        return Status(Code::unsupported, std::string(op) + ": " + std::string(tensor) + " " + to_string(desc) + " has " +
                                             std::to_string(*elements) +
                                             " elements, more than the 2147483647 that kernels can number");
    int64_t extents = 1;
    for (const int64_t extent : desc.dims)
        extents = multiply(extents, std::max<int64_t>(extent, 1));
    if (extents >= index_limit)
        return Status(Code::unsupported, std::string(op) + ": " + std::string(tensor) + " " + to_string(desc) +
                                             " has no elements, but its other extents make more than the 2147483647 that kernels "
                                             "can number");
    return {};
}

}  // namespace vkonnx::plan
