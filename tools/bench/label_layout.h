// This header places labels beside their points so that nothing overlaps.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace vkonnx::bench {

struct Point {
    double x = 0, y = 0;
};

struct Box {
    double left = 0, top = 0, right = 0, bottom = 0;
};

struct Segment {
    Point from = {}, to = {};
};

bool overlap(const Box& a, const Box& b);
bool crosses(const Segment& segment, const Box& box);

struct Label {
    Point at = {};  // the point's centre
    double width = 0, height = 0;
};

struct PlacedLabel {
    Box box = {};
    std::optional<Segment> leader = {};  // from point to label, where the label stands away from it
};

struct Surroundings {
    Box area = {};                      // all labels stay inside
    double point_radius = 5;            // no label covers a point
    std::vector<Box> blocked = {};      // nor any of these
    std::vector<Segment> avoided = {};  // nor, while there is room elsewhere, these
};

// Returns the places in the order of `labels`, with nothing for a label that finds no room. The result is deterministic.
std::vector<std::optional<PlacedLabel>> place_labels(std::span<const Label> labels, const Surroundings& surroundings);

}  // namespace vkonnx::bench
