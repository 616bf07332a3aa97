#include "test_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace vkonnx::tools {
namespace {

// A glyph is a character as seven rows of five pixels, from the top.
struct Glyph {
    char character;
    std::array<const char*, 7> rows;
};
constexpr Glyph glyphs[] = {
    {'A', {" ### ", "#   #", "#   #", "#####", "#   #", "#   #", "#   #"}},
    {'B', {"#### ", "#   #", "#   #", "#### ", "#   #", "#   #", "#### "}},
    {'C', {" ### ", "#   #", "#    ", "#    ", "#    ", "#   #", " ### "}},
    {'D', {"#### ", "#   #", "#   #", "#   #", "#   #", "#   #", "#### "}},
    {'E', {"#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#####"}},
    {'F', {"#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#    "}},
    {'G', {" ### ", "#   #", "#    ", "# ###", "#   #", "#   #", " ####"}},
    {'H', {"#   #", "#   #", "#   #", "#####", "#   #", "#   #", "#   #"}},
    {'I', {" ### ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "}},
    {'J', {"  ###", "   # ", "   # ", "   # ", "   # ", "#  # ", " ##  "}},
    {'K', {"#   #", "#  # ", "# #  ", "##   ", "# #  ", "#  # ", "#   #"}},
    {'L', {"#    ", "#    ", "#    ", "#    ", "#    ", "#    ", "#####"}},
    {'M', {"#   #", "## ##", "# # #", "# # #", "#   #", "#   #", "#   #"}},
    {'N', {"#   #", "##  #", "# # #", "#  ##", "#   #", "#   #", "#   #"}},
    {'O', {" ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "}},
    {'P', {"#### ", "#   #", "#   #", "#### ", "#    ", "#    ", "#    "}},
    {'Q', {" ### ", "#   #", "#   #", "#   #", "# # #", "#  # ", " ## #"}},
    {'R', {"#### ", "#   #", "#   #", "#### ", "# #  ", "#  # ", "#   #"}},
    {'S', {" ####", "#    ", "#    ", " ### ", "    #", "    #", "#### "}},
    {'T', {"#####", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  "}},
    {'U', {"#   #", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "}},
    {'V', {"#   #", "#   #", "#   #", "#   #", "#   #", " # # ", "  #  "}},
    {'W', {"#   #", "#   #", "#   #", "# # #", "# # #", "## ##", "#   #"}},
    {'X', {"#   #", "#   #", " # # ", "  #  ", " # # ", "#   #", "#   #"}},
    {'Y', {"#   #", "#   #", " # # ", "  #  ", "  #  ", "  #  ", "  #  "}},
    {'Z', {"#####", "    #", "   # ", "  #  ", " #   ", "#    ", "#####"}},
    {'0', {" ### ", "#   #", "#  ##", "# # #", "##  #", "#   #", " ### "}},
    {'1', {"  #  ", " ##  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "}},
    {'2', {" ### ", "#   #", "    #", "   # ", "  #  ", " #   ", "#####"}},
    {'3', {"#####", "   # ", "  #  ", "   # ", "    #", "#   #", " ### "}},
    {'4', {"   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "}},
    {'5', {"#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "}},
    {'6', {"  ## ", " #   ", "#    ", "#### ", "#   #", "#   #", " ### "}},
    {'7', {"#####", "    #", "   # ", "  #  ", " #   ", " #   ", " #   "}},
    {'8', {" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "}},
    {'9', {" ### ", "#   #", "#   #", " ####", "    #", "   # ", " ##  "}},
    {'.', {"     ", "     ", "     ", "     ", "     ", " ##  ", " ##  "}},
    {',', {"     ", "     ", "     ", "     ", " ##  ", "  #  ", " #   "}},
    {'-', {"     ", "     ", "     ", "#####", "     ", "     ", "     "}},
    {'/', {"     ", "    #", "   # ", "  #  ", " #   ", "#    ", "     "}},
};

float mix(float a, float b, float t)
{
    return a + (b - a) * t;
}

// Returns the colour of the rings at a place. The phase grows with the square of the radius, so that neighbouring pixels at
// `radius` = size/2 are half a wave apart.
Colour ring_colour(float x, float y, float size)
{
    constexpr float pi = std::numbers::pi_v<float>;
    const float squared = x * x + y * y;
    const float wave = 0.5f + 0.5f * std::cos(pi * squared / size);
    const float angle = std::atan2(y, x);
    const auto hue = [&](float shift) { return 0.5f + 0.5f * std::cos(angle + shift * 2 * pi / 3); };
    return {mix(0.05f, 0.55f + 0.45f * hue(0), wave), mix(0.06f, 0.55f + 0.45f * hue(1), wave),
            mix(0.16f, 0.55f + 0.45f * hue(2), wave)};
}

void set(Picture& picture, int x, int y, Colour colour)
{
    if (x < 0 || y < 0 || x >= picture.width || y >= picture.height)
        return;
    picture.at(0, y, x) = colour.red;
    picture.at(1, y, x) = colour.green;
    picture.at(2, y, x) = colour.blue;
}

}  // namespace

void draw_rectangle(Picture& picture, int x, int y, int width, int height, Colour colour)
{
    for (int row = y; row < y + height; ++row)
        for (int column = x; column < x + width; ++column)
            set(picture, column, row, colour);
}

void draw_text(Picture& picture, int x, int y, std::string_view text, Colour colour, int scale)
{
    for (const char character : text) {
        const auto* glyph =
            std::find_if(std::begin(glyphs), std::end(glyphs), [&](const Glyph& g) { return g.character == character; });
        if (glyph != std::end(glyphs))
            for (int row = 0; row < 7; ++row)
                for (int column = 0; column < 5; ++column)
                    if (glyph->rows[size_t(row)][column] == '#')
                        draw_rectangle(picture, x + column * scale, y + row * scale, scale, scale, colour);
        x += 6 * scale;
    }
}

void draw_picture(Picture& picture, int x, int y, const Picture& source)
{
    for (int row = 0; row < source.height; ++row)
        for (int column = 0; column < source.width; ++column)
            set(picture, x + column, y + row, {source.at(0, row, column), source.at(1, row, column), source.at(2, row, column)});
}

Picture every_second_pixel(const Picture& picture)
{
    Picture half((picture.width + 1) / 2, (picture.height + 1) / 2);
    for (int plane = 0; plane < 3; ++plane)
        for (int y = 0; y < half.height; ++y)
            for (int x = 0; x < half.width; ++x)
                half.at(plane, y, x) = picture.at(plane, 2 * y, 2 * x);
    return half;
}

Picture test_picture(int size)
{
    Picture picture(size, size);
    const float centre = float(size) / 2 - 0.5f;
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            set(picture, x, y, ring_colour(float(x) - centre, float(y) - centre, float(size)));

    // This draws a page of fine print, with lines of one pixel.
    const int width = 208, height = 76, left = size - width - 16, top = size - height - 16;
    const Colour paper{0.97f, 0.96f, 0.92f}, ink{0.10f, 0.11f, 0.14f}, red{0.80f, 0.12f, 0.10f}, blue{0.08f, 0.25f, 0.75f};
    draw_rectangle(picture, left, top, width, height, paper);
    draw_text(picture, left + 8, top + 7, "VKONNX", red, 2);
    for (int i = 0; i < 30; ++i)  // a comb: a pixel on, a pixel off
        draw_rectangle(picture, left + 96 + 2 * i, top + 7, 1, 14, i < 15 ? ink : blue);
    for (int i = 0; i < 7; ++i)
        draw_rectangle(picture, left + 162, top + 7 + 2 * i, 38, 1, ink);
    draw_text(picture, left + 8, top + 28, "EVERY RING, EVERY STROKE OF ONE", ink);
    draw_text(picture, left + 8, top + 39, "PIXEL MUST FADE TO ITS AVERAGE,", blue);
    draw_text(picture, left + 8, top + 50, "NOT TURN INTO A RING OR A LINE", ink);
    draw_text(picture, left + 8, top + 61, "THAT WAS NEVER THERE. 0123456789", red);
    return picture;
}

}  // namespace vkonnx::tools
