// SPDX-License-Identifier: Apache-2.0
// This header has the composites that look at windows or at places between elements: grids, samples, and pools of p-norms.
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
