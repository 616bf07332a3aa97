#include "label_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace vkonnx::bench {

bool overlap(const Box& a, const Box& b)
{
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

bool crosses(const Segment& segment, const Box& box)
{
    // This is the algorithm of Liang and Barsky: it keeps what remains of the segment after each of the four sides.
    double enter = 0, leave = 1;
    const double dx = segment.to.x - segment.from.x, dy = segment.to.y - segment.from.y;
    const double steps[4] = {-dx, dx, -dy, dy};
    const double rooms[4] = {segment.from.x - box.left, box.right - segment.from.x, segment.from.y - box.top,
                             box.bottom - segment.from.y};
    for (int side = 0; side < 4; ++side) {
        if (steps[side] == 0) {
            if (rooms[side] < 0)
                return false;
            continue;
        }
        const double t = rooms[side] / steps[side];
        if (steps[side] < 0)
            enter = std::max(enter, t);
        else
            leave = std::min(leave, t);
    }
    return enter <= leave;
}

// A spot is where a label may stand: the direction to its nearest edge or corner, and how far that is from the point. Lists have
// the nearest first.
struct Spot {
    double dx, dy, distance;
};

static std::vector<Spot> spots(double radius)
{
    static constexpr double slant = 0.7071;
    static constexpr Point directions[] = {{1, 0},          {-1, 0},        {0, -1},          {0, 1},
                                           {slant, -slant}, {slant, slant}, {-slant, -slant}, {-slant, slant},
                                           {0.92, -0.38},   {0.92, 0.38},   {-0.92, -0.38},   {-0.92, 0.38},
                                           {0.38, -0.92},   {0.38, 0.92},   {-0.38, -0.92},   {-0.38, 0.92}};
    std::vector<Spot> result;
    for (const double gap : {2.0, 7.0, 14.0, 22.0, 32.0, 44.0, 58.0, 74.0, 92.0, 112.0})
        for (const Point& direction : directions)
            result.push_back({direction.x, direction.y, radius + gap});
    return result;
}

static PlacedLabel candidate(const Label& label, const Spot& spot, double radius)
{
    const Point anchor = {label.at.x + spot.dx * spot.distance, label.at.y + spot.dy * spot.distance};
    // The part of the label that touches the anchor follows from the direction: 0 is its left or top, 1 its right or bottom.
    const double share_x = std::abs(spot.dx) < 0.5 ? 0.5 : spot.dx > 0 ? 0 : 1;
    const double share_y = std::abs(spot.dy) < 0.5 ? 0.5 : spot.dy > 0 ? 0 : 1;
    PlacedLabel placed;
    placed.box.left = anchor.x - share_x * label.width;
    placed.box.top = anchor.y - share_y * label.height;
    placed.box.right = placed.box.left + label.width;
    placed.box.bottom = placed.box.top + label.height;
    if (spot.distance > radius + 8)
        placed.leader = Segment{{label.at.x + spot.dx * radius, label.at.y + spot.dy * radius}, anchor};
    return placed;
}

static Box around(const Point& point, double radius)
{
    return {point.x - radius, point.y - radius, point.x + radius, point.y + radius};
}

namespace {
class Placer {
public:
    Placer(std::span<const Label> labels, const Surroundings& surroundings) : labels_(labels), surroundings_(surroundings) {}

    bool fits(const PlacedLabel& one, size_t index, bool with_avoided) const
    {
        const Box& area = surroundings_.area;
        if (one.box.left < area.left || one.box.right > area.right || one.box.top < area.top || one.box.bottom > area.bottom)
            return false;
        const auto touches = [&](const Box& box) { return overlap(one.box, box) || (one.leader && crosses(*one.leader, box)); };
        for (size_t i = 0; i < labels_.size(); ++i) {
            const Box point = around(labels_[i].at, surroundings_.point_radius);
            // A leader starts at its own point, and may have to start on one that stands at nearly the same place.
            const bool near = std::hypot(labels_[i].at.x - labels_[index].at.x, labels_[i].at.y - labels_[index].at.y) <
                              2 * surroundings_.point_radius;
            if (near ? overlap(one.box, point) : touches(point))
                return false;
        }
        if (std::any_of(surroundings_.blocked.begin(), surroundings_.blocked.end(), touches))
            return false;
        for (const PlacedLabel& other : placed_)
            if (touches(other.box) || (other.leader && crosses(*other.leader, one.box)))
                return false;
        return !with_avoided || std::none_of(surroundings_.avoided.begin(), surroundings_.avoided.end(),
                                             [&](const Segment& line) { return crosses(line, one.box); });
    }

    std::optional<PlacedLabel> place(size_t index, const std::vector<Spot>& spots)
    {
        for (const bool with_avoided : {true, false})
            for (const Spot& spot : spots) {
                const PlacedLabel one = candidate(labels_[index], spot, surroundings_.point_radius);
                if (fits(one, index, with_avoided)) {
                    placed_.push_back(one);
                    return one;
                }
            }
        return std::nullopt;
    }

private:
    std::span<const Label> labels_;
    const Surroundings& surroundings_;
    std::vector<PlacedLabel> placed_;
};
}  // namespace

std::vector<std::optional<PlacedLabel>> place_labels(std::span<const Label> labels, const Surroundings& surroundings)
{
    // Labels in a crowd choose first.
    std::vector<size_t> crowd(labels.size(), 0);
    for (size_t i = 0; i < labels.size(); ++i)
        for (const Label& other : labels)
            if (std::abs(other.at.x - labels[i].at.x) < labels[i].width && std::abs(other.at.y - labels[i].at.y) < 40)
                ++crowd[i];
    std::vector<size_t> order(labels.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return crowd[a] > crowd[b]; });

    Placer placer(labels, surroundings);
    const std::vector<Spot> choices = spots(surroundings.point_radius);
    std::vector<std::optional<PlacedLabel>> result(labels.size());
    for (const size_t i : order)
        result[i] = placer.place(i, choices);
    return result;
}

}  // namespace vkonnx::bench
