// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/sampler.h"

namespace vkonnx::graph {

using enum ElementwiseKind;

Sampler::Sampler(Composer& composer, const Operand& x, Sampling sampling, Padding padding, bool aligned)
    : composer_(composer), x_(x), sampling_(sampling), padding_(padding), aligned_(aligned)
{
}

void Sampler::set_images(const Operand& images)
{
    const std::vector<int64_t>& dims = x_.desc.dims;
    const auto integer = [&](int64_t value) { return composer_.integer(DType::int64, value); };
    const Operand is_there = composer_.add(
        And(), {composer_.add(GreaterOrEqual(), {images, integer(0)}), composer_.add(Less(), {images, integer(dims[0])})});
    const Operand image = composer_.add(Where(), {is_there, images, integer(dims[0])});
    images_ = composer_.add(mul, {image, integer(extent_of(dims, 2, dims.size()))});
}

void Sampler::add_axis(const Operand& place)
{
    const std::vector<int64_t>& dims = x_.desc.dims;
    const size_t axis = 2 + taps_.size();
    const int64_t extent = dims[axis], step = extent_of(dims, axis + 1, dims.size());
    std::vector<Tap>& taps = taps_.emplace_back();
    if (sampling_ == Sampling::nearest) {
        taps.push_back({offset_of(composer_.add(round, {place}), extent, step)});
        return;
    }
    const bool is_cubic = sampling_ == Sampling::cubic;
    const Operand first = composer_.add(floor, {place});
    const Operand t = composer_.add(sub, {place, first});
    const std::vector<Operand> weights =
        is_cubic ? cubic_weights(t) : std::vector<Operand>{composer_.add(sub, {real(t, 1), t}), t};
    for (size_t i = 0; i < weights.size(); ++i) {
        const double shift = double(i) - (is_cubic ? 1 : 0);
        const Operand index = shift == 0 ? first : composer_.add(add, {first, real(t, shift)});
        taps.push_back({offset_of(index, extent, step), weights[i]});
    }
}

Operand Sampler::samples(ElementwiseKind join)
{
    const std::vector<int64_t>& dims = x_.desc.dims;
    const int64_t batch = dims[0], channels = dims[1], elements = extent_of(dims, 2, dims.size());
    // The elements of X of all channels lie side by side: (N * elements, C).
    Operand rows = Composer::view(x_, {batch, channels, elements});
    if (sampling_ != Sampling::nearest)
        rows = composer_.cast(rows, computed_in(x_.desc.dtype));
    if (channels > 1)
        rows = composer_.add(Transpose{.perm = {0, 2, 1}}, {rows});
    rows = Composer::view(rows, {batch * elements, channels});
    if (!images_ && batch > 1)
        images_ =
            composer_.constant({.dtype = DType::int64, .dims = {batch, 1}}, [&](int64_t n) { return double(n * elements); });

    std::optional<Operand> sum;
    std::vector<size_t> at(taps_.size());  // which tap of each axis
    for (bool is_left = true; is_left && composer_.status();) {
        Operand offset = taps_[0][at[0]].offset;
        if (images_)
            offset = composer_.add(add, {offset, *images_});
        std::optional<Operand> weight = taps_[0][at[0]].weight;
        for (size_t axis = 1; axis < taps_.size(); ++axis) {
            offset = composer_.add(add, {offset, taps_[axis][at[axis]].offset});
            if (weight)
                weight = composer_.add(mul, {*weight, *taps_[axis][at[axis]].weight});
        }
        Operand found = composer_.add(Gather(), {rows, offset});
        if (weight) {
            std::vector<int64_t> each = weight->desc.dims;
            each.push_back(1);
            found = composer_.add(mul, {found, composer_.cast(Composer::view(*weight, each), rows.desc.dtype)});
        }
        sum = sum ? composer_.add(join, {*sum, found}) : found;
        is_left = false;
        for (size_t axis = taps_.size(); axis-- > 0 && !is_left;) {
            is_left = ++at[axis] < taps_[axis].size();
            if (!is_left)
                at[axis] = 0;
        }
    }
    return sum.value_or(Operand());
}

// Returns how far an index, a whole number, leads into X: `step` elements for each. With zeros, an index outside leads behind all
// elements of X, where Gather gives zeros.
Operand Sampler::offset_of(const Operand& index, int64_t extent, int64_t step)
{
    const Operand moved = padding_ == Padding::reflection ? reflected(index, extent) : index;
    const Operand raised = composer_.add(max, {moved, real(moved, 0)});
    const Operand clipped = composer_.add(min, {raised, real(raised, double(extent - 1))});
    const Operand whole = composer_.cast(clipped, DType::int64);
    const Operand offset = step == 1 ? whole : composer_.add(mul, {whole, composer_.integer(DType::int64, step)});
    if (padding_ != Padding::zeros)
        return offset;
    const int64_t beyond = extent_of(x_.desc.dims, 0, 1) * extent_of(x_.desc.dims, 2, x_.desc.dims.size());
    const Operand is_inside = composer_.add(And(), {composer_.add(GreaterOrEqual(), {index, real(index, 0)}),
                                                    composer_.add(LessOrEqual(), {index, real(index, double(extent - 1))})});
    return composer_.add(Where(), {is_inside, offset, composer_.integer(DType::int64, beyond)});
}

// Reflects at the centers of the outermost elements, or at their outer edges, again and again:
// least + span - |(place - least) mod (2 span) - span|.
Operand Sampler::reflected(const Operand& place, int64_t extent)
{
    const double least = aligned_ ? 0 : -0.5, span = aligned_ ? double(extent - 1) : double(extent);
    if (span == 0)
        return composer_.add(mul, {place, real(place, 0)});
    const Operand from = composer_.add(sub, {place, real(place, least)});
    const Operand turns = composer_.add(floor, {composer_.add(mul, {from, real(place, 1 / (2 * span))})});
    const Operand rest = composer_.add(sub, {from, composer_.add(mul, {turns, real(place, 2 * span)})});
    const Operand distance = composer_.add(abs, {composer_.add(sub, {rest, real(place, span)})});
    return composer_.add(sub, {real(place, least + span), distance});
}

// Returns the weights of the four taps around a place that lies `t` behind the second one: cubic convolution with a = -0.75.
std::vector<Operand> Sampler::cubic_weights(const Operand& t)
{
    const auto polynomial = [&](const Operand& x, std::initializer_list<double> factors) {  // the highest power first
        Operand sum = real(t, *factors.begin());
        for (const double* factor = factors.begin() + 1; factor != factors.end(); ++factor) {
            sum = composer_.add(mul, {sum, x});
            if (*factor != 0)
                sum = composer_.add(add, {sum, real(t, *factor)});
        }
        return sum;
    };
    constexpr double a = -0.75;
    const std::initializer_list<double> near = {a + 2, -(a + 3), 0, 1};    // of distances to 1
    const std::initializer_list<double> far = {a, -5 * a, 8 * a, -4 * a};  // of distances from 1 to 2
    const Operand before = composer_.add(add, {t, real(t, 1)});
    const Operand left = composer_.add(sub, {real(t, 1), t});
    const Operand behind = composer_.add(sub, {real(t, 2), t});
    return {polynomial(before, far), polynomial(t, near), polynomial(left, near), polynomial(behind, far)};
}

}  // namespace vkonnx::graph
