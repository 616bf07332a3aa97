// SPDX-License-Identifier: Apache-2.0
// This file says what GridSample is computed by. Each place of the grid lies between elements of X. On each axis it has taps: the
// element that it is nearest to, or the 2 or 4 around it, each with an index and a weight. What is gathered of all combinations
// of taps is multiplied by the product of their weights and added up.
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {

using enum ElementwiseKind;

constexpr int64_t grid_sample_versions[] = {16, 20, 22};
constexpr Schema::Input grid_sample_inputs[] = {{.name = "X"}, {.name = "grid"}};
constexpr Schema::Output grid_sample_outputs[] = {{"Y"}};

enum class Padding { zeros, border, reflection };

// A place may have at most so many combinations of taps: their number is a power of the number of axes.
constexpr int64_t most_combinations = 4096;

// A tap has the elements that places read on an axis, as (N, places): how many elements of X lie before it because of this axis,
// and a weight, which nearest has not.
struct Tap {
    Operand offset;
    std::optional<Operand> weight = {};
};

class Sampler {
public:
    Sampler(Composer& composer, Padding padding, bool aligned) : composer_(composer), padding_(padding), aligned_(aligned) {}

    // Returns the place along an axis that the grid's number means: -1 and 1 are the centers of the first and the last element,
    // or, where it is not aligned, their outer edges.
    Operand place_of(const Operand& number, int64_t extent)
    {
        const Operand shifted = composer_.add(add, {number, real(number, 1)});
        if (aligned_)
            return composer_.add(mul, {shifted, real(number, double(extent - 1) / 2)});
        return composer_.add(sub, {composer_.add(mul, {shifted, real(number, double(extent) / 2)}), real(number, 0.5)});
    }

    // Returns how far an index, a whole number, leads into X: `step` elements for each. With zeros an index outside leads to
    // `beyond`.
    Operand offset_of(const Operand& index, int64_t extent, int64_t step, int64_t beyond)
    {
        const Operand moved = padding_ == Padding::reflection ? reflected(index, extent) : index;
        const Operand whole = composer_.cast(clipped(moved, extent), DType::int64);
        const Operand offset = step == 1 ? whole : composer_.add(mul, {whole, integer(step)});
        if (padding_ != Padding::zeros)
            return offset;
        const Operand is_inside = composer_.add(And(), {composer_.add(GreaterOrEqual(), {index, real(index, 0)}),
                                                        composer_.add(LessOrEqual(), {index, real(index, double(extent - 1))})});
        return composer_.add(Where(), {is_inside, offset, integer(beyond)});
    }

    Operand real(const Operand& like, double value) { return composer_.constant(like.desc.dtype, value); }
    Operand integer(int64_t value) { return composer_.integer(DType::int64, value); }

private:
    Operand clipped(const Operand& place, int64_t extent)
    {
        const Operand raised = composer_.add(max, {place, real(place, 0)});
        return composer_.add(min, {raised, real(place, double(extent - 1))});
    }

    // Reflects at the centers of the outermost elements, or at their outer edges, again and again:
    // least + span - |(place - least) mod (2 span) - span|.
    Operand reflected(const Operand& place, int64_t extent)
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

    Composer& composer_;
    Padding padding_;
    bool aligned_;
};

// Returns the weights of the four taps around a place that lies `t` behind the second one: cubic convolution with a = -0.75.
std::vector<Operand> cubic_weights(Composer& composer, const Operand& t)
{
    const auto real = [&](double value) { return composer.constant(t.desc.dtype, value); };
    const auto polynomial = [&](const Operand& x, std::initializer_list<double> factors) {  // the highest power first
        Operand sum = real(*factors.begin());
        for (const double* factor = factors.begin() + 1; factor != factors.end(); ++factor) {
            sum = composer.add(mul, {sum, x});
            if (*factor != 0)
                sum = composer.add(add, {sum, real(*factor)});
        }
        return sum;
    };
    constexpr double a = -0.75;
    const std::initializer_list<double> near = {a + 2, -(a + 3), 0, 1};    // of distances to 1
    const std::initializer_list<double> far = {a, -5 * a, 8 * a, -4 * a};  // of distances from 1 to 2
    const Operand before = composer.add(add, {t, real(1)});
    const Operand left = composer.add(sub, {real(1), t});
    const Operand behind = composer.add(sub, {real(2), t});
    return {polynomial(before, far), polynomial(t, near), polynomial(left, near), polynomial(behind, far)};
}

}  // namespace

constinit const Schema GridSample::schema = {
    .name = "GridSample", .versions = grid_sample_versions, .inputs = grid_sample_inputs, .outputs = grid_sample_outputs};

