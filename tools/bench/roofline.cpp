#include "roofline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "counters.h"
#include "format.h"
#include "label_layout.h"

namespace vkonnx::bench {

// Returns a case's place in the plot, or nothing when it failed or does no arithmetic.
static std::optional<Point> place_of(const CaseResult& one)
{
    const std::optional<double> flop = one.counter(counter::flop), bytes = one.counter(counter::bytes);
    if (!one.error.empty() || !flop || !bytes || !(*flop > 0) || !(*bytes > 0))
        return std::nullopt;
    return Point{*flop / *bytes, *flop / one.median_s / 1e9};
}

std::optional<RooflineRange> roofline_range(std::span<const RunResult> runs)
{
    constexpr double huge = std::numeric_limits<double>::infinity();
    double left = huge, right = -huge, bottom = huge, top = -huge;
    for (const RunResult& run : runs) {
        for (const CaseResult& one : run.cases)
            if (const std::optional<Point> place = place_of(one)) {
                left = std::min(left, std::log10(place->x));
                right = std::max(right, std::log10(place->x));
                bottom = std::min(bottom, std::log10(place->y));
                top = std::max(top, std::log10(place->y));
            }
    }
    if (left == huge)
        return std::nullopt;
    // The corners of the roofs must be in the picture.
    for (const RunResult& run : runs)
        for (const std::optional<Peak>& peak : {run.peak_f32(), run.peak_f16()})
            if (peak) {
                top = std::max(top, std::log10(peak->best()));
                if (const std::optional<Peak> copy = run.peak_copy()) {
                    right = std::max(right, std::log10(peak->best() / copy->best()));
                    left = std::min(left, std::log10(peak->best() / copy->best()) - 0.5);
                }
            }
    return RooflineRange{left - 0.2, right + 0.35, bottom - 0.25, top + 0.25};
}

namespace {

constexpr double character_width = 6.4, label_height = 13;

std::string fixed(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

bool is_pool(std::string_view op)
{
    return op.find("pool") != op.npos || op.starts_with("reduce_");
}

std::string attribute(std::string_view name, double value)
{
    return " " + std::string(name) + "=\"" + fixed(value) + "\"";
}

// Returns "0.1", "10", "1k" or "10k", for example.
std::string tick_text(int exponent)
{
    if (exponent < 0)
        return "0." + std::string(size_t(-exponent - 1), '0') + "1";
    const char* suffix = exponent >= 6 ? "M" : exponent >= 3 ? "k" : "";
    return "1" + std::string(size_t(exponent % 3), '0') + suffix;
}

class Plot {
public:
    Plot(const RunResult& run, const RooflineRange& range, const RooflineOptions& options)
        : run_(run), range_(range), options_(options), area_{46, 26, options.width - 10, options.height - 40}
    {
    }

    std::string svg()
    {
        std::string out = "<svg class=\"roofline " + options_.series + "\" viewBox=\"0 0 " + fixed(options_.width) + " " +
                          fixed(options_.height) + "\" role=\"img\" aria-label=\"" + html_escape(options_.caption) + "\">\n";
        out += grid() + roofs();
        out += points();  // also places the labels, which must avoid the roofs
        return out + "</svg>\n";
    }

private:
    double x(double exponent) const
    {
        return area_.left + (exponent - range_.x_low) / (range_.x_high - range_.x_low) * (area_.right - area_.left);
    }
    double y(double exponent) const
    {
        return area_.bottom - (exponent - range_.y_low) / (range_.y_high - range_.y_low) * (area_.bottom - area_.top);
    }

    std::string line(std::string_view kind, Point from, Point to) const
    {
        return "<line class=\"" + std::string(kind) + "\"" + attribute("x1", from.x) + attribute("y1", from.y) +
               attribute("x2", to.x) + attribute("y2", to.y) + "/>\n";
    }

    std::string text(std::string_view kind, std::string_view anchor, Point at, std::string_view words) const
    {
        return "<text class=\"" + std::string(kind) + "\" text-anchor=\"" + std::string(anchor) + "\"" + attribute("x", at.x) +
               attribute("y", at.y) + ">" + html_escape(words) + "</text>\n";
    }

    std::string grid() const
    {
        std::string out;
        for (int e = int(std::ceil(range_.x_low)); e <= range_.x_high; ++e)
            out += line("grid", {x(e), area_.top}, {x(e), area_.bottom}) +
                   text("tick x", "middle", {x(e), area_.bottom + 16}, tick_text(e));
        for (int e = int(std::ceil(range_.y_low)); e <= range_.y_high; ++e)
            out += line("grid", {area_.left, y(e)}, {area_.right, y(e)}) +
                   text("tick y", "end", {area_.left - 7, y(e) + 4}, tick_text(e));
        out += line("axis", {area_.left, area_.bottom}, {area_.right, area_.bottom}) +
               line("axis", {area_.left, area_.top}, {area_.left, area_.bottom});
        out += text("unit", "end", {area_.right, area_.bottom + 34}, "useful operations per byte") +
               text("unit", "start", {2, 13}, "GFLOP/s");
        return out;
    }

    void avoid(Point from, Point to) { surroundings_.avoided.push_back({from, to}); }

    std::string roofs()
    {
        const std::optional<Peak> copy = run_.peak_copy();
        std::string out;
        double corner = range_.x_low;  // of the highest roof
        for (const auto& [peak, words] : {std::pair(run_.peak_f32(), "f32"), std::pair(run_.peak_f16(), "f16")}) {
            if (!peak)
                continue;
            const double level = std::log10(peak->best());
            const double begin = copy ? std::max(range_.x_low, level - std::log10(copy->best())) : range_.x_low;
            const Point from = {x(begin), y(level)}, to = {area_.right, y(level)};
            out += line("roof", from, to);
            avoid(from, to);
            const std::string label = std::string(words) + " peak " + bench::text(rate_quantity(peak->best(), "FLOP/s"));
            out += text("roof", "end", {area_.right - 2, to.y - 6}, label);
            const double width = double(label.size()) * character_width;
            surroundings_.blocked.push_back({area_.right - 2 - width, to.y - 18, area_.right, to.y - 2});
            corner = std::max(corner, begin);
        }
        return copy ? out + slope(std::log10(copy->best()), corner) : out;
    }

    // Draws the roof of the bandwidth, rate = bandwidth * intensity, up to its corner with the highest peak.
    std::string slope(double bandwidth, double corner)
    {
        const bool open = corner <= range_.x_low;  // no peak known: to the edge of the picture
        const double end = open ? std::min(range_.x_high, range_.y_high - bandwidth) : corner;
        const double begin = std::max(range_.x_low, range_.y_low - bandwidth);
        if (end <= begin)
            return "";
        const Point from = {x(begin), y(begin + bandwidth)}, to = {x(end), y(end + bandwidth)};
        std::string out = line("roof", from, to);
        avoid(from, to);

        const std::string label = "copy " + bench::text(rate_quantity(std::pow(10, bandwidth), "B/s"));
        const double length = double(label.size()) * character_width, whole = std::hypot(to.x - from.x, to.y - from.y);
        if (whole < length + 24)
            return out;
        const Point along = {(to.x - from.x) / whole, (to.y - from.y) / whole};
        // The label stands in the middle of the upper half, where fewer points are.
        const double start = std::max(12.0, std::min(whole * 0.6, whole - length - 12));
        const Point at = {from.x + along.x * start + along.y * 6, from.y + along.y * start - along.x * 6};
        out += "<text class=\"roof\" transform=\"translate(" + fixed(at.x) + " " + fixed(at.y) + ") rotate(" +
               fixed(std::atan2(along.y, along.x) * 180 / std::numbers::pi) + ")\">" + html_escape(label) + "</text>\n";
        for (double t = 0; t <= length; t += 8) {
            const Point middle = {at.x + along.x * t + along.y * 5, at.y + along.y * t - along.x * 5};
            surroundings_.blocked.push_back({middle.x - 8, middle.y - 8, middle.x + 8, middle.y + 8});
        }
        return out;
    }

    std::string points()
    {
        std::vector<Label> labels;
        std::vector<size_t> cases;
        for (size_t i = 0; i < run_.cases.size(); ++i)
            if (const std::optional<Point> place = place_of(run_.cases[i])) {
                const double width = double(options_.labels.at(i).size()) * character_width + 2;
                labels.push_back({{x(std::log10(place->x)), y(std::log10(place->y))}, width, label_height});
                cases.push_back(i);
            }
        surroundings_.area = {area_.left + 2, area_.top, area_.right, area_.bottom - 2};
        const std::vector<std::optional<PlacedLabel>> placed = place_labels(labels, surroundings_);

        std::string leaders, marks, words;
        for (size_t i = 0; i < labels.size(); ++i) {
            marks += mark(run_.cases[cases[i]], labels[i].at);
            if (!placed[i])
                continue;
            if (placed[i]->leader)
                leaders += line("leader", placed[i]->leader->from, placed[i]->leader->to);
            const Box& box = placed[i]->box;
            words += text("label", "middle", {(box.left + box.right) / 2, box.bottom - 3}, options_.labels[cases[i]]);
        }
        return leaders + marks + words;
    }

    std::string mark(const CaseResult& one, Point at) const
    {
        std::string hover = one.name + "\n" + one.kernel + "\n" + time_text(one.median_s);
        if (const std::optional<double> floor = one.counter(counter::floor_s))
            hover += ", best possible " + time_text(*floor) + " (" + percent_text(*one.efficiency()) + ")";
        hover += "\n" + bench::text(rate_quantity(*one.counter(counter::flop) / one.median_s / 1e9, "FLOP/s")) + ", " +
                 bench::text(rate_quantity(*one.counter(counter::bytes) / one.median_s / 1e9, "B/s"));
        std::string out =
            "<g class=\"point\" data-case=\"" + html_escape(one.name) + "\"><title>" + html_escape(hover) + "</title>";
        if (is_pool(operator_of(one.name)))
            out += "<rect" + attribute("x", at.x - 3.7) + attribute("y", at.y - 3.7) +
                   " width=\"7.4\" height=\"7.4\" transform=\"rotate(45 " + fixed(at.x) + " " + fixed(at.y) + ")\"/>";
        else
            out += "<circle" + attribute("cx", at.x) + attribute("cy", at.y) + " r=\"4.5\"/>";
        return out + "</g>\n";
    }

    const RunResult& run_;
    const RooflineRange& range_;
    const RooflineOptions& options_;
    Box area_;
    Surroundings surroundings_ = {};
};

}  // namespace

std::string roofline_svg(const RunResult& run, const RooflineRange& range, const RooflineOptions& options)
{
    return Plot(run, range, options).svg();
}

}  // namespace vkonnx::bench
