// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "graph/composites/sampler.h"

namespace vkonnx::graph {
namespace {

using enum ElementwiseKind;

constexpr int64_t roi_align_versions[] = {10, 16, 22};
constexpr Schema::Input roi_align_inputs[] = {{.name = "X"}, {.name = "rois"}, {.name = "batch_indices"}};
constexpr Schema::Output roi_align_outputs[] = {{"Y"}};

// What lies in memory at once for some of the regions has about so many elements, unless that made too many parts of them.
constexpr int64_t elements_at_once = int64_t(1) << 22;
constexpr int64_t most_parts = 64;

// A Side is what some regions are along one axis of X, in its elements.
struct Side {
    Operand start = {};  // (regions, 1)
    Operand size = {};   // (regions, 1)
    Operand bin = {};    // (regions, 1): the size of one of the equal parts
    int64_t extent = 0;  // of X
    int64_t bins = 0;
};

class Regions {
public:
    explicit Regions(Composer& composer) : composer_(composer) {}

    Operand real(const Operand& like, double value) { return composer_.constant(like.desc.dtype, value); }
    Operand plus(const Operand& a, const Operand& b) { return composer_.add(add, {a, b}); }
    Operand minus(const Operand& a, const Operand& b) { return composer_.add(sub, {a, b}); }
    Operand times(const Operand& a, const Operand& b) { return composer_.add(mul, {a, b}); }
    Operand row(const Operand& like, std::vector<int64_t> dims, const std::function<double(int64_t)>& element)
    {
        return composer_.constant({like.desc.dtype, std::move(dims)}, element);
    }

    // Returns as many places as `ratio` tells for each bin, (regions, bins * ratio), at the centers of equal parts.
    Operand places(const Side& side, int64_t ratio)
    {
        const Operand steps = row(side.bin, {1, side.bins * ratio}, [&](int64_t i) { return (double(i) + 0.5) / double(ratio); });
        return plus(side.start, times(side.bin, steps));
    }

    // Returns 1 for places that lie at X or at most an element outside, else 0.
    Operand is_near(const Operand& place, int64_t extent)
    {
        const Operand condition = composer_.add(And(), {composer_.add(GreaterOrEqual(), {place, real(place, -1)}),
                                                        composer_.add(LessOrEqual(), {place, real(place, double(extent))})});
        return composer_.cast(condition, place.desc.dtype);
    }

    Operand clipped(const Operand& place, int64_t extent)
    {
        return composer_.add(min, {composer_.add(max, {place, real(place, 0)}), real(place, double(extent - 1))});
    }

    // Returns how many places a bin has without a sampling_ratio, (regions, 1): its size, rounded up. The quotient size / bins is
    // computed as a product, which may be off by its last bit, so that the number is compared with the size itself.
    Operand places_of_bin(const Side& side)
    {
        const Operand& size = side.size;
        const auto bins = double(side.bins);
        const auto number_of = [&](const Operand& condition) { return composer_.cast(condition, size.desc.dtype); };
        Operand n = composer_.add(ceil, {times(size, real(size, 1 / bins))});
        const Operand of_fewer = times(minus(n, real(n, 1)), real(n, bins));
        n = minus(n, number_of(composer_.add(GreaterOrEqual(), {of_fewer, size})));
        return plus(n, number_of(composer_.add(Less(), {times(n, real(n, bins)), size})));
    }