void GridSample::compose(Composer& composer) const
{
    const Operand x = composer.input(0), grid = composer.input(1);
    const std::vector<int64_t>& dims = x.desc.dims;
    const size_t axes = dims.size() < 2 ? 0 : dims.size() - 2;
    const bool is_old = composer.version() < 20;
    const std::string wanted = mode.value_or(is_old ? "bilinear" : "linear");
    const std::string padding = padding_mode.value_or("zeros");
    const bool is_linear = wanted == (is_old ? "bilinear" : "linear"), is_cubic = wanted == (is_old ? "bicubic" : "cubic");
    const bool aligned = composer.flag(align_corners, "align_corners");
    if (!composer.check(is_linear || is_cubic || wanted == "nearest",
                        "mode = " + quote(wanted) + " must be " +
                            (is_old ? "bilinear, nearest or bicubic" : "linear, nearest or cubic")) ||
        !composer.check(padding == "zeros" || padding == "border" || padding == "reflection",
                        "padding_mode = " + quote(padding) + " must be zeros, border or reflection") ||
        !composer.check(axes >= 1 && (axes == 2 || !is_old), "X is " + to_string(x.desc) + ", expected " +
                                                                 (is_old ? "four dimensions" : "three dimensions or more")) ||
        !composer.check_floats(1, "grid") || (wanted != "nearest" && !composer.check_floats(0, "X")))
        return;
    const std::vector<int64_t>& places = grid.desc.dims;
    if (!composer.check(places.size() == dims.size() && places.front() == dims[0] && places.back() == int64_t(axes),
                        "grid is " + to_string(grid.desc) + ", but must have X's rank, X's batch and " + std::to_string(axes) +
                            " numbers for each place"))
        return;
    const int64_t each = is_cubic ? 4 : is_linear ? 2 : 1;
    if (!composer.check(extent_of(std::vector<int64_t>(axes, each), 0, axes) <= most_combinations,
                        "X is " + to_string(x.desc) + ", whose " + std::to_string(axes) + " spatial axes have more than " +
                            std::to_string(most_combinations) + " combinations of " + std::to_string(each) +
                            " taps, which is the limit of this library"))
        return;
    const int64_t batch = dims[0], channels = dims[1], elements = extent_of(dims, 2, dims.size());
    const int64_t count = extent_of(places, 1, places.size() - 1);
    const auto output = [&](const Operand& operand) {
        std::vector<int64_t> shape = {batch, channels};
        shape.insert(shape.end(), places.begin() + 1, places.end() - 1);
        composer.set_output(0, Composer::view(operand, std::move(shape)));
    };
    if (elements == 0 || batch == 0 || channels == 0 || count == 0) {  // nothing to look at
        output(composer.constant({.dtype = x.desc.dtype, .dims = {batch, channels, count}}, [](int64_t) { return 0.0; }));
        return;
    }

    Sampler sampler(composer,
                    padding == "zeros"    ? Padding::zeros
                    : padding == "border" ? Padding::border
                                          : Padding::reflection,
                    aligned);
    const DType wide = computed_in(grid.desc.dtype);
    const Operand numbers = Composer::view(composer.cast(grid, wide), {batch, count, int64_t(axes)});
    const int64_t beyond = batch * elements;  // behind all elements of X, where Gather gives zeros
    std::vector<std::vector<Tap>> taps;       // of each axis
    for (size_t axis = 0; axis < axes; ++axis) {
        const auto entry = int64_t(axes - 1 - axis);  // the grid begins with the last axis
        const int64_t extent = dims[2 + axis];
        const int64_t step = extent_of(dims, 3 + axis, dims.size());
        const Operand number =
            Composer::view(composer.add(Slice{.starts = {entry}, .ends = {entry + 1}, .axes = {2}}, {numbers}), {batch, count});
        const Operand place = sampler.place_of(number, extent);
        std::vector<Tap>& own = taps.emplace_back();
        if (wanted == "nearest") {
            own.push_back({sampler.offset_of(composer.add(round, {place}), extent, step, beyond)});
            continue;
        }
        const Operand first = composer.add(floor, {place});
        const Operand t = composer.add(sub, {place, first});
        const std::vector<Operand> weights =
            is_cubic ? cubic_weights(composer, t) : std::vector<Operand>{composer.add(sub, {sampler.real(t, 1), t}), t};
        for (size_t i = 0; i < weights.size(); ++i) {
            const double shift = double(i) - (is_cubic ? 1 : 0);
            const Operand index = shift == 0 ? first : composer.add(add, {first, sampler.real(t, shift)});
            own.push_back({sampler.offset_of(index, extent, step, beyond), weights[i]});
        }
    }

    // The elements of X of all channels lie side by side: (N * elements, C).
    std::vector<int64_t> rows = {batch * elements, channels};
    Operand x_rows = Composer::view(x, {batch, channels, elements});
    if (wanted != "nearest")
        x_rows = composer.cast(x_rows, computed_in(x.desc.dtype));
    if (channels > 1)
        x_rows = composer.add(Transpose{.perm = {0, 2, 1}}, {x_rows});
    x_rows = Composer::view(x_rows, rows);
    const Operand batches =
        composer.constant({.dtype = DType::int64, .dims = {batch, 1}}, [&](int64_t n) { return double(n * elements); });

    std::optional<Operand> sum;
    std::vector<size_t> at(axes);  // which tap of each axis
    for (bool is_left = true; is_left && composer.status();) {
        Operand offset = taps[0][at[0]].offset;
        if (batch > 1)
            offset = composer.add(add, {offset, batches});
        std::optional<Operand> weight = taps[0][at[0]].weight;
        for (size_t axis = 1; axis < axes; ++axis) {
            offset = composer.add(add, {offset, taps[axis][at[axis]].offset});
            if (weight)
                weight = composer.add(mul, {*weight, *taps[axis][at[axis]].weight});
        }
        Operand found = composer.add(Gather(), {x_rows, offset});  // (N, places, C)
        if (weight) {
            const Operand factor = composer.cast(Composer::view(*weight, {batch, count, 1}), x_rows.desc.dtype);
            found = composer.add(mul, {found, factor});
        }
        sum = sum ? composer.add(add, {*sum, found}) : found;
        is_left = false;
        for (size_t axis = axes; axis-- > 0 && !is_left;) {
            is_left = ++at[axis] < taps[axis].size();
            if (!is_left)
                at[axis] = 0;
        }
    }
    if (!composer.status())
        return;
    if (channels > 1)
        sum = composer.add(Transpose{.perm = {0, 2, 1}}, {*sum});
    output(composer.cast(*sum, x.desc.dtype));
}

}  // namespace vkonnx::graph
