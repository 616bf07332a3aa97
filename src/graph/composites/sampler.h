// SPDX-License-Identifier: Apache-2.0
// This header has what GridSample, DeformConv and RoiAlign share: samples of a tensor at places between its elements.
#pragma once

#include <optional>
#include <vector>

#include "graph/composer.h"

namespace vkonnx::graph {

enum class Sampling { nearest, linear, cubic };
enum class Padding { zeros, border, reflection };  // what stands for the elements outside

// A place lies between elements of X. On each axis it has taps: the element that it is nearest to, or the 2 or 4 around it, each
// with an index and a weight. What is gathered of all combinations of taps is multiplied by the product of their weights and
// added up.
class Sampler {
public:
    // A place may have at most so many combinations of taps: their number is a power of the number of axes.
    static constexpr int64_t most_combinations = 4096;
    // Returns how many taps a place has on each axis.
    static int64_t taps_of(Sampling sampling) { return sampling == Sampling::cubic ? 4 : sampling == Sampling::linear ? 2 : 1; }

    // X has a batch, channels and spatial axes, and has elements. `aligned` is what reflection needs: X ends at the centers of
    // its outermost elements, and not at their outer edges.
    Sampler(Composer& composer, const Operand& x, Sampling sampling, Padding padding, bool aligned);

    // Takes which image of the batch each place lies in. Places have any dimensions then, and those of images and of each axis
    // are broadcast to each other. What lies in an image that X has not is 0.
    void set_images(const Operand& images);
    // Takes the places on the next axis as (batch, places), in elements: 0 is the center of the axis's first element.
    void add_axis(const Operand& place);
    // Returns the samples as (batch, places, channels) once all axes have their places: in X's type where the nearest elements
    // are taken, else in the type that its numbers are computed in. Weighed elements are added up, or joined by another operator.
    Operand samples(ElementwiseKind join = ElementwiseKind::add);

private:
    // A Tap has, for each place, how many elements of X lie before an element because of this axis, and a weight, which the
    // nearest element has not.
    struct Tap {
        Operand offset;
        std::optional<Operand> weight = {};
    };

    Operand real(const Operand& like, double value) { return composer_.constant(like.desc.dtype, value); }
    Operand offset_of(const Operand& index, int64_t extent, int64_t step);
    Operand reflected(const Operand& place, int64_t extent);
    std::vector<Operand> cubic_weights(const Operand& t);

    Composer& composer_;
    Operand x_;
    Sampling sampling_;
    Padding padding_;
    bool aligned_;
    std::optional<Operand> images_ = {};       // how many elements of X lie before the image of each place
    std::vector<std::vector<Tap>> taps_ = {};  // of each axis so far
};

}  // namespace vkonnx::graph
