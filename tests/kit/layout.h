// This header tells where the dimensions of a tensor stand, outermost first, for a given number of spatial axes.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <cstddef>

namespace vkonnx::kit {

struct DataPlaces {
    size_t batch = 0;
    size_t channels = 1;
    size_t first_axis = 2;
};

inline DataPlaces places_of(Layout layout, size_t axes)
{
    return layout == Layout::nxc ? DataPlaces{0, axes + 1, 1} : DataPlaces{0, 1, 2};
}

// `in` is the place of all input channels, and `out` that of the output channels of one group.
struct FilterPlaces {
    size_t in = 0;
    size_t out = 1;
    size_t first_axis = 2;
};

inline FilterPlaces places_of(onednn::FilterFormat format, size_t axes)
{
    switch (format) {
    case onednn::FilterFormat::xio:
        return {axes, axes + 1, 0};
    case onednn::FilterFormat::oix:
        return {1, 0, 2};
    case onednn::FilterFormat::iox:
        break;
    }
    return {0, 1, 2};
}

}  // namespace vkonnx::kit
