// This file tests the roofline plot: points lie where they belong, and labels never overlap.
#include "bench/roofline.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "bench/label_layout.h"
#include "fake_result.h"

namespace vkonnx::bench {
namespace {

std::string plot(const RunResult& run, std::vector<std::string> labels)
{
    const std::optional<RooflineRange> range = roofline_range({&run, 1});
    return range ? roofline_svg(run, *range, {.labels = std::move(labels), .caption = "a \"plot\""}) : "";
}

// Returns the two numbers of each match of the expression, which has two groups.
std::vector<Point> numbers(const std::string& svg, const std::string& expression)
{
    std::vector<Point> found;
    const std::regex pattern(expression);
    for (std::sregex_iterator match(svg.begin(), svg.end(), pattern), end; match != end; ++match)
        found.push_back({std::stod((*match)[1]), std::stod((*match)[2])});
    return found;
}

// Returns the place of the tick with this text on an axis.
Point tick(const std::string& svg, const std::string& axis, const std::string& text)
{
    const std::vector<Point> at = numbers(
        svg, "<text class=\"tick " + axis + "\" text-anchor=\"[a-z]+\" x=\"([0-9.]+)\" y=\"([0-9.]+)\">" + text + "</text>");
    EXPECT_EQ(at.size(), 1u) << axis << " " << text;
    return at.empty() ? Point() : at[0];
}

size_t count(const std::string& text, const std::string& part)
{
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

TEST(Roofline, OnePointACaseAtItsPlace)
{
    // The first two cases have 1 and 100 operations a byte, and reach 1 and 10 GFLOP/s.
    const RunResult run = fake_run({{"conv_transpose/low/f32", 1e6, 1e6, {1e-3}},
                                    {"conv_transpose/high/f32", 1e8, 1e6, {10e-3}},
                                    {"global_max_pool/pool/f32", 1e6, 1e5, {1e-3}},
                                    {"conv_transpose/bad/f32"},
                                    {"shape/none/f32", 0, 1e5, {1e-3}}});
    const std::string svg = plot(run, {"low", "high", "pool", "bad", "none"});
    EXPECT_EQ(count(svg, "<g class=\"point\""), 3u) << "no point for an error, none for a case without arithmetic";
    const std::vector<Point> circles = numbers(svg, "<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
    ASSERT_EQ(circles.size(), 2u);
    EXPECT_EQ(count(svg, "<rect"), 1u) << "a pool is a diamond";

    EXPECT_NEAR(circles[0].x, tick(svg, "x", "1").x, 0.2);
    EXPECT_NEAR(circles[1].x, tick(svg, "x", "100").x, 0.2);
    EXPECT_NEAR(circles[0].y, tick(svg, "y", "1").y - 4, 0.2);  // a tick's text stands 4 below its line
    EXPECT_NEAR(circles[1].y, tick(svg, "y", "10").y - 4, 0.2);
    EXPECT_GT(circles[1].x, circles[0].x);
    EXPECT_LT(circles[1].y, circles[0].y);
}

TEST(Roofline, RoofsMeetWhereBandwidthFeedsThePeak)
{
    // The two roofs, 100 GFLOP/s and 10 GB/s, meet at 10 operations a byte.
    const RunResult run = fake_run({{"conv_transpose/x/f32", 1e6, 1e6, {1e-3}}});
    const std::string svg = plot(run, {"x"});
    const std::vector<Point> begins = numbers(svg, "<line class=\"roof\" x1=\"([0-9.]+)\" y1=\"([0-9.]+)\"");
    const std::vector<Point> ends =
        numbers(svg, "<line class=\"roof\" x1=\"[0-9.]+\" y1=\"[0-9.]+\" x2=\"([0-9.]+)\" y2=\"([0-9.]+)\"");
    ASSERT_EQ(begins.size(), 2u);
    EXPECT_DOUBLE_EQ(begins[0].y, ends[0].y) << "the arithmetic peak is level";
    EXPECT_DOUBLE_EQ(begins[0].x, ends[1].x);
    EXPECT_DOUBLE_EQ(begins[0].y, ends[1].y);
    // The slanted roof rises by one decade of GFLOP/s for each decade of operations a byte.
    const double decade_x = tick(svg, "x", "10").x - tick(svg, "x", "1").x,
                 decade_y = tick(svg, "y", "10").y - tick(svg, "y", "1").y;
    EXPECT_NEAR((ends[1].x - begins[1].x) / decade_x, (ends[1].y - begins[1].y) / decade_y, 0.01);
    EXPECT_NE(svg.find(">f32 peak 100 GFLOP/s<"), std::string::npos);
    EXPECT_NE(svg.find(">copy 10.0 GB/s<"), std::string::npos) << "the better reading of the two";
}

TEST(Roofline, HoverTextAndCaptionAreEscaped)
{
    const RunResult run = fake_run({{"conv_transpose/<b>&\"/f32", 1e6, 1e6, {1e-3}}});
    const std::string svg = plot(run, {"<b>"});
    EXPECT_EQ(svg.find("<b>"), std::string::npos);
    EXPECT_NE(
        svg.find("<title>conv_transpose/&lt;b&gt;&amp;&quot;/f32\nconv_transpose_direct\n1.00 ms, best possible 100 us (10 %)\n"
                 "1.00 GFLOP/s, 1.00 GB/s</title>"),
        std::string::npos)
        << svg;
    EXPECT_NE(svg.find("aria-label=\"a &quot;plot&quot;\""), std::string::npos);
}

TEST(Roofline, NothingToPlot)
{
    const RunResult run = fake_run({{"op/bad/f32"}, {"shape/none/f32", 0, 1e5, {1e-3}}});
    EXPECT_FALSE(roofline_range({&run, 1}));
}

TEST(LabelLayout, SegmentsAndBoxes)
{
    const Box box = {10, 10, 20, 20};
    EXPECT_TRUE(crosses({{0, 0}, {30, 30}}, box));
    EXPECT_TRUE(crosses({{12, 12}, {13, 13}}, box)) << "inside";
    EXPECT_TRUE(crosses({{0, 15}, {30, 15}}, box)) << "level";
    EXPECT_FALSE(crosses({{0, 0}, {9, 9}}, box)) << "too short";
    EXPECT_FALSE(crosses({{0, 25}, {30, 25}}, box));
    EXPECT_FALSE(crosses({{0, 12}, {12, 30}}, {18, 10, 25, 14}));
    EXPECT_TRUE(overlap(box, {19, 19, 30, 30}));
    EXPECT_FALSE(overlap(box, {20, 10, 30, 20})) << "side by side";
}

TEST(LabelLayout, ALonelyLabelStandsAtTheRight)
{
    const Label label = {{50, 50}, 30, 12};
    const auto placed = place_labels({&label, 1}, {.area = {0, 0, 200, 100}, .point_radius = 5});
    ASSERT_TRUE(placed[0]);
    EXPECT_DOUBLE_EQ(placed[0]->box.left, 57);
    EXPECT_DOUBLE_EQ(placed[0]->box.top, 44);
    EXPECT_FALSE(placed[0]->leader);
    // It stands at the left where the area ends too soon, and is left out where neither side has room.
    EXPECT_DOUBLE_EQ(place_labels({&label, 1}, {.area = {0, 0, 70, 100}, .point_radius = 5})[0]->box.right, 43);
    EXPECT_FALSE(place_labels({&label, 1}, {.area = {0, 0, 20, 100}, .point_radius = 5})[0]);
}

TEST(LabelLayout, NothingOverlapsInACrowd)
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        std::normal_distribution<double> spread(0, 60);
        const Surroundings around = {.area = {0, 0, 1000, 500}, .point_radius = 5, .blocked = {{600, 80, 760, 100}}};
        std::vector<Label> labels;
        for (int i = 0; i < 45; ++i)
            labels.push_back(
                {{std::clamp(500 + 1.5 * spread(random), 10.0, 990.0), std::clamp(250 + spread(random), 10.0, 490.0)}, 40, 13});
        const auto placed = place_labels(labels, around);
        size_t found = 0;
        for (size_t i = 0; i < placed.size(); ++i) {
            if (!placed[i])
                continue;
            ++found;
            EXPECT_FALSE(overlap(placed[i]->box, around.blocked[0]));
            for (size_t k = 0; k < labels.size(); ++k) {
                const Point& at = labels[k].at;
                EXPECT_FALSE(overlap(placed[i]->box, {at.x - 5, at.y - 5, at.x + 5, at.y + 5})) << i << " over point " << k;
                if (k != i && placed[k]) {
                    EXPECT_FALSE(overlap(placed[i]->box, placed[k]->box)) << i << " and " << k;
                    EXPECT_FALSE(placed[k]->leader && crosses(*placed[k]->leader, placed[i]->box))
                        << i << " on the leader of " << k;
                }
            }
        }
        EXPECT_GE(found, 36u) << "there is room for most";
    }
}

}  // namespace
}  // namespace vkonnx::bench
