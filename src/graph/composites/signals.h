// SPDX-License-Identifier: Apache-2.0
// This header has Fourier transforms, windows and mel bands.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <optional>
#include <string>

#include "graph/attribute_versions.h"

namespace vkonnx::graph {

class Composer;

struct DFT {
    std::optional<int64_t> axis = {};      // 1, in version 17; version 20 has an input
    std::optional<int64_t> inverse = {};   // 0
    std::optional<int64_t> onesided = {};  // 0

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("axis", axis, Versions{17, 19});
        visit("inverse", inverse);
        visit("onesided", onesided);
    }
};

struct STFT {
    std::optional<int64_t> onesided = {};  // 1

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("onesided", onesided);
    }
};

struct WindowAttributes {
    std::optional<int64_t> output_datatype = {};  // a DType's number (float)
    std::optional<int64_t> periodic = {};         // 1

    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("output_datatype", output_datatype);
        visit("periodic", periodic);
    }
};

struct HannWindow : WindowAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct HammingWindow : WindowAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct BlackmanWindow : WindowAttributes {
    static const Schema schema;
    void compose(Composer& composer) const;
};

struct MelWeightMatrix {
    std::optional<int64_t> output_datatype = {};  // a DType's number (float)

    static const Schema schema;
    void compose(Composer& composer) const;
    template <class Visitor>
    void fields(Visitor&& visit)
    {
        visit("output_datatype", output_datatype);
    }
};

}  // namespace vkonnx::graph