    // Returns what each element of X weighs in the mean of a bin's places, (regions, bins, extent). A place between two elements
    // has a share of both, the greater the nearer they are:
    //
    //   share of     1 |        /\             all of it at the element
    //   element y      |       /  \            half of it half way
    //                0 +------/----\-----  place
    //                      y-1   y   y+1
    //
    // A place outside of X is the outermost element's alone, as far as one element outside; beyond that it counts as nothing.
    // A bin may have more places than can be looked at one by one. They are a + i * s, for i from 0 to n - 1, so that it is
    // known how many of them lie below any edge. From place number i to before number j there are k = j - i places with the
    // mean a + s * (i + j - 1) / 2, and their shares add up to k times the share of the mean, where the share is a line.
    Operand weights(const Side& side)
    {
        const Operand n = places_of_bin(side);
        const std::vector<int64_t> each = {extent_of(n.desc.dims, 0, 1), 1, 1};  // of a region
        const Operand count = Composer::view(composer_.add(max, {n, real(n, 1)}), each);
        const Operand has_places = Composer::view(composer_.add(Greater(), {n, real(n, 0)}), each);
        const Operand bin = Composer::view(side.bin, each);
        const Operand s = composer_.add(Where(), {has_places, composer_.add(div, {bin, count}), real(bin, 1)});
        const Operand start =
            plus(Composer::view(side.start, each), times(bin, row(bin, {1, side.bins, 1}, [](int64_t i) { return double(i); })));
        const Operand a = plus(start, times(s, real(s, 0.5)));

        // The edges are -1, 0, 1 and so on up to the extent, at which a place may lie: that edge is a little higher.
        const int64_t extent = side.extent;
        const Operand edges = row(a, {1, 1, extent + 2},
                                  [&](int64_t i) { return i == extent + 1 ? double(extent) * (1 + 0x1p-23) : double(i - 1); });
        Operand below = composer_.add(ceil, {composer_.add(div, {minus(edges, a), s})});
        below = composer_.add(min, {composer_.add(max, {below, real(below, 0)}), count});
        const auto below_edge = [&](int64_t first) {  // for each element y, how many places lie below edge y - 1 + first
            return composer_.add(Slice{.starts = {first}, .ends = {first + extent}, .axes = {2}}, {below});
        };
        const Operand i = below_edge(0), j = below_edge(1), end = below_edge(2);
        // Adds up slope * place + offset over the places from one number to before another.
        const auto shares = [&](const Operand& from, const Operand& to, const Operand& slope, const Operand& offset) {
            const Operand k = minus(to, from);
            const Operand mean = plus(a, times(s, times(minus(plus(from, to), real(k, 1)), real(k, 0.5))));
            return times(k, plus(times(mean, slope), offset));
        };
        const std::vector<int64_t> along = {1, 1, extent};
        const Operand rising = shares(i, j, row(a, along, [](int64_t y) { return y == 0 ? 0.0 : 1.0; }),
                                      row(a, along, [](int64_t y) { return y == 0 ? 1.0 : 1.0 - double(y); }));
        const Operand falling = shares(j, end, row(a, along, [&](int64_t y) { return y == extent - 1 ? 0.0 : -1.0; }),
                                       row(a, along, [&](int64_t y) { return y == extent - 1 ? 1.0 : double(y) + 1; }));
        const Operand mean = composer_.add(div, {plus(rising, falling), count});
        return composer_.add(Where(), {has_places, mean, real(mean, 0)});
    }

private:
    Composer& composer_;
};

}  // namespace

constinit const Schema RoiAlign::schema = {
    .name = "RoiAlign", .versions = roi_align_versions, .inputs = roi_align_inputs, .outputs = roi_align_outputs};

// A node with a sampling_ratio samples X at that many places along each axis of a bin. A node without one multiplies matrices to
// get the mean over a bin's places: weights of rows * X * weights of columns. Regions are taken some at a time, to save memory.
void RoiAlign::compose(Composer& composer) const
{
    const Operand x = composer.input(0), rois = composer.input(1), images = composer.input(2);
    const std::vector<int64_t>& dims = x.desc.dims;
    const int64_t height = output_height.value_or(1), width = output_width.value_or(1), ratio = sampling_ratio.value_or(0);
    const std::string wanted = mode.value_or("avg");
    const std::string coordinates =
        composer.version() < 16 ? "output_half_pixel" : coordinate_transformation_mode.value_or("half_pixel");
    const bool is_max = wanted == "max", is_shifted = coordinates == "half_pixel";
    const float scale = spatial_scale.value_or(1);
    if (!composer.check(is_max || wanted == "avg", "mode = " + quote(wanted) + " must be avg or max") ||
        !composer.check(is_shifted || coordinates == "output_half_pixel",
                        "coordinate_transformation_mode = " + quote(coordinates) + " must be half_pixel or output_half_pixel") ||
        !composer.check_list("output_height and output_width", {height, width}, 2, 1) ||
        !composer.check(ratio >= 0 && ratio <= 1024, "sampling_ratio = " + std::to_string(ratio) + " must be from 0 to 1024") ||
        !composer.check(std::isfinite(scale), "spatial_scale = " + std::to_string(scale) + " must be a finite number") ||
        !composer.check_floats(0, "X") || !composer.check_floats(1, "rois") ||
        !composer.check(dims.size() == 4, "X is " + to_string(x.desc) + ", expected four dimensions"))
        return;
    const int64_t regions = rois.desc.dims.empty() ? 0 : rois.desc.dims[0];
    if (!composer.check(rois.desc.dims == std::vector<int64_t>{regions, 4},
                        "rois is " + to_string(rois.desc) + ", expected four numbers for each region") ||
        !composer.check(images.desc.dtype == DType::int64 && images.desc.dims == std::vector<int64_t>{regions},
                        "batch_indices is " + to_string(images.desc) + ", expected int64[" + std::to_string(regions) + "]"))
        return;
    if (is_max && ratio == 0) {
        composer.fail(Status(Code::unsupported, "mode = 'max' is supported where sampling_ratio is given, and it is 0"));
        return;
    }
    const DType dtype = x.desc.dtype, wide = computed_in(dtype);
    const int64_t channels = dims[1];
    if (extent_of(dims, 0, 4) == 0 || regions == 0) {  // nothing to look at
        const Operand zero = composer.constant({dtype, {1, 1, 1, 1}}, [](int64_t) { return 0.0; });
        composer.set_output(0, composer.add(Expand{.shape = {regions, channels, height, width}}, {zero}));
        return;
    }

    Regions parts(composer);
    const Operand all = composer.cast(rois, wide);
    const int64_t each = ratio > 0 ? extent_of({height, width, ratio, ratio, channels}, 0, 5) : extent_of(dims, 1, 4);
    const int64_t at_once = std::clamp(elements_at_once / each, (regions + most_parts - 1) / most_parts, regions);
    std::vector<Operand> made;
    for (int64_t first = 0; first < regions && composer.status(); first += at_once) {
        const int64_t count = std::min(at_once, regions - first);
        const auto some = [&](const Operand& operand) {
            return count == regions ? operand
                                    : composer.add(Slice{.starts = {first}, .ends = {first + count}, .axes = {0}}, {operand});
        };
        const Operand numbers = some(all), image = some(images);
        const auto side_of = [&](int64_t column, int64_t extent, int64_t bins) {  // rois are (x1, y1, x2, y2)
            const auto edge = [&](int64_t from) {
                const Operand number = composer.add(Slice{.starts = {from}, .ends = {from + 1}, .axes = {1}}, {numbers});
                const Operand scaled = parts.times(number, parts.real(number, scale));
                return is_shifted ? parts.minus(scaled, parts.real(scaled, 0.5)) : scaled;
            };
            const Operand start = edge(column);
            Operand size = parts.minus(edge(column + 2), start);
            if (!is_shifted)
                size = composer.add(max, {size, parts.real(size, 1)});
            return Side{start, size, parts.times(size, parts.real(size, 1 / double(bins))), extent, bins};
        };
        const Side rows = side_of(1, dims[2], height), columns = side_of(0, dims[3], width);
        if (ratio == 0) {
            const auto turned = [&](const Operand& operand) { return composer.add(Transpose{.perm = {0, 2, 1}}, {operand}); };
            const Operand right = turned(parts.weights(columns));
            const Operand of_columns = Composer::view(right, {count, 1, dims[3], width});
            const Operand of_rows = Composer::view(parts.weights(rows), {count, 1, height, dims[2]});
            const Operand own = composer.add(Gather(), {composer.cast(x, wide), image});
            made.push_back(composer.add(MatMul(), {of_rows, composer.add(MatMul(), {own, of_columns})}));
            continue;
        }
        const Operand y = Composer::view(parts.places(rows, ratio), {count, height * ratio, 1});
        const Operand x_places = Composer::view(parts.places(columns, ratio), {count, 1, width * ratio});
        Sampler sampler(composer, x, Sampling::linear, Padding::border, true);
        sampler.set_images(Composer::view(image, {count, 1, 1}));
        sampler.add_axis(parts.clipped(y, dims[2]));
        sampler.add_axis(parts.clipped(x_places, dims[3]));
        const Operand is_near = parts.times(parts.is_near(y, dims[2]), parts.is_near(x_places, dims[3]));
        const Operand samples =
            parts.times(Composer::view(sampler.samples(is_max ? max : add), {count, height * ratio, width * ratio, channels}),
                        Composer::view(is_near, {count, height * ratio, width * ratio, 1}));
        const Operand bins = Composer::view(samples, {count, height, ratio, width, ratio, channels});
        const Operand pooled = is_max ? composer.add(ReduceMax{.axes = {2, 4}, .keepdims = 0}, {bins})
                                      : composer.add(ReduceMean{.axes = {2, 4}, .keepdims = 0}, {bins});
        made.push_back(composer.add(Transpose{.perm = {0, 3, 1, 2}}, {pooled}));
    }
    if (!composer.status())
        return;
    composer.set_output(0, composer.cast(made.size() == 1 ? made[0] : composer.add(Concat{.axis = 0}, made), dtype));
}

}  // namespace vkonnx::graph
