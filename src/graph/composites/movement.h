// SPDX-License-Identifier: Apache-2.0
// This header has the composites that move elements, or make tensors of ones and zeros.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

struct OneHot {
    std::optional<int64_t> axis = {};  // -1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
    }
};

struct Compress {
    std::optional<int64_t> axis = {};  // without it the input is one row

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
    }
};

struct CenterCropPad {
    OptionalList axes = {};  // all

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axes", axes, Versions{});
    }
};

struct EyeLike {
    std::optional<int64_t> dtype = {};  // the input's
    std::optional<int64_t> k = {};      // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("dtype", dtype);
        visit("k", k);
    }
};

struct Trilu {
    std::optional<int64_t> upper = {};  // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("upper", upper);
    }
};

struct ReverseSequence {
    std::optional<int64_t> batch_axis = {};  // 1
    std::optional<int64_t> time_axis = {};   // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("batch_axis", batch_axis);
        visit("time_axis", time_axis);
    }
};

// ScatterElements has taken its place since version 11.
struct Scatter {
    std::optional<int64_t> axis = {};  // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis);
    }
};

// Resize has taken its place since version 10.
struct Upsample {
    std::optional<std::string> mode = {};  // "nearest"
    std::vector<float> scales = {};        // in version 7; later ones have an input

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("mode", mode);
        visit("scales", scales, Versions{7, 8});
    }
};

}  // namespace vkonnx::graph
