// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t rotary_embedding_versions[] = {23};
constexpr Schema::Input rotary_embedding_inputs[] = {
    {.name = "X"}, {.name = "cos_cache"}, {.name = "sin_cache"}, {.name = "position_ids", .option = Schema::Option::optional}};
constexpr Schema::Output rotary_embedding_outputs[] = {{"Y"}};
}  // namespace

constinit const Schema RotaryEmbedding::schema = {.name = "RotaryEmbedding",
                                                  .versions = rotary_embedding_versions,
                                                  .inputs = rotary_embedding_inputs,
                                                  .outputs = rotary_embedding_outputs};

// Turns pairs (a, b) of a head by the angle of the place in the sequence: (a cos - b sin, a sin + b cos). The pairs are
//
//   side by side, interleaved:  a0 b0 a1 b1 .. | rest
//   or in halves:               a0 a1 .. b0 b1 .. | rest
//
// where the rest, behind rotary_embedding_dim, stays as it is. Four dimensions are (batch, head, place, size), three are (batch,
// place, head * size).
void RotaryEmbedding::compose(Composer& composer) const
{
    const Operand input = composer.input(0);
    const std::vector<int64_t> dims = input.desc.dims;
    const bool is_joined = dims.size() == 3;
    if (!composer.check_floats(0, "X") ||
        !composer.check(dims.size() == 3 || dims.size() == 4,
                        "X is " + to_string(input.desc) + ", expected three or four dimensions"))
        return;
    const int64_t heads = is_joined ? num_heads.value_or(0) : dims[1];
    if (!composer.check(!is_joined || (heads > 0 && dims[2] % heads == 0),
                        "num_heads = " + std::to_string(heads) + " must divide the last of X's three dimensions"))
        return;
    const int64_t batches = dims[0], places = is_joined ? dims[1] : dims[2], size = is_joined ? dims[2] / heads : dims[3];
    const int64_t turned = rotary_embedding_dim.value_or(0) == 0 ? size : *rotary_embedding_dim;
    if (!composer.check(turned > 0 && turned <= size && turned % 2 == 0, "rotary_embedding_dim = " + std::to_string(turned) +
                                                                             " must be even and at most the size of a head, " +
                                                                             std::to_string(size)))
        return;
    const int64_t pairs = turned / 2;
    const DType wide = computed_in(input.desc.dtype);

    // Behind the batch come the head and the place, or the place and the head.
    const std::vector<int64_t> front =
        is_joined ? std::vector<int64_t>{batches, places, heads} : std::vector<int64_t>{batches, heads, places};
    const auto with = [](std::vector<int64_t> some, std::vector<int64_t> more) {
        some.insert(some.end(), more.begin(), more.end());
        return some;
    };
    const std::vector<int64_t> angle_front =
        is_joined ? std::vector<int64_t>{batches, places, 1} : std::vector<int64_t>{batches, 1, places};
    const bool is_interleaved = interleaved.value_or(0) != 0;
    const std::vector<int64_t> pair_dims = is_interleaved ? std::vector<int64_t>{pairs, 1} : std::vector<int64_t>{pairs};

    const std::vector<int64_t> at_places = {batches, places};
    const auto angles = [&](size_t index, const char* name) {
        Operand cache = composer.input(index);
        if (composer.has(3)) {
            const bool fits =
                composer.dims(index).size() == 2 && composer.dims(index)[1] == pairs && composer.dims(3) == at_places;
            if (!composer.check(fits, std::string(name) + " is " + to_string(cache.desc) + " and position_ids " +
                                          to_string(composer.input(3).desc) + ", expected " + std::to_string(pairs) +
                                          " columns and (" + std::to_string(batches) + ", " + std::to_string(places) + ")"))
                return cache;
            cache = composer.add(Gather(), {cache, composer.input(3)});
        } else if (!composer.check(composer.dims(index) == with(at_places, {pairs}),
                                   std::string(name) + " is " + to_string(cache.desc) + ", expected " +
                                       to_string({.dtype = cache.desc.dtype, .dims = with(at_places, {pairs})}))) {
            return cache;
        }
        return Composer::view(composer.cast(cache, wide), with(angle_front, pair_dims));
    };
    const Operand cosines = angles(1, "cos_cache"), sines = angles(2, "sin_cache");

    const auto part = [&](const Operand& of, int64_t extent, int64_t from, int64_t to) {
        return from == 0 && to == extent ? of : composer.add(Slice{.starts = {from}, .ends = {to}, .axes = {-1}}, {of});
    };
    const Operand x = Composer::view(composer.cast(input, wide), with(front, {size}));
    const Operand before = part(x, size, 0, turned);
    const Operand both = is_interleaved ? Composer::view(before, with(front, {pairs, 2})) : before;
    const int64_t half = is_interleaved ? 1 : pairs;
    const Operand a = part(both, 2 * half, 0, half), b = part(both, 2 * half, half, 2 * half);
    const auto product = [&](const Operand& first, const Operand& second) {
        return composer.add(ElementwiseKind::mul, {first, second});
    };
    const Operand real = composer.add(ElementwiseKind::sub, {product(a, cosines), product(b, sines)});
    const Operand imaginary = composer.add(ElementwiseKind::add, {product(a, sines), product(b, cosines)});
    Operand y = Composer::view(composer.add(Concat{.axis = -1}, {real, imaginary}), with(front, {turned}));
    if (turned < size)
        y = composer.add(Concat{.axis = -1}, {y, part(x, size, turned, size)});
    composer.set_output(0, composer.cast(Composer::view(y, dims), input.desc.dtype));
}

}  // namespace vkonnx::graph
