// SPDX-License-Identifier: Apache-2.0
// This header has the composites that look at windows or at places between elements: grids, samples, pools of p-norms, and what
// puts windows back.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

struct AffineGrid {
    std::optional<int64_t> align_corners = {};  // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("align_corners", align_corners);
    }
};

// Adds up the columns of windows, as Conv multiplies them, at the places that they were taken from.
struct Col2Im {
    OptionalList dilations = {};  // 1
    OptionalList pads = {};       // 0
    OptionalList strides = {};    // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("dilations", dilations, Versions{});
        visit("pads", pads, Versions{});
        visit("strides", strides, Versions{});
    }
};

// A Conv whose taps each lie where an offset moves them, and may be weighed by a mask.
struct DeformConv {
    OptionalList dilations = {};               // 1
    std::optional<int64_t> group = {};         // 1
    OptionalList kernel_shape = {};            // that of W
    std::optional<int64_t> offset_group = {};  // 1
    OptionalList pads = {};                    // 0
    OptionalList strides = {};                 // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("dilations", dilations, Versions{});
        visit("group", group);
        visit("kernel_shape", kernel_shape, Versions{});
        visit("offset_group", offset_group);
        visit("pads", pads, Versions{});
        visit("strides", strides, Versions{});
    }
};

struct GridSample {
    std::optional<int64_t> align_corners = {};     // 0
    std::optional<std::string> mode = {};          // linear
    std::optional<std::string> padding_mode = {};  // zeros

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("align_corners", align_corners);
        visit("mode", mode);
        visit("padding_mode", padding_mode);
    }
};

struct LpPool {
    AutoPad auto_pad = AutoPad::notset;
    std::optional<int64_t> ceil_mode = {};  // 0
    OptionalList dilations = {};
    OptionalList kernel_shape = {};  // required
    std::optional<int64_t> p = {};   // 2
    OptionalList pads = {};
    OptionalList strides = {};

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("auto_pad", auto_pad, Spellings<AutoPad>(auto_pad_words));
        visit("ceil_mode", ceil_mode, Versions{18});
        visit("dilations", dilations, Versions{18});
        visit("kernel_shape", kernel_shape, Versions{});
        visit("p", p);
        visit("pads", pads, Versions{});
        visit("strides", strides, Versions{});
    }
};

// Puts the maxima of windows back at the places that MaxPool found them at.
struct MaxUnpool {
    OptionalList kernel_shape = {};  // required
    OptionalList pads = {};          // 0
    OptionalList strides = {};       // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("kernel_shape", kernel_shape, Versions{});
        visit("pads", pads, Versions{});
        visit("strides", strides, Versions{});
    }
};

// Pools samples of parts of images, the regions of interest, each of which is divided into as many bins as the output has
// elements.
struct RoiAlign {
    std::optional<std::string> coordinate_transformation_mode = {};  // half_pixel
    std::optional<std::string> mode = {};                            // avg
    std::optional<int64_t> output_height = {};                       // 1
    std::optional<int64_t> output_width = {};                        // 1
    std::optional<int64_t> sampling_ratio = {};                      // 0: as many as a bin has elements
    std::optional<float> spatial_scale = {};                         // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("coordinate_transformation_mode", coordinate_transformation_mode, Versions{16});
        visit("mode", mode);
        visit("output_height", output_height);
        visit("output_width", output_width);
        visit("sampling_ratio", sampling_ratio);
        visit("spatial_scale", spatial_scale);
    }
};

struct GlobalLpPool {
    std::optional<int64_t> p = {};  // 2

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("p", p);
    }
};

}  // namespace vkonnx::graph
