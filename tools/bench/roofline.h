// This header draws the roofline plot: what a device could do at each arithmetic intensity, and what each case does. It is an SVG
// without scripts, whose colours are the page's custom properties (report_style.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results.h"

namespace vkonnx::bench {

struct RooflineOptions {
    double width = 1040, height = 560;
    std::vector<std::string> labels = {};  // of each case of the result; those without a point don't matter
    std::string series = "a";              // "a" or "b": the colour
    std::string caption = {};              // for those who can't see it
};

// A range is what the axes show, as powers of ten. Plots that stand side by side have the same.
struct RooflineRange {
    double x_low = -1, x_high = 2;
    double y_low = 0, y_high = 3;
};

// Returns nothing where no case has counters flop, bytes and a time.
std::optional<RooflineRange> roofline_range(std::span<const RunResult> runs);

// Draws the plot. x is useful operations per byte, y is 1e9 useful operations a second. Roofs are the better readings of the
// probes. Each case is one point with hover text: a circle for sums of products, a diamond for pools and reductions. Labels never
// overlap one another or a point, and one that finds no room is left out.
std::string roofline_svg(const RunResult& run, const RooflineRange& range, const RooflineOptions& options);

}  // namespace vkonnx::bench
