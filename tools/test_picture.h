// This header draws a picture that shows aliasing: rings whose width shrinks to a pixel at the edges, rays, and text with strokes
// of one pixel.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vkonnx::tools {

// A picture is RGB in three planes of height x width, with values from 0 to 1.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<float> planes = {};

    Picture(int w, int h, float value = 0) : width(w), height(h), planes(size_t(3 * w * h), value) {}
    float& at(int plane, int y, int x) { return planes[size_t((plane * height + y) * width + x)]; }
    float at(int plane, int y, int x) const { return planes[size_t((plane * height + y) * width + x)]; }
};

struct Colour {
    float red, green, blue;
};

Picture test_picture(int size);

// Draws capital letters, digits and a few signs, 5 x 7 pixels each, a pixel apart, every pixel `scale` wide.
void draw_text(Picture& picture, int x, int y, std::string_view text, Colour colour, int scale = 1);

void draw_rectangle(Picture& picture, int x, int y, int width, int height, Colour colour);

// Copies `source` with its corner at x, y.
void draw_picture(Picture& picture, int x, int y, const Picture& source);

// Returns every second pixel, without any filter: this is what halving should not be.
Picture every_second_pixel(const Picture& picture);

}  // namespace vkonnx::tools
