// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/taps.h"

#include <algorithm>
#include <optional>

#include "plan/core/arithmetic.h"
#include "plan/core/limits.h"

namespace vkonnx::plan {
namespace {

// Returns the axis for a kernel that visits only `taps` of the taps that an output meets.
TapAxis narrowed(const TapAxis& axis, int64_t taps)
{
    return {std::min(axis.kernel, saturated_product(taps, axis.step)), axis.step, std::min(axis.most, taps)};
}

int64_t taps_in(const TapAxis& axis, int64_t begin, int64_t end)
{
    return std::min(axis.most, divide_up(end - begin, axis.step));
}

// A Split is boxes of equal lengths, of which only the last ones on an axis may be shorter.
struct Split {
    std::vector<int64_t> lengths;  // for each axis
    int64_t boxes = 1;
};

std::optional<Split> split(std::span<const TapAxis> axes, int64_t budget, int64_t most_taps)
{
    // A box has single taps on the axes before `cut`, `taps` taps on that axis, and the axes behind it whole. With the fewest
    // single axes that fit, boxes in row-major order visit the taps in the order of the sum.
    std::vector<TapAxis> box(axes.begin(), axes.end());
    auto fits = [&](size_t cut, int64_t taps) {
        box[cut] = narrowed(axes[cut], taps);
        int64_t visited = 1;
        for (const TapAxis& axis : box)
            visited = saturated_product(visited, axis.most);
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

    Split found = {.lengths = std::vector<int64_t>(axes.size())};
    for (size_t a = 0; a < axes.size(); ++a) {
        const int64_t visited = a < cut ? 1 : a == cut ? taps : axes[a].most;
        // An axis of which all taps that an output meets are visited needs no cut, however long its kernel.
        found.lengths[a] =
            visited >= axes[a].most ? axes[a].kernel : std::min(axes[a].kernel, saturated_product(visited, axes[a].step));
        found.boxes = saturated_product(found.boxes, divide_up(axes[a].kernel, found.lengths[a]));
    }
    if (found.boxes > max_dispatches)
        return {};
    return found;
}

}  // namespace

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
        inner = saturated_sum(1, saturated_product(axes[a].most, saturated_sum(1, inner)));
    return inner;
}

int64_t row_iterations(std::span<const TapAxis> axes)
{
    int64_t rows = 1;
    for (const TapAxis& axis : axes.first(axes.size() - 1))
        rows = saturated_product(rows, axis.most);
    return saturated_sum(1, saturated_product(rows, saturated_sum(int64_t(axes.size()) + 1, axes.back().most)));
}

int64_t taps_of(std::span<const TapAxis> axes, const TapBox& box)
{
    int64_t taps = 1;
    for (size_t a = 0; a < axes.size(); ++a)
        taps *= taps_in(axes[a], box.begin[a], box.end[a]);
    return taps;
}

bool can_split_taps(std::span<const TapAxis> axes, int64_t budget)
{
    return split(axes, budget, INT64_MAX).has_value();
}

std::vector<TapBox> split_taps(std::span<const TapAxis> axes, int64_t budget, int64_t most_taps)
{
    const std::optional<Split> found = split(axes, budget, most_taps);
    if (!found)
        return {};
    std::vector<TapBox> result(size_t(found->boxes), TapBox{});
    for (int64_t i = 0; i < found->boxes; ++i) {
        int64_t digits = i;
        for (size_t a = axes.size(); a-- > 0;) {
            int64_t count = divide_up(axes[a].kernel, found->lengths[a]);
            int64_t begin = digits % count * found->lengths[a];
            digits /= count;
            result[size_t(i)].begin[a] = uint32_t(begin);
            result[size_t(i)].end[a] = uint32_t(std::min(begin + found->lengths[a], axes[a].kernel));
        }
    }
    return result;
}

}  // namespace vkonnx::plan
